"""The rows, auxiliary variables and cuts of a notion say the same as its measures."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from core.allowed.separation_oracles import AlphaLiftInverseCuts
from core.errors import InfeasibleError, NotConvexError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Chi2Privacy,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseMaximalLeakage,
)
from tests.strategies import convex_notions, joints

INF = float("inf")
MARGIN = 1e-6
"""Further from the boundary than the linear programs of these tests are off."""


TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def has_auxiliary(allowed, r):
    """Say whether auxiliary variables h ≥ 0 exist with rows @ [r, h] ≤ 0."""
    on_r = allowed.rows[:, : allowed.n_x] @ r
    if allowed.n_auxiliary == 0:
        return bool((on_r <= 1e-9).all())
    auxiliary = allowed.rows[:, allowed.n_x :].toarray()
    cost, slack = np.zeros(allowed.n_auxiliary), 1e-9 - on_r
    result = linprog(cost, A_ub=auxiliary, b_ub=slack, method="highs", options=TIGHT)
    assert result.status in (0, 2), result.message
    return result.status == 0


def is_member(allowed, r):
    cuts = np.empty((0, len(r))) if allowed.oracle is None else allowed.oracle(r)
    assert cuts.shape[1] == allowed.n_x
    if len(cuts):
        assert (cuts @ r > 0).all()
        np.testing.assert_allclose(np.abs(cuts).max(axis=1), 1)
    return has_auxiliary(allowed, r) and len(cuts) == 0


def level(notion, joint, r):
    """Return the notion's scale for the output with posterior r: allowed iff at most 1."""
    if isinstance(notion, Intersection):
        return max(level(part, joint, r) for part in notion.notions)
    # a kernel with two outputs, the first of which has posterior r
    column = r / joint.p_x
    share = 0.5 / column.max()
    kernel = np.column_stack([share * column, 1 - share * column])
    joint_sy = joint.release(kernel)
    low = notion.lower_level(joint_sy)[0] / notion.lower_budget if notion.lower_budget < INF else 0
    high = notion.upper_level(joint_sy)[0] / notion.upper_budget if notion.upper_budget < INF else 0
    return max(low, high)


