"""The parts that answers under average budgets are made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from core import clock
from core import mechanisms as m
from core.allowed.average_cost import PowerMean
from core.allowed.inequalities import excess_lift
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import LIP, Average, Intersection
from core.optimal import solve
from core.optimal.budgets import answer, silent
from core.optimal.budgets.answer import BudgetSearch, Prices, improved
from core.optimal.budgets.lifting import Lifting
from core.optimal.budgets.silent import SilentSearch, silent_outputs
from core.optimal.plan import SIZES
from core.optimal.utility import FDivergence, MutualInformation

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(4))
INFORMATION = MutualInformation()
BOTH = Intersection(Average("mutual_information", 0.02), Average("maximal_leakage", 0.1))


@pytest.fixture
def lifting():
    return Lifting(BOTH.allowed_set(JOINT), JOINT.p_x, MutualInformation())


def kernels(seed, n_y=4):
    return np.random.default_rng(seed).dirichlet(np.full(n_y, 0.3), size=JOINT.n_x)


def test_lifted_outputs_are_in_the_cone_and_cheaper_ones_are_not(lifting):
    points = np.random.default_rng(0).dirichlet(np.full(6, 0.4), size=30)
    lifted = lifting.lifted(points)
    cone = lifting.cone()
    below = lifted.copy()
    below[:, 6:] *= 0.99
    for inside, outside in zip(lifted, below, strict=True):
        assert (cone.rows @ inside <= 1e-9).all()
        assert len(cone.oracle(inside)) == 0
        cuts = cone.oracle(outside)
        assert len(cuts) + (cone.rows @ outside > 1e-9).sum() > 0
        assert (cuts @ outside > 0).all()
        assert (cuts @ lifting.p <= 1e-12).all()


def test_a_kernel_is_raised_and_lowered(lifting):
    kernel = m.optimal(JOINT, BOTH).kernel
    wide = lifting.raised(kernel)
    assert wide.sum(axis=1) == pytest.approx(np.ones(8))
    np.testing.assert_allclose(lifting.lowered(wide), kernel, atol=1e-12)
    worth = lifting.utility.value((lifting.p[:, None] * wide).T, lifting.p)
    own = MutualInformation().value((JOINT.p_x[:, None] * kernel).T, JOINT.p_x)
    assert worth == pytest.approx(own)


def test_the_cost_of_some_symbols_is_that_of_all(lifting):
    symbols = np.array([[[0, 3, 6, 8], [5, 7, 8, 8]]])
    weights = np.array([[[0.2, 0.3, 0.5, 0.0], [0.4, 0.6, 0.0, 0.0]]])
    wide = np.zeros((2, 8))
    wide[0, [0, 3, 6]], wide[1, [5, 7]] = [0.2, 0.3, 0.5], [0.4, 0.6]
    result = lifting.utility.supported_cost(weights, symbols, 8)
    assert result[0] == pytest.approx(lifting.utility.cost(wide))


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), with_rows=st.booleans())
def test_newtons_steps_go_down_and_stay_inside(seed, with_rows):
    rng = np.random.default_rng(seed)
    allowed = Average("mutual_information", 0.02).allowed_set(JOINT)
    rows = LIP(0.3).allowed_set(JOINT).rows.toarray() if with_rows else np.zeros((0, 6))
    starts = rng.dirichlet(np.full(6, 0.5), size=10)
    starts[starts < 0.05] = 0.0
    starts /= starts.sum(axis=1, keepdims=True)
    over = starts @ rows.T
    share = np.max(over / (over - rows @ JOINT.p_x), axis=1, initial=0.0, where=over > 0)
    starts = starts * (1 - share[:, None]) + share[:, None] * JOINT.p_x
    mu = rng.uniform(0, 20)
    prices = Prices(rng.uniform(0, 2, 6), np.array([mu]), allowed.budgets, INFORMATION)
    result, values = improved(starts, prices, rows, deadline=Deadline.after(60))
    assert result.sum(axis=1) == pytest.approx(np.ones(10))
    assert (result >= 0).all()
    assert (result @ rows.T <= 1e-9).all()
    assert values == pytest.approx(prices.value(result))
    assert np.sort(values)[0] <= prices.value(starts).min() + 1e-12
    exact = special.entr(result).sum(axis=1) + mu * allowed.budgets[0].value(result)
    assert values == pytest.approx(exact - result @ prices.of_symbols)


def test_newton_ends_where_a_fine_search_along_the_edge_does():
    budgets = Average("mutual_information", 0.02).allowed_set(JOINT).budgets
    prices = Prices(np.array([0.9, 0.8, 0, 0, 0, 0]), np.array([12.0]), budgets, INFORMATION)
    shares = np.linspace(0, 1, 20_001)
    edge = np.zeros((len(shares), 6))
    edge[:, 0], edge[:, 1] = shares, 1 - shares
    along = prices.value(edge)
    inner = np.flatnonzero((along[1:-1] < along[:-2]) & (along[1:-1] < along[2:])) + 1
    starts = edge[[4_000, 10_000, 16_000]]
    _, values = improved(starts, prices, np.zeros((0, 6)), deadline=Deadline.after(60))
    ends = np.append(along[inner], along[[0, -1]])
    for value in values:
        assert np.abs(ends - value).min() < 1e-6
    assert len(inner) > 0


def test_a_silent_release_without_time_says_nothing():
    kernel = silent_outputs(excess_lift(JOINT), JOINT.p_x, Deadline(0.0))
    np.testing.assert_array_equal(kernel, np.ones((6, 1)))


@pytest.mark.parametrize("name", ["mutual_information", "total_variation"])
def test_where_symbols_are_many_the_answer_is_near_that_of_a_proof(name, monkeypatch):
    joint = Joint.random_uniform(7, 8, np.random.default_rng(2))  # no pieces of total variation
    notion = Average(name, 0.03)
    proven = m.optimal(joint, notion)
    monkeypatch.setitem(vars(SIZES), "budget_symbols", 0)
    result = m.optimal(joint, notion)
    assert proven.gap <= 1e-6
    assert result.utility <= proven.upper_bound
    assert result.utility >= 0.9 * proven.utility
    assert result.upper_bound >= proven.utility
    assert result.status != "optimal"


def test_without_a_proof_asked_for_the_first_one_is_enough():
    allowed = Average("chi2", 0.02).allowed_set(JOINT)
    quick = solve.maximise(allowed, JOINT.p_x, prove=False)
    full = solve.maximise(allowed, JOINT.p_x)
    assert quick.utility <= full.upper_bound
    assert full.utility - quick.utility < 5e-3
    assert quick.upper_bound >= full.upper_bound - 1e-9


def test_other_utilities_are_kept_under_a_budget_too():
    chi2 = FDivergence(lambda t: (t - 1) ** 2, JOINT.p_x)
    allowed = Average("mutual_information", 0.02).allowed_set(JOINT)
    outcome = solve.maximise(allowed, JOINT.p_x, utility=chi2, gap=1e-2, time_limit=0.5)
    assert outcome.upper_bound - outcome.utility <= 0.05 * outcome.utility
    free = chi2.value(np.diag(JOINT.p_x), JOINT.p_x)
    assert 0 < outcome.utility < free
    for seed in range(200):
        kernel = kernels(seed)
        if allowed.budgets[0].spent(kernel, JOINT.p_x) <= allowed.budgets[0].limit:
            value = chi2.value((JOINT.p_x[:, None] * kernel).T, JOINT.p_x)
            assert value <= outcome.upper_bound + 1e-9


def test_a_search_that_has_no_time_keeps_what_it_started_from(lifting):
    search = BudgetSearch(lifting, seed=0, deadline=Deadline(0.0))
    search.run(1e-6, prove=True)
    assert search.upper == pytest.approx(MutualInformation().value(np.diag(JOINT.p_x), JOINT.p_x))
    assert search.value <= search.upper
    assert BOTH.scale(JOINT, search.kernel()) <= 1 + 1e-6


def test_an_early_end_is_told_and_costs_no_promise(monkeypatch):
    def broken(*_arguments, **_options):
        raise solve.SolverError("HiGHS is gone.")

    monkeypatch.setattr(answer, "BudgetSearch", broken)
    notion = Average("mutual_information", 0.02)
    result = m.optimal(JOINT, notion)
    assert "The search ended early. HiGHS is gone." in result.notes
    assert notion.holds(JOINT, result.kernel)
    assert result.utility > 0.1 * result.upper_bound


def test_a_mean_of_which_only_a_rare_secret_is_left_keeps_its_digits():
    """1 less what is missing was 0 of 1e-20: a warning, and a mean of 0 in place of 1e-10."""
    cost = PowerMean(np.array([1.0 - 1e-20, 1e-20]), 2.0)
    assert cost.value(np.array([-1.0, 0.0])) == pytest.approx(1e-10 - 1e-20, rel=1e-9)
    for excess in (np.array([-0.2, 0.4]), np.array([-0.9, 5.0])):  # both ways of adding up
        weights = np.array([0.7, 0.3])
        mean = ((1 + excess) ** 3 @ weights) ** (1 / 3)
        expected = mean - (1 + excess) @ weights
        assert PowerMean(weights, 3.0).value(excess) == pytest.approx(expected, rel=1e-12)


def test_silent_outputs_leave_s_as_it_was_and_are_vertices_below_others():
    excess, prices = excess_lift(JOINT), np.linspace(0.0, 2.0, JOINT.n_x)
    result = SilentSearch(excess, np.zeros((0, JOINT.n_x)), seed=1).outputs(prices)
    assert np.abs(result @ excess.T).max() < 1e-9
    assert result.sum(axis=1) == pytest.approx(np.ones(len(result)))
    assert ((result > 1e-9).sum(axis=1) <= JOINT.n_s).all()
    worth = Prices(prices, np.zeros(0), (), INFORMATION).value(result)
    mixtures = np.random.default_rng(2).dirichlet(np.ones(len(result)), size=200) @ result
    assert worth.min() <= Prices(prices, np.zeros(0), (), INFORMATION).value(mixtures).min()


def test_where_s_is_told_by_everything_only_the_prior_is_silent():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    result = SilentSearch(excess_lift(joint), np.zeros((0, 2)), seed=0).outputs(np.zeros(2))
    np.testing.assert_allclose(result, np.full((len(result), 2), 0.5))


def test_silent_outputs_end_by_a_deadline():
    excess, rows = excess_lift(JOINT), np.zeros((0, JOINT.n_x))
    with clock.using(clock.Ticking(1.0)):
        every = SilentSearch(excess, rows, seed=1).outputs(np.zeros(JOINT.n_x), NEVER)
        some = SilentSearch(excess, rows, seed=1).outputs(np.zeros(JOINT.n_x), Deadline.after(0.5))
    assert 0 < len(some) < len(every)
    np.testing.assert_array_equal(some, every[: len(some)])


def test_silent_outputs_keep_to_rows():
    rows = np.array([[1.0, -1.0, 0.0, 0.0, 0.0, 0.0]])
    result = SilentSearch(excess_lift(JOINT), rows, seed=1).outputs(np.zeros(JOINT.n_x))
    assert (result @ rows.T <= 1e-9).all()


@pytest.mark.parametrize(("n_x", "most"), [(40, 10), (400, 1)])
def test_silent_outputs_of_large_programs_end_by_the_deadline(n_x, most, monkeypatch):
    """At 10×442 under SRLIP ten of them took a second, each by five programs of .02 s."""
    rng = np.random.default_rng(0)
    excess, rows = rng.normal(size=(3, n_x)), -rng.random((200, n_x))
    excess -= excess.mean(axis=1, keepdims=True)
    search = SilentSearch(excess, rows, seed=0)
    begun = []
    monkeypatch.setattr(
        SilentSearch, "_lowest", lambda *_: begun.append(1) or np.full(n_x, 1 / n_x)
    )
    monkeypatch.setattr(silent, "descend", lambda *_: [])
    assert len(search.outputs(np.zeros(n_x), Deadline(0.0))) == most
    assert len(begun) == most


def test_a_mixture_that_would_be_late_is_not_begun(monkeypatch):
    """Of 1,980 symbols under total variation the first one alone took 2 s, of a limit of 1 s."""
    monkeypatch.setattr(answer, "BudgetSearch", None)  # making one would end in an error
    monkeypatch.setitem(vars(SIZES), "entry_seconds", 1.0)
    notion = Average("mutual_information", 0.02)
    outcome = solve.maximise(notion.allowed_set(JOINT), JOINT.p_x, time_limit=4.0)
    assert outcome.utility > 0
    assert outcome.status == "time limit"
