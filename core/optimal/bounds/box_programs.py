"""The linear programs of many boxes over one allowed set, and safe bounds from their multipliers.

minimize costs·v subject to rows @ v ≤ 0, mass·v = 1, lower ≤ v ≤ upper. Any multipliers prove a
bound: rounding and early stopping make it weaker, not wrong. An auxiliary variable that no row
holds down meets all rows that it may lower: these are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.limits import CLOSE
from core.optimal.programs.batched_simplex import BatchedSimplex, Ends
from core.validation import BoolArray, FloatArray, IntArray

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes lower ≤ v ≤ upper, each with its condition mass·v = 1; all of shape (k, n_x)."""

    lower: FloatArray
    upper: FloatArray
    mass: FloatArray

    def __len__(self) -> int:
        return len(self.lower)

    def take(self, which: IntArray) -> Boxes:
        """Return the boxes at these indices."""
        return Boxes(self.lower[which], self.upper[which], self.mass[which])


@dataclass(frozen=True, eq=False)
class Priced:
    """The terms of k programs' multipliers in a bound, which do not depend on costs.

    - `rows`: multipliers times rows, shape (k, n_x).
    - `rest`: lower bound of the contribution of auxiliary variables and slacks, shape (k,).
    - `size`: size of all multipliers, to which rounding is proportional, shape (k,).
    """

    rows: FloatArray
    rest: FloatArray
    size: FloatArray


