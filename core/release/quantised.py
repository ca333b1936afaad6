"""A quantisation measured by which pairs (s, y) can occur, and by their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core import nonstochastic as ns
from core.joint import Joint
from core.measures.leakage import Leakage, leakage
from core.mechanisms import Mechanism, quantisation
from core.nonstochastic.ranges.components import components
from core.release.confusability import most_likely
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RangeRelease:
    """What publishing the cluster of X tells about S, and what it keeps of X.

    Attributes
    ----------
    mechanism : Mechanism
        The quantisation.
    leak : Leakage
        What it tells about S, by the probabilities.
    n_s : int
        Number of secrets.
    anonymity : int
        k: the fewest secrets that a release leaves possible.
    reduction : float
        L0(S→X̂), in bits.
    information : float
        I*(S;X̂), in bits: what can be known about S without error.
    components : tuple of tuple of int
        The outputs of each connected component; I* is the logarithm of their number.
    resolution : float
        I0(X;X̂), in bits.
    distortion : float or None
        The largest |x − x̂(x)|, where X is numeric.
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
    """Measure the release of the cluster of X in a partition.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    partition : sequence of clusters
        Indices of X, each in one cluster.
    values : ndarray, optional
        A number for each symbol of X, shape (n_x,).

    Raises
    ------
    InvalidInputError
        If the partition does not hold every index once, or the values do not fit.

    Examples
    --------
    >>> joint = Joint.from_counts([[2, 1, 0], [0, 0, 3]])
    >>> found = range_release(joint, [(0,), (1, 2)])
    >>> found.anonymity, found.reduction, found.information, round(found.mechanism.nmi, 3)
    (1, 1.0, 0.0, 0.629)
    """
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
    """Which outputs occur with which secrets, sorted so that components are blocks.

    Attributes
    ----------
    occurs : ndarray of bool
        Whether s occurs with y, shape (n_s, n_y).
    s_labels, y_labels : tuple of str
        Names of the rows and of the columns.
    parts : ndarray
        Index of each output's component, shape (n_y,).
    left_out : (int, int)
        Numbers of secrets and outputs, the least likely ones, that are not in the table.
    """

    occurs: BoolArray
    s_labels: tuple[str, ...]
    y_labels: tuple[str, ...]
    parts: IntArray
    left_out: tuple[int, int]


def range_table(leak: Leakage, s_labels: Sequence[str], most: int = 80) -> RangeTable:
    """Return the bipartite range of a release as a table of at most `most` rows and columns.

    Examples
    --------
    >>> leak = leakage([[0.3, 0.0, 0.1], [0.0, 0.6, 0.0]], ("a", "b", "c"))
    >>> table = range_table(leak, ("f", "m"))
    >>> table.y_labels, table.occurs.astype(int).tolist(), table.parts.tolist()
    (('a', 'c', 'b'), [[1, 1, 0], [0, 0, 1]], [0, 0, 1])
    """
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
