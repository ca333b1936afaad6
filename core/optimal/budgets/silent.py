"""Outputs independent of S with utility for X, and a mechanism of such outputs, of any size.

P_X is decomposed into vertices of {r : every lift is 1}, of at most n_s symbols each: the largest
multiple that leaves no entry negative is subtracted, and the rest again gives S lifts of 1.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.clock import Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import NOUGHT
from core.validation import FloatArray

STARTS = 30
"""Random costs from whose vertices descents start."""


def silent_outputs(
    excess: FloatArray, p_x: FloatArray, *, seed: int, deadline: Deadline
) -> FloatArray:
    """Return P(y | x) of a mechanism whose Y is independent of S; excess (n_s, n_x)."""
    rng, n_x = np.random.default_rng(seed), len(p_x)
    size = np.abs(excess).max(axis=1, keepdims=True)
    rows = np.vstack([np.ones(n_x), (excess / np.where(size > 0, size, 1.0))])
    right = np.append(1.0, np.zeros(len(excess)))
    program = LinearProgram(sparse.csr_array(rows), right, right)
    left, upper, outputs = p_x.copy(), np.ones(n_x), []
    # probability up to which the rest becomes one output, as it is within the program's tolerance
    while left.sum() > 1e-9 and not deadline.over:
        program.set_col_bounds(np.zeros(n_x), upper)
        program.set_costs(rng.random(n_x))
        try:
            r = program.solve().x
        except (InfeasibleError, SolverError):  # by rounding, the rest has no such vertex
            break
        on = r > NOUGHT
        times = float((left[on] / r[on]).min())
        weights = np.minimum(times * np.where(on, r, 0.0), left)
        outputs.append(weights)
        left = left - weights
        upper = np.where(left > NOUGHT * p_x, 1.0, 0.0)
    columns = np.array([*outputs, left]).T
    columns = columns[:, columns.sum(axis=0) > 0]
    result: FloatArray = columns / columns.sum(axis=1, keepdims=True)
    return result


class SilentSearch:
    """Extreme outputs independent of S, of low reduced cost; excess (n_s, n_x), rows (m, n_x)."""

    def __init__(self, excess: FloatArray, rows: FloatArray, *, seed: int) -> None:
        self._rng, self._n_x = np.random.default_rng(seed), excess.shape[1]
        size = np.abs(excess).max(axis=1, keepdims=True)
        scaled = excess[size[:, 0] > 0] / size[size[:, 0] > 0]
        matrix = np.vstack([np.ones(self._n_x), scaled, rows])
        right = np.append(1.0, np.zeros(len(scaled) + len(rows)))
        left = np.append(right[: 1 + len(scaled)], np.full(len(rows), -INFINITY))
        self._program = LinearProgram(sparse.csr_array(matrix), left, right)

    def outputs(self, prices: FloatArray) -> FloatArray:
        """Return at most STARTS outputs of low H(r) − π·r, (k, n_x), where descents end."""
        ends: list[FloatArray] = []
        for _ in range(STARTS):
            costs: FloatArray = np.asarray(self._rng.normal(size=self._n_x))
            r: FloatArray | None = None
            for _ in range(6):  # most steps of a descent: nearly all end after three
                self._program.set_costs(costs)
                try:
                    ahead = np.maximum(self._program.solve().x, 0.0)
                except (InfeasibleError, SolverError):  # P_X is the only one, up to rounding
                    break
                ahead /= ahead.sum()
                if r is not None and np.abs(ahead - r).max() < NOUGHT:
                    break
                r = ahead
                # entries are raised to this where a cost is linearized, as its slope at 0 is
                # infinite
                costs = -np.log(np.maximum(r, 1e-9)) - prices
            if r is None:
                break
            ends.append(r)
        result: FloatArray = np.array(ends).reshape(-1, self._n_x)
        return result
