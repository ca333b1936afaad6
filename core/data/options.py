"""How a file's characters become values: encoding, delimiter, number format, missing, types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from core.errors import InvalidInputError
from core.validation import shown

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1 (ISO 8859-1)",
}
"""Encodings that can be chosen, with their names."""

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

    Attributes
    ----------
    column : str
        The column.
    kind : str
        "" (as found), "text", "number", "date" or "boolean".
    order : str
        Of a date: "ymd", "dmy" or "mdy"; else "ymd".
    part : str
        What is kept of a date: "" (all), "day", "month", "quarter", "year", "weekday" or "hour".
    missing : tuple of str or None
        Marks of missing values in this column; None where they are those of the file.

    Raises
    ------
    InvalidInputError
        If a value is outside its domain, or a part is asked of what is no date.

    Examples
    --------
    >>> ColumnOptions("born", "date", "dmy", "year").part
    'year'
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
        """Say in a few words how the column is read.

        Examples
        --------
        >>> ColumnOptions("born", "date", "dmy", "year").said()
        'born as date or time (day, month, year; kept: year)'
        """
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
    """How a file is read; the defaults leave it to the file.

    Attributes
    ----------
    encoding : str
        A key of `ENCODINGS`, or "" to find it: UTF-16 and UTF-8 by their marks and rules, else
        Windows-1252. Without effect on Parquet, Excel and data bases, as is the delimiter.
    delimiter : str
        The character between fields, or "" to find it.
    decimal, thousands : str
        Marks of the numbers in text: keys of `DECIMALS` and `THOUSANDS`, distinct.
    missing : tuple of str or None
        Texts that mean a missing value in every column, as written. None for the usual ones (NA,
        null, -, …), in columns that have numbers otherwise. A blank is always missing.
    columns : tuple of ColumnOptions
        Columns that are read otherwise, each once.

    Raises
    ------
    InvalidInputError
        If a value is outside its domain.

    Examples
    --------
    >>> read = ReadOptions(decimal=",", missing=("NA", "-99"))
    >>> read.to_dict()
    {'decimal': ',', 'missing': ['-99', 'NA']}
    >>> ReadOptions.from_dict(read.to_dict()) == read
    True
    """

    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    thousands: str = ""
    missing: tuple[str, ...] | None = None
    columns: tuple[ColumnOptions, ...] = ()

    def __post_init__(self) -> None:
        if self.encoding != "":
            _one_of(self.encoding, ENCODINGS, "The encoding")
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
        """Say in a few words each what is not left to the file.

        Examples
        --------
        >>> read = ReadOptions("windows-1252", ";", ",", missing=("NA",))
        >>> read.said()
        ['read as Windows-1252', "fields separated by ';'", 'decimal comma', 'missing: NA']
        """
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
        """Read options from their JSON form; missing entries take their defaults.

        Raises
        ------
        InvalidInputError
            If a name is unknown or a value is outside its domain.
        """
        parts = entries_of(values, cls, "How the data is read")
        columns = parts.get("columns", ())
        if not isinstance(columns, list | tuple):
            raise InvalidInputError(f"columns must be a list, got {shown(columns)}.")
        found = []
        for one in columns:
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


def entries_of(values: Any, kind: type, name: str) -> dict[str, Any]:
    """Return a JSON object as a dictionary, all of whose entries are fields of `kind`.

    Examples
    --------
    >>> entries_of({"decimal": ","}, ReadOptions, "How the data is read")
    {'decimal': ','}
    """
    if not isinstance(values, Mapping):
        raise InvalidInputError(f"{name} must be a JSON object, got {shown(values)}.")
    known = {item.name for item in fields(kind)}
    for entry in values:
        if entry not in known:
            raise InvalidInputError(f"{name} has an unknown entry {shown(entry)}.")
    return dict(values)
