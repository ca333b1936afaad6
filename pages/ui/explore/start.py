"""The start panel: questions worth a look, as links."""

from __future__ import annotations

import streamlit as st

from core.scenario.presets import PRESETS
from pages.ui.style.labels import markdown

_OPEN = "_start_open"

COLUMNS = 4
"""Links beside each other."""


def panel() -> None:
    """Show the links; open where the session began on the bare landing page, else closed.

    Each opens in a tab of its own: what is on screen here, and what is pinned, stays.
    """
    if _OPEN not in st.session_state:
        st.session_state[_OPEN] = not st.query_params
    with (
        st.container(key="start"),
        st.expander(
            "Start with an example",
            expanded=st.session_state[_OPEN],
            icon=":material/school:",
        ),
    ):
        for first in range(0, len(PRESETS), COLUMNS):
            row = PRESETS[first : first + COLUMNS]
            for one, column in zip(row, st.columns(COLUMNS), strict=True):
                with column:
                    line = one.line.replace(" %", "\u00a0%").replace(" = ", "\u00a0=\u00a0")
                    st.markdown(f"[{markdown(one.title)}]({one.link})  \n:small[{markdown(line)}]")
