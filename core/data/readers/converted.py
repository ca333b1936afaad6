"""A table, read as its question specifies: marks, numbers, dates and types as chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa
from pyarrow import compute, parquet

from core.data.options import ORDERS, ColumnOptions, ReadOptions
from core.data.readers.marks import counted_words, per_column, with_marks
from core.data.readers.records import write_batches
from core.data.readers.totals import MOST_CROSSED, first_texts, total_columns
from core.data.tables import (
    WEIGHT,
    FileTable,
    Line,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    may_hold_numbers,
    open_table,
    plain_text,
)
from core.errors import InvalidInputError, ReadingError, choice
from core.limits import MAX_UPLOAD_RECORDS
from core.texts import FLAG_END, any_number, group_mark, number_pattern
from core.validation import shown
from core.wording import first_of, free_name

TRUE = ("true", "t", "yes", "y", "on", "1", "wahr", "ja", "oui", "vrai")
"""Words for true, in lower case."""

FALSE = ("false", "f", "no", "n", "off", "0", "falsch", "nein", "non", "faux")
"""Words for false, in lower case."""

_EXAMPLES = {"ymd": "2024-12-31", "dmy": "31.12.2024 or 31/12/2024", "mdy": "12/31/2024"}
"""Dates in numbers, in each order."""


def number_of_text(column: Any, decimal: str, thousands: str) -> Any:
    """Return texts as numbers with these marks, NULL where one is none."""
    text = plain_text(column).replace("−", "-")
    plain = text.re_replace(group_mark(thousands), "") if thousands else text
    if decimal != ".":
        plain = plain.replace(decimal, ".")
    known = text.re_search(f"^{number_pattern(decimal, thousands)}$")
    return ibis.ifelse(known, plain.try_cast("float64"), ibis.null("float64"))


def number(column: Any, read: ReadOptions, kind: str = "") -> Any:
    """Return a column of some `kind` as numbers, NULL where a value is none."""
    if not column.type().is_string():
        return as_number(column)
    if kind == "flagged":
        column = plain_text(column).re_replace(FLAG_END, "")
    return number_of_text(column, read.decimal, read.thousands)


def flag(column: Any) -> Any:
    """Return a column as the texts "true" and "false", NULL where a value is neither."""
    word = as_text(column).lower()
    return ibis.cases((word.isin(TRUE), "true"), (word.isin(FALSE), "false"))


def allowed(options: ColumnOptions, read: ReadOptions) -> str:
    """Say which values a column of a type may have, for an error's sentence."""
    if options.kind in _NUMBERS:
        mark = ", perhaps followed by a mark" if options.kind == "flagged" else ""
        return f"a number such as 1{read.thousands}234{read.decimal}5{mark}"
    if options.kind == "date":
        return (
            f"a date with a four-digit year ({ORDERS[options.order]}) such as "
            f"{_EXAMPLES[options.order]}, 3 Jan 2024 1:45 PM, January 2024 or 13:45"
        )
    return "true or false, yes or no, 1 or 0"


_NAME = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
"""The beginning of a month's English name; its other letters are DuckDB's to check."""

_NUMERIC = {
    "ymd": r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{8}",
    "dmy": r"\d{1,2}[-./]\d{1,2}[-./]\d{4}",
    "mdy": r"\d{1,2}[-./]\d{1,2}[-./]\d{4}",
}
"""A date in numbers, in each order of its parts."""

_ORDINAL = r"\d{1,2}(?:st|nd|rd|th|\.)?"

_NAMED = (
    rf"{_ORDINAL}(?: +|-)?{_NAME}(?:\.?,? +|-|\.-?)?\d{{4}}|{_NAME}\.? +{_ORDINAL}(?:, *| +)\d{{4}}"
    rf"|\d{{4}}[- ]{_NAME}[- ]\d{{1,2}}"
)
"""A date with its month's name: the order of its parts is seen."""

_MONTH = rf"{_NAME}(?:\.?,? +|-|\.-?)?\d{{4}}|\d{{4}}[-./]\d{{1,2}}|\d{{1,2}}[-./]\d{{4}}"
"""A month of a year."""

