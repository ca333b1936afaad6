"""Answers that are worked out in another process: asked for again and again until they are there.

Work on data that all sessions see is theirs in common: fifty who ask the same wait for one job.
Whoever stops it is told so and may start it again; the others' next look starts it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job, State
from pages.ui import run


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
        """The key under which the answer is kept."""
        return (*self.key, repr(self.data))


def ask(task: Task, start: Callable[[], Job[Any]]) -> Any:
    """Return the answer, or the job that is at work on it, started by `start` if there is none.

    Raises
    ------
    StoppedError
        If this session stopped it, until it is resumed.
    CoreError
        If there is no answer, or it took too long.
    """
    if task.name in _stopped():
        raise StoppedError("The work was cancelled.")
    job = run.kept_for(task.data).get(task.name, start)
    if job.state == State.CANCELLED:  # by another session, a moment ago
        run.kept_for(task.data).drop(task.name)
        job = run.kept_for(task.data).get(task.name, start)
    return job.result() if job.finished else job


def stop(task: Task, job: Job[Any]) -> None:
    """End work that is under way."""
    _stopped().add(task.name)
    run.kept_for(task.data).drop(task.name)
    job.cancel()


def resume(task: Task) -> None:
    """Let work that was stopped, or that failed, start again."""
    _stopped().discard(task.name)
    run.kept_for(task.data).drop(task.name)


def again(task: Task, key: str) -> None:
    """Show the button that starts the work again."""
    st.button("Start again", icon=":material/replay:", key=key, on_click=resume, args=(task,))


def _stopped() -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = st.session_state.setdefault("_stopped", set())
    return found
