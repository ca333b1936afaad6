"""Answers on disk, for several servers: as bytes that run no code, in a folder bounded in bytes.

Numbers, texts, arrays, containers and the dataclasses of `core` become JSON with the arrays behind
it; nothing else can be written or read. An answer is written beside its place and then moved there,
so a reader sees all of it or nothing. A fault of the folder raises nothing once it is open.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import json
import math
import os
import re
import secrets
import stat
import time
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from core import validation
from core.errors import CoreError, InvalidInputError
from core.validation import shown

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
    """Return a value as bytes; equal values of one making give equal bytes."""
    writer = _Writer()
    try:
        header = json.dumps(writer.encoded(value), separators=(",", ":")).encode("ascii")
    except RecursionError as error:
        raise InvalidInputError("The answer is nested too deeply to be written.") from error
    except ValueError as error:
        raise InvalidInputError(f"The answer cannot be written: {error}.") from error
    parts = [len(header).to_bytes(_LENGTH, "little"), header, *writer.parts]
    check = hashlib.sha256()
    for part in parts:
        check.update(part)
    return b"".join([MAGIC, check.digest(), *parts])


def from_bytes(content: bytes) -> Any:
    """Return the value that `to_bytes` wrote."""
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
    """The arrays behind the JSON, and the objects already written, by their identity."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._offset = 0
        self._seen: dict[int, tuple[int, Any]] = {}

    def encoded(self, value: Any) -> Any:
        """Return a value as JSON: all that JSON lacks as a list that begins with its kind."""
        kind = type(value)
        if kind in _AS_IS:
            return value
        if kind in (tuple, list):
            return ["t" if kind is tuple else "l", [self.encoded(item) for item in value]]
        if kind is dict:
            return ["d", [[self.encoded(key), self.encoded(item)] for key, item in value.items()]]
        if kind in (set, frozenset):
            if any(type(item) not in _AS_IS for item in value):
                raise InvalidInputError("A set of more than numbers and texts cannot be written.")
            return ["s" if kind is set else "f", sorted(value, key=json.dumps)]
        if isinstance(value, Enum):
            return ["e", _place(kind), value.name]
        if isinstance(value, np.generic):
            return ["n", self._array(np.asarray(value))]
        if id(value) in self._seen:
            return ["r", self._seen[id(value)][0]]
        if kind is np.ndarray:
            result = ["a", self._array(value), value.flags.writeable]
        elif dataclasses.is_dataclass(value):
            fields = [field.name for field in dataclasses.fields(value) if field.init]
            kept = getattr(value, "__dict__", {})  # a large kernel's entries, and not all its cells
            result = [
                "o",
                _place(kind),
                {
                    name: self.encoded(kept[name] if name in kept else getattr(value, name))
                    for name in fields
                },
            ]
        else:
            raise InvalidInputError(f"A {kind.__name__} cannot be written as an answer.")
        self._seen[id(value)] = (len(self._seen), value)  # the value too: its id stays its own
        return result

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
        self._values: list[Any] = []

    def value(self, data: Any) -> Any:
        if not isinstance(data, list):
            return data
        kind, *rest = data
        if kind in ("a", "o"):
            result = self._object(rest) if kind == "o" else self._array(rest[0], writeable=rest[1])
            self._values.append(result)
            return result
        if kind == "d":
            return {self.value(key): self.value(item) for key, item in rest[0]}
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](self.value(item) for item in rest[0])
        if kind == "r":
            return self._values[rest[0]]
        if kind == "n":
            return self._array(rest[0], writeable=False)[()]
        if kind == "e":
            return _class(rest[0], Enum)[rest[1]]
        raise ValueError(f"there is no kind {kind!r}")

    def _object(self, rest: list[Any]) -> Any:
        kind = _class(rest[0], None)
        fields = {name: self.value(item) for name, item in rest[1].items()}
        result = kind(**fields)
        for name, value in fields.items():  # a constructor may round what it normalizes again
            object.__setattr__(result, name, value)
        return result

    def _array(self, data: list[Any], *, writeable: bool) -> np.ndarray[Any, Any]:
        name, shape, order, offset = data
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
    if not _PLACE.fullmatch(kind.__module__) or not kind.__qualname__.isidentifier():
        raise InvalidInputError(f"A {kind.__name__} cannot be written as an answer.")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(place: str, kind: type | None) -> Any:
    """Return the class at a place: of a kind, or a dataclass where none is given."""
    module, _, name = place.partition(":")
    if not _PLACE.fullmatch(module):
        raise ValueError(f"there is no class {place!r}")
    try:
        target = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ValueError(f"there is no module {module!r}") from error
    is_class = isinstance(target, type) and target.__module__ == module
    if not is_class or not (
        dataclasses.is_dataclass(target) if kind is None else issubclass(target, kind)
    ):
        raise ValueError(f"{place!r} is no class of values")
    return target


