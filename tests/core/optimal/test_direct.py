"""Purposes that are linear in the mechanism: one program, and a bound of any multipliers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from core import clock
from core.allowed.average_cost import Deviation, Divergence, Largest, PowerMean, SquaredExcess
from core.clock import Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.joint import Joint
from core.mechanisms import constant, frontier, optimal, subset_merging
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Average,
    Chi2Lift,
    Chi2Privacy,
    EpsDelta,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
    catalogue,
)
from core.notions.numbers import Numbers
from core.optimal import direct, solve
from core.optimal.direct import Direct, Multipliers
from core.optimal.plan import SIZES
from core.optimal.programs.conic import solve_conic
from core.optimal.programs.highs import LinearProgram
from core.optimal.solve import maximise
from core.optimal.utility import Centred, Greatest
from core.utilities import Distortion, Guess, Task

P_S = np.array([0.2, 0.5, 0.3])

COSTS = {
    "divergence": Divergence(P_S),
    "χ²": SquaredExcess(P_S),
    "Sibson 2": PowerMean(P_S, 2.0),
    "Sibson ½": PowerMean(P_S, 0.5),
    "order −2": PowerMean(P_S, -2.0),
    "Arimoto 3": PowerMean(P_S**3 / (P_S**3).sum(), 3.0),
    "deviation": Deviation(P_S),
    "leakage": Largest(np.ones(3), P_S),
    "guessing": Largest(P_S, P_S),
}

BUDGETS = {
    "mutual_information": None,
    "total_variation": None,
    "chi2": None,
    "maximal_leakage": None,
    "sibson": 2.0,
    "arimoto": 0.5,
    "guessing": None,
}


def apart(n):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def lifts_of(rng, count=200):
    """Return posteriors of S as lifts, with zeros and rare ones among them."""
    beliefs = rng.dirichlet(np.full(3, 0.3), count)
    beliefs[:20, 0] = 0.0
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    return beliefs / P_S


@pytest.mark.parametrize("name", COSTS)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_any_slope_gives_a_minorant(name, slope):
    cost, lifts = COSTS[name], lifts_of(np.random.default_rng(1))
    below = lifts @ cost.minorant(np.array(slope))
    assert (below <= cost.value(lifts - 1) + 1e-12).all()


@pytest.mark.parametrize("name", COSTS)
def test_a_subgradient_stays_as_it_is(name):
    cost, lifts = COSTS[name], lifts_of(np.random.default_rng(2))[20:]
    slopes = cost.slope(lifts - 1)
    kept = np.array([cost.minorant(slope) for slope in slopes])
    values = cost.value(lifts - 1)
    assert np.allclose((kept * lifts).sum(axis=1), values, atol=1e-9)


@pytest.mark.parametrize("name", COSTS)
def test_an_epigraph_has_the_cost_as_its_least_value(name):
    cost = COSTS[name]
    for epigraph in (cost.epigraph(), cost.sparse_epigraph()):
        for lift in lifts_of(np.random.default_rng(3), 25)[15:]:
            result = least(epigraph, lift)
            assert result == pytest.approx(float(cost.value(lift - 1)), abs=2e-7)


def least(epigraph, lift):
    """Return the least value of an epigraph's program at given lifts."""
    n_s, n_h = len(epigraph.slope), len(epigraph.price)
    equal = sparse.csr_array(np.hstack([np.eye(n_s), np.zeros((n_s, n_h))]))
    result = solve_conic(
        np.concatenate([epigraph.slope, epigraph.price]),
        np.concatenate([np.full(n_s, -np.inf), np.zeros(n_h)]),
        *(equal, lift, sparse.csr_array(epigraph.rows), np.zeros(len(epigraph.rows))),
        [(cone, 0) for cone in epigraph.cones],
        10.0,
    )
    return result.objective


