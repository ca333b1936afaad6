"""The utilities of a quantization, as losses of its clusters ([NonStoch] §V-A).

Both are minus the largest loss over the clusters: of the resolution, or of the distortion, the
distance of a cluster's symbols from its codeword.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.nonstochastic.ranges.partition import Partition, checked_partition, logarithm
from core.validation import FloatArray, IntArray, one_of

Distance = Callable[[FloatArray, FloatArray], ArrayLike]
"""d(points, codeword): (m,) points and a scalar, or (m, d) and (d,), to distances of shape (m,)."""

CODEWORDS = ("centroid", "midrange", "medoid")
"""Codewords of a cluster: its mean, the middle of its range, or its most central member."""


@dataclass(frozen=True, eq=False)
class DistortionMeasure:
    """Points, the kind of codeword ("centroid", "midrange" or "medoid"), and a distance.

    A point is a number or a vector, shape (n_x,) or (n_x, d); without a distance it is Euclidean.
    """

    points: FloatArray
    codeword: str
    distance: Distance | None

    @classmethod
    def checked(
        cls, values: ArrayLike, n_x: int, codeword: str, distance: Distance | None
    ) -> DistortionMeasure:
        """Return the distortion of checked arguments."""
        try:
            points = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"The distortion utility needs numbers as values: {error}."
            ) from error
        if points.ndim not in (1, 2) or points.shape[0] != n_x or points.size == 0:
            raise InvalidInputError(
                f"values must hold one number or vector for each of the {n_x} symbols, "
                f"got shape {points.shape}."
            )
        if not np.isfinite(points).all():
            raise InvalidInputError("values must hold finite numbers, got NaN or ∞.")
        one_of(codeword, CODEWORDS, "codeword")
        return cls(points, codeword, distance)

    @property
    def plain(self) -> bool:
        """Whether a cluster's distortion follows from its least, greatest, sum and count."""
        return self.points.ndim == 1 and self.distance is None and self.codeword != "medoid"

    def of(self, symbols: Sequence[int]) -> float:
        """Return the largest distance of the symbols of a cluster from their codeword."""
        points = self.points[list(symbols)]
        if self.codeword == "medoid":
            return min(self._farthest(points, centre) for centre in points)
        if self.codeword == "centroid":
            return self._farthest(points, points.mean(axis=0))
        return self._farthest(points, (points.min(axis=0) + points.max(axis=0)) / 2)

    def _farthest(self, points: FloatArray, centre: FloatArray) -> float:
        """Return the largest distance of some points from one."""
        if self.distance is None:
            apart = points - centre
            away = np.abs(apart) if points.ndim == 1 else np.linalg.norm(apart, axis=1)
            return float(away.max())
        away = np.asarray(self.distance(points, centre), dtype=np.float64)
        if away.shape != points.shape[:1] or not (away >= 0).all():
            raise InvalidInputError(
                f"distance must return {len(points)} numbers of at least 0, got {away!r}."
            )
        return float(away.max())


def max_distortion(
    partition: Sequence[Sequence[int]],
    values: ArrayLike,
    codeword: str = "centroid",
    distance: Distance | None = None,
) -> float:
    """Return the largest distortion max over x of d(x, x̂(x)).

    Shapes: values (n_x,).

    Source: [NonStoch] §V-A1.
    """
    clusters = checked_partition(partition, len(np.atleast_1d(np.asarray(values, dtype=object))))
    distortion = DistortionMeasure.checked(values, sum(map(len, clusters)), codeword, distance)
    return max(distortion.of(cluster) for cluster in clusters)


UTILITIES = ("resolution", "distortion")
"""Utilities by key: I0(X;X̂), and minus the largest distortion."""


class ClusterLoss(ABC):
    """The losses of clusters while they are merged, in slots, at first one for each symbol."""

    @abstractmethod
    def own(self) -> FloatArray:
        """Return the loss of the cluster in each slot, shape (n_x,)."""

    @abstractmethod
    def of_unions(self, slot: int) -> FloatArray:
        """Return the loss of the union of one cluster with each other one, shape (n_x,)."""

    def of_all_unions(self) -> FloatArray:
        """Return the loss of the union of every two clusters, shape (n_x, n_x)."""
        return np.array([self.of_unions(slot) for slot in range(len(self.own()))])

    @abstractmethod
    def merge(self, kept: int, absorbed: int) -> None:
        """Put the union of two clusters into the slot `kept`; `absorbed` is no longer used."""

    @abstractmethod
    def of_set(self, symbols: Sequence[int]) -> float:
        """Return the loss of a cluster of these symbols, which need not be a current one."""

    def of_partition(self, partition: Partition) -> float:
        """Return the largest loss of the clusters of a partition."""
        return max(self.of_set(cluster) for cluster in partition)


