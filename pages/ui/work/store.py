"""Answers kept by key, the oldest dropped first: for every session, or for one alone.

They are bounded by bytes, small ones apart from large ones: many large questions in a row drop
other large answers, but no small ones.

`st.cache_resource` hashes every argument at each call, a dozen times for each release of a slider;
keys here are texts made of a scenario's `repr`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import streamlit as st

from core.clock import watching
from core.data.databases.reference import is_reference
from core.data.spec import DataSpec
from core.errors import NoMemoryError
from core.sizes import LruCache, size_of
from core.studies.known import Known
from pages.ui.work.own_search import MOST_OWN, searches

Made = TypeVar("Made")

PRIVATE = ("upload:", "matrix:")
"""How the names of sources that belong to one session begin."""

MOST_SHARED = 300_000_000
"""Bytes of answers that all sessions share: at least a dozen about the largest joints."""

NO_MEMORY = "There is not enough memory to answer this: ask about fewer levels of S or X."

SMALL = 200_000
"""Bytes up to which an answer counts as small, as nearly all answers that a page shows do."""

SMALL_PART = 1 / 3
"""The share of a store that is for small answers alone."""


class Store:
    """A bounded store of answers, safe for threads; what two ask for at once is made once.

    Parameters
    ----------
    most : int
        Answers kept, of the small and of the large ones each.
    most_bytes : int
        Bytes kept.

    Examples
    --------
    >>> store = Store(2)
    >>> store.get("a", lambda: 1), store.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int, most_bytes: int = MOST_OWN) -> None:
        small = round(SMALL_PART * most_bytes)
        self._small = LruCache(most, small)
        self._large = LruCache(most, most_bytes - small)
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    @property
    def n_bytes(self) -> int:
        """Bytes of what is kept."""
        with self._lock:
            return self._small.n_bytes + self._large.n_bytes

    def get(
        self,
        key: Hashable,
        make: Callable[[], Made],
        is_final: Callable[[Made], bool] | None = None,
    ) -> Made:
        """Return the answer under a key, making it if there is none.

        An error is not kept, nor is an answer that is not final: where `is_final` does not say,
        one for which time cut a search short, as it would stay when the machine is no longer busy.

        Raises
        ------
        NoMemoryError
            If there is not enough memory to make it; large answers are dropped then.
        """
        with self._lock:
            if (cache := self._cache_of(key)) is not None:
                return cast("Made", cache.find(key))
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if (cache := self._cache_of(key)) is not None:
                    return cast("Made", cache.find(key))
            try:
                with watching() as watch:
                    made = make()
                if not watch.cut if is_final is None else is_final(made):
                    self.put(key, made)
            except MemoryError as error:
                self.shed()
                raise NoMemoryError(NO_MEMORY) from error
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def find(self, key: Hashable) -> Any:
        """Return the answer under a key; None where there is none."""
        with self._lock:
            cache = self._cache_of(key)
            return None if cache is None else cache.find(key)

    def put(self, key: Hashable, answer: Any) -> None:
        """Keep an answer under a key, whatever was kept there."""
        n_bytes = size_of((key, answer))
        with self._lock:
            for cache in (self._small, self._large):
                cache.drop(key)
            (self._small if n_bytes <= SMALL else self._large).put(key, answer, n_bytes)

    def shed(self) -> None:
        """Drop the large answers."""
        with self._lock:
            self._large.clear()

    def _cache_of(self, key: Hashable) -> LruCache | None:
        """Return the cache that has the answer under a key; None where there is none."""
        return next((cache for cache in (self._small, self._large) if key in cache), None)


@contextmanager
def sparing() -> Iterator[None]:
    """Turn a lack of memory into a `CoreError`, for work whose answer no store makes.

    Raises
    ------
    NoMemoryError
        If there is not enough; large answers are dropped then.
    """
    try:
        yield
    except MemoryError as error:
        SHARED.shed()
        raise NoMemoryError(NO_MEMORY) from error


SHARED = Store(20_000, MOST_SHARED)
"""Answers about bundled, random and example data, for every session."""

MOST_CHARTS = 90_000_000
"""Bytes of charts that all sessions share: some thousands."""

CHARTS = Store(20_000, MOST_CHARTS)
"""What browsers are sent of charts of such data."""

KNOWN = Known()
"""The best mechanisms found on such data."""


def is_private(data: DataSpec) -> bool:
    """Say whether data belongs to one session: its own, or what it had a data base count."""
    return data.source.startswith(PRIVATE) or is_reference(data.source)


def kept_for(data: DataSpec) -> Store:
    """Return the store of answers about some data: the session's own if the data is."""
    if is_private(data):
        own: Store = st.session_state.setdefault("_answers", Store(500))
        return own
    return SHARED


def charts_for(data: DataSpec) -> Store:
    """Return the store of charts of some data: the session's own if the data is."""
    if is_private(data):
        own: Store = st.session_state.setdefault("_charts", Store(500, MOST_OWN // 5))
        return own
    return CHARTS


def known_for(data: DataSpec) -> Known:
    """Return the best mechanisms known on some data: the browser's own if the data is."""
    if is_private(data):
        return searches().known
    return KNOWN