_24 = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_12 = r"\d{1,2}(?::\d{2}(?::\d{2}(?:[.,]\d+)?)?)? *[ap]\.? ?m\.?"
_ZONE = r" *(?:z|[+-]\d{2}(?::?\d{2})?)?"
"""Times of day, in lower case, and the zone behind one, which is not used."""

_CLOCK = rf"(?:({_12})|({_24}){_ZONE})"

_DAYS = {"ymd": ["%Y-%m-%d", "%Y%m%d"], "dmy": ["%d-%m-%Y"], "mdy": ["%m-%d-%Y"]}
_NAMED_DAYS = ["%d-%b-%Y", "%d-%B-%Y", "%b-%d-%Y", "%B-%d-%Y", "%Y-%b-%d", "%Y-%B-%d"]
_MONTHS = ["%b-%Y", "%B-%Y", "%Y-%m", "%m-%Y"]
_TIMES = ["%H:%M:%S", "%H:%M", "%I:%M:%S%p", "%I:%M%p", "%I%p"]
"""DuckDB's formats, after all marks between parts are one."""


@ibis.udf.scalar.builtin(name="try_strptime")  # type: ignore[untyped-decorator]
def _parsed(text: str, formats: dt.Array(dt.string)) -> dt.timestamp:  # type: ignore[valid-type]
    """Return a text as a time by the first format that fits, NULL for none: DuckDB's own."""


@dataclass(frozen=True, eq=False)
class Moments:
    """A column's dates and times of day, NULL for none; a month's `day` is its first."""

    day: Any
    of_month: Any
    clock: Any

    @property
    def known(self) -> Any:
        """Whether there is a date or a time of day."""
        return self.day.notnull() | self.clock.notnull()


def moments(column: Any, order: str) -> Moments:
    """Return a column's dates and times of day."""
    kind = column.type()
    if kind.is_date() or (kind.is_timestamp() and kind.timezone is None):
        at = column.cast("timestamp")
        clock = at if kind.is_timestamp() else ibis.null("timestamp")
        return Moments(at, ibis.literal(False), clock)
    text = (plain_text(column) if kind.is_string() else as_text(column)).lower()
    days = rf"({_NUMERIC[order]})|({_NAMED})|({_MONTH})"
    whole = rf"^(?:{days})(?:(?:t|,? +) *{_CLOCK})?$|^{_CLOCK}$"

    def part(place: int) -> Any:
        return text.re_extract(whole, place).nullif("")

    numeric, named, month = (part(place) for place in (1, 2, 3))
    day = ibis.coalesce(
        _read(numeric.replace(".", "-").replace("/", "-"), _DAYS[order]),
        _read(_spaced(named), _NAMED_DAYS),
        _read(_spaced(month), _MONTHS),
    )
    dated = text.re_extract(rf"^(?:{days})(?:[t, ]|$)", 0) != ""
    clock = ibis.coalesce(*(part(place) for place in (4, 5, 6, 7)))
    time = _read(clock.re_replace("[.,][0-9]+|[. ]", "").upper(), _TIMES)
    return Moments(
        _where(clock.isnull() | time.notnull(), day),
        month.notnull(),
        _where(day.notnull() | ~dated, time),
    )


def _spaced(date: Any) -> Any:
    """Return a date with one mark between its parts; Sept is DuckDB's Sep."""
    apart = date.re_replace("([0-9])(st|nd|rd|th)", r"\1").re_replace("([0-9])([a-z])", r"\1-\2")
    parted = apart.re_replace("([a-z])([0-9])", r"\1-\2").re_replace("[-./, ]+", "-")
    return parted.replace("sept-", "sep-")


def _read(text: Any, formats: list[str]) -> Any:
    return _parsed(text, ibis.array(formats))


def _where(right: Any, value: Any) -> Any:
    return ibis.ifelse(right, value, ibis.null("timestamp"))


