"""The optimum from all vertices: every extreme output is known, so one program is the answer."""

from __future__ import annotations

import time

import numpy as np

from core.optimal.master import SHORT, Master, Mixture
from core.optimal.utility import Utility
from core.validation import FloatArray

PRICE = 1e-11
"""A reduced cost above −1e-11 nats is rounding."""

MOST_ADDED = 64
"""Outputs that enter the master program at a time; it is solved again in between."""


def best_mixture(
    points: FloatArray, p_x: FloatArray, utility: Utility, deadline: float
) -> tuple[Master, Mixture, float]:
    """Return the best mixture of given outputs.

    Only a few are ever in the program: the rest are priced with one product each round.

    Parameters
    ----------
    points : ndarray
        Weights up to scale, shape (k, n_x).
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        What is to be large.
    deadline : float
        On the clock of `time.monotonic`.

    Returns
    -------
    master, mixture
        The program and its solution.
    price : float
        The least reduced cost φ(r) − λ·r of all of them: −1e-11 or more when nothing is left.

    Raises
    ------
    TimeLimitError, SolverError
        If HiGHS has no answer (in time).
    """
    posteriors = points / points.sum(axis=1, keepdims=True)
    costs = utility.cost(posteriors)
    master = Master(p_x, utility, p_x[None])
    inside = np.zeros(len(points), dtype=bool)
    first = np.argsort(costs, kind="stable")[: 2 * len(p_x)]
    chosen = np.union1d(first, posteriors.argmax(axis=0))
    while True:
        master.add(posteriors[chosen])
        inside[chosen] = True
        mixture = master.solve(deadline - time.monotonic())
        prices = costs - posteriors @ mixture.duals
        candidates = np.flatnonzero(~inside & (prices < -PRICE))
        if len(candidates) == 0:
            if mixture.shortfall <= SHORT:
                return master, mixture, float(prices.min())
            master.raise_penalty()
        count = min(MOST_ADDED, len(candidates))
        chosen = candidates[np.argsort(prices[candidates], kind="stable")[:count]]
