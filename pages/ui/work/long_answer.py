"""Answers that take long: computed by other processes, asked for until they are ready.

Work on data that all visits see is shared; what failed, was stopped or cut short is the visit's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from core.clock import ProcessorTime
from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job, Pool, State, carry_out
from core.remote import RemoteJobs
from pages.ui.serving import sharing
from pages.ui.work import under_way
from pages.ui.work.store import is_private
from pages.ui.work.under_way import Name, Work
from pages.ui.work.visits import Question, Search, kept_for, visit

T = TypeVar("T")

URGENT = 2
"""Workers reserved for urgent work, so that the answers of two sessions can be found at once."""

GENERAL = max(3, min(4, (os.cpu_count() or 2) - 1))
"""Workers for all work, frontiers and studies included: none of three lines waits for another."""

WORKERS = Pool(URGENT + GENERAL, reserved=URGENT, elsewhere=RemoteJobs.named())
"""All processes beside the server's own, or on its cluster: sessions take turns on them."""

_WITHIN: ContextVar[str] = ContextVar("part_of_the_page", default="")

LIMIT = 120.0
"""Seconds that work which a page's charts wait for may take at first."""

STUDY = 3_600.0
"""Seconds that an experiment, a sweep or a release may take: ten million records, some minutes."""

QUARTER = 900.0
"""Seconds for what is between: a line, a study of a few designs, or the checks of a release."""

LONGER = 2
"""Factor of the time limit each time a search that was cut short goes on."""


class StoppedError(CoreError):
    """Work that this session stopped."""


@dataclass(frozen=True, eq=False)
class LongAnswer(Generic[T]):
    """An answer that takes long: its key, and how it is computed.

    `data`: what it is about; work on a session's own data stays there. `call`: importable, runs in
    another process, may take `report`. `arguments`: asked for when the work begins. `seconds`: time
    limit at first, and `longest` at most. `patience`: seconds after which work that keeps its limit
    by itself, however busy the machine is, is given up; without it, work ends at its limit.
    `urgent`: the whole page waits. `keep`: else it is returned once. `is_final`: says whether an
    outcome is kept for all sessions. `lends`: whether another one is shown to them until they have
    their own. `take`: returns what is kept of an outcome. `of_many`: `call` begins the
    work of many processes here, takes the session as `owner`, and returns its job.
    """

    data: DataSpec
    key: Name
    call: Callable[..., T]
    arguments: Callable[[], tuple[Any, ...]]
    seconds: float = LIMIT
    patience: float = 0.0
    longest: float = 0.0
    urgent: bool = False
    keep: bool = True
    is_final: Callable[[T], bool] = lambda _: True
    lends: Callable[[T], bool] = lambda _: False
    take: Callable[[T], T] = lambda outcome: outcome
    of_many: bool = False

    @property
    def _kept_as(self) -> Name:
        """The key of the answer; of private data, in its session only."""
        return (*self.key, repr(self.data), visit().name if is_private(self.data) else "")

    @property
    def name(self) -> Name:
        """The key under which the work is known."""
        more = (f"{self.limit:g} s",) if self.is_prolonged else ()
        return (*self._kept_as, *more)

    @property
    def question(self) -> Question:
        """The data and the key: a session's `Search` is kept under it."""
        return (self.data, *self.key)

    @property
    def search(self) -> Search:
        """What this session wishes of the search, and how it ended."""
        return visit().searches[self.question]

    @property
    def limit(self) -> float:
        """The seconds that the search may take in this session."""
        return self.search.seconds or self.seconds

    @property
    def is_prolonged(self) -> bool:
        """Whether the search may take longer in this session than at first."""
        return self.limit > self.seconds

    @property
    def longer(self) -> int:
        """How many times as long as at first the search may take in this session."""
        return round(self.limit / self.seconds)

    def ask(self) -> T | Job[T]:
        """Return the answer, or the job that is at work on it, begun if there is none."""
        search = self.search
        if self.keep and (known := self._kept()) is not None:
            return known
        if search.error is not None:
            raise search.error.with_traceback(None)  # else each run of the page adds its own
        if search.job is None or search.job.state == State.CANCELLED:  # in the session's absence
            search.job = _join(self)
        if not search.job.finished:
            return search.job
        job, search.job = search.job, None
        place = under_way.take_place(self.name)
        under_way.leave(self.name, visit().name)
        try:
            outcome: T = job.result()
            if place and self.is_final(outcome):
                sharing.keep(place, outcome)
            answer = self.give(outcome)
        except CoreError as error:
            search.error = error
            raise
        search.done = True
        return answer

    def at_work(self) -> Job[T] | None:
        """Return the job that is at work on the answer, begun if there is none; None at its end."""
        answer = self.ask()
        return answer if isinstance(answer, Job) else None

    def here(self) -> T:
        """Return the answer, computed in place: for quick work only, else `ask`."""

        def make() -> T:
            return carry_out(self.call, self.arguments())

        known = self._kept()
        if known is not None:
            return known
        return self.give(kept_for(self.data).get(self._kept_as, make, self.is_final))

    def offer(self, answer: T) -> None:
        """Keep an answer that was computed ahead, if it is final; of shared data only."""
        if self.is_final(answer):
            kept_for(self.data).put(self._kept_as, answer)

    def of_others(self) -> T | None:
        """Return the answer that another server has computed; None if none is shared."""
        if is_private(self.data):
            return None
        answer: T | None = sharing.find(sharing.place_of(self.call, self.arguments))
        return answer

    def last(self) -> T | None:
        """Return the last answer that this session has, even if it was cut short."""
        own = self._kept(least=0.0)
        lent: T | None = kept_for(self.data).find(("unproven", *self._kept_as))
        return lent if own is None else own

    @property
    def most(self) -> float:
        """The seconds that the search may take at most."""
        return self.longest or 16 * self.seconds

    @property
    def next_limit(self) -> float:
        """The seconds that the search may take once it goes on."""
        return min(LONGER * self.limit, self.most)

    @property
    def may_search_on(self) -> bool:
        """Whether a search that was cut short may go on for longer."""
        return self.limit < self.most

    @property
    def is_cut(self) -> bool:
        """Whether this session's search was cut short, and may go on for longer."""
        final = kept_for(self.data).find(self._kept_as) is not None
        return not final and self._kept() is not None and self.may_search_on

    def search_on(self, seconds: float | None = None) -> None:
        """Continue a search that was cut short, with a longer limit, by default twice as long."""
        longer = self.next_limit if seconds is None else min(seconds, self.most)
        visit().searches[self.question] = Search(max(self.limit, longer))

    def _kept(self, least: float | None = None) -> T | None:
        """Return the answer kept for all visits, else this one's, if not of a shorter search."""
        answer: T | None = kept_for(self.data).find(self._kept_as)
        if answer is not None:
            return answer
        cut: tuple[float, T] | None = visit().store.find(("cut short", *self._kept_as))
        least = self.limit if least is None else least
        return cut[1] if cut is not None and cut[0] >= least else None

    def give(self, outcome: T) -> T:
        """Keep what is taken of an outcome: for all if it is final, else for this session."""
        answer = self.take(outcome)
        if self.keep and self.is_final(outcome):
            kept_for(self.data).put(self._kept_as, answer)
        elif self.keep:
            visit().store.put(("cut short", *self._kept_as), (self.limit, answer))
            if self.lends(outcome):
                kept_for(self.data).put(("unproven", *self._kept_as), answer)
        return answer

    @property
    def is_begun(self) -> bool:
        """Whether there is an answer, or any session waits for it."""
        there = self.search.job is not None or self.name in under_way.WORK
        return self.search.error is None and (there or self._kept() is not None)

    def stop(self) -> None:
        """Stop this session's waiting until it resumes; the work ends if no other session waits."""
        self.search.job, self.search.error = None, StoppedError("The work was canceled.")
        under_way.leave(self.name, visit().name)

    def resume(self) -> None:
        """Allow stopped or failed work to start again."""
        self.search.error = None

    def again(self, key: str) -> None:
        """Show the button that starts the work again."""
        st.button("Start again", icon=":material/replay:", key=key, on_click=self.resume)

    def prolong(self, key: str, more: str) -> None:
        """Show the button that goes on with a search that was cut short; `more`: for how long."""
        icon = ":material/manage_search:"
        st.button("Search longer", icon=icon, key=key, on_click=self.search_on, help=more)


