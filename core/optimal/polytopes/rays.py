"""The extreme outputs of a few symbols: double description with only the rows that matter.

An allowed set of three or four symbols may have a hundred rows, of which a handful bound it. The
rays of the cone start as the symbols themselves; the row that is broken most cuts them, again and
again, until none is broken. The others are never looked at: a fraction of a millisecond in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg, sparse

from core.errors import SolverError
from core.optimal.programs.highs import LinearProgram
from core.optimal.utility import MutualInformation
from core.validation import FloatArray, IntArray

TOUCH = 1e-12
"""A ray this close to a row, at mass 1, lies on it: rounding of a few sums of probabilities."""

ROW_SUM = 1e-10
"""How far the rows of a kernel may miss 1: below it scaling them costs no privacy."""

MOST_RAYS = 512
"""More rays than this are for a walk: pairs of them are compared with all."""


def extreme_rays(rows: FloatArray) -> FloatArray:
    """Return the extreme rays of {r ≥ 0 : rows @ r ≤ 0} at Σr = 1, shape (k, n_x).

    Source: Motzkin et al., The double description method (1953), one row at a time.

    Parameters
    ----------
    rows : ndarray
        Shape (m, n_x), each with entries of at most 1 in size.

    Raises
    ------
    SolverError
        If there are more than `MOST_RAYS` on the way.

    Examples
    --------
    >>> extreme_rays(np.array([[1.0, -2.0]]))  # r_1 ≤ 2 r_2
    array([[0.        , 1.        ],
           [0.66666667, 0.33333333]])
    """
    n_x = rows.shape[1]
    rays, values = np.eye(n_x), np.ascontiguousarray(rows.T)
    tight = 1.0 - np.eye(n_x)  # which r_x ≥ 0, and which rows taken so far, hold equally: 1 or 0
    while len(rays):
        worst = values.max(axis=0, initial=-np.inf)
        broken = worst > TOUCH
        if not broken.any():
            break
        at = values[:, worst.argmax()]
        rows, values = rows[broken], values[:, broken]  # the others cannot be broken any more
        outside, inside = (at > TOUCH).nonzero()[0], (at < -TOUCH).nonzero()[0]
        first, second, common = _neighbours(tight, outside, inside)
        made = at[first, None] * rays[second] - at[second, None] * rays[first]
        made /= made.sum(axis=1, keepdims=True)
        kept = at <= TOUCH
        rays = np.concatenate([rays[kept], made])
        values = np.concatenate([values[kept], made @ rows.T])
        on_row = np.concatenate([at[kept] >= -TOUCH, np.ones(len(made))])
        tight = np.column_stack([np.concatenate([tight[kept], common]), on_row])
        if len(rays) > MOST_RAYS:
            raise SolverError(f"More than {MOST_RAYS} extreme outputs of {n_x} symbols.")
    return rays


def _neighbours(
    tight: FloatArray, outside: IntArray, inside: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of rays across a row that share an edge, and what both meet equally.

    They do where no third ray meets all of that equally too.
    """
    common = (tight[outside][:, None] * tight[inside]).reshape(-1, tight.shape[1])
    shared = common @ tight.T
    alone = (shared == common.sum(axis=1, keepdims=True)).sum(axis=1) == 2
    pairs = alone.nonzero()[0]
    first, second = np.divmod(pairs, max(len(inside), 1))
    return outside[first], inside[second], common[pairs]


def best_kernels(outputs: Sequence[FloatArray], priors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return kernels P(y | x), shape (n_x, n_y), of the best mixtures of few outputs for I(X;Y).

    One program for all of them: most of the time of a small one goes into setting it up.

    Parameters
    ----------
    outputs : sequence of ndarray
        For each X its outputs as posteriors, shape (k, n_x); P_X itself is one more.
    priors : sequence of ndarray
        P(x) of each, shape (n_x,), all positive.

    Raises
    ------
    SolverError
        If HiGHS fails, or mixes to its tolerance only.
    """
    utility = MutualInformation()
    blocks, costs = [], []
    for posteriors, p_x in zip(outputs, priors, strict=True):
        points = np.vstack([p_x, posteriors])
        columns = points / p_x
        sizes = columns.max(axis=1)
        blocks.append((columns / sizes[:, None]).T)
        costs.append(utility.cost(points) / sizes)
    rows, ends = linalg.block_diag(*blocks), np.cumsum([len(cost) for cost in costs])[:-1]
    ones = np.ones(len(rows))
    program = LinearProgram(sparse.csr_array(rows), ones, ones, cost=np.concatenate(costs))
    amounts = np.split(np.maximum(program.solve().x, 0.0), ends)
    kernels = [block[:, q > 0] * q[q > 0] for block, q in zip(blocks, amounts, strict=True)]
    sums = [kernel.sum(axis=1, keepdims=True) for kernel in kernels]
    if (missed := max(float(np.abs(total - 1).max()) for total in sums)) > ROW_SUM:
        raise SolverError(f"The outputs mix to {missed:.1e} from P(X) only.")
    return [kernel / total for kernel, total in zip(kernels, sums, strict=True)]
