"""Linear programs over the allowed outputs in one box, and safe bounds from their multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.errors import InfeasibleError
from core.limits import DUST
from core.optimal.programs.highs import sliced
from core.validation import FloatArray

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, slots=True)
class Multipliers:
    """Multipliers of the rows (≥ 0), shape (m,), and of the mass, which prove a bound."""

    rows: FloatArray
    mass: float


class Relaxation:
    """The linear program of one box, warm-started; `matrix`: rows, (m, n_x + n_auxiliary)."""

    def __init__(self, allowed: AllowedSet) -> None:
        self.n_x = allowed.n_x
        self.matrix: FloatArray = allowed.rows.toarray()
        self._program = sliced(allowed.rows, np.ones(self.n_x))
        self._costs = np.zeros(self.matrix.shape[1])

    def solve(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray | None, Multipliers]:
        """Minimize costs·r over a box: return the point, (n_x,), and multipliers.

        Where HiGHS finds the box empty the point is None, and the multipliers may prove it.
        """
        self._costs[: self.n_x] = costs
        self._program.set_costs(self._costs)
        self._program.set_col_bounds(lower, upper)
        try:
            solution = self._program.solve()
        except InfeasibleError:
            return None, _multipliers(self._program.dual_ray())
        return solution.x[: self.n_x], _multipliers(solution.duals)

    def proven(
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        multipliers: Multipliers,
    ) -> tuple[float, FloatArray]:
        """Return a lower bound of costs·r over a box, and its reduced costs, (n_x,).

        Valid for any multipliers ≥ 0 on rows: slacks are left out, each variable takes the cheaper
        end of its box, and rounding is subtracted.
        """
        priced, rows = self.priced(multipliers.rows)
        nu = multipliers.mass
        reduced = costs + priced - nu
        value = nu + float(np.minimum(reduced * lower, reduced * upper).sum())
        size = 1.0 + abs(nu) + float(rows.sum()) + float(np.abs(costs).max())
        terms = len(rows) + self.n_x + 8
        return value - EPSILON * terms * size * (1.0 + float(upper.sum())), reduced

    def priced(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return rows @ matrix on the symbols, (n_x,), and the multipliers, repaired.

        They are repaired so that every auxiliary variable has a reduced cost of at least SURPLUS.
        """
        priced = rows @ self.matrix
        auxiliary = priced[self.n_x :]
        if len(auxiliary) and auxiliary.min() < DUST:
            rows = self._repaired(rows, auxiliary)
            priced = rows @ self.matrix
        return priced[: self.n_x], rows

    def _repaired(self, rows: FloatArray, auxiliary: FloatArray) -> FloatArray:
        """Raise multipliers until auxiliary variables have reduced costs ≥ SURPLUS, else set 0."""
        uses = self.matrix[:, self.n_x :]
        rows = rows.copy()
        for j in np.flatnonzero(auxiliary < DUST):
            i = int(uses[:, j].argmax())
            if uses[i, j] > 0:
                rows[i] += (2 * DUST - auxiliary[j]) / uses[i, j]
        if (rows @ uses).min() < DUST:
            rows[(uses != 0).any(axis=1)] = 0.0
        return rows


def _multipliers(duals: FloatArray) -> Multipliers:
    """Return duals as multipliers: the first is that of the mass, the others change their sign."""
    return Multipliers(np.maximum(-duals[1:], 0.0), float(duals[0]))
