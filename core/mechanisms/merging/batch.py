"""Watchdog and subset merging over many joints and budgets at once, for averages and frontiers.

Every pair of a joint and a notion is one row; all rows of a block take each step of the
algorithm together. The answers are those of `watchdog` and `subset_merging` with their repair.
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
from core.mechanisms.merging.subset_levels import Risk, check_risk, pointwise_notion
from core.notions import Notion
from core.validation import BoolArray, FloatArray, IntArray

BLOCK = 1 << 15
"""Cells of P(s, x) that one block of rows holds: its arrays then stay in the cache."""

Merger = Callable[[Block, BoolArray], tuple[IntArray, BoolArray]]
"""Takes what is in X_H; returns each symbol's set, 0 for X_L, and whether the budget holds."""


@dataclass(frozen=True, eq=False)
class Batch:
    """What a mechanism keeps of X, for every joint and every notion.

    Attributes
    ----------
    nmi : ndarray
        I(X;Y)/H(X), shape (n_joints, n_notions); 1 where H(X) = 0.
    attained : ndarray
        Whether the budget held without moving symbols from X_L to X_H, same shape.
    """

    nmi: FloatArray
    attained: BoolArray


def watchdog_batch(joints: ArrayLike, notions: Sequence[Notion]) -> Batch:
    """Return what the watchdog keeps of X, for every joint and every notion.

    Parameters
    ----------
    joints : array_like
        P(s, x) of each, shape (n_joints, n_s, n_x).
    notions : sequence of PointwiseNotion
        What is asked; those that differ in their budgets only are answered together.

    Raises
    ------
    InvalidInputError
        If a joint is no distribution or a notion does not bound single symbols.
    InfeasibleError
        If not even the constant mechanism keeps a notion.

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
    """Return what subset merging keeps of X, for every joint and every notion.

    Parameters
    ----------
    joints, notions
        As in `watchdog_batch`.
    risk : {"max", "sum", "ratio"}, optional
        As in `subset_merging`.

    Raises
    ------
    InvalidInputError
        If a joint is no distribution, a notion does not bound single symbols or `risk` does
        not apply to it.
    InfeasibleError
        If not even the constant mechanism keeps a notion.

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
    """Cut all pairs of a joint and a notion into blocks of one family, and answer each."""
    p = validation.distribution(joints, "The joints", batch=True)
    if p.ndim != 3:
        raise InvalidInputError(f"The joints must have shape (k, n_s, n_x), got {p.shape}.")
    asked = [pointwise_notion(notion, "A batch") for notion in notions]
    families: dict[object, list[int]] = {}
    for j, notion in enumerate(asked):
        check_risk(notion, risk)
        # What levels depend on beside the joint: all other fields are budgets.
        families.setdefault((type(notion), getattr(notion, "alpha", None)), []).append(j)
    nmi = np.empty((len(p), len(asked)))
    attained = np.empty(nmi.shape, dtype=np.bool_)
    step = max(1, BLOCK // (p.shape[1] * p.shape[2]))
    for columns in families.values():
        measured = Block.of(p, asked[columns[0]], risk)
        pairs = np.array([(i, j) for j in columns for i in range(len(p))], dtype=np.int64)
        for start in range(0, len(pairs), step):
            i, j = pairs[start : start + step].T
            block = measured.rows(i).ask([asked[int(one)] for one in j])
            nmi[i, j], attained[i, j] = _answer(block, merge)
    return Batch(nmi, attained)


def _answer(block: Block, merge: Merger) -> tuple[FloatArray, BoolArray]:
    """Return NMI and whether the budget was attained for each row of one family."""
    sets, attained = merge(block, block.high)
    broken = np.flatnonzero(~attained)
    if broken.size:
        rows = block.rows(broken)
        sets[broken] = merge(rows, _repaired(rows))[0]
    merged = set_masses(block.p, sets, int(sets.max()))
    _audit(block, sets, merged)
    # I(X;Y) = H(Y): Y is a function of X.
    parts = special.entr(block.p_x)
    entropy = parts.sum(axis=1)
    kept = np.where(sets == 0, parts, 0.0).sum(axis=1)
    kept += special.entr(merged.sum(axis=1)).sum(axis=1)
    nmi = np.divide(kept, entropy, out=np.ones_like(kept), where=entropy > 0)
    return np.clip(nmi, 0.0, 1.0), attained


def _repaired(block: Block) -> BoolArray:
    """Return X_H with symbols of X_L moved in, least probable first, until it is allowed."""
    high = block.high
    order = np.argsort(np.where(high, -1.0, block.p_x), axis=1, kind="stable")
    growing = np.take_along_axis(block.p, order[:, None, :], axis=2).cumsum(axis=2)
    position = np.arange(high.shape[1])
    enough = block.judge(growing)[1] & (position >= high.sum(axis=1, keepdims=True))
    if not enough.any(axis=1).all():
        raise InfeasibleError(
            f"No mechanism keeps {block.notion.name} on a joint of the batch: even the constant "
            "one breaks it."
        )
    np.put_along_axis(high, order, position <= enough.argmax(axis=1)[:, None], axis=1)
    return high


def _audit(block: Block, sets: IntArray, merged: FloatArray) -> None:
    """Check every output by the notion's own levels: X_L one by one, and the merged sets.

    Parameters
    ----------
    block : Block
        The rows.
    sets : ndarray
        The set of each symbol, shape (n_rows, n_x); 0 is published as it is.
    merged : ndarray
        P(s, A) of the sets, shape (n_rows, n_s, n_sets).

    Raises
    ------
    AuditError
        If a row gives less privacy than asked.
    """
    rest = np.maximum(block.p_s - merged.sum(axis=2), 0.0)  # X_L as a whole, not judged
    released = np.concatenate([merged, rest[:, :, None]], axis=2)
    published = (sets == 0) & (block.p_x > 0)
    worst = [
        (np.where(published, single, -np.inf), level(released)[:, :-1], budget + ROUNDING)
        for single, level, budget in (
            (block.lower, block.notion.lower_level, block.lower_budget),
            (block.upper, block.notion.upper_level, block.upper_budget),
        )
    ]
    if any((single > most).any() or (union > most).any() for single, union, most in worst):
        raise AuditError(f"A batch gives less privacy than asked under {block.notion.name}.")
