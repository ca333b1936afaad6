"""Optima under average budgets against routes that share nothing with the solver."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from core import clock, entries, measures
from core import mechanisms as m
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
from core.notions import LDP, LIP, AlphaLift, Average, Intersection, L1Privacy
from core.notions.average import MEASURES
from core.optimal.budgets import answer
from core.optimal.plan import SIZES
from core.optimal.solve import maximise
from core.utilities import Distortion, Guess, SquaredError, Task
from tests.strategies import joints

INF = float("inf")
SMOOTH = [
    ("mutual_information", None),
    ("chi2", None),
    ("sibson", 2.0),
    ("sibson", 0.5),
    ("arimoto", 3.0),
    ("arimoto", 0.5),
]
KINKED = [("total_variation", None), ("maximal_leakage", None), ("guessing", None)]
SMALL = Joint.from_counts([[6, 2, 2], [1, 3, 6]])
LARGER = Joint.random_uniform(3, 5, np.random.default_rng(1))


def between(joint, name, order, share):
    """Return the budget that is a share of the way from what a constant to what X tells."""
    full = Average(name, 1.0, order)
    reported, least = (
        full.achieved(joint, k) for k in (np.eye(joint.n_x), np.ones((joint.n_x, 1)))
    )
    return Average(name, least + share * (reported - least), order)


def kept(joint, kernel):
    return float(measures.mutual_information(joint.p_x[:, None] * kernel))


def budget_row(joint, notion):
    """Return what an output with posterior t on S costs, as the papers write it, and M′."""
    p, bound, order = joint.p_s, notion.bound, notion.order
    if notion.measure == "mutual_information":
        return lambda t: special.rel_entr(t, p).sum(axis=1), bound
    if notion.measure == "total_variation":
        return lambda t: np.abs(t - p).sum(axis=1) / 2, bound
    if notion.measure == "chi2":
        return lambda t: ((t - p) ** 2 / p).sum(axis=1), bound
    if notion.measure == "maximal_leakage":
        return lambda t: (t / p).max(axis=1), np.exp(bound)
    if notion.measure == "guessing":
        return lambda t: t.max(axis=1), bound
    sign = 1.0 if order > 1 else -1.0
    most = np.exp((order - 1) * bound / order)
    if notion.measure == "sibson":
        return lambda t: sign * (p * (t / p) ** order).sum(axis=1) ** (1 / order), sign * most
    norm = (p**order).sum() ** (1 / order)
    return lambda t: sign * (t**order).sum(axis=1) ** (1 / order), sign * most * norm


@pytest.mark.parametrize(("name", "order"), SMOOTH + KINKED)
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_grid_of_posteriors_of_two_by_three_reaches_the_optimum_and_never_passes_it(
    name, order, share
):
    notion = between(SMALL, name, order, share)
    result = m.optimal(SMALL, notion)
    assert result.status == "optimal"
    assert notion.holds(SMALL, result.kernel)
    steps = 90
    grid = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    points = np.vstack([np.array(grid) / steps, SMALL.p_x])
    cost, most = budget_row(SMALL, notion)
    taken = cost(points @ (SMALL.p / SMALL.p_x).T)
    solution = optimize.linprog(
        special.entr(points).sum(axis=1),
        A_ub=taken[None],
        b_ub=[most],
        A_eq=points.T,
        b_eq=SMALL.p_x,
    )
    on_grid = special.entr(SMALL.p_x).sum() - solution.fun
    assert on_grid <= result.upper_bound + 1e-8
    # a vertex at a kink is missed by up to a step of the grid
    assert on_grid >= result.utility - (2e-3 if (name, order) in SMOOTH else 5e-3)


def exact(joint, notion, pieces):
    """Return the optimum under max of linear costs from all vertices, by brute force.

    A vertex of {(r, w) : pieces·r ≤ w, Σr = 1} has as many symbols as pieces that hold.
    """
    n, limit = joint.n_x, notion.allowed_set(joint).budgets[0].limit
    points = []
    for size in range(1, min(len(pieces), n) + 1):
        for symbols in combinations(range(n), size):
            for held in combinations(range(len(pieces)), size):
                system = np.zeros((size + 1, size + 1))
                system[:size, :size] = pieces[np.ix_(held, symbols)]
                system[:size, size] = -1.0
                system[size, :size] = 1.0
                right = np.zeros(size + 1)
                right[size] = 1.0
                if np.linalg.matrix_rank(system) <= size:
                    continue
                solved = np.linalg.solve(system, right)
                r = np.zeros(n)
                r[list(symbols)] = solved[:size]
                if r.min() >= -1e-12 and (pieces @ r).max() <= solved[size] + 1e-10:
                    points.append(np.append(np.maximum(r, 0.0), solved[size]))
    points = np.array(points)
    costs = special.entr(points[:, :n]).sum(axis=1)
    solution = optimize.linprog(
        costs, A_ub=points[:, [n]].T, b_ub=[limit], A_eq=points[:, :n].T, b_eq=joint.p_x
    )
    return special.entr(joint.p_x).sum() - solution.fun


@pytest.mark.parametrize(("name", "order"), KINKED)
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_budgets_with_kinks_agree_with_all_vertices(name, order, share):
    notion = between(LARGER, name, order, share)
    pieces = notion.allowed_set(LARGER).budgets[0].pieces()
    result = m.optimal(LARGER, notion)
    assert result.utility == pytest.approx(exact(LARGER, notion, pieces), abs=1e-7)
    assert result.status == "optimal"


def ascended(joint, mu, seed, steps=300):
    """Return kernels of a climb of I(X;Y) − μ I(S;Y) by multiplicative steps, from anywhere."""
    rng = np.random.default_rng(seed)
    kernel = rng.dirichlet(np.full(joint.n_x + 1, 0.5), size=joint.n_x)
    of_s = joint.p / joint.p_x
    for _ in range(steps):
        joint_sy = joint.p @ kernel
        lift = joint_sy / joint_sy.sum(axis=0) / joint.p_s[:, None]
        gain = np.log(kernel / (joint.p_x @ kernel)) - mu * (of_s.T @ np.log(lift))
        kernel = special.softmax(np.log(kernel) + 0.1 * gain, axis=1)
        kernel = np.maximum(kernel, 1e-12)
        kernel /= kernel.sum(axis=1, keepdims=True)
        yield kernel


@pytest.mark.parametrize("mu", [1.5, 4.0, 12.0])
def test_no_iterate_of_a_climb_is_above_the_bound_of_what_it_tells(mu):
    reported, got = [], []
    for seed in range(3):
        for kernel in list(ascended(LARGER, mu, seed))[::50]:
            reported.append(float(measures.mutual_information(LARGER.p @ kernel)))
            got.append(kept(LARGER, kernel))
    for budget, value in zip(reported, got, strict=True):
        result = m.optimal(LARGER, Average("mutual_information", budget), gap=1e-4)
        assert value <= result.upper_bound + 1e-9
        assert result.gap <= 1e-4


@pytest.mark.parametrize("eps", [0.25, 0.5, 1.0])
def test_the_funnel_keeps_more_than_lip_of_the_same_leakage(eps):
    joint = Joint.random_uniform(5, 17, np.random.default_rng(0))
    by_output = m.optimal(joint, LIP(eps))
    reported = Average("mutual_information", 1.0).achieved(joint, by_output.kernel)
    notion = Average("mutual_information", reported)
    result = m.optimal(joint, notion, time_limit=30, gap=1e-4)
    known = {0.25: 0.789955, 0.5: 0.871459, 1.0: 0.948734}[eps]
    assert result.nmi >= max(known, by_output.nmi)
    assert result.gap <= 1e-3 * measures.entropy(joint.p_x)
    both = m.optimal(joint, Intersection(notion, LIP(eps)), time_limit=30, gap=1e-4)
    assert both.utility == pytest.approx(by_output.utility, abs=1e-4)


@pytest.mark.parametrize(
    "other",
    [
        LIP(0.4),
        LDP(0.6),
        Average("chi2", 0.02),
        Average("maximal_leakage", 0.1),
        AlphaLift(INF, 0.3, 2.0),
        L1Privacy(INF, 0.1),
    ],
    ids=str,
)
def test_two_promises_are_kept_together(other):
    item = Average("mutual_information", 0.015)
    both = Intersection(item, other)
    result = m.optimal(LARGER, both)
    assert item.holds(LARGER, result.kernel)
    assert other.holds(LARGER, result.kernel)
    alone = [m.optimal(LARGER, notion) for notion in (item, other)]
    assert result.utility <= min(single.upper_bound for single in alone) + 1e-9
    assert result.upper_bound >= result.utility
    assert result.gap <= 2e-3


def test_perfect_privacy_on_average_is_perfect_privacy_of_each_output():
    joint = Joint.random_uniform(2, 6, np.random.default_rng(3))
    least = m.optimal(joint, LIP(0.0))
    for name, order in SMOOTH + KINKED[:2]:
        result = m.optimal(joint, Average(name, 0.0, order))
        assert result.utility == pytest.approx(least.utility, abs=1e-8)
        assert result.status == "optimal"


def test_budgets_that_hardly_differ_from_nothing_are_bounded_soundly():
    joint = Joint.random_uniform(2, 6, np.random.default_rng(3))
    least = m.optimal(joint, LIP(0.0)).utility
    last = INF
    for bound in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13):
        notion = Average("mutual_information", bound)
        result = m.optimal(joint, notion)
        assert notion.holds(joint, result.kernel)
        assert least - 1e-8 <= result.utility <= last
        assert result.gap <= 1e-3
        last = result.upper_bound


averages = st.sampled_from([*SMOOTH, *KINKED, ("sibson", INF), ("arimoto", INF), ("sibson", 1.0)])


@settings(max_examples=120)
@given(
    joint=joints(max_s=3, max_x=5),
    named=averages,
    share=st.sampled_from([0.0, 1e-9, 1e-3, 0.3, 0.9, 1.0, 1e9]),
)
def test_any_joint_has_an_answer_that_keeps_the_promise(joint, named, share):
    name, order = named
    notion = between(joint, name, order, share if name != "guessing" else min(share, 1.0))
    result = m.optimal(joint, notion, gap=1e-4)
    assert notion.holds(joint, result.kernel)
    assert -1e-12 <= result.utility <= result.upper_bound
    assert result.upper_bound <= measures.entropy(joint.p_x) + 1e-9
    if share >= 1.0:
        assert result.nmi == pytest.approx(1.0)
    assert result.gap <= 5e-3
    assert (result.status == "optimal") <= (result.gap <= 1e-4)


@pytest.mark.parametrize(("n_s", "n_x"), [(3, 70), (15, 42)])
@pytest.mark.parametrize("name", ["mutual_information", "maximal_leakage"])
def test_many_symbols_end_in_time_with_a_sound_bound(n_s, n_x, name):
    joint = Joint.random_uniform(n_s, n_x, np.random.default_rng(0))
    notion = between(joint, name, None, 0.5)
    result = m.optimal(joint, notion, time_limit=0.2)
    assert notion.holds(joint, result.kernel)
    assert result.utility >= 0.45 * result.upper_bound  # X half of the time keeps half of it
    assert result.upper_bound <= measures.entropy(joint.p_x) + 1e-9
    reported = measures.mutual_information(joint.p)
    chain = measures.entropy(joint.p_x) - reported + notion.bound
    assert result.upper_bound <= chain + 1e-9


def test_one_secret_asks_nothing():
    joint = Joint.from_counts([[1, 2, 3]])
    for name, order in [*SMOOTH, *KINKED]:
        bound = 1.0 if name == "guessing" else 0.0
        result = m.optimal(joint, Average(name, bound, order if MEASURES[name].has_order else None))
        assert result.nmi == 1.0


def test_more_budget_never_keeps_less():
    values = [
        m.optimal(LARGER, between(LARGER, "chi2", None, share)) for share in (0.1, 0.2, 0.4, 0.8)
    ]
    kept_values = [result.utility for result in values]
    assert kept_values == sorted(kept_values)
    frontier = m.frontier(
        LARGER, lambda eps: Average("chi2", eps), [v.notion.bound for v in values]
    )
    for point, result in zip(frontier, values, strict=True):
        assert point.utility == pytest.approx(result.utility, abs=2e-6)


@pytest.mark.parametrize("order", [90.0, 100.0, 110.0])
@pytest.mark.parametrize("crossing", [0.3856, 0.386817])
def test_a_secret_that_weighs_next_to_nothing_at_a_high_order_costs_what_it_costs(order, crossing):
    joint = Joint.from_counts([[0, 42], [42, 16]])
    notion = Average("arimoto", 0.0075, order)
    kernel = np.array([[crossing, 1 - crossing], [0, 1]])
    for purpose in (Guess(), SquaredError([3, 4])):
        best = m.optimal(joint, notion, utility=purpose)
        assert notion.achieved(joint, best.kernel) <= 0.0075 * (1 + 1e-9)
        if notion.achieved(joint, kernel) <= 0.0075:
            assert purpose.value(joint, kernel) <= best.upper_bound + 1e-9


@pytest.mark.parametrize(
    ("counts", "bound", "order"),
    [
        ([[9, 1, 8], [2, 7, 2]], 0.17, 75.0),
        ([[5, 3], [11, 2]], 0.045, 150.0),
        ([[1, 3, 8], [5, 5, 7]], 0.017, 106.0),
    ],
)
def test_high_orders_leave_no_sum_of_nothing(counts, bound, order):
    joint = Joint.from_counts(counts)
    best = m.optimal(joint, Average("arimoto", bound, order))
    assert best.gap <= 1e-5
    assert measures.arimoto(joint.p @ best.kernel, order) <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("name", "order", "share"),
    [("mutual_information", None, 1e-3), ("sibson", 2.0, 5e-3), ("total_variation", None, 5e-3)],
)
def test_small_budgets_of_adult_are_proven(name, order, share):
    joint = count(DataSpec(source="adult", secret=("race",), released=("education",))).joint
    notion = between(joint, name, order, share)
    close = 1e-3 * float(measures.entropy(joint.p_x))
    with clock.using(clock.Ticking(0.001)):
        result = m.optimal(joint, notion, gap=close)
    assert result.status == "optimal"
    assert result.gap <= close
    assert notion.holds(joint, result.kernel)
    silent = m.optimal(joint, Average(name, 0.0, order), time_limit=60)
    assert result.utility > silent.utility
    rarely = 0.9 * share  # budgets are convex in the kernel, Sibson's after a logarithm
    mixed = np.hstack([(1 - rarely) * silent.kernel, rarely * np.eye(joint.n_x)])
    assert notion.holds(joint, mixed)
    assert kept(joint, mixed) <= result.upper_bound


def test_of_thousands_of_symbols_x_itself_is_erased_as_often_as_the_budget_asks(monkeypatch):
    """Of 10,000 symbols matrices of all symbols took over 100 of 1 s."""
    monkeypatch.setitem(vars(SIZES), "peeled_whole", 5)
    monkeypatch.setattr(entries, "LARGE", 1)
    monkeypatch.delattr(answer, "Lifting")  # which is not reached
    made, dense = [], entries.Entries.dense
    monkeypatch.setattr(entries.Entries, "dense", lambda own: made.append(dense(own)) or made[-1])
    joint = Joint.random_dirichlet(3, 12, 1.0, np.random.default_rng(0))
    notion = Average("total_variation", 0.1)
    share = 0.1 / notion.achieved(joint, np.eye(12))
    result = m.optimal(joint, notion)
    assert result.audit.holds
    assert result.utility >= share * measures.entropy(joint.p_x) - 1e-6
    erased = [kernel for kernel in made if kernel.shape == (12, 13)]
    assert all(kernel is erased[0] for kernel in erased)  # of 10,000 symbols each is 800 MB
    assert result.y_labels == in_reading_order(joint, np.array(result.kernel))[1]


@pytest.mark.parametrize("goal", [Guess(), Distortion(1 - np.eye(12))], ids=["guess", "distance"])
def test_where_no_program_has_room_for_a_purpose_x_itself_is_erased(goal, monkeypatch):
    """A guess at 6×5000 and a distance at 30×1629 kept nothing under a budget on I(S;Y)."""
    monkeypatch.setitem(vars(SIZES), "action_symbols", 100)
    joint = Joint.random_dirichlet(3, 12, 1.0, np.random.default_rng(0))
    notion = between(joint, "mutual_information", None, 0.3)
    allowed, utility = notion.allowed_set(joint), goal.solver_utility(joint)
    outcome = maximise(allowed, joint.p_x, utility=utility)
    least, most = goal.range(joint)
    assert notion.holds(joint, outcome.kernel)
    assert outcome.utility == pytest.approx(0.7 * least + 0.3 * most)
    assert outcome.status == "heuristic"


def test_nearly_equal_posteriors_leave_what_equal_ones_keep_within_a_tiny_budget():
    """Of symbols 1e-12 apart no output is wholly silent: only one that nearly is keeps as much."""
    equal = np.array([[1.0, 1.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0], [3.0, 3.0, 3.0, 8.0]])
    apart = np.array([[-1, 1, -1, 0], [0, 0, 0, 0.66], [0, -1, 0, 1]])
    notion, task = Average("sibson", 1e-9, 2.0), Task(np.eye(2)[:, np.arange(4) % 2])
    with clock.using(clock.Ticking(2.0**-10)):
        whole, made = (
            m.optimal(Joint.from_counts(equal * (1 + size * apart)), notion, utility=task)
            for size in (0.0, 1e-12)
        )
    assert made.utility > whole.utility - 1e-6