VARIABLE = "LIFTSCOPE_STORE"
"""Environment variable that names the folder that servers share."""

MOST_BYTES = 1_000_000_000
"""Bytes of the answers in a folder, by default."""

LARGEST = 8
"""An answer may take this part of a folder: one eighth."""


_REGULAR = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which no link is followed and no pipe waited for, where the system has them."""

_NAME = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"part-[0-9a-f]{16}")


class Folder:
    """Answers as files, by their key; those that were not read for longest go first."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self.path = path
        self.most_bytes = validation.whole(most_bytes, "most_bytes", low=LARGEST)
        where = shown(str(path))
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = path.stat()
        except OSError as error:
            why = error.strerror or str(error)
            raise InvalidInputError(
                f"The folder of answers {where} cannot be used: {why}."
            ) from error
        if os.name == "posix":
            if status.st_uid != os.geteuid():
                raise InvalidInputError(f"The folder of answers {where} belongs to somebody else.")
            if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise InvalidInputError(
                    f"Others may write to the folder of answers {where}: chmod 700."
                )

    def find(self, key: str) -> bytes | None:
        """Return the bytes under a key; None where there are none, or they cannot be read."""
        try:
            # a pipe would be waited for, and a link to a device has no end
            descriptor = os.open(self._place(key), os.O_RDONLY | _REGULAR)
            with open(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode) or status.st_size > self.most_bytes // LARGEST:
                    return None
                content = file.read(status.st_size)
        except OSError:
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            os.utime(self._place(key))
        return content

    def put(self, key: str, content: bytes) -> bool:
        """Keep bytes under a key; return whether: not where too large, or where writing fails."""
        if len(content) > self.most_bytes // LARGEST:
            return False
        part = self.path / f"part-{secrets.token_hex(8)}"
        try:
            self._make_room(len(content))
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
            part.replace(self._place(key))
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            return False
        return True

    def drop(self, key: str) -> None:
        """Remove what is under a key, which was of no use."""
        with contextlib.suppress(OSError):
            self._place(key).unlink()

    @property
    def n_bytes(self) -> int:
        """Bytes of the answers in it, and of those that are being written."""
        return sum(size for _, size, _ in self._files())

    def _place(self, key: str) -> Path:
        if not _NAME.fullmatch(key):
            raise InvalidInputError(f"A key is a SHA-256, got {shown(key)}.")
        return self.path / key

    def _files(self) -> list[tuple[float, int, Path]]:
        """Return when each file was last used, its bytes and its path."""
        files = []
        for entry in os.scandir(self.path):
            if _NAME.fullmatch(entry.name) or _PART.fullmatch(entry.name):
                with contextlib.suppress(OSError):  # another process has just removed it
                    status = entry.stat(follow_symlinks=False)
                    files.append((status.st_mtime, status.st_size, self.path / entry.name))
        return files

    def _make_room(self, n_bytes: int) -> None:
        """Remove what was not used for longest, until so many bytes more have room."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files) + n_bytes
        left = time.time() - 600.0  # by a process that ended
        for used, size, path in files:
            is_part = _PART.fullmatch(path.name) is not None
            if (is_part and used < left) or (not is_part and total > self.most_bytes):
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
                total -= size