def joints():
    rng = np.random.default_rng(7)
    zeros = rng.random((3, 5)) * (rng.random((3, 5)) > 0.3)
    zeros[0] += 0.05
    return {
        "random": rng.random((3, 5)),
        "zeros": zeros + np.array([[0.01], [0.0], [0.0]]),
        "ties": np.array([[1, 1, 2, 3.0], [2, 2, 1, 1], [1, 1, 1, 4]]),
        "rare": rng.random((2, 6)) * 10.0 ** -np.arange(6),
        "two by two": np.array([[3.0, 1], [1, 2]]),
    }


NOTIONS = {
    "LIP": lambda _: LIP(0.4),
    "LIP 0": lambda _: LIP(0.0),
    "LIP ∞": lambda _: LIP(np.inf),
    "ALIP": lambda _: ALIP(0.7, 0.2),
    "λ = 0": lambda _: ALIP.from_lambda(0.8, 0.0),
    "λ = 1": lambda _: ALIP.from_lambda(0.8, 1.0),
    "LDP": lambda _: LDP(0.5),
    "PML": lambda _: PointwiseMaximalLeakage(0.3),
    "ℓ1": lambda _: L1Privacy(np.inf, 0.3),
    "α-lift": lambda _: AlphaLift(0.5, 0.3, 2),
    "α-lift of order 3": lambda _: AlphaLift(np.inf, 0.2, 3),
    "χ²-lift": lambda _: Chi2Privacy(np.inf, 0.3),
    "KL": lambda _: PointwiseDivergence(0.05),
    "χ² and LDP": lambda _: Intersection(Chi2Privacy(np.inf, 0.3), LDP(0.5)),
    "exceptions": lambda _: EpsDelta(LDP(0.3), 0.1),
    "several": lambda _: Intersection(LDP(0.6), PointwiseMaximalLeakage(0.3)),
    "guess S": lambda joint: GuessingProbability((1 + 3 * joint.p_s.max()) / 4),
}


