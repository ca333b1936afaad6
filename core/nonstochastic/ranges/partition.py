"""Checked joint ranges (what can occur together) and partitions of X."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.validation import BoolArray

Partition = tuple[tuple[int, ...], ...]
"""A quantisation of X: clusters of indices of x, every index in exactly one of them."""


def joint_range(occurs: ArrayLike, *, side: bool = False) -> BoolArray:
    """Return a joint range as booleans, checked.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x), or (n_z, n_s, n_x) with `side`: one
        range for each value of side information z that an adversary may hold.
    side : bool
        Allow the leading axis.

    Raises
    ------
    InvalidInputError
        If it is empty, holds anything but True and False (1 and 0), or a symbol x occurs with no
        secret.

    Examples
    --------
    >>> joint_range([[1, 0], [1, 1]])
    array([[ True, False],
           [ True,  True]])
    """
    array = np.asarray(occurs)
    if array.ndim != 2 and not (side and array.ndim == 3):
        raise InvalidInputError(f"The joint range must have two axes (s, x), got {array.ndim}.")
    if array.size == 0:
        raise InvalidInputError(f"The joint range must not be empty, got shape {array.shape}.")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise InvalidInputError("The joint range must hold True and False (1 and 0) only.")
    flags: BoolArray = array.astype(np.bool_)
    if not flags.any():
        raise InvalidInputError("The joint range must not be empty: no pair (s, x) occurs.")
    bare = np.flatnonzero(~flags.any(axis=tuple(range(flags.ndim - 1))))
    if bare.size:
        raise InvalidInputError(
            f"Every symbol x must occur with some secret, the one at index {bare[0]} has none."
        )
    return flags


def checked_partition(partition: Iterable[Iterable[int]], n_x: int) -> Partition:
    """Return a partition of the indices 0 … n_x − 1, checked, its clusters in the given order.

    Raises
    ------
    InvalidInputError
        If a cluster is empty or an index is missing, unknown or in two clusters.

    Examples
    --------
    >>> checked_partition([[0, 2], [1]], 3)
    ((0, 2), (1,))
    """
    clusters = tuple(tuple(int(x) for x in cluster) for cluster in partition)
    members = [x for cluster in clusters for x in cluster]
    if not all(clusters):
        raise InvalidInputError("A partition must not have an empty cluster.")
    if sorted(members) != list(range(n_x)):
        wrong = next(
            x for x in [*members, *range(n_x)] if members.count(x) != 1 or not 0 <= x < n_x
        )
        raise InvalidInputError(
            f"A partition must hold every index from 0 to {n_x - 1} once, "
            f"got {wrong} {members.count(wrong)} times."
            if 0 <= wrong < n_x
            else f"A partition must hold every index from 0 to {n_x - 1} once, got {wrong}."
        )
    return clusters


def singletons(n_x: int) -> Partition:
    """Return the partition of n_x symbols into single ones.

    Examples
    --------
    >>> singletons(3)
    ((0,), (1,), (2,))
    """
    return tuple((x,) for x in range(n_x))


def quantised(occurs: BoolArray, partition: Sequence[Sequence[int]] | None) -> BoolArray:
    """Return the range of (S, X̂): ⟦S|x̂⟧ is the union of the ⟦S|x⟧ in it ([NonStoch] eq. 2).

    Parameters
    ----------
    occurs : ndarray of bool
        Shape (..., n_s, n_x).
    partition : sequence of clusters, or None
        None leaves X as it is.

    Returns
    -------
    ndarray of bool
        Shape (..., n_s, number of clusters).

    Examples
    --------
    >>> quantised(np.array([[True, False, False], [False, True, True]]), [(0, 1), (2,)])
    array([[ True, False],
           [ True,  True]])
    """
    if partition is None:
        return occurs
    clusters = checked_partition(partition, occurs.shape[-1])
    merged: BoolArray = np.stack([occurs[..., list(c)].any(axis=-1) for c in clusters], axis=-1)
    return merged
