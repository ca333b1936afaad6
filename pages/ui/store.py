"""Answers kept by key, the oldest forgotten first.

`st.cache_resource` hashes every argument anew at each call, which a slider's release would pay a
dozen times; keys here are texts that a scenario writes of itself.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

Made = TypeVar("Made")


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
                with self._lock:
                    self._kept[key] = made
                    while len(self._kept) > self._most:
                        self._kept.popitem(last=False)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def drop(self, key: Hashable) -> None:
        """Forget the answer under a key, if there is one: the next to ask has it made anew."""
        with self._lock:
            self._kept.pop(key, None)
