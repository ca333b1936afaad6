"""The last step of every solver: a hair more privacy, until the audit holds exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AverageBudget, SeparationOracle
from core.joint import Joint
from core.notions.base import Notion
from core.validation import FloatArray

FIRST_SHARE = 1e-15
"""First share of P_X that is mixed in: below it doubles do not change."""

GROWTH = 4.0
"""Factor between the shares that are tried first."""

HALVINGS = 10
"""Steps between the last share that failed and the first that passed."""


QUICK_SHARE = 1e-12
"""First share where each try is dear: what it costs more than need be is as little."""


def least_share(passes: Callable[[float], bool], *, quick: bool = False) -> float:
    """Return a share in [0, 1] that passes, close to the least; 1 is taken to pass.

    Parameters
    ----------
    passes : callable
        Says whether a share passes; one above a share that does passes too.
    quick : bool
        Take the first that passes, which is at most GROWTH times too large.
    """
    if passes(0.0):
        return 0.0
    low, high = 0.0, QUICK_SHARE if quick else FIRST_SHARE
    while high < 1.0 and not passes(high):
        low, high = high, min(GROWTH * high, 1.0)
    for _ in range(0 if quick else HALVINGS):
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
    moved = (1 - share) * kernel + share * (p_x @ kernel)
    result: FloatArray = moved / moved.sum(axis=1, keepdims=True)
    return result


def polished(
    joint: Joint, kernel: FloatArray, notion: Notion, *, quick: bool = False
) -> FloatArray:
    """Move every posterior towards P_X by the least share at which the notion holds.

    r ← (1−δ) r + δ P_X keeps P(y) and Σ_y P(y) r_y = P_X; where S is read r and P_X are of the
    pairs (s, x). At δ = 1 the output says nothing about X, which every notion allows; such outputs
    are returned as one.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The promise.
    quick : bool
        As in `least_share`: for a notion that is slow to check.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> kernel = polished(joint, np.eye(2), LIP(0.5))
    >>> LIP(0.5).holds(joint, kernel), bool(0 < kernel[1, 0] < 0.5)
    (True, True)
    """
    prior = joint.p_x if len(kernel) == joint.n_x else joint.p.ravel()
    share = least_share(lambda tried: notion.holds(joint, mixed(kernel, prior, tried)), quick=quick)
    return mixed(kernel, prior, share)


@dataclass(frozen=True, eq=False)
class Inside:
    """Moves all outputs towards P_X until an oracle allows each and all keep the budgets.

    A kernel that rows alone are asked of stays.

    Attributes
    ----------
    oracle : callable or None
        As in `AllowedSet`.
    p_x : ndarray
        P(x), shape (n_x,).
    budgets : tuple of AverageBudget
        As in `AllowedSet`.
    """

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
            if any(one.spent(moved, self.p_x) > one.limit for one in self.budgets):
                return False
            if oracle is None:
                return True
            weights = (self.p_x[:, None] * moved).T
            return not any(len(oracle(r)) for r in weights / weights.sum(axis=1, keepdims=True))

        return mixed(kernel, self.p_x, least_share(passes))
