"""Ticks: round, in order, and no two neighbors alike."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from pages.ui.style.base import texts, ticked, ticks

SPAN = st.floats(1e-9, 1e9)


@given(low=st.floats(-1e6, 1e6), span=SPAN, most=st.integers(2, 12), percent=st.booleans())
@example(low=0.0, span=0.013, most=6, percent=True)
@example(low=0.0, span=0.0004, most=5, percent=True)
def test_neighbours_never_read_alike(low, span, most, percent):
    if span < 1e-6 * abs(low):  # beyond it doubles have no round numbers left
        span = 1e-6 * abs(low)
    high = low + span
    result = ticks(low, high, most)
    written = texts(result, percent=percent)
    assert 1 <= len(result) <= most + 1
    assert all(a < b for a, b in pairwise(result))
    assert all(a != b for a, b in pairwise(written))
    slack = 1e-6 * span
    assert all(low - slack <= value <= high + slack for value in result)


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8, unique=True))
def test_any_two_numbers_that_differ_are_told_apart(values):
    values = sorted(round(value, 4) for value in values)
    for (a, b), (item, other) in zip(pairwise(values), pairwise(texts(values)), strict=True):
        assert (a == b) == (item == other)


def test_a_small_share_has_digits_enough():
    axis = ticked("share", 0, 0.013, percent=True)
    assert axis["ticktext"][:3] == ["0%", "0.5%", "1%"]
    assert axis["range"] == [0, 0.013]
    assert axis["autorange"] is False
