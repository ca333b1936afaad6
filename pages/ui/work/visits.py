"""One visit of the pages: its uploads, searches, answers, steps and release; and its end.

A visit is a session of Streamlit's. A reload begins another, which finds what belongs to the same
browser, told by Streamlit's cookie against forged requests: longer searches and the best
mechanisms, the release of the last page that was closed (a page that is open keeps its own: two
side by side draw by two seeds), a copy of the steps of a page at this address, and the upload that
it names. Streamlit drops closed sessions only when the next visitor comes: `PAGES` watches over
them.
"""

from __future__ import annotations

import itertools
import threading
import time
import uuid
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.data import Sources
from core.data.spec import DataSpec
from core.errors import CoreError
from core.jobs import Job
from core.scenario import Project
from core.studies.known import Known
from pages.ui.work import store, under_way
from pages.ui.work.own_release import OwnRelease
from pages.ui.work.store import MOST_OWN, Store, is_private
from pages.ui.work.under_way import Name

_VISIT = "_visit"

_turns = itertools.count()


@dataclass(eq=False)
class Steps:
    """The projects before and those undone, nearest last; None: nothing pinned."""

    past: list[Project | None] = field(default_factory=list)
    future: list[Project | None] = field(default_factory=list)
    now: Project | None = None
    turn: int = 0


@dataclass(eq=False)
class Search:
    """What one visit wishes of a search, and how far it is there.

    `seconds`: its time limit where it was prolonged, else 0. `job`: at work, or ended and not taken
    yet. `error`: why it failed, or that it was stopped. `.done`: ended, and its answer was taken.
    """

    seconds: float = 0.0
    job: Job[Any] | None = None
    error: CoreError | None = None
    done: bool = False


Question = tuple[DataSpec, *tuple[str, ...]]
"""The data and the key of a search."""


class _Ended(defaultdict[Question, Search]):
    """Searches that nobody wishes longer, and that have ended where those of a visit have."""

    def __init__(self, shown: Mapping[Question, Search]) -> None:
        super().__init__(Search)
        self._shown = shown

    def __missing__(self, question: Question) -> Search:
        there = self._shown.get(question)
        self[question] = search = Search(done=there is not None and there.done)
        return search


@dataclass(eq=False)
class Visit:
    """What one visit has.

    `name`: "" until it has begun. `page`: its page's connection, "" where there is none. `known`:
    the best mechanisms on data of the browser, the same for all of its visits. `awaited`: the work
    that it waits for, by place of its pages. `works`: it has waited since last open.
    """

    name: str = ""
    page: str = ""
    sources: Sources | None = None
    searches: defaultdict[Question, Search] = field(default_factory=lambda: defaultdict(Search))
    known: Known = field(default_factory=lambda: Known(MOST_OWN))
    store: Store = field(default_factory=lambda: Store(1_000, 2 * MOST_OWN))
    awaited: dict[str, dict[Name, Search]] = field(default_factory=dict)
    steps: Steps | None = None
    release: OwnRelease | None = None
    works: bool = False

    def begin(self) -> None:
        """Adopt what belongs to the browser; once, at the start."""
        self.name, self.page = uuid.uuid4().hex, _page()
        with _lock:
            for other in _others(self):
                self.prolong_as(other)
                self.known = other.known
            closed = [other for other in _others(self) if other.release and not is_open(other.page)]
            if closed:
                last = max(closed, key=lambda other: other.release.turn if other.release else 0)
                self.release, last.release = last.release, None
            if browser := current():
                for key in [key for key, those in _visits.items() if not those]:
                    del _visits[key]
                _visits.setdefault(browser, weakref.WeakSet()).add(self)

    def prolong_as(self, other: Visit) -> None:
        """Adopt the time limits of another visit that are longer."""
        for question, search in list(other.searches.items()):
            if search.seconds:  # reading a question's own record makes one
                own = self.searches[question]
                own.seconds = max(own.seconds, search.seconds)

    def forget_answers(self) -> None:
        """Forget the answers about a visit's data, which has changed under the same name."""
        fresh = Visit()
        self.store = fresh.store
        for other in (self, *_others(self)):
            other.known = fresh.known
        for (data, *_), search in self.searches.items():
            search.done &= not is_private(data)

    @property
    def lends(self) -> bool:
        """Whether another visit uses its uploads."""
        return self.sources is not None and self.sources.lends

    def end(self) -> None:
        """Remove its files and forget its secrets; what is only in memory goes with Streamlit's."""
        if self.sources is not None:
            self.sources.clear()
        if self.release is not None:
            self.release.clear()


