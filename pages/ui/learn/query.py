"""What the Learn page shows beside the scenario: the topic and its numbers, in the URL."""

from __future__ import annotations

import streamlit as st

from core.learning import LESSONS, SETTINGS, defaults, from_texts
from core.learning.settings import written
from core.scenario.data_url import cut
from pages.ui.frame.page_query import PageQuery

TOPIC = "topic"
"""The URL's key of the topic."""

EXERCISES, GLOSSARY = "exercises", "glossary"
"""The topics that are no lessons."""

TOPICS = {one.key: one.title for one in LESSONS} | {EXERCISES: "Exercises", GLOSSARY: "Glossary"}
"""Every topic's key, and its title."""

FIRST = LESSONS[0].key
"""The topic that is shown where none is named."""

URL = PageQuery("learn", (TOPIC, *SETTINGS))
"""The page's keys in the URL."""

PICKER = "learn_topic"
"""Key of the widget that chooses the topic."""

_VALUES = "_learn_values"
_NOW = "_learn_topic"


def restore() -> None:
    """Bring the session to what the URL says; what is not known falls back with a notice."""
    query = URL.read()
    if query is None:
        return
    topic = query.get(TOPIC, [FIRST])[-1]
    if topic not in TOPICS:
        URL.tell(
            f"The link has {TOPIC}={cut(topic)}, which is not known; {TOPICS[FIRST]} is shown."
        )
        topic = FIRST
    values, notices = from_texts({key: query[key][-1] for key in SETTINGS if key in query})
    for sentence in notices:
        URL.tell(f"The link is not as it should be: {sentence}")
    go(topic)
    st.session_state[_VALUES] = values
    for key, value in values.items():
        st.session_state[widget(key)] = value


def widget(key: str) -> str:
    """Return the key of a number's widget."""
    return f"learn_{key}"


def topic() -> str:
    """Return the topic on screen."""
    return str(st.session_state.get(_NOW, FIRST))


def go(topic: str) -> None:
    """Show a topic."""
    st.session_state[_NOW] = st.session_state[PICKER] = topic


def pick() -> None:
    """Show the topic that was picked."""
    st.session_state[_NOW] = st.session_state[PICKER]


def values() -> dict[str, float]:
    """Return every number as it is on screen."""
    found: dict[str, float] = st.session_state.setdefault(_VALUES, defaults())
    return found


def take(key: str, value: float) -> None:
    """Take a number, if it may have this value; it is also its widget's from the next run on."""
    if SETTINGS[key].allows(value):
        values()[key] = st.session_state[widget(key)] = value


def settle(key: str) -> None:
    """Give a widget that is about to be shown its number, where it has none yet."""
    if st.session_state.get(widget(key)) is None:
        st.session_state[widget(key)] = values()[key]


def read(key: str) -> None:
    """Take a number from its widget."""
    values()[key] = float(st.session_state[widget(key)])


def publish() -> None:
    """Write the topic and its numbers to the URL; what is the default is left out."""
    wanted = {} if topic() == FIRST else {TOPIC: [topic()]}
    now = values()
    for key in used(topic()):
        if now[key] != SETTINGS[key].default:
            wanted[key] = [written(now[key])]
    URL.publish(wanted)


def used(topic: str) -> tuple[str, ...]:
    """Return the keys of the numbers that a topic depends on."""
    if topic == EXERCISES:
        return ("variant",)
    return next((one.settings for one in LESSONS if one.key == topic), ())
