"""The Confusability page's own question beside the scenario: problem, step and view, in the URL."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.nonstochastic import PROBLEMS
from core.nonstochastic.ranges.graph import NODES
from core.scenario.data_url import cut
from core.wording import number_of
from pages.ui.frame.page_query import PageQuery, whole

DEFAULTS = {"problem": PROBLEMS[0], "view": NODES[0]}
"""What is asked where the URL says nothing."""

CHOICES = {"problem": PROBLEMS, "view": NODES}
"""The URL's key, which is also the widget's → what it may be."""

STEP = "step"
"""The URL's key for the step that is shown, where it is not the one at which λ stops."""

URL = PageQuery("confusability", (*CHOICES, STEP))
"""The page's keys in the URL."""

_WANTED = "_confusability_step"
_WAY = "_confusability_way"


def restore() -> None:
    """Bring the session to what the URL says; unknown values fall back with a notice."""
    query = URL.read()
    if query is None:
        return
    for key, default in DEFAULTS.items():
        value = query.get(key, [default])[-1]
        if value not in CHOICES[key]:
            URL.tell(f"The link has {key}={cut(value)}, which is not known; {default} is used.")
            value = default
        st.session_state[key] = value
    if STEP in query:
        text = query[STEP][-1]
        if whole(text):
            st.session_state[_WANTED] = int(text)
        else:
            URL.tell(
                f"The link has {STEP}={cut(text)}, which is not a whole number; the end is shown."
            )


def choice(key: str) -> str:
    """Return the problem or the view on screen."""
    return str(st.session_state[key])


def want_step(step: int) -> None:
    """Ask for a step of the path, to be shown in the next run."""
    st.session_state[_WANTED] = step


def settle_step(way: Any, stop: int, last: int) -> int:
    """Return the step to show, and make it the slider's.

    It is the one asked for, if it exists; else the one on screen, while the path is the same; else
    the one at which λ stops.

    Parameters
    ----------
    way : object
        The question that the path answers.
    stop, last : int
        The step at which λ stops, and the last one.
    """
    wanted: int | None = st.session_state.pop(_WANTED, None)
    if wanted is not None and wanted > last:
        URL.tell(
            f"The link has {STEP}={wanted}, but there {'is' if last == 1 else 'are'} "
            f"{number_of(last, 'merge')}; the end is shown."
        )
        wanted = None
    if wanted is not None:
        step = wanted
    elif st.session_state.get(_WAY) == way and STEP in st.session_state:
        step = min(int(st.session_state[STEP]), last)
    else:
        step = stop
    st.session_state[_WAY] = way
    st.session_state[STEP] = step
    return step


def part(when: str, parts: int) -> int | None:
    """Return the part that is open in the graph before or after; None: all parts, a node each."""
    key = f"part_{when}"
    opened: int | None = st.session_state.get(key)
    if opened not in {None, *range(parts)}:
        st.session_state[key] = opened = None
    return opened


def publish(stop: int) -> None:
    """Write the page's question to the URL; what is the default is left out."""
    wanted = {key: [choice(key)] for key, default in DEFAULTS.items() if choice(key) != default}
    if st.session_state[STEP] != stop:
        wanted[STEP] = [str(st.session_state[STEP])]
    URL.publish(wanted)
