"""The bound by intervals of levels: above every kernel, and near LDP of X where little is known."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import optimize, special

from core import clock
from core import mechanisms as m
from core.allowed.allowed_set import LiftRange
from core.clock import NEVER
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.mechanisms.optima.robust_starts import of_x_itself
from core.notions.robust_markov import RobustLDP, ball_around
from core.optimal.bounds.level_bound import (
    LevelBound,
    LevelOracle,
    _ranged,
    greatest_ratios,
    most_of_itself,
    most_of_ratios,
)
from core.optimal.cutting_planes import CutLoop
from core.optimal.staircases import Staircases
from core.optimal.utility import MutualInformation
from core.uncertainty import RenyiBall
from core.uncertainty.worst_case import exceeds

STEP = 1e-3
"""Seconds between two looks at a clock that ticks."""


def drawn(n_s, n_x, n):
    """A joint of n records, some cells of which are empty; every secret and symbol occurs."""
    rng = np.random.default_rng([n_s, n_x, n])
    counts = rng.multinomial(n, rng.dirichlet(np.full(n_s * n_x, 0.7))).reshape(n_s, n_x)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.from_counts(counts)


def oracle_of(joint, notion):
    oracle = notion.allowed_set(joint).oracle
    assert isinstance(oracle, LevelOracle)
    return oracle


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("shape", [(2, 3), (4, 6)])
def test_allowed_outputs_meet_tangents_of_two_secrets_with_parts_of_one_budget(shape, alpha):
    joint = drawn(*shape, 3_000)
    notion = RobustLDP.of_joint(joint, 0.7, alpha=alpha)
    oracle = oracle_of(joint, notion)
    rng = np.random.default_rng(0)
    kernel = rng.dirichlet(np.full(5, 0.5), joint.n_x)
    low, high = 0.0, 1.0
    for _ in range(30):
        share = (low + high) / 2
        moved = share * kernel + (1 - share) * (joint.p_x @ kernel)
        low, high = (share, high) if notion.holds(joint, moved) else (low, share)
    moved = low * kernel + (1 - low) * (joint.p_x @ kernel)
    points = (joint.p_x[:, None] * moved / (joint.p_x @ moved)).T
    other = ~np.eye(joint.n_s, dtype=bool)
    for part in (0.0, 0.3, 0.5, 1.0):
        a = (oracle.tangents(points, part)[0] @ points[..., None])[..., 0]
        b = (oracle.tangents(points, 1 - part)[1] @ points[..., None])[..., 0]
        assert (a[:, :, None] <= b[:, None, :] + 1e-9)[:, other].all()


@pytest.mark.parametrize("case", [(2, 3, 400), (3, 4, 2_000), (4, 5, 10**5), (3, 3, 10**7)])
@pytest.mark.parametrize("eps", [0.4, 1.2])
def test_no_mechanism_is_above_it(case, eps):
    joint = drawn(*case)
    notion = RobustLDP.of_joint(joint, eps)
    levels = LevelBound(oracle_of(joint, notion), joint.p_x)
    bound = levels.bound(0.0, NEVER)
    with clock.using(clock.Ticking(4e-3)):
        result = m.optimal(joint, notion, time_limit=1.0)
    assert result.utility <= bound <= float(entropy(joint.p_x)) + 1e-9
    weights = joint.p_x[:, None] * result.kernel
    posteriors = (weights / weights.sum(axis=0)).T
    least, most = levels.within
    assert (least - 1e-9 <= posteriors).all()
    assert (posteriors <= most + 1e-9).all()


def with_rare_secrets():
    """A joint of 20,000 records of four secrets, and of one record each of two more."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20_000, rng.dirichlet(np.ones(36))).reshape(4, 9)
    return Joint.from_counts(np.vstack([counts, np.eye(9)[:2]]))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
