"""Answers that take long: worked out by other processes, asked for until they are ready.

Work on data that all sessions see is shared: fifty sessions that ask the same wait for one job,
which ends when none of them waits any more. What failed, was stopped, or was cut short by a time
limit is kept for the session that saw it alone: the next one to ask has it begun again. A session
that has ended waits for nothing.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job, Pool, State
from core.remote import RemoteJobs
from pages.ui.serving import sharing
from pages.ui.work.closed_pages import ClosedPages
from pages.ui.work.own_search import MOST_OWN, searches
from pages.ui.work.store import Store, is_private, kept_for

T = TypeVar("T")

URGENT = 2
"""Workers reserved for urgent work, so that the answers of two sessions can be found at once."""

GENERAL = max(2, min(4, (os.cpu_count() or 2) - 1))
"""Workers for all work, frontiers and studies included."""

WORKERS = Pool(URGENT + GENERAL, reserved=URGENT, elsewhere=RemoteJobs.named())
"""All processes beside the server's own, or on its cluster: sessions take turns on them."""

ABSENCE = 10.0
"""Seconds after which a session whose page is closed is taken to have ended: a lost connection
comes back before."""

_WITHIN: ContextVar[str] = ContextVar("part_of_the_page", default="")

INTERVAL = 2.0
"""Seconds between two looks at which sessions have ended."""

LONGER = 2
"""Factor of the time limit each time a search that was cut short goes on."""

LONGEST = 16
"""Largest multiple of its first limit that a search may take."""

MOST_CUT = 50
"""Most answers that were cut short that a session keeps."""


class StoppedError(CoreError):
    """Work that this session stopped."""


def _always(_: object) -> bool:
    """Say of any answer that it is final."""
    return True


