"""The optimum under smooth budgets on averages, and its upper bound.

From inside: outputs in use are moved by Newton's method to where their reduced cost is least, until
the mixture improves no more. From outside: the vertices that undercut the duals are enumerated over
a polytope around the cone, given by tangents at these outputs. Such a vertex starts a new output if
its own reduced cost is negative, and gives a new tangent if it is outside the cone. Where no vertex
undercuts the duals, they prove the upper bound. Where costs have few pieces the cone is a polytope,
and this search is needed only if the general solver cannot prove its optimum.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.optimal.bounds.low_vertices import undercutting
from core.optimal.budgets.lifting import Lifting
from core.optimal.budgets.newton import KEPT, Prices, improved
from core.optimal.budgets.silent import SilentSearch
from core.optimal.polytopes.facets import facets_of
from core.optimal.programs.master import SHORT, Master
from core.optimal.tolerances import PRICE
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

MOST_SYMBOLS = 60
"""Most symbols for a proof: with more a vertex has too many edges."""

COARSE = 1.8e-3
"""First slack of a proof, as a part of the utility of X itself: duals are not yet optimal."""

ENOUGH_GAIN = 5e-4
"""Gain of a round of random starts, as such a part, below which a proof is tried."""

FINER = 8.0
"""Factor by which the slack falls from proof to proof."""

WARM_SHARE = 0.3
"""Part of the time that may pass before the first proof."""

ROUNDS = 10
"""Most rounds of moving outputs in use before the next proof."""

GAIN = 1e-9
"""Improvement of the mixture, in nats, below which outputs are not moved again."""

ENOUGH = 50
"""Outputs that undercut the duals after which a proof stops, to improve the duals first."""

UNDER = 0.25
"""Part of the slack by which an output must undercut the duals to count among them."""

FEW_LOW = 250
"""Most vertices below the duals that a proof keeps at first: far from the optimum there are
thousands."""

GROWTH, MOST_LOW = 4, 64_000
"""Factor by which that number grows where it was too small, and its largest value."""

MOST_TANGENTS = 500
"""Most tangents; the oldest are dropped."""

SCATTERED = 60
"""Number of random starts."""

DIGITS = 8
"""Outputs that agree to this many decimals are one."""


class BudgetSearch:
    """The search for the best mixture of outputs under smooth budgets.

    Attributes
    ----------
    value : float
        Utility of the best mixture so far.
    upper : float
        The least upper bound proven so far.

    Parameters
    ----------
    lifting : Lifting
        The allowed outputs, without auxiliary variables or oracle, and the budgets.
    seed : int
        Seed of the random starts.
    deadline : Deadline
        When to stop.

    Raises
    ------
    SolverError
        If HiGHS fails.
    """

    def __init__(self, lifting: Lifting, *, seed: int, deadline: Deadline) -> None:
        self.lifting, self.deadline = lifting, deadline
        self.n_x, self.p_x = lifting.n_x, lifting.p_x
        self.goal = lifting.utility
        self.upper = self.goal.inner.value(np.diag(self.p_x), self.p_x)
        self._whole = self.upper
        self._rng = np.random.default_rng(seed)
        self._rows: FloatArray = lifting.inside().rows.toarray()
        self._silent = SilentSearch(lifting.budgets[0].excess, self._rows, seed=seed)
        self._known: set[bytes] = set()
        self._most = FEW_LOW
        self._tangents = np.zeros((0, len(lifting.p)))
        first = np.vstack([lifting.lifted(self.p_x[None]), lifting.slack()])
        self._master = Master(lifting.p, self.goal, first)
        self._mix()
        pure = np.eye(self.n_x)
        self.include(pure[(pure @ self._rows.T <= 0).all(axis=1)])

    def include(self, points: FloatArray) -> bool:
        """Add allowed posteriors, shape (k, n_x), to the mixture; return whether any was new."""
        names = [np.round(point, DIGITS).tobytes() for point in points]
        new = [i for i, name in enumerate(names) if name not in self._known]
        self._known.update(names)
        if new:
            self._master.add(self.lifting.lifted(points[new]))
            self._mix()
        return bool(new)

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture."""
        return self.lifting.lowered(self._master.kernel(self._mixture))

    def run(self, gap: float, *, prove: bool) -> None:
        """Improve the mixture and lower the upper bound until they meet or time is over.

        Parameters
        ----------
        gap : float
            Difference at which to stop, in nats.
        prove : bool
            Whether to go on after the first proof, with smaller slacks.
        """
        slack = max(COARSE * self._whole, gap / 2)
        self.warm_up(WARM_SHARE)
        while not self.deadline.over:
            starts, complete = self._undercutting(slack)
            if len(starts):
                if not self._move(starts):  # they undercut the duals by rounding only
                    return
                continue
            if not complete:
                self._most *= GROWTH
                if self._most > MOST_LOW:
                    return
                continue
            if not prove or self.upper - self.value <= gap or slack <= gap / 2:
                return
            slack = max(slack / FINER, gap / 2)

    def warm_up(self, share: float) -> None:
        """Improve the mixture from random starts, as a proof far from the optimum is of no use.

        Starts are random outputs, and outputs independent of S, to which those in use are close
        under a small budget.

        Parameters
        ----------
        share : float
            Part of the time left that this may take.
        """
        until = self.deadline.part(share)
        while not until.over:
            before = self.value
            self._move(self.pulled(self._silent.outputs(self._prices().of_symbols)))
            self._move(self._scattered())
            if self.value - before < ENOUGH_GAIN * self._whole:
                return

    def _mix(self) -> None:
        """Compute the best mixture without a shortfall."""
        self._mixture = self._master.solve()
        while self._mixture.shortfall > SHORT:
            self._master.raise_penalty()
            self._mixture = self._master.solve()
        self.value = self.goal.offset(self.lifting.p) - self._mixture.cost

    def _prices(self) -> Prices:
        """Return the duals of the mixture, in nats and in nats per unit of each budget's cost."""
        duals = self._mixture.duals / (1 + len(self.lifting.budgets))
        limits = np.array([budget.limit for budget in self.lifting.budgets])
        of_budgets = np.maximum(-duals[self.n_x :], 0.0) / limits
        return Prices(duals[: self.n_x], of_budgets, self.lifting.budgets, self.goal.inner)

    def _in_use(self) -> FloatArray:
        """Return the outputs of the mixture as posteriors, shape (k, n_x)."""
        used = self._master.points[self._mixture.used, : self.n_x]
        used = used[used.sum(axis=1) > 0]
        result: FloatArray = used / used.sum(axis=1, keepdims=True)
        return result

    def _scattered(self) -> FloatArray:
        """Return random outputs of few symbols that meet the rows, shape (SCATTERED, n_x)."""
        most = min(self.n_x, len(self.lifting.budgets[0].excess) + 1, KEPT)
        weights = self._rng.exponential(size=(SCATTERED, self.n_x)) * self.p_x
        counts = self._rng.integers(min(2, most), most, size=(SCATTERED, 1), endpoint=True)
        least = np.take_along_axis(-np.sort(-weights, axis=1), counts - 1, axis=1)
        points = np.where(weights >= least, weights, 0.0)
        points /= points.sum(axis=1, keepdims=True)
        return self.pulled(points)

    def pulled(self, points: FloatArray) -> FloatArray:
        """Return posteriors, shape (k, n_x), moved towards P_X until they meet the rows."""
        here, there = points @ self._rows.T, self._rows @ self.p_x
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
        share = needed.max(axis=1, initial=0.0)[:, None]
        result: FloatArray = points * (1 - share) + share * self.p_x
        return result

    def _move(self, starts: FloatArray) -> bool:
        """Move outputs to least reduced cost and mix them, until that improves no more.

        Returns
        -------
        better : bool
            Whether an output of negative reduced cost was new.
        """
        if not isinstance(self.goal.inner, MutualInformation):
            return self.include(starts)
        better = False
        for _ in range(ROUNDS):
            if self.deadline.over:
                break
            before, prices = self.value, self._prices()
            starts = np.vstack([starts, self._in_use()])
            points, values = improved(starts, prices, self._rows, deadline=self.deadline)
            found = self.include(points[values < -PRICE])
            better |= found
            if not found or self.value - before < GAIN:
                break
            starts = np.zeros((0, self.n_x))
        return better

    def _undercutting(self, slack: float) -> tuple[FloatArray, bool]:
        """Lower the upper bound; return outputs that undercut the duals, and if it is complete.

        The outputs have shape (k, n_x). The proof is complete if its slack is half of `slack`.
        """
        lifting, duals, prices = self.lifting, self._mixture.duals, self._prices()
        self._add_tangents(self._in_use())
        rows = sparse.vstack([lifting.rows, sparse.csr_array(self._tangents)])
        outer = facets_of(AllowedSet(sparse.csr_array(rows), len(lifting.p)), lifting.p)
        found: list[FloatArray] = []

        def oracle(points: FloatArray) -> FloatArray | None:
            own = points[:, : self.n_x]
            own = own / own.sum(axis=1, keepdims=True)
            low = own[prices.value(own) < -UNDER * slack]
            found.append(low)
            if sum(map(len, found)) >= ENOUGH:
                return None
            cuts = lifting.cuts(points)
            self._tangents = np.vstack([self._tangents, cuts])
            return cuts

        met = undercutting(
            outer,
            lifting.p,
            self.goal,
            duals,
            slack=slack / 2,
            most=self._most,
            oracle=oracle,
            deadline=self.deadline,
        )
        if met.sure:
            self.upper = min(self.upper, met.bound)
        return np.vstack([np.zeros((0, self.n_x)), *found]), met.slack <= slack / 2

    def _add_tangents(self, points: FloatArray) -> None:
        """Add the tangents of every smooth budget at posteriors (k, n_x); drop the oldest."""
        budgets = self.lifting.budgets
        new = [self.lifting.row_of(j, budgets[j].tangents(points)) for j in self.lifting.smooth]
        self._tangents = np.vstack([self._tangents, *new])[-MOST_TANGENTS:]
