"""The best mixture over a polytope of few symbols with growing rows, by lazy double description.

A vertex that violates a row is replaced by those where its edges meet the row, but only if its
reduced cost is negative. One never replaced may hide such a vertex, so the caller proves the final
duals by all vertices that undercut them. Source: Motzkin et al. (1953); Horst, Thoai and de Vries
(1988).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.clock import NEVER, Deadline
from core.limits import DUST, ROUNDING
from core.optimal.plan import SIZES
from core.optimal.polytopes.facets import Facets, relaxed, simplex_corners, solved_corners, systems
from core.optimal.programs.master import Master, Mixture
from core.optimal.tolerances import PRICE
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray


class VertexTable:
    """Vertices as arrays with one row each, which grow by doubling; `points` are scaled.

    - `tight`: indices of the rows that each meets with equality, shape (k, n_x − 1).
    - `seen`: number of the first rows that each is known to satisfy, shape (k,).
    - `alive`: whether no row is known to be violated, shape (k,).
    """

    points: FloatArray
    tight: IntArray
    seen: IntArray
    posteriors: FloatArray
    costs: FloatArray
    alive: BoolArray

    _NAMES = ("points", "tight", "seen", "posteriors", "costs", "alive")

    def __init__(self, *columns: FloatArray | IntArray) -> None:
        self._count = len(columns[0])
        self._room = [*columns, np.ones(self._count, dtype=bool)]
        self._show()

    def __len__(self) -> int:
        return self._count

    @property
    def n_bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(column.nbytes for column in self._room)

    def append(self, *columns: FloatArray | IntArray) -> None:
        """Add vertices, given by all attributes but `alive`, in order."""
        first, self._count = self._count, self._count + len(columns[0])
        if self._count > len(self._room[0]):
            more = [
                np.zeros((self._count, *column.shape[1:]), column.dtype) for column in self._room
            ]
            self._room = [np.concatenate(pair) for pair in zip(self._room, more, strict=True)]
        values = [*columns, np.ones(len(columns[0]), dtype=bool)]
        for column, value in zip(self._room, values, strict=True):
            column[first : self._count] = value
        self._show()

    def keep(self, which: BoolArray) -> None:
        """Drop the vertices that are not in a mask of shape (k,)."""
        self._room = [getattr(self, name)[which] for name in self._NAMES]
        self._count = len(self._room[0])
        self._show()

    def _show(self) -> None:
        """Set the attributes to the used part of the arrays."""
        for name, column in zip(self._NAMES, self._room, strict=True):
            setattr(self, name, column[: self._count])


AHEAD = 0.5
"""Part of the way from stable duals to the master's, which oscillate, where vertices are priced."""


@dataclass(frozen=True, eq=False)
class LazyMixture:
    """The best mixture of the known vertices: `outputs` in use as posteriors, and λ, `duals`.

    `estimate`: an upper bound over the polytope, unless a vertex was missed; ∞ if not `finished`,
    where the outputs are those given.
    """

    outputs: FloatArray
    duals: FloatArray
    estimate: float
    finished: bool


