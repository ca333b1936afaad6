"""The last step of every mechanism that a search finds: moved slightly until its notion holds."""

from __future__ import annotations

import numpy as np

from core.joint import Joint
from core.notions.base import Notion
from core.optimal.polish import least_share, mixed
from core.validation import FloatArray

DUST = 1e-13
"""Probabilities below this are rounding: a move by the least share of P_X makes them of zeros, and
a level that they alone decide would be that of the rounding."""

SHARES = tuple(1e-15 * 10.0**power for power in range(6))
"""Shares of outputs that are sent on where a kernel without rounding breaks its notion by that."""


def cleared(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray:
    """Return a kernel with 0 in place of entries that are rounding, where the notion can hold then.

    Where it holds no more by rounding, outputs are sent on to others that all their inputs lead to,
    with a share of up to 1e-10, which keeps zeros.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The notion.

    Examples
    --------
    >>> import numpy as np
    >>> from core.notions import LIP, PointwiseMaximalLeakage
    >>> joint, kernel = Joint.from_counts([[1, 0], [0, 1]]), np.array([[1 - 1e-16, 1e-16], [0, 1]])
    >>> cleared(joint, kernel, PointwiseMaximalLeakage(0.7)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    prior = joint.p_x if len(kernel) == joint.n_x else joint.p.ravel()
    weights = prior[:, None] * kernel
    dust = (kernel > 0) & (kernel <= DUST) & (weights <= DUST * weights.sum(axis=0))
    if not dust.any() or any(part.of_estimate for part in notion.parts):  # slow to check
        return kernel
    exact = np.where(dust, 0.0, kernel)
    exact /= exact.sum(axis=1, keepdims=True)
    wider = _wider(exact)
    for share in (0.0, *SHARES):
        moved = exact + share * (exact @ wider - exact)
        if notion.holds(joint, moved):
            return moved
    return kernel


def _wider(kernel: FloatArray) -> FloatArray:
    """Return a way to send outputs on to the others that all their inputs lead to, in equal parts.

    An output without such others stays. The result has shape (n_y, n_y), a row for each output. No
    input leads to an output that it did not lead to, and a function of the output tells no more.
    """
    leads = (kernel > 0).astype(np.float64)
    nested = (leads.T @ (1 - leads)) == 0
    np.fill_diagonal(nested, val=False)
    nested[~nested.any(axis=1)] = np.eye(len(nested), dtype=np.bool_)[~nested.any(axis=1)]
    result: FloatArray = nested / nested.sum(axis=1, keepdims=True)
    return result


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
