"""The Mechanisms page's own question beside the scenario: its switches, in the URL.

Values that depend on the answer (an output's name, a step, an attribute's level) are kept until the
board that shows them takes them and says whether they exist.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from core.scenario.data_url import cut
from core.scenario.json_text import read_json
from pages.ui.frame.page_query import PageQuery, whole

ABOUT_S, ABOUT_X = "about S", "about X"
"""What the posteriors can be of."""

ABOUT = {"s": ABOUT_S, "x": ABOUT_X}
"""The URL's value → what the switch of the posteriors says."""

URL = PageQuery("mechanisms", ("about", "known", "output", "step", "all"))
"""The page's keys in the URL."""

_WANTED = "_mechanisms_wanted"
_SHOWN = "_mechanisms_shown"


def restore() -> None:
    """Bring the session to what the URL says; unknown values fall back with a notice."""
    query = URL.read()
    if query is None:
        return
    last = {key: values[-1] for key, values in query.items()}
    about, every = last.get("about", "s"), last.get("all", "0")
    if about not in ABOUT:
        URL.tell(f"The link has about={cut(about)}, which is not known; s is used.")
    if every not in ("0", "1"):
        URL.tell(f"The link has all={cut(every)}, which is not 0 or 1; 0 is used.")
    st.session_state["posterior_of"] = ABOUT.get(about, ABOUT_S)
    st.session_state["compare_all"] = every == "1"
    wanted: dict[str, Any] = {"known": _pairs(query.get("known", [])), "output": last.get("output")}
    step = last.get("step")
    if step is not None and not whole(step):
        URL.tell(f"The link has step={cut(step)}, which is not a whole number; the end is shown.")
        step = None
    wanted["step"] = None if step is None else int(step)
    st.session_state[_WANTED] = wanted
    st.session_state[_SHOWN] = {}


def take(key: str) -> Any:
    """Return what the URL asks of a board, once; None where it asks nothing or it was taken."""
    return st.session_state.get(_WANTED, {}).pop(key, None)


def show(key: str, values: list[str]) -> None:
    """Keep what a board shows, to be written to the URL; nothing where it is the default."""
    st.session_state.setdefault(_SHOWN, {})[key] = values


def publish() -> None:
    """Write the page's switches to the URL."""
    about = [key for key, said in ABOUT.items() if st.session_state.get("posterior_of") == said]
    URL.publish(
        st.session_state.get(_SHOWN, {})
        | {
            "about": [] if about == ["s"] else about,
            "all": ["1"] if st.session_state.get("compare_all") else [],
        }
    )


def pair_text(column: str, level: str) -> str:
    """Return what the URL says of a column whose level is known."""
    return json.dumps([column, level], ensure_ascii=False)


def _pairs(texts: list[str]) -> list[tuple[str, str]]:
    found = []
    for text in texts:
        try:
            column, level = map(str, read_json(text, "It"))
        except (ValueError, TypeError):
            URL.tell(f'The link has known={cut(text)}, which is not ["COLUMN", "LEVEL"].')
        else:
            found.append((column, level))
    return found
