"""The optimum over a set that only an oracle knows: between polytopes outside and outputs inside.

A polytope of all cuts so far contains the set: its optimum bounds the answer, but its outputs are
not allowed. Each is moved towards P_X, cut by cut, until it is: the points met there give the
cuts that touch the set where it matters, and the last one joins a pool of allowed outputs, whose
best mixture is the answer so far. Only when polytope and pool agree is it worth proving that the
polytope has nothing better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from core.errors import SolverError
from core.notions.allowed_set import AllowedSet, Oracle
from core.optimal.columns import ColumnSearch
from core.optimal.enumeration import best_mixture
from core.optimal.linear_search import too_large
from core.optimal.polytope import polytope
from core.optimal.proof import Prover
from core.optimal.solve import DEFAULT_SECONDS, RESERVE, SMALL, Outcome
from core.optimal.utility import MutualInformation
from core.validation import FloatArray, IntArray

_CROSSINGS = 30
"""Cuts met on the way to P_X: each is a tangent, so a handful does; then the output is dropped."""

_INWARD = 1e-9
"""How much further in than the last cut an output is put, so that the oracle is silent."""

_DIFFERENT = 1e-9
"""Cuts this close in every entry are the same."""

_AGREED = 0.25
"""Part of the gap by which polytope and pool may differ when a proof starts."""

_SEARCH_SHARE = 0.6
"""Part of the time after which a proof starts even if they differ by more."""

_FIRST_PROOF = 0.05
"""Part of the time for a proof over the first polytope: a poor bound, if time allows no other."""


_WIDE_SHARE = 0.05
"""Part of the time that one look further afield may take."""

_TOUCHING = 1e-7
"""A cut this close to an output, relative to its size, touches it."""

_MOST_VERTICES = 200_000
"""Vertices that are walked: some 30,000 a second at 10 symbols."""


_WALK_SHARE = 0.5
"""Part of a proof's time that walks may take before branch and bound gets the rest."""


