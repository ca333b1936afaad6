"""Answers at the other places of a slider: which, in what order, for whom, and how often."""

import gc
import math
import threading
import weakref
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.runtime.scriptrunner_utils import script_run_context

from core.data import DataSpec, count
from core.errors import SolverError
from core.jobs import Job, carry_out
from core.jobs.work import find_all
from core.release.implications import implications
from core.scenario import Scenario, answer
from core.studies.known import Known
from pages.ui.explore import meaning
from pages.ui.frame import controls
from pages.ui.work import ahead, answers, derived, store, visits
from pages.ui.work.ahead import MOST_PLACES, Ahead

PLACES = [round(0.1 * step, 9) for step in range(12)]


def grid(*_):
    return PLACES


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(store, "SHARED", store.Store(1000))
    monkeypatch.setattr(store, "KNOWN", Known())


class Workers:
    """Does what is submitted at once, and notes it."""

    def __init__(self):
        self.requests, self.lams, self.seconds, self.urgent = [], [], set(), set()

    def __call__(self, function, calls, *, time_limit, urgent=False, **_):
        self.urgent.add(urgent)
        self.requests.append([arguments[0].eps for call, arguments in calls if call is answer])
        self.lams.append([arguments[0].lam for call, arguments in calls if call is answer])
        self.seconds |= {arguments[2] for call, arguments in calls if call is implications}
        job = Job(time_limit)
        job.succeed(carry_out(function, (calls,)))
        return job


def shown(**changes):
    request = {"notion": "lip"} | changes
    scenario = Scenario(DataSpec("example:parity", (), ()), **request)
    counted = derived.counted(scenario.data)
    return answer(scenario, counted)


def test_every_place_is_answered_once_the_nearest_first_and_some_far_ones_with_them():
    workers, result = Workers(), shown(eps=0.52)
    places = Ahead(workers)
    assert places.want("one", result, grid)
    assert not places.want("two", result, grid)  # work is under way for both
    places.work()
    order = [eps for chunk in workers.requests for eps in chunk]
    assert sorted(order) == PLACES
    assert workers.requests == [
        [0.3, 1.0, 0.5, 0.6],  # half and twice .52, the nearest
        [0.1, 0.4, 0.7, 0.8],  # a quarter; 2.08 is beyond the slider
        [0.0, 0.2, 0.9, 1.1],
    ]
    assert max(len(chunk) for chunk in workers.requests) == MOST_PLACES
    assert not places.want("three", result, grid)  # nothing is left


def test_a_move_after_that_makes_no_mechanism(monkeypatch):
    result = shown(eps=0.5)
    places = Ahead(Workers())
    places.want("one", result, grid, meaning.quick(result.scenario))
    places.work()
    request = replace(result.scenario, eps=0.8)
    expected = answer(request, count(request.data)).mechanism

    def fail(*_, **__):
        raise AssertionError("this was to be worked out ahead")

    monkeypatch.setattr(Scenario, "build_mechanism", fail)
    monkeypatch.setattr(answers, "measured", fail)
    outcome = answers.evaluate(request)
    assert outcome.scenario == request
    assert outcome.counted is result.counted
    assert outcome.mechanism.utility == pytest.approx(expected.utility, abs=1e-9)
    monkeypatch.setattr(meaning, "implications", fail)
    implied = meaning._work(request).here()
    assert implied["ldp"].level <= 2 * 0.8 + 1e-6  # LIP with ε implies LDP with 2 ε


def test_work_for_all_sessions_asks_for_none(monkeypatch):
    text = []
    # what Streamlit logs, at each look, where a thread asks for a session that it does not have
    monkeypatch.setattr(script_run_context._LOGGER, "warning", lambda *of: text.append(of))
    result, longer = shown(eps=0.5), visits.Visit(name="one")
    work = meaning._work(result.scenario)
    longer.searches[work.question].seconds = (
        16 * work.seconds
    )  # one session asked for longer: not for all of them
    monkeypatch.setitem(visits.st.session_state, visits._VISIT, longer)
    workers = Workers()
    places = Ahead(workers)
    places.want("one", result, grid, meaning.quick(result.scenario))
    text.clear()
    thread = threading.Thread(target=places.work)
    thread.start()
    thread.join()
    assert len(workers.requests) == len(PLACES) // MOST_PLACES
    assert workers.seconds == {meaning.DEFAULT_SECONDS}
    assert text == []


def test_the_places_follow_the_slider():
    workers, result = Workers(), shown(eps=0.0)
    places = Ahead(workers)
    moved = replace(result, scenario=replace(result.scenario, eps=1.1))

    def submit(*arguments, **more):
        places.want("one", moved, grid)
        return workers(*arguments, **more)

    places._submit = submit
    places.want("one", result, grid)
    places.work()
    assert workers.requests[0] == [0.0, 0.2, 0.1, 0.3]  # .2 is twice the least
    assert workers.requests[1] == [1.1, 1.0, 0.9, 0.8]


