"""The allowed outputs in the form that branch and bound uses: linear programs and largest odds."""

from __future__ import annotations

import numpy as np
from scipy import sparse, special

from core.allowed.allowed_set import AllowedSet
from core.optimal.bounds.relaxation import Relaxation
from core.optimal.concave_descent import descend
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray


class Space:
    """The linear programs of an allowed set, and the largest odds, which are kept between proofs.

    Parameters
    ----------
    allowed : AllowedSet
        The allowed outputs; its oracle is not used.

    Attributes
    ----------
    relaxation : Relaxation
        The linear program that every box shares.
    """

    def __init__(self, allowed: AllowedSet) -> None:
        self._n_x = allowed.n_x
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

    def highest_odds(self, symbol: int) -> float:
        """Return an upper bound on a symbol's odds r_d/(1 − r_d), ∞ where it is allowed alone."""
        if symbol not in self._odds:
            self.relaxation.focus(symbol)
            self._odds[symbol] = self.relaxation.highest_odds()
        return self._odds[symbol]

    def purest(self, symbol: int) -> FloatArray:
        """Return the posterior that meets the rows in which a symbol has the largest entry."""
        return self._lowest(-np.eye(self.relaxation.matrix.shape[1])[symbol])

    def descend(self, r: FloatArray, prices: FloatArray) -> list[FloatArray]:
        """Descend along linearisations of H(r) − p·r from an allowed output.

        Returns
        -------
        list of ndarray
            The allowed output at the end, shape (n_x,); an empty list if none is better.
        """
        rest = np.zeros(self.relaxation.matrix.shape[1] - len(r))

        def lowest(costs: FloatArray) -> FloatArray:
            return self._lowest(np.append(costs, rest))

        def cost(r: FloatArray) -> float:
            return float(special.entr(r).sum())

        return descend(r, prices, lowest, cost, cost(r) - float(prices @ r))[-1:]

    def _lowest(self, costs: FloatArray) -> FloatArray:
        """Return the posterior that meets the rows and minimises costs·(r, auxiliary variables)."""
        self._slice.set_costs(costs)
        r = np.maximum(self._slice.solve().x[: self._n_x], 0.0)
        result: FloatArray = r / r.sum()
        return result
