"""What a page sends of its answer, charts and work under way, which the harness cannot name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest

from pages.ui.serving import offers
from pages.ui.style.labels import markdown

BOARD = "liftscope_board"
"""The component that shows the answers of Explore and Compare."""

WORK = "liftscope_work"
"""The component that shows work under way."""


def working(app: AppTest) -> list[str]:
    """Return what a page says of the work under way, in order."""
    return [json.loads(item.proto.json)["text"] for item in _works(app)]


def looks(app: AppTest) -> list[bytes]:
    """Return what the server answers to a browser that looks how far each work is."""
    shown = [json.loads(item.proto.json) for item in _works(app)]
    return [offers._offered[item["address"].rpartition("/")[2]]({}) for item in shown]


def _works(app: AppTest) -> list[Any]:
    return [item for item in app.get("bidi_component") if item.proto.component_name == WORK]


class Figure(NamedTuple):
    """A key figure: of Explore's answer, or of any page's metrics."""

    label: str
    value: str
    delta: str
    help: str


def answers(app: AppTest) -> dict[str, dict[str, Any]]:
    """Return what a page's board says of its answers, by their places."""
    for block in app.get("bidi_component"):
        if block.proto.component_name == BOARD:
            reported = json.loads(block.proto.bytes)["answers"]
            return {name: item for name, item in reported.items() if item is not None}
    return {}


def sliders(app: AppTest) -> list[dict[str, Any]]:
    """Return what a page's board says of the sliders that it follows."""
    (board,) = [item for item in app.get("bidi_component") if item.proto.component_name == BOARD]
    result: list[dict[str, Any]] = json.loads(board.proto.bytes)["sliders"]
    return result


def answer(app: AppTest) -> dict[str, Any] | None:
    """Return what Explore's board says of its answer; None where there is none."""
    return answers(app).get("")


def key_figures(app: AppTest) -> list[Figure]:
    """Return a page's key figures."""
    result = [Figure(item.label, item.value, item.delta, item.help) for item in app.metric]
    for reported in answers(app).values():
        for (label, value, beside), helps in zip(
            reported["figures"], reported.get("helps", ()), strict=True
        ):
            message = "\n\n".join(
                [helps[0][1], *(f"**{term}**: {text}" for term, text in helps[1:])]
            )
            result.append(Figure(label, value, beside or "", message))
    return result


def figures(app: AppTest) -> dict[str, str]:
    """Return the values of a page's key figures by their labels."""
    return {item.label: item.value for item in key_figures(app)}


def texts(app: AppTest) -> list[str]:
    """Return what a page says in Markdown, its answers too."""
    own = [
        text
        for reported in answers(app).values()
        for text in (*map(markdown, reported["sentences"]), *(reported["badge"] or ())[:1])
    ]
    return [*(item.value for item in app.markdown), *own]


def charts(app: AppTest) -> dict[str, dict[str, Any]]:
    """Return what a page sent of its charts, by key."""
    return {item["chart"]: item for item in _charts(app)}


def _charts(app: AppTest) -> Iterator[dict[str, Any]]:
    for block in app.get("bidi_component"):
        if not block.proto.bytes:
            continue
        message = json.loads(block.proto.bytes)
        result = message["charts"] if isinstance(message.get("charts"), list) else [message]
        yield from (item for item in result if "layout" in item)
