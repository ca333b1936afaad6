"""The privacy funnel on Explore: its line, the optima under it, its words, and its two ends."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core import measures
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms import optimal
from core.notions import LDP, LIP, Average, Intersection
from core.release.sentences import finding, promise_text
from core.scenario import Scenario, evaluate
from core.studies.frontier import GRID, sweep
from core.studies.funnel import POINTS, budgets, is_funnel, reached
from core.studies.known import Known
from pages.ui.explore import charts, frontier_lines
from pages.ui.figures import OF_X
from pages.ui.figures import frontier as draw
from pages.ui.style.units import NATS_PER_BIT
from tests.pages.test_explore import figures, opened
from tests.pages.test_purposes import page_text

pytestmark = pytest.mark.usefixtures("no_lines")

FUNNEL = {"notion": "average_mi", "eps": "0.03"}
RACE = DataSpec(released=("race",))
JOINT = Joint.random_uniform(2, 5, np.random.default_rng(3))


@pytest.mark.usefixtures("afresh")
def test_the_line_is_the_most_that_is_kept_and_other_optima_lie_under_it(sweeps, drawn):
    app = opened(x="race", notion="average_mi", eps="0.001")
    assert not app.exception
    names = [function.__name__ for _, function, _ in sweeps.open]
    assert names.count("sweep") == 3  # the funnel, LIP and LDP
    sweeps.finish_all()
    app.run()
    assert not app.exception
    figure, _ = drawn["frontier"]
    lines = {tuple(item["meta"]): item for item in figure["data"] if item.get("meta")}
    funnel = lines["average_mi", "optimal"]
    x, y = np.array(funnel["x"]), np.array(funnel["y"])
    joint = count(RACE).joint
    whole = measures.mutual_information(joint.p)
    assert 0 <= x[0] < 1e-12
    assert x[-1] == pytest.approx(whole, rel=1e-4)
    assert y[-1] == 1.0
    chord = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    assert (y[1:-1] >= chord - 1e-4).all()  # concave, to the digits of a figure
    for key, kind in (("lip", LIP), ("ldp", LDP)):
        points = lines[key, "optimal"]
        assert points["mode"] == "markers"
        reported, kept = np.array(points["x"]), np.array(points["y"])
        assert (kept <= np.interp(reported, x, y) + 1e-4).all()
        at = list(GRID).index(0.5)
        made = optimal(joint, kind(0.5))
        own = measures.mutual_information(joint.release(made.kernel))
        assert reported[at] == pytest.approx(own, abs=1e-5)
        assert kept[at] == pytest.approx(made.nmi, abs=1e-5)
    assert figure["layout"]["meta"]["now"][0] == 0.001
    assert "I(S;Y), in nats" in figure["layout"]["xaxis"]["title"]["text"]
    app.session_state["frontier_more"] = True
    app.run()
    assert "choose one of their mechanisms at random" in page_text(app)


@pytest.mark.parametrize(
    ("key", "name", "half", "other"),
    [("average_mi", "eps", 0.05, "1"), ("average_guess", "bound", 0.7, "0.9")],
)
def test_a_link_without_a_budget_is_about_half_of_what_x_needs(key, name, half, other):
    app = opened(notion=key)
    assert not app.exception
    assert app.session_state[name] == half
    assert app.query_params[name] in (str(half), [str(half)])
    spoken = opened(notion=key, **{name: other})  # what a link says counts, and stays in it
    assert spoken.session_state[name] == float(other)
    assert spoken.query_params[name] in (other, [other])


@pytest.mark.usefixtures("afresh")
def test_points_keep_the_further_promises_too_and_lie_under_the_line(sweeps, drawn):
    also = json.dumps({"notion": "lip", "eps": 0.2})
    app = opened(x="race", notion="average_mi", eps="0.001", also=also)
    sweeps.finish_all()
    app.run()
    assert not app.exception
    figure, _ = drawn["frontier"]
    lines = {tuple(item["meta"]): item for item in figure["data"] if item.get("meta")}
    x, y = (np.array(lines["average_mi", "optimal"][axis]) for axis in "xy")
    assert y[-1] < 0.999  # the further promise costs
    joint = count(RACE).joint
    for key, kind in (("lip", LIP), ("ldp", LDP)):
        reported, kept = (np.array(lines[key, "optimal"][axis]) for axis in "xy")
        after = np.minimum(
            np.searchsorted(x, reported - 1e-5), len(x) - 1
        )  # the next larger budget
        assert (kept <= y[after] + 1e-4).all()
        both = optimal(joint, Intersection(kind(8.0), LIP(0.2)))
        assert kept[-1] == pytest.approx(both.nmi, abs=1e-5)
    app.session_state["frontier_more"] = True
    app.run()
    assert "All mechanisms also satisfy the additional notions." in page_text(app)


def test_what_is_proven_between_points_is_drawn_and_what_a_mixture_reaches():
    line = sweep(Scenario(notion="average_leakage"), JOINT, [0.0, 0.1, 0.3, 0.5])
    result = evaluate(Scenario(data=RACE, notion="average_leakage", eps=0.001))
    result = replace(result, counted=replace(result.counted, joint=JOINT))
    short = replace(line, utility=line.utility * [1, 0.5, 0.5, 1], nmi=line.nmi * [1, 0.5, 0.5, 1])
    shown = charts._line(
        frontier_lines.Place(0, short),
        *("nats", "information"),
        by_promise=True,
        in_nats=True,
        funnel=result,
    )
    at, most = shown.between
    for budget in (0.05, 0.2, 0.42):  # solved anew, between the budgets of the line
        solved = optimal(JOINT, Average("maximal_leakage", budget))
        assert solved.nmi <= np.interp(budget, at, most) + 2e-3
    # a mixture of the ends: e^M is what it mixes
    share = np.expm1(0.3) / np.expm1(0.5)
    ends = (1 - share) * short.nmi[0] + share * short.nmi[3]
    assert shown.mixture[2] == pytest.approx(ends, abs=1e-9)
    drawn = draw(
        [shown], eps=0.1, nmi=0.5, kept=OF_X, unit="nats", limit=0.5, current=0, budget=None
    )["data"]
    dotted = next(
        item for item in drawn if item["line"].get("dash") == "dot" and "meta" not in item
    )
    np.testing.assert_allclose(dotted["y"], shown.mixture, atol=1e-5)
    band = next(item for item in drawn if item.get("fill") == "toself")
    assert len(band["x"]) == 2 * len(at)


def test_its_words_and_figures_tell_the_average_and_the_single_output():
    app = opened(**FUNNEL)
    result = evaluate(Scenario(notion="average_mi", eps=0.03))
    words = page_text(app)
    assert "On average, the release reveals 0.03 nats about sex" in words
    assert "but a single output may change a belief by up to a factor of " in words
    assert "No mechanism under I(S;Y) ≤ 0.03 keeps more" in words
    assert figures(app)["I(S;Y), nats"] == "0.0300"
    assert result.after.averages["mutual_information"] <= 0.03 + 1e-9
    app.segmented_control(key="unit").set_value("bits").run()
    assert "I(S;Y) ≤ 0.043281 in bits" in page_text(app)


def test_at_a_budget_of_nothing_nothing_is_told_and_something_may_be_kept():
    app = opened(notion="average_mi", eps="0")
    assert not app.exception
    result = evaluate(Scenario(notion="average_mi", eps=0.0))
    assert result.after.averages["mutual_information"] <= 1e-9
    assert figures(app)["I(S;Y), nats"] == "0.0000"
    assert "The release reveals nothing about sex." in page_text(app)
    assert result.mechanism.nmi > 0.5


def test_what_has_no_unit_stays_as_it_is_in_bits(drawn):
    app = opened(notion="average_tv", eps="0.05", unit="bits")
    assert not app.exception
    assert app.session_state["eps"] == 0.05
    assert app.query_params["eps"] in ("0.05", ["0.05"])
    figure, _ = drawn["frontier"]
    assert figure["layout"]["meta"]["now"][0] == 0.05
    assert figure["layout"]["xaxis"]["title"]["text"].startswith(
        "revealed about S on average, total variation: lower"
    )


def test_a_promise_without_epsilon_has_no_line(drawn):
    app = opened(notion="guess", bound="0.8")
    assert not app.exception
    figure, _ = drawn["frontier"]
    assert "no budget ε" in figure["layout"]["annotations"][0]["text"]


def test_a_mechanism_without_a_promise_stands_beside_the_funnel():
    app = opened(mech="constant", **FUNNEL)
    assert not app.exception
    result = frontier_lines._beside_funnel(Scenario(notion="average_mi", mechanism="constant"))
    assert [(item.notion, item.mechanism) for item in result] == [
        ("average_mi", "optimal"),
        ("lip", "optimal"),
        ("ldp", "optimal"),
    ]


def test_budgets_are_those_at_which_the_promise_matters():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    assert budgets(Scenario(notion="lip"), joint) is GRID
    result = budgets(Scenario(notion="average_tv"), joint)
    assert (result[0], result[-1], len(result)) == (0.0, 0.25, POINTS)
    independent = Joint.from_counts([[1, 1], [1, 1]])
    assert budgets(Scenario(notion="average_mi"), independent) is GRID
    assert not is_funnel(Scenario(notion="average_guess"))


def test_what_is_not_known_is_no_point():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    reported = reached(Known(), Scenario(), [1.0, 2.0], Average("mutual_information", 1.0), joint)
    assert np.isnan(reported).all()


@pytest.mark.parametrize(
    ("notion", "text"),
    [
        (Average("mutual_information", NATS_PER_BIT), "I(S;Y) ≤ 1 in bits"),
        (Average("sibson", NATS_PER_BIT, 2.0), "Sibson information of order 2 ≤ 1 in bits"),
        (Average("total_variation", 0.25), "total variation ≤ 0.25"),
        (Average("guessing", 0.75), "probability of guessing S ≤ 0.75"),
    ],
)
def test_an_average_budget_is_written_in_bits_where_it_has_a_unit(notion, text):
    assert promise_text(notion, "bits") == text


def test_an_output_that_rules_out_a_value_is_told():
    result = evaluate(Scenario(notion="average_mi", eps=0.095))
    if np.isinf(result.after.achieved["lip"]):
        assert "but some outputs rule out a value of sex for certain" in finding(result)
    else:
        assert "but a single output may change a belief" in finding(result)
