"""Find marks of missing values, such as NA, in columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.datatypes as dt

from core.data.readers.per_column import per_column
from core.data.tables import (
    FileTable,
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    is_text,
    open_table,
)

_FIRST = 1_000
"""First records, by which most columns of words are recognised quickly."""

_NAMED = 5
"""Most marks of a column that are named."""


def with_marks(file: FileTable, rows: int) -> FileTable:
    """Return a file with the marks of missing values in its columns of numbers.

    A column of text is one of numbers if each value is a number, a mark or missing, and there is a
    number. In any other column a mark is a level like any text.

    Parameters
    ----------
    file : FileTable
        The file.
    rows : int
        Number of its records.

    Raises
    ------
    InvalidInputError
        If the file cannot be read.
    """
    with open_table(file) as table:
        types = table.records.schema().types[: len(file.columns)]
        texts = [name for name, kind in zip(file.columns, types, strict=True) if kind.is_string()]
        first = per_column(table, texts, _asked, rows, _FIRST)
        likely = [name for name in texts if not first[name]["words"]]
        found = per_column(table, likely, _asked, rows) if rows > _FIRST else first
        marked = [
            name
            for name in likely
            if found[name]["marks"] and found[name]["numbers"] and not found[name]["words"]
        ]
        if file.counted:
            return replace(file, marks=tuple(_weighed(table, name) for name in marked))
        words = per_column(table, marked, _counted, rows)
        return replace(file, marks=tuple(_marks(name, words[name]["words"]) for name in marked))


def _weighed(table: OpenTable, name: str) -> Marks:
    """Return the marks of a column whose rows stand for several records."""
    column = table.records[table.position(name)]
    words = table.records.select(word=as_text(column), **table.weight())
    chosen = words.filter(is_mark(words.word))
    rows = table.rows(chosen.group_by("word").agg(n=table.number(chosen)))
    return _marks(name, {row["word"]: row["n"] for row in rows})


def _asked(column: Any) -> dict[str, Any]:
    number = as_number(column)  # NULL for NaN too, which is a mark
    return {
        "words": is_text(column).sum(),
        "marks": ibis.ifelse(number.isnull(), is_mark(column), False).sum(),
        "numbers": as_number(column).count(),
    }


@ibis.udf.agg.builtin(name="histogram")  # type: ignore[untyped-decorator]
def _histogram(word: str) -> dt.Map(dt.string, dt.int64):  # type: ignore[valid-type]
    """Return how often each word occurs: DuckDB's own aggregate."""


def _counted(column: Any) -> dict[str, Any]:
    return {"words": _histogram(as_text(column), where=is_mark(column))}


def _marks(name: str, counts: Mapping[str, int]) -> Marks:
    """Return a column's marks, given how often each occurs."""
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return Marks(name, tuple(words[:_NAMED]), sum(counts.values()))
