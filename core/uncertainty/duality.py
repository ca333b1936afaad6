"""Bounds on the range of R·v over a Rényi ball, by weak duality: an inexact search widens them.

max {R·v : D_α(p‖R) ≤ y} = min over ν ≥ max v of ν − e^{−y}·(Σ p (ν − v)^k)^{1/k}, k = (α−1)/α,

by Hölder's inequality, for every order (k = 0 is the geometric mean); likewise for the least.
"""

import numpy as np

from core.uncertainty.extremes import log_tilt, tilted_sums
from core.validation import FloatArray


def greatest(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return max R·v over D_α(p‖R) ≤ bound, shape (...), or slightly more.

    Parameters
    ----------
    p : ndarray
        Probabilities, shape (..., n); all zero where s was never seen (then bound must be ∞).
    v : ndarray
        Values, shape (..., n).
    bound : ndarray
        Shape (...,), in nats.
    alpha : float
        Order in (0, ∞).

    Examples
    --------
    >>> float(greatest(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array(np.inf), 2.0))
    1.0
    """
    top = v.max(axis=-1)
    value: FloatArray = top - margin(p, top[..., None] - v, bound, alpha)
    return np.asarray(np.minimum(value, top))


def least(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return min R·v over D_α(p‖R) ≤ bound, or slightly less; shapes as `greatest`.

    Examples
    --------
    >>> round(float(least(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array(0.0), 2.0)), 9)
    0.5
    """
    bottom = v.min(axis=-1)
    value: FloatArray = bottom + margin(p, v - bottom[..., None], bound, alpha)
    return np.asarray(np.maximum(value, bottom))


def margin(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return min R·gap by duality: max over δ ≥ 0 of e^{−bound}·(Σ p (δ + gap)^k)^{1/k} − δ."""
    bound = np.broadcast_to(bound, gap.shape[:-1])
    spread = gap.max(axis=-1)
    scaled = gap / np.where(spread > 0, spread, 1.0)[..., None]
    tilt = log_tilt(np.broadcast_to(p, gap.shape), scaled, bound, alpha)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rise = np.logaddexp(0.0, np.log(scaled) - tilt[..., None])
        log_mean = tilted_sums(p, rise, alpha)[1]
        # every δ gives a valid bound; the first form keeps its digits where δ is large
        wide = np.exp(tilt) * np.expm1(log_mean - bound)
        narrow = np.exp(tilt + log_mean - bound) - np.exp(tilt)
    result: FloatArray = spread * np.where(tilt > 0, wide, narrow)
    return result
