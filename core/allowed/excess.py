"""The data's lifts less 1, to full double precision.

Where S is nearly independent of X, differences of rounded lifts would be half rounding error; at a
budget of 0, where each row is an equation, that error would decide what is allowed.
"""

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.limits import LIFT_NOISE
from core.validation import FloatArray

INDEPENDENT = 50 * LIFT_NOISE
"""Largest relative difference of lifts with which weights count as those of independent symbols."""


def excess_lift(joint: Joint, among: ArrayLike | None = None) -> FloatArray:
    """Return l(s, x) − 1, shape (n_s, n_x), rounded once.

    Counts are exact. For other weights a relative difference of up to `LIFT_NOISE` counts as 0, and
    S as independent of X where none is above `INDEPENDENT`.
    """
    p = joint.p if among is None else joint.p[:, np.asarray(among)]
    p = p[p.sum(axis=1) > 0]
    counted = joint.n is not None and joint.n < 2.0**53  # every whole number up to this is a double
    if joint.n is not None and counted:
        p = np.rint(p * joint.n)
    of_s, of_x, total = _sum(p, 1), _sum(p, 0), _sum(p.ravel(), 0)
    left = _product((p, np.zeros_like(p)), total)
    right = _product((of_s[0][:, None], of_s[1][:, None]), of_x)
    gap = (left[0] - right[0]) + (left[1] - right[1])
    below = np.where(right[0] > 0, right[0], 1.0)
    if not counted:
        size = np.abs(gap) / np.maximum(np.maximum(left[0], right[0]), np.finfo(float).tiny)
        gap = np.where((size <= LIFT_NOISE) | (size.max(initial=0.0) <= INDEPENDENT), 0.0, gap)
    result: FloatArray = gap / below
    return result


def _sum(values: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Return sums along an axis, each as a rounded sum and its rounding error (Knuth's TwoSum)."""
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
    """Return products of numbers, all as a double and its rounding error (Dekker's TwoProduct)."""
    high = a[0] * b[0]
    a_top, a_rest = _halves(a[0])
    b_top, b_rest = _halves(b[0])
    low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest
    return high, low + (a[0] * b[1] + a[1] * b[0])


def _halves(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the upper and the lower half of each double's digits, which add up to it."""
    # Veltkamp's constant: it splits a double into two halves of 26 bits
    big = (2.0**27 + 1) * value
    top = big - (big - value)
    return top, value - top
