"""Conditions of one secret each: enough for robust LDP of pairs, and a climb under them."""

import tracemalloc

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.clock import NEVER
from core.errors import SolverError
from core.joint import Joint
from core.measures import mutual_information
from core.mechanisms.polish import polished
from core.notions import LDP, RLDP
from core.notions.robust_markov import RobustLDP
from core.optimal.cutting_planes import AllowedOutputs
from core.optimal.plan import SIZES
from core.optimal.utility import MutualInformation
from core.optimal.whole_kernel import (
    REPLACED,
    VAIN,
    SidesOracle,
    _Climb,
    _used,
    _within_secrets,
    climbed,
    climbs_apart,
)


def pairs_of(shape, n=2_000):
    """The joint of S and X = (S, U) of n records, some cells of which are empty."""
    rng = np.random.default_rng([*shape, n])
    counts = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.7))).reshape(shape)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.with_secret_released(counts / counts.sum())


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("shape", [(2, 3), (4, 5)])
def test_outputs_that_meet_the_sides_keep_robust_ldp(shape, alpha):
    joint = pairs_of(shape)
    notion = RLDP.of_joint(joint, 0.7, n=2_000, alpha=alpha)
    exact = RLDP(notion.eps, notion.uncertainty, exact=True)
    oracle = exact.allowed_set(joint).oracle
    assert oracle.has_sides
    rng = np.random.default_rng(0)
    kernel = rng.dirichlet(np.full(6, 0.5), joint.n_x)
    for share in np.linspace(0, 1, 21):
        moved = share * kernel + (1 - share) * (joint.p_x @ kernel)
        weights = (joint.p_x[:, None] * moved).T
        high, low = ((rows @ weights[..., None])[..., 0] for rows in oracle.sides(weights))
        if (high.max(axis=1) <= low.min(axis=1)).all():
            kept = share
    moved = kept * kernel + (1 - kept) * (joint.p_x @ kernel)
    assert 0 < kept < 1
    assert exact.holds(joint, moved)


def test_where_secrets_share_symbols_there_are_no_sides():
    joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    oracle = RobustLDP.of_joint(joint, 1.0).allowed_set(joint).oracle
    assert isinstance(oracle, SidesOracle)
    assert not oracle.has_sides


@pytest.mark.parametrize(("shape", "apart"), [((5, 2), False), ((3, 4), False), ((5, 5), True)])
def test_only_many_pairs_are_climbed_one_secret_at_a_time(shape, apart):
    """Of fewer the cuts of pairs of secrets find more, and prove it: 5×2 was left open."""
    joint = pairs_of(shape)
    ball = RLDP.of_joint(joint, 1.0, n=300).uncertainty
    oracle = RLDP(1.0, ball, exact=True).allowed_set(joint).oracle
    assert oracle.has_sides
    assert climbs_apart(oracle, joint.n_x) == apart


def test_a_climb_from_nothing_keeps_half_of_what_ldp_at_the_estimate_does():
    joint = pairs_of((3, 4), 30_000)
    ball = RLDP.of_joint(joint, 0.5, n=30_000).uncertainty
    exact = RLDP(0.5, ball, exact=True)
    allowed = exact.allowed_set(joint)
    inside = AllowedOutputs(np.ones((joint.n_x, 1)), joint.p_x, MutualInformation(), allowed.oracle)
    with clock.using(clock.Ticking(4e-3)):
        most = m.optimal(joint, LDP(0.5), time_limit=1.0).utility
        climbed(
            *(inside, allowed.oracle, allowed.rows.toarray()),
            seed=0,
            deadline=clock.Deadline.after(0.6),
        )
    kernel = inside.kernel()
    assert exact.holds(joint, kernel)
    assert mutual_information(joint.p_x[:, None] * kernel) == pytest.approx(inside.value)
    assert inside.value >= 0.5 * most


