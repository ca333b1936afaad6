"""Ask the same of many columns: a query for each kind of column is written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ibis
import sqlglot

from core.data.tables import OpenTable

CHUNK = 50
"""Columns that one query looks at: each takes memory of its own, and a table may have thousands."""


def per_column(
    table: OpenTable,
    names: Sequence[str],
    asked: Callable[[Any], Mapping[str, Any]],
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
    first : int, optional
        Records that are looked at; all if not given.
    """
    found: dict[str, dict[str, Any]] = {}
    written: dict[Any, dict[str, str]] = {}
    source = _quoted(table.records.get_name())
    if first is not None:
        source = f"(SELECT * FROM {source} LIMIT {int(first)})"
    for some in _chunks(names):
        aggregates = []
        for name in some:
            column = table.records.columns[table.position(name)]
            kind = (table.records[column].type(), table.is_marked(name))
            if kind not in written:
                one = ibis.table({"v": kind[0]}, name="one_column")
                written[kind] = _written(one.aggregate(**asked(table.unmarked(name, one.v))))
            aggregates += [sql.replace(_VALUE, _quoted(column)) for sql in written[kind].values()]
        query = f"SELECT {', '.join(aggregates)} FROM {source}"
        values = iter(table.backend.con.execute(query).fetchall()[0])
        for name in some:
            parts = written[table.records[table.position(name)].type(), table.is_marked(name)]
            found[name] = {part: next(values) for part in parts}
    return found


_VALUE = '"t0"."v"'
"""What a column is called in a query that was written for one."""


def _written(query: Any) -> dict[str, str]:
    """Return the aggregates of a query as SQL, by name."""
    select = sqlglot.parse_one(str(ibis.to_sql(query, dialect="duckdb")), dialect="duckdb")
    return {
        part.alias: part.this.sql(dialect="duckdb")
        for part in select.selects  # type: ignore[attr-defined]
    }


def _chunks(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), CHUNK):
        yield names[start : start + CHUNK]


def _quoted(name: str) -> str:
    """Return a name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'
