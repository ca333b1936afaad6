"""The solve of a problem with budgets on averages: on the wider cone, or by tangents.

Under smooth budgets, from inside, Newton's method moves the outputs in use to where H(r) + Σ_j μ_j
g_j(r) − π·r is least (saddle-free, Dauphin et al. 2014; in dr = √r dz H has the second derivative
−1). From outside, the vertices of a polytope around the cone, given by tangents at these outputs,
that undercut the duals are new outputs or give tangents; where there are none, the duals prove the
upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.allowed.average_cost import SmoothCost
from core.clock import NEVER, Deadline, tell_cut
from core.entries import Entries
from core.errors import InfeasibleError, SolverError
from core.limits import CLOSE, ROUNDING
from core.optimal.bounds.low_vertices import undercutting
from core.optimal.budgets.lifting import Lifting
from core.optimal.budgets.silent import SilentSearch, silent_outputs
from core.optimal.cutting_planes import distinct, pulled
from core.optimal.plan import SHARES, SIZES
from core.optimal.polish import shares_to_rows
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.facets import facets_of
from core.optimal.programs.master import Master
from core.optimal.tolerances import NOUGHT, PRICE
from core.optimal.utility import Exceptions, MutualInformation, Utility
from core.validation import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 1e-7
"""Budgets are raised to this part of the cost of X itself, as smaller ones are within HiGHS's
tolerance. An upper bound under a larger budget holds under a smaller one."""


class SolveState(Protocol):
    """The problem, and the best answer so far, as `core.optimal.solve` keeps them.

    A search under budgets begins with a `best` without exceptions.
    """

    allowed: AllowedSet
    p_x: FloatArray
    goal: Utility
    finish: Callable[[FloatArray], FloatArray]
    gap: float
    seed: int
    deadline: Deadline
    best: FloatArray
    value: float
    upper: float
    notes: tuple[str, ...]

    def offer(self, kernel: FloatArray, solver: str = "columns") -> float:
        """Move a kernel inside, keep it if it is the best so far, and return its utility."""
        ...

    def first(self) -> FloatArray:
        """Return a kernel to start from."""
        ...

    def posteriors(self, kernel: FloatArray) -> FloatArray:
        """Return the posteriors P(x | y) of a kernel, shape (n_y, n_x)."""
        ...


def search_within(task: SolveState, solver: str, solve: Callable[..., Any], *, prove: bool) -> None:
    """Improve the answer to a problem with budgets, and lower its upper bound."""
    plain = replace(task.allowed, budgets=())
    first, strict = task.first(), task.best
    task.offer(first)
    # no program of so many symbols ends in time
    if len(task.p_x) > 2 * SIZES.peeled_whole or not task.goal.searched:
        if not plain.rows.shape[0] and plain.oracle is None:
            _offer_erased(task)
        return
    best = np.eye(len(task.p_x))
    if plain.rows.shape[0] or plain.oracle is not None:
        best = _aside(task, plain, solve, bounds=True)
    if task.upper - task.value <= task.gap:
        return
    starts = [first]
    if len(task.p_x) >= SIZES.peeled_alone:
        starts.append(_at_random(task, best, first))
        if task.deadline.over:
            return
    silent = _silent(task, plain, solve)
    starts += [silent, _at_random(task, best, silent)]
    if task.upper - task.value <= task.gap:
        return
    wider = replace(
        task.allowed, budgets=tuple(_seen(budget, task.p_x) for budget in task.allowed.budgets)
    )
    lifting = Lifting(wider, task.p_x, task.goal)
    lifted = _Lifted(task, lifting, solver, solve, prove=prove)
    few = len(task.p_x) <= SIZES.budget_symbols
    simple = plain.oracle is None and not plain.n_auxiliary
    name = "columns"
    if task.allowed.exceptions > 0:
        kernel = lifted.beside_exceptions([first, silent, strict])
    elif lifting.smooth and simple:
        count = len(task.p_x) + sum(kernel.shape[1] for kernel in starts)
        # of 1,980 symbols the first mixture took 2 of 1 s
        if SIZES.entry_seconds * len(task.p_x) * count > task.deadline.left:
            tell_cut()
            return
        kernel = _by_tangents(task, lifting, starts, few=few, prove=prove)
    else:
        kernel, name = lifted.on_cone(starts)
        value = task.goal.value((task.p_x[:, None] * kernel).T, task.p_x)
        if simple and few and prove and task.upper - value > task.gap and not task.deadline.over:
            # over a thin cone, as of a small budget, the solver's proof may fail
            kernel = _by_tangents(task, lifting, [*starts, kernel], few=few, prove=prove)
    share = min(
        1.0, *(a.limit / b.limit for a, b in zip(task.allowed.budgets, wider.budgets, strict=True))
    )
    task.offer(kernel if share == 1.0 else np.hstack([share * kernel, (1 - share) * silent]), name)
    if share < 1.0:  # posteriors 1e-12 apart leave nothing wholly silent, and much that nearly is
        _at_random(task, kernel, task.best)


def _by_tangents(
    task: SolveState, lifting: Lifting, starts: list[FloatArray], *, few: bool, prove: bool
) -> FloatArray:
    """Return a kernel found by `BudgetSearch`, and lower the upper bound where symbols are few."""
    until = task.deadline.part(1 - SHARES.budget_mixture)
    search = BudgetSearch(lifting, seed=task.seed, deadline=until)
    for kernel in starts:
        search.include(search.pulled(task.posteriors(kernel)))
    search.run(task.gap, prove=prove) if few else search.warm_up(1.0)
    task.upper = min(task.upper, search.upper)
    return search.kernel()


@dataclass(frozen=True, eq=False)
class _Lifted:
    """Solves of the lifted problem of a `task`, each of which lowers the task's upper bound."""

    task: SolveState
    lifting: Lifting
    solver: str
    solve: Callable[..., Any]
    prove: bool

    def _outcome(self, allowed: AllowedSet, starts: list[FloatArray], **changed: Any) -> Any:
        """Return the outcome over a lifted set, begun with the mean of `starts`."""
        task, lifting = self.task, self.lifting
        together = lifting.raised(np.hstack([kernel / len(starts) for kernel in starts]))
        outcome = self.solve(
            allowed,
            lifting.p,
            utility=lifting.utility,
            solver=self.solver,
            seed=task.seed,
            start=lambda _deadline: together,
            prove=self.prove,
            **changed,
        )
        task.upper = min(task.upper, outcome.upper_bound)
        task.notes = (*task.notes, *outcome.notes)
        return outcome

    def on_cone(self, starts: list[FloatArray]) -> tuple[FloatArray, str]:
        """Return a kernel found on the wider cone, and its solver."""
        task, lifting = self.task, self.lifting
        outcome = self._outcome(
            lifting.cone(),
            starts,
            time_limit=(1 - SHARES.budget_mixture) * task.deadline.left,
            gap=task.gap,
            finish=lambda kernel: lifting.raised(task.finish(lifting.lowered(kernel))),
        )
        return lifting.lowered(outcome.kernel), outcome.solver

    def beside_exceptions(self, starts: list[FloatArray]) -> FloatArray:
        """Return a kernel with exceptions that keep the budgets.

        An exception costs at least what tangents say, and an optimum with these is a bound. What
        it consists of is mixed again, each output at its own cost, and gives more tangents.
        """
        task, lifting = self.task, self.lifting
        until = task.deadline.part(1 - SHARES.budget_mixture)
        firm = task.allowed.excepted or replace(
            task.allowed, rows=task.allowed.rows[:0], oracle=None
        )
        beyond = np.eye(len(task.p_x))
        tangents = distinct(lifting.tangents(beyond), SIZES.tangents_apart)
        outputs = np.vstack([task.posteriors(kernel) for kernel in starts])
        while True:
            outcome = self._outcome(
                lifting.around(tangents),
                starts,
                time_limit=until.left / 2,
                gap=max(task.gap / 2, SHARES.rough_tangents * (task.upper - task.value)),
                finish=lambda kernel: kernel,
            )
            met = task.posteriors(lifting.lowered(outcome.kernel))
            outputs, beyond = np.vstack([outputs, met]), np.vstack([beyond, met])
            inside = _moved(task.allowed, task.p_x, outputs, until)
            kernel = _mixed(lifting, inside, _moved(firm, task.p_x, beyond, until))
            left = task.upper - task.offer(kernel)
            more = np.vstack([tangents, lifting.tangents(met)])
            more = distinct(more, SIZES.tangents_apart)
            apart = outcome.upper_bound - outcome.utility
            ends = (
                outcome.status == "time limit" if apart > left / 2 else len(more) == len(tangents)
            )
            if left <= task.gap or ends or until.over:
                return kernel
            tangents = more


