"""One long computation: its state, its progress and its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Generic, TypeVar

from core.errors import SolverError

T = TypeVar("T")


class State(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(Generic[T]):
    """A computation that was submitted to a `Pool`; safe for threads.

    Attributes
    ----------
    state : State
        Whether it waits, runs or has ended, and how.
    progress : object or None
        The last report of the function that runs.
    time_limit : float
        Seconds after which its process is ended.
    """

    def __init__(self, time_limit: float) -> None:
        self.state = State.WAITING
        self.progress: Any = None
        self.time_limit = time_limit
        self._finished = threading.Event()
        self._started_at: float | None = None
        self._working_at: float | None = None
        self._ended_at: float | None = None
        self._answer: T | None = None
        self._error: BaseException | None = None
        self._kill: Callable[[], None] | None = None
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Seconds that it has run; 0 while it waits."""
        if self._started_at is None:
            return 0.0
        return (self._ended_at or time.monotonic()) - self._started_at

    @property
    def seconds_of_work(self) -> float:
        """Seconds since its first report, which leaves out the start of its process."""
        if self._working_at is None:
            return 0.0
        return (self._ended_at or time.monotonic()) - self._working_at

    @property
    def finished(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self._finished.is_set()

    def cancel(self) -> None:
        """Cancel it and end its process; do nothing if it has ended."""
        with self._lock:
            if self.finished:
                return
            self._end(State.CANCELLED, error=SolverError("The work was cancelled."))
            kill = self._kill
        if kill is not None:
            kill()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most `timeout` seconds; return whether it has."""
        return self._finished.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the answer.

        Raises
        ------
        SolverError
            If it was cancelled, exceeded its time limit or its process died.
        TimeoutError
            If it has not ended after `timeout` seconds.
        Exception
            The error that the function raised.
        """
        if not self._finished.wait(timeout):
            raise TimeoutError(f"The work has not ended after {timeout:g} s.")
        if self._error is not None:
            raise self._error
        return self._answer  # type: ignore[return-value]  # set together with DONE

    # What the pool calls.

    def start(self, kill: Callable[[], None]) -> bool:
        """Mark it as running; return False if it was cancelled before."""
        with self._lock:
            if self.finished:
                return False
            self.state = State.RUNNING
            self._started_at = time.monotonic()
            self._kill = kill
            return True

    def note(self, progress: Any) -> None:
        """Keep a report of the function."""
        if self._working_at is None:
            self._working_at = time.monotonic()
        self.progress = progress

    def succeed(self, answer: T) -> None:
        """Keep the answer, and end."""
        with self._lock:
            if not self.finished:
                self._answer = answer
                self._end(State.DONE)

    def fail(self, error: BaseException) -> None:
        """Keep the error, and end."""
        with self._lock:
            if not self.finished:
                self._end(State.FAILED, error=error)

    def _end(self, state: State, error: BaseException | None = None) -> None:
        self.state = state
        self._error = error
        self._ended_at = time.monotonic()
        self._finished.set()
