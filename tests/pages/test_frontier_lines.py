"""The lines of Explore's frontier: each appears when it is ready; one that fails says why."""

from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core.data import count
from core.data.counts import cells
from core.errors import SolverError
from core.jobs import State
from core.mechanisms.optima.frontier import failed
from core.scenario import evaluate
from core.studies.frontier import sweep
from pages.ui.explore import frontier_lines
from pages.ui.work import answers
from tests.pages.picking import chosen, pick
from tests.pages.sent import working
from tests.pages.test_solving import SCENARIO, SMALL, opened, page_text

pytestmark = pytest.mark.usefixtures("solves")
ALIP = SMALL | {"notion": "alip"}
SWEPT = 2  # the optimum and subset random response; the others are swept in place


@pytest.fixture(autouse=True)
def at_leisure():
    """Let no time limit run out."""
    with clock.using(clock.Ticking(1e-6)):
        yield


def lines(drawn):
    """Return the frontier's curves by name: (opacity, x, y)."""
    return {
        trace["name"]: (trace["opacity"], trace["x"], trace["y"])
        for trace in drawn["frontier"][0]["data"]
        if trace["mode"] == "lines+markers"
    }


def notes(drawn):
    return [note["text"] for note in drawn["frontier"][0]["layout"]["annotations"]]


def test_each_line_appears_as_soon_as_it_is_there(sweeps, drawn):
    app = opened(**SMALL)
    assert not app.exception
    assert len(sweeps.open) == SWEPT
    assert set(lines(drawn)) == {"Subset merging", "Watchdog"}
    assert f"{SWEPT} of 4 lines ready" in working(app)[0]
    sweeps.finish()
    app.run()
    assert set(lines(drawn)) == {"Subset merging", "Watchdog", "Optimal"}
    sweeps.finish()
    app.run()
    assert set(lines(drawn)) >= {"Optimal", "Subset random response"}
    assert not working(app)
    assert all(opacity == 1 for opacity, _, _ in lines(drawn).values())


def test_while_no_line_is_there_yet_the_chart_says_so(sweeps, drawn, monkeypatch):
    monkeypatch.setattr(answers, "_is_quick", lambda _: False)
    app = opened(**SMALL)
    assert len(sweeps.open) == 4
    assert notes(drawn) == ["Computing the lines…"]
    sweeps.finish()
    app.run()
    assert notes(drawn) == []


def test_where_every_line_failed_the_chart_does_not_say_that_work_is_under_way(
    sweeps, drawn, monkeypatch
):
    monkeypatch.setattr(answers, "_is_quick", lambda _: False)
    app = opened(**SMALL)
    while sweeps.open:
        sweeps.fail(SolverError("The worker process died (exit status -9)."))
    app.run()
    assert notes(drawn) == ["No line could be computed."]
    assert "Start again" in {button.label for button in app.button}


def test_a_slider_that_starts_new_lines_keeps_the_old_ones_faded_until_they_are_there(
    sweeps, drawn
):
    app = opened(**ALIP)
    sweeps.finish_all()
    app.run()
    old = lines(drawn)["Optimal"]
    app.slider(key="lam").set_value(0.8).run()
    assert len(sweeps.open) == SWEPT
    faded = lines(drawn)["Optimal"]
    assert (faded[0] < 0.5, faded[1:]) == (True, old[1:])
    assert lines(drawn)["Watchdog"][0] == 1  # swept in place
    app.slider(key="eps").set_value(1.25).run()  # a second slider while it waits
    assert len(sweeps.open) == SWEPT
    assert lines(drawn)["Optimal"][0] < 0.5
    app.slider(key="lam").set_value(0.3).run()
    assert len(sweeps.open) == SWEPT  # nobody waits for those of .8 any more
    assert sum(job.state == State.CANCELLED for job, _, _ in sweeps.taken) == SWEPT
    assert [arguments[0].lam for _, _, arguments in sweeps.open] == [0.3, 0.3]
    sweeps.finish_all()
    app.run()
    new = lines(drawn)["Optimal"]
    assert new[0] == 1
    assert new[2] != old[2]
    app.slider(key="lam").set_value(0.5).run()  # the second visit: it is known
    assert not sweeps.open
    assert lines(drawn)["Optimal"][0] == 1


