"""What a session's searches are about, and how a reload of its page gets it again.

Longer searches are asked for by question, and the best mechanisms on a session's own data are
known to it alone. A new session has both from those of the same browser: a reload in the middle of
a longer search goes on with it, and never shows less than before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from core.studies.known import Known
from pages.ui.work.browsers import OfBrowsers

MOST_OWN = 50_000_000
"""Bytes of mechanisms, and of answers, that a session keeps of its own data."""

_HELD = "_searches"

Key = TypeVar("Key")
Number = TypeVar("Number", int, float)


@dataclass(eq=False)
class Searches:
    """What one session asked of its searches, and what they found on its own data.

    Attributes
    ----------
    limits : dict
        Seconds of the searches for an answer that were prolonged, by question.
    longer : dict
        Multiples of their first limits that other searches may take, by the work's name.
    known : Known
        The best mechanisms found on data of the session; all sessions of a browser have the same.
    """

    limits: dict[str, float] = field(default_factory=dict)
    longer: dict[tuple[str, ...], int] = field(default_factory=dict)
    known: Known = field(default_factory=lambda: Known(MOST_OWN))


_BROWSERS: OfBrowsers[Searches] = OfBrowsers()

_NOBODYS: ContextVar[Searches | None] = ContextVar("searches_of_no_session", default=None)


@contextmanager
def for_no_session() -> Iterator[None]:
    """Let no session's wishes count while the block runs, for work that is done for all of them."""
    token = _NOBODYS.set(Searches())
    try:
        yield
    finally:
        _NOBODYS.reset(token)


def searches() -> Searches:
    """Return what this session asked of its searches; a new one takes over its browser's."""
    nobodys = _NOBODYS.get()
    if nobodys is not None:
        return nobodys
    own: Searches | None = st.session_state.get(_HELD)
    if own is None:
        own = st.session_state[_HELD] = Searches()
        for other in _BROWSERS.others(own):
            _most(own.limits, other.limits)
            _most(own.longer, other.longer)
            own.known = other.known
        _BROWSERS.note(own)
    return own


def _most(own: dict[Key, Number], other: dict[Key, Number]) -> None:
    """Take over the numbers that are larger than one's own."""
    for key, number in list(other.items()):
        own[key] = max(own.get(key, number), number)
