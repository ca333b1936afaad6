"""[Lift] Algorithm 1 on many rows at once: each row is one joint under one notion of a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.mechanisms.merging.subset_levels import (
    Risk,
    first_least,
    first_most,
    set_levels,
    set_risk,
    within,
)
from core.notions import PointwiseNotion
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that are solved together: their notions differ in their budgets only.

    Attributes
    ----------
    notion : PointwiseNotion
        One of the family, for its levels; its budgets are not used.
    risk : {"max", "sum", "ratio"} or None
        As in `subset_merging`.
    p : ndarray
        P(s, x) of each row, shape (n_rows, n_s, n_x).
    p_s, p_x : ndarray
        P(s) and P(x) of each row, shapes (n_rows, n_s) and (n_rows, n_x).
    lower, upper : ndarray
        Levels of the symbols of X, shape (n_rows, n_x), in nats.
    lower_budget, upper_budget : ndarray
        Each row's budgets in nats, shape (n_rows, 1).
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
        """Return ω of sets and whether they are allowed, shapes (n_rows, n_sets).

        `masses` is P(s, A), shape (n_rows, n_s, n_sets).
        """
        lower, upper = set_levels(self.notion, masses, self.p_s)
        return set_risk(self.notion, lower, upper, self.risk), self._allowed(lower, upper)

    def _allowed(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Return whether levels, shape (n_rows, k), are within each row's budgets."""
        return within(lower, self.lower_budget) & within(upper, self.upper_budget)


def merge_completely(block: Block, high: BoolArray) -> tuple[IntArray, BoolArray]:
    """Return the set of each symbol, 0 for X_L and 1 for X_H, and whether X_H is allowed.

    `high` says which symbols are in X_H; it and the sets have shape (n_rows, n_x), the verdicts
    (n_rows,).
    """
    sets = high.astype(np.int64)
    attained = np.ones(len(sets), dtype=np.bool_)
    some = np.flatnonzero(sets.any(axis=1))
    if some.size:
        attained[some] = block.rows(some).judge(set_masses(block.p[some], sets[some], 1))[1][:, 0]
    return sets, attained


def merge_in_subsets(block: Block, high: BoolArray) -> tuple[IntArray, BoolArray]:
    """Return the set of each symbol, 0 for X_L and 1, 2, … for X_H's, and whether all are allowed.

    `high` says which symbols are in X_H; it and the sets have shape (n_rows, n_x), the verdicts
    (n_rows,). Where not all sets are allowed, they have been merged into one.
    """
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
    """Choose for each row the queued symbol that gives its open set the least risk.

    Returns the symbols, shape (n_rows,), the masses P(s, A) of the sets with them, shape
    (n_rows, n_s), and whether these sets are allowed, shape (n_rows,). Queued symbols are moved to
    the front first, so that others cost no time.
    """
    width = int(queued.sum(axis=1).max())
    order = np.argsort(~queued, axis=1, kind="stable")[:, :width]
    grown = mass[:, :, None] + np.take_along_axis(block.p, order[:, None, :], axis=2)
    risks, allowed = block.judge(grown)
    front = np.take_along_axis(queued, order, axis=1)
    best = first_least(np.where(front, risks, np.inf))
    row = np.arange(len(best))
    return order[row, best], grown[row, :, best], allowed[row, best]


def _join_earlier(block: Block, sets: IntArray, count: IntArray) -> tuple[IntArray, BoolArray]:
    """Merge each row's last set with the earlier one that gives the least risk.

    Returns the sets, renumbered without a gap and with the merged one last, and whether that one
    is allowed.
    """
    masses = set_masses(block.p, sets, int(count.max()))
    row = np.arange(len(sets))
    risks, allowed = block.judge(masses + masses[row, :, count - 1][:, :, None])
    earlier = np.arange(masses.shape[2]) < count[:, None] - 1
    best = first_least(np.where(earlier, risks, np.inf))
    joined = sets == best[:, None] + 1
    moved = np.where(joined, count[:, None], sets)
    moved -= moved > best[:, None] + 1
    return moved, allowed[row, best]
