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
from core.optimal.programs.highs import LinearProgram
from core.validation import FloatArray

REST = 1e-9
"""Probability that is left as one output: of less the program sees too little."""

USED = 1e-10
"""A share of a vertex below this is rounding."""


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
