"""What the Learn page shows besides the scenario: the topic and its numbers, in the URL."""

from __future__ import annotations

import streamlit as st

from core.learning import LESSONS, SETTINGS
from pages.ui.frame.address import PageQuery, Query, Value, one_of
from pages.ui.frame.numbers import Numbers

TOPIC = "topic"
"""The URL's key of the topic."""

EXERCISES, GLOSSARY = "exercises", "glossary"
"""The topics that are no lessons."""

TOPICS = {lesson.key: lesson.title for lesson in LESSONS} | {
    EXERCISES: "Exercises",
    GLOSSARY: "Glossary",
}
"""Every topic's key, and its title."""

FIRST = LESSONS[0].key
"""The topic that is shown where none is named."""

URL = PageQuery(
    "learn",
    Value(TOPIC, FIRST, one_of(TOPICS), "_learn_topic", instead=f"{TOPICS[FIRST]} is shown"),
)

NUMBERS = Numbers("learn", URL, SETTINGS)

PICKER = "learn_topic"
"""Key of the widget that chooses the topic."""


def restore() -> None:
    """Set the session to what the URL says; unknown values fall back with a notice."""
    query = URL.restore()
    if query is not None:
        go(topic())
        NUMBERS.restore(query)


def topic() -> str:
    return str(URL.now(TOPIC))


def go(topic: str) -> None:
    st.session_state[PICKER] = topic
    pick()


def pick() -> None:
    URL.set(TOPIC, st.session_state[PICKER])


def publish() -> None:
    """Write the topic and its numbers to the URL; what is the default is left out."""
    URL.publish(wanted())


def wanted() -> Query:
    """Return what the URL says of the topic and its numbers."""
    return URL.wanted() | NUMBERS.wanted(used(topic()))


def used(topic: str) -> tuple[str, ...]:
    if topic == EXERCISES:
        return ("variant",)
    return next((lesson.settings for lesson in LESSONS if lesson.key == topic), ())
