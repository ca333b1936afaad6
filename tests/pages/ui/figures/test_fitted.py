"""Axes of the Compare page that fit the lines: nothing that differs is outside, little is empty."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.compare.columns import Point, column_frontiers, fitted
from pages.ui.figures.frontier import Line


def line(eps, kept, place=0):
    return Line(place, ("column", "0"), "a", np.array(eps), np.array(kept), np.array(kept))


def drawn(lines, points, fit):
    made = column_frontiers(lines, points, unit="nats", limit=8.0, empty="", fit=fit)
    return made["layout"]["xaxis"], made["layout"]["yaxis"]


def test_they_end_where_no_line_rises_and_begin_at_the_least_kept():
    rising = line([0.0, 1.0, 2.0, 4.0, 8.0], [0.75, 0.9, 1.0, 1.0, 1.0])
    flat = line([0.0, 8.0], [0.8, 0.8])
    (left, right), (low, high) = fitted([rising, flat], [], 8.0)
    assert left < 0
    assert 2.0 < right < 2.5
    assert 0.7 < low < 0.75
    assert 1.0 < high < 1.06
    along, up = drawn([rising, flat], [], ((left, right), (low, high)))
    assert along["range"] == [left, right]
    assert up["range"] == [low, high]
    assert not along["fixedrange"]
    assert along["tickvals"][-1] <= right
    assert up["ticktext"][-1] == "100%"


def test_whole_axes_are_as_they_were():
    along, up = drawn([line([0.0, 8.0], [0.5, 1.0])], [], None)
    assert along["range"] == [0, 8]
    assert up["range"] == [-0.03, 1.05]


def test_a_budget_beyond_the_whole_axis_is_marked_at_its_end():
    lines, points = [line([0.0, 8.0], [0.5, 1.0])], [Point(0, "a", 50.0, 1.0)]
    made = column_frontiers(lines, points, unit="nats", limit=8.0, empty="", fit=None)
    marker = made["data"][-1]
    assert list(marker["x"]) == [8.0]
    assert marker["hovertemplate"].startswith("now: ε = 50 nats")
    assert fitted(lines, points, 8.0)[0][1] == 8.0


def test_without_lines_there_is_nothing_to_fit():
    assert fitted([], [], 8.0) is None
    assert fitted([], [Point(0, "a", 1.0, 0.5, has_budget=False)], 8.0) is None


def test_quick_estimates_squeeze_no_other_line():
    """That of RLDP begins at .06 % of X = (S, U), where the others keep 79 % and more."""
    rising = line([0.25, 1.0, 4.0, 8.0], [0.8, 0.9, 1.0, 1.0])
    pale = replace(line([0.25, 8.0], [0.0006, 0.98], place=1), faded=True)
    assert fitted([rising, pale], [], 8.0) == fitted([rising], [], 8.0)
    assert fitted([pale], [], 8.0) == fitted([replace(pale, faded=False)], [], 8.0)
    now = Point(1, "b", 1.0, 0.7)
    assert fitted([rising, pale], [now], 8.0)[1][0] < now.kept


@given(data=st.data())
def test_every_current_point_and_every_rise_is_within(data):
    share, budget = st.floats(0, 1), st.floats(0, 8)
    lines = [
        line(np.linspace(0, 8, 9), np.sort(data.draw(st.lists(share, min_size=9, max_size=9))), i)
        for i in range(data.draw(st.integers(1, 3)))
    ]
    points = [
        Point(i, "p", data.draw(budget), data.draw(share))
        for i in range(data.draw(st.integers(0, 3)))
    ]
    (left, right), (low, high) = fitted(lines, points, 8.0)
    for point in points:
        assert left <= point.eps <= right
        assert low <= point.kept <= high
    for item in lines:
        inside = item.eps <= right
        assert (item.nmi[inside] >= low).all()
        assert item.nmi[inside].max() == pytest.approx(item.nmi.max(), abs=0.005)