class BoxPrograms:
    """The programs of boxes over one allowed set."""

    def __init__(self, allowed: AllowedSet) -> None:
        self.n_x = allowed.n_x
        rows = allowed.rows.toarray()
        bounded = _bounded(rows[:, self.n_x :])
        held = ~(rows[:, self.n_x :][:, ~bounded] < 0).any(axis=1)
        self.matrix: FloatArray = rows[held][:, np.append(np.ones(self.n_x, bool), bounded)]
        self._above, self._below = np.maximum(self.matrix, 0.0), np.minimum(self.matrix, 0.0)
        # most programs that are solved together, between two looks at the clock: enough to make
        # the overhead of array operations small, and 32 MB of inverses
        self.together = max(1, min(512, 2**22 // self.matrix.shape[1] ** 2))
        self._odds, self._purest = np.empty(self.n_x), np.empty((self.n_x, self.n_x))
        self._n_purest = 0

    def purest(self, deadline: Deadline) -> tuple[FloatArray, FloatArray] | None:
        """Upper bounds on the odds r_d/(1 − r_d) of each symbol, (n_x,), and outputs, (n_x, n_x).

        Row d has the largest r_d. Odds are ∞ where a symbol is allowed alone, or nearly so. None if
        time is over before all are known: the next call goes on from there.
        """
        while self._n_purest < self.n_x:
            if deadline.over:
                return None
            some = np.arange(self._n_purest, min(self._n_purest + self.together, self.n_x))
            odds, points = self._purest_of(some, deadline)
            if np.isnan(points).any() and deadline.left == 0:
                return None
            self._odds[some], self._purest[some] = odds, points
            self._n_purest += len(some)
        return self._odds, self._purest

    def _purest_of(self, symbols: IntArray, deadline: Deadline) -> tuple[FloatArray, FloatArray]:
        """Return the bounds and the outputs of some symbols, NaN where a program was not solved."""
        k, n = len(symbols), self.n_x
        costs = np.zeros((k, n))
        costs[np.arange(k), symbols] = -1.0
        boxes = Boxes(np.zeros((k, n)), np.ones((k, n)), np.ones((k, n)))
        ends = self.solve(boxes, costs, deadline=deadline)
        most = -self.proven(boxes, costs, ends)[0]
        alone = ~(most < 1 - CLOSE)
        odds = np.where(alone, np.inf, most / np.where(alone, 1.0, 1 - most))
        points = np.clip(ends.points[:, :n], 0.0, 1.0)
        points[~ends.solved] = np.nan
        return odds, points / points.sum(axis=1, keepdims=True)

    def solve(
        self,
        boxes: Boxes,
        costs: FloatArray,
        *,
        labels: IntArray | None = None,
        enough: FloatArray | None = None,
        deadline: Deadline = NEVER,
    ) -> Ends:
        """Solve the program of each box, from labels (k, n − 1), each until it reaches `enough`.

        Those that time leaves unsolved prove less.
        """
        if len(boxes) > self.together:
            parts = list[Ends]()
            for first in range(0, len(boxes), self.together):
                some = np.arange(first, min(first + self.together, len(boxes)))
                if parts and deadline.over:
                    some = np.arange(first, len(boxes))
                    parts.append(self._begun(len(some)))
                    break
                parts.append(
                    self.solve(
                        boxes.take(some),
                        costs[some],
                        labels=None if labels is None else labels[some],
                        enough=None if enough is None else enough[some],
                        deadline=deadline,
                    )
                )
            return joined(parts)
        lower, upper, slack = self.widths(boxes)
        k, n = lower.shape
        wide, mass = np.zeros((2, k, n))
        wide[:, : self.n_x], mass[:, : self.n_x] = costs, boxes.mass
        lower = np.hstack([lower, np.zeros_like(slack)])
        upper = np.hstack([upper, slack])
        return BatchedSimplex(self.matrix, wide, mass, lower, upper, labels, enough).run(deadline)

    def _begun(self, count: int) -> Ends:
        """Return the ends of programs for which no time was left: their multipliers are 0."""
        m, n = self.matrix.shape
        return Ends(
            points=np.zeros((count, n)),
            rows=np.zeros((count, m)),
            totals=np.zeros(count),
            labels=np.tile(np.arange(n - 1), (count, 1)),
            solved=np.zeros(count, dtype=bool),
            empty=np.zeros(count, dtype=bool),
        )

    def proven(self, boxes: Boxes, costs: FloatArray, ends: Ends) -> tuple[FloatArray, FloatArray]:
        """Return lower bounds of costs·v over boxes, (k,), and reduced costs, (k, n_x).

        Valid for any multipliers: variables and slacks are at their cheaper ends, and rounding is
        subtracted.
        """
        with np.errstate(over="ignore"):  # a bound of −∞ holds
            return self._proven(boxes, costs, ends)

    def _proven(self, boxes: Boxes, costs: FloatArray, ends: Ends) -> tuple[FloatArray, FloatArray]:
        priced = self.priced(boxes, ends)
        reduced = costs + priced.rows - ends.totals[:, None] * boxes.mass
        value = ends.totals + priced.rest
        value += np.minimum(reduced * boxes.lower, reduced * boxes.upper).sum(axis=1)
        size = priced.size + np.abs(costs).max(axis=1)
        value -= EPSILON * self.terms * size * (1.0 + boxes.upper.sum(axis=1))
        return value, reduced

    @property
    def terms(self) -> int:
        """Largest number of terms of a sum in a bound, to which its rounding is proportional."""
        return sum(self.matrix.shape) + 8

    def priced(self, boxes: Boxes, ends: Ends) -> Priced:
        """Return the terms of multipliers in a bound, valid for boxes inside these too."""
        lower, upper, slack = self.widths(boxes)
        n_x = self.n_x
        priced = ends.rows @ self.matrix
        own = priced[:, n_x:]
        rest = np.minimum(own * lower[:, n_x:], own * upper[:, n_x:]).sum(axis=1)
        rest += (np.minimum(ends.rows, 0.0) * slack).sum(axis=1)
        size = 1.0 + np.abs(ends.totals) + np.abs(ends.rows).sum(axis=1)
        wide = upper[:, n_x:].sum(axis=1) + slack.max(axis=1, initial=0.0)
        rest -= EPSILON * self.terms * size * (1.0 + wide)
        return Priced(priced[:, :n_x], rest, size)

    def widths(self, boxes: Boxes) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return outward ends of variables, (k, n), and largest slacks, (k, m); < 0 if empty."""
        n_x, n = self.n_x, self.matrix.shape[1]
        lower, upper = boxes.lower, boxes.upper
        most = upper.sum(axis=1)
        rounding = EPSILON * (n + 8) * most[:, None]
        least = lower @ self._above[:, :n_x].T + upper @ self._below[:, :n_x].T - rounding
        if n == n_x:
            return lower, upper, -least
        above, below = self._above[:, n_x:], self._below[:, n_x:]
        tops = np.full((len(least), n - n_x), np.inf)
        more = 1.0 + (n + 4) * EPSILON
        while np.isinf(tops).any():  # a round for each variable that bounds another one
            known = least + _lowest(below, tops) * more
            for j in np.flatnonzero(np.isinf(tops).any(axis=0)):
                rows = np.flatnonzero(above[:, j])
                ends = np.maximum(-known[:, rows] / above[rows, j], 0.0) * more
                tops[:, j] = ends.min(axis=1)
        lower, upper = np.hstack([lower, np.zeros_like(tops)]), np.hstack([upper, tops])
        return lower, upper, -(least + _lowest(below, tops) * more)


def _bounded(uses: FloatArray) -> BoolArray:
    """Return which auxiliary variables rows hold down, (j,), given their coefficients (m, j)."""
    bounded = np.zeros(uses.shape[1], dtype=bool)
    for _ in range(uses.shape[1]):
        of_bounded = ~(uses[:, ~bounded] < 0).any(axis=1)
        bounded |= (uses[of_bounded] > 0).any(axis=0)
    return bounded


def _lowest(below: FloatArray, tops: FloatArray) -> FloatArray:
    """Return the least of rows of negative coefficients, (m, j), at v ≤ tops, (k, j): (k, m)."""
    some = np.isfinite(tops)
    result: FloatArray = np.where(some, tops, 0.0) @ below.T
    return np.where(~some @ (below < 0).T, -np.inf, result)


def joined(parts: list[Ends]) -> Ends:
    """Return the ends of several runs as those of one."""
    names = vars(parts[0])
    return Ends(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})