def kept_of(column: Any, options: ColumnOptions) -> Any:
    """Return what is kept of a column of dates or times, NULL where a value does not have it."""
    time = moments(column, options.order)
    if options.part == "year":
        return time.day.year().cast("int64")
    if options.part == "hour":
        return time.clock.hour().cast("int64")
    if options.part == "month":
        return time.day.strftime("%Y-%m")
    if options.part == "quarter":
        return time.day.strftime("%Y-Q").concat(time.day.quarter().cast("string"))
    if options.part in ("day", "weekday"):
        form = "%Y-%m-%d" if options.part == "day" else "%u %A"
        return ibis.ifelse(time.of_month, ibis.null("string"), time.day.strftime(form))
    date = ibis.ifelse(time.of_month, time.day.strftime("%Y-%m"), time.day.strftime("%Y-%m-%d"))
    return ibis.literal(" ").join([date, time.clock.strftime("%H:%M:%S")]).nullif("")


def converted(file: FileTable, read: ReadOptions, target: Path, line: Line = None) -> FileTable:
    """Return a table with its columns as they are to be read."""
    plain = replace(file, marks=())
    if read.above:
        plain = _from_above(plain, read.above, target.with_suffix(".filled"))
    if read.omit:
        plain, line = _without(plain, read.omit, target.with_suffix(".kept")), None
    if read.cells:
        if read.weight:
            raise InvalidInputError(
                f"{file.title} already holds counts: it cannot be counted by {shown(read.weight)}."
            )
        plain, line = _of_cells(plain, read, target.with_suffix(".cells")), None
        read = read.within(plain.columns)
    texts = tuple(options.column for options in read.columns if options.kind == "text")
    with open_table(plain, line) as table:
        for options in read.columns:
            table.position(options.column)
        numbers = _formatted(table, read)
        _check(table, read)
        columns = {name: _column(table, name, read, name in numbers) for name in plain.columns}
        unweighted = _unweighted(table, read)
        if read.sampling:
            own = table.records[table.position(read.sampling)]
            kind = read.of(read.sampling).kind
            columns[read.sampling] = number(own, read, kind) if own.type().is_string() else None
        changed = {name for name, column in columns.items() if column is not None}
        words = _missing(table, read, changed)
        weight = _weight(table, read)
        if weight is not None:
            del columns[read.weight or ""]
        if changed or weight is not None or unweighted:
            _write(table, columns, target, weight, read.sampling)
            plain = replace(
                plain,
                paths=(target,),
                columns=tuple(columns),
                counted=plain.counted or weight is not None,
            )
    plain = replace(plain, sampling=read.sampling, unweighted=unweighted)
    if read.person:
        line = None if unweighted else line
        plain = _of_persons(plain, read, target.with_suffix(".first"), line)
    words = tuple(mark for mark in words if mark.column in plain.columns)
    exact = tuple(name for name in plain.columns if read.marks_of(name) is not None)
    plain = replace(plain, texts=texts, taken=words, exact=exact)
    if read.missing is not None:
        return plain
    own = {options.column for options in read.columns if options.missing is not None}
    marked = with_marks(plain)
    marks = [mark for mark in marked.marks if mark.column not in own and mark.column not in texts]
    return replace(marked, marks=tuple(marks))


def _from_above(file: FileTable, names: Sequence[str], target: Path) -> FileTable:
    """Return a table with the value above in place of each blank of some columns."""
    if file.counted:
        raise InvalidInputError(f"{file.title} holds counts without an order: no value is above.")
    with open_table(file) as table:
        places = [table.position(name) for name in names]
        columns = [table.records[i] for i in range(len(file.columns))]
        for i in places:
            there = as_text(columns[i]).notnull()
            columns[i] = ibis.ifelse(there, columns[i], ibis.null(columns[i].type()))
        query = table.records.select(**{f"c{i}": column for i, column in enumerate(columns)})
        batches = _batches(table, query)
        write_batches(_filled(batches, places), batches.schema, target)
    return replace(file, paths=(target,))


