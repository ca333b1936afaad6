"""The confusability graph of a release ([NonStoch] §IV), and its layout.

networkx lays out each component, and they are packed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.nonstochastic.ranges.partition import components, joint_range, quantised
from core.validation import BoolArray, FloatArray

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
    released symbol in both views, so the k-th of one view is the k-th of the other; a secret
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
    """Return the finest overlap partition of the secrets: every release reveals the part S is in.

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


def positions(count: int, edges: Iterable[tuple[int, int]]) -> FloatArray:
    """Return coordinates of each node, the same for the same graph.

    Components are laid out one by one and packed in rows, the largest first, without overlap.
    """
    size = validation.whole(count, "count", low=1)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(sorted(edges))
    if graph.number_of_nodes() != size:
        stray = next(node for node in graph if node not in range(size))
        raise InvalidInputError(f"An edge names node {stray}, but there are {size} nodes.")
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    drawn = [_component(graph.subgraph(sorted(part))) for part in parts]
    placed = _pack(drawn)
    result = np.zeros((size, 2))
    for part, points in zip(parts, placed, strict=True):
        result[sorted(part)] = points
    centred: FloatArray = result - (result.min(axis=0) + result.max(axis=0)) / 2
    return centred


def _component(graph: nx.Graph[int]) -> FloatArray:
    """Return the positions of a connected graph's nodes, sorted, the lower left corner at 0."""
    if graph.number_of_nodes() == 1:
        return np.zeros((1, 2))
    ordered: nx.Graph[int] = nx.Graph()  # the order of a subgraph's nodes and edges is not fixed
    ordered.add_nodes_from(sorted(graph))
    ordered.add_edges_from(sorted((min(edge), max(edge)) for edge in graph.edges))
    # iterations of the spring layout: enough to unfold a chain of 60. Kamada–Kawai draws chains
    # straighter, but runs many threads and takes a second on a busy machine
    drawn = nx.spring_layout(ordered, pos=nx.circular_layout(ordered), seed=7, iterations=150)
    points = np.array([drawn[node] for node in ordered])
    lengths = [np.linalg.norm(drawn[a] - drawn[b]) for a, b in ordered.edges]
    points = points / np.median(lengths)
    lowered: FloatArray = points - points.min(axis=0)
    return lowered


def _pack(components: list[FloatArray]) -> list[FloatArray]:
    """Return the components shifted into rows, such that the whole is about square."""
    # distance between components, in edge lengths
    boxes = [points.max(axis=0) + 1.0 for points in components]
    width = max(math.sqrt(sum(float(box.prod()) for box in boxes)), max(b[0] for b in boxes))
    placed = []
    left = bottom = height = 0.0
    for points, box in zip(components, boxes, strict=True):
        if left > 0 and left + box[0] > width + 1e-9:
            left, bottom, height = 0.0, bottom + height, 0.0
        placed.append(points + np.array([left, bottom]))
        left, height = left + float(box[0]), max(height, float(box[1]))
    return placed
