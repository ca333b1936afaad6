"""A session's release: its seed or key and its file, and how a reload of its page gets them again.

A new session takes over the release of the last page of the same browser that was closed, which is
what a reload does. A page that is still open keeps its own: two pages side by side draw by two
seeds. Some time after its page was closed a release is forgotten, and its file is removed.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.work.browsers import OfBrowsers
from pages.ui.work.closed_pages import ClosedPages
from pages.ui.work.released_files import ReleasedFiles

ABSENCE = 40.0
"""Seconds after which the release of a session goes whose page is closed."""

INTERVAL = 5.0
"""Seconds between two looks at which pages are closed."""

_HELD, _FOLLOWED = "_own_release", "_release_followed"

_lock = threading.Lock()

_turns = itertools.count()


@dataclass(eq=False)
class OwnRelease:
    """What one page releases.

    Attributes
    ----------
    files : ReleasedFiles
        Where its file is.
    secrets : dict
        The texts of the seed and of the key, by name: known to this session alone.
    asked : tuple of str or None
        The name of the release that was asked for, and is not made yet.
    target : (tuple of str, Path) or None
        A release's name, and where its file is written.
    made : Any
        The last release that was made; None where there is none.
    lost : str
        The commitment of the seed or key of a release whose file is gone; "" where none is.
    page : str
        The connection of the page that has it, "" where there is none.
    turn : int
        Grows with each use, over all sessions.
    """

    files: ReleasedFiles = field(default_factory=ReleasedFiles)
    secrets: dict[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] | None = None
    target: tuple[tuple[str, ...], Path] | None = None
    made: Any = None
    lost: str = ""
    page: str = ""
    turn: int = 0

    def clear(self) -> None:
        """Remove the file and forget the secrets; what the file was drawn by stays known."""
        self.files.clear()
        self.secrets.clear()
        self.asked = self.target = None
        self.lose()

    def lose(self) -> None:
        """Note that the file of the release that was made is gone."""
        if self.made is not None:
            self.lost = self.made.commitment
        self.made = None


_BROWSERS: OfBrowsers[OwnRelease] = OfBrowsers()


def _clear(held: weakref.ref[OwnRelease]) -> None:
    own = held()
    if own is not None:
        own.clear()


def _is_used(held: weakref.ref[OwnRelease]) -> bool:
    own = held()
    return own is not None and _is_open(own.page)


def watch() -> ClosedPages[weakref.ref[OwnRelease]]:
    """Return a watch that forgets releases whose page has been closed for a while.

    What a reload has taken over stays as long as the new page.
    """
    return ClosedPages(_clear, absence=ABSENCE, interval=INTERVAL, in_use=_is_used)


CLOSED = watch()
"""Watches over the releases of all sessions of this server."""


def release() -> OwnRelease:
    """Return this session's release, a new one where it has none."""
    own: OwnRelease | None = st.session_state.get(_HELD)
    if own is None or own.page != _page():  # another page has taken it over in the meantime
        own = _hold(OwnRelease())
    own.turn = next(_turns)
    CLOSED.note(weakref.ref(own))
    return own


def follow() -> None:
    """Take over the release of the page that was reloaded; a session does so once, at its start."""
    if st.session_state.get(_FOLLOWED):
        return
    st.session_state[_FOLLOWED] = True
    with _lock:
        closed = [other for other in _BROWSERS.others(None) if not _is_open(other.page)]
        if closed:
            CLOSED.note(weakref.ref(_hold(max(closed, key=lambda other: other.turn))))


def _hold(own: OwnRelease) -> OwnRelease:
    """Make a release this session's."""
    st.session_state[_HELD] = own
    own.page = _page()
    _BROWSERS.note(own)
    return own


def _page() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def _is_open(page: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(page)