def test_work_ends_when_no_page_shows_the_question():
    workers, open_pages = Workers(), {"one", "two"}
    places = Ahead(workers, open_pages.__contains__)

    def submit(*arguments, **more):
        open_pages.clear()
        return workers(*arguments, **more)

    places._submit = submit
    for page in ("one", "two"):
        places.want(page, shown(), grid)
    places.work()
    assert len(workers.requests) == 1
    open_pages.add("two")
    assert places.want("two", shown(), grid)  # who comes back has the rest worked out


def test_what_is_kept_is_not_answered_again():
    workers, result = Workers(), shown()
    taken = replace(result.scenario, eps=0.3)
    answers.take(replace(answer(taken, result.counted), scenario=taken), result.counted)
    places = Ahead(workers)
    places.want("one", result, grid)
    places.work()
    assert sorted(eps for chunk in workers.requests for eps in chunk) == [
        eps for eps in PLACES if eps != 0.3
    ]


def test_a_worker_that_fails_ends_the_question_alone():
    places = Ahead(Workers())

    def submit(*_, **__):
        job = Job(1.0)
        job.fail(SolverError("The worker process died."))
        return job

    places._submit = submit
    assert places.want("one", shown(), grid)
    places.work()
    assert not answers.is_taken(replace(shown().scenario, eps=PLACES[0]))
    places._submit = Workers()
    assert places.want("one", shown(mechanism="watchdog"), grid)


def test_the_questions_that_wait_are_bounded(monkeypatch):
    monkeypatch.setattr(ahead, "MOST", 2)
    workers = Workers()
    places = Ahead(workers)
    begun = [places.want(str(lam), shown(eps=0.5, lam=lam), grid) for lam in (0.1, 0.2, 0.3)]
    assert begun == [True, False, False]
    places.work()
    assert sum(map(len, workers.requests)) == 2 * len(PLACES)


def test_an_error_is_the_answer_of_its_call_alone():
    def ask(value, **_):
        if value < 0:
            raise SolverError("It is below 0.")
        return np.sqrt(value)

    result = find_all([(ask, (4.0,)), (ask, (-1.0,)), (ask, (9.0,))])
    assert (result[0], result[2]) == (2.0, 3.0)
    assert isinstance(result[1], SolverError)


@pytest.mark.parametrize(
    ("served", "changes", "begins"),
    [
        (True, {}, True),
        (False, {}, False),
    ],
)
def test_only_a_served_page_whose_slider_counts_asks(monkeypatch, served, changes, begins):
    wanted = []
    monkeypatch.setattr(ahead, "get_script_run_ctx", lambda: SimpleNamespace(session_id="one"))
    monkeypatch.setattr(ahead.AHEAD, "want", lambda *request, **_: wanted.append(request))
    monkeypatch.setattr(ahead, "_served", threading.Event())
    if served:
        ahead.serve()
    ahead.begin(shown(**({"notion": "lip"} | changes)), grid)
    assert bool(wanted) == begins


def test_the_places_are_those_of_the_slider(monkeypatch):
    scenario = shown().scenario
    monkeypatch.setattr(controls, "unit", lambda: "nats")
    assert controls.places(scenario) == [round(0.05 * step, 9) for step in range(161)]
    monkeypatch.setattr(controls, "unit", lambda: "bits")
    assert controls.places(scenario)[:3] == pytest.approx([0, 0.05 * np.log(2), 0.1 * np.log(2)])
    assert max(controls.places(scenario)) == 8.0
    assert controls.places(replace(scenario, mechanism="constant")) == []
    assert controls.places(replace(scenario, notion="sides")) == []


def test_each_slider_says_its_places_as_it_shows_them(monkeypatch):
    monkeypatch.setattr(controls, "unit", lambda: "nats")
    request = Scenario(DataSpec("random:uniform:2x2:1", (), ()), notion="rldp", n=300)
    for name, some in {
        "beta": {0.05: "0.050", 0.5: "0.500"},
        "alpha": {0.25: "0.25", 2.0: "2"},
        "n": {30: "30", 1_000: "1,000", 300: "300"},
    }.items():
        places = controls.places(request, name)
        text = dict(zip(places, controls.labels(places, request, name), strict=True))
        assert some.items() <= text.items()
        assert len(set(text.values())) == len(places)
    assert controls.places(request, "lam") == []
    lift = shown(notion="alip").scenario
    places = controls.places(lift, "lam")
    assert (places[0], places[-1], len(places)) == (0.0, 1.0, 21)
    assert controls.labels([0.25], lift, "lam") == ["0.25"]
    sides = shown(notion="sides").scenario
    assert controls.places(sides, "eps_l")[-1] == math.inf
    assert controls.labels([0.5, math.inf], sides, "eps_l") == ["0.5", "∞"]


