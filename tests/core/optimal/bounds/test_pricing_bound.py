"""The certified bound against all vertices of hundreds of small sets, found by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from core import clock
from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Intersection,
    L1Lift,
    PointwiseMaximalLeakage,
)
from core.notions.robust_markov import RobustLIP, ball_around
from core.optimal.bounds.pricing_bound import PricingBound
from core.optimal.bounds.prover import Prover
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.plan import SIZES
from core.optimal.polytopes.standard_form import polytope
from core.optimal.programs import batched_simplex
from core.optimal.utility import MutualInformation
from tests.strategies import finite_budgets, joints
from tests.vertices import allowed_vertices, entropies

TOLERANCE = 1e-7

TABLE = Joint.from_counts([[30, 20, 10], [10, 40, 25]])


def joint_of(seed: int) -> Joint:
    """A small joint: uniform, spiky or with zero cells and deterministic columns."""
    rng = np.random.default_rng(seed)
    n_s, n_x = int(rng.integers(2, 4)), int(rng.integers(2, 6))
    cells = rng.random((n_s, n_x))
    if seed % 3 == 1:
        cells = rng.dirichlet(np.full(n_s * n_x, 0.3)).reshape(n_s, n_x)
    if seed % 3 == 2:
        cells *= rng.random((n_s, n_x)) < 0.6
        cells[0] += 1e-3 * (cells.sum(axis=0) == 0)
    return Joint.from_counts(cells)


def notion_of(seed: int):
    rng = np.random.default_rng(seed + 1_000_000)
    eps = float(rng.choice([0.02, 0.2, 0.5, 1.0, 2.0]))
    kind = seed % 4
    if kind == 0:
        return ALIP(eps * 0.7, eps * 0.3)
    if kind == 1:
        return LDP(eps)
    if kind == 2:
        return Intersection(LDP(2 * eps), ALIP(eps, eps / 2))
    return PointwiseMaximalLeakage(eps)


def test_never_above_the_true_minimum_for_any_prices():
    """204 sets, prices of any sign and size: exact within the tolerance, never above."""
    undercut = 0
    for seed in range(204):
        allowed = notion_of(seed).allowed_set(joint_of(seed))
        points = allowed_vertices(allowed)
        prices = np.random.default_rng(seed).uniform(-0.5, [0.4, 1.2, 3.0][seed % 3], allowed.n_x)
        result = PricingBound(allowed).minimise(prices, tolerance=TOLERANCE, time_limit=20.0)
        costs = entropies(points)
        least = (costs - points @ prices).min()
        lower = (result.prices - prices).min()
        assert lower <= min(least, 0.0) + 1e-13
        assert (costs - points @ result.prices >= -1e-13).all()
        assert (result.prices <= prices).all()
        gains = [float(column @ prices - entropies(column[None])[0]) for column in result.columns]
        assert all(0 < gain <= 1e-8 - least for gain in gains)
        if least > 0:
            assert result.finished, seed
            assert lower >= -TOLERANCE - 1e-9
            assert not result.columns
        elif least < -1e-6:
            assert result.columns, seed
            undercut += 1
    assert 50 < undercut < 180


@pytest.mark.parametrize(
    "notion", [L1Lift(0.2), RobustLIP(1.0, ball_around(TABLE))], ids=("l1", "robust")
)
def test_proofs_hold_with_several_auxiliary_variables(notion):
    allowed = notion.allowed_set(TABLE)
    assert allowed.n_auxiliary == 2
    points = allowed_vertices(allowed)
    for seed in range(6):
        prices = np.random.default_rng(seed).uniform(0.1, 1.0, allowed.n_x)
        result = PricingBound(allowed).minimise(prices, tolerance=TOLERANCE, time_limit=20.0)
        costs = entropies(points)
        assert (costs - points @ result.prices >= -1e-12).all()
        if (costs - points @ prices).min() > 0:
            assert result.finished
            assert (result.prices - prices).min() >= -TOLERANCE - 1e-9


def mixture_of(points, p_x):
    """Return min Σ q_y H(r_y) subject to Σ q_y r_y = P_X, and its duals, from scipy."""
    precise = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    answer = linprog(
        entropies(points), A_eq=points.T / p_x[:, None], b_eq=np.ones(len(p_x)), options=precise
    )
    assert answer.status == 0, answer.message
    return float(answer.fun), answer.eqlin.marginals / p_x


def test_a_proven_optimum_is_that_of_all_vertices():
    """Each notion with each kind of joint, three times: the bound's own columns are enough."""
    for seed in range(36):
        joint = joint_of(seed)
        p_x = joint.p_x
        allowed = notion_of(seed).allowed_set(joint)
        truth, _ = mixture_of(allowed_vertices(allowed), p_x)
        bound = PricingBound(allowed)
        points = p_x[None]
        while True:
            cost, prices = mixture_of(points, p_x)
            result = bound.minimise(prices, tolerance=1e-10, time_limit=20.0, weights=p_x)
            assert result.prices @ p_x <= truth + 1e-12
            if not result.columns:
                break
            points = np.vstack([points, result.columns])
        assert cost - result.prices @ p_x < 1e-7, seed
        assert cost == pytest.approx(truth, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(joint=joints(max_s=3, max_x=5, min_x=2), eps=finite_budgets, data=st.data())
def test_prices_hold_at_any_allowed_output(joint, eps, data):
    """Zero cells, ties, deterministic columns; however little time there is."""
    allowed = LDP(eps).allowed_set(joint)
    prices = np.array(data.draw(st.lists(st.floats(-1, 2), min_size=5, max_size=5)))[: joint.n_x]
    limit = data.draw(st.sampled_from([0.0, 1e-3, 20.0]))
    result = PricingBound(allowed).minimise(prices, tolerance=1e-6, time_limit=limit)
    points = allowed_vertices(allowed)
    assert (entropies(points) - points @ result.prices >= -1e-12).all()


def test_no_time_still_gives_a_valid_bound_and_little_time_is_kept():
    joint = Joint.random_uniform(10, 60, np.random.default_rng(0))
    allowed = ALIP.from_lambda(0.5, 0.5).allowed_set(joint)
    prices = np.full(60, 1.5)
    untouched = PricingBound(allowed).minimise(prices, tolerance=1e-6, time_limit=0.0)
    assert not untouched.finished
    assert untouched.boxes == 0
    assert np.isfinite(untouched.prices).all()
    start = clock.now()
    result = PricingBound(allowed).minimise(prices, tolerance=1e-6, time_limit=0.5)
    assert clock.now() - start < 0.6
    assert not result.finished
    assert (result.prices < prices).any()
    assert (untouched.prices <= result.prices + 1e-9).all()


def test_weights_decide_where_the_time_goes():
    joint = Joint.random_uniform(8, 40, np.random.default_rng(2))
    allowed = ALIP.from_lambda(0.3, 0.5).allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    search = ColumnSearch(space, joint.p_x, MutualInformation(), seed=0, deadline=NEVER)
    search.run()
    answer = []
    for weight in (1.0, 1e-9):
        weights = np.full(40, 1e-6)
        weights[7] = weight
        with clock.using(clock.Ticking(0.01)):
            result = PricingBound(allowed).minimise(
                search.mixture.duals, tolerance=1e-4, time_limit=1.0, weights=weights
            )
        answer.append(result.prices[7])
    assert answer[0] > answer[1] + 0.5


def test_without_rows_every_symbol_is_allowed_alone():
    allowed = AllowedSet(sparse.csr_array((0, 4)), 4)
    prices = np.array([0.3, -0.2, 0.0, 1.0])
    result = PricingBound(allowed).minimise(prices, tolerance=1e-9, time_limit=5.0)
    assert result.prices == pytest.approx(np.minimum(prices, 0), abs=1e-8)
    assert result.columns
    assert {float(column @ prices) for column in result.columns} <= {1.0, 0.3}


def test_it_stops_when_too_many_boxes_wait(monkeypatch):
    joint = Joint.random_uniform(10, 40, np.random.default_rng(0))
    allowed = ALIP.from_lambda(0.3, 0.5).allowed_set(joint)
    prices = np.full(40, 2.0)
    most = SIZES.waiting_boxes
    monkeypatch.setitem(vars(SIZES), "waiting_boxes", 20)
    result = PricingBound(allowed).minimise(prices, tolerance=1e-9, time_limit=60.0)
    assert not result.finished
    assert 0 < result.boxes < most
    assert np.isfinite(result.prices).all()


def test_a_later_proof_with_less_time_takes_nothing_back():
    joint = Joint.random_uniform(4, 25, np.random.default_rng(1))
    allowed = ALIP(0.3, 0.3).allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    prover = Prover(allowed, space, joint.p_x, MutualInformation())
    search = ColumnSearch(space, joint.p_x, MutualInformation(), seed=0, deadline=NEVER)
    search.run()
    duals = search.mixture.duals
    with clock.using(clock.Ticking(0.01)):
        first = prover._branch(duals, 1e-3, Deadline(5.0)).bound
    with clock.using(clock.Ticking(0.01)):
        second = prover._branch(duals, 1e-3, Deadline(0.0)).bound
    trivial = MutualInformation().offset(joint.p_x)
    assert second <= first < trivial


def test_the_same_prices_are_worked_on_from_where_the_last_time_ended():
    joint = Joint.random_uniform(8, 40, np.random.default_rng(2))
    bound = PricingBound(ALIP(0.15, 0.15).allowed_set(joint))
    prices = np.full(40, 1.0)
    with clock.using(clock.Ticking(0.01)):
        result = [bound.minimise(prices, tolerance=1e-3, time_limit=0.05) for _ in range(4)]
        other = bound.minimise(prices + 1e-9, tolerance=1e-3, time_limit=0.0)
    assert [b.boxes for b in result] == sorted({b.boxes for b in result})
    assert other.boxes == 0


def test_symbols_whose_largest_share_is_not_known_leave_a_bound(monkeypatch):
    """No program is solved, so odds may be infinite: at a positive price that is no range."""
    monkeypatch.setattr(batched_simplex, "MOST_STEPS", 0)
    joint = Joint.random_uniform(6, 12, np.random.default_rng(0))
    with clock.using(clock.Ticking(0.01)), np.errstate(invalid="raise"):
        result = PricingBound(LIP(0.1).allowed_set(joint)).minimise(
            np.full(12, 0.9), tolerance=1e-3, time_limit=0.3, weights=joint.p_x
        )
    entropy = float(entropies(joint.p_x[None])[0])
    assert (result.prices > -1).all()
    assert joint.p_x @ result.prices <= entropy


def test_the_first_boxes_end_by_the_deadline_and_prove_what_they_prove(monkeypatch):
    """At 220 symbols a batch of them took .8 s; what is cut short proves less, not too much."""
    monkeypatch.setitem(vars(SIZES), "between_looks", 1)  # a look at the clock after each pivot
    joint = Joint.random_uniform(4, 30, np.random.default_rng(0))
    allowed, prices = LDP(0.5).allowed_set(joint), np.full(30, 3.0)
    outputs = np.random.default_rng(1).dirichlet(np.full(30, 0.3), 200)
    outputs = 0.2 * outputs + 0.8 * joint.p_x
    outputs = outputs[(outputs @ allowed.rows[:, :30].T <= 0).all(axis=1)]
    step, late = batched_simplex.BatchedSimplex._step, []
    for seconds in (100.0, 200.0, 400.0):
        read = clock.Ticking(1.0)

        def counted(programs, read=read, seconds=seconds):
            late.append(read._time > seconds)
            return step(programs)

        monkeypatch.setattr(batched_simplex.BatchedSimplex, "_step", counted)
        late.clear()
        with clock.using(read):
            result = PricingBound(allowed).minimise(prices, tolerance=TOLERANCE, time_limit=seconds)
        assert len(late) > sum(late) <= 3
        assert len(outputs) > 50
        assert (entropies(outputs) - outputs @ result.prices >= -1e-13).all()
