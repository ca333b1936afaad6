"""Quantizations of X as mechanisms: publish the cluster that holds x ([NonStoch] §V)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.joint import JOINER, Joint
from core.mechanisms.merging.partition import merged_labels, merging_kernel, partition_mechanism
from core.mechanisms.result import Mechanism, make_mechanism
from core.nonstochastic import solve, with_secret
from core.nonstochastic.ranges.partition import checked_partition


def quantisation(joint: Joint, partition: Sequence[Sequence[int]]) -> Mechanism:
    """Return the mechanism that publishes the cluster of X, without a notion.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    partition : sequence of clusters
        Clusters of the indices of X, as the clustering algorithms return them.

    Raises
    ------
    InvalidInputError
        If the clusters do not hold every index once.

    Examples
    --------
    >>> joint = Joint.from_counts([[2, 1, 1], [0, 2, 2]])
    >>> quantisation(joint, [(0,), (1, 2)]).kernel
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    return partition_mechanism(
        joint,
        checked_partition(partition, joint.n_x),
        name="Quantisation",
        solver="clustering",
        status="heuristic",
        notion=None,
    )


def clustering(
    joint: Joint,
    problem: str,
    weight: float,
    utility: str = "resolution",
    values: ArrayLike | None = None,
) -> Mechanism:
    """Return the quantization that an agglomerative algorithm finds on a joint's range.

    The clusters depend on which pairs (s, x) occur, not on their probabilities.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    problem : {"anonymity", "maximin", "reduction"}
        Problem (3), by Algorithm 1; (5), by Algorithm 2; or (10).
    weight : float
        λ ≥ 0: bits of leakage that one unit of utility is worth.
    utility : {"resolution", "distortion"}
        I0(X;X̂), or the negative of the largest distortion.
    values : array_like, optional
        A number for each symbol, shape (n_x,), for "distortion".

    Raises
    ------
    InvalidInputError
        If the problem or the utility is unknown, λ is below 0, or the values do not fit.

    Notes
    -----
    Source: [NonStoch] §V.

    Examples
    --------
    >>> joint = Joint.from_counts([[2, 1, 0], [0, 0, 3]])
    >>> clustering(joint, "maximin", weight=0.5).y_labels
    ('x1 + x3', 'x2')
    """
    solution = solve(problem, joint.p > 0, weight, utility, values)
    return quantisation(joint, solution.partition)


def secret_quantisation(joint: Joint, partition: Sequence[Sequence[int]]) -> Mechanism:
    """Return the mechanism that publishes the cluster of the pair (s, x), so it reads S too.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    partition : sequence of clusters
        Clusters of the pairs that `core.nonstochastic.with_secret` lists for `joint.p > 0`. A
        pair of probability 0 is in none; its row of the kernel publishes the first one.

    Raises
    ------
    InvalidInputError
        If the clusters do not hold every pair once.

    Examples
    --------
    >>> joint = Joint.from_counts([[2, 1], [0, 1]])
    >>> secret_quantisation(joint, [(0,), (1, 2)]).kernel
    array([[1., 0.],
           [0., 1.],
           [1., 0.],
           [0., 1.]])
    """
    _, pairs = with_secret(joint.p > 0)
    clusters = checked_partition(partition, len(pairs))
    kernel = np.zeros((joint.n_s * joint.n_x, len(clusters)))
    kernel[:, 0] = 1.0
    rows = [s * joint.n_x + x for s, x in pairs]
    kernel[rows] = merging_kernel(clusters, len(pairs))
    names = [f"{joint.s_labels[s]}{JOINER}{joint.x_labels[x]}" for s, x in pairs]
    return make_mechanism(
        joint,
        kernel,
        name="Quantisation of (S, X)",
        solver="clustering",
        notion=None,
        y_labels=merged_labels(clusters, names, np.array([joint.p[pair] for pair in pairs])),
        notes=("It reads S at release time.",),
    )
