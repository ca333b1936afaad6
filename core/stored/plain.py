"""Answers as bytes, and back, without running any code that the bytes name.

Pickle runs what it reads. Here numbers, texts, arrays, containers and the dataclasses of `core`
become JSON with the arrays behind it, and nothing else can be written or read. A dataclass is made
again by its own constructor, which checks its fields, and then has them to the last bit.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import math
import re
from enum import Enum
from typing import Any

import numpy as np

from core.errors import CoreError, InvalidInputError

MAGIC = b"liftscope answer 1\n"
"""How the bytes of an answer begin."""

_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8

_PLACE = re.compile(r"core(\.[a-z][a-z0-9_]*)+")
"""Modules whose dataclasses may be made."""

_NUMBERS = "?bBhHiIlLqQefd"
"""Characters of numpy's types that may be read; texts are beside them."""

_AS_IS = (type(None), bool, int, float, str)


def to_bytes(value: Any) -> bytes:
    """Return a value as bytes; equal values of one making give equal bytes.

    Parameters
    ----------
    value : object
        Numbers, texts, arrays of those, lists, tuples, sets, dictionaries, and dataclasses and
        enumerations of `core`, nested.

    Raises
    ------
    InvalidInputError
        If there is anything else in it.

    Examples
    --------
    >>> from_bytes(to_bytes({"levels": (1, 2.5, np.arange(2))}))
    {'levels': (1, 2.5, array([0, 1]))}
    """
    writer = _Writer()
    try:
        told = json.dumps(writer.told(value), separators=(",", ":")).encode("ascii")
    except RecursionError as error:
        raise InvalidInputError("The answer is nested too deeply to be written.") from error
    except ValueError as error:
        raise InvalidInputError(f"The answer cannot be written: {error}.") from error
    parts = [len(told).to_bytes(_LENGTH, "little"), told, *writer.parts]
    check = hashlib.sha256()
    for part in parts:
        check.update(part)
    return b"".join([MAGIC, check.digest(), *parts])


def from_bytes(content: bytes) -> Any:
    """Return the value that `to_bytes` wrote.

    Raises
    ------
    InvalidInputError
        If the bytes are not those of a value, or damaged.
    """
    start = len(MAGIC) + _DIGEST
    body = memoryview(content)[start:]
    if content[: len(MAGIC)] != MAGIC or len(body) < _LENGTH:
        raise InvalidInputError("The bytes are no answer.")
    if hashlib.sha256(body).digest() != content[len(MAGIC) : start]:
        raise InvalidInputError("The bytes of an answer are damaged.")
    end = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    try:
        return _Reader(body[end:]).value(json.loads(bytes(body[_LENGTH:end])))
    except (
        *(ValueError, TypeError, LookupError, AttributeError, RecursionError),
        *(MemoryError, ArithmeticError, CoreError),
    ) as error:
        raise InvalidInputError(f"The bytes are no answer of this version: {error}.") from error


