"""Further promises that are to be kept at once: chosen one by one, each with its own sliders."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.notions.numbers import declared
from core.scenario import Promise, Scenario
from pages.ui.frame import pickers, state
from pages.ui.style.labels import markdown

MOST = 4
"""Further promises that can be added."""

_ADD = "also_add"


def adder() -> None:
    """Show the picker that adds a promise to those to be kept at once."""
    if len(state.scenario().also) >= MOST:
        st.caption(f"No more than {MOST} further promises can be added.")
        return
    st.session_state[_ADD] = None
    st.selectbox(
        "And at the same time",
        [entry.key for family in FAMILIES for entry in notions.of_family(family)],
        index=None,
        format_func=lambda key: notions.entry(key).title,
        key=_ADD,
        on_change=_add,
        placeholder="Add another promise",
        label_visibility="collapsed",
        help="A promise that is to be kept as well as the first.",
    )


def show(scenario: Scenario) -> None:
    """Show each further promise with its numbers and a button that drops it."""
    for place, promise in enumerate(scenario.also):
        entry = notions.entry(promise.notion)
        with st.container(border=True, key=f"also_{place}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f":small[and **{markdown(entry.title)}**]", help=entry.meaning)
                st.button(
                    "Drop",
                    icon=":material/close:",
                    type="tertiary",
                    key=f"also_drop_{place}",
                    help=f"Remove {entry.title} from what is promised.",
                    on_click=_drop,
                    args=(place,),
                )
            for name in entry.parameters:
                if declared()[name].title:
                    _number(place, name, promise)


def _number(place: int, name: str, promise: Promise) -> None:
    """Show the field of one number of a further promise."""
    domain, key = declared()[name], f"also_{place}_{name}"
    now = getattr(promise, name)
    if st.session_state.get(key) != now:
        st.session_state[key] = now

    def take() -> None:
        also = list(state.scenario().also)
        also[place] = replace(also[place], **{name: st.session_state[key]})
        st.session_state["_also"] = tuple(also)

    st.number_input(
        domain.title,
        min_value=domain.low,
        max_value=domain.high if math.isfinite(domain.high) else None,
        step=domain.step,
        format="%.6g",
        key=key,
        on_change=take,
        persist_state="session",
    )


def _add() -> None:
    """Add the promise that was picked, with the numbers of the first."""
    key = st.session_state[_ADD]
    if key is None:
        return
    scenario = state.scenario()
    used = {name: getattr(scenario, name) for name in notions.entry(key).parameters}
    st.session_state["_also"] = (*scenario.also, Promise(notion=key, **used))
    pickers.settle()


def _drop(place: int) -> None:
    """Remove one of the further promises."""
    also = state.scenario().also
    st.session_state["_also"] = also[:place] + also[place + 1 :]
    pickers.settle()
