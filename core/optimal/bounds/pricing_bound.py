"""Proofs of prices by branch and bound, one dominant symbol at a time.

Every allowed r has a largest entry, so prices p that hold for each symbol's outputs satisfy H(r) ≥
p·r on the whole allowed set, and no mechanism exceeds H(X) − p·P_X (weak duality). Where λ_d does
not hold it is lowered for d alone: the bound rises by Σ_d P(d)(λ_d − p_d).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.optimal.bounds.box_programs import BoxPrograms
from core.optimal.bounds.forest import Forest
from core.optimal.concave_descent import descend
from core.optimal.programs.highs import sliced
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class BoundResult:
    """The result of branch and bound for prices λ.

    - `prices`: p ≤ λ with H(r) ≥ p·r for every allowed posterior r, shape (n_x,).
    - `columns`: allowed posteriors with H(r) < λ·r, shape (n_x,) each, no two the same.
    - `finished`: whether every tree is closed.
    - `boxes`: boxes bounded so far.
    """

    prices: FloatArray
    columns: list[FloatArray]
    finished: bool
    boxes: int


class PricingBound:
    """Proofs of prices over one allowed set; equal prices continue the trees of the last call."""

    def __init__(self, allowed: AllowedSet) -> None:
        self.n_x = allowed.n_x
        self._programs = BoxPrograms(allowed)
        self._slice = sliced(allowed.rows, np.ones(allowed.n_x))
        self._trees: Forest | None = None
        self._columns: dict[bytes, FloatArray] = {}

    def minimise(
        self,
        prices: FloatArray,
        *,
        tolerance: float,
        time_limit: float,
        weights: FloatArray | None = None,
    ) -> BoundResult:
        """Prove prices as near to λ as possible, and collect outputs that disprove λ."""
        deadline = Deadline.after(time_limit)
        weights = np.ones(self.n_x) if weights is None else weights
        trees = self._trees
        if trees is None or not trees.are_for(prices, tolerance):
            self._columns = {}
            trees = Forest(self._programs, prices, tolerance, lambda r: self._descended(r, prices))
            self._trees = trees
        trees.work(weights, deadline)
        proven = trees.proven
        # subtracted from every proven price, relative to 1 + |price|, for the rounding of
        # divisions
        proven -= 1e-12 * (1.0 + np.abs(proven))
        return BoundResult(proven, list(self._columns.values()), trees.closed, trees.boxes)

    @property
    def spread(self) -> float:
        """Part of the boxes bounded at the latest prices that is open."""
        return self._trees.spread if self._trees is not None else 0.0

    def _descended(self, r: FloatArray, prices: FloatArray) -> list[FloatArray]:
        """Return where a descent from an output ends, if below it; keep what undercuts prices."""
        ends = descend(r, prices, self._lowest, float(special.entr(r).sum() - prices @ r))[-1:]
        for column in ends or [r]:
            if special.entr(column).sum() < prices @ column:
                self._columns.setdefault(np.round(column, 12).tobytes(), column)
        return ends

    def _lowest(self, costs: FloatArray) -> FloatArray:
        """Return the allowed posterior that minimizes costs·r."""
        self._slice.set_costs(np.append(costs, np.zeros(self._slice.n_cols - self.n_x)))
        r = np.maximum(self._slice.solve().x[: self.n_x], 0.0)
        result: FloatArray = r / r.sum()
        return result
