"""The base of the entries of all catalogues, and their lookup by key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from core.errors import InvalidInputError
from core.validation import shown


@dataclass(frozen=True)
class Catalogued:
    """An entry of a catalogue.

    Attributes
    ----------
    key, title : str
        Its name in code, and the name that the interface shows.
    meaning : str
        What it is or does, in a sentence or two.
    formula : str
        Its definition in LaTeX.
    source : str
        Paper and equation or section.
    """

    key: str
    title: str
    meaning: str
    formula: str
    source: str


C = TypeVar("C", bound=Catalogued)


def found(entries: Iterable[C], key: object, kind: str) -> C:
    """Return the entry with a key.

    Parameters
    ----------
    entries : iterable of Catalogued
        The entries of a catalogue.
    key : object
        The key.
    kind : str
        What the entries are, for the error's sentence.

    Raises
    ------
    InvalidInputError
        If no entry has this key.

    Examples
    --------
    >>> lift = Catalogued("lift", "Lift", "How much likelier s is after y.", "l(s,y)", "[Lift]")
    >>> found([lift], "lift", "measure").title
    'Lift'
    """
    known = []
    for entry in entries:  # asked some hundred times for a page: a loop is faster than an index
        if isinstance(key, str) and entry.key == key:  # an array would answer with an array
            return entry
        known.append(entry.key)
    raise InvalidInputError(f"{kind} must be one of {', '.join(known)}, got {shown(key)}.")
