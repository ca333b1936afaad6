"""Column generation over the vertices of a polytope.

[Lift] and [ALIP] enumerate all vertices first; here only those near the ones in use are computed.
"""

from __future__ import annotations

import numpy as np

from core.clock import Deadline
from core.optimal.columns.column_pool import ColumnPool
from core.optimal.columns.descent import descend
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.tableaux import BasicSolutions
from core.optimal.programs.master import SHORT, Master, Mixture
from core.optimal.tolerances import NEAR, PRICE
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray

MOST_ADDED = 100
"""Most outputs that enter the master program at a time."""

MOST_EXPANDED = 48
"""Most vertices whose neighbours are priced in one pass."""

FEW = 8
"""With fewer improving outputs in the pool than this, neighbours are priced first."""

PATIENCE = 3
"""Passes over vertices nearly in use, without a better one, before the search ends."""

SCATTERED = 42
"""Most random starts in one round, each with its own symbol: outputs that a search misses mostly
have a large entry at a symbol that is small in other outputs."""

STEEP = 5.0
"""Negative cost of that symbol at such a start; the costs of all symbols have mean 1."""

ROUNDS = 3
"""Rounds of random starts without a better output before a proof is tried."""

DIGITS = 10
"""Outputs that agree to this many decimals are one."""


