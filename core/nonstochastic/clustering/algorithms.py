"""Algorithms 1 and 2 of [NonStoch]: merge the symbols that leave fewest secrets possible.

Algorithm 1 is for anonymity; Algorithm 2 is for problem (5), and its variant for problem (10).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.limits import ROUNDING
from core.nonstochastic.clustering.clusters import (
    Clustering,
    Clusters,
    Components,
    Step,
    checked_weight,
    stopped,
)
from core.nonstochastic.clustering.utility import Distance, cluster_loss
from core.nonstochastic.ranges.partition import Partition, joint_range
from core.validation import BoolArray, FloatArray, IntArray


def merge_for_anonymity(
    occurs: ArrayLike,
    weight: float,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
) -> Clustering:
    """Lower L0(S→X̂) − λ·utility by merging symbols of X (problem (3), Algorithm 1).

    In each step every cluster that leaves fewest secrets possible is merged with another that
    adds a secret, such that the union loses least utility; of equals, the first. The algorithm
    stops before the first step that does not lower the Lagrangian strictly.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x); or (n_z, n_s, n_x), one range for each
        value of side information z: then leakage is the worst over z.
    weight : float
        λ, at least 0.
    utility : {"resolution", "distortion"}
        I0(X;X̂), or minus the largest distortion.
    values : array_like, optional
        The symbols' numbers, for "distortion": shape (n_x,) or (n_x, d).
    codeword, distance
        As in `max_distortion`.
    base : float
        Base of the logarithms.

    Returns
    -------
    Clustering
        The whole path: λ decides only where on it the algorithm stops.

    Raises
    ------
    InvalidInputError
        If the range is empty, a symbol has no secret, λ is below 0, or values do not fit.

    Examples
    --------
    >>> occurs = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    >>> result = merge_for_anonymity(occurs, weight=0.5)
    >>> result.partition, result.utility
    (((0, 1), (2, 3)), 1.0)
    >>> [round(step.leakage, 3) for step in result.steps]
    [2.0, 1.0, 0.415, 0.0]
    """
    ranges = joint_range(occurs, side=True)
    loss = cluster_loss(
        utility, ranges.shape[-1], values, codeword=codeword, distance=distance, base=base
    )
    value = checked_weight(weight)
    return stopped(tuple(_walk(Clusters(ranges, loss, base), value)), value)


def _walk(clusters: Clusters, weight: float) -> Iterator[Step]:
    """Yield every step from the singletons until L0 is 0."""
    yield clusters.step(clusters.reduction(), weight)
    while clusters.ratios().max() > 1:
        merged = _raise_least(clusters)
        yield clusters.step(clusters.reduction(), weight, merged)


def _raise_least(clusters: Clusters) -> Partition:
    """Merge every cluster that leaves fewest secrets possible; return the new clusters."""
    ratios = clusters.ratios()
    worst = ratios.max()
    unions = set()
    for slot in np.flatnonzero((ratios == worst).any(axis=0)).tolist():
        here = slot  # skipped if an earlier merge of this step absorbed it or gave it more secrets
        while (tight := np.flatnonzero(clusters.ratios()[:, here] == worst)).size:
            others = np.flatnonzero(clusters.adds_secrets(here, int(tight[0])))
            best = others[clusters.loss.of_unions(here)[others].argmin()]
            here = clusters.merge(here, int(best))
            unions.add(here)
    return tuple(clusters.members[slot] for slot in sorted(unions) if clusters.alive[slot])


OBJECTIVES = ("maximin", "reduction")
"""The leakage that merges lower: I* (problem (5)), or L0 until I* is 0 (problem (10))."""

Array = TypeVar("Array", FloatArray, IntArray)

Pairs = tuple[IntArray, IntArray]
"""Slots of the first and of the second clusters of some pairs."""


def merge_for_indistinguishability(
    occurs: ArrayLike,
    weight: float,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    objective: str = "maximin",
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
) -> Clustering:
    """Merge clusters of X that lie in different components of the confusability graph.

    With "maximin" (problem (5), Algorithm 2) each step merges the pair whose union loses least
    utility; of equals, the pair whose two components have most clusters, then the first. It stops
    before the first step that does not lower I*(S;X̂) − λ·utility strictly.

    With "reduction" (problem (10)) each step merges the pair after which L0(S→X̂) − λ·utility is
    least; of equals, the union with fewest secrets, then the first. It goes on until one
    component is left, so the result always has I*(S;X̂) = 0.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x); or (n_z, n_s, n_x), one range for each
        value of side information z: then leakage is the worst over z, and a step is as many
        merges as it takes to lower the largest number of components.
    weight : float
        λ, at least 0.
    utility : {"resolution", "distortion"}
        I0(X;X̂), or minus the largest distortion.
    values : array_like, optional
        The symbols' numbers, for "distortion": shape (n_x,) or (n_x, d).
    objective : {"maximin", "reduction"}
        Problem (5) or problem (10).
    codeword, distance
        As in `max_distortion`.
    base : float
        Base of the logarithms.

    Returns
    -------
    Clustering
        The whole path. With "maximin" λ decides only where it stops; with "reduction" it decides
        the path too, which is the same for all weights up to `valid_below`.

    Raises
    ------
    InvalidInputError
        If the range is empty, a symbol has no secret, λ is below 0, values do not fit, or the
        objective is unknown.

    Examples
    --------
    >>> occurs = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> merge_for_indistinguishability(occurs, weight=0.5).partition
    ((0, 2), (1, 3))
    """
    if objective not in OBJECTIVES:
        raise InvalidInputError(f'objective must be "maximin" or "reduction", got {objective!r}.')
    ranges = joint_range(occurs, side=True)
    loss = cluster_loss(
        utility, ranges.shape[-1], values, codeword=codeword, distance=distance, base=base
    )
    value = checked_weight(weight)
    clusters = Clusters(ranges, loss, base)
    components = Components(clusters, ranges)
    if objective == "maximin":
        return stopped(_join(clusters, components, value), value)
    return _join_at_least_reduction(clusters, components, value)


def _join(clusters: Clusters, components: Components, weight: float) -> tuple[Step, ...]:
    """Return every step of Algorithm 2, from the singletons until I* is 0."""
    losses = clusters.loss.of_all_unions()
    steps = [clusters.step(_maximin(clusters, components), weight)]
    while (most := components.most()) > 1:
        unions = set()
        while components.most() == most:
            pairs = np.argwhere(_least(losses, components.candidates()))
            nodes = components.nodes().max(axis=0)
            a, b = pairs[nodes[pairs].sum(axis=1).argmax()].tolist()
            unions.add(_merge(clusters, components, a, b))
            losses[a] = losses[:, a] = clusters.loss.of_unions(a)
        merged = tuple(clusters.members[slot] for slot in sorted(unions) if clusters.alive[slot])
        steps.append(clusters.step(_maximin(clusters, components), weight, merged))
    return tuple(steps)


def _join_at_least_reduction(
    clusters: Clusters, components: Components, weight: float
) -> Clustering:
    """Return the path of the variant for problem (10)."""
    pairs = PairState.of_all(clusters)
    steps = [clusters.step(clusters.reduction(), weight)]
    below = np.inf
    while (most := components.most()) > 1:
        unions = set()
        while components.most() == most:
            a, b, end = pairs.best(clusters, components.candidates(), weight)
            below = min(below, end)
            unions.add(_merge(clusters, components, a, b))
            pairs.refresh(clusters, a)
        merged = tuple(clusters.members[slot] for slot in sorted(unions) if clusters.alive[slot])
        steps.append(clusters.step(clusters.reduction(), weight, merged))
    return Clustering(weight, tuple(steps), valid_below=below)


@dataclass(eq=False)
class PairState:
    """Loss, (n_x, n_x), and number of secrets of the union of every two clusters.

    `sizes`: |⟦S|x̂ ∪ x̂',z⟧|, shape (n_z, n_x, n_x).
    """

    losses: FloatArray
    sizes: IntArray

    @classmethod
    def of_all(cls, clusters: Clusters) -> PairState:
        """Compute the state of all pairs."""
        slots = range(len(clusters.alive))
        losses = clusters.loss.of_all_unions()
        sizes = np.stack([clusters.union_sizes(slot) for slot in slots], axis=1)
        return cls(losses, sizes)

    def refresh(self, clusters: Clusters, slot: int) -> None:
        """Recompute the pairs of one cluster."""
        self.losses[slot] = self.losses[:, slot] = clusters.loss.of_unions(slot)
        self.sizes[:, slot] = self.sizes[:, :, slot] = clusters.union_sizes(slot)

    def best(
        self, clusters: Clusters, candidates: BoolArray, weight: float
    ) -> tuple[int, int, float]:
        """Return the pair to merge at a weight, and up to which weight it stays the same."""
        places = np.flatnonzero(candidates)
        pairs = np.divmod(places, len(candidates))
        leakage = self._leakage(clusters, places, pairs)
        own = np.where(clusters.alive, clusters.loss.own(), -np.inf)
        loss = np.maximum(self.losses.ravel()[places], -_least_of_others(-own, pairs))
        value = leakage + weight * loss
        tied = np.flatnonzero(value == value.min())
        secrets = self.sizes[:, pairs[0][tied], pairs[1][tied]].sum(axis=0)
        best = tied[secrets.argmin()]
        i, j = int(pairs[0][best]), int(pairs[1][best])
        cheaper = loss < loss[best] - ROUNDING * (1 + abs(loss[best]))
        if not cheaper.any():
            return i, j, float("inf")
        ends = (leakage[cheaper] - leakage[best]) / (loss[best] - loss[cheaper])
        return i, j, max(0.0, float(ends.min()))

    def _leakage(self, clusters: Clusters, places: IntArray, pairs: Pairs) -> FloatArray:
        """Return L0 after merging each of some pairs, whose flat indices are `places`."""
        worst = np.full(places.shape, -np.inf)
        for possible, unions, sizes in zip(
            clusters.possible, self.sizes, clusters.sizes, strict=True
        ):
            if not possible:  # z never occurs
                continue
            # A cluster that never occurs with z sets no limit, as if all secrets were possible.
            alone = np.where(sizes > 0, sizes, possible)
            union = unions.ravel()[places]
            least = np.minimum(np.where(union > 0, union, possible), _least_of_others(alone, pairs))
            table = clusters.log(possible / np.maximum(np.arange(possible + 1), 1))
            np.maximum(worst, table[least], out=worst)
        return worst


def _least_of_others(values: Array, pairs: Pairs) -> Array:
    """Return for each pair (i, j) the least of all values but theirs."""
    first, second, *third = np.argsort(values, kind="stable")[:3].tolist()
    i, j = pairs
    has_first = (i == first) | (j == first)
    has_both = has_first & ((i == second) | (j == second))
    rest: Array = np.where(has_first, values[second], values[first])
    rest[has_both] = values[third[0] if third else second]
    return rest


def _least(losses: FloatArray, candidates: BoolArray) -> BoolArray:
    """Say which candidate pairs have the least loss."""
    masked = np.where(candidates, losses, np.inf)
    least: BoolArray = candidates & (masked == masked.min())
    return least


def _merge(clusters: Clusters, components: Components, a: int, b: int) -> int:
    """Merge the clusters a < b in both states and return the union's slot."""
    components.merge(a, b)
    return clusters.merge(a, b)


def _maximin(clusters: Clusters, components: Components) -> float:
    """Return I*(S;X̂), the worst over side information."""
    return float(clusters.log(components.most()))
