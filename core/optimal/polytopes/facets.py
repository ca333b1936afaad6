"""A polytope as inequalities, and its vertices as the rows that they meet.

Rows are moved outwards, each by a different small amount, so every vertex meets exactly n − 1
rows, which identify it, and each of its edges leaves one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Facets:
    """{z ≥ 0 : rows @ z ≤ limits, norm·z = 1}, rows of entries of about 1; outputs r = z·unit."""

    rows: FloatArray
    limits: FloatArray
    norm: FloatArray
    unit: FloatArray

    def with_cuts(self, cuts: FloatArray) -> Facets:
        """Return the polytope cut by cuts @ r ≤ 0, shape (k, n_x), which are its last rows."""
        limits = np.append(self.limits, np.zeros(len(cuts)))
        return replace(self, rows=np.vstack([self.rows, self.scaled(cuts)]), limits=limits)

    def scaled(self, cuts: FloatArray) -> FloatArray:
        """Return cuts on r, shape (k, n_x), as cuts on z with a largest magnitude of 1."""
        scaled = cuts * self.unit
        result: FloatArray = scaled / np.abs(scaled).max(axis=1, keepdims=True)
        return result

    def posteriors(self, points: FloatArray) -> FloatArray:
        """Return points z, shape (k, n_x), as posteriors."""
        weights = np.maximum(points, 0.0) * self.unit
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result


def facets_of(allowed: AllowedSet, p_x: FloatArray) -> Facets:
    """Return the polytope of a set without auxiliary variables, in kernel coordinates z = r/P_X."""
    rows = allowed.rows.toarray()
    rows = rows[(rows > 0).any(axis=1)] * p_x
    rows /= np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)
    return Facets(rows, np.zeros(len(rows)), np.ones(len(p_x)), p_x)


def relaxed(limits: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return limits moved outwards by different small amounts, so vertices are simple."""
    # how far rows are moved outwards, times 1 to 2 at random: far above rounding, and far below
    # the gap of a bound
    moved: FloatArray = limits + 3e-10 * (1.0 + rng.random(len(limits)))
    return moved


def systems(rows: FloatArray, norm: FloatArray, tight: IntArray) -> FloatArray:
    """Return the rows that each vertex meets, and then the normalizing row, shape (k, n, n)."""
    n = len(norm)
    result = np.empty((len(tight), n, n))
    result[:, :-1], result[:, -1] = rows[tight], norm
    return result


def solved_corners(
    rows: FloatArray, limits: FloatArray, norm: FloatArray, tight: IntArray
) -> FloatArray:
    """Return the points, shape (k, n), that meet given rows, (k, n − 1), at their limits."""
    right = np.ones((len(tight), len(norm), 1))
    right[:, :-1, 0] = limits[tight]
    points = np.linalg.solve(systems(rows, norm, tight), right)
    return np.asarray(points[:, :, 0], np.float64)


def simplex_corners(n: int) -> IntArray:
    """Return the entries that are 0 at each corner of a simplex, shape (n, n − 1)."""
    others = [[entry for entry in range(n) if entry != corner] for corner in range(n)]
    return np.array(others, dtype=np.int64).reshape(n, n - 1)
