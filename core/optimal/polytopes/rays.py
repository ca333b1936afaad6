"""The extreme outputs of a few symbols: double description that skips redundant rows.

The row that is violated most cuts the rays, which start as single symbols, until none is violated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg, sparse

from core.errors import SolverError
from core.limits import ROUNDING
from core.optimal.plan import SIZES
from core.optimal.programs.highs import LinearProgram
from core.optimal.tolerances import NOUGHT
from core.optimal.utility import MutualInformation
from core.validation import FloatArray, IntArray


def extreme_rays(rows: FloatArray) -> FloatArray:
    """Return extreme rays of {r ≥ 0 : rows @ r ≤ 0} at Σr = 1, (k, n_x): Motzkin et al. (1953)."""
    n_x = rows.shape[1]
    rays, values = np.eye(n_x), np.ascontiguousarray(rows.T)
    tight = 1.0 - np.eye(n_x)  # 1 where r_x = 0, and later where a used row holds with equality
    while len(rays):
        worst = values.max(axis=0, initial=-np.inf)
        broken = worst > ROUNDING
        if not broken.any():
            break
        at = values[:, worst.argmax()]
        rows, values = rows[broken], values[:, broken]  # the others stay unbroken
        outside, inside = (at > ROUNDING).nonzero()[0], (at < -ROUNDING).nonzero()[0]
        first, second, common = _neighbours(tight, outside, inside)
        new = at[first, None] * rays[second] - at[second, None] * rays[first]
        new /= new.sum(axis=1, keepdims=True)
        kept = at <= ROUNDING
        rays = np.concatenate([rays[kept], new])
        values = np.concatenate([values[kept], new @ rows.T])
        on_row = np.concatenate([at[kept] >= -ROUNDING, np.ones(len(new))])
        tight = np.column_stack([np.concatenate([tight[kept], common]), on_row])
        if len(rays) > SIZES.rays:
            raise SolverError(f"More than {SIZES.rays} extreme outputs of {n_x} symbols.")
    return rays


def _neighbours(
    tight: FloatArray, outside: IntArray, inside: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of rays across a row, no third ray tight where both are, and their `tight`."""
    common = (tight[outside][:, None] * tight[inside]).reshape(-1, tight.shape[1])
    shared = common @ tight.T
    alone = (shared == common.sum(axis=1, keepdims=True)).sum(axis=1) == 2
    pairs = alone.nonzero()[0]
    first, second = np.divmod(pairs, max(len(inside), 1))
    return outside[first], inside[second], common[pairs]


def best_kernels(outputs: Sequence[FloatArray], priors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return kernels P(y | x) of the best mixtures for I(X;Y) of few outputs, by one program."""
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
    if (missed := max(float(np.abs(total - 1).max()) for total in sums)) > NOUGHT:
        raise SolverError(f"The outputs mix to {missed:.1e} from P(X) only.")
    return [kernel / total for kernel, total in zip(kernels, sums, strict=True)]