class LazyDoubleDescription:
    """A polytope of few symbols to which rows are added, and its vertices near the optimum."""

    def __init__(self, facets: Facets, p_x: FloatArray, utility: Utility) -> None:
        self.p_x, self.utility, self.facets = p_x, utility, facets
        n, self._norm = len(p_x), facets.norm
        self._rng = np.random.default_rng(0)
        self._rows, self._limits, self._exact = -np.eye(n), np.zeros(n), np.zeros(n)
        tight = simplex_corners(n)
        corners = solved_corners(self._rows, self._limits, self._norm, tight)
        self._known = VertexTable(corners, tight, np.full(n, n), *self._priced(corners))
        self._reduced, self._duals = np.zeros(0), np.zeros(n)
        self._extend()

    def __len__(self) -> int:
        """Return the number of known vertices."""
        return int(self._known.alive.sum())

    def add(self, cuts: FloatArray) -> None:
        """Cut the polytope by cuts @ r ≤ 0, shape (k, n_x)."""
        self.facets = self.facets.with_cuts(cuts)
        self._extend()

    def best(
        self, within: FloatArray, duals: FloatArray, deadline: Deadline = NEVER
    ) -> LazyMixture:
        """Return the best mixture over the polytope, if time suffices; within (k, n_x)."""
        known, chosen = self._known, np.zeros(0, dtype=np.int64)
        master = Master(self.p_x, self.utility, within)
        mixture = _mixed(master)
        centre = trial = duals
        while True:
            if deadline.over or known.n_bytes > SIZES.vertex_bytes:
                self._tidy()
                return LazyMixture(within, duals, np.inf, finished=False)
            which = self._untested(trial)
            if len(which):
                self._test(which)
                continue
            if not known.alive[chosen].all():  # some were cut off: start again without them
                chosen = chosen[known.alive[chosen]]
                master = Master(self.p_x, self.utility, within)
                master.add(known.posteriors[chosen])
                mixture = _mixed(master)
                trial = centre + AHEAD * (mixture.duals - centre)
                continue
            prices = self._prices(trial)
            fresh = np.setdiff1d(np.flatnonzero(prices < -PRICE), chosen)
            if len(fresh):
                # most outputs that enter the master program at a time
                fresh = fresh[np.argsort(prices[fresh], kind="stable")][:64]
                master.add(known.posteriors[fresh])
                chosen = np.append(chosen, fresh)
                mixture = _mixed(master)
                trial = centre + AHEAD * (mixture.duals - centre)
            elif trial is not mixture.duals:
                centre, trial = trial, mixture.duals
            else:
                break
        outputs = np.vstack([within, self._unrelaxed(chosen)])[mixture.used]
        self._tidy()
        estimate = self.utility.offset(self.p_x) - mixture.cost
        return LazyMixture(outputs, mixture.duals, estimate, finished=True)

    def _extend(self) -> None:
        """Add the facets' new rows, which vertices have not been tested against yet."""
        known = len(self._rows) - len(self._norm)
        limits = self.facets.limits[known:]
        self._rows = np.vstack([self._rows, self.facets.rows[known:]])
        self._limits = np.append(self._limits, relaxed(limits, self._rng))
        self._exact = np.append(self._exact, limits)

    def _tidy(self) -> None:
        """Drop the vertices that were replaced, unless they are few: all others are copied."""
        alive = self._known.alive
        if (~alive).sum() > 0.2 * len(alive):  # part of the vertices that may be replaced ones
            self._known.keep(alive)
            self._reduced = self._reduced[:0]
            self._duals = np.zeros(0)

    def _untested(self, duals: FloatArray) -> IntArray:
        """Return the untested vertices of negative reduced cost."""
        unsure = self._known.seen < len(self._rows)
        return np.flatnonzero(unsure & (self._prices(duals) < -PRICE))

    def _prices(self, duals: FloatArray) -> FloatArray:
        """Return φ(r) − λ·r of all vertices, (k,), new ones priced; ∞ if replaced."""
        known = self._known
        if duals is not self._duals:
            self._reduced, self._duals = np.zeros(0), duals
        first = len(self._reduced)
        added = known.costs[first:] - known.posteriors[first:] @ duals
        self._reduced = np.append(self._reduced, added)
        self._reduced[~known.alive] = np.inf
        return self._reduced

    def _test(self, which: IntArray) -> None:
        """Test vertices against the rows that they were not tested against; replace violators."""
        # memory, in bytes, of the points at which edges of one block of vertices meet a row
        size = max(1, 20_000_000 // (8 * self._rows.size))
        for first in range(0, len(which), size):
            part = which[first : first + size]
            row = self._first_broken(part)
            broken = row < len(self._rows)
            self._known.seen[part[~broken]] = len(self._rows)
            if broken.any():
                self._replace(part[broken], row[broken])

    def _first_broken(self, which: IntArray) -> IntArray:
        """Return the first untested row that each vertex violates, or the number of rows."""
        known = self._known
        start = int(known.seen[which].min())
        excess = known.points[which] @ self._rows[start:].T - self._limits[start:]
        unseen = np.arange(start, len(self._rows)) >= known.seen[which][:, None]
        broken = (excess > 0) & unseen
        return np.where(broken.any(axis=1), start + broken.argmax(axis=1), len(self._rows))

    def _replace(self, which: IntArray, row: IntArray) -> None:
        """Replace vertices, shape (k,), by those where their edges meet the rows they violate."""
        known, rows, limits = self._known, self._rows, self._limits
        points, tight = known.points[which], known.tight[which]
        inverse = np.linalg.inv(systems(rows, self._norm, tight))
        slope = np.einsum("ki,kij->kj", rows[row], -inverse[:, :, :-1])
        owner, edge = np.nonzero(slope < -DUST)
        excess = np.einsum("ki,ki->k", rows[row], points) - limits[row]
        step = -excess[owner] / slope[owner, edge]
        met = points[owner] - step[:, None] * inverse[owner, :, edge]
        # a point is a vertex if it meets all earlier rows; rows of its edge hold by construction
        last = int(row.max())
        over = met @ rows[:last].T - limits[:last]
        np.put_along_axis(over, tight[owner], -1.0, axis=1)
        over[np.arange(last) >= row[owner][:, None]] = -1.0
        kept = np.flatnonzero((over <= 0).all(axis=1))
        new = tight[owner[kept]]
        new[np.arange(len(new)), edge[kept]] = row[owner[kept]]
        corners = solved_corners(rows, limits, self._norm, new)
        known.alive[which] = False
        known.append(corners, new, row[owner[kept]] + 1, *self._priced(corners))

    def _unrelaxed(self, which: IntArray) -> FloatArray:
        """Return vertices as posteriors, shape (k, n_x), at the original limits of the rows."""
        tight = self._known.tight[which]
        return self.facets.posteriors(solved_corners(self._rows, self._exact, self._norm, tight))

    def _priced(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return points z as posteriors, shape (k, n_x), and their costs, (k,)."""
        posteriors = self.facets.posteriors(points)
        return posteriors, self.utility.cost(posteriors)


def _mixed(master: Master) -> Mixture:
    """Return the best mixture, after raising the penalty until there is no shortfall."""
    mixture = master.solve()
    while mixture.shortfall > ROUNDING:
        master.raise_penalty()
        mixture = master.solve()
    return mixture
