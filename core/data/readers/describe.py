"""Look at a table before it is counted: columns, levels, first rows, marks, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.options import AS_IT_IS, ORDERS, ReadOptions
from core.data.readers.converted import moments, number, number_of_text
from core.data.readers.marks import (
    LOOKED,
    SUPPRESSED,
    first_rows_of,
    histogram,
    is_flagged,
    is_suppressed,
    per_column,
    word_counts,
)
from core.data.readers.sources import Sources
from core.data.readers.totals import first_texts
from core.data.tables import (
    BLANKS,
    FileTable,
    Marks,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    is_text,
    is_word,
    may_hold_numbers,
    open_table,
    plain_text,
)
from core.errors import InvalidInputError
from core.joint import MISSING
from core.level_order import all_numbers, position
from core.limits import MAX_LEVELS
from core.wording import records_in


@dataclass(frozen=True)
class ColumnLevels:
    """Levels of a column with their numbers of records; `left_out` counts rarer ones, not listed.

    `labels`: the most frequent, numbers along the number line, names by letter, missing last.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    left_out: int


def column_levels(
    source: str,
    column: str,
    sources: Sources | None = None,
    most: int = 200,
    read: ReadOptions = AS_IT_IS,
) -> ColumnLevels:
    """List a column's levels."""
    file = _table(source, sources, read, column)
    with open_table(file) as table:
        levels = table.records.select(level=as_text(table.column(column)), **table.weight())
        counted = levels.group_by("level").agg(n=table.number(levels))
        total = int(table.row(counted.aggregate(n=counted.count()))["n"])
        rows = table.rows(counted.order_by([counted.n.desc(), counted.level]).limit(most))
    counts = {row["level"]: int(row["n"]) for row in rows}
    numeric = all_numbers(counts)
    ordered = sorted(counts, key=lambda level: position(level, numeric))
    return ColumnLevels(
        tuple(MISSING if level is None else level for level in ordered),
        tuple(counts[level] for level in ordered),
        total - len(ordered),
    )


EXACT = 20_000_000
"""Most values of columns with thousands of levels for which the levels are counted exactly."""


DIFFERENT = 0.95
"""Share of different values from which a column of text may be an identifier."""

_ID = re.compile(r"(?:^|[\W_])(?i:id|uuid|guid|identifier)$|[a-z]I[dD]$")
"""Names of identifiers: id, person_id, personID."""


@dataclass(frozen=True)
class ColumnInfo:
    """A column of a table; `missing` counts records without a value.

    `numeric`: whether all values are numbers, which can be binned. `levels`: number of different
    values, an estimate within a few per cent unless `exact`. `identifier`: whether it seems to name
    each record: nearly all values differ, and it is text, numbers the records, or is called an id.
    """

    name: str
    numeric: bool
    levels: int
    exact: bool
    missing: int
    low: float | None
    high: float | None
    identifier: bool = False


@dataclass(frozen=True)
class TableInfo:
    """A table's number of records, columns, and marks taken for missing values, by column."""

    title: str
    rows: int
    columns: tuple[ColumnInfo, ...]
    marks: tuple[Marks, ...] = ()


