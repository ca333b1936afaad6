"""Describe a table: its number of records, and the values of each column."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.options import ORDERS, ReadOptions
from core.data.readers.dates import moments
from core.data.readers.per_column import per_column
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.tables import (
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    is_word,
    may_hold_numbers,
    open_table,
)
from core.limits import MAX_LEVELS

EXACT = 20_000_000
"""Most values of columns with thousands of levels for which the levels are counted exactly."""


LOOKED = 50_000
"""Values of the first rows by which dates are recognised."""

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


@dataclass(frozen=True)
class Dated:
    """A column of text that is dates in numbers throughout.

    Attributes
    ----------
    column : str
        The column.
    orders : tuple of str
        Keys of `ORDERS`: the order of the parts of its dates, or two that fit all of them and
        differ, where no day is above 12; only who knows the file can then say which is meant.
    """

    column: str
    orders: tuple[str, ...]


def dated(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[Dated, ...]:
    r"""Return the columns of text whose first values are all dates, and in which order.

    Parameters
    ----------
    source, sources, read
        As in `describe`; types of the options do not matter.

    Raises
    ------
    InvalidInputError
        If there is no such data.

    Examples
    --------
    >>> sources = Sources()
    >>> source = sources.add_bytes(b"day,due\n26.02.2014,3/1/2014\n1.3.2014,1/2/2014\n", "d.csv")
    >>> [(one.column, one.orders) for one in dated(source, sources)]
    [('day', ('dmy',)), ('due', ('dmy', 'mdy'))]
    """
    file = (sources or Sources()).open(source, (), read.layout)
    if isinstance(file, JointSource):
        return ()
    with open_table(replace(file, marks=())) as table:
        rows = int(table.row(table.records.aggregate(n=table.records.count()))["n"])
        schema = zip(file.columns, table.records.schema().types, strict=False)
        texts = [name for name, kind in schema if kind.is_string()]
        first = max(LOOKED // max(len(texts), 1), 50)
        found = per_column(table, texts, _dates, rows, first)
    told = []
    for name, counts in found.items():
        fits = [order for order in ORDERS if counts["some"] and counts[order] == counts["some"]]
        if len(fits) > 1 and not counts["other"]:
            fits = fits[:1]  # each value is the same date in both orders
        if fits:
            told.append(Dated(name, tuple(fits)))
    return tuple(told)


def _dates(column: Any) -> dict[str, Any]:
    """Return how many values there are, how many are dates in each order, and how many differ."""
    there = is_word(column) & ~is_mark(column)
    made = {order: moments(column, order) for order in ORDERS}
    days = {order: (there & one.day.notnull() & ~one.of_month) for order, one in made.items()}
    differ = there & (made["dmy"].day != made["mdy"].day)
    return {
        "some": (as_text(column).notnull() & ~is_mark(column)).sum(),  # numbers are no dates
        "other": differ.sum(),
        **{order: one.sum() for order, one in days.items()},
    }
