"""Watchdog and subset merging ([Lift] Algorithm 1) over many joints and budgets at once.

Each pair of a joint and a notion is a row; the rows of a block take each step together. The results
equal those of `watchdog` and `subset_merging` with repair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core import validation
from core.errors import AuditError, InfeasibleError, InvalidInputError
from core.limits import CACHED, ROUNDING
from core.mechanisms.merging.subset_levels import (
    Risk,
    check_risk,
    first_least,
    first_most,
    least_first,
    pointwise_notion,
    set_levels,
    set_risk,
    slack,
    within,
)
from core.notions import Notion, PointwiseNotion
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that are solved together: their notions differ in their budgets only, in nats.

    Shapes: p (n_rows, n_s, n_x), p_s (n_rows, n_s), p_x and the levels (n_rows, n_x), budgets
    (n_rows, 1). `notion` is any one of the family, for its levels.
    """

    notion: PointwiseNotion
    risk: Risk | None
    p: FloatArray
    p_s: FloatArray
    p_x: FloatArray
    lower: FloatArray
    upper: FloatArray
    lower_budget: FloatArray
    upper_budget: FloatArray

    @classmethod
    def of(cls, p: FloatArray, notion: PointwiseNotion, risk: Risk | None) -> Block:
        """Return the block of joints P(s, x), shape (n_rows, n_s, n_x), under one notion."""
        lower, upper = notion.lower_level(p), notion.upper_level(p)
        return cls(
            notion,
            risk,
            p,
            p.sum(axis=2),
            p.sum(axis=1),
            np.where(np.isnan(lower), 0.0, lower),
            np.where(np.isnan(upper), 0.0, upper),
            np.full((len(p), 1), notion.lower_budget),
            np.full((len(p), 1), notion.upper_budget),
        )

    def rows(self, index: IntArray) -> Block:
        """Return the block of the rows at these indices, which may repeat."""
        return Block(
            self.notion,
            self.risk,
            self.p[index],
            self.p_s[index],
            self.p_x[index],
            self.lower[index],
            self.upper[index],
            self.lower_budget[index],
            self.upper_budget[index],
        )

    def ask(self, notions: Sequence[PointwiseNotion]) -> Block:
        """Return the same rows with the budgets of other notions of the family, one each."""
        return replace(
            self,
            lower_budget=np.array([[notion.lower_budget] for notion in notions]),
            upper_budget=np.array([[notion.upper_budget] for notion in notions]),
        )

    @property
    def high(self) -> BoolArray:
        """Which symbols are in X_H, shape (n_rows, n_x); False where P(x) = 0."""
        return ~self._allowed(self.lower, self.upper) & (self.p_x > 0)

    def judge(self, masses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return ω and whether allowed, (n_rows, n_sets), of P(s, A), (n_rows, n_s, n_sets)."""
        lower, upper = set_levels(self.notion, masses, self.p_s)
        return set_risk(self.notion, lower, upper, self.risk), self._allowed(lower, upper)

    def _allowed(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Return whether levels, shape (n_rows, k), are within each row's budgets."""
        below = within(self.notion, lower, self.lower_budget)
        return below & within(self.notion, upper, self.upper_budget)


def merge_completely(block: Block, high: BoolArray) -> tuple[IntArray, BoolArray]:
    """Return sets, 0 for X_L and 1 for `high`, (n_rows, n_x), and if it is allowed."""
    sets = high.astype(np.int64)
    attained = np.ones(len(sets), dtype=np.bool_)
    some = np.flatnonzero(sets.any(axis=1))
    if some.size:
        attained[some] = block.rows(some).judge(set_masses(block.p[some], sets[some], 1))[1][:, 0]
    return sets, attained


def merge_in_subsets(block: Block, high: BoolArray) -> tuple[IntArray, BoolArray]:
    """Return sets, 0 for X_L and 1, 2, … for X_H's, and whether all are allowed."""
    p = block.p
    queued = high.copy()
    alone = ~block.high
    single_risk = set_risk(block.notion, block.lower, block.upper, block.risk)
    sets = np.zeros(queued.shape, dtype=np.int64)
    count = np.zeros(len(p), dtype=np.int64)
    mass = np.zeros(p.shape[:2])
    done = np.ones(len(p), dtype=np.bool_)  # no set is open
    left = queued.sum(axis=1)
    while (active := np.flatnonzero(left)).size:
        opening = active[done[active]]
        if opening.size:
            riskiest = first_most(np.where(queued[opening], single_risk[opening], -np.inf))
            count[opening] += 1
            sets[opening, riskiest] = count[opening]
            queued[opening, riskiest] = False
            left[opening] -= 1
            mass[opening] = p[opening, :, riskiest]
            done[opening] = alone[opening, riskiest]
        joining = active[(left[active] > 0) & ~done[active]]
        if joining.size:
            best, mass[joining], done[joining] = _join(
                block.rows(joining), mass[joining], queued[joining]
            )
            sets[joining, best] = count[joining]
            queued[joining, best] = False
            left[joining] -= 1
    while (broken := np.flatnonzero(~done & (count > 1))).size:
        sets[broken], done[broken] = _join_earlier(block.rows(broken), sets[broken], count[broken])
        count[broken] -= 1
    return sets, done


def set_masses(p: FloatArray, sets: IntArray, count: int) -> FloatArray:
    """Return P(s, A) of the sets 1, …, count, shape (n_rows, n_s, count)."""
    members = sets[:, :, None] == np.arange(1, count + 1)
    masses: FloatArray = p @ members.astype(np.float64)
    return masses


def _join(
    block: Block, mass: FloatArray, queued: BoolArray
) -> tuple[IntArray, FloatArray, BoolArray]:
    """Return each row's queued symbol of least risk, P(s, A) with it, and if allowed."""
    width = int(queued.sum(axis=1).max())
    order = np.argsort(~queued, axis=1, kind="stable")[:, :width]
    grown = mass[:, :, None] + np.take_along_axis(block.p, order[:, None, :], axis=2)
    risks, allowed = block.judge(grown)
    front = np.take_along_axis(queued, order, axis=1)
    best = first_least(np.where(front, risks, np.inf))
    row = np.arange(len(best))
    return order[row, best], grown[row, :, best], allowed[row, best]


def _join_earlier(block: Block, sets: IntArray, count: IntArray) -> tuple[IntArray, BoolArray]:
    """Merge each last set with the earlier one of least risk; return whether allowed."""
    masses = set_masses(block.p, sets, int(count.max()))
    row = np.arange(len(sets))
    risks, allowed = block.judge(masses + masses[row, :, count - 1][:, :, None])
    earlier = np.arange(masses.shape[2]) < count[:, None] - 1
    best = first_least(np.where(earlier, risks, np.inf))
    joined = sets == best[:, None] + 1
    moved = np.where(joined, count[:, None], sets)
    moved -= moved > best[:, None] + 1
    return moved, allowed[row, best]


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

    Arguments and errors as in `watchdog_batch`, `risk` as in `subset_merging`.

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
    step = max(1, CACHED // (p.shape[1] * p.shape[2]))
    for columns in families.values():
        measured = Block.of(p, pointwise[columns[0]], risk)
        pairs = np.array([(i, j) for j in columns for i in range(len(p))], dtype=np.int64)
        for start in range(0, len(pairs), step):
            i, j = pairs[start : start + step].T
            block = measured.rows(i).ask([pointwise[int(column)] for column in j])
            nmi[i, j], attained[i, j], sets[i, j] = _solved(block, merge)
    return Batch(nmi, attained, sets)


def _solved(block: Block, merge: Merger) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return NMI and whether the budget held without repair, (n_rows,), and sets, (n_rows, n_x)."""
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
    information = np.where(sets == 0, parts, 0.0).sum(axis=1)
    information += special.entr(merged.sum(axis=1)).sum(axis=1)
    some = entropy - information >= ROUNDING  # as `Information` says of one mechanism
    nmi = np.divide(information, entropy, out=np.ones_like(information), where=some)
    occurs = block.p_x > 0
    least = np.where(occurs, sets, sets.max(initial=0)).min(axis=1)
    alone = (least > 0) & (np.where(occurs, sets, 0).max(axis=1) == least)
    nmi[alone & (occurs.sum(axis=1) > 1)] = 0.0  # one output
    return np.clip(nmi, 0.0, 1.0), attained, sets


def _repaired(block: Block) -> BoolArray:
    """Return X_H, shape (n_rows, n_x), with the least probable of X_L added until it is allowed."""
    high = block.high
    order = least_first(np.where(high, -1.0, block.p_x))
    growing = np.take_along_axis(block.p, order[:, None, :], axis=2).cumsum(axis=2)
    position = np.arange(high.shape[1])
    enough = block.judge(growing)[1] & (position >= high.sum(axis=1, keepdims=True))
    if not enough.any(axis=1).all():
        raise InfeasibleError(
            f"No mechanism satisfies {block.notion.name} on a joint of the batch: even the "
            f"constant one breaks it, at {_constant_level(block, enough.any(axis=1)):.6g}."
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
    """Check each symbol of X_L, and merged masses (n_rows, n_s, n_sets), by the notion's levels."""
    rest = np.maximum(block.p_s - merged.sum(axis=2), 0.0)  # X_L as a whole, not an output
    released = np.concatenate([merged, rest[:, :, None]], axis=2)
    published = (sets == 0) & (block.p_x > 0)
    worst = [
        (
            np.where(published, single, -np.inf),
            level(released)[:, :-1],
            budget + slack(block.notion, budget),
            budget,
        )
        for single, level, budget in (
            (block.lower, block.notion.lower_level, block.lower_budget),
            (block.upper, block.notion.upper_level, block.upper_budget),
        )
    ]
    for single, union, most, budget in worst:
        levels = np.concatenate([single, union], axis=1)
        broken = levels > most
        if broken.any():
            highest = np.where(broken, levels, -np.inf).argmax()
            row, output = np.unravel_index(highest, levels.shape)
            raise AuditError(
                f"A batch gives less privacy than requested under {block.notion.name}: an output "
                f"has level {levels[row, output]:.6g}, and {budget[row, 0]:.6g} is allowed."
            )
