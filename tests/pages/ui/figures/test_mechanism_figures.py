"""Figures of the Mechanisms page: valid, text as text, nothing by color alone."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui import figures

MARKUP = ("<b>bold</b>", "$x^2$ & more")
PRIOR, POSTERIOR = np.array([0.4, 0.6]), np.array([0.0, 1.0])
FIGURES = {
    "beliefs": figures.beliefs(PRIOR, POSTERIOR, MARKUP, "<b>y</b>"),
    "levels": figures.levels(MARKUP, np.array([0.25, np.inf]), "nats"),
    "endless": figures.levels(("nothing",), np.array([np.inf]), "bits"),
    "sets": figures.set_risks(MARKUP, np.array([np.inf, 0.2]), np.array([False, True]), 1.0),
    "no sets": figures.set_risks((), np.zeros(0), np.zeros(0, dtype=bool), 0.1),
    "posteriors": figures.posterior_matrix(np.eye(2), ("f", "m"), MARKUP, "s", left_out=3),
}


@pytest.mark.parametrize("name", FIGURES)
def test_plotly_takes_it_and_it_is_strict_json(name):
    assert go.Figure(FIGURES[name]).to_plotly_json()["data"] is not None
    text = json.dumps(FIGURES[name], allow_nan=False, ensure_ascii=False)
    assert "<b>" not in text
    assert "$" not in text
    assert FIGURES[name]["layout"]["xaxis"]["autorange"] is False


@pytest.mark.parametrize("name", ["beliefs", "levels", "sets", "posteriors"])
def test_labels_show_as_they_are(name):
    assert "&lt;b&gt;bold&lt;/b&gt;" in json.dumps(FIGURES[name], ensure_ascii=False)


def test_small_beliefs_are_drawn_as_large_as_there_is_room():
    prior = np.full(73, 1 / 73)
    posterior = np.vstack([prior, np.linspace(0, 2 / 73, 73)]).T
    names = [str(17 + age) for age in range(73)]
    matrix = figures.posterior_matrix(posterior, names, ("y1", "y2"), "s", most=posterior.max())
    assert matrix["data"][0]["zmax"] == 0.05
    bars = figures.beliefs(prior, posterior[:, 1], names, "y2", posterior.max())
    assert bars["layout"]["xaxis"]["range"] == [0, 1.02 * 0.05]
    assert figures.beliefs(prior, prior, names, "y1")["layout"]["xaxis"]["range"] == [0, 1.02]


def test_beliefs_before_and_after_differ_by_pattern_and_say_what_is_ruled_out():
    before, after = FIGURES["beliefs"]["data"]
    assert before["marker"]["pattern"]["shape"] == "/"
    assert "pattern" not in after["marker"]
    assert (before["x"], after["x"]) == ([0.4, 0.6], [0.0, 1.0])
    assert after["name"] == "after &lt;b&gt;y&lt;/b&gt;"  # the control is not on a projector
    assert [text for _, text in after["customdata"]] == ["ruled out", "×1.67"]


def test_an_endless_level_is_hatched_and_named():
    figure = FIGURES["levels"]
    trace, axis = figure["data"][0], figure["layout"]["yaxis"]
    assert trace["x"] == pytest.approx([0.25, figure["layout"]["xaxis"]["range"][1]])
    assert trace["marker"]["pattern"]["shape"] == ["", "/"]
    assert [name.rpartition(": ")[2] for name in axis["ticktext"]] == ["0.250", "∞"]


def test_sets_that_fit_and_those_that_do_not_yet_are_told_apart():
    fits, rest = FIGURES["sets"]["data"]
    assert (fits["y"], rest["y"]) == ([1], [0])
    assert fits["marker"]["pattern"]["shape"] != rest["marker"]["pattern"]["shape"]
    assert rest["customdata"][0][1] == "∞"
    assert FIGURES["no sets"]["layout"]["annotations"][0]["text"] == "No set yet."


def test_posteriors_have_a_row_for_each_output():
    figure = figures.posterior_matrix(np.array([[0.2], [0.8]]), ("f", "m"), ("y",), "s")
    assert figure["data"][0]["z"] == [[0.2, 0.8]]
    assert figure["layout"]["yaxis"]["title"]["text"] == "output y"
    assert "3 more" in FIGURES["posteriors"]["layout"]["yaxis"]["title"]["text"]
