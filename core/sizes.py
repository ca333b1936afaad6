"""How many bytes a value takes, with all that it refers to, and a cache bounded in bytes."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_ELSEWHERE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
"""Types that values refer to and do not own."""

_PLAIN = (str, bytes, int, float, complex, bool, type(None))
"""Types that refer to nothing."""


def size_of(value: Any) -> int:
    """Return the bytes of a value, each object counted once, a view as the array that it keeps."""
    total, seen = 0, set[int]()
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, _ELSEWHERE):
            continue
        seen.add(id(item))
        total += sys.getsizeof(item)
        if not isinstance(item, _PLAIN):
            waiting.extend(_parts(item))
    return total


class LruCache:
    """A cache bounded in values and bytes, not safe for threads; the last value put stays."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.n_bytes = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def find(self, key: Hashable) -> Any:
        """Return the value under a key and mark it as just used; None where there is none."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: Hashable, value: Any, n_bytes: int) -> None:
        """Keep a value of `n_bytes` bytes under a key, in place of what was there."""
        self.drop(key)
        self._kept[key] = value, n_bytes
        self.n_bytes += n_bytes
        while len(self._kept) > 1 and (
            len(self._kept) > self._most or self.n_bytes > self._most_bytes
        ):
            self.drop(next(iter(self._kept)))

    def drop(self, key: Hashable) -> None:
        _, n_bytes = self._kept.pop(key, (None, 0))
        self.n_bytes -= n_bytes

    def clear(self) -> None:
        self._kept.clear()
        self.n_bytes = 0


def _parts(value: Any) -> Iterable[Any]:
    """Return the objects that a value refers to and owns."""
    if isinstance(value, np.ndarray):
        # sys.getsizeof counts an array's numbers, but those of a view only at its base
        own = [] if value.base is None else [value.base]
        return [*own, *value.flat] if value.dtype == object else own
    parts: list[Any] = []
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = list(value)
    parts += getattr(value, "__dict__", {}).values()
    return parts + [getattr(value, name) for name in _slots(type(value)) if hasattr(value, name)]


def _slots(kind: type) -> tuple[str, ...]:
    """Return the names of a class's slots, with those of its parents."""
    names: list[str] = []
    for base in kind.__mro__:
        named = vars(base).get("__slots__", ())
        names += [named] if isinstance(named, str) else named
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
