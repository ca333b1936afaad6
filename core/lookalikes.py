"""Which releases look alike: a confusability graph, laid out to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

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
        Number of connected components: log of it is the maximin information.
    """

    positions: FloatArray
    edges: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    mass: FloatArray
    possible: IntArray
    n_s: int
    components: int


def lookalikes(leak: Leakage) -> Lookalikes:
    """Return the confusability graph of a release.

    Parameters
    ----------
    leak : Leakage
        What the release gives away; only which pairs occur matters.

    Source: [NonStoch] §IV.

    Examples
    --------
    >>> from core.leakage import leakage
    >>> graph = lookalikes(leakage([[0.4, 0.1, 0.0], [0.0, 0.1, 0.4]], ("a", "b", "c")))
    >>> graph.edges, graph.possible.tolist(), graph.components
    (((0, 1), (1, 2)), [1, 2, 1], 1)
    """
    occurs = leak.occurs
    edges = tuple(sorted(confusability_graph(occurs)))
    possible: IntArray = occurs.sum(axis=0)
    return Lookalikes(
        positions=positions(len(leak.labels), edges),
        edges=edges,
        names=leak.labels,
        mass=leak.joint_sy.sum(axis=0),
        possible=possible,
        n_s=int(occurs.shape[0]),
        components=len(connected_components(occurs)),
    )
