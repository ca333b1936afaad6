"""A session's own data, and how a new session of the same browser gets it again.

A reload starts a new session, while the server holds the old one for a while. The new one is
given an upload that its address names if a session of the same browser has it. A link to an upload
is of no use to others. Uploads are removed soon after the last page that uses them was closed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable

import streamlit as st

from core.data import Sources
from pages.ui.work.browsers import OfBrowsers
from pages.ui.work.closed_pages import ClosedPages

ABSENCE = 40.0
"""Seconds after which the uploads of a session go whose page is closed."""

INTERVAL = 5.0
"""Seconds between two looks at which pages are closed."""

_BROWSERS: OfBrowsers[Sources] = OfBrowsers()


def watch() -> ClosedPages[weakref.ref[Sources]]:
    """Return a watch that removes the uploads of sessions whose page has been closed for a while.

    What a reload has taken over stays as long as the new page. A page that comes back later says
    that its file is not there, and asks for it again.
    """
    return ClosedPages(_clear, absence=ABSENCE, interval=INTERVAL, is_lent=_lends)


def _clear(held: weakref.ref[Sources]) -> None:
    own = held()
    if own is not None:
        own.clear()


def _lends(held: weakref.ref[Sources]) -> bool:
    own = held()
    return own is not None and own.lends


CLOSED = watch()
"""Watches over the uploads of all sessions of this server."""


def sources() -> Sources:
    """Return this session's uploads and pasted matrices."""
    found: Sources | None = st.session_state.get("sources")
    if found is None:
        found = st.session_state["sources"] = Sources()
    if not st.session_state.get("_sources_noted"):
        st.session_state["_sources_noted"] = True
        _BROWSERS.note(found)
    CLOSED.note(weakref.ref(found))
    return found


def recover(names: Iterable[str]) -> None:
    """Take over what the address names and another session of this browser holds.

    Parameters
    ----------
    names : iterable of str
        Sources, as in a `DataSpec`; those that are here already or belong to nobody are skipped.
    """
    own = sources()
    others = _BROWSERS.others(own)
    for name in set(names):
        for other in others:
            if _taken(own, other, name):
                break


def _taken(own: Sources, other: Sources, name: str) -> bool:
    """Take one source over, where the other has it and this one does not."""
    if name in other.uploads and name not in own.uploads:
        own.borrow(other, name)
        return True
    if name in other.matrices and name not in own.matrices:
        own.matrices[name] = other.matrices[name]
        return True
    return own.borrow_counts(other, name)
