"""A Plotly chart that stays where it is while sliders move (see chart.js for why)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.data.spec import DataSpec
from core.scenario.context import Context, file_part, parts
from pages.ui.serving import programs
from pages.ui.style import glossary
from pages.ui.style.base import DARK, LIGHT, MARKERS, STRONG_DARK, STRONG_LIGHT, Figure
from pages.ui.style.labels import text
from pages.ui.work import context
from pages.ui.work.visits import kept_for

_HERE = Path(__file__).parent
_OLD: ContextVar[bool] = ContextVar("charts_are_old", default=False)
BAR = 24
"""Pixels below the chart for the exports."""


def _program() -> str:
    palettes = {
        name: {MARKERS[role]: value for role, value in roles.items()}
        for name, roles in (
            ("light", LIGHT),
            ("dark", DARK),
            ("strong_light", STRONG_LIGHT),
            ("strong_dark", STRONG_DARK),
        )
    }
    names = ("chart.js", "terms.js", "projected.js", "saving.js", "answer.js", "live.js")
    source = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
    for name, value in {
        "__PALETTES__": json.dumps(palettes),
        "__PLOTLY__": programs.PLOTLY,
        "__INK__": MARKERS["ink"],
        "__BAR__": str(BAR),
        "__STYLE__": json.dumps((_HERE / "chart.css").read_text(encoding="utf-8")),
    }.items():
        source = source.replace(name, value)
    return source


_SOURCE = _program()

programs.keep(_SOURCE.encode(), first=True)


def _part_of(part: str, name: str) -> ComponentRenderer:
    """Return the component that a part of the program draws."""
    js = programs.publish(_SOURCE, part)
    return st.components.v2.component(f"liftscope_{name}", js=js, isolate_styles=False)


_COMPONENT = _part_of("default", "chart")
_BOARD = _part_of("board", "board")
_WORDS = _part_of("words", "words")
_SAVING = _part_of("saving", "chart_saving")


@dataclass(frozen=True)
class MadeOf:
    """What a figure is made of: where this is the same, so is the figure.

    `data`: what it is about; figures of a session's own data stay in the session. `key`:
    `weakref.ref`s to the answer or to what was made of it, never the question, and how it is drawn.
    """

    data: DataSpec
    key: tuple[Hashable, ...]


def chart(
    figure: Figure | Callable[[], Figure],
    *,
    key: str,
    title: str,
    alt: str,
    on_pick: Callable[[], None] | None = None,
    faded: bool = False,
    made_of: MadeOf | None = None,
) -> None:
    """Show a figure."""
    spec = _Spec(key, title, alt, on_pick is not None, faded or _OLD.get(), False)
    message, height = _built(figure, spec, made_of)
    _COMPONENT(data=message, key=key, height=height, on_picked_change=on_pick or _ignore)


def place(key: str, *, fills: bool = True) -> None:
    """Keep a place for a chart of a board; `fills`: it takes the height that is left there."""
    _mount(json.dumps({"chart": key, "fills": fills, "place": True}).encode(), key, fills=fills)


def _mount(message: bytes, key: str, *, fills: bool) -> None:
    height: Literal["stretch", "content"] = "stretch" if fills else "content"
    _COMPONENT(data=message, key=key, height=height, on_picked_change=_ignore)


def words(key: str) -> None:
    """Keep a place for an answer of a board in words and figures."""
    _WORDS(data={"words": key}, key=key)


def part(
    figure: Figure | Callable[[], Figure],
    *,
    key: str,
    title: str,
    alt: str,
    pickable: bool = False,
    faded: bool = False,
    fills: bool = True,
    made_of: MadeOf | None = None,
) -> bytes:
    """Return a chart as `board` sends it to its place; the parameters are those of `chart`."""
    spec = _Spec(key, title, alt, pickable, faded or _OLD.get(), fills)
    return _built(figure, spec, made_of)[0]


@dataclass(frozen=True)
class Drawing:
    """A chart of a board: how it is drawn, of what, and its key, title and description."""

    figure: Callable[[], Figure]
    key: str
    title: str
    alt: str
    made_of: MadeOf | None = None
    pickable: bool = False
    fills: bool = True

    def sent(self, *, faded: bool = False) -> bytes:
        """Return it as the board sends it."""
        return part(
            self.figure,
            made_of=self.made_of,
            key=self.key,
            title=self.title,
            alt=self.alt,
            pickable=self.pickable,
            fills=self.fills,
            faded=faded,
        )

    def show(self) -> None:
        """Show it in its place, without the board's others: no slider changes it."""
        _mount(self.sent(), self.key, fills=self.fills)

    def frame(self) -> dict[str, Any]:
        """Return what a browser needs that shows the same chart at another place of a slider.

        Of a figure with a `tail` in its `meta`: so many of its last traces; the others stay.
        """
        whole = json.loads(self.sent())
        content = {name: whole[name] for name in ("data", "layout", "low", "now", "alt", "serial")}
        if tail := whole["tail"]:
            content["tail"] = json.loads(content.pop("data"))[-tail:]
        return content


