"""The submodularity-based clustering for the privacy funnel, [NonStoch]'s second baseline.

N. Ding and P. Sadeghi, "A submodularity-based clustering algorithm for the information bottleneck
and privacy funnel", ITW 2019 ([NonStoch]'s reference 50). It lowers the stochastic objective
I(S;X̂) − λ·I(X;X̂); here its partitions are evaluated by the ranges alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.nonstochastic.ranges.partition import Partition
from core.validation import FloatArray, IntArray

FALLS = 1e-12
"""Least fall of the Lagrangian, in nats, for which a merge is made: less is rounding."""


def submodular_path(joint_sx: ArrayLike, weight: float) -> tuple[Partition, ...]:
    """Return the partitions that the iterative clustering (IAC-MDSF) goes through.

    Merging a set W of clusters changes the Lagrangian by

        (1−λ)·h(p(W)) − Σ_s h(p(s,W)) + a sum over the members,   h(t) = −t·log t,

    a difference of two submodular functions of W. Each step searches the best W by the
    submodular–supermodular procedure: the subtracted function is replaced by a modular bound, the
    sum of its gains along an order of the clusters that starts with W; the rest is minimised
    exactly; and both are repeated until W stays the same. The first W is the best pair, and the
    clusters after W are ordered by the cost of joining them. The step is taken if the Lagrangian
    falls; else the path ends.

    Parameters
    ----------
    joint_sx : array_like
        P(s, x), shape (n_s, n_x), every x of positive probability. Where only a range is known,
        take the uniform distribution over the pairs that occur.
    weight : float
        λ in [0, 1]; from 1 on no merge lowers the Lagrangian.

    Raises
    ------
    InvalidInputError
        If the joint is no distribution, an x never occurs, or λ is outside [0, 1].

    Examples
    --------
    >>> submodular_path([[0.25, 0.25, 0.0], [0.0, 0.0, 0.5]], weight=0.9)
    (((0,), (1,), (2,)), ((0, 2), (1,)))
    >>> submodular_path([[0.25, 0.25, 0.0], [0.0, 0.0, 0.5]], weight=1)
    (((0,), (1,), (2,)),)
    """
    columns = validation.distribution(joint_sx, "P(s, x)")
    value = validation.number(weight, "weight", low=0.0, high=1.0)
    if not columns.any(axis=0).all():
        raise InvalidInputError("Every symbol x must have a positive probability.")
    clusters: list[tuple[int, ...]] = [(x,) for x in range(columns.shape[1])]
    path = [tuple(clusters)]
    changes = _pair_changes(columns, value)
    while len(clusters) > 1:
        best = _best_set(columns, changes, value)
        if change_of(columns, best, value) >= -FALLS:
            break
        kept = int(best.min())
        merged = tuple(sorted(x for slot in best.tolist() for x in clusters[slot]))
        stay = np.setdiff1d(np.arange(len(clusters)), np.setdiff1d(best, kept))
        columns[:, kept] = columns[:, best].sum(axis=1)
        columns = columns[:, stay]
        clusters[kept] = merged
        clusters = [clusters[slot] for slot in stay.tolist()]
        changes = changes[np.ix_(stay, stay)]
        row = int(np.searchsorted(stay, kept))
        changes[row] = changes[:, row] = _changes_with(columns, columns[:, row], value)
        changes[row, row] = np.inf
        path.append(tuple(sorted(clusters)))
    return tuple(path)


def change_of(columns: FloatArray, slots: IntArray, weight: float) -> float:
    """Return the change of I(S;X̂) − weight·I(X;X̂), in nats, by merging some clusters.

    Parameters
    ----------
    columns : ndarray
        P(s, x̂), shape (n_s, n_clusters).
    slots : ndarray of int
        The clusters to merge.
    weight : float
        λ.

    Examples
    --------
    >>> columns = np.array([[0.25, 0.25, 0.0], [0.0, 0.0, 0.5]])
    >>> round(change_of(columns, np.array([0, 1]), weight=0.0), 9)
    0.0
    """
    chosen = columns[:, slots]
    union = chosen.sum(axis=1)
    masses = (1 - weight) * (_h(union.sum()) - _h(chosen.sum(axis=0)).sum())
    return float(masses - (_h(union) - _h(chosen).sum(axis=1)).sum())


def _best_set(columns: FloatArray, changes: FloatArray, weight: float) -> IntArray:
    """Return the clusters to merge: the submodular–supermodular procedure from the best pair."""
    chosen = np.array(np.unravel_index(changes.argmin(), changes.shape), dtype=np.int64)
    value = change_of(columns, chosen, weight)
    while True:
        found = _minimise_bound(columns, chosen, weight)
        lower = change_of(columns, found, weight) if found.size > 1 else np.inf
        if lower >= value - FALLS:
            return np.sort(chosen)
        chosen, value = found, lower


def _minimise_bound(columns: FloatArray, chosen: IntArray, weight: float) -> IntArray:
    """Return the minimiser of the change, its subtracted part replaced by a bound at `chosen`.

    The bound is modular and tight at `chosen`, so the rest is a concave function of p(W) plus a
    sum over W: a prefix of the clusters, sorted by term over mass, minimises it.
    """
    masses = columns.sum(axis=0)
    inside = columns[:, chosen].sum(axis=1)
    costs = _changes_with(columns, inside, weight)
    costs[chosen] = -np.inf
    order = costs.argsort(kind="stable")
    cumulated = columns[:, order].cumsum(axis=1)
    gains = np.diff(_h(cumulated).sum(axis=0), prepend=0.0)
    terms = np.empty(len(masses))
    terms[order] = -gains
    terms += _h(columns).sum(axis=0) - (1 - weight) * _h(masses)
    ranked = (terms / masses).argsort(kind="stable")
    totals = (1 - weight) * _h(masses[ranked].cumsum()) + terms[ranked].cumsum()
    return np.asarray(ranked[: int(totals.argmin()) + 1], dtype=np.int64)


def _pair_changes(columns: FloatArray, weight: float) -> FloatArray:
    """Return the change of merging each pair, shape (n, n); ∞ on the diagonal."""
    changes = np.array([_changes_with(columns, column, weight) for column in columns.T])
    np.fill_diagonal(changes, np.inf)
    return changes


def _changes_with(columns: FloatArray, column: FloatArray, weight: float) -> FloatArray:
    """Return the change of merging a cluster with P(s, x̂) = `column` with each one, shape (n,)."""
    union = columns + column[:, None]
    mass, each = column.sum(), columns.sum(axis=0)
    outer = (1 - weight) * (_h(mass + each) - _h(mass) - _h(each))
    inner = (_h(union) - _h(columns)).sum(axis=0) - _h(column).sum()
    changes: FloatArray = outer - inner
    return changes


def _h(masses: ArrayLike) -> FloatArray:
    """Return −t·log t, 0 at 0."""
    t = np.asarray(masses, dtype=np.float64)
    entropies: FloatArray = -t * np.log(np.where(t > 0, t, 1.0))
    return entropies
