"""The menu "Class", beside the name above the sidebar: the projector view, and the class's link."""

from __future__ import annotations

from urllib.parse import quote

import streamlit as st

from pages.ui.in_class import link, projector
from pages.ui.parts import copy_link
from pages.ui.style.labels import markdown


def show() -> None:
    """Show the menu, and the projector view where it is on; call it after `state.restore`."""
    projector.restore()
    for sentence in projector.URL.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
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
    projector.show()


def _menu() -> None:
    """Show what the menu holds."""
    st.button(
        "Projector view",
        icon=":material/present_to_all:",
        key="projector_open",
        on_click=projector.switch,
        args=(True,),
        width="stretch",
        help="One chart at a time, in large type: arrow keys show the next, Esc leaves.",
    )
    st.markdown("**Link for the class**")
    found = link.here()
    if found.code:
        picture = f"data:image/svg+xml,{quote(found.code)}"  # Streamlit's HTML takes no <svg>
        with st.container(key="class_menu_code"):
            st.html(
                f'<img class="lsc-qr" alt="QR code of the link to this question" src="{picture}">'
            )
    if found.address:
        st.caption("It opens this page with the question on screen.")
        copy_link.button("class_link", found.address)
    if found.said:
        st.caption(markdown(found.said))
