"""Utilities that are linear in the mechanism: the optimum is one program.

An output stands for an action a, which costs c_a(x): Σ_a Σ_x c_a(x) w_a(x) with w_a(x) = P(x, a),
and one output for each action suffices. Rows and cuts hold for each w_a; round sets and budgets
on averages are cones. For multipliers μ_a ≥ 0 of the rows, ν_b ≥ 0 of the budgets M_b and minorants
d_ab of their costs, of any origin, every mechanism costs at least Σ_x P(x) λ(x) − Σ_b ν_b M_b with

    λ(x) = min_a c_a(x) + (Rᵀμ_a)(x) + Σ_b ν_b d_ab(x).

Exceptions of total probability δ are actions e once more, without the rows that they may break. The
costs are at least that less δ max_x λ(x) − κ(x), if this is above 0, where κ is the same of the e.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.allowed.average_cost import Cone
from core.allowed.robust import RobustCuts
from core.clock import Deadline, tell_cut
from core.errors import CoreError, InfeasibleError, SolverError, TimeLimitError
from core.optimal.cutting_planes import pulled
from core.optimal.interior import InteriorProgram, least_seconds
from core.optimal.plan import SHARES, SIZES
from core.optimal.programs.conic import solve_conic
from core.optimal.programs.highs import INFINITY, LinearProgram, Solution
from core.optimal.robust_program import RobustProgram
from core.optimal.tolerances import PRICE
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What a bound is computed from: any numbers of these shapes give a valid one.

    - `symbols`: of each symbol's probability, λ, shape (n_x,).
    - `rows`: of the allowed set's rows for each action, shape (n_a, n_rows).
    - `cuts`: an action, a cut g·w ≤ 0 of the oracle, and its multiplier.
    - `prices`: of each budget, shape (n_b,).
    - `slopes`: for each budget a slope of its cost in the lifts, for each action, shape (n_a, n_s).
    """

    symbols: FloatArray
    rows: FloatArray
    cuts: Sequence[tuple[int, FloatArray, float]]
    prices: FloatArray
    slopes: Sequence[FloatArray]


def utility_bound(
    multipliers: Multipliers,
    allowed: AllowedSet,
    p_x: FloatArray,
    goal: Utility,
    pieces: FloatArray,
    n_excepted: int,
) -> float:
    """Return a utility that no mechanism exceeds; ∞ where the multipliers prove none.

    The last `n_excepted` actions are exceptions'. Any smaller λ proves one too: that of the program
    where it leaves a symbol to exceptions.
    """
    costs = reduced_costs(multipliers, allowed, pieces, n_excepted)
    if costs is None:
        return np.inf
    limits = np.array([budget.limit for budget in allowed.budgets])
    spent = float(np.maximum(multipliers.prices, 0.0) @ limits)
    own, excepted = np.split(costs, [len(costs) - n_excepted])
    least, beyond = own.min(axis=0), excepted.min(axis=0, initial=np.inf)
    worth = max(
        float(p_x @ prices) - allowed.exceptions * max(float((prices - beyond).max()), 0.0)
        for prices in (least, np.minimum(least, multipliers.symbols))
    )
    return goal.offset(p_x) - (worth - spent)


def reduced_costs(
    multipliers: Multipliers, allowed: AllowedSet, pieces: FloatArray, n_excepted: int
) -> FloatArray | None:
    """Return c_a(x) + (Rᵀμ_a)(x) + Σ_b ν_b d_ab(x), (n_a, n_x); None where μ is of no use."""
    n_firm = 0 if allowed.excepted is None else allowed.excepted.rows.shape[0]
    rows = np.maximum(multipliers.rows, 0.0)
    rows[len(pieces) - n_excepted :, n_firm:] = 0.0
    settled_rows = settled(allowed, rows)
    if settled_rows is None:
        return None
    reduced = pieces + settled_rows @ allowed.rows[:, : allowed.n_x]
    for action, cut, multiplier in multipliers.cuts:
        reduced[action] += max(multiplier, 0.0) * cut
    prices = np.maximum(multipliers.prices, 0.0)
    for budget, price, slope in zip(allowed.budgets, prices, multipliers.slopes, strict=True):
        reduced += price * budget.of_x(budget.cost.minorant(slope))
    result: FloatArray = reduced
    return result


