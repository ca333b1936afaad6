"""The watchdog: publish low-risk symbols as they are, and hide which high-risk symbol x is."""

from typing import Literal, get_args

import numpy as np

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.merging.partition import partition_mechanism
from core.mechanisms.merging.repair import attain
from core.mechanisms.merging.subset_levels import low_risk, pointwise_notion
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion

Merge = Literal["complete", "uniform"]
"""All of X_H becomes one output, or a uniformly drawn symbol of X_H."""


def watchdog(
    joint: Joint, notion: Notion, merge: Merge = "complete", *, repair: bool = True
) -> Mechanism:
    """Publish X_L as it is; on X_H the output does not depend on which of its symbols x is.

    I(X;Y) = H(X) − Σ_{x∈X_H} P(x) log(P(X_H)/P(x)), for either value of `merge`. Source: [Lift]
    §III-A, [ALIP] §III.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion
        LIP, ALIP, LDP, ℓ1, χ², α-lift or another `PointwiseNotion`: X_L are the symbols that it
        allows as outputs.
    merge : {"complete", "uniform"}
        One output for all of X_H, or a symbol of X_H drawn uniformly. Both have the same levels.
    repair : bool
        Where X_H as one output breaks the budget: move symbols from X_L to it, least
        utility lost first, until it holds; a note of the result then says so.

    Raises
    ------
    InvalidInputError
        If the notion is not a `PointwiseNotion`, or `merge` is unknown.
    InfeasibleError
        If X_H as one output breaks the budget and `repair` is off, or not even the constant
        mechanism keeps the notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> watchdog(joint, LIP(0.5)).y_labels
    ('x1 + x2', 'x3', 'x4')
    """
    pointwise = pointwise_notion(notion, "The watchdog")
    if merge not in get_args(Merge):
        raise InvalidInputError(f"merge must be complete or uniform, got {merge!r}.")
    low = low_risk(joint, pointwise)
    first_high = tuple(map(int, np.flatnonzero(~low)))
    high, notes = attain(joint, pointwise, first_high, repair=repair)
    single = [(x,) for x in range(joint.n_x) if x not in set(high)]
    sets = [*single, high] if high else single
    status = "repaired" if notes else "heuristic" if len(high) > 1 else "optimal"
    if merge == "complete":
        return partition_mechanism(
            joint,
            sets,
            name="Watchdog",
            solver="closed form",
            status=status,
            notion=pointwise,
            notes=notes,
        )
    kernel = np.eye(joint.n_x)
    if high:
        kernel[np.ix_(high, high)] = 1.0 / len(high)
    return make_mechanism(
        joint,
        kernel,
        name="Watchdog, uniform",
        solver="closed form",
        status=status,
        notion=pointwise,
        y_labels=joint.x_labels,
        notes=notes,
        partition=tuple(sorted(sets)),
    )
