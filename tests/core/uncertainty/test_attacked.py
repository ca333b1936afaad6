"""Five hundred kernels at their budgets, attacked by members of F that an own search finds."""

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.allowed.robust import answers
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.optima.robust_starts import known_without_search
from core.notions import LDP, RLDP
from core.notions.robust_markov import RobustLDP
from tests.core.uncertainty.attacks import attacked, divergence

SHAPES = [(2, 2), (2, 5), (3, 4), (4, 3), (5, 6)]
"""Secrets and symbols."""

DRAWN = 12
"""Random kernels of each notion and case, moved towards P_X until they are at the budget."""


def drawn(shape, n, rng):
    """Counts of n records, some cells of which are empty; every secret and symbol occurs."""
    counts = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.6))).reshape(shape)
    counts[counts.sum(axis=1) == 0, 0] = 1
    counts[0, counts.sum(axis=0) == 0] = 1
    return Joint.from_counts(counts)


def moved(joint, notion, kernel):
    """A kernel P(y | x) moved as far from a constant output as the notion says it may be."""
    constant, low, high = joint.p_x @ kernel, 0.0, 1.0
    for _ in range(30):
        share = (low + high) / 2
        holds = notion.holds(joint, share * kernel + (1 - share) * constant)
        low, high = (share, high) if holds else (low, share)
    return low * kernel + (1 - low) * constant


def kernels(joint, notion, rng):
    """Kernels at the budget: random ones, what is known without a search, and the optimum."""
    shapes = [(joint.n_x, int(rng.integers(2, joint.n_x + 2))) for _ in range(DRAWN)]
    made = [rng.dirichlet(np.full(n_y, 0.1), n_x) for n_x, n_y in shapes]
    made += [known.kernel for known in known_without_search(joint, notion)]
    with clock.using(clock.Ticking(4e-3)):
        optimum = m.optimal(joint, notion, time_limit=0.5).kernel
    return [*(moved(joint, notion, kernel) for kernel in made), optimum]


def promised(shape, alpha, rng):
    """RLDP over F and P(y | s, u) of kernels that are at their budgets, of X and of (S, X)."""
    n, eps = int(10 ** rng.uniform(1.7, 5)), float(rng.choice([0.25, 0.5, 1.0, 2.0]))
    joint = drawn(shape, n, rng)
    notion = RobustLDP.of_joint(joint, eps, alpha=alpha)
    for kernel in kernels(joint, notion, rng):
        yield notion.of_pairs, np.broadcast_to(kernel, (joint.n_s, *kernel.shape))
    pairs = Joint.with_secret_released(joint.p)
    robust = RLDP.of_joint(pairs, eps, alpha=alpha)
    for kernel in kernels(pairs, robust, rng):
        yield robust, answers(robust.uncertainty, pairs, kernel)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_member_of_the_set_breaks_a_promise(shape, alpha):
    rng = np.random.default_rng([*shape, int(10 * alpha)])
    missed, at_budget = [], 0
    for notion, table in promised(shape, alpha, rng):
        ball, level = notion.uncertainty, notion.level_of(table)
        result, member = attacked(ball.p_hat_su, ball.bound, alpha, table)
        assert divergence(ball.p_hat_su, member, alpha) <= ball.bound
        assert result <= notion.eps + 2 * ROUNDING  # of the audit and of sums here
        missed.append(level - result)
        at_budget += level >= notion.eps - 1e-6
    assert at_budget >= 10
    assert np.median(missed) <= 1e-9  # the attack comes as near as that to what it may not reach


def test_the_attack_breaks_what_is_promised_at_the_estimate_alone():
    joint = drawn((3, 4), 500, np.random.default_rng(0))
    kernel = m.optimal(joint, LDP(1.0)).kernel
    ball = RobustLDP.of_joint(joint, 1.0).uncertainty
    result, member = attacked(joint.p, ball.bound, 2.0, np.broadcast_to(kernel, (3, *kernel.shape)))
    of_s = member @ kernel / member.sum(axis=1, keepdims=True)
    assert result == pytest.approx(np.log(of_s.max(axis=0) / of_s.min(axis=0)).max())
    assert result > 1.1
