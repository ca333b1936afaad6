"""Watchdog and subset merging over many joints and budgets at once, for averages and frontiers.

Each pair of a joint and a notion is one row; all rows of a block take each step of the
algorithm together. The results equal those of `watchdog` and `subset_merging` with repair.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core import validation
from core.errors import AuditError, InfeasibleError, InvalidInputError
from core.limits import ROUNDING
from core.mechanisms.merging.batch_merging import (
    Block,
    merge_completely,
    merge_in_subsets,
    set_masses,
)
from core.mechanisms.merging.subset_levels import (
    Risk,
    check_risk,
    least_first,
    pointwise_notion,
)
from core.notions import Notion
from core.validation import BoolArray, FloatArray, IntArray

BLOCK = 1 << 15
"""Most cells of P(s, x) in one block of rows, so that its arrays fit the processor's cache."""

Merger = Callable[[Block, BoolArray], tuple[IntArray, BoolArray]]
"""Takes a block and which symbols are in X_H, shape (n_rows, n_x); returns the number of each
symbol's set, 0 for X_L, same shape, and whether the notion allows the sets, shape (n_rows,)."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The utility of a mechanism, and what it merges, for every joint and every notion.

    Attributes
    ----------
    nmi : ndarray
        I(X;Y)/H(X), shape (n_joints, n_notions); 1 where H(X) = 0.
    attained : ndarray
        Whether the budget held without moving symbols from X_L to X_H, same shape.
    sets : ndarray
        The number of each symbol's set, shape (n_joints, n_notions, n_x); 0 for a symbol that is
        published as it is.
    """

    nmi: FloatArray
    attained: BoolArray
    sets: IntArray


def watchdog_batch(joints: ArrayLike, notions: Sequence[Notion]) -> Batch:
    """Return the watchdog's utility for every joint and every notion.

    Parameters
    ----------
    joints : array_like
        P(s, x) of each, shape (n_joints, n_s, n_x).
    notions : sequence of PointwiseNotion
        The notions; those that differ in their budgets only share a block.

    Raises
    ------
    InvalidInputError
        If a joint is not a distribution or a notion is not a `PointwiseNotion`.
    InfeasibleError
        If not even the constant mechanism keeps a notion.
    AuditError
        If a result does not keep its notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> watchdog_batch([[[0.4, 0.1], [0.1, 0.4]]], [LIP(0.5), LIP(1.0)]).nmi
    array([[0., 1.]])
    """
    return _in_blocks(joints, notions, None, merge_completely)


def subset_merging_batch(
    joints: ArrayLike, notions: Sequence[Notion], risk: Risk | None = None
) -> Batch:
    """Return subset merging's utility for every joint and every notion.

    Parameters
    ----------
    joints, notions
        As in `watchdog_batch`.
    risk : {"max", "sum", "ratio"}, optional
        As in `subset_merging`.

    Raises
    ------
    InvalidInputError
        If a joint is not a distribution, a notion is not a `PointwiseNotion` or `risk` does
        not apply to it.
    InfeasibleError
        If not even the constant mechanism keeps a notion.
    AuditError
        If a result does not keep its notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> subset_merging_batch([[[0.4, 0.1], [0.1, 0.4]]], [LIP(0.5), LIP(1.0)]).nmi
    array([[0., 1.]])
    """
    return _in_blocks(joints, notions, risk, merge_in_subsets)


