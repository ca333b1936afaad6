"""Look at a table before anything is asked: its records, and what each column holds."""

from __future__ import annotations

from dataclasses import dataclass

from core.data.joints import JointSource
from core.data.sources import Sources
from core.data.tables import as_number, as_text, is_text, may_hold_numbers, open_table
from core.limits import MAX_LEVELS


@dataclass(frozen=True)
class ColumnInfo:
    """What a column holds.

    Attributes
    ----------
    name : str
        Its name.
    numeric : bool
        Whether every value that is not missing is a number, so that it can be cut into bins.
    levels : int
        Number of different values; where there are thousands, to within a few per cent.
    missing : int
        Records without a value.
    low, high : float or None
        Least and greatest number, where it is numeric.
    """

    name: str
    numeric: bool
    levels: int
    missing: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TableInfo:
    """What a table holds.

    Attributes
    ----------
    title : str
        Its name for people.
    rows : int
        Number of records.
    columns : tuple of ColumnInfo
        Its columns, in order.
    """

    title: str
    rows: int
    columns: tuple[ColumnInfo, ...]


def describe(source: str, sources: Sources | None = None) -> TableInfo | None:
    """Look at a source's columns, in two passes; None for a source that is a joint.

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
        asked = {"rows": table.records.count()}
        for i, name in enumerate(file.columns):
            column = table.column(name)
            asked[f"levels{i}"] = as_text(column).approx_nunique()
            asked[f"present{i}"] = as_text(column).count()
            if may_hold_numbers(column):
                asked[f"low{i}"] = as_number(column).min()
                asked[f"high{i}"] = as_number(column).max()
            if column.type().is_string():
                asked[f"words{i}"] = is_text(column).sum()
        found = table.row(table.records.aggregate(**asked))
        exact = {
            f"levels{i}": as_text(table.column(name)).nunique()
            for i, name in enumerate(file.columns)
            if found[f"levels{i}"] <= 2 * MAX_LEVELS
        }
        found |= table.row(table.records.aggregate(**exact)) if exact else {}
    columns = []
    for i, name in enumerate(file.columns):
        low, high = found.get(f"low{i}"), found.get(f"high{i}")
        numeric = low is not None and not found.get(f"words{i}")
        columns.append(
            ColumnInfo(
                name=name,
                numeric=numeric,
                levels=found[f"levels{i}"],
                missing=found["rows"] - found[f"present{i}"],
                low=low if numeric else None,
                high=high if numeric else None,
            )
        )
    return TableInfo(file.title, found["rows"], tuple(columns))
