"""The linear programs of many boxes over one allowed set, and safe bounds from their multipliers.

minimize costs·v subject to rows @ v ≤ 0, mass·v = 1, lower ≤ v ≤ upper. Any multipliers prove a
bound: rounding and early stopping make it weaker, not wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.optimal.plan import SIZES
from core.optimal.programs.batched_simplex import BatchedSimplex, Ends
from core.validation import FloatArray, IntArray

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
        self.matrix: FloatArray = allowed.rows.toarray()
        if not self.suits(allowed):
            raise ValueError(
                f"{allowed.n_auxiliary} auxiliary variables in such rows have no upper end."
            )
        self._above, self._below = np.maximum(self.matrix, 0.0), np.minimum(self.matrix, 0.0)

    @staticmethod
    def suits(allowed: AllowedSet) -> bool:
        """Return whether there are few rows and no auxiliary variable, or one that a row bounds."""
        if allowed.n_auxiliary > 1 or np.prod(allowed.rows.shape) > SIZES.box_entries:
            return False
        uses = allowed.rows.toarray()[:, allowed.n_x :]
        return bool((uses > 0).any(axis=0).all())

    def solve(
        self,
        boxes: Boxes,
        costs: FloatArray,
        *,
        labels: IntArray | None = None,
        enough: FloatArray | None = None,
    ) -> Ends:
        """Solve the program of each box, from labels (k, n − 1), each until it reaches `enough`."""
        lower, upper, slack = self.widths(boxes)
        k, n = lower.shape
        wide, mass = np.zeros((2, k, n))
        wide[:, : self.n_x], mass[:, : self.n_x] = costs, boxes.mass
        lower = np.hstack([lower, np.zeros_like(slack)])
        upper = np.hstack([upper, slack])
        return BatchedSimplex(self.matrix, wide, mass, lower, upper, labels, enough).run()

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
        if n > n_x:
            uses = self.matrix[:, n_x]
            tops = np.flatnonzero(uses > 0)
            top = np.maximum((-least[:, tops] / uses[tops]).min(axis=1, keepdims=True), 0.0)
            top *= 1.0 + 4 * EPSILON
            lower = np.hstack([lower, np.zeros_like(top)])
            upper = np.hstack([upper, top])
            least = least + top * self._below[:, n_x] * (1.0 + 4 * EPSILON)
        return lower, upper, -least
