"""The sliders of the lessons: their numbers are kept, and written to the URL, by `query`."""

from __future__ import annotations

import streamlit as st

from core.learning import SETTINGS
from pages.ui.learn import query
from pages.ui.parts.number_slider import number_slider


def slider(key: str) -> None:
    """Show the slider of a number."""
    query.settle(key)
    number_slider(SETTINGS[key], query.widget(key))
    query.read(key)


def variant() -> int:
    """Show the field for the variant of the exercises' numbers, and return it."""
    setting = SETTINGS["variant"]
    query.settle("variant")
    st.number_input(
        setting.title,
        setting.low,
        setting.high,
        step=setting.step,
        format="%.0f",
        key=query.widget("variant"),
        persist_state="session",
        width=190,
        help="Give each row of a class its own: 0 is the table of the lessons.",
    )
    query.read("variant")
    return int(query.values()["variant"])


def picker() -> None:
    """Show the list of topics, in the sidebar."""
    st.session_state.setdefault(query.PICKER, query.topic())
    st.sidebar.radio(
        "Topics",
        list(query.TOPICS),
        format_func=lambda key: query.TOPICS[key],
        key=query.PICKER,
        on_change=query.pick,
    )


def turn() -> None:
    """Show the buttons to the topic before and the one after."""
    keys = list(query.TOPICS)
    place = keys.index(query.topic())
    with st.container(horizontal=True, horizontal_alignment="distribute", key="learn_turn"):
        for step, icon in ((-1, ":material/arrow_back:"), (1, ":material/arrow_forward:")):
            if 0 <= place + step < len(keys):
                other = keys[place + step]
                st.button(
                    query.TOPICS[other],
                    icon=icon,
                    key="learn_back" if step < 0 else "learn_on",
                    on_click=query.go,
                    args=(other,),
                )
