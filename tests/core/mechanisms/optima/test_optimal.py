"""The optimal mechanism: the papers' other routes, and inputs that are awkward."""

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial import HalfspaceIntersection

from core import clock, measures
from core.errors import AuditError, InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms import frontier, optimal, subset_merging, subset_random_response
from core.mechanisms.optima.search import without_budget
from core.notions import (
    ALIP,
    LDP,
    LIP,
    RLDP,
    SRLIP,
    AlphaLift,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseMaximalLeakage,
)
from tests.strategies import budgets, joints

INF = float("inf")
PAPER = Joint.random_uniform(5, 17, np.random.default_rng(0))


def big_polytope_optimum(joint, notion_rows):
    """Return the most I(X;Y) over the vertices of the set of whole kernels ([Funnel] Theorem 2).

    Kernels Q of shape (n_x, n_x) whose columns all satisfy notion_rows @ Q_y ≤ 0; the last column
    is 1 less the others, so that the polytope is solid.
    """
    n = joint.n_x
    free = n * (n - 1)
    index = np.arange(free).reshape(n, n - 1)
    halves = []
    for y in range(n):
        for row in np.vstack([notion_rows, -np.eye(n)]):
            half = np.zeros(free + 1)
            if y < n - 1:
                half[index[:, y]] = row
            else:  # row @ (1 − Σ other columns) ≤ 0
                for other in range(n - 1):
                    half[index[:, other]] = -row
                half[-1] = row.sum()
            halves.append(half)
    inside = np.full(free, 1 / n)
    corners = HalfspaceIntersection(np.array(halves), inside).intersections
    best = 0.0
    for corner in corners:
        kernel = np.clip(corner.reshape(n, n - 1), 0, 1)
        kernel = np.hstack([kernel, np.clip(1 - kernel.sum(axis=1, keepdims=True), 0, 1)])
        best = max(best, measures.mutual_information(joint.p_x[:, None] * kernel))
    return best


