"""Read text as dates and times, as people write them, inside DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ibis
import ibis.expr.datatypes as dt

from core.data.options import ColumnOptions
from core.data.tables import as_text

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

_DAYS = {
    "ymd": ["%Y-%m-%d", "%Y%m%d"],
    "dmy": ["%d-%m-%Y"],
    "mdy": ["%m-%d-%Y"],
}
_NAMED_DAYS = ["%d-%b-%Y", "%d-%B-%Y", "%b-%d-%Y", "%B-%d-%Y", "%Y-%b-%d", "%Y-%B-%d"]
_MONTHS = ["%b-%Y", "%B-%Y", "%Y-%m", "%m-%Y"]
_TIMES = ["%H:%M:%S", "%H:%M", "%I:%M:%S%p", "%I:%M%p", "%I%p"]
"""DuckDB's formats, after all marks between parts are one."""


@ibis.udf.scalar.builtin(name="try_strptime")  # type: ignore[untyped-decorator]
def _parsed(text: str, formats: dt.Array(dt.string)) -> dt.timestamp:  # type: ignore[valid-type]
    """Return a text as a time by the first format that fits, NULL for none: DuckDB's own."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What a column says of each record's time.

    Attributes
    ----------
    day : ibis expression
        The date, as its first moment; of a month its first day. NULL where there is none.
    of_month : ibis expression
        Whether it is a month that was written, without a day.
    clock : ibis expression
        The time of day, on any date. NULL where there is none.
    """

    day: Any
    of_month: Any
    clock: Any

    @property
    def known(self) -> Any:
        """Whether there is a date or a time of day."""
        return self.day.notnull() | self.clock.notnull()


def moments(column: Any, order: str) -> Moments:
    """Return what a column says of time.

    Parameters
    ----------
    column : ibis expression
        Dates, times, or text such as "2024-12-31 13:45", "31.12.2024", "3 Jan 2024 1:45 PM",
        "January 2024" or "14:35". Years have four digits.
    order : str
        The order of the parts of a date in numbers, a key of `core.data.options.ORDERS`.
    """
    kind = column.type()
    if kind.is_date() or (kind.is_timestamp() and kind.timezone is None):
        at = column.cast("timestamp")
        clock = at if kind.is_timestamp() else ibis.null("timestamp")
        return Moments(at, ibis.literal(False), clock)
    text = as_text(column).lower()
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
    found = moments(column, options.order)
    if options.part == "year":
        return found.day.year().cast("int64")
    if options.part == "hour":
        return found.clock.hour().cast("int64")
    if options.part == "month":
        return found.day.strftime("%Y-%m")
    if options.part == "quarter":
        return found.day.strftime("%Y-Q").concat(found.day.quarter().cast("string"))
    if options.part in ("day", "weekday"):
        form = "%Y-%m-%d" if options.part == "day" else "%u %A"
        return ibis.ifelse(found.of_month, ibis.null("string"), found.day.strftime(form))
    date = ibis.ifelse(found.of_month, found.day.strftime("%Y-%m"), found.day.strftime("%Y-%m-%d"))
    return ibis.literal(" ").join([date, found.clock.strftime("%H:%M:%S")]).nullif("")
