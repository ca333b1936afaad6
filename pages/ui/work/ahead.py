"""Answers at the other places of a slider, worked out for all sessions before one moves there.

Only about data that all share; the nearest first and, among them, ever smaller and larger ones, as
an answer at a smaller ε is shown where there is no better one yet. Work ends with the last page.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pickle import PicklingError
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.data import Counted
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import find_all, find_answer
from core.scenario import Result, Scenario
from pages.ui.work import glances
from pages.ui.work.long_answer import WORKERS, LongAnswer
from pages.ui.work.store import is_private
from pages.ui.work.visits import for_no_visit, is_open

AT_ONCE = 4
"""Places that a worker answers before it looks where the slider is now."""


MOST = 20
"""Most questions whose places wait; the one not touched for longest goes first."""

OWNER = "slider places"
"""Whose turn it is among the owners of jobs: one for all sessions, so that others come first."""

Parts = Sequence[Callable[[Scenario], LongAnswer[Any]]]
"""What a page shows beside an answer and depends on the question alone."""


@dataclass(eq=False)
class _Question:
    """A question with the places of its slider that are left, and the pages that show it."""

    scenario: Scenario
    counted: Counted
    left: list[float]
    parts: Parts
    pages: set[str]
    factor: float = 1.0

    def next(self, most: int) -> list[Scenario]:
        """Return and strike the places to answer next: the nearest, and ever farther ones."""
        eps = self.scenario.eps
        self.factor *= 2
        here = eps or min((place for place in self.left if place > 0), default=0.0)
        far = [place for place in (here / self.factor, here * self.factor) if self._spans(place)]
        wanted = [*far, *[eps] * most][: min(most, len(self.left))]
        found = []
        for place in wanted:
            found.append(min(self.left, key=lambda left: abs(left - place)))
            self.left.remove(found[-1])
        asked = [replace(self.scenario, eps=place) for place in found]
        return [one for one in asked if not glances.is_taken(one)]

    def _spans(self, eps: float) -> bool:
        """Say whether there are places left on both sides of an ε."""
        return bool(self.left) and min(self.left) <= eps <= max(self.left)


class Ahead:
    """The questions whose places are answered ahead; safe for threads."""

    def __init__(
        self, submit: Callable[..., Job[Any]], is_open: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._submit, self._is_open = submit, is_open
        self._questions: OrderedDict[str, _Question] = OrderedDict()
        self._lock = threading.Lock()
        self._working = False

    def want(
        self,
        page: str,
        result: Result,
        places: Callable[[Scenario], Sequence[float]],
        parts: Parts = (),
    ) -> bool:
        """Have a question answered at places of its slider; say whether work is to begin."""
        scenario = result.scenario
        name = repr(replace(scenario, eps=0.0))
        with self._lock:
            asked = self._questions.get(name)
            if asked is None:
                left = list(places(scenario))
                asked = _Question(scenario, result.counted, left, parts, set())
                self._questions[name] = asked
                while len(self._questions) > MOST:
                    self._questions.popitem(last=False)
            asked.scenario = scenario
            asked.pages.add(page)
            self._questions.move_to_end(name)
            begins = not self._working and bool(asked.left)
            self._working |= begins
        return begins

    def work(self) -> None:
        """Answer places until none is left that an open page may go to."""
        try:
            while (found := self._next()) is not None:
                asked, near = found
                try:
                    self._answer(asked, near)
                # the page itself says what is wrong, at the place where it is, and what cannot be
                # sent to another process, such as a promise made in a notebook, is answered there
                except (CoreError, PicklingError):
                    with self._lock:
                        asked.left.clear()
        except BaseException:
            self._working = False
            raise

    def _next(self) -> tuple[_Question, list[Scenario]] | None:
        """Return the question touched last, at its next places; None if none is left."""
        with self._lock:
            for name, asked in reversed(list(self._questions.items())):
                asked.pages = {page for page in asked.pages if self._is_open(page)}
                if not asked.pages:
                    del self._questions[name]
                    continue
                while asked.left:
                    near = asked.next(AT_ONCE)
                    if near:
                        return asked, near
            self._working = False  # under the same lock: whoever asks from now on begins anew
        return None

    def _answer(self, asked: _Question, near: Sequence[Scenario]) -> None:
        """Have a worker answer a question at some places, and keep what it finds."""
        parts = [part(one) for one in near for part in asked.parts]
        calls = [(find_answer, (glances.hurried(one), asked.counted)) for one in near]
        with for_no_visit():
            calls += [(part.call, part.arguments()) for part in parts]
        job = self._submit(find_all, calls, time_limit=60.0, owner=OWNER)
        found = job.result()
        for one, answer in zip(near, found, strict=False):
            if not isinstance(answer, CoreError):
                glances.take(replace(answer, scenario=one), asked.counted)
        for part, answer in zip(parts, found[len(near) :], strict=True):
            if not isinstance(answer, CoreError):
                part.offer(answer)


AHEAD = Ahead(WORKERS.submit, is_open)
"""The questions of this server's pages."""

_served = threading.Event()


def serve() -> None:
    """Work ahead from now on: there is a server, whose pages stay open between two moves."""
    _served.set()


def begin(result: Result, places: Callable[[Scenario], Sequence[float]], parts: Parts = ()) -> None:
    """Have the question on screen answered at the other places of its slider, in the background."""
    context, scenario = get_script_run_ctx(), result.scenario
    if context is None or not _served.is_set():  # a page that a test runs alone has no server
        return
    if is_private(scenario.data) or glances.is_slow(scenario):
        return
    if AHEAD.want(context.session_id, result, places, parts):
        threading.Thread(target=AHEAD.work, daemon=True, name="liftscope-ahead").start()
