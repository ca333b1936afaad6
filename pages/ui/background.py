"""Work in other processes: asked for again and again until its answer is there.

Work on data that all sessions see is theirs in common: fifty who ask the same wait for one job,
and it ends when none of them waits any more. What failed, or was stopped, is known to the session
that saw it and to no other: the next one to ask has it begun anew.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job, State
from pages.ui.store import is_private, kept_for


class StoppedError(CoreError):
    """Work that this session stopped."""


@dataclass(frozen=True)
class Task:
    """A piece of work.

    Attributes
    ----------
    data : DataSpec
        What it is about; work on a session's own data stays in the session.
    key : tuple of str
        What is asked about the data.
    """

    data: DataSpec
    key: tuple[str, ...]

    @property
    def name(self) -> tuple[str, ...]:
        """The key under which the work is known; of private data, in its session only."""
        return (*self.key, repr(self.data), _session() if is_private(self.data) else "")


@dataclass
class _Work:
    """A job under way, and the sessions that wait for it."""

    job: Job[Any]
    sessions: set[str] = field(default_factory=set)


_under_way: dict[tuple[str, ...], _Work] = {}
_lock = threading.Lock()


def ask(task: Task, start: Callable[[], Job[Any]], *, keep: bool = True) -> Any:
    """Return the answer, or the job that is at work on it, begun by `start` if there is none.

    Parameters
    ----------
    task : Task
        The work.
    start : callable
        Hands it to a pool.
    keep : bool
        Whether the answer is as good as it will ever be, and kept for all. Else it is handed
        over once: who asks takes what is of use, or has the work done again.

    Raises
    ------
    StoppedError
        If this session stopped it, until it is resumed.
    CoreError
        If there is no answer, or it took too long, until it is resumed.
    """
    held = _held()
    found = held.get(task.name)
    if isinstance(found, CoreError):
        raise found
    if keep and (kept := kept_for(task.data).find(task.name)) is not None:
        return kept
    if found is None:
        found = held[task.name] = _join(task, start)
    if not found.finished:
        return found
    try:
        answer = found.result()
    except CoreError as error:
        held[task.name] = error
        raise
    finally:
        _leave(task.name)
    del held[task.name]
    if keep:
        kept_for(task.data).put(task.name, answer)
    return answer


def await_only(place: str, tasks: Collection[Task]) -> None:
    """Say what this session waits for in a place; it waits no more for what it did there before.

    Work that nobody waits for ends, so that what is wanted now does not stand in line behind it.
    """
    places: dict[str, set[tuple[str, ...]]] = st.session_state.setdefault("_awaited", {})
    wanted = {task.name for task in tasks}
    before = places.get(place, set())
    places[place] = wanted
    elsewhere = set().union(*places.values())
    for name in before - elsewhere:
        if isinstance(_held().get(name), Job):
            del _held()[name]
            _leave(name)


def stop(task: Task) -> None:
    """Have this session wait no more for work, until it is resumed; it ends if no other waits."""
    _held()[task.name] = StoppedError("The work was cancelled.")
    _leave(task.name)


def fail(task: Task, error: CoreError) -> None:
    """Have this session take work for failed, until it is resumed: its answer was no use."""
    _held()[task.name] = error


def resume(task: Task) -> None:
    """Let work that was stopped, or that failed, start again."""
    if isinstance(_held().get(task.name), CoreError):
        del _held()[task.name]


def again(task: Task, key: str) -> None:
    """Show the button that starts the work again."""
    st.button("Start again", icon=":material/replay:", key=key, on_click=resume, args=(task,))


def _join(task: Task, start: Callable[[], Job[Any]]) -> Job[Any]:
    """Wait for the work that is under way, beginning it where there is none."""
    with _lock:
        work = _under_way.get(task.name)
        if work is None or work.job.state in (State.FAILED, State.CANCELLED):
            work = _under_way[task.name] = _Work(start())
        work.sessions.add(_session())
        return work.job


def _leave(name: tuple[str, ...]) -> None:
    """Wait no more for some work; the last to leave ends it."""
    with _lock:
        work = _under_way.get(name)
        if work is None or _session() not in work.sessions:
            return
        work.sessions.discard(_session())
        if not work.sessions or work.job.finished:  # a session that ended leaves nothing
            del _under_way[name]
            work.job.cancel()


def _held() -> dict[tuple[str, ...], Job[Any] | CoreError]:
    """Return what this session waits for, and what it knows to have failed."""
    found: dict[tuple[str, ...], Job[Any] | CoreError] = st.session_state.setdefault("_work", {})
    return found


def _session() -> str:
    return str(st.session_state.setdefault("_session", uuid.uuid4().hex))
