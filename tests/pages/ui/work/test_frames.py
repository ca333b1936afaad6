"""Frames that are offered to a browser: which, in what order, and to whom."""

import gc
import json
import weakref
from dataclasses import replace

import numpy as np
import pytest

from core.data.spec import DataSpec
from core.errors import CoreError
from core.scenario import Scenario, evaluate
from core.scenario.presets import standard
from pages.ui.frame import following
from pages.ui.serving import offers
from pages.ui.work import ahead, answers, derived, frames, visits
from pages.ui.work.frames import Offer


def drawn(results):
    return {"answers": {}, "charts": {}, "open": False, "at": [item.eps for item in results]}


WATCHED = Scenario(mechanism="watchdog")
OFFER = Offer((WATCHED,), tuple(place / 10 for place in range(1, 30)), drawn)


def test_the_nearest_come_first_and_few_at_a_time(monkeypatch):
    monkeypatch.setattr(frames.answers, "ready", lambda request, **_: request)
    result = frames.ready(OFFER, 10, {})
    assert list(result) == [10, 9, 11]
    assert result[10]["at"] == [1.1]
    more = frames.ready(OFFER, 10, dict.fromkeys(result, ""))
    assert len(more) == frames.MOST_FRAMES
    assert all(1 < abs(place - 10) <= 1 + frames.MOST_FRAMES / 2 for place in more)
    moved = frames.ready(OFFER, 25, dict.fromkeys([*result, *more], ""))
    assert list(moved) == [25, 24, 26]  # the browser waits for the first
    assert frames.ready(OFFER, 10, dict.fromkeys(range(29), "")) == {}


def test_charts_are_sent_in_the_order_in_which_they_are_drawn():
    made = {place: {"charts": {"lifts": place, "after": place}, "open": False} for place in (4, 3)}
    made[2] = {"charts": {"before": 2}, "open": True}
    sent = json.loads(frames.written(made))
    assert list(sent["charts"]) == ["lifts", "after", "before"]
    assert sent["charts"]["after"] == {"4": 4, "3": 3}
    assert sent["frames"] == {"4": {"open": False}, "3": {"open": False}, "2": {"open": True}}