def test_a_line_that_failed_counts_as_none_and_its_old_one_is_back_once_it_starts_again(
    sweeps, drawn
):
    app = opened(**ALIP)
    sweeps.finish_all()
    app.run()
    old = lines(drawn)["Optimal"]
    app.slider(key="lam").set_value(0.8).run()
    sweeps.fail(SolverError("The worker process died (exit status -9)."))
    app.run()
    assert "Missing: Optimal" in page_text(app)
    assert "Optimal" not in lines(drawn)
    assert "2 of 4 lines ready" in working(app)[0]
    app.button(key="frontier_again").click().run()
    assert "Missing" not in page_text(app)
    faded = lines(drawn)["Optimal"]
    assert (faded[0] < 0.5, faded[1:]) == (True, old[1:])


def test_work_that_another_session_waits_for_goes_on(sweeps):
    mine, other = opened(**ALIP), opened(**ALIP)
    assert len(sweeps.taken) == SWEPT
    mine.slider(key="lam").set_value(0.8).run()
    assert len(sweeps.open) == 2 * SWEPT
    other.button(key="frontier_cancel").click().run()
    assert sum(job.state == State.CANCELLED for job, _, _ in sweeps.taken) == SWEPT
    assert "Missing: Optimal: The work was canceled." in page_text(other)
    assert "Missing" not in page_text(mine)
    mine.slider(key="lam").set_value(0.5).run()
    assert len(sweeps.open) == SWEPT


def test_a_line_that_failed_is_told_can_be_started_again_and_is_no_ones_elses_failure(
    sweeps, drawn
):
    app = opened(**SMALL)
    sweeps.fail(SolverError("The worker process died (exit status -9)."))
    app.run()
    assert "Missing: Optimal: The worker process died" in page_text(app)
    assert len(sweeps.open) == SWEPT - 1
    other = opened(**SMALL)
    assert "Missing" not in page_text(other)
    assert len(sweeps.open) == SWEPT
    sweeps.finish_all()
    other.run()
    assert "Optimal" in lines(drawn)
    app.button(key="frontier_again").click().run()
    assert "Missing" not in page_text(app)
    assert not sweeps.open  # the other session's line is there for all
    assert "Optimal" in lines(drawn)


@pytest.mark.parametrize("eps", [0.1, 0.6, 1.1, 7.95])
@pytest.mark.parametrize("mech", ["optimal", "watchdog", "subset_random_response"])
def test_the_current_point_is_on_the_line_of_its_own_mechanism(sweeps, drawn, eps, mech):
    app = opened(**SMALL | {"mech": mech, "eps": str(eps)})
    sweeps.finish_all()
    app.run()
    figure = drawn["frontier"][0]
    x, y = figure["layout"]["meta"]["now"]
    curve = next(trace for trace in figure["data"] if trace["meta"] == ["lip", mech])
    assert x == eps
    assert np.interp(x, curve["x"], curve["y"]) == pytest.approx(y, abs=2e-5)
    expected = evaluate(replace(SCENARIO, mechanism=mech, eps=eps)).mechanism.nmi
    assert y == pytest.approx(expected, abs=2e-5)


def test_what_is_not_proven_has_a_band_up_to_its_bound(sweeps, drawn):
    app = opened(**SMALL)
    with clock.using(clock.Ticking(1000.0)):
        sweeps.finish_all()
        app.run()
        cut_short = drawn["frontier"][0]
    bands = [trace for trace in cut_short["data"] if trace.get("fill") == "toself"]
    assert len(bands) == 1
    curve = next(t for t in cut_short["data"] if t.get("meta") == ["lip", "optimal"])
    n = len(curve["x"])
    top = np.array(bands[0]["y"][n:][::-1])
    assert (top >= np.array(curve["y"]) - 1e-9).all()
    assert (np.diff(curve["y"]) >= -1e-9).all()
    assert (np.diff(top) >= -1e-9).all()
    # another session has it worked out in full; the old line is there meanwhile
    other = opened(**SMALL)
    assert "Optimal" in lines(drawn)
    assert len(sweeps.open) >= 1
    sweeps.finish_all()
    other.run()
    assert not [trace for trace in drawn["frontier"][0]["data"] if trace.get("fill") == "toself"]


