"""Count a table's records by the values of some columns, in the engine that holds it.

What comes back is one row for each combination of values, with its number of records. All that
depends on an engine's own rules (blanks, text of numbers, bins) is done with these afterwards, so
that every engine gives the same symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.datatypes as dt
from pyarrow import parquet

from core.data.databases.connecting import answered, connected
from core.data.databases.reference import DatabaseTable
from core.data.databases.tables import opened
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.validation import shown

MOST_ROWS = 2_000_000
"""Most combinations of values that are fetched."""

MOST_DIGITS = 38
"""Most digits of a decimal that is fetched as one."""


def fetch(
    table: DatabaseTable,
    columns: Sequence[str],
    path: Path,
    allow: Callable[[Any], None] | None = None,
) -> FileTable:
    """Count records by some columns and write the counts as a Parquet file.

    Parameters
    ----------
    table : DatabaseTable
        The table.
    columns : sequence of str
        Columns to count by, one or more.
    path : Path
        The file to write.
    allow : callable, optional
        Is given the connection before anything is read, and raises if the table may not be; without
        it all tables may be read, and an error names them.

    Raises
    ------
    InvalidInputError
        If the data base cannot be reached, has no such table or column or no records, or there
        are more than `MOST_ROWS` combinations.
    """
    with connected(table) as backend:
        if allow is not None:
            allow(backend)
        records = opened(backend, table, tell=allow is None)
        have = records.columns
        for name in columns:
            if name not in have:
                listed = ", ".join(map(shown, have[:20])) + (", …" if len(have) > 20 else "")
                raise InvalidInputError(f"{table.title} has no column {shown(name)}: {listed}.")
        plain = records.select(
            **{f"c{i}": _portable(records[name], table.engine) for i, name in enumerate(columns)}
        )
        counted = plain.group_by(list(plain.columns)).agg(n=plain.count().cast("int64"))
        found = answered(backend, counted.limit(MOST_ROWS + 1))
    if found.num_rows > MOST_ROWS:
        raise InvalidInputError(
            f"{', '.join(map(shown, columns))} in {table.title} have more than {MOST_ROWS:,} "
            "combinations of values: cut numbers into bins or leave digits out in a view of the "
            "data base."
        )
    if found.num_rows == 0:
        raise InvalidInputError(f"{table.title} has no records: it must have one or more.")
    renamed = found.rename_columns([f"c{i}" for i in range(len(columns) + 1)])
    parquet.write_table(renamed.replace_schema_metadata(None), path, compression="zstd")
    return FileTable(table.title, (path,), tuple(columns), counted=True)


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def trim_scale(number: dt.decimal) -> dt.decimal:
    """Return a number without zeros at its end: PostgreSQL's own function."""


def _portable(column: Any, engine: str) -> Any:
    """Return a column in a type that every engine has: text, a number, a truth value or a time."""
    kind = column.type()
    if kind.is_decimal() and engine == "postgres":
        column = ibis.ifelse(column.cast("string") == "NaN", ibis.null(kind), column)
    if kind.is_decimal() and (kind.scale is None or (kind.precision or 0) > MOST_DIGITS):
        if engine == "postgres":  # each value may have digits of its own, and all of them count
            return trim_scale(column).cast("string")
        return column.cast("float64")
    if kind.is_numeric() or kind.is_string() or kind.is_boolean():
        return column
    if kind.is_date() or kind.is_timestamp():
        return column
    return column.cast("string")