class ResolutionLoss(ClusterLoss):
    """Loss −log(n_x / |x̂|) of a cluster: the largest is −I0(X;X̂)."""

    def __init__(self, n_x: int, base: float) -> None:
        self.sizes: IntArray = np.ones(n_x, dtype=np.int64)
        self.log = logarithm(base)

    def own(self) -> FloatArray:
        return self._loss(self.sizes)

    def of_unions(self, slot: int) -> FloatArray:
        return self._loss(self.sizes + self.sizes[slot])

    def merge(self, kept: int, absorbed: int) -> None:
        self.sizes[kept] += self.sizes[absorbed]

    def of_set(self, symbols: Sequence[int]) -> float:
        return float(self._loss(np.array([len(symbols)]))[0])

    def _loss(self, sizes: IntArray) -> FloatArray:
        return -self.log(len(self.sizes) / sizes)


class NumberDistortionLoss(ClusterLoss):
    """Loss max |x − x̂(x)| of numbers, from each cluster's least, greatest, sum and count."""

    def __init__(self, distortion: DistortionMeasure) -> None:
        self.distortion = distortion
        self.low: FloatArray = distortion.points.copy()
        self.high: FloatArray = distortion.points.copy()
        self.total: FloatArray = distortion.points.copy()
        self.count: IntArray = np.ones(len(self.low), dtype=np.int64)

    def own(self) -> FloatArray:
        return self._loss(self.low, self.high, self.total, self.count)

    def of_unions(self, slot: int) -> FloatArray:
        return self._loss(
            np.minimum(self.low, self.low[slot]),
            np.maximum(self.high, self.high[slot]),
            self.total + self.total[slot],
            self.count + self.count[slot],
        )

    def merge(self, kept: int, absorbed: int) -> None:
        self.low[kept] = min(self.low[kept], self.low[absorbed])
        self.high[kept] = max(self.high[kept], self.high[absorbed])
        self.total[kept] += self.total[absorbed]
        self.count[kept] += self.count[absorbed]

    def of_set(self, symbols: Sequence[int]) -> float:
        return self.distortion.of(symbols)

    def _loss(
        self, low: FloatArray, high: FloatArray, total: FloatArray, count: IntArray
    ) -> FloatArray:
        middle = total / count if self.distortion.codeword == "centroid" else (low + high) / 2
        loss: FloatArray = np.maximum(high - middle, middle - low)
        return loss


class AnyDistortionLoss(ClusterLoss):
    """Loss max d(x, x̂(x)) for any distance, codeword and points: one call for each union."""

    def __init__(self, distortion: DistortionMeasure) -> None:
        self.distortion = distortion
        self.members: list[list[int]] = [[x] for x in range(len(distortion.points))]
        self.losses: FloatArray = np.array([distortion.of(cluster) for cluster in self.members])

    def own(self) -> FloatArray:
        return self.losses

    def of_unions(self, slot: int) -> FloatArray:
        mine = self.members[slot]
        return np.array(
            [self.distortion.of(mine + others) if others else np.inf for others in self.members]
        )

    def of_all_unions(self) -> FloatArray:
        size = len(self.members)
        unions = np.zeros((size, size))
        for a, b in combinations(range(size), 2):
            unions[a, b] = unions[b, a] = self.distortion.of(self.members[a] + self.members[b])
        return unions

    def merge(self, kept: int, absorbed: int) -> None:
        self.members[kept] = self.members[kept] + self.members[absorbed]
        self.members[absorbed] = []
        self.losses[kept] = self.distortion.of(self.members[kept])

    def of_set(self, symbols: Sequence[int]) -> float:
        return self.distortion.of(symbols)


def cluster_loss(
    utility: str,
    n_x: int,
    values: ArrayLike | None,
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
) -> ClusterLoss:
    """Return the losses of a utility, for clusters of single symbols; values (n_x,) or (n_x, d)."""
    one_of(utility, UTILITIES, "utility")
    if utility == "resolution":
        return ResolutionLoss(n_x, base)
    if values is None:
        raise InvalidInputError("The distortion utility needs values: a number for each symbol x.")
    distortion = DistortionMeasure.checked(values, n_x, codeword, distance)
    if distortion.plain:
        return NumberDistortionLoss(distortion)
    return AnyDistortionLoss(distortion)
