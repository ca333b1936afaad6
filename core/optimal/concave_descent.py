"""A descent of a concave function over allowed outputs, from vertex to vertex."""

from collections.abc import Callable

import numpy as np

from core.validation import FloatArray

SMALLEST = 1e-9
"""Entries below this count as this where H is linearised: at 0 its slope is infinite."""

PROGRESS = 1e-10
"""A descent goes on while it gains more than this, in nats: less is rounding."""


def descend(
    start: FloatArray,
    prices: FloatArray,
    lowest: Callable[[FloatArray], FloatArray],
    cost: Callable[[FloatArray], float],
    value: float = np.inf,
) -> list[FloatArray]:
    """Return the outputs on the way down from a start, the last of them the best.

    Each is a minimiser of the line that touches H(r) − p·r, and lies above it, at the one before.

    Parameters
    ----------
    start : ndarray
        An output as weights, shape (n_x,).
    prices : ndarray
        p, shape (n_x,).
    lowest : callable
        Takes costs c, shape (n_x,), and returns an allowed posterior with the least c·r.
    cost : callable
        H of a posterior, or what is to be low instead.
    value : float
        What an output must be below.

    Examples
    --------
    Over all posteriors of three symbols a vertex is one symbol, and the dearest one is met first:

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
        if not lower <= value - PROGRESS:  # nor where a price is no number
            return met
        met.append(r)
        value = lower