_visits: dict[str, weakref.WeakSet[Visit]] = {}
"""The visits of each browser, held weakly: what Streamlit holds no more is gone."""

_lock = threading.RLock()

_STAND_IN: ContextVar[Visit | None] = ContextVar("stand_in", default=None)

Owner = weakref.ref[Visit]
"""Whom data and its answers belong to, as long as Streamlit holds that visit."""


def owner(data: DataSpec) -> Owner | None:
    """Return the running visit where some data is its own; None where all share it."""
    return weakref.ref(visit()) if is_private(data) else None


@contextmanager
def ahead_for(owner: Owner | None, page: Owner | None = None) -> Iterator[bool]:
    """Ignore every visit's wishes while the block runs: it works ahead, in any thread.

    With an owner its data and its answers are those at hand; says whether they still are. `page`:
    the visit that is shown the answers, whose searches have ended where they have.
    """
    own = None if owner is None else owner()
    stand_in = Visit()
    if own is not None:
        stand_in = Visit(own.name, "", own.sources, known=own.known, store=own.store)
    if page is not None and (shown := page()) is not None:
        stand_in.searches = _Ended(shown.searches)  # a copy takes 18 ms after 2,000 questions
    token = _STAND_IN.set(stand_in)
    try:
        yield owner is None or own is not None
    finally:
        _STAND_IN.reset(token)


def visit() -> Visit:
    """Return what the running visit has."""
    own: Visit | None = _STAND_IN.get()
    if own is not None:
        return own
    own = st.session_state.get(_VISIT)
    if own is None:
        own = st.session_state[_VISIT] = Visit()
    if not own.name:
        own.begin()
    PAGES.note(own)
    return own


def sources() -> Sources:
    """Return this visit's uploads and pasted matrices."""
    own = visit()
    if own.sources is None:
        own.sources = Sources()
    return own.sources


def kept_for(data: DataSpec) -> Store:
    """Return the store of answers about some data: the visit's own if the data is."""
    return visit().store if is_private(data) else store.SHARED


def known_for(data: DataSpec) -> Known:
    """Return the best mechanisms known on some data: the browser's own if the data is."""
    return visit().known if is_private(data) else store.KNOWN


def release() -> OwnRelease:
    """Return this visit's release, a new one where it has none."""
    own = visit()
    if own.release is None:
        own.release = OwnRelease()
    own.release.turn = next(_turns)
    return own.release


def steps(now: Project | None) -> Steps:
    """Return this visit's steps; a new one's are those of the page that was reloaded."""
    own = visit()
    if own.steps is None:
        own.steps = _taken_steps(own, now)
    own.steps.now, own.steps.turn = now, next(_turns)
    return own.steps


def _taken_steps(own: Visit, now: Project | None) -> Steps:
    """Copy the steps of this browser's last page with this project, preferably a closed one."""
    candidates = [
        (not is_open(other.page), other.steps.turn, other.steps)
        for other in _others(own)
        if other.steps is not None
        and other.steps.now == now
        and (now is not None or not is_open(other.page))
    ]
    if not candidates:
        return Steps()
    _, _, last = max(candidates, key=lambda candidate: candidate[:2])
    recover(
        scenario.data.source
        for project in (*last.past, *last.future)
        if project is not None
        for scenario in project.scenarios
    )
    return Steps(list(last.past), list(last.future))


def recover(names: Iterable[str]) -> None:
    """Adopt the sources that the address names and another visit of this browser holds."""
    own = sources()
    others = [other.sources for other in _others(visit()) if other.sources is not None]
    for name in set(names):
        for other in others:
            if _taken(own, other, name):
                break