def test_a_climb_that_is_not_patient_leaves_time_and_keeps_as_much():
    rng = np.random.default_rng(3)
    joint = Joint.from_counts(np.round(rng.dirichlet(np.ones(6), 8) * 4_000))
    allowed = RobustLDP.of_joint(joint, 1.0).allowed_set(joint)
    kept, took = [], []
    for patient in (True, False):
        start = np.ones((joint.n_x, 1))
        inside = AllowedOutputs(start, joint.p_x, MutualInformation(), allowed.oracle)
        with clock.using(clock.Ticking(1e-4)):
            deadline = clock.Deadline.after(10.0)
            climbed(
                *(inside, allowed.oracle, allowed.rows.toarray()),
                seed=0,
                deadline=deadline,
                patient=patient,
            )
            took.append(10.0 - deadline.left)
        kept.append(inside.value)
    assert took[1] <= 0.8 * took[0]
    assert kept[1] >= 0.97 * kept[0] > 0


class Failing:
    """Sides whose programs tell nothing after some: an oracle that cannot be asked more."""

    def __init__(self, oracle, times):
        self.oracle, self.left, self.has_sides = oracle, times, True
        self.owners = oracle.owners

    def sides(self, points):
        self.left -= 1
        if self.left < 0:
            raise SolverError("No more.")
        return self.oracle.sides(points)


def climb_over(joint, eps, n):
    """A climb from nothing under robust LDP, and the oracle of its set."""
    notion = RLDP(eps, RLDP.of_joint(joint, eps, n=n).uncertainty, exact=True)
    allowed = notion.allowed_set(joint)
    inside = AllowedOutputs(np.ones((joint.n_x, 1)), joint.p_x, MutualInformation(), allowed.oracle)
    return _Climb(inside, allowed.rows.toarray(), 0), allowed.oracle


def depth_of(oracle, weights):
    """By how much the sides of weights overlap, in parts of each output's probability."""
    high, low = ((rows @ weights[..., None])[..., 0] for rows in oracle.sides(weights))
    return ((high.max(axis=1) - low.min(axis=1)) / weights.sum(axis=1)).max()


def test_a_climb_cut_short_returns_the_weights_that_were_nearest():
    climb, oracle = climb_over(pairs_of((3, 4), 30_000), 0.5, 30_000)
    begun = climb._mixed(climb._anywhere(8))
    ended = climb._climb_apart(oracle, begun, NEVER)
    assert depth_of(oracle, ended[_used(ended)]) <= 2 * SIZES.climb_depth
    depths = []
    for steps in range(1, 4):  # the first sides are those of where it begins
        cut = climb._climb_apart(Failing(oracle, 1 + steps), begun, NEVER)
        np.testing.assert_allclose(cut.sum(axis=0), climb.p_x)
        depths.append(depth_of(oracle, cut[_used(cut)]))
    assert depths == sorted(depths, reverse=True)


@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_outputs_mixed_within_secrets_keep_robust_ldp(eps):
    """What is allowed stays as it is; what is not keeps more than outputs moved towards P_X."""
    joint = pairs_of((4, 5), 30_000)
    climb, oracle = climb_over(joint, eps, 30_000)
    exact = RLDP(eps, oracle.ball, exact=True)
    for weights in (climb._mixed(climb._anywhere(8)) for _ in range(5)):
        held = _within_secrets(oracle, weights, climb.p_x)
        kernel = (held / climb.p_x).T
        np.testing.assert_allclose(held.sum(axis=0), climb.p_x)
        assert (held >= 0).all()
        assert exact.achieved(joint, kernel) <= eps + 1e-7
        assert mutual_information(held) > 0
        again = _within_secrets(oracle, held, climb.p_x)
        assert mutual_information(again) >= mutual_information(held) * (1 - 1e-6)
        moved = polished(joint, (weights / climb.p_x).T, exact, quick=True)
        assert mutual_information(held) > mutual_information(joint.p_x[:, None] * moved)


def test_a_quarter_of_a_kernels_outputs_are_replaced_and_the_rest_kept_in_proportion():
    climb, _ = climb_over(pairs_of((3, 4), 30_000), 0.5, 30_000)
    weights = climb._mixed(climb._anywhere(8))
    replaced = climb._replaced(weights)
    same = np.isclose(replaced, (1 - REPLACED) * weights).all(axis=1)
    assert same.sum() == 6
    assert (replaced > 0).all()
    np.testing.assert_allclose(replaced.sum(axis=0), climb.p_x)