def _mixed(lifting: Lifting, outputs: FloatArray, exceptions: FloatArray) -> FloatArray:
    """Return the best mixture of outputs and of exceptions, posteriors (k, n_x) each."""
    # part of δ that is left unused: corrections of the program's rounding stay within it
    share = (1 - NEGLIGIBLE) * lifting.allowed.exceptions
    apart = Exceptions(lifting.lifted(exceptions), share)
    points = np.vstack([lifting.lifted(outputs), lifting.slack()])
    master, mixture, _ = best_mixture(points, lifting.p, lifting.utility.excepting(apart), NEVER)
    return lifting.lowered(master.kernel(mixture))


def _moved(
    allowed: AllowedSet, p_x: FloatArray, points: FloatArray, deadline: Deadline
) -> FloatArray:
    """Return outputs, (k, n_x), each moved towards P_X until it is allowed, and P_X."""
    shares = shares_to_rows(allowed, p_x, points)[:, None]
    inside = (1 - shares) * points + shares * p_x
    if allowed.oracle is not None:
        inside = pulled(allowed.oracle, p_x, inside, deadline)[0]
    return np.vstack([inside, p_x])


def _aside(
    task: SolveState, allowed: AllowedSet, solve: Callable[..., Any], *, bounds: bool
) -> FloatArray:
    """Offer and return the optimum over a set without budgets; with `bounds`, take its bound."""
    try:
        outcome = solve(
            allowed,
            task.p_x,
            utility=task.goal,
            time_limit=SHARES.without_budgets * task.deadline.left,
            gap=task.gap,
            seed=task.seed,
            prove=bounds,
        )
    except (InfeasibleError, SolverError):  # a constant output is always allowed
        return np.ones((len(task.p_x), 1))
    if bounds:
        task.upper = min(task.upper, outcome.upper_bound)
    task.offer(outcome.kernel)
    kernel: FloatArray = outcome.kernel
    return kernel


