"""Linear programs over the allowed outputs in one box, and safe bounds from their multipliers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline, tell_cut
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.limits import CLOSE, DUST, ROUNDING
from core.optimal.plan import SIZES
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
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        time_limit: float | None = None,
    ) -> tuple[FloatArray | None, Multipliers]:
        """Minimize costs·r over a box: return the point, (n_x,), and multipliers.

        Where HiGHS finds the box empty the point is None, and the multipliers may prove it.
        """
        self._costs[: self.n_x] = costs
        self._program.set_costs(self._costs)
        self._program.set_col_bounds(lower, upper)
        try:
            solution = self._program.solve(time_limit)
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

    def largest(self, rows: FloatArray) -> FloatArray:
        """Return upper bounds on all entries of an allowed posterior by one row, (n_x,).

        Multipliers add rows up to one, g·r ≤ 0: where g(x) > 0, r(x) g(x) ≤ (1 − r(x)) max(−g).
        """
        priced, rows = self.priced(rows)
        rounding = EPSILON * (len(rows) + 8) * float((rows @ abs(self.matrix)).max())
        g, others = priced - rounding, rounding - float(priced.min())
        some = (g > 0) & (others > 0)
        result: FloatArray = np.where(some, others / (others + np.where(some, g, 1.0)), 1.0)
        return result

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


def bound_of_entries(
    allowed: AllowedSet, p_x: FloatArray, weights: FloatArray, deadline: Deadline
) -> float:
    """Return an upper bound on I(X;Y), in nats, by the largest entry u(x) of an allowed posterior.

    H(r) = −Σ r log r is at least −Σ r log u, so I(X;Y) ≤ H(X) + Σ_x P(x) log u(x). Each u(x) is a
    linear program under the rows that a mixture's outputs, P(x, y) of shape (k, n_x), meet most;
    then under all that they meet, if there are more; of few rows, or with auxiliary variables,
    under all at once. The multipliers of each, of likely symbols first, bound the entries of all
    others too.
    """
    every = [np.arange(allowed.rows.shape[0])]
    if not allowed.n_auxiliary and len(every[0]) > SIZES.column_rows:
        masses = weights.sum(axis=1)
        met = (allowed.rows @ (weights / masses[:, None]).T >= -CLOSE) @ masses
        binding = np.argsort(-met, kind="stable")[: np.count_nonzero(met)]
        first = binding[: len(p_x) // 2]
        every = [first] if len(first) == len(binding) else [first, binding]
    lower, upper, most = np.zeros(len(p_x)), np.ones(len(p_x)), np.ones(len(p_x))
    for rows in every:
        program = Relaxation(replace(allowed, rows=allowed.rows[rows]))
        with suppress(TimeLimitError, SolverError):  # the others bound it
            for x in np.argsort(-p_x, kind="stable"):
                if deadline.over:
                    tell_cut()
                    break
                costs = np.zeros(len(p_x))
                costs[x] = -1.0
                point, multipliers = program.solve(costs, lower, upper, deadline.left)
                if point is not None:
                    most = np.minimum(most, program.largest(multipliers.rows))
    return float(special.entr(p_x).sum() + p_x @ np.log(most)) + ROUNDING


def _multipliers(duals: FloatArray) -> Multipliers:
    """Return duals as multipliers: the first is that of the mass, the others change their sign."""
    return Multipliers(np.maximum(-duals[1:], 0.0), float(duals[0]))