def settled(allowed: AllowedSet, rows: FloatArray) -> FloatArray | None:
    """Return multipliers, (k, n_rows), whose sums of rows have no negative auxiliary coefficient.

    None where none are near.
    """
    extra = allowed.rows[:, allowed.n_x :].toarray()
    for which, column in enumerate(extra.T):
        # rounded as in the last line: a product with one column alone may differ from it
        short = np.maximum(-(rows @ extra)[:, which], 0.0)
        strongest = int(column.argmax())
        if short.any():
            if column[strongest] <= 0:
                return None
            rows = rows.copy()
            rounded = 8 * np.finfo(float).eps * (rows @ np.abs(column))
            rows[:, strongest] += 2 * (short + rounded * (short > 0)) / column[strongest]
    return rows if ((rows @ extra) >= 0).all() else None


@dataclass(frozen=True, eq=False)
class _Program:
    """Minimize cost·v subject to equal @ v = right, rows @ v ≤ upper, v ≥ lower, and cones."""

    cost: FloatArray
    lower: FloatArray
    equal: sparse.csr_array
    right: FloatArray
    rows: sparse.csr_array
    upper: FloatArray


@dataclass(eq=False)
class Warm:
    """The basis of the last linear program, from which a similar question's is solved."""

    basis: Any = None


FEW = 24
"""Cheapest symbols of each action, and as many at random, that a large program begins with."""