@pytest.mark.parametrize(("n_x", "eps"), [(2, 0.3), (2, 1.5), (3, 0.5), (3, 1.2)])
def test_ldp_optimum_is_the_best_vertex_of_the_papers_polytope(n_x, eps):
    joint = Joint.random_dirichlet(2, n_x, 1.0, np.random.default_rng(n_x))
    given_s = joint.p / joint.p_s[:, None]  # P(y|s) = P(x|s) Q
    rows = np.array([given_s[0] - np.exp(eps) * given_s[1], given_s[1] - np.exp(eps) * given_s[0]])
    expected = big_polytope_optimum(joint, rows)
    assert optimal(joint, LDP(eps)).utility == pytest.approx(expected, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(joints(max_s=3, max_x=5), budgets)
def test_any_small_joint_is_solved_and_no_merging_is_better(joint, eps):
    for notion in (LIP(eps), LDP(eps)):
        mechanism = optimal(joint, notion, time_limit=60)
        assert mechanism.status == "optimal"
        assert mechanism.audit.holds
        assert mechanism.n_y <= joint.n_x
        assert subset_merging(joint, notion).utility <= mechanism.upper_bound
        assert 0 <= mechanism.gap <= 1e-6


def test_perfect_privacy_publishes_what_is_independent_of_s():
    # X = (S, U) with S and U independent: all of U may be published, nothing of S
    joint = Joint.with_secret_released(np.outer([0.3, 0.7], [0.2, 0.5, 0.3]))
    mechanism = optimal(joint, LIP(0))
    entropy_u = measures.entropy(np.array([0.2, 0.5, 0.3]))
    assert mechanism.utility >= entropy_u - 1e-9
    assert measures.mutual_information(joint.release(mechanism.kernel)) < 1e-12


def test_perfect_privacy_may_leave_only_the_constant_mechanism():
    joint = Joint.from_counts([[3, 1, 0], [1, 1, 4], [2, 5, 1]])  # P(S | x) independent vectors
    mechanism = optimal(joint, LIP(0))
    assert mechanism.utility == pytest.approx(0, abs=1e-9)
    assert mechanism.status == "optimal"


@pytest.mark.parametrize("solver", ["enumerate", "columns"])
@pytest.mark.parametrize(
    "joint",
    [
        Joint.from_counts(np.ones((3, 5))),
        Joint.from_counts(np.outer([1, 2, 3], [4, 1, 1, 5])),
        Joint.from_counts([[1, 2, 3, 4]]),
    ],
)
@pytest.mark.parametrize("notion", [LIP(0), LDP(0), ALIP(0.1, 0.0)], ids=str)
def test_independent_data_is_published_whole(joint, notion, solver):
    mechanism = optimal(joint, notion, solver=solver)
    assert mechanism.nmi == pytest.approx(1.0, abs=1e-9)
    assert mechanism.status == "optimal"


def test_a_large_budget_is_the_identity():
    mechanism = optimal(PAPER, LIP(40))
    assert mechanism.nmi == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(np.sort(mechanism.kernel.max(axis=0)), 1.0, atol=1e-9)


def test_one_symbol_has_nothing_to_lose():
    mechanism = optimal(Joint.from_counts([[1], [2]]), LIP(0.5))
    assert (mechanism.utility, mechanism.gap, mechanism.status) == (0.0, 0.0, "optimal")


def test_zero_cells_force_structure():
    # x1 and x2 each rule one s out, so neither may be told alone; x3 tells nothing
    joint = Joint.from_counts([[2, 0, 1], [0, 2, 1]])
    mechanism = optimal(joint, LDP(0.5))
    sharpest = (mechanism.kernel * joint.p_x[:, None]) / (joint.p_x @ mechanism.kernel)
    assert sharpest[:2].min() >= 0
    together = sharpest[:2].sum(axis=0) > 1e-9
    assert (sharpest[0, together] > 0).all()
    assert (sharpest[1, together] > 0).all()
    assert mechanism.utility > 0


def test_data_that_reveals_s_is_as_hard_as_s_itself():
    joint = Joint.from_counts([[1, 2, 0, 0, 0], [0, 0, 3, 1, 0], [0, 0, 0, 0, 2]])
    mechanism = optimal(joint, LIP(0.7), solver="columns")
    other = optimal(joint, LIP(0.7), solver="enumerate")
    assert mechanism.utility == pytest.approx(other.utility, abs=1e-9)
    assert mechanism.status == other.status == "optimal"


def test_equal_columns_are_as_good_as_one_of_them_and_which_it_was():
    item = Joint.from_counts([[4, 1, 3], [1, 5, 3]])
    split = Joint.from_counts([[3, 1, 1, 3], [0.75, 0.25, 5, 3]])
    apart = measures.entropy(np.array([0.75, 0.25])) * item.p_x[0]
    mechanism = optimal(split, LIP(0.3))
    assert mechanism.utility >= optimal(item, LIP(0.3)).utility + apart - 1e-9


@pytest.mark.parametrize("solver", ["enumerate", "columns"])
def test_tiny_probabilities_cost_no_privacy_and_no_answer(solver):
    joint = Joint.from_counts([[1e-12, 0.4, 0.2, 1e-9], [2e-12, 0.1, 0.3, 1e-12]])
    mechanism = optimal(joint, LIP(0.2), solver=solver)
    assert mechanism.audit.achieved <= 0.2 + 1e-12
    plain = optimal(Joint.from_counts([[0.4, 0.2], [0.1, 0.3]]), LIP(0.2))
    assert mechanism.utility == pytest.approx(plain.utility, abs=1e-6)


def test_budgets_of_a_billionth_are_kept_exactly():
    mechanism = optimal(PAPER, LIP(1e-9))
    assert mechanism.audit.achieved <= 1e-9 + 1e-12
    assert mechanism.utility >= optimal(PAPER, LIP(0)).utility - 1e-7


def test_an_intersection_is_solved_as_one_set():
    both = Intersection(ALIP(0.9, 0.4), LDP(1.0))
    mechanism = optimal(PAPER, both)
    assert mechanism.status == "optimal"
    least = min(optimal(PAPER, ALIP(0.9, 0.4)).utility, optimal(PAPER, LDP(1.0)).utility)
    assert mechanism.utility < least
    assert both.holds(PAPER, mechanism.kernel)


def test_pointwise_maximal_leakage_is_the_upper_half_of_alip():
    leakage = optimal(PAPER, PointwiseMaximalLeakage(0.5))
    assert leakage.utility == pytest.approx(optimal(PAPER, ALIP(np.inf, 0.5)).utility, abs=1e-9)


def test_a_guess_that_is_too_good_already_is_infeasible():
    with pytest.raises(InfeasibleError, match="No mechanism satisfies"):
        optimal(PAPER, GuessingProbability(0.1))
    assert optimal(PAPER, GuessingProbability(0.5)).status == "optimal"


def test_what_is_not_convex_is_refused():
    with pytest.raises(NotConvexError, match="convex"):
        optimal(PAPER, L1Privacy(0.5, 0.5))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"solver": "magic"}, "solver"),
        ({"time_limit": 0}, "time_limit"),
        ({"gap": -1}, "gap"),
        ({"seed": 0.5}, "seed"),
    ],
)
def test_bad_options_are_named(options, named):
    with pytest.raises(InvalidInputError, match=named):
        optimal(PAPER, LIP(1), **options)


