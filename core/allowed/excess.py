"""The data's lifts less 1, to full double precision.

Where S is nearly independent of X, lifts differ from 1 in their sixth or ninth digit only.
Differences of rounded lifts would be half rounding error; at a budget of 0, where each row is an
equation, that error would decide what is allowed.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.limits import LIFT_NOISE
from core.validation import FloatArray

_SPLITTER = 2.0**27 + 1
"""Veltkamp's constant: it splits a double into two halves of 26 bits."""

_EXACT_COUNT = 2.0**53
"""Every whole number up to this is a double."""


def excess_lift(joint: Joint, among: ArrayLike | None = None) -> FloatArray:
    """Return l(s, x) − 1, shape (n_s, n_x), rounded once.

    Counts are exact, so independence differs from near independence. Other weights are rounded
    themselves: there a relative difference of up to `LIFT_NOISE` counts as 0.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    among : array_like of int, optional
        Condition on X being one of these symbols: they are the columns, and secrets that occur
        with none of them have no row.

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
    """Return sums along an axis, each as a rounded sum and its rounding error.

    Source: Knuth's exact sum of two doubles (TwoSum).
    """
    moved = np.moveaxis(values, axis, 0)
    total, error = np.zeros(moved.shape[1:]), np.zeros(moved.shape[1:])
    for value in moved:
        ahead = total + value
        part = ahead - total
        error = error + ((total - (ahead - part)) + (value - part))
        total = ahead
    whole = total + error
    return whole, error - (whole - total)


def _product(
    a: tuple[FloatArray, FloatArray], b: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return products of numbers, all of them as a double and its rounding error.

    Source: Dekker's exact product of two doubles (TwoProduct).
    """
    high = a[0] * b[0]
    a_top, a_rest = _halves(a[0])
    b_top, b_rest = _halves(b[0])
    low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest
    return high, low + (a[0] * b[1] + a[1] * b[0])


def _halves(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the upper and the lower half of each double's digits, which add up to it."""
    big = _SPLITTER * value
    top = big - (big - value)
    return top, value - top
