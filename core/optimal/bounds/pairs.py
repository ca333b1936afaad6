"""Outputs with two large symbols, all pairs at once: the first boxes of a tree of many symbols.

Beside the dominant symbol either some symbol has at least half of the rest, or none has: then −log
w ≥ log 2 for all, and the first relaxation is tight enough to be of use.
"""

from __future__ import annotations

import numpy as np

from core.optimal.bounds.relaxation import EPSILON, Multipliers, Relaxation
from core.validation import FloatArray

HALF = 0.5
"""The share of the rest from which on a second symbol is large: at most one is, or two with ½."""


def none_large(upper: FloatArray, dominant: int) -> FloatArray:
    """Return the upper ends, shape (n_x,), of the part of a box without a large second symbol."""
    inner = np.minimum(upper, HALF)
    inner[dominant] = upper[dominant]
    return inner


def one_large(
    lower: FloatArray, upper: FloatArray, dominant: int, large: int
) -> tuple[FloatArray, FloatArray]:
    """Return the part of a box in which a given second symbol is large."""
    least, most = lower.copy(), none_large(upper, dominant)
    least[large], most[large] = HALF, upper[large]
    least[dominant] = max(least[dominant], HALF)  # d is no smaller
    return least, most


def pair_bounds(
    relaxation: Relaxation,
    prices: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    multipliers: Multipliers,
) -> FloatArray:
    """Return, for each x, a lower bound of the scaled H − p·r over outputs in which x is large.

    Given multipliers, odds and w_x are at the cheaper ends of their ranges, and the remaining mass
    is on the cheapest other symbol.
    """
    d, count = relaxation.dominant, len(prices)
    priced, rows = relaxation.priced(multipliers.rows)
    slopes, intercepts = relaxation.secants(lower, none_large(upper, d))
    small = slopes - prices + priced
    start, end = np.full(count, HALF), np.maximum(upper, HALF)
    start[d], end[d] = lower[d], upper[d]
    slopes, levels = relaxation.secants(start, end)
    large = slopes - prices + priced
    odds = float(intercepts[d] + min(small[d] * lower[d], small[d] * upper[d]))
    small[d] = np.inf
    first, second = np.argsort(small)[:2]
    rest = np.full(count, small[first])
    rest[first] = small[second]
    ends = [levels + large * at + _times(1.0 - at, rest) for at in (start, end)]
    values = odds + np.minimum(*ends)
    values[d] = np.inf
    size = 1.0 + float(rows.sum()) + float(np.abs(prices).max()) + float(np.abs(large).max())
    result: FloatArray = values - EPSILON * (len(rows) + count + 8) * size * (2.0 + upper[d])
    return result


def _times(mass: FloatArray, price: FloatArray) -> FloatArray:
    """Return mass·price, and 0 where the mass is 0 or the price is infinite."""
    return np.where(mass > 0, mass * np.where(np.isfinite(price), price, 0.0), 0.0)
