"""The base of the entries of all catalogues, and their lookup by key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from core.errors import InvalidInputError
from core.validation import shown


@dataclass(frozen=True)
class Catalogued:
    """An entry of a catalogue: `formula` is LaTeX, `source` a paper and equation or section."""

    key: str
    title: str
    meaning: str
    formula: str
    source: str


C = TypeVar("C", bound=Catalogued)


def find(entries: Iterable[C], key: object, kind: str) -> C:
    known = []
    for entry in entries:  # a page calls this some hundred times: a loop is faster than an index
        if isinstance(key, str) and entry.key == key:  # an array would answer with an array
            return entry
        known.append(entry.key)
    raise InvalidInputError(f"{kind} must be one of {', '.join(known)}, got {shown(key)}.")
