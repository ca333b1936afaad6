"""Proof that no allowed output improves a mixture: a floor under every reduced cost.

A polytope that can be walked is walked once: then the floor is exact for any duals, and any
better output is among its vertices. Beyond that, branch and bound.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from core.errors import SolverError, TimeLimitError
from core.notions.allowed_set import AllowedSet
from core.optimal import pivoting
from core.optimal.bound import PricingBound
from core.optimal.polytope import Polytope
from core.optimal.utility import MutualInformation, Utility
from core.optimal.walk import walk
from core.validation import FloatArray

MARGIN = 1e-12
"""Added to every bound, in nats: the rounding of the sums that it is made of."""

PRICE = 1e-11
"""A reduced cost above −1e-11 nats is rounding."""

MOST_BETTER = 4
"""Outputs that a walk hands back, for each symbol of X."""

WALK_SHARE = 0.25
"""Part of the time left that a walk may take before branch and bound gets the rest."""

WALK_ENTRIES = 4_000_000
"""Entries of all tableaus of a walk that is quicker than branch and bound."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a proof says.

    Attributes
    ----------
    bound : float
        No mechanism has more utility.
    better : ndarray
        Allowed outputs with a negative reduced cost, the best first, shape (k, n_x).
    """

    bound: float
    better: FloatArray


class Prover:
    """Proofs over one polytope; what they learn of it is kept.

    Parameters
    ----------
    allowed : AllowedSet
        Rows of the set; with an oracle, the bound is one for a larger set, which is valid too.
    space : Polytope
        The same as a polytope.
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        What is to be large.
    """

    def __init__(
        self, allowed: AllowedSet, space: Polytope, p_x: FloatArray, utility: Utility
    ) -> None:
        self.space, self.p_x, self.utility = space, p_x, utility
        self.allowed = AllowedSet(allowed.rows, allowed.n_x)
        self.walked: FloatArray | None = None
        self.stopped = ""
        self._costs = np.zeros(0)
        self._tree: PricingBound | None = None

    def walk(self, deadline: float, max_vertices: int) -> bool:
        """Compute all vertices, if there are not too many; say whether they are known now."""
        if self.walked is None and not self.stopped:
            try:
                found = walk(self.space, deadline=deadline, max_vertices=max_vertices)
            except (TimeLimitError, SolverError) as error:
                self.stopped = str(error)
            else:
                points, _ = pivoting.true_points(self.space, found)
                self.walked, self._costs = points, self.utility.cost(points)
        return self.walked is not None

    def check(self, duals: FloatArray, gap: float, deadline: float) -> Verdict:
        """Return a bound on the utility, and outputs that would improve the mixture.

        Parameters
        ----------
        duals : ndarray
            λ, shape (n_x,).
        gap : float
            A bound this close to the mixture's utility, in nats, is good enough.
        deadline : float
            On the clock of `time.monotonic`.
        """
        offset = self.utility.offset(self.p_x)
        now = time.monotonic()
        few = WALK_ENTRIES // (self.space.n_basic * (self.space.n_free + 1))
        if self.walk(now + WALK_SHARE * (deadline - now), few) and self.walked is not None:
            prices = self._costs - self.walked @ duals
            order = np.argsort(prices, kind="stable")[: MOST_BETTER * len(self.p_x)]
            better = self.walked[order[prices[order] < -PRICE]]
            return Verdict(offset - self._worth(duals, prices) + MARGIN, better)
        pieces = self.utility.pieces()
        if pieces is not None:
            return self._check_pieces(duals, pieces)
        if not isinstance(self.utility, MutualInformation):
            return Verdict(self._trivial(), np.zeros((0, len(self.p_x))))
        if self._tree is None:
            self._tree = PricingBound(self.allowed)
        result = self._tree.minimise(
            duals,
            tolerance=gap / 2,
            time_limit=deadline - time.monotonic(),
            weights=self.p_x,
        )
        met = np.array(result.columns).reshape(-1, len(self.p_x))
        return Verdict(offset - float(result.prices @ self.p_x) + MARGIN, met)

    def _worth(self, duals: FloatArray, prices: FloatArray) -> float:
        """Return p·P_X of duals p ≤ λ that no vertex undercuts, λ's prices being given.

        Either all duals fall by as much as the worst price asks, or, for each vertex with a
        negative price, that of the symbol which it says most about: that is the cheaper way
        where only symbols of tiny probability are priced too high.
        """
        total = float(duals @ self.p_x)
        low = np.flatnonzero(prices < 0)
        if len(low) == 0 or self.walked is None:
            return total
        points = self.walked[low]
        symbol = (points / self.p_x).argmax(axis=1)
        fall = np.zeros(len(self.p_x))
        np.maximum.at(fall, symbol, -prices[low] / points[np.arange(len(low)), symbol])
        return total - min(-float(prices.min()), float(fall @ self.p_x))

    def _check_pieces(self, duals: FloatArray, pieces: FloatArray) -> Verdict:
        """Price a piecewise linear cost exactly: one linear program for each piece."""
        found = pivoting.corners(self.space, pieces - duals).points()
        found /= found.sum(axis=1, keepdims=True)
        prices = self.utility.cost(found) - found @ duals
        better = found[prices < -PRICE]
        if len(better):
            return Verdict(self._trivial(), better)
        return Verdict(self.utility.offset(self.p_x) - float(duals @ self.p_x) + PRICE, better)

    def _trivial(self) -> float:
        """Return the utility of publishing X as it is, which no mechanism exceeds."""
        return self.utility.value(np.diag(self.p_x), self.p_x) + MARGIN
