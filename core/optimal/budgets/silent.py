"""Outputs independent of S with utility for X, and a mechanism of such outputs, of any size.

For the mechanism P_X is decomposed into vertices of {r : every lift is 1}, each with at most n_s
symbols. The largest multiple of a vertex is subtracted from P_X that leaves no entry negative, so
one entry becomes 0. The rest again gives S lifts of 1, so there is another vertex.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.clock import Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray

REST = 1e-9
"""Probability up to which the rest becomes one output, as it is within the program's tolerance."""

USED = 1e-10
"""Entries of a vertex up to this count as 0."""

STARTS = 30
"""Random costs from whose vertices descents start."""

DESCENTS = 6
"""Most steps of a descent: nearly all end after three."""

LEAST = 1e-9
"""Entries are raised to this where a cost is linearised, as its slope at 0 is infinite."""


def silent_outputs(
    excess: FloatArray, p_x: FloatArray, *, seed: int, deadline: Deadline
) -> FloatArray:
    """Return P(y | x), shape (n_x, n_y), of a mechanism whose Y is independent of S.

    Parameters
    ----------
    excess : ndarray
        l(s, x) − 1, shape (n_s, n_x).
    p_x : ndarray
        P(x), shape (n_x,).
    seed : int
        Seed of the random costs that choose the vertices.
    deadline : Deadline
        When to stop; the rest of P_X is then one output.

    Examples
    --------
    >>> excess = np.array([[0.5, -0.5, 0.5, -0.5], [-0.5, 0.5, -0.5, 0.5]])
    >>> found = silent_outputs(excess, np.full(4, 0.25), seed=0, deadline=Deadline())
    >>> bool(np.abs(excess @ (0.25 * found)).max() < 1e-12), found.shape
    (True, (4, 2))
    """
    rng, n_x = np.random.default_rng(seed), len(p_x)
    size = np.abs(excess).max(axis=1, keepdims=True)
    rows = np.vstack([np.ones(n_x), (excess / np.where(size > 0, size, 1.0))])
    right = np.append(1.0, np.zeros(len(excess)))
    program = LinearProgram(sparse.csr_array(rows), right, right)
    left, upper, found = p_x.copy(), np.ones(n_x), []
    while left.sum() > REST and not deadline.over:
        program.set_col_bounds(np.zeros(n_x), upper)
        program.set_costs(rng.random(n_x))
        try:
            r = program.solve().x
        except (InfeasibleError, SolverError):  # by rounding, the rest has no such vertex
            break
        on = r > USED
        times = float((left[on] / r[on]).min())
        weights = np.minimum(times * np.where(on, r, 0.0), left)
        found.append(weights)
        left = left - weights
        upper = np.where(left > USED * p_x, 1.0, 0.0)
    columns = np.array([*found, left]).T
    columns = columns[:, columns.sum(axis=0) > 0]
    result: FloatArray = columns / columns.sum(axis=1, keepdims=True)
    return result


class SilentSearch:
    """Extreme outputs independent of S, of low reduced cost.

    Parameters
    ----------
    excess : ndarray
        l(s, x) − 1 of the data, shape (n_s, n_x).
    rows : ndarray
        Rows of the allowed outputs, rows @ r ≤ 0, shape (m, n_x).
    seed : int
        Seed of the random costs.

    Examples
    --------
    >>> excess = np.array([[0.5, -0.5, 1.0, -1.0], [-0.5, 0.5, -1.0, 1.0]])
    >>> found = SilentSearch(excess, np.zeros((0, 4)), seed=0).outputs(np.zeros(4))
    >>> bool(np.abs(found @ excess.T).max() < 1e-12)
    True
    """

    def __init__(self, excess: FloatArray, rows: FloatArray, *, seed: int) -> None:
        self._rng, self._n_x = np.random.default_rng(seed), excess.shape[1]
        size = np.abs(excess).max(axis=1, keepdims=True)
        scaled = excess[size[:, 0] > 0] / size[size[:, 0] > 0]
        matrix = np.vstack([np.ones(self._n_x), scaled, rows])
        right = np.append(1.0, np.zeros(len(scaled) + len(rows)))
        left = np.append(right[: 1 + len(scaled)], np.full(len(rows), -INFINITY))
        self._program = LinearProgram(sparse.csr_array(matrix), left, right)

    def outputs(self, prices: FloatArray) -> FloatArray:
        """Return outputs r of low H(r) − π·r, as posteriors, shape (k, n_x), k ≤ STARTS.

        Each is the end of a descent from vertex to vertex along linearisations of the concave cost.

        Parameters
        ----------
        prices : ndarray
            π, shape (n_x,), in nats.
        """
        found: list[FloatArray] = []
        for _ in range(STARTS):
            costs: FloatArray = np.asarray(self._rng.normal(size=self._n_x))
            r: FloatArray | None = None
            for _ in range(DESCENTS):
                self._program.set_costs(costs)
                try:
                    ahead = np.maximum(self._program.solve().x, 0.0)
                except (InfeasibleError, SolverError):  # P_X is the only one, up to rounding
                    break
                ahead /= ahead.sum()
                if r is not None and np.abs(ahead - r).max() < USED:
                    break
                r = ahead
                costs = -np.log(np.maximum(r, LEAST)) - prices
            if r is None:
                break
            found.append(r)
        result: FloatArray = np.array(found).reshape(-1, self._n_x)
        return result