@runtime_checkable
class ManyOracle(Protocol):
    """An oracle that takes many posteriors at once."""

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that some of the points, shape (k, n_x), break, and which breaks each."""
        ...


def maximise_round(
    allowed: AllowedSet,
    oracle: Oracle,
    p_x: FloatArray,
    start: FloatArray,
    *,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    finish: Callable[[FloatArray], FloatArray],
) -> Outcome:
    """Return the best mechanism for I(X;Y) whose outputs all are allowed by an oracle.

    Parameters
    ----------
    allowed : AllowedSet
        A polytope around the allowed outputs. If it is too large for a search of vertices, the
        answer is the best mixture of the outputs to start from.
    oracle : callable
        Its cuts leave the allowed outputs, with P_X well inside.
    p_x : ndarray
        P(x), shape (n_x,), all positive.
    start : ndarray
        P(y | x) of outputs that are allowed, shape (n_x, n_y): the answer is at least as good as
        their best mixture, up to what `finish` takes.
    time_limit, gap, seed
        As in `maximise`.
    finish : callable
        Moves a kernel inside the set where rounding left it outside.
    """
    goal = MutualInformation()
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    rounds = _Rounds(allowed, oracle, p_x, start, seconds, gap, seed)
    notes: tuple[str, ...] = ()
    try:
        status = "time limit" if too_large(allowed) else rounds.run()
    except SolverError as error:  # cuts that are all but parallel: the pool and the bound stand
        status, notes = "heuristic", (f"The search ended early. {error}",)
    kernel = finish(rounds.kernel())
    value = goal.value((p_x[:, None] * kernel).T, p_x)
    if rounds.upper - value > gap and status == "optimal":
        status = "heuristic"
    return Outcome(kernel, value, max(rounds.upper, value), "cutting planes", status, notes)


class _Rounds:
    """The polytope, the pool and the bound; arguments as in `maximise_round`."""

    def __init__(
        self,
        allowed: AllowedSet,
        oracle: Oracle,
        p_x: FloatArray,
        start: FloatArray,
        seconds: float,
        gap: float,
        seed: int,
    ) -> None:
        self.oracle, self.p_x, self.gap, self.seed = oracle, p_x, gap, seed
        self.goal = MutualInformation()
        self.begin = time.monotonic()
        self.until = self.begin + (1 - RESERVE) * seconds
        self.outer = AllowedSet(allowed.rows, allowed.n_x, parts=allowed.parts)
        self.upper = self.goal.offset(p_x)
        self._needed = np.arange(allowed.rows.shape[0])  # rows that a proof was found to need
        self.pool = np.vstack([_posteriors(start, p_x), p_x])
        self._mix()

    def run(self) -> str:
        """Narrow the polytope and fill the pool; return how it ended."""
        search = ColumnSearch(
            polytope(self.outer, self.p_x),
            self.p_x,
            self.goal,
            seed=self.seed,
            deadline=self.until,
        )
        search.include(self.pool)
        search.run()
        self._prove(search, self._at(_FIRST_PROOF))
        while True:
            search.run()
            search.settled()
            points = search.in_use()
            cuts = self._take(points)
            if self.upper - self.value <= self.gap / 2:
                return "optimal"
            if time.monotonic() >= self.until:
                return "time limit"
            differ = self.goal.offset(self.p_x) - search.mixture.cost - self.value
            early = time.monotonic() < self._at(_SEARCH_SHARE)
            if len(cuts) and early and differ > _AGREED * self.gap:
                self._cut(search, cuts, points)
                continue
            if early and (search.include(self.pool) or self._wider(search)):
                continue
            better = self._prove(search, self.until)
            if self.upper - self.value <= self.gap / 2:
                return "optimal"
            more = self._take(better) if len(better) else cuts[:0]
            if len(cuts) + len(more):
                self._cut(search, _distinct(np.vstack([cuts, more])), np.vstack([points, better]))
            elif not search.include(better) and not search.widen():
                return "time limit" if time.monotonic() >= self.until else "heuristic"

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the pool's best mixture."""
        return self._master.kernel(self._mixture)

    def _at(self, share: float) -> float:
        return self.begin + share * (self.until - self.begin)

    def _mix(self) -> None:
        """Mix the pool anew."""
        self._master, self._mixture, _ = best_mixture(self.pool, self.p_x, self.goal, np.inf)
        self.value = self.goal.offset(self.p_x) - self._mixture.cost

    def _take(self, points: FloatArray) -> FloatArray:
        """Move outputs of the polytope into the pool; return the cuts met on the way."""
        inside, cuts = _pulled(points, self.p_x, self.oracle, self.until)
        if len(inside):
            self.pool = np.vstack([self.pool, inside])
            self._mix()
        return cuts

    def _cut(self, search: ColumnSearch, cuts: FloatArray, points: FloatArray) -> None:
        """Narrow the polytope, and look for vertices near points that are cut off."""
        search.cut(cuts)
        search.descend_from(-np.log(np.maximum(points, SMALL)))
        rows = self.outer.rows
        padded = np.hstack([cuts, np.zeros((len(cuts), self.outer.n_helpers))])
        rows = sparse.csr_array(sparse.vstack([rows, sparse.csr_array(padded)]))
        self.outer = AllowedSet(rows, self.outer.n_x, parts=self.outer.parts)

    def _wider(self, search: ColumnSearch) -> bool:
        """Look further afield for better outputs, for a while; say whether there are any."""
        search.deadline = time.monotonic() + _WIDE_SHARE * (self.until - self.begin)
        found = search.widen()
        search.deadline = self.until
        return found

    def _prove(self, search: ColumnSearch, deadline: float) -> FloatArray:
        """Lower the bound; return outputs of the polytope that the search has missed.

        Most cuts play no part: vertices are walked within the few that touch the outputs in use,
        and those that break a cut which was left out bring it back.
        """
        rows = self.outer.rows
        sizes = abs(rows).max(axis=1).toarray().ravel()
        n_x, duals = self.outer.n_x, search.mixture.duals
        if self.outer.n_helpers:
            return self._bounded(
                Prover(self.outer, search.space, self.p_x, self.goal), duals, deadline
            )
        touching = rows @ search.in_use().T >= -_TOUCHING * sizes[:, None]
        kept = np.asarray(touching.any(axis=1))
        kept[self._needed] = True
        now = time.monotonic()
        walked = now + _WALK_SHARE * (deadline - now)
        while True:
            lean = AllowedSet(rows[np.flatnonzero(kept)], n_x, parts=self.outer.parts)
            prover = Prover(lean, polytope(lean, self.p_x), self.p_x, self.goal)
            if not prover.walk(walked, _MOST_VERTICES):
                prover = Prover(self.outer, search.space, self.p_x, self.goal)
                return self._bounded(prover, duals, deadline)
            better = self._bounded(prover, duals, deadline)
            excess = (rows @ better.T) / sizes[:, None]
            excess[kept] = 0.0
            over = np.flatnonzero(excess.max(axis=0, initial=0.0) > _TOUCHING)
            if len(over) == 0:
                return better
            kept[excess[:, over].argmax(axis=0)] = True
            self._needed = np.flatnonzero(kept)

    def _bounded(self, prover: Prover, duals: FloatArray, deadline: float) -> FloatArray:
        """Lower the bound by a proof; return what it found better."""
        try:
            verdict = prover.check(duals, self.gap / 2, deadline)
        except SolverError:  # nothing is proven, nor disproven
            return np.zeros((0, len(self.p_x)))
        self.upper = min(self.upper, verdict.bound)
        return verdict.better