def _filled(batches: Iterable[pa.RecordBatch], places: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """Yield batches with the last value above for each missing one of some columns."""
    last: dict[int, pa.Array] = {}
    for batch in batches:
        arrays = list(batch.columns)
        for i in places:
            above = last.get(i, arrays[i][:0])
            filled = compute.fill_null_forward(pa.concat_arrays([above, arrays[i]]))
            arrays[i], last[i] = filled[len(above) :], filled[-1:]
        yield pa.record_batch(arrays, batch.schema)


def _without(file: FileTable, omitted: Sequence[str], target: Path) -> FileTable:
    """Return a table without the rows that have one of some texts."""
    with open_table(file) as table:
        out = ibis.literal(False)
        levels = per_column(table, table.texts, _levels_are_many)
        for name in table.texts:
            if levels[name]["many"]:  # what all rows have names none of them
                out |= as_text(table.column(name)).isin(omitted).fill_null(False)
        query = table.records.filter(~out)
        _to_parquet(table, query, target)
    rest = replace(file, paths=(target,))
    if not rest.rows:
        raise InvalidInputError(f"{file.title} has no records left: all are left out.")
    return rest


def _of_persons(file: FileTable, read: ReadOptions, target: Path, line: Line) -> FileTable:
    """Return a table with the most records of a person; only one of each, if so requested."""
    name = read.person
    if file.counted:
        raise InvalidInputError(
            f"{file.title} holds counts, so {shown(name)} cannot identify the person of a record."
        )
    with open_table(file, line) as table:
        column = table.records[table.position(name)]
        if column.type().is_nested():
            raise InvalidInputError(f"Column {shown(name)} holds {column.type()}, not persons.")
        person = as_text(column)
        where, _ = table.first_record(person, person.isnull())
        if where:
            raise InvalidInputError(
                f"Column {shown(name)} identifies persons, but {where} has no value."
            )
        each = table.records.select(person=person).group_by("person").agg(n=ibis._.count())
        summary = table.row(each.aggregate(most=each.n.max(), persons=each.count()))
        named = replace(file, person=name, most=int(summary["most"] or 1))
        if not (read.first or read.drawn is not None) or named.most == 1:
            return named
        own = {f"c{i}": table.records[i] for i in range(len(file.columns))}
        chosen = table.records.select(**own, person=person, record=ibis.row_number())
        numbered = table.kept(chosen)
        order = [numbered.record]
        if read.drawn is not None:  # the place that such a hash has among others is random
            text = ibis.literal(f"{read.drawn} ") + numbered.record.cast("string")
            order.insert(0, text.hexdigest("md5"))
        earlier = ibis.window(group_by=numbered.person, order_by=order)
        placed = numbered.mutate(place=ibis.row_number().over(earlier))
        rows = placed.filter(placed.place == 0).order_by("record").select(*own)
        _to_parquet(table, rows, target)
    return replace(named, paths=(target,), most=1, repeated=file.rows - int(summary["persons"]))


def _levels_are_many(column: Any) -> dict[str, Any]:
    text = as_text(column)
    return {"many": (text.min() != text.max()) | (text.count() < column.isnull().count())}


def _of_cells(file: FileTable, read: ReadOptions, target: Path) -> FileTable:
    """Return a table of the records that are counted in the cells of some columns.

    A record has the other columns of its row, and the name of its column; a total has none.
    """
    counted = read.cells or ()
    with open_table(file) as table:
        out = {*counted, *total_columns(first_texts(table, MOST_CROSSED))}
        others = [column for column in file.columns if column not in out]
        name = free_name("column", lambda column: column in others)
        labels = {f"c{i}": table.records[table.position(column)] for i, column in enumerate(others)}
        parts = []
        for column in counted:
            cell, kind = table.records[table.position(column)], read.of(column).kind
            blank = as_text(cell).isnull() | _blank(cell, read.marks_of(column), numeric=True)
            value = _whole(table, column, ibis.ifelse(blank, 0.0, number(cell, read, kind)), _CELL)
            own = {f"c{len(others)}": ibis.literal(column), WEIGHT: value}
            part = table.records.select(**labels, **own)
            parts.append(part.filter(part[WEIGHT] > 0))
        _to_parquet(table, ibis.union(*parts) if len(parts) > 1 else parts[0], target)
    result = replace(file, paths=(target,), columns=(*others, name), counted=True)
    if not result.rows:
        raise InvalidInputError(
            f"{file.title} has no records: only zeros in {first_of(list(map(shown, counted)))}."
        )
    return result


def _by_marks(
    names: Iterable[str], read: ReadOptions
) -> Iterable[tuple[tuple[str, ...] | None, list[str]]]:
    """Return columns together whose marks of missing values are the same."""
    alike: dict[tuple[str, ...] | None, list[str]] = {}
    for name in names:
        alike.setdefault(read.marks_of(name), []).append(name)
    return alike.items()


def _formatted(table: OpenTable, read: ReadOptions) -> frozenset[str]:
    """Return the columns of text all of whose values are numbers only by the requested marks."""
    if read.decimal == "." and not read.thousands:
        return frozenset()
    left = [name for name in table.texts if not read.of(name).kind]
    chosen: set[str] = set()
    for marks, names in _by_marks(left, read):

        def aggregates(column: Any, marks: tuple[str, ...] | None = marks) -> dict[str, Any]:
            blank = _blank(column, marks, numeric=True)
            value = number(column, read)
            there = as_text(column).notnull() & ~blank
            plain = as_number(column)
            return {
                "words": (there & value.isnull()).sum(),
                "needed": (there & (plain.isnull() | (plain != value))).sum(),
            }

        counts = per_column(table, names, aggregates)
        chosen |= {name for name in names if counts[name]["needed"] and not counts[name]["words"]}
    return frozenset(chosen)


def _blank(column: Any, marks: Sequence[str] | None, *, numeric: bool) -> Any:
    """Return whether each value is a mark of a missing one."""
    if marks is None:
        return is_mark(column).fill_null(False) if numeric else ibis.literal(False)
    return as_text(column).isin(marks).fill_null(False) if marks else ibis.literal(False)


def _typed(column: Any, name: str, read: ReadOptions, formatted: bool) -> Any:
    """Return a column's values by their type; None where they stay as they are."""
    options = read.of(name)
    if options.kind in _NUMBERS or formatted:
        return number(column, read, options.kind)
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


def _check(table: OpenTable, read: ReadOptions) -> None:
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
        where, value = table.first_record(column.cast("string"), wrong)
        if where:
            raise InvalidInputError(
                f"Column {shown(name)} is read as {_KINDS[options.kind]}, but {where} has "
                f"{shown(value)}: use {allowed(options, read)}, or a mark of a missing value."
            )


_NUMBERS = ("number", "flagged")

_KINDS = dict.fromkeys(_NUMBERS, "numbers") | {"date": "dates", "boolean": "true or false"}


def _missing(table: OpenTable, read: ReadOptions, changed: Iterable[str]) -> tuple[Any, ...]:
    """Return the marks that are taken for missing values in the columns that change."""
    words = []
    for marks, names in _by_marks(changed, read):
        if marks != ():
            chosen = partial(_blank, marks=marks, numeric=True)
            words += counted_words(table, names, chosen)
    places = {name: i for i, name in enumerate(table.file.columns)}
    return tuple(sorted(words, key=lambda word: places[word.column]))


def _weight(table: OpenTable, read: ReadOptions) -> Any:
    """Return how many records each row stands for, by the column of weights; raise if invalid."""
    name = read.weight
    if not name:
        return None
    if len(table.file.columns) < 2:
        raise InvalidInputError(f"S needs a column other than {shown(name)}.")
    numbers = _counting(table, name, read, "numbers of records")
    value = _whole(table, name, numbers, _WEIGHT) * table.times()
    if not table.row(table.records.aggregate(total=value.sum()))["total"]:
        raise InvalidInputError(f"Column {shown(name)} has only zeros: there are no records.")
    return value


def _counting(table: OpenTable, name: str, read: ReadOptions, what: str) -> Any:
    """Return the numbers of a column by which records count; raise where it can have none."""
    column = table.records[table.position(name)]
    if not may_hold_numbers(column):
        raise InvalidInputError(f"Column {shown(name)} holds {column.type()}, not {what}.")
    return number(column, read, read.of(name).kind)


def _unweighted(table: OpenTable, read: ReadOptions) -> int:
    """Return how many rows have a sampling weight of 0; raise if the weights are invalid."""
    name = read.sampling
    if not name:
        return 0
    title = shown(name)
    value = _counting(table, name, read, "sampling weights")
    wrong = (value.isnull() | (value < 0) | value.isinf()).fill_null(True)
    where, text = table.first_record(as_text(table.records[table.position(name)]), wrong)
    if where:
        raise InvalidInputError(
            f"Column {title} holds sampling weights, but {where} has "
            f"{'no value' if text is None else shown(text)}: use a number of at least 0."
        )
    summary = table.row(
        table.records.aggregate(
            zero=ibis.ifelse(value == 0, table.times(), 0).sum(),
            least=value.min(where=value > 0),
            most=value.max(),
        )
    )
    if summary["least"] is None:
        raise InvalidInputError(f"Column {title} has only zeros: no record has a weight.")
    if summary["least"] < summary["most"] / _MOST_RATIO:
        raise InvalidInputError(
            f"The sampling weights of {title} go from {summary['least']:g} to {summary['most']:g}: "
            f"the largest may be at most {_MOST_RATIO:,.0f} times the smallest above 0."
        )
    return int(summary["zero"] or 0)


_MOST_RATIO = 1e9
"""Largest ratio of two sampling weights: sums of these are exact to 20 decimals."""

_WEIGHT = "counts the records that a row stands for"
_CELL = "is read as counts of records"


def no_count(value: Any) -> Any:
    """Return whether each number counts no records: it is missing, negative or a fraction."""
    return (value.isnull() | (value < 0) | (value != value.floor())).fill_null(True)


def _whole(table: OpenTable, name: str, value: Any, what: str) -> Any:
    """Return a column of numbers as whole ones; raise where one is not whole, or below 0."""
    column = table.records[table.position(name)]
    where, text = table.first_record(as_text(column), no_count(value))
    if where:
        fraction = any_number(text or "") if what == _WEIGHT else None
        sampling = bool(fraction and fraction > 0)
        raise ReadingError(
            f"Column {shown(name)} {what}, but {where} has "
            f"{'no value' if text is None else shown(text)}: use a whole number of "
            f"at least 0{', or read them as sampling weights' if sampling else ''}.",
            [choice("Read them as sampling weights", weight="", sampling=name)] if sampling else (),
        )
    return value.cast("int64")


_LISTED = 1_000
"""Records of a row that DuckDB lists at once: it holds the lists of thousands of rows."""


def expanded(file: FileTable, target: Path) -> FileTable:
    """Return a table with a row for each record of one whose rows stand for several."""
    with open_table(file) as table:
        if (total := table.total()) > MAX_UPLOAD_RECORDS:
            raise InvalidInputError(
                f"{file.title} stands for {total:,} records; at most {MAX_UPLOAD_RECORDS:,} can be "
                "written."
            )
        own = {f"c{i}": table.records[i] for i in range(len(file.columns))}
        weight = table.records[len(file.columns)]
        begun = ibis.range(0, weight, _LISTED).unnest()
        parts = table.records.select(**own, begun=begun, end=ibis.least(weight, begun + _LISTED))
        times = ibis.range(parts.begun, parts.end)
        rows = parts.select(*own, time=times.unnest()).drop("time")
        _to_parquet(table, rows, target)
    return replace(file, paths=(target,), counted=False)


def _write(
    table: OpenTable, columns: dict[str, Any], target: Path, weight: Any, sampling: str
) -> None:
    """Write all records to a Parquet file, those columns that change as they are read."""
    written = {}
    for i, (name, column) in enumerate(columns.items()):
        written[f"c{i}"] = table.records[table.position(name)] if column is None else column
    many = table.weight() if weight is None else {WEIGHT: weight}
    query = table.records.select(**written, **many)
    if weight is not None:
        query = query.filter(query[WEIGHT] > 0)
    if sampling:
        query = query.filter(as_number(query[f"c{list(columns).index(sampling)}"]) > 0)
    _to_parquet(table, query, target)


def _to_parquet(table: OpenTable, query: Any, target: Path) -> None:
    batches = _batches(table, query)
    with parquet.ParquetWriter(target, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _batches(table: OpenTable, query: Any) -> Any:
    return table.backend.con.sql(table.backend.compile(query)).to_arrow_reader(100_000)
