"""Linear rows of allowed sets: conditions on r ∝ P(x | y) that a solver takes as they are.

lift_s(r) = Σ_x C[s, x] r(x) / Σ_x r(x) with C[s, x] = l(s, x), the lift of the data itself.
Rows are scaled to a largest coefficient of 1; one without a positive coefficient is dropped,
since r ≥ 0 implies it.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from core import measures
from core.joint import Joint
from core.limits import LIFT_NOISE
from core.notions.allowed_set import AllowedSet, Oracle
from core.validation import FloatArray


def data_lift(joint: Joint) -> FloatArray:
    """Return C[s, x] = l(s, x), shape (n_s, n_x)."""
    return measures.lift(joint.p)


def lift_at_most(
    lift: FloatArray, log_bounds: FloatArray | float, weights: FloatArray | float = 1.0
) -> FloatArray:
    """Return rows of lift_s(r) ≤ e^{bound_s}, shape (at most n_s, n_x); none where it is ∞.

    Parameters
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    log_bounds : ndarray or float
        One bound for each s in nats, shape (n_s,), or the same for all.
    weights : ndarray or float
        What each r(x) counts for in a row, shape (n_s, n_x).
    """
    shrink = np.exp(-_column(log_bounds, lift))
    return scaled(difference(lift * shrink, np.ones_like(lift)) * weights)


def lift_at_least(
    lift: FloatArray, log_bounds: FloatArray | float, weights: FloatArray | float = 1.0
) -> FloatArray:
    """Return rows of lift_s(r) ≥ e^{−bound_s}, shape (at most n_s, n_x); none where it is ∞."""
    floor = np.exp(-_column(log_bounds, lift))
    return scaled(difference(np.broadcast_to(floor, lift.shape), lift) * weights)


def scaled(rows: FloatArray) -> FloatArray:
    """Return the rows that say something, each with a largest coefficient of 1."""
    useful = rows[(rows > 0).any(axis=1)]
    result: FloatArray = useful / np.abs(useful).max(axis=1, keepdims=True, initial=0.0)
    return result


def plain(rows: FloatArray, oracle: Oracle | None = None) -> AllowedSet:
    """Return the allowed set of rows without helpers, shape (n_rows, n_x)."""
    return AllowedSet(sparse.csr_array(rows), rows.shape[1], oracle)


def combined(sets: Sequence[AllowedSet]) -> AllowedSet:
    """Return the intersection: all rows, each set with helpers of its own, and all oracles."""
    n_x = sets[0].n_x
    outputs = sparse.vstack([part.rows[:, :n_x] for part in sets], format="csr")
    helpers = sparse.block_diag([part.rows[:, n_x:] for part in sets], format="csr")
    rows = sparse.csr_array(sparse.hstack([outputs, helpers], format="csr"))
    oracles = tuple(part.oracle for part in sets if part.oracle is not None)
    parts = tuple(ways for part in sets for ways in part.parts)
    return AllowedSet(rows, n_x, all_cuts(oracles), parts)


def all_cuts(oracles: Sequence[Oracle]) -> Oracle | None:
    """Return one oracle that gives the cuts of all, None where there are none."""
    if len(oracles) <= 1:
        return oracles[0] if oracles else None
    return _Cuts(tuple(oracles))


class _Cuts:
    """The cuts of several oracles, stacked."""

    def __init__(self, oracles: tuple[Oracle, ...]) -> None:
        self.oracles = oracles

    def __call__(self, r: FloatArray) -> FloatArray:
        return np.vstack([oracle(r) for oracle in self.oracles])


def _column(bounds: FloatArray | float, lift: FloatArray) -> FloatArray:
    """Return the bounds as a column, shape (n_s, 1)."""
    return np.broadcast_to(np.asarray(bounds, dtype=np.float64), lift.shape[:1])[:, None]


def difference(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left − right, 0 where they differ by rounding only."""
    gap = left - right
    noise = np.abs(gap) <= LIFT_NOISE * np.maximum(left, right)
    result: FloatArray = np.where(noise, 0.0, gap)
    return result
