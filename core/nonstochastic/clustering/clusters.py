"""An agglomerative clustering: its path from singletons, and its state, updated with each merge.

The secrets of a cluster are bits in 64-bit words, so a union is a `|` of words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.limits import MAX_LEVELS
from core.nonstochastic.clustering.utility import ClusterLoss
from core.nonstochastic.ranges.partition import DisjointSets, Partition, logarithm
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Step:
    """One partition on a path, the clusters that it made, and leakage (L0 or I*) − λ·utility."""

    clusters: Partition
    leakage: float
    utility: float
    lagrangian: float
    merged: Partition = ()

    @property
    def loss(self) -> float:
        return -self.utility


@dataclass(frozen=True)
class Clustering:
    """The path of an algorithm, the same for weights from `weight` to `valid_below`."""

    weight: float
    path: tuple[Step, ...]
    beyond: tuple[Step, ...] = ()
    valid_below: float = float("inf")

    @property
    def partition(self) -> Partition:
        return self.path[-1].clusters

    @property
    def leakage(self) -> float:
        return self.path[-1].leakage

    @property
    def utility(self) -> float:
        return self.path[-1].utility

    @property
    def lagrangian(self) -> float:
        return self.path[-1].lagrangian

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.path + self.beyond


def checked_weight(weight: float) -> float:
    """Return a Lagrangian weight λ, a finite number of at least 0."""
    return validation.number(weight, "weight", low=0.0, high=float(np.finfo(float).max))


def stopped(steps: tuple[Step, ...], weight: float) -> Clustering:
    """Return the clustering at one λ: before the first step that does not lower the Lagrangian."""
    value = checked_weight(weight)
    valued = tuple(replace(s, lagrangian=s.leakage + value * s.loss) for s in steps)
    last = 0
    while last + 1 < len(valued) and valued[last + 1].lagrangian < valued[last].lagrangian:
        last += 1
    return Clustering(value, valued[: last + 1], valued[last + 1 :])


Words = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]


class Clusters:
    """Clusters of X in slots: slot x starts with the symbol x, and a union keeps the lower slot.

    Shapes: words (bits of ⟦S|x̂,z⟧) (n_z, n_x, n_words); sizes (n_z, n_x), 0 where x̂ does not
    occur with z or was absorbed; possible, |⟦S|z⟧|, (n_z,).
    """

    def __init__(self, occurs: BoolArray, loss: ClusterLoss, base: float) -> None:
        stack = occurs if occurs.ndim == 3 else occurs[None]
        n_x = stack.shape[2]
        if n_x > MAX_LEVELS:
            raise InvalidInputError(
                f"At most {MAX_LEVELS} symbols of X can be clustered, got {n_x}."
            )
        self.words = _packed(stack)
        self.sizes = _counted(self.words)
        self.possible: IntArray = stack.any(axis=2).sum(axis=1)
        self.members: list[tuple[int, ...]] = [(x,) for x in range(n_x)]
        self.alive: BoolArray = np.ones(n_x, dtype=np.bool_)
        self.loss = loss
        self.log = logarithm(base)

    def ratios(self) -> FloatArray:
        """Return |⟦S|z⟧| / |⟦S|x̂,z⟧|, shape (n_z, n_x); 0 where x̂ does not occur with z."""
        ratios: FloatArray = np.where(
            self.sizes > 0, self.possible[:, None] / np.maximum(self.sizes, 1), 0.0
        )
        return ratios

    def reduction(self) -> float:
        """Return L0(S→X̂), the worst over side information."""
        return float(self.log(self.ratios().max()))

    def adds_secrets(self, slot: int, z: int) -> BoolArray:
        """Say which clusters have a secret, given z, that the one in `slot` lacks."""
        new: BoolArray = (self.words[z] & ~self.words[z, slot]).any(axis=1) & self.alive
        return new

    def union_sizes(self, slot: int) -> IntArray:
        """Return |⟦S|x̂ ∪ x̂',z⟧| of one cluster with each other, shape (n_z, n_x)."""
        return _counted(self.words | self.words[:, slot, None])

    def merge(self, a: int, b: int) -> int:
        """Merge two clusters and return the slot of the union."""
        kept, absorbed = min(a, b), max(a, b)
        self.members[kept] = tuple(sorted(self.members[kept] + self.members[absorbed]))
        self.members[absorbed] = ()
        self.alive[absorbed] = False
        self.words[:, kept] |= self.words[:, absorbed]
        self.words[:, absorbed] = 0
        self.sizes[:, kept] = _counted(self.words[:, kept])
        self.sizes[:, absorbed] = 0
        self.loss.merge(kept, absorbed)
        return kept

    def partition(self) -> Partition:
        return tuple(cluster for cluster in self.members if cluster)

    def step(self, leakage: float, weight: float, merged: Partition = ()) -> Step:
        """Return the current partition as a step of the path."""
        loss = float(self.loss.own()[self.alive].max())  # minus the utility
        return Step(self.partition(), leakage, 0.0 - loss, leakage + weight * loss, merged)


