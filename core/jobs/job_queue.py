"""A fair queue of jobs: no session waits until all of another session's jobs are done.

Urgent jobs come first. Then comes the owner with the fewest jobs running, and among those the
owner whose last turn is longest ago; a new owner comes just before the owner who had the last
turn. The jobs of one owner keep their order.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from core.jobs.job import Job


@dataclass(frozen=True, eq=False)
class Call:
    """A job with the call that is sent to a worker.

    Attributes
    ----------
    job : Job
        The job.
    content : bytes
        The pickled call.
    owner : str
        The session that asked for it.
    urgent : bool
        Whether someone waits for it now.
    anywhere : bool
        Whether another machine may run it.
    """

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
    """The queue of jobs and the number of workers that serve it; safe for threads.

    Parameters
    ----------
    general : int
        Most workers that take any job.
    reserved : int
        Most further workers, which take urgent jobs only.

    Examples
    --------
    >>> queue = JobQueue(general=1)
    >>> for number in range(3):
    ...     _ = queue.put(Call(Job(1.0), b"greedy %d" % number, "a", urgent=False))
    >>> _ = queue.put(Call(Job(1.0), b"late", "b", urgent=False))
    >>> [queue.take(reserved=False).content for _ in range(4)]
    [b'greedy 0', b'late', b'greedy 1', b'greedy 2']
    """

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
        """Number of workers."""
        with self._changed:
            return self._workers.total()

    def put(self, call: Call) -> bool | None:
        """Add a job, and say whether to start a worker for it.

        Returns
        -------
        bool or None
            Whether the worker to start is a reserved one; None if none is to be started. The
            worker is counted from now on.
        """
        with self._changed:
            newcomer = _Owner(last_turn=self._turn - 0.5)
            self._owners.setdefault(call.owner, newcomer).waiting.append(call)
            self._changed.notify_all()
            urgent = sum(one.urgent for owner in self._owners.values() for one in owner.waiting)
            others = sum(len(owner.waiting) for owner in self._owners.values()) - urgent
            if max(0, urgent - self._idle[True]) + others <= self._idle[False]:
                return None
            for reserved in (True, False) if call.urgent else (False,):
                if self._workers[reserved] < self._most[reserved]:
                    self._workers[reserved] += 1
                    return reserved
            return None

    def take(self, *, reserved: bool, rest: float | None = None) -> Call | None:
        """Wait for the next job and return it; None where the worker is to end.

        The worker ends when the queue is closed and empty, or after `rest` seconds without a job,
        and is no longer counted.

        Parameters
        ----------
        reserved : bool
            Whether the worker takes urgent jobs only.
        rest : float, optional
            Seconds; no limit where not given.
        """
        with self._changed:
            self._idle[reserved] += 1
            self._changed.wait_for(lambda: self._closed or self._next(reserved), rest)
            self._idle[reserved] -= 1
            found = self._next(reserved)
            if found is None:
                self._workers[reserved] -= 1
                return None
            self._turn += 1
            _give_turn(self._owners[found.owner], found, self._turn)
            return found

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
            owners = [replace(one, waiting=_alive(one.waiting)) for one in self._owners.values()]
            turn = self._turn
        if all(call.job is not job for one in owners for call in one.waiting):
            return 0
        for place in itertools.count():
            owner, call = _first(owners, only_urgent=False) or (None, None)
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
        """Undo `close`."""
        with self._changed:
            self._closed = False

    def _next(self, reserved: bool) -> Call | None:
        """Return the next call for a kind of worker."""
        for one in self._owners.values():  # jobs cancelled while they wait need no worker
            one.waiting = _alive(one.waiting)
        found = _first(self._owners.values(), only_urgent=reserved)
        return None if found is None else found[1]


def _alive(calls: deque[Call]) -> deque[Call]:
    return deque(call for call in calls if not call.job.finished)


def _give_turn(owner: _Owner, call: Call, turn: int) -> None:
    owner.waiting.remove(call)
    owner.working += 1
    owner.last_turn = turn


def _first(owners: Iterable[_Owner], *, only_urgent: bool) -> tuple[_Owner, Call] | None:
    """Return the next call and its owner; None if there is none."""
    heads = [
        (owner, call)
        for owner in owners
        if (call := _head(owner.waiting, only_urgent=only_urgent)) is not None
    ]
    return min(
        heads,
        key=lambda head: (not head[1].urgent, head[0].working, head[0].last_turn),
        default=None,
    )


def _head(calls: deque[Call], *, only_urgent: bool) -> Call | None:
    """Return an owner's next call: the first that is urgent, else the first."""
    urgent = next((call for call in calls if call.urgent), None)
    return urgent if urgent is not None or only_urgent or not calls else calls[0]