def await_only(place: str, answers: Collection[LongAnswer[Any]]) -> None:
    """Set what this session waits for in a place; work that no session waits for ends."""
    place = _WITHIN.get() + place
    places = visit().awaited
    before = places.get(place, {})
    places[place] = {answer.name: answer.search for answer in answers}
    for name, search in before.items():
        if search.job is not None and not any(name in others for others in places.values()):
            search.job = None
            under_way.leave(name, visit().name)


@contextmanager
def within(name: str) -> Iterator[None]:
    """Make the places of `await_only` those of one part of the page while the block runs."""
    token = _WITHIN.set(f"{name} ")
    try:
        yield
    finally:
        _WITHIN.reset(token)


def await_nowhere(name: str, but: Collection[str] = ()) -> None:
    """Stop waiting in all parts whose names begin with `name`, except those in `but`."""
    places = visit().awaited
    prefixes = tuple(f"{part} " for part in but)
    for place in [
        place for place in places if place.startswith(name) and not place.startswith(prefixes)
    ]:
        await_only(place, ())


def problem() -> str:
    """Return the sentence that says why the server's cluster is not used; "" where it is."""
    return "" if WORKERS.elsewhere is None else WORKERS.elsewhere.problem


def ahead(job: Job[Any]) -> int:
    """Return how many jobs come before one that waits for a worker."""
    return WORKERS.ahead(job)


def _join(answer: LongAnswer[T]) -> Job[T]:
    """Add this visit to the work under way, or begin it; return its job."""
    own, arguments = visit(), answer.arguments()  # before the lock: counting may take a while
    own.works = True
    return under_way.join(answer.name, own.name, lambda: _begun(answer, arguments))


def _begun(answer: LongAnswer[T], arguments: tuple[Any, ...]) -> Work:
    """Return some work, which begins, or has ended where another server has its answer."""
    owner = visit().name
    if answer.of_many:
        return Work(cast("Job[Any]", answer.call(*arguments, owner=owner)))
    place = "" if is_private(answer.data) else sharing.place_of(answer.call, lambda: arguments)
    shared = sharing.find(place)
    if shared is not None:
        job: Job[Any] = Job(answer.limit)
        job.succeed(shared)
        return Work(job)
    slowed = ProcessorTime.SLOWEST if answer.patience else 1  # what keeps its limit by itself
    job = WORKERS.submit(
        answer.call,
        *arguments,
        time_limit=slowed * answer.limit + answer.patience,
        owner=owner,
        urgent=answer.urgent,
    )
    return Work(job, place)
