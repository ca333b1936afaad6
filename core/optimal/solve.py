"""The optimal mechanism under any convex notion, at any size, with a bound on what is left.

Maximise a utility over kernels whose every output is in an allowed set: a master program over
known outputs, a search for better ones, a proof that there are none. An oracle's cuts narrow the
polytope that is searched until the outputs in use are allowed, or nearly so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import Literal

import numpy as np

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import Deadline
from core.errors import CoreError, InfeasibleError, SolverError
from core.optimal.bounds.consistency import not_below
from core.optimal.bounds.prover import Prover
from core.optimal.bounds.slices import sliced_bound
from core.optimal.budgets.answer import search_within
from core.optimal.columns.linear_search import LinearSearch, too_large
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.cutting_planes import SMALL, CutLoop
from core.optimal.polish import Inside
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.standard_form import polytope
from core.optimal.polytopes.walk import MAX_VERTICES
from core.optimal.utility import Centred, Exceptions, MutualInformation, Utility
from core.validation import FloatArray

Solver = Literal["auto", "enumerate", "columns"]

Finish = Callable[[FloatArray], FloatArray]
"""Moves a kernel inside the allowed set, where rounding or a round set left it outside."""

Start = Callable[[Deadline], FloatArray]
"""Returns a kernel that is allowed, by a deadline."""

DEFAULT_SECONDS = 5.0
"""Time limit where none is given: long enough to prove what can be, short enough to wait for."""

ENUMERATION_SHARE = 0.5
"""Part of the time that enumeration may take before columns get the rest."""

SEARCH_SHARE = 0.75
"""Part of the time that the first search may take; the proof gets what is left."""

LINEAR_SHARE = 0.95
"""Part of the time that a search by linear programs may take; its last mixtures get the rest."""

WIDER_SHARE = 0.1
"""Part of the time left for looking wider before a proof."""

START_SHARE = 0.5
"""Part of the time left that the mechanism to start from may take."""


RESERVE = 0.05
"""Part of the time kept back for the last mixture and its audit."""

INSTEAD = "Columns answer, with a bound of their own: enumeration ended with “{}”"
"""What is said where enumeration was tried in vain: what is proven does not rest on it."""

FEW_BASES = 200_000
"""Polytopes with fewer candidate bases than this are walked at once: it takes milliseconds."""


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
        The allowed outputs, and budgets on averages over them.
    p_x : ndarray
        P(x), shape (n_x,), all positive, and allowed: every notion allows what tells nothing.
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
        Called with a deadline if columns are generated: returns P(y | x) of a mechanism whose every
        output is allowed, exceptions or not, shape (n_x, n_y), to start from.
    finish : callable, optional
        Moves a kernel inside the set, where rounding, an oracle or a budget left it outside; by
        oracle and budgets where not given.
    prove : bool
        Whether to prove what columns found; else the search for them is all, and what it leaves
        of its time is saved.

    Raises
    ------
    SolverError
        If a mechanism is better than what was proven to be the most: then the proof is wrong.
        Where HiGHS fails, what is known stands, and a note says so.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> outcome = maximise(LIP(0.5).allowed_set(joint), joint.p_x)
    >>> outcome.status, round(outcome.utility, 4)
    ('optimal', 0.3539)
    """
    deadline = Deadline.after(DEFAULT_SECONDS if time_limit is None else time_limit)
    base = 0.0
    goal = MutualInformation() if utility is None else utility
    exceptions = goal.exceptions
    if exceptions is None and allowed.exceptions > 0:
        exceptions = Exceptions(np.eye(len(p_x)), allowed.exceptions)
    if not isinstance(goal, MutualInformation):
        goal = Centred(goal, p_x)
        base = goal.base
    if exceptions is not None:
        goal = goal.excepting(exceptions)
    if len(p_x) == 1:
        value = goal.value(p_x[None], p_x)
        return Outcome(np.ones((1, 1)), base + value, base + value, "closed form", "optimal")
    finish = finish or Inside(allowed.oracle, p_x, allowed.budgets)
    task = _Task(allowed, p_x, goal, deadline, gap, seed, start, finish)
    try:
        task.search(solver, prove=prove)
    except (SolverError, InfeasibleError) as error:  # what is known stands
        task.give_up(error)
    found = task.outcome()
    return replace(found, utility=base + found.utility, upper_bound=base + found.upper_bound)


