"""The diagram of implications and the bars of repeated draws, as Plotly takes them."""

import numpy as np
import plotly.graph_objects as go
import pytest

from core.notions import Average, GuessingProbability
from core.notions import catalogue as notions
from pages.ui import figures

NAMES = {
    Average: Average("guessing", 0.5).short_name(),
    GuessingProbability: GuessingProbability(0.5).short_name(),
}


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


@pytest.mark.parametrize("entry", notions.ALL, ids=lambda entry: entry.key)
@pytest.mark.parametrize("more", ["", " +"])
def test_the_name_of_every_promise_is_shown_in_full(entry, more):
    name = NAMES.get(entry.kind, entry.kind.name.removesuffix("-privacy")) + more
    words = texts(figures.implications(name, [figures.Level("LDP", "0.40", "0.30")]))[0]
    lines = words.removeprefix("<b>").removesuffix("</b>").split("<br>")
    assert " ".join(lines) == name
    assert len(lines) <= 3
    assert all(len(line) <= 9 for line in lines)


def test_names_are_text():
    figure = figures.implications("<i>x</i>", [figures.Level("<u>", "<s>", "<q>")])
    assert "<i>" not in texts(figure)[0].replace("<b>", "")
    assert "&lt;s&gt;" in texts(figure)


def test_an_infinite_level_reaches_the_end_and_says_so():
    figure = figures.repeats(
        [1, 2], {"LIP": np.array([0.5, np.inf]), "LDP": np.array([1.0, np.inf])}, "nats"
    )
    lip, ldp = go.Figure(figure).data
    assert list(lip.text) == ["0.500", "∞"]
    assert lip.x[1] == ldp.x[1] == pytest.approx(1.15)
    assert list(ldp.marker.pattern.shape) == ["", "/"]
    assert list(go.Figure(figure).layout.yaxis.ticktext) == ["1 draw", "2 draws"]