def _taken(own: Sources, other: Sources, name: str) -> bool:
    """Adopt one source that the other visit has and this one does not."""
    if name in other.uploads and name not in own.uploads:
        own.borrow(other, name)
        return True
    if name in other.matrices and name not in own.matrices:
        own.matrices[name] = other.matrices[name]
        return True
    return own.borrow_counts(other, name)


def _others(own: Visit) -> list[Visit]:
    """Return the other visits of the running one's browser; none where there is no browser."""
    with _lock:
        return [other for other in _visits.get(current(), ()) if other is not own]


def _page() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def is_open(page: str) -> bool:
    """Return whether a page is still connected."""
    return runtime.exists() and runtime.get_instance().is_active_session(page)


LEAVES = 10.0
"""Seconds after which the work of a visit ends whose page is closed: a lost connection comes back
before."""

ABSENCE = 40.0
"""Seconds after which its uploads and its release go."""


class Pages:
    """Watches over the pages of visits, and ends what they have some time after they close."""

    def __init__(self) -> None:
        self._noted: dict[str, tuple[str, weakref.ref[Visit]]] = {}
        self._closed: dict[str, float] = {}
        self._watched = False
        self._lock = threading.Lock()

    @property
    def n_at_work(self) -> int:
        """Number of pages whose visits have waited for work."""
        visits = [held() for _, held in list(self._noted.values())]
        return sum(own is not None and own.works for own in visits)

    def note(self, own: Visit) -> None:
        """Watch the page of a visit."""
        if not own.page or not runtime.exists():
            return  # without a server there are no pages that could be closed
        with self._lock:
            self._noted[own.page] = own.name, weakref.ref(own)
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True, name="liftscope-pages").start()

    def _watch(self) -> None:
        while True:
            time.sleep(2.0)
            try:
                server = runtime.get_instance()
            except RuntimeError:  # the server has stopped
                with self._lock:
                    self._watched = False
                return
            self.look(server.is_active_session, time.monotonic())

    def look(self, is_active: Callable[[str], bool], now: float) -> None:
        """End what long-closed pages hold, the newest first: with it goes what it was lent."""
        with self._lock:
            noted = list(self._noted.items())
        for page, (name, held) in reversed(noted):
            if is_active(page):
                self._closed.pop(page, None)
                continue
            closed_for, own = now - self._closed.setdefault(page, now), held()
            if closed_for >= LEAVES:
                under_way.leave_all(name)
                if own is not None:
                    own.works = False
            if closed_for >= ABSENCE and (own is None or not own.lends):
                with self._lock:
                    self._noted.pop(page, None)
                    self._closed.pop(page, None)
                if own is not None:
                    own.end()


PAGES = Pages()
"""The pages of all visits of this server."""

COOKIE = "_streamlit_xsrf"
"""The name of the cookie that distinguishes browsers."""

PROTOCOLS = "Sec-WebSocket-Protocol"
"""The header in which a page that connects again names its last session, in the third place."""


def had_session() -> bool:
    """Return whether the running visit's page comes back, with a session before on any server."""
    named = st.context.headers.get(PROTOCOLS, "")
    parts = named.split(",") if isinstance(named, str) else []  # a test harness gives no text
    return len(parts) > 2 and bool(parts[2].strip())


def current() -> str:
    """Return the secret in this browser's cookie (version, mask, secret, time), unmasked; or ""."""
    cookie = st.context.cookies.get(COOKIE, "")
    return unmasked(cookie) if isinstance(cookie, str) else ""  # a test harness gives no text


def unmasked(cookie: str) -> str:
    """Return the secret in a cookie against forged requests; "" where it holds none."""
    parts = cookie.strip('"').split("|")
    try:
        mask, secret = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except (IndexError, ValueError):
        return ""
    if not mask:
        return ""
    return bytes(byte ^ mask[place % len(mask)] for place, byte in enumerate(secret)).hex()
