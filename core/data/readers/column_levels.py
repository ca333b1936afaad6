"""The most frequent levels of a column, to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from core.data.joints import JointSource
from core.data.options import ReadOptions
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.tables import as_text, open_table
from core.errors import InvalidInputError
from core.joint import MISSING
from core.level_order import all_numbers, position

LISTED = 200
"""Most levels that are listed."""


@dataclass(frozen=True)
class ColumnLevels:
    """Levels of a column.

    Attributes
    ----------
    labels : tuple of str
        The most frequent levels, numbers along the number line, names by letter, missing last.
    counts : tuple of int
        Number of records of each.
    left_out : int
        Number of rarer levels, which are not listed.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    left_out: int


def column_levels(
    source: str,
    column: str,
    sources: Sources | None = None,
    most: int = LISTED,
    read: ReadOptions = AS_IT_IS,
) -> ColumnLevels:
    """List a column's levels.

    Parameters
    ----------
    source : str
        The data, as in a `DataSpec`.
    column : str
        The column.
    sources : Sources, optional
        The session's uploads.
    most : int
        Most levels to list.
    read : ReadOptions, optional
        How the data is read.

    Raises
    ------
    InvalidInputError
        If there is no such data or column.

    Examples
    --------
    >>> column_levels("adult", "sex")
    ColumnLevels(labels=('Female', 'Male'), counts=(10771, 21790), left_out=0)
    """
    file = (sources or Sources()).open(source, (column,), read)
    if isinstance(file, JointSource):
        raise InvalidInputError(f"{file.title} has no columns to choose levels of.")
    with open_table(file) as table:
        levels = table.records.select(level=as_text(table.column(column)), **table.weight())
        counted = levels.group_by("level").agg(n=table.number(levels))
        total = int(table.row(counted.aggregate(n=counted.count()))["n"])
        rows = table.rows(counted.order_by([counted.n.desc(), counted.level]).limit(most))
    found = {row["level"]: int(row["n"]) for row in rows}
    numeric = all_numbers(found)
    ordered = sorted(found, key=lambda level: position(level, numeric))
    return ColumnLevels(
        tuple(MISSING if level is None else level for level in ordered),
        tuple(found[level] for level in ordered),
        total - len(ordered),
    )
