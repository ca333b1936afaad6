"""Answers that several servers share, in the folder that `LIFTSCOPE_STORE` names.

The key is the call with all that it is given, and the version of the code and of what it computes
with; a file says its key. Kept are final answers on data that all sessions see, which read back
exactly, never a failure nor what a time limit cut short.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import InvalidInputError
from core.jobs.work import PURE
from core.stored import VARIABLE, Folder, from_bytes, to_bytes
from core.sweep.cluster import identity

ALONE = "Answers are not shared with other servers. {}"
"""The warning shown if the folder cannot be used."""


@dataclass
class Shared:
    """The folder that this server shares, opened when first needed; `problem`: why not, or ""."""

    problem: str = ""
    _folder: Folder | None = None
    _opened: str | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def folder(self) -> Folder | None:
        """Return the folder; None where none is named or it cannot be used."""
        named = os.environ.get(VARIABLE, "")
        with self._lock:
            if named != self._opened:
                self._opened, self._folder, self.problem = named, None, ""
                try:
                    self._folder = Folder(Path(named)) if named else None
                except InvalidInputError as error:
                    self.problem = ALONE.format(error)
            return self._folder


SHARED = Shared()
"""What this server shares."""


def place_of(call: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> str:
    """Return the key of a call in the folder; "" where there is none, or it is not shared."""
    if call not in PURE or SHARED.folder() is None:
        return ""
    try:
        content = to_bytes((call.__name__, _version(), arguments()))
    except InvalidInputError:
        return ""
    return hashlib.sha256(content).hexdigest()


def find(place: str) -> Any:
    folder = SHARED.folder() if place else None
    try:
        content = None if folder is None else folder.find(place)
    except MemoryError:
        return None
    if folder is None or content is None:
        return None
    try:
        if not content.startswith(place.encode()):
            raise InvalidInputError("The answer belongs to another question.")
        return from_bytes(content[len(place) :])
    except InvalidInputError:
        folder.drop(place)  # damaged: the next one to work it out keeps it again
        return None


def keep(place: str, answer: Any) -> None:
    """Keep an answer at a place, for all servers; nothing where it cannot be read back."""
    folder = SHARED.folder() if place else None
    if folder is None:
        return
    try:
        content = to_bytes(answer)
        if to_bytes(from_bytes(content)) == content:
            folder.put(place, place.encode() + content)
    except (InvalidInputError, MemoryError):
        pass  # it is this server's alone


@cache
def _version() -> dict[str, str]:
    """Return what decides about the last digit of an answer, as it was when the server began."""
    return identity()
