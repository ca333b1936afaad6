"""Lower bounds on H(r) − p·r over the allowed outputs in which one symbol, d, dominates.

With odds k = r_d/(1 − r_d) and the others' distribution w

    (H(r) − p·r)/(1 − r_d) = ψ(k) + Σ_x φ(w_x) − p_d k − Σ_x p_x w_x,
    ψ(k) = (k + 1) log(k + 1) − k log k,  φ(w) = −w log w.

Every term is concave in one variable, so over a box it lies above its secant; the rows are
homogeneous and stay as they are. With secants for terms the minimum is a linear program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from core.allowed.allowed_set import AllowedSet
from core.errors import InfeasibleError
from core.limits import DUST
from core.optimal.bounds.odds import dominance
from core.optimal.concave_descent import descend
from core.optimal.programs.highs import sliced
from core.optimal.tolerances import FEASIBILITY
from core.validation import FloatArray

EPSILON = float(np.finfo(np.float64).eps)

ODDS_CAP = 1e9
"""Odds at which a symbol counts as allowed alone."""


@dataclass(frozen=True, eq=False, slots=True)
class Multipliers:
    """Multipliers of the rows (≥ 0), shape (m,), and of the mass, which prove a bound."""

    rows: FloatArray
    mass: float


class Relaxation:
    """The linear program of one dominant symbol and one box, and safe bounds from its duals.

    `matrix`: the rows, shape (m, n_x + n_auxiliary). `dominant`: d; −1 before the first `focus`:
    all symbols together then have mass 1.
    """

    def __init__(self, allowed: AllowedSet, *, primal: bool = False) -> None:
        self.n_x = allowed.n_x
        self.matrix: FloatArray = allowed.rows.toarray()
        self._mass = np.ones(self.n_x)
        self._program = sliced(allowed.rows, self._mass, primal=primal)
        self._costs = np.zeros(self.matrix.shape[1])
        self.dominant = -1
        self.solved = 0

    def focus(self, dominant: int) -> None:
        """Make a symbol the dominant one: its variable becomes its odds, the others' mass 1."""
        if dominant == self.dominant:
            return
        if self.dominant >= 0:
            self._program.set_coefficient(0, self.dominant, 1.0)
            self._mass[self.dominant] = 1.0
        self._program.set_coefficient(0, dominant, 0.0)
        self._mass[dominant] = 0.0
        self.dominant = dominant

    def secants(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return slopes and intercepts of lines below ψ and φ on a box, shapes (n_x,)."""
        d = self.dominant
        at_lower, at_upper = special.entr(lower), special.entr(upper)
        at_lower[d], at_upper[d] = dominance(lower[d]), dominance(upper[d])
        width = upper - lower
        thin = width < FEASIBILITY
        if thin.any():
            width[thin] = np.inf  # a flat line through the lower end
            at_lower = np.where(thin, np.minimum(at_lower, at_upper), at_lower)
            at_upper = np.where(thin, at_lower, at_upper)
        slopes = (at_upper - at_lower) / width
        return slopes, at_lower - slopes * lower

    def solve(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray | None, Multipliers]:
        """Minimize costs·(k, w) over a box: return the point, (n_x,), and multipliers.

        Where HiGHS finds the box empty the point is None, and the multipliers may prove it.
        """
        self.solved += 1
        self._costs[: self.n_x] = costs
        self._program.set_costs(self._costs)
        self._program.set_col_bounds(lower, upper)
        try:
            solution = self._program.solve()
        except InfeasibleError:
            return None, _multipliers(self._program.dual_ray())
        return solution.x[: self.n_x], _multipliers(solution.duals)

    def basis(self) -> Any:
        """Return the basis of the last solve, for `set_basis`."""
        return self._program.basis()

    def set_basis(self, basis: Any) -> None:
        """Start the next solve from a basis."""
        self._program.set_basis(basis)

    def shown_empty(self, lower: FloatArray, upper: FloatArray, ray: Multipliers) -> bool:
        """Return whether multipliers prove that a box holds no allowed output."""
        return self.proven(np.zeros(self.n_x), lower, upper, ray)[0] > 0

    def proven(
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        multipliers: Multipliers,
    ) -> tuple[float, FloatArray]:
        """Return a lower bound of costs·(k, w) over a box, and its reduced costs, (n_x,).

        Valid for any multipliers ≥ 0 on rows: slacks are left out, each variable takes the cheaper
        end of its box, and rounding is subtracted.
        """
        priced, rows = self.priced(multipliers.rows)
        nu = multipliers.mass
        reduced = costs + priced - nu * self._mass
        value = nu + float(np.minimum(reduced * lower, reduced * upper).sum())
        size = 1.0 + abs(nu) + float(rows.sum()) + float(np.abs(costs).max())
        terms = len(rows) + self.n_x + 8
        return value - EPSILON * terms * size * (1.0 + float(upper.sum())), reduced

    def highest_odds(self) -> float:
        """Return an upper bound of the odds k of d, ∞ where d is allowed (nearly) alone."""
        d = self.dominant
        costs = np.zeros(self.n_x)
        costs[d] = -1.0
        highest = np.ones(self.n_x)
        highest[d] = ODDS_CAP
        point, multipliers = self.solve(costs, np.zeros(self.n_x), highest)
        if point is None or point[d] >= ODDS_CAP:
            return np.inf
        priced, _ = self.priced(multipliers.rows)
        slope = float(priced[d])
        # Σ_x priced_x (k, w)_x ≤ 0, so k·priced_d ≤ −Σ priced_x w_x ≤ max_x −priced_x
        others = np.delete(priced, d)
        size = float(multipliers.rows.sum()) + float(np.abs(others).max())
        rounding = EPSILON * (len(multipliers.rows) + 8) * size
        if slope <= 2 * rounding:
            return np.inf
        return max((float(-others.min()) + rounding) / (slope - rounding), 0.0)

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


class Space:
    """The programs of an allowed set over one `relaxation`; keeps largest odds between proofs."""

    def __init__(self, allowed: AllowedSet) -> None:
        self._n_x = allowed.n_x
        self.relaxation = Relaxation(allowed)
        self._odds: dict[int, float] = {}
        self._slice = sliced(allowed.rows, np.ones(allowed.n_x))

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
        """Return the outputs, (n_x,), of a descent along linearizations of H(r) − p·r."""
        rest = np.zeros(self.relaxation.matrix.shape[1] - len(r))

        def lowest(costs: FloatArray) -> FloatArray:
            return self._lowest(np.append(costs, rest))

        return descend(r, prices, lowest, float(special.entr(r).sum() - prices @ r))[-1:]

    def _lowest(self, costs: FloatArray) -> FloatArray:
        """Return the posterior that meets the rows and minimizes costs·(r, auxiliary variables)."""
        self._slice.set_costs(costs)
        r = np.maximum(self._slice.solve().x[: self._n_x], 0.0)
        result: FloatArray = r / r.sum()
        return result