def test_no_frame_waits_for_slow_ones_after_it(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(frames.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(frames.answers, "ready", lambda request, **_: request)

    def slowly(results):
        clock[0] += 0.06
        return drawn(results)

    assert list(frames.ready(replace(OFFER, make=slowly), 10, {})) == [10, 9]


def test_a_place_has_a_frame_of_what_is_there_and_another_once_more_is(monkeypatch):
    quick = evaluate(WATCHED)
    slow = evaluate(replace(WATCHED, notion="ldp"))
    there = {}

    def made(results):
        return {"answers": {}, "charts": {}, "open": None in results, "of": results}

    both = Offer((quick.scenario, slow.scenario), (0.5,), made)
    monkeypatch.setattr(frames.answers, "ready", lambda request, **_: there.get(request.notion))
    assert frames.ready(both, 0, {}) == {}
    there[WATCHED.notion] = quick
    first = frames.ready(both, 0, {})[0]
    assert first["of"] == [quick, None]
    assert frames.ready(both, 0, {0: first["version"]}) == {}
    there["ldp"] = slow
    second = frames.ready(both, 0, {0: first["version"]})[0]
    assert second["of"] == [quick, slow]
    assert "version" not in second


def test_a_frame_that_may_improve_comes_anew_with_a_better_answer(monkeypatch):
    cut = evaluate(WATCHED)
    better = evaluate(replace(WATCHED, eps=2.0))
    closer = replace(cut, mechanism=replace(cut.mechanism, upper_bound=9.0))
    offered = Offer((WATCHED,), (0.5,), lambda _: {"answers": {}, "charts": {}, "open": True})
    versions = set()
    for result in (cut, better, closer):
        monkeypatch.setattr(frames.answers, "ready", lambda _, now=result, **__: now)
        for had in versions:
            assert frames.ready(offered, 0, {0: had})
        version = frames.ready(offered, 0, {})[0]["version"]
        assert frames.ready(offered, 0, {0: version}) == {}
        versions.add(version)
    assert len(versions) == 3


def test_what_a_frontier_has_found_is_ready_without_a_glance():
    request = replace(WATCHED, eps=0.7125)
    assert frames.answers.ready(request) is None
    made = evaluate(request)
    visits.known_for(request.data).add(request, made.joint, made.mechanism)
    assert not answers.is_taken(request)
    assert frames.answers.ready(request).mechanism.kernel is made.mechanism.kernel


def test_to_look_for_a_place_without_an_answer_costs_no_audit(monkeypatch):
    request = replace(WATCHED, mechanism="optimal", eps=0.6125)
    below = evaluate(replace(request, eps=0.4))
    visits.known_for(request.data).add(below.scenario, below.joint, below.mechanism)
    monkeypatch.setattr(visits.known_for(request.data), "best", lambda *_: pytest.fail("looked"))
    assert frames.answers.ready(request) is None


PAIR = standard(replace(WATCHED, data=DataSpec("random:uniform:2x3:0", (), ()), n=60), "pair")


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize(
    ("scenario", "later"),
    [
        (replace(WATCHED, notion="alip", mechanism="optimal"), {1, 2}),  # kept once it is audited
        (PAIR.scenarios[-1], {2}),
    ],
)
def test_the_place_under_the_slider_shows_a_smaller_budgets_answer(scenario, later):
    below = evaluate(replace(scenario, eps=0.45))
    visits.known_for(scenario.data).add(below.scenario, below.joint, below.mechanism)
    made, places = [], (0.35, 0.55, 0.65)

    def noted(results):
        made.append(results[0])
        return {"answers": {}, "charts": {}, "open": True}

    offered = Offer((scenario,), places, noted)
    assert frames.ready(offered, 0, {}) == {}  # a larger budget's answer breaks the promise
    assert frames.ready(offered, 1, {}).keys() == {1}
    (shown,) = made
    assert shown.scenario.eps == places[1]
    assert shown.mechanism.status == "time limit"
    assert shown.mechanism.audit.holds
    assert np.array_equal(shown.mechanism.kernel, below.mechanism.kernel)
    assert frames.ready(offered, 2, {}).keys() == later


def test_a_frame_of_a_search_that_ended_for_its_visit_is_no_estimate_there(monkeypatch):
    asked, other = visits.Visit(name="one"), visits.Visit(name="two")
    result = evaluate(WATCHED)
    cut = replace(result, mechanism=replace(result.mechanism, status="time limit"))
    work = answers.answer_work(cut.scenario)
    asked.searches[work.question].done = True
    monkeypatch.setattr(answers, "ready", lambda *_, **__: cut)

    def made(results):
        return following.frame(
            *results, lambda provisional: {"sentences": provisional}, lambda _: ()
        )

    offered = Offer((WATCHED,), (WATCHED.eps,), made)
    there, elsewhere = (frames.ready(offered, 0, {}, weakref.ref(own))[0] for own in (asked, other))
    assert (there["answers"][""]["sentences"], elsewhere["answers"][""]["sentences"]) == (
        False,
        True,
    )
    assert there["open"]  # another session's search may improve it
    assert elsewhere["open"]
    assert there["version"] != elsewhere["version"]
    monkeypatch.setitem(visits.st.session_state, visits._VISIT, asked)
    work.search_on()
    longer = frames.ready(offered, 0, {}, weakref.ref(asked))[0]
    assert longer["answers"][""]["sentences"]  # until that search has ended too


def test_frames_are_written_for_the_place_and_without_those_that_were_had(monkeypatch):
    begun, request = [], []
    what = replace(OFFER, begin=begun.append)
    result = {
        3: {"answers": {"": "third"}, "charts": {"lifts": 1}},
        4: {"answers": {"": "fourth"}, "charts": {"lifts": 2, "levels": 3}},
    }
    monkeypatch.setattr(frames, "ready", lambda *reported: request.append(reported) or result)
    content = json.loads(frames.answer(what, {"near": "3", "had": "1.2-ab"}))
    assert request == [(what, 3, {1: "", 2: "ab"}, None)]
    assert begun == [3]
    assert content["frames"]["3"]["answers"] == {"": "third"}
    assert content["charts"] == {"lifts": {"3": 1, "4": 2}, "levels": {"4": 3}}
    with pytest.raises(ValueError, match="near"):
        frames.answer(what, {"near": "near"})


def test_an_address_stays_with_its_question_and_ends_with_its_session(monkeypatch):
    session = {}
    monkeypatch.setattr(frames.st, "session_state", session)
    address = frames.offer("eps", OFFER)
    assert frames.offer("eps", replace(OFFER, make=lambda _: {})) == address
    assert frames.offer("lam", OFFER) != address
    other = frames.offer("eps", replace(OFFER, drawn_with="bits"))
    assert other != address
    assert not offers.is_open(address)
    request = offers._offered[other.rpartition("/")[2]]
    monkeypatch.setattr(frames.answers, "ready", lambda _, **__: None)
    assert json.loads(request({})) == {"frames": {}, "charts": {}}
    session.clear()
    gc.collect()
    assert request({}) == b""


def test_places_are_answered_ahead_for_each_question_when_a_browser_asks(monkeypatch):
    wanted = []
    monkeypatch.setattr(ahead, "page", lambda: "one")
    monkeypatch.setattr(
        ahead.AHEAD, "want", lambda page, result, *_, **more: wanted.append((page, result, more))
    )
    request, made = [WATCHED, replace(WATCHED, notion="ldp")], evaluate(WATCHED)
    begin = frames.on_request(request, (0.5, 1.0), "eps")
    monkeypatch.setattr(frames.answers, "ready", lambda item, **_: replace(made, scenario=item))
    assert not wanted
    begin(1)
    there = [replace(item, eps=1.0) for item in request]
    assert [(page, item.scenario) for page, item, _ in wanted] == [("one", item) for item in there]
    assert [(more["slot"], more["urgent"]) for *_, more in wanted] == [(0, True), (1, True)]
    assert not any(more["bare"] for *_, more in wanted)
    wanted.clear()
    monkeypatch.setattr(
        frames.answers, "ready", lambda item, **_: made if item.eps == WATCHED.eps else None
    )
    begin(0)
    assert [more["bare"] for *_, more in wanted] == [True, True]


def test_questions_about_data_that_is_not_here_are_left_out(monkeypatch):
    wanted = []
    monkeypatch.setattr(ahead, "page", lambda: "one")
    monkeypatch.setattr(ahead.AHEAD, "want", lambda _, result, *__, **___: wanted.append(result))
    gone = replace(WATCHED, data=DataSpec("upload:gone.csv", ("a",), ("b",)))
    answered = evaluate(WATCHED)
    answers.take(answered, answered.counted)
    with pytest.raises(CoreError):
        frames.answers.ready(gone)
    frames.on_request([gone, answered.scenario], (0.5, 1.0), "eps")(0)
    assert [item.scenario for item in wanted] == [replace(answered.scenario, eps=0.5)]
    offered = replace(OFFER, scenarios=(gone,), owner=visits.owner(gone.data))
    assert json.loads(frames.answer(offered, {}))["frames"] == {}


def test_a_sessions_own_data_has_frames_for_it_alone_until_it_ends():
    owner, other = visits.Visit(name="one"), visits.Visit(name="two")
    result = evaluate(WATCHED)
    own = replace(result.scenario, data=DataSpec("matrix:own", (), ()))
    made = {"answers": {}, "charts": {}, "open": False}
    offered = Offer((own,), (own.eps,), lambda _: made, owner=weakref.ref(owner))
    with visits.ahead_for(offered.owner):
        derived.kept(own.data, ("counted", repr(own.data)), lambda: result.counted)
        answers.take(replace(result, scenario=own), result.counted)
    assert frames.ready(offered, 0, {}).keys() == {0}
    assert frames.ready(replace(offered, owner=weakref.ref(other)), 0, {}) == {}
    assert frames.ready(replace(offered, owner=None), 0, {}) == {}
    del owner
    gc.collect()
    assert frames.ready(offered, 0, {}) == {}
