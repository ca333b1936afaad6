"""The last step of the solver: outputs are moved slightly towards P_X until all are allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet, AverageBudget, SeparationOracle
from core.clock import NEVER, Deadline
from core.limits import CLOSE
from core.validation import FloatArray


def least_share(
    passes: Callable[[float], bool],
    *,
    quick: bool = False,
    slow: bool = False,
    deadline: Deadline = NEVER,
) -> float:
    """Return a share in [0, 1] that passes, close to the least; 1 is assumed to pass.

    Where checks are `slow`, shares are told apart by CLOSE: all that it costs is as small. They
    end by a deadline, with 1 where none has passed.
    """
    if passes(0.0):
        return 0.0
    # first share of P_X that is tried: a smaller one than 1e-15 would not change doubles; where
    # checking is slow, the utility lost to 1e-12 is as small
    low, high = 0.0, 1e-12 if quick or slow else 1e-15
    while high < 1.0 and not passes(high):
        if slow and deadline.over:
            return 1.0
        # factor between the shares that are tried until one passes
        low, high = high, min(4.0 * high, 1.0)
    # bisections between the last share that failed and the first that passed
    for _ in range(0 if quick else 10):
        if slow and (high - low <= CLOSE or deadline.over):
            break
        middle = (low + high) / 2
        if passes(middle):
            high = middle
        else:
            low = middle
    return high


def mixed(kernel: FloatArray, p_x: FloatArray, share: float) -> FloatArray:
    """Return the kernel with every posterior moved a share of the way to P_X."""
    if share == 0.0:
        return kernel
    if share == 1.0:
        return np.ones((len(p_x), 1))
    moved = (1 - share) * kernel
    moved += share * (p_x @ kernel)
    moved /= moved.sum(axis=1, keepdims=True)
    return moved


def share_to_rows(
    allowed: AllowedSet, p_x: FloatArray, kernel: FloatArray, slack: float = 0.0
) -> float:
    """Return a share of the way to P_X at which outputs meet all rows.

    It is the least unless rows have auxiliary variables that do not change linearly on the way.
    """
    weights = (p_x[:, None] * kernel).T
    outputs = weights[weights.sum(axis=1) > 0]
    outputs = outputs / outputs.sum(axis=1, keepdims=True)
    return float(shares_to_rows(allowed, p_x, outputs, slack).max(initial=0.0))


def shares_to_rows(
    allowed: AllowedSet, p_x: FloatArray, points: FloatArray, slack: float = 0.0
) -> FloatArray:
    """Return the `share_to_rows` of each of many outputs, posteriors (k, n_x): shape (k,)."""
    here, there = _excess(allowed, points), _excess(allowed, p_x[None])
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(here > slack, here / (here - np.minimum(there, 0.0)), 0.0)
    result: FloatArray = needed.max(axis=1, initial=0.0)
    return result


def _excess(allowed: AllowedSet, outputs: FloatArray) -> FloatArray:
    """Return rows @ [r, h] of outputs, (k, n_x), with the least h that those rows allow.

    They are the rows without a negative coefficient in h, shape (k, m). Each of the others bounds
    one h from below, by r and by other h, of which none depends on itself.
    """
    of_r, of_h = outputs @ allowed.rows[:, : allowed.n_x].T, allowed.rows[:, allowed.n_x :]
    adds, bounds = of_h.maximum(0), (-of_h).maximum(0).tocoo()
    least = np.zeros((len(outputs), allowed.n_auxiliary))
    for _ in range(allowed.n_auxiliary):
        request = (of_r + least @ adds.T)[:, bounds.row] / bounds.data
        before = least.copy()
        np.maximum.at(least.T, bounds.col, request.T)
        if (least == before).all():
            break
    result: FloatArray = np.delete(of_r + least @ adds.T, bounds.row, axis=1)
    return result


@dataclass(frozen=True, eq=False)
class Inside:
    """Moves outputs towards P_X until an oracle, if any, allows each and budgets, if any, hold."""

    oracle: SeparationOracle | None
    p_x: FloatArray
    budgets: tuple[AverageBudget, ...] = ()

    def __call__(self, kernel: FloatArray) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), with allowed outputs."""
        oracle = self.oracle
        if oracle is None and not self.budgets:
            return kernel

        def passes(share: float) -> bool:
            moved = mixed(kernel, self.p_x, share)
            if any(budget.spent(moved, self.p_x) > budget.limit for budget in self.budgets):
                return False
            if oracle is None:
                return True
            weights = (self.p_x[:, None] * moved).T
            return not any(len(oracle(r)) for r in weights / weights.sum(axis=1, keepdims=True))

        return mixed(kernel, self.p_x, least_share(passes))
