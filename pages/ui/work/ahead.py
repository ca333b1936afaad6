"""Answers at the other places of a slider, computed before a session moves there.

About data that all share for all sessions, about a session's own for itself. The nearest come first
and, among those of ε, ever smaller and larger ones, because an answer at a smaller ε is shown where
there is no better one yet. A page has one question for each slider; work ends with the last page.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pickle import PicklingError
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.data import Counted
from core.data.databases.reference import is_reference
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import find_all
from core.scenario import DOMAINS, Result, Scenario, answer
from pages.ui.work import answers, glances, visits
from pages.ui.work.long_answer import WORKERS, LongAnswer
from pages.ui.work.visits import Owner, is_open

MOST_PLACES = 4
"""Places that a worker answers before it looks where the slider is now."""


MOST = 20
"""Most questions whose places wait; the least recently used one goes first."""

OWNER = "slider places"
"""Whose turn it is among the owners of jobs: one for all sessions, so that others come first."""

Parts = Sequence[Callable[[Scenario], LongAnswer[Any]]]
"""What a page shows beside an answer and depends on the question alone."""


Places = Callable[[Scenario, str], Sequence[float | None]]
"""Returns the places of the slider of a scenario's number."""


@dataclass(eq=False)
class _Question:
    """A question with the places of a slider that are left, and the pages that show it.

    The slider is that of the scenario's number `name`; `slot`: which of those with this name.
    `seconds`: that its places took so far. `urgent`: somebody moves the slider. `bare`: to a place
    of which nothing is known.
    """

    scenario: Scenario
    name: str
    counted: Counted
    left: list[float | None]
    parts: Parts
    owner: Owner | None = None
    slot: int = 0
    pages: set[str] = field(default_factory=set)
    factor: float = 1.0
    seconds: float = 0.0
    urgent: bool = False
    bare: bool = False

    def next(self, most: int) -> list[Scenario]:
        """Return and remove the places to answer next: the nearest, and ever farther ones.

        Where somebody moves the slider, the nearest alone.
        """
        now = self._at(getattr(self.scenario, self.name))
        far = [] if self.urgent else self._far(now)
        wanted = [*far, *[now] * most][: min(most, len(self.left))]
        places = []
        for value in wanted:
            places.append(min(self.left, key=lambda left: abs(self._at(left) - value)))
            self.left.remove(places[-1])
        scenarios = [at(self.scenario, self.name, place) for place in places]
        return [scenario for scenario in scenarios if not answers.is_taken(scenario)]

    def _far(self, now: float) -> list[float]:
        """Return ever smaller and larger values of ε, with places left on both sides of each."""
        if self.name != "eps":
            return []
        self.factor *= 2
        left = [self._at(place) for place in self.left]
        here = now or min((place for place in left if place > 0), default=0.0)
        far = (here / self.factor, here * self.factor)
        return [value for value in far if left and min(left) <= value <= max(left)]

    def _at(self, place: float | None) -> float:
        """Return where a place lies: ∞ beyond all others, no number at that of the data's own."""
        own = self.counted.joint.n if place is None else place
        return min(float(own or 0), sys.float_info.max / 2)


