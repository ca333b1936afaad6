"""Perfect privacy: what outputs that reveal nothing about S can reveal about X, and why.

With A = P(s | x), an output of posterior r on X reveals nothing iff A r = A P(X), iff r − P(X) is
in the null space of A. Because P(X) > 0, small steps along the null space are distributions:
something of X can be published iff it is not {0}, iff the P(S | x) are linearly dependent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.inequalities import excess_lift
from core.joint import Joint
from core.limits import LIFT_NOISE
from core.validation import FloatArray
from core.wording import number_of


@dataclass(frozen=True, eq=False)
class PerfectPrivacy:
    """What outputs that reveal nothing about S can reveal about X.

    Attributes
    ----------
    dimension : int
        Dimension of the null space of P(s | x): the number of independent ways to move
        probability between symbols of X without changing P(S). Nothing can be revealed iff it is 0.
    rank : int
        Rank of P(s | x).
    moves : ndarray
        An orthonormal basis of the null space, shape (dimension, n_x); each row sums to 0.
    alike : tuple of int
        The first two symbols of X with the same P(S | x); empty if there are none.
    n_s, n_x : int
        Numbers of symbols of S and X.
    """

    dimension: int
    rank: int
    moves: FloatArray
    alike: tuple[int, ...]
    n_s: int
    n_x: int


def perfect_privacy(joint: Joint) -> PerfectPrivacy:
    """Return what perfect privacy leaves of X.

    Parameters
    ----------
    joint : Joint
        P(s, x). The dimension is exact for counts; for other weights, differences of lifts that
        are rounding count as 0.

    Notes
    -----
    Source: Calmon, Makhdoumi and Médard 2015, Theorem 3, for [Funnel] Problem 1 at M = 0.

    Examples
    --------
    >>> perfect_privacy(Joint.from_counts([[3, 1], [1, 3]])).dimension
    0
    >>> limits = perfect_privacy(Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]]))
    >>> limits.dimension, limits.rank, limits.alike
    (2, 2, (2, 3))
    """
    # ranks of counts are computed modulo these: a rank modulo a prime is never above the true one,
    # and below it only if the prime divides every largest non-zero minor
    primes = (2_147_483_647, 2_147_483_629)
    excess = excess_lift(joint, budget=0.0)
    matrix = np.vstack([np.ones(joint.n_x), excess])
    # whole numbers up to this are exact as doubles
    if joint.counts is not None:
        counts = joint.counts.astype(object)
        rank = max(_rank_modulo(counts, prime) for prime in primes)
    else:
        size = np.abs(matrix).max(axis=1, keepdims=True)
        scaled = matrix / np.where(size > 0, size, 1.0)
        rank = int(np.linalg.matrix_rank(scaled, tol=LIFT_NOISE * max(scaled.shape)))
    _, _, directions = np.linalg.svd(matrix)
    same = np.argwhere(np.triu((excess[:, :, None] == excess[:, None, :]).all(axis=0), 1))
    return PerfectPrivacy(
        dimension=joint.n_x - rank,
        rank=rank,
        moves=directions[rank:],
        alike=tuple(same[0].tolist()) if len(same) else (),
        n_s=joint.n_s,
        n_x=joint.n_x,
    )


def what_is_left(joint: Joint, secret: str = "S", released: str = "X") -> str:
    """Return sentences that say what perfect privacy leaves of X, and why.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    secret, released : str
        Names of S and X.

    Examples
    --------
    >>> print(what_is_left(Joint.from_counts([[3, 1], [1, 3]]), "sex", "degree"))
    An output that reveals nothing about sex must mix the values of degree in a way that leaves the
    distribution of sex unchanged. Only one mixture of the 2 values does, their own distribution, so
    nothing about degree can be revealed.
    """
    limits = perfect_privacy(joint)
    start = (
        f"An output that reveals nothing about {secret} must mix the values of {released} in a "
        f"way that leaves the distribution of {secret} unchanged."
    )
    if limits.n_x == 1:
        return f"{released} has only one value, so it carries no information."
    if limits.rank == 1:
        return (
            f"{secret} and {released} are independent, so all of {released} can be published "
            f"without revealing anything about {secret}."
        )
    if limits.dimension == 0:
        return (
            f"{start} Only one mixture of the {limits.n_x} values does, their own distribution, so "
            f"nothing about {released} can be revealed."
        )
    ways = number_of(limits.dimension, "independent way")
    sentence = (
        f"{start} There {'is' if limits.dimension == 1 else 'are'} {ways} to move probability "
        f"between values of {released} that leave{'s' * (limits.dimension == 1)} {secret} "
        f"unchanged, so something about {released} can be revealed"
    )
    if limits.n_x > limits.n_s:
        return (
            f"{sentence}: its {limits.n_x} values differ in only "
            f"{number_of(limits.rank - 1, 'direction')} in what they imply about {secret}."
        )
    if limits.alike:
        first, second = (joint.x_labels[i] for i in limits.alike)
        return f"{sentence}: {first!r} and {second!r} imply the same about {secret}."
    return f"{sentence}: some of its values imply the same about {secret} as a mixture of others."


def _rank_modulo(matrix: np.ndarray[tuple[int, ...], np.dtype[np.object_]], prime: int) -> int:
    """Return the rank of a matrix of whole numbers modulo a prime below 2³¹, by elimination."""
    left = np.array(matrix % prime, dtype=np.int64)
    rank = 0
    for column in range(left.shape[1]):
        below = np.flatnonzero(left[rank:, column])
        if len(below) == 0:
            continue
        pivot = rank + int(below[0])
        left[[rank, pivot]] = left[[pivot, rank]]
        left[rank] = left[rank] * pow(int(left[rank, column]), -1, prime) % prime
        others = left[rank + 1 :, column].copy()
        left[rank + 1 :] = (left[rank + 1 :] - others[:, None] * left[rank] % prime) % prime
        rank += 1
        if rank == len(left):
            break
    return rank
