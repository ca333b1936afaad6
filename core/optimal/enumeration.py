"""The optimum from all vertices: every extreme output is known, so one program is the answer."""

from __future__ import annotations

import numpy as np

from core import clock
from core.errors import SolverError
from core.optimal import pivoting
from core.optimal.master import SHORT, Master, Mixture
from core.optimal.polytope import Polytope
from core.optimal.utility import Utility
from core.optimal.vertices import double_description
from core.optimal.walk import walk
from core.validation import FloatArray

PRICE = 1e-11
"""A reduced cost above −1e-11 nats is rounding."""

DIRECTIONS = 4
"""Random directions in which the vertices must reach as far as a linear program says."""

MISSED = 1e-7
"""How far they may miss that, or a row: above HiGHS's tolerance and the perturbation of ties."""

MOST_ADDED = 64
"""Outputs that enter the master program at a time; it is solved again in between."""


def all_vertices(space: Polytope, deadline: float, max_vertices: int) -> FloatArray:
    """Return all vertices as posteriors, shape (k, n_x), checked.

    They are walked; should a walk ever fail its check, double description is tried.

    Parameters
    ----------
    space : Polytope
        The polytope.
    deadline : float
        On the clock of `core.clock`.
    max_vertices : int
        More than these are not looked for.

    Raises
    ------
    TimeLimitError
        If time, memory or the number of vertices runs out.
    SolverError
        If neither way gives vertices that pass the check.
    """
    found = walk(space, deadline=deadline, max_vertices=max_vertices)
    points, _ = pivoting.true_points(space, found, deadline)
    if not sound(space, points):
        points = double_description(space, time_limit=deadline - clock.now())
        if not sound(space, points):
            raise SolverError("The vertices found miss some of the allowed set.")
    return points


def sound(space: Polytope, points: FloatArray) -> bool:
    """Say whether points are inside the rows and none is missing in a few random directions."""
    rng = np.random.default_rng(0)
    if space.n_vars == space.n_x:  # helpers have no value here to put into the rows
        scaled = _normalised(space, points) / space.unit
        rows = scaled @ space.matrix[: space.n_slacks, : space.n_x].T
        width = space.upper[space.n_vars :][: space.n_slacks]
        if rows.max(initial=0.0) > MISSED or (rows + width).min(initial=0.0) < -MISSED:
            return False
    costs = rng.standard_normal((DIRECTIONS, space.n_x))
    reached = _normalised(space, pivoting.corners(space, costs).points()) @ costs.T
    least = (_normalised(space, points) @ costs.T).min(axis=0)
    return bool((least <= reached.min(axis=0) + MISSED).all())


def _normalised(space: Polytope, points: FloatArray) -> FloatArray:
    """Return points scaled to the polytope's normalising row, shape (k, n_x)."""
    norm = points @ (space.matrix[-1, : space.n_x] / space.unit)
    return points / norm[:, None]


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
        On the clock of `core.clock`.

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
        mixture = master.solve(deadline - clock.now())
        prices = costs - posteriors @ mixture.duals
        candidates = np.flatnonzero(~inside & (prices < -PRICE))
        if len(candidates) == 0:
            if mixture.shortfall <= SHORT:
                return master, mixture, float(prices.min())
            master.raise_penalty()
        count = min(MOST_ADDED, len(candidates))
        chosen = candidates[np.argsort(prices[candidates], kind="stable")[:count]]
