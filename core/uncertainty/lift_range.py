"""The range of every lift of a release over a Rényi ball around the estimate of P(s, x)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.uncertainty.ball import RenyiBall
from core.uncertainty.divergence import bound_of
from core.uncertainty.extremes import greatest, least
from core.uncertainty.radius import mass_range
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
    found = [
        _of_secret(ball, answers.T, s, (float(masses[0][s]), float(masses[1][s])))
        for s in range(ball.n_s)
    ]
    return LiftRange(np.array([low for low, _ in found]), np.array([high for _, high in found]))


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