class _Writer:
    """What stands behind the JSON, and the objects that were told already, by their identity."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._offset = 0
        self._seen: dict[int, tuple[int, Any]] = {}

    def told(self, value: Any) -> Any:
        """Return a value as JSON: all that JSON lacks as a list that begins with its kind."""
        kind = type(value)
        if kind in _AS_IS:
            return value
        if kind in (tuple, list):
            return ["t" if kind is tuple else "l", [self.told(one) for one in value]]
        if kind is dict:
            return ["d", [[self.told(key), self.told(one)] for key, one in value.items()]]
        if kind in (set, frozenset):
            if any(type(one) not in _AS_IS for one in value):
                raise InvalidInputError("A set of more than numbers and texts cannot be written.")
            return ["s" if kind is set else "f", sorted(value, key=json.dumps)]
        if isinstance(value, Enum):
            return ["e", _place(kind), value.name]
        if isinstance(value, np.generic):
            return ["n", self._array(np.asarray(value))]
        if id(value) in self._seen:
            return ["r", self._seen[id(value)][0]]
        if kind is np.ndarray:
            found = ["a", self._array(value), value.flags.writeable]
        elif dataclasses.is_dataclass(value):
            fields = [one.name for one in dataclasses.fields(value) if one.init]
            found = ["o", _place(kind), {name: self.told(getattr(value, name)) for name in fields}]
        else:
            raise InvalidInputError(f"A {kind.__name__} cannot be written as an answer.")
        self._seen[id(value)] = (len(self._seen), value)  # the value too: its id stays its own
        return found

    def _array(self, array: np.ndarray[Any, Any]) -> list[Any]:
        if array.dtype.kind != "U" and array.dtype.char not in _NUMBERS:
            raise InvalidInputError(f"An array of {array.dtype} cannot be written as an answer.")
        by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
        content = array.tobytes(order="F" if by_columns else "C")
        offset, self._offset = self._offset, self._offset + len(content)
        self.parts.append(content)
        return [array.dtype.str, list(array.shape), "F" if by_columns else "C", offset]


class _Reader:
    """The values of a text in JSON with the arrays behind it."""

    def __init__(self, arrays: memoryview) -> None:
        self._arrays = arrays
        self._made: list[Any] = []

    def value(self, told: Any) -> Any:
        """Return the value that was told."""
        if not isinstance(told, list):
            return told
        kind, *rest = told
        if kind in ("a", "o"):
            made = self._object(rest) if kind == "o" else self._array(rest[0], writeable=rest[1])
            self._made.append(made)
            return made
        if kind == "d":
            return {self.value(key): self.value(one) for key, one in rest[0]}
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](self.value(one) for one in rest[0])
        if kind == "r":
            return self._made[rest[0]]
        if kind == "n":
            return self._array(rest[0], writeable=False)[()]
        if kind == "e":
            return _class(rest[0], Enum)[rest[1]]
        raise ValueError(f"there is no kind {kind!r}")

    def _object(self, rest: list[Any]) -> Any:
        kind = _class(rest[0], None)
        fields = {name: self.value(one) for name, one in rest[1].items()}
        made = kind(**fields)
        for name, value in fields.items():  # a constructor may round what it normalises again
            object.__setattr__(made, name, value)
        return made

    def _array(self, told: list[Any], *, writeable: bool) -> np.ndarray[Any, Any]:
        name, shape, order, offset = told
        dtype = np.dtype(str(name))
        if dtype.kind != "U" and dtype.char not in _NUMBERS:
            raise ValueError(f"there is no array of {dtype}")
        n_bytes = math.prod(shape) * dtype.itemsize
        if n_bytes > len(self._arrays) - offset or min(offset, *shape, 0) < 0:
            raise ValueError("an array is not there")
        array = np.empty(tuple(shape), dtype, order="F" if order == "F" else "C")
        part = np.frombuffer(self._arrays[offset : offset + n_bytes], dtype)
        array[...] = part.reshape(array.shape, order="F" if order == "F" else "C")
        array.flags.writeable = writeable
        return array


_CONTAINERS: dict[str, Any] = {"t": tuple, "l": list, "s": set, "f": frozenset}


def _place(kind: type) -> str:
    """Return where a class of `core` is."""
    if not _PLACE.fullmatch(kind.__module__) or not kind.__qualname__.isidentifier():
        raise InvalidInputError(f"A {kind.__name__} cannot be written as an answer.")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(place: str, kind: type | None) -> Any:
    """Return the class at a place: of a kind, or a dataclass where none is given."""
    module, _, name = place.partition(":")
    if not _PLACE.fullmatch(module):
        raise ValueError(f"there is no class {place!r}")
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ValueError(f"there is no module {module!r}") from error
    is_class = isinstance(found, type) and found.__module__ == module
    if not is_class or not (
        dataclasses.is_dataclass(found) if kind is None else issubclass(found, kind)
    ):
        raise ValueError(f"{place!r} is no class of values")
    return found
