"""Answers kept by key, the oldest forgotten first: for every session, or for one alone.

`st.cache_resource` hashes every argument anew at each call, which a slider's release would pay a
dozen times; keys here are texts that a scenario writes of itself.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

import streamlit as st

from core.data.spec import DataSpec
from core.studies.known import Known

Made = TypeVar("Made")

PRIVATE = ("upload:", "matrix:")
"""How sources that belong to one session begin."""

MOST_OWN = 50_000_000
"""Bytes of kernels that a session keeps of its own data."""


class Store:
    """A bounded store of answers, safe for threads; what two ask for at once is made once.

    Parameters
    ----------
    most : int
        Answers kept.

    Examples
    --------
    >>> store = Store(2)
    >>> store.get("a", lambda: 1), store.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the answer under a key, making it if there is none; an error is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("Made", self._kept[key])
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return cast("Made", self._kept[key])
            try:
                made = make()
                self.put(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def find(self, key: Hashable) -> Any:
        """Return the answer under a key; None where there is none."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, answer: Any) -> None:
        """Keep an answer under a key, whatever was kept there."""
        with self._lock:
            self._kept[key] = answer
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


SHARED = Store(2_000)
"""Answers about bundled, random and example data, for every session."""

KNOWN = Known()
"""The best mechanisms found on such data."""


def is_private(data: DataSpec) -> bool:
    """Say whether data belongs to one session."""
    return data.source.startswith(PRIVATE)


def kept_for(data: DataSpec) -> Store:
    """Return where answers about some data are kept: in its session alone if it is its own."""
    if is_private(data):
        own: Store = st.session_state.setdefault("_answers", Store(500))
        return own
    return SHARED


def known_for(data: DataSpec) -> Known:
    """Return the best mechanisms on some data, of its session alone if it is its own."""
    if is_private(data):
        own: Known = st.session_state.setdefault("_known", Known(MOST_OWN))
        return own
    return KNOWN
