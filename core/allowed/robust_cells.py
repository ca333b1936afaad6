"""How symbols of a joint of S and X = (S, U) map to the cells (s, u) of an uncertainty set.

An unseen cell is no symbol of the joint, yet members of the set may give it mass, so a kernel needs
a row P(y | s, u) there. It is the mixture, with weights P̂(u | s), of the rows of its secret's seen
cells. That raises no level: moving a member's mass from the unseen cell to those it mixes leaves
P(y | s) as it is and brings P nearer to P̂.
"""

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import conditionals
from core.validation import FloatArray


def pair_cells(joint: Joint) -> FloatArray:
    """Return P(s, u) of a joint of S and X = (S, U), shape (n_s, n_u), with 0 for unseen cells.

    Parameters
    ----------
    joint : Joint
        P(s, x) of `Joint.with_secret_released`.

    Raises
    ------
    InvalidInputError
        If X is not the pair (S, U), or a secret was never seen.

    Examples
    --------
    >>> pair_cells(Joint.with_secret_released([[0.5, 0.25], [0.0, 0.25]]))
    array([[0.5 , 0.25],
           [0.  , 0.25]])
    """
    n_s, n_cells = joint.n_s + len(joint.dropped_s), joint.n_x + len(joint.dropped_x)
    n_u = n_cells // n_s
    holders = joint.p > 0
    owners = joint.kept_s[np.argmax(holders, axis=0)]
    own = bool((holders.sum(axis=0) <= 1).all()) and n_u * n_s == n_cells
    if not own or (owners != joint.kept_x // max(n_u, 1))[holders.any(axis=0)].any():
        raise InvalidInputError(
            "RLDP protects S where S is released together with U, and X is not such a pair here: "
            "release S too, so that X = (S, U)."
        )
    if joint.dropped_s:
        raise InvalidInputError(
            f"The secret {joint.dropped_s[0]!r} never occurs in the sample, so nothing is known "
            f"about P(u | s) (B_s = ∞): leave it out or merge it with another."
        )
    cells = np.zeros(n_cells)
    cells[joint.kept_x] = joint.p_x
    return cells.reshape(n_s, n_u)


def spread(ball: RenyiBall, joint: Joint) -> FloatArray:
    """Return the matrix that takes P(y | x) of the joint's symbols to P(y | s, u) of all cells.

    Shape (n_s·n_u, n_x), cells in the order s·n_u + u; each row sums to 1.

    Parameters
    ----------
    ball : RenyiBall
        The uncertainty set.
    joint : Joint
        P(s, x) of `Joint.with_secret_released`, of the ball's shape.

    Raises
    ------
    InvalidInputError
        If the joint is not one of S and X = (S, U) with the ball's cells, or a secret was never
        seen.
    """
    cells = joint.kept_x
    owner = cells // ball.n_u
    fits = joint.kept_s.max() < ball.n_s and cells.max() < ball.n_s * ball.n_u
    holders = joint.p > 0
    named = joint.kept_s[np.argmax(holders, axis=0)]
    if not fits or (holders.sum(axis=0) > 1).any() or (named != owner)[holders.any(axis=0)].any():
        raise InvalidInputError(
            f"RLDP needs the joint of S and X = (S, U) with {ball.n_s}×{ball.n_u} cells as in P̂ "
            f"(Joint.with_secret_released), got {joint.n_s}×{joint.n_x} with another structure."
        )
    lost = np.setdiff1d(np.arange(ball.n_s), owner)
    if lost.size:
        raise never_seen(int(lost[0]))
    matrix = np.zeros((ball.n_s * ball.n_u, joint.n_x))
    matrix[cells, np.arange(joint.n_x)] = 1.0
    seen = np.zeros((ball.n_s, ball.n_u))
    seen.flat[cells] = 1.0
    weights = conditionals(seen * ball.p_hat_su)
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, conditionals(seen))
    for cell in np.flatnonzero(seen.ravel() == 0):
        same = owner == cell // ball.n_u
        matrix[cell, same] = weights.ravel()[cells[same]]
    return matrix


def answers(ball: RenyiBall, joint: Joint, kernel: ArrayLike) -> FloatArray:
    """Return P(y | s, u) of a kernel, shape (n_s, n_u, n_y).

    Parameters
    ----------
    ball : RenyiBall
        The uncertainty set.
    joint : Joint
        P(s, x) of `Joint.with_secret_released`, of the ball's shape.
    kernel : array_like
        P(y | x), shape (n_x, n_y); or P(y | s, u) of all cells, shape (n_s·n_u, n_y), unseen ones
        included.

    Raises
    ------
    InvalidInputError
        As `spread`, or if the kernel has another number of rows or a row that does not sum to 1.
    """
    array = np.asarray(kernel, dtype=np.float64)
    all_cells = ball.n_s * ball.n_u
    if array.ndim == 2 and array.shape[0] == all_cells:
        rows = validation.kernel(array, all_cells)
    else:
        rows = spread(ball, joint) @ validation.kernel(array, joint.n_x)
    return rows.reshape(ball.n_s, ball.n_u, -1)


def never_seen(s: int) -> InvalidInputError:
    """Return the error for secret s, counted from 0, of which the sample has no record."""
    return InvalidInputError(
        f"Secret number {s + 1} never occurs in the sample, so nothing is known about P(u | s) "
        f"(B_s = ∞): leave it out or merge it with another."
    )