def purposes(joint):
    n = joint.n_x
    places = np.arange(n)
    table = np.vstack([places < n // 2, places >= n // 2]).astype(float)
    return {
        "guess": Guess(),
        "task": Guess(table),
        "distance": Distortion(np.abs(np.subtract.outer(places, places)).astype(float)),
    }


@pytest.mark.parametrize("data", joints())
@pytest.mark.parametrize("name", NOTIONS)
def test_it_agrees_with_the_search_that_knows_nothing_of_it(data, name):
    joint = Joint.from_counts(joints()[data])
    notion = NOTIONS[name](joint)
    for purpose in purposes(joint).values():
        result = optimal(joint, notion, utility=purpose)
        other = optimal(joint, notion, solver="enumerate", utility=purpose)
        assert result.status == "optimal"
        assert notion.holds(joint, result.kernel)
        assert result.utility == pytest.approx(other.utility, abs=2e-6)
        assert result.upper_bound >= other.utility - 1e-9
        assert other.upper_bound >= result.utility - 1e-9


@pytest.mark.parametrize("measure", BUDGETS)
@pytest.mark.parametrize("data", joints())
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_average_budgets_are_kept_and_proven(measure, data, share):
    joint = Joint.from_counts(joints()[data])
    order = BUDGETS[measure]
    high = Average(measure, 1.0, order=order).achieved(joint, np.eye(joint.n_x))
    low = joint.p_s.max() if measure == "guessing" else 0.0
    notion = Average(measure, low + share * (high - low), order=order)
    for purpose in purposes(joint).values():
        result = optimal(joint, notion, utility=purpose)
        assert notion.holds(joint, result.kernel)
        assert result.gap <= 2e-6 * purpose.size()
        if share == 1.0:
            assert result.utility == pytest.approx(purpose.range(joint)[1], abs=1e-9)


def test_any_multipliers_give_a_bound():
    joint = Joint.from_counts(joints()["random"])
    notion = Intersection(LDP(0.6), Average("mutual_information", 0.05))
    allowed = notion.allowed_set(joint)
    goal = Centred(Greatest(np.eye(joint.n_x)), joint.p_x)
    best = maximise(allowed, joint.p_x, utility=Greatest(np.eye(joint.n_x))).utility - goal.base
    program, rng = Direct(allowed, joint.p_x, goal), np.random.default_rng(4)
    _, right = program.solve(Deadline())
    assert program.bound(right) - best < 1e-6
    for size in (1e-9, 1e-4, 0.1, 1.0):
        for _ in range(50):
            result = Multipliers(
                right.symbols + size * rng.normal(size=right.symbols.shape),
                right.rows + size * rng.normal(size=right.rows.shape),
                right.cuts,
                right.prices + size * rng.normal(size=1),
                [slope + size * rng.normal(size=slope.shape) for slope in right.slopes],
            )
            bound = program.bound(result)
            assert bound >= best - 1e-9


def test_one_program_by_another_library():
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(rng.random((4, 12)))
    loss = rng.random((12, 5))
    rows = LDP(0.5).allowed_set(joint).rows.toarray()
    n_a, (n_rows, width) = 5, rows.shape
    scaled = rows * np.concatenate([joint.p_x, np.ones(width - 12)])
    upper = np.kron(np.eye(n_a), scaled)
    equal = np.kron(np.ones((1, n_a)), np.eye(12, width))
    cost = np.zeros((n_a, width))
    cost[:, :12] = (joint.p_x[:, None] * loss).T
    theirs = linprog(cost.ravel(), upper, np.zeros(n_a * n_rows), equal, np.ones(12))
    ours = optimal(joint, LDP(0.5), utility=Distortion(loss))
    assert -ours.utility == pytest.approx(theirs.fun, abs=1e-9)
    assert (ours.status, ours.solver) == ("optimal", "one program")


FAMILIES = {
    "LIP": LIP,  # rows that every output meets are left out: the program's shape changes
    "LDP": LDP,
    "PML": PointwiseMaximalLeakage,
    "guessing": lambda eps: Average("guessing", min(0.42 + eps / 4, 1.0)),
    "total variation": lambda eps: Average("total_variation", eps / 10),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_frontier_from_the_last_basis_is_that_of_programs_from_scratch(monkeypatch, name):
    joint = Joint.from_counts(np.random.default_rng(8).random((3, 7)))
    budgets = [1.3, 0.0, 0.1, 0.11, 0.4, 0.7, 0.71, 2.5]
    starts, solve_near = [], LinearProgram.solve_near

    def counted(program, *args):
        starts.append(program.n_rows)
        return solve_near(program, *args)

    monkeypatch.setattr(LinearProgram, "solve_near", counted)
    for purpose in (Guess(), Distortion(apart(7))):
        along = frontier(joint, FAMILIES[name], budgets, utility=purpose)
        for eps, result in zip(budgets, along, strict=True):
            alone = optimal(joint, FAMILIES[name](eps), solver="columns", utility=purpose)
            assert result.status == "optimal"
            assert alone.utility - 2e-6 <= result.utility <= alone.upper_bound + 1e-8
    assert len(starts) >= len(budgets)


def budget_of(joint, measure):
    """Return the promise of a row of the specification: 30% of what X gives, or of ε."""
    if measure in ("LIP", "LDP"):
        return LIP(0.3) if measure == "LIP" else LDP(0.5)
    level = Average(measure, 1.0).achieved(joint, np.eye(joint.n_x))
    prior = joint.p_s.max() if measure == "guessing" else 0.0
    return Average(measure, prior + 0.3 * (level - prior))


@pytest.mark.parametrize(
    ("shape", "measure", "loss", "wrong"),
    [
        ((5, 17), "LIP", 0.629461, 0.261779),
        ((5, 17), "LDP", 0.672389, 0.269200),
        ((5, 17), "guessing", 0.264149, 0.151240),
        ((5, 17), "total_variation", 0.688656, 0.267605),
        ((5, 17), "mutual_information", 0.290784, 0.159178),
        ((5, 42), "LIP", 0.625297, 0.210166),
        ((5, 42), "LDP", 0.690785, 0.217588),
        ((5, 42), "mutual_information", 0.260129, 0.121507),
        ((5, 42), "total_variation", 0.640610, 0.235235),
        ((5, 42), "guessing", 0.396252, 0.180766),
        ((10, 100), "guessing", 0.692003, 0.259706),
        ((10, 100), "LIP", 1.063274, 0.315915),
        ((10, 100), "LDP", 1.205271, 0.338388),
        ((10, 100), "total_variation", 0.991654, 0.336864),
        ((10, 100), "mutual_information", 0.396753, 0.197744),
    ],
)
def test_figures_of_other_solvers(shape, measure, loss, wrong):
    joint = Joint.from_counts(np.random.default_rng(0).random(shape))
    notion = budget_of(joint, measure)
    far = optimal(joint, notion, utility=Distortion(apart(joint.n_x)))
    assert (far.status, -far.utility) == ("optimal", pytest.approx(loss, abs=1e-6))
    guess = optimal(joint, notion, utility=Guess())
    assert (guess.status, 1 - guess.utility) == ("optimal", pytest.approx(wrong, abs=1e-6))


def blahut(p, loss, slope):
    """Return rate and loss of Blahut and Arimoto's steps at a slope of the rate."""
    likely, weights = np.exp(-slope * loss), np.full(len(p), 1 / len(p))
    for _ in range(3_000):
        kernel = likely * weights
        kernel /= kernel.sum(axis=1, keepdims=True)
        weights = p @ kernel
    ratio = np.log(np.maximum(kernel, 1e-300) / np.maximum(weights, 1e-300))
    return float(p @ (kernel * ratio).sum(axis=1)), float(p @ (kernel * loss).sum(axis=1))


@pytest.mark.parametrize(("n", "slope"), [(8, 1.0), (16, 0.7), (16, 2.0)])
def test_s_as_x_and_a_distance_is_rate_distortion(n, slope):
    p = np.random.default_rng(n).dirichlet(np.ones(n))
    rate, least = blahut(p, apart(n), slope)
    result = optimal(
        Joint.from_counts(np.diag(p)),
        Average("mutual_information", rate),
        utility=Distortion(apart(n)),
    )
    assert (result.status, -result.utility) == ("optimal", pytest.approx(least, abs=1e-4))


@pytest.mark.parametrize(
    "notion", [PointwiseDivergence(0.05), AlphaLift(0.5, 0.3, 2), Chi2Privacy(np.inf, 0.3)], ids=str
)
def test_a_round_set_may_have_exceptions(notion):
    joint = Joint.from_counts(np.random.default_rng(3).random((3, 5)))
    excepted = EpsDelta(notion, 0.05)
    result = optimal(joint, excepted, utility=Guess())
    strict = optimal(joint, notion, utility=Guess()).utility
    assert result.solver == "one program"
    assert result.status == "optimal"
    assert excepted.holds(joint, result.kernel)
    assert strict + 1e-3 < result.utility <= strict + 0.05 + 1e-6


@pytest.mark.parametrize(
    "notion", [EpsDelta(LDP(0.3), 0.1), Average("mutual_information", 0.02)], ids=str
)
@pytest.mark.parametrize("purpose", [Guess(), Distortion(apart(18))], ids=["guess", "distance"])
def test_a_large_program_begins_with_few_variables_and_ends_with_the_same(
    monkeypatch, notion, purpose
):
    joint = Joint.from_counts(np.random.default_rng(3).random((4, 18)))
    whole = optimal(joint, notion, utility=purpose)
    monkeypatch.setitem(vars(SIZES), "direct_entries", 10)
    monkeypatch.setattr(direct, "FEW", 2)
    monkeypatch.setitem(vars(SIZES), "first_actions", 6)
    sizes, bounds = [], []
    solve, bound = Direct.solve, direct.utility_bound

    def solved(program, deadline):
        sizes.append(int(program.kept.sum()))
        return solve(program, deadline)

    def bounded(*args):
        bounds.append(bound(*args))
        return bounds[-1]

    monkeypatch.setattr(Direct, "solve", solved)
    monkeypatch.setattr(direct, "utility_bound", bounded)
    result = optimal(joint, notion, utility=purpose)
    assert sizes[0] < 0.2 * 18 * 18
    assert sizes[1] < 0.4 * 18 * 18
    assert sizes == sorted(sizes)
    assert (result.status, result.solver) == ("optimal", whole.solver)
    assert result.utility == pytest.approx(whole.utility, abs=2e-6 * purpose.size())
    goal = Centred(purpose.solver_utility(joint), joint.p_x)
    least = whole.utility / purpose.size() - goal.base
    assert min(bounds) >= least - 1e-8  # each bound holds, whatever is left out


def test_an_answer_of_few_actions_is_there_when_time_is_over(monkeypatch):
    joint = Joint.from_counts(np.random.default_rng(3).random((4, 18)))
    notion, purpose = EpsDelta(LDP(0.5), 0.05), Distortion(apart(18))
    monkeypatch.setitem(vars(SIZES), "direct_entries", 10)
    monkeypatch.setitem(vars(SIZES), "first_actions", 9)
    solve, times = Direct.solve, []

    def only_once(program, deadline):
        times.append(program.kept.any(axis=1).sum())
        if len(times) > 1:
            raise TimeLimitError("The linear program was not solved in the time given.")
        return solve(program, deadline)

    monkeypatch.setattr(Direct, "solve", only_once)
    with clock.using(clock.Ticking(0.01)):
        result = optimal(joint, notion, utility=purpose, time_limit=0.5)
    assert times == [9 + 1, 18 + 1]  # and what exceptions reveal
    assert notion.holds(joint, result.kernel)
    monkeypatch.undo()
    best = optimal(joint, notion, utility=purpose)
    assert best.utility - 1.0 <= result.utility <= best.upper_bound + 1e-9


def test_no_time_leaves_the_first_answer():
    joint = Joint.from_counts(np.random.default_rng(0).random((4, 30)))
    result = optimal(joint, LDP(0.5), utility=Guess(), time_limit=1e-3)
    assert result.status == "time limit"
    assert LDP(0.5).holds(joint, result.kernel)


@pytest.mark.parametrize(
    "error",
    [
        SolverError("HiGHS gave no answer: Unknown."),
        InfeasibleError("The conic program has no solution."),
    ],
)
@pytest.mark.parametrize("notion", [LDP(0.5), Average("mutual_information", 0.05)])
def test_a_search_takes_the_place_of_a_program_that_fails_and_says_so(monkeypatch, notion, error):
    def fails(*_):
        raise error

    joint = Joint.from_counts(joints()["random"])
    best = optimal(joint, notion, utility=Guess())
    monkeypatch.setattr(Direct, "solve", fails)
    result = optimal(joint, notion, utility=Guess(), time_limit=1.0)
    assert notion.holds(joint, result.kernel)
    assert best.utility - 0.01 <= result.utility <= best.upper_bound + 1e-9
    assert result.notes[0].startswith("One program for the whole mechanism gave no answer")
    assert str(error) in result.notes[0]


def test_a_program_that_stalls_leaves_time_for_a_search(monkeypatch):
    def stalls(_, deadline):
        while not deadline.over:
            pass
        raise TimeLimitError("The linear program was not solved in the time given.")

    joint = Joint.from_counts(joints()["random"])
    best = optimal(joint, LDP(0.5), utility=Guess())
    monkeypatch.setattr(Direct, "solve", stalls)
    with clock.using(clock.Ticking(2.0**-12)):
        result = optimal(joint, LDP(0.5), utility=Guess(), time_limit=2.0)
    assert result.utility == pytest.approx(best.utility, abs=1e-6)
    assert result.status == "optimal"


def test_mutual_information_of_a_task_is_not_linear():
    joint = Joint.from_counts(joints()["random"])
    table = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1.0]])
    assert Task(table).solver_utility(joint).pieces() is None
    assert Greatest(np.eye(2)).pieces() is not None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_symbols_that_exceptions_alone_release_leave_no_gap(seed):
    joint = Joint.from_counts(np.exp(3 * np.random.default_rng(seed).standard_normal((3, 12))))
    goal = Centred(Distortion(apart(12)).solver_utility(joint), joint.p_x)
    allowed = EpsDelta(LDP(0.3), 0.01).allowed_set(joint)
    program = Direct(allowed, joint.p_x, goal)
    kernel, multipliers = program.solve(Deadline())
    assert kernel[:, -12:].max() == pytest.approx(1.0)
    bound = program.bound(multipliers)
    value = goal.value((joint.p_x[:, None] * kernel).T, joint.p_x)
    assert value - 1e-9 <= bound <= value + 1e-9


