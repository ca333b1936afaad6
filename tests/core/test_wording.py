"""Numbers in sentences: singular and plural, bounds that stay bounds, shares that do not lie."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.wording import at_most, fixed, instead_of, number_of, percent, rounded_up

SHARE = st.floats(0, 1)


@given(st.integers(0, 10**7), st.sampled_from(["record", "rare level", "entry"]))
@example(1, "rare level")
def test_one_is_singular_and_all_else_plural(count, thing):
    number, _, words = number_of(count, thing).partition(" ")
    assert int(number.replace(",", "")) == count
    assert (words == thing) == (count == 1)


@given(SHARE, st.integers(0, 3))
@example(1e-300, 0)
@example(1 - 1e-16, 1)
@example(0.995, 0)
def test_only_all_reads_as_all_and_only_nothing_as_nothing(share, decimals):
    text = percent(share, decimals)
    number = float(text.strip("<>%"))
    assert (not text.startswith(("<", ">")) and number == 100) == (share == 1)
    assert (not text.startswith(("<", ">")) and number == 0) == (share == 0)
    assert abs(number / 100 - share) <= 10.0 ** -(decimals + 2)


@given(SHARE)
@example(0.9999999)
@example(1e-9)
def test_a_bound_is_rounded_up(share):
    bound = float(at_most(share).removesuffix("%")) / 100
    assert share - 1e-9 <= bound <= share + 0.0011


@given(SHARE)
@example(0.9965412)
def test_a_bound_has_no_more_decimals_than_keep_it_from_reading_as_all(share):
    decimals = len(at_most(share).removesuffix("%").partition(".")[2])
    if decimals > 1:
        assert share > 1 - 10.0 ** (-decimals - 1)


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.0, "1.00"),
        (2.7182818, "2.72"),
        (99.996, "100.00"),
        (100.2, "101"),
        (9_999_999.0, "9,999,999"),
        (1e7, "1.0 × 10⁷"),
        (72_004_899_337.39, "7.3 × 10¹⁰"),
        (9.91e12, "1.0 × 10¹³"),
        (math.exp(700.0), "1.1 × 10³⁰⁴"),
    ],
)
def test_a_factor_reads_as_long_as_it_needs(factor, text):
    assert rounded_up(factor) == text


@given(st.floats(1, 1e300))
def test_a_factor_is_rounded_up(factor):
    text = rounded_up(factor).replace(",", "")
    digits, _, power = text.partition(" × 10")
    power = int("".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(letter)) for letter in power) or 0)
    read = float(f"{digits}e{power}")
    assert factor * (1 - 1e-12) - 1e-10 <= read <= factor * 1.1 + 1e-9


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1e-13, "0.000"),  # rounding
        (-1e-13, "0.000"),
        (1e-12, "1e−12"),
        (0.00046, "0.00046"),
        (-0.00046, "−0.00046"),
        (0.0006, "0.001"),
        (-1.5, "−1.500"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_a_small_number_reads_as_what_it_is(value, text):
    assert fixed(value, 3) == text


@given(st.floats(1e-12, 1e6), st.integers(1, 6))
def test_only_0_reads_as_0(value, digits):
    read = float(fixed(value, digits).replace("−", "-"))
    assert read > 0
    assert read == pytest.approx(value, rel=0.05, abs=0.5 * 10.0**-digits)


def test_a_missing_name_is_answered_by_the_nearest_of_many_or_by_all_of_few():
    """Twenty names that ended in dots were listed, and not the one that was meant."""
    few = ["sex", "job", "pay"]
    assert instead_of("jobs", few) == ", only 'sex', 'job', 'pay'"
    many = [*few, "Income", "wage_band", *(f"q{i:03}" for i in range(40))]
    assert instead_of("incom", many) == "; the nearest of its 45 is 'Income'"
    assert instead_of(" INCOME", many) == "; the nearest of its 45 is 'Income'"
    near = instead_of("q0", [*many[:7], "q", "q0000"])
    assert near == "; the nearest of its 9 are 'q001', 'q000' and 'q'"
    assert instead_of("zzzzzzz", many).endswith(", 'Income', 'wage_band' and 40 more")