def _silent(task: SolveState, plain: AllowedSet, solve: Callable[..., Any]) -> FloatArray:
    """Offer and return a mechanism whose Y is independent of S, which costs nothing."""
    excess = task.allowed.budgets[0].excess
    if len(task.p_x) <= SIZES.budget_symbols:
        lifts = excess[(excess != 0).any(axis=1)]
        lifts = lifts / np.abs(lifts).max(axis=1, keepdims=True)
        wide = np.zeros((2 * len(lifts), plain.rows.shape[1]))
        wide[:, : plain.n_x] = np.vstack([lifts, -lifts])
        rows = sparse.csr_array(sparse.vstack([plain.rows, sparse.csr_array(wide)]))
        every = replace(plain, rows=rows, blocks=(), exceptions=0.0, excepted=None)
        return _aside(task, every, solve, bounds=False)
    until = task.deadline.part(SHARES.without_budgets)
    kernel = silent_outputs(excess, task.p_x, until)
    task.offer(kernel)
    return kernel


def _at_random(task: SolveState, best: FloatArray, within: FloatArray) -> FloatArray:
    """Offer and return the optimum without budgets, mixed with one as far as they allow."""
    share = 1.0
    for budget in task.allowed.budgets:
        most, least = budget.spent(best, task.p_x), budget.spent(within, task.p_x)
        if most > budget.limit:
            share = min(share, max((budget.limit - least) / (most - least), 0.0))
    kernel: FloatArray = np.hstack([share * best, (1 - share) * within])
    kernel = kernel[:, kernel.sum(axis=0) > 0]
    task.offer(kernel)
    return kernel


