"""The confusability graph of a release ([NonStoch] §IV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.nonstochastic.ranges.components import components
from core.nonstochastic.ranges.partition import joint_range, quantised
from core.validation import BoolArray

NODES = ("released", "secret")
"""What the nodes of a confusability graph can be."""


def confusability_graph(
    occurs: ArrayLike,
    partition: Sequence[Sequence[int]] | None = None,
    nodes: str = "released",
) -> set[tuple[int, int]]:
    """Return the edges of the confusability graph as index pairs (i, j), i < j.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).
    partition : sequence of clusters, optional
        The release; X itself where not given.
    nodes : {"released", "secret"}
        "released": an edge joins two symbols x (or clusters, by their index in `partition`) that
        can occur with the same secret. "secret", the dual view: an edge joins two secrets that
        can occur with the same x (or cluster).

    Raises
    ------
    InvalidInputError
        If the range, the partition or `nodes` is not as described.

    Notes
    -----
    Source: [NonStoch] §IV.

    Examples
    --------
    >>> confusability_graph([[1, 1, 0], [0, 0, 1]])
    {(0, 1)}
    >>> confusability_graph([[1, 1, 0], [0, 0, 1]], partition=[(0, 2), (1,)], nodes="secret")
    {(0, 1)}
    """
    side = _node_side(occurs, partition, nodes)
    shared = side.astype(np.int64).T @ side.astype(np.int64) > 0
    first, second = np.nonzero(np.triu(shared, 1))
    return set(zip(first.tolist(), second.tolist(), strict=True))


def shared_by_edge(
    occurs: ArrayLike,
    partition: Sequence[Sequence[int]] | None = None,
    nodes: str = "released",
) -> Mapping[tuple[int, int], tuple[int, ...]]:
    """Return for each edge the secrets (in the dual view, releases) that both ends occur with.

    Parameters and errors as in `confusability_graph`; secrets are given by their index, releases
    by the index of x or of the cluster.

    Examples
    --------
    >>> shared_by_edge([[1, 1, 0], [0, 1, 1]])
    {(0, 1): (0,), (1, 2): (1,)}
    """
    side = _node_side(occurs, partition, nodes)
    edges = sorted(confusability_graph(occurs, partition, nodes))
    return {(i, j): tuple(np.flatnonzero(side[:, i] & side[:, j]).tolist()) for i, j in edges}


def connected_components(
    occurs: ArrayLike,
    partition: Sequence[Sequence[int]] | None = None,
    nodes: str = "released",
) -> tuple[tuple[int, ...], ...]:
    """Return the connected components of the confusability graph as tuples of node indices.

    Parameters and errors as in `confusability_graph`. Components are sorted by their first
    released symbol in both views, so that the k-th of one view is the k-th of the other; a secret
    that never occurs is in none.

    Examples
    --------
    >>> connected_components([[1, 0, 1], [0, 1, 0], [0, 1, 0]])
    ((0, 2), (1,))
    >>> connected_components([[1, 0, 1], [0, 1, 0], [0, 1, 0]], nodes="secret")
    ((0,), (1, 2))
    """
    _check_nodes(nodes)
    rows, columns = components(quantised(joint_range(occurs), partition))
    labels = columns if nodes == "released" else rows
    return tuple(tuple(np.flatnonzero(labels == c).tolist()) for c in range(columns.max() + 1))


def overlap_partition(
    occurs: ArrayLike, partition: Sequence[Sequence[int]] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return the finest overlap partition of the secrets: every release tells the part S is in.

    Parameters and errors as in `confusability_graph`.

    Source: [NonStoch] Def. 1(d) and Lemma 2.

    Examples
    --------
    >>> overlap_partition([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    ((0, 1), (2,))
    """
    return connected_components(occurs, partition, nodes="secret")


def _node_side(
    occurs: ArrayLike, partition: Sequence[Sequence[int]] | None, nodes: str
) -> BoolArray:
    """Return the range with the nodes as its columns."""
    _check_nodes(nodes)
    ranges = quantised(joint_range(occurs), partition)
    return ranges if nodes == "released" else ranges.T


def _check_nodes(nodes: str) -> None:
    if nodes not in NODES:
        raise InvalidInputError(f'nodes must be "released" or "secret", got {nodes!r}.')
