"""A job for another process, and a fair queue of jobs: no session waits for all of another's.

Urgent jobs come first; then the owner with the fewest jobs running, and of those the one whose last
turn is longest ago. A new owner comes just before the owner who had the last turn.
"""

from __future__ import annotations

import inspect
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from core.errors import SolverError

T = TypeVar("T")

BEGUN = "working"
"""What every job reports first."""


def carry_out(
    function: Callable[..., T],
    arguments: Iterable[Any],
    report: Callable[[Any], None] = lambda _: None,
) -> T:
    """Call a function, with `report` where it takes that; say first that it has begun."""
    report(BEGUN)
    if "report" in inspect.signature(function).parameters:
        return function(*arguments, report=report)
    return function(*arguments)


class State(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(Generic[T]):
    """A computation that was submitted to a `Pool`; safe for threads; `time_limit` in seconds."""

    def __init__(self, time_limit: float) -> None:
        self.state = State.WAITING
        self.progress: Any = None
        self.time_limit = time_limit
        self._finished = threading.Event()
        self._requested_at = time.monotonic()
        self._started_at: float | None = None
        self._working_at: float | None = None
        self._ended_at: float | None = None
        self._answer: T | None = None
        self._error: BaseException | None = None
        self._kill: Callable[[], None] | None = None
        self._lock = threading.Lock()

    @property
    def seconds_awaited(self) -> float:
        """Seconds since the request, including the wait for a worker."""
        return (self._ended_at or time.monotonic()) - self._requested_at

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
            self._end(State.CANCELLED, error=SolverError("The work was canceled."))
            kill = self._kill
        if kill is not None:
            kill()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most `timeout` seconds; return whether it has."""
        return self._finished.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
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
        if self._working_at is None:
            self._working_at = time.monotonic()
        self.progress = progress

    def succeed(self, answer: T) -> None:
        with self._lock:
            if not self.finished:
                self._answer = answer
                self._end(State.DONE)

    def fail(self, error: BaseException) -> None:
        with self._lock:
            if not self.finished:
                self._end(State.FAILED, error=error)

    def _end(self, state: State, error: BaseException | None = None) -> None:
        self.state = state
        self._error = error
        self._ended_at = time.monotonic()
        self._finished.set()


@dataclass(frozen=True, eq=False)
class Call:
    """A pickled call with its job and the session that owns it; `anywhere`: on any machine."""

    job: Job[Any]
    content: bytes
    owner: str
    urgent: bool
    anywhere: bool = False


@dataclass
class _Owner:
    """The jobs of one owner: those waiting, the number running, and the last turn."""

    last_turn: float
    waiting: deque[Call] = field(default_factory=deque)
    working: int = 0


class JobQueue:
    """The queue of jobs and the number of workers that serve it; safe for threads."""

    def __init__(self, general: int, reserved: int = 0) -> None:
        self._most = {False: general, True: reserved}
        self._workers: Counter[bool] = Counter()
        self._idle: Counter[bool] = Counter()
        self._owners: dict[str, _Owner] = {}
        self._turn = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def workers(self) -> int:
        with self._changed:
            return self._workers.total()

    def put(self, call: Call) -> bool | None:
        """Add a job, and say whether to start a worker for it."""
        with self._changed:
            newcomer = _Owner(last_turn=self._turn - 0.5)
            self._owners.setdefault(call.owner, newcomer).waiting.append(call)
            self._changed.notify_all()
            urgent = sum(other.urgent for owner in self._owners.values() for other in owner.waiting)
            others = sum(len(owner.waiting) for owner in self._owners.values()) - urgent
            if max(0, urgent - self._idle[True]) + others <= self._idle[False]:
                return None
            for reserved in (True, False) if call.urgent else (False,):
                if self._workers[reserved] < self._most[reserved]:
                    self._workers[reserved] += 1
                    return reserved
            return None

    def take(self, *, reserved: bool, rest: float | None = None) -> Call | None:
        """Return the next job; None if the queue is closed or idle for `rest` seconds."""
        with self._changed:
            self._idle[reserved] += 1
            self._changed.wait_for(lambda: self._closed or self._next(reserved), rest)
            self._idle[reserved] -= 1
            call = self._next(reserved)
            if call is None:
                self._workers[reserved] -= 1
                return None
            self._turn += 1
            _give_turn(self._owners[call.owner], call, self._turn)
            return call

    def miss(self, reserved: bool) -> None:
        """Record that a worker, which `put` asked for, could not be started."""
        with self._changed:
            self._workers[reserved] -= 1

    def done(self, call: Call) -> None:
        """Record that a job that was taken has ended."""
        with self._changed:
            owner = self._owners[call.owner]
            owner.working -= 1
            if not owner.working and not owner.waiting:
                del self._owners[call.owner]

    def ahead(self, job: Job[Any]) -> int:
        """Return how many jobs come before a waiting one if no others arrive; 0 if it has begun."""
        with self._changed:
            owners = [
                replace(owner, waiting=_alive(owner.waiting)) for owner in self._owners.values()
            ]
            turn = self._turn
        if all(call.job is not job for owner in owners for call in owner.waiting):
            return 0
        for place in itertools.count():
            owner, call = _first(owners, {True, False}) or (None, None)
            if owner is None or call is None or call.job is job:
                return place
            _give_turn(owner, call, turn + place + 1)
        raise AssertionError("unreachable")  # pragma: no cover

    def close(self) -> None:
        """Let the workers end once the queue is empty."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def reopen(self) -> None:
        with self._changed:
            self._closed = False

    def _next(self, reserved: bool) -> Call | None:
        """Return the next call for a kind of worker."""
        for owner in self._owners.values():  # jobs cancelled while they wait need no worker
            owner.waiting = _alive(owner.waiting)
        kinds = {True}
        if not reserved:
            urgent = sum(call.urgent for owner in self._owners.values() for call in owner.waiting)
            # those are left to the reserved workers that are idle: these take nothing else
            kinds = {False} if urgent <= self._idle[True] else {True, False}
        first = _first(self._owners.values(), kinds)
        return None if first is None else first[1]


def _alive(calls: deque[Call]) -> deque[Call]:
    return deque(call for call in calls if not call.job.finished)


def _give_turn(owner: _Owner, call: Call, turn: int) -> None:
    owner.waiting.remove(call)
    owner.working += 1
    owner.last_turn = turn


def _first(owners: Iterable[_Owner], kinds: set[bool]) -> tuple[_Owner, Call] | None:
    """Return the next call and its owner; `kinds`: urgent (True), others; None if there is none."""
    heads = [(owner, call) for owner in owners if (call := _head(owner.waiting, kinds)) is not None]
    return min(
        heads,
        key=lambda head: (not head[1].urgent, head[0].working, head[0].last_turn),
        default=None,
    )


def _head(calls: deque[Call], kinds: set[bool]) -> Call | None:
    """Return an owner's next call: the first that is urgent, else the first."""
    return next(
        (call for kind in (True, False) for call in calls if kind in kinds and call.urgent == kind),
        None,
    )