def test_symbols_far_rarer_than_an_output_has_to_be_keep_a_row():
    joint = Joint.from_counts([[1e13, 7, 2e9], [3e11, 4, 2]])
    for notion in (LDP(0.5), LIP(0.3), Average("guessing", 0.98)):
        for purpose in (Guess(), Distortion(1 - np.eye(3))):
            result = optimal(joint, notion, utility=purpose)
            assert np.isfinite(result.kernel).all()
            assert notion.holds(joint, result.kernel)


def round_question():
    joint = Joint.from_counts(joints()["random"])
    allowed = replace(AlphaLift(0.4, 0.2, 2).allowed_set(joint), each=())  # by cuts alone
    return allowed, joint.p_x, Centred(purposes(joint)["distance"].solver_utility(joint), joint.p_x)


@pytest.mark.parametrize("loss", ["distance", "table"])
def test_last_digits_of_auxiliary_variables_leave_a_bound(loss):
    joint = drawn(20)
    entry = next(item for item in catalogue.ALL if item.title == "Robust PML")
    allowed = entry.make(joint, Numbers(eps=0.5, n=10_000)).allowed_set(joint)
    table = apart(20) if loss == "distance" else np.random.default_rng(1).random((20, 4))
    goal = Centred(Distortion(table).solver_utility(joint), joint.p_x)
    program = Direct(allowed, joint.p_x, goal)
    kernel, multipliers = program.solve(Deadline())
    bound = program.bound(multipliers)
    value = goal.value((joint.p_x[:, None] * kernel).T, joint.p_x)
    assert value - 1e-9 <= bound <= value + 1e-6


