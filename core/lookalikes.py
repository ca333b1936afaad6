"""Which releases look alike: a confusability graph, laid out to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from core.leakage import Leakage
from core.nonstochastic import confusability_graph, connected_components, positions
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Lookalikes:
    """The confusability graph of a release, with the place of each node.

    Attributes
    ----------
    positions : ndarray
        Where to draw each output, shape (n_y, 2).
    edges : tuple of (int, int)
        Pairs of outputs that one secret can lead to, in order.
    names : tuple of str
        Names of the outputs, n_y of them.
    mass : ndarray
        P(y), shape (n_y,).
    possible : ndarray
        How many secrets are possible under each output, shape (n_y,).
    n_s : int
        Number of secrets.
    components : int
        Number of connected components of the whole graph: log of it is the maximin information.
    fewest : int
        The fewest secrets possible under any output.
    left_out : int
        How many outputs, the least likely ones, are not among these nodes.
    """

    positions: FloatArray
    edges: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    mass: FloatArray
    possible: IntArray
    n_s: int
    components: int
    fewest: int
    left_out: int


def most_likely(mass: ArrayLike, most: int) -> IntArray:
    """Return the indices, in order, of the `most` greatest masses; all where there are no more.

    Examples
    --------
    >>> most_likely([0.1, 0.5, 0.2, 0.2], 2).tolist()
    [1, 2]
    """
    masses = np.asarray(mass, dtype=np.float64)
    first: IntArray = np.sort(np.argsort(-masses, kind="stable")[:most])
    return first


def lookalikes(leak: Leakage, most: int = 60) -> Lookalikes:
    """Return the confusability graph of a release.

    Parameters
    ----------
    leak : Leakage
        What the release gives away; only which pairs occur matters.
    most : int
        Nodes at most: of a larger graph the most likely outputs are kept.

    Source: [NonStoch] §IV.

    Examples
    --------
    >>> from core.leakage import leakage
    >>> graph = lookalikes(leakage([[0.4, 0.1, 0.0], [0.0, 0.1, 0.4]], ("a", "b", "c")))
    >>> graph.edges, graph.possible.tolist(), graph.components
    (((0, 1), (1, 2)), [1, 2, 1], 1)
    """
    mass = leak.joint_sy.sum(axis=0)
    kept = most_likely(mass, most)
    possible: IntArray = leak.occurs.sum(axis=0)
    occurs = leak.occurs[:, kept]
    edges = tuple(sorted(confusability_graph(occurs)))
    return Lookalikes(
        positions=_places(len(kept), edges),
        edges=edges,
        names=tuple(leak.labels[y] for y in kept),
        mass=mass[kept],
        possible=possible[kept],
        n_s=int(occurs.shape[0]),
        components=len(connected_components(leak.occurs)),
        fewest=int(possible.min()),
        left_out=len(leak.labels) - len(kept),
    )


@lru_cache(maxsize=256)
def _places(count: int, edges: tuple[tuple[int, int], ...]) -> FloatArray:
    """Return the layout of a graph; a slider changes masses often and edges rarely."""
    places = positions(count, edges)
    places.flags.writeable = False
    return places