class ColumnSearch:
    """The search for improving outputs over one polytope.

    Attributes
    ----------
    master : Master
        The master program, with the outputs that entered it.
    pool : ColumnPool
        All vertices found.
    mixture : Mixture
        The best mixture so far.

    Parameters
    ----------
    space : Polytope
        The allowed outputs.
    p_x : ndarray
        P(x), shape (n_x,), an allowed output.
    utility : Utility
        The utility to maximise.
    seed : int
        Seed of the random starts.
    deadline : Deadline
        When to stop.

    Raises
    ------
    SolverError
        If the polytope gives no vertex to start from, or HiGHS fails.
    """

    def __init__(
        self, space: Polytope, p_x: FloatArray, utility: Utility, *, seed: int, deadline: Deadline
    ) -> None:
        self.space, self.p_x, self.utility, self.deadline = space, p_x, utility, deadline
        self._rng = np.random.default_rng(seed)
        self.pool = ColumnPool(space, utility, self._seeds())
        self._included: set[bytes] = set()
        self._start(p_x[None], np.ones(len(self.pool), dtype=bool))

    def _start(self, others: FloatArray, inside: BoolArray) -> None:
        """Set up the master program with given outputs and some of the pool's vertices."""
        self.master = Master(self.p_x, self.utility, others)
        self._origin = np.full(len(others), -1)
        self._inside = np.zeros(len(self.pool), dtype=bool)
        self._take(np.flatnonzero(inside))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Add allowed outputs that need not be vertices, posteriors of shape (k, n_x).

        Returns
        -------
        new : bool
            Whether one of them was not included before.
        """
        names = [np.round(point, DIGITS).tobytes() for point in points]
        new = [i for i, name in enumerate(names) if name not in self._included]
        self._included.update(names)
        if new:
            self.master.add(points[new])
            self._origin = np.append(self._origin, np.full(len(new), -1))
            self.mixture = self.master.solve()
        return bool(new)

    def cut(self, cuts: FloatArray) -> None:
        """Cut the polytope by cuts @ r ≤ 0, shape (k, n_x), and drop outputs that break them."""
        self.space = self.space.with_cuts(cuts)
        others = self.master.points[self._origin < 0]
        whole: BoolArray = np.asarray((others @ cuts.T <= 0).all(axis=1))
        whole[0] = True  # P_X, which mixes by itself, even if rounding puts it outside a cut
        others = others[whole]
        kept = self.pool.cut(self.space, cuts)
        if kept is None:
            self.pool = ColumnPool(self.space, self.utility, self._seeds())
            self._start(others, np.ones(len(self.pool), dtype=bool))
        else:
            self._start(others, self._inside[kept])

    def run(self) -> None:
        """Improve the mixture until no neighbour of its outputs is better, or time is over."""
        in_vain = 0
        while not self.deadline.over:
            better = self._better()
            if len(better) < FEW:
                in_use, nearly = self._unexpanded()
                in_vain = 0 if len(in_use) or len(better) else in_vain + 1
                if in_vain <= PATIENCE and len(in_use) + len(nearly):
                    todo = np.concatenate([in_use, nearly])
                    self.pool.expand(todo, self.mixture.duals, NEAR)
                    better = self._better()
                elif len(better) == 0:
                    if self.mixture.shortfall <= SHORT:
                        return
                    self.master.raise_penalty()
                    self.mixture = self.master.solve()
            if len(better):
                self._take(better[:MOST_ADDED])
                self.mixture = self.master.solve()

    def settled(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture without a shortfall."""
        while self.mixture.shortfall > SHORT:  # ends: the output P_X alone is a mixture
            self.master.raise_penalty()
            self.mixture = self.master.solve()
        return self.master.kernel(self.mixture)

    def in_use(self) -> FloatArray:
        """Return the outputs of the best mixture, shape (k, n_x)."""
        return self.master.points[self.mixture.used]

    def widen(self) -> bool:
        """Expand vertices nearly in use, or descend from random starts where none is left.

        Returns
        -------
        found : bool
            Whether an improving output was found.
        """
        while not self.deadline.over:
            _, nearly = self._unexpanded()
            if len(nearly) == 0:
                return self.descend_from(self._anywhere())
            self.pool.expand(nearly, self.mixture.duals, NEAR)
            if len(self._better()):
                return True
        return False

    def look_wider(self, deadline: Deadline) -> None:
        """Descend from random starts and improve the mixture, until a deadline or in vain."""
        whole, self.deadline, in_vain = self.deadline, deadline, 0
        while in_vain < ROUNDS and not deadline.over:
            if self.descend_from(self._anywhere()):
                in_vain = 0
                self.run()
            else:
                in_vain += 1
        self.deadline = whole

    def descend_from(self, costs: FloatArray) -> bool:
        """Descend from the vertices that minimise given costs, shape (k, n_x).

        Returns
        -------
        found : bool
            Whether an improving output was found.
        """
        found = tableaux.some_corners(self.pool.searched, costs, self.deadline)
        if found is None:
            return False
        starts = tableaux.tableaux(found.space, found.basic, found.nonbasic)
        if len(starts) == 0:
            return False
        ends, _ = descend(starts, self.mixture.duals, self.utility, deadline=self.deadline)
        self.pool.add(ends.corners())
        return len(self._better()) > 0

    def _seeds(self) -> BasicSolutions:
        """Return, for each symbol, a vertex in which it weighs most."""
        costs = -np.eye(self.space.n_x)
        first, second = self.deadline.part(1 / 4), self.deadline.part(1 / 2)
        found = tableaux.corners(self.space, costs, first)
        if not found.tied():
            return found
        moved = tableaux.some_corners(self.space.perturbed(), costs, second)
        return found if moved is None else moved

    def _anywhere(self) -> FloatArray:
        """Return random costs whose minimising vertices are starts of descents, shape (k, n_x)."""
        symbols = self._rng.permutation(self.space.n_x)[:SCATTERED]
        costs = self._rng.exponential(size=(len(symbols), self.space.n_x))
        costs[np.arange(len(symbols)), symbols] -= STEEP
        return costs

    def _better(self) -> IntArray:
        """Return the indices of the pool's vertices of negative reduced cost, lowest first."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        prices = self.pool.prices(self.mixture.duals)
        found = np.flatnonzero(~self._inside & (prices < -PRICE))
        return found[np.argsort(prices[found], kind="stable")]

    def _unexpanded(self) -> tuple[IntArray, IntArray]:
        """Return vertices to expand: some in use, and some nearly in use."""
        prices = self.pool.prices(self.mixture.duals)
        in_use = self._origin[self.mixture.used]
        in_use = in_use[in_use >= 0]
        in_use = in_use[~self.pool.expanded[in_use]]
        in_use = in_use[np.argsort(prices[in_use], kind="stable")][:MOST_EXPANDED]
        nearly = ~self.pool.expanded & (prices < NEAR)
        nearly[in_use] = False
        others = np.flatnonzero(nearly)
        room = (MOST_EXPANDED - len(in_use)) // 2
        others = others[np.argsort(prices[others], kind="stable")][:room]
        return in_use, others

    def _take(self, which: IntArray) -> None:
        """Add vertices of the pool to the master program."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        self.master.add(self.pool.points[which])
        self._inside[which] = True
        self._origin = np.append(self._origin, which)
