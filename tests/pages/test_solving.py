"""What takes longer than a glance: an answer at once, a better one later, and Cancel."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import clock
from core.data.spec import DataSpec
from core.errors import SolverError
from core.jobs import State, carry_out
from core.measures import entropy, mutual_information
from core.scenario import Scenario, evaluate
from pages.ui.work import store
from tests.pages.sent import key_figures, looks, texts, working
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SMALL = {"data": "random:uniform:3x6:1", "notion": "lip", "eps": "0.5"}
LARGER = {"data": "random:uniform:3x12:1", "notion": "lip", "eps": "0.25"}
LARGER_SCENARIO = Scenario(data=DataSpec("random:uniform:3x12:1", (), ()), notion="lip", eps=0.25)
SCENARIO = Scenario(data=DataSpec("random:uniform:3x6:1", (), ()), notion="lip", eps=0.5)


def percent(value):
    """Return a share as a number, of a first glance too, which is "at least" so much."""
    return float(value.removeprefix("≥ ").split()[0].rstrip("%"))


def opened(page="pages/explore.py", **query):
    app = AppTest.from_file(ROOT / page, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


pytestmark = pytest.mark.usefixtures("sweeps")


@pytest.fixture
def hurried():
    """Let every time limit be over at its first reading: a glance finds a start and no more."""
    with clock.using(clock.Ticking(1000.0)):
        yield


def page_text(app):
    others = (text.value for text in (*app.caption, *app.info, *app.error))
    return " ".join([*texts(app), *others]).replace("\\", "")


def figures(app):
    return {item.label: item for item in key_figures(app)}


def keys(app):
    return {button.key for button in app.button}


def refined(pool, scenario=SCENARIO):
    """Do the work on an answer as if no clock ran out."""
    job, _, arguments = pool.open[0]
    assert arguments[0] == scenario
    result = evaluate_at_leisure(scenario)
    job.succeed(result)
    return result


def evaluate_at_leisure(scenario):
    with clock.using(clock.Ticking(1e-6)):
        return evaluate(scenario)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("page", ["pages/explore.py", "pages/mechanisms.py", "pages/lift.py"])
def test_a_hard_question_has_a_first_glance_and_is_worked_on_until_it_is_cancelled(page, solves):
    app = opened(page, **SMALL)
    assert not app.exception
    job, start = (item[0] for item in solves.open)  # the second is subset random response
    assert "Quick estimate. Improving…" in page_text(app)
    app.button(key="cancel_refining").click().run()
    assert job.state == State.CANCELLED
    assert start.state == State.CANCELLED
    assert "Canceled. This is the quick estimate" in page_text(app)
    assert "Computing" not in page_text(app)
    app.run()
    assert not solves.open  # nothing starts again by itself
    app.button(key="refine_again").click().run()
    refined(solves)
    app.run()
    assert not app.exception
    assert "quick estimate" not in page_text(app).lower()


@pytest.mark.usefixtures("hurried")
def test_the_glance_is_at_least_subset_random_response_and_the_last_answer_takes_its_place(
    solves, drawn
):
    app = opened(**SMALL)
    glance = figures(app)["NMI"].value
    start = evaluate_at_leisure(replace(SCENARIO, mechanism="subset_merging")).mechanism
    assert glance.startswith("≥ ")  # it is not the answer, and does not look like it
    assert "quick estimate, not final" in page_text(app)
    assert "audit:" not in page_text(app)
    assert percent(glance) >= round(100 * start.nmi, 1)
    assert figures(app)["Gap, nats"].delta == "time limit"
    before = {key: drawn[key] for key in ("lifts", "mechanism", "confusability_after")}
    result = refined(solves)
    app.run()
    assert figures(app)["NMI"].value == f"{100 * result.mechanism.nmi:.1f}%"
    assert figures(app)["NMI"].value != glance
    assert "audit: " in page_text(app)
    # no chart of the first glance stays beside the last answer
    shown = np.array(drawn["mechanism"][0]["data"][0]["z"], dtype=float)
    assert shown.shape[::-1] == result.mechanism.kernel.shape or (
        shown.shape == result.mechanism.kernel.shape
    )
    for key, figure in before.items():
        assert drawn[key] != figure, key
    after = drawn["confusability_after"][0]
    nodes = max(len(trace.get("x", ())) for trace in after["data"])
    assert nodes >= result.mechanism.n_y


@pytest.mark.usefixtures("hurried")
def test_subset_random_response_is_on_screen_before_the_optimum_is_found(solves):
    app = opened(**LARGER)
    glance = percent(figures(app)["NMI"].value)
    start = replace(LARGER_SCENARIO, mechanism="subset_random_response")
    job, _, arguments = solves.open[1]
    assert arguments[0] == start
    made = evaluate_at_leisure(start)
    assert 100 * made.mechanism.nmi > glance + 0.1
    assert b"" not in looks(app)
    job.succeed(made)
    assert b"" in looks(app)  # browsers ask for the page
    app.run()
    assert b"" not in looks(app)
    assert percent(figures(app)["NMI"].value) >= round(100 * made.mechanism.nmi, 1)
    assert "Quick estimate" in page_text(app)
    assert len(solves.open) == 1  # the optimum is still looked for
    refined(solves, LARGER_SCENARIO)
    app.run()
    assert "Quick estimate" not in page_text(app)


@pytest.mark.usefixtures("hurried", "solves")
def test_a_page_is_asked_for_where_another_session_has_found_a_better_answer():
    app = opened(**SMALL)
    assert b"" not in looks(app)
    result = evaluate_at_leisure(SCENARIO)
    store.KNOWN.add(SCENARIO, result.joint, result.mechanism)
    assert b"" in looks(app)
    app.run()
    assert figures(app)["NMI"].value == f"{100 * result.mechanism.nmi:.1f}%"


@pytest.mark.usefixtures("hurried")
def test_subset_random_response_is_a_first_glance_where_its_time_ran_out(solves):
    app = opened(**LARGER | {"mech": "subset_random_response"})
    assert "Quick estimate. Improving…" in page_text(app)
    assert figures(app)["Gap, nats"].delta == "time limit"
    result = refined(solves, replace(LARGER_SCENARIO, mechanism="subset_random_response"))
    app.run()
    assert "Quick estimate" not in page_text(app)
    assert figures(app)["NMI"].value == f"{100 * result.mechanism.nmi:.1f}%"
    assert figures(app)["Gap, nats"].delta == "heuristic"


@pytest.mark.usefixtures("hurried", "solves")
def test_no_answer_is_below_a_line_that_came_with_it(sweeps, drawn):
    app = opened(**SMALL)
    with clock.using(clock.Ticking(1e-6)):
        sweeps.finish_all()
    app.slider(key="eps").set_value(0.55).run()
    (line,) = (item for item in drawn["frontier"][0]["data"] if item.get("name") == "Optimal")
    below = [y for x, y in zip(line["x"], line["y"], strict=True) if x <= 0.55]
    assert percent(figures(app)["NMI"].value) >= round(100 * max(below), 1) - 0.05


@pytest.mark.usefixtures("hurried")
def test_another_question_ends_the_work_on_the_last_unless_another_session_waits_for_it(solves):
    mine, other = opened(**SMALL), opened(**SMALL)
    assert len(solves.taken) == 2  # both wait for the same work: the optimum and its start
    job = solves.taken[0][0]
    mine.slider(key="eps").set_value(0.25).run()
    assert job.state == State.RUNNING
    other.slider(key="eps").set_value(0.25).run()
    assert job.state == State.CANCELLED
    assert len(solves.open) == 2
    refined(solves, replace(SCENARIO, eps=0.25))
    for app in (mine, other):
        app.run()
        assert not app.exception
        assert "Quick estimate" not in page_text(app)
    assert figures(mine)["NMI"].value == figures(other)["NMI"].value


@pytest.mark.usefixtures("hurried")
def test_an_answer_that_failed_is_told_to_its_session_and_begun_anew_by_the_next(solves):
    app = opened(**SMALL)
    solves.fail(SolverError("The worker process died (exit status -9)."))
    app.run()
    assert "The worker process died" in page_text(app)
    assert "This is the quick estimate" in page_text(app)
    assert not solves.open
    other = opened(**SMALL)
    assert len(solves.open) == 2
    assert "died" not in page_text(other)
    app.button(key="refine_again").click().run()
    assert len(solves.open) == 2  # it waits for the other session's work
    refined(solves)
    for item in (app, other):
        item.run()
        assert "Quick estimate" not in page_text(item)
        assert "died" not in page_text(item)


def test_what_a_time_limit_cut_short_is_a_start_for_the_next_session_and_no_more(solves):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL)
        short = evaluate(SCENARIO)
        solves.open[0][0].succeed(short)
        app.run()
    assert "Quick estimate" not in page_text(app)
    assert figures(app)["Gap, nats"].delta == "time limit"
    # the next session begins from there, and has the full search again
    other = opened(**SMALL)
    assert figures(other)["NMI"].value == f"≥ {figures(app)['NMI'].value}"
    assert "Quick estimate" in page_text(other)
    best = refined(solves).mechanism
    other.run()
    assert figures(other)["NMI"].value == f"{100 * best.nmi:.1f}%"
    assert figures(other)["Gap, nats"].delta == "optimal"
    app.run()
    assert figures(app)["NMI"].value == figures(other)["NMI"].value


@pytest.mark.usefixtures("hurried", "solves")
def test_a_frontiers_point_at_a_smaller_budget_is_the_first_glance(sweeps):
    app = opened(**SMALL | {"eps": "0.1"})
    with clock.using(clock.Ticking(1e-6)):
        sweeps.finish_all()
        app.run()
    app.slider(key="eps").set_value(2.1).run()
    known = evaluate_at_leisure(replace(SCENARIO, eps=2.0)).mechanism
    assert percent(figures(app)["NMI"].value) >= round(100 * known.nmi, 1) - 0.05


def test_what_has_no_first_answer_is_told_and_shown_when_it_is_there(solves):
    app = opened(mech="oue")
    assert not app.exception
    assert not figures(app)
    assert "Computing" in page_text(app)
    solves.finish()
    app.run()
    result = evaluate(Scenario(mechanism="oue"))
    assert figures(app)["NMI"].value == f"{100 * result.mechanism.nmi:.1f}%"


def test_work_without_a_first_answer_that_failed_can_be_started_again(solves):
    app = opened(mech="oue")
    solves.fail(SolverError("The work was stopped after 35 s, its time limit."))
    app.run()
    assert "stopped after 35 s" in page_text(app)
    app.button(key="answer_again").click().run()
    solves.finish()
    app.run()
    assert not app.error
    assert figures(app)["NMI"].value


def test_a_search_that_was_cut_off_goes_on_from_what_is_known(solves):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL)
        solves.open[0][0].succeed(evaluate(SCENARIO))
        app.run()
    cut = percent(figures(app)["NMI"].value)
    assert figures(app)["Gap, nats"].delta == "time limit"
    assert "The search stopped at its time limit of 5 s." in page_text(app)
    assert "for up to 10 s" in app.button(key="search_on").help
    with clock.using(clock.Ticking(1000.0)):
        app.button(key="search_on").click().run()
    job, function, arguments = solves.open[0]
    assert arguments[0] == replace(SCENARIO, time_limit=10.0)
    known = arguments[2]  # it starts from the answer on screen
    kept = mutual_information(evaluate(SCENARIO).joint.release_x(known))
    assert 100 * kept / entropy(evaluate(SCENARIO).joint.p_x) == pytest.approx(cut, abs=0.06)
    assert "search_on" not in keys(app)
    assert "cancel_refining" in keys(app)
    with clock.using(clock.Ticking(1e-6)):
        job.succeed(carry_out(function, arguments, job.note))
    app.run()
    best = evaluate_at_leisure(SCENARIO).mechanism
    assert figures(app)["NMI"].value == f"{100 * best.nmi:.1f}%"
    assert 100 * best.nmi > cut + 1
    assert figures(app)["Gap, nats"].delta == "optimal"
    assert "search_on" not in keys(app)
    assert "cut off" not in page_text(app)


def test_a_search_that_is_cut_off_again_is_offered_twice_the_time_and_never_falls(solves):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL)
        kept = []
        for _ in range(8):
            kept.append(percent(figures(app)["NMI"].value))
            job, function, arguments = solves.open[0]
            job.succeed(carry_out(function, arguments, job.note))
            app.run()
            if "search_on" not in keys(app):
                break
            app.button(key="search_on").click().run()
        assert kept == sorted(kept)
        assert arguments[0].time_limit == 600.0  # the longest that there is: nothing is offered
        assert figures(app)["Gap, nats"].delta == "time limit"


def test_one_click_gives_a_search_that_was_cut_off_60_seconds(solves):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL)
        assert "search_minute" not in keys(app)  # the first search is under way
        solves.open[0][0].succeed(evaluate(SCENARIO))
        app.run()
        cut = figures(app)["NMI"].value
        assert "for up to 60 s" in app.button(key="search_minute").help
        app.button(key="search_minute").click().run()
        job, function, arguments = solves.open[0]
        assert arguments[0] == replace(SCENARIO, time_limit=60.0)
        assert "Improving the answer" in working(app)[0]
        assert "search_minute" not in keys(app)
        app.button(key="cancel_refining").click().run()
        assert job.state == State.CANCELLED
        assert "Canceled. The last answer remains." in page_text(app)
        assert figures(app)["NMI"].value == cut
        app.slider(key="eps").set_value(0.55).run()  # what is given is given to one question
        assert solves.open[0][2][0] == replace(SCENARIO, eps=0.55)
        app.slider(key="eps").set_value(0.5).run()
        assert not solves.open  # it was cancelled here
        app.button(key="refine_again").click().run()
    job, function, arguments = solves.open[0]
    assert arguments[0] == replace(SCENARIO, time_limit=60.0)
    with clock.using(clock.Ticking(1e-6)):
        job.succeed(carry_out(function, arguments, job.note))
    app.run()
    assert figures(app)["Gap, nats"].delta == "optimal"
    assert "search_minute" not in keys(app)


def test_a_search_that_had_60_seconds_is_offered_twice_that_and_not_60_again(solves):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL | {"limit": "60"})
        solves.open[0][0].succeed(evaluate(replace(SCENARIO, time_limit=60.0)))
        app.run()
    assert "stopped at its time limit of 60 s" in page_text(app)
    assert "for up to 120 s" in app.button(key="search_on").help
    assert "search_minute" not in keys(app)


def test_a_quick_question_starts_no_work_elsewhere(solves):
    app = opened(mech="subset_merging")
    assert not solves.taken
    assert "Quick estimate" not in page_text(app)


def test_what_has_no_first_answer_may_be_searched_on_where_its_time_was_over(solves):
    """An answer that was cut short is what the next session starts from, and no more."""
    request = {"data": "adult", "s": "income", "x": ["sex", "race"], "notion": "srlip"}
    request |= {"eps": "0.5", "mech": "srlip_product_optimised"}
    app = opened(**request)
    with clock.using(clock.Ticking(1000.0)):
        solves.finish()
    app.run()
    assert figures(app)["Gap, nats"].delta == "time limit"
    cut = percent(figures(app)["NMI"].value)
    other = opened(**request)
    assert figures(other)["NMI"].value == f"≥ {figures(app)['NMI'].value}"
    assert "Quick estimate" in page_text(other)
    assert len(solves.open) == 1
    app.button(key="search_on").click().run()
    assert [item[2][0].time_limit for item in solves.open] == [5.0, 10.0]
    assert figures(app)["NMI"].value == figures(other)["NMI"].value  # it stays meanwhile
    solves.fail(SolverError("The worker process died (exit status -9)."))
    other.run()
    assert "exit status -9" in page_text(other)
    assert "refine_again" in keys(other)
    with clock.using(clock.Ticking(1e-6)):
        solves.finish()
    app.run()
    assert figures(app)["Gap, nats"].delta in ("heuristic", "repaired")
    assert percent(figures(app)["NMI"].value) >= cut
    assert "search_on" not in keys(app)


@pytest.mark.usefixtures("hurried")
def test_a_second_session_has_the_first_ones_glance_and_the_full_search_too(solves, monkeypatch):
    first = opened(**SMALL)
    request = len(solves.open)

    def again(*_):
        raise AssertionError("the glance is looked for again")

    with monkeypatch.context() as patched:
        patched.setattr(Scenario, "build_mechanism", again)
        second = opened(**SMALL)
    assert not second.exception
    assert "Quick estimate" in page_text(second)
    assert figures(second)["NMI"].value == figures(first)["NMI"].value
    assert len(solves.open) == request  # both wait for the same work
    result = refined(solves)
    for app in (first, second):
        app.run()
        assert figures(app)["NMI"].value == f"{100 * result.mechanism.nmi:.1f}%"
