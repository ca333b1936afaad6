"""Answers kept by key, the oldest dropped first: for every session, or for one alone.

Bytes bound small and large ones apart. `st.cache_resource` would hash all arguments at each call;
keys here are texts of a scenario's `repr`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from core.clock import watching
from core.data.databases.reference import is_reference
from core.data.spec import DataSpec
from core.errors import NoMemoryError
from core.sizes import LruCache, size_of
from core.studies.known import Known

Made = TypeVar("Made")

PRIVATE = ("upload:", "matrix:")
"""Prefixes of the names of sources that belong to one session."""

MOST_OWN = 50_000_000
"""Bytes of mechanisms that a visit keeps of its own data, and half of those of its answers."""


NO_MEMORY = "Not enough memory for this question. Use fewer levels of S or X."

SMALL = 200_000
"""Bytes up to which an answer counts as small, as nearly all answers that a page shows do."""


class Store:
    """A bounded store of answers, safe for threads; what two ask for at once is made once."""

    def __init__(self, most: int, most_bytes: int = MOST_OWN) -> None:
        small = round(most_bytes / 3)  # for small answers alone
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
        """Return the answer under a key, making it if there is none; errors are not kept.

        An answer that is not final is not kept: one that time cut short, where `is_final` is not
        given.
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
                    answer = make()
                if not watch.cut if is_final is None else is_final(answer):
                    self.put(key, answer)
            except MemoryError as error:
                self.shed()
                raise NoMemoryError(NO_MEMORY) from error
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return answer

    def find(self, key: Hashable) -> Any:
        """Return the answer under a key; None where there is none."""
        with self._lock:
            cache = self._cache_of(key)
            return None if cache is None else cache.find(key)

    def put(self, key: Hashable, answer: Any) -> None:
        """Store an answer under a key, replacing any other."""
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
    """Turn a lack of memory into a `CoreError`, for work whose answer no store makes."""
    try:
        yield
    except MemoryError as error:
        SHARED.shed()
        raise NoMemoryError(NO_MEMORY) from error


# has room for a dozen answers about the largest joints
SHARED = Store(20_000, 390_000_000)
"""Answers about bundled, random and example data and their charts, for every visit."""

KNOWN = Known()
"""The best mechanisms found on such data."""


def is_private(data: DataSpec) -> bool:
    """Return whether data belongs to one session: its own, or what it had a database count."""
    return data.source.startswith(PRIVATE) or is_reference(data.source)
