"""Column generation: outputs are looked for where the duals of the master program ask for them.

Source: [Lift] and [ALIP] enumerate all vertices first; here only those near the ones in use are
ever computed.
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
"""Outputs that enter the master program at a time."""

MOST_EXPANDED = 48
"""Vertices whose neighbours are looked at in one pass."""

FEW = 8
"""With fewer improving outputs at hand than this, neighbours are looked at first."""

PATIENCE = 3
"""Passes over vertices that are nearly in use, without a better one, before the search ends."""

SCATTERED = 42
"""Random starts in one round, each towards another symbol: the outputs that are missed say most
about one that hardly any other output is about."""

STEEP = 5.0
"""What such a start gains on its symbol, where others cost 1 each on average."""

ROUNDS = 3
"""Rounds of random starts without a better output after which a proof is asked."""

DIGITS = 10
"""Outputs that agree in so many digits after the point are one."""


class ColumnSearch:
    """The search for improving outputs over one polytope.

    Attributes
    ----------
    master : Master
        The outputs that were taken up.
    pool : ColumnPool
        All vertices that were met.
    mixture : Mixture
        The best mixture so far.

    Parameters
    ----------
    space : Polytope
        The allowed outputs.
    p_x : ndarray
        P(x), shape (n_x,), an allowed output.
    utility : Utility
        What is to be large.
    seed : int
        Of the random starts.
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
        """Set the master program up with given outputs and some of the pool."""
        self.master = Master(self.p_x, self.utility, others)
        self._origin = np.full(len(others), -1)
        self._inside = np.zeros(len(self.pool), dtype=bool)
        self._take(np.flatnonzero(inside))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Let allowed outputs from elsewhere, posteriors of shape (k, n_x), into the program.

        Returns
        -------
        new : bool
            Whether one of them was not known before.
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
        """Narrow the polytope by rows cuts @ r ≤ 0, shape (k, n_x); what breaks them is dropped."""
        self.space = self.space.with_cuts(cuts)
        others = self.master.points[self._origin < 0]
        whole: BoolArray = np.asarray((others @ cuts.T <= 0).all(axis=1))
        whole[0] = True  # P_X, which rounding may have a cut break: all that mixes for sure
        others = others[whole]
        kept = self.pool.cut(self.space, cuts)
        if kept is None:
            self.pool = ColumnPool(self.space, self.utility, self._seeds())
            self._start(others, np.ones(len(self.pool), dtype=bool))
        else:
            self._start(others, self._inside[kept])

    def run(self) -> None:
        """Improve the mixture until no neighbour of what it uses is better, or time is over."""
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
        """Return P(y | x), shape (n_x, n_y), of the best mixture, with nothing at a penalty."""
        while self.mixture.shortfall > SHORT:  # ends: the output P_X alone is a mixture
            self.master.raise_penalty()
            self.mixture = self.master.solve()
        return self.master.kernel(self.mixture)

    def in_use(self) -> FloatArray:
        """Return the outputs of the best mixture, shape (k, n_x)."""
        return self.master.points[self.mixture.used]

    def widen(self) -> bool:
        """Look around outputs that are nearly in use, or from anywhere where none is left.

        Returns
        -------
        found : bool
            Whether an improving output was met.
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
        """Descend from anywhere and improve the mixture until a time, or until that is in vain."""
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
            Whether an improving output was met.
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
        """Return, for each symbol, the output that says most about it."""
        costs = -np.eye(self.space.n_x)
        first, second = self.deadline.part(1 / 4), self.deadline.part(1 / 2)
        found = tableaux.corners(self.space, costs, first)
        if not found.tied():
            return found
        moved = tableaux.some_corners(self.space.perturbed(), costs, second)
        return found if moved is None else moved

    def _anywhere(self) -> FloatArray:
        """Return costs whose best vertices are random starts, shape (k, n_x)."""
        symbols = self._rng.permutation(self.space.n_x)[:SCATTERED]
        costs = self._rng.exponential(size=(len(symbols), self.space.n_x))
        costs[np.arange(len(symbols)), symbols] -= STEEP
        return costs

    def _better(self) -> IntArray:
        """Return which vertices of the pool would improve the mixture, the best first."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        prices = self.pool.prices(self.mixture.duals)
        found = np.flatnonzero(~self._inside & (prices < -PRICE))
        return found[np.argsort(prices[found], kind="stable")]

    def _unexpanded(self) -> tuple[IntArray, IntArray]:
        """Return vertices whose neighbours to look at: some in use, and some nearly so."""
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
        """Let vertices of the pool into the master program."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        self.master.add(self.pool.points[which])
        self._inside[which] = True
        self._origin = np.append(self._origin, which)
