"""A question with budgets on averages, answered: on the wider cone, or by tangents to it."""

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
from core.optimal.budgets.search import MOST_SYMBOLS, BudgetSearch
from core.optimal.budgets.silent import silent_outputs
from core.optimal.utility import Utility
from core.validation import FloatArray

SIDE_SHARE = 0.15
"""Part of the time for each problem without budgets whose answer is a start, or a bound."""

RESERVE = 0.03
"""Part of the time kept back for the last mixture and its audit."""

NEGLIGIBLE = 1e-7
"""Budgets are seen as at least this part of what publishing X takes: of less HiGHS sees nothing.
What is proven under a larger budget holds under a smaller one."""


class SolveState(Protocol):
    """What is asked, and the best answer so far, as `core.optimal.solve` keeps them."""

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
        """Take a kernel, moved to where it keeps everything, if it is the best so far."""
        ...

    def first(self) -> FloatArray:
        """Return a kernel to start from."""
        ...

    def posteriors(self, kernel: FloatArray) -> FloatArray:
        """Return the outputs of a kernel, shape (n_y, n_x)."""
        ...


def search_within(task: SolveState, solver: str, solve: Callable[..., Any], *, prove: bool) -> None:
    """Improve the answer to a question with budgets, and lower its bound.

    Parameters
    ----------
    task : SolveState
        The question; its `allowed` has budgets.
    solver : str
        As in `maximise`.
    solve : callable
        `maximise` itself, for the questions without budgets that this one leads to.
    prove : bool
        As in `maximise`.

    Raises
    ------
    InfeasibleError, SolverError
        If HiGHS fails: what was found before stands.
    """
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
    wider = replace(
        task.allowed, budgets=tuple(_seen(budget, task.p_x) for budget in task.allowed.budgets)
    )
    lifting = Lifting(wider, task.p_x, task.goal)
    few = len(task.p_x) <= MOST_SYMBOLS
    simple = plain.oracle is None and not plain.n_auxiliary
    name = "columns"
    if lifting.smooth and simple:
        kernel = _by_tangents(task, lifting, starts, few=few, prove=prove)
    else:
        kernel, name = _on_cone(task, lifting, starts, solver, solve, prove=prove)
        worth = task.goal.value((task.p_x[:, None] * kernel).T, task.p_x)
        if simple and few and prove and task.upper - worth > task.gap and not task.deadline.over:
            # a cone that is thin, as of a small budget, has vertices that are not proven
            kernel = _by_tangents(task, lifting, [*starts, kernel], few=few, prove=prove)
    share = min(
        1.0, *(a.limit / b.limit for a, b in zip(task.allowed.budgets, wider.budgets, strict=True))
    )
    task.offer(kernel if share == 1.0 else np.hstack([share * kernel, (1 - share) * silent]), name)


def _by_tangents(
    task: SolveState, lifting: Lifting, starts: list[FloatArray], *, few: bool, prove: bool
) -> FloatArray:
    """Answer by outputs that are moved, and lower the bound where there are few symbols."""
    until = task.deadline.part(1 - RESERVE)
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
    """Answer on the wider cone as if it were a pointwise notion, and lower the bound."""
    together = np.hstack([kernel / len(starts) for kernel in starts])
    outcome = solve(
        lifting.cone(),
        lifting.p,
        utility=lifting.utility,
        solver=solver,
        time_limit=(1 - RESERVE) * task.deadline.left,
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
    """Offer the optimum over a set without budgets and return it; it may bound the answer too."""
    try:
        outcome = solve(
            allowed,
            task.p_x,
            utility=task.goal,
            time_limit=SIDE_SHARE * task.deadline.left,
            gap=task.gap,
            seed=task.seed,
            prove=bounds,
        )
    except (InfeasibleError, SolverError):  # what tells nothing of X is always allowed
        return np.ones((len(task.p_x), 1))
    if bounds:
        task.upper = min(task.upper, outcome.upper_bound)
    task.offer(outcome.kernel)
    kernel: FloatArray = outcome.kernel
    return kernel


def _silent(task: SolveState, plain: AllowedSet, solve: Callable[..., Any]) -> FloatArray:
    """Offer and return a mechanism that leaves S as it was: it takes nothing of any budget."""
    excess = task.allowed.budgets[0].excess
    if len(task.p_x) <= MOST_SYMBOLS:
        lifts = excess[(excess != 0).any(axis=1)]
        lifts = lifts / np.abs(lifts).max(axis=1, keepdims=True)
        wide = np.zeros((2 * len(lifts), plain.rows.shape[1]))
        wide[:, : plain.n_x] = np.vstack([lifts, -lifts])
        rows = sparse.csr_array(sparse.vstack([plain.rows, sparse.csr_array(wide)]))
        return _aside(task, replace(plain, rows=rows, blocks=()), solve, bounds=False)
    until = task.deadline.part(SIDE_SHARE)
    kernel = silent_outputs(excess, task.p_x, seed=task.seed, deadline=until)
    task.offer(kernel)
    return kernel


def _at_random(task: SolveState, best: FloatArray, silent: FloatArray) -> FloatArray:
    """Offer and return the mechanism that answers by the best without budgets as often as it may.

    Else it answers by one that takes nothing of any budget.
    """
    spent = [budget.spent(best, task.p_x) for budget in task.allowed.budgets]
    shares = [b.limit / s for b, s in zip(task.allowed.budgets, spent, strict=True) if s > 0]
    share = min([1.0, *shares])
    kernel: FloatArray = np.hstack([share * best, (1 - share) * silent])
    kernel = kernel[:, kernel.sum(axis=0) > 0]
    task.offer(kernel)
    return kernel


def _seen(budget: AverageBudget, p_x: FloatArray) -> AverageBudget:
    """Return the budget, or a larger one if it is too small to be seen beside its costs."""
    most = budget.spent(np.eye(len(p_x)), p_x)
    return replace(budget, limit=max(budget.limit, NEGLIGIBLE * most))