def _posteriors(kernel: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the outputs that occur as posteriors, shape (k, n_x)."""
    weights = (p_x[:, None] * kernel).T
    totals = weights.sum(axis=1, keepdims=True)
    used = totals[:, 0] > 0
    result: FloatArray = weights[used] / totals[used]
    return result


def _pulled(
    points: FloatArray, p_x: FloatArray, oracle: Oracle, deadline: float
) -> tuple[FloatArray, FloatArray]:
    """Move outputs, shape (k, n_x), towards P_X until they are allowed; return them and the cuts.

    Those that the deadline leaves no time for are left out.

    Where a cut g·r ≤ 0 is broken, the crossing of the segment to P_X with its hyperplane is the
    next point to ask about; g·P_X < 0, as P_X is inside.
    """
    inside, cuts = [points[:0]], [points[:0]]
    moved, left = points, np.arange(len(points))
    for _ in range(_CROSSINGS):
        if len(left) == 0 or time.monotonic() >= deadline:
            break
        found, which = _asked(oracle, moved)
        broken = np.unique(which)
        inside.append(np.delete(moved, broken, axis=0))
        cuts.append(found)
        here, there = (found * points[left[which]]).sum(axis=1), found @ p_x
        shares = np.zeros(len(left))
        np.maximum.at(shares, which, here / (here - there))
        left = left[broken]
        share = np.minimum(1.0, shares[broken] + _INWARD)[:, None]
        moved = (1 - share) * points[left] + share * p_x
    return np.vstack(inside), _distinct(np.vstack(cuts))


def _asked(oracle: Oracle | ManyOracle, points: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the cuts that some of the points break, and which point breaks each."""
    if isinstance(oracle, ManyOracle):
        return oracle.each(points)
    found = [oracle(r) for r in points]
    return np.vstack(found), np.repeat(np.arange(len(points)), [len(cuts) for cuts in found])


def _distinct(rows: FloatArray) -> FloatArray:
    """Return rows without those that are all but equal to another."""
    _, first = np.unique(np.round(rows / _DIFFERENT), axis=0, return_index=True)
    return rows[np.sort(first)]
