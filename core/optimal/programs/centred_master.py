"""The master program from within: prices in the middle of their range, to find columns at."""

from __future__ import annotations

import numpy as np

from core.optimal.programs.interior_point import centre
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

PENALTY = 1.5
"""What publishing a symbol as it is costs at first, in units of what publishing nothing does."""

RISE = 1.2
"""Factor of that where it is still done."""

NEGLIGIBLE = 0.01
"""Share of a symbol that may be published so without its penalty rising."""

MOST, KEPT = 4, 3
"""Outputs for each symbol from which on the program drops some, and how many it keeps: those that
the present prices make dearest are not met again."""


class CentredMaster:
    """Outputs found so far, and prices at which to look for more.

    Attributes
    ----------
    duals : ndarray
        λ, shape (n_x,), as of a `Mixture`, yet not at a vertex.
    points : ndarray
        Outputs as posteriors, shape (k, n_x).
    amounts : ndarray
        q_y > 0 of these in a mixture that is nearly the best, shape (k,).

    Parameters
    ----------
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        Gives the costs.

    Notes
    -----
    Each symbol as it is, allowed or not, is a column at a penalty. No allowed outputs are given
    to start from: a complete mixture of poor ones gives prices that ask for poor ones; from
    secret randomised response the search at 240 symbols took twice as long.
    """

    def __init__(self, p_x: FloatArray, utility: Utility) -> None:
        self.p_x, self._utility = p_x, utility
        self.points = p_x[None]
        self._costs = utility.cost(self.points)
        self._penalties = np.full(len(p_x), PENALTY * float(self._costs[0]))
        self.solve(float(self._costs[0]))

    def add(self, points: FloatArray) -> None:
        """Add outputs, posteriors of shape (k, n_x)."""
        self.points = np.concatenate([self.points, points])
        self._costs = np.concatenate([self._costs, self._utility.cost(points)])

    def solve(self, gap: float) -> None:
        """Set prices and amounts, to within a gap in nats of the best mixture."""
        n_x = len(self.p_x)
        if len(self.points) > MOST * n_x:
            self._forget(KEPT * n_x)
        columns = np.hstack([np.diag(1 / self.p_x), (self.points / self.p_x).T])
        found = centre(columns, np.concatenate([self._penalties, self._costs]), gap)
        self.duals, self.amounts = found.duals / self.p_x, found.amounts[n_x:]
        self._penalties[found.amounts[:n_x] > NEGLIGIBLE * self.p_x] *= RISE

    def most_used(self, count: int) -> IntArray:
        """Return the outputs that the mixture has most of, the first ones first."""
        return np.argsort(-self.amounts, kind="stable")[:count]

    def _forget(self, kept: int) -> None:
        """Drop outputs with the largest reduced costs, relative to their largest entries."""
        surplus = (self._costs - self.points @ self.duals) / (self.points / self.p_x).max(axis=1)
        kept_first = np.sort(np.argsort(surplus, kind="stable")[:kept])
        self.points, self._costs = self.points[kept_first], self._costs[kept_first]
