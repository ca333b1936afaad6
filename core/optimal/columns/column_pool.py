"""The vertices of the allowed set found so far, each with its cost, none twice.

One matrix product gives all reduced costs, so a vertex of no use under the present duals may enter
the program under later ones. A vertex is expanded once: promising neighbours join the pool.
"""

from __future__ import annotations

import numpy as np

from core.optimal.columns.descent import edge_prices
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.tableaux import BasicSolutions, Tableaux
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

ON_ROW = 1e-9
"""A vertex this close to a new cut is dropped, and may be found again."""

BEST_EDGES = 30
"""Most neighbours of one vertex that join the pool, to leave room for those of other vertices."""


class ColumnPool:
    """Vertices of a polytope as outputs.

    Attributes
    ----------
    points : ndarray
        Posteriors, shape (k, n_x).
    costs : ndarray
        φ of each, shape (k,).
    expanded : ndarray
        Whether the neighbours were priced, shape (k,).

    Parameters
    ----------
    space : Polytope
        The polytope.
    utility : Utility
        Gives the costs.
    start : BasicSolutions
        First vertices of it, or of the perturbed polytope, which is then the one searched.
    """

    def __init__(self, space: Polytope, utility: Utility, start: BasicSolutions) -> None:
        self.space, self.utility = space, utility
        self.searched = start.space
        n_x = space.n_x
        self.points, self.costs = np.zeros((0, n_x)), np.zeros(0)
        self.expanded = np.zeros(0, dtype=bool)
        self._priced_at, self._prices = np.zeros(n_x), np.zeros(0)
        self._known: set[int] = set()  # their keys
        self._basic = np.zeros((0, space.n_basic), dtype=np.int64)
        self._tight = np.zeros((0, space.n_free), dtype=np.int64)
        self.add(start)

    def __len__(self) -> int:
        return len(self.costs)

    def add(self, found: BasicSolutions) -> None:
        """Add those vertices that are new."""
        keys, first = np.unique(found.keys(), return_index=True)
        new = [key not in self._known for key in keys.tolist()]
        first = np.sort(first[new])
        points, true = tableaux.true_points(self.space, found.take(first))
        found = found.take(first[true])
        if len(found) == 0:
            return
        self.points = np.concatenate([self.points, points])
        self.costs = np.concatenate([self.costs, self.utility.cost(points)])
        self.expanded = np.concatenate([self.expanded, np.zeros(len(found), dtype=bool)])
        self._known.update(found.keys().tolist())
        self._basic = np.concatenate([self._basic, found.basic])
        self._tight = np.concatenate([self._tight, found.nonbasic])

    def prices(self, duals: FloatArray) -> FloatArray:
        """Return the reduced costs φ(r) − λ·r of all vertices, shape (k,)."""
        if duals is not self._priced_at:
            self._priced_at, self._prices = duals, np.zeros(0)
        fresh = slice(len(self._prices), None)
        added = self.costs[fresh] - self.points[fresh] @ duals
        self._prices = np.concatenate([self._prices, added])
        return self._prices

    def tableaux(self, which: IntArray) -> Tableaux:
        """Return the tableaux of some vertices, without those of a singular basis."""
        return tableaux.tableaux(
            self.searched,
            self._basic[which],
            self._tight[which],
        )

    def expand(self, which: IntArray, duals: FloatArray, below: float) -> None:
        """Add neighbours of some vertices with a reduced cost below `below`, the best of each."""
        self.expanded[which] = True
        level = self.tableaux(which)
        edges = level.edges()
        lams = np.broadcast_to(duals, (len(level), len(duals)))
        prices = edge_prices(level, edges, lams, self.utility)
        if prices.shape[1] > BEST_EDGES:
            limits = np.partition(prices, BEST_EDGES, axis=1)[:, BEST_EDGES]
            below_limit = prices < np.minimum(limits, below)[:, None]
        else:
            below_limit = prices < below
        vertex, column = np.nonzero(below_limit)
        self.add(level.ends(vertex, column, edges))

    def cut(self, space: Polytope, cuts: FloatArray) -> IntArray | None:
        """Replace the polytope by `space`, the same with cuts, shape (k, n_x), as last slacks.

        A vertex strictly inside the cuts remains one: their slacks are basic.

        Returns
        -------
        kept : ndarray or None
            Indices of the vertices that remain, shape (j,); None where a new pool is needed, as
            the polytope was perturbed or no vertex remains.
        """
        kept = np.flatnonzero((self.points @ cuts.T < -ON_ROW).all(axis=1))
        if self.searched is not self.space or len(kept) == 0:
            return None
        added, first = len(cuts), self.space.n_vars + self.space.n_slacks
        slacks = np.broadcast_to(np.arange(first, first + added), (len(kept), added))
        basic, nonbasic = self._basic[kept], self._tight[kept]
        basic = np.concatenate([_shifted(basic, first, added), slacks], axis=1)
        self._basic, self._tight = basic, _shifted(nonbasic, first, added)
        self._known = set(tableaux.basis_keys(space, self._tight).tolist())
        self.space = self.searched = space
        self.points, self.costs = self.points[kept], self.costs[kept]
        self.expanded = np.zeros(len(kept), dtype=bool)  # they may have new neighbours
        self._prices, self._priced_at = np.zeros(0), np.zeros(space.n_x)
        return kept


def _shifted(labels: IntArray, first: int, added: int) -> IntArray:
    """Return labels with those from `first` on, the complements, moved up by `added`."""
    return np.where(labels >= first, labels + added, labels)