def _offer_erased(task: SolveState) -> None:
    """Offer X itself for the share of the records that the budgets allow, and nothing for others.

    Of the matrix, (n_x, n_x + 1), few entries are kept: of 10,000 symbols it is 800 MB. Its outputs
    are in reading order, so that it is made once.
    """
    n_x = len(task.p_x)
    spent = [budget.spent_by_x(task.p_x) for budget in task.allowed.budgets]
    shares = [b.limit / s for b, s in zip(task.allowed.budgets, spent, strict=True) if s > 0]
    share = min([1.0, *shares]) * (1 - CLOSE)  # within the budgets, else entries are moved
    if share * task.goal.of_x(task.p_x) <= task.value:
        return
    x, nothing = np.arange(n_x), int(task.p_x.argmax()) + 1
    at = np.concatenate([x + n_x * (x + (x >= nothing)), x + n_x * nothing])
    values = np.repeat([share, 1 - share], n_x)
    task.offer(Entries((n_x, n_x + 1), at, values, by_columns=True).dense())


def _seen(budget: AverageBudget, p_x: FloatArray) -> AverageBudget:
    """Return the budget, raised to `NEGLIGIBLE` of the cost of X itself."""
    return replace(budget, limit=max(budget.limit, NEGLIGIBLE * budget.spent_by_x(p_x)))


STEPS = 40
"""Most steps; about ten suffice."""

KEPT = 20
"""Most symbols of an output that is moved: an extreme one has no more than secrets and rows."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Duals π of symbols and μ ≥ 0 of `budgets`, which define the reduced cost of outputs."""

    of_symbols: FloatArray
    of_budgets: FloatArray
    budgets: tuple[AverageBudget, ...]
    utility: Utility

    def value(self, points: FloatArray) -> FloatArray:
        """Return φ(r) + Σ_j μ_j g_j(r) − π·r of posteriors, shape (k, n_x) → (k,)."""
        total = self.utility.cost(points) - points @ self.of_symbols
        for mu, budget in zip(self.of_budgets, self.budgets, strict=True):
            total = total + mu * budget.value(points)
        result: FloatArray = total
        return result


def improved(
    starts: FloatArray, prices: Prices, rows: FloatArray, *, deadline: Deadline
) -> tuple[FloatArray, FloatArray]:
    """Return outputs of lower reduced cost near starts, (k, n_x), and these costs."""
    symbols = _support(starts)
    full = np.take_along_axis(starts, symbols, axis=1)
    whole = np.abs(full.sum(axis=1) - 1) < CLOSE  # an output of too many symbols is not moved
    face = _Face(symbols[whole], prices, rows, starts.shape[1])
    points = face.spread(full[whole])
    values = prices.value(points)
    for _ in range(STEPS):
        if deadline.over:
            break
        points, values, moved = face.step(points, values)
        if not moved.any():
            break
    outputs = np.vstack([points, starts[~whole]])
    return outputs, np.append(values, prices.value(starts[~whole]))


def _support(points: FloatArray) -> IntArray:
    """Return the support of each point, at most KEPT symbols, largest entries first, (k, m)."""
    most = int((points > CLOSE).sum(axis=1).max(initial=1))
    order = np.argsort(-points, axis=1, kind="stable")
    return order[:, : min(most, KEPT)]


