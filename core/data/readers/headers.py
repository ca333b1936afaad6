"""Check the column names of a table."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import InvalidInputError
from core.limits import MAX_COLUMNS
from core.validation import shown

FIRST = "column 1"
"""Name of a first column without a name, in which many programs write row numbers."""


def lacks_first(names: Sequence[str]) -> bool:
    """Say whether a header names all of its columns but the first.

    Examples
    --------
    >>> lacks_first(["", "sex", "job"]), lacks_first(["", "sex", ""]), lacks_first(["sex", "job"])
    (True, False, False)
    """
    return len(names) > 1 and not names[0].strip() and all(name.strip() for name in names[1:])


def first_named(names: Sequence[str]) -> str:
    """Return the name given to a first column that has none, distinct from the others; else "".

    Examples
    --------
    >>> first_named(["", "sex", "job"]), first_named(["", "column 1"]), first_named(["sex", "job"])
    ('column 1', 'column 1 (2)', '')
    """
    if not lacks_first(names):
        return ""
    name, number = FIRST, 2
    while name in {other.strip() for other in names}:
        name = f"{FIRST} ({number})"
        number += 1
    return name


def told(names: Sequence[str]) -> str:
    """Return a note, for the end of a sentence, on the name given to a first column; else "".

    Examples
    --------
    >>> told(["", "sex", "job"])
    '; its first column has no name and is called column 1'
    """
    name = first_named(names)
    return f"; its first column has no name and is called {name}" if name else ""


def column_names(names: list[str], file: str) -> tuple[str, ...]:
    """Return a header's names, stripped; only the first column may have none.

    Raises
    ------
    InvalidInputError
        If a name is missing or not unique, or there are too many or fewer than two.
    """
    if len(names) < 2:
        what = "a single column" if names else "no columns"
        raise InvalidInputError(f"{file} has {what}, and S and X need one each.")
    stripped = tuple(name.strip() for name in names)
    if lacks_first(names):
        stripped = (first_named(names), *stripped[1:])
    if len(stripped) > MAX_COLUMNS:
        raise InvalidInputError(
            f"{file} has {len(stripped):,} columns, at most {MAX_COLUMNS:,} are allowed."
        )
    for i, name in enumerate(stripped):
        if not name:
            raise InvalidInputError(f"Column {i + 1} of {file} has no name in the first row.")
    for name in stripped:
        if stripped.count(name) > 1:
            raise InvalidInputError(
                f"{file} has {stripped.count(name)} columns named {shown(name)}; names must "
                "be distinct."
            )
    return stripped
