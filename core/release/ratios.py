"""The largest ratio of two linear functions over a cone, also where coefficients differ widely.

A linear program in floating point drops coefficients below 1e-9 and meets its rows to 1e-9. Where
lifts are that small, what it drops decides: a ratio whose denominator it drops has no bound. So
what can be said without a program is said first, and variables are scaled to their part in the
optimum, where every coefficient that matters is near 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core.errors import InfeasibleError
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import BoolArray, FloatArray

NARROW = 1e-6
"""Least coefficient, relative to the largest, with which a program needs no scaling: a thousand
times the tolerance of its rows."""

STEADY = 1e-10
"""Relative change of the ratio at which the steps end."""

STRIDE = 1e4
"""Largest factor by which one step raises the ratio: scales are right near it only."""

MOST_STEPS = 100
"""Most steps; from 1 to the largest double there are 77 strides."""


@dataclass(frozen=True, eq=False)
class Cone:
    """The vectors r ≥ 0 for which some h ≥ 0 satisfy rows @ [r, h] ≤ 0.

    Attributes
    ----------
    rows : csr_array
        Shape (n_rows, n_x + n_auxiliary).
    inside : ndarray
        A vector of the cone without a zero, shape (n_x,).
    """

    rows: sparse.csr_array
    inside: FloatArray

    @property
    def n_x(self) -> int:
        """Length of r."""
        return len(self.inside)

    def is_wide(self, *functions: FloatArray) -> bool:
        """Return whether coefficients of the rows or of linear functions differ widely."""
        return any(
            bool((np.abs(values[values != 0]) < NARROW * np.abs(values).max(initial=0.0)).any())
            for values in (self.rows.data, *functions)
        )

    def single(self) -> BoolArray:
        """Return which unit vectors surely are in the cone, with h = 0: shape (n_x,)."""
        positive = self.rows[:, : self.n_x] > 0
        result: BoolArray = np.asarray(positive.sum(axis=0)).ravel() == 0
        return result


def of_one(cone: Cone, above: FloatArray, below: FloatArray) -> int | None:
    """Return the entry whose unit vector has the largest ratio of all r ≥ 0, if it is in the cone.

    A ratio of sums is at most the largest ratio of their terms.

    Examples
    --------
    >>> free = Cone(sparse.csr_array((0, 2)), np.array([0.5, 0.5]))
    >>> of_one(free, np.array([1.0, 1.0]), np.array([1e-14, 0.5]))
    0
    """
    ratios = _ratios(above, below)
    best = np.flatnonzero((ratios == ratios.max()) & cone.single())
    return int(best[0]) if len(best) else None


def vanishing(cone: Cone, above: FloatArray, below: FloatArray) -> FloatArray | None:
    """Return a vector of the cone with below·r = 0 < above·r, None where there is none.

    Rows without a negative coefficient set their variables to 0, however small the positive ones
    are; only what is left is asked of a program.

    Examples
    --------
    >>> cone = Cone(sparse.csr_array([[1e-20, -1.0]]), np.array([0.5, 0.5]))
    >>> vanishing(cone, np.ones(2), np.array([0.0, 1.0])) is None
    True
    """
    if (below > 0).all():
        return None
    rows, n_x = sparse.csc_array(cone.rows), cone.n_x
    left = np.ones(rows.shape[1], dtype=np.bool_)
    left[:n_x] = below == 0
    while left.any():
        part = sparse.csr_array(rows[:, left])
        forced = part.multiply(part > 0)[np.asarray((part < 0).sum(axis=1)).ravel() == 0]
        zero = np.asarray(forced.sum(axis=0)).ravel() > 0
        if not zero.any():
            break
        left[np.flatnonzero(left)[zero]] = False
    of_x = left[:n_x]
    if not (above[of_x] > 0).any():
        return None
    norm = np.where(above[of_x] > 0, above[of_x], 0.0)
    scales = np.where(norm > 0, norm, 1.0)
    part = sparse.csr_array(rows[:, left])
    try:
        found = _solved(part, scales, (norm > 0).astype(np.float64), np.zeros(len(scales)))
    except InfeasibleError:
        return None
    result = np.zeros(n_x)
    result[of_x] = found
    return result


def largest_ratio(cone: Cone, above: FloatArray, below: FloatArray) -> tuple[float, FloatArray]:
    """Return the largest (above·r)/(below·r) over a cone, and an r with it that adds up to 1.

    Dinkelbach's steps: r maximises above·r − λ below·r, and its ratio is the next λ. Each program
    is in u = r·(above + λ below + κ), where κ is the last above·r: near the optimum no u of size
    1 has coefficients that are not.

    Parameters
    ----------
    cone : Cone
        The cone, in which no r has below·r = 0 < above·r.
    above, below : ndarray
        At least 0, above 0 at `cone.inside`, shape (n_x,).

    Returns
    -------
    ratio : float
        An upper bound, where the steps do not end, or where rounding makes the rows contradict one
        another although `cone.inside` meets them: the largest ratio of two coefficients.
    r : ndarray
        Shape (n_x,).

    Source: Dinkelbach (1967), "On nonlinear fractional programming".

    Examples
    --------
    Lifts of 1 and 1e-14, which may differ by a factor e^25 only:

    >>> rows = sparse.csr_array([[np.exp(-25.0) - 1e-14, np.exp(-25.0) - 1.0]])
    >>> cone = Cone(rows, np.array([0.5, 0.5]))
    >>> ratio, _ = largest_ratio(cone, np.ones(2), np.array([1e-14, 1.0]))
    >>> round(float(np.log(ratio)), 8)
    25.0
    """
    rows = sparse.csr_array(cone.rows)
    r = cone.inside / cone.inside.sum()
    level = float(above @ r) / float(below @ r)
    for _ in range(MOST_STEPS):
        scales = above + level * below + float(above @ r)
        norm = np.ones(len(scales))
        try:
            point = _solved(rows, scales, norm, (above - level * below) / scales)
        except InfeasibleError:
            break
        point = point / point.sum()
        up, down = float(above @ point), float(below @ point)
        if up <= 0.0:
            break
        found = min(up / down if down > 0 else np.inf, STRIDE * level)
        steady = abs(found - level) <= STEADY * level
        if found < STRIDE * level:
            r = point
        level = found
        if steady:
            return level, r
    return float(_ratios(above, below).max()), r


def _solved(
    rows: sparse.csr_array, scales: FloatArray, norm: FloatArray, gain: FloatArray
) -> FloatArray:
    """Return r of the u with the largest gain·u and norm·u = 1, where r = u/scales."""
    n_x, (count, n_vars) = len(scales), rows.shape
    columns = np.append(1 / scales, np.ones(n_vars - n_x))
    matrix = sparse.csr_array(rows @ sparse.diags_array(columns))
    sizes = abs(matrix[:, :n_x]).max(axis=1).toarray().ravel() if count else np.zeros(0)
    for j in range(n_x, n_vars):  # an auxiliary variable is as large as what its rows bound
        column = abs(matrix[:, [j]]).toarray().ravel()
        beside = (column > 0) & (sizes > 0)
        if beside.any():
            logs = np.log(sizes[beside]) - np.log(column[beside])
            columns[j] = np.exp((logs.min() + logs.max()) / 2)
    matrix = sparse.csr_array(rows @ sparse.diags_array(columns))
    sizes = abs(matrix).max(axis=1).toarray().ravel() if count else np.zeros(0)
    matrix = sparse.csr_array(sparse.diags_array(1 / np.where(sizes > 0, sizes, 1.0)) @ matrix)
    first = sparse.csr_array(np.append(norm, np.zeros(n_vars - n_x))[None])
    program = LinearProgram(
        sparse.csr_array(sparse.vstack([first, matrix])),
        np.append(1.0, np.full(count, -INFINITY)),
        np.append(1.0, np.zeros(count)),
        cost=-np.append(gain, np.zeros(n_vars - n_x)),
    )
    result: FloatArray = np.maximum(program.solve().x[:n_x], 0.0) / scales
    return result


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the ratios of coefficients; ∞ where only the lower is 0, 0 where both are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: FloatArray = np.where(above > 0, above / below, 0.0)
    return result
