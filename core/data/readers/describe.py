"""Describe a table: its number of records, and the values of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.readers.per_column import per_column
from core.data.readers.sources import Sources
from core.data.tables import (
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_text,
    may_hold_numbers,
    open_table,
)
from core.limits import MAX_LEVELS

EXACT = 20_000_000
"""Most values of columns with thousands of levels for which the levels are counted exactly."""


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
    """

    name: str
    numeric: bool
    levels: int
    exact: bool
    missing: int
    low: float | None
    high: float | None


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
        Marks of missing numbers, by column.
    """

    title: str
    rows: int
    columns: tuple[ColumnInfo, ...]
    marks: tuple[Marks, ...] = ()


def describe(source: str, sources: Sources | None = None) -> TableInfo | None:
    """Describe a source's columns; return None for a source that is a joint.

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
    file = (sources or Sources()).open(source)
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
        numeric = part["low"] is not None and not part["words"]
        columns.append(
            ColumnInfo(
                name=name,
                numeric=numeric,
                levels=exact.get(name, {"levels": min(part["levels"], part["present"])})["levels"],
                exact=name in exact,
                missing=rows - part["present"],
                low=part["low"] if numeric else None,
                high=part["high"] if numeric else None,
            )
        )
    return TableInfo(file.title, rows, tuple(columns), file.marks)


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
        "words": is_text(column).sum() if text else ibis.literal(0, "int64"),
    }


def _levels(column: Any) -> dict[str, Any]:
    return {"levels": as_text(column).nunique()}
