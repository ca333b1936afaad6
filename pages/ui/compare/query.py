"""What the Compare page asks: the columns that are pinned, or those that it opens with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.scenario import Project, Scenario
from core.scenario.data_url import cut
from core.scenario.standard import MARKOV, READINGS, own_reading, standard
from pages.ui.frame import pins, state
from pages.ui.frame.page_query import PageQuery

URL = PageQuery("compare", ("reading",))
"""The page's key in the address: which reading of RLDP is compared with LIP and ALIP."""


def restore() -> None:
    """Bring the session to what the address says; unknown values fall back with a notice."""
    query = URL.read()
    if query is None:
        return
    asked = query.get("reading", [""])[-1]
    if asked and asked not in READINGS:
        URL.tell(f"The link has reading={cut(asked)}, which is not known; {MARKOV} is used.")
        asked = ""
    st.session_state["_reading"] = asked


def reading() -> str:
    """Return the reading of the columns that the page opens with."""
    return st.session_state.get("_reading") or own_reading(state.data())


def read(chosen: str) -> None:
    """Choose a reading."""
    st.session_state["_reading"] = "" if chosen == own_reading(state.data()) else chosen


def publish() -> None:
    """Write the page's question to the address."""
    chosen = st.session_state.get("_reading", "")
    URL.publish({"reading": [chosen] if chosen and is_standard() else []})
    pins.tell_open(project() if is_standard() else None)
    pins.publish()


def is_standard() -> bool:
    """Say whether nothing is pinned, so that the columns are those that the page opens with."""
    return pins.now() is None


def project() -> Project:
    """Return the columns: what is pinned, else LIP, ALIP and RLDP on the data on screen."""
    return pins.now() or standard(state.scenario(), reading())


def shown() -> list[tuple[Scenario, str, str]]:
    """Return scenario, name and note of the columns that are shown."""
    return list(project().columns())[: pins.SHOWN]


def ask(place: int, **changes: Any) -> None:
    """Change a column's question."""
    now = project()
    pins.change(now.asking(place, replace(now.scenarios[place], **changes)))
