"""Suggested intervals make each level coarser than the one below, against exact fractions."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.data import DataSpec, Hierarchy, Sources, count
from core.data.treatment.generalise import interval_steps, suggested_steps
from core.limits import MAX_BINS


def occupied(values, step):
    """Return how many intervals of a width have a value, in exact arithmetic."""
    return len({math.floor(Fraction(repr(item)) / Fraction(repr(step))) for item in values})


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.integers(-50, 50).map(float),
            st.integers(0, 10**7).map(lambda item: item / 100),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=40,
    )
)
@example([float(item) for item in range(10)])
@example([0.0, 5e-324])
@example([-1.7e308, 1.7e308])
@example([-1.0, 1.0])
@example([*(item / 1000 for item in range(300)), 1e6])
def test_each_level_has_fewer_levels_than_the_one_below(values):
    steps = interval_steps([*values, math.inf, math.nan])
    assert 1 <= len(steps) <= 3
    distinct = len(set(values))
    levels = [distinct, *(occupied(values, step) for step in steps)]
    for below, above in itertools.pairwise(levels[1:]):
        assert 1 < above < below
    if distinct > 2 and not min(values) < 0 <= max(values):
        assert levels[1] < distinct
        assert levels[1] <= 20
    if len(steps) > 1:
        Hierarchy("n", "interval", 1, steps=steps)
    span = Fraction(max(values, default=0)) - Fraction(min(values, default=0))
    if 1e-300 < span < 1e300:
        assert span / Fraction(repr(steps[0])) <= MAX_BINS


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        (range(10), (2.0, 4.0, 8.0)),
        ([0.0, 0.1, 0.2, 0.3], (0.2,)),
        ([0.0, 1.0], (2.0,)),
        ([3.0], (1.0,)),
        ([], (1.0,)),
        (range(1950, 2000), (5.0, 10.0, 20.0)),
    ],
)
def test_widths_are_plain_numbers(values, steps):
    assert interval_steps(list(map(float, values))) == steps


def test_the_levels_of_a_suggested_hierarchy_differ_when_they_are_counted():
    sources = Sources()
    body = "".join(f"{'ab'[i % 2]},{i % 10}\n" for i in range(60))
    source = sources.add_bytes(f"s,grade\n{body}a,NA\n".encode(), "grades.csv")
    steps = suggested_steps(source, "grade", sources)
    assert steps == (2.0, 4.0, 8.0)
    sizes = []
    for level in range(4):
        numbers = Hierarchy("grade", "interval", level, steps=steps)
        spec = DataSpec(source, ("s",), ("grade",), hierarchies=(numbers,), missing="drop")
        sizes.append(count(spec, sources).joint.n_x)
    assert sizes == [10, 5, 3, 2]