def posteriors(joint, seed, count):
    """Return random outputs: sparse, dense and near P_X."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        r = rng.dirichlet([rng.choice([0.1, 1.0])] * joint.n_x)
        pull = rng.choice([0.0, 0.5, 0.9])
        yield pull * joint.p_x + (1 - pull) * r


@settings(max_examples=60, deadline=None)
@given(joints(), convex_notions(), st.integers(0, 10**6))
def test_membership_is_the_measures_verdict(joint, notion, seed):
    allowed = notion.allowed_set(joint)
    assert is_member(allowed, joint.p_x)
    for r in posteriors(joint, seed, 4):
        scale = level(notion, joint, r)
        if abs(scale - 1) > MARGIN:
            assert is_member(allowed, r) == (scale <= 1)


@settings(max_examples=50, deadline=None)
@given(joints(), convex_notions(), st.integers(0, 10**6))
def test_membership_changes_at_the_boundary(joint, notion, seed):
    allowed = notion.allowed_set(joint)
    for r in posteriors(joint, seed, 2):
        if level(notion, joint, r) < 1 + 1e-3:
            continue
        low, high = 0.0, 1.0  # the way from P_X to r leaves the set once: it is convex
        for _ in range(60):
            middle = (low + high) / 2
            inside = level(notion, joint, joint.p_x + middle * (r - joint.p_x)) <= 1
            low, high = (middle, high) if inside else (low, middle)
        step = 1e-5
        assert is_member(allowed, joint.p_x + low * (1 - step) * (r - joint.p_x))
        if level(notion, joint, joint.p_x + low * (1 + step) * (r - joint.p_x)) > 1 + MARGIN:
            assert not is_member(allowed, joint.p_x + low * (1 + step) * (r - joint.p_x))


@settings(max_examples=30, deadline=None)
@given(joints(min_x=2), convex_notions(), st.integers(0, 10**6))
def test_cuts_spare_every_allowed_output(joint, notion, seed):
    allowed = notion.allowed_set(joint)
    if allowed.oracle is None:
        return
    corners = list(np.eye(joint.n_x))  # lifts of 0 and of 1/P(s) are here
    outputs = [*posteriors(joint, seed, 6), *corners]
    for r in outputs:
        cuts = allowed.oracle(r)
        for other in outputs:
            for share in (1.0, 0.6, 0.1):
                inner = joint.p_x + share * (other - joint.p_x)
                if level(notion, joint, inner) <= 1:
                    assert (cuts @ inner <= 1e-12).all()


@pytest.mark.parametrize(
    "notion",
    [
        AlphaLift(0.5, INF, 2),
        AlphaLift(0.5, INF, 10),
        AlphaLift(INF, 0.4, 3),
        Chi2Privacy(INF, 0.3),
    ],
    ids=str,
)
def test_a_cut_touches_the_set(notion):
    joint = Joint.from_counts([[5, 1, 2, 0], [2, 3, 1, 4], [1, 1, 1, 0]])
    allowed = notion.allowed_set(joint)
    assert len(allowed.oracle(joint.p_x)) == 0
    for r in np.eye(4):
        for cut in allowed.oracle(r):
            at_centre, at_r = cut @ joint.p_x, cut @ r
            edge = joint.p_x + at_centre / (at_centre - at_r) * (r - joint.p_x)
            assert level(notion, joint, edge) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    "notion",
    [AlphaLift(0.3, 0.3, 2), AlphaLift(0.02, 0.02, 5), Chi2Privacy(INF, 0.1)],
    ids=str,
)
def test_cutting_planes_find_the_best_output(notion):
    joint = Joint.random_uniform(4, 8, np.random.default_rng(1))
    allowed = notion.allowed_set(joint)
    gain = np.random.default_rng(2).normal(size=8)
    rows = allowed.rows.toarray()
    for _ in range(80):
        best = linprog(
            -gain,
            A_ub=rows,
            b_ub=np.zeros(len(rows)),
            A_eq=np.ones((1, 8)),
            b_eq=[1],
            method="highs",
            options=TIGHT,
        )
        cuts = allowed.oracle(best.x)
        if (cuts @ best.x < 1e-9).all():
            break
        rows = np.vstack([rows, cuts])
    else:
        pytest.fail("80 cuts did not reach the set")
    assert level(notion, joint, best.x) <= 1 + 1e-6
    # no allowed output among many does better: those on the ways from P_X towards the corners of
    # random supports, as far as the notion lets them go
    rng = np.random.default_rng(3)
    for _ in range(300):
        r = rng.dirichlet([0.15] * 8)
        share = min(1.0, 1 / level(notion, joint, r))
        while level(notion, joint, joint.p_x + share * (r - joint.p_x)) > 1:
            share *= 0.97
        assert gain @ (joint.p_x + share * (r - joint.p_x)) <= -best.fun + 1e-7


def test_rows_in_numbers():
    joint = Joint.from_counts([[3, 1], [1, 3]])  # lifts 1.5 and .5
    rows = ALIP(np.log(1.6), np.log(1.25)).allowed_set(joint).rows.toarray()
    below = np.array([[0.625 - 1.5, 0.625 - 0.5], [0.625 - 0.5, 0.625 - 1.5]]) / 0.875
    above = np.array([[1.5 / 1.25 - 1, 0.5 / 1.25 - 1], [0.5 / 1.25 - 1, 1.5 / 1.25 - 1]]) / 0.6
    np.testing.assert_allclose(rows, np.vstack([below, above]), atol=1e-15)


def test_budgets_of_infinity_have_no_rows():
    joint = Joint.from_counts([[3, 1, 0], [1, 3, 2]])
    notions = [LIP(INF), ALIP(INF, INF), LDP(INF), PointwiseMaximalLeakage(INF)]
    notions += [L1Privacy(INF, INF), Chi2Privacy(INF, INF), AlphaLift(INF, INF, 2)]
    for notion in [*notions, GuessingProbability(1), Intersection(*notions)]:
        allowed = notion.allowed_set(joint)
        assert allowed.rows.shape == (0, 3)
        assert allowed.oracle is None


def test_a_bound_that_nothing_reaches_has_no_rows():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    assert ALIP(INF, np.log(1.5)).allowed_set(joint).rows.shape == (0, 2)
    assert L1Privacy(INF, np.log(3)).allowed_set(joint).rows.shape == (0, 2)
    assert Chi2Privacy(INF, 5.0).allowed_set(joint).rows.shape == (0, 2)


def test_a_zero_budget_is_an_affine_slice():
    joint = Joint.from_counts([[2, 1, 1], [1, 2, 1]])
    same = np.array([0.5, 0.5, 0.0])  # x1 and x2 balance each other
    for notion in (
        LIP(0),
        LDP(0),
        ALIP(0, 1),
        L1Privacy(INF, 0),
        Chi2Privacy(INF, 0),
        AlphaLift(0, 1, 2),
        AlphaLift(INF, 1e-14, 2),
    ):
        allowed = notion.allowed_set(joint)
        for r in (same, np.array([0.0, 0.0, 1.0]), joint.p_x):
            assert is_member(allowed, r)
        assert not is_member(allowed, np.array([0.5 + 1e-6, 0.5 - 1e-6, 0.0]))


def test_independent_data_ask_for_nothing():
    joint = Joint.from_counts(np.outer([0.2, 0.3, 0.5], [0.1, 0.6, 0.05, 0.25]))
    for notion in (LIP(0), ALIP(0, 0), LDP(0), L1Privacy(INF, 0), AlphaLift(0, 0, 2)):
        allowed = notion.allowed_set(joint)
        for r in np.eye(4):
            assert is_member(allowed, r)


def test_one_symbol_of_s_asks_for_nothing():
    joint = Joint.from_counts([[1, 2, 3]])
    for notion in (LIP(0), LDP(0.5), AlphaLift(0.5, 0.5, 2), Chi2Privacy(INF, 1), LDP(0)):
        allowed = notion.allowed_set(joint)
        assert all(is_member(allowed, r) for r in np.eye(3))


def test_guessing_probability():
    joint = Joint.from_counts([[4, 1, 1], [1, 2, 1]])
    allowed = GuessingProbability(0.7).allowed_set(joint)
    for r in posteriors(joint, 3, 30):
        best = ((joint.p / joint.p_x) @ r).max()
        if abs(best - 0.7) > MARGIN:
            assert is_member(allowed, r) == (best <= 0.7)
    with pytest.raises(InfeasibleError, match=r"≤ 0\.5: 's1' alone has probability 0\.6 before"):
        GuessingProbability(0.5).allowed_set(joint)
    assert is_member(GuessingProbability(0.6).allowed_set(joint), joint.p_x)


@pytest.mark.parametrize("notion", [L1Privacy(1, INF), Chi2Privacy(2, 1)], ids=str)
def test_an_inverse_that_is_not_convex_is_refused(notion):
    joint = Joint.from_counts([[3, 1], [1, 3]])
    for request in (notion, Intersection(LIP(1), notion)):
        with pytest.raises(NotConvexError, match=r"not convex .* subset merging"):
            request.allowed_set(joint)


def test_large_budgets_do_not_overflow():
    joint = Joint.from_counts([[3, 1, 0], [1, 3, 2]])
    for notion in (LIP(900), ALIP(900, 900), LDP(900), Chi2Privacy(INF, 900)):
        allowed = notion.allowed_set(joint)
        assert np.isfinite(allowed.rows.toarray()).all()
    sharp = AlphaLift(900, 900, 2).allowed_set(joint)
    assert len(sharp.oracle(np.array([0.0, 0.0, 1.0]))) == 1  # a lift of 0 is never allowed


def test_auxiliary_variables_of_an_intersection_are_apart():
    joint = Joint.random_uniform(7, 3, np.random.default_rng(0))
    both = Intersection(LDP(1), L1Privacy(INF, 0.3), LIP(1)).allowed_set(joint)
    assert both.n_auxiliary == 1 + 7
    auxiliary = both.rows[:, 3:].toarray()
    assert auxiliary[:14, 0].all()
    assert not auxiliary[:14, 1:].any()
    assert not auxiliary[14:, 0].any()
    assert not auxiliary[22:].any()


@pytest.mark.parametrize("n_s", [2, 6, 7])
def test_ldp_of_pairs_and_with_an_auxiliary_variable_say_the_same(n_s):
    rng = np.random.default_rng(n_s)
    joint = Joint.random_uniform(n_s, 4, rng)
    allowed = LDP(0.5).allowed_set(joint)
    assert allowed.n_auxiliary == (n_s > 6)
    for r in rng.dirichlet(np.full(4, 3.0), 200):
        beliefs = joint.p @ (r / joint.p_x) / joint.p_s
        holds = np.ptp(np.log(beliefs)) <= 0.5
        fits = allowed.rows[:, :4] @ r
        if allowed.n_auxiliary:
            auxiliary = np.abs(allowed.rows[:, 4:].toarray()).ravel()
            above, below = fits[:n_s] / auxiliary[:n_s], -fits[n_s:] / auxiliary[n_s:]
            assert holds == (above.max() <= below.min())
        else:
            assert holds == (fits.max() <= 0)


def test_oracles_travel_to_other_processes():
    joint = Joint.from_counts([[5, 1, 2], [2, 3, 1]])
    notion = Intersection(AlphaLift(0.03, 0.03, 2), Chi2Privacy(INF, 0.1))
    allowed = notion.allowed_set(joint)
    r = np.array([1.0, 0.0, 0.0])
    copy = pickle.loads(pickle.dumps(allowed))
    assert len(allowed.oracle(r)) == 3
    np.testing.assert_array_equal(copy.oracle(r), allowed.oracle(r))


@pytest.mark.parametrize("excess", [2e-10, 5e-10, 1e-9, 3e-9, 7e-9, 1e-8, 1e-6, 1.0, 20.0])
def test_tiny_lifts_keep_their_digits_where_a_cut_touches_the_set(excess):
    """At ε = 18 a lift of 1e-8 that is a billionth too small has a cut, valid where it is allowed.

    With α = 2 and lifts d and 2 − d of two secrets alike, the level is log((1 + q²)/2)/2 − log d
    at q = d/(2 − d): 18 at d = e^−18/√2, but for d³.
    """
    least = np.exp(-18) / np.sqrt(2)
    for d in least * np.exp(-excess * np.array([1.0, 0.9, 1.1])):
        lift = np.array([[d, 2 - d], [2 - d, d]])
        cuts = AlphaLiftInverseCuts(lift, np.array([0.5, 0.5]), 18.0, 2.0)
        (cut,) = cuts(np.array([1.0, 0.0]))
        assert cut[0] > 0  # r is cut off
        share = (least - d) / (2 - 2 * d)  # of the other symbol at which the lift is the least
        assert abs(cut @ [1 - share, share]) < 1e-15
    assert len(AlphaLiftInverseCuts(lift, np.array([0.5, 0.5]), 17.0, 2.0)(np.ones(2))) == 0


@pytest.mark.parametrize("eps", [2e-12, 1e-11, 1e-10, 1e-8])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 1e3, 1e6, 1e9])
def test_what_tells_nothing_is_cut_off_by_no_smooth_notion(eps, alpha):
    """Cuts were taken as differences of numbers near 1: at such budgets they were rounding."""
    joint = Joint.from_counts([[0, 2, 8, 0, 0], [5, 0, 0, 6, 3]])
    rng = np.random.default_rng(3)
    nothing = np.zeros((40, 5))  # P(S | y) = P(S): a symbol of each secret, by their masses
    for r in nothing:
        r[rng.choice([1, 2])], r[rng.choice([0, 3, 4])] = joint.p_s
    for notion in (AlphaLift(INF, eps, alpha), AlphaLift(eps, INF, alpha)):
        oracle = notion.allowed_set(joint).oracle
        for share in (1e-9, 1e-6, 1e-3, 1.0):
            reported = (1 - share) * joint.p_x + share * rng.dirichlet(np.ones(5), 10)
            for r in reported:
                cuts = oracle(r)
                assert (nothing @ cuts.T).max(initial=0.0) <= 1e-15
