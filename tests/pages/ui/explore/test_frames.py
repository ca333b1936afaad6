"""Frames: what a browser draws while a slider moves is what the server draws when it rests."""

import gc
import json
import random
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.scenario import Scenario, evaluate
from core.scenario.url import to_query
from pages.ui.explore import frames
from pages.ui.explore.frames import Offer
from pages.ui.work import derived, glances, visits
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
    asked, unit = a_question(seed), ("nats", "bits")[seed % 2]
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    for key, values in to_query(asked).items():
        app.query_params[key] = values
    app.query_params["unit"] = unit
    if unit == "bits":
        app.query_params["eps"] = repr(asked.eps / 0.6931471805599453)
    app.run()
    assert not app.exception
    (here,) = (app.session_state["eps"],)
    question = replace(asked, eps=0.0)
    (frame,) = frames.ready(Offer(question, (here,), unit), 0, ()).values()
    answer = sent.answer(app)
    for part in ("figures", "said", "badge"):
        assert answer[part] == frame[part]
    charts = sent.charts(app)
    assert frame["ring"] == charts["frontier"]["now"]
    assert set(frame["charts"]) == {"lifts", "mechanism", "confusability_after"}
    for key, part in frame["charts"].items():
        assert part == {name: charts[key][name] for name in PARTS}


OFFER = Offer(Scenario(mechanism="watchdog"), tuple(place / 10 for place in range(1, 30)), "nats")


def test_the_nearest_come_first_and_few_at_a_time(monkeypatch):
    monkeypatch.setattr(frames.answers, "ready", lambda asked: SimpleNamespace(eps=asked.eps))
    monkeypatch.setattr(frames.answers, "is_provisional", lambda _: False)
    monkeypatch.setattr(frames, "frame", lambda result, *_, **__: result.eps)
    found = frames.ready(OFFER, 10, ())
    assert len(found) == frames.AT_ONCE
    assert all(abs(place - 10) <= 2 for place in found)
    assert not found.keys() & frames.ready(OFFER, 10, found).keys()
    assert frames.ready(OFFER, 10, range(29)) == {}


def test_a_place_without_an_answer_has_no_frame(monkeypatch):
    monkeypatch.setattr(frames.answers, "ready", lambda _: None)
    assert frames.ready(OFFER, 0, ()) == {}


def test_a_frame_of_a_cut_search_says_so():
    result = evaluate(Scenario(mechanism="watchdog"))
    found = frames.frame(result, "nats", provisional=True)
    assert found["open"]
    assert found["badge"][0] == "quick estimate, not final"
    assert found["figures"][0][1].startswith("≥ ")


def test_frames_are_written_for_the_place_and_without_those_that_were_had(monkeypatch):
    found = frames.frame(evaluate(Scenario(mechanism="watchdog")), "nats", provisional=False)
    asked = []
    monkeypatch.setattr(frames, "ready", lambda *told: asked.append(told) or {3: found, 4: found})
    content = json.loads(frames.answer(OFFER, {"near": "3", "had": "1.2"}))
    assert asked == [(OFFER, 3, [1, 2])]
    assert content["frames"]["3"]["said"] == found["said"]
    assert content["charts"]["lifts"]["4"] == found["charts"]["lifts"]
    with pytest.raises(ValueError, match="near"):
        frames.answer(OFFER, {"near": "near"})


@pytest.fixture
def followed(monkeypatch):
    sliders = []
    monkeypatch.setattr(frames, "board", lambda _, __, followed, ___: sliders.append(followed))
    monkeypatch.setattr(frames.st, "session_state", {"unit": "nats"})
    return sliders


def test_a_slider_is_followed_once_it_has_moved_and_the_last_one_comes_last(followed):
    asked = Scenario(notion="alip", mechanism="watchdog")
    for now in (asked, replace(asked, lam=0.3), replace(asked, lam=0.3, eps=0.5)):
        frames.show(now, None, ())
    assert [[one["slider"] for one in sliders] for sliders in followed] == [
        ["eps"],
        ["eps", "lam"],
        ["lam", "eps"],
    ]
    share, budget = followed[-1]
    assert (share["now"], share["lines"]) == ("0.30", False)
    assert (budget["now"], budget["lines"]) == ("0.50", True)
    assert share["labels"][6] == "0.30"
    assert share["address"] != followed[1][1]["address"]  # another ε
    frames.show(replace(asked, lam=0.3, eps=0.5, mechanism="subset_merging"), None, ())
    assert [one["slider"] for one in followed[-1]] == ["lam", "eps"]


def test_data_with_an_error_has_no_slider_to_follow(followed):
    data = DataSpec("adult", ("sex",), ("no such column",), secret_released=True)
    frames.show(Scenario(data, notion="rldp", mechanism="independent_reporting"), None, ())
    assert followed == [[]]


def test_the_place_between_two_places_is_none_of_them(followed):
    frames.show(Scenario(mechanism="watchdog", eps=0.333), None, ())
    assert followed[0][0]["now"] == "0.33"
    assert "0.33" not in followed[0][0]["labels"]


def test_a_sessions_own_data_has_frames_for_it_alone_until_it_ends():
    owner, other = visits.Visit(name="one"), visits.Visit(name="two")
    result = evaluate(Scenario(mechanism="watchdog"))
    own = replace(result.scenario, data=DataSpec("matrix:own", (), ()))
    offered = Offer(own, (own.eps,), "nats", owner=weakref.ref(owner))
    with visits.ahead_for(offered.owner):
        derived.kept(own.data, ("counted", repr(own.data)), lambda: result.counted)
        glances.take(replace(result, scenario=own), result.counted)
    assert frames.ready(offered, 0, ()).keys() == {0}
    assert frames.ready(replace(offered, owner=weakref.ref(other)), 0, ()) == {}
    assert frames.ready(replace(offered, owner=None), 0, ()) == {}
    del owner
    gc.collect()
    assert frames.ready(offered, 0, ()) == {}