def test_no_output_of_two_lifts_has_them_further_apart(alpha):
    joint = drawn(3, 4, 30)
    notion = RobustLDP.of_joint(joint, 0.8, alpha=alpha)
    ratios = greatest_ratios(oracle_of(joint, notion), joint.p_x)
    ratio, apart = ratios.max(), []
    for raised in range(1, 2**joint.n_x - 1):
        chosen = (raised >> np.arange(joint.n_x)) & 1 > 0
        low, high = np.exp(0.8) - 1e-6, 2 * ratio
        for _ in range(7):
            lift = np.sqrt(low * high)
            v = np.where(chosen, lift, 1.0)
            kernel = np.stack([v, lift + 1 - v], axis=1) / (lift + 1)
            answers = notion.uncertainty, np.tile(kernel[:, :1], (joint.n_s, 1, 1))
            low, high = (low, lift) if exceeds(*answers, notion.eps) else (lift, high)
        apart.append(low)
        assert low <= ratios[chosen].min() * (1 + 1e-7)
    assert max(apart) <= ratio * (1 + 1e-7)
    assert ratio < 1.5 * max(apart)


@pytest.mark.parametrize("alpha", [1.0, 2.0, 5.0])
def test_no_allowed_output_has_a_lift_above_its_multiple_of_the_least(alpha):
    """Outputs drawn at random, of all kinds of lifts, moved to where they are just allowed."""
    rng = np.random.default_rng(int(alpha))
    joint = drawn(4, 5, 40)
    notion = RobustLDP.of_joint(joint, 1.0, alpha=alpha)
    oracle = oracle_of(joint, notion)
    ratios, near = greatest_ratios(oracle, joint.p_x), 0.0
    assert np.isfinite(ratios).all()
    for draw in range(60):
        lifts = rng.exponential(size=5) ** rng.choice([0.3, 1.0, 3.0]) + rng.choice([0.0, 0.3])
        lifts[draw % 5] += 3.0 * (draw % 2)
        low, high = 0.0, 1.0
        for _ in range(20):
            share = (low + high) / 2
            r = joint.p_x * (share * lifts + 1 - share)
            low, high = (low, share) if len(oracle(r / r.sum())) else (share, high)
        v = low * lifts + 1 - low
        parts = v / v.min() / ratios
        assert parts.max() <= 1 + 1e-6
        near = max(near, parts.max())
    assert near > 0.7


