"""The best mixture over a polytope of few symbols with growing rows, by lazy double description.

The polytope starts as the simplex. A vertex that violates a row is replaced by those where its
edges meet the row, as in double description, but only if its reduced cost under the present duals
is negative. So a late row, such as an oracle's cut, takes time only for what it changes near the
optimum. A vertex that is never replaced may hide one of negative reduced cost, so the caller proves
the final duals by all vertices that undercut them, which is fast for good duals.

Source: double description is Motzkin et al. (1953); outer approximation of a concave minimum over
a convex set by the vertices of polytopes is Horst, Thoai and de Vries (1988).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.clock import NEVER, Deadline
from core.optimal.oracles.vertex_table import VertexTable
from core.optimal.polytopes.facets import (
    MOST_BYTES,
    PARALLEL,
    Facets,
    relaxed,
    simplex_corners,
    solved_corners,
    systems,
)
from core.optimal.programs.master import SHORT, Master, Mixture
from core.optimal.tolerances import PRICE
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray

CHEAPEST = 64
"""Most outputs that enter the master program at a time."""

BLOCK_BYTES = 20_000_000
"""Memory, in bytes, of the points at which edges of one block of vertices meet a row."""

AHEAD = 0.5
"""Part of the way from the last stable duals to those of the master program at which vertices are
priced: the latter oscillate while few outputs are known."""

_FEW_REPLACED = 0.2
"""Part of the vertices that may be replaced ones."""


@dataclass(frozen=True, eq=False)
class LazyMixture:
    """The best mixture of the known vertices.

    Attributes
    ----------
    outputs : ndarray
        The outputs in use, as posteriors, shape (k, n_x).
    duals : ndarray
        λ of the mixture, shape (n_x,).
    estimate : float
        Utility of the mixture: an upper bound over the polytope, unless a vertex was missed.
    finished : bool
        Whether time sufficed; else the outputs are those that were given, and the estimate is ∞.
    """

    outputs: FloatArray
    duals: FloatArray
    estimate: float
    finished: bool


class LazyDoubleDescription:
    """A polytope of few symbols to which rows are added, and its vertices near the optimum.

    Parameters
    ----------
    facets : Facets
        The polytope to start from, of few symbols.
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        Gives the costs.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> from core.optimal.polytopes.standard_form import polytope
    >>> from core.optimal.utility import MutualInformation
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> facets = polytope(LIP(0.5).allowed_set(joint), joint.p_x).facets()
    >>> lazy = LazyDoubleDescription(facets, joint.p_x, MutualInformation())
    >>> found = lazy.best(joint.p_x[None], np.zeros(2))
    >>> found.finished, round(found.estimate, 4)
    (True, 0.3539)
    """

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
        """Return the best mixture over the polytope, if time suffices.

        Parameters
        ----------
        within : ndarray
            Outputs of the polytope that mix to P_X, as posteriors, shape (k, n_x): they keep the
            duals bounded.
        duals : ndarray
            λ to start from, shape (n_x,), such as those found last.
        deadline : Deadline
            When to stop.

        Raises
        ------
        SolverError
            If HiGHS fails.
        """
        known, chosen = self._known, np.zeros(0, dtype=np.int64)
        master = Master(self.p_x, self.utility, within)
        mixture = _mixed(master)
        centre = trial = duals
        while True:
            while len(which := self._untested(trial)):
                if deadline.over or known.n_bytes > MOST_BYTES:
                    self._tidy()
                    return LazyMixture(within, duals, np.inf, finished=False)
                self._test(which)
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
                fresh = fresh[np.argsort(prices[fresh], kind="stable")][:CHEAPEST]
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
        if (~alive).sum() > _FEW_REPLACED * len(alive):
            self._known.keep(alive)
            self._reduced = self._reduced[:0]
            self._duals = np.zeros(0)

    def _untested(self, duals: FloatArray) -> IntArray:
        """Return the untested vertices of negative reduced cost."""
        unsure = self._known.seen < len(self._rows)
        return np.flatnonzero(unsure & (self._prices(duals) < -PRICE))

    def _prices(self, duals: FloatArray) -> FloatArray:
        """Return φ(r) − λ·r of all vertices, shape (k,); ∞ for those that were replaced.

        Under the same duals as before only new vertices are priced.
        """
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
        size = max(1, BLOCK_BYTES // (8 * self._rows.size))
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
        owner, edge = np.nonzero(slope < -PARALLEL)
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
    while mixture.shortfall > SHORT:
        master.raise_penalty()
        mixture = master.solve()
    return mixture
