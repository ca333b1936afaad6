"""A Plotly chart that stays where it is while sliders move (see chart.js for why)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
import streamlit.components.v1 as files

from core.scenario.context import file_part, parts
from pages.ui.style import glossary
from pages.ui.style.base import Figure
from pages.ui.style.labels import text
from pages.ui.style.palette import DARK, LIGHT, MARKERS, STRONG_DARK, STRONG_LIGHT
from pages.ui.work import context

_HERE = Path(__file__).parent
_OLD: ContextVar[bool] = ContextVar("charts_are_old", default=False)
BAR = 24
"""Pixels below the chart for the exports."""

# Serves Plotly's own script from the installed package: same version as Python's, offline.
_SCRIPT = files.declare_component(
    "liftscope_plotly", path=str(Path(plotly.__file__).parent / "package_data")
)


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
    parts_of_it = ("chart.js", "terms.js", "projected.js", "saving.js")
    source = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in parts_of_it)
    for name, value in {
        "__PALETTES__": json.dumps(palettes),
        "__PLOTLY__": f"component/{_SCRIPT.name}/plotly.min.js",
        "__PAPER__": MARKERS["paper"],
        "__INK__": MARKERS["ink"],
    }.items():
        source = source.replace(name, value)
    return source


_COMPONENT = st.components.v2.component(
    "liftscope_chart",
    js=_program(),
    css=(_HERE / "chart.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def chart(
    figure: Figure,
    *,
    key: str,
    title: str,
    alt: str,
    on_pick: Callable[[], None] | None = None,
    faded: bool = False,
) -> None:
    """Show a figure.

    Parameters
    ----------
    figure : dict
        As the functions of `pages.ui.figures` make it; its height must be set.
    key : str
        Of the element; also the name of exported files.
    title : str
        Stands on exported pictures, above what the page is about.
    alt : str
        What the chart shows, for those who do not see it.
    on_pick : callable, optional
        Called when a point of a trace with `meta` is clicked; `picked` tells which.
    faded : bool
        Whether it is of an answer to another question than the one on screen.
    """
    layout = dict(figure["layout"])
    meta = layout.pop("meta", {})
    now = meta.get("now")
    texts = _texts(figure["data"], layout, annotated=meta.get("explained", False))
    about = context.shown()
    told = parts(about)
    written = {"data": _written(figure["data"]), "layout": _written(layout)}
    message: dict[str, Any] = written | {
        "now": now,
        "chart": key,
        "alt": alt,
        "height": layout["height"],
        "name": f"liftscope-{key}-{file_part(about)}" if about else f"liftscope-{key}",
        "title": title,
        "terms": [[term.title, term.meaning] for term in glossary.found([title, *texts])],
        "hints": {said: hint for said in texts if (hint := _hint(said))},
        "about": [text(part) for part in told],
        "plain": "; ".join(told),
        "pickable": on_pick is not None,
        "faded": faded or _OLD.get(),
    }
    drawn = (written, now, alt, message["faded"])
    message["serial"] = hashlib.sha256(repr(drawn).encode()).hexdigest()[:12]
    _COMPONENT(
        data=json.dumps(message, ensure_ascii=False).encode(),
        key=key,
        height=layout["height"] + BAR,
        on_picked_change=on_pick or _ignore,
    )


@contextmanager
def old(which: bool = True) -> Iterator[None]:
    """Fade all charts within if `which`: they are of an answer to another question."""
    token = _OLD.set(which)
    try:
        yield
    finally:
        _OLD.reset(token)


def _texts(data: list[Any], layout: dict[str, Any], *, annotated: bool) -> list[str]:
    """Return the titles of a figure's axes and lines, and its annotations where those are ours.

    Other annotations are labels of the data, where an S is no secret.
    """
    axes = [part["title"]["text"] for name, part in layout.items() if name[1:5] == "axis"]
    lines = [trace["name"] for trace in data if trace.get("name") and layout.get("showlegend")]
    notes = [note["text"] for note in layout.get("annotations", ()) if annotated]
    return [said for said in (*axes, *lines, *notes) if said]


def _hint(said: str) -> str:
    return "\n".join(f"{term.title}: {term.meaning}" for term in glossary.found([said]))


def _written(part: Any) -> str:
    return json.dumps(part, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def picked(key: str) -> dict[str, Any] | None:
    """Return what was clicked in a chart, {"x": …, "at": its place, "key": …}, or None."""
    state = st.session_state.get(key)
    value = state.get("picked") if state else None
    return value if isinstance(value, dict) and {"x", "key"} <= value.keys() else None


def _ignore() -> None:
    """Do nothing: a chart without points to pick has no callback of its own."""
