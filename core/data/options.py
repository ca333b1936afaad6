"""How a file's characters become values: encoding, delimiter, number format, missing, types."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from core.codec import entries_of, listed
from core.errors import InvalidInputError
from core.validation import shown

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1 (ISO 8859-1)",
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

DECIMALS = {".": "point", ",": "comma"}
"""Marks before the decimals of a number, with their names."""

THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
"""Marks between groups of three digits, with their names."""

KINDS = {
    "": "as found",
    "text": "text",
    "number": "number",
    "date": "date or time",
    "boolean": "true or false",
}
"""Types that a column can be read as; as found, numbers are what only has numbers."""

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

MOST_MARKS = 100
"""Most marks of missing values."""


def encoding_of(value: Any) -> str:
    """Return the key of `ENCODINGS` that a name of an encoding stands for, or ""."""
    if value == "" or (isinstance(value, str) and value in ENCODINGS):
        return str(value)
    try:
        found = _BY_CODEC.get(codecs.lookup(value).name)
    except (LookupError, TypeError, ValueError):
        found = None
    if found is None:
        _one_of(value, ENCODINGS, "The encoding")
    return str(found)


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
    kept = tuple(sorted({mark.strip() for mark in value}))
    if len(kept) > MOST_MARKS:
        raise InvalidInputError(f"{what} may be at most {MOST_MARKS}, got {len(kept)}.")
    return kept


@dataclass(frozen=True)
class ColumnOptions:
    """How one column is read.

    `kind`: "" (as found), "text", "number", "date" or "boolean". `order`: of a date: "ymd", "dmy"
    or "mdy". `part`: of a date: "" (all), "day", "month", "quarter", "year", "weekday" or "hour".
    `missing`: marks of missing values in this column; None for those of the file.
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

    def said(self) -> str:
        """Say in a few words how the column is read."""
        said = f"{self.column} as {KINDS[self.kind]}" if self.kind else self.column
        if self.kind == "date":
            told = [ORDERS[self.order]] if self.order != "ymd" else []  # else as it is found
            told += [f"kept: {PARTS[self.part]}"] if self.part else []
            said += f" ({'; '.join(told)})" if told else ""
        if self.missing is not None:
            said += f", missing: {', '.join(self.missing) or 'blanks only'}"
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON form, without defaults."""
        return _without_defaults(self)


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read; the defaults leave it to the file, "" is to be found.

    `encoding`: a key of `ENCODINGS`; else UTF-16 and UTF-8 by their marks and rules, then
    Windows-1252. It and `delimiter` are for text files alone. `decimal`, `thousands`: keys of
    `DECIMALS` and `THOUSANDS`, distinct. `missing`: texts that mean a missing value in every
    column; None for the usual ones (NA, null, -, …), in columns that have numbers otherwise. A
    blank is always missing.
    """

    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    thousands: str = ""
    missing: tuple[str, ...] | None = None
    columns: tuple[ColumnOptions, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", encoding_of(self.encoding))
        if not isinstance(self.delimiter, str) or (
            self.delimiter and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\x00')
        ):
            raise InvalidInputError(
                "The delimiter must be one character, no quote and no line break, got "
                f"{shown(self.delimiter)}."
            )
        _one_of(self.decimal, DECIMALS, "The decimal mark")
        _one_of(self.thousands, THOUSANDS, "The thousands mark")
        if self.decimal == self.thousands:
            raise InvalidInputError(
                f"The decimal mark and the thousands mark are both {self.decimal!r}: choose "
                "another for one of them."
            )
        object.__setattr__(self, "missing", _marks(self.missing, "The marks of missing values"))
        named = [one.column for one in self.columns]
        for name in named:
            if named.count(name) > 1:
                raise InvalidInputError(f"Column {shown(name)} is read in more than one way.")
        plain = [one for one in self.columns if one != ColumnOptions(one.column)]
        object.__setattr__(self, "columns", tuple(sorted(plain, key=lambda one: one.column)))

    @property
    def of_values(self) -> bool:
        """Whether it says more than the encoding and the delimiter."""
        return self != self.layout

    @property
    def layout(self) -> ReadOptions:
        """The encoding and the delimiter only."""
        return ReadOptions(self.encoding, self.delimiter)

    def within(self, columns: Collection[str]) -> ReadOptions:
        """Return the options for a table with these columns: of others nothing is said."""
        return replace(self, columns=tuple(one for one in self.columns if one.column in columns))

    def of(self, column: str) -> ColumnOptions:
        """Return how a column is read."""
        found = (one for one in self.columns if one.column == column)
        return next(found, ColumnOptions(column))

    def marks_of(self, column: str) -> tuple[str, ...] | None:
        """Return the marks of missing values of a column; None for the usual ones."""
        own = self.of(column).missing
        return self.missing if own is None else own

    def said(self) -> list[str]:
        """Say in a few words each what is not left to the file."""
        said = []
        if self.encoding:
            said.append(f"read as {ENCODINGS[self.encoding]}")
        if self.delimiter:
            said.append(f"fields separated by {self.delimiter!r}")
        if self.decimal != ".":
            said.append(f"decimal {DECIMALS[self.decimal]}")
        if self.thousands:
            said.append(f"thousands {THOUSANDS[self.thousands]}")
        if self.missing is not None:
            said.append(f"missing: {', '.join(self.missing) or 'blanks only'}")
        return said + [one.said() for one in self.columns]

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON form, without defaults."""
        values = _without_defaults(self)
        if self.columns:
            values["columns"] = [one.to_dict() for one in self.columns]
        return values

    @classmethod
    def from_dict(cls, values: Any) -> ReadOptions:
        """Read options from their JSON form; missing entries take their defaults."""
        parts = entries_of(values, cls, "How the data is read")
        found = []
        for one in listed(parts.get("columns", ()), "columns"):
            options = entries_of(one, ColumnOptions, "A column that is read")
            if "column" not in options:
                raise InvalidInputError("A column that is read must be named.")
            found.append(ColumnOptions(**options))
        return cls(**parts | {"columns": tuple(found)})


def _without_defaults(options: ColumnOptions | ReadOptions) -> dict[str, Any]:
    values = {}
    for item in fields(options):
        value = getattr(options, item.name)
        if item.name == "column" or value != item.default:
            values[item.name] = list(value) if isinstance(value, tuple) else value
    return values
