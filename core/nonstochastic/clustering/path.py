"""The path of a clustering from singletons, and where a weight λ makes it stop."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core import validation
from core.nonstochastic.ranges.partition import Partition


@dataclass(frozen=True)
class Step:
    """One partition on the path of a clustering.

    Attributes
    ----------
    clusters : tuple of tuple of int
        The partition, each cluster in increasing order.
    leakage : float
        L0 or I* of it, whichever the algorithm lowers.
    utility : float
        I0(X;X̂), or minus the largest distortion.
    lagrangian : float
        leakage − λ·utility.
    merged : tuple of tuple of int
        The clusters that this step made.
    """

    clusters: Partition
    leakage: float
    utility: float
    lagrangian: float
    merged: Partition = ()

    @property
    def loss(self) -> float:
        """Utility lost: minus the utility."""
        return -self.utility


@dataclass(frozen=True)
class Clustering:
    """The result of an agglomerative algorithm: its whole path.

    Attributes
    ----------
    weight : float
        λ.
    path : tuple of Step
        From the singletons to the returned partition.
    beyond : tuple of Step
        The further steps, which were not taken because the Lagrangian would not fall.
    valid_below : float
        The path is the same for all weights from `weight` to this; ∞ if it does not depend on λ.
    """

    weight: float
    path: tuple[Step, ...]
    beyond: tuple[Step, ...] = ()
    valid_below: float = float("inf")

    @property
    def partition(self) -> Partition:
        """The returned partition."""
        return self.path[-1].clusters

    @property
    def leakage(self) -> float:
        """Leakage of the returned partition."""
        return self.path[-1].leakage

    @property
    def utility(self) -> float:
        """Utility of the returned partition."""
        return self.path[-1].utility

    @property
    def lagrangian(self) -> float:
        """The Lagrangian of the returned partition."""
        return self.path[-1].lagrangian

    @property
    def steps(self) -> tuple[Step, ...]:
        """The path and the further steps."""
        return self.path + self.beyond


def checked_weight(weight: float) -> float:
    """Return a Lagrangian weight λ, a finite number of at least 0.

    Raises
    ------
    InvalidInputError
        If it is negative, infinite or no number.

    Examples
    --------
    >>> checked_weight(1)
    1.0
    """
    return validation.number(weight, "weight", low=0.0, high=float(np.finfo(float).max))


def lagrangian(leakage: float, loss: float, weight: float) -> float:
    """Return leakage + λ·loss."""
    return leakage + weight * loss


def stopped(steps: tuple[Step, ...], weight: float) -> Clustering:
    """Return the clustering at one λ, for a path that does not depend on λ.

    It stops before the first step that does not lower the Lagrangian strictly.

    Parameters
    ----------
    steps : tuple of Step
        The whole path, at least the singletons; their Lagrangians are recomputed.
    weight : float
        λ, at least 0.

    Examples
    --------
    >>> whole = (Step(((0,), (1,)), 1.0, 1.0, 0.0), Step(((0, 1),), 0.0, 0.0, 0.0))
    >>> stopped(whole, 0.5).partition, stopped(whole, 2).partition
    (((0, 1),), ((0,), (1,)))
    """
    value = checked_weight(weight)
    valued = tuple(replace(s, lagrangian=lagrangian(s.leakage, s.loss, value)) for s in steps)
    last = 0
    while last + 1 < len(valued) and valued[last + 1].lagrangian < valued[last].lagrangian:
        last += 1
    return Clustering(value, valued[: last + 1], valued[last + 1 :])