class Ahead:
    """The questions whose places are answered ahead; safe for threads."""

    def __init__(
        self, submit: Callable[..., Job[Any]], is_open: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._submit, self._is_open = submit, is_open
        self._questions: OrderedDict[Hashable, _Question] = OrderedDict()
        self._lock = threading.Lock()
        self._working = False

    def want(
        self,
        page: str,
        result: Result,
        places: Places,
        parts: Parts = (),
        *,
        name: str = "eps",
        owner: Owner | None = None,
        slot: int = 0,
        urgent: bool = False,
        bare: bool = False,
    ) -> bool:
        """Queue a question at places of a slider; return whether work is to begin."""
        scenario = result.scenario
        key = name, slot, repr(wherever(scenario, name)), owner
        with self._lock:
            question = self._questions.get(key)
            if question is None:
                left = list(places(scenario, name))
                question = _Question(scenario, name, result.counted, left, parts, owner, slot)
                self._questions[key] = question
                while len(self._questions) > MOST:
                    self._questions.popitem(last=False)
            for other in self._questions.values():
                if (other.name, other.slot) == (name, slot) and other is not question:
                    other.pages.discard(page)
            question.scenario, question.urgent, question.bare = scenario, urgent, bare
            question.pages.add(page)
            self._questions.move_to_end(key)
            begins = not self._working and bool(question.left)
            self._working |= begins
        return begins

    def work(self) -> None:
        """Answer places until none is left that an open page may go to."""
        try:
            while (upcoming := self._next()) is not None:
                question, near = upcoming
                try:
                    self._answer(question, near)
                # the page itself says what is wrong, at the place where it is, and what cannot be
                # sent to another process, such as a promise made in a notebook, is answered there
                except (CoreError, PicklingError):
                    with self._lock:
                        question.left.clear()
        except BaseException:
            self._working = False
            raise

    def _next(self) -> tuple[_Question, list[Scenario]] | None:
        """Return the question touched last, at its next places; None if none is left.

        Of several that one slider moves it is the one that has taken least time, at one place: a
        slow one leaves the others theirs, unless it has nothing to show.
        """
        with self._lock:
            self._drop_closed()
            while left := [item for item in self._questions.values() if item.left]:
                last = left[-1]
                beside = [
                    item for item in left if item.name == last.name and item.pages & last.pages
                ]
                question = min(beside, key=lambda item: (not item.bare, item.seconds))
                alone, question.bare = len(beside) == 1 and not question.bare, False
                with visits.ahead_for(question.owner):
                    near = question.next(MOST_PLACES if alone else 1)
                if near:
                    return question, near
            self._working = False  # under the same lock: the next request starts again
        return None

    def _drop_closed(self) -> None:
        """Forget the questions of pages and visits that have ended."""
        for key, question in list(self._questions.items()):
            question.pages = {page for page in question.pages if self._is_open(page)}
            with visits.ahead_for(question.owner) as at_hand:
                if not question.pages or not at_hand:
                    del self._questions[key]

    def _answer(self, question: _Question, near: Sequence[Scenario]) -> None:
        """Have a worker answer a question at some places, and store the answers."""
        calls: list[Any] = [
            (answer, (glances.hurried(scenario), question.counted)) for scenario in near
        ]
        with visits.ahead_for(question.owner):
            parts = [part(scenario) for scenario in near for part in question.parts]
            calls += [(part.call, part.arguments()) for part in parts]
        began = time.monotonic()
        results = self._submit(
            find_all, calls, time_limit=60.0, owner=OWNER, urgent=question.urgent
        ).result()
        question.seconds += time.monotonic() - began
        with visits.ahead_for(question.owner) as at_hand:
            if not at_hand:
                return
            for scenario, result in zip(near, results, strict=False):
                if not isinstance(result, CoreError):
                    answers.take(replace(result, scenario=scenario), question.counted)
            for part, outcome in zip(parts, results[len(near) :], strict=True):
                if not isinstance(outcome, CoreError):
                    part.offer(outcome)


AHEAD = Ahead(WORKERS.submit, is_open)
"""The questions of this server's pages."""


def may(scenario: Scenario) -> bool:
    """Return whether other places are answered ahead: not of a database or a slow mechanism."""
    return not is_reference(scenario.data.source) and not answers.is_slow(scenario)


def at(scenario: Scenario, name: str, place: Any) -> Scenario:
    """Return a scenario at another place of a number's slider."""
    return replace(scenario, **{name: place})


def wherever(scenario: Scenario, name: str) -> Scenario:
    """Return the same scenario for all places of a number's slider."""
    return at(scenario, name, DOMAINS[name].low)


_served = threading.Event()


def serve() -> None:
    """Work ahead from now on: there is a server, whose pages stay open between two moves."""
    _served.set()


def page() -> str:
    """Return the running page's name among those that are open; "" where there is no server."""
    context = get_script_run_ctx()
    # a page that a test runs alone has no server
    return "" if context is None or not _served.is_set() else context.session_id


def begin(result: Result, places: Places, parts: Parts = ()) -> None:
    """Answer the question on screen at the other places of the slider of ε, in the background."""
    begin_for(page(), result, places, parts, name="eps", owner=visits.owner(result.scenario.data))


def begin_for(
    page: str,
    result: Result,
    places: Places,
    parts: Parts = (),
    *,
    name: str,
    owner: Owner | None,
    slot: int = 0,
    urgent: bool = False,
    bare: bool = False,
) -> None:
    """Answer a page's question at the other places of a slider, in any thread.

    `urgent`: somebody moves it, and is not to wait for the lines of frontiers. `bare`: nothing is
    known at the place that the result says.
    """
    if not page or not may(result.scenario):
        return
    more: dict[str, Any] = {"slot": slot, "urgent": urgent, "bare": bare}
    if AHEAD.want(*(page, result, places, parts), name=name, owner=owner, **more):
        threading.Thread(target=AHEAD.work, daemon=True, name="liftscope-ahead").start()
