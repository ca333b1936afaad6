"""The style sheet and the name above the sidebar: what Streamlit's theme cannot set."""

from pathlib import Path

import streamlit as st

from pages.ui.frame import address
from pages.ui.serving import programs

_BRAND = (
    '<div class="lsc-brand"><b>Liftscope</b><br>'
    "<span>What does publishing X give away about S, and what does hiding it cost?</span></div>"
)
_MARKED = (
    '<style>[data-testid="stTopNavSection"] { border-radius: 0.5rem; font-weight: 600; '
    "background: light-dark(rgba(35, 39, 47, 0.1), rgba(230, 233, 238, 0.16)); }</style>"
)
_SHEET = Path(__file__).parent / "look.css"


def apply_sheet() -> None:
    """Add the style sheet: once for the site, so that it stays where the page changes."""
    st.html(_SHEET)


def mark_menu() -> None:
    """Mark the bar's menu, since the page that is open is in it."""
    st.html(_MARKED)


def apply() -> None:
    """Add what watches the history and, above the sidebar's controls, the name."""
    st.sidebar.html(_BRAND)
    with st.sidebar:
        address.watch_history()
        watch()


_SCRIPT = Path(__file__).with_name("menus.js")

_WATCH = programs.component("liftscope_menus", _SCRIPT)

_FIELD = programs.component(
    "liftscope_look",
    _SCRIPT,
    html='<div class="lsc-look"><input type="search" autocomplete="off" spellcheck="false">'
    '<p class="lsc-none" role="status" hidden>No option matches these words.</p></div>',
)


def watch() -> None:
    """Have focus go into each menu that opens and back to its button, and read 0,7 as 0.7."""
    _WATCH(key="menus")


def look(key: str, label: str) -> None:
    """Show the field that leaves the options with some words; a choice closes its menu."""
    _FIELD(key=f"{key}_look", data={"label": label})
