"""The menu "Class": the projector view, and a link to the question on screen with its QR code.

`projector=` in the address names the chart (`on`: the first); projector.js shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import segno
import streamlit as st
from segno.encoder import DataOverflowError

from core.scenario.project import FILE, KEY
from pages.ui.frame import address, pins, state
from pages.ui.frame.address import PageQuery
from pages.ui.parts import copy_link
from pages.ui.serving import programs
from pages.ui.style.labels import markdown
from pages.ui.work.store import is_private

OWN_DATA = (
    "The data on screen is a file or matrix of this session, which a link cannot hold. Give the "
    "class the file, or use a bundled data set."
)
"""Shown in place of the code if the data is the session's own."""

OWN_COLUMNS = (
    "A column uses a file or matrix of this session, which a link cannot hold. Give the class the "
    "project and the file, or remove that column."
)
"""The same where a column of Compare asks about such data."""

TOO_LONG = "The link has {:,} characters, too many for a QR code. Copy it instead."
"""Shown in place of the code if the link is too long."""

THIS_MACHINE = (
    "{} is an address that other machines cannot reach. To get a working code, open this page at "
    "the address that the class uses."
)
"""The note about a link that opens on this machine alone."""


@dataclass(frozen=True)
class Link:
    """A link for the class, its QR code as SVG, and what is to be known of them; may be empty."""

    address: str = ""
    code: str = ""
    note: str = ""


def here() -> Link:
    of_columns = address.page() == "compare"
    columns = pins.now() if of_columns else None
    scenarios = [state.scenario()] if columns is None else columns.scenarios
    if any(is_private(scenario.data) for scenario in scenarios):
        return Link(note=OWN_DATA if columns is None else OWN_COLUMNS)
    left_out = {VIEW, *([] if of_columns else (KEY, FILE))}
    query = [
        (key, value)
        for key, values in address.whole().items()
        if key not in left_out
        for value in values
    ]
    place = urlsplit(st.context.url or "")._replace(query=urlencode(query), fragment="")
    return drawn(place._replace(path=place.path or "/").geturl())


def drawn(address: str) -> Link:
    try:
        code = segno.make(address, error="m", micro=False)
    except DataOverflowError:
        return Link(address, note=TOO_LONG.format(len(address)))
    out = BytesIO()
    # modules of white around a code, as readers need them
    code.save(out, "svg", xmldecl=False, nl=False, omitsize=True, border=4, light="#fff")
    host = urlsplit(address).hostname or ""
    return Link(
        address,
        out.getvalue().decode(),
        THIS_MACHINE.format(host) if _is_this_machine(host) else "",
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost" or host.endswith(".localhost")


VIEW = "projector"
"""The view's key in the address."""

FIRST = "on"
"""Its value where no chart is named."""

_CHART = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""The pattern of a chart's name."""

_NOW = "_projector"
_PAGE = "_projector_page"
_LINK = "_projector_link"
_PART = "projector_view"

URL = PageQuery(VIEW)

_COMPONENT = programs.component("liftscope_projector", Path(__file__).with_name("projector.js"))


def restore() -> None:
    """Set the session to what the address says; call it after `state.restore`."""
    query = URL.read()
    if query is not None:
        shown = query.get(VIEW, [""])[-1]
        if shown and not _CHART.fullmatch(shown):
            URL.refuse(VIEW, shown, "is not the name of a chart", "showing the first one")
            shown = FIRST
        st.session_state[_NOW] = shown
    elif chart() and st.session_state.get(_PAGE) != address.page():
        st.session_state[_NOW] = FIRST  # the view goes on, with the charts of another page
    st.session_state[_PAGE] = address.page()
    publish()


def chart() -> str:
    """Return the name of the chart on screen, `FIRST` where none was chosen, "" if it is off."""
    return str(st.session_state.get(_NOW, ""))


def publish() -> None:
    URL.publish({VIEW: [chart()] if chart() else []})


def switch(on: bool) -> None:
    """Open the view at its first chart, or leave it."""
    st.session_state[_NOW] = FIRST if on else ""
    st.session_state.pop(_LINK, None)


def show_view() -> None:
    """Show the view's bar, if the view is on; only the bar runs again when it is used."""
    if chart():
        _bar()


@st.fragment
def _bar() -> None:
    publish()
    if not chart():
        st.rerun()
    opened: Link | None = st.session_state.get(_LINK)
    link = {} if opened is None else {"address": opened.address, "code": opened.code}
    message = "" if opened is None else opened.note
    _COMPONENT(
        data={"chart": chart(), "link": link | {"note": message} if opened else None},
        key=_PART,
        on_shown_change=_moved,
        on_left_change=_left,
        on_request_change=_toggle_link,
    )


def _reported(name: str) -> object:
    """Return what the view reported under a name."""
    return (st.session_state.get(_PART) or {}).get(name)


def _moved() -> None:
    """Record the chart shown now; ignore anything that is no chart's name."""
    shown = _reported("shown")
    if isinstance(shown, str) and _CHART.fullmatch(shown) and chart():
        st.session_state[_NOW] = shown


def _left() -> None:
    switch(False)


def _toggle_link() -> None:
    """Open the class's link, or close it."""
    if _reported("request") == "link":
        st.session_state[_LINK] = here()
    else:
        st.session_state.pop(_LINK, None)


def show() -> None:
    """Show the menu, and the projector view where it is on; call it after `state.restore`."""
    restore()
    address.warn(*URL.notices())
    with (
        st.sidebar,
        st.popover(
            "Class",
            icon=":material/co_present:",
            type="tertiary",
            key="class_menu",
            on_change="rerun",
        ) as opened,
    ):
        if opened.open:
            _menu()
    show_view()


def _menu() -> None:
    st.button(
        "Projector view",
        icon=":material/present_to_all:",
        key="projector_open",
        on_click=switch,
        args=(True,),
        width="stretch",
        help="Charts in large type, together or one at a time: arrow keys move, Esc leaves.",
    )
    st.markdown("**Link for the class**")
    link = here()
    if link.code:
        picture = f"data:image/svg+xml,{quote(link.code)}"  # Streamlit's HTML takes no <svg>
        with st.container(key="class_menu_code"):
            st.html(
                f'<img class="lsc-qr" alt="QR code of the link to this question" src="{picture}">'
            )
    if link.address:
        st.caption("It opens this page with the question on screen.")
        copy_link.button("class_link", link.address)
    if link.note:
        st.caption(markdown(link.note))
