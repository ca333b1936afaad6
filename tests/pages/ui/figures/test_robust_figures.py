"""The Robust page's figures: valid for Plotly, text as text, axes that sliders do not move."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui import figures

MARKUP = ("<b>bold</b>", "$x$")
LOW, HIGH = np.array([0.1, 0.2]), np.array([0.5, 0.9])
MIDDLE = np.array([0.4, 0.6])
BOXES = [
    figures.BoxPlot(0, MARKUP[0], np.array([0.1, np.inf])),
    figures.BoxPlot(5, MARKUP[1], MIDDLE),
]


def line(place):
    return figures.Line(place, ("", "grr"), MARKUP[0], LOW, LOW, LOW)


FIGURES = {
    "intervals": figures.intervals(LOW, HIGH, MIDDLE, MIDDLE, MARKUP, 0.8),
    "levels": figures.levels_at(("a", "b"), np.array([0.5, np.inf]), np.array([1, np.inf]), 1, 4),
    "frontier": figures.robust_frontier([line(0), line(5)], eps=1.0, nmi=0.5, limit=8.0),
    "boxes": figures.boxes(BOXES, eps=0.5, reach=1.25),
    "before and after": figures.before_after([(box, MIDDLE) for box in BOXES]),
    "beta": figures.beta_lines([figures.BoxPlot(5, "a", np.array([0.3, 0.1]))], (0.001, 0.1)),
}


@pytest.mark.parametrize("name", FIGURES)
def test_plotly_takes_it_and_no_label_is_markup(name):
    assert go.Figure(FIGURES[name]).to_plotly_json()["data"] is not None
    written = json.dumps(FIGURES[name], allow_nan=False)
    assert "<b>" not in written
    assert "$x$" not in written


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_fixed(name):
    for axis in ("xaxis", "yaxis"):
        assert FIGURES[name]["layout"][axis]["autorange"] is False


def test_bars_go_from_the_least_to_the_greatest_and_end_with_the_axis():
    bar = FIGURES["intervals"]["data"][0]
    assert bar["base"] == [0.1, 0.2]
    assert np.allclose(np.add(bar["base"], bar["x"]), [0.5, 0.8])
    assert bar["customdata"][1][2] == "90.00%"


def test_an_infinite_level_is_at_the_end_of_the_axis_and_says_so():
    real, worst, promised = FIGURES["levels"]["data"]
    assert real["x"] == [0.5, 4.0]
    assert real["customdata"][1] == ["b", "∞", "∞"]
    assert worst["x"] == [1.0, 4.0]
    assert promised["x"] == [1, 1]
    assert FIGURES["boxes"]["data"][0]["x"] == [0.1, 1.25]


def test_a_sixth_line_has_a_look_of_its_own_and_no_ring_is_drawn_before_it_is_known():
    first, sixth = FIGURES["frontier"]["data"]
    assert first["marker"]["color"] != sixth["marker"]["color"]
    assert first["marker"]["symbol"] != sixth["marker"]["symbol"]
    assert FIGURES["frontier"]["layout"]["meta"]["now"] == [1.0, 0.5]
    bare = figures.robust_frontier([line(0)], eps=1.0, nmi=None, limit=8.0)
    assert "meta" not in bare["layout"]


def test_betas_go_from_the_largest_to_the_smallest():
    figure = FIGURES["beta"]
    assert figure["layout"]["xaxis"]["ticktext"] == ["0.1", "0.001"]
    assert figure["data"][0]["y"] == [0.1, 0.3]


def test_what_is_kept_at_the_estimate_goes_across_and_what_is_kept_at_the_truth_up():
    figure = figures.before_after([(figures.BoxPlot(0, "a", LOW), HIGH)])
    marks = figure["data"][1]
    assert (marks["x"], marks["y"]) == (list(LOW), list(HIGH))
    assert figure["layout"]["xaxis"]["title"]["text"].endswith("at the estimate P̂")
    assert figure["layout"]["yaxis"]["title"]["text"].endswith("at the truth P*")


def test_a_design_that_is_not_there_yet_keeps_its_row():
    figure = figures.levels_at(
        ["a", "b"], np.array([0.4, np.nan]), np.array([0.5, np.nan]), 1.0, 4.0
    )
    assert figure["data"][0]["x"] == [0.4, None]
    assert figure["data"][1]["x"] == [0.5, None]
    assert figure["layout"]["yaxis"]["ticktext"] == ["a", "b"]


@pytest.mark.parametrize("n", [2, 15, 60])
def test_marks_of_one_row_leave_the_next_row_alone(n):
    values = np.full(n, 1 / n)
    figure = figures.intervals(
        values / 2, 2 * values, values, values, [f"u{i}" for i in range(n)], 0.5
    )
    margin = figure["layout"]["margin"]
    room = (figure["layout"]["height"] - margin["t"] - margin["b"]) / n
    for trace in figure["data"][1:]:
        assert 4 < trace["marker"]["size"] <= room
