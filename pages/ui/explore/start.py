"""The start panel: questions worth a look, as links."""

from __future__ import annotations

import streamlit as st

from core.scenario.presets import PRESETS
from pages.ui.explore import tour
from pages.ui.style.labels import markdown

_OPEN = "_start_open"

COLUMNS = 4
"""Links beside each other."""


def began_bare() -> bool:
    """Say whether the session began on the bare landing page, not with a question of its own."""
    if _OPEN not in st.session_state:
        st.session_state[_OPEN] = not st.query_params
    return bool(st.session_state[_OPEN])


def panel() -> None:
    """Show the links; open where the session began on the bare landing page, else closed.

    Each opens in a tab of its own: what is on screen here, and what is pinned, stays.
    """
    with (
        st.container(key="start"),
        st.expander(
            "Start with an example",
            expanded=began_bare(),
            icon=":material/school:",
        ),
    ):
        for first in range(0, len(PRESETS), COLUMNS):
            row = PRESETS[first : first + COLUMNS]
            for one, column in zip(row, st.columns(COLUMNS), strict=True):
                with column:
                    line = one.line.replace(" %", "\u00a0%").replace(" = ", "\u00a0=\u00a0")
                    st.markdown(f"[{markdown(one.title)}]({one.link})  \n:small[{markdown(line)}]")
        tour.button()
