"""Dates and times as people write them, against Python's own calendar."""

import datetime

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import ColumnOptions, DataSpec, ReadOptions, Sources, count
from core.data.options import ORDERS, PARTS
from core.data.readers.converted import kept_of, moments
from core.data.tables import define_texts
from core.errors import InvalidInputError

DAYS = {
    "ymd": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"],
    "dmy": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "mdy": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms whose order is chosen."""

NAMED = ["%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d. %B %Y", "%b %d, %Y", "%B %d %Y", "%Y-%b-%d"]
MONTHS = ["%B %Y", "%b %Y", "%b-%Y", "%Y-%m", "%m/%Y"]
CLOCKS = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p"]

MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 12, 31, 23, 59, 59))


def read(texts, order="dmy", parts=tuple(PARTS)):
    """Return for each part what is kept of the texts, and which of them are known."""
    backend = ibis.duckdb.connect()
    define_texts(backend)
    try:
        table = backend.create_table("t", pa.table({"v": pa.array(texts, pa.string())}), temp=True)
        columns = {
            f"part {part}": kept_of(table.v, ColumnOptions("v", "date", order, part))
            for part in parts
        }
        known = moments(table.v, order).known
        result = backend.to_pyarrow(table.select(**columns, known=known)).to_pydict()
    finally:
        backend.disconnect()
    return {part: result[f"part {part}"] for part in parts}, result["known"]


def expected(at, *, day, clock, second):
    """Return for each part what a moment keeps of itself."""
    date = {"": f"{at:%Y-%m}", "day": f"{at:%Y-%m-%d}", "month": f"{at:%Y-%m}", "hour": at.hour}
    date |= {"quarter": f"{at.year}-Q{(at.month + 2) // 3}", "year": at.year}
    date |= {"weekday": f"{at.isoweekday()} {at:%A}"}
    if day is None:
        date |= dict.fromkeys(("day", "month", "quarter", "year", "weekday"))
    if day == "month":
        date |= dict.fromkeys(("day", "weekday"))
    if not clock:
        date |= {"hour": None}
    whole = {None: "", "month": f"{at:%Y-%m} ", "day": f"{at:%Y-%m-%d} "}[day]
    time = f"{at:%H:%M}:{at.second if second else 0:02}" if clock else ""
    return date | {"": (whole + time).strip()}


@settings(deadline=None, max_examples=12)
@given(st.lists(MOMENTS, min_size=10, max_size=30), st.sampled_from(list(ORDERS)), st.data())
def test_what_is_written_is_read_back(written, order, data):
    texts, wanted = [], []
    for at in written:
        day = data.draw(st.sampled_from([None, "month", "day"]))
        clock = data.draw(st.sampled_from(CLOCKS if day is None else ["", *CLOCKS]))
        forms = {None: [""], "month": MONTHS, "day": DAYS[order] + NAMED}[day]
        form = data.draw(st.sampled_from(forms))
        between = data.draw(st.sampled_from([" ", ", "])) if day and clock else ""
        text = at.strftime(form + between + clock)
        change = data.draw(st.sampled_from([str, str.upper, str.lower]))
        texts.append(change(text))
        wanted.append(expected(at, day=day, clock=bool(clock), second="%S" in clock))
    result, known = read(texts, order)
    assert known == [True] * len(texts)
    for part, values in result.items():
        assert values == [item[part] for item in wanted]


KNOWN = [
    ("Sept 5, 2024", "2024-09-05"),
    ("1st August 2024", "2024-08-01"),
    ("22nd of May 2024", None),
    ("3Jan2024", "2024-01-03"),
    ("3. Jan. 2024", "2024-01-03"),
    ("29 Feb 2024", "2024-02-29"),
    ("29 Feb 2023", None),
    ("31 Apr 2024", None),
    ("12 AM", "00:00:00"),
    ("12 p.m.", "12:00:00"),
    ("0:30 PM", None),
    ("13:00 PM", None),
    ("24:00", None),
    ("14:60", None),
    ("9:05:59.999", "09:05:59"),
    ("14:35Z", "14:35:00"),
    ("3 Jan 24", None),
    ("1/2/24", None),
    ("2024123", None),
    ("2024", None),
    ("March", None),
    ("13/2024", None),
    ("2024-13", None),
    ("Janus 2024", None),
    ("augustst 2024", None),
    ("5 mayor 2024", None),
    ("1,2,2024", None),
    ("31.12.2024 um 13", None),
    ("2024-12-31", None),  # another order
    ("1/2/2024 25:00", None),
    (" 1/2/2024 ", "2024-02-01"),
    ("", None),
    (None, None),
]


def test_what_is_known_and_what_is_not():
    result, known = read([text for text, _ in KNOWN])
    for row, (text, at) in enumerate(KNOWN):
        assert (known[row], result[""][row]) == (at is not None, at), text
        if at is None:
            assert {values[row] for values in result.values()} == {None}, text


def test_times_of_day_are_counted_by_the_hour_and_two_digits_of_a_year_are_refused():
    sources = Sources()
    body = "".join(f"{'ab'[i % 2]};{i % 3 + 1}:{i:02} PM;{i + 1} Mar 24\n" for i in range(24))
    source = sources.add_bytes(f"s;at;on\n{body}".encode(), "times.csv")
    timed = ReadOptions(columns=(ColumnOptions("at", "date", part="hour"),))
    counted = count(DataSpec(source, ("s",), ("at",), read=timed), sources)
    assert counted.joint.x_labels == ("13", "14", "15")
    assert (counted.joint.p_x * 24).tolist() == pytest.approx([8, 8, 8])
    dated = ReadOptions(columns=(ColumnOptions("on", "date", "dmy"),))
    with pytest.raises(InvalidInputError, match=r"has '1 Mar 24': use a date with a four-digit ye"):
        count(DataSpec(source, ("s",), ("on",), read=dated), sources)


def test_times_and_dates_of_parquet():
    backend = ibis.duckdb.connect()
    define_texts(backend)
    at = datetime.datetime(2024, 2, 29, 23, 5, 6)
    columns = {"time": [at.time(), None], "date": [at.date(), None], "moment": [at, None]}
    try:
        table = backend.create_table("t", pa.table(columns), temp=True)
        result = backend.to_pyarrow(
            table.select(
                **{
                    f"{name} {part}": kept_of(table[name], ColumnOptions(name, "date", "ymd", part))
                    for name in columns
                    for part in ("", "hour", "quarter")
                }
            )
        ).to_pydict()
    finally:
        backend.disconnect()
    assert {name: values[0] for name, values in result.items()} == {
        "time ": "23:05:06",
        "time hour": 23,
        "time quarter": None,
        "date ": "2024-02-29",
        "date hour": None,
        "date quarter": "2024-Q1",
        "moment ": "2024-02-29 23:05:06",
        "moment hour": 23,
        "moment quarter": "2024-Q1",
    }
    assert all(values[1] is None for values in result.values())
