"""The last step of every solver: a hair more privacy, until the audit holds exactly."""

from __future__ import annotations

import numpy as np

from core.joint import Joint
from core.notions.base import Notion
from core.validation import FloatArray

FIRST_SHARE = 1e-15
"""First share of P_X that is mixed in: below it doubles do not change."""

GROWTH = 2.0
"""Factor between shares: the one that passes is less than this from the least that does."""


def polished(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray:
    """Move every posterior towards P_X by the least share at which the notion holds.

    r ← (1−δ) r + δ P_X keeps P(y) and Σ_y P(y) r_y = P_X. At δ = 1 the output says nothing about
    X, which every notion allows; such outputs are returned as one.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y).
    notion : Notion
        The promise.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> kernel = polished(joint, np.eye(2), LIP(0.5))
    >>> LIP(0.5).holds(joint, kernel), bool(0 < kernel[1, 0] < 0.5)
    (True, True)
    """
    outputs = joint.p_x @ kernel
    share = 0.0
    while share < 1.0:
        moved = (1 - share) * kernel + share * outputs
        moved /= moved.sum(axis=1, keepdims=True)
        if notion.holds(joint, moved):
            return moved
        share = max(FIRST_SHARE, GROWTH * share)
    return np.ones((joint.n_x, 1))