@dataclass(frozen=True, eq=False)
class LongAnswer(Generic[T]):
    """An answer that takes long: its key, and how it is worked out.

    Attributes
    ----------
    data : DataSpec
        What it is about; work on a session's own data stays in the session.
    key : tuple of str
        What is asked about the data.
    call : callable
        Works it out, in another process; importable, takes `report` by keyword.
    arguments : callable
        Returns what `call` is given; asked for when the work begins.
    seconds : float
        Time limit of its process, which is multiplied by `longer`.
    urgent : bool
        Whether the page waits for it, not only a part of the page.
    keep : bool
        Whether the answer is kept. Else it is returned once, and the caller keeps what it needs.
    is_final : callable
        Says whether an answer is final, and so kept for all sessions, of other servers too. One
        that a time limit cut short is kept for the session that waited for it, which may search
        longer.
    of_many : bool
        Whether it is the work of many processes: then `call` begins it, here, takes the session as
        `owner` by keyword, and returns its job.
    """

    data: DataSpec
    key: tuple[str, ...]
    call: Callable[..., T]
    arguments: Callable[[], tuple[Any, ...]]
    seconds: float
    urgent: bool = False
    keep: bool = True
    is_final: Callable[[T], bool] = _always
    of_many: bool = False

    @property
    def _kept_as(self) -> tuple[str, ...]:
        """The key of the answer; of private data, in its session only."""
        return (*self.key, repr(self.data), session() if is_private(self.data) else "")

    @property
    def name(self) -> tuple[str, ...]:
        """The key under which the work is known."""
        more = () if self.longer == 1 else (f"{self.longer} times as long",)
        return (*self._kept_as, *more)

    @property
    def longer(self) -> int:
        """How many times as long as at first the search may take in this session."""
        return _longer().get(self._kept_as, 1)

    def ask(self) -> T | Job[T]:
        """Return the answer, or the job that is at work on it, begun if there is none.

        Raises
        ------
        StoppedError
            If this session stopped it, until it is resumed.
        CoreError
            If there is no answer, or it took too long, until it is resumed.
        """
        held = _held()
        found = held.get(self.name)
        if isinstance(found, CoreError):
            raise found
        if self.keep and (kept := self._kept()) is not None:
            return kept
        if found is None or found.state == State.CANCELLED:  # cancelled in the session's absence
            found = held[self.name] = _join(self)
        if not found.finished:
            return found
        try:
            answer: T = found.result()
        except CoreError as error:
            held[self.name] = error
            raise
        finally:
            place = _place(self.name)
            _leave(self.name, session())
        del held[self.name]
        if place and self.is_final(answer):
            sharing.keep(place, answer)
        if self.keep:
            self._keep(answer)
        return answer

    def here(self) -> T:
        """Return the answer, worked out in place; call it only for quick work.

        A search that is to go on for longer is not quick: use `ask`.
        """

        def make() -> T:
            return self.call(*self.arguments(), report=lambda _: None)

        kept = self._kept()
        if kept is not None:
            return kept
        answer = kept_for(self.data).get(self._kept_as, make, self.is_final)
        self._keep(answer)
        return answer

    def offer(self, answer: T) -> None:
        """Keep an answer that was worked out ahead, if it is final; of shared data only."""
        if self.is_final(answer):
            kept_for(self.data).put(self._kept_as, answer)

    def of_others(self) -> T | None:
        """Return the answer that another server has worked out; None where none is shared."""
        if is_private(self.data):
            return None
        found: T | None = sharing.find(sharing.place_of(self.call, self.arguments))
        return found

    def last(self) -> T | None:
        """Return the last answer that this session has, even if it was cut short."""
        found: T | None = kept_for(self.data).find(self._kept_as)
        if found is not None:
            return found
        cut: tuple[int, T] | None = _cut_short().find(self._kept_as)
        return None if cut is None else cut[1]

    @property
    def may_search_on(self) -> bool:
        """Whether a search that was cut short may go on for longer."""
        return self.longer < LONGEST

    def search_on(self) -> None:
        """Let a search that was cut short go on, with a longer limit."""
        _longer()[self._kept_as] = LONGER * self.longer
        self.resume()

    def _kept(self) -> T | None:
        """Return the answer kept for all sessions, else this one's, if not of a shorter search."""
        found: T | None = kept_for(self.data).find(self._kept_as)
        if found is not None:
            return found
        cut: tuple[int, T] | None = _cut_short().find(self._kept_as)
        return cut[1] if cut is not None and cut[0] >= self.longer else None

    def _keep(self, answer: T) -> None:
        """Keep an answer for all if it is final, else for this session."""
        if self.is_final(answer):
            kept_for(self.data).put(self._kept_as, answer)
        else:
            _cut_short().put(self._kept_as, (self.longer, answer))

    @property
    def is_begun(self) -> bool:
        """Whether there is an answer, or any session waits for it."""
        held = _held().get(self.name)
        if isinstance(held, CoreError):
            return False
        return held is not None or self.name in _under_way or self._kept() is not None

    def stop(self) -> None:
        """Stop this session's waiting until it resumes; the work ends if no other session waits."""
        _held()[self.name] = StoppedError("The work was cancelled.")
        _leave(self.name, session())

    def fail(self, error: CoreError) -> None:
        """Mark the work as failed for this session until it resumes: its answer was of no use."""
        _held()[self.name] = error

    def resume(self) -> None:
        """Let work that was stopped, or that failed, start again."""
        if isinstance(_held().get(self.name), CoreError):
            del _held()[self.name]

    def again(self, key: str) -> None:
        """Show the button that starts the work again."""
        st.button("Start again", icon=":material/replay:", key=key, on_click=self.resume)


@dataclass
class _Work:
    """A job under way, the sessions that wait for it, and where its answer is to be shared."""

    job: Job[Any]
    place: str = ""
    sessions: set[str] = field(default_factory=set)


_under_way: dict[tuple[str, ...], _Work] = {}
_lock = threading.Lock()


def await_only(place: str, answers: Collection[LongAnswer[Any]]) -> None:
    """Set what this session waits for in a place, in place of what it waited for there before.

    Work that nobody waits for ends, so that what is wanted now does not queue behind it.
    """
    place = _WITHIN.get() + place
    places: dict[str, set[tuple[str, ...]]] = st.session_state.setdefault("_awaited", {})
    wanted = {answer.name for answer in answers}
    before = places.get(place, set())
    places[place] = wanted
    elsewhere = set().union(*places.values())
    for name in before - elsewhere:
        if isinstance(_held().get(name), Job):
            del _held()[name]
            _leave(name, session())


