"""The diagram of implications and the bars of repeated draws, as Plotly takes them."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui import figures


def texts(figure):
    return [mark.text for mark in go.Figure(figure).layout.annotations]


def test_every_arrow_carries_its_number():
    levels = [
        figures.Level("PML", "0.25", "0.20", ("max. leak", "≤ 0.11", "0.10")),
        figures.Level("LDP", "0.40", "0.30"),
    ]
    figure = figures.implications("LIP", levels)
    drawn = go.Figure(figure).layout.annotations
    assert sum(mark.showarrow for mark in drawn) == 3
    said = texts(figure)
    assert {"0.25", "0.40", "≤ 0.11"} <= set(said)
    assert any(text.startswith("max. leak<br>") and "here 0.10" in text for text in said)
    assert said[0] == "<b>LIP</b>"


def test_names_are_text():
    figure = figures.implications("<i>x</i>", [figures.Level("<u>", "<s>", "<q>")])
    assert "<i>" not in texts(figure)[0].replace("<b>", "")
    assert "&lt;s&gt;" in texts(figure)


def test_an_infinite_level_reaches_the_end_and_says_so():
    figure = figures.repeats([1, 2], np.array([0.5, np.inf]), np.array([1.0, np.inf]), "nats")
    lip, ldp = go.Figure(figure).data
    assert list(lip.text) == ["0.500", "∞"]
    assert lip.x[1] == ldp.x[1] == pytest.approx(1.15)
    assert list(ldp.marker.pattern.shape) == ["", "/"]
    assert list(go.Figure(figure).layout.yaxis.ticktext) == ["1 draw", "2 draws"]
