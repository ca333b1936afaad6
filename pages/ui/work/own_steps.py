"""A session's steps of undo and redo, and how a reload of its page gets them again.

The address carries what is pinned, but not what was before. A new session takes the steps of one
of the same browser that stood where the address stands; it gets a copy, so that two pages that
are open at the same time do not undo each other's steps.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.scenario import Project
from pages.ui.work import own_data
from pages.ui.work.browsers import OfBrowsers

_HELD = "_project_steps"

_turns = itertools.count()


@dataclass(eq=False)
class Steps:
    """What can be undone and redone; None stands for nothing pinned.

    Attributes
    ----------
    past, future : list of Project or None
        What was pinned before, and what was taken back; the nearest step last.
    now : Project or None
        What is pinned.
    page : str
        The page's connection, "" where there is none.
    turn : int
        Grows with each use, over all sessions.
    """

    past: list[Project | None] = field(default_factory=list)
    future: list[Project | None] = field(default_factory=list)
    now: Project | None = None
    page: str = ""
    turn: int = 0


_BROWSERS: OfBrowsers[Steps] = OfBrowsers()


def steps(now: Project | None) -> Steps:
    """Return this session's steps; a new session's are those of the page that was reloaded.

    Parameters
    ----------
    now : Project or None
        What is pinned.
    """
    own: Steps | None = st.session_state.get(_HELD)
    if own is None:
        own = st.session_state[_HELD] = Steps(page=_page())
        _take_over(own, now)
        _BROWSERS.note(own)
    own.now, own.turn = now, next(_turns)
    return own


def _take_over(own: Steps, now: Project | None) -> None:
    """Copy the steps of the last page of this browser that stood here, one that is closed first.

    Of a page that is open only what is pinned tells that it is the same; nothing is.
    """
    found = [
        other
        for other in _BROWSERS.others(own)
        if other.now == now and (now is not None or not _is_open(other.page))
    ]
    if not found:
        return
    last = max(found, key=lambda other: (not _is_open(other.page), other.turn))
    own.past, own.future = list(last.past), list(last.future)
    own_data.recover(
        scenario.data.source
        for project in (*own.past, *own.future)
        if project is not None
        for scenario in project.scenarios
    )


def _page() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def _is_open(page: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(page)
