"""Edges of intervals are decimals: membership, nesting and coverage against exact fractions."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import DataSpec, Hierarchy, Sources, count
from core.errors import InvalidInputError

UNITS = {
    ("0.05", "0.1", "0.3"): ("0.01", 200),
    ("0.1", "0.3"): ("0.01", 400),
    ("0.3", "0.6"): ("0.1", 60),
    ("7", "21"): ("0.5", 400),
}
"""Widths, with the unit that values are whole multiples of, and how far these reach."""


def counted(values, steps, level=1, start="0"):
    """Count values, written as text, in intervals."""
    lines = [f"{value},{'ab'[i % 2]}" for i, value in enumerate(values)]
    sources = Sources()
    source = sources.add_bytes("\n".join(["n,g", *lines]).encode() + b"\n", "n.csv")
    numbers = Hierarchy("n", "interval", level, tuple(map(float, steps)), start=float(start))
    return count(DataSpec(source, ("g",), ("n",), hierarchies=(numbers,)), sources)


def held(result):
    """Return how many records each interval holds, by the text of its lower edge."""
    joint = result.joint
    return {
        label[1:].partition(",")[0] if label[0] == "[" else label: round(part * joint.n)
        for label, part in zip(joint.x_labels, joint.p.sum(axis=0), strict=True)
    }


def edges(result):
    return result.codings[1].bins[0].edges


TENTHS = [f"{i / 10}" for i in range(11)]


def test_tenths_fall_where_their_labels_say_and_levels_nest():
    fine, coarse = (counted(TENTHS, ("0.1", "0.3"), level) for level in (1, 2))
    assert held(fine) == {f"{i / 10:g}": 1 for i in range(11)}
    assert held(coarse) == {"0": 3, "0.3": 3, "0.6": 3, "0.9": 2}
    assert edges(fine) == tuple(i / 10 for i in range(12))
    assert edges(coarse) == (0, 0.3, 0.6, 0.9, 1.2)


@pytest.mark.parametrize(
    ("values", "start", "expected"),
    [
        (["13.2", "13.21", "13.3"], "0.1", {"13.2": 2, "13.3": 1}),
        (["1.75", "1.83", "1.85"], "-0.3", {"1.75": 1, "1.8": 1, "1.85": 1}),
    ],
)
def test_the_first_and_the_last_number_are_inside(values, start, expected):
    assert held(counted(values, ("0.05",), start=start)) == expected


@settings(max_examples=12, deadline=None)
@given(
    steps=st.sampled_from(sorted(UNITS)),
    start=st.sampled_from(["0", "0.1", "-0.3", "7"]),
    middle=st.sampled_from([0, -1320, 1320]),
    data=st.data(),
)
def test_numbers_are_where_exact_fractions_put_them(steps, start, middle, data):
    unit, reach = Fraction(UNITS[steps][0]), UNITS[steps][1]
    drawn = data.draw(st.lists(st.integers(-reach // 2, reach // 2), max_size=60))
    exact = [(middle + item) * unit for item in (-reach // 2, reach // 2, 0, *drawn)]
    texts = [f"{float(item):.2f}" for item in exact]
    assert list(map(Fraction, texts)) == exact
    by_level = []
    for level, width in enumerate(map(Fraction, steps), start=1):
        result = counted(texts, steps, level, start)
        places = Counter(math.floor((item - Fraction(start)) / width) for item in exact)
        assert {Fraction(low): n for low, n in held(result).items()} == {
            Fraction(start) + width * place: n for place, n in places.items()
        }
        by_level.append(edges(result))
        assert by_level[-1] == tuple(
            float(Fraction(start) + width * place) for place in range(min(places), max(places) + 2)
        )
    for below, above in itertools.pairwise(by_level):
        assert {item for item in above if below[0] <= item <= below[-1]} <= set(below)


@pytest.mark.parametrize("steps", [(0.1, 0.1 * 3), (1 / 3, 1), (5e-5, 5e-5 * 3), (1 / 3, 2 / 3)])
def test_widths_that_are_no_short_decimals_nest_too(steps):
    values = [repr(k * steps[0]) for k in range(31)]
    below, above = (edges(counted(values, steps, level)) for level in (1, 2))
    assert {item for item in above if item <= below[-1]} <= set(below)
    assert len(above) > 5


def test_labels_round_no_edge():
    result = counted(["0.2", "1.12345675", "1.2"], ("1",), start="0.1234567")
    assert result.joint.x_labels == ("[0.1234567, 1.1234567)", "[1.1234567, 2.1234567]")


def test_edges_that_are_one_float_are_one_edge():
    result = counted(["1e17", "100000000000000016"], ("1",))
    assert edges(result) == (1e17, 1e17 + 16, 1e17 + 32)
    assert sorted(held(result).values()) == [1, 1]


@pytest.mark.parametrize(
    ("values", "steps", "message"),
    [
        (["0", "1000000"], ("1",), "'n' are 1,000,001, from 0 to 1e+06: at most 200 are allowed"),
        (["0", "1e300"], ("1e-300",), "at most 200 are allowed, so choose a higher level"),
        (["0", "1.7e308"], ("1e308",), "reach beyond the largest number that can be held"),
    ],
)
def test_too_many_or_too_far(values, steps, message):
    with pytest.raises(InvalidInputError) as caught:
        counted(values, steps)
    assert message in str(caught.value)
