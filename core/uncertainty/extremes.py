"""The member R of a Rényi ball around p that minimises R·gap.

To maximise R·v over D_α(p‖R) ≤ y take gap = max v − v, to minimise it gap = v − min v. The best
R is R_u ∝ p_u (δ + gap_u)^{−1/α}, with the tilt δ ≥ 0 at which D_α(p‖R) = y.
"""

from typing import NamedTuple

import numpy as np

from core.uncertainty.divergence import log_mean_exp
from core.validation import FloatArray

LOWEST_TILT, HIGHEST_TILT = -1e5, 60.0
"""Limits of log δ for gaps of up to 1: beyond them R is a corner, or p, as far as doubles tell."""

_STEPS = 200
"""Newton takes 4 to 10 steps; bisection alone takes fewer than this."""

TINY = np.finfo(np.float64).tiny
"""Least denominator: a sum that is 0 is not divided by."""

_CLOSE, _NOISE = 1e-12, 1e-15
"""Relative and absolute error of the divergence at which a tilt is accepted."""


class Extreme(NamedTuple):
    """Extreme members of balls.

    Attributes
    ----------
    members : ndarray
        R, shape (..., n).
    log_price : ndarray
        Shape (...,): log of what one more unit of `budget_of`, spent on this conditional alone
        with P̂(s) = 1, adds to the value; −∞ where nothing is left to gain.
    """

    members: FloatArray
    log_price: FloatArray


def log_tilt(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return log δ of the tilt at which D_α(p‖R) = bound, within the two limits.

    Parameters
    ----------
    p : ndarray
        Probabilities, shape (..., n).
    gap : ndarray
        Shape (..., n), from 0 (best) to 1.
    bound : ndarray
        Shape (...,), in nats, in [0, ∞].
    alpha : float
        Order in (0, ∞).
    """
    mean = (p * gap).sum(axis=-1)
    variance = (p * (gap - mean[..., None]) ** 2).sum(axis=-1)
    low, high = np.full(bound.shape, LOWEST_TILT), np.full(bound.shape, HIGHEST_TILT)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_gap = np.log(gap)
        # the second-order approximation, good for small bounds: D ≈ variance / (2αδ²)
        tilt = 0.5 * np.log(variance / (2 * alpha * bound))
        tilt = np.where(np.isnan(tilt), low, np.clip(tilt, low, high))
        goal = np.log(bound)
        corner = _divergence(p, log_gap, low, alpha)[0] <= bound
        tilt, high = np.where(corner, low, tilt), np.where(corner, low, high)
        for _ in range(_STEPS):
            divergence, slope = _divergence(p, log_gap, tilt, alpha)
            miss = np.log(divergence) - goal
            low = np.where(miss > 0, tilt, low)
            high = np.where(miss > 0, high, tilt)
            # D falls like a power of δ at both ends: Newton in logarithms is nearly exact there
            ahead = tilt - miss * divergence / slope
            inside = (ahead > low) & (ahead < high)
            following = np.where(inside, ahead, (low + high) / 2)
            found = (np.abs(miss) <= _CLOSE) | (np.abs(divergence - bound) <= _NOISE)
            done = found | (high - low <= _CLOSE * np.maximum(1.0, np.abs(low)))
            tilt = np.where(done, tilt, following)
            if done.all():
                break
    return tilt


def _divergence(
    p: FloatArray, log_gap: FloatArray, tilt: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return D_α(p‖R) and its derivative with respect to log δ, each of shape (...,)."""
    rise = np.logaddexp(0.0, log_gap - tilt[..., None])
    total, power_mean = tilted_sums(p, rise, alpha)
    near = np.exp(-rise)
    tilted = p * np.exp(-rise / alpha - total[..., None])
    k = (alpha - 1) / alpha
    mixed = p * np.exp(k * (rise - power_mean[..., None]))
    slope = ((mixed - tilted) * near).sum(axis=-1) / alpha
    return np.maximum(total + power_mean / alpha, 0.0), slope


def tilted_sums(p: FloatArray, rise: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return log Σ p·x^{−1/α} and the log of x's power mean of order k = (α−1)/α.

    `rise` is log x with x = 1 + gap/δ, shape (..., n). The first plus 1/α of the second is
    D_α(p‖R).
    """
    k = (alpha - 1) / alpha
    mean = (p * rise).sum(axis=-1) if k == 0 else log_mean_exp(p, k * rise) / k
    return log_mean_exp(p, -rise / alpha), mean


def extreme_member(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> Extreme:
    """Return the R of the ball that minimises R·gap, and the price of its bound.

    Parameters
    ----------
    p : ndarray
        Centre of the ball, shape (..., n); all zero where s was never seen.
    gap : ndarray
        How much worse than the best each symbol is, shape (..., n), its least entry 0.
    bound : ndarray
        Radius in nats, shape (...,), in [0, ∞].
    alpha : float
        Order in (0, ∞).

    Examples
    --------
    >>> extreme_member(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.log(1.25), 2.0).members
    array([0.7236068, 0.2763932])
    """
    p, gap = np.broadcast_arrays(p, gap)
    bound = np.broadcast_to(np.asarray(bound, np.float64), p.shape[:-1])
    spread = np.max(gap, axis=-1)
    level = spread == 0
    scaled = gap / np.where(level, 1.0, spread)[..., None]
    tilt = log_tilt(p, scaled, bound, alpha)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rise = np.logaddexp(0.0, np.log(scaled) - tilt[..., None])
        total, power_mean = tilted_sums(p, rise, alpha)
        reached = np.maximum(total + power_mean / alpha, 0.0)
        members = np.where(p > 0, p * np.exp(-rise / alpha - total[..., None]), 0.0)
        members = members / np.maximum(members.sum(axis=-1, keepdims=True), TINY)
        beyond = (tilt == LOWEST_TILT) & ~level
        left = np.where(beyond, np.exp(reached - bound), 1.0)
        # the derivative of the value with respect to the budget: the Lagrange condition at any u
        price = tilt + np.log(spread) - alpha * total + (alpha - 1) * ((alpha - 1) / alpha) * bound
        unseen = np.isfinite(bound) & ~((p > 0) & (scaled == 0)).any(axis=-1)
        beyond_price = np.where(unseen, price + alpha * np.log(left), -np.inf)
        price = np.where(beyond, beyond_price, price)
    members = np.where(beyond[..., None], _corner(p, scaled, left, members), members)
    members = np.where(level[..., None] & (p.sum(axis=-1) > 0)[..., None], p, members)
    return Extreme(members, np.where(level, -np.inf, price))


def _corner(p: FloatArray, gap: FloatArray, left: FloatArray, tilted: FloatArray) -> FloatArray:
    """Return R where the ball reaches further than any tilt.

    If a symbol with p > 0 has gap 0, all mass goes to those. Else a symbol with p = 0 has: it
    takes the mass that the tilted part, scaled by `left`, leaves; scaling by w adds −log w to
    the divergence of every order.
    """
    best = (p > 0) & (gap == 0)
    weight = (p * best).sum(axis=-1, keepdims=True)
    seen = p * best / np.where(weight > 0, weight, 1.0)
    first = np.arange(p.shape[-1]) == np.argmin(gap, axis=-1)[..., None]
    known = tilted.sum(axis=-1, keepdims=True) > 0
    share = np.where(known, left[..., None], 0.0)
    unseen = share * tilted + (1 - share) * first
    result: FloatArray = np.where(weight > 0, seen, unseen)
    return result
