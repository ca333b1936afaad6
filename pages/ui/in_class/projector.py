"""The projector view: one chart at a time, in large type, with the sidebar folded.

The address holds it, and which chart is shown: `projector=lifts`, or `projector=on` for the first
one. What is shown of the page is up to projector.js, so that the next chart is there at once.
"""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from core.scenario.data_url import cut
from pages.ui.frame.page_query import PageQuery
from pages.ui.in_class import link

_HERE = Path(__file__).parent

KEY = "projector"
"""The view's key in the address."""

FIRST = "on"
"""Its value where no chart is named."""

_CHART = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""What the name of a chart looks like."""

_NOW = "_projector"
_LINK = "_projector_link"
_PART = "projector_view"

URL = PageQuery(KEY, (KEY,))

_COMPONENT = st.components.v2.component(
    "liftscope_projector",
    js=(_HERE / "projector.js").read_text(encoding="utf-8"),
    css=(_HERE / "projector.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def restore() -> None:
    """Bring the session to what the address says; call it after `state.restore`."""
    query = URL.read()
    if query is not None:
        asked = query.get(KEY, [""])[-1]
        if asked and not _CHART.fullmatch(asked):
            URL.tell(
                f"The link has {KEY}={cut(asked)}, which is not the name of a chart; the first "
                "one is shown."
            )
            asked = FIRST
        st.session_state[_NOW] = asked
    publish()


def chart() -> str:
    """Return the name of the chart on screen, `FIRST` where none was chosen, "" if it is off."""
    return str(st.session_state.get(_NOW, ""))


def publish() -> None:
    """Write the view to the address."""
    URL.publish({KEY: [chart()] if chart() else []})


def switch(on: bool) -> None:
    """Open the view at its first chart, or leave it."""
    st.session_state[_NOW] = FIRST if on else ""
    st.session_state.pop(_LINK, None)


def show() -> None:
    """Show the view's bar, if the view is on; only the bar runs again when it is used."""
    if chart():
        _bar()


@st.fragment
def _bar() -> None:
    publish()
    if not chart():
        st.rerun()
    opened: link.Link | None = st.session_state.get(_LINK)
    told = {} if opened is None else {"address": opened.address, "code": opened.code}
    said = "" if opened is None else opened.said
    _COMPONENT(
        data={"chart": chart(), "link": told | {"said": said} if opened else None},
        key=_PART,
        on_shown_change=_moved,
        on_left_change=_left,
        on_asked_change=_asked,
    )


def _told(name: str) -> object:
    """Return what the view told under a name."""
    return (st.session_state.get(_PART) or {}).get(name)


def _moved() -> None:
    """Take the chart that is shown now; what is no chart's name is not taken."""
    shown = _told("shown")
    if isinstance(shown, str) and _CHART.fullmatch(shown) and chart():
        st.session_state[_NOW] = shown


def _left() -> None:
    switch(False)


def _asked() -> None:
    """Open the class's link, or close it."""
    if _told("asked") == "link":
        st.session_state[_LINK] = link.here()
    else:
        st.session_state.pop(_LINK, None)