def _in_blocks(
    joints: ArrayLike,
    notions: Sequence[Notion],
    risk: Risk | None,
    merge: Merger,
) -> Batch:
    """Split all pairs of a joint and a notion into blocks of one family, and solve each."""
    p = validation.distribution(joints, "The joints", batch=True)
    p = validation.normalised(p, "The joints")
    if p.ndim != 3:
        raise InvalidInputError(f"The joints must have shape (k, n_s, n_x), got {p.shape}.")
    pointwise = [pointwise_notion(notion, "A batch") for notion in notions]
    families: dict[object, list[int]] = {}
    for j, notion in enumerate(pointwise):
        check_risk(notion, risk)
        # levels depend on the type and the order alone: all other fields are budgets
        families.setdefault((type(notion), getattr(notion, "alpha", None)), []).append(j)
    nmi = np.empty((len(p), len(pointwise)))
    attained = np.empty(nmi.shape, dtype=np.bool_)
    sets = np.empty((*nmi.shape, p.shape[2]), dtype=np.int64)
    step = max(1, BLOCK // (p.shape[1] * p.shape[2]))
    for columns in families.values():
        measured = Block.of(p, pointwise[columns[0]], risk)
        pairs = np.array([(i, j) for j in columns for i in range(len(p))], dtype=np.int64)
        for start in range(0, len(pairs), step):
            i, j = pairs[start : start + step].T
            block = measured.rows(i).ask([pointwise[int(one)] for one in j])
            nmi[i, j], attained[i, j], sets[i, j] = _solved(block, merge)
    return Batch(nmi, attained, sets)


def _solved(block: Block, merge: Merger) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return NMI, whether the budget held without repair, and the number of each symbol's set.

    Shapes (n_rows,), (n_rows,) and (n_rows, n_x).
    """
    sets, attained = merge(block, block.high)
    broken = np.flatnonzero(~attained)
    if broken.size:
        rows = block.rows(broken)
        sets[broken] = merge(rows, _repaired(rows))[0]
    merged = set_masses(block.p, sets, int(sets.max()))
    _audit(block, sets, merged)
    # I(X;Y) = H(Y), as Y is a function of X
    parts = special.entr(block.p_x)
    entropy = parts.sum(axis=1)
    kept = np.where(sets == 0, parts, 0.0).sum(axis=1)
    kept += special.entr(merged.sum(axis=1)).sum(axis=1)
    some = entropy - kept >= ROUNDING  # as `Information` says of one mechanism
    nmi = np.divide(kept, entropy, out=np.ones_like(kept), where=some)
    return np.clip(nmi, 0.0, 1.0), attained, sets


def _repaired(block: Block) -> BoolArray:
    """Return X_H, shape (n_rows, n_x), with symbols of X_L added, least probable first.

    It ends where the notion allows X_H as one output; InfeasibleError if not even all of X.
    """
    high = block.high
    order = least_first(np.where(high, -1.0, block.p_x))
    growing = np.take_along_axis(block.p, order[:, None, :], axis=2).cumsum(axis=2)
    position = np.arange(high.shape[1])
    enough = block.judge(growing)[1] & (position >= high.sum(axis=1, keepdims=True))
    if not enough.any(axis=1).all():
        raise InfeasibleError(
            f"No mechanism keeps {block.notion.name} on a joint of the batch: even the constant "
            f"one breaks it, at {_constant_level(block, enough.any(axis=1)):.6g}."
        )
    np.put_along_axis(high, order, position <= enough.argmax(axis=1)[:, None], axis=1)
    return high


def _constant_level(block: Block, kept: BoolArray) -> float:
    """Return the level of the constant mechanism on the first row that is not kept."""
    row = np.flatnonzero(~kept)[0]
    whole = block.p_s[row, None, :, None]
    lower, upper = block.notion.lower_level(whole), block.notion.upper_level(whole)
    return block.notion.combined(float(lower.max()), float(upper.max()))


def _audit(block: Block, sets: IntArray, merged: FloatArray) -> None:
    """Check every output by the notion's own levels: each symbol of X_L, and the merged sets.

    Parameters
    ----------
    block : Block
        The rows.
    sets : ndarray
        The number of each symbol's set, shape (n_rows, n_x); 0 for a symbol published as it is.
    merged : ndarray
        P(s, A) of the sets, shape (n_rows, n_s, n_sets).

    Raises
    ------
    AuditError
        If a row does not keep its notion.
    """
    rest = np.maximum(block.p_s - merged.sum(axis=2), 0.0)  # X_L as a whole, not an output
    released = np.concatenate([merged, rest[:, :, None]], axis=2)
    published = (sets == 0) & (block.p_x > 0)
    worst = [
        (np.where(published, single, -np.inf), level(released)[:, :-1], budget + ROUNDING)
        for single, level, budget in (
            (block.lower, block.notion.lower_level, block.lower_budget),
            (block.upper, block.notion.upper_level, block.upper_budget),
        )
    ]
    for single, union, most in worst:
        levels = np.concatenate([single, union], axis=1)
        broken = levels > most
        if broken.any():
            highest = np.where(broken, levels, -np.inf).argmax()
            row, output = np.unravel_index(highest, levels.shape)
            raise AuditError(
                f"A batch gives less privacy than asked under {block.notion.name}: an output has "
                f"level {levels[row, output]:.6g}, and {most[row, 0] - ROUNDING:.6g} is allowed."
            )
