"""Lifts over a Rényi ball around the estimate of P(s, x): their range, and what bounds them.

The distributions of (whether S = s, X) over F are a ball of the same bound around P̂ of that pair:
the other secrets can always follow P̂.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.uncertainty.ball import LAST_DIGITS, RenyiBall, mass_range
from core.uncertainty.extremes import bound_of, greatest, least, renyi_divergence
from core.validation import FloatArray


class LiftRange(NamedTuple):
    """Bounds on the lifts P(y|s)/P(y) of every member of a ball, each of shape (n_s, n_y)."""

    low: FloatArray
    high: FloatArray


def lift_range(ball: RenyiBall, kernel: ArrayLike) -> LiftRange:
    """Return bounds on all lifts of a mechanism that sees X alone, over a ball around P̂(s, x).

    With m = P(s), a = P(y|s) and b = P(y|not s) the lift a/(ma + (1 − m)b) grows with a/b. The ball
    of (whether S = s, X) has the same bound, so a/b is at most the largest ratio over the splits of
    its budget ([RLDP] Theorem 1); in each of 64 parts of them both get what its better end
    gives. m is put to the end of its own range, as if it took no budget, which only widens the
    result.
    """
    answers = validation.kernel(kernel, ball.n_u)
    if not answers.any(axis=0).all():
        raise InvalidInputError("Each output must have a positive entry of P(y | x).")
    masses = mass_range(ball.p_s, np.full(ball.n_s, ball.bound), ball.alpha)
    ranges = [
        _of_secret(ball, answers.T, s, (float(masses[0][s]), float(masses[1][s])))
        for s in range(ball.n_s)
    ]
    return LiftRange(np.array([low for low, _ in ranges]), np.array([high for _, high in ranges]))


def _of_secret(
    ball: RenyiBall, v: FloatArray, s: int, masses: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest lift of each output for a secret, each of shape (n_y,)."""
    pair = np.stack([ball.p_hat_su[s], ball.p_hat_su.sum(axis=0) - ball.p_hat_su[s]])
    pair = np.maximum(pair, 0.0)  # the difference may be a rounding below 0
    mass = pair.sum(axis=1)
    p = pair / np.where(mass > 0, mass, 1.0)[:, None]
    angles = np.linspace(0, np.pi / 2, 64 + 1)
    whole = np.isinf(ball.budget)
    share = np.full(angles.shape, np.inf) if whole else ball.budget * np.sin(angles) ** 2
    bounds = bound_of(share[:, None], mass, ball.alpha).T[:, :, None]  # (2, parts + 1, 1)
    values = np.broadcast_to(v, (2, angles.size, *v.shape))
    centres = np.broadcast_to(p[:, None, None, :], values.shape)
    wide = np.broadcast_to(bounds, values.shape[:-1])
    top = greatest(centres, values, wide, ball.alpha)
    bottom = least(centres, values, wide, ball.alpha)[:, ::-1]  # the other one's share
    with np.errstate(divide="ignore", invalid="ignore"):
        log_top, log_bottom = np.log(top), np.log(bottom)
        above = (log_top[0, 1:] - log_bottom[1, :-1]).max(axis=0)
        below = (log_bottom[0, :-1] - log_top[1, 1:]).min(axis=0)
    return _lift(below, masses, least_=True), _lift(above, masses, least_=False)


def _lift(log_ratio: FloatArray, masses: tuple[float, float], *, least_: bool) -> FloatArray:
    """Return the least or greatest 1/(m + (1 − m)/r) over a range of m, for log r, shape (n,)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inverse = np.exp(-log_ratio)
        both = []
        for m in masses:
            rest = np.where(np.isposinf(inverse) & (m == 1), 0.0, (1 - m) * inverse)
            both.append(1 / (m + rest))
    result: FloatArray = np.minimum(*both) if least_ else np.maximum(*both)
    return result


class MassPieces(NamedTuple):
    """Least P(x|s) and P(x|not s), (n_s, parts, n_x), at P(s) in intervals from `mass` on."""

    mass: FloatArray
    own: FloatArray
    others: FloatArray


def mass_pieces(ball: RenyiBall, parts: int) -> MassPieces:
    """Return the intervals of P(s) up to the one beyond which no lift P(y|s)/P(y) > 1 is larger.

    At P(s) = m conditionals may move by what m leaves of the bound: that of s most at
    m = 1 − (1 − P̂(s))e^{−kB}, k = (α−1)/α, the others' at P̂(s)e^{−kB}, which is more than that
    where α < 1. Beyond both they can move less, and the lift falls with m.
    """
    p = ball.p_s
    pull = np.exp(-(ball.alpha - 1) / ball.alpha * ball.bound) if ball.bound < np.inf else 0.0
    first, highest = mass_range(p, np.full(p.shape, ball.bound), ball.alpha)
    turn = p * pull
    last = np.clip(np.maximum(1 - (1 - p) * pull, turn), first, highest)
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
