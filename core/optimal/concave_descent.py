"""A descent of a concave function over allowed outputs, from vertex to vertex."""

from collections.abc import Callable

import numpy as np
from scipy import special

from core.optimal.tolerances import PRICE
from core.validation import FloatArray


def descend(
    start: FloatArray,
    prices: FloatArray,
    lowest: Callable[[FloatArray], FloatArray],
    value: float = np.inf,
) -> list[FloatArray]:
    """Return the successive outputs of a descent of H(r) − p·r from a start, the best last.

    Each minimizes the tangent at the one before, which lies above the concave function.
    """
    r = start / start.sum()
    met: list[FloatArray] = []
    while True:
        # entries are raised to this where H is linearized, as its slope at 0 is infinite
        r = lowest(-np.log(np.maximum(r, 1e-9)) - prices)
        lower = float(special.entr(r).sum() - prices @ r)
        if not lower <= value - PRICE:  # also ends at NaN
            return met
        met.append(r)
        value = lower