def test_alpha_lift_gains_on_alip_and_on_merging():
    notion = AlphaLift(0.5, 0.5, 2.0)
    mechanism = optimal(PAPER, notion, time_limit=60)
    assert mechanism.status == "optimal"
    assert mechanism.nmi > optimal(PAPER, ALIP(0.5, 0.5)).nmi + 0.05
    assert mechanism.nmi > subset_merging(PAPER, notion).nmi


def test_a_frontier_is_separate_optima_and_monotone():
    budgets = [1.0, 0.25, 2.0, 4.0]
    along = frontier(PAPER, LIP, budgets)
    for eps, mechanism in zip(budgets, along, strict=True):
        assert mechanism.notion == LIP(eps)
        assert mechanism.utility == pytest.approx(optimal(PAPER, LIP(eps)).utility, abs=1e-9)
    ordered = sorted(along, key=lambda mechanism: mechanism.notion.eps)
    assert all(a.utility <= b.utility for a, b in pairwise(ordered))
    assert all(a.upper_bound <= b.upper_bound for a, b in pairwise(ordered))


def test_a_frontier_out_of_time_still_never_falls():
    joint = Joint.random_uniform(8, 50, np.random.default_rng(0))
    along = frontier(joint, LIP, np.linspace(0.2, 1.0, 6), time_limit=1.0)
    values = [mechanism.utility for mechanism in along]
    assert values == sorted(values)
    assert all(mechanism.utility <= mechanism.upper_bound for mechanism in along)


def test_a_frontier_keeps_the_last_mechanism_where_the_next_is_worse(monkeypatch):
    # solvers that run out of time: the answer at 2 is one that 0.3 allows
    module = sys.modules["core.mechanisms.optima.frontier"]
    worse = replace(optimal(PAPER, LIP(0.3)), notion=LIP(2.0))
    result = iter([optimal(PAPER, LIP(1.0)), worse])
    monkeypatch.setattr(module, "optimal_from", lambda *_, **__: next(result))
    low, high = frontier(PAPER, LIP, [1.0, 2.0])
    np.testing.assert_array_equal(low.kernel, high.kernel)
    assert high.utility == low.utility


def test_a_frontier_needs_a_budget():
    with pytest.raises(InvalidInputError, match="budgets"):
        frontier(PAPER, LIP, [])


def test_subset_random_response_lies_between_merging_and_the_optimum():
    for eps in (1.0, 2.0):
        notion = ALIP.from_lambda(eps, 0.65)
        middle = subset_random_response(PAPER, notion)
        assert subset_merging(PAPER, notion).utility <= middle.utility + 1e-9
        assert middle.utility <= optimal(PAPER, notion).utility + 1e-9
        assert middle.audit.holds


def test_subset_random_response_is_the_optimum_where_one_set_is_left():
    joint = Joint.from_counts([[6, 1], [1, 6]])
    notion = LIP(0.2)
    answer = subset_random_response(joint, notion)
    assert answer.utility == pytest.approx(optimal(joint, notion).utility, abs=1e-9)


def test_subset_random_response_falls_back_to_merging():
    notion = ALIP.from_lambda(4.0, 0.65)
    answer = subset_random_response(PAPER, notion)
    assert "subset merging answers" in answer.notes[0]
    assert answer.utility == subset_merging(PAPER, notion).utility


def test_subset_random_response_works_under_a_round_notion_and_publishes_x_low():
    notion = AlphaLift(0.5, 0.5, 2.0)
    answer = subset_random_response(PAPER, notion, time_limit=30)
    assert answer.audit.holds
    assert answer.utility > subset_merging(PAPER, notion).utility
    everything = subset_random_response(PAPER, LIP(40))
    assert everything.nmi == pytest.approx(1.0)


