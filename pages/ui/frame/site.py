"""The site: its pages, their menu, and the way to them from a deep link."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page
from streamlit.runtime.pages_manager import PagesManager

from pages.ui.frame import theme

ICON = Path(__file__).parent / "icon.png"

FOLDER = Path(__file__).parents[2]
"""The folder `pages`."""

PAGES = (
    ("explore", "Explore", ":material/explore:"),
    ("compare", "Compare", ":material/view_column:"),
    ("lift", "Lift", ":material/stacked_bar_chart:"),
    ("mechanisms", "Mechanisms", ":material/tune:"),
    ("frontiers", "Frontiers", ":material/stacked_line_chart:"),
    ("robust", "Robust", ":material/verified_user:"),
    ("confusability", "Confusability", ":material/hub:"),
    ("release", "Release", ":material/lock_open_right:"),
    ("papers", "Papers", ":material/library_books:"),
    ("learn", "Learn", ":material/school:"),
    ("data", "Data", ":material/table_chart:"),
)
"""File under `pages/`, which is also the URL, title and icon; the first is the landing page."""


def navigation() -> Page:
    """Configure the site and return the page that was asked for."""
    st.set_page_config(page_title="Liftscope", page_icon=ICON, layout="wide")
    theme.apply_sheet()
    return st.navigation(
        [
            st.Page(FOLDER / f"{name}.py", title=title, icon=icon, default=place == 0)
            for place, (name, title, icon) in enumerate(PAGES)
        ],
        position="top",
    )


def enter() -> None:
    """Start over through app.py where Streamlit ran a page without it; call it first on a page.

    Until `st.navigation` has run, a deep link opens a page without our layout and menu.
    """
    if PagesManager.uses_pages_directory:
        navigation()
        st.rerun()
