"""What a Rényi ball leaves possible for one secret and for all others, by the secret's probability.

The distributions of (whether S = s, X) over F are a ball of the same bound around P̂ of that pair:
the other secrets can always follow P̂.
"""

from typing import NamedTuple

import numpy as np

from core.uncertainty.ball import LAST_DIGITS, RenyiBall
from core.uncertainty.divergence import bound_of, renyi_divergence
from core.uncertainty.radius import mass_range
from core.validation import FloatArray


class MassPieces(NamedTuple):
    """Least P(x|s) and P(x|not s), (n_s, parts, n_x), at P(s) in intervals from `mass` on."""

    mass: FloatArray
    own: FloatArray
    others: FloatArray


def mass_pieces(ball: RenyiBall, parts: int) -> MassPieces:
    """Return the intervals of P(s) up to the one beyond which no lift P(y|s)/P(y) > 1 is larger.

    At P(s) = m conditionals may move by what m leaves of the bound: that of s most at
    m = 1 − (1 − P̂(s))e^{−kB}, k = (α−1)/α, the others' at P̂(s)e^{−kB}. Beyond the first both can
    move less, and the lift falls with m.
    """
    p = ball.p_s
    pull = np.exp(-(ball.alpha - 1) / ball.alpha * ball.bound) if ball.bound < np.inf else 0.0
    first = mass_range(p, np.full(p.shape, ball.bound), ball.alpha)[0]
    last, turn = np.maximum(1 - (1 - p) * pull, first), p * pull
    if ball.bound == np.inf:
        first, last, turn = np.zeros_like(p), np.ones_like(p), np.zeros_like(p)
    ends = first[:, None] + (last - first)[:, None] * np.linspace(0, 1, parts + 1)
    both = [_left(ball, p[:, None], ends), _left(ball, 1 - p[:, None], 1 - ends)]
    own = np.maximum(both[0][:, :-1], both[0][:, 1:])
    others = np.maximum(both[1][:, :-1], both[1][:, 1:])
    # where the others may move most inside an interval
    peak = (ends[:, :-1] < turn[:, None]) & (turn[:, None] < ends[:, 1:])
    others = np.where(peak, bound_of(ball.budget, 1 - p, ball.alpha)[:, None], others)
    rest = np.maximum(ball.p_hat_su.sum(axis=0) - ball.p_hat_su, 0.0)
    given = rest / np.where(rest.any(axis=1), rest.sum(axis=1), 1.0)[:, None]
    return MassPieces(
        ends[:, :-1],
        _least(ball.p_u_given_s, own, ball.alpha),
        _least(given, others, ball.alpha),
    )


def _left(ball: RenyiBall, p: FloatArray, mass: FloatArray) -> FloatArray:
    """Return how far a conditional may move, in nats, where its condition has a probability."""
    if ball.bound == np.inf:
        return np.full(mass.shape, np.inf)
    if ball.bound == 0:
        return np.zeros(mass.shape)
    k, whole = ball.alpha - 1, np.broadcast_to(p, mass.shape)
    spent = renyi_divergence(
        np.stack([whole, 1 - whole], axis=-1), np.stack([mass, 1 - mass], axis=-1), ball.alpha
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if k == 0:
            left = np.where(whole > 0, (ball.bound - spent) / whole, np.inf)
        else:
            share = whole**ball.alpha * mass**-k
            grown = (np.expm1(k * ball.bound) - np.expm1(k * spent)) / share
            left = np.where(grown > -1, np.log1p(grown) / k, np.inf)
    return np.where(whole > 0, np.maximum(left, 0.0), np.inf)


def _least(p: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return the least probabilities, rounded down, shape (n_s, parts, n_x), of balls around p."""
    low = mass_range(p[:, None, :], bound[..., None], alpha)[0]
    seen = np.asarray(p.any(axis=1))[:, None, None]
    moved = np.where(bound[..., None] > 0, low * (1 - LAST_DIGITS), low)
    result: FloatArray = np.where(seen, moved, 0.0)
    return result
