"""Describe a table: its number of records, and the values of each column."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.options import ReadOptions
from core.data.readers.per_column import per_column
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.tables import (
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_word,
    may_hold_numbers,
    open_table,
)
from core.limits import MAX_LEVELS

EXACT = 20_000_000
"""Most values of columns with thousands of levels for which the levels are counted exactly."""


LEAST = 20
"""Fewest values of a column that may be an identifier."""

NEARLY = 0.95
"""Share of different values from which a column of text is one."""

_ID = re.compile(r"(?:^|[\W_])(?i:id|uuid|guid|identifier)$|[a-z]I[dD]$")
"""Names of identifiers: id, person_id, personID."""


@dataclass(frozen=True)
class ColumnInfo:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name.
    numeric : bool
        Whether every value that is not missing is a number, so that it can be cut into bins.
    levels : int
        Number of different values; never more than the records that have one.
    exact : bool
        Whether `levels` is exact; else it is an estimate, off by a few per cent.
    missing : int
        Number of records without a value.
    low, high : float or None
        Least and greatest number, where it is numeric.
    identifier : bool
        Whether it seems to name each record: nearly all values differ, and it is text, numbers
        the records, or is called an id.
    """

    name: str
    numeric: bool
    levels: int
    exact: bool
    missing: int
    low: float | None
    high: float | None
    identifier: bool = False


@dataclass(frozen=True)
class TableInfo:
    """A table's columns and number of records.

    Attributes
    ----------
    title : str
        Its name, for the user.
    rows : int
        Number of records.
    columns : tuple of ColumnInfo
        Its columns, in order.
    marks : tuple of Marks
        Marks that are taken for missing values, by column.
    """

    title: str
    rows: int
    columns: tuple[ColumnInfo, ...]
    marks: tuple[Marks, ...] = ()


def describe(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> TableInfo | None:
    """Describe a source's columns as they are read; return None for a source that is a joint.

    Raises
    ------
    InvalidInputError
        If there is no such source or it cannot be read.

    Examples
    --------
    >>> info = describe("adult")
    >>> info.rows, info.columns[0].name, info.columns[0].low
    (32561, 'age', 17.0)
    """
    file = (sources or Sources()).open(source, (), read)
    if isinstance(file, JointSource):
        return None
    with open_table(file) as table:
        rows = int(table.row(table.records.aggregate(n=table.size(table.records)))["n"])
        found = per_column(table, file.columns, _summary, rows)
        if file.counted:
            for name in file.columns:
                found[name]["present"] = _present(table, name)
        many = sum(part["levels"] > 2 * MAX_LEVELS for part in found.values())
        few = [
            name
            for name, part in found.items()
            if part["levels"] <= 2 * MAX_LEVELS or many * rows <= EXACT
        ]
        exact = per_column(table, few, _levels, rows)
    columns = []
    for name in file.columns:
        part = found[name]
        numeric = part["low"] is not None and not part["words"] and name not in file.texts
        column = ColumnInfo(
            name=name,
            numeric=numeric,
            levels=exact.get(name, {"levels": min(part["levels"], part["present"])})["levels"],
            exact=name in exact,
            missing=rows - part["present"],
            low=part["low"] if numeric else None,
            high=part["high"] if numeric else None,
        )
        columns.append(replace(column, identifier=_names_records(column, part["present"])))
    return TableInfo(file.title, rows, tuple(columns), (*file.marks, *file.taken))


def _names_records(column: ColumnInfo, present: int) -> bool:
    """Say whether a column seems to name each record, of those that have a value."""
    nearly = NEARLY if column.exact else NEARLY - 0.05  # an estimate is off by a few per cent
    if present < LEAST or column.levels < 0.5 * present:
        return False
    if _ID.search(column.name):
        return True
    if column.levels < nearly * present:
        return False
    if column.low is None or column.high is None:
        return True
    return column.exact and column.high - column.low + 1 == column.levels == present


def _present(table: OpenTable, name: str) -> int:
    """Return the number of records that have a value in a column."""
    there = table.records.filter(as_text(table.column(name)).notnull())
    return int(table.row(there.aggregate(n=table.size(there)))["n"])


def _summary(column: Any) -> dict[str, Any]:
    """Return aggregates of a column: numbers of values and words, range, about how many levels."""
    ranged, text = may_hold_numbers(column), column.type().is_string()
    return {
        "levels": as_text(column).approx_nunique(),
        "present": as_text(column).count(),
        "low": as_number(column).min() if ranged else ibis.null("float64"),
        "high": as_number(column).max() if ranged else ibis.null("float64"),
        "words": is_word(column).sum() if text else ibis.literal(0, "int64"),
    }


def _levels(column: Any) -> dict[str, Any]:
    return {"levels": as_text(column).nunique()}