@contextmanager
def within(name: str) -> Iterator[None]:
    """Make the places of `await_only` those of one part of the page while the block runs.

    A page with several answers has a part for each.

    Parameters
    ----------
    name : str
        Of the part.
    """
    token = _WITHIN.set(f"{name} ")
    try:
        yield
    finally:
        _WITHIN.reset(token)


def await_nowhere(name: str, but: Collection[str] = ()) -> None:
    """Stop waiting in all parts whose names begin with `name`, except those in `but`."""
    places: dict[str, set[tuple[str, ...]]] = st.session_state.get("_awaited", {})
    kept = tuple(f"{part} " for part in but)
    for place in [one for one in places if one.startswith(name) and not one.startswith(kept)]:
        await_only(place, ())


def problem() -> str:
    """Return the sentence that says why the server's cluster is not used; "" where it is."""
    return "" if WORKERS.elsewhere is None else WORKERS.elsewhere.problem


def ahead(job: Job[Any]) -> int:
    """Return how many jobs come before one that waits for a worker."""
    return WORKERS.ahead(job)


def _join(answer: LongAnswer[T]) -> Job[T]:
    """Add this session to the work under way, or begin it; return its job."""
    CLOSED.note(session())
    arguments = answer.arguments()  # before the lock: counting records may take a while
    with _lock:
        work = _under_way.get(answer.name)
        if work is None or work.job.state in (State.FAILED, State.CANCELLED):
            work = _under_way[answer.name] = _begun(answer, arguments)
        work.sessions.add(session())
        return work.job


def _begun(answer: LongAnswer[T], arguments: tuple[Any, ...]) -> _Work:
    """Return some work, which begins, or has ended where another server has its answer."""
    if answer.of_many:
        return _Work(cast("Job[Any]", answer.call(*arguments, owner=session())))
    place = "" if is_private(answer.data) else sharing.place_of(answer.call, lambda: arguments)
    found = sharing.find(place)
    if found is not None:
        job: Job[Any] = Job(answer.seconds)
        job.succeed(found)
        return _Work(job)
    job = WORKERS.submit(
        answer.call,
        *arguments,
        time_limit=answer.seconds * answer.longer,
        owner=session(),
        urgent=answer.urgent,
    )
    return _Work(job, place)


def _place(name: tuple[str, ...]) -> str:
    """Return where the answer of some work is to be shared, once; "" where it is not."""
    with _lock:
        work = _under_way.get(name)
        place = "" if work is None else work.place
        if work is not None:
            work.place = ""
        return place


def _leave(name: tuple[str, ...], session: str) -> None:
    """Remove a session from some work; when the last one leaves, the work ends."""
    with _lock:
        work = _under_way.get(name)
        if work is None or session not in work.sessions:
            return
        work.sessions.discard(session)
        if not work.sessions or work.job.finished:
            del _under_way[name]
            work.job.cancel()


def leave_all(session: str) -> None:
    """Remove a session that has ended from all work."""
    for name in [name for name, work in list(_under_way.items()) if session in work.sessions]:
        _leave(name, session)


CLOSED = ClosedPages(leave_all, absence=ABSENCE, interval=INTERVAL)
"""Ends the work that only sessions wait for whose page has been closed for a while."""


def _held() -> dict[tuple[str, ...], Job[Any] | CoreError]:
    """Return the jobs that this session waits for, and the errors of those that failed."""
    found: dict[tuple[str, ...], Job[Any] | CoreError] = st.session_state.setdefault("_work", {})
    return found


def session() -> str:
    """Return the name of the running session among those that wait for work."""
    return str(st.session_state.setdefault("_session", uuid.uuid4().hex))


def _longer() -> dict[tuple[str, ...], int]:
    """Return the multiples of their first limits that this session's searches may take."""
    return searches().longer


def _cut_short() -> Store:
    """Return this session's answers that a time limit cut short, each with its `longer`."""
    found: Store = st.session_state.setdefault("_cut_short", Store(MOST_CUT, MOST_OWN))
    return found
