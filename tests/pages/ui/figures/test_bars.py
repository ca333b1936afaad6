"""Bars as Plotly takes them: one a level, in order, labels as text."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui import figures


def test_there_is_a_bar_for_each_level_in_order():
    figure = figures.bars(np.array([0.25, 0.75]), ("<b>x</b>", "y"), [1, 3], "share")
    drawn = go.Figure(figure)
    assert list(drawn.data[0].x) == [0.25, 0.75]
    assert list(drawn.layout.yaxis.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", "y"]
    assert drawn.data[0].customdata[1][1] == "<br>3 records"
    assert drawn.layout.yaxis.range == (1.5, -0.5)


@pytest.mark.parametrize(
    ("levels", "height"), [(1, 150), (10, 310), (20, 460), (42, 616), (500, 720)]
)
def test_the_height_follows_the_levels_within_bounds(levels, height):
    figure = figures.bars(np.full(levels, 1 / levels), [str(i) for i in range(levels)], None, "p")
    assert go.Figure(figure).layout.height == height
    assert figure["data"][0]["customdata"][0] == ("0", "")
