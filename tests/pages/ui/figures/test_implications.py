"""The diagram of implications and the bars of repeated draws, as Plotly takes them."""

import itertools

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
    drawn = [trace for trace in go.Figure(figure).data if trace.mode == "text"]
    return [words for trace in drawn for words in trace.text]


def test_every_arrow_carries_its_number():
    levels = [
        figures.Level("PML", "0.25", "0.20", ("max. leak", "≤ 0.11", "0.10")),
        figures.Level("LDP", "0.40", "0.30"),
    ]
    figure = figures.implications("LIP", levels)
    arrows = go.Figure(figure).data[0]
    assert sum(size > 0 for size in arrows.marker.size) == 3
    numbers = go.Figure(figure).data[-1]
    assert numbers.text == ("0.25", "≤ 0.11", "0.40")
    for at, (x, y) in enumerate(zip(numbers.x, numbers.y, strict=True)):
        x0, x1, _, x2, x3, _ = arrows.x[6 * at : 6 * at + 6]
        y0, *_, y3, _ = arrows.y[6 * at : 6 * at + 6]
        assert x0 < x1 < x < x2 < x3  # its line leaves room for it, and leads from box to box
        assert (x1 + x2) / 2 == pytest.approx(x)
        assert (y - y0) * (x3 - x0) == pytest.approx((y3 - y0) * (x - x0))
    message = texts(figure)
    assert {"0.25", "0.40", "≤ 0.11"} <= set(message)
    assert any(text.startswith("max. leak<br>") and "here 0.10" in text for text in message)
    assert message[0] == "<b>LIP</b>"


def test_the_name_of_every_promise_is_shown_in_full(subtests):
    for entry, more in itertools.product(notions.ALL, ("", " +")):
        name = NAMES.get(entry.kind, entry.kind.name.removesuffix("-privacy")) + more
        with subtests.test(name):
            words = texts(figures.implications(name, [figures.Level("LDP", "0.40", "0.30")]))[0]
            lines = words.removeprefix("<b>").removesuffix("</b>").split("<br>")
            assert " ".join(lines) == name
            assert len(lines) <= 3
            assert all(len(line) <= 9 for line in lines)


def test_names_are_text():
    figure = figures.implications("<i>x</i>", [figures.Level("<u>", "<s>", "<q>")])
    assert "<i>" not in texts(figure)[0].replace("<b>", "")
    assert "&lt;s&gt;" in texts(figure)


def test_every_box_is_around_its_words():
    levels = [figures.Level("PML", "0.25", "0.20", ("max. leak", "0.11", "0.10"))] * 3
    _, boxes, own, words, _ = figures.implications("LIP", levels)["data"]
    places = list(zip(words["x"], words["y"], strict=True))
    around = [
        [(x, y) for x, y in zip(box["x"][at : at + 5], box["y"][at : at + 5], strict=True)]
        for box in (own, boxes)
        for at in range(0, len(box["x"]), 6)
    ]
    assert len(around) == len(places) == 7
    for corners, (x, y) in zip(around, places, strict=True):
        assert corners[0] == corners[-1]
        assert min(item for item, _ in corners) < x < max(item for item, _ in corners)
        assert min(item for _, item in corners) < y < max(item for _, item in corners)


def test_an_infinite_level_reaches_the_end_and_says_so():
    figure = figures.repeats(
        [1, 2], {"LIP": np.array([0.5, np.inf]), "LDP": np.array([1.0, np.inf])}, "nats"
    )
    lip, ldp = go.Figure(figure).data
    assert list(lip.text) == ["0.500", "∞"]
    assert lip.x[1] == ldp.x[1] == pytest.approx(1.15)
    assert list(ldp.marker.pattern.shape) == ["", "/"]
    assert list(go.Figure(figure).layout.yaxis.ticktext) == ["1 draw", "2 draws"]
