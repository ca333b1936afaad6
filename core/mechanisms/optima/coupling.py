"""A start of the robust optimum on pairs (S, U): outputs that every secret gives equally often."""

from __future__ import annotations

import numpy as np

from core.joint import Joint
from core.mechanisms.optima.tightened import inside
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import LevelNotion, Notion
from core.validation import FloatArray

COUNTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
"""Numbers of outputs that are tried: by halving, so that four checks of the notion suffice.

More outputs would make these checks, and the audit of what they find, take seconds."""

MOST_SYMBOLS = 128
"""Most values of U: with more a check of the notion takes too long for a start."""


def quantiles(p_su: FloatArray, count: int) -> FloatArray:
    """Return the kernel that tells the quantile of U among the records of its secret.

    The values of U stand in a row, for each secret with their P(u | s) as lengths; the row is cut
    into parts of equal length, and the output is the part. So P(y | s) is the same for every
    secret, and an output tells nothing of S where P̂ is the truth, though it tells much of U.

    Parameters
    ----------
    p_su : ndarray
        P̂(s, u), shape (n_s, n_u); every secret has records.
    count : int
        Number of outputs.

    Returns
    -------
    kernel : ndarray
        P(y | s, u), shape (n_s·n_u, count), rows s·n_u + u.

    Examples
    --------
    >>> quantiles(np.array([[0.25, 0.25], [0.375, 0.125]]), 2).round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.667, 0.333], [0.0, 1.0]]
    """
    upto = np.cumsum(p_su, axis=1) / p_su.sum(axis=1, keepdims=True)
    below = np.hstack([np.zeros((len(p_su), 1)), upto[:, :-1]])
    ends = np.arange(count + 1) / count
    ends[-1] = upto[:, -1].max()  # rounding may leave a rest above 1
    shared = np.minimum(upto[..., None], ends[1:]) - np.maximum(below[..., None], ends[:-1])
    shared = np.maximum(shared, 0.0)
    total = shared.sum(axis=2, keepdims=True)
    never = np.eye(count)[np.minimum((below * count).astype(int), count - 1)]
    kernel = np.where(total > 0, shared / np.where(total > 0, total, 1.0), never)
    result: FloatArray = kernel.reshape(-1, count)
    return result


def coupled(p_su: FloatArray, joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return `quantiles` with the most outputs that keep a robust notion; at most one mechanism.

    Where two outputs are too many already, they are moved towards P_X.

    Parameters
    ----------
    p_su : ndarray
        P̂(s, u), shape (n_s, n_u).
    joint : Joint
        `Joint.with_secret_released(p_su)`.
    notion : Notion
        A robust notion about pairs; under any other, or with more than `MOST_SYMBOLS` values of U,
        the list is empty.

    Examples
    --------
    >>> from core.notions.rldp import RLDP
    >>> from core.uncertainty import RenyiBall
    >>> p_su = np.array([[5.0, 3, 2, 4, 6], [2, 6, 5, 4, 3]]) / 40
    >>> joint = Joint.with_secret_released(p_su)
    >>> notion = RLDP(1.0, RenyiBall.confidence(p_su, n=1000), exact=True)
    >>> (found,) = coupled(p_su, joint, notion)
    >>> notion.holds(joint, found.kernel), found.n_y, round(found.nmi, 2)
    (True, 8, 0.6)
    """
    n_u = p_su.shape[1]
    if not isinstance(notion, LevelNotion) or not notion.of_estimate or n_u > MOST_SYMBOLS:
        return []
    tried = [count for count in COUNTS if count <= 2 * n_u]
    kernels: dict[int, FloatArray] = {}
    low, high = 0, len(tried)
    while low < high:
        middle = (low + high) // 2
        kernel = quantiles(p_su, tried[middle])[joint.kept_x]
        if notion.holds(joint, kernel):
            kernels[middle], low = kernel, middle + 1
        else:
            high = middle
    best = kernels.get(low - 1)
    if best is None:
        best = inside(joint, quantiles(p_su, tried[0])[joint.kept_x], notion)
    if best is None:
        return []
    return [
        make_mechanism(
            joint,
            best,
            name="Quantiles of U",
            solver="closed form",
            status="heuristic",
            notion=notion,
        )
    ]
