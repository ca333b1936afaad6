"""The solve of a problem with budgets on averages: on the wider cone, or by tangents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.clock import Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.budgets.lifting import Lifting
from core.optimal.budgets.search import BudgetSearch
from core.optimal.budgets.silent import silent_outputs
from core.optimal.plan import SHARES, SIZES
from core.optimal.utility import Utility
from core.validation import FloatArray

NEGLIGIBLE = 1e-7
"""Budgets are raised to this part of the cost of X itself, as smaller ones are within HiGHS's
tolerance. An upper bound under a larger budget holds under a smaller one."""


class SolveState(Protocol):
    """The problem, and the best answer so far, as `core.optimal.solve` keeps them."""

    allowed: AllowedSet
    p_x: FloatArray
    goal: Utility
    finish: Callable[[FloatArray], FloatArray]
    gap: float
    seed: int
    deadline: Deadline
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
    first = task.first()
    task.offer(first)
    best = np.eye(len(task.p_x))
    if plain.rows.shape[0] or plain.oracle is not None:
        best = _aside(task, plain, solve, bounds=True)
    if task.upper - task.value <= task.gap:
        return
    silent = _silent(task, plain, solve)
    starts = [first, silent, _at_random(task, best, silent)]
    if task.upper - task.value <= task.gap:
        return
    wider = replace(
        task.allowed, budgets=tuple(_seen(budget, task.p_x) for budget in task.allowed.budgets)
    )
    lifting = Lifting(wider, task.p_x, task.goal)
    few = len(task.p_x) <= SIZES.budget_symbols
    simple = plain.oracle is None and not plain.n_auxiliary
    name = "columns"
    if lifting.smooth and simple:
        kernel = _by_tangents(task, lifting, starts, few=few, prove=prove)
    else:
        kernel, name = _on_cone(task, lifting, starts, solver, solve, prove=prove)
        value = task.goal.value((task.p_x[:, None] * kernel).T, task.p_x)
        if simple and few and prove and task.upper - value > task.gap and not task.deadline.over:
            # over a thin cone, as of a small budget, the solver's proof may fail
            kernel = _by_tangents(task, lifting, [*starts, kernel], few=few, prove=prove)
    share = min(
        1.0, *(a.limit / b.limit for a, b in zip(task.allowed.budgets, wider.budgets, strict=True))
    )
    task.offer(kernel if share == 1.0 else np.hstack([share * kernel, (1 - share) * silent]), name)


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


def _on_cone(
    task: SolveState,
    lifting: Lifting,
    starts: list[FloatArray],
    solver: str,
    solve: Callable[..., Any],
    *,
    prove: bool,
) -> tuple[FloatArray, str]:
    """Return a kernel found on the wider cone and its solver, and lower the upper bound."""
    together = np.hstack([kernel / len(starts) for kernel in starts])
    outcome = solve(
        lifting.cone(),
        lifting.p,
        utility=lifting.utility,
        solver=solver,
        time_limit=(1 - SHARES.budget_mixture) * task.deadline.left,
        gap=task.gap,
        seed=task.seed,
        start=lambda _deadline: lifting.raised(together),
        finish=lambda kernel: lifting.raised(task.finish(lifting.lowered(kernel))),
        prove=prove,
    )
    task.upper = min(task.upper, outcome.upper_bound)
    task.notes = (*task.notes, *outcome.notes)
    return lifting.lowered(outcome.kernel), outcome.solver


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
        return _aside(task, replace(plain, rows=rows, blocks=()), solve, bounds=False)
    until = task.deadline.part(SHARES.without_budgets)
    kernel = silent_outputs(excess, task.p_x, seed=task.seed, deadline=until)
    task.offer(kernel)
    return kernel


def _at_random(task: SolveState, best: FloatArray, silent: FloatArray) -> FloatArray:
    """Offer and return the optimum without budgets, mixed with `silent` as far as they allow."""
    spent = [budget.spent(best, task.p_x) for budget in task.allowed.budgets]
    shares = [b.limit / s for b, s in zip(task.allowed.budgets, spent, strict=True) if s > 0]
    share = min([1.0, *shares])
    kernel: FloatArray = np.hstack([share * best, (1 - share) * silent])
    kernel = kernel[:, kernel.sum(axis=0) > 0]
    task.offer(kernel)
    return kernel


def _seen(budget: AverageBudget, p_x: FloatArray) -> AverageBudget:
    """Return the budget, raised to `NEGLIGIBLE` of the cost of X itself."""
    most = budget.spent(np.eye(len(p_x)), p_x)
    return replace(budget, limit=max(budget.limit, NEGLIGIBLE * most))
