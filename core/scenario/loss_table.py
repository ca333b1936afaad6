"""Read a loss table from CSV: a row for each symbol of X, a column for each guess."""

from __future__ import annotations

import csv
import io
import math

from core.errors import InvalidInputError
from core.scenario.purpose import Table, check_purpose
from core.validation import shown

MOST = 1_000_000
"""Most characters of a loss table."""


def read_losses(text: str) -> Table:
    r"""Read a loss table d(x, z) from CSV; a first row or column of names is skipped.

    Parameters
    ----------
    text : str
        A row for each x, a column for each guess z, separated by commas.

    Raises
    ------
    InvalidInputError
        If it is empty or too long, a row has another length than the first, or an entry is
        missing, no number or negative; the sentence says where.

    Examples
    --------
    >>> read_losses("0,1\n2,0")
    ((0.0, 1.0), (2.0, 0.0))
    >>> read_losses("x,low,high\nlow,0,1\nhigh,2,0")
    ((0.0, 1.0), (2.0, 0.0))
    """
    if len(text) > MOST:
        raise InvalidInputError(f"The loss table has more than {MOST:,} characters.")
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    try:
        rows = [row for row in csv.reader(lines) if any(row)]
    except csv.Error as error:
        raise InvalidInputError(f"The loss table cannot be read as CSV: {error}.") from error
    if not rows:
        raise InvalidInputError("The loss table is empty: give a row for each symbol of X.")
    if len(rows) > 1 and not any(_is_number(cell) for cell in rows[0]):
        rows = rows[1:]
    if all(row[0].strip() and not _is_number(row[0]) for row in rows):
        rows = [row[1:] for row in rows]
    numbers = []
    for i, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InvalidInputError(
                f"Row {i} of the loss table has {len(row)} numbers, row 1 has {len(rows[0])}."
            )
        for j, cell in enumerate(row, start=1):
            if not _is_number(cell) or float(cell) < 0:
                raise InvalidInputError(
                    f"The loss table has {shown(cell)} in row {i}, column {j}: a loss must be a "
                    "number of at least 0."
                )
        numbers.append([float(cell) for cell in row])
    return check_purpose("distortion", "table", numbers)


def _is_number(cell: str) -> bool:
    """Say whether a cell holds a finite number."""
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
