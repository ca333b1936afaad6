"""The member of a ball at which its worst case is attained."""

import numpy as np

from core.uncertainty import renyi_divergence
from core.uncertainty.extremes import bound_of, extreme_member
from core.uncertainty.worst_case import worst_case


def worst_member(ball, answers):
    """The P(s, u) of the ball at which the worst case is attained.

    All other conditionals are P̂(U | s), and the masses are those at which P is nearest to P̂:
    P(s) ∝ P̂(s)·e^{(α−1)D_s/α}.
    """
    worst = worst_case(ball, answers)
    values = answers[..., worst.output]
    pair = [worst.above, worst.below]
    gaps = np.stack(
        [values[pair[0]].max() - values[pair[0]], values[pair[1]] - values[pair[1]].min()]
    )
    parts = np.array([np.sin(worst.angle), np.cos(worst.angle)])
    shares = np.full(2, np.inf) if ball.budget == np.inf else parts**2 * ball.budget
    bounds = bound_of(shares, ball.p_s[pair], ball.alpha)
    conditionals = ball.p_u_given_s.copy()
    conditionals[pair] = extreme_member(conditionals[pair], gaps, bounds, ball.alpha).members
    moved = renyi_divergence(ball.p_u_given_s, conditionals, ball.alpha)
    pull = (ball.alpha - 1) / ball.alpha * np.minimum(moved, 1e4)  # e^−10000 is 0 in doubles
    masses = ball.p_s * np.exp(pull - pull.max())
    return masses[:, None] / masses.sum() * conditionals
