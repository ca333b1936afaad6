"""Joint ranges (what can occur together), checked, their components, and partitions of X."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.validation import BoolArray, FloatArray, IntArray

Partition = tuple[tuple[int, ...], ...]
"""A quantization of X: clusters of indices of x, every index in exactly one of them."""


def joint_range(occurs: ArrayLike, *, side: bool = False) -> BoolArray:
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
    """Return a partition of the indices 0 … n_x − 1, checked, its clusters in the given order."""
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
    return tuple((x,) for x in range(n_x))


def quantised(occurs: BoolArray, partition: Sequence[Sequence[int]] | None) -> BoolArray:
    """Return the range of (S, X̂): ⟦S|x̂⟧ is the union of the ⟦S|x⟧ in it ([NonStoch] eq. 2)."""
    if partition is None:
        return occurs
    clusters = checked_partition(partition, occurs.shape[-1])
    merged: BoolArray = np.stack([occurs[..., list(c)].any(axis=-1) for c in clusters], axis=-1)
    return merged


class DisjointSets:
    """`count` disjoint sets of the nodes 0 … n − 1; a node's label is the least node of its set."""

    def __init__(self, count: int) -> None:
        self.labels: IntArray = np.arange(count)
        self.count = count

    def unite(self, nodes: IntArray) -> int:
        """Unite the sets of some nodes and return how many sets fewer there are."""
        met = np.unique(self.labels[nodes])
        if met.size <= 1:
            return 0
        self.labels[np.isin(self.labels, met[1:])] = met[0]
        self.count -= met.size - 1
        return met.size - 1


def components(occurs: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the component of every row and of every column of a bipartite range (n_s, n_x)."""
    sets = DisjointSets(occurs.shape[1])
    for row in occurs:
        sets.unite(np.flatnonzero(row))
    used = occurs.any(axis=0)
    columns = np.full(occurs.shape[1], -1)
    columns[used] = np.unique(sets.labels[used], return_inverse=True)[1]
    rows = np.where(occurs.any(axis=1), columns[occurs.argmax(axis=1)], -1)
    return rows, columns


def with_secret(occurs: ArrayLike) -> tuple[BoolArray, tuple[tuple[int, int], ...]]:
    """Return the range of (S, (S, X)), to quantize the pair (S, X); occurs has shape (n_s, n_x)."""
    ranges = joint_range(occurs)
    pairs = tuple((int(s), int(x)) for s, x in np.argwhere(ranges))
    secrets = np.array([s for s, _ in pairs])
    of_pairs: BoolArray = secrets == np.arange(ranges.shape[0])[:, None]
    return of_pairs, pairs


Logarithm = Callable[[ArrayLike], FloatArray]
"""A logarithm of numbers above 0."""


def logarithm(base: float) -> Logarithm:
    value = validation.number(base, "base", low=1.0, high=float(np.finfo(float).max), open_low=True)
    exact: dict[float, Logarithm] = {2.0: np.log2, 10.0: np.log10, math.e: np.log}
    return exact.get(value, lambda x: np.asarray(np.log(x) / math.log(value)))
