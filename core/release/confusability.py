"""The confusability graph of a release, with positions for a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.measures.leakage import Leakage
from core.mechanisms.merging.partition import merged_labels
from core.nonstochastic import confusability_graph, positions
from core.nonstochastic.ranges.components import components
from core.nonstochastic.ranges.graph import NODES
from core.validation import BoolArray, FloatArray, IntArray

DRAWN = 60
"""Most nodes that can be told apart in a drawing."""


@dataclass(frozen=True, eq=False)
class ConfusabilityGraph:
    """The confusability graph of a release, or its dual view, with the position of each node.

    Attributes
    ----------
    positions : ndarray
        Coordinates of each node, shape (n, 2).
    edges : tuple of (int, int)
        Pairs of nodes that can occur with the same one of `others`, sorted.
    shared : tuple of tuple of int
        For each edge, the indices into `others` that both ends can occur with.
    names : tuple of str
        Names of the nodes, n of them: outputs, or secrets in the dual view.
    others : tuple of str
        Names of the other side: secrets, or outputs in the dual view.
    members : ndarray
        How many outputs or secrets each node stands for, shape (n,): 1 unless it is a component.
    mass : ndarray
        Probability of each node, shape (n,).
    possible : ndarray
        How many of `others` are possible given each node, shape (n,).
    parts : ndarray
        Index of each node's connected component, shape (n,); the same in both views.
    components : int
        Number of connected components of the whole graph; its log is the maximin information.
    fewest : int
        The least number of `others` that are possible given any node of the whole graph.
    left_out : int
        Number of nodes, the least likely ones, that are not among these.
    nodes : str
        "released", or "secret" for the dual view.
    """

    positions: FloatArray
    edges: tuple[tuple[int, int], ...]
    shared: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    others: tuple[str, ...]
    members: IntArray
    mass: FloatArray
    possible: IntArray
    parts: IntArray
    components: int
    fewest: int
    left_out: int
    nodes: str


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a release's bipartite range: the nodes of the graph."""

    occurs: BoolArray
    names: tuple[str, ...]
    others: tuple[str, ...]
    mass: FloatArray
    parts: IntArray

    @classmethod
    def of(cls, leak: Leakage, s_labels: Sequence[str] | None, nodes: str) -> _Side:
        if nodes not in NODES:
            raise InvalidInputError(f'nodes must be "released" or "secret", got {nodes!r}.')
        n_s = leak.joint_sy.shape[0]
        names = validation.labels(s_labels, n_s, "s", "s_labels")
        rows, columns = components(leak.occurs)
        if nodes == "released":
            return cls(leak.occurs, leak.labels, names, leak.joint_sy.sum(axis=0), columns)
        here = np.flatnonzero(rows >= 0)
        return cls(
            leak.occurs.T[:, here],
            tuple(names[s] for s in here),
            leak.labels,
            leak.joint_sy.sum(axis=1)[here],
            rows[here],
        )


def most_likely(mass: ArrayLike, most: int) -> IntArray:
    """Return the indices, sorted, of the `most` greatest masses, or of all if there are fewer.

    Examples
    --------
    >>> most_likely([0.1, 0.5, 0.2, 0.2], 2).tolist()
    [1, 2]
    """
    masses = np.asarray(mass, dtype=np.float64)
    first: IntArray = np.sort(np.argsort(-masses, kind="stable")[:most])
    return first