class Direct:
    """The program of one question.

    - `pieces`: c_a(x), shape (n_a, n_x); those of the last `n_excepted` actions are exceptions'.
    - `cuts`: actions and their cuts.
    - `kept`: which P(a | x) are variables, shape (n_a, n_x); the others are 0.
    - `warm`: where a linear program begins.
    """

    def __init__(
        self, allowed: AllowedSet, p_x: FloatArray, goal: Utility, warm: Warm | None = None
    ) -> None:
        pieces = goal.pieces()
        assert pieces is not None
        self.allowed, self.p_x, self.goal = allowed, p_x, goal
        self.warm = Warm() if warm is None else warm
        # exceptions that keep nothing else reveal their symbol, which costs least
        excepts = allowed.exceptions > 0
        self._reveals = excepts and allowed.excepted is None and not allowed.budgets
        own = np.unique(pieces, axis=0)
        excepted = own.min(axis=0, keepdims=True) if self._reveals else own[: len(own) * excepts]
        self.n_excepted = len(excepted)
        self.pieces: FloatArray = np.vstack([own, excepted])
        self.cuts: list[tuple[int, FloatArray]] = []
        self.kept: BoolArray = np.ones(self.pieces.shape, dtype=bool)
        self._next = self.kept
        # limits up to this are too near to Clarabel's tolerance
        self._bound(tuple(bound for bound in allowed.each if bound.limit > 1e-5))

    def _bound(self, each: tuple[AverageBudget, ...]) -> None:
        """Set the bounds that each output keeps by cones."""
        allowed, self._each = self.allowed, each
        self._bounds = (*allowed.budgets, *each)
        # of one output with short rows, Clarabel leaves more to cuts than these save
        self._epigraphs = [
            *(budget.epigraph() for budget in allowed.budgets),
            *(bound.cost.epigraph() for bound in each),
        ]
        # an action's variables: P(a | x), auxiliary ones, and lifts and h of each budget's cost
        sizes = [allowed.n_x, allowed.n_auxiliary]
        for epigraph in self._epigraphs:
            sizes += [len(epigraph.slope), len(epigraph.price)]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])

    def by_cones(self, deadline: Deadline) -> tuple[FloatArray, Multipliers] | None:
        """Solve with the cones of each output, if there are any, and take its tangents as cuts.

        The programs after it are linear: they need a few cuts more where cones are thin, as those
        of small budgets, and all of them where Clarabel fails or is late.
        """
        if not self._each:
            return None
        try:
            kernel, multipliers = self.solve(deadline.part(SHARES.cones))
            self.cuts = [(action, cut) for action, cut, _ in multipliers.cuts]
        except (SolverError, TimeLimitError, InfeasibleError):
            return None
        finally:
            self._bound(())
        return kernel, multipliers

    def by_newton(self, gap: float, deadline: Deadline) -> FloatArray | None:
        """Return a kernel about `gap` below the optimum under robust LDP, and take its tangents.

        None where it is no such question, a large one, or of a set without an inside.
        """
        oracle, n_a, n_x = self.allowed.oracle, *self.pieces.shape
        if not isinstance(oracle, RobustCuts) or oracle.ball.alpha <= 1 or oracle.eps == 0:
            return None
        bounded = self.allowed.n_auxiliary or self._bounds or self.n_excepted
        if bounded or n_a * n_x * oracle.ball.n_s**2 > SIZES.robust_entries:
            return None
        try:
            program = RobustProgram(self.allowed, oracle, self.p_x, self.pieces)
        except SolverError:
            return None
        program.run(gap, deadline)
        self.cuts += program.cuts()
        return program.kernel()

    @property
    def width(self) -> int:
        """Number of variables of one action."""
        return int(self._starts[-1])

    @property
    def _is_lift(self) -> BoolArray:
        """Which variables of one action are lifts, unbounded so that equations keep duals."""
        result = np.zeros(self.width, dtype=bool)
        for j, epigraph in enumerate(self._epigraphs):
            begin = self._starts[2 + 2 * j]
            result[begin : begin + len(epigraph.slope)] = True
        return result

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.pieces) * self.width

    def keep_few(self) -> None:
        """Begin with `FEW` symbols of each of some actions, and of each action then.

        Of one action all symbols are kept: it may be the only output.
        """
        drawn = np.random.default_rng(0).random(self.pieces.shape)
        cheapest = np.lexsort((drawn, self.pieces), axis=1)[:, :FEW]
        self.kept = drawn <= np.sort(drawn, axis=1)[:, [min(FEW, drawn.shape[1]) - 1]]
        np.put_along_axis(self.kept, cheapest, True, axis=1)
        self._next = self.kept.copy()
        best = self._useful(SIZES.first_actions)
        self._next[best[0]] = True
        if self._reveals:
            self._next[-1] = True
            best.append(self._n_own)
        elif self.n_excepted:
            best += [self._n_own + action for action in best]
        self.kept = np.zeros_like(self._next)
        self.kept[best] = self._next[best]

    def _useful(self, count: int) -> list[int]:
        """Return up to `count` actions, each the one that saves most beside those before it."""
        cheapest, best = self.pieces.max(axis=0), list[int]()
        # what an action saves falls as others are chosen: most need not be computed anew
        saved = ((cheapest - self.pieces[: self._n_own]) @ self.p_x).tolist()
        waiting = [(-gain, action) for action, gain in enumerate(saved)]
        heapify(waiting)
        while waiting and len(best) < count:
            _, action = heappop(waiting)
            lost = -float(np.maximum(cheapest - self.pieces[action], 0.0) @ self.p_x)
            if waiting and lost > waiting[0][0]:
                heappush(waiting, (lost, action))
            else:
                best.append(action)
                cheapest = np.minimum(cheapest, self.pieces[action])
        return best

    @property
    def has_cones(self) -> bool:
        """Whether rows and budgets on sums of linear costs are not all there is."""
        cones = any(epigraph.cones for epigraph in self._epigraphs)
        beyond = self.allowed.oracle is not None or self.n_excepted > 0
        return cones or beyond or bool(self._each)

    def by_steps(
        self, gap: float, deadline: Deadline, take: Callable[[FloatArray, float], float]
    ) -> bool:
        """Solve an action at a time: some actions, then more; return whether that ends it.

        The program of all actions proves the optimum. What is found by the deadline is taken.
        """
        n_a, useful = len(self.pieces), np.array(self._useful(len(self.pieces)))
        count, begun = min(SIZES.first_actions, n_a), False
        of_one = self._of_one()
        while True:
            some = np.sort(useful[:count])
            whole = count == n_a
            within = deadline if whole else deadline.part(SHARES.search)
            # in fewer steps nothing is found that fewer actions would not give
            if within.left < 8 * least_seconds(count, len(of_one[0])):
                tell_cut()
                return begun
            try:
                program = InteriorProgram(self.pieces[some] * self.p_x, *of_one)
            except SolverError:  # a set without an inside
                return False
            if within.left < 8 * program.seconds:
                tell_cut()
                return begun
            begun, aim = True, gap / 4 if whole else SHARES.rough_actions * program.gap
            reached = program.run(aim, within)
            upper = self._bound_of(program) if whole else np.inf
            kernel = np.zeros((len(self.p_x), n_a))
            kernel[:, some] = program.kernel()
            fewer = self.without(kernel, self.p_x @ kernel <= gap)
            value = take(fewer[:, fewer.any(axis=0)], upper)
            if whole and upper - value > gap:
                value = max(value, take(kernel, upper))
            if upper - value <= gap or within.left < program.seconds:
                return True
            if whole or not reached:  # rounding ended it
                return False
            count = n_a if n_a <= 8 * count else 4 * count

    def _of_one(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return rows and budgets of one action's variables without lifts, and the limits."""
        inner, lifts = self._rows_of_one()
        is_lift = self._is_lift
        whole = np.eye(self.width)[:, ~is_lift]
        whole[is_lift] = lifts[:, ~is_lift].toarray()
        spent = [row @ whole for row in self._spent_by_one()]
        limits = np.array([budget.limit for budget in self.allowed.budgets])
        return inner @ whole, np.array(spent).reshape(-1, whole.shape[1]), limits

    def _bound_of(self, program: InteriorProgram) -> float:
        """Return a utility that no mechanism exceeds, by a program of all actions."""
        symbols, rows, prices = program.multipliers()
        begin = self.allowed.rows.shape[0]
        slopes = []
        for epigraph, price in zip(self._epigraphs, prices, strict=True):
            end, n_s = begin + len(epigraph.rows), len(epigraph.slope)
            slopes.append(epigraph.slope + rows[:, begin:end] @ epigraph.rows[:, :n_s] / price)
            begin = end
        own = rows[:, : self.allowed.rows.shape[0]]
        return self.bound(Multipliers(symbols / self.p_x, own, [], prices, slopes))

    def bound(self, multipliers: Multipliers) -> float:
        """Return a utility that no mechanism exceeds."""
        return utility_bound(
            *(multipliers, self.allowed, self.p_x, self.goal, self.pieces, self.n_excepted)
        )

    def widen(self, multipliers: Multipliers) -> bool:
        """Keep half as many variables more, of least reduced cost, if one is negative."""
        if (self._next & ~self.kept).any():
            self.kept |= self._next
            return True
        costs = reduced_costs(multipliers, self.allowed, self.pieces, self.n_excepted)
        if self.kept.all() or costs is None:
            return False
        gains = np.where(self.kept, -np.inf, self.p_x * (multipliers.symbols - costs)).ravel()
        more = min(int(self.kept.sum()) // 2, int((~self.kept).sum()))
        best = np.argpartition(-gains, more - 1)[:more]
        self.kept.ravel()[best] = True
        return bool(gains.max() > PRICE)

    def cut(self, kernel: FloatArray, deadline: Deadline) -> bool:
        """Add cuts of the outputs of a kernel of `solve`; return whether there are any.

        Each is tangent to the allowed set, where the way from its output to P_X comes inside.
        """
        before, n_own = len(self.cuts), self._n_own
        for of, begin, end in (
            (self.allowed, 0, n_own),
            (self.allowed.excepted, n_own, len(self.pieces)),
        ):
            if of is None or of.oracle is None:
                continue
            weights = (self.p_x[:, None] * kernel[:, begin:end]).T
            used = np.flatnonzero(weights.any(axis=1))
            posteriors = weights[used] / weights[used].sum(axis=1, keepdims=True)
            _, last = pulled(of.oracle, self.p_x, posteriors, deadline)
            met = np.isfinite(last).all(axis=1)
            self.cuts += zip((begin + used[met]).tolist(), last[met], strict=True)
        return len(self.cuts) > before

    def solve(self, deadline: Deadline) -> tuple[FloatArray, Multipliers]:
        """Return P(y | x), outputs in the order of actions, then exceptions; and multipliers."""
        n_a, n_x = len(self.pieces), self.allowed.n_x
        inner, lifts = self._rows_of_one()
        if SIZES.entry_seconds * n_a * (inner.nnz + lifts.nnz) > deadline.left:
            tell_cut()
            raise TimeLimitError("There is no time for one program of all outputs.")
        every = sparse.eye_array(n_a, format="csr")
        budgets = [budget.limit for budget in self.allowed.budgets]
        rows = [sparse.kron(every, inner), *self._spent(), self._cut_rows(), self._excepted_row()]
        upper = np.zeros(sum(part.shape[0] for part in rows))
        begin = n_a * inner.shape[0]
        upper[begin : begin + len(budgets)] = budgets
        # part of δ that is left unused, so that the tolerance of HiGHS or Clarabel is within it
        by_cones = any(epigraph.cones for epigraph in self._epigraphs)
        upper[-1] = 1.0 - (1e-7 if by_cones else 1e-8)
        released = self._wide(sparse.csr_array(sparse.eye_array(n_x)), 0)
        equal = sparse.vstack(
            [sparse.kron(np.ones((1, n_a)), released), sparse.kron(every, lifts)], "csr"
        )
        right = np.concatenate([np.ones(n_x), np.zeros(equal.shape[0] - n_x)])
        cost, lower = np.zeros((n_a, self.width)), np.zeros((n_a, self.width))
        cost[:, :n_x] = self.pieces * self.p_x
        lower[:, self._is_lift] = -INFINITY
        program = _Program(
            *(cost.ravel(), lower.ravel(), equal, right, sparse.vstack(rows, "csr"), upper)
        )
        solution = self._solution(program, deadline)
        return self._kernel(solution), self._multipliers(solution, len(right), inner.shape[0])

    @property
    def _n_own(self) -> int:
        """Number of actions that are not exceptions'."""
        return len(self.pieces) - self.n_excepted

    def _excepted_row(self) -> sparse.csr_array:
        """Return the total probability of exceptions as a row, in parts of δ."""
        row = np.zeros((len(self.pieces), self.width))
        if self.n_excepted:
            row[self._n_own :, : self.allowed.n_x] = self.p_x / self.allowed.exceptions
        return sparse.csr_array(row.reshape(1, -1))

    def _rows_of_one(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the rows, at most 0, and the equations, at 0, of one action's variables."""
        allowed, starts = self.allowed, self._starts
        own = sparse.hstack(
            [allowed.rows[:, : allowed.n_x] * self.p_x, allowed.rows[:, allowed.n_x :]]
        )
        spent, total = self._spent_by_one(), self._wide(sparse.csr_array(self.p_x[None]), 0)
        begun = len(allowed.budgets)
        rows = [self._wide(own, 0)]
        rows += [
            cost - bound.limit * total
            for cost, bound in zip(spent[begun:], self._each, strict=True)
        ]
        equations = [sparse.csr_array((0, self.width))]
        for j, (bound, epigraph) in enumerate(zip(self._bounds, self._epigraphs, strict=True)):
            begin = int(starts[2 + 2 * j])
            rows.append(self._wide(sparse.csr_array(epigraph.rows), begin))
            n_s = len(epigraph.slope)
            lifts = self._wide(sparse.csr_array((1 + bound.excess) * self.p_x), 0)
            equations.append(lifts - self._wide(sparse.eye_array(n_s, format="csr"), begin))
        return sparse.vstack(rows, "csr"), sparse.vstack(equations, "csr")

    def _wide(self, rows: Any, begin: int) -> sparse.csr_array:
        """Return rows with columns of 0 before and after them, as wide as one action."""
        entries = sparse.coo_array(rows)
        shape = (rows.shape[0], self.width)
        return sparse.csr_array((entries.data, (entries.row, entries.col + begin)), shape=shape)

    def _spent_by_one(self) -> list[sparse.csr_array]:
        """Return a row for each bound: its cost of one action."""
        rows = []
        for j, epigraph in enumerate(self._epigraphs):
            row = np.concatenate([epigraph.slope, epigraph.price])[None]
            rows.append(self._wide(sparse.csr_array(row), int(self._starts[2 + 2 * j])))
        return rows

    def _spent(self) -> list[sparse.csr_array]:
        """Return a row for each budget: the sum of its costs over all actions."""
        every = np.ones((1, len(self.pieces)))
        rows = self._spent_by_one()[: len(self.allowed.budgets)]
        return [sparse.csr_array(sparse.kron(every, row)) for row in rows]

    def _cut_rows(self) -> sparse.csr_array:
        """Return the cuts so far as rows."""
        count, n_x = len(self.cuts), self.allowed.n_x
        if not count:
            return sparse.csr_array((0, self.size))
        data = np.concatenate([cut * self.p_x for _, cut in self.cuts])
        of = np.repeat(np.arange(count), n_x)
        places = np.concatenate([a * self.width + np.arange(n_x) for a, _ in self.cuts])
        return sparse.csr_array((data, (of, places)), shape=(count, self.size))

    def _solution(self, program: _Program, deadline: Deadline) -> Solution:
        """Return the solution, by HiGHS where no budget needs a cone and else by Clarabel.

        What is left out of the program is 0 in it.
        """
        on_rows, on_equations, is_kept, bounds = self._included(program)
        cost, lower, upper = program.cost[is_kept], program.lower[is_kept], program.upper[on_rows]
        equal = program.equal[on_equations][:, is_kept]
        rows = program.rows[on_rows][:, is_kept]
        right = program.right[on_equations]
        place = np.cumsum(is_kept) - 1
        cones: list[tuple[Cone, int]] = []
        for j, epigraph in enumerate(self._epigraphs):
            begin = int(self._starts[2 + 2 * j])
            for action in range(len(self.pieces) if bounds[j] else self._n_own):
                at = int(place[action * self.width + begin])
                cones += [(cone, at) for cone in epigraph.cones]
        if cones:
            solution = solve_conic(*(cost, lower, equal, right, rows, upper), cones, deadline.left)
        else:
            linear = LinearProgram(
                sparse.csr_array(sparse.vstack([equal, rows])),
                np.concatenate([right, np.full(len(upper), -INFINITY)]),
                np.concatenate([right, upper]),
                col_lower=lower,
                cost=cost,
                once=True,
            )
            last = self.warm.basis
            solution = (
                linear.solve(deadline.left)
                if last is None
                else linear.solve_near(last, deadline.left)
            )
            self.warm.basis = linear.basis()
        x, duals = np.zeros(len(is_kept)), np.zeros(len(on_equations) + len(on_rows))
        x[is_kept] = solution.x
        duals[np.concatenate([on_equations, on_rows])] = solution.duals
        return replace(solution, x=x, duals=duals)

    def _included(self, program: _Program) -> tuple[BoolArray, BoolArray, BoolArray, list[bool]]:
        """Return which rows, equations and variables are in the program.

        And which bounds exceptions keep. What they must keep comes first in the set's rows,
        auxiliary variables and bounds of each output.
        """
        allowed, firm, n_x = self.allowed, self.allowed.excepted, self.allowed.n_x
        none = AllowedSet(allowed.rows[:0, :n_x], n_x)
        firm = none if firm is None else firm
        bounds = [True] * len(allowed.budgets)
        bounds += [any(bound is kept for kept in firm.each) for bound in self._each]
        rows = [
            np.arange(allowed.rows.shape[0]) < firm.rows.shape[0],
            np.array(bounds[len(allowed.budgets) :], dtype=bool),
        ]
        variables = [
            np.ones(n_x, dtype=bool),
            np.arange(allowed.n_auxiliary) < firm.n_auxiliary,
        ]
        equations = [np.zeros(0, dtype=bool)]
        for epigraph, kept in zip(self._epigraphs, bounds, strict=True):
            rows.append(np.full(len(epigraph.rows), kept))
            equations.append(np.full(len(epigraph.slope), kept))
            variables.append(np.full(len(epigraph.slope) + len(epigraph.price), kept))

        def of_all(parts: list[BoolArray]) -> BoolArray:
            of_one = np.concatenate(parts)
            every = np.ones((len(self.pieces), len(of_one)), dtype=bool)
            every[self._n_own :] = of_one
            return every

        is_kept = of_all(variables)
        is_kept[:, :n_x] &= self.kept
        own, lifts = of_all(rows).ravel(), of_all(equations).ravel()
        more = np.ones(len(program.upper) - len(own), dtype=bool)
        released = np.ones(n_x, dtype=bool)
        return (
            np.concatenate([own, more]),
            np.concatenate([released, lifts]),
            is_kept.ravel(),
            bounds,
        )

    def _kernel(self, solution: Solution) -> FloatArray:
        """Return P(y | x) of a solution."""
        own = solution.x[: self.size].reshape(len(self.pieces), self.width)[:, : self.allowed.n_x]
        kernel = np.maximum(own.T, 0.0)
        if self._reveals:
            kernel = np.hstack([kernel[:, :-1], np.diag(kernel[:, -1])])
        if self._each:
            kernel = self._joined(kernel)
        # probability below which an output of a program is rounding: it is left out
        used = self.p_x @ kernel * (self.p_x @ kernel > 1e-10)
        kernel = kernel * (used > 0)
        kernel[~kernel.any(axis=1)] = used  # symbols so rare that their outputs were left out
        result: FloatArray = kernel / kernel.sum(axis=1, keepdims=True)
        return result

    def _joined(self, kernel: FloatArray) -> FloatArray:
        """Return P(y | x) where outputs that are a conic program's rounding join others.

        Moving them inside would move all others as well.
        """
        # some hundred times the program's tolerance
        return self.without(kernel, self.p_x @ kernel <= 1e-7)

    def without(self, kernel: FloatArray, is_left_out: BoolArray) -> FloatArray:
        """Return P(y | x) where some outputs join the actions that are best for them."""
        few, many = np.flatnonzero(is_left_out), np.flatnonzero(~is_left_out[: self._n_own])
        kernel = kernel.copy()
        into = many[(self.pieces[many] @ (self.p_x[:, None] * kernel[:, few])).argmin(axis=0)]
        moved = kernel[:, few].copy()
        kernel[:, few] = 0.0
        np.add.at(kernel.T, into, moved.T)
        return kernel

    def _multipliers(self, solution: Solution, n_equal: int, n_inner: int) -> Multipliers:
        """Return the multipliers of a solution's duals."""
        n_a, n_x = len(self.pieces), self.allowed.n_x
        of_lifts = solution.duals[n_x:n_equal].reshape(n_a, -1)
        duals = -solution.duals[n_equal:]
        of_each = duals[: n_a * n_inner].reshape(n_a, n_inner)
        own = self.allowed.rows.shape[0]
        rows, of_each = np.split(of_each[:, : own + len(self._each)], [own], axis=1)
        duals = duals[n_a * n_inner :]
        prices, duals = np.split(duals, [len(self.allowed.budgets)])
        cuts = [(a, cut, float(dual)) for (a, cut), dual in zip(self.cuts, duals, strict=False)]
        slopes, at = [], 0
        for j, epigraph in enumerate(self._epigraphs):
            n_s = len(epigraph.slope)
            mine = np.hstack([np.tile(prices, (n_a, 1)), of_each])[:, j : j + 1]
            slope = -of_lifts[:, at : at + n_s]
            slopes.append(np.divide(slope, mine, out=np.zeros_like(slope), where=mine > 0))
            at += n_s
        for j, bound in enumerate(self._each):
            tangents = bound.of_x(bound.cost.minorant(slopes[len(prices) + j])) - bound.limit
            cuts += zip(range(n_a), tangents, of_each[:, j].tolist(), strict=True)
        symbols = solution.duals[:n_x] / self.p_x
        return Multipliers(symbols, rows, cuts, prices, slopes[: len(prices)])


def by_one_program(
    allowed: AllowedSet,
    p_x: FloatArray,
    goal: Utility,
    gap: float,
    deadline: Deadline,
    take: Callable[[FloatArray, float], float],
    warm: Warm | None = None,
) -> bool:
    """Find and prove the optimum of a utility with `pieces`; return whether steps ended it.

    Then it is proven, or the time that is left is too short for any other way.

    Above `SIZES.direct_entries` variables it begins with few and adds what its duals ask for. A
    round set is first given by its cones; then an oracle's cuts are added until the outputs in use
    are allowed.
    """
    direct, upper = Direct(allowed, p_x, goal, warm), np.inf
    inside: FloatArray | None = None
    if direct.size > SIZES.direct_entries:
        if not direct.has_cones and direct.by_steps(gap, deadline, take):
            return True
        direct.keep_few()
    deadline = deadline.part(SHARES.search)
    rounds = due = 0
    while True:
        try:
            conic = direct.by_cones(deadline)
            kernel, multipliers = conic or direct.solve(deadline)
        except CoreError:
            if rounds:  # what was found and proven before
                take(kernel[:, kernel.any(axis=0)] if inside is None else inside, upper)
            raise
        before = upper
        upper = min(upper, direct.bound(multipliers))
        narrowed = direct.cut(kernel, deadline)
        rounds += 1
        if narrowed and rounds == 1:
            inside = direct.by_newton(gap / 40, deadline.part(SHARES.cones))
        elif inside is not None:
            fewer = direct.without(inside, p_x @ inside <= gap)
            value = take(fewer[:, fewer.any(axis=0)], upper)
            if upper - value <= gap or upper - take(inside, upper) <= gap:
                return False
            inside = None
        # moving outputs inside takes longer than a cut, but cones leave them nearly inside
        if narrowed and conic is None and (before - upper > gap or rounds < due):
            continue
        due = 2 * rounds
        value = take(kernel[:, kernel.any(axis=0)], upper)
        if upper - value <= gap or deadline.over:
            return False
        if not narrowed and conic is None and not direct.widen(multipliers):
            return False
