"""An interior-point method that stops early, for central and stable duals.

The duals of a degenerate master program at a vertex are at one end of their range, and the next
columns move them to another. Near the central path duals are in the middle of their range: columns
found at these are useful, and far fewer rounds are needed.

Source: the primal-dual column generation of Gondzio, González-Brevis and Munari 2013; steps of
Mehrotra 1992.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from core.errors import SolverError
from core.validation import FloatArray

MOST_STEPS = 80
"""Most steps; a program takes ten to thirty."""

MISS = 1e-6
"""Largest residual of a row at the end."""

MISPRICED = 0.01
"""Largest residual of a reduced cost at the end, relative to the gap: more steps would leave the
centre."""

BACK = 0.9
"""Part of the way to the nearest bound that a step takes: away from bounds the duals are stable."""

LEAST_CENTRE = 0.05
"""Least part of the present complementarity that a step aims for, for the same reason."""

RIDGES = (1e-14, 1e-11, 1e-8)
"""Multiples of the largest entry that are added to the normal matrix until it can be factorised."""


class Centre(NamedTuple):
    """A point near the central path of min c·q, columns @ q = 1, q ≥ 0.

    Attributes
    ----------
    amounts : ndarray
        q > 0, shape (k,).
    duals : ndarray
        Duals of the rows, shape (m,), at which every reduced cost is positive up to `MISPRICED`.
    gap : float
        q·(reduced costs): how far c·q may be above the optimum, up to the residuals.
    """

    amounts: FloatArray
    duals: FloatArray
    gap: float


def centre(columns: FloatArray, costs: FloatArray, gap: float) -> Centre:
    """Return a point whose cost is within a gap of the optimum.

    Parameters
    ----------
    columns : ndarray
        Shape (m, k), k ≥ m, of rank m, with columns @ q = 1 for some q > 0.
    costs : ndarray
        Shape (k,).
    gap : float
        Above 0; the larger, the more central the point.

    Raises
    ------
    SolverError
        If the rows are linearly dependent.

    Examples
    --------
    >>> found = centre(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), np.array([1.0, 1, 1]), 1e-9)
    >>> found.amounts.round(6), float(found.duals.sum().round(6))
    (array([0., 0., 1.]), 1.0)
    """
    sizes = np.sqrt((columns**2).sum(axis=0))
    a, c = columns / sizes, costs / sizes
    x, y, z = _first(a, c)
    for _ in range(MOST_STEPS):
        rest, reduced, left = 1.0 - a @ x, c - y @ a - z, float(x @ z)
        priced = np.abs(reduced).max() <= MISPRICED * gap
        if left <= gap and priced and np.abs(rest).max() <= MISS:
            break
        weights = x / z
        factor = _factor((a * weights) @ a.T)
        change = _change(a, weights, factor, rest, reduced, -x)
        ahead = float(
            (x + _reach(x, change[0]) * change[0]) @ (z + _reach(z, change[2]) * change[2])
        )
        aim = max((ahead / left) ** 3, LEAST_CENTRE) * left / len(x)
        bent = (aim - change[0] * change[2]) / z - x
        dx, dy, dz = _change(a, weights, factor, rest, reduced, bent)
        x = x + BACK * _reach(x, dx) * dx
        share = BACK * _reach(z, dz)
        y, z = y + share * dy, z + share * dz
    return Centre(x / sizes, y, float(x @ z))


def _first(a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return x, y and z to start from: least squares, moved inside (Mehrotra)."""
    factor = _factor(a @ a.T)
    x = lapack.dpotrs(factor, np.ones(len(a)), lower=1)[0] @ a
    y = lapack.dpotrs(factor, a @ c, lower=1)[0]
    z = c - y @ a
    x, z = x + max(-1.5 * x.min(), 0.0), z + max(-1.5 * z.min(), 0.0)
    both = float(x @ z)
    return x + both / 2 / z.sum(), y, z + both / 2 / x.sum()


def _factor(normal: FloatArray) -> FloatArray:
    """Return the Cholesky factor of a normal matrix; SolverError if there is none."""
    diagonal, largest = np.diag_indices(len(normal)), float(np.diagonal(normal).max())
    for ridge in RIDGES:
        normal[diagonal] += ridge * largest
        factor, failed = lapack.dpotrf(normal, lower=1)
        if not failed:
            result: FloatArray = factor
            return result
    raise SolverError("The outputs at hand leave a symbol to which no price can be given.")


def _change(
    a: FloatArray,
    weights: FloatArray,
    factor: FloatArray,
    rest: FloatArray,
    reduced: FloatArray,
    own: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the step of x, y and z that closes the residuals, with dx = own − weights·dz."""
    dy = lapack.dpotrs(factor, rest + a @ (weights * reduced - own), lower=1)[0]
    dz = reduced - dy @ a
    return own - weights * dz, dy, dz


def _reach(x: FloatArray, dx: FloatArray) -> float:
    """Return how far, at most 1/BACK, x + share·dx stays above 0."""
    falls = dx < 0
    return float(min((-x[falls] / dx[falls]).min(initial=np.inf), 1.0 / BACK))
