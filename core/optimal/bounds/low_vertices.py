"""Vertices of a polytope that undercut given prices, or the proof that there are none.

Rows are added to the simplex one by one. A new vertex lies on an edge of which the row cuts one end
off; the reduced cost is concave, so one that undercuts the prices has a neighbor that does. So it
suffices to keep those that do, with their edges, until no row is violated. Source: double
description, Motzkin et al. (1953), below a concave level; inverses refined by Newton's step X + X(I
− AX) in twice the precision, Ogita, Rump and Oishi (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.allowed.inequalities import halves
from core.clock import NEVER, Deadline
from core.limits import DUST
from core.optimal.plan import SIZES
from core.optimal.polytopes.facets import Facets, relaxed, simplex_corners, solved_corners, systems
from core.optimal.programs.batched_simplex import inverses
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray


def refined(systems: FloatArray, inverses: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return more accurate inverses, (k, n, n), and which are accurate in each column, (k,)."""
    result, exact = inverses, np.zeros(len(inverses), dtype=np.bool_)
    for _ in range(4):  # most steps: one or two suffice
        if exact.all():
            break
        with np.errstate(over="ignore", invalid="ignore"):  # where it does not converge
            step = result @ _residuals(systems, result)
            size = np.abs(result).max(axis=1, initial=0.0)
            # largest last step, as a part of its column, at which a column counts as exact
            exact = (np.abs(step).max(axis=1, initial=0.0) <= 1e-14 * size).all(axis=1)
            result = np.where(np.isfinite(step), result + step, result)
    return result, exact


def _residuals(systems: FloatArray, inverses: FloatArray) -> FloatArray:
    """Return I − AX, shape (k, n, n), as if computed in twice the precision."""
    total = np.broadcast_to(np.eye(systems.shape[-1]), systems.shape).copy()
    small = np.zeros(systems.shape)
    (a_high, a_low), (x_high, x_low) = halves(-systems), halves(inverses)
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


STEEP = 1e4
"""Largest entry of the inverse of a vertex's system at which its rounding error is far below the
distance by which rows are moved outwards: larger ones are refined."""


@dataclass(frozen=True, eq=False)
class Undercut:
    """The vertices that undercut prices λ, and the upper bound that follows.

    - `outputs`: vertices with φ(r) − λ·r below the floor, as posteriors, shape (k, n_x), lowest
      first.
    - `bound`: upper bound on the utility of mixtures over the polytope.
    - `slack`: the floor is −slack nats, lower than asked where there were too many vertices.
    - `finished`: whether the outputs are vertices of the polytope itself, not of a larger one.
    - `sure`: whether every vertex is far more accurate than rows were moved by; else nothing is
      proven.
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
    most: int = SIZES.low_vertices[0],
    oracle: Callable[[FloatArray], FloatArray | None] | None = None,
    deadline: Deadline = NEVER,
) -> Undercut:
    """Return the vertices that undercut prices, and the bound that these prove.

    Where more than `most` undercut the prices, the floor falls to the lowest of them.
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
        # vertices that an oracle gets at a time: those of least reduced cost
        lowest = np.argsort(known.prices, kind="stable")[:5]
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
    that of the symbol with the largest r(x)/P(x), better where only rare symbols are priced too
    high.
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

    - `points`: the vertices z, shape (k, n).
    - `tight`: indices of the rows that each meets, shape (k, n − 1).
    - `edges`, `lengths`: directions along which one of these becomes slack, shape (k, n, n − 1).
    - `excess`: value of each row at each vertex less its limit, −∞ for rows in use, shape (k, m).
    - `prices`: reduced costs, shape (k,).
    - `floor`: all vertices below it are known, for the polytope of the rows so far.
    - `sure`: as in `Undercut`.
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
        self._most = min(most, SIZES.vertex_bytes // (8 * n * (n + 2)))
        self._applied = np.arange(len(self._rows)) < n
        self.sure = True
        self._take([], self._vertices(simplex_corners(n)))

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
        crosses = np.where(over[:, None] > 0, slope < -DUST, slope > DUST)
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
        self._take(np.flatnonzero(kept), self._vertices(tight))

    def _take(self, kept: IntArray | list[int], new: tuple[FloatArray | IntArray, ...]) -> None:
        """Keep some vertices and add new ones."""
        for name, value in zip(self._NAMES, new, strict=True):
            old = getattr(self, name)[kept] if len(kept) else value[:0]
            setattr(self, name, np.concatenate([old, value]))

    def _vertices(self, tight: IntArray) -> tuple[FloatArray | IntArray, ...]:
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
            steps = np.where(slopes > DUST, slack[:, :, None] / slopes, np.inf)
        excess[:, done] = -np.inf
        return points, tight, edges, steps.min(axis=1), excess, prices
