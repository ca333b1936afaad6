"""A table as its question says it is read: missing values, numbers, dates and types as chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ibis
from pyarrow import parquet

from core.data.options import ReadOptions
from core.data.readers.dates import kept_of, moments
from core.data.readers.marks import counted_words, with_marks
from core.data.readers.per_column import per_column
from core.data.readers.values import allowed, flag, number
from core.data.tables import FileTable, OpenTable, as_text, is_mark, open_table
from core.errors import InvalidInputError
from core.validation import shown

_BATCH = 100_000
"""Records that are written at once."""


def converted(
    file: FileTable,
    read: ReadOptions,
    rows: int,
    target: Path,
    line: Callable[[int], str] | None = None,
) -> FileTable:
    """Return a table with its columns as they are to be read.

    Parameters
    ----------
    file : FileTable
        The table as it is in its file.
    read : ReadOptions
        How it is read; encoding and delimiter have been dealt with.
    rows : int
        Number of its rows.
    target : Path
        The Parquet file that is written, unless no column changes.
    line : callable, optional
        Says where in a text file a record is, from 1, as the end of a phrase.

    Raises
    ------
    InvalidInputError
        If a column does not exist, or holds a value that its type does not allow.
    """
    plain = replace(file, marks=())
    texts = tuple(one.column for one in read.columns if one.kind == "text")
    with open_table(plain) as table:
        for one in read.columns:
            table.position(one.column)
        numbers = _formatted(table, read, rows)
        _check(table, read, line)
        columns = {name: _column(table, name, read, name in numbers) for name in file.columns}
        changed = {name for name, one in columns.items() if one is not None}
        words = _missing(table, read, changed, rows)
        if changed:
            _write(table, columns, target)
            plain = replace(plain, paths=(target,))
    exact = tuple(name for name in file.columns if read.marks_of(name) is not None)
    plain = replace(plain, texts=texts, taken=words, exact=exact)
    if read.missing is not None:
        return plain
    own = {one.column for one in read.columns if one.missing is not None}
    found = with_marks(plain, rows)
    kept = [one for one in found.marks if one.column not in own and one.column not in texts]
    return replace(found, marks=tuple(kept))


def _formatted(table: OpenTable, read: ReadOptions, rows: int) -> frozenset[str]:
    """Return the columns of text all of whose values are numbers with the marks asked for.

    One whose numbers need no mark but a point stays the text that it is.
    """
    if read.decimal == "." and not read.thousands:
        return frozenset()
    types = dict(zip(table.file.columns, table.records.schema().types, strict=False))
    left = [
        name for name in table.file.columns if types[name].is_string() and not read.of(name).kind
    ]
    alike: dict[tuple[str, ...] | None, list[str]] = {}
    for name in left:
        alike.setdefault(read.marks_of(name), []).append(name)
    chosen: set[str] = set()
    for marks, names in alike.items():

        def asked(column: Any, marks: tuple[str, ...] | None = marks) -> dict[str, Any]:
            blank = _blank(column, marks, numeric=True)
            found = number(column, read)
            there = as_text(column).notnull() & ~blank
            plain = column.try_cast("float64")
            return {
                "words": (there & found.isnull()).sum(),
                "needed": (there & (plain.isnull() | (plain != found))).sum(),
            }

        found = per_column(table, names, asked, rows)
        chosen |= {name for name in names if found[name]["needed"] and not found[name]["words"]}
    return frozenset(chosen)


def _blank(column: Any, marks: Sequence[str] | None, *, numeric: bool) -> Any:
    """Return whether each value is a mark of a missing one."""
    if marks is None:
        return is_mark(column).fill_null(False) if numeric else ibis.literal(False)
    return as_text(column).isin(marks).fill_null(False) if marks else ibis.literal(False)


def _typed(column: Any, name: str, read: ReadOptions, formatted: bool) -> Any:
    """Return a column's values by their type; None where they stay as they are."""
    options = read.of(name)
    if options.kind == "number" or formatted:
        return number(column, read)
    if options.kind == "date":
        return kept_of(column, options)
    if options.kind == "boolean":
        return flag(column)
    if options.kind == "text" and not column.type().is_string():
        return as_text(column)
    return None


def _column(table: OpenTable, name: str, read: ReadOptions, formatted: bool) -> Any:
    """Return a column as it is read; None where it stays as it is."""
    column = table.column(name)
    typed = _typed(column, name, read, formatted)
    marks = read.marks_of(name)
    if column.type().is_nested() or (typed is None and not marks):
        return None
    value = column if typed is None else typed
    numeric = read.of(name).kind not in ("", "text") or formatted
    return ibis.ifelse(_blank(column, marks, numeric=numeric), ibis.null(value.type()), value)


def _check(table: OpenTable, read: ReadOptions, line: Callable[[int], str] | None) -> None:
    """Raise for the first value that the type of its column does not allow."""
    for options in read.columns:
        if options.kind in ("", "text"):
            continue
        name = options.column
        column = table.column(name)
        known = (
            moments(column, options.order).known
            if options.kind == "date"
            else _typed(column, name, read, formatted=False).notnull()
        )
        marks = read.marks_of(name)
        there = as_text(column).notnull() & ~_blank(column, marks, numeric=True)
        wrong = (there & ~known).fill_null(False)
        found = table.row(table.records.aggregate(n=wrong.sum()))
        if not found["n"]:
            continue
        numbered = table.records.select(
            value=column.cast("string"), wrong=wrong, record=ibis.row_number()
        )
        first = table.row(numbered.filter(numbered.wrong).order_by("record").limit(1))
        record = int(first["record"]) + 1
        where = f"record {record:,}{line(record) if line else ''} has"
        if table.file.counted:
            where = "it has"
        raise InvalidInputError(
            f"Column {shown(name)} is read as {_NAMES[options.kind]}, and {where} "
            f"{shown(first['value'])}: {allowed(options, read)} is allowed, or a mark of a "
            "missing value."
        )


_NAMES = {"number": "numbers", "date": "dates", "boolean": "true or false"}


def _missing(
    table: OpenTable, read: ReadOptions, changed: Iterable[str], rows: int
) -> tuple[Any, ...]:
    """Return the marks that are taken for missing values in the columns that change."""
    alike: dict[tuple[str, ...] | None, list[str]] = {}
    for name in changed:
        alike.setdefault(read.marks_of(name), []).append(name)
    found = []
    for marks, names in alike.items():
        if marks != ():
            chosen = partial(_blank, marks=marks, numeric=True)
            found += counted_words(table, names, rows, chosen)
    places = {name: i for i, name in enumerate(table.file.columns)}
    return tuple(sorted(found, key=lambda one: places[one.column]))


def _write(table: OpenTable, columns: dict[str, Any], target: Path) -> None:
    """Write all records to a Parquet file, those columns that change as they are read."""
    written = {}
    for i, name in enumerate(table.file.columns):
        written[f"c{i}"] = table.records[i] if columns[name] is None else columns[name]
    query = table.records.select(**written, **table.weight())
    batches = table.backend.con.sql(table.backend.compile(query)).to_arrow_reader(_BATCH)
    with parquet.ParquetWriter(target, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
