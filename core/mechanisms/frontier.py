"""The optimum along a budget: what each nat of privacy that is given up is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core import clock, validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optimal import optimal
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.search import optimal_from
from core.notions.base import Notion
from core.notions.rldp import RLDP

LEAST_SECONDS = 0.05
"""What each budget gets when time is over: enough for a mechanism, if not for a proof."""


def frontier(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> tuple[Mechanism, ...]:
    """Return the optimal mechanism at each budget, solved upwards.

    What a smaller budget allows, a larger one does too: each solve starts from the outputs that
    were of use before, a mechanism that is no better than the last is replaced by it, and a
    bound holds for all smaller budgets. So utility and bound never fall as the budget grows.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion_family : callable
        Takes a budget and returns the notion, which is weaker for a larger budget.
    budgets : sequence of float
        In any order; the answers come in the same order.
    time_limit : float, optional
        Seconds for all budgets together; 5 for each where not given.
    gap, seed
        As in `optimal`, for each budget.

    Raises
    ------
    InvalidInputError
        If there is no budget.
    NotConvexError, InfeasibleError, SolverError
        As `optimal`.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> [round(mechanism.nmi, 4) for mechanism in frontier(joint, LIP, [0.0, 0.5, 1.0])]
    [0.7629, 0.8088, 0.8937]
    """
    values = [validation.budget(budget, "budgets") for budget in budgets]
    if not values:
        raise InvalidInputError("budgets must name at least one budget, got none.")
    deadline = None if time_limit is None else clock.now() + time_limit
    order = sorted(range(len(values)), key=values.__getitem__)
    found: dict[int, Mechanism] = {}
    last: Mechanism | None = None
    for done, i in enumerate(order):
        left = None
        if deadline is not None:
            left = max((deadline - clock.now()) / (len(order) - done), LEAST_SECONDS)
        notion = notion_family(values[i])
        start = None if last is None else last.kernel
        if isinstance(notion, RLDP):  # its search has better starts than the last outputs
            mechanism = optimal(joint, notion, time_limit=left, gap=gap, seed=seed)
        else:
            mechanism = optimal_from(joint, notion, start, time_limit=left, gap=gap, seed=seed)
        if last is not None and mechanism.utility < last.utility:
            mechanism = _as_before(joint, last, mechanism)
        found[i] = last = mechanism
    bound = np.inf
    for i in reversed(order):
        bound = min(bound, found[i].upper_bound)
        upper = max(bound, found[i].utility)
        found[i] = replace(found[i], upper_bound=upper, gap=upper - found[i].utility)
    return tuple(found[i] for i in range(len(values)))


def _as_before(joint: Joint, last: Mechanism, mechanism: Mechanism) -> Mechanism:
    """Return the last mechanism as one under the present notion."""
    return make_mechanism(
        joint,
        last.kernel,
        name=mechanism.name,
        solver=mechanism.solver,
        status=mechanism.status,
        notion=mechanism.notion,
        upper_bound=mechanism.upper_bound,
        notes=mechanism.notes,
    )