def test_the_axis_and_the_points_are_in_the_unit_shown(sweeps, drawn):
    app = opened(**SMALL)
    sweeps.finish_all()
    app.run()
    nats = lines(drawn)["Watchdog"]
    app.segmented_control(key="unit").set_value("bits").run()
    figure, bits = drawn["frontier"][0], lines(drawn)["Watchdog"]
    assert "in bits" in figure["layout"]["xaxis"]["title"]["text"]
    assert figure["layout"]["meta"]["now"][0] == pytest.approx(0.5 / np.log(2), abs=1e-4)
    np.testing.assert_allclose(bits[1], np.array(nats[1]) / np.log(2), rtol=1e-4)
    assert bits[2] == nats[2]


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_each_column_of_the_table_names_its_unit(unit, monkeypatch):
    swept = sweep(replace(SCENARIO, mechanism="watchdog"), count(SCENARIO.data).joint, [0.0, 0.5])
    shown = frontier_lines.Lines((frontier_lines.Place(0, swept),))
    monkeypatch.setattr(frontier_lines, "find", lambda _: shown)
    monkeypatch.setattr(frontier_lines.state, "scenario", lambda: SCENARIO)
    monkeypatch.setattr(frontier_lines.controls, "unit", lambda: unit)
    table = frontier_lines.table()
    scale = 1.0 if unit == "nats" else 1 / np.log(2)
    np.testing.assert_allclose(table[f"eps_{unit}"], swept.eps * scale)
    np.testing.assert_allclose(table[f"utility_{unit}"], swept.utility * scale)
    np.testing.assert_allclose(table[f"bound_{unit}"], swept.upper_bound * scale)


def table_of(monkeypatch, request, *swept, known=None):
    """Return the table that stands for some lines under a question, in bits."""
    places = [
        frontier_lines.Place(number, line, revealed=known if number else None)
        for number, line in enumerate(swept)
    ]
    monkeypatch.setattr(frontier_lines, "find", lambda _: frontier_lines.Lines(tuple(places)))
    monkeypatch.setattr(frontier_lines.state, "scenario", lambda: request)
    monkeypatch.setattr(frontier_lines.controls, "unit", lambda: "bits")
    return frontier_lines.table()


def test_the_table_of_another_purpose_names_what_it_counts_and_has_no_bits(monkeypatch):
    request = replace(SCENARIO, mechanism="watchdog", purpose="distortion", loss="hamming")
    line = sweep(request, count(request.data).joint, [0.0, 0.5])
    table = table_of(monkeypatch, request, line)
    np.testing.assert_allclose(table["expected_error"], -line.utility)
    np.testing.assert_allclose(table["expected_error_at_least"], -line.upper_bound)
    assert (table["expected_error"] > 0).all()
    assert "nmi" not in table.columns


def test_a_funnel_without_unit_is_not_scaled_and_each_budget_has_its_unit(monkeypatch):
    request = replace(SCENARIO, notion="average_tv", mechanism="optimal")
    joint = count(SCENARIO.data).joint
    funnel = sweep(replace(request, mechanism="constant"), joint, [0.01, 0.02])
    lip = sweep(replace(SCENARIO, mechanism="watchdog"), joint, [0.5, 1.0])
    reported = np.array([0.1, 0.2])
    table = table_of(monkeypatch, request, funnel, lip, known=reported)
    assert list(table["unit_of_eps"]) == ["", "", "bits", "bits"]
    np.testing.assert_allclose(table["eps"], [0.01, 0.02, 0.5 / np.log(2), 1.0 / np.log(2)])
    np.testing.assert_allclose(table["level_of_S"], [0.01, 0.02, 0.1, 0.2])
    request = replace(request, notion="average_mi")
    funnel = replace(funnel, notion="average_mi")
    table = table_of(monkeypatch, request, funnel, lip, known=reported)
    np.testing.assert_allclose(table["level_of_S_bits"][2:], reported / np.log(2))