class _Task:
    """One call of `maximise`; arguments as there.

    Attributes
    ----------
    best : ndarray
        The best kernel so far, inside the set.
    upper : float
        What no mechanism exceeds, as far as it is proven.
    """

    def __init__(
        self,
        allowed: AllowedSet,
        p_x: FloatArray,
        goal: Utility,
        deadline: Deadline,
        gap: float,
        seed: int,
        start: Start | None,
        finish: Finish,
    ) -> None:
        self.allowed, self.p_x, self.goal, self.seed = allowed, p_x, goal, seed
        self.deadline, self._until = deadline, deadline.part(1 - RESERVE)
        self._late = deadline.part(1 - 2 * RESERVE)
        self.gap, self.finish, self._start = gap, finish, start
        self.upper = goal.value(np.diag(p_x), p_x)
        self.best: FloatArray = np.ones((len(p_x), 1))
        self.value = goal.value(p_x[None], p_x)
        self.solver = "columns"
        self.notes: tuple[str, ...] = ()

    def search(self, solver: Solver, *, prove: bool) -> None:
        """Look for the best kernel and for a bound, in the way that suits the set.

        Raises
        ------
        InfeasibleError, SolverError
            If HiGHS fails: what was found before stands.
        """
        if self.allowed.budgets:
            search_within(self, solver, maximise, prove=prove)
            return
        if self.allowed.oracle is not None:
            self._by_cutting_planes(self.allowed.oracle, prove=prove)
            return
        if (
            isinstance(self.goal, MutualInformation)
            and solver != "enumerate"
            and too_large(self.allowed)
        ):
            self._by_linear_programs()
            return
        self.space = polytope(self.allowed, self.p_x)
        self.prover = Prover(self.allowed, self.space, self.p_x, self.goal)
        if solver == "columns" or not self._enumerate(always=solver == "enumerate"):
            self._generate(prove=prove)

    def outcome(self) -> Outcome:
        """Return the best kernel, held against the bound."""
        if self.upper - self.value <= self.gap:
            status = "optimal"
        else:
            status = "time limit" if self._late.over else "heuristic"
        upper = not_below(self.upper, self.value)
        return Outcome(self.best, self.value, upper, self.solver, status, self.notes)

    def give_up(self, error: CoreError) -> None:
        """Note what ended the search; what the mechanisms to start from are worth stands."""
        self.notes = (*self.notes, f"The search ended early. {error}")
        self.offer(self.first())

    def _by_cutting_planes(self, oracle: SeparationOracle, *, prove: bool) -> None:
        """Answer between a polytope outside and allowed outputs inside.

        Moving a mixture inside may cost more than all that it gained on an earlier one: the answer
        is the best that was inside. Where a set is too large for a search of vertices, that is the
        best mixture of the outputs to start from.
        """
        first = self.first()
        self.offer(first)
        loop = CutLoop(
            self.allowed, oracle, self.p_x, first, self.goal, self._until, self.gap, self.seed
        )
        try:
            if not too_large(self.allowed):
                loop.run(prove=prove)
        except (SolverError, InfeasibleError) as error:  # cuts that are all but parallel
            self.notes = (f"The search ended early. {error}",)
        self.upper = min(self.upper, loop.upper)
        self.offer(loop.inside.kernel(), "cutting planes")

    def _by_linear_programs(self) -> None:
        """Search without tableaux: H(X) is the bound where no slices give one."""
        until = self.deadline.part(SEARCH_SHARE if self.allowed.blocks else LINEAR_SHARE)
        search = LinearSearch(self.allowed, self.p_x, seed=self.seed, deadline=until)
        if self._start is not None:
            search.include(self.posteriors(self.first()))
        search.run()
        self.offer(search.settled())
        whole = self.goal.exceptions is None  # slices take every output for an allowed one
        if whole and self.allowed.blocks and not self.allowed.n_auxiliary:
            sliced = sliced_bound(self.allowed, self.p_x, self.value + self.gap, self.deadline)
            self.upper = min(self.upper, sliced)

    def _enumerate(self, *, always: bool) -> bool:
        """Answer from all vertices; say whether there was an answer: there may be too many."""
        size = self.space.n_basic + self.space.n_free
        if not always and comb(size, self.space.n_basic) > FEW_BASES:
            return False
        in_time = self.deadline.part(ENUMERATION_SHARE)
        if not self.prover.walk(in_time, MAX_VERTICES) or self.prover.vertices is None:
            self.notes = (INSTEAD.format(self.prover.stopped),)
            return False
        points = self.prover.vertices.points
        try:
            master, mixture, _ = best_mixture(points, self.p_x, self.goal, self.deadline)
            mixed_kernel = master.kernel(mixture)
        except (SolverError, InfeasibleError) as error:
            self.notes = (INSTEAD.format(error),)
            return False
        self.offer(mixed_kernel, "enumerate")
        verdict = self.prover.check(mixture.duals, self.gap, self.deadline)
        self.upper = min(self.upper, verdict.bound)
        return True

    def _generate(self, *, prove: bool) -> None:
        """Answer by column generation, with a proof as far as time allows."""
        first = self.first()
        self.offer(first)
        if self._closed():
            return
        try:
            self._by_columns(first, prove=prove)
        except (SolverError, InfeasibleError) as error:
            # coefficients too far apart for HiGHS, such as of ε = 50, or vertices too close to be
            # mixed to the last digit
            if not self._enumerate(always=True):
                self.notes = (f"Columns gave no answer. {error}",)

    def _by_columns(self, first: FloatArray, *, prove: bool) -> None:
        """Search for outputs and prove that there are no better ones, in turns."""
        until = self.deadline.part(SEARCH_SHARE)
        search = ColumnSearch(self.space, self.p_x, self.goal, seed=self.seed, deadline=until)
        known = self.posteriors(first)
        search.include(known)
        search.descend_from(-np.log(np.maximum(known, SMALL)))
        while True:
            search.run()
            if prove:  # an output that a proof finds late makes it start again
                search.look_wider(search.deadline.part(WIDER_SHARE))
            value = self.offer(search.settled())
            if not prove or self.upper - value <= self.gap or self._until.over:
                return
            search.deadline = self._until
            duals = search.mixture.duals
            verdict = self.prover.check(duals, self.gap, self._until, outputs=search.in_use())
            self.upper = min(self.upper, verdict.bound)
            if self.upper - value <= self.gap:
                return
            if not search.include(verdict.better) and not search.widen():
                return

    def first(self) -> FloatArray:
        """Return the kernel to start from: what says nothing, where none is given."""
        if self._start is None:
            return np.ones((len(self.p_x), 1))
        return self._start(self.deadline.part(START_SHARE))

    def posteriors(self, kernel: FloatArray) -> FloatArray:
        """Return the outputs of a kernel, shape (n_y, n_x)."""
        weights = (self.p_x[:, None] * kernel).T
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def offer(self, kernel: FloatArray, solver: str = "columns") -> float:
        """Take a kernel, moved inside the set, if it is the best so far; return its value."""
        finished = self.finish(kernel)
        value = self.goal.value((self.p_x[:, None] * finished).T, self.p_x)
        if value >= self.value:
            self.best, self.value, self.solver = finished, value, solver
        return value

    def _closed(self) -> bool:
        """Say whether the bound is as close as asked."""
        return self.upper - self.value <= self.gap
