"""The distortion of a cluster: the distance of its symbols from its codeword ([NonStoch] §V-A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.nonstochastic.ranges.partition import checked_partition
from core.validation import FloatArray

Distance = Callable[[FloatArray, FloatArray], ArrayLike]
"""d(points, codeword): (m,) points and a scalar, or (m, d) and (d,), to distances of shape (m,)."""

CODEWORDS = ("centroid", "midrange", "medoid")
"""Codewords of a cluster: its mean, the middle of its range, or its most central member."""


@dataclass(frozen=True, eq=False)
class DistortionMeasure:
    """Points, the kind of codeword of a cluster, and a distance.

    Attributes
    ----------
    points : ndarray
        A number, shape (n_x,), or a vector, shape (n_x, d), for each symbol.
    codeword : str
        "centroid", "midrange" or "medoid".
    distance : callable or None
        None is the Euclidean one, |x − x'| for numbers.
    """

    points: FloatArray
    codeword: str
    distance: Distance | None

    @classmethod
    def checked(
        cls, values: ArrayLike, n_x: int, codeword: str, distance: Distance | None
    ) -> DistortionMeasure:
        """Return the distortion of checked arguments.

        Raises
        ------
        InvalidInputError
            If values are no finite numbers or not n_x of them, or the codeword is unknown.
        """
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
        if codeword not in CODEWORDS:
            raise InvalidInputError(
                f"codeword must be one of {', '.join(CODEWORDS)}, got {codeword!r}."
            )
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

    Parameters
    ----------
    partition : sequence of clusters
        Indices of `values`, each in one cluster.
    values : array_like
        A number, shape (n_x,), or a vector, shape (n_x, d), for each symbol.
    codeword : {"centroid", "midrange", "medoid"}
        The mean of a cluster, the middle between its least and greatest (by coordinate), or the
        member whose largest distance from the others is least, which fits any dissimilarity.
    distance : callable, optional
        `distance(points, codeword)` from (m,) points and a scalar, or (m, d) and (d,), to m
        distances; Euclidean where not given.

    Raises
    ------
    InvalidInputError
        If values are no finite numbers, or partition, codeword or distances are not as described.

    Notes
    -----
    Source: [NonStoch] §V-A1.

    Examples
    --------
    >>> max_distortion([(0, 1, 2), (3,)], [0.0, 1.0, 5.0, 9.0])
    3.0
    >>> max_distortion([(0, 1, 2), (3,)], [0.0, 1.0, 5.0, 9.0], codeword="midrange")
    2.5
    """
    clusters = checked_partition(partition, len(np.atleast_1d(np.asarray(values, dtype=object))))
    distortion = DistortionMeasure.checked(values, sum(map(len, clusters)), codeword, distance)
    return max(distortion.of(cluster) for cluster in clusters)
