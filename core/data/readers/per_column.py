"""Ask the same of many columns: a query for each kind of column is written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ibis
import sqlglot

from core.data.tables import OpenTable

SHORT = 10_000
"""Records up to which columns are laid below each other: a query then names each column once, where
it would else cost milliseconds for each of thousands; in a longer table that would cost more."""

TOGETHER = 4_000_000
"""Values that are laid below each other at a time."""

CHUNK = 50
"""Columns of a longer table that one query looks at: each takes memory of its own."""


def per_column(
    table: OpenTable,
    names: Sequence[str],
    asked: Callable[[Any], Mapping[str, Any]],
    rows: int,
    first: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Return what is asked of each column.

    Parameters
    ----------
    table : OpenTable
        The open file.
    names : sequence of str
        The columns.
    asked : callable
        From a column to what is to be found out: aggregates by name, the same for every column.
    rows : int
        Records of the table.
    first : int, optional
        Records that are looked at; all if not given.
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
    """Answer for columns of one type as for the groups of a single one."""
    numbered = ", ".join(f'{column} AS "{i}"' for i, column in enumerate(columns))
    rows = con.execute(
        f'SELECT "i", {", ".join(parts)} FROM (SELECT {numbered} FROM {source}) '
        'UNPIVOT INCLUDE NULLS ("v" FOR "i" IN (COLUMNS(*))) AS "t0" GROUP BY "i"'
    ).fetchall()
    yield from (row[1:] for row in sorted(rows, key=lambda row: int(row[0])))


def _beside(
    con: Any, source: str, columns: Sequence[str], parts: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Answer for columns side by side."""
    aggregates = [part.replace(_VALUE, column) for column in columns for part in parts]
    values = con.execute(f"SELECT {', '.join(aggregates)} FROM {source}").fetchall()[0]
    for start in range(0, len(values), len(parts)):
        yield values[start : start + len(parts)]


_VALUE = '"t0"."v"'
"""What a column is called in a query that was written for one."""


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
    """Return a name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'
