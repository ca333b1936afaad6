"""Look at a file before it is counted: its first rows, its marks of missing values, its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.options import ORDERS, ReadOptions
from core.data.readers.dates import moments
from core.data.readers.marks import word_counts
from core.data.readers.per_column import per_column
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.readers.values import number, number_of_text
from core.data.tables import BLANKS, FileTable, OpenTable, as_text, is_mark, is_word, open_table
from core.errors import InvalidInputError
from core.joint import MISSING

CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)
"""Numbers that often stand for a missing one."""

SHOWN = 8
"""First rows that are shown."""

_LOOKED = 50_000
"""Values of the first rows by which marks of numbers are recognised."""

_FORMATS = ((",", ""), (",", "."), (",", " "), (",", "'"))
_POINTS = ((".", ","), (".", " "), (".", "'"))
"""Decimal and thousands marks that are tried besides the point alone."""


@dataclass(frozen=True)
class PresentMark:
    """A text or number of a file that may mark a missing value.

    Attributes
    ----------
    word : str
        As written.
    columns : tuple of str
        The columns that have it.
    records : int
        How often it occurs in all.
    """

    word: str
    columns: tuple[str, ...]
    records: int


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table, as they are read.

    Attributes
    ----------
    columns : tuple of str
        The columns.
    rows : tuple of tuple of str
        Their levels as text; a missing one as "(missing)".
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _table(source: str, sources: Sources | None, read: ReadOptions) -> FileTable:
    found = (sources or Sources()).open(source, (), read)
    if isinstance(found, JointSource):
        raise InvalidInputError(f"{found.title} has no columns to be read.")
    return found


def first_rows(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS, most: int = SHOWN
) -> FirstRows:
    """Return the first rows of a table, as they are read.

    Parameters
    ----------
    source : str
        The data, as in a `DataSpec`.
    sources : Sources, optional
        The session's uploads.
    read : ReadOptions, optional
        How the data is read.
    most : int
        Most rows.

    Raises
    ------
    InvalidInputError
        If there is no such table, or it cannot be read so.

    Examples
    --------
    >>> first_rows("adult", most=1).rows[0][:3]
    ('39', 'State-gov', 'Bachelors')
    """
    file = _table(source, sources, read)
    with open_table(file) as table:
        levels = {
            f"c{i}": as_text(_plain(table.column(name))) for i, name in enumerate(file.columns)
        }
        rows = table.rows(table.records.limit(most).select(**levels))
    return FirstRows(
        file.columns,
        tuple(tuple(MISSING if one is None else one for one in row.values()) for row in rows),
    )


def _plain(column: Any) -> Any:
    return column.cast("string") if column.type().is_nested() else column


def present_marks(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[PresentMark, ...]:
    r"""Return what may mark a missing value in a file: words such as NA, numbers such as −99.

    A number counts where no other number of its column is within half of its size: 99 among ages
    does not. Marks that the options name are there too, with none where they do not occur.

    Parameters
    ----------
    source, sources, read
        As in `first_rows`; types and marks of the options do not matter.

    Raises
    ------
    InvalidInputError
        If there is no such table.

    Examples
    --------
    >>> sources = Sources()
    >>> source = sources.add_bytes(b"age,job\n30,NA\n-99,nurse\n-99,NA\n", "people.csv")
    >>> [(one.word, one.columns, one.records) for one in present_marks(source, sources)]
    [('-99', ('age',), 2), ('NA', ('job',), 2)]
    """
    file = replace(_table(source, sources, read.layout), marks=())
    chosen = read.missing or ()
    with open_table(file) as table:
        rows = int(table.row(table.records.aggregate(n=table.records.count()))["n"])
        types = dict(zip(file.columns, table.records.schema().types, strict=False))
        names = [name for name in file.columns if not types[name].is_nested()]
        found: dict[str, dict[str, int]] = {word: {} for word in chosen}
        for name, words in word_counts(table, names, rows, partial(_may_mark, chosen)).items():
            for word, n in words.items():
                found.setdefault(word, {})[name] = n
        for name, code, n in _codes(table, names, rows, read):
            found.setdefault(str(code), {})[name] = n
    return tuple(
        PresentMark(word, tuple(counts), sum(counts.values()))
        for word, counts in sorted(found.items())
    )


def are_missing(table: FileTable | JointSource, read: ReadOptions) -> Callable[[str, str], bool]:
    """Return what says whether a word of a column is taken for a missing value.

    Parameters
    ----------
    table : FileTable
        The table, as it is read.
    read : ReadOptions
        How it is read.
    """
    marked: set[str] = set()
    if isinstance(table, FileTable):
        marked = {one.column for one in (*table.marks, *table.taken)}

    def missing(column: str, word: str) -> bool:
        chosen = read.marks_of(column)
        if chosen is None:
            return column in marked and word.lower() in BLANKS
        return word in chosen

    return missing


def _may_mark(chosen: Sequence[str], column: Any) -> Any:
    return is_mark(column) | as_text(column).isin(chosen) if chosen else is_mark(column)


def _codes(
    table: OpenTable, names: Sequence[str], rows: int, read: ReadOptions
) -> Iterator[tuple[str, int, int]]:
    """Yield each number that stands apart from the others of its column, and how often."""
    types = dict(zip(table.file.columns, table.records.schema().types, strict=False))
    able = [name for name in names if types[name].is_string() or types[name].is_numeric()]

    def asked(column: Any) -> dict[str, Any]:
        found = number(column, read)
        others = found.notin(CODES)
        text = column.type().is_string()
        there = as_text(column).notnull() & ~_may_mark(read.missing or (), column)
        return {
            "low": found.min(where=others),
            "high": found.max(where=others),
            "words": (there & found.isnull()).sum() if text else ibis.literal(0, "int64"),
        } | {f"code{i}": (found == code).sum() for i, code in enumerate(CODES)}

    for name, part in per_column(table, able, asked, rows).items():
        if part["words"] or part["low"] is None:
            continue
        for i, code in enumerate(CODES):
            near = abs(code) / 2
            apart = code < part["low"] - near or code > part["high"] + near
            if part[f"code{i}"] and apart:
                yield name, code, int(part[f"code{i}"])


def recognised(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> ReadOptions:
    r"""Return options with the decimal and thousands marks by which most columns are numbers.

    They are changed only where they make more columns of text numbers than the point alone.

    Parameters
    ----------
    source, sources, read
        As in `first_rows`; a joint distribution leaves the options as they are.

    Raises
    ------
    InvalidInputError
        If there is no such data.

    Examples
    --------
    >>> sources = Sources()
    >>> source = sources.add_bytes(b"pay;job\n1.234,5;a\n99,5;b\n", "people.csv")
    >>> recognised(source, sources).said()
    ['decimal comma', 'thousands point']
    """
    file = (sources or Sources()).open(source, (), read.layout)
    if isinstance(file, JointSource):
        return read
    with open_table(replace(file, marks=())) as table:
        rows = int(table.row(table.records.aggregate(n=table.records.count()))["n"])
        schema = zip(file.columns, table.records.schema().types, strict=False)
        texts = [name for name, kind in schema if kind.is_string()]
        first = max(_LOOKED // max(len(texts), 1), 50)
        words = per_column(table, texts, _pointed, rows, first)
        left = [name for name in texts if words[name]["words"]]
        pointed = [name for name in texts if words[name]["points"] and not words[name]["words"]]
        found = per_column(table, [*left, *pointed], _tried, rows, first)
    semicolons = sources is not None and source in sources.uploads and _semicolons(sources, source)
    forms = (*_FORMATS, *_POINTS) if semicolons else (*_POINTS, *_FORMATS)
    gained = {
        form: [
            sum(not found[name][_key(form)] and found[name]["some"] > 0 for name in names)
            for names in (left, pointed)
        ]
        for form in forms
    }
    best = max(forms, key=lambda form: gained[form])
    if not gained[best][0]:
        return read
    return replace(read, decimal=best[0], thousands=best[1])


def _semicolons(sources: Sources, source: str) -> bool:
    text = sources.uploads[source].text
    return text is not None and text.layout.delimiter == ";"


def _key(form: tuple[str, str]) -> str:
    return f"words {form[0]}{form[1]}"


def _pointed(column: Any) -> dict[str, Any]:
    """Return how many values are words to the point alone, and how many have a point."""
    return {"words": is_word(column).sum(), "points": column.contains(".").sum()}


def _tried(column: Any) -> dict[str, Any]:
    """Return for each form of numbers how many values are none; and how many values there are."""
    there = as_text(column).notnull() & ~is_mark(column)
    return {"some": there.sum()} | {
        _key(form): (there & number_of_text(column, *form).isnull()).sum()
        for form in (*_FORMATS, *_POINTS)
    }


def likely_orders(
    source: str, column: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[str, ...]:
    r"""Return the order of `ORDERS` in which most values of a column are dates.

    There are two where as many values are dates in both and some are other dates: then only who
    knows the file can say which is meant.

    Parameters
    ----------
    source, sources, read
        As in `first_rows`.
    column : str
        The column.

    Raises
    ------
    InvalidInputError
        If there is no such column.

    Examples
    --------
    >>> sources = Sources()
    >>> source = sources.add_bytes(b"day,job\n31.1.2024,a\n1.2.2024,b\n", "days.csv")
    >>> likely_orders(source, "day", sources)
    ('dmy',)
    >>> source = sources.add_bytes(b"day,job\n3/1/2024,a\n1/2/2024,b\n", "days.csv")
    >>> likely_orders(source, "day", sources)
    ('dmy', 'mdy')
    """
    file = _table(source, sources, read.layout)
    with open_table(file) as table:
        records = table.records.limit(_LOOKED)
        values = records.select(value=_plain(records[table.position(column)]))
        made = {order: moments(values.value, order) for order in ORDERS}
        fits = {order: one.known.sum() for order, one in made.items()}
        other = (made["dmy"].day != made["mdy"].day).sum()
        found = table.row(values.aggregate(**fits, other=other))
    best = max(ORDERS, key=lambda order: found[order] or 0)
    if found["other"] and best == "dmy" and found["mdy"] == found["dmy"]:
        return ("dmy", "mdy")
    return (best,)
