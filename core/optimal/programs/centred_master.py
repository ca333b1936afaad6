"""The master program by an interior point: central prices, at which new columns are sought."""

from __future__ import annotations

import numpy as np

from core.optimal.programs.interior_point import centre
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

PENALTY = 1.5
"""First penalty of publishing a symbol as it is, in units of the cost of a constant output."""

RISE = 1.2
"""Factor by which the penalty of a symbol rises while it is used."""

NEGLIGIBLE = 0.01
"""Share of a symbol that may be published as it is without its penalty rising."""

MOST, KEPT = 4, 3
"""Outputs per symbol above which some are dropped, and how many are kept: those of largest reduced
cost are hardly ever found again."""


class CentredMaster:
    """Outputs found so far, and prices at which to look for more.

    Attributes
    ----------
    duals : ndarray
        λ, shape (n_x,), as of a `Mixture`, but central instead of at a vertex.
    points : ndarray
        Outputs as posteriors, shape (k, n_x).
    amounts : ndarray
        q_y > 0 of these in a nearly optimal mixture, shape (k,).

    Parameters
    ----------
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        Gives the costs.

    Notes
    -----
    Each symbol as it is, allowed or not, is a column at a penalty. P_X is the only other output to
    start from: prices of a mixture of poor outputs lead to more poor ones. From secret randomised
    response the search at 240 symbols took twice as long.
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
        """Compute duals and amounts of a mixture within a gap, in nats, of the best."""
        n_x = len(self.p_x)
        if len(self.points) > MOST * n_x:
            self._forget(KEPT * n_x)
        columns = np.hstack([np.diag(1 / self.p_x), (self.points / self.p_x).T])
        found = centre(columns, np.concatenate([self._penalties, self._costs]), gap)
        self.duals, self.amounts = found.duals / self.p_x, found.amounts[n_x:]
        self._penalties[found.amounts[:n_x] > NEGLIGIBLE * self.p_x] *= RISE

    def most_used(self, count: int) -> IntArray:
        """Return the indices of the outputs with the largest amounts, largest first."""
        return np.argsort(-self.amounts, kind="stable")[:count]

    def _forget(self, kept: int) -> None:
        """Drop outputs with the largest reduced costs, relative to their largest entries."""
        surplus = (self._costs - self.points @ self.duals) / (self.points / self.p_x).max(axis=1)
        kept_first = np.sort(np.argsort(surplus, kind="stable")[:kept])
        self.points, self._costs = self.points[kept_first], self._costs[kept_first]
