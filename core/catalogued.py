"""What every catalogue says of what it lists, and how it is looked up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from core.errors import InvalidInputError
from core.validation import shown


@dataclass(frozen=True)
class Catalogued:
    """The names of something, what it means, and where it comes from.

    Attributes
    ----------
    key, title : str
        Its name in code, and the name that the interface shows.
    meaning : str
        What it says or does, in a sentence or two.
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
    """Return the entry of a key.

    Parameters
    ----------
    entries : iterable of Catalogued
        All that there are.
    key : object
        What is asked for.
    kind : str
        What they are entries of, for the error's sentence.

    Raises
    ------
    InvalidInputError
        If there is none.

    Examples
    --------
    >>> lift = Catalogued("lift", "Lift", "How much likelier s is after y.", "l(s,y)", "[Lift]")
    >>> found([lift], "lift", "measure").title
    'Lift'
    """
    known = {entry.key: entry for entry in entries}
    if not isinstance(key, str) or key not in known:
        raise InvalidInputError(f"{kind} must be one of {', '.join(known)}, got {shown(key)}.")
    return known[key]
