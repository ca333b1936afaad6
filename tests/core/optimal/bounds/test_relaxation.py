"""The linear programs under the bound: their duals are checked, never believed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from core import clock
from core import mechanisms as m
from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, MetricLDP
from core.optimal.bounds.box_programs import BoxPrograms
from core.optimal.bounds.forest import secants
from core.optimal.bounds.odds import (
    dominance,
    least_odds,
    odds_range,
    unseen_prices,
)
from core.optimal.bounds.relaxation import Multipliers, Relaxation, bound_of_entries
from core.optimal.plan import SIZES
from tests.vertices import allowed_vertices, entropies


def truth(allowed: AllowedSet, costs, lower, upper):
    """The same program by scipy, auxiliary variables included; None where it has no solution."""
    rows = allowed.rows.toarray()
    n_x, auxiliary = allowed.n_x, rows.shape[1] - allowed.n_x
    mass = np.concatenate([np.ones(n_x), np.zeros(auxiliary)])
    answer = linprog(
        np.concatenate([costs, np.zeros(auxiliary)]),
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        A_eq=mass[None],
        b_eq=[1.0],
        bounds=[*zip(lower, upper, strict=True), *[(0, None)] * auxiliary],
    )
    return answer.fun if answer.status == 0 else None


@pytest.mark.parametrize("notion", [ALIP(0.5, 0.3), LDP(0.6)])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_any_multipliers_prove_no_more_than_the_optimum(notion, seed):
    rng = np.random.default_rng(seed)
    allowed = notion.allowed_set(Joint.random_uniform(3, 5, rng))
    relaxation = Relaxation(allowed)
    lower, upper = rng.random(5) * 0.1, 0.3 + rng.random(5)
    costs = rng.normal(size=5)
    best = truth(allowed, costs, lower, upper)
    wild = Multipliers(rng.exponential(size=allowed.rows.shape[0]), float(rng.normal()))
    bound, _ = relaxation.proven(costs, lower, upper, wild)
    point, multipliers = relaxation.solve(costs, lower, upper)
    if best is None:
        assert point is None
        assert relaxation.proven(np.zeros(5), lower, upper, multipliers)[0] > 0
        return
    assert point is not None
    assert bound <= best + 1e-9
    own, reduced = relaxation.proven(costs, lower, upper, multipliers)
    assert own == pytest.approx(best, abs=1e-8)
    # within the box, the bound and a reduced cost say how far a variable can go
    raised = lower.copy()
    raised[2] = (lower[2] + upper[2]) / 2
    beyond = truth(allowed, costs, raised, upper)
    if beyond is not None and reduced[2] > 0:
        assert beyond >= own + reduced[2] * (raised[2] - lower[2]) - 1e-8


@pytest.mark.parametrize("d", range(4))
def test_secants_lie_below_the_entropies_and_meet_them_at_the_ends(d):
    rng = np.random.default_rng(d)
    lower = np.array([0.0, 0.2, 0.5, 0.3])
    upper = np.array([0.4, 0.2, 1.0, 0.3 + 1e-12])
    if d == 0:
        lower[0], upper[0] = 0.5, 40.0
    slopes, intercepts = (ends[0] for ends in secants(lower[None], upper[None], np.array([d])))

    def exact(point):
        values = entropies(np.diag(point))
        values[d] = dominance(point[d])
        return values

    for share in (0.0, 1.0, *rng.random(50)):
        point = lower + share * (upper - lower)
        below = slopes * point + intercepts
        assert (below <= exact(point) + 1e-13).all()
        if share in (0.0, 1.0):
            assert below == pytest.approx(exact(point), abs=1e-11)


def test_highest_odds_are_those_of_the_vertices():
    for seed in range(20):
        notion = LDP(0.5) if seed % 2 else ALIP(0.4, 0.4)
        allowed = notion.allowed_set(Joint.random_uniform(3, 5, np.random.default_rng(seed)))
        points = allowed_vertices(allowed)
        odds, purest = BoxPrograms(allowed).purest(NEVER)
        for d, share in enumerate(points.max(axis=0)):
            assert purest[d, d] == pytest.approx(share)
            if share == 1:
                assert odds[d] == np.inf
                continue
            assert odds[d] >= share / (1 - share) * (1 - 1e-10)
            assert odds[d] == pytest.approx(share / (1 - share), rel=1e-6)


def test_odds_are_infinite_where_a_symbol_is_allowed_alone():
    allowed = AllowedSet(sparse.csr_array([[-1.0, 1.0, 1.0]]), 3)  # r_1 at least a half
    assert BoxPrograms(allowed).purest(NEVER)[0] == pytest.approx([np.inf, 1.0, 1.0])


def test_highest_odds_are_computed_until_time_is_over_and_later_the_others():
    """Of 543 symbols they took over 14 s of a limit of 1 s."""
    allowed = LDP(0.5).allowed_set(Joint.random_uniform(3, 40, np.random.default_rng(0)))
    solved, whole = [], BoxPrograms(allowed).purest(NEVER)
    programs = BoxPrograms(allowed)
    programs.together = 8
    solve = programs.solve
    programs.solve = lambda boxes, *more, **by: (
        solved.append(len(boxes)) or solve(boxes, *more, **by)
    )
    with clock.using(clock.Ticking(1.0)):
        assert programs.purest(Deadline.after(2.5)) is None
    assert solved == [8, 8]
    for now, once in zip(programs.purest(NEVER), whole, strict=True):
        np.testing.assert_allclose(now, once, rtol=1e-9)
    assert solved == [8] * 5


def test_highest_odds_that_time_cuts_short_are_none():
    """Of 117 symbols under 213 secrets all are one step, which took two seconds too many."""
    allowed = LDP(0.5).allowed_set(Joint.random_uniform(3, 40, np.random.default_rng(0)))
    programs, whole = BoxPrograms(allowed), BoxPrograms(allowed).purest(NEVER)
    with pytest.MonkeyPatch.context() as patch, clock.using(clock.Ticking(1.0)):
        patch.setitem(vars(SIZES), "between_looks", 1)  # a look at the clock after each pivot
        begun = clock.now()
        assert programs.purest(Deadline.after(5.5)) is None
        assert clock.now() - begun < 10
    for now, once in zip(programs.purest(NEVER), whole, strict=True):
        np.testing.assert_allclose(now, once, rtol=1e-9)


def test_auxiliary_variables_are_never_priced_below_zero():
    """h ≤ r_1 and r_2 ≤ h: multipliers that would gain by a boundless h are mended first."""
    allowed = AllowedSet(sparse.csr_array([[-1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]), 2)
    relaxation = Relaxation(allowed)
    lower, upper, costs = np.zeros(2), np.ones(2), np.array([1.0, 0.0])
    best = truth(allowed, costs, lower, upper)
    assert best == pytest.approx(0.5)
    tilted = Multipliers(np.array([0.0, 0.5]), 0.5)
    assert relaxation.proven(costs, lower, upper, tilted)[0] == pytest.approx(0.5)
    boundless = AllowedSet(sparse.csr_array([[0.0, 1.0, -1.0]]), 2)  # nothing holds h down
    value, _ = Relaxation(boundless).proven(costs, lower, upper, Multipliers(np.ones(1), 0.0))
    assert -1e-10 < value <= 0


@settings(max_examples=200, deadline=None)
@given(
    prices=st.lists(st.floats(-3, 3), min_size=2, max_size=6),
    odds=st.floats(1e-3, 1e4),
    seed=st.integers(0, 1000),
)
def test_odds_left_out_hold_no_output_that_undercuts(prices, odds, seed):
    p = np.array(prices)
    d = int(p.argmin()) if seed % 2 else int(p.argmax())
    highest = 50.0 if p[d] >= 0 else np.inf
    least, most = odds_range(p, d, highest)
    others = np.random.default_rng(seed).dirichlet(np.ones(len(p) - 1))
    r = np.insert(others, d, odds) / (1 + odds)
    if r[d] < r.max() or odds > highest or least <= odds <= most:
        return
    assert entropies(r[None])[0] >= p @ r
    lowered = p.copy()
    lowered[d] = min(p[d], unseen_prices(p)[d])
    assert entropies(r[None])[0] >= lowered @ r


@given(prices=st.lists(st.floats(-3, 8), min_size=2, max_size=5), seed=st.integers(0, 1000))
def test_the_unseen_price_holds_whatever_is_allowed(prices, seed):
    p = np.array(prices)
    r = np.random.default_rng(seed).dirichlet(np.full(len(p), 0.5))
    d = int(r.argmax())
    p[d] = min(p[d], unseen_prices(p)[d])
    assert entropies(r[None])[0] >= p @ r - 1e-12


def test_odds_from_huge_prices_do_not_overflow():
    assert least_odds(5000.0, 11) == pytest.approx(0.1)
    least, most = odds_range(np.array([-1.0, 5000.0]), 0, np.inf)
    assert least < 4000 < most < 5000
    assert dominance(0.0) == 0.0


BY_DISTANCE = MetricLDP(0.3, [[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]])


@pytest.mark.parametrize("deadline", [NEVER, Deadline.after(0)], ids=["long", "late"])
@pytest.mark.parametrize("notion", [ALIP(0.2, 0.4), LDP(0.5), BY_DISTANCE], ids=str)
def test_the_largest_entries_bound_what_vertices_keep(notion, deadline):
    for seed in range(5):
        joint = Joint.random_uniform(3, 6, np.random.default_rng(seed))
        allowed, entropy = notion.allowed_set(joint), -float(joint.p_x @ np.log(joint.p_x))
        vertices = allowed_vertices(allowed)
        best = linprog(entropies(vertices), A_eq=vertices.T, b_eq=joint.p_x)
        used = best.x > 1e-9
        weights = best.x[used, None] * vertices[used]
        bound = bound_of_entries(allowed, joint.p_x, weights, deadline)
        assert entropy - best.fun - 1e-9 <= bound <= entropy + 1e-9
        if deadline is NEVER:
            assert bound < entropy - 0.1
            largest = vertices.max(axis=0)  # with all rows no entry is larger
            assert bound >= entropy + joint.p_x @ np.log(largest) - 1e-9


def test_few_rows_bound_entries_whichever_of_them_a_mixture_meets():
    """At 4×756 and LIP ¼ the outputs moved inside met none: .958 for .916 within 5 s."""
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    allowed = LIP(0.2).allowed_set(joint)
    met = m.optimal(joint, LIP(0.2)).kernel
    bounds = [
        bound_of_entries(allowed, joint.p_x, (joint.p_x[:, None] * kernel).T, NEVER)
        for kernel in (met, np.ones((6, 1)))
    ]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-9)
    assert bounds[1] < -float(joint.p_x @ np.log(joint.p_x)) - 0.1


def test_the_largest_entries_bound_a_set_with_an_auxiliary_variable_too():
    """At 10×442 under LDP a bound below that of the chain rule took boxes over three seconds."""
    joint = Joint.random_uniform(9, 14, np.random.default_rng(0))
    allowed = LDP(0.5).allowed_set(joint)
    assert allowed.n_auxiliary
    best = m.optimal(joint, LDP(0.5), time_limit=20)
    weights = (joint.p_x[:, None] * best.kernel).T
    bound = bound_of_entries(allowed, joint.p_x, weights, NEVER)
    assert best.utility <= bound + 1e-9
    assert bound < -float(joint.p_x @ np.log(joint.p_x)) - 0.1


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("notion", [ALIP(0.5, 0.3), LDP(0.6), BY_DISTANCE], ids=str)
def test_any_multipliers_bound_the_entries_of_all_vertices(notion, seed):
    rng = np.random.default_rng(seed)
    n_s = 3 if notion is BY_DISTANCE else 4
    allowed = notion.allowed_set(Joint.random_uniform(n_s, 5, rng))
    relaxation, largest = Relaxation(allowed), allowed_vertices(allowed).max(axis=0)
    wild = rng.exponential(size=allowed.rows.shape[0]) * rng.integers(0, 2, allowed.rows.shape[0])
    assert (relaxation.largest(wild) >= largest - 1e-9).all()
    for x in range(5):
        _, multipliers = relaxation.solve(-np.eye(5)[x], np.zeros(5), np.ones(5))
        bounds = relaxation.largest(multipliers.rows)
        assert (bounds >= largest - 1e-9).all()
        assert bounds[x] == pytest.approx(largest[x], abs=1e-7)  # its own is exact


def test_a_few_programs_bound_the_entries_of_nearly_all_symbols():
    """At 10×442 the bound of one program a symbol was skipped where less than 2 s were left."""
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(rng.poisson(rng.gamma(0.4, 4.0, (6, 80))) + 0.01)
    allowed, entropy = LIP(0.25).allowed_set(joint), -float(joint.p_x @ np.log(joint.p_x))
    weights = np.diag(joint.p_x)  # all rows are met by some symbol
    whole = entropy - bound_of_entries(allowed, joint.p_x, weights, NEVER)
    with clock.using(clock.Ticking(1.0)):  # a program reads the clock twice or more
        until = Deadline.after(40.5)
        some = entropy - bound_of_entries(allowed, joint.p_x, weights, until)
    assert some > 0.9 * whole > 0
