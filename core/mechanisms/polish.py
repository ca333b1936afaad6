"""The last step of every mechanism that a search finds: moved slightly until its notion holds."""

from __future__ import annotations

from core.joint import Joint
from core.notions.base import Notion
from core.optimal.polish import least_share, mixed
from core.validation import FloatArray


def polished(
    joint: Joint, kernel: FloatArray, notion: Notion, *, quick: bool = False
) -> FloatArray:
    """Move every posterior towards P_X by the least share at which the notion holds.

    r ← (1−δ) r + δ P_X leaves P(y) and Σ_y P(y) r_y = P_X as they are; where the kernel reads S,
    r and P_X are of the pairs (s, x). At δ = 1, which is assumed to keep the notion, the result is
    one output independent of X.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The notion.
    quick : bool
        As in `least_share`, for a notion that is slow to check.

    Examples
    --------
    >>> import numpy as np
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> kernel = polished(joint, np.eye(2), LIP(0.5))
    >>> LIP(0.5).holds(joint, kernel), bool(0 < kernel[1, 0] < 0.5)
    (True, True)
    """
    prior = joint.p_x if len(kernel) == joint.n_x else joint.p.ravel()
    share = least_share(lambda tried: notion.holds(joint, mixed(kernel, prior, tried)), quick=quick)
    return mixed(kernel, prior, share)
