"""Vertices of a polytope that undercut given prices, or the proof that there are none.

The polytope starts as the simplex, and rows are added one by one. A new vertex lies on an edge of
which the row cuts one end off; the reduced cost is concave, so a new vertex that undercuts the
prices has a neighbour that does. So it suffices to keep those that do, with their edges, and to add
rows that one of them violates: where none is left, the prices are proven.

Source: double description, Motzkin et al. (1953), of the vertices below a concave level only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.clock import NEVER, Deadline
from core.optimal.polytopes.facets import (
    MOST_BYTES,
    PARALLEL,
    Facets,
    relaxed,
    simplex_corners,
    solved_corners,
    systems,
)
from core.optimal.programs.batched_simplex import inverses
from core.optimal.programs.refinement import refined
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

AT_ONCE = 5
"""Vertices that an oracle gets at a time: those of least reduced cost."""

STEEP = 1e4
"""Largest entry of the inverse of a vertex's system at which its rounding error is far below the
distance by which rows are moved outwards: larger ones are refined."""

MOST = 2_000
"""Default of the most vertices that are kept."""


@dataclass(frozen=True, eq=False)
class Undercut:
    """The vertices that undercut prices λ, and the upper bound that follows.

    Attributes
    ----------
    outputs : ndarray
        Vertices with φ(r) − λ·r below the floor, as posteriors, shape (k, n_x), lowest first; of a
        larger polytope where time was over.
    bound : float
        Upper bound on the utility of mixtures over the polytope.
    slack : float
        The floor is −slack nats: the slack given, or more where there were too many vertices.
    finished : bool
        Whether the outputs are vertices of the polytope itself.
    sure : bool
        Whether every vertex was computed to far more accuracy than rows were moved by; else the
        bound is not proven.
    """

    outputs: FloatArray
    bound: float
    slack: float
    finished: bool
    sure: bool


def undercutting(
    facets: Facets,
    p_x: FloatArray,
    utility: Utility,
    duals: FloatArray,
    *,
    slack: float,
    most: int = MOST,
    oracle: Callable[[FloatArray], FloatArray | None] | None = None,
    deadline: Deadline = NEVER,
) -> Undercut:
    """Return the vertices of a polytope that undercut prices, and the bound that the prices prove.

    Where too many vertices undercut the prices, the floor falls to the lowest `most` of them.

    Parameters
    ----------
    facets : Facets
        The polytope. Rows are moved slightly outwards during the search, not for the outputs.
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        Gives the costs φ.
    duals : ndarray
        λ, shape (n_x,).
    slack : float
        The floor is −slack nats; the bound is raised by the slack.
    most : int
        Most vertices that are kept: where more are below the floor, it falls.
    oracle : callable, optional
        For a set that rows alone do not describe: takes vertices, as posteriors of shape (k, n_x),
        and returns the cuts that they violate, shape (j, n_x), or None to end the search.
    deadline : Deadline
        When to stop; the bound is valid whenever that is.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> from core.optimal.polytopes.standard_form import polytope
    >>> from core.optimal.utility import MutualInformation
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> facets = polytope(LIP(0.5).allowed_set(joint), joint.p_x).facets()
    >>> goal = MutualInformation()
    >>> found = undercutting(facets, joint.p_x, goal, np.array([0.7, 0.1]), slack=1e-9)
    >>> found.outputs.round(4)
    array([[0.8935, 0.1065]])
    """

    def price(points: FloatArray) -> FloatArray:
        posteriors = facets.posteriors(points)
        result: FloatArray = utility.cost(posteriors) - posteriors @ duals
        return result

    known = _Known(facets, price, -slack, most)
    finished = False
    while not finished and not deadline.over:
        row = known.most_broken()
        if row is not None:
            known.apply(row)
            continue
        lowest = np.argsort(known.prices, kind="stable")[:AT_ONCE]
        cuts = None if oracle is None else oracle(facets.posteriors(known.points[lowest]))
        finished = cuts is None or len(cuts) == 0
        if cuts is not None and len(cuts):
            known.extend(facets.scaled(cuts))
    value = dual_value(duals, known.prices, facets.posteriors(known.points), p_x)
    order = np.argsort(known.prices, kind="stable")
    outputs = facets.posteriors(known.exact(order))
    slack = -known.floor
    bound = utility.offset(p_x) - value + slack + utility.premium(duals)
    return Undercut(outputs, bound, slack, finished, known.sure)


def dual_value(duals: FloatArray, prices: FloatArray, points: FloatArray, p_x: FloatArray) -> float:
    """Return the larger p·P_X of two choices of duals p ≤ λ that no given output undercuts.

    Either all duals fall by the lowest reduced cost; or, for each output of negative reduced cost,
    that of the symbol with the largest r(x)/P(x), which is better where only symbols of tiny
    probability are priced too high.

    Parameters
    ----------
    duals : ndarray
        λ, shape (n_x,).
    prices : ndarray
        Reduced costs φ(r) − λ·r of the outputs, shape (k,).
    points : ndarray
        The outputs r, as posteriors, shape (k, n_x).
    p_x : ndarray
        P(x), shape (n_x,).
    """
    total = float(duals @ p_x)
    low = np.flatnonzero(prices < 0)
    if len(low) == 0:
        return total
    points = points[low]
    symbol = (points / p_x).argmax(axis=1)
    fall = np.zeros(len(p_x))
    with np.errstate(over="ignore"):  # ∞ for an entry of 1e-309: then the first choice is larger
        needed = -prices[low] / points[np.arange(len(low)), symbol]
    np.maximum.at(fall, symbol, needed)
    return total - min(-float(prices.min()), float(fall @ p_x))


class _Known:
    """The vertices below the floor under the rows so far; parameters as in `undercutting`.

    Attributes
    ----------
    points : ndarray
        The vertices z, shape (k, n).
    tight : ndarray
        Indices of the rows that each meets, shape (k, n − 1).
    edges : ndarray
        Directions of the edges, along each of which one of these rows becomes slack, shape
        (k, n, n − 1).
    lengths : ndarray
        Lengths of the edges, shape (k, n − 1).
    excess : ndarray
        Value of each row at each vertex less its limit, −∞ for rows in use, shape (k, m).
    prices : ndarray
        Reduced costs, shape (k,).
    floor : float
        All vertices below it are known, for the polytope of the rows so far.
    sure : bool
        As in `Undercut`.
    """

    _NAMES = ("points", "tight", "edges", "lengths", "excess", "prices")

    points: FloatArray
    tight: IntArray
    edges: FloatArray
    lengths: FloatArray
    excess: FloatArray
    prices: FloatArray

    def __init__(
        self,
        facets: Facets,
        price: Callable[[FloatArray], FloatArray],
        floor: float,
        most: int,
    ) -> None:
        n, limits = len(facets.norm), facets.limits
        self._rows = np.vstack([-np.eye(n), facets.rows])
        self._exact = np.append(np.zeros(n), limits)
        self._limits = np.append(np.zeros(n), relaxed(limits, np.random.default_rng(0)))
        self._norm, self._price, self.floor = facets.norm, price, floor
        self._most = min(most, MOST_BYTES // (8 * n * (n + 2)))
        self._applied = np.arange(len(self._rows)) < n
        self.sure = True
        self._take([], self._made(simplex_corners(n)))

    def exact(self, which: IntArray) -> FloatArray:
        """Return the vertices at these indices at the rows' original limits, shape (k, n)."""
        return solved_corners(self._rows, self._exact, self._norm, self.tight[which])

    def extend(self, rows: FloatArray) -> None:
        """Add rows @ z ≤ 0, shape (j, n), without applying them."""
        limits = np.zeros(len(rows))
        moved = relaxed(limits, np.random.default_rng(len(self._rows)))
        self._rows = np.vstack([self._rows, rows])
        self._exact = np.append(self._exact, limits)
        self._limits = np.append(self._limits, moved)
        self._applied = np.append(self._applied, np.zeros(len(rows), dtype=np.bool_))
        self.excess = np.hstack([self.excess, self.points @ rows.T - moved])

    def most_broken(self) -> int | None:
        """Return the row most violated by the violating vertex of least reduced cost, or None."""
        outside = np.flatnonzero(self.excess.max(axis=1, initial=-np.inf) > 0)
        if len(outside) == 0:
            return None
        lowest = outside[self.prices[outside].argmin()]
        return int(self.excess[lowest].argmax())

    def apply(self, row: int) -> None:
        """Cut the polytope by a row."""
        over = self.excess[:, row]
        slope = self._rows[row] @ self.edges
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = -over[:, None] / slope
        # an edge from a vertex that is cut off to one that is not, or the other way round
        crosses = np.where(over[:, None] > 0, slope < -PARALLEL, slope > PARALLEL)
        owner, edge = np.nonzero(crosses & (step < self.lengths))
        length = step[owner, edge]
        self.lengths[owner, edge] = length
        points = self.points[owner] + length[:, None] * self.edges[owner, :, edge]
        prices, kept = self._price(points), over <= 0
        both = np.append(self.prices[kept], prices)
        if len(both) > self._most:
            self.floor = min(self.floor, float(np.partition(both, self._most)[self._most]))
        kept &= self.prices < self.floor
        low = np.flatnonzero(prices < self.floor)
        tight = self.tight[owner[low]]
        tight[np.arange(len(low)), edge[low]] = row
        tight = np.unique(np.sort(tight, axis=1), axis=0)  # both ends may have led to it
        self._applied[row] = True
        self.excess[:, row] = -np.inf
        self._take(np.flatnonzero(kept), self._made(tight))

    def _take(self, kept: IntArray | list[int], made: tuple[FloatArray | IntArray, ...]) -> None:
        """Keep some vertices and add new ones."""
        for name, value in zip(self._NAMES, made, strict=True):
            old = getattr(self, name)[kept] if len(kept) else value[:0]
            setattr(self, name, np.concatenate([old, value]))

    def _made(self, tight: IntArray) -> tuple[FloatArray | IntArray, ...]:
        """Return the vertices below the floor that meet given rows, (k, n − 1), as attributes."""
        n = len(self._norm)
        square = systems(self._rows, self._norm, tight)
        inverse = inverses(square)
        known = np.isfinite(inverse).all(axis=(1, 2))
        self.sure &= bool(known.all())
        steep = known & (np.abs(inverse).max(axis=(1, 2), initial=0.0) >= STEEP)
        if self.sure and steep.any():
            inverse[steep], exact = refined(square[steep], inverse[steep])
            self.sure = bool(exact.all())
        inverse, tight = inverse[known], tight[known]
        right = np.ones((len(tight), n))
        right[:, :-1] = self._limits[tight]
        points: FloatArray = np.einsum("kij,kj->ki", inverse, right)
        prices = self._price(points)
        low = np.flatnonzero(prices < self.floor)
        points, tight, prices = points[low], tight[low], prices[low]
        edges: FloatArray = -np.asarray(inverse, np.float64)[low][:, :, :-1]
        excess = points @ self._rows.T - self._limits
        done = np.flatnonzero(self._applied)
        slack = -excess[:, done]
        np.put_along_axis(slack, np.searchsorted(done, tight), np.inf, axis=1)
        slopes = self._rows[done] @ edges
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(slopes > PARALLEL, slack[:, :, None] / slopes, np.inf)
        excess[:, done] = -np.inf
        return points, tight, edges, steps.min(axis=1), excess, prices
