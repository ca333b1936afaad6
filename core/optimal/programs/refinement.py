"""Inverses to almost the last digit, also of systems that are nearly singular.

A step of Newton's method, X + X(I − AX), squares the relative error of X if the residual in the
brackets is accurate, which takes products and sums in twice the precision.

Source: Ogita, Rump and Oishi (2005), "Accurate sum and dot product", algorithm Dot2.
"""

from __future__ import annotations

import numpy as np

from core.validation import BoolArray, FloatArray

_STEPS = 4
"""Most steps: one or two suffice."""

_EXACT = 1e-14
"""Largest last step, as a part of its column, at which a column counts as exact."""

_HALF = 2.0**27 + 1
"""A double times this gives its first 26 bits."""


def refined(systems: FloatArray, inverses: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return more accurate inverses, and which of them are accurate in each column.

    Parameters
    ----------
    systems, inverses : ndarray
        A and X ≈ A⁻¹, shape (k, n, n), all finite.

    Returns
    -------
    inverses : ndarray
        Shape (k, n, n).
    exact : ndarray
        Whether the error of every column is at most about 1e-14 of its largest entry, shape (k,).

    Examples
    --------
    >>> systems = np.array([[[1.0, 1.0], [1.0, 1.0 + 2.0**-30]]])
    >>> better, exact = refined(systems, np.linalg.inv(systems) * (1 + 1e-5))
    >>> bool(exact[0]), bool(better[0, 1, 1] == 2.0**30)
    (True, True)
    """
    result, exact = inverses, np.zeros(len(inverses), dtype=np.bool_)
    for _ in range(_STEPS):
        if exact.all():
            break
        with np.errstate(over="ignore", invalid="ignore"):  # where it does not converge
            step = result @ _residuals(systems, result)
            size = np.abs(result).max(axis=1, initial=0.0)
            exact = (np.abs(step).max(axis=1, initial=0.0) <= _EXACT * size).all(axis=1)
            result = np.where(np.isfinite(step), result + step, result)
    return result, exact


def _residuals(systems: FloatArray, inverses: FloatArray) -> FloatArray:
    """Return I − AX, shape (k, n, n), as if computed in twice the precision."""
    total = np.broadcast_to(np.eye(systems.shape[-1]), systems.shape).copy()
    small = np.zeros(systems.shape)
    (a_high, a_low), (x_high, x_low) = _halves(-systems), _halves(inverses)
    for i in range(systems.shape[-1]):
        left, low_left = a_high[:, :, i, None], a_low[:, :, i, None]
        right, low_right = x_high[:, i, None, :], x_low[:, i, None, :]
        product = -systems[:, :, i, None] * inverses[:, i, None, :]
        missing = ((product - left * right) - low_left * right) - left * low_right
        small += low_left * low_right - missing
        before, total = total, total + product
        added = total - before
        small += (before - (total - added)) + (product - added)
    result: FloatArray = total + small
    return result


def _halves(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two parts of 26 bits that add up to each value: their products are exact."""
    scaled = _HALF * values
    high = scaled - (scaled - values)
    return high, values - high
