"""Outputs that an oracle allows, and their best mixture: a lower bound of the optimum.

Outputs of a polytope around the set need not be allowed. Each is moved towards P_X, cut by cut,
until it is; the last cut that it met is tangent to the set near the optimum.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from core.allowed.allowed_set import SeparationOracle
from core.clock import NEVER, Deadline
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

_CROSSINGS = 30
"""Most cuts on an output's way to P_X: a few suffice, as they are tangents; else it is dropped."""

_INWARD = 1e-9
"""Part of the way to P_X that an output is moved beyond the last cut, to satisfy the oracle."""

_NEARLY = 20
"""Outputs per symbol, those of least reduced cost, that count as nearly in use."""

_DIFFERENT = 1e-9
"""Cuts this close in every entry are the same."""


@runtime_checkable
class ManyOracle(Protocol):
    """An oracle that takes many posteriors at once."""

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that points, shape (k, n_x), violate, and each cut's point by index."""
        ...


class AllowedOutputs:
    """Allowed outputs and their best mixture.

    Attributes
    ----------
    value : float
        Utility of the mixture.
    duals : ndarray
        λ of the mixture, shape (n_x,).

    Parameters
    ----------
    kernel : ndarray
        P(y | x) of outputs that are allowed, shape (n_x, n_y), to start from.
    p_x : ndarray
        P(x), shape (n_x,), all positive; it is strictly inside the allowed set.
    utility : Utility
        The utility to maximise.
    oracle : callable
        The oracle of the allowed set.
    """

    def __init__(
        self, kernel: FloatArray, p_x: FloatArray, utility: Utility, oracle: SeparationOracle
    ) -> None:
        self.p_x, self.utility, self._oracle = p_x, utility, oracle
        weights = (p_x[:, None] * kernel).T
        totals = weights.sum(axis=1, keepdims=True)
        used = totals[:, 0] > 0
        self.points = np.vstack([weights[used] / totals[used], p_x])
        self._mix()

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture."""
        return self._master.kernel(self._mixture)

    def nearly_in_use(self) -> FloatArray:
        """Return the outputs of least reduced cost and P_X, as posteriors, shape (k, n_x)."""
        prices = self.utility.cost(self.points) - self.points @ self.duals
        lowest = np.argsort(prices, kind="stable")[: _NEARLY * len(self.p_x)]
        return np.vstack([self.p_x, self.points[lowest]])

    def take(self, points: FloatArray, deadline: Deadline) -> FloatArray:
        """Move outputs, shape (k, n_x), inside, add them, and return their last cuts, (j, n_x).

        Outputs that are not inside by the deadline are left out.
        """
        inside, cuts = self._pulled(points, deadline)
        if len(inside):
            self.points = np.vstack([self.points, inside])
            self._mix()
        return cuts

    def _mix(self) -> None:
        """Compute the best mixture."""
        mixed = best_mixture(self.points, self.p_x, self.utility, NEVER)
        self._master, self._mixture, _ = mixed
        self.value = self.utility.offset(self.p_x) - self._mixture.cost
        self.duals = self._mixture.duals

    def _pulled(self, points: FloatArray, deadline: Deadline) -> tuple[FloatArray, FloatArray]:
        """Return outputs moved inside, and the last cut that each met on the way.

        Where a cut g·r ≤ 0 is violated, the next point is the crossing of the segment to P_X with
        its hyperplane; g·P_X < 0, as P_X is inside. The last cut is tangent to the set near the
        final point.
        """
        inside, last = [points[:0]], np.full(points.shape, np.nan)
        moved, left = points, np.arange(len(points))
        for _ in range(_CROSSINGS):
            if len(left) == 0 or deadline.over:
                break
            cuts, which = _cuts_of(self._oracle, moved)
            broken = np.unique(which)
            inside.append(np.delete(moved, broken, axis=0))
            here, there = (cuts * points[left[which]]).sum(axis=1), cuts @ self.p_x
            shares = here / (here - there)
            order = np.argsort(shares, kind="stable")
            deepest = np.zeros(len(left), dtype=np.int64)
            deepest[which[order]] = order  # of each point's cuts the last written is the deepest
            deepest = deepest[broken]
            left = left[broken]
            last[left] = cuts[deepest]
            share = np.minimum(1.0, shares[deepest] + _INWARD)[:, None]
            moved = (1 - share) * points[left] + share * self.p_x
        met = last[np.isfinite(last).all(axis=1)]
        return np.vstack(inside), distinct(met)


def _cuts_of(
    oracle: SeparationOracle | ManyOracle, points: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the cuts that points, shape (k, n_x), violate, and the index of each cut's point."""
    if isinstance(oracle, ManyOracle):
        return oracle.each(points)
    found = [oracle(r) for r in points]
    return np.vstack(found), np.repeat(np.arange(len(points)), [len(cuts) for cuts in found])


def distinct(rows: FloatArray) -> FloatArray:
    """Return rows without those that equal another up to `_DIFFERENT`."""
    _, first = np.unique(np.round(rows / _DIFFERENT), axis=0, return_index=True)
    return rows[np.sort(first)]