def test_subset_random_response_needs_a_convex_notion_of_symbols():
    with pytest.raises(NotConvexError):
        subset_random_response(PAPER, L1Privacy(0.5, 0.5))
    with pytest.raises(InvalidInputError, match="Subset random response"):
        subset_random_response(PAPER, Intersection(LIP(1), LDP(1)))


@pytest.mark.parametrize("solver", ["enumerate", "columns"])
def test_a_search_goes_on_from_an_earlier_answer(solver):
    notion = LIP(0.5)
    with clock.using(clock.Ticking(1000.0)):
        cut = optimal(PAPER, notion, solver)
    best = optimal(PAPER, LIP(0.45))  # allowed at a smaller budget, so allowed here
    assert best.utility > cut.utility + 0.01
    with clock.using(clock.Ticking(1000.0)):
        again = optimal(PAPER, notion, solver, start=best.kernel)
    assert again.status == "time limit"
    assert again.utility >= best.utility - 1e-9
    assert again.audit.holds
    whole = optimal(PAPER, notion)
    assert again.utility <= whole.utility + 1e-9 <= again.upper_bound + 2e-9


def test_what_breaks_the_promise_is_no_start():
    with pytest.raises(AuditError, match="LIP"):
        optimal(PAPER, LIP(0.5), start=np.eye(17))


TINY = {
    "many symbols": (
        ((3, 1, 0, 1, 2, 3, 0, 2), (3, 0, 0, 2, 1, 2, 0, 3), (3, 1, 2, 2, 1, 2, 0, 3)),
        ALIP(1e-11, 1e-10),
        1.07783717,
    ),
    "rare symbols": (
        ((0, 20, 4 * 10**12, 2), (6e13, 8e13, 70, 40), (2e13, 6e13, 7e12, 8e12)),
        ALIP(1e-12, 10.0),
        0.23826812,
    ),
    "one side": (
        ((0, 0, 1, 1, 7, 1), (7000, 0, 1, 1000, 7, 1)),
        PointwiseMaximalLeakage(1e-13),
        0.37780807,
    ),
}
"""Counts and budgets below what mixtures are exact to, and what is kept at a budget of 0."""


@pytest.mark.parametrize("solver", ["auto", "enumerate", "columns"])
@pytest.mark.parametrize("case", TINY)
def test_budgets_below_a_billionth_keep_what_none_at_all_keeps(case, solver):
    counts, notion, kept = TINY[case]
    joint = Joint.from_counts(counts)
    result, at_zero = optimal(joint, notion, solver), optimal(joint, LIP(0.0), solver)
    assert result.status == "optimal"
    assert result.utility >= at_zero.utility - 1e-9
    assert result.utility == pytest.approx(kept, abs=1e-7)


def test_where_nothing_may_be_told_is_found_for_every_notion_about_lifts():
    joint = Joint.with_secret_released([[7, 10], [26, 57]])
    parts = [LIP(1.0), SRLIP(0.5, (2, 2)), LDP(2.0)]
    assert without_budget(Intersection(*parts)) == Intersection(LIP(0.0), SRLIP(0.0, (2, 2)))
    assert without_budget(Intersection(LIP(1.0), RLDP.of_joint(joint, 1.0))) is None


@pytest.mark.parametrize("eps", [700.0, 709.5, 800.0, 1500.0, 1e308])
def test_budgets_beyond_the_largest_double_are_budgets(eps):
    """Warnings are errors here. Symbols that only one secret has are never published bare."""
    joint = Joint.from_counts([[4, 0, 5, 1], [0, 3, 2, 2]])
    entropy = float(measures.entropy(joint.p_x))
    for notion in (LIP(eps), ALIP(eps, 800.0), LDP(eps), SRLIP(eps, (2, 2)), L1Privacy(INF, eps)):
        assert optimal(joint, notion).utility == pytest.approx(entropy, abs=1e-9)
        assert optimal(joint, Intersection(notion, LIP(0.3))).utility == pytest.approx(
            optimal(joint, LIP(0.3)).utility, abs=1e-6
        )
    for alpha in (2.0, 50.0):
        result = optimal(joint, AlphaLift(eps, eps, alpha), time_limit=1.0)
        assert result.utility == pytest.approx(entropy, abs=1e-9)
    cells = Joint.with_secret_released([[7, 10, 1], [26, 57, 2], [3, 3, 3]])
    whole = float(measures.entropy(cells.p_x))
    assert optimal(cells, RLDP.of_joint(cells, eps)).utility == pytest.approx(whole, abs=1e-9)
