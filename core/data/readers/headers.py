"""Check the column names of a table."""

from __future__ import annotations

from core.errors import InvalidInputError
from core.limits import MAX_COLUMNS


def column_names(names: list[str], file: str) -> tuple[str, ...]:
    """Return a header's names, stripped.

    Raises
    ------
    InvalidInputError
        If a name is missing or stands twice, or there are too many or fewer than two.
    """
    if len(names) < 2:
        what = "a single column" if names else "no columns"
        raise InvalidInputError(f"{file} has {what}, and S and X need one each.")
    stripped = tuple(name.strip() for name in names)
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
                f"{file} has {stripped.count(name)} columns named {name!r}; names must be distinct."
            )
    return stripped