def describe(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> TableInfo | None:
    """Describe a source's columns as they are read; return None for a source that is a joint."""
    file = (sources or Sources()).open(source, (), read)
    if isinstance(file, JointSource):
        return None
    with open_table(file) as table:
        rows = table.total()
        summaries = per_column(table, file.columns, _summary)
        for name in file.columns if file.counted else ():
            there = table.records.filter(as_text(table.column(name)).notnull())
            size = table.row(there.aggregate(n=table.size(there)))["n"]
            summaries[name]["present"] = int(size)
        many = sum(part["levels"] > 2 * MAX_LEVELS for part in summaries.values())
        few = [
            name
            for name, part in summaries.items()
            if part["levels"] <= 2 * MAX_LEVELS or many * rows <= EXACT
        ]
        exact = per_column(table, few, lambda values: {"levels": as_text(values).nunique()})
    columns = []
    for name in file.columns:
        part = summaries[name]
        words = part["words"] or 0 < 2 * (part["codes"] or 0) < part["present"]
        numeric = part["low"] is not None and not words and name not in file.texts
        column = ColumnInfo(
            name=name,
            numeric=numeric,
            levels=exact.get(name, {"levels": min(part["levels"], part["present"])})["levels"],
            exact=name in exact,
            missing=rows - part["present"],
            low=part["low"] if numeric else None,
            high=part["high"] if numeric else None,
        )
        columns.append(replace(column, identifier=_names_records(column, part["present"])))
    return TableInfo(file.title, rows, tuple(columns), (*file.marks, *file.taken))


def _names_records(column: ColumnInfo, present: int) -> bool:
    """Say whether a column seems to name each record, of those that have a value."""
    nearly = DIFFERENT if column.exact else DIFFERENT - 0.05  # an estimate is off by a few per cent
    if present < 20 or column.levels < 0.5 * present:
        return False
    if _ID.search(column.name):
        return True
    if column.levels < nearly * present:
        return False
    if column.low is None or column.high is None:
        return True
    return column.exact and column.high - column.low + 1 == column.levels == present


def _summary(column: Any) -> dict[str, Any]:
    """Return aggregates of a column: numbers of values and words, range, about how many levels.

    `codes`: how many have zeros before. Where few do, as of zip codes, they are no numbers.
    """
    ranged, text = may_hold_numbers(column), column.type().is_string()
    there = plain_text(column) if text else as_text(column)
    return {
        "levels": there.approx_nunique(),
        "present": there.count(),
        "low": as_number(column).min() if ranged else ibis.null("float64"),
        "high": as_number(column).max() if ranged else ibis.null("float64"),
        "words": is_word(column).sum() if text else ibis.literal(0, "int64"),
        "codes": _codes_of_one_length(there) if text else ibis.literal(0, "int64"),
    }


def _codes_of_one_length(text: Any) -> Any:
    """Return how many texts have zeros before, where all have one length, of four digits or more.

    Else return 0.
    """
    size = text.length()
    return ibis.ifelse(
        (size.min() == size.max()) & (size.min() > 3), text.re_search("^0[0-9]+$").sum(), 0
    )


@dataclass(frozen=True)
class Dated:
    """A column of text that is dates in numbers throughout; `orders` are keys of `ORDERS`.

    There are two where both fit all its dates and differ: no day is above 12.
    """

    column: str
    orders: tuple[str, ...]


def dated(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[Dated, ...]:
    r"""Return the columns of text whose first values are all dates, and in which order."""
    file = (sources or Sources()).open(source, (), read.layout)
    if isinstance(file, JointSource):
        return ()
    with open_table(replace(file, marks=())) as table:
        texts, first = table.texts, first_rows_of(table.texts)
        columns = per_column(table, texts, _dates, first)
    result = []
    for name, counts in columns.items():
        fits = [order for order in ORDERS if counts["some"] and counts[order] == counts["some"]]
        if len(fits) > 1 and not counts["other"]:
            fits = fits[:1]  # each value is the same date in both orders
        if fits:
            result.append(Dated(name, tuple(fits)))
    return tuple(result)


def _dates(column: Any) -> dict[str, Any]:
    """Return how many values there are, how many are dates in each order, and how many differ."""
    texts = column.type().is_string()
    there = is_word(column) & ~is_mark(column) if texts else as_text(column).notnull()
    parsed = {order: moments(column, order) for order in ORDERS}
    days = {order: (there & date.day.notnull() & ~date.of_month) for order, date in parsed.items()}
    differ = there & (parsed["dmy"].day != parsed["mdy"].day)
    return {
        "some": (as_text(column).notnull() & ~is_mark(column)).sum(),  # numbers are no dates
        "other": differ.sum(),
        **{order: date.sum() for order, date in days.items()},
    }


_SHAPES = [digit * size for size in range(2, 9) for digit in "789"]
_SHAPES += ["9" * size + digit for size in range(1, 8) for digit in "678"]

CODES = tuple(
    sorted({*map(int, _SHAPES), *(-int(n) for n in _SHAPES), *(-n for n in range(1, 10))})
)
"""Numbers that often stand for a missing one: 77, 88, 99, 97, 9998, -1, -999, …"""

SIGNS = r"^[*.:…·•†‡#/?–—－−‐‑-]+$"
"""Words that often do so in any column."""

WORDS = r"^[^0-9]+$"
"""Words that may do so where four of five values are numbers, such as "missing"."""

MOST_WORDS = 5
"""Most such words of a column."""

LEAST_NUMBERS = 5
"""Fewest other numbers that one of two digits stands apart from."""


_FORMATS = ((",", ""), (",", "."), (",", " "), (",", "'"))
_POINTS = ((".", ","), (".", " "), (".", "'"))
"""Decimal and thousands marks that are tried besides the point alone."""


@dataclass(frozen=True)
class PresentMark:
    """A text or number of a file that may mark a missing value, its columns and occurrences."""

    word: str
    columns: tuple[str, ...]
    records: int


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table, as they are read, as text; a missing value is "(missing)"."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _table(source: str, sources: Sources | None, read: ReadOptions, *columns: str) -> FileTable:
    file = (sources or Sources()).open(source, columns, read)
    if isinstance(file, JointSource):
        raise InvalidInputError(f"{file.title} is a joint distribution: it has no columns to read.")
    return file


def first_rows(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS, most: int = 8
) -> FirstRows:
    """Return the first rows of a table, as they are read."""
    file = _table(source, sources, read)
    with open_table(file) as table:
        levels = first_texts(table, most).values()
    rows = zip(*levels, strict=True)
    return FirstRows(
        file.columns,
        tuple(tuple(MISSING if level is None else level for level in row) for row in rows),
    )


def size_text(source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS) -> str:
    """Say how many records a table has, and in how many rows where these stand for several."""
    file = _table(source, sources, read)
    with open_table(file) as table:
        size = records_in(table.total(), file.rows if read.weight else None)
    return size if file.most == 1 else f"{size}, up to {file.most:,} of one person"


def present_marks(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[PresentMark, ...]:
    """Return what may mark a missing value in a file: words such as NA, numbers such as −99.

    A number counts where no other of its column is within half of its size. Marks that the options
    name are there too.
    """
    file = replace(_table(source, sources, read.layout), marks=())
    chosen = read.missing or ()
    with open_table(file) as table:
        names = [name for name, kind in table.types.items() if not kind.is_nested()]
        marks: dict[str, dict[str, int]] = {word: {} for word in chosen}
        patterns = _with_numbers(table, read)
        for pattern in (SUPPRESSED, WORDS, SIGNS):
            may_mark = partial(_may_mark, chosen, pattern)
            some = [name for name in names if patterns.get(name, SIGNS) == pattern]
            for name, words in word_counts(table, some, may_mark).items():
                if pattern == WORDS and len(words) > MOST_WORDS:
                    continue
                for word, n in words.items():
                    marks.setdefault(word, {})[name] = n
        for name, code, n in _codes(table, read):
            marks.setdefault(str(code), {})[name] = n
    return tuple(
        PresentMark(
            word, tuple(name for name in file.columns if name in counts), sum(counts.values())
        )
        for word, counts in sorted(marks.items())
    )


def are_missing(table: FileTable | JointSource, read: ReadOptions) -> Callable[[str, str], bool]:
    """Return what says whether a word of a column is taken for a missing value."""
    marked: set[str] = set()
    if isinstance(table, FileTable):
        marked = {mark.column for mark in (*table.marks, *table.taken)}

    def missing(column: str, word: str) -> bool:
        chosen = read.marks_of(column)
        if chosen is None:
            return column in marked and word.lower() in BLANKS
        return word in chosen

    return missing


def _may_mark(chosen: Sequence[str], pattern: str, column: Any) -> Any:
    text = as_text(column)
    signs = (
        text.re_search(pattern) & as_number(column).isnull() if column.type().is_string() else False
    )
    marks = is_mark(column) | signs
    return marks | text.isin(chosen) if chosen else marks


def _with_numbers(table: OpenTable, read: ReadOptions) -> dict[str, str]:
    """Return the columns of text that have numbers, and the pattern of words that may be marks."""

    def aggregates(column: Any) -> dict[str, Any]:
        value = number(column, read)
        other = value.isnull() & is_word(column) & ~is_mark(column) & ~is_suppressed(column)
        return {"numbers": value.count(), "others": other.sum()}

    counts = per_column(table, table.texts, aggregates)
    return {
        name: WORDS if count["others"] else SUPPRESSED
        for name, count in counts.items()
        if count["numbers"] > 4 * count["others"]
    }


def _codes(table: OpenTable, read: ReadOptions) -> Iterator[tuple[str, int, int]]:
    """Yield each number that stands apart from the others of its column, and how often."""
    able = [name for name, kind in table.types.items() if kind.is_string() or kind.is_numeric()]

    def aggregates(column: Any) -> dict[str, Any]:
        value = number(column, read)
        others = value.notin(CODES)
        text = column.type().is_string()
        there = as_text(column).notnull() & ~_may_mark(read.missing or (), SUPPRESSED, column)
        return {
            "others": others.sum(),
            "low": value.min(where=others),
            "high": value.max(where=others),
            "words": (there & value.isnull()).sum() if text else ibis.literal(0, "int64"),
            "codes": histogram(value.cast("string"), where=value.isin(CODES)),
        }

    for name, part in per_column(table, able, aggregates).items():
        if part["words"] or part["low"] is None:
            continue
        for written, times in sorted((part["codes"] or {}).items()):
            code = int(float(written))
            near = abs(code) / 2
            if 0 < code < 100 and part["others"] < LEAST_NUMBERS:
                continue
            if code < part["low"] - near or code > part["high"] + near:
                yield name, code, int(times)


def recognised(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> ReadOptions:
    """Return options with the decimal and thousands marks by which most columns are numbers.

    They stay as they are where a comma may be either, which `questions_about` asks.
    """
    file = (sources or Sources()).open(source, (), read.layout)
    if isinstance(file, JointSource):
        return read
    with open_table(replace(file, marks=())) as table:
        texts, first = table.texts, first_rows_of(table.texts)
        words = per_column(table, texts, _pointed, first)
        left = [name for name in texts if words[name]["words"]]
        pointed = [name for name in texts if words[name]["points"] and not words[name]["words"]]
        counts = per_column(table, [*left, *pointed], _tried, first)
    text = sources.uploads[source].text if sources and source in sources.uploads else None
    delimiter = "" if text is None else text.layout.delimiter
    forms = (*_FORMATS, *_POINTS) if delimiter == ";" else (*_POINTS, *_FORMATS)
    gained = {
        form: [
            sum(not counts[name][_key(form)] and counts[name]["some"] > 0 for name in names)
            for names in (left, pointed)
        ]
        for form in forms
    }
    best = max(forms, key=lambda form: gained[form])
    either = gained[",", ""] == gained[".", ","] == gained[best] and delimiter != ","
    if either or not gained[best][0]:
        return read
    return replace(read, decimal=best[0], thousands=best[1])


def _key(form: tuple[str, str]) -> str:
    return f"words {form[0]}{form[1]}"


def _pointed(column: Any) -> dict[str, Any]:
    """Return how many values are words to the point alone, and how many have a point."""
    words = is_text(column) & ~is_suppressed(column) & ~is_flagged(column)
    return {"words": words.sum(), "points": column.contains(".").sum()}


def _tried(column: Any) -> dict[str, Any]:
    """Return how many values do not fit each form of numbers, and how many there are.

    Marks of missing and suppressed numbers, and numbers with a mark behind them, are no values.
    """
    aside = is_mark(column) | is_suppressed(column) | is_flagged(column)
    there = as_text(column).notnull() & ~aside
    return {"some": there.sum()} | {
        _key(form): (there & number_of_text(column, *form).isnull()).sum()
        for form in (*_FORMATS, *_POINTS)
    }


def likely_orders(
    source: str, column: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[str, ...]:
    """Return the order of `ORDERS` in which most values of a column are dates.

    There are two where as many values are dates in both and some are other dates.
    """
    file = _table(source, sources, read.layout)
    with open_table(file) as table:
        table.position(column)
        counts = per_column(table, [column], _dates, LOOKED)[column]
    best = max(ORDERS, key=lambda order: counts[order] or 0)
    if counts["other"] and best == "dmy" and counts["mdy"] == counts["dmy"]:
        return ("dmy", "mdy")
    return (best,)
