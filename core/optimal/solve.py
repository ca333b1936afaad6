"""The optimal mechanism under any convex notion, at any size, with an upper bound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import comb
from typing import Literal

import numpy as np

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import Deadline, watching
from core.entries import identity
from core.errors import (
    CoreError,
    InfeasibleError,
    SolverError,
    TimeLimitError,
)
from core.limits import ROUNDING
from core.optimal.bounds.prover import Prover
from core.optimal.bounds.relaxation import bound_of_entries
from core.optimal.bounds.slices import sliced_bound
from core.optimal.budgets.answer import search_within
from core.optimal.columns.linear_search import LinearSearch, too_large
from core.optimal.columns.peeling import Peeling
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.cutting_planes import CutLoop, ManyOracle
from core.optimal.direct import Warm, by_one_program
from core.optimal.plan import SHARES, SIZES, seconds_to_begin
from core.optimal.polish import Inside, mixed, share_to_rows
from core.optimal.polytopes.enumeration import all_vertices, best_mixture
from core.optimal.polytopes.standard_form import polytope
from core.optimal.staircases import Staircases
from core.optimal.tolerances import SMALL
from core.optimal.two_symbols import two_outputs
from core.optimal.utility import Centred, Exceptions, MutualInformation, Utility
from core.optimal.whole_kernel import climbed, climbs_apart
from core.validation import FloatArray

ROUNDED = 1e-8
"""How far, in nats, a mechanism may exceed a bound, by the slack of the audit."""


def not_below(upper: float, value: float, strict: Callable[[], float] | None = None) -> float:
    """Return an upper bound on the utility, raised to the utility of a known mechanism."""
    if value > upper + ROUNDED and (strict is None or strict() > upper + ROUNDED):
        raise SolverError(
            f"A mechanism keeps {value:.9g} nats where {upper:.9g} were proven to be the most: "
            "the proof does not hold."
        )
    return max(upper, value)


def excepted_outputs(allowed: AllowedSet | None, p_x: FloatArray, deadline: Deadline) -> FloatArray:
    """Return outputs whose mixtures are all that exceptions may be, or more, shape (k, n_x).

    Costs are concave, so the best exceptions are among the vertices of what is asked of them. Where
    a set is round those of its rows stand for them, and where these are too many, single symbols:
    all outputs are mixtures of these, so a bound stays one, and what is found has to be moved
    inside.

    Shapes: p_x (n_x,).
    """
    single: FloatArray = np.eye(len(p_x))
    if allowed is None or not allowed.rows.shape[0]:
        return single
    allowed = replace(allowed, oracle=None)
    with suppress(TimeLimitError, SolverError, InfeasibleError):
        space = polytope(allowed, p_x)
        # vertices that are taken for exceptions: each is a column of every master program
        vertices = all_vertices(allowed, p_x, space, deadline, 4_000).outer
        result: FloatArray = vertices / vertices.sum(axis=1, keepdims=True)
        return result
    return single


Solver = Literal["auto", "enumerate", "columns"]

Finish = Callable[[FloatArray], FloatArray]
"""Moves a kernel inside the allowed set, where rounding, an oracle or a budget left it outside."""

Start = Callable[[Deadline], FloatArray]
"""Returns an allowed kernel, by a deadline."""

DEFAULT_SECONDS = 5.0
"""Default time limit in seconds: most proofs end in it, and a reader waits as long."""

LISTED = (
    "The outputs that the notion allows could not all be listed, so the search built them one by "
    "one; its bound does not need the list. Listing stopped: “{}”"
)
"""Note on an enumeration that failed: the bound does not depend on it."""

INSTEAD = "{} gave no answer, so a search took its place. {}"
"""Note on a quicker way that failed."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best mechanism found for an allowed set.

    Attributes
    ----------
    kernel : ndarray
        P(y | x), shape (n_x, n_y).
    utility, upper_bound : float
        The kernel's utility, and a utility that no mechanism exceeds.
    solver : str
        "one program", "enumerate", "columns", "cutting planes" or "closed form": the method that
        found the kernel.
    status : str
        "optimal" where the two differ by at most the gap; else "time limit" where time cut any step
        of the search short, so more of it might find or prove more, and "heuristic" where none
        was.
    notes : tuple of str
        Sentences on failures.
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
    upper: float = np.inf,
    warm: Warm | None = None,
) -> Outcome:
    """Return the best mechanism found whose outputs are all allowed, and an upper bound.

    Parameters
    ----------
    allowed : AllowedSet
        The allowed outputs, and budgets on averages over them.
    p_x : ndarray
        P(x), shape (n_x,), all positive; it must be allowed, as every notion allows an output
        independent of X.
    utility : Utility, optional
        The utility to maximize; I(X;Y) by default.
    solver : {"auto", "enumerate", "columns"}
        Enumerate all vertices first, or generate columns; "auto" solves one program where the
        utility is linear in the mechanism, and else enumerates where vertices are few. Where
        enumeration takes too long, columns are generated.
    time_limit : float, optional
        Seconds; DEFAULT_SECONDS by default.
    gap : float
        Stop when utility and upper bound differ by at most this, in units of the utility.
    seed : int
        Seed of the random starts.
    start : callable, optional
        Called with a deadline unless all vertices are enumerated: returns P(y | x) of a mechanism
        to start from, shape (n_x, n_y), whose every output is allowed, also where there may be
        exceptions.
    finish : callable, optional
        Moves a kernel inside the set; by default `polish.Inside` for oracle and budgets.
    prove : bool
        Whether to prove an upper bound after column generation; else the search ends there.
    upper : float
        A utility that no mechanism is known to exceed.
    warm : Warm, optional
        The basis of a similar question's program, which is replaced by this one's.

    Raises
    ------
    InfeasibleError
        If the allowed set is empty by more than rounding.
    SolverError
        If a mechanism exceeds the proven bound, which refutes the proof. Where HiGHS fails, the
        best known mechanism is returned, and a note says so.

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
    with watching() as watch:
        base = 0.0
        goal = MutualInformation() if utility is None else utility
        linear = solver == "auto" and goal.pieces() is not None
        if not isinstance(goal, MutualInformation):
            goal = Centred(goal, p_x)
            base = goal.base
        if len(p_x) == 1:
            value = goal.value(p_x[None], p_x)
            return Outcome(np.ones((1, 1)), base + value, base + value, "closed form", "optimal")
        finish = finish or Inside(allowed.oracle, p_x, allowed.budgets)
        task = _Task(allowed, p_x, goal, deadline, gap, seed, start, finish, warm)
        task.upper = min(task.upper, upper - base)
        # exceptions that are moved inside may cost all they gain, and those in a budget even more;
        # of many symbols a search beside exceptions finds less than one without
        many = len(p_x) > SIZES.budget_symbols
        begun = allowed.budgets or len(p_x) >= SIZES.peeled_symbols
        costly = allowed.excepted is not None or (allowed.exceptions > 0 and begun)
        if costly and not linear:
            share = SHARES.strict_of_many if many else SHARES.strict
            strict = maximise(
                replace(allowed, exceptions=0.0, excepted=None),
                p_x,
                utility=utility,
                time_limit=share * deadline.left,
                gap=gap,
                seed=seed,
                start=start,
                finish=finish,
                prove=False,
            )
            task.begin_with(strict.kernel)
        try:
            if allowed.exceptions == 0 or not task.too_many_exceptions():
                task.search(solver, prove=prove)
        except (SolverError, InfeasibleError) as error:  # the best known mechanism is the answer
            task.give_up(error)
        outcome = task.outcome(cut=watch.cut)
        watch.cut = outcome.status == "time limit"  # else the proof did without what was cut
    return replace(outcome, utility=base + outcome.utility, upper_bound=base + outcome.upper_bound)


class _Task:
    """One call of `maximise`: its `best` kernel so far, inside the set; least proven `upper`."""

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
        warm: Warm | None,
    ) -> None:
        self.allowed, self.p_x, self.goal, self.seed = allowed, p_x, goal, seed
        self._warm = warm
        self.deadline, self._until = deadline, deadline.part(1 - SHARES.last_mixture)
        self.gap, self.finish, self._start = gap, finish, start
        self.upper = goal.offset(p_x)  # symbols alone cost nothing
        self.best: FloatArray = np.ones((len(p_x), 1))
        self.value = goal.value(p_x[None], p_x)
        self.solver = "columns"
        self._peeling: Peeling | None = None
        self.notes: tuple[str, ...] = ()

    def too_many_exceptions(self) -> bool:
        """Return whether a search without exceptions is all there is time and memory for.

        Each symbol is an exception: of 10,000 these took 2.4 GB and three seconds.
        """
        alone = len(self.p_x) > SIZES.peeled_whole and not self.allowed.budgets
        return alone and isinstance(self.goal, MutualInformation)

    def search(self, solver: Solver, *, prove: bool) -> None:
        """Improve kernel and bound by the method that suits; where HiGHS fails both stay valid."""
        if solver == "auto" and self.goal.searched and self.goal.pieces() is not None:
            ended = self._by_one_program()
            if self._closed() or ended or (self.solver == "one program" and self._until.over):
                return
        if self.allowed.exceptions > 0 and not self.allowed.budgets:
            until = self.deadline.part(SHARES.exceptions)
            points = excepted_outputs(self.allowed.excepted, self.p_x, until)
            self.goal = self.goal.excepting(Exceptions(points, self.allowed.exceptions))
        if solver == "auto" and self._without_search():
            return
        if self.allowed.budgets:
            search_within(self, solver, maximise, prove=prove)
            return
        if not self.goal.searched:
            self.offer(self.first())
            return
        if self.allowed.oracle is not None:
            self._by_cutting_planes(self.allowed.oracle, prove=prove)
            return
        if self._by_staircases(solver) or self._by_peeling(solver):
            return
        if (
            isinstance(self.goal, MutualInformation)
            and solver != "enumerate"
            and too_large(self.allowed)
        ):
            self._by_linear_programs(prove=prove)
            return
        if solver == "auto" and self._late_for_tableaux():
            self.offer(self.first())
            return
        self.space = polytope(self.allowed, self.p_x)
        self.prover = Prover(self.allowed, self.space, self.p_x, self.goal)
        if solver == "columns" or not self._enumerate(always=solver == "enumerate"):
            self._generate(prove=prove)

    def _without_search(self) -> bool:
        """Answer where X itself is allowed or has two symbols; return whether that was possible."""
        free = self.allowed.rows.shape[0] == 0 and self.allowed.oracle is None
        if free and not self.allowed.budgets:
            self.offer(identity(len(self.p_x)), "closed form")
        answer = two_outputs(self.allowed, self.p_x)
        if answer is not None:
            kernel, beyond = answer
            most = self.goal.value((self.p_x[:, None] * beyond).T, self.p_x)
            self._take(kernel, most + ROUNDING, "closed form")
        return self._closed()

    def _by_one_program(self) -> bool:
        """Solve a utility that is linear in the mechanism; return whether no search can follow."""
        try:
            return by_one_program(
                *(self.allowed, self.p_x, self.goal, self.gap),
                self._until,
                self._take,
                self._warm,
            )
        except TimeLimitError:
            pass  # the status says so
        except (SolverError, InfeasibleError) as error:
            self._note(INSTEAD.format("One program for the whole mechanism", error))
        return False

    def _take(self, kernel: FloatArray, bound: float, solver: str = "one program") -> float:
        """Take an answer and a bound, and return the answer's utility."""
        self.upper = min(self.upper, bound)
        return self.offer(kernel, solver)

    def _by_staircases(self, solver: Solver) -> bool:
        """Solve for I(X;Y) where S = X and lifts have a range; return whether that ends it."""
        lifts, plain = self.allowed.lifts, isinstance(self.goal, MutualInformation)
        if lifts is None or not plain or solver != "auto" or self.goal.exceptions is not None:
            return False
        search = Staircases(lifts, self.p_x, self.seed, self._until)
        self.upper = min(self.upper, search.bound)
        if len(self.p_x) > SIZES.leveled_symbols:  # a search of so many may find less in seconds
            self.offer(search.in_turns())
        if len(self.p_x) > SIZES.staircase_symbols:
            return self._closed()
        try:
            self._take(search.run(self.gap), search.bound, "columns")
        except SolverError as error:
            self._note(INSTEAD.format("Pricing of sets of symbols", error))
            return False
        return True

    def outcome(self, *, cut: bool) -> Outcome:
        """Return the best kernel and the upper bound, checked; `cut` if time cut a step short."""
        status = "optimal" if self._closed() else "time limit" if cut else "heuristic"
        upper = not_below(self.upper, self.value, self._strict_value)
        return Outcome(self.best, self.value, upper, self.solver, status, self.notes)

    def _strict_value(self) -> float:
        """Return the utility of the best kernel once it meets all rows up to their rounding."""
        whole = self.allowed.exceptions == 0
        slack = len(self.p_x) * np.finfo(float).eps
        share = share_to_rows(self.allowed, self.p_x, self.best, slack) if whole else 0.0
        return self.goal.of_kernel(mixed(self.best, self.p_x, share), self.p_x)

    def give_up(self, error: CoreError) -> None:
        """Note the error that ended the search, and offer the mechanism to start from."""
        self._note(f"The search ended early. {error}")
        self.offer(self.first())

    def _note(self, sentence: str) -> None:
        """Note what failed, once."""
        self.notes = tuple(dict.fromkeys((*self.notes, sentence)))

    def _by_cutting_planes(self, oracle: SeparationOracle, *, prove: bool) -> None:
        """Solve by cutting planes; the answer is the best of the mixtures inside, or the start."""
        first = self.first()
        self.offer(first)
        if self._too_late():
            return
        loop = CutLoop(
            self.allowed, oracle, self.p_x, first, self.goal, self._until, self.gap, self.seed
        )
        try:
            plain = isinstance(self.goal, MutualInformation) and self.goal.exceptions is None
            if plain and isinstance(oracle, ManyOracle) and not self.allowed.n_auxiliary:
                apart = climbs_apart(oracle, len(self.p_x))
                share = SHARES.climb_of_pairs if apart else SHARES.climb
                if loop.levels is not None and len(self.p_x) <= SIZES.enclosed_leveled:
                    share = SHARES.climb_of_few
                rows = self.allowed.rows.toarray()
                if prove and loop.levels is not None:
                    loop.bound_by_levels(self._until.part(SHARES.first_levels))
                    rows = np.vstack([rows, loop.levels.rows])
                loop.narrow(
                    climbed(
                        *(loop.inside, oracle, rows),
                        seed=self.seed,
                        deadline=self._until.part(share),
                        patient=not prove or len(self.p_x) > SIZES.enclosed_leveled,
                    )
                )
            loop.run(prove=prove)
        except (SolverError, InfeasibleError) as error:  # as on nearly parallel cuts
            self._note(f"The search ended early. {error}")
        self.upper = min(self.upper, loop.upper)
        self.offer(loop.inside.kernel(), "cutting planes")

    def _by_linear_programs(self, *, prove: bool) -> None:
        """Solve without tableaux; the upper bound is H(X) unless slices or entries give less."""
        plain = self.goal.exceptions is None and not self.allowed.n_auxiliary
        proves = prove and plain and not self.allowed.blocks
        until = self.deadline.part(
            SHARES.search if proves or self.allowed.blocks else SHARES.linear_search
        )
        first = None if self._start is None else self.first()
        if first is not None and until.over:  # the first program of 5,000 symbols takes a second
            self.offer(first)
            return
        # outputs that cover all symbols at once keep prices from the center: at 229 symbols of a
        # robust set, with 60 auxiliary variables, nothing better was found from there
        once = until.part(SHARES.peeling)
        peeled = None if self.allowed.n_auxiliary else self._peel(once)
        search = LinearSearch(self.allowed, self.p_x, seed=self.seed, deadline=until)
        for kernel in (first, peeled):
            if kernel is not None:
                search.include(self.posteriors(kernel))
        search.run()
        self.offer(search.settled())
        if plain and self.allowed.blocks:
            sliced = sliced_bound(self.allowed, self.p_x, self.value + self.gap, self.deadline)
            self.upper = min(self.upper, sliced)
        if proves:
            self._by_entries(self._until)

    def _by_entries(self, until: Deadline) -> None:
        """Lower the bound by the largest entries of allowed posteriors, of the likeliest first."""
        weights = (self.p_x[:, None] * self.best).T
        bound = bound_of_entries(self.allowed, self.p_x, weights, until)
        self.upper = min(self.upper, bound)

    def _enumerate(self, *, always: bool) -> bool:
        """Solve by all vertices; return whether that succeeded, as there may be too many.

        Unless `always` only some are tried where there may be many, as that is not known before.
        """
        n_basic, n_free = self.space.n_basic, self.space.n_free
        # polytopes with at most this many candidate bases are enumerated first: it takes
        # milliseconds
        share, most = SHARES.enumeration, SIZES.walk_vertices
        if not always and comb(n_basic + n_free, n_basic) > 200_000:
            share, most = SHARES.tried_enumeration, SIZES.tried_vertices
            fast = SIZES.walk_entries // (n_basic * (n_free + 1))
            if fast < most // 2:
                return False
            most = min(most, fast)
        in_time = self.deadline.part(share)
        if not self.prover.walk(in_time, most) or self.prover.vertices is None:
            if most == SIZES.walk_vertices:
                self._note(LISTED.format(self.prover.stopped))
            return False
        points = self.prover.vertices.points
        try:
            master, mixture, _ = best_mixture(points, self.p_x, self.goal, self.deadline)
            mixed_kernel = master.kernel(mixture)
        except (SolverError, InfeasibleError) as error:
            self._note(LISTED.format(error))
            return False
        self.offer(mixed_kernel, "enumerate")
        verdict = self.prover.check(mixture.duals, self.gap, self.deadline)
        self.upper = min(self.upper, verdict.bound)
        return True

    def _generate(self, *, prove: bool) -> None:
        """Solve by column generation, with a proof as far as time allows."""
        first = self.first()
        self.offer(first)
        if self._closed() or self._late_for_tableaux():
            return
        try:
            self._by_columns(first, prove=prove)
        except (SolverError, InfeasibleError) as error:
            # coefficients too far apart for HiGHS, as at ε = 50, or vertices so close that their
            # mixture misses P_X
            if not self._enumerate(always=True):
                self._note(f"Columns gave no answer. {error}")

    def _by_columns(self, first: FloatArray, *, prove: bool) -> None:
        """Alternate between a search for outputs and a proof that there are no better ones."""
        until = self.deadline.part(SHARES.search)
        known = self.posteriors(first)
        central = self.allowed.rows.shape[0] > SIZES.column_rows
        peeled = self._peel(until.part(0.0 if central else SHARES.peeling))
        before = self.value
        if prove and peeled is not None:  # boxes begin with the same bound, much later
            self._by_entries(self._until.part(SHARES.entries))
        if peeled is not None and until.left < seconds_to_begin(len(self.p_x)):
            self._peel_on()
            return
        if peeled is not None and central:
            known = np.vstack([known, self.posteriors(peeled)])
            outputs = self._at_central_duals(known, prove=prove)
            if outputs is None:
                return
            known, peeled = outputs, None
        if peeled is not None and until.over:
            return
        search = ColumnSearch(self.space, self.p_x, self.goal, seed=self.seed, deadline=until)
        if peeled is None:
            search.include(known)
        search.descend_from(-np.log(np.maximum(known, SMALL)))
        if peeled is not None:
            search.run()
            search.include(np.vstack([known, self.posteriors(peeled)]))
        while True:
            search.run()
            if prove:  # each output found now saves the proof from starting again
                search.look_wider(search.deadline.part(SHARES.wider_search))
            value = self.offer(search.settled())
            if not prove or self.upper - value <= self.gap or self._until.over:
                return
            if self._peeling is not None and value - before <= self.gap:
                self._peel_on()
                return
            search.deadline = self._until
            duals = search.mixture.duals
            used = search.in_use()
            verdict = self.prover.check(duals, self.gap, self._until, used, self.upper)
            self.upper = min(self.upper, verdict.bound)
            if self.upper - value <= self.gap:
                return
            if not search.include(verdict.better) and not search.widen():
                return

    def _at_central_duals(self, known: FloatArray, *, prove: bool) -> FloatArray | None:
        """Search at central duals; return the outputs in use, None where time for it is over."""
        # a proof takes longer: of 206 symbols 10 s find all but .002 of what 45 s do
        until = self.deadline.part(1 - SHARES.search)
        if not prove or until.left < SIZES.search_seconds:
            until = self._until
        search = LinearSearch(self.allowed, self.p_x, seed=self.seed, deadline=until)
        search.include(known)
        search.run()
        self.offer(search.settled())
        outputs = search.in_use()
        if not until.over:
            return outputs
        if prove and not self._until.over:
            enough = self.value + self.gap
            self.upper = min(self.upper, self.prover.by_boxes(outputs, enough, self._until))
        return None

    def _by_peeling(self, solver: Solver) -> bool:
        """Take outputs off P_X alone where columns would take too long; return whether it did."""
        many = len(self.p_x) >= SIZES.peeled_alone and solver == "auto"
        if not many or self.allowed.blocks or not self._peels():
            return False
        search = Peeling(self.allowed, self.p_x, seed=self.seed, deadline=self._until)
        if len(self.p_x) <= SIZES.peeled_whole:
            went_on = search.begin()  # one run takes four seconds at 40×400
            self.offer(search.kernel())
            self.offer(self.first())
            if not went_on:
                search.begin_with(self.best)
        else:
            self.offer(self.first())
            search.begin_with(self.best)
        # a kernel of 10,000 symbols takes .4 s to make
        if search.improve() or len(self.p_x) <= SIZES.peeled_whole:
            self.offer(search.kernel())
        return True

    def _peels(self) -> bool:
        """Return whether outputs may be taken off P_X, and there are so many that it helps."""
        plain = isinstance(self.goal, MutualInformation) and self.goal.exceptions is None
        # a program of more rows than symbols keeps no limit: under SRLIP at 4×756 it took 15 of 2 s
        few = len(self.p_x) < SIZES.peeled_symbols or not self.allowed.rows.shape[0]
        return plain and not few and self.allowed.rows.shape[0] <= len(self.p_x)

    def _peel(self, until: Deadline) -> FloatArray | None:
        """Take outputs off P_X, once and until a deadline.

        Offer and return them; None where a search begins without.
        """
        if not self._peels():
            return None
        self._peeling = Peeling(self.allowed, self.p_x, seed=self.seed, deadline=self._until)
        self._peeling.begin_once(until)
        kernel = self._peeling.kernel()
        self.offer(kernel)
        return kernel

    def _peel_on(self) -> None:
        """Improve the outputs taken off P_X, where another search finds no better ones in time."""
        if self._peeling is not None:
            self._peeling.deadline = self._until
            self._peeling.begin_with(self.best)
            self._peeling.improve()
            self.offer(self._peeling.kernel())

    def begin_with(self, kernel: FloatArray) -> None:
        """Take an allowed kernel as an answer, and instead of any other start."""
        self._start = lambda _deadline: kernel
        self.offer(kernel)

    def first(self) -> FloatArray:
        """Return the kernel to start from; by default a constant output."""
        if self._start is None:
            return np.ones((len(self.p_x), 1))
        return self._start(self.deadline.part(SHARES.start))

    def posteriors(self, kernel: FloatArray) -> FloatArray:
        """Return the posteriors P(x | y) of a kernel, shape (n_y, n_x)."""
        weights = (self.p_x[:, None] * kernel).T
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def offer(self, kernel: FloatArray, solver: str = "columns") -> float:
        """Move a kernel inside the set, keep it if it is the best so far, return its utility."""
        finished = self.finish(kernel)
        value = self.goal.of_kernel(finished, self.p_x)
        if value >= self.value:
            self.best, self.value, self.solver = finished, value, solver
        return value

    def _too_late(self) -> bool:
        """Return whether time is over for the first mixture of many symbols, which takes long."""
        return len(self.p_x) >= SIZES.peeled_alone and self.deadline.over

    def _late_for_tableaux(self) -> bool:
        """Return whether those of many symbols take longer than there is time: 9 s under SRLIP."""
        n_x, (n_rows, n_vars) = len(self.p_x), self.allowed.rows.shape
        begins = seconds_to_begin(n_x) * n_rows * n_vars
        return n_x >= SIZES.peeled_alone and self.deadline.left * SIZES.search_entries <= begins

    def _closed(self) -> bool:
        """Return whether utility and upper bound differ by at most the gap."""
        return self.upper - self.value <= self.gap
