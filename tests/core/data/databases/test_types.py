"""Types of columns that only a database has, in PostgreSQL: no two values become one level."""

import psycopg
import pytest

from core.data import Binning, DataSpec, count
from core.errors import InvalidInputError

CASES = {
    "numbers longer than a float": (
        "numeric",
        ("12345678901234567890", "12345678901234567891"),
        ("12345678901234567890", "12345678901234567891"),
    ),
    "more digits than a decimal of Arrow has": (
        "numeric(60, 2)",
        ("1.10", "12345678901234567890123456789012345678901234567890.25"),
        ("1.1", "12345678901234567890123456789012345678901234567890.25"),
    ),
    "zeros at the end": ("numeric", ("1.10", "7.00"), ("1.1", "7")),
    "no number": ("numeric(10, 2)", ("1.50", "NaN"), ("1.50",)),
    "no number, of any digits": ("numeric", ("1.50", "NaN"), ("1.5",)),
    "times of a zone": (
        "timestamptz",
        ("2026-03-31 23:30:00+00", "2026-01-01 04:00:00+02"),
        ("2026-01-01 02:00:00+00", "2026-03-31 23:30:00+00"),
    ),
    "characters with blanks": ("char(6)", ("ab", "c"), ("ab", "c")),
    "lists": ("integer[]", ("{1,2}", "{3}"), ("{1,2}", "{3}")),
    "whole numbers at their ends": (
        "bigint",
        ("9223372036854775807", "-9223372036854775808"),
        ("-9223372036854775808", "9223372036854775807"),
    ),
}


@pytest.fixture
def made(postgres, postgres_address, monkeypatch):
    """Return a function that makes a table of two values, each of both sexes, and its source."""
    monkeypatch.setenv("TZ", "America/New_York")  # of this machine: no level depends on it

    def make(kind, values):
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS typed")
            connection.execute(f"CREATE TABLE typed (sex text, value {kind})")
            for sex, value in (("f", values[0]), ("m", values[0]), ("m", values[1]), ("f", None)):
                connection.execute(f"INSERT INTO typed VALUES (%s, %s::{kind})", (sex, value))
        return f"{postgres_address}#typed"

    return make


@pytest.mark.parametrize("case", CASES)
def test_values_that_differ_are_levels_that_differ(case, made):
    kind, values, levels = CASES[case]
    result = count(DataSpec(made(kind, values), ("sex",), ("value",)))
    assert result.joint.x_labels == (*levels, "(missing)")
    assert result.report.n_used == 4
    assert result.report.missing[1] == ("value", 3 - len(levels))


def test_numbers_of_any_digits_are_cut_into_bins(made):
    source = made("numeric", ("0.3", "1.0"))
    spec = DataSpec(source, ("sex",), ("value",), binnings=(Binning("value", "width", 7),))
    result = count(spec)
    assert result.joint.x_labels == ("[0.3, 0.4)", "[0.9, 1]", "(missing)")


@pytest.mark.parametrize("day", ["infinity", "0044-03-15 BC", "12020-01-01"])
def test_a_day_that_no_calendar_of_python_has(day, made):
    source = made("date", ("2020-01-01", day))
    with pytest.raises(InvalidInputError) as caught:
        count(DataSpec(source, ("sex",), ("value",)))
    assert str(caught.value).endswith(
        "has a date outside the years 1 to 9999: it must be left out, as by a view."
    )
