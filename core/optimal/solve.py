"""The optimal mechanism under any convex notion, at any size, with a bound on what is left.

Maximise a utility over kernels whose every output is in an allowed set: a master program over
known outputs, a search for better ones, a proof that there are none. An oracle's cuts narrow the
polytope that is searched until the outputs in use are allowed, or nearly so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from scipy import sparse

from core import clock
from core.errors import SolverError
from core.notions.allowed_set import AllowedSet, Oracle
from core.optimal.allowed_outputs import AllowedOutputs
from core.optimal.columns import ColumnSearch
from core.optimal.consistency import not_below, require_constant
from core.optimal.enclosure import can_enclose, enclose
from core.optimal.enumeration import best_mixture
from core.optimal.linear_search import LinearSearch, too_large
from core.optimal.polish import least_share, mixed
from core.optimal.polytope import polytope
from core.optimal.proof import Prover
from core.optimal.slices import sliced_bound
from core.optimal.utility import MutualInformation, Utility
from core.optimal.walk import MAX_VERTICES
from core.validation import FloatArray

Solver = Literal["auto", "enumerate", "columns"]

Finish = Callable[[FloatArray], FloatArray]
"""Moves a kernel inside the allowed set, where rounding or a round set left it outside."""

Start = Callable[[float], FloatArray]
"""Returns a kernel that is allowed, by a time on the clock of `core.clock`."""

DEFAULT_SECONDS = 5.0
"""Time limit where none is given: long enough to prove what can be, short enough to wait for."""

ENUMERATION_SHARE = 0.5
"""Part of the time that enumeration may take before columns get the rest."""

SEARCH_SHARE = 0.75
"""Part of the time that the first search may take; the proof gets what is left."""

LINEAR_SHARE = 0.95
"""Part of the time that a search by linear programs may take; its last mixtures get the rest."""

START_SHARE = 0.5
"""Part of the time left that the mechanism to start from may take."""

ENCLOSE_SHARE = 0.5
"""Part of the time after which carving that is far from done leaves the rest to columns."""

RESERVE = 0.05
"""Part of the time kept back for the last mixture and its audit."""

FEW_BASES = 200_000
"""Polytopes with fewer candidate bases than this are walked at once: it takes milliseconds."""

CUT_SHARE = 0.25
"""Part of the gap that a round set may cost before its outputs in use are cut off once more."""

SMALL = 1e-9
"""Entry of a posterior whose surprise, −log, is as large as it gets."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best mechanism found for an allowed set.

    Attributes
    ----------
    kernel : ndarray
        P(y | x), shape (n_x, n_y).
    utility, upper_bound : float
        What the kernel is worth, and what no mechanism exceeds.
    solver : str
        "enumerate" or "columns": what gave the answer.
    status : str
        "optimal" where the two are as close as asked, "time limit" where time was over before,
        "heuristic" where no more could be proven.
    notes : tuple of str
        Sentences on what happened.
    """

    kernel: FloatArray
    utility: float
    upper_bound: float
    solver: str
    status: str
    notes: tuple[str, ...] = ()


def maximise(
    allowed: AllowedSet,
    p_x: FloatArray,
    *,
    utility: Utility | None = None,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    start: Start | None = None,
    finish: Finish | None = None,
    prove: bool = True,
) -> Outcome:
    """Return the best mechanism whose outputs are all allowed, and how good any could be.

    Parameters
    ----------
    allowed : AllowedSet
        The allowed outputs.
    p_x : ndarray
        P(x), shape (n_x,), all positive.
    utility : Utility, optional
        What is to be large: I(X;Y) where not given.
    solver : {"auto", "enumerate", "columns"}
        All vertices first, or only those that are asked for; "auto" takes what it estimates to
        be quicker. Enumeration that would take too long is left for columns.
    time_limit : float, optional
        Seconds; DEFAULT_SECONDS where not given.
    gap : float
        Stop when the optimum is known to this many nats.
    seed : int
        Of the random starts.
    start : callable, optional
        Called with a deadline if columns are generated: returns P(y | x) of a mechanism that is
        allowed, shape (n_x, n_y), to start from.
    finish : callable, optional
        Moves a kernel inside the set, where rounding or an oracle left it outside; by the oracle
        where not given.
    prove : bool
        Whether to prove what columns found; else the search for them is all, and what it leaves
        of its time is saved.

    Raises
    ------
    InfeasibleError
        If P_X itself is not allowed: then no mechanism is.
    SolverError
        If HiGHS fails.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> outcome = maximise(LIP(0.5).allowed_set(joint), joint.p_x)
    >>> outcome.status, round(outcome.utility, 4)
    ('optimal', 0.3539)
    """
    deadline = clock.now() + (DEFAULT_SECONDS if time_limit is None else time_limit)
    goal = MutualInformation() if utility is None else utility
    require_constant(allowed, p_x)
    if len(p_x) == 1:
        value = goal.value(p_x[None], p_x)
        return Outcome(np.ones((1, 1)), value, value, "closed form", "optimal")
    finish = finish or Inside(allowed.oracle, p_x)
    plain = allowed.oracle is None and isinstance(goal, MutualInformation)
    if plain and solver != "enumerate" and too_large(allowed):
        return _by_linear_programs(allowed, p_x, deadline, gap, seed, start, finish)
    task = _Task(allowed, p_x, goal, deadline, gap, seed, finish)
    if allowed.oracle is None and solver != "columns":
        outcome = task.enumerate(always=solver == "enumerate")
        if outcome is not None:
            return outcome
    return task.generate(start, prove=prove)


def _by_linear_programs(
    allowed: AllowedSet,
    p_x: FloatArray,
    deadline: float,
    gap: float,
    seed: int,
    start: Start | None,
    finish: Finish,
) -> Outcome:
    """Answer by column generation without tableaus: H(X) is the bound where no slices give one."""
    now = clock.now()
    share = SEARCH_SHARE if allowed.parts else LINEAR_SHARE
    search = LinearSearch(allowed, p_x, seed=seed, deadline=now + share * (deadline - now))
    if start is not None:
        weights = (p_x[:, None] * start(now + START_SHARE * (deadline - now))).T
        search.include(weights / weights.sum(axis=1, keepdims=True))
    search.run()
    late = clock.now() >= search.deadline
    kernel = finish(search.settled())
    goal = MutualInformation()
    value = goal.value((p_x[:, None] * kernel).T, p_x)
    upper = goal.offset(p_x)
    if allowed.parts and not allowed.n_helpers:
        upper = min(upper, sliced_bound(allowed, p_x, value + gap, deadline))
    upper = not_below(upper, value)
    status = "optimal" if upper - value <= gap else "time limit" if late else "heuristic"
    return Outcome(kernel, value, upper, "columns", status)


class _Task:
    """One call of `maximise`; arguments as there."""

    def __init__(
        self,
        allowed: AllowedSet,
        p_x: FloatArray,
        goal: Utility,
        deadline: float,
        gap: float,
        seed: int,
        finish: Finish,
    ) -> None:
        self.allowed, self.p_x, self.goal, self.seed = allowed, p_x, goal, seed
        self.started, self.deadline = clock.now(), deadline
        self.gap, self.finish = gap, finish
        self.space = polytope(allowed, p_x)
        self.prover = Prover(allowed, self.space, p_x, goal)
        self.upper = goal.value(np.diag(p_x), p_x)
        self.notes: tuple[str, ...] = ()

    def enumerate(self, *, always: bool) -> Outcome | None:
        """Answer from all vertices; None where there are, or may be, too many."""
        size = self.space.n_basic + self.space.n_free
        if not always and comb(size, self.space.n_basic) > FEW_BASES:
            return None
        in_time = self._after(ENUMERATION_SHARE)
        if not self.prover.walk(in_time, MAX_VERTICES) or self.prover.vertices is None:
            self.notes = (f"Columns answer in place of enumeration. {self.prover.stopped}",)
            return None
        points = self.prover.vertices.points
        try:
            master, mixture, _ = best_mixture(points, self.p_x, self.goal, self.deadline)
            mixed_kernel = master.kernel(mixture)
        except SolverError as error:
            self.notes = (f"Columns answer in place of enumeration. {error}",)
            return None
        verdict = self.prover.check(mixture.duals, self.gap, self.deadline)
        self.upper = min(self.upper, verdict.bound)
        return self._outcome(self.finish(mixed_kernel), "enumerate")

    def generate(self, start: Start | None, *, prove: bool) -> Outcome:
        """Answer by column generation, with a proof as far as time allows.

        Under an oracle, moving a mixture inside may cost more than all that it gained on an
        earlier one: the answer is the best that was inside.
        """
        first: FloatArray = np.ones((len(self.p_x), 1))
        if start is not None:
            first = start(self._start_until())
        if prove and self.allowed.oracle is not None and can_enclose(self.space):
            first = self._enclose(first, self.allowed.oracle)
        best = self.finish(first)
        if self.upper - self._value(best) <= self.gap:
            return self._outcome(best, "columns")
        try:
            search = ColumnSearch(
                self.space, self.p_x, self.goal, seed=self.seed, deadline=self._after(SEARCH_SHARE)
            )
        except SolverError as error:  # coefficients too far apart for HiGHS, such as of ε = 50
            return self._without_columns(best, str(error))
        weights = (self.p_x[:, None] * first).T
        known = weights / weights.sum(axis=1, keepdims=True)
        search.include(known)
        search.descend_from(-np.log(np.maximum(known, SMALL)))
        while True:
            search.run()
            try:
                kernel = self.finish(search.settled())
            except SolverError as error:  # vertices too close to be mixed to the last digit
                return self._without_columns(best, str(error))
            value = self._value(kernel)
            best = kernel if value >= self._value(best) else best
            until = self._after(1 - RESERVE)
            if not prove or self.upper - value <= self.gap or clock.now() >= until:
                break
            if self._loses(search, value) and self._cut(search, search.in_use()):
                continue
            search.deadline = until
            verdict = self.prover.check(search.mixture.duals, self.gap, until)
            self.upper = min(self.upper, verdict.bound)
            if self.upper - value <= self.gap:
                break
            if self._cut(search, verdict.better) or search.include(verdict.better):
                continue
            if not search.widen():
                break
        return self._outcome(best, "columns")

    def _without_columns(self, best: FloatArray, reason: str) -> Outcome:
        """Answer from all vertices where columns fail, else with what is known."""
        outcome = self.enumerate(always=True) if self.allowed.oracle is None else None
        if outcome is not None and outcome.utility >= self._value(best):
            return outcome
        self.notes = (f"Columns gave no answer. {reason}",)
        return self._outcome(best, "columns")

    def _enclose(self, kernel: FloatArray, oracle: Oracle) -> FloatArray:
        """Return the best kernel found between a polytope and allowed outputs; lower the bound."""
        inside = AllowedOutputs(kernel, self.p_x, self.goal, oracle)
        patience, deadline = self._after(ENCLOSE_SHARE), self._after(1 - RESERVE)
        bound = enclose(self.space, inside, gap=self.gap / 2, patience=patience, deadline=deadline)
        self.upper = min(self.upper, bound)
        return inside.kernel()

    def _loses(self, search: ColumnSearch, value: float) -> bool:
        """Say whether moving the outputs inside a round set costs more than it may."""
        outer = self.goal.offset(self.p_x) - search.mixture.cost
        return self.allowed.oracle is not None and outer - value > CUT_SHARE * self.gap

    def _cut(self, search: ColumnSearch, points: FloatArray) -> bool:
        """Narrow the polytope where the oracle forbids given outputs; say whether it did."""
        if self.allowed.oracle is None or len(points) == 0:
            return False
        cuts = np.concatenate([self.allowed.oracle(r) for r in points])
        if len(cuts) == 0:
            return False
        search.cut(cuts)
        search.descend_from(-np.log(np.maximum(points, SMALL)))  # to what lies behind the cuts
        padded = np.hstack([cuts, np.zeros((len(cuts), self.allowed.n_helpers))])
        rows = sparse.vstack([self.prover.allowed.rows, sparse.csr_array(padded)])
        outer = AllowedSet(sparse.csr_array(rows), self.allowed.n_x, parts=self.allowed.parts)
        self.prover = Prover(outer, search.space, self.p_x, self.goal)
        return True

    def _after(self, share: float) -> float:
        return self.started + share * (self.deadline - self.started)

    def _start_until(self) -> float:
        now = clock.now()
        return now + START_SHARE * (self.deadline - now)

    def _value(self, kernel: FloatArray) -> float:
        return self.goal.value((self.p_x[:, None] * kernel).T, self.p_x)

    def _outcome(self, kernel: FloatArray, solver: str) -> Outcome:
        value = self._value(kernel)
        if self.upper - value <= self.gap:
            status = "optimal"
        else:
            late = clock.now() >= self._after(1 - 2 * RESERVE)
            status = "time limit" if late else "heuristic"
        upper = not_below(self.upper, value)
        return Outcome(kernel, value, upper, solver, status, self.notes)


@dataclass(frozen=True, eq=False)
class Inside:
    """Moves all outputs towards P_X until an oracle allows each; a kernel of rows stays.

    Attributes
    ----------
    oracle : callable or None
        As in `AllowedSet`.
    p_x : ndarray
        P(x), shape (n_x,).
    """

    oracle: Oracle | None
    p_x: FloatArray

    def __call__(self, kernel: FloatArray) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), with allowed outputs."""
        oracle = self.oracle
        if oracle is None:
            return kernel

        def passes(share: float) -> bool:
            moved = mixed(kernel, self.p_x, share)
            weights = (self.p_x[:, None] * moved).T
            return not any(len(oracle(r)) for r in weights / weights.sum(axis=1, keepdims=True))

        return mixed(kernel, self.p_x, least_share(passes))
