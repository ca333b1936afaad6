"""Read text as numbers, or as true and false, inside DuckDB; and say what a type allows."""

from __future__ import annotations

import re
from typing import Any

import ibis

from core.data.options import ORDERS, ColumnOptions, ReadOptions
from core.data.tables import as_number, as_text

TRUE = ("true", "t", "yes", "y", "on", "1", "wahr", "ja", "oui", "vrai")
"""Words for true, in lower case."""

FALSE = ("false", "f", "no", "n", "off", "0", "falsch", "nein", "non", "faux")
"""Words for false, in lower case."""

SPACES = " \u00a0\u2009\u202f"
"""Characters that are a space between groups of three digits: also those that do not break."""

APOSTROPHES = "'\u2019"
"""Characters that are an apostrophe between groups of three digits."""

_MINUS = "\u2212"
"""The minus sign of typesetting."""

_EXAMPLES = {"ymd": "2024-12-31", "dmy": "31.12.2024 or 31/12/2024", "mdy": "12/31/2024"}
"""Dates in numbers, in each order."""


def number_pattern(decimal: str, thousands: str) -> str:
    """Return the regular expression of numbers that are written with these marks.

    Groups between marks of thousands have three digits, so that 1.5 is no fifteen.

    Examples
    --------
    >>> pattern = number_pattern(",", ".")
    >>> [bool(re.fullmatch(pattern, text)) for text in ("1.234,5", "1234,5", "1.5", "-,5")]
    [True, True, False, True]
    """
    whole = r"\d+"
    if thousands:
        whole = rf"(?:\d{{1,3}}(?:{_group(thousands)}\d{{3}})+|\d+)"
    mark = re.escape(decimal)
    return rf"^[+\-{_MINUS}]?(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?$"


def _group(thousands: str) -> str:
    chars = {" ": SPACES, "'": APOSTROPHES}.get(thousands, thousands)
    return f"[{re.escape(chars)}]"


def number_of_text(column: Any, decimal: str, thousands: str) -> Any:
    """Return texts as numbers with these marks, NULL where one is none."""
    text = as_text(column)
    plain = text.replace(_MINUS, "-")
    if thousands:
        plain = plain.re_replace(_group(thousands), "")
    if decimal != ".":
        plain = plain.replace(decimal, ".")
    known = text.re_search(number_pattern(decimal, thousands))
    return ibis.ifelse(known, plain.try_cast("float64"), ibis.null("float64"))


def number(column: Any, read: ReadOptions) -> Any:
    """Return a column as numbers, NULL where a value is none."""
    if not column.type().is_string():
        return as_number(column)
    return number_of_text(column, read.decimal, read.thousands)


def flag(column: Any) -> Any:
    """Return a column as the texts "true" and "false", NULL where a value is neither."""
    word = as_text(column).lower()
    return ibis.cases((word.isin(TRUE), "true"), (word.isin(FALSE), "false"))


def allowed(options: ColumnOptions, read: ReadOptions) -> str:
    """Say which values a column of a type may have, for an error's sentence.

    Examples
    --------
    >>> allowed(ColumnOptions("pay", "number"), ReadOptions(decimal=",", thousands="."))
    'a number such as 1.234,5'
    """
    if options.kind == "number":
        return f"a number such as 1{read.thousands}234{read.decimal}5"
    if options.kind == "date":
        return (
            f"a date with a year of four digits ({ORDERS[options.order]}) such as "
            f"{_EXAMPLES[options.order]}, 3 Jan 2024 1:45 PM, January 2024 or 13:45"
        )
    return "true or false, yes or no, 1 or 0"