def drawn(k):
    """Return S = X with k values."""
    return Joint.from_counts(np.diag(np.random.default_rng(k).dirichlet(np.ones(k))))


CURVED = {
    "χ²": Chi2Privacy(np.inf, 0.3),
    "α-lift": AlphaLift(0.5, 0.3, 2),
    "KL": PointwiseDivergence(0.1),
}


def test_cones_of_the_secret_itself_have_few_entries(monkeypatch):
    counts = []

    def counted(*program):
        counts.append(sum(np.count_nonzero(cone.rows) for cone, _ in program[-2]))
        return solve_conic(*program)

    monkeypatch.setattr(direct, "solve_conic", counted)
    result = optimal(drawn(16), Average("mutual_information", 0.3), utility=Guess())
    assert (result.status, result.solver) == ("optimal", "one program")
    assert counts == [5 * 16**2]


@pytest.mark.parametrize("name", CURVED)
def test_cones_of_each_output_are_one_program(monkeypatch, name):
    calls, whole = [], Direct.solve

    def counted(self, deadline):
        calls.append(self)
        return whole(self, deadline)

    monkeypatch.setattr(Direct, "solve", counted)
    with clock.using(clock.Ticking(1e-3)):
        best = optimal(drawn(10), CURVED[name], utility=Guess())
    assert best.status == "optimal"
    assert len(calls) <= 2


