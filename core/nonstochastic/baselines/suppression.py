"""The methods that [NonStoch] §VII-B compares its algorithms with."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.nonstochastic.baselines.submodular import submodular_path
from core.nonstochastic.clustering.clusters import Clusters
from core.nonstochastic.clustering.distortion import Distance
from core.nonstochastic.clustering.frontier import FrontierPoint, non_dominated
from core.nonstochastic.clustering.path import Step
from core.nonstochastic.clustering.utility import cluster_loss
from core.nonstochastic.ranges.measures import maximin_information
from core.nonstochastic.ranges.partition import joint_range


def generalise_and_suppress(
    occurs: ArrayLike,
    k: int,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
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
    utility, values, codeword, distance, base
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
    loss = cluster_loss(
        utility, ranges.shape[1], values, codeword=codeword, distance=distance, base=base
    )
    clusters = Clusters(ranges, loss, base)
    sizes = clusters.sizes[0].copy()
    order = sizes.argsort(kind="stable").tolist()
    kept = order[0]
    if sizes[kept] < level:
        for x in order[1:]:
            if sizes[x] >= level and clusters.sizes[0, kept] >= level:
                break
            kept = clusters.merge(kept, x)
    return clusters.step(clusters.reduction(), 0.0, (clusters.members[kept],))


def suppression_frontier(
    occurs: ArrayLike,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
) -> tuple[FrontierPoint, ...]:
    """Return the non-dominated results of generalisation and suppression over all k.

    Parameters and errors as in `generalise_and_suppress`.

    Examples
    --------
    >>> points = suppression_frontier([[1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]])
    >>> [point.partition for point in points]
    [((0, 1, 2), (3,)), ((0, 1), (2,), (3,)), ((0,), (1,), (2,), (3,))]
    """
    secrets = int(joint_range(occurs).any(axis=1).sum())
    steps = (
        generalise_and_suppress(
            occurs, k, utility, values, codeword=codeword, distance=distance, base=base
        )
        for k in range(1, secrets + 1)
    )
    return non_dominated(FrontierPoint(s.leakage, s.utility, s.clusters) for s in steps)


def submodular_frontier(
    occurs: ArrayLike,
    utility: str = "resolution",
    values: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
) -> tuple[FrontierPoint, ...]:
    """Return the non-dominated (I*, utility) pairs of the submodularity-based clustering.

    The clustering starts from the uniform distribution over the pairs that occur. All partitions
    on its paths are candidates, with I*(S;X̂) as leakage.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).
    utility, values, codeword, distance, base
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
    found = {p for weight in tried.tolist() for p in submodular_path(uniform, weight)}
    loss = cluster_loss(
        utility, ranges.shape[1], values, codeword=codeword, distance=distance, base=base
    )
    return non_dominated(
        FrontierPoint(maximin_information(ranges, p, base), 0.0 - loss.of_partition(p), p)
        for p in sorted(found)
    )
