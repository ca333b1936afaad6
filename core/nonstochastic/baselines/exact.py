"""The optimum of problems (3), (5) and (10), by enumerating all partitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.limits import MAX_ENUMERATED
from core.nonstochastic.clustering.clusters import Step, checked_weight
from core.nonstochastic.clustering.frontier import PROBLEMS, FrontierPoint, non_dominated
from core.nonstochastic.clustering.utility import cluster_loss
from core.nonstochastic.ranges.partition import Partition, components, joint_range
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AllPartitions:
    """Every partition of X that a problem allows, with its leakage and its loss.

    Attributes
    ----------
    blocks : ndarray of int
        Index of the cluster of each symbol in each partition, shape (count, n_x).
    leakages, losses : ndarray
        Leakage, and minus the utility, of each partition, shape (count,).
    """

    blocks: IntArray
    leakages: FloatArray
    losses: FloatArray

    def partition(self, index: int) -> Partition:
        """Return one partition as clusters."""
        row = self.blocks[index]
        return tuple(tuple(np.flatnonzero(row == c).tolist()) for c in range(row.max() + 1))

    def optimum(self, weight: float) -> Step:
        """Return a partition with the least leakage + weight·loss."""
        value = checked_weight(weight)
        best = int((self.leakages + value * self.losses).argmin())
        leakage, loss = float(self.leakages[best]), float(self.losses[best])
        return Step(self.partition(best), leakage, 0.0 - loss, leakage + value * loss)

    def frontier(self) -> tuple[FrontierPoint, ...]:
        """Return every non-dominated (leakage, utility), also those that no weight leads to."""
        order = np.lexsort((self.losses, self.leakages))
        best_before = np.minimum.accumulate(self.losses[order])
        falls = np.r_[True, best_before[1:] < best_before[:-1]]
        return non_dominated(
            FrontierPoint(float(self.leakages[i]), 0.0 - float(self.losses[i]), self.partition(i))
            for i in order[falls].tolist()
        )


def all_partitions(
    occurs: ArrayLike,
    problem: str,
    utility: str = "resolution",
    values: ArrayLike | None = None,
) -> AllPartitions:
    """Evaluate every partition of at most 10 symbols.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).
    problem : {"anonymity", "maximin", "reduction"}
        The leakage: L0 for (3), I* for (5), L0 among the partitions with I* = 0 for (10).
    utility, values
        As in `merge_for_anonymity`.

    Raises
    ------
    InvalidInputError
        If there are more than 10 symbols, the problem is unknown, or as `merge_for_anonymity`.

    Examples
    --------
    >>> every = all_partitions([[1, 0, 0], [0, 1, 0], [0, 1, 1]], "anonymity")
    >>> len(every.blocks), every.optimum(0.1).clusters
    (5, ((0, 1, 2),))
    """
    if problem not in PROBLEMS:
        raise InvalidInputError(f"problem must be one of {', '.join(PROBLEMS)}, got {problem!r}.")
    ranges = joint_range(occurs)
    n_x = validation.whole(ranges.shape[1], "The number of symbols", low=1, high=MAX_ENUMERATED)
    loss = cluster_loss(utility, n_x, values)
    blocks = set_partitions(n_x)
    masks = np.stack([((blocks == c) << np.arange(n_x)).sum(axis=1) for c in range(n_x)], axis=1)
    members = np.arange(1 << n_x)[:, None] >> np.arange(n_x) & 1 == 1
    subset_loss = np.array(
        [-np.inf, *(loss.of_set(np.flatnonzero(row).tolist()) for row in members[1:])]
    )
    losses = subset_loss[masks].max(axis=1)
    if problem == "maximin":
        return AllPartitions(blocks, np.log2(_component_counts(ranges, members, masks)), losses)
    secrets = (ranges @ members.T).sum(axis=0)
    fewest = np.where(masks > 0, secrets[masks], ranges.shape[0]).min(axis=1)
    leakages = np.log2(ranges.any(axis=1).sum() / fewest)
    if problem == "anonymity":
        return AllPartitions(blocks, leakages, losses)
    whole = _component_counts(ranges, members, masks) == 1
    return AllPartitions(blocks[whole], leakages[whole], losses[whole])


def set_partitions(count: int) -> IntArray:
    """Return the cluster indices of 0 … count − 1 in all partitions, shape (Bell(count), count).

    Clusters are numbered in the order of their first members.

    Examples
    --------
    >>> set_partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    rows: IntArray = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, count):
        choices = rows.max(axis=1) + 2
        last = np.concatenate([np.arange(c) for c in choices])
        rows = np.column_stack([np.repeat(rows, choices, axis=0), last])
    return rows


def _component_counts(ranges: BoolArray, members: BoolArray, masks: IntArray) -> IntArray:
    """Return the number of components after each partition, shape (count,).

    A cluster joins all components of X that it has symbols in; `unions` holds for each a bit mask
    of those that it is joined with.
    """
    column = components(ranges)[1]
    count = int(column.max()) + 1
    touched = np.zeros(len(members), dtype=np.int64)
    for x, component in enumerate(column):
        touched |= members[:, x].astype(np.int64) << component
    unions = np.tile(1 << np.arange(count), (len(masks), 1))
    bits = np.arange(count)
    for block in touched[masks].T:
        hit = block[:, None] >> bits & 1 == 1
        reach = np.bitwise_or.reduce(np.where(hit, unions, 0), axis=1)
        inside = reach[:, None] >> bits & 1 == 1
        unions = np.where(inside, reach[:, None], unions)
    lowest = unions & -unions
    counts: IntArray = (lowest == 1 << bits).sum(axis=1)
    return counts
