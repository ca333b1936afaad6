"""The allowed outputs as branch and bound sees them: rows, the cuts asked for so far, odds."""

from __future__ import annotations

import numpy as np
from scipy import sparse, special

from core.notions.allowed_set import AllowedSet
from core.optimal.highs import INFINITY, LinearProgram
from core.optimal.relaxation import Multipliers, Relaxation
from core.validation import FloatArray

CUT_ROUNDS = 30
"""Most times that an oracle's cuts are added to one program: a box is then split all the same."""

DESCENT_STEPS = 30
"""Most linearisations of one descent: it ends in a vertex after two to four."""

PROGRESS = 1e-10
"""A descent goes on while it gains more than this, in nats: less is rounding."""

SMALLEST = 1e-9
"""Entries below this count as this where H is linearised: at 0 its slope is infinite."""


class Space:
    """An allowed set with what was learnt of it: cuts and largest odds are kept between proofs.

    Parameters
    ----------
    allowed : AllowedSet
        The allowed outputs.

    Attributes
    ----------
    relaxation : Relaxation
        The linear program that every box shares.
    """

    def __init__(self, allowed: AllowedSet) -> None:
        self.allowed = allowed
        self.relaxation = Relaxation(allowed)
        self._odds: dict[int, float] = {}
        n_rows, n_vars = self.relaxation.matrix.shape
        mass = np.zeros((1, n_vars))
        mass[0, : allowed.n_x] = 1.0
        self._slice = LinearProgram(
            sparse.csr_array(np.vstack([mass, self.relaxation.matrix])),
            np.concatenate([[1.0], np.full(n_rows, -INFINITY)]),
            np.concatenate([[1.0], np.zeros(n_rows)]),
            primal=True,
        )

    def allows(self, r: FloatArray) -> bool:
        """Say whether the oracle, if there is one, lets a point of the rows pass."""
        return self.allowed.oracle is None or len(self.allowed.oracle(r)) == 0

    def solve(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray | None, Multipliers]:
        """Minimise over a box as `Relaxation.solve`, with the cuts that the oracle asks for."""
        point, multipliers = self.relaxation.solve(costs, lower, upper)
        for _ in range(CUT_ROUNDS):
            if point is None or not self._cut(point):
                break
            point, multipliers = self.relaxation.solve(costs, lower, upper)
        return point, multipliers

    def highest_odds(self, symbol: int) -> float:
        """Return an upper bound of a symbol's odds, ∞ where it is (nearly) allowed alone."""
        if symbol not in self._odds:
            self.relaxation.focus(symbol)
            odds, point = self.relaxation.highest_odds()
            for _ in range(CUT_ROUNDS):
                if not self._cut(point):
                    break
                odds, point = self.relaxation.highest_odds()
            self._odds[symbol] = odds
        return self._odds[symbol]

    def purest(self, symbol: int) -> FloatArray:
        """Return the posterior of the rows and cuts so far in which a symbol weighs most."""
        return self._lowest(-np.eye(self.relaxation.matrix.shape[1])[symbol])

    def descend(self, r: FloatArray, prices: FloatArray) -> list[FloatArray]:
        """Follow linearisations of H(r) − p·r, which lie above it, down from an allowed output.

        Returns
        -------
        list of ndarray
            The allowed output where that ends, shape (n_x,); none if it gets nowhere.
        """
        best, value, moved = r, float(special.entr(r).sum() - prices @ r), False
        costs = np.zeros(self.relaxation.matrix.shape[1])
        for _ in range(DESCENT_STEPS):
            costs[: len(r)] = -np.log(np.maximum(best, SMALLEST)) - prices
            ahead = self._lowest(costs)
            if not self.allows(ahead):
                break
            lower = float(special.entr(ahead).sum() - prices @ ahead)
            if lower > value - PROGRESS:
                break
            best, value, moved = ahead, lower, True
        return [best] if moved else []

    def _lowest(self, costs: FloatArray) -> FloatArray:
        """Minimise costs·r over the posteriors, with the cuts that the oracle asks for."""
        self._slice.set_costs(costs)
        r = self._posterior()
        for _ in range(CUT_ROUNDS):
            if not self._cut(r):
                break
            r = self._posterior()
        return r

    def _posterior(self) -> FloatArray:
        r = np.maximum(self._slice.solve().x[: self.allowed.n_x], 0.0)
        result: FloatArray = r / r.sum()
        return result

    def _cut(self, point: FloatArray) -> bool:
        """Add the cuts that a point breaks to both programs; say whether there were any."""
        if self.allowed.oracle is None:
            return False
        cuts = self.allowed.oracle(point)
        if not len(cuts):
            return False
        wide = self.relaxation.add_cuts(cuts)
        self._slice.add_rows(wide, np.full(len(cuts), -INFINITY), np.zeros(len(cuts)))
        return True
