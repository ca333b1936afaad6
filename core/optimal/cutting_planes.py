"""The optimum over a set given by an oracle: polytopes around it and allowed outputs inside.

A polytope's outputs are moved towards P_X until allowed; the last cut that each met narrows the
polytope. The allowed outputs' best mixture is a lower bound, the polytope's estimates an upper one:
`enclose` gets them by double description with few symbols, by columns with more. Source: outer
approximation, Horst, Thoai and de Vries (1988).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError
from core.limits import CLOSE
from core.optimal.bounds.box_bound import BoxBound
from core.optimal.bounds.level_bound import SHALLOW, LevelBound, LevelOracle
from core.optimal.bounds.low_vertices import Undercut, undercutting
from core.optimal.bounds.prover import Prover
from core.optimal.columns.linear_search import too_large
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.plan import SHARES, SIZES, seconds_to_begin
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.facets import Facets, facets_of
from core.optimal.polytopes.lazy_double_description import LazyDoubleDescription
from core.optimal.polytopes.standard_form import Polytope, polytope
from core.optimal.tolerances import SMALL
from core.optimal.utility import MutualInformation, Utility
from core.validation import FloatArray, IntArray

TOUCHING = 1e-7
"""Distance of an output from a cut, relative to its largest coefficient, at which it is met."""


@runtime_checkable
class ManyOracle(Protocol):
    """An oracle that takes many posteriors at once."""

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r, shape (n_x,), violates."""
        ...

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that points, shape (k, n_x), violate, and each cut's point by index."""
        ...

    def roughly(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return fewer cuts sooner: none of points that are hardly outside."""
        ...


class Rough:
    """An oracle that is in no hurry to be exact: the rough cuts of another one."""

    def __init__(self, oracle: ManyOracle) -> None:
        self.each = self.roughly = oracle.roughly

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r, shape (n_x,), violates."""
        return self.each(r[None])[0]


class AllowedOutputs:
    """Allowed outputs and their best mixture, its utility `value` and its λ, `duals`."""

    def __init__(
        self, kernel: FloatArray, p_x: FloatArray, utility: Utility, oracle: SeparationOracle
    ) -> None:
        self.p_x, self.utility, self.oracle = p_x, utility, oracle
        weights = (p_x[:, None] * kernel).T
        totals = weights.sum(axis=1, keepdims=True)
        used = totals[:, 0] > 0
        self.points = np.vstack([weights[used] / totals[used], p_x])
        self._mix()

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture."""
        # rows that miss 1 by this are scaled: the oracle moves their outputs inside
        return self._master.kernel(self._mixture, missing=1e-6)

    def in_use(self) -> FloatArray:
        """Return the outputs of the best mixture, shape (k, n_x)."""
        return self._master.points[self._mixture.used]

    def nearly_in_use(self) -> FloatArray:
        """Return the outputs of least reduced cost and P_X, as posteriors, shape (k, n_x)."""
        prices = self.utility.cost(self.points) - self.points @ self.duals
        # outputs per symbol, those of least reduced cost, that count as nearly in use
        lowest = np.argsort(prices, kind="stable")[: 20 * len(self.p_x)]
        return np.vstack([self.p_x, self.points[lowest]])

    def take(self, points: FloatArray, deadline: Deadline) -> FloatArray:
        """Move outputs, (k, n_x), inside by the deadline, add them; return last cuts, (j, n_x)."""
        inside, last = pulled(self.oracle, self.p_x, points, deadline)
        if len(inside):
            self.points = np.vstack([self.points, inside])
            self._mix()
        return distinct(last[np.isfinite(last).all(axis=1)])

    def _mix(self) -> None:
        """Compute the best mixture."""
        mixed = best_mixture(self.points, self.p_x, self.utility, NEVER)
        self._master, self._mixture, _ = mixed
        self.value = self.utility.offset(self.p_x) - self._mixture.cost
        self.duals = self._mixture.duals


def pulled(
    oracle: SeparationOracle | ManyOracle, p_x: FloatArray, points: FloatArray, deadline: Deadline
) -> tuple[FloatArray, FloatArray]:
    """Return outputs, (k, n_x), moved inside, (j, n_x), and the last cut of each, (k, n_x).

    It is tangent near where the output comes inside, and NaN where the output was allowed. Where
    g·r ≤ 0 is violated, the next point is where the segment to P_X crosses g·r = 0; g·P_X < 0.
    """
    inside, last = [points[:0]], np.full(points.shape, np.nan)
    moved, left = points, np.arange(len(points))
    # most cuts on an output's way to P_X: a few suffice, as they are tangents; else it is dropped
    for _ in range(30):
        if len(left) == 0 or deadline.over:
            break
        cuts, which = cuts_of(oracle, moved)
        broken = np.unique(which)
        inside.append(np.delete(moved, broken, axis=0))
        here, there = (cuts * points[left[which]]).sum(axis=1), cuts @ p_x
        shares = here / (here - there)
        order = np.argsort(shares, kind="stable")
        deepest = np.zeros(len(left), dtype=np.int64)
        deepest[which[order]] = order  # of each point's cuts the last written is the deepest
        deepest = deepest[broken]
        left = left[broken]
        last[left] = cuts[deepest]
        # part of the way to P_X that an output is moved beyond the last cut, to satisfy the oracle
        share = np.minimum(1.0, shares[deepest] + 1e-9)[:, None]
        moved = (1 - share) * points[left] + share * p_x
    return np.vstack(inside), last


def cuts_of(
    oracle: SeparationOracle | ManyOracle, points: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the cuts that points, shape (k, n_x), violate, and the index of each cut's point."""
    if isinstance(oracle, ManyOracle):
        return oracle.each(points)
    batches = [oracle(r) for r in points]
    return np.vstack(batches), np.repeat(np.arange(len(points)), [len(cuts) for cuts in batches])


def distinct(rows: FloatArray, apart: float = CLOSE) -> FloatArray:
    """Return rows without those that equal another up to `apart`, or the rounding to it."""
    _, first = np.unique(np.round(rows / apart), axis=0, return_index=True)
    return rows[np.sort(first)]


def enclose(
    allowed: AllowedSet,
    space: Polytope,
    inside: AllowedOutputs,
    *,
    gap: float,
    patience: Deadline,
    deadline: Deadline,
) -> float:
    """Improve allowed outputs and cut a polytope until they agree; return an upper bound."""
    lazy = LazyDoubleDescription(space.facets(), inside.p_x, inside.utility)
    facets = facets_of(allowed, inside.p_x)
    upper, duals = inside.utility.offset(inside.p_x), inside.duals
    stop = deadline.part(1 - SHARES.enclosure_proof)
    until = min(patience, stop)
    while True:
        best = lazy.best(inside.nearly_in_use(), duals, until)
        duals = best.duals if best.finished else duals
        ahead, outputs = best.estimate - inside.value, best.outputs
        # relative difference of estimate and answer from which on `patience` no longer ends the
        # loop
        if ahead <= 0.05 * inside.value:
            until = stop
        late = until.over
        if late or ahead <= gap / 2:
            proof = _proof(facets, inside, duals, gap / 2, deadline)
            if proof.sure:
                upper = min(upper, proof.bound)
            outputs = proof.outputs  # vertices that the search has missed
        if late or upper - inside.value <= gap or len(outputs) == 0:
            return upper
        before = inside.value
        cuts = inside.take(outputs[:20], until)  # most outputs that the oracle gets at a time
        if len(cuts):
            lazy.add(cuts)
            facets = facets.with_cuts(cuts)
        elif inside.value <= before:  # neither a cut nor a better output
            return upper


def _proof(
    facets: Facets, inside: AllowedOutputs, duals: FloatArray, slack: float, deadline: Deadline
) -> Undercut:
    """Return the vertices that undercut the duals; more are kept where too many were dropped."""
    most = SIZES.low_vertices[0]
    while True:
        undercut = undercutting(
            facets, inside.p_x, inside.utility, duals, slack=slack, most=most, deadline=deadline
        )
        vain = len(undercut.outputs) == 0 and undercut.slack > slack
        if not (undercut.finished and vain) or most * SIZES.growth > SIZES.enclosed_vertices:
            return undercut
        most *= SIZES.growth


def can_enclose(space: Polytope) -> bool:
    """Return whether a polytope is plain and has few enough symbols."""
    return space.plain() and space.n_x <= SIZES.enclosed_symbols


class CutLoop:
    """The cutting-plane loop: polytope, allowed outputs `inside`, least proven bound `upper`."""

    def __init__(
        self,
        allowed: AllowedSet,
        oracle: SeparationOracle,
        p_x: FloatArray,
        start: FloatArray,
        goal: Utility,
        until: Deadline,
        gap: float,
        seed: int,
    ) -> None:
        self.p_x, self.gap, self.seed = p_x, gap, seed
        self.goal = goal
        plain = isinstance(goal, MutualInformation) and goal.exceptions is None
        self.levels: LevelBound | None = None
        self._boxes: BoxBound | None = None
        if plain and len(p_x) <= SIZES.leveled_symbols and isinstance(oracle, LevelOracle):
            levels = LevelBound(oracle, p_x)
            self.levels = levels if levels.cells >= SIZES.leveled_cells else None
        self._few = self.levels is None or len(p_x) <= SIZES.enclosed_leveled
        self.until = until
        self._first_proof = until.part(SHARES.first_polytope)
        self._early = until.part(SHARES.cutting)
        self.outer = AllowedSet(allowed.rows, allowed.n_x, blocks=allowed.blocks)
        self._n_given = allowed.rows.shape[0]
        self.upper = self.goal.of_x(p_x)
        self.inside = AllowedOutputs(start, p_x, self.goal, oracle)

    def narrow(self, cuts: FloatArray) -> None:
        """Cut the polytope where outputs in use touch cuts, shape (k, n_x)."""
        touching = (np.abs(self.inside.in_use() @ cuts.T) < TOUCHING).any(axis=0)
        self._cut_off(distinct(cuts[touching], SIZES.tangents_apart))

    def run(self, *, prove: bool = True) -> None:
        """Narrow the polytope and improve the allowed outputs, until they agree or time is over."""
        if self.until.over or too_large(self.outer):  # a polytope of thousands of rows takes long
            return
        if prove:
            self.bound_by_levels(self.until.part(SHARES.levels))
        space = polytope(self.outer, self.p_x)
        if prove:
            self._bound_by_boxes(SHARES.rough_boxes if self._few else 0.0)
        if prove and self._few and can_enclose(space) and not self._closed():
            if isinstance(self.inside.oracle, ManyOracle):  # its cuts are those of a climb
                self._narrow_by_columns(space, self.until.part(SHARES.narrowing))
            share = SHARES.enclosing if self.levels is None else SHARES.enclosing_leveled
            bound = enclose(
                *(self.outer, polytope(self.outer, self.p_x), self.inside),
                gap=self.gap / 2,
                patience=self.until.part(share),
                deadline=self.until,
            )
            self.upper = min(self.upper, bound)
            self._bound_by_boxes()
        if not self._closed() and self.until.left > seconds_to_begin(len(self.p_x)):
            if self.levels is not None and len(self.p_x) <= SIZES.enclosed_symbols:
                self._cut_off(self.levels.rows)  # with more symbols the tableau would be large
            self._search(prove=prove)

    def bound_by_levels(self, deadline: Deadline) -> None:
        """Lower the bound by the levels of an oracle between secrets, if it is one."""
        if self.levels is not None:
            aim = self.inside.value + self.gap / 2
            self.upper = min(self.upper, self.levels.bound(aim, deadline))

    def _bound_by_boxes(self, left: float = 0.0) -> None:
        """Lower the bound by boxes under the levels' cuts, and under those of their mixtures.

        It may be a part `left` of the answer above it; a later call goes on with the same boxes.
        """
        n_x = len(self.p_x)
        if self.levels is None or self.outer.n_auxiliary or n_x > SIZES.box_symbols:
            return
        aim = self.inside.value * (1 + left) + self.gap / 2
        if self.upper <= aim or self.until.over:
            return
        if self._boxes is None:
            tangents = self.outer.rows.toarray()[self._n_given :]
            allowed = AllowedSet(sparse.csr_array(np.vstack([tangents, self.levels.rows])), n_x)
            self._boxes = BoxBound(
                *(allowed, self.p_x, self.levels.within, self._deepest_cuts), many=not self._few
            )
        self.upper = min(self.upper, self._boxes.bound(self.inside.in_use(), aim, self.until))

    def _deepest_cuts(self, outputs: FloatArray) -> FloatArray:
        """Return the deepest cuts that outputs, shape (k, n_x), violate: some of them."""
        oracle = self.inside.oracle
        rough = Rough(oracle) if isinstance(oracle, ManyOracle) else oracle
        cuts, which = cuts_of(rough, outputs)
        depths = (cuts * outputs[which]).sum(axis=1)
        deepest = np.argsort(-depths, kind="stable")[: SIZES.box_cuts[not self._few]]
        result: FloatArray = cuts[deepest[depths[deepest] > SHALLOW]]
        return result

    def _narrow_by_columns(self, space: Polytope, deadline: Deadline) -> None:
        """Cut the polytope at the columns in use: a wide one has too many vertices to enclose."""
        search = ColumnSearch(space, self.p_x, self.goal, seed=self.seed, deadline=deadline)
        search.include(self.inside.points)
        while not deadline.over:
            search.run()
            points = search.in_use()
            cuts = self.inside.take(points, deadline)
            ahead = self.goal.offset(self.p_x) - search.mixture.cost - self.inside.value
            if len(cuts) > 0 and ahead > self.gap:
                self._cut(search, cuts, points)
            elif not search.widen():  # cuts leave a search few columns to begin with
                return

    def _search(self, *, prove: bool) -> None:
        """Cut the polytope where columns in use are not allowed, and prove an upper bound."""
        space = polytope(self.outer, self.p_x)
        search = ColumnSearch(space, self.p_x, self.goal, seed=self.seed, deadline=self.until)
        search.include(self.inside.points)
        search.run()
        if prove:
            self._prove(search, self._first_proof)
        while True:
            search.run()
            search.settled()
            points = search.in_use()
            cuts = self.inside.take(points, self.until)
            if not prove or self._closed() or self.until.over:
                return
            differ = self.goal.offset(self.p_x) - search.mixture.cost - self.inside.value
            early = not self._early.over
            # part of the gap by which the mixtures of polytope and outputs may differ when a proof
            # starts
            if len(cuts) and early and differ > 0.25 * self.gap:
                self._cut(search, cuts, points)
                continue
            if early and (search.include(self.inside.points) or self._wider(search)):
                continue
            better = self._prove(search, self.until)
            if self._closed():
                return
            more = self.inside.take(better, self.until) if len(better) else cuts[:0]
            if len(cuts) + len(more):
                self._cut(search, distinct(np.vstack([cuts, more])), np.vstack([points, better]))
            elif not search.include(better) and not search.widen():
                return

    def _closed(self) -> bool:
        """Return whether utility and upper bound differ by at most half of the gap."""
        return self.upper - self.inside.value <= self.gap / 2

    def _cut(self, search: ColumnSearch, cuts: FloatArray, points: FloatArray) -> None:
        """Add cuts to the polytope, and search from vertices near the points that are cut off."""
        search.cut(cuts)
        search.descend_from(-np.log(np.maximum(points, SMALL)))
        self._cut_off(cuts)

    def _cut_off(self, cuts: FloatArray) -> None:
        """Add cuts, shape (k, n_x), to the polytope's rows."""
        rows = self.outer.rows
        padded = np.hstack([cuts, np.zeros((len(cuts), self.outer.n_auxiliary))])
        rows = sparse.csr_array(sparse.vstack([rows, sparse.csr_array(padded)]))
        self.outer = AllowedSet(rows, self.outer.n_x, blocks=self.outer.blocks)

    def _wider(self, search: ColumnSearch) -> bool:
        """Search for better outputs for a part of the time; return whether there are any."""
        search.deadline = self.until.part(SHARES.around)
        better = search.widen()
        search.deadline = self.until
        return better

    def _prove(self, search: ColumnSearch, deadline: Deadline) -> FloatArray:
        """Lower the upper bound; return better outputs of the polytope, shape (k, n_x)."""
        try:
            prover = Prover(self.outer, search.space, self.p_x, self.goal)
            verdict = prover.check(search.mixture.duals, self.gap / 2, deadline)
        except (SolverError, InfeasibleError):  # neither a bound nor a better output
            return np.zeros((0, len(self.p_x)))
        self.upper = min(self.upper, verdict.bound)
        return verdict.better
