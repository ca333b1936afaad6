"""An attack on robust promises that shares no code with `core`: it climbs over whole members of F.

It knows F alone, as {P : D_α(P̂‖P) ≤ B}, and the likelihood ratio of two secrets at one P. Whatever
it returns is a member, so a promise that it exceeds is broken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Floats = NDArray[np.float64]

ATTACKED = 3
"""Outputs and pairs of secrets of a kernel that are climbed from: those that look worst."""


def divergence(p_hat: Floats, p: Floats, alpha: float) -> float:
    """D_α(P̂‖P) in nats, by its definition."""
    seen = p_hat > 0
    a, b = p_hat[seen], p[seen]
    if alpha == 1:
        return float((a * np.log(a / b)).sum())
    return float(np.log((a**alpha * b ** (1 - alpha)).sum()) / (alpha - 1))


def level(p: Floats, output: Floats, s: int, t: int) -> float:
    """log P(y | s)/P(y | t) at one P(s, u), where an output has P(y | s, u)."""
    high, low = ((p[i] * output[i]).sum() / p[i].sum() for i in (s, t))
    return float(np.log(high / low))


def attacked(p_hat: Floats, bound: float, alpha: float, table: Floats) -> tuple[float, Floats]:
    """Return the greatest level found, and the member of F that has it; table (n_s, n_u, n_y)."""
    best, member = 0.0, p_hat
    for y, s, t in _suspects(p_hat, bound, alpha, table):
        p = _climbed(p_hat, bound, alpha, table[..., y], s, t)
        result = level(p, table[..., y], s, t)
        if result > best:
            best, member = result, p
    return best, member


def _suspects(
    p_hat: Floats, bound: float, alpha: float, table: Floats
) -> list[tuple[int, int, int]]:
    """Return outputs and pairs (y, s, t) whose level at P̂, and its slope over F, are greatest."""
    worth = []
    radius = np.sqrt(2 * bound / alpha)
    for y in np.flatnonzero(table.max(axis=(0, 1)) > 0):
        output = table[..., y]
        given = (p_hat * output).sum(axis=1) / p_hat.sum(axis=1)
        spread = (p_hat * (output / given[:, None] - 1) ** 2).sum(axis=1) / p_hat.sum(axis=1) ** 2
        for s in range(len(p_hat)):
            for t in range(len(p_hat)):
                if s != t:
                    slope = radius * np.sqrt(spread[s] + spread[t])
                    worth.append((np.log(given[s] / given[t]) + slope, int(y), s, t))
    worth.sort(reverse=True)
    return [(y, s, t) for _, y, s, t in worth[:ATTACKED]]


def _climbed(p_hat: Floats, bound: float, alpha: float, output: Floats, s: int, t: int) -> Floats:
    """Return a member of F at which log P(y | s)/P(y | t) has no better neighbor that is found."""
    shape = p_hat.shape
    seen = np.maximum(p_hat, 0.1 * min(bound, 1.0) / p_hat.size).ravel()  # room in empty cells
    kept = p_hat.ravel() > 0

    def member(z: Floats) -> Floats:
        p = seen * np.exp(z)
        whole: Floats = (p / p.sum()).reshape(shape)
        return whole

    def loss(z: Floats) -> tuple[float, Floats]:
        p = member(z)
        slope = np.zeros(shape)
        for i, sign in ((s, 1.0), (t, -1.0)):
            slope[i] = sign * (p[i] * output[i] / (p[i] * output[i]).sum() - p[i] / p[i].sum())
        return -level(p, output, s, t), -slope.ravel()

    def room(z: Floats) -> float:
        return 1 - divergence(p_hat, member(z), alpha) / bound

    def slope_of_room(z: Floats) -> Floats:
        p = member(z).ravel()
        pull = np.zeros(p.size)
        a = p_hat.ravel()[kept]
        weights = a**alpha * p[kept] ** (1 - alpha)
        pull[kept] = weights / weights.sum()
        return (pull - p) / bound

    z = -loss(np.zeros(seen.size))[1] / seen
    z *= np.sqrt(2 * bound / alpha / max((seen * z**2).sum(), 1e-300))
    result = optimize.minimize(
        loss,
        np.clip(z, -2.0, 2.0),
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": room, "jac": slope_of_room},
        options={"maxiter": 200, "ftol": 1e-12},
    )
    return _pulled(p_hat, member(result.x), bound, alpha)


def _pulled(p_hat: Floats, p: Floats, bound: float, alpha: float) -> Floats:
    """Return a distribution moved towards P̂ until it is in F."""

    def at(share: float) -> Floats:
        return (1 - share) * p + share * p_hat

    low, high = 0.0, 1.0
    if divergence(p_hat, p, alpha) <= bound:
        return p
    for _ in range(50):
        middle = (low + high) / 2
        inside = divergence(p_hat, at(middle), alpha) <= bound
        low, high = (low, middle) if inside else (middle, high)
    return at(high)
