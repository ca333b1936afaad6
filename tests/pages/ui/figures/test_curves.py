"""Lines and points over one number."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui.figures import Curve, Side, curves

X = np.array([0.0, 0.5, 1.0])


def made(*lines, **more):
    return curves(
        lines or (Curve("one", X, X), Curve("two", X, 1 - X, dots=True)),
        Side("λ", 0.0, 1.0),
        Side("kept", 0.0, 1.0, percent=True),
        **more,
    )


def test_lines_are_valid_and_differ_by_dash_as_well_as_colour():
    figure = made()
    go.Figure(figure["data"], {k: v for k, v in figure["layout"].items() if k != "meta"})
    assert len({trace["line"]["dash"] for trace in figure["data"]}) == 2
    assert [trace["mode"] for trace in figure["data"]] == ["lines", "lines+markers"]
    assert figure["layout"]["showlegend"]
    assert figure["layout"]["xaxis"]["range"] == [0.0, 1.0]


def test_points_are_hollow_and_have_bars_for_their_error():
    (trace,) = made(Curve("print", X, X, error=[0.1, 0.2, np.nan], points=True))["data"]
    assert trace["mode"] == "markers"
    assert trace["marker"]["symbol"].endswith("-open")
    assert trace["error_y"]["array"] == [0.1, 0.2, None]


def test_a_gap_is_left_where_there_is_no_number_and_now_is_a_ring():
    figure = made(Curve("<b>x</b>", X, [0.1, np.nan, 0.3]), now=(0.5, 0.2))
    assert figure["data"][0]["y"] == [0.1, None, 0.3]
    assert figure["data"][0]["name"] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure["layout"]["meta"]["now"] == [0.5, 0.2]
    assert not figure["layout"]["showlegend"]
    assert made()["layout"]["meta"]["now"] is None


def test_ticks_with_texts_of_their_own_are_what_the_mouse_says():
    places = ((0.0, "1"), (1.0, "∞"))
    figure = curves(
        [Curve("one", [0.1, 0.9], X[:2])], Side("α", 0, 1, places=places), Side("lift", 0, 1)
    )
    assert figure["data"][0]["customdata"] == ["1", "∞"]
    assert figure["layout"]["xaxis"]["ticktext"] == ["1", "∞"]
    assert "customdata" in figure["data"][0]["hovertemplate"]


@pytest.mark.parametrize("names", [("a", "b"), ("long " * 12, "longer " * 12, "c")])
def test_a_long_legend_gets_more_rows(names):
    figure = made(*(Curve(name, X, X) for name in names))
    assert figure["layout"]["margin"]["t"] == (45 if names[0] == "a" else 26 + 19 * 3)
