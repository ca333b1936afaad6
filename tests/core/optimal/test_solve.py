"""The engine: enumeration, columns, brute force and weak duality agree."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from core import clock, measures
from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.joint import Joint
from core.measures import mutual_information
from core.mechanisms import optimal, subset_merging
from core.mechanisms.optima.search import chain_bound
from core.notions import ALIP, LDP, LIP, SRLIP, AlphaLift, MetricLDP, PointwiseMaximalLeakage
from core.optimal import solve
from core.optimal.bounds.prover import Prover
from core.optimal.columns.linear_search import LinearSearch
from core.optimal.columns.peeling import Peeling
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.plan import SHARES, SIZES
from core.optimal.polytopes.double_description import double_description
from core.optimal.polytopes.standard_form import polytope
from core.optimal.solve import maximise
from core.optimal.utility import FDivergence, Greatest, MutualInformation
from tests.core.optimal.columns.test_peeling import sparse_joint
from tests.exact.optimum import truth
from tests.exact.promises import Promise


def exact(joint, notion, cost):
    """Return the least cost by double description and scipy's program over all its vertices."""
    space = polytope(notion.allowed_set(joint), joint.p_x)
    points = double_description(space)
    result = optimize.linprog(cost(points), A_eq=points.T, b_eq=joint.p_x)
    assert result.status == 0
    return result.fun


def conditional_entropy(points):
    return np.array([measures.entropy(point) for point in points])


PAPER = Joint.random_uniform(5, 17, np.random.default_rng(0))


@pytest.mark.parametrize("solver", ["enumerate", "columns"])
@pytest.mark.parametrize(("eps", "nmi"), [(0.5, 0.763550), (1, 0.849513), (2, 0.934430)])
def test_known_values(eps, nmi, solver):
    allowed = ALIP.from_lambda(eps, 0.5).allowed_set(PAPER)
    outcome = maximise(allowed, PAPER.p_x, solver=solver, time_limit=60)
    assert outcome.status == "optimal"
    assert outcome.solver == solver
    assert outcome.utility / measures.entropy(PAPER.p_x) == pytest.approx(nmi, abs=5e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("notion", [LIP(0.4), ALIP(0.8, 0.2), LDP(0.7)], ids=str)
def test_optimum_is_that_of_double_description_and_another_solver(seed, notion):
    joint = Joint.random_dirichlet(3, 7, 0.5, np.random.default_rng(seed))
    expected = measures.entropy(joint.p_x) - exact(joint, notion, conditional_entropy)
    for solver in ("enumerate", "columns"):
        outcome = maximise(notion.allowed_set(joint), joint.p_x, solver=solver, time_limit=60)
        assert outcome.utility == pytest.approx(expected, abs=1e-9)
        assert expected <= outcome.upper_bound <= expected + 1e-6


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.1, 0.5, 1.2]),
    st.sampled_from([LIP, LDP]),
    st.booleans(),
)
def test_columns_and_enumeration_agree_on_joints_with_zeros_and_ties(seed, eps, family, walks):
    rng = np.random.default_rng(seed)
    joint = Joint.from_counts(rng.integers(0, 4, (3, 7)) + np.eye(3, 7) + np.eye(3, 7, 4))
    allowed = family(eps).allowed_set(joint)
    whole = maximise(allowed, joint.p_x, solver="enumerate", time_limit=60)
    with pytest.MonkeyPatch.context() as patch:
        if not walks:  # then the proof is by branch and bound
            patch.setitem(vars(SIZES), "walk_entries", 0)
        part = maximise(allowed, joint.p_x, solver="columns", time_limit=60)
    assert part.utility <= whole.upper_bound
    assert whole.utility <= part.upper_bound
    assert part.utility == pytest.approx(whole.utility, abs=2e-6)
    assert part.status == whole.status == "optimal"


