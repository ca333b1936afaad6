"""Compute the same aggregates of many columns: one query is compiled for each type of column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ibis
import sqlglot

from core.data.tables import OpenTable

SHORT = 10_000
"""Most records for which columns are unpivoted into one: a query then names each column once, which
saves milliseconds for each of thousands of columns. In a longer table unpivoting costs more."""

TOGETHER = 4_000_000
"""Most values that are unpivoted in one query."""

CHUNK = 50
"""Columns of a longer table in one query: each takes memory."""


def per_column(
    table: OpenTable,
    names: Sequence[str],
    asked: Callable[[Any], Mapping[str, Any]],
    rows: int,
    first: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Return aggregates of each column, by the column's name and the aggregate's.

    Parameters
    ----------
    table : OpenTable
        The open file.
    names : sequence of str
        The columns.
    asked : callable
        Returns the aggregates of a column by name, the same for every column.
    rows : int
        Number of records of the table.
    first : int, optional
        Number of first records to use; all if not given.
    """
    source = _quoted(table.records.get_name())
    if first is not None:
        source = f"(SELECT * FROM {source} LIMIT {int(first)})"
        rows = min(rows, first)
    places = {name: i for i, name in enumerate(table.file.columns)}
    schema = list(table.records.schema().items())
    kinds: dict[Any, list[str]] = {}
    for name in names:
        kinds.setdefault((schema[places[name]][1], table.is_marked(name)), []).append(name)
    found: dict[str, dict[str, Any]] = {}
    for (kind, _), alike in kinds.items():
        one = ibis.table({"v": kind}, name="one_column")
        parts = _written(one.aggregate(**asked(table.unmarked(alike[0], one.v))))
        ask, size = (
            (_below, max(TOGETHER // max(rows, 1), 1)) if rows <= SHORT else (_beside, CHUNK)
        )
        for some in _chunks(alike, size):
            columns = [_quoted(schema[places[name]][0]) for name in some]
            answers = ask(table.backend.con, source, columns, list(parts.values()))
            for name, values in zip(some, answers, strict=True):
                found[name] = dict(zip(parts, values, strict=True))
    return found


def _below(
    con: Any, source: str, columns: Sequence[str], parts: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Yield the aggregates of columns of one type, unpivoted into the groups of a single column."""
    numbered = ", ".join(f'{column} AS "{i}"' for i, column in enumerate(columns))
    rows = con.execute(
        f'SELECT "i", {", ".join(parts)} FROM (SELECT {numbered} FROM {source}) '
        'UNPIVOT INCLUDE NULLS ("v" FOR "i" IN (COLUMNS(*))) AS "t0" GROUP BY "i"'
    ).fetchall()
    yield from (row[1:] for row in sorted(rows, key=lambda row: int(row[0])))


def _beside(
    con: Any, source: str, columns: Sequence[str], parts: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Yield the aggregates of columns, all selected side by side."""
    aggregates = [part.replace(_VALUE, column) for column in columns for part in parts]
    values = con.execute(f"SELECT {', '.join(aggregates)} FROM {source}").fetchall()[0]
    for start in range(0, len(values), len(parts)):
        yield values[start : start + len(parts)]


_VALUE = '"t0"."v"'
"""The column in a query that was compiled for one column."""


def _written(query: Any) -> dict[str, str]:
    """Return the aggregates of a query as SQL, by name."""
    select = sqlglot.parse_one(str(ibis.to_sql(query, dialect="duckdb")), dialect="duckdb")
    return {
        part.alias: part.this.sql(dialect="duckdb")
        for part in select.selects  # type: ignore[attr-defined]
    }


def _chunks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'
