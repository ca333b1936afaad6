"""The master program: the mixture of given outputs of least cost that averages to P_X.

minimize Σ_y q_y φ(r_y) subject to Σ_y q_y r_y = P_X, q ≥ 0, solved in kernel coordinates, Σ_y
P(y|x) = 1. Publishing a symbol as it is is a column at a penalty, which rises until no such column
is used. Where outputs of probability δ need not be allowed it is one without a penalty, and a row
bounds their total probability; its dual is the μ of `Utility.premium`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core.errors import SolverError
from core.limits import ROUNDING
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import NOUGHT
from core.optimal.utility import Exceptions, Utility
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Mixture:
    """An optimal mixture of the outputs so far, of `cost` with penalties.

    - `duals`: λ, shape (n_x,): an output r with φ(r) < λ·r would improve the mixture.
    - `shortfall`: probability published at a penalty: the outputs mix to P_X only where it is 0.
    - `used`: indices of the outputs with q_y > 0, shape (j,).
    - `weights`: P(x, y) = q_y r_y(x) of these, shape (j, n_x).
    - `excepted`: the same for outputs that need not be allowed, shape (i, n_x).
    """

    duals: FloatArray
    cost: float
    shortfall: float
    used: IntArray
    weights: FloatArray
    excepted: FloatArray

    def covered(self) -> FloatArray:
        """Return Σ_y P(x, y) of all outputs, shape (n_x,): P(x) where there is no shortfall."""
        result: FloatArray = self.weights.sum(axis=0) + self.excepted.sum(axis=0)
        return result


class Master:
    """The outputs found so far as posteriors `points`, (k, n_x), and their `costs` φ."""

    def __init__(
        self, p_x: FloatArray, utility: Utility, points: FloatArray, least: float = 0.0
    ) -> None:
        self.p_x = p_x
        # least weight of a symbol in penalties: with one of 1e-13 its shortfall would pass for
        # rounding, and its penalty would be below HiGHS's tolerance
        self._weights = np.maximum(p_x, max(least, 1e-6))
        self.utility = utility
        n_x = len(p_x)
        self.points, self.costs, self._sizes = np.zeros((0, n_x)), np.zeros(0), np.zeros(0)
        whole, alone = float(utility.cost(p_x)), p_x * utility.of_symbols(n_x)
        # least first penalty, relative to the costs: a penalty of 0 could not be raised by a
        # factor
        floor = 1e-6 * max(1.0, abs(whole), float(np.abs(alone).sum()))
        # first penalty, in units of the utility that X itself has over a constant output
        self._penalty = max(whole - float(alone.sum()), floor)
        self._alone = alone
        identity = sparse.eye_array(n_x, format="csr")
        ones = np.ones(n_x)
        self._program = LinearProgram(identity, ones, ones, cost=self._penalties(), primal=True)
        self._excepted, self._excepted_costs = np.zeros((0, n_x)), np.zeros(0)
        self._more_rows = 0
        exceptions = utility.exceptions
        # exceptions with a δ up to this are ignored: it is near the audit's rounding
        if exceptions is not None and exceptions.share > 1e-11:
            self._except(exceptions)
        self.add(points)

    def _except(self, exceptions: Exceptions) -> None:
        """Add the outputs that need not be allowed, and the row that bounds their probability."""
        columns = exceptions.points / self.p_x
        sizes = columns.max(axis=1)
        self._excepted = exceptions.points / sizes[:, None]
        self._excepted_costs = self.utility.cost(self._excepted)
        self._more_rows = 1
        # part of δ that exceptions leave unused, so that HiGHS's tolerance does not take them
        # beyond δ
        self._program.add_rows(np.full(1, -INFINITY), np.full(1, 1.0 - 1e-8))
        shares = 1 / (sizes * exceptions.share)
        self._program.add_cols(
            np.column_stack([columns / sizes[:, None], shares]), self._excepted_costs
        )

    def add(self, points: FloatArray) -> None:
        """Add outputs, weights up to scale, shape (k, n_x)."""
        posteriors = points / points.sum(axis=1, keepdims=True)
        costs = self.utility.cost(posteriors)
        columns = posteriors / self.p_x
        sizes = columns.max(axis=1)
        rows = np.pad(columns / sizes[:, None], ((0, 0), (0, self._more_rows)))
        self._program.add_cols(rows, costs / sizes)
        self.points = np.concatenate([self.points, posteriors])
        self.costs = np.concatenate([self.costs, costs])
        self._sizes = np.concatenate([self._sizes, sizes])

    def solve(self, time_limit: float | None = None) -> Mixture:
        """Return the best mixture."""
        solution = self._program.solve(time_limit)
        n_x, first = len(self.p_x), len(self.p_x) + len(self._excepted)
        apart, amounts = solution.x[n_x:first], solution.x[first:]
        used = np.flatnonzero(amounts > 0)
        return Mixture(
            duals=solution.duals[:n_x] / self.p_x,
            cost=solution.objective,
            shortfall=float(solution.x[:n_x] @ self._weights),
            used=used,
            weights=(amounts[used] / self._sizes[used])[:, None] * self.points[used],
            excepted=(apart[:, None] * self._excepted)[apart > 0],
        )

    def raise_penalty(self, factor: float = 4.0) -> None:
        """Multiply the penalty of publishing a symbol as it is."""
        self._penalty *= factor
        costs = [self._penalties(), self._excepted_costs, self.costs / self._sizes]
        self._program.set_costs(np.concatenate(costs))

    def _penalties(self) -> FloatArray:
        """Return the cost of publishing each x as it is, shape (n_x,), in kernel coordinates."""
        return self._alone + self._penalty * self._weights

    def kernel(self, mixture: Mixture, missing: float = NOUGHT) -> FloatArray:
        """Return P(y | x) of a mixture, amounts computed anew: HiGHS's rows miss 1 by too much.

        Rows that still miss 1 by no more than `missing` are scaled, which changes posteriors by as
        much.
        """
        if mixture.shortfall > ROUNDING:
            raise SolverError("The outputs found so far do not mix to P(X).")
        totals = mixture.excepted.sum(axis=1)
        apart = mixture.excepted / totals[:, None]
        columns = (np.vstack([self.points[mixture.used], apart]) / self.p_x).T
        amounts = np.append(mixture.weights.sum(axis=1), totals)
        rest = 1.0 - columns @ amounts
        # a row that misses 1 by more was ignored by HiGHS: its symbol's cost is below the
        # tolerance
        left_out = (np.abs(rest) > 1e-6) & (np.abs(rest) * self.p_x <= ROUNDING)
        rest[left_out] = 0.0
        close = 1e-13  # rows of a kernel this close to 1 are not corrected
        for _ in range(3):  # outputs that a correction would take below 0 are left out of the next
            if np.abs(rest).max() <= close:
                break
            held = np.flatnonzero(amounts > 0)
            sizes = columns[:, held].max(axis=0)
            change = np.linalg.lstsq(columns[:, held] / sizes, rest)[0] / sizes
            amounts[held] = np.maximum(amounts[held] + change, 0.0)
            rest = 1.0 - columns @ amounts
            rest[left_out], close = 0.0, NOUGHT
        kernel = columns * amounts
        # symbols too rare for the program: the rest of their rows is a draw from P(y)
        lacking = np.maximum(1.0 - kernel[left_out].sum(axis=1, keepdims=True), 0.0)
        kernel[left_out] += lacking * (self.p_x @ kernel)
        kernel[left_out] /= kernel[left_out].sum(axis=1, keepdims=True)
        sums = kernel.sum(axis=1, keepdims=True)
        if np.abs(sums - 1).max() > missing:
            raise SolverError(f"The outputs mix to {np.abs(sums - 1).max():.1e} from P(X) only.")
        result: FloatArray = kernel[:, amounts > 0] / sums
        return result
