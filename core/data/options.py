"""How a file's characters become values: encoding, delimiter, number format, missing, types."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.codec import json_object, listed, read_json
from core.errors import InvalidInputError
from core.validation import shown, whole
from core.wording import number_of

READABLE = "CSV, TSV, Parquet, Excel, OpenDocument, SPSS, Stata and SAS can be read"
"""Which kinds of files can be read, for sentences."""

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".dat")
"""How the names of text files end."""

OTHER_ENDINGS = (
    *(".parquet", ".pq", ".xlsx", ".xls", ".ods"),
    *(".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"),
)
"""How the names of other files end."""

ENDINGS = (*TEXT_ENDINGS, *OTHER_ENDINGS)
"""How the names of files that can be read end; what they are is seen from their content."""

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1 (ISO 8859-1)",
    "mac-roman": "Mac Roman",
    "windows-1250": "Windows-1250 (Central Europe)",
    "windows-1251": "Windows-1251 (Cyrillic)",
    "windows-1253": "Windows-1253 (Greek)",
    "windows-1254": "Windows-1254 (Turkish)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc-kr": "EUC-KR (Korean)",
}
"""Encodings that can be chosen, with their names."""

_BY_CODEC = {codecs.lookup(name).name: name for name in ENCODINGS}
"""The key of `ENCODINGS` by Python's name of its codec."""

ALIGNED = "aligned"
"""The delimiter of columns of fixed widths: blanks that are below each other."""

DECIMALS = {".": "point", ",": "comma"}
"""Marks before the decimals of a number, with their names."""

THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
"""Marks between groups of three digits, with their names."""

KINDS = {
    "": "as detected",
    "text": "text",
    "number": "number",
    "flagged": "number, without the mark after it",
    "date": "date or time",
    "boolean": "true or false",
}
"""Types that a column can be read as; as found, a column of numbers has nothing else."""

ORDERS = {"ymd": "year, month, day", "dmy": "day, month, year", "mdy": "month, day, year"}
"""Orders of the parts of a date, with their names."""

PARTS = {
    "": "as written",
    "day": "day",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "weekday": "day of the week",
    "hour": "hour of the day",
}
"""What is kept of a date and time, with their names."""

QUOTES = {"": "as detected", '"': "quotation marks", "'": "apostrophes", "none": "no quotes"}
"""Characters around a field that may hold delimiters, with their names."""

ESCAPES = {"": "as detected", "doubled": "a doubled quote", "\\": "a backslash before a quote"}
"""How a quote is written within quotes, with their names."""

PADS = {
    "": "as detected",
    "refuse": "refused",
    "pad": "short ones filled, long ones cut",
    "leave": "left out",
}
"""What becomes of records with fewer or more fields than names, with their names."""

KEPT = {
    "controls": "control characters stay",
    "empty": "columns without a name and a value stay",
    "again": "lines that repeat the names are records",
    "index": "row numbers of pandas stay",
    "column": "each line is one value, whatever may separate it",
    "shift": "names begin with the first column",
    "formulas": 'formulas of a text such as ="01" stay',
    "totals": "totals of a pasted table stay",
    "merged": "only the first of merged cells has their value",
    "labels": "values keep their codes in place of labels",
    "missing": "values that the file calls missing are values",
}
"""Repairs that can be undone, with what the undoing does."""

MOST_MARKS = 100
"""Most marks of missing values."""

MOST_LINES = 1_000_000
"""Largest number of a line that can be chosen."""

MOST_SEED = 10**9
"""Largest seed by which one record of each person is drawn."""

MOST_JOINED = 5
"""Most lines that are joined to names."""


def encoding_of(value: Any) -> str:
    """Return the key of `ENCODINGS` that a name of an encoding stands for, or ""."""
    if value == "" or (isinstance(value, str) and value in ENCODINGS):
        return str(value)
    try:
        key = _BY_CODEC.get(codecs.lookup(value).name)
    except (LookupError, TypeError, ValueError):
        key = None
    if key is None:
        _one_of(value, ENCODINGS, "The encoding")
    return str(key)


