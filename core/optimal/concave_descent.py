"""A descent of a concave function over allowed outputs, from vertex to vertex."""

from collections.abc import Callable

import numpy as np

from core.validation import FloatArray

SMALLEST = 1e-9
"""Entries are raised to this where H is linearised, as its slope at 0 is infinite."""

PROGRESS = 1e-10
"""Gain of a step, in nats, up to which it counts as rounding and the descent ends."""


def descend(
    start: FloatArray,
    prices: FloatArray,
    lowest: Callable[[FloatArray], FloatArray],
    cost: Callable[[FloatArray], float],
    value: float = np.inf,
) -> list[FloatArray]:
    """Return the successive outputs of a descent of H(r) − p·r from a start, the best last.

    Each minimises the tangent at the one before, which lies above the concave function.

    Parameters
    ----------
    start : ndarray
        An output as weights, shape (n_x,).
    prices : ndarray
        p, shape (n_x,).
    lowest : callable
        Takes costs c, shape (n_x,), and returns an allowed posterior with the least c·r.
    cost : callable
        H of a posterior, or another concave cost.
    value : float
        Value of H(r) − p·r that the first output must be below.

    Examples
    --------
    Over all posteriors of three symbols each vertex is one symbol; that of highest price is best:

    >>> from scipy.special import entr
    >>> met = descend(np.full(3, 1 / 3), np.array([0.0, 0.5, 1.0]), lambda c: np.eye(3)[c.argmin()],
    ...     lambda r: float(entr(r).sum()))
    >>> [r.tolist() for r in met]
    [[0.0, 0.0, 1.0]]
    """
    r = start / start.sum()
    met: list[FloatArray] = []
    while True:
        r = lowest(-np.log(np.maximum(r, SMALLEST)) - prices)
        lower = cost(r) - float(prices @ r)
        if not lower <= value - PROGRESS:  # also ends at NaN
            return met
        met.append(r)
        value = lower