BOARD = "board_drawn"
"""The key of the component that draws a board, for `picked`."""


def board(
    answers: Mapping[str, Any],
    parts: Iterable[bytes],
    sliders: Sequence[Mapping[str, Any]],
    on_pick: Callable[[], None] | None = None,
) -> None:
    """Show answers in words and figures, and draw charts in their places; all follow sliders.

    One element and one message: no second run comes between them. `answers`, by their places, ""
    for the board's own: see answer.js, None where there is none; `sliders`: see live.js.
    """
    head = json.dumps({"answers": answers, "sliders": list(sliders)}, ensure_ascii=False)
    message = b'{"charts":[%b],%b' % (b",".join(parts), head.removeprefix("{").encode())
    _BOARD(data=message, key=BOARD, on_picked_change=on_pick or _ignore)


def _built(
    figure: Figure | Callable[[], Figure], spec: _Spec, made_of: MadeOf | None
) -> tuple[bytes, int]:
    about = context.shown()

    def make() -> tuple[bytes, int]:
        return _message(figure() if callable(figure) else figure, spec, about)

    if made_of is None:
        return make()
    sent: tuple[bytes, int] = kept_for(made_of.data).get(
        ("chart", spec, made_of, repr(about)), make
    )
    return sent


def saving(key: str, charts: Mapping[str, str]) -> None:
    """Show what saves charts on the page as files, and their symbols; `charts`: key → title."""
    _SAVING(data={"charts": dict(charts)}, key=f"{key}_saving")


class _Spec(NamedTuple):
    """What a chart needs besides its figure."""

    key: str
    title: str
    alt: str
    pickable: bool
    faded: bool
    fills: bool


def _message(figure: Figure, spec: _Spec, about: Context) -> tuple[bytes, int]:
    """Return what a browser is sent, and the pixels that it takes in height."""
    layout = dict(figure["layout"])
    meta = layout.pop("meta", {})
    now = meta.get("now")
    texts = _texts(figure["data"], layout, annotated=meta.get("explained", False))
    places = parts(about)
    data = [_named_once(trace) for trace in figure["data"]]
    written = {"data": _written(data), "layout": _written(layout)}
    message: dict[str, Any] = written | {
        "now": now,
        "chart": spec.key,
        "alt": spec.alt,
        "height": layout["height"],
        "name": f"liftscope-{spec.key}-{file_part(about)}" if about else f"liftscope-{spec.key}",
        "title": spec.title,
        "terms": [[term.title, term.meaning] for term in glossary.terms_in([spec.title, *texts])],
        "hints": {word: hint for word in texts if (hint := _hint(word))},
        "about": [text(part) for part in places],
        "plain": "; ".join(places),
        "pickable": spec.pickable,
        "faded": spec.faded,
        "fills": spec.fills,
        "low": _written(meta.get("low")),
        "tail": meta.get("tail", 0),
        "projected": meta.get("projected", {}),
    }
    drawn = (written, now, spec.alt, spec.faded, spec.fills, message["projected"], message["low"])
    message["serial"] = hashlib.sha256(repr(drawn).encode()).hexdigest()[:12]
    return json.dumps(message, ensure_ascii=False).encode(), layout["height"] + BAR


def _named_once(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a trace as it is sent: a table whose cells have two names each has a row's once.

    See `figure` in chart.js.
    """
    cells = trace.get("customdata")
    if trace["type"] != "heatmap" or not cells or any(len(cell) != 2 for cell in cells[0]):
        return trace
    names = [row[0][0] for row in cells], [column for _, column in cells[0]]
    if cells != [[[row, column] for column in names[1]] for row in names[0]]:
        return trace
    return {name: value for name, value in trace.items() if name != "customdata"} | {"names": names}


@contextmanager
def old(which: bool = True) -> Iterator[None]:
    """Fade all charts within if `which`: they are of an answer to another question."""
    token = _OLD.set(which)
    try:
        yield
    finally:
        _OLD.reset(token)


def _texts(data: list[Any], layout: dict[str, Any], *, annotated: bool) -> list[str]:
    """Return a figure's titles, and its other words where they are ours, not labels of data."""
    axes = [part["title"]["text"] for name, part in layout.items() if name[1:5] == "axis"]
    lines = [trace["name"] for trace in data if trace.get("name") and layout.get("showlegend")]
    notes = [note["text"] for note in layout.get("annotations", ()) if annotated]
    words = [word for trace in data if annotated for word in trace.get("text", ())]
    return [word for word in (*axes, *lines, *notes, *words) if word]


def _hint(word: str) -> str:
    return "\n".join(f"{term.title}: {term.meaning}" for term in glossary.terms_in([word]))


def _written(part: Any) -> str:
    return json.dumps(part, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def picked(key: str) -> dict[str, Any] | None:
    """Return what was clicked in a chart, {"x": …, "at": its place, "key": …}, or None."""
    state = st.session_state.get(key)
    value = state.get("picked") if state else None
    return value if isinstance(value, dict) and {"x", "key"} <= value.keys() else None


def _ignore() -> None:
    """Do nothing: a chart without points to pick has no callback of its own."""