def release_graph(
    leak: Leakage,
    s_labels: Sequence[str] | None = None,
    *,
    nodes: str = "released",
    part: int | None = None,
    most: int = DRAWN,
) -> ConfusabilityGraph:
    """Return the confusability graph of a release.

    Parameters
    ----------
    leak : Leakage
        The joint of S and Y; the edges depend only on which pairs occur.
    s_labels : sequence of str, optional
        Names of the secrets; s1, s2, … where not given.
    nodes : {"released", "secret"}
        The outputs, or in the dual view the secrets.
    part : int, optional
        Index of a connected component: only its nodes are returned.
    most : int
        Most nodes: of a larger graph the most likely ones are kept.

    Raises
    ------
    InvalidInputError
        If the names do not fit, or there is no such view or component.

    Notes
    -----
    Source: [NonStoch] §IV.

    Examples
    --------
    >>> from core.measures.leakage import leakage
    >>> graph = release_graph(leakage([[0.4, 0.1, 0.0], [0.0, 0.1, 0.4]], ("a", "b", "c")))
    >>> graph.edges, graph.shared, graph.possible.tolist(), graph.components
    (((0, 1), (1, 2)), ((0,), (1,)), [1, 2, 1], 1)
    """
    side = _Side.of(leak, s_labels, nodes)
    count = int(side.parts.max()) + 1
    inside = np.arange(len(side.names))
    if part is not None:
        validation.whole(part, "part", low=0, high=count - 1)
        inside = np.flatnonzero(side.parts == part)
    kept = inside[most_likely(side.mass[inside], most)]
    occurs = side.occurs[:, kept]
    edges = tuple(sorted(confusability_graph(occurs)))
    return ConfusabilityGraph(
        positions=_places(len(kept), edges),
        edges=edges,
        shared=tuple(
            tuple(np.flatnonzero(occurs[:, [a, b]].all(axis=1)).tolist()) for a, b in edges
        ),
        names=tuple(side.names[y] for y in kept),
        others=side.others,
        members=np.ones(len(kept), dtype=np.int64),
        mass=side.mass[kept],
        possible=occurs.sum(axis=0),
        parts=side.parts[kept],
        components=count,
        fewest=int(side.occurs.sum(axis=0).min()),
        left_out=len(inside) - len(kept),
        nodes=nodes,
    )


def component_graph(
    leak: Leakage,
    s_labels: Sequence[str] | None = None,
    *,
    nodes: str = "released",
    most: int = DRAWN,
) -> ConfusabilityGraph:
    """Return the graph with one node for each connected component, and so without edges.

    Parameters and errors as in `release_graph`.

    Examples
    --------
    >>> from core.measures.leakage import leakage
    >>> graph = component_graph(leakage([[0.4, 0.1, 0.0], [0.0, 0.0, 0.5]], ("a", "b", "c")))
    >>> graph.names, graph.edges, graph.members.tolist()
    (('a + b', 'c'), (), [2, 1])
    """
    side = _Side.of(leak, s_labels, nodes)
    count = int(side.parts.max()) + 1
    groups = tuple(tuple(np.flatnonzero(side.parts == k).tolist()) for k in range(count))
    names = merged_labels(groups, side.names, side.mass)
    mass = np.array([side.mass[list(group)].sum() for group in groups])
    possible = np.array([side.occurs[:, list(group)].any(axis=1).sum() for group in groups])
    kept = most_likely(mass, most)
    return ConfusabilityGraph(
        positions=_places(len(kept), ()),
        edges=(),
        shared=(),
        names=tuple(names[k] for k in kept),
        others=side.others,
        members=np.array([len(groups[k]) for k in kept]),
        mass=mass[kept],
        possible=possible[kept],
        parts=kept,
        components=count,
        fewest=int(side.occurs.sum(axis=0).min()),
        left_out=count - len(kept),
        nodes=nodes,
    )


@lru_cache(maxsize=256)
def _places(count: int, edges: tuple[tuple[int, int], ...]) -> FloatArray:
    """Return the layout of a graph; a complete graph is a circle, so that names have room.

    Cached, since a slider changes masses often and edges rarely.
    """
    if count > 2 and 2 * len(edges) == count * (count - 1):
        turns = 2 * np.pi * np.arange(count) / count
        places: FloatArray = np.column_stack([np.sin(turns), np.cos(turns)])
    else:
        places = positions(count, edges)
    places.flags.writeable = False
    return places
