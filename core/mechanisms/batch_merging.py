"""Algorithm 1 on many rows at once: each row is one joint under one notion of a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.mechanisms.sets import Risk, first_least, first_most, set_levels, set_risk, within
from core.notions import SymbolNotion
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that are answered together: notions that differ in their budgets only.

    Attributes
    ----------
    p : ndarray
        P(s, x) of each row, shape (n_rows, n_s, n_x).
    notion : SymbolNotion
        One of the family: its levels count, its budgets do not.
    lower_budget, upper_budget : ndarray
        Each row's budgets in nats, shape (n_rows, 1).
    risk : {"max", "sum", "ratio"} or None
        As in `subset_merging`.
    """

    p: FloatArray
    notion: SymbolNotion
    lower_budget: FloatArray
    upper_budget: FloatArray
    risk: Risk | None

    @classmethod
    def of(cls, p: FloatArray, notions: Sequence[SymbolNotion], risk: Risk | None) -> Block:
        """Gather joints, shape (n_rows, n_s, n_x), and as many notions of one family."""
        lower = np.array([[notion.lower_budget] for notion in notions])
        upper = np.array([[notion.upper_budget] for notion in notions])
        return cls(p, notions[0], lower, upper, risk)

    @property
    def p_s(self) -> FloatArray:
        """P(s), shape (n_rows, n_s)."""
        masses: FloatArray = self.p.sum(axis=2)
        return masses

    def rows(self, index: IntArray) -> Block:
        """Return some of the rows."""
        return Block(
            self.p[index],
            self.notion,
            self.lower_budget[index],
            self.upper_budget[index],
            self.risk,
        )

    def judge(self, masses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return ω of sets and whether they are allowed, shapes (n_rows, n_sets), of P(s, A)."""
        lower, upper = set_levels(self.notion, masses, self.p_s)
        allowed = within(lower, self.lower_budget) & within(upper, self.upper_budget)
        return set_risk(self.notion, lower, upper, self.risk), allowed


def merge_completely(block: Block) -> tuple[IntArray, BoolArray]:
    """Return the set of each symbol, 0 for X_L and 1 for X_H, and whether X_H is allowed.

    Shapes (n_rows, n_x) and (n_rows,).
    """
    high = ~block.judge(block.p)[1] & (block.p.sum(axis=1) > 0)
    sets = high.astype(np.int64)
    return sets, block.judge(set_masses(block.p, sets, 1))[1][:, 0]


def merge_in_subsets(block: Block) -> tuple[IntArray, BoolArray]:
    """Return the set of each symbol, 0 for X_L and 1, 2, … for X_H's, and whether all are allowed.

    Shapes (n_rows, n_x) and (n_rows,). A row whose sets are not allowed has one set only.
    """
    p = block.p
    single_risk, low = block.judge(p)
    queued = ~low & (p.sum(axis=1) > 0)
    sets = np.zeros(low.shape, dtype=np.int64)
    count = np.zeros(len(p), dtype=np.int64)
    mass = np.zeros(p.shape[:2])
    done = np.ones(len(p), dtype=np.bool_)  # no set is open
    while (active := np.flatnonzero(queued.any(axis=1))).size:
        opening = active[done[active]]
        if opening.size:
            riskiest = first_most(np.where(queued[opening], single_risk[opening], -np.inf))
            count[opening] += 1
            sets[opening, riskiest] = count[opening]
            queued[opening, riskiest] = False
            mass[opening] = p[opening, :, riskiest]
            done[opening] = False
        joining = active[queued[active].any(axis=1)]
        if joining.size:
            best, mass[joining], done[joining] = _join(
                block.rows(joining), mass[joining], queued[joining]
            )
            sets[joining, best] = count[joining]
            queued[joining, best] = False
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
    """Choose for each row the queued symbol whose joining gives the least risk.

    Returns the symbols, shape (n_rows,), the sets' masses with them and whether these are
    allowed. Queued symbols are moved to the front first, so that no other is judged.
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
    """Join to each row's last set the earlier one that gives the least risk.

    Returns the sets, renumbered without a gap and with the last one still last, and whether
    that one is allowed now.
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
