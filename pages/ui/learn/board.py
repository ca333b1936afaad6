"""The Learn page's content: a lesson, the exercises or the glossary."""

from __future__ import annotations

import streamlit as st

from core.learning import Lesson, lesson
from core.learning.lessons import opens
from core.scenario.context import Context
from pages.ui.frame import state, theme
from pages.ui.learn import controls, drag, pictures, practice, query, words
from pages.ui.parts import formulas
from pages.ui.style.labels import markdown
from pages.ui.work import context


def show() -> None:
    """Show the page."""
    theme.apply()
    for sentence in (*state.notices(), *query.URL.notices()):
        st.warning(markdown(sentence), icon=":material/link_off:")
    state.publish(state.scenario())
    controls.picker()
    topic = query.topic()
    with st.container(horizontal=True, key="header"):
        st.title(f"Learn: {query.TOPICS[topic]}", anchor=False)
    if topic == query.EXERCISES:
        practice.show()
    elif topic == query.GLOSSARY:
        query.publish()
        words.show()
    else:
        _lesson(lesson(topic))
    controls.turn()


def _lesson(one: Lesson) -> None:
    with st.container(key="finding"):
        st.markdown(markdown(one.idea))
    _live(one)
    left, right = st.columns(2)
    with left:
        st.header("When to use it", anchor=False)
        st.markdown("\n".join(f"- {markdown(said)}" for said in one.use))
        st.header("What it does not promise", anchor=False)
        st.markdown("\n".join(f"- {markdown(said)}" for said in one.limits))
    with right:
        st.header("Formulas", anchor=False)
        for named in one.formulas:
            kind, _, key = named.partition(":")
            st.markdown(_FORMULAS[kind](key))


_FORMULAS = {
    "measure": formulas.measure,
    "notion": formulas.notion,
    "range": formulas.of_ranges,
}
"""What the lessons call a catalogue → its paragraph with the formula."""


@st.fragment
def _live(one: Lesson) -> None:
    """Show the worked example, which alone runs again when a slider is released."""
    # the table that is dragged and what is believed stand beside each other: they need more room
    beside, told = st.columns([2, 1] if one.key == "lift" else [3, 2])
    with told:
        with st.container(border=True, key="learn_try"):
            st.markdown("**Try it**")
            for key in one.settings:
                controls.slider(key)
        query.publish()
        said = st.container(key="learn_said")
    now = query.values()
    # in a container of its own a card is as high as its chart, however long the words beside it
    with beside, st.container(), context.about(_about(one, now)):
        sentences = pictures.show(one.key, now)
    with said:
        st.markdown("**What the numbers say**")
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        if one.key == "lift":
            drag.own_table(now)
        else:
            found = opens(one.key, now)
            st.link_button(f"Open it in {found.title}", found.link, icon=":material/open_in_new:")


def _about(one: Lesson, now: dict[str, float]) -> Context:
    """Return what exported charts are about: the lesson and its numbers."""
    return {"lesson": one.title} | {key: f"{now[key]:g}" for key in one.settings}
