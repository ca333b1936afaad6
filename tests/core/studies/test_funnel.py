"""The funnel's frontier: its envelope and what is proven between budgets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from core import mechanisms as m
from core.joint import Joint
from core.mechanisms.result import CUT
from core.notions import LDP, LIP, Average
from core.scenario import Scenario
from core.studies.frontier import sweep
from core.studies.funnel import budgets, envelope, lend, measure, most_between, taken
from core.studies.known import Known

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(2))
FUNNEL = Average("mutual_information", 1.0)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=7), st.integers(0, 99))
def test_the_envelope_is_the_best_of_all_mixtures(heights, seed):
    x = np.cumsum(np.random.default_rng(seed).integers(1, 5, len(heights))).astype(float)
    y = np.array(heights, dtype=float)
    for i, budget in enumerate(x):
        # weights of points that meet the budget on average, the best by a linear program
        best = optimize.linprog(-y, A_eq=[x, np.ones(len(x))], b_eq=[budget, 1.0], method="highs")
        assert envelope(x, y)[i] == pytest.approx(-best.fun, abs=1e-9)


def test_points_without_an_answer_are_passed_over():
    reported = envelope([0.0, 1.0, 2.0, 3.0], [np.nan, 1.0, np.nan, 2.0])
    np.testing.assert_array_equal(reported, [np.nan, 1.0, 1.5, 2.0])
    assert np.isnan(envelope([0.0, 1.0], [np.nan, np.nan])).all()


@given(st.integers(0, 10**6))
def test_bounds_between_are_above_every_concave_curve_through_what_is_known(seed):
    rng = np.random.default_rng(seed)
    slopes, cuts = rng.random(6) * 3, rng.random(6)

    def curve(budget):  # the least of rising lines: concave, never falling
        return np.min(slopes * np.asarray(budget)[..., None] + cuts, axis=-1)

    reported = np.sort(rng.random(rng.integers(1, 6)))
    kept, bound = curve(reported) - rng.random() * 0.1, curve(reported) + rng.random() * 0.1
    at = rng.random(20) * 1.3
    assert (most_between(reported, kept, bound, at) >= curve(at) - 1e-9).all()
    assert (most_between(reported, kept, bound, reported) <= bound + 1e-12).all()


@pytest.mark.parametrize(
    "notion", [Average("maximal_leakage", 1.0), Average("sibson", 1.0, 2.0), FUNNEL]
)
def test_a_mixture_takes_of_a_budget_what_lies_between(notion):
    kernels = np.random.default_rng(4).dirichlet(np.ones(3), size=(2, 6))
    mixture = np.hstack([0.3 * kernels[0], 0.7 * kernels[1]])
    levels = [notion.achieved(JOINT, kernel) for kernel in (*kernels, mixture)]
    item, other, both = taken(notion, levels, JOINT)
    assert both == pytest.approx(0.3 * item + 0.7 * other, abs=1e-9)


def test_nothing_known_proves_nothing():
    assert most_between([0.5], [0.2], [0.3], [0.6]) == [np.inf]
    assert most_between([0.5], [np.nan], [0.3], [0.4]) == [np.inf]


def test_a_funnel_of_optima_bounds_what_lies_between_and_lip_and_ldp_beneath():
    request = Scenario(notion="average_mi", gap=1e-3)
    grid = budgets(request, JOINT)[::6]
    line = sweep(replace(request, time_limit=20.0), JOINT, grid)
    assert line.proven.all()
    reached = envelope(line.eps, line.utility)
    assert (reached >= line.utility - 1e-12).all()
    assert (reached <= line.upper_bound + 1e-9).all()  # concave up to the gap
    assert reached[-1] == pytest.approx(JOINT_ENTROPY)
    for notion in (LIP(0.2), LIP(0.6), LDP(0.3), LDP(1.0)):
        made = m.optimal(JOINT, notion)
        reported = FUNNEL.achieved(JOINT, made.kernel)
        most = most_between(line.eps, line.utility, line.upper_bound, [reported])[0]
        assert made.utility <= most + 1e-9
    between = (grid[1] + grid[2]) / 2
    solved = m.optimal(JOINT, replace(FUNNEL, bound=between), gap=1e-3, time_limit=20)
    most = most_between(line.eps, line.utility, line.upper_bound, [between])[0]
    assert solved.utility <= most + 1e-9
    assert most <= line.upper_bound[2]
    assert np.interp(between, line.eps, reached) <= solved.upper_bound + 1e-9


@pytest.mark.parametrize(
    ("notion", "purpose"),
    [("average_mi", "information"), ("average_leakage", "guess"), ("average_tv", "information")],
)
def test_an_answer_is_never_below_a_mixture_of_its_neighbours(notion, purpose):
    known, request = Known(), Scenario(notion=notion, purpose=purpose, gap=1e-3)
    reported = measure(request, JOINT)
    most = reported.achieved(JOINT, np.eye(JOINT.n_x))
    for share in (0.0, 0.2, 0.7):
        at = replace(request, eps=share * most)
        known.add(at, JOINT, at.build_mechanism(JOINT))
    here = replace(request, eps=0.5 * most)
    poor = replace(here, mechanism="constant").build_mechanism(JOINT)
    known.add(here, JOINT, replace(poor, status=CUT, notion=here.build_notion(JOINT)))
    result = known.best(here, JOINT)
    room = taken(reported, [0.2 * most, 0.5 * most, 0.7 * most], JOINT)
    share = (room[1] - room[0]) / (room[2] - room[0])
    ends = [known.best(replace(request, eps=end * most), JOINT).utility for end in (0.2, 0.7)]
    assert result.utility >= (1 - share) * ends[0] + share * ends[1] - 1e-9
    assert result.solver == "mixture"
    assert result.audit.holds
    assert reported.achieved(JOINT, result.kernel) <= 0.5 * most + 1e-12
    solved = here.build_mechanism(JOINT)
    assert result.utility <= solved.upper_bound + 1e-9
    known.add(here, JOINT, solved)
    assert known.best(here, JOINT).utility == pytest.approx(solved.utility, abs=1e-9)
    assert known.best(here, JOINT).solver == solved.solver


def test_an_answer_without_a_larger_budget_beside_it_is_no_mixture():
    known, request = Known(), Scenario(notion="average_mi", eps=0.01)
    made = request.build_mechanism(JOINT)
    known.add(request, JOINT, made)
    lifted = known.best(replace(request, eps=0.02), JOINT)
    assert lifted.utility == made.utility
    assert lifted.solver == made.solver
    endless = replace(request, notion="average_leakage", eps=0.01)
    known.add(endless, JOINT, endless.build_mechanism(JOINT))
    assert known.best(replace(endless, eps=0.02), JOINT).solver != "mixture"


def test_optima_under_the_line_raise_it_where_it_is_straight_between_two_budgets():
    known, request = Known(), Scenario(notion="average_mi", gap=1e-4)
    most = FUNNEL.achieved(JOINT, np.eye(JOINT.n_x))
    line = sweep(request, JOINT, [0.0, 0.6 * most, most])  # too few: it cuts through a curve
    beside = replace(request, notion="lip")
    points = sweep(beside, JOINT, [0.1, 0.2, 0.4])
    for eps, made in zip(points.eps, points.mechanisms, strict=True):
        known.add(replace(beside, eps=float(eps)), JOINT, made)
    reported = [FUNNEL.achieved(JOINT, made.kernel) for made in points.mechanisms]
    above = points.utility > np.interp(reported, line.eps, line.utility) + 1e-5
    assert above.any()
    lend(known, [(beside, points), (request, line)], JOINT)
    raised = known.along(line, request, JOINT)
    assert len(raised.eps) == len(line.eps) + above.sum()
    assert (points.utility <= np.interp(reported, raised.eps, raised.utility) + 1e-5).all()
    for at, kept, bound in zip(raised.eps, raised.utility, raised.upper_bound, strict=True):
        solved = m.optimal(JOINT, replace(FUNNEL, bound=float(at)), gap=1e-3)
        assert kept <= solved.upper_bound + 1e-9
        assert solved.utility <= bound + 1e-9
    lend(known, [(beside, points), (request, raised)], JOINT)
    assert len(known.along(line, request, JOINT).eps) == len(raised.eps)  # once is enough
    lend(Known(), [(beside, points)], JOINT)
    lend(known, [(request, replace(line, utility=line.utility * np.nan)), (beside, points)], JOINT)
    assert len(known.along(line, request, JOINT).eps) == len(raised.eps)


JOINT_ENTROPY = float(-(JOINT.p_x * np.log(JOINT.p_x)).sum())