def test_places_of_another_number_are_answered_the_nearest_first():
    workers, result = Workers(), shown(notion="alip", lam=0.45)
    places = Ahead(workers)
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    places.want("one", result, lambda *_: shares, name="lam")
    places.work()
    order = [lam for lams in workers.lams for lam in lams]
    assert order == [0.5, 0.25, 0.75, 0.0, 1.0]
    assert all(answers.is_taken(replace(result.scenario, lam=lam)) for lam in shares)
    assert not answers.is_taken(replace(result.scenario, eps=0.3))


def test_a_page_has_one_question_for_each_slider():
    workers = Workers()
    places = Ahead(workers)
    for page, lam in (("one", 0.1), ("two", 0.2), ("one", 0.3)):
        places.want(page, shown(notion="alip", eps=0.5, lam=lam), grid)
    places.want("one", shown(notion="alip", eps=0.5, lam=0.3), lambda *_: [0.7], name="lam")
    places.work()
    assert {lam for lams in workers.lams for lam in lams} == {0.2, 0.3, 0.7}


def test_a_slow_question_leaves_those_beside_it_their_time(monkeypatch):
    clock, order = [0.0], []
    monkeypatch.setattr(ahead.time, "monotonic", lambda: clock[0])
    workers = Workers()
    quick, slow = shown(), shown(notion="alip")

    def submit(function, calls, **more):
        for _, (scenario, _) in calls:
            order.append(scenario.notion)
            clock[0] += 1.0 if scenario.notion == "alip" else 0.02
        return workers(function, calls, **more)

    places = Ahead(submit)
    for slot, result in enumerate((quick, slow)):
        places.want("one", result, grid, slot=slot)
    places.work()
    assert order == ["lip", "alip", *["lip"] * 11, *["alip"] * 11]


def test_what_has_nothing_to_show_comes_first_at_the_place_under_the_finger():
    workers, places = Workers(), Ahead(Workers())
    quick, slow = shown(), shown(notion="alip")
    places.want("one", quick, grid, urgent=True)
    places.want("one", slow, grid, slot=1, urgent=True)
    list(places._questions.values())[1].seconds = 100.0
    there = replace(slow, scenario=replace(slow.scenario, eps=0.4))
    places.want("one", there, grid, slot=1, urgent=True, bare=True)
    question, near = places._next()
    assert near == [there.scenario]
    assert question.scenario.notion == "alip"
    question, _ = places._next()  # it has been asked for: the others have their turn
    assert question.scenario.notion == "lip"
    alone = Ahead(workers)
    alone.want("one", there, grid, urgent=True, bare=True)
    assert [len(alone._next()[1]) for _ in range(2)] == [1, ahead.MOST_PLACES]


@pytest.mark.parametrize("urgent", [False, True])
def test_places_under_a_finger_wait_for_no_line_of_a_frontier(monkeypatch, urgent):
    workers = Workers()
    places = Ahead(workers)
    monkeypatch.setattr(ahead, "AHEAD", places)
    monkeypatch.setattr(ahead.threading.Thread, "start", ahead.threading.Thread.run)
    ahead.begin_for("one", shown(), grid, name="eps", owner=None, urgent=urgent)
    assert workers.urgent == {urgent}
    assert (max(abs(eps - 1.0) for eps in workers.requests[0]) < 0.25) == urgent


def test_a_sessions_own_data_is_answered_for_it_alone():
    owner, other = visits.Visit(name="one"), visits.Visit(name="two")
    result = shown()
    own = replace(result.scenario, data=DataSpec("matrix:own", (), ()))
    result = replace(result, scenario=own)
    workers = Workers()
    places = Ahead(workers)
    places.want("page", result, grid, owner=weakref.ref(owner))
    places.work()
    request = replace(own, eps=0.3)
    assert owner.store.find(answers.glance_key(request))
    assert owner.known.best(request, result.counted.joint) is not None
    for store_of in (other.store, store.SHARED):
        assert store_of.find(answers.glance_key(request)) is None
    assert store.KNOWN.best(request, result.counted.joint) is None


def test_work_for_a_session_ends_with_it():
    owner, workers = visits.Visit(name="one"), Workers()
    places = Ahead(workers)
    places.want("page", shown(), grid, owner=weakref.ref(owner))
    del owner
    gc.collect()
    places.work()
    assert workers.requests == []


def test_no_data_base_is_asked_unasked():
    request = shown().scenario
    assert ahead.may(request)
    of_a_data_base = DataSpec("postgres://host/people#people", ("a",), ("b",))
    assert not ahead.may(replace(request, data=of_a_data_base))
