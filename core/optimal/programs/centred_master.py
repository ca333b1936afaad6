"""The master program by an interior point, stopped early: central prices, to look for columns at.

The duals of a degenerate program at a vertex are at one end of their range; in its middle the
columns found are useful, and far fewer rounds are needed. Source: Gondzio, González-Brevis and
Munari 2013; steps of Mehrotra 1992.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from core.errors import SolverError
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

MISPRICED = 0.01
"""Largest residual of a reduced cost at the end, relative to the gap."""

BACK = 0.9
"""Part of the way to the nearest bound that a step takes: away from bounds the duals are stable."""

RIDGES = (1e-14, 1e-11, 1e-8)
"""Multiples of the largest entry that are added to the normal matrix until it can be factorized."""


class Centre(NamedTuple):
    """A point near the central path of min c·q, columns @ q = 1, q ≥ 0.

    At `duals`, (m,), every reduced cost is positive up to `MISPRICED`; `gap`, q·(reduced costs), is
    how far c·q may be above the optimum, up to the residuals.
    """

    amounts: FloatArray
    duals: FloatArray
    gap: float


def centre(columns: FloatArray, costs: FloatArray, gap: float, residual: float = 1e-6) -> Centre:
    """Return a point whose cost is within a gap of the optimum; rows miss 1 by a residual."""
    sizes = np.sqrt((columns**2).sum(axis=0))
    a, c = _Columns(columns / sizes), costs / sizes
    x, y, z = _first(a, c)
    for _ in range(80):  # most steps; a program takes ten to thirty
        rest, reduced, left = 1.0 - a.mixed(x), c - a.priced(y) - z, float(x @ z)
        priced = np.abs(reduced).max() <= MISPRICED * gap
        if left <= gap and priced and np.abs(rest).max() <= residual:
            break
        weights = x / z
        factor = _factor(a.normal(weights))
        change = _change(a, weights, factor, rest, reduced, -x)
        ahead = float(
            (x + _reach(x, change[0]) * change[0]) @ (z + _reach(z, change[2]) * change[2])
        )
        # least part of the present complementarity that a step aims for: duals stay stable
        aim = max((ahead / left) ** 3, 0.05) * left / len(x)
        bent = (aim - change[0] * change[2]) / z - x
        dx, dy, dz = _change(a, weights, factor, rest, reduced, bent)
        x = x + BACK * _reach(x, dx) * dx
        share = BACK * _reach(z, dz)
        y, z = y + share * dy, z + share * dz
    return Centre(x / sizes, y, float(x @ z))


class _Columns:
    """Columns (m, k), of which those with few entries are stored by these, padded with zeros."""

    def __init__(self, columns: FloatArray) -> None:
        self._m, self._count = columns.shape
        sizes = np.count_nonzero(columns, axis=0)
        # at 442 symbols the normal matrix of outputs of ten symbols takes a tenth of the time then
        full = sizes > 0.1 * self._m
        self._few_at, self._full_at = np.flatnonzero(~full), np.flatnonzero(full)
        self._full = columns[:, self._full_at]
        of, row = np.nonzero(columns.T[self._few_at])
        ends = np.cumsum(sizes[self._few_at])
        place = np.arange(len(of)) - np.repeat(ends - sizes[self._few_at], sizes[self._few_at])
        shape = len(self._few_at), int(place.max(initial=0)) + 1
        self._rows = np.zeros(shape, dtype=np.int64)
        self._values = np.zeros(shape)
        self._rows[of, place] = row
        self._values[of, place] = columns[row, self._few_at[of]]
        low, high = np.tril_indices(shape[1])  # rows ascend: the lower half of a normal matrix
        self._pairs = (self._rows[:, low] * self._m + self._rows[:, high]).ravel()
        self._products = self._values[:, low] * self._values[:, high]

    def mixed(self, x: FloatArray) -> FloatArray:
        """Return columns @ x, shape (m,)."""
        few = (self._values * x[self._few_at, None]).ravel()
        sums = np.bincount(self._rows.ravel(), weights=few, minlength=self._m)
        result: FloatArray = sums + self._full @ x[self._full_at]
        return result

    def priced(self, y: FloatArray) -> FloatArray:
        """Return y @ columns, shape (k,)."""
        result = np.empty(self._count)
        result[self._few_at] = (self._values * y[self._rows]).sum(axis=1)
        result[self._full_at] = y @ self._full
        return result

    def normal(self, weights: FloatArray) -> FloatArray:
        """Return the lower half of columns @ diag(weights) @ columns.T, shape (m, m)."""
        few = (self._products * weights[self._few_at, None]).ravel()
        half = np.bincount(self._pairs, weights=few, minlength=self._m**2)
        full = (self._full * weights[self._full_at]) @ self._full.T
        result: FloatArray = half.reshape(self._m, self._m) + full
        return result


def _first(a: _Columns, c: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return x, y and z to start from: least squares, moved inside (Mehrotra)."""
    factor = _factor(a.normal(np.ones(len(c))))
    x = a.priced(lapack.dpotrs(factor, np.ones(len(factor)), lower=1)[0])
    y = lapack.dpotrs(factor, a.mixed(c), lower=1)[0]
    z = c - a.priced(y)
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
    a: _Columns,
    weights: FloatArray,
    factor: FloatArray,
    rest: FloatArray,
    reduced: FloatArray,
    own: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the step of x, y and z that closes the residuals, with dx = own − weights·dz."""
    dy = lapack.dpotrs(factor, rest + a.mixed(weights * reduced - own), lower=1)[0]
    dz = reduced - a.priced(dy)
    return own - weights * dz, dy, dz


def _reach(x: FloatArray, dx: FloatArray) -> float:
    """Return how far, at most 1/BACK, x + share·dx stays above 0."""
    falls = dx < 0
    return float(min((-x[falls] / dx[falls]).min(initial=np.inf), 1.0 / BACK))


MOST, KEPT = 8, 5
"""Outputs per symbol above which those of largest reduced cost are dropped, and how many stay: with
4 and 3, at 10×442, rounds of 400 outputs forgot those of the rounds before."""


class CentredMaster:
    """Outputs found so far, as posteriors, and central prices λ (`duals`) to look for more."""

    def __init__(self, p_x: FloatArray, utility: Utility) -> None:
        self.p_x, self._utility = p_x, utility
        self.points = p_x[None]
        self._costs = utility.cost(self.points)
        self._penalties = np.full(len(p_x), float(self._costs[0]))
        self.solve(float(self._costs[0]))

    def add(self, points: FloatArray) -> None:
        """Add outputs, posteriors of shape (k, n_x)."""
        self.points = np.concatenate([self.points, points])
        self._costs = np.concatenate([self._costs, self._utility.cost(points)])

    def solve(self, gap: float) -> None:
        """Compute duals and amounts of a mixture within a gap, in nats, of the best."""
        n_x = len(self.p_x)
        if len(self.points) > MOST * n_x:
            self._forget(KEPT * n_x)
        columns = np.hstack([np.diag(1 / self.p_x), (self.points / self.p_x).T])
        # prices alone are of use: smaller residuals of rows take half as many steps again
        residual = max(3e-3 * gap, 1e-6)
        centred = centre(columns, np.concatenate([self._penalties, self._costs]), gap, residual)
        self.duals, self.amounts = centred.duals / self.p_x, centred.amounts[n_x:]
        # share of a symbol that may be published as it is without its penalty rising; with twice
        # the first penalty, rising by half, three seconds at 10×442 found what two do
        self._penalties[centred.amounts[:n_x] > 0.01 * self.p_x] *= 1.1

    def most_used(self, count: int) -> IntArray:
        """Return the indices of the outputs with the largest amounts, largest first."""
        return np.argsort(-self.amounts, kind="stable")[:count]

    def _forget(self, kept: int) -> None:
        """Drop outputs with the largest reduced costs, relative to their largest entries."""
        surplus = (self._costs - self.points @ self.duals) / (self.points / self.p_x).max(axis=1)
        kept_first = np.sort(np.argsort(surplus, kind="stable")[:kept])
        self.points, self._costs = self.points[kept_first], self._costs[kept_first]
