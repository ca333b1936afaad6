"""Aggregates of many columns at once, and by them the marks of missing values such as NA."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.datatypes as dt

from core.data.tables import (
    FileTable,
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    is_text,
    open_table,
    plain_text,
)
from core.limits import AT_ONCE
from core.texts import FLAGGED

SHORT = 10_000
"""Most records for which columns are unpivoted into one: a query then names each column once, which
saves milliseconds for each of thousands of columns. In a longer table unpivoting costs more."""


LOOKED = 50_000
"""Values of the first rows by which dates and marks of numbers are recognised."""


def first_rows_of(names: Sequence[str]) -> int:
    """Return of how many first rows some columns are looked at."""
    return max(LOOKED // max(len(names), 1), 50)


def per_column(
    table: OpenTable,
    names: Sequence[str],
    aggregates: Callable[[Any], Mapping[str, Any]],
    first: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Return aggregates of each column, by the column's name and the aggregate's."""
    source, rows = _quoted(table.records.get_name()), table.file.rows
    if first is not None:
        source = f"(SELECT * FROM {source} LIMIT {int(first)})"
        rows = min(rows, first)
    places = {name: i for i, name in enumerate(table.file.columns)}
    schema = list(table.records.schema().items())
    kinds: dict[Any, list[str]] = {}
    for name in names:
        kinds.setdefault((schema[places[name]][1], table.is_marked(name)), []).append(name)
    result: dict[str, dict[str, Any]] = {}
    for (kind, _), alike in kinds.items():
        column = ibis.table({"v": kind}, name="one_column")
        query = column.aggregate(**aggregates(table.unmarked(alike[0], column.v)))
        parts = _written(table.backend, query)
        ask, size = (
            # each column takes memory
            (_below, max(AT_ONCE // max(rows, 1), 1)) if rows <= SHORT else (_beside, 50)
        )
        for some in _chunks(alike, size):
            columns = [_quoted(schema[places[name]][0]) for name in some]
            answers = ask(table.backend.con, source, columns, list(parts.values()))
            for name, values in zip(some, answers, strict=True):
                result[name] = dict(zip(parts, values, strict=True))
    return result


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


def _written(backend: Any, query: Any) -> dict[str, str]:
    """Return the aggregates of a query as SQL, by name."""
    select = backend.compiler.to_sqlglot(query)
    return {part.alias: part.this.sql(dialect=backend.dialect) for part in select.selects}


def _chunks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


SUPPRESSED = (
    r"^(?i:[*.:…·•†‡#/?!–—－−‐‑-]+|[Ⅹ×✕Ｘ]|\(?[a-z]\)?|\( ?\)|\.\.[a-z]|\[[a-z]+\]|n\.? ?[a-z]\.?"
    r"|k\.? ?a\.?|#[a-z/0]+[#!?]|suppressed|secret|confidential|unreliable"
    r"|not (applicable|available)|[<>≤≥]=? ?[0-9]+([.,][0-9]+)?)$"
)
"""Words that often stand for a number that is not published, in a column of numbers."""


def is_suppressed(column: Any) -> Any:
    """Return whether each text may stand for a number that is not published."""
    return as_text(column).re_search(SUPPRESSED)


def is_flagged(column: Any) -> Any:
    """Return whether each text is a number with a mark behind it."""
    return plain_text(column).re_search(f"^{FLAGGED}$")


_FIRST = 1_000
"""First records, by which most columns of words are recognised quickly."""


def with_marks(file: FileTable) -> FileTable:
    """Return a file with the marks of missing values in its columns of numbers.

    These are columns with a number whose values are all numbers, marks or missing.
    """
    with open_table(file) as table:
        texts = table.texts
        first = per_column(table, texts, _counts, _FIRST)
        likely = [name for name in texts if not first[name]["words"]]
        counts = per_column(table, likely, _counts) if file.rows > _FIRST else first
        marked = [
            name
            for name in likely
            if counts[name]["marks"] and counts[name]["numbers"] and not counts[name]["words"]
        ]
        return replace(file, marks=tuple(counted_words(table, marked, is_mark)))


def counted_words(
    table: OpenTable, names: Sequence[str], chosen: Callable[[Any], Any]
) -> list[Marks]:
    """Return how often the words that `chosen` picks occur in each column that has one."""
    counts = word_counts(table, names, chosen)
    return [marks_of(name, words) for name, words in counts.items() if words]


def word_counts(
    table: OpenTable, names: Sequence[str], chosen: Callable[[Any], Any]
) -> dict[str, dict[str, int]]:
    """Return how often each word that `chosen` picks occurs in each column; see `counted_words`."""
    if table.file.counted:
        return {name: _weighed(table, name, chosen) for name in names}

    def aggregates(column: Any) -> dict[str, Any]:
        return {"words": histogram(as_text(column), where=chosen(column))}

    counts = per_column(table, names, aggregates)
    return {name: counts[name]["words"] or {} for name in names}


def _weighed(table: OpenTable, name: str, chosen: Callable[[Any], Any]) -> dict[str, int]:
    """Return how often words occur in a column whose rows stand for several records."""
    values = table.records.select(value=table.records[table.position(name)], **table.weight())
    matching = values.filter(chosen(values.value)).mutate(word=as_text(values.value))
    rows = table.rows(matching.group_by("word").agg(n=table.number(matching)))
    return {row["word"]: row["n"] for row in rows}


def _counts(column: Any) -> dict[str, Any]:
    number = as_number(column)  # NULL for NaN too, which is a mark
    return {
        "words": is_text(column).sum(),
        "marks": ibis.ifelse(number.isnull(), is_mark(column), False).sum(),
        "numbers": as_number(column).count(),
    }


@ibis.udf.agg.builtin(name="histogram")  # type: ignore[untyped-decorator]
def histogram(word: str) -> dt.Map(dt.string, dt.int64):  # type: ignore[valid-type]
    """Return how often each word occurs: DuckDB's own aggregate."""


def marks_of(name: str, counts: Mapping[str, int]) -> Marks:
    """Return a column's marks, given how often each occurs."""
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return Marks(name, tuple(words[:5]), sum(counts.values()))