class Components:
    """The connected components of the clusters' confusability graph, for each z."""

    def __init__(self, clusters: Clusters, occurs: BoolArray) -> None:
        stack = occurs if occurs.ndim == 3 else occurs[None]
        self.present: BoolArray = clusters.sizes > 0
        self.sets = [DisjointSets(stack.shape[2]) for _ in stack]
        self.counts: IntArray = self.present.sum(axis=1)
        self.upper: BoolArray = np.triu(np.ones((stack.shape[2],) * 2, dtype=np.bool_), 1)
        for z, (sets, ranges) in enumerate(zip(self.sets, stack, strict=True)):
            for row in ranges:
                self.counts[z] -= sets.unite(np.flatnonzero(row))

    def merge(self, kept: int, absorbed: int) -> None:
        """Join the components of two clusters that become one."""
        both = self.present[:, kept] & self.present[:, absorbed]
        for z, sets in enumerate(self.sets):
            fell = sets.unite(np.array([kept, absorbed]))
            self.counts[z] -= fell * both[z]  # a cluster that never occurs with z is not counted
        self.present[:, kept] |= self.present[:, absorbed]
        self.present[:, absorbed] = False

    def most(self) -> int:
        """Return the number of components, the largest over z."""
        return int(self.counts.max())

    def candidates(self) -> BoolArray:
        """Return which i < j are in different components under some z with most, (n_x, n_x)."""
        size = self.present.shape[1]
        apart = np.zeros((size, size), dtype=np.bool_)
        for z in np.flatnonzero(self.counts == self.counts.max()):
            labels, here = self.sets[z].labels, self.present[z]
            apart |= (labels[:, None] != labels) & here[:, None] & here
        return apart & self.upper

    def nodes(self) -> IntArray:
        """Return the number of clusters in each cluster's component, shape (n_z, n_x)."""
        sizes = np.zeros(self.present.shape, dtype=np.int64)
        for z, (sets, here) in enumerate(zip(self.sets, self.present, strict=True)):
            counts = np.bincount(sets.labels[here], minlength=here.size)
            sizes[z] = counts[sets.labels] * here
        return sizes


def _packed(stack: BoolArray) -> Words:
    """Return booleans (n_z, n_s, n_x) as words of 64 secrets, shape (n_z, n_x, words)."""
    n_z, n_s, n_x = stack.shape
    padded = np.zeros((n_z, n_x, n_s + -n_s % 64), dtype=np.bool_)
    padded[:, :, :n_s] = np.swapaxes(stack, 1, 2)
    words: Words = np.packbits(padded, axis=2).view(np.uint64)
    return words


def _counted(words: Words) -> IntArray:
    """Return the number of bits set, over the last axis."""
    counted: IntArray = np.bitwise_count(words).sum(axis=-1, dtype=np.int64)
    return counted