@pytest.mark.parametrize("name", CURVED)
@pytest.mark.parametrize("error", [TimeLimitError("over"), SolverError("failed")])
def test_cuts_take_the_place_of_cones_that_fail(monkeypatch, name, error):
    def failing(*_):
        raise error

    joint = Joint.from_counts(joints()["random"])
    best = optimal(joint, CURVED[name], utility=Guess())
    monkeypatch.setattr(direct, "solve_conic", failing)
    result = optimal(joint, CURVED[name], utility=Guess())
    assert result.status == "optimal"
    assert result.utility == pytest.approx(best.utility, abs=2e-6)


@pytest.mark.parametrize("budget", [1e-3, 1e-2])
def test_cuts_follow_on_cones_that_are_thin(budget):
    joint = Joint.from_counts(joints()["random"])
    for notion in (Chi2Privacy(np.inf, budget), AlphaLift(budget, budget, 2)):
        best = optimal(joint, notion, utility=Guess())
        assert best.gap <= 1e-6
        assert notion.holds(joint, best.kernel)


def test_each_cut_is_tangent_to_the_allowed_set():
    allowed, p_x, goal = round_question()
    program = Direct(allowed, p_x, goal)
    kernel, _ = program.solve(Deadline.after(60))
    assert program.cut(kernel, Deadline.after(60))
    weights = (p_x[:, None] * kernel).T
    for action, cut in program.cuts:
        output = weights[action] / weights[action].sum()
        share = cut @ output / (cut @ output - cut @ p_x)
        assert 0 < share < 1  # it cuts the output off, and not P_X
        touched = output + share * (p_x - output)
        inside, outside = (touched + part * (p_x - touched) for part in (1e-6, -1e-3))
        assert len(allowed.oracle(inside)) == 0
        assert len(allowed.oracle(outside)) > 0