def test_the_most_of_ratios_is_the_best_mixture_of_all_ends():
    """Beside one linear program over all ends, and where all are equal beside LDP of X itself."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n_x = 2 + seed % 4
        p_x, ratios = rng.dirichlet(np.full(n_x, 2.0)), 1 + rng.exponential(size=n_x)
        ends = np.array(list(product(*([1.0, ratio] for ratio in ratios)))) * p_x
        posteriors = ends / ends.sum(axis=1, keepdims=True)
        costs = special.entr(posteriors).sum(axis=1)
        told = entropy(p_x) - optimize.linprog(costs, A_eq=posteriors.T, b_eq=p_x).fun
        assert told - 1e-9 <= most_of_ratios(ratios, p_x, NEVER) <= 1.001 * told + 1e-8
        itself = most_of_itself(np.full(n_x, ratios.max()), p_x, NEVER)
        alike = most_of_ratios(np.full(n_x, ratios.max()), p_x, NEVER)
        assert alike == pytest.approx(itself, rel=1.1e-3, abs=1e-8)
        assert told <= itself + 1e-8


def test_of_dozens_of_symbols_it_is_bounded_by_the_likeliest_and_the_others():
    rng = np.random.default_rng(0)
    p_x = np.append(0.9, 0.1 * rng.dirichlet(np.ones(29)))
    bound = most_of_itself(np.full(30, np.exp(1)), p_x, NEVER)
    with clock.using(clock.Ticking(0.1)):
        lifts = LiftRange(0.0, np.exp(1) - 1, scaled=True)
        alone = Staircases(lifts, p_x, 0, clock.Deadline.after(0.5))
        kernel = alone.run(1e-6)
    assert (kernel.max(axis=0) <= np.exp(1) * kernel.min(axis=0) * (1 + 1e-9)).all()
    kept = float(mutual_information(p_x[:, None] * kernel))
    assert kept <= bound < 1.2 * kept < alone.bound


def test_where_two_secrets_have_one_record_each_it_is_ldp_of_x_itself_at_nearly_the_budget():
    joint = with_rare_secrets()
    notion = RobustLDP.of_joint(joint, 1.0)
    oracle = oracle_of(joint, notion)
    (known,) = of_x_itself(joint, notion)
    assert np.exp(1) <= greatest_ratios(oracle, joint.p_x).max() < np.exp(1.01)
    bound = LevelBound(oracle, joint.p_x).bound(0.0, NEVER)
    assert known.utility <= bound <= 1.02 * known.utility


@pytest.mark.parametrize(("bound", "most"), [(None, 3.0), (20.0, 1.000001)])
def test_where_little_is_known_it_is_near_ldp_of_x_itself(bound, most):
    joint = drawn(6, 9, 150)
    ball = ball_around(joint) if bound is None else RenyiBall(joint.p, bound)
    notion = RobustLDP(0.5, ball)
    result = LevelBound(oracle_of(joint, notion), joint.p_x).bound(0.0, NEVER)
    (known,) = of_x_itself(joint, notion)
    assert known.utility <= result <= most * known.utility
    assert result < 0.05 * float(entropy(joint.p_x))


def test_it_holds_whenever_it_is_stopped_and_falls_with_time():
    joint = drawn(4, 8, 900)
    oracle = oracle_of(joint, RobustLDP.of_joint(joint, 1.0))
    bounds = []
    for seconds in (0.0, 0.2, 1.0, 20.0):
        with clock.using(clock.Ticking(1e-2)):
            bounds.append(LevelBound(oracle, joint.p_x).bound(0.0, clock.Deadline.after(seconds)))
    assert bounds[0] == pytest.approx(float(entropy(joint.p_x)), abs=1e-9)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 0.8 * bounds[0]
    with clock.using(clock.Ticking(4e-3)):
        result = m.optimal(joint, RobustLDP.of_joint(joint, 1.0), time_limit=1.0)
    assert result.utility <= bounds[-1]


def test_first_cuts_that_time_cuts_short_are_made_in_the_next_call():
    joint = drawn(5, 12, 3_000)
    oracle = oracle_of(joint, RobustLDP.of_joint(joint, 1.0))
    whole, parted = (LevelBound(oracle, joint.p_x) for _ in range(2))
    whole._begin(NEVER)
    with clock.using(clock.Ticking(STEP)):
        parted.bound(0.0, clock.Deadline.after(10 * STEP))
        assert len(parted.rows) < len(whole.rows) / 2
        bound = parted.bound(0.0, clock.Deadline.after(400 * STEP))
    assert len(parted.rows) > len(whole.rows) / 2
    assert bound <= whole._mixture()[0]


def test_an_optimum_has_it_where_no_other_proof_ends_in_time():
    joint = drawn(8, 14, 600)
    notion = RobustLDP.of_joint(joint, 0.5)
    with clock.using(clock.Ticking(4e-3)):
        result = m.optimal(joint, notion, time_limit=2.0)
    assert result.upper_bound < 0.2 * float(entropy(joint.p_x))


def test_boxes_under_its_cuts_prove_more_where_much_is_known():
    joint = drawn(6, 12, 30_000)
    notion = RobustLDP.of_joint(joint, 1.0)
    allowed, whole = notion.allowed_set(joint), float(entropy(joint.p_x))
    nothing = np.ones((joint.n_x, 1))
    with clock.using(clock.Ticking(1e-2)):
        until = clock.Deadline.after(4.0)
        loop = CutLoop(
            *(allowed, oracle_of(joint, notion), joint.p_x, nothing),
            goal=MutualInformation(),
            until=until,
            gap=1e-6,
            seed=0,
        )
        loop.bound_by_levels(until.part(0.5))
        before = loop.upper
        loop._bound_by_boxes()
    assert loop.upper < before - 0.02 * whole
    with clock.using(clock.Ticking(4e-3)):
        result = m.optimal(joint, notion, time_limit=1.0)
    assert result.utility <= loop.upper


def test_an_interval_that_no_output_is_in_has_no_weight():
    joint = drawn(3, 4, 2_000)
    levels = LevelBound(oracle_of(joint, RobustLDP.of_joint(joint, 1.0)), joint.p_x)
    bound = levels.bound(0.0, NEVER)
    rows = np.vstack([0.5 - np.eye(4)[:1], np.eye(4)[:1] - 0.4])  # at least .5 and at most .4
    empty = _ranged(replace(levels._intervals[0], rows=rows), NEVER)
    levels._intervals.append(empty)
    upper, weights = levels._mixture()
    assert upper == pytest.approx(bound, abs=1e-9)
    assert weights[-1].sum() == pytest.approx(0.0, abs=1e-9)
