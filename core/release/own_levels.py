"""The levels of one release, and of several draws of it for the same record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core.joint import Joint
from core.limits import ROUNDING
from core.measures.leakage import leakage
from core.notions import LDP, LIP
from core.notions.base import Notion
from core.release.repeats import RepeatedLevel, draws

DRAWS = (1, 2, 3)
"""The numbers of draws that are measured."""


@dataclass(frozen=True)
class Redrawn:
    """The levels of k independent draws of one mechanism.

    Attributes
    ----------
    k : int
        Number of draws.
    lip, ldp : RepeatedLevel
        The levels of LIP and of LDP, in nats.
    asked : RepeatedLevel
        The level of the notion that was promised, in its own unit.
    kept : bool
        Whether that notion holds for the draws together.
    """

    k: int
    lip: RepeatedLevel
    ldp: RepeatedLevel
    asked: RepeatedLevel
    kept: bool


def own_levels(joint: Joint, kernel: ArrayLike) -> dict[str, float]:
    """Return a mechanism's levels under the keys of `core.release.implications.implied`.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).

    Returns
    -------
    levels : dict
        In the units of `implied`.

    Examples
    --------
    >>> own_levels(Joint.from_counts([[3, 1], [1, 3]]), np.eye(2))["guess"]
    0.75
    """
    joint_sy = joint.release(joint.checked_kernel(kernel))
    labels = tuple(str(y) for y in range(joint_sy.shape[1]))
    told = leakage(joint_sy, labels)
    p, p_s = told.joint_sy, joint.p_s[:, None]
    posterior = p / p.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(posterior > 0, posterior * np.log(posterior / p_s), 0.0)
    return {
        "lip": told.achieved["lip"],
        "ldp": told.achieved["ldp"],
        "pml": told.achieved["pml"],
        "min_lift": float(max(0.0, -told.log_min_lift.min())),
        "l1_upper": float(np.log1p(measures.l1_lift(p).max())),
        "chi2_upper": float(np.log1p(np.sqrt(measures.chi2_lift(p).max()))),
        "kl": float(max(0.0, terms.sum(axis=0).max())),
        "guess": float(posterior.max()),
        **{key: float(value) for key, value in told.averages.items()},
        "guessing": float(p.max(axis=0).sum()),
    }


def redrawn(joint: Joint, kernel: ArrayLike, notion: Notion) -> tuple[Redrawn, ...]:
    """Return the levels of one, two and three independent draws for the same record.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The notion that one draw promises.

    Returns
    -------
    found : tuple of Redrawn
        One for each number in `DRAWS`. Where not all products of outputs were computed, `kept`
        is whether the proven bound is within the budget.

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 0], [0, 1]])
    >>> twice = redrawn(joint, [[0.75, 0.25], [0.25, 0.75]], LDP(1.1))[1]
    >>> round(twice.ldp.level, 4), twice.kept
    (2.1972, False)
    """
    array = joint.checked_kernel(kernel)
    found = []
    for k in DRAWS:
        asked = draws(joint, array, notion, k)
        found.append(
            Redrawn(
                k,
                draws(joint, array, LIP(1), k),
                draws(joint, array, LDP(1), k),
                asked,
                kept=notion.holds(joint, array)
                if k == 1
                else notion.over_budget(asked.at_most) <= 1 + ROUNDING,
            )
        )
    return tuple(found)
