"""The linear programs of many boxes over one allowed set, and safe bounds from their multipliers.

minimise costs·v subject to rows @ v ≤ 0, mass·v = 1, lower ≤ v ≤ upper. Slacks get upper bounds
from the box. Any multipliers prove a bound: rounding and early stopping make it weaker, not wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.optimal.programs.batched_simplex import BatchedSimplex, Ends
from core.validation import FloatArray, IntArray

EPSILON = float(np.finfo(np.float64).eps)

MOST_ENTRIES = 5_000
"""Most entries of rows for which boxes are solved together; on larger programs HiGHS is faster."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes lower ≤ v ≤ upper, each with the coefficients of its condition mass·v = 1.

    Attributes
    ----------
    lower, upper, mass : ndarray
        Shape (k, n_x).
    """

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

    Attributes
    ----------
    rows : ndarray
        Multipliers times rows, shape (k, n_x).
    rest : ndarray
        Lower bound of the contribution of auxiliary variables and slacks, shape (k,).
    size : ndarray
        The size of all multipliers, to which rounding is proportional, shape (k,).
    """

    rows: FloatArray
    rest: FloatArray
    size: FloatArray


class BoxPrograms:
    """The programs of boxes over one allowed set.

    Parameters
    ----------
    allowed : AllowedSet
        The rows, with at most one auxiliary variable, bounded by a row; its oracle is not used.

    Raises
    ------
    ValueError
        If `suits` is False for it.

    Examples
    --------
    >>> from scipy import sparse
    >>> programs = BoxPrograms(AllowedSet(sparse.csr_array([[1.0, -2.0]]), n_x=2))  # v_1 ≤ 2 v_2
    >>> box = Boxes(np.zeros((1, 2)), np.ones((1, 2)), np.ones((1, 2)))
    >>> ends = programs.solve(box, np.array([[-1.0, 0.0]]))
    >>> ends.points.round(3).tolist(), bool(ends.solved[0])
    ([[0.667, 0.333]], True)
    >>> float(programs.proven(box, np.array([[-1.0, 0.0]]), ends)[0][0].round(3))
    -0.667
    """

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
        if allowed.n_auxiliary > 1 or np.prod(allowed.rows.shape) > MOST_ENTRIES:
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
        """Solve the program of each box; points are those of symbols and auxiliary variable.

        Parameters
        ----------
        boxes : Boxes
            The k boxes, lower ≤ upper.
        costs : ndarray
            Shape (k, n_x).
        labels : ndarray, optional
            Labels to start from, shape (k, n − 1), such as those at which a box around it ended.
        enough : ndarray, optional
            Cost at which a program ends, as its optimum is at least that, shape (k,).
        """
        lower, upper, slack = self.widths(boxes)
        k, n = lower.shape
        wide, mass = np.zeros((2, k, n))
        wide[:, : self.n_x], mass[:, : self.n_x] = costs, boxes.mass
        lower = np.hstack([lower, np.zeros_like(slack)])
        upper = np.hstack([upper, slack])
        return BatchedSimplex(self.matrix, wide, mass, lower, upper, labels, enough).run()

    def proven(self, boxes: Boxes, costs: FloatArray, ends: Ends) -> tuple[FloatArray, FloatArray]:
        """Return a lower bound of costs·v over each box, (k,), and reduced costs, (k, n_x).

        It is valid for any multipliers: each variable and slack is at its cheaper end. The rounding
        of these sums is subtracted.
        """
        with np.errstate(over="ignore"):  # a bound of −∞ holds
            return self._proven(boxes, costs, ends)

    def _proven(self, boxes: Boxes, costs: FloatArray, ends: Ends) -> tuple[FloatArray, FloatArray]:
        found = self.priced(boxes, ends)
        reduced = costs + found.rows - ends.totals[:, None] * boxes.mass
        value = ends.totals + found.rest
        value += np.minimum(reduced * boxes.lower, reduced * boxes.upper).sum(axis=1)
        size = found.size + np.abs(costs).max(axis=1)
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
        """Return ends of all variables, (k, n) each, and the largest slack of each row, (k, m).

        They are rounded outwards. A negative slack says that the box is empty.
        """
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