@pytest.mark.parametrize("error", [TimeLimitError("over"), SolverError("failed")])
def test_what_was_found_and_proven_is_kept_where_the_next_program_fails(monkeypatch, error):
    allowed, p_x, goal = round_question()
    calls, taken, whole = [], [], Direct.solve

    def failing(self, deadline):
        calls.append(self)
        if len(calls) == 3:
            raise error
        return whole(self, deadline)

    def take(kernel, upper):
        taken.append((kernel, upper))
        return -np.inf

    monkeypatch.setattr(Direct, "solve", failing)
    with pytest.raises(type(error)):
        direct.by_one_program(allowed, p_x, goal, 1e-12, Deadline.after(60), take)
    kernel, upper = taken[-1]
    assert kernel.shape[1] > 1
    assert upper < goal.value(np.diag(p_x), p_x)


def test_a_distance_of_too_many_actions_is_that_of_the_best_start(monkeypatch):
    """Of 30×1629 the program of all actions took 17 of 1 s, and 7 GB."""
    monkeypatch.setitem(vars(SIZES), "action_symbols", 63)
    monkeypatch.delattr(solve, "by_one_program")  # which is not reached
    joint = Joint.random_uniform(3, 8, np.random.default_rng(0))
    places = np.arange(8.0)
    goal = Distortion(np.abs(np.subtract.outer(places, places)))
    best = optimal(joint, LIP(0.3), utility=goal)
    known = [subset_merging(joint, LIP(0.3)), constant(joint)]
    assert best.audit.holds
    assert best.status != "optimal"
    assert best.utility >= max(goal.value(joint, made.kernel) for made in known) - 1e-9


def test_no_program_is_made_for_which_there_is_no_time(monkeypatch):
    """At 30×1629 under the χ²-lift rows of two programs were made for 2 s after a limit of 1 s."""
    monkeypatch.setitem(vars(SIZES), "entry_seconds", 1.0)
    monkeypatch.delattr(direct, "LinearProgram")  # which is not reached
    monkeypatch.delattr(direct, "solve_conic")
    joint = Joint.random_uniform(3, 8, np.random.default_rng(0))
    with clock.using(clock.Ticking(0.01)):
        best = optimal(joint, Chi2Lift(0.1), utility=Guess(), time_limit=1.0)
    assert best.audit.holds
    assert best.utility >= Guess().value(joint, subset_merging(joint, Chi2Lift(0.1)).kernel) - 1e-9
