"""The levels of one release, and of several draws of it for the same record.

The posterior r(x) ∝ P(x) Π_i P(y_i | x) does not depend on the draws' order, so each multiset of
outputs is measured once. Draws are independent given X but not given S, so the level of k draws may
be more than k times that of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures, validation
from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.limits import AT_ONCE, MAX_WRITTEN, ROUNDING
from core.measures.leakage import leakage
from core.measures.pointwise import divergence
from core.notions import LDP, LIP
from core.notions.base import Notion, PointwiseNotion, worst
from core.release.in_turn import MOST_HELD
from core.validation import FloatArray, IntArray

MOST_PRODUCTS = 2_000_000
"""Most multisets of outputs that are all measured: k = 2 of 1,999 outputs, k = 3 of 227."""


@dataclass(frozen=True)
class RepeatedLevel:
    """The level of a notion for several draws for the same record.

    Attributes
    ----------
    level : float
        In the notion's unit: the least level at which it holds if `exact`, else a lower bound.
    at_most : float
        An upper bound on the level.
    exact : bool
        Whether all products of outputs were measured.
    """

    level: float
    at_most: float
    exact: bool


def repeated(joint: Joint, kernel: ArrayLike, notion: Notion, k: int) -> float:
    """Return the least level at which a notion holds for k independent draws of the same record.

    It is the maximum, over all y_1, …, y_k that can occur together, of the level of
    r(x) ∝ P(x) Π_i P(y_i | x). With more than `MOST_PRODUCTS` products it is the largest level
    found, a lower bound; `draws` returns an upper bound too.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The notion; the result is in the unit of its `achieved`.
    k : int
        Number of draws, at least 1.

    Returns
    -------
    level : float
        In nats where the notion has one budget; ∞ where no budget is enough.

    Raises
    ------
    InvalidInputError
        If `k` is not a whole number of at least 1, or the kernel is invalid.

    Examples
    --------
    The LDP level of k draws of a symmetric channel for S itself is k times that of one:

    >>> from core.notions import LDP
    >>> joint = Joint.from_counts([[1, 0], [0, 1]])
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> [round(repeated(joint, flip, LDP(1), k), 4) for k in (1, 2, 3)]  # log 3, log 9, log 27
    [1.0986, 2.1972, 3.2958]
    """
    return float(draws(joint, kernel, notion, k).level)


def draws(joint: Joint, kernel: ArrayLike, notion: Notion, k: int) -> RepeatedLevel:
    """Return the level of k independent draws, with an upper bound; arguments as `repeated`.

    Infinitely many draws show which row of the kernel X has, and no more. So under a notion with
    a convex set of outputs the level of publishing that row is an upper bound.

    Raises
    ------
    InvalidInputError
        As `repeated`, and if a notion with exceptions has too many products to measure.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> draws(joint, [[0.6, 0.4], [0.4, 0.6]], LIP(1), 2).exact
    True
    """
    array = joint.checked_kernel(kernel)
    count = validation.whole(k, "k", low=1)
    if count == 1:
        level = float(notion.achieved(joint, array))
        return RepeatedLevel(level, level, exact=True)
    occurs = joint.release(array).sum(axis=0) > 0
    products = comb(int(occurs.sum()) + count - 1, count)
    pointwise = isinstance(notion, PointwiseNotion)
    room = MOST_PRODUCTS if pointwise else MOST_HELD // len(array)
    if pointwise and array.size > MAX_WRITTEN:  # all pairs of its outputs may be terabytes
        together = _given_together(array[:, occurs], count)
        if together is None:
            level = notion.achieved(joint, array)
            return RepeatedLevel(level, _of_endless(joint, array, notion), exact=False)
        level = _level_of_all(joint, array[:, occurs], notion, count, together)
        return RepeatedLevel(level, level, exact=True)
    if products <= room:
        level = _level_of_all(joint, array[:, occurs], notion, count)
        return RepeatedLevel(level, level, exact=True)
    if isinstance(notion, PointwiseNotion):
        level = _level_of_some(joint, array[:, occurs], notion, count)
    elif notion.without_exceptions() is not notion:
        # merged outputs may be exceptions more often than each: fewer draws prove nothing
        raise InvalidInputError(
            f"{count} draws of {int(occurs.sum())} outputs give {products:,} combinations: too "
            f"many to count the exceptions of {notion}."
        )
    else:  # fewer draws reveal no more
        level = draws(joint, array, notion, count - 1).level
    return RepeatedLevel(level, max(level, _of_endless(joint, array, notion)), exact=False)


def product_kernel(kernel: FloatArray, k: int) -> FloatArray:
    """Return P(y_1 … y_k | x) for each multiset of outputs, shape (rows, C(n_y + k − 1, k)).

    Examples
    --------
    >>> product_kernel(np.array([[0.5, 0.5]]), 2)
    array([[0.25, 0.5 , 0.25]])
    """
    blocks = [
        _product(kernel, chosen) * _orders(chosen)
        for chosen in _multisets(kernel.shape[1], k, AT_ONCE // len(kernel))
    ]
    return np.hstack(blocks)


def _given_together(kernel: FloatArray, k: int) -> IntArray | None:
    """Return the multisets of k outputs that one row gives, (c, k); None where they are many."""
    leads = sparse.csc_array(kernel > 0).astype(np.float64)
    of_row, joined = np.diff(leads.tocsr().indptr), leads
    chosen: IntArray = np.arange(kernel.shape[1])[:, None]
    for _ in range(k - 1):
        if np.diff(joined.tocsr().indptr) @ of_row > MOST_PRODUCTS:
            return None
        first, last = (joined.T @ leads).nonzero()
        later = last >= chosen[first, -1]
        first, last = first[later], last[later]
        chosen = np.column_stack([chosen[first], last])
        joined = sparse.csc_array(joined[:, first].multiply(leads[:, last]))
    return chosen


def _level_of_all(
    joint: Joint,
    kernel: FloatArray,
    notion: Notion,
    k: int,
    together: IntArray | None = None,
) -> float:
    """Return the level over all products of k outputs, or of those that come `together`, (c, k)."""
    if not isinstance(notion, PointwiseNotion):
        return notion.achieved(joint, product_kernel(kernel, k))
    lower = upper = -np.inf
    at_once = max(1, AT_ONCE // len(kernel))
    blocks: Iterable[IntArray] = _multisets(kernel.shape[1], k, at_once)
    if together is not None:
        blocks = (together[i : i + at_once] for i in range(0, len(together), at_once))
    for chosen in blocks:
        levels = _worst_levels(joint, _product(kernel, chosen), notion)
        lower, upper = max(lower, levels[0]), max(upper, levels[1])
    return notion.combined(lower, upper)


def _level_of_some(joint: Joint, kernel: FloatArray, notion: PointwiseNotion, k: int) -> float:
    """Return the largest level of products found by a beam search, a lower bound."""
    at_ends = 32  # partial products that are extended, for each secret and each direction
    partial = kernel
    for _ in range(k - 1):
        longer = (partial[:, :, None] * kernel[:, None, :]).reshape(len(kernel), -1)
        released = _released(joint, longer)
        longer = longer[:, released.sum(axis=0) > 0]
        longer /= longer.max(axis=0)  # so that no product underflows
        beliefs = _released(joint, longer)
        beliefs /= beliefs.sum(axis=0)
        order = np.argsort(beliefs, axis=1)
        kept = np.unique(np.hstack([order[:, :at_ends], order[:, -at_ends:]]))
        partial = longer[:, kept]
    return notion.combined(*_worst_levels(joint, partial, notion))


def _of_endless(joint: Joint, kernel: FloatArray, notion: Notion) -> float:
    """Return the level of publishing which row of the kernel a record has."""
    try:
        notion.allowed_set(joint)
    except NotConvexError:
        return np.inf
    _, row = np.unique(kernel, axis=0, return_inverse=True)
    return notion.achieved(joint, np.eye(int(row.max()) + 1)[row.ravel()])


def _worst_levels(
    joint: Joint, columns: FloatArray, notion: PointwiseNotion
) -> tuple[float, float]:
    """Return the largest lower and upper level of outputs P(y | x), up to scale, shape (·, c)."""
    largest = columns.max(axis=0)
    joint_sy = _released(joint, columns[:, largest > 0] / largest[largest > 0])
    joint_sy = joint_sy[:, joint_sy.sum(axis=0) > 0]
    if joint_sy.shape[1] == 0:
        return -np.inf, -np.inf
    p_s = joint.p_s
    share = p_s[p_s > 0].min() / (2 * joint_sy.shape[1])
    part = share * joint_sy / joint_sy.sum(axis=0)
    whole = np.hstack([part, (p_s - part.sum(axis=1))[:, None]])
    return worst(notion.lower_level(whole)[:-1]), worst(notion.upper_level(whole)[:-1])


def _released(joint: Joint, columns: FloatArray) -> FloatArray:
    """Return Σ_x P(s, x) v(x, y) of columns v of shape (n_x or n_s·n_x, c), shape (n_s, c)."""
    result: FloatArray
    if len(columns) == joint.n_x:
        result = joint.p @ columns
    else:
        result = np.einsum("sx,sxy->sy", joint.p, columns.reshape(joint.n_s, joint.n_x, -1))
    return result


def _multisets(n_y: int, k: int, at_once: int) -> Iterator[IntArray]:
    """Yield all multisets of k of n_y outputs, in blocks of shape (at most at_once, k)."""
    every = combinations_with_replacement(range(n_y), k)
    while chosen := list(islice(every, max(1, at_once))):
        yield np.array(chosen, dtype=np.int64)


def _product(kernel: FloatArray, chosen: IntArray) -> FloatArray:
    """Return Π_i P(y_i | x) for each multiset, shape (rows, multisets)."""
    product = kernel[:, chosen[:, 0]].copy()
    for column in chosen.T[1:]:
        product *= kernel[:, column]
    return product


def _orders(chosen: IntArray) -> FloatArray:
    """Return the number of orders in which each multiset can be drawn, shape (multisets,)."""
    orders = np.full(len(chosen), float(factorial(chosen.shape[1])))
    run = np.ones(len(chosen))
    for i in range(1, chosen.shape[1]):
        run = np.where(chosen[:, i] == chosen[:, i - 1], run + 1, 1)
        orders /= run
    return orders


@dataclass(frozen=True)
class Redrawn:
    """The levels in nats of k draws of one mechanism; of the notion asked for, in its own unit."""

    k: int
    lip: RepeatedLevel
    ldp: RepeatedLevel
    promise: RepeatedLevel
    kept: bool


def own_levels(joint: Joint, kernel: ArrayLike) -> dict[str, float]:
    """Return a mechanism's levels under the keys of `core.release.implications.implied`.

    Shapes: kernel (n_x, n_y).
    """
    joint_sy = joint.release(joint.checked_kernel(kernel))
    labels = tuple(str(y) for y in range(joint_sy.shape[1]))
    report = leakage(joint_sy, labels)
    p = report.joint_sy
    posterior = p / p.sum(axis=0)
    return {
        "lip": report.achieved["lip"],
        "ldp": report.achieved["ldp"],
        "pml": report.achieved["pml"],
        "min_lift": float(max(0.0, -report.log_min_lift.min())),
        "l1_upper": float(np.log1p(measures.l1_lift(p).max())),
        "chi2_upper": float(np.log1p(np.sqrt(measures.chi2_lift(p).max()))),
        "kl": float(max(0.0, divergence(p).max())),
        "guess": float(posterior.max()),
        **{key: float(value) for key, value in report.averages.items()},
        "guessing": float(p.max(axis=0).sum()),
    }


def redrawn(joint: Joint, kernel: ArrayLike, notion: Notion) -> tuple[Redrawn, ...]:
    """Return the levels of one, two and three independent draws for the same record.

    Shapes: kernel (n_x, n_y).
    """
    array = joint.checked_kernel(kernel)
    levels = []
    # the numbers of draws that are measured
    for k in (1, 2, 3):
        level = draws(joint, array, notion, k)
        levels.append(
            Redrawn(
                k,
                draws(joint, array, LIP(1), k),
                draws(joint, array, LDP(1), k),
                level,
                kept=notion.holds(joint, array)
                if k == 1
                else notion.over_budget(level.at_most) <= 1 + ROUNDING,
            )
        )
    return tuple(levels)
