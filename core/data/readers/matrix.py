"""Read a joint matrix from pasted text."""

from __future__ import annotations

import csv
import hashlib
import io
import math

import numpy as np

from core.data.joints import JointSource
from core.errors import InvalidInputError
from core.limits import MAX_CELLS, MAX_LEVELS, SUM_TOL
from core.validation import FloatArray, shown

SEPARATORS = ("\t", ";", ",", " ")
"""Separators of entries; the first of these that occurs is the separator."""


class NotNormalisedError(InvalidInputError):
    """The entries are neither counts nor probabilities that sum to 1, and can be normalised."""


def matrix_id(text: str, *, normalise: bool = False) -> str:
    """Return the sha256 that identifies a pasted matrix in a `DataSpec`."""
    return hashlib.sha256(f"{normalise}\n{text.strip()}".encode()).hexdigest()


def parse_matrix(text: str, *, normalise: bool = False) -> JointSource:
    r"""Read a joint matrix: one row for each s, one column for each x.

    Entries are separated by commas, tabs, semicolons or spaces. The first row may hold the names
    of X, the first column the names of S. Entries are probabilities that sum to 1, or counts.

    Parameters
    ----------
    text : str
        The matrix.
    normalise : bool
        Divide the entries by their sum, if they are neither.

    Raises
    ------
    NotNormalisedError
        If the entries are no counts and do not sum to 1, and `normalise` is off.
    InvalidInputError
        If an entry is no finite number of at least 0, rows differ in length, a name occurs twice,
        or the matrix is empty, too large or all zero.

    Examples
    --------
    >>> source = parse_matrix("\tred\tblue\nyes\t3\t1\nno\t1\t3")
    >>> source.s_labels, source.x_labels, source.records
    (('yes', 'no'), ('red', 'blue'), 8)
    """
    rows = _rows(text)
    x_names, s_names, entries = _headers(rows)
    _check_shape(entries, x_names)
    weights = np.array(
        [
            [_entry(cell, i + 1, j + 1) for j, cell in enumerate(row)]
            for i, row in enumerate(entries)
        ],
        dtype=np.float64,
    )
    records = _check_sum(weights, normalise)
    return JointSource(
        title="Pasted matrix",
        weights=weights,
        s_labels=_names(s_names, len(entries), "s", "row"),
        x_labels=_names(x_names, len(entries[0]), "x", "column"),
        records=records,
    )


def _rows(text: str) -> list[list[str]]:
    """Split text into rows of entries."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InvalidInputError("The matrix is empty: paste one row for each level of S.")
    separator = next((mark for mark in SEPARATORS if any(mark in line for line in lines)), ",")
    if separator == " ":
        return [line.split() for line in lines]
    try:
        parsed = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, strict=True)
        return [[cell.strip() for cell in row] for row in parsed]
    except csv.Error as error:
        raise InvalidInputError(f"The matrix has a quote that is never closed: {error}.") from error


def _headers(
    rows: list[list[str]],
) -> tuple[list[str] | None, list[str] | None, list[list[str]]]:
    """Return the names of X, the names of S (None where there are none), and the entries.

    The first row is names if its first cell is empty or all other cells are names; the first
    column is names if that cell is empty or all its cells are names.
    """
    first = rows[0]
    corner_free = len(first) > 1 and first[0] == ""
    x_names = None
    if len(rows) > 1 and (corner_free or all(map(_is_name, first[1:] or first))):
        x_names, rows = first, rows[1:]
    s_names = None
    if corner_free or all(len(row) > 1 and _is_name(row[0]) for row in rows):
        s_names = [row[0] for row in rows]
        rows = [row[1:] for row in rows]
        if x_names is not None and len(x_names) == len(rows[0]) + 1:
            x_names = x_names[1:]
    return x_names, s_names, rows


def _is_name(cell: str) -> bool:
    """Say whether a cell is a name: neither blank nor a number, as NaN and ∞ are too."""
    try:
        float(cell)
    except ValueError:
        return cell != ""
    return False


def _check_shape(entries: list[list[str]], x_names: list[str] | None) -> None:
    n_s, n_x = len(entries), len(entries[0])
    for i, row in enumerate(entries):
        if len(row) != n_x:
            plural = "y" if len(row) == 1 else "ies"
            raise InvalidInputError(
                f"Row {i + 1} of the matrix has {len(row)} entr{plural}, row 1 has {n_x}."
            )
    if x_names is not None and len(x_names) != n_x:
        raise InvalidInputError(f"The matrix has {len(x_names)} column names for {n_x} columns.")
    if n_s > MAX_LEVELS or n_x > MAX_LEVELS or n_s * n_x > MAX_CELLS:
        raise InvalidInputError(
            f"The matrix is {n_s}×{n_x}, at most {MAX_LEVELS:,} rows or columns and "
            f"{MAX_CELLS:,} entries are allowed."
        )


def _entry(cell: str, row: int, column: int) -> float:
    """Return an entry as a number.

    Raises
    ------
    InvalidInputError
        If it is none, not finite or negative.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InvalidInputError(
            f"The entry in row {row}, column {column} must be a finite number of at least 0, got "
            f"{shown(cell)}."
        )
    return value


def _check_sum(weights: FloatArray, normalise: bool) -> int | None:
    """Return the number of records where the entries are counts, None for probabilities."""
    with np.errstate(over="ignore"):  # an infinite sum is refused below
        total = float(weights.sum())
    if total == 0:
        raise InvalidInputError("The matrix is all zero: no pair ever occurs.")
    if not math.isfinite(total):
        raise InvalidInputError(f"The entries of the matrix must have a finite sum, got {total}.")
    if bool((weights == np.rint(weights)).all()) and total > 1:
        return int(total)
    if abs(total - 1) > SUM_TOL and not normalise:
        raise NotNormalisedError(
            f"The entries of the matrix sum to {total:.6g}, probabilities must sum to 1 (normalise "
            "them to divide each by the sum)."
        )
    return None


def _names(names: list[str] | None, count: int, prefix: str, what: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{prefix}{i + 1}" for i in range(count))
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"The {what} name {shown(name)} occurs more than once.")
    return tuple(names)
