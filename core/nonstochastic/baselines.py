"""What the algorithms are compared with: the optimum over all partitions, and other methods.

The methods are those of [NonStoch] §VII-B. The second is N. Ding and P. Sadeghi, "A
submodularity-based clustering algorithm for the information bottleneck and privacy funnel", ITW
2019; here its partitions are evaluated by the ranges alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.limits import MAX_ENUMERATED, ROUNDING
from core.nonstochastic.clustering.clusters import Clusters, Step, checked_weight
from core.nonstochastic.clustering.frontier import PROBLEMS, FrontierPoint, non_dominated
from core.nonstochastic.clustering.utility import cluster_loss
from core.nonstochastic.ranges.measures import maximin_information
from core.nonstochastic.ranges.partition import Partition, components, joint_range
from core.validation import BoolArray, FloatArray, IntArray


def generalise_and_suppress(
    occurs: ArrayLike,
    k: int,
    utility: str = "resolution",
    values: ArrayLike | None = None,
) -> Step:
    """Merge all symbols with fewer than k secrets into one cluster, which gives k-anonymity.

    If their union has fewer than k secrets, the other symbols join it, those with fewest secrets
    first (of equals, the first), until it has k.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).
    k : int
        Secrets that every release must leave possible, from 1 to the number of secrets.
    utility, values
        As in `merge_for_anonymity`.

    Returns
    -------
    Step
        The partition with its L0 and its utility; its Lagrangian is that of λ = 0.

    Raises
    ------
    InvalidInputError
        If k is more than the number of secrets, or as `merge_for_anonymity`.

    Notes
    -----
    Source: [NonStoch] §VII-B, after Sweeney.

    Examples
    --------
    >>> occurs = [[1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]]
    >>> generalise_and_suppress(occurs, k=2).clusters
    ((0, 1), (2,), (3,))
    """
    ranges = joint_range(occurs)
    secrets = int(ranges.any(axis=1).sum())
    level = validation.whole(k, "k", low=1, high=secrets)
    clusters = Clusters(ranges, cluster_loss(utility, ranges.shape[1], values), 2)
    sizes = clusters.sizes[0].copy()
    order = sizes.argsort(kind="stable").tolist()
    slot = order[0]
    if sizes[slot] < level:
        for x in order[1:]:
            if sizes[x] >= level and clusters.sizes[0, slot] >= level:
                break
            slot = clusters.merge(slot, x)
    return clusters.step(clusters.reduction(), 0.0, (clusters.members[slot],))


def suppression_frontier(
    occurs: ArrayLike, utility: str = "resolution", values: ArrayLike | None = None
) -> tuple[FrontierPoint, ...]:
    """Return the non-dominated results of generalization and suppression over all k.

    Arguments and errors as in `generalise_and_suppress`.

    Examples
    --------
    >>> points = suppression_frontier([[1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]])
    >>> [point.partition for point in points]
    [((0, 1, 2), (3,)), ((0, 1), (2,), (3,)), ((0,), (1,), (2,), (3,))]
    """
    secrets = int(joint_range(occurs).any(axis=1).sum())
    steps = (generalise_and_suppress(occurs, k, utility, values) for k in range(1, secrets + 1))
    return non_dominated(FrontierPoint(s.leakage, s.utility, s.clusters) for s in steps)


def submodular_frontier(
    occurs: ArrayLike,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
) -> tuple[FrontierPoint, ...]:
    """Return the non-dominated (I*, utility) pairs of the submodularity-based clustering.

    The clustering starts from the uniform distribution over the pairs that occur. All partitions
    on its paths are candidates, with I*(S;X̂) as leakage.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).
    utility, values
        As in `merge_for_anonymity`.
    weights : array_like, optional
        The funnel's λ in [0, 1] to try; 21 equally spaced ones where not given.

    Examples
    --------
    >>> points = submodular_frontier([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> [round(point.leakage, 2) for point in points]
    [0.0, 1.58]
    """
    ranges = joint_range(occurs)
    tried = np.linspace(0, 1, 21) if weights is None else np.asarray(weights, dtype=np.float64)
    uniform = ranges / ranges.sum()
    partitions = {p for weight in tried.tolist() for p in submodular_path(uniform, weight)}
    loss = cluster_loss(utility, ranges.shape[1], values)
    return non_dominated(
        FrontierPoint(maximin_information(ranges, p), 0.0 - loss.of_partition(p), p)
        for p in sorted(partitions)
    )


def submodular_path(joint_sx: ArrayLike, weight: float) -> tuple[Partition, ...]:
    """Return the partitions that the iterative clustering (IAC-MDSF) goes through.

    Merging a set W of clusters changes the Lagrangian by

        (1−λ)·h(p(W)) − Σ_s h(p(s,W)) + a sum over the members,   h(t) = −t·log t,

    a difference of two submodular functions of W. Each step searches the best W by the
    submodular–supermodular procedure: the subtracted function is replaced by a modular bound, the
    sum of its gains along an order of the clusters that starts with W; the rest is minimized
    exactly; and both are repeated until W stays the same. The first W is the best pair, and the
    clusters after W are ordered by the cost of joining them. The step is taken if the Lagrangian
    falls; else the path ends.

    Shapes: joint_sx (n_s, n_x).
    """
    columns = validation.distribution(joint_sx, "P(s, x)")
    value = validation.number(weight, "weight", low=0.0, high=1.0)
    if not columns.any(axis=0).all():
        raise InvalidInputError("Every symbol x must have a positive probability.")
    clusters: list[tuple[int, ...]] = [(x,) for x in range(columns.shape[1])]
    path = [tuple(clusters)]
    changes = _pair_changes(columns, value)
    while len(clusters) > 1:
        best = _best_set(columns, changes, value)
        if change_of(columns, best, value) >= -ROUNDING:
            break
        kept = int(best.min())
        merged = tuple(sorted(x for slot in best.tolist() for x in clusters[slot]))
        stay = np.setdiff1d(np.arange(len(clusters)), np.setdiff1d(best, kept))
        columns[:, kept] = columns[:, best].sum(axis=1)
        columns = columns[:, stay]
        clusters[kept] = merged
        clusters = [clusters[slot] for slot in stay.tolist()]
        changes = changes[np.ix_(stay, stay)]
        row = int(np.searchsorted(stay, kept))
        changes[row] = changes[:, row] = _changes_with(columns, columns[:, row], value)
        changes[row, row] = np.inf
        path.append(tuple(sorted(clusters)))
    return tuple(path)


def change_of(columns: FloatArray, slots: IntArray, weight: float) -> float:
    """Return the change of I(S;X̂) − weight·I(X;X̂), in nats, by merging some columns."""
    chosen = columns[:, slots]
    union = chosen.sum(axis=1)
    masses = (1 - weight) * (_h(union.sum()) - _h(chosen.sum(axis=0)).sum())
    return float(masses - (_h(union) - _h(chosen).sum(axis=1)).sum())


def _best_set(columns: FloatArray, changes: FloatArray, weight: float) -> IntArray:
    """Return the clusters to merge: the submodular–supermodular procedure from the best pair."""
    chosen = np.array(np.unravel_index(changes.argmin(), changes.shape), dtype=np.int64)
    value = change_of(columns, chosen, weight)
    while True:
        candidate = _minimise_bound(columns, chosen, weight)
        lower = change_of(columns, candidate, weight) if candidate.size > 1 else np.inf
        if lower >= value - ROUNDING:
            return np.sort(chosen)
        chosen, value = candidate, lower


def _minimise_bound(columns: FloatArray, chosen: IntArray, weight: float) -> IntArray:
    """Return the minimizer of the change, its subtracted part replaced by a bound at `chosen`.

    The bound is modular, so the rest is a concave function of p(W) plus a sum over W: a prefix of
    the clusters, sorted by term over mass, minimizes it.
    """
    masses = columns.sum(axis=0)
    inside = columns[:, chosen].sum(axis=1)
    costs = _changes_with(columns, inside, weight)
    costs[chosen] = -np.inf
    order = costs.argsort(kind="stable")
    cumulated = columns[:, order].cumsum(axis=1)
    gains = np.diff(_h(cumulated).sum(axis=0), prepend=0.0)
    terms = np.empty(len(masses))
    terms[order] = -gains
    terms += _h(columns).sum(axis=0) - (1 - weight) * _h(masses)
    ranked = (terms / masses).argsort(kind="stable")
    totals = (1 - weight) * _h(masses[ranked].cumsum()) + terms[ranked].cumsum()
    return np.asarray(ranked[: int(totals.argmin()) + 1], dtype=np.int64)


def _pair_changes(columns: FloatArray, weight: float) -> FloatArray:
    """Return the change of merging each pair, shape (n, n); ∞ on the diagonal."""
    changes = np.array([_changes_with(columns, column, weight) for column in columns.T])
    np.fill_diagonal(changes, np.inf)
    return changes


def _changes_with(columns: FloatArray, column: FloatArray, weight: float) -> FloatArray:
    """Return the change of merging a cluster with P(s, x̂) = `column` with each one, shape (n,)."""
    union = columns + column[:, None]
    mass, masses = column.sum(), columns.sum(axis=0)
    outer = (1 - weight) * (_h(mass + masses) - _h(mass) - _h(masses))
    inner = (_h(union) - _h(columns)).sum(axis=0) - _h(column).sum()
    changes: FloatArray = outer - inner
    return changes


def _h(masses: ArrayLike) -> FloatArray:
    """Return −t·log t, 0 at 0."""
    t = np.asarray(masses, dtype=np.float64)
    entropies: FloatArray = -t * np.log(np.where(t > 0, t, 1.0))
    return entropies


@dataclass(frozen=True, eq=False)
class AllPartitions:
    """Every partition of X that a problem allows, with its leakage and its loss.

    `blocks`: index of the cluster of each symbol, shape (count, n_x). `leakages`, `losses`:
    leakage, and minus the utility, shape (count,).
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
    validation.one_of(problem, PROBLEMS, "problem")
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
    """
    rows: IntArray = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, count):
        choices = rows.max(axis=1) + 2
        last = np.concatenate([np.arange(c) for c in choices])
        rows = np.column_stack([np.repeat(rows, choices, axis=0), last])
    return rows


def _component_counts(ranges: BoolArray, members: BoolArray, masks: IntArray) -> IntArray:
    """Return the number of components after each partition, shape (count,)."""
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


EXACT = "exact"
"""Key of the optimum over all partitions."""

SLOW_FROM = 9
"""Number of symbols of X from which trying all partitions takes more than a quarter of a second."""

BASELINES = {
    "anonymity": ("generalise_and_suppress", suppression_frontier),
    "maximin": ("submodular_path", submodular_frontier),
}
"""For each problem the baseline with the same leakage: its catalogue key and its frontier."""


def rivals(
    problem: str, occurs: ArrayLike, utility: str = "resolution", values: ArrayLike | None = None
) -> Mapping[str, tuple[FrontierPoint, ...]]:
    """Return the frontiers that a problem's algorithm is compared with, by a baseline's key.

    For (10) no baseline keeps I* = 0. With at most 10 symbols the optimum is there too, by `EXACT`.
    """
    ranges = joint_range(occurs)
    frontiers = {}
    if problem in BASELINES:
        key, frontier = BASELINES[problem]
        frontiers[key] = frontier(ranges, utility, values)
    if ranges.shape[1] <= MAX_ENUMERATED:
        frontiers[EXACT] = all_partitions(ranges, problem, utility, values).frontier()
    return frontiers