@pytest.mark.parametrize("eps", [0.2, 0.6, 1.5])
def test_two_symbols_by_hand(eps):
    joint = Joint.from_counts([[3, 1], [2, 4]])
    outcome = maximise(LIP(eps).allowed_set(joint), joint.p_x)
    # posteriors (t, 1−t) are allowed on an interval around P(x1): publish which end
    grid = np.linspace(0, 1, 200_001)
    lifts = (joint.p / joint.p_x) @ np.stack([grid, 1 - grid]) / joint.p_s[:, None]
    allowed = grid[(np.abs(np.log(lifts)) <= eps).all(axis=0)]
    low, high = allowed[0], allowed[-1]
    share = (joint.p_x[0] - low) / (high - low)
    entropy = measures.entropy
    kept = share * entropy([high, 1 - high]) + (1 - share) * entropy([low, 1 - low])
    assert outcome.utility == pytest.approx(entropy(joint.p_x) - kept, abs=1e-4)
    assert outcome.kernel.shape == (2, 2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_weak_duality_bounds_the_optimum_for_any_duals(seed):
    rng = np.random.default_rng(seed)
    joint = Joint.random_dirichlet(3, 5, 0.7, rng)
    allowed = LIP(0.5).allowed_set(joint)
    best = maximise(allowed, joint.p_x, solver="enumerate").utility
    prover = Prover(allowed, polytope(allowed, joint.p_x), joint.p_x, MutualInformation())
    duals = rng.normal(1.0, 0.5, size=5)
    assert prover.check(duals, 1e-6, Deadline.after(60)).bound >= best


def test_utility_grows_with_the_budget_and_lies_below_the_bound_of_larger_ones():
    outcomes = [
        maximise(LIP(eps).allowed_set(PAPER), PAPER.p_x) for eps in (0.2, 0.5, 1.0, 2.0, 50.0)
    ]
    values = [outcome.utility for outcome in outcomes]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(measures.entropy(PAPER.p_x), abs=1e-9)


def test_the_same_seed_gives_the_same_kernel():
    joint = Joint.random_uniform(5, 25, np.random.default_rng(1))
    allowed = LIP(0.4).allowed_set(joint)
    first, again = (
        maximise(allowed, joint.p_x, solver="columns", seed=3, time_limit=60) for _ in range(2)
    )
    np.testing.assert_array_equal(first.kernel, again.kernel)


@pytest.mark.parametrize("limit", [0.3, 1.5])
def test_time_limits_are_kept_and_the_bound_stays_valid(limit):
    joint = Joint.random_uniform(15, 120, np.random.default_rng(0))
    notion = ALIP(0.5, 0.5)
    began = clock.now()
    outcome = optimal(joint, notion, time_limit=limit)
    assert clock.now() - began < 1.1 * limit
    assert outcome.status == "time limit"
    np.testing.assert_allclose(outcome.kernel.sum(axis=1), 1.0, atol=1e-12)
    assert outcome.utility >= subset_merging(joint, notion).utility - 1e-9
    assert outcome.utility < outcome.upper_bound <= measures.entropy(joint.p_x) + 1e-9


@pytest.mark.parametrize("eps", [0.1, 0.5])
def test_a_limit_is_kept_where_rows_are_many_and_ties_are_too(eps):
    joint = Joint.random_uniform(2, 36, np.random.default_rng(0))
    with clock.using(clock.Ticking(2.0**-10)):  # it ends by a number of readings after its time
        mechanism = optimal(joint, SRLIP(eps, (3, 3, 4)), time_limit=1.0)
        assert clock.now() < 1.1
    assert mechanism.audit.holds
    assert mechanism.status == "time limit"


def test_the_start_is_told_when_to_be_ready():
    joint = Joint.random_uniform(5, 17, np.random.default_rng(0))
    reported = []

    def start(deadline):
        reported.append(deadline)
        return np.ones((17, 1))

    began = clock.now()
    allowed = ALIP(0.5, 0.5).allowed_set(joint)
    maximise(allowed, joint.p_x, solver="columns", start=start, time_limit=1000)
    assert len(reported) == 1
    assert began < reported[0].at < clock.now() + SHARES.start * 1000


def test_a_round_set_moves_its_outputs_inside_where_nothing_else_does():
    joint = Joint.random_uniform(2, 3, np.random.default_rng(0))
    notion = AlphaLift(0.3, 0.3, 2.0)
    outcome = maximise(notion.allowed_set(joint), joint.p_x, time_limit=1)
    assert notion.achieved(joint, outcome.kernel) <= 1 + 1e-7
    assert 0 < outcome.utility <= outcome.upper_bound


def test_one_symbol_has_nothing_to_tell():
    outcome = maximise(AllowedSet(sparse.csr_array((0, 1)), 1), np.ones(1))
    assert outcome.kernel.tolist() == [[1.0]]
    assert (outcome.utility, outcome.upper_bound, outcome.status) == (0.0, 0.0, "optimal")


def test_a_walk_that_ended_in_vain_is_taken_up_for_more_vertices_and_leaves_no_message():
    allowed = LIP(0.5).allowed_set(PAPER)
    prover = Prover(allowed, polytope(allowed, PAPER.p_x), PAPER.p_x, MutualInformation())
    assert not prover.walk(NEVER, 10)
    assert "too many" in prover.stopped
    assert not prover.walk(NEVER, 5)
    assert prover.walk(NEVER, 10**6)
    assert prover.stopped == ""


def test_enumeration_that_cannot_end_is_left_for_columns():
    joint = Joint.random_uniform(8, 60, np.random.default_rng(0))
    outcome = maximise(LIP(0.5).allowed_set(joint), joint.p_x, solver="enumerate", time_limit=2)
    assert outcome.solver == "columns"
    assert "could not all be listed, so the search built them" in outcome.notes[0]


def test_a_notion_that_forbids_what_tells_nothing_is_infeasible():
    class Never(LIP):
        def holds(self, _joint, _kernel):
            return False

    with pytest.raises(InfeasibleError, match="output independent of X"):
        optimal(Joint.from_counts([[3, 1], [1, 3]]), Never(1.0))


@pytest.mark.parametrize("notion", [LIP(0.5), LDP(0.4), AlphaLift(0.5, 0.5, 2)], ids=str)
@pytest.mark.parametrize("solver", ["auto", "enumerate", "columns"])
@pytest.mark.parametrize("size", [0, 10**9])
def test_where_every_program_fails_the_best_known_mechanism_is_the_answer(
    notion, solver, size, monkeypatch
):
    def broken(*_arguments):
        raise SolverError("HiGHS gave no answer: Unknown.")

    joint = Joint.from_counts([[9, 1, 5, 4], [1, 8, 5, 5]])
    best, true = subset_merging(joint, notion).utility, optimal(joint, notion).utility
    monkeypatch.setattr("core.optimal.programs.highs.LinearProgram.solve", broken)
    monkeypatch.setitem(vars(SIZES), "search_entries", size)
    result = optimal(joint, notion, solver)
    assert result.utility >= best - 1e-12
    assert result.status == "heuristic"
    assert result.upper_bound >= true
    assert any("HiGHS" in note for note in result.notes)


@pytest.mark.parametrize(
    ("solver", "walks"), [("enumerate", 4e6), ("columns", 4e6), ("columns", 0)]
)
def test_expected_distortion_is_that_of_one_linear_program(solver, walks, monkeypatch):
    monkeypatch.setitem(vars(SIZES), "walk_entries", int(walks))
    monkeypatch.setitem(vars(SIZES), "exact_variables", 8 if walks else 0)
    joint = Joint.random_dirichlet(3, 5, 1.0, np.random.default_rng(0))
    distortion = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    notion = LIP(0.3)
    outcome = maximise(
        notion.allowed_set(joint),
        joint.p_x,
        utility=Greatest(-distortion.T),
        solver=solver,
    )
    # the joint P(x, z), z the guess, in one program: rows of the notion for every z
    rows = notion.allowed_set(joint).rows.toarray()
    every = np.kron(np.eye(5), rows)
    sums = np.kron(np.ones(5), np.eye(5))
    result = optimize.linprog(
        distortion.T.ravel(), A_ub=every, b_ub=np.zeros(len(every)), A_eq=sums, b_eq=joint.p_x
    )
    assert outcome.utility == pytest.approx(-result.fun, abs=1e-8)
    assert outcome.upper_bound - outcome.utility < 1e-6


def test_f_divergence_utility_is_that_of_double_description():
    joint = Joint.random_dirichlet(3, 6, 1.0, np.random.default_rng(1))
    goal = FDivergence(lambda t: (t - 1) ** 2, joint.p_x)
    expected = -exact(joint, LIP(0.4), goal.cost)
    for solver in ("enumerate", "columns"):
        outcome = maximise(LIP(0.4).allowed_set(joint), joint.p_x, utility=goal, solver=solver)
        assert outcome.utility == pytest.approx(expected, abs=1e-9)
    weights = (joint.p_x[:, None] * outcome.kernel).T
    assert measures.chi2_divergence(weights.T) == pytest.approx(outcome.utility, abs=1e-9)


def test_a_utility_that_cannot_be_proven_says_so(monkeypatch):
    monkeypatch.setitem(vars(SIZES), "exact_variables", 0)
    monkeypatch.setitem(vars(SIZES), "walk_entries", 0)
    monkeypatch.setitem(vars(SIZES), "low_symbols", (0, 0))
    joint = Joint.random_dirichlet(3, 6, 1.0, np.random.default_rng(1))
    goal = FDivergence(lambda t: (t - 1) ** 2, joint.p_x)
    allowed = LIP(0.4).allowed_set(joint)
    outcome = maximise(allowed, joint.p_x, utility=goal, solver="columns", time_limit=2)
    assert outcome.status in ("heuristic", "time limit")
    assert outcome.utility <= maximise(allowed, joint.p_x, utility=goal).utility + 1e-9
    assert outcome.upper_bound == pytest.approx(goal.value(np.diag(joint.p_x), joint.p_x))


@pytest.mark.parametrize("alpha", [2.0, 10.0])
def test_a_round_set_is_solved_to_the_gap(alpha):
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    notion = AlphaLift(0.3, 0.3, alpha)
    allowed = notion.allowed_set(joint)

    def inside(kernel):
        share = 0.0
        while True:
            moved = (1 - share) * kernel + share * (joint.p_x @ kernel)
            if notion.holds(joint, moved):
                return moved
            share = 2 * share + 1e-12

    outcome = maximise(allowed, joint.p_x, finish=inside, time_limit=30)
    assert outcome.status == "optimal"
    assert notion.holds(joint, outcome.kernel)
    # no random mechanism does better than the bound; α = ∞, a smaller set, does worse
    strict = maximise(ALIP(0.3, 0.3).allowed_set(joint), joint.p_x)
    assert strict.utility < outcome.utility
    rng = np.random.default_rng(1)
    for kernel in rng.dirichlet(np.full(6, 0.3), size=(100, 6)):
        tried = inside(kernel)
        value = measures.mutual_information(joint.p_x[:, None] * tried)
        assert value <= outcome.upper_bound


def test_columns_answer_where_time_is_over_among_the_vertices(monkeypatch):
    def late(*_):
        raise TimeLimitError("The linear program was not solved in the time given.")

    joint = Joint.random_uniform(2, 4, np.random.default_rng(3))
    allowed, notion = LIP(0.5).allowed_set(joint), LIP(0.5)
    whole = maximise(allowed, joint.p_x)
    monkeypatch.setattr("core.optimal.solve.best_mixture", late)
    result = maximise(allowed, joint.p_x)
    assert result.solver == "columns"
    assert "not solved in the time given" in result.notes[0]
    assert result.utility == pytest.approx(whole.utility, abs=1e-6)
    assert notion.holds(joint, result.kernel)


@pytest.mark.parametrize("solver", ["auto", "columns"])
@pytest.mark.parametrize(
    ("counts", "eps"),
    [
        ([[10000000000006, 8000000, 8]], 6.3),
        ([[10000000000007, 6, 0], [0, 0, 90000000000000]], 0.1),
        ([[10000000000000, 800000, 7, 8], [7, 600, 10000000000000, 0]], 0.04),
    ],
)
def test_a_symbol_of_probability_1e_13_is_covered_too(counts, eps, solver):
    """Where it was not, its shortfall passed for rounding: the outputs did not mix to P(X)."""
    result = optimal(Joint.from_counts(counts), LIP(eps), solver=solver, gap=1e-9)
    expected = truth(counts, Promise("LIP", (eps,))).low
    assert result.utility == pytest.approx(expected, abs=1e-9)


def test_columns_answer_where_the_vertices_do_not_mix_to_p_x():
    """At ε = 0 the rows are rounded, and their vertices mix to P(X) to 1e-9 only."""
    counts = [[2368, 0, 820, 0], [220359790, 918332, 39, 367], [73624, 0, 22111, 210050257]]
    result = optimal(Joint.from_counts(counts), PointwiseMaximalLeakage(0.0))
    expected = truth(counts, Promise("PointwiseMaximalLeakage", (0.0,))).low
    assert result.utility == pytest.approx(expected, abs=1e-6)
    assert result.upper_bound >= expected - 1e-9


def test_few_vertices_are_listed_however_many_bases_there_are():
    joint = Joint.from_counts(np.diag(np.random.default_rng(10).dirichlet(np.ones(10))))
    notion = MetricLDP.of_joint(joint, 0.2)
    mechanism = optimal(joint, notion)
    space = polytope(notion.allowed_set(joint), joint.p_x)
    assert comb(space.n_basic + space.n_free, space.n_basic) > 5_000_000
    assert (mechanism.status, mechanism.solver) == ("optimal", "enumerate")


def test_boxes_of_a_search_at_central_duals_are_priced_up_to_its_answer(monkeypatch):
    """Aimed at 0 they were priced to .5 nats, and bounds ended at .87 of H(X) instead of .82."""
    for name, value in (("peeled_symbols", 10), ("column_rows", 5), ("search_seconds", 0.0)):
        monkeypatch.setitem(vars(SIZES), name, value)
    joint = Joint.random_dirichlet(4, 30, 1.0, np.random.default_rng(0))
    with clock.using(clock.Ticking(2.0**-11)):
        result = optimal(joint, LDP(0.5), time_limit=1.0)
    assert result.utility <= result.upper_bound < chain_bound(joint, LDP(0.5)) - 0.1


def of_many_symbols(monkeypatch, **sizes):
    """Return P(s, x) of 60 symbols that are as many as hundreds, and what one run of it keeps."""
    for name, value in {"peeled_symbols": 40, **sizes}.items():
        monkeypatch.setitem(vars(SIZES), name, value)
    joint = sparse_joint(5, 60, 2)
    once = Peeling(LDP(1.0).allowed_set(joint), joint.p_x, seed=0, deadline=NEVER)
    once.begin_once(Deadline.after(0))
    return joint, mutual_information(joint.release_x(once.kernel()))


def test_p_x_is_taken_apart_once_whatever_its_share_of_the_time(monkeypatch):
    """At 4×756, LIP 2 and 1 s a tenth of the time was too short: 0.79 were kept, not 0.99."""
    joint, once = of_many_symbols(monkeypatch)
    with clock.using(clock.Ticking(1.0)):
        result = maximise(LDP(1.0).allowed_set(joint), joint.p_x, time_limit=256.0, prove=False)
    assert result.utility >= once - 1e-9


@pytest.mark.parametrize("search_seconds", [np.inf, 0.0])
def test_where_a_search_finds_no_more_outputs_are_taken_off_p_x_again(search_seconds, monkeypatch):
    """At 10×442 and LIP ¼ the rest of the time went to boxes, and 0.04 less was kept."""
    sizes = {"column_rows": 0, "search_seconds": search_seconds}
    joint, once = of_many_symbols(monkeypatch, **sizes)
    monkeypatch.setattr(ColumnSearch, "run", lambda _: None)
    monkeypatch.setattr(LinearSearch, "run", lambda _: None)
    monkeypatch.setattr(Prover, "by_boxes", None)  # a call would end in an error
    monkeypatch.setitem(vars(SHARES), "peeling", 1e-9)
    with clock.using(clock.Ticking(1.0)):
        result = maximise(LDP(1.0).allowed_set(joint), joint.p_x, time_limit=4_096.0)
    assert result.utility > once + 0.01


@pytest.mark.parametrize("notion", [LDP(1.0), LIP(0.5)], ids=str)  # more and fewer than ten rows
def test_a_start_is_taken_apart_where_time_is_too_short_for_a_search(notion, monkeypatch):
    """At 4×756 and 1 s a search by columns had found nothing more before time was over."""
    joint, _ = of_many_symbols(monkeypatch, peeled_alone=61)
    for name in ("ColumnSearch", "LinearSearch"):
        monkeypatch.setattr(solve, name, None)  # a call would end in an error
    start = subset_merging(joint, notion)
    with clock.using(clock.Ticking(2.0**-12)):
        result = maximise(
            notion.allowed_set(joint), joint.p_x, start=lambda _: start.kernel, time_limit=0.5
        )
    assert result.utility > start.utility + 0.01


@pytest.mark.parametrize("entries", [1, 10**9], ids=["late", "in time"])
def test_tableaux_that_would_be_late_are_not_begun(entries, monkeypatch):
    """Under SRLIP those of 442 symbols took 9 s, for a task and a limit of 1 s."""
    joint = Joint.random_uniform(3, 20, np.random.default_rng(2))
    begun = []
    for name, size in (("peeled_alone", 20), ("search_entries", entries)):
        monkeypatch.setitem(vars(SIZES), name, size)
    make = solve.polytope  # of 1,629 symbols it took 5 s and 2 GB
    monkeypatch.setattr(solve, "polytope", lambda *args: begun.append(1) or make(*args))
    monkeypatch.setattr(solve._Task, "_by_columns", lambda *_, **__: None)
    monkeypatch.setattr(solve._Task, "_enumerate", lambda *_, **__: False)
    goal = FDivergence(lambda t: (t - 1) ** 2, joint.p_x)
    maximise(LIP(0.5).allowed_set(joint), joint.p_x, utility=goal, time_limit=5.0)
    assert bool(begun) == (entries > 1)
