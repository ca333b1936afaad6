import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui import figures
from pages.ui.figures import SweptAxis, SweptLine, swept

LIP, KEPT = SweptAxis("LIP, nats", "LIP"), SweptAxis("kept", "kept", percent=True)
NONE = np.full(3, np.nan)


def line(title="a", **more):
    plain = {
        "across": np.array([0.5, 1.0, np.inf]),
        "up": np.array([0.25, 0.5, 0.75]),
        "across_bars": (NONE, NONE),
        "up_bars": (np.array([0.05, 0.1, np.nan]), np.array([0.05, 0.1, np.nan])),
        "bound": np.array([0.25, 0.625, np.nan]),
        "best": np.array([True, False, True]),
        "hover": ("x", "y", "z"),
    }
    return SweptLine(title=title, **(plain | more))


def drawn(*lines):
    return swept(lines, LIP, KEPT)


def test_plotly_takes_it():
    assert len(go.Figure(drawn(line(), line("<b>"))).data) == 5


def test_points_bars_bounds_and_the_best_are_where_they_are():
    best, bounds, curve = drawn(line())["data"]
    assert (best["x"], best["y"]) == ([0.5], [0.25])  # what is at ∞ has no place
    assert (bounds["x"], bounds["y"]) == ([1.0], [0.625])  # a bound that is reached is not drawn
    assert curve["x"] == [0.5, 1.0, None]
    assert curve["error_y"]["array"] == [0.05, 0.1, None]
    assert "error_x" not in curve
    assert curve["customdata"] == ["x", "y", "z"]


def test_bars_of_no_length_are_left_out():
    zero = np.zeros(3)
    *_, curve = drawn(line(up_bars=(zero, zero), across_bars=(zero, zero)))["data"]
    assert "error_y" not in curve
    assert "error_x" not in curve


def test_axes_reach_the_outermost_bar_and_bound_and_stay_below_one():
    layout = drawn(line(up=np.array([0.25, 0.9, 0.75])))["layout"]
    assert layout["yaxis"]["range"][1] == pytest.approx(1.05)
    assert layout["yaxis"]["range"][0] == pytest.approx(-0.05)
    assert layout["xaxis"]["range"] == pytest.approx([-0.05, 1.05])
    assert layout["yaxis"]["ticktext"][-1].endswith("%")


def test_25_lines_look_different():
    result = drawn(*(line(str(i)) for i in range(25)))["data"]
    looks = {
        (item["line"]["color"], item["line"]["dash"], item["marker"]["symbol"])
        for item in result
        if item["mode"] == "lines+markers"
    }
    assert len(looks) == 25


@pytest.mark.parametrize("lines", [(), (line(up=NONE),)])
def test_a_chart_without_points_says_so(lines):
    layout = drawn(*lines)["layout"]
    assert layout["annotations"][0]["text"].startswith("No point has finite")


def test_labels_are_text():
    *_, curve = drawn(line("<b>x</b>"))["data"]
    assert curve["name"] == "&lt;b&gt;x&lt;/b&gt;"
    assert figures.swept is swept
