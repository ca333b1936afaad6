"""What a release reveals and keeps when only the ranges are known ([NonStoch] §II–III)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.nonstochastic.ranges.partition import (
    checked_partition,
    components,
    joint_range,
    logarithm,
    quantised,
)
from core.validation import BoolArray, FloatArray

Clusters = Sequence[Sequence[int]]


def hartley(occurs: ArrayLike, partition: Clusters | None = None, base: float = 2) -> float:
    """Return the Hartley entropy H0 = log of the number of symbols that occur.

    Parameters
    ----------
    occurs : int or array_like of bool
        The number of symbols; or which symbols occur, shape (n,); or the joint range of (S, X),
        shape (n_s, n_x), for H0(X).
    partition : sequence of clusters, optional
        With a joint range, for H0(X̂).
    base : float
        Base of the logarithm.

    Raises
    ------
    InvalidInputError
        If no symbol occurs or the partition does not fit.

    Notes
    -----
    Source: [NonStoch] §II, after Hartley.

    Examples
    --------
    >>> hartley(8), hartley([[1, 1, 0, 0], [0, 0, 1, 1]], partition=[(0, 1), (2, 3)])
    (3.0, 1.0)
    """
    array = np.asarray(occurs)
    if array.ndim == 0:
        count = validation.whole(array[()], "The number of symbols", low=1)
    elif array.ndim == 1:
        count = int(joint_range(array[None][:, array.astype(bool)]).shape[1])
    else:
        count = int(quantised(joint_range(array), partition).shape[1])
    return float(logarithm(base)(count))


def max_uncertainty_reduction(
    occurs: ArrayLike, partition: Clusters | None = None, base: float = 2
) -> float:
    """Return L0(S→X̂) = max over x̂ of log(|⟦S⟧| / |⟦S|x̂⟧|), the largest uncertainty reduction.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x); or (n_z, n_s, n_x) where the adversary
        has side information z: then ⟦S⟧ and ⟦S|x̂⟧ are given z, and the result is the worst
        over z.
    partition : sequence of clusters, optional
        The release; X itself where not given.
    base : float
        Base of the logarithm.

    Raises
    ------
    InvalidInputError
        If the range is empty, a symbol has no secret, or the partition does not fit.

    Notes
    -----
    Source: [NonStoch] §III-A.

    Examples
    --------
    >>> occurs = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> max_uncertainty_reduction(occurs), max_uncertainty_reduction(occurs, [(0, 2), (1,)])
    (2.0, 1.0)
    """
    return float(logarithm(base)(np.nanmax(_ratios(occurs, partition))))


def min_uncertainty_reduction(
    occurs: ArrayLike, partition: Clusters | None = None, base: float = 2
) -> float:
    """Return I0(S;X̂) = min over x̂ of log(|⟦S⟧| / |⟦S|x̂⟧|), the least uncertainty reduction.

    Parameters, shapes and errors as in `max_uncertainty_reduction`; with side information it is
    the least over z too.

    Source: [NonStoch] §III-A.

    Examples
    --------
    >>> min_uncertainty_reduction([[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    1.0
    """
    return float(logarithm(base)(np.nanmin(_ratios(occurs, partition))))


def anonymity(occurs: ArrayLike, partition: Clusters | None = None) -> int:
    """Return the greatest k at which S is k-anonymous: min over x̂ of |⟦S|x̂⟧|.

    k counts distinct secrets, not records, so equal secrets do not hide each other. Parameters
    and errors as in `max_uncertainty_reduction`.

    Source: [NonStoch] Def. 2.

    Examples
    --------
    >>> anonymity([[1, 1, 0], [0, 1, 1], [0, 0, 1]], partition=[(0, 1), (2,)])
    2
    """
    sizes = quantised(joint_range(occurs, side=True), partition).sum(axis=-2)
    return int(sizes[sizes > 0].min())


def maximin_information(
    occurs: ArrayLike, partition: Clusters | None = None, base: float = 2
) -> float:
    """Return I*(S;X̂) = log of the number of connected components of the range.

    It is what can be known about S without error, and symmetric in S and X.
    Parameters and errors as in `max_uncertainty_reduction`.

    Source: [NonStoch] Def. 1(e) and Lemma 2.

    Examples
    --------
    >>> maximin_information([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    1.0
    >>> maximin_information([[1, 1, 0], [0, 1, 0], [0, 0, 1]], partition=[(0, 2), (1,)])
    0.0
    """
    ranges = quantised(joint_range(occurs, side=True), partition)
    most = max(int(components(side)[1].max()) + 1 for side in _by_side(ranges))
    return float(logarithm(base)(most))


def worst_case_resolution(partition: Clusters, n_x: int, base: float = 2) -> float:
    """Return I0(X;X̂) = min over x̂ of log(n_x / |x̂|), the worst-case resolution.

    Parameters
    ----------
    partition : sequence of clusters
        The indices 0 … n_x − 1, each in one cluster.
    n_x : int
        Number of symbols of X.
    base : float
        Base of the logarithm.

    Raises
    ------
    InvalidInputError
        If the partition does not hold every index once.

    Notes
    -----
    Source: [NonStoch] §V-A.

    Examples
    --------
    >>> worst_case_resolution([(0, 3), (1,), (2,)], 4)
    1.0
    """
    clusters = checked_partition(partition, validation.whole(n_x, "n_x", low=1))
    largest = max(len(cluster) for cluster in clusters)
    return float(logarithm(base)(n_x / largest))


def _by_side(ranges: BoolArray) -> BoolArray:
    """Return the range of each side information z that occurs, shape (n_z, n_s, n_x)."""
    stack = ranges if ranges.ndim == 3 else ranges[None]
    kept: BoolArray = stack[stack.any(axis=(1, 2))]
    return kept


def _ratios(occurs: ArrayLike, partition: Clusters | None) -> FloatArray:
    """Return |⟦S|z⟧| / |⟦S|x̂,z⟧|, shape (n_z, n_clusters); NaN where x̂ never occurs with z."""
    if partition is not None and len(partition) == 0:
        raise InvalidInputError("A partition must have at least one cluster.")
    ranges = _by_side(quantised(joint_range(occurs, side=True), partition))
    possible = ranges.any(axis=2).sum(axis=1)
    left = ranges.sum(axis=1)
    ratios: FloatArray = np.where(left > 0, possible[:, None] / np.maximum(left, 1), np.nan)
    return ratios
