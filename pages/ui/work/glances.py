"""Quick estimates, made once for all sessions by a process of its own, one at a time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from core.data import Counted
from core.jobs import Job, Pool, State
from core.jobs.work import find_all
from core.scenario import Result, Scenario, answer
from pages.ui.work.store import is_private

GLANCE = 0.25
"""Seconds that a first glance may take: a longer wait would be noticed."""

WAIT = 2 * GLANCE
"""Seconds that a page waits for a glance where it has another answer to show: others may be before
it."""

SECONDS = 60.0
"""Seconds after which a glance is given up: some mechanisms cannot be cut short."""

MOST = 300
"""Most glances under way, or made while no session waited; the oldest goes first."""


@dataclass
class _Request:
    """A requested glance, and whether a session has nothing to show until it is there."""

    job: Job[Result]
    urgent: bool
    since: float = field(default_factory=time.monotonic)


class Glancer:
    """Has first glances searched for in another process; safe for threads."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._requests: OrderedDict[Hashable, _Request] = OrderedDict()
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._served = False
        self._warmed: Job[Any] | None = None

    def serve(self) -> None:
        """Search in the other process from now on: there is a server, with many sessions."""
        self._served = True
        self._is_ready()

    def _is_ready(self) -> bool:
        """Return whether the other process waits for work; start it where it does not run."""
        if not self._served:
            return False
        with self._lock:
            warmed = self._warmed
            if warmed is None or (warmed.finished and self._pool.workers == 0):
                self._warmed = self._pool.submit(find_all, (), time_limit=SECONDS)
                return False
        return warmed.finished

    def find(
        self, scenario: Scenario, data: Counted, session: str, *, patient: bool
    ) -> Result | None:
        """Return what a search of a moment finds; None where its turn has not come."""
        if not self._is_ready():
            with self._turn:
                return _search(scenario, data)
        name = _name(scenario, session)
        with self._lock:
            request = self._requests.get(name)
            waits = request is not None and request.job.state == State.WAITING
            if request is None or (patient and waits and not request.urgent):
                if request is not None:
                    request.job.cancel()
                job = self._submit(scenario, data, session, urgent=patient)
                request = self._requests[name] = _Request(job, patient)
                while len(self._requests) > MOST:
                    self._requests.popitem(last=False)[1].job.cancel()
        if not request.job.wait(None if patient else self._wait(request)):
            return None
        if request.job.state == State.CANCELLED:  # for one that is urgent, or for lack of room
            return None
        with self._lock:
            if self._requests.get(name) is request:
                del self._requests[name]
        return replace(request.job.result(), scenario=scenario)

    def is_ready(self, scenario: Scenario, session: str) -> bool:
        """Return whether a requested glance is there that no one has taken yet."""
        request = self._requests.get(_name(scenario, session))
        return request is not None and request.job.finished and request.job.state != State.CANCELLED

    def _wait(self, request: _Request) -> float:
        """Return the seconds to wait for a glance where there is something to show."""
        if self._pool.ahead(request.job) > 0:  # one is searched for, and this is not the next
            return 0.0
        return max(0.0, request.since + WAIT - time.monotonic())

    def _submit(
        self, scenario: Scenario, data: Counted, session: str, *, urgent: bool
    ) -> Job[Result]:
        arguments = (answer, hurried(scenario), data)
        return self._pool.submit(*arguments, time_limit=SECONDS, owner=session, urgent=urgent)

    def kill(self) -> None:
        """End the process; what is searched for from now on, the server does itself."""
        self._served = False
        self._pool.kill()


# what the server sends to its pages comes first, all other work later
GLANCER = Glancer(Pool(1, niceness=3))
"""The process of this server."""


def _name(scenario: Scenario, session: str) -> Hashable:
    """Return the name of a glance: of a session's own data it is the session's."""
    return repr(scenario), session if is_private(scenario.data) else ""


def _search(scenario: Scenario, data: Counted) -> Result:
    """Search for a glance in place."""
    return replace(answer(hurried(scenario), data), scenario=scenario)


def hurried(scenario: Scenario) -> Scenario:
    """Return the question of a first glance: the same, with less time."""
    return replace(scenario, time_limit=min(GLANCE, scenario.time_limit))
