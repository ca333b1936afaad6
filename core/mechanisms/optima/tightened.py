"""Starts of a robust optimum: mechanisms that keep LDP at the estimate with a smaller budget."""

from __future__ import annotations

from itertools import islice

import numpy as np

from core.joint import Joint
from core.mechanisms.merging.subset_merging import subset_merging
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import LDP
from core.notions.base import LevelNotion, Notion
from core.optimal.polish import mixed
from core.validation import FloatArray

PARTS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Parts of the budget that are tried under LDP at the estimate."""

SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""Shares of P_X that are tried where no merging keeps the robust notion by itself."""

MOST_CELLS = 200
"""Most cells (s, x) for which all of these are tried: a check of the notion takes 2 ms up to there,
and as many as `PARTS` times `SHARES` are needed."""

FEW_PARTS = (0.05, 0.02)
"""Parts that are tried for more cells: there the records leave more open, and larger ones fail."""

LARGEST = 500
"""Most cells for which those are tried: eight checks of 20 to 60 ms at most."""


def tightened(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return subset mergings under LDP at the estimate that keep a robust notion, and are quick.

    Under robust LDP hardly any mechanism has a closed form, and a search needs a second to find
    better than an output that says nothing. These take a tenth of that and often keep most of
    what the optimum does.

    Parameters
    ----------
    joint : Joint
        P̂(s, x).
    notion : Notion
        A robust notion; under any other, or with more than `LARGEST` cells, the list is empty.

    Returns
    -------
    mechanisms : list of Mechanism
        Those that keep the notion by themselves; where none does, the same moved towards P_X.

    Examples
    --------
    >>> from core.notions.robust_markov import RobustLDP, ball_around
    >>> joint = Joint.from_counts([[900, 120, 500, 480], [300, 100, 590, 510]])
    >>> notion = RobustLDP(1.0, ball_around(joint))
    >>> found = tightened(joint, notion)
    >>> notion.holds(joint, found[0].kernel), round(max(made.nmi for made in found), 2)
    (True, 0.86)
    """
    if not isinstance(notion, LevelNotion) or not notion.of_estimate:
        return []
    if joint.p.size > LARGEST or not np.isfinite(notion.budget):
        return []
    few = joint.p.size > MOST_CELLS
    parts = FEW_PARTS if few else PARTS
    mergings = [subset_merging(joint, LDP(part * notion.budget)).kernel for part in parts]
    mergings = [kernel for kernel in mergings if kernel.shape[1] > 1]
    kernels = _holding(joint, mergings, notion, first=few)
    if not kernels:
        kernels = [
            moved for kernel in mergings if (moved := inside(joint, kernel, notion)) is not None
        ]
    return [
        make_mechanism(
            joint,
            kernel,
            name="Subset merging, tightened",
            solver="closed form",
            status="heuristic",
            notion=notion,
        )
        for kernel in kernels
    ]


def _holding(
    joint: Joint, kernels: list[FloatArray], notion: Notion, *, first: bool
) -> list[FloatArray]:
    """Return the kernels that keep a notion, or the first of them alone."""
    holding = (kernel for kernel in kernels if notion.holds(joint, kernel))
    return list(islice(holding, 1)) if first else list(holding)


def inside(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray | None:
    """Return a kernel with its outputs moved towards P_X by the least of `SHARES` that passes.

    The level falls as the share grows, so the shares are halved, not tried one by one.

    Parameters
    ----------
    joint : Joint
        P̂(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y).
    notion : Notion
        The notion.

    Returns
    -------
    kernel : ndarray or None
        Shape (n_x, n_y); None where no share passes.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> inside(joint, np.eye(2), LDP(1.0)).round(3).tolist()
    [[0.925, 0.075], [0.075, 0.925]]
    """
    low, high = 0, len(SHARES)
    while low < high:
        middle = (low + high) // 2
        if notion.holds(joint, mixed(kernel, joint.p_x, SHARES[middle])):
            high = middle
        else:
            low = middle + 1
    return mixed(kernel, joint.p_x, SHARES[low]) if low < len(SHARES) else None