def test_an_error_keeps_the_last_charts_faded_and_offers_what_has_an_answer(sweeps, drawn):
    app = opened(**SMALL)
    sweeps.finish_all()
    app.run()
    before = dict(drawn)
    assert not any(faded for _, faded in before.values())
    pick(app, "mech", "polyopt")
    assert not app.exception
    assert app.error
    assert "The charts show the last answer" in page_text(app)
    assert "LIP" in page_text(app)
    assert set(drawn) == set(before)
    for key, (figure, faded) in drawn.items():
        assert faded is (key != "confusability_before"), key  # of X itself, whatever the answer
        assert figure["data"] == before[key][0]["data"], key
    offered = {button.label: button for button in app.button}
    offered["Watchdog"].click().run()
    assert not app.error
    assert chosen(app, "mech") == "watchdog"
    assert not any(faded for _, faded in drawn.values())


def test_a_line_with_budgets_that_failed_says_so_and_may_be_searched_on(sweeps, drawn, monkeypatch):
    def gappy(scenario, joint, *more, **options):
        result = sweep(scenario, joint, *more, **options)
        if scenario.mechanism not in ("optimal", "subset_random_response"):
            return result
        utility = np.where(np.arange(len(result.eps)) == 3, np.nan, result.utility)
        made = list(result.mechanisms)
        made[3] = failed(joint, "The solver gave up.")
        reasons = ("", "", "", "The solver gave up.", *[""] * (len(made) - 4))
        reported = {"utility": utility, "nmi": utility, "proven": np.isfinite(utility)}
        return replace(result, mechanisms=tuple(made), reasons=reasons, **reported)

    with monkeypatch.context() as broken:
        broken.setattr(answers, "sweep", gappy)
        app = opened(**SMALL)
        sweeps.finish_all()
        app.run()
    shown = page_text(app)
    assert "Subset random response: no answer at 1 of 32 budgets. The solver gave up." in shown
    # what smaller budgets keep is kept there too
    assert "Optimal: not proven at 1 of 32 budgets." in shown
    limits = {args[0].mechanism: args[0].time_limit for _, _, args in sweeps.taken}
    app.button(key="frontier_search_on").click().run()
    assert not app.exception
    again = {arguments[0].mechanism: arguments[0].time_limit for _, _, arguments in sweeps.open}
    assert set(again) == {"optimal", "subset_random_response"}
    assert again["optimal"] > limits["optimal"]
    sweeps.finish_all()
    app.run()
    assert None not in lines(drawn)["Subset random response"][2]
    assert "no answer at" not in page_text(app)
    assert "not proven at" not in page_text(app)


def test_too_many_levels_offer_to_cut_and_to_group(monkeypatch):
    monkeypatch.setattr(cells, "MAX_LEVELS", 200)  # of 10,000, the answer takes longer
    app = opened(s="sex", x=["age", "race"])
    assert app.error
    labels = {button.label.replace("\\", ""): button for button in app.button}
    assert "Bin age into 8 bins" in labels
    assert "Group levels of X below 10 records" in labels
    labels["Bin age into 8 bins"].click().run()
    assert not app.exception
    assert not app.error
    assert [binning.column for binning in app.session_state["_data"].binnings] == ["age"]
    assert "Bin age into 8 bins" not in {button.label for button in app.button}


@pytest.mark.parametrize("quick", [False, True])
def test_a_line_with_budgets_that_failed_is_its_sessions_alone(sweeps, drawn, monkeypatch, quick):
    def gappy(scenario, joint, *more, **options):
        result = sweep(scenario, joint, *more, **options)
        made = list(result.mechanisms)
        made[3] = failed(joint, "The solver gave up.")
        utility = np.where(np.arange(len(made)) == 3, np.nan, result.utility)
        gap = {"utility": utility, "nmi": utility, "mechanisms": tuple(made)}
        reasons = tuple("The solver gave up." if place == 3 else "" for place in range(len(made)))
        return replace(result, reasons=reasons, **gap)

    if not quick:
        monkeypatch.setattr(answers, "_is_quick", lambda _: False)
    with monkeypatch.context() as broken:
        broken.setattr(answers, "sweep", gappy)
        app = opened(**SMALL | {"mech": "watchdog"})
        sweeps.finish_all()
        app.run()
        assert None in lines(drawn)["Watchdog"][2]
        app.run()
        assert not sweeps.open  # nor is it worked out again and again
    other = opened(**SMALL | {"mech": "watchdog"})
    sweeps.finish_all()
    other.run()
    assert None not in lines(drawn)["Watchdog"][2]
