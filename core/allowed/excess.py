"""How far the data's lifts are from 1, to the last digit.

Of a secret that is nearly independent of X, lifts differ from 1 in their sixth or ninth digit.
Taken as a difference of two rounded lifts, such data would be half rounding; a budget of 0 turns
every such row into an equation, where that decides what is allowed.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.limits import LIFT_NOISE
from core.validation import FloatArray

_SPLITTER = 2.0**27 + 1
"""Cuts a double into two halves of 26 bits."""

_EXACT_COUNT = 2.0**53
"""Whole numbers up to this are doubles."""


def excess_lift(joint: Joint, among: ArrayLike | None = None) -> FloatArray:
    """Return l(s, x) − 1, shape (n_s, n_x), rounded once.

    Of counts nothing is lost, so independence is told from near independence exactly; of other
    weights, which are rounded themselves, a difference of `LIFT_NOISE` is taken to be none.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    among : array_like of int, optional
        Symbols of X that are looked at, given that X is one of them; the secrets which occur with
        none of these are left out.

    Examples
    --------
    >>> excess_lift(Joint.from_counts([[1_000_000, 1_000_000], [1_000_000, 1_000_001]])).round(12)
    array([[ 2.5e-07, -2.5e-07],
           [-2.5e-07,  2.5e-07]])
    """
    p = joint.p if among is None else joint.p[:, np.asarray(among)]
    p = p[p.sum(axis=1) > 0]
    counted = joint.n is not None and joint.n < _EXACT_COUNT
    if joint.n is not None and counted:
        p = np.rint(p * joint.n)
    of_s, of_x, total = _sum(p, 1), _sum(p, 0), _sum(p.ravel(), 0)
    left = _product((p, np.zeros_like(p)), total)
    right = _product((of_s[0][:, None], of_s[1][:, None]), of_x)
    gap = (left[0] - right[0]) + (left[1] - right[1])
    below = np.where(right[0] > 0, right[0], 1.0)
    if not counted:
        gap = np.where(np.abs(gap) <= LIFT_NOISE * np.maximum(left[0], right[0]), 0.0, gap)
    result: FloatArray = gap / below
    return result


def _sum(values: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Return sums along an axis, each as a double and what it misses.

    Source: Knuth's exact sum of two doubles.
    """
    moved = np.moveaxis(values, axis, 0)
    total, missed = np.zeros(moved.shape[1:]), np.zeros(moved.shape[1:])
    for value in moved:
        ahead = total + value
        part = ahead - total
        missed = missed + ((total - (ahead - part)) + (value - part))
        total = ahead
    whole = total + missed
    return whole, missed - (whole - total)


def _product(
    a: tuple[FloatArray, FloatArray], b: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return products of numbers that are a double and what it misses each.

    Source: Dekker's exact product of two doubles.
    """
    high = a[0] * b[0]
    a_top, a_rest = _halves(a[0])
    b_top, b_rest = _halves(b[0])
    low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest
    return high, low + (a[0] * b[1] + a[1] * b[0])


def _halves(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two doubles of half as many digits that add up to each."""
    big = _SPLITTER * value
    top = big - (big - value)
    return top, value - top
