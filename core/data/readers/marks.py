"""Find marks of missing values, such as NA, in columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
        return replace(file, marks=tuple(counted_words(table, marked, rows, is_mark)))


def counted_words(
    table: OpenTable, names: Sequence[str], rows: int, chosen: Callable[[Any], Any]
) -> list[Marks]:
    """Return how often the words that `chosen` picks occur in each column that has one.

    Parameters
    ----------
    table : OpenTable
        The open file.
    names : sequence of str
        The columns.
    rows : int
        Number of rows of the table.
    chosen : callable
        Returns whether each value of a column is such a word; there must be few different ones.
    """
    found = word_counts(table, names, rows, chosen)
    return [marks_of(name, words) for name, words in found.items() if words]


def word_counts(
    table: OpenTable, names: Sequence[str], rows: int, chosen: Callable[[Any], Any]
) -> dict[str, dict[str, int]]:
    """Return how often each word that `chosen` picks occurs in each column; see `counted_words`."""
    if table.file.counted:
        return {name: _weighed(table, name, chosen) for name in names}

    def asked(column: Any) -> dict[str, Any]:
        return {"words": _histogram(as_text(column), where=chosen(column))}

    counts = per_column(table, names, asked, rows)
    return {name: counts[name]["words"] or {} for name in names}


def _weighed(table: OpenTable, name: str, chosen: Callable[[Any], Any]) -> dict[str, int]:
    """Return how often words occur in a column whose rows stand for several records."""
    values = table.records.select(value=table.records[table.position(name)], **table.weight())
    kept = values.filter(chosen(values.value)).mutate(word=as_text(values.value))
    rows = table.rows(kept.group_by("word").agg(n=table.number(kept)))
    return {row["word"]: row["n"] for row in rows}


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


def marks_of(name: str, counts: Mapping[str, int]) -> Marks:
    """Return a column's marks, given how often each occurs.

    Examples
    --------
    >>> marks_of("age", {"-": 1, "NA": 3})
    Marks(column='age', words=('NA', '-'), records=4)
    """
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return Marks(name, tuple(words[:_NAMED]), sum(counts.values()))
