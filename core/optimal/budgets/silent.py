"""A release that tells nothing of S and yet something of X, of any size: outputs of few symbols.

P_X is taken apart into vertices of {r : lifts are 1}: each has at most as many symbols as there are
secrets. A vertex is subtracted as often as P_X allows, which uses one symbol up; what is left has
the same lifts, so there is a next one.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.clock import Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray

REST = 1e-9
"""Probability that is left as one output: of less the program sees too little."""

USED = 1e-10
"""A share of a vertex below this is rounding."""

STARTS = 30
"""Directions in which vertices are looked for at a time."""

DESCENTS = 6
"""Most steps from vertex to vertex: nearly all end after three."""

LEAST = 1e-9
"""A share below this counts as this where a cost is linearised: at 0 its slope is infinite."""


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
        Which vertices are met is random.
    deadline : Deadline
        When to stop; what is left of P_X then is one output.

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
        except (InfeasibleError, SolverError):  # what is left tells nothing only up to rounding
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
    """Outputs that leave S as it was, extreme ones that undercut prices.

    Parameters
    ----------
    excess : ndarray
        l(s, x) − 1 of the data, shape (n_s, n_x).
    rows : ndarray
        rows @ r ≤ 0 of the allowed outputs, shape (m, n_x).
    seed : int
        Of the first directions.

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
        told = excess[size[:, 0] > 0] / size[size[:, 0] > 0]
        matrix = np.vstack([np.ones(self._n_x), told, rows])
        right = np.append(1.0, np.zeros(len(told) + len(rows)))
        left = np.append(right[: 1 + len(told)], np.full(len(rows), -INFINITY))
        self._program = LinearProgram(sparse.csr_array(matrix), left, right)

    def outputs(self, prices: FloatArray) -> FloatArray:
        """Return outputs r of a low H(r) − π·r, as posteriors, shape (k, n_x), k ≤ STARTS.

        Each is a vertex of the silent outputs where the cost, linearised, is least: the cost is
        concave, so it goes down from vertex to vertex.

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
                except (InfeasibleError, SolverError):  # nothing but P_X, up to rounding
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
