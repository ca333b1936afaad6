"""The site: its pages, their menu, and the way to them from a deep link."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.frame import theme
from pages.ui.style.labels import markdown, short

ICON = Path(__file__).parent / "icon.png"

FOLDER = Path(__file__).parents[2]
"""The folder `pages`."""

PAGES = (
    ("explore", "Explore", ":material/explore:"),
    ("compare", "Compare", ":material/view_column:"),
    ("data", "Data", ":material/table_chart:"),
    ("release", "Release", ":material/lock_open_right:"),
    ("learn", "Learn", ":material/school:"),
    ("lift", "Lift", ":material/stacked_bar_chart:"),
    ("mechanisms", "Mechanisms", ":material/tune:"),
    ("frontiers", "Frontiers", ":material/stacked_line_chart:"),
    ("robust", "Robust", ":material/verified_user:"),
    ("confusability", "Confusability", ":material/hub:"),
    ("papers", "Papers", ":material/library_books:"),
)
"""File under `pages/`, which is also the URL, title and icon; the first is the landing page."""

BAR = 5
"""How many of them are in the bar; the others are in its menu `MORE`."""

MORE = "More"

_UNKNOWN = "_unknown_address"


def navigation() -> Page:
    """Configure the site and return the page that was requested, or one that has links to all."""
    st.set_page_config(page_title="Liftscope", page_icon=ICON, layout="wide")
    theme.apply_sheet()
    every = [_page(name) for name, _, _ in PAGES]
    unknown = _unknown()
    opened = st.navigation({"": [*every[:BAR], *unknown], MORE: every[BAR:]}, position="top")
    if opened in every[BAR:]:
        theme.mark_menu()
    return opened


def _page(name: str) -> Page:
    title, icon = next((title, icon) for page, title, icon in PAGES if page == name)
    return st.Page(FOLDER / f"{name}.py", title=title, icon=icon, default=name == PAGES[0][0])


def _unknown() -> list[Page]:
    """Return the page at an address that the site does not have; none where it has it."""
    context = get_script_run_ctx()
    wanted = (context.pages_manager.intended_page_name if context is not None else "") or ""
    known = {name for name, _, _ in PAGES}
    if context is not None and wanted.lower() in known:  # an address may be written with capitals
        wanted = wanted.lower()
        # the landing page has the site's address
        context.pages_manager.set_script_intent("", "" if wanted == PAGES[0][0] else wanted)
    if wanted and "/" not in wanted and wanted not in known:
        st.session_state[_UNKNOWN] = wanted
    name = st.session_state.get(_UNKNOWN)
    if name is None:
        return []
    return [st.Page(_not_here, title="No such page", url_path=name, visibility="hidden")]


def _not_here() -> None:
    """Show that there is no such page, with links to all pages."""
    with st.container(horizontal=True, key="header"):
        st.title("No page at this address", anchor=False)
    name = short(st.session_state.get(_UNKNOWN, ""), 40)
    st.markdown(f"There is no page **{markdown(name)}**. The pages are:")
    question = {key: st.query_params.get_all(key) for key in st.query_params}
    with st.container(horizontal=True, gap="small"):
        for page, _, _ in PAGES:
            st.page_link(_page(page), query_params=question)


def link(name: str, label: str) -> None:
    """Show a link to a page; the question on screen goes along."""
    st.page_link(_page(name), label=label)


def enter() -> None:
    """Start over through app.py where Streamlit ran a page without it; call it first on a page.

    Until `st.navigation` has run, a deep link opens a page without our layout and menu.
    """
    if PagesManager.uses_pages_directory:
        navigation()
        st.rerun()
