"""The layout of a confusability graph: networkx lays out each component, and they are packed."""

from __future__ import annotations

import math
from collections.abc import Iterable

import networkx as nx
import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.validation import FloatArray

SEED = 7
"""Seed of the spring layout: the same graph is always drawn the same way."""

ITERATIONS = 150
"""Iterations of the spring layout: enough to unfold a chain of 60. Kamada–Kawai draws chains
straighter, but runs many threads and takes a second on a busy machine."""

GAP = 1.0
"""Distance between components, in edge lengths."""


def positions(count: int, edges: Iterable[tuple[int, int]]) -> FloatArray:
    """Return coordinates of each node, the same for the same graph.

    Components are laid out one by one and packed in rows, the largest first, without overlap.

    Parameters
    ----------
    count : int
        Number of nodes.
    edges : iterable of (int, int)
        Node index pairs, as `confusability_graph` gives them.

    Returns
    -------
    ndarray
        Shape (count, 2), centred on the origin; the ends of an edge are about 1 apart.

    Raises
    ------
    InvalidInputError
        If there is no node or an edge names an unknown one.

    Examples
    --------
    >>> positions(1, [])
    array([[0., 0.]])
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
    drawn = nx.spring_layout(
        ordered, pos=nx.circular_layout(ordered), seed=SEED, iterations=ITERATIONS
    )
    points = np.array([drawn[node] for node in ordered])
    lengths = [np.linalg.norm(drawn[a] - drawn[b]) for a, b in ordered.edges]
    points = points / np.median(lengths)
    lowered: FloatArray = points - points.min(axis=0)
    return lowered


def _pack(components: list[FloatArray]) -> list[FloatArray]:
    """Return the components shifted into rows, such that the whole is about square."""
    boxes = [points.max(axis=0) + GAP for points in components]
    width = max(math.sqrt(sum(float(box.prod()) for box in boxes)), max(b[0] for b in boxes))
    placed = []
    left = bottom = height = 0.0
    for points, box in zip(components, boxes, strict=True):
        if left > 0 and left + box[0] > width + 1e-9:
            left, bottom, height = 0.0, bottom + height, 0.0
        placed.append(points + np.array([left, bottom]))
        left, height = left + float(box[0]), max(height, float(box[1]))
    return placed
