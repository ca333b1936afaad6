"""The Mechanisms page's switches in the URL; what depends on the answer is checked when shown."""

from __future__ import annotations

import json

import streamlit as st

from core.codec import read_json
from pages.ui.frame.address import PageQuery, Value, whole_number

ABOUT_S, ABOUT_X = "about S", "about X"
"""The variables whose posteriors can be shown."""

ABOUT = {"s": ABOUT_S, "x": ABOUT_X}
"""The URL's value → what the switch of the posteriors says."""

_SHOWN = "_mechanisms_shown"


def _pair(text: str) -> tuple[str, str] | None:
    try:
        column, level = map(str, read_json(text, "It"))
    except (ValueError, TypeError):
        return None
    return column, level


URL = PageQuery(
    "mechanisms",
    Value(
        "about",
        ABOUT_S,
        ABOUT.get,
        "posterior_of",
        write=dict(zip(ABOUT.values(), ABOUT, strict=True)).__getitem__,
    ),
    Value(
        "all",
        False,
        {"0": False, "1": True}.get,
        "compare_all",
        why="is not 0 or 1",
        write=lambda on: str(int(on)),
    ),
    Value("known", read=_pair, why='is not ["COLUMN", "LEVEL"]', instead="", many=True),
    Value("output"),
    Value("step", read=whole_number, why="is not a whole number", instead="the end is shown"),
)


def restore() -> None:
    if URL.restore() is not None:
        st.session_state[_SHOWN] = {}


def show(key: str, values: list[str]) -> None:
    """Keep what a board shows, to be written to the URL; nothing where it is the default."""
    st.session_state.setdefault(_SHOWN, {})[key] = values


def publish() -> None:
    URL.publish(st.session_state.get(_SHOWN, {}) | URL.wanted())


def pair_text(column: str, level: str) -> str:
    """Return what the URL says of a column whose level is known."""
    return json.dumps([column, level], ensure_ascii=False)