def test_more_random_climbs_keep_no_less():
    climb, oracle = climb_over(pairs_of((4, 5), 30_000), 0.5, 30_000)
    values = []
    real = climb._refine_apart

    def recorded(*arguments):
        weights = real(*arguments)
        values.append((mutual_information(weights), weights))
        return weights

    climb._refine_apart = recorded
    best = climb._best_apart(oracle, NEVER)
    assert len(values) > 2 * VAIN
    assert best is max(values, key=lambda item: item[0])[1]


def test_a_climb_cut_short_keeps_what_it_reached():
    """With more readings of the clock it keeps no less, and something long before it ends."""
    joint = pairs_of((4, 6), 30_000)
    exact = RLDP(0.5, RLDP.of_joint(joint, 0.5, n=30_000).uncertainty, exact=True)
    allowed = exact.allowed_set(joint)
    kept = []
    for readings in (25, 100, 400):
        nothing = np.ones((joint.n_x, 1))
        inside = AllowedOutputs(nothing, joint.p_x, MutualInformation(), allowed.oracle)
        with clock.using(clock.Ticking(1.0)):
            deadline = clock.Deadline.after(readings)
            climbed(inside, allowed.oracle, allowed.rows.toarray(), seed=0, deadline=deadline)
        assert exact.holds(joint, inside.kernel())
        kept.append(inside.value)
    assert kept == sorted(kept)
    assert kept[0] > 0.5 * kept[-1]


class Late:
    """An oracle whose every call takes so many readings of the clock."""

    def __init__(self, oracle, readings):
        self.oracle, self.readings = oracle, readings

    def __call__(self, r):
        return self.oracle(r)

    def each(self, points):
        for _ in range(self.readings):
            clock.now()
        return self.oracle.roughly(points)

    roughly = each


def test_a_climb_begins_no_cuts_that_would_end_late():
    joint = Joint.random_dirichlet(4, 30, 1.0, np.random.default_rng(0))
    allowed = RobustLDP.of_joint(joint, 0.5, n=2_000).allowed_set(joint)
    oracle = Late(allowed.oracle, 1_000)
    nothing = np.ones((joint.n_x, 1))
    inside = AllowedOutputs(nothing, joint.p_x, MutualInformation(), oracle)
    climb = _Climb(inside, allowed.rows.toarray(), 0)
    with clock.using(clock.Ticking(1.0)):
        for until in (clock.Deadline.after(20_000), clock.Deadline.after(40_900)):
            climb.refine(until)
            # what was reached is moved inside once more
            assert until.at - 5_000 < clock.now() < until.at + 1_100


def test_cuts_are_rows_of_two_secrets_and_take_no_more_memory():
    joint = Joint.random_dirichlet(15, 120, 1.0, np.random.default_rng(0))
    oracle = RobustLDP.of_joint(joint, 0.1, n=2_000).allowed_set(joint).oracle
    points = np.random.default_rng(1).dirichlet(np.full(joint.n_x, 0.1), 20)
    tracemalloc.start()
    cuts, which = oracle.roughly(points)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(cuts) > 1_000
    assert peak < 20 * cuts.nbytes  # a row of all secrets has 15 times as many entries
    assert ((cuts * points[which]).sum(axis=1) > 0).all()
    pairs, first, second = np.array([[3, 7], [7, 3]]), *np.random.default_rng(2).random((2, 2, 120))
    rows = np.zeros((2, 15, 120))
    for row, (s, t), a, b in zip(rows, pairs, first, second, strict=True):
        row[s], row[t] = np.exp(-0.1) * a, -b
    whole = rows.reshape(2, -1) @ oracle.spread
    whole /= np.abs(whole).max(axis=1, keepdims=True)
    np.testing.assert_allclose(oracle._rows(pairs, first, second), whole, rtol=1e-12, atol=1e-15)
