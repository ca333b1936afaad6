"""The confusability graph of a release, and what a quantization reveals: which pairs can occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from core import nonstochastic as ns
from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures.leakage import Leakage, leakage
from core.mechanisms import Mechanism, quantisation
from core.mechanisms.merging.partition import merged_labels
from core.nonstochastic import confusability_graph, positions
from core.nonstochastic.ranges.graph import NODES
from core.nonstochastic.ranges.partition import components
from core.validation import BoolArray, FloatArray, IntArray

DRAWN = 60
"""Most nodes that can be distinguished in a drawing."""


@dataclass(frozen=True, eq=False)
class ConfusabilityGraph:
    """The confusability graph of a release, or its dual view, with the position of each node.

    An edge joins two nodes that can occur with the same ones (`shared`) of `others`: secrets, or
    outputs in the dual view. A node that is a component stands for its `members`; `parts`: each
    node's component; `fewest`: the least number of `others` possible given any node.

    Shapes: positions (n, 2); members, mass, possible, parts (n,).
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
    """Return the indices, sorted, of the `most` greatest masses, or of all if there are fewer."""
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
    """Return the confusability graph of a release ([NonStoch] §IV)."""
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
    """Return the graph with one node for each connected component, and so without edges."""
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
    """Return the layout of a graph, cached; a complete graph is a circle: names have room."""
    if count > 2 and 2 * len(edges) == count * (count - 1):
        turns = 2 * np.pi * np.arange(count) / count
        places: FloatArray = np.column_stack([np.sin(turns), np.cos(turns)])
    else:
        places = positions(count, edges)
    places.flags.writeable = False
    return places


@dataclass(frozen=True, eq=False)
class RangeRelease:
    """What publishing the cluster of X reveals about S, and what it keeps of X, in bits.

    `anonymity`: the fewest secrets that a release leaves possible. `reduction`: L0(S→X̂).
    `information`: I*(S;X̂), what can be known about S without error. `components`: the outputs of
    each. `resolution`: I0(X;X̂). `distortion`: the largest |x − x̂(x)| of a numeric X.
    """

    mechanism: Mechanism
    leak: Leakage
    n_s: int
    anonymity: int
    reduction: float
    information: float
    components: tuple[tuple[int, ...], ...]
    resolution: float
    distortion: float | None

    @property
    def parts(self) -> int:
        """Number of connected components."""
        return len(self.components)


def range_release(
    joint: Joint, partition: Sequence[Sequence[int]], values: FloatArray | None = None
) -> RangeRelease:
    """Measure the release of the cluster of X in a partition; `values` has shape (n_x,)."""
    occurs = joint.p > 0
    made = quantisation(joint, partition)
    clusters = [list(cluster) for cluster in partition]
    leak = leakage(joint.release(made.kernel), made.y_labels)
    return RangeRelease(
        mechanism=made,
        leak=leak,
        n_s=joint.n_s,
        anonymity=ns.anonymity(occurs, clusters),
        reduction=ns.max_uncertainty_reduction(occurs, clusters),
        information=ns.maximin_information(occurs, clusters),
        components=ns.connected_components(leak.occurs),
        resolution=ns.worst_case_resolution(clusters, joint.n_x),
        distortion=None if values is None else ns.max_distortion(clusters, values),
    )


@dataclass(frozen=True, eq=False)
class RangeTable:
    """Which outputs occur (n_s, n_y) with which secrets, sorted so that components are blocks.

    `parts`: the component of each output, (n_y,). `left_out`: how many of the least likely are.
    """

    occurs: BoolArray
    s_labels: tuple[str, ...]
    y_labels: tuple[str, ...]
    parts: IntArray
    left_out: tuple[int, int]


def range_table(leak: Leakage, s_labels: Sequence[str], most: int = 80) -> RangeTable:
    """Return the bipartite range of a release as a table of at most `most` rows and columns."""
    rows, columns = components(leak.occurs)
    s = most_likely(leak.joint_sy.sum(axis=1), most)
    y = most_likely(leak.joint_sy.sum(axis=0), most)
    s = s[np.argsort(rows[s], kind="stable")]
    y = y[np.argsort(columns[y], kind="stable")]
    return RangeTable(
        occurs=leak.occurs[np.ix_(s, y)],
        s_labels=tuple(s_labels[i] for i in s),
        y_labels=tuple(leak.labels[i] for i in y),
        parts=columns[y],
        left_out=(len(rows) - len(s), len(columns) - len(y)),
    )
