"""The optimum from all vertices: every extreme output is known, so one program is the answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError, TimeLimitError
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.completeness import proven_complete
from core.optimal.polytopes.exact_vertices import TooManyRaysError, exact_vertices, may_enumerate
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.walk import walk
from core.optimal.programs.master import SHORT, Master, Mixture
from core.optimal.tolerances import EXACT_PRICE
from core.optimal.utility import Utility
from core.validation import FloatArray

LEAST_ERROR = 1e-14
"""What the entries of a posterior may be off by in all: they were rounded."""

MOST_ADDED = 64
"""Outputs that enter the master program at a time; it is solved again in between."""


@dataclass(frozen=True, eq=False)
class AllVertices:
    """The extreme outputs of an allowed set, proven to be all.

    Attributes
    ----------
    points : ndarray
        As posteriors, shape (k, n_x): to be mixed.
    outer : ndarray
        The extreme outputs, shape (j, n_x), of a set around it, by a hair or not at all: what
        holds for these holds for all that are allowed.
    errors : ndarray
        How far the entries of each of these may be off in all, shape (j,).
    """

    points: FloatArray
    outer: FloatArray
    errors: FloatArray

    def floors(self, utility: Utility, duals: FloatArray) -> FloatArray:
        """Return lower bounds of φ(r) − λ·r of all outer points, shape (j,)."""
        prices = utility.cost(self.outer) - self.outer @ duals
        off = np.maximum(self.errors, LEAST_ERROR)
        slope = 2.0 + np.log(len(duals)) - np.log(off)  # of H, where so much is added to some r
        with np.errstate(over="ignore"):  # a price of 1e308 bounds nothing: −∞ is such a floor
            floors: FloatArray = prices - off * (slope + np.abs(duals).max())
        return floors


def all_vertices(
    allowed: AllowedSet, p_x: FloatArray, space: Polytope, deadline: Deadline, max_vertices: int
) -> AllVertices:
    """Return all vertices of an allowed set's rows, and the proof that there are no others.

    Of few symbols they are computed in whole numbers; of more they are walked, and then shown to
    be all by the polytope's graph.

    Parameters
    ----------
    allowed : AllowedSet
        The set; its oracle is not asked.
    p_x : ndarray
        P(x), shape (n_x,), which is allowed.
    space : Polytope
        The same as a polytope.
    deadline : Deadline
        When to stop.
    max_vertices : int
        More than these are not looked for.

    Raises
    ------
    TimeLimitError
        If time, memory or the number of vertices runs out.
    SolverError
        If they are not shown to be all.
    """
    if may_enumerate(allowed):
        with suppress(TooManyRaysError):
            points = exact_vertices(allowed, p_x, deadline)
            if len(points) > max_vertices:
                raise TimeLimitError(f"{len(points)} vertices: too many.")
            if len(points) == 0:
                raise SolverError("No output meets the notion's rows as they were rounded.")
            return AllVertices(points, points, np.zeros(len(points)))
    found = walk(space, deadline=deadline, max_vertices=max_vertices)
    proof = proven_complete(allowed, space, found, deadline)
    if proof is None:
        raise SolverError("The vertices found are not proven to be all.")
    points, _ = tableaux.true_points(space, found, deadline)
    return AllVertices(points, *proof)


def best_mixture(
    points: FloatArray, p_x: FloatArray, utility: Utility, deadline: Deadline
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
    deadline : Deadline
        When to stop.

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
        mixture = master.solve(deadline.left)
        prices = costs - posteriors @ mixture.duals
        candidates = np.flatnonzero(~inside & (prices < -EXACT_PRICE))
        if len(candidates) == 0:
            if mixture.shortfall <= SHORT:
                return master, mixture, float(prices.min())
            if deadline.over:
                raise TimeLimitError("Time was over before the outputs covered every symbol.")
            master.raise_penalty()
        count = min(MOST_ADDED, len(candidates))
        chosen = candidates[np.argsort(prices[candidates], kind="stable")[:count]]