def _one_of(value: Any, known: Mapping[str, str], what: str) -> None:
    if not isinstance(value, str) or value not in known:
        names = ", ".join(map(repr, known))
        raise InvalidInputError(f"{what} must be one of {names}, got {shown(value)}.")


def _marks(value: Any, what: str) -> tuple[str, ...] | None:
    """Return marks of missing values, each once and without blanks at its ends."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise InvalidInputError(f"{what} must be a list of texts, got {shown(value)}.")
    for mark in value:
        if not isinstance(mark, str) or not mark.strip():
            raise InvalidInputError(f"{what} must be texts that are not blank, got {shown(mark)}.")
    marks = tuple(sorted({mark.strip() for mark in value}))
    if len(marks) > MOST_MARKS:
        raise InvalidInputError(f"{what} may be at most {MOST_MARKS}, got {len(marks)}.")
    return marks


@dataclass(frozen=True)
class Repair:
    """What was repaired in a file, as a sentence, and the reading options that undo it."""

    sentence: str
    undo: tuple[tuple[str, Any], ...] = ()


def repaired(sentence: str, **undo: Any) -> Repair:
    """Return what was repaired with the options that undo it."""
    return Repair(sentence, tuple(undo.items()))


@dataclass(frozen=True)
class ColumnOptions:
    """How one column is read.

    `kind`: "" (as found), "text", "number", "flagged" (a number, perhaps with a mark behind it, as
    in 1234 p), "date" or "boolean". `order`: of a date: "ymd", "dmy" or "mdy". `part`: of a date:
    "" (all), "day", "month", "quarter", "year", "weekday" or "hour". `missing`: marks of missing
    values in this column; None for those of the file.
    """

    column: str
    kind: str = ""
    order: str = "ymd"
    part: str = ""
    missing: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise InvalidInputError(f"A column that is read must be named, got {self.column!r}.")
        name = shown(self.column)
        _one_of(self.kind, KINDS, f"The type of {name}")
        _one_of(self.order, ORDERS, f"The order of the dates of {name}")
        _one_of(self.part, PARTS, f"What is kept of the dates of {name}")
        if self.kind != "date" and (self.part or self.order != "ymd"):
            raise InvalidInputError(
                f"Only a date has an order and parts, and {name} is read as {KINDS[self.kind]!r}."
            )
        object.__setattr__(
            self, "missing", _marks(self.missing, f"The marks of missing values of {name}")
        )

    def phrase(self) -> str:
        text = f"{self.column} as {KINDS[self.kind]}" if self.kind else self.column
        if self.kind == "date":
            details = [ORDERS[self.order]] if self.order != "ymd" else []  # else as it is found
            details += [f"kept: {PARTS[self.part]}"] if self.part else []
            text += f" ({'; '.join(details)})" if details else ""
        if self.missing is not None:
            text += f", missing: {', '.join(self.missing) or 'blanks only'}"
        return text

    def to_dict(self) -> dict[str, Any]:
        return _without_defaults(self)


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read; the defaults leave it to the file, and "" means that it is detected.

    `encoding`: a key of `ENCODINGS`; else UTF-16 and UTF-8 by their marks and rules, then
    Windows-1252. It, `delimiter` (one character, two as in ", " and "||", or "aligned"), `quote`
    and `escape` (keys of `QUOTES` and `ESCAPES`) are for text files alone. `header`: the lines, or
    rows of a sheet, whose cells are the names, joined by " · " if there are several; (0,) for a
    table without names, () to be found. `skip`: lines below the names that are left out.
    `skip_end`: lines that are left out at the end, None to be found. `pad`: a key of `PADS`.
    `sheet`: of a workbook. `kept`: the repairs of `KEPT` that are undone. `decimal`, `thousands`:
    keys of `DECIMALS` and `THOUSANDS`, distinct. `missing`: texts that mean a missing value in
    every column; None for the usual ones (NA, null, -, …), in columns that have numbers otherwise.
    A blank is always missing. `weight`: the column that says how many records a row stands for; ""
    for one each, None where unspecified. `sampling`: the column of sampling weights, such as those
    of a survey, by which shares are counted; "" for none. `person`: the column that names whose
    record it is; `first`: whether only the first record of each person counts; `drawn`: the seed by
    which the one record of each person that counts is drawn, None for all. `omit`: texts such as
    Total whose rows are left out; `cells`: columns whose cells are numbers of records, as of a
    cross table; `above`: columns in which a blank stands for the value above. For these, () is
    none, and None is unspecified.
    """

    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    thousands: str = ""
    missing: tuple[str, ...] | None = None
    columns: tuple[ColumnOptions, ...] = ()
    header: tuple[int, ...] = ()
    skip: int = 0
    skip_end: int | None = None
    quote: str = ""
    escape: str = ""
    pad: str = ""
    sheet: str = ""
    kept: tuple[str, ...] = ()
    weight: str | None = None
    sampling: str = ""
    person: str = ""
    first: bool = False
    drawn: int | None = None
    omit: tuple[str, ...] | None = None
    cells: tuple[str, ...] | None = None
    above: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", encoding_of(self.encoding))
        if not isinstance(self.delimiter, str) or not can_delimit(self.delimiter or ","):
            raise InvalidInputError(
                "The delimiter must be one character, no quote and no line break, or one with a "
                f"blank or with itself behind it, got {shown(self.delimiter)}."
            )
        self._check_lines()
        for name, known in (("quote", QUOTES), ("escape", ESCAPES), ("pad", PADS)):
            _one_of(getattr(self, name), known, f"{name}")
        names = (("sheet", str), ("weight", str | None), ("sampling", str), ("person", str))
        for what, kind in names:
            if not isinstance(value := getattr(self, what), kind):
                raise InvalidInputError(f"{what} must be a name, got {shown(value)}.")
        if self.sampling and (self.weight or self.cells):
            raise InvalidInputError(
                f"A row with a sampling weight ({shown(self.sampling)}) is one record: it cannot "
                "stand for several."
            )
        self._check_drawn()
        if self.person and (self.weight or self.cells):
            raise InvalidInputError(
                f"A row is one record of a person identified by {shown(self.person)}: it cannot "
                "stand for several records."
            )
        for name in listed(self.kept, "kept"):
            _one_of(name, KEPT, "What is kept as it is")
        object.__setattr__(self, "kept", tuple(sorted(set(self.kept))))
        _one_of(self.decimal, DECIMALS, "The decimal mark")
        _one_of(self.thousands, THOUSANDS, "The thousands mark")
        if self.decimal == self.thousands:
            raise InvalidInputError(
                f"The decimal mark and the thousands mark are both {self.decimal!r}: choose "
                "another for one of them."
            )
        object.__setattr__(self, "missing", _marks(self.missing, "The marks of missing values"))
        object.__setattr__(self, "omit", _marks(self.omit, "What rows left out are called"))
        object.__setattr__(self, "cells", _marks(self.cells, "Columns of numbers of records"))
        object.__setattr__(self, "above", _marks(self.above, "Columns with blanks to be filled"))
        named = [options.column for options in self.columns]
        for name in named:
            if named.count(name) > 1:
                raise InvalidInputError(f"Column {shown(name)} is read in more than one way.")
        plain = [options for options in self.columns if options != ColumnOptions(options.column)]
        object.__setattr__(
            self, "columns", tuple(sorted(plain, key=lambda options: options.column))
        )

    def _check_drawn(self) -> None:
        if not isinstance(self.first, bool) or (self.first and not self.person):
            raise InvalidInputError(
                "first must be true or false, and true only with a column that identifies the "
                f"person, got {shown(self.first)}."
            )
        if self.drawn is None:
            return
        whole(self.drawn, "drawn", low=0, high=MOST_SEED)
        if self.first or not self.person:
            raise InvalidInputError(
                "drawn is the seed by which one record of each person is drawn: it needs a column "
                "that identifies the person (person), and cannot be combined with first."
            )

    def _check_lines(self) -> None:
        header = listed(self.header, "header")
        for line in header:
            whole(line, "The line of the names", low=0, high=MOST_LINES)
        if len(header) > MOST_JOINED or (len(header) > 1 and (0 in header)):
            raise InvalidInputError(
                f"The names must be in one to {MOST_JOINED} lines, counted from 1, or 0 for none, "
                f"got {list(header)}."
            )
        object.__setattr__(self, "header", tuple(sorted(set(header))))
        whole(self.skip, "skip", low=0, high=MOST_LINES)
        if self.skip_end is not None:
            whole(self.skip_end, "skip_end", low=0, high=MOST_LINES)

    @property
    def of_values(self) -> bool:
        """Whether it says more than the layout."""
        return self != self.layout

    @property
    def layout(self) -> ReadOptions:
        """What finds the table in the file: not what its values mean."""
        return replace(
            self,
            decimal=".",
            thousands="",
            missing=None,
            columns=(),
            weight=None,
            sampling="",
            person="",
            first=False,
            drawn=None,
            omit=None,
            cells=None,
            above=None,
        )

    def undoing(self, undo: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        """Return the options that undo a repair, besides those that are undone already."""
        changed = dict(undo)
        if "kept" in changed:
            changed["kept"] = (*self.kept, *changed["kept"])
        return changed

    def within(self, columns: Collection[str]) -> ReadOptions:
        """Return the options for a table with these columns, without those of others."""
        kept = tuple(options for options in self.columns if options.column in columns)
        weight = self.weight if not self.weight or self.weight in columns else None
        cells = self.cells if set(self.cells or ()) <= set(columns) else None
        above = self.above and tuple(name for name in self.above if name in columns)
        sampling = self.sampling if self.sampling in columns else ""
        rest = replace(
            self, columns=kept, weight=weight, sampling=sampling, cells=cells, above=above
        )
        return rest if self.person in columns else replace(rest, person="", first=False, drawn=None)

    def of(self, column: str) -> ColumnOptions:
        matches = (options for options in self.columns if options.column == column)
        return next(matches, ColumnOptions(column))

    def marks_of(self, column: str) -> tuple[str, ...] | None:
        """Return the marks of missing values of a column; None for the usual ones."""
        own = self.of(column).missing
        return self.missing if own is None else own

    def phrases(self) -> list[str]:
        """List, in a few words each, what is not left to the file."""
        parts = []
        if self.encoding:
            parts.append(f"read as {ENCODINGS[self.encoding]}")
        if self.delimiter == ALIGNED:
            parts.append("fields in columns of fixed widths")
        elif self.delimiter:
            parts.append(f"fields separated by {self.delimiter!r}")
        if self.sheet:
            parts.append(f"sheet {self.sheet!r}")
        if self.header == (0,):
            parts.append("no line of names")
        elif self.header:
            parts.append(f"names in line {' and '.join(map(str, self.header))}")
        if self.skip:
            parts.append(f"{number_of(self.skip, 'line')} below the names left out")
        if self.skip_end is not None:
            out = f"{number_of(self.skip_end, 'line')} at the end left out"
            parts.append(out if self.skip_end else "the last lines are records")
        if self.quote:
            parts.append(QUOTES[self.quote] + (" around fields" if self.quote != "none" else ""))
        if self.escape:
            parts.append(f"{ESCAPES[self.escape]} for a quote in quotes")
        if self.pad:
            parts.append(f"records of another length {PADS[self.pad]}")
        parts += [KEPT[name] for name in self.kept]
        if self.decimal != ".":
            parts.append(f"decimal {DECIMALS[self.decimal]}")
        if self.thousands:
            parts.append(f"thousands {THOUSANDS[self.thousands]}")
        if self.missing is not None:
            parts.append(f"missing: {', '.join(self.missing) or 'blanks only'}")
        if self.weight:
            parts.append(f"each row stands for as many records as {self.weight!r} says")
        elif self.weight is not None:
            parts.append("each row is one record")
        if self.sampling:
            parts.append(f"shares counted by the sampling weights of {self.sampling!r}")
        if self.person:
            only = ": only the first record of each counts" if self.first else ""
            if self.drawn is not None:
                only = f": one record of each counts, drawn with seed {self.drawn}"
            parts.append(f"persons are identified by {self.person!r}{only}")
        if self.omit:
            parts.append(f"rows called {', '.join(self.omit)} left out")
        elif self.omit is not None:
            parts.append("rows of totals are records")
        if self.cells:
            parts.append(f"numbers of records in {', '.join(self.cells)}")
        elif self.cells is not None:
            parts.append("each row is one record, whatever its numbers are")
        if self.above:
            parts.append(f"blanks of {', '.join(self.above)} filled with the value above")
        elif self.above is not None:
            parts.append("blanks are missing values, whatever is above")
        return parts + [options.phrase() for options in self.columns]

    def to_dict(self) -> dict[str, Any]:
        values = _without_defaults(self)
        if self.columns:
            values["columns"] = [options.to_dict() for options in self.columns]
        return values

    @classmethod
    def from_dict(cls, values: Any) -> ReadOptions:
        parts = json_object(values, cls, "How the data is read")
        columns = []
        for entry in listed(parts.get("columns", ()), "columns"):
            options = json_object(entry, ColumnOptions, "A column that is read")
            if "column" not in options:
                raise InvalidInputError("A column that is read must be named.")
            columns.append(ColumnOptions(**options))
        return cls(**parts | {"columns": tuple(columns)})

    @classmethod
    def from_text(cls, settings: Sequence[str], start: ReadOptions | None = None) -> ReadOptions:
        """Read options from texts such as "header=3", "missing=NA,-99" or a JSON object."""
        values = ReadOptions().to_dict() if start is None else start.to_dict()
        for setting in settings:
            if setting.lstrip().startswith("{"):
                values |= json_object(read_json(setting, "How the data is read"), cls, "It")
                continue
            name, mark, text = setting.partition("=")
            if not mark:
                raise InvalidInputError(
                    "How the data is read must be NAME=VALUE, such as header=3, got "
                    f"{shown(setting)}."
                )
            values[name.strip()] = _setting(name.strip(), text)
        return cls.from_dict(values)


def _setting(name: str, text: str) -> Any:
    if name in ("header", "skip", "skip_end", "drawn"):
        parts = text.split(",")
        if not all(part.strip().isdecimal() for part in parts):
            raise InvalidInputError(f"{name} must be a whole number, got {shown(text)}.")
        numbers = [int(part) for part in parts]
        return numbers if name == "header" else numbers[0]
    if name in ("missing", "kept", "omit", "cells", "above"):
        return [part.strip() for part in text.split(",") if part.strip()]
    if name == "first" and text in ("true", "false"):
        return text == "true"
    if name == "columns":
        return read_json(text, "columns")
    return {"tab": "\t"}.get(text, text) if name == "delimiter" else text


def can_delimit(mark: str) -> bool:
    """Say whether a mark can separate fields: one character, or one with itself or a blank."""
    return mark == ALIGNED or (
        0 < len(mark) <= 2
        and not set(mark) & set('"\r\n\x00')
        and (len(mark) == 1 or (mark[1] in (mark[0], " ") and mark != "  "))
    )


AS_IT_IS = ReadOptions()
"""Leaves to the file how it is read."""


def _without_defaults(options: ColumnOptions | ReadOptions) -> dict[str, Any]:
    values = {}
    for item in fields(options):
        value = getattr(options, item.name)
        if item.name == "column" or value != item.default:
            values[item.name] = list(value) if isinstance(value, tuple) else value
    return values
