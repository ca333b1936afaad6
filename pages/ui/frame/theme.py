"""The style sheet and the name above the sidebar: what Streamlit's theme cannot set."""

from pathlib import Path

import streamlit as st

from pages.ui.frame import address

_BRAND = (
    '<div class="lsc-brand"><b>Liftscope</b><br>'
    "<span>What does publishing X give away about S, and what does hiding it cost?</span></div>"
)
_SHEET = Path(__file__).parent / "look.css"


def apply_sheet() -> None:
    """Add the style sheet: once for the site, so that it stays where the page changes."""
    st.html(_SHEET)


def apply() -> None:
    """Add what watches the history and, above the sidebar's controls, the name."""
    st.sidebar.html(_BRAND)
    with st.sidebar:
        address.watch_history()
