"""The optimum from all vertices: a linear program over all extreme outputs."""

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
"""Least error, in ℓ1, that a posterior is assumed to have by rounding."""

MOST_ADDED = 64
"""Most outputs that enter the master program before it is solved again."""


@dataclass(frozen=True, eq=False)
class AllVertices:
    """The extreme outputs of an allowed set, proven to be all.

    Attributes
    ----------
    points : ndarray
        Posteriors, shape (k, n_x), to be mixed.
    outer : ndarray
        Posteriors, shape (j, n_x): the extreme outputs of the set or of a slightly larger one, so
        that a bound for these holds for all allowed outputs.
    errors : ndarray
        Error of each of `outer`, in ℓ1, at most, shape (j,).
    """

    points: FloatArray
    outer: FloatArray
    errors: FloatArray

    def floors(self, utility: Utility, duals: FloatArray) -> FloatArray:
        """Return lower bounds of φ(r) − λ·r of all outer points, shape (j,)."""
        prices = utility.cost(self.outer) - self.outer @ duals
        off = np.maximum(self.errors, LEAST_ERROR)
        slope = 2.0 + np.log(len(duals)) - np.log(off)  # bounds the change of H per unit of `off`
        with np.errstate(over="ignore"):  # the floor is −∞ where a dual is 1e308
            floors: FloatArray = prices - off * (slope + np.abs(duals).max())
        return floors


def all_vertices(
    allowed: AllowedSet, p_x: FloatArray, space: Polytope, deadline: Deadline, max_vertices: int
) -> AllVertices:
    """Return all vertices of an allowed set's rows, proven to be all.

    With few symbols they are computed in whole numbers; with more they are walked, and the
    polytope's graph proves them complete.

    Parameters
    ----------
    allowed : AllowedSet
        The set; its oracle is not used.
    p_x : ndarray
        P(x), shape (n_x,), which is allowed.
    space : Polytope
        The same as a polytope.
    deadline : Deadline
        When to stop.
    max_vertices : int
        Most vertices.

    Raises
    ------
    TimeLimitError
        If time is over, or there are too many vertices for `max_vertices` or memory.
    SolverError
        If they are not proven to be all, or there are none.
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

    Only a few are in the program: each round, one matrix product prices the rest.

    Parameters
    ----------
    points : ndarray
        Weights up to scale, shape (k, n_x).
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        The utility to maximise.
    deadline : Deadline
        When to stop.

    Returns
    -------
    master, mixture
        The program and its solution.
    price : float
        The least reduced cost φ(r) − λ·r of all outputs, at least −EXACT_PRICE.

    Raises
    ------
    TimeLimitError, InfeasibleError, SolverError
        If time is over, the outputs do not mix to P_X, or HiGHS fails.
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
