"""Frames: what a browser draws while a slider moves is what the server draws when it rests."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.mechanisms.result import CUT
from core.scenario import Scenario, evaluate
from core.scenario.url import to_query
from pages.ui.explore import frames
from tests.pages import sent
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[4]
PARTS = ("data", "layout", "low", "now", "alt", "serial")


def a_question(seed):
    drawn = random.Random(seed)
    return Scenario(
        data=DataSpec(released=(drawn.choice(("race", "workclass", "relationship")),)),
        notion=drawn.choice(("alip", "lip", "ldp")),
        mechanism=drawn.choice(("subset_merging", "watchdog")),
        eps=round(drawn.uniform(0.05, 3), 2),
        lam=drawn.choice((0.3, 0.5, 0.7)),
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_frame_says_what_the_page_says_at_rest(seed):
    request, unit = a_question(seed), ("nats", "bits")[seed % 2]
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    for key, values in to_query(request).items():
        app.query_params[key] = values
    app.query_params["unit"] = unit
    if unit == "bits":
        app.query_params["eps"] = repr(request.eps / 0.6931471805599453)
    app.run()
    assert not app.exception
    here = replace(request, eps=app.session_state["eps"])
    frame = frames.frame([evaluate(here)], unit, lines=True)
    (reported,) = frame["answers"].values()
    answer = sent.answer(app)
    for part in ("figures", "sentences", "badge"):
        assert answer[part] == reported[part]
    charts = sent.charts(app)
    assert frame["charts"].pop("frontier") == {"now": charts["frontier"]["now"]}
    assert set(frame["charts"]) == {"lifts", "mechanism", "confusability_after"}
    for key, part in frame["charts"].items():
        assert part == {name: charts[key][name] for name in PARTS}


def test_a_frame_of_a_cut_search_says_so():
    result = evaluate(Scenario(mechanism="watchdog"))
    cut = replace(result, mechanism=replace(result.mechanism, status=CUT))
    answer = frames.frame([cut], "nats", lines=False)
    assert answer["open"]
    assert "frontier" not in answer["charts"]
    assert answer["answers"][""]["badge"][0] == "quick estimate, not final"
    assert answer["answers"][""]["figures"][0][1].startswith("≥ ")


@pytest.fixture
def followed(monkeypatch):
    sliders = []
    monkeypatch.setattr(frames, "board", lambda _, __, followed, ___: sliders.append(followed))
    monkeypatch.setattr(st, "session_state", {"unit": "nats"})
    return sliders


def test_every_slider_is_followed_and_the_lines_along_eps_alone(followed):
    request = Scenario(notion="alip", mechanism="watchdog")
    for now in (request, replace(request, lam=0.3)):
        frames.show(now, None, ())
    assert [[item["slider"] for item in sliders] for sliders in followed] == [["eps", "lam"]] * 2
    budget, share = followed[-1]
    assert share["now"] == "0.30"
    assert budget["now"] == "1.00"
    assert "frontier" in share["charts"]  # of which λ has no frame: it fades
    assert share["labels"][6] == "0.30"
    before = followed[0]
    assert share["address"] == before[1]["address"]
    assert budget["address"] != before[0]["address"]  # another λ


def test_data_with_an_error_has_no_slider_to_follow(followed):
    data = DataSpec("adult", ("sex",), ("no such column",), secret_released=True)
    frames.show(Scenario(data, notion="rldp", mechanism="independent_reporting"), None, ())
    assert followed == [[]]


def test_the_place_between_two_places_is_none_of_them(followed):
    frames.show(Scenario(mechanism="watchdog", eps=0.333), None, ())
    assert followed[0][0]["now"] == "0.33"
    assert "0.33" not in followed[0][0]["labels"]