class _Face:
    """Points on faces of the simplex, each with its own support; arguments as in `improved`."""

    def __init__(self, symbols: IntArray, prices: Prices, rows: FloatArray, n_x: int) -> None:
        self.symbols, self.prices, self.n_x = symbols, prices, n_x
        self._pi = prices.of_symbols[symbols]
        self._excess = [np.moveaxis(b.excess[:, symbols], 0, 1) for b in prices.budgets]
        self._rows = np.moveaxis(rows[:, symbols], 0, 1)

    def spread(self, shares: FloatArray) -> FloatArray:
        """Return entries on the support, shape (k, m), as posteriors, (k, n_x)."""
        shares = np.where(shares < CLOSE, 0.0, shares)
        points = np.zeros((len(shares), self.n_x))
        np.put_along_axis(points, self.symbols, shares, axis=1)
        result: FloatArray = points / points.sum(axis=1, keepdims=True)
        return result

    def step(
        self, points: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return points after one descent step, their reduced costs, and whether each moved."""
        shares = np.take_along_axis(points, self.symbols, axis=1)
        change = self._direction(shares)
        length = np.minimum(1.0, self._room(shares, change))
        moved = np.zeros(len(points), dtype=np.bool_)
        for _ in range(12):  # most times that a step is shortened until the reduced cost falls
            tried = self.spread(np.maximum(shares + length[:, None] * change, 0.0))
            ahead = self.prices.value(tried)
            # gain of a step, in nats, up to which it counts as rounding
            better = ~moved & (ahead < values - 1e-13)
            points = np.where(better[:, None], tried, points)
            values = np.where(better, ahead, values)
            moved |= better
            if moved.all():
                break
            length = np.where(moved, length, 0.4 * length)  # factor by which a step is shortened
        return points, values, moved

    def _direction(self, shares: FloatArray) -> FloatArray:
        """Return Newton's steps, shape (k, m), within the supports and the tight rows."""
        on = shares > 0
        root = np.sqrt(shares)
        gradient = np.where(on, -np.log(np.where(on, shares, 1.0)), 0.0) - self._pi
        hessian = -np.eye(shares.shape[1]) * on[:, None, :]
        for mu, budget, excess in zip(
            self.prices.of_budgets, self.prices.budgets, self._excess, strict=True
        ):
            lifts = np.einsum("ksm,km->ks", excess, shares)
            slope = budget.cost.slope(lifts)
            gradient = gradient + mu * np.einsum("ksm,ks->km", excess, slope)
            if isinstance(budget.cost, SmoothCost):
                scaled = excess * root[:, None, :]
                curvature = budget.cost.curvature(lifts)
                hessian = hessian + mu * np.swapaxes(scaled, 1, 2) @ curvature @ scaled
        gradient = np.where(on, gradient, 0.0) * root
        project = self._projector(shares, root)
        hessian = project @ hessian @ project
        values, vectors = np.linalg.eigh(hessian)
        along = np.einsum("kij,ki->kj", vectors, np.einsum("kij,kj->ki", project, gradient))
        # least curvature, in nats, that is assumed in any direction, so that steps stay bounded
        along /= -np.maximum(np.abs(values), 0.05)
        inner = np.einsum("kij,kj->ki", project, np.einsum("kij,kj->ki", vectors, along))
        change = root * inner
        result: FloatArray = change - shares * change.sum(axis=1, keepdims=True)
        return result

    def _projector(self, shares: FloatArray, root: FloatArray) -> FloatArray:
        """Return projections, shape (k, m, m), onto steps that keep Σr and the tight rows."""
        held = np.abs(np.einsum("kcm,km->kc", self._rows, shares)) <= NOUGHT
        normals = np.concatenate(
            [root[:, None, :], self._rows * root[:, None, :] * held[:, :, None]], axis=1
        )
        identity = np.eye(shares.shape[1])
        if not held.any():
            result: FloatArray = identity - root[:, :, None] * root[:, None, :]
        else:
            result = identity - np.linalg.pinv(normals, rcond=1e-9) @ normals
        return result

    def _room(self, shares: FloatArray, change: FloatArray) -> FloatArray:
        """Return the largest multiple of a step at which entries and rows stay feasible, (k,)."""
        slack = -np.einsum("kcm,km->kc", self._rows, shares)
        growth = np.einsum("kcm,km->kc", self._rows, change)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            of_shares = np.where(change < 0, -shares / change, np.inf)
            of_rows = np.where(growth > NOUGHT, np.maximum(slack, 0.0) / growth, np.inf)
        room: FloatArray = np.minimum(of_shares.min(axis=1), of_rows.min(axis=1, initial=np.inf))
        return room


class BudgetSearch:
    """The search for the best mixture under smooth budgets; `upper`: least proven bound so far."""

    def __init__(self, lifting: Lifting, *, seed: int, deadline: Deadline) -> None:
        self.lifting, self.deadline = lifting, deadline
        self.n_x, self.p_x = lifting.n_x, lifting.p_x
        self.goal = lifting.utility
        self.upper = self.goal.inner.of_x(self.p_x)
        self._whole = self.upper
        self._rng = np.random.default_rng(seed)
        self._rows: FloatArray = lifting.inside().rows.toarray()
        self._silent = SilentSearch(lifting.budgets[0].excess, self._rows, seed=seed)
        self._known: set[bytes] = set()
        # most vertices below the duals that a proof keeps at first: far from the optimum there are
        # thousands
        self._most = 250
        self._tangents = np.zeros((0, len(lifting.p)))
        first = np.vstack([lifting.lifted(self.p_x[None]), lifting.slack()])
        self._master = Master(lifting.p, self.goal, first)
        self._mix()
        pure = np.eye(self.n_x)
        self.include(pure[(pure @ self._rows.T <= 0).all(axis=1)])

    def include(self, points: FloatArray) -> bool:
        """Add allowed posteriors, shape (k, n_x), to the mixture; return whether any was new."""
        # outputs that agree to this many decimals are one
        names = [np.round(point, 8).tobytes() for point in points]
        new = [i for i, name in enumerate(names) if name not in self._known]
        self._known.update(names)
        if new:
            self._master.add(self.lifting.lifted(points[new]))
            self._mix()
        return bool(new)

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture."""
        return self.lifting.lowered(self._master.kernel(self._mixture))

    def run(self, gap: float, *, prove: bool) -> None:
        """Improve the mixture and lower the upper bound until they meet or time is over."""
        # first slack of a proof, as a part of the utility of X itself: duals are not yet optimal
        slack = max(1.8e-3 * self._whole, gap / 2)
        self.warm_up(SHARES.before_proof)
        while not self.deadline.over:
            starts, complete = self._undercutting(slack)
            if len(starts):
                if not self._move(starts):  # they undercut the duals by rounding only
                    return
                continue
            if not complete:
                self._most *= SIZES.growth
                if self._most > SIZES.budget_vertices:
                    return
                continue
            if not prove or self.upper - self.value <= gap or slack <= gap / 2:
                return
            slack = max(slack / 8.0, gap / 2)  # factor by which the slack falls from proof to proof

    def warm_up(self, share: float) -> None:
        """Improve the mixture from starts at random and starts independent of S."""
        until = self.deadline.part(share)
        while not until.over:
            before = self.value
            silent = self._silent.outputs(self._prices().of_symbols, until)
            self._move(self.pulled(silent))
            self._move(self._scattered())
            # random starts gained less than this part of X's own utility: a proof is tried
            if self.value - before < 5e-4 * self._whole:
                return

    def _mix(self) -> None:
        """Compute the best mixture without a shortfall."""
        self._mixture = self._master.solve()
        while self._mixture.shortfall > ROUNDING:
            self._master.raise_penalty()
            self._mixture = self._master.solve()
        self.value = self.goal.offset(self.lifting.p) - self._mixture.cost

    def _prices(self) -> Prices:
        """Return the duals of the mixture, in nats and in nats per unit of each budget's cost."""
        duals = self._mixture.duals / (1 + len(self.lifting.budgets))
        limits = np.array([budget.limit for budget in self.lifting.budgets])
        of_budgets = np.maximum(-duals[self.n_x :], 0.0) / limits
        return Prices(duals[: self.n_x], of_budgets, self.lifting.budgets, self.goal.inner)

    def _in_use(self) -> FloatArray:
        """Return the outputs of the mixture as posteriors, shape (k, n_x)."""
        used = self._master.points[self._mixture.used, : self.n_x]
        used = used[used.sum(axis=1) > 0]
        result: FloatArray = used / used.sum(axis=1, keepdims=True)
        return result

    def _scattered(self) -> FloatArray:
        """Return random outputs of few symbols that meet the rows, shape (SIZES.scattered, n_x)."""
        most = min(self.n_x, len(self.lifting.budgets[0].excess) + 1, KEPT)
        weights = self._rng.exponential(size=(SIZES.scattered, self.n_x)) * self.p_x
        counts = self._rng.integers(min(2, most), most, size=(SIZES.scattered, 1), endpoint=True)
        least = np.take_along_axis(-np.sort(-weights, axis=1), counts - 1, axis=1)
        points = np.where(weights >= least, weights, 0.0)
        points /= points.sum(axis=1, keepdims=True)
        return self.pulled(points)

    def pulled(self, points: FloatArray) -> FloatArray:
        """Return posteriors, shape (k, n_x), moved towards P_X until they meet the rows."""
        here, there = points @ self._rows.T, self._rows @ self.p_x
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
        share = needed.max(axis=1, initial=0.0)[:, None]
        result: FloatArray = points * (1 - share) + share * self.p_x
        return result

    def _move(self, starts: FloatArray) -> bool:
        """Move outputs to least reduced cost and mix them, until that improves no more."""
        if not isinstance(self.goal.inner, MutualInformation):
            return self.include(starts)
        better = False
        for _ in range(10):  # most rounds of moving outputs in use before the next proof
            if self.deadline.over:
                break
            before, prices = self.value, self._prices()
            starts = np.vstack([starts, self._in_use()])
            points, values = improved(starts, prices, self._rows, deadline=self.deadline)
            included = self.include(points[values < -PRICE])
            better |= included
            # improvement of the mixture, in nats, below which outputs are not moved again
            if not included or self.value - before < 1e-9:
                break
            starts = np.zeros((0, self.n_x))
        return better

    def _undercutting(self, slack: float) -> tuple[FloatArray, bool]:
        """Lower the bound; return outputs below the duals, and if half of `slack` sufficed."""
        lifting, duals, prices = self.lifting, self._mixture.duals, self._prices()
        self._add_tangents(self._in_use())
        rows = sparse.vstack([lifting.rows, sparse.csr_array(self._tangents)])
        outer = facets_of(AllowedSet(sparse.csr_array(rows), len(lifting.p)), lifting.p)
        outputs: list[FloatArray] = []

        def oracle(points: FloatArray) -> FloatArray | None:
            own = points[:, : self.n_x]
            own = own / own.sum(axis=1, keepdims=True)
            # part of the slack by which an output must undercut the duals to count among them
            low = own[prices.value(own) < -0.25 * slack]
            outputs.append(low)
            # outputs that undercut the duals after which a proof stops, to improve the duals first
            if sum(map(len, outputs)) >= 50:
                return None
            cuts = lifting.cuts(points)
            self._tangents = np.vstack([self._tangents, cuts])
            return cuts

        met = undercutting(
            outer,
            lifting.p,
            self.goal,
            duals,
            slack=slack / 2,
            most=self._most,
            oracle=oracle,
            deadline=self.deadline,
        )
        if met.sure:
            self.upper = min(self.upper, met.bound)
        return np.vstack([np.zeros((0, self.n_x)), *outputs]), met.slack <= slack / 2

    def _add_tangents(self, points: FloatArray) -> None:
        """Add the tangents of every smooth budget at posteriors (k, n_x); drop the oldest."""
        # most tangents; the oldest are dropped
        self._tangents = np.vstack([self._tangents, self.lifting.tangents(points)])[-500:]
