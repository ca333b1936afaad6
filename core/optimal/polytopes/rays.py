"""The extreme outputs of a few symbols: double description that skips redundant rows.

An allowed set of three or four symbols may have a hundred rows, of which a handful bound it. The
rays of the cone start as the single symbols; the row that is violated most cuts them, until none is
violated. Redundant rows are never used, so it takes a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg, sparse

from core.errors import SolverError
from core.optimal.programs.highs import LinearProgram
from core.optimal.programs.master import ROW_SUM
from core.optimal.utility import MutualInformation
from core.validation import FloatArray, IntArray

TOUCH = 1e-12
"""Value of a row, at Σr = 1, up to which a ray lies on it: the rounding of a few sums."""

MOST_RAYS = 512
"""Most rays at any time: each pair of rays is compared with all others."""


def extreme_rays(rows: FloatArray) -> FloatArray:
    """Return the extreme rays of {r ≥ 0 : rows @ r ≤ 0} at Σr = 1, shape (k, n_x).

    Source: Motzkin et al., The double description method (1953).

    Parameters
    ----------
    rows : ndarray
        Shape (m, n_x), with entries of magnitude at most 1.

    Raises
    ------
    SolverError
        If there are more than `MOST_RAYS` at any time.

    Examples
    --------
    >>> extreme_rays(np.array([[1.0, -2.0]]))  # r_1 ≤ 2 r_2
    array([[0.        , 1.        ],
           [0.66666667, 0.33333333]])
    """
    n_x = rows.shape[1]
    rays, values = np.eye(n_x), np.ascontiguousarray(rows.T)
    tight = 1.0 - np.eye(n_x)  # 1 where r_x = 0, and later where a used row holds with equality
    while len(rays):
        worst = values.max(axis=0, initial=-np.inf)
        broken = worst > TOUCH
        if not broken.any():
            break
        at = values[:, worst.argmax()]
        rows, values = rows[broken], values[:, broken]  # the others stay unbroken
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
    """Return the pairs of rays across a row that share an edge, and their common `tight`.

    They share one if no third ray is tight wherever both are.
    """
    common = (tight[outside][:, None] * tight[inside]).reshape(-1, tight.shape[1])
    shared = common @ tight.T
    alone = (shared == common.sum(axis=1, keepdims=True)).sum(axis=1) == 2
    pairs = alone.nonzero()[0]
    first, second = np.divmod(pairs, max(len(inside), 1))
    return outside[first], inside[second], common[pairs]


def best_kernels(outputs: Sequence[FloatArray], priors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return kernels P(y | x), shape (n_x, n_y), of the best mixtures of few outputs for I(X;Y).

    All are solved in one program, as most of the time of a small program goes into its setup.

    Parameters
    ----------
    outputs : sequence of ndarray
        For each X its allowed outputs as posteriors, shape (k, n_x); P_X itself is added.
    priors : sequence of ndarray
        P(x) of each, shape (n_x,), all positive.

    Raises
    ------
    SolverError
        If HiGHS fails, or a row of a kernel misses 1 by more than `ROW_SUM`.
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
