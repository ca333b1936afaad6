"""Work under way in other processes; it ends when no visit waits for it any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.jobs import Job, State

Name = tuple[str, ...]


@dataclass
class Work:
    """A job under way, the visits that wait for it, and where its answer is to be shared."""

    job: Job[Any]
    place: str = ""
    visits: set[str] = field(default_factory=set)


WORK: dict[Name, Work] = {}
"""All work under way, by its name."""

_lock = threading.Lock()


def join(name: Name, visit: str, begin: Callable[[], Work]) -> Job[Any]:
    """Add a visit to some work, begun where there is none; return its job."""
    with _lock:
        work = WORK.get(name)
        if work is None or work.job.state in (State.FAILED, State.CANCELLED):
            work = WORK[name] = begin()
        work.visits.add(visit)
        return work.job


def take_place(name: Name) -> str:
    """Return where the answer of some work is to be shared, once; "" where it is not."""
    with _lock:
        work = WORK.get(name)
        if work is None:
            return ""
        place, work.place = work.place, ""
        return place


def leave(name: Name, visit: str) -> None:
    """Remove a visit from some work; when the last one leaves, the work ends."""
    with _lock:
        work = WORK.get(name)
        if work is None or visit not in work.visits:
            return
        work.visits.discard(visit)
        if not work.visits or work.job.finished:
            del WORK[name]
            work.job.cancel()


def leave_all(visit: str) -> None:
    """Remove a visit that has ended from all work."""
    for name in [name for name, work in list(WORK.items()) if visit in work.visits]:
        leave(name, visit)
