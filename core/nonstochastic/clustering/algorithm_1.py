"""Algorithm 1 of [NonStoch]: merge the symbols that leave fewest secrets possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from core.nonstochastic.clustering.clusters import Clusters
from core.nonstochastic.clustering.distortion import Distance
from core.nonstochastic.clustering.path import Clustering, Step, checked_weight, stopped
from core.nonstochastic.clustering.utility import cluster_loss
from core.nonstochastic.ranges.partition import Partition, joint_range


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
