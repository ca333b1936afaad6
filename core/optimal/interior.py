"""Large programs for all outputs, by an interior-point method that takes an action at a time.

With v = (P(a | ·), h) of an action a, h its auxiliary variables,

    minimize Σ_a c_a·v_a subject to G v_a ≤ 0, v_a ≥ 0, Σ_a P(a | x) = 1, Σ_a B v_a ≤ limits.

Actions share no more than the last two, so a step is a small system for each action, and one of as
many rows as there are symbols and limits. Its time is known before: a deadline is kept, and what
is found by then is allowed. Source: Mehrotra 1992.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import linalg, sparse

from core.clock import Deadline, tell_cut
from core.errors import SolverError
from core.optimal.plan import SIZES
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import FEASIBILITY
from core.validation import FloatArray

REACH = 0.97
"""Part of the way to the nearest bound that a step may take."""

SHORTEST = 1e-4
"""Length of a step, in parts of Newton's, below which rounding is all that is left to gain."""


class InteriorProgram:
    """The program of actions with costs (n_a, n_x), rows G, (m, w), and shared rows B, (k, w).

    - `v`, `slack`: the point and −G v, (n_a, w) and (n_a, m); `spare`: limits − Σ_a B v_a, (k,).
    - `least`, `rows`, `prices`: their multipliers; `symbols`: those of Σ_a P(a | x) = 1, (n_x,).
    """

    def __init__(
        self, costs: FloatArray, rows: FloatArray, shared: FloatArray, limits: FloatArray
    ) -> None:
        n_a, self._n_x = costs.shape
        n_x, width = self._n_x, rows.shape[1]
        self.unit = float(np.abs(costs).max()) or 1.0
        self._costs = np.hstack([costs / self.unit, np.zeros((n_a, width - n_x))])
        self._sizes = np.abs(rows).max(axis=1)
        self._rows: FloatArray = rows / self._sizes[:, None]
        self._shared, self._limits = shared, limits
        # G = left @ [base, 0; 0, 1]: rows are about few sums over X, such as the P(s, a)
        left, values, base = np.linalg.svd(self._rows[:, :n_x], full_matrices=False)
        rank = int((values > 1e-12 * values.max(initial=1e-300)).sum())
        self._left = np.hstack([left[:, :rank] * values[:rank], self._rows[:, n_x:]])
        self._base = base[:rank]
        point = self._inside()
        self.v = np.tile(point / n_a, (n_a, 1))
        self.slack = -self.v @ self._rows.T
        self.spare = limits - self.v.sum(axis=0) @ shared.T
        level = float(np.ptp(self._costs[:, :n_x], axis=0).mean()) / n_a or 1.0
        self.least, self.rows = level / self.v, level / self.slack
        self.prices, self.symbols = level / self.spare, np.zeros(n_x)

    @property
    def seconds(self) -> float:
        """About how long a step takes."""
        sums = len(self.v) * len(self._base)
        products = float(self._n_x**2 * (sums + self._n_x / 10))
        return SIZES.step_seconds * products + least_seconds(*self.slack.shape)

    def kernel(self) -> FloatArray:
        """Return P(a | x) of the present point, shape (n_x, n_a)."""
        kernel = self.v[:, : self._n_x].T
        result: FloatArray = kernel / kernel.sum(axis=1, keepdims=True)
        return result

    @property
    def gap(self) -> float:
        """What the multipliers leave open, in units of the costs."""
        return self._total(self.v, self.slack, self.spare) * self.unit

    def run(self, gap: float, deadline: Deadline) -> bool:
        """Step until at most this gap is left; return whether it was reached."""
        with suppress(np.linalg.LinAlgError):  # rounding ends the path
            while self.gap > gap:
                if deadline.left < self.seconds:
                    tell_cut()
                    return False
                if not self._step():
                    return False
            return True
        return False

    def multipliers(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return those of the symbols, of the rows of each action, and of the limits."""
        unit = self.unit
        return unit * self.symbols, unit * self.rows / self._sizes, unit * self.prices

    def _inside(self) -> FloatArray:
        """Return (1, h) as far inside all rows as h can be chosen.

        Raises SolverError if it is not inside.
        """
        n_x, count = self._n_x, self._rows.shape[1] - self._n_x
        both = np.vstack([self._rows, self._shared])
        most = np.append(np.zeros(len(self._rows)), self._limits)
        of_h = np.vstack([both[:, n_x:], -np.eye(count)])
        program = LinearProgram(
            sparse.csr_array(np.hstack([of_h, np.ones((len(of_h), 1))])),
            np.full(len(of_h), -INFINITY),
            np.append(most - both[:, :n_x].sum(axis=1), np.zeros(count)),
            col_lower=np.append(np.zeros(count), -INFINITY),  # by rounding it may be outside
            col_upper=np.append(np.full(count, INFINITY), 1.0),
            cost=np.append(np.zeros(count), -1.0),
        )
        *h, depth = program.solve().x
        if depth < FEASIBILITY:
            raise SolverError("The allowed set has no inside.")
        return np.append(np.ones(n_x), h)

    def _total(self, v: FloatArray, slack: FloatArray, spare: FloatArray) -> float:
        """Return the sum of all products with the present multipliers."""
        return float((v * self.least).sum() + (slack * self.rows).sum() + spare @ self.prices)

    def _step(self) -> bool:
        """Take a step; return whether it was one."""
        level = self.gap / self.unit / (self.v.size + self.slack.size + self.spare.size)
        points = [self.v, self.slack, self.spare]
        duals = [self.least, self.rows, self.prices]
        self._factor()
        ahead, turn, _ = self._direction([-p * d for p, d in zip(points, duals, strict=True)])
        far, wide = _longest(points, ahead), _longest(duals, turn)
        left = sum(
            float(((p + far * a) * (d + wide * t)).sum())
            for p, a, d, t in zip(points, ahead, duals, turn, strict=True)
        )
        aim = level * min(max(left * self.unit / self.gap, 0.0), 1.0) ** 3
        ahead, turn, symbols = self._direction(
            [aim - p * d - a * t for p, a, d, t in zip(points, ahead, duals, turn, strict=True)]
        )
        far = min(1.0, REACH * _longest(points, ahead))
        wide = min(1.0, REACH * _longest(duals, turn))
        for part, change in zip(points, ahead, strict=True):
            part += far * change
        for part, change in zip(duals, turn, strict=True):
            part += wide * change
        self.symbols += wide * symbols
        return max(far, wide) > SHORTEST

    def _factor(self) -> None:
        """Prepare the systems of all actions and the one that they share."""
        n_x, rank = self._n_x, len(self._base)
        self._stiff, self._steep = self.least / self.v, self.rows / self.slack
        self._soft = 1 / self._stiff
        root = np.sqrt(self._steep)
        self._halves = np.empty((*self.rows.shape, self.rows.shape[1]))
        matrix = np.diag(self._soft[:, :n_x].sum(axis=0))
        # actions at a time, whose arrays are small enough to stay in memory that is fast
        for begin in range(0, len(self.v), 32):
            some = slice(begin, begin + 32)
            moved = self._soft[some, None, :n_x] * self._base
            inner = np.zeros((len(moved), self._left.shape[1], self._left.shape[1]))
            inner[:, :rank, :rank] = moved @ self._base.T
            extra = range(rank, self._left.shape[1])
            inner[:, extra, extra] = self._soft[some, n_x:]
            scaled = root[some, :, None] * self._left
            own = scaled @ inner @ scaled.swapaxes(1, 2) + np.eye(len(self._left))
            halves = np.linalg.inv(np.linalg.cholesky(own))
            self._halves[some] = halves * root[some, None]
            folded = np.linalg.qr((halves @ scaled)[:, :, :rank], mode="r")
            spent = (folded @ moved).reshape(-1, n_x)
            matrix -= spent.T @ spent
        # limits: how much of each is used, and by which symbols, at their prices
        used = [self._inner(np.broadcast_to(b, self.v.shape), None)[0] for b in self._shared]
        across = np.array([u.sum(axis=0) for u in used]).reshape(-1, self.v.shape[1])
        corner = across @ self._shared.T + np.diag(self.spare / self.prices)
        whole = np.block([[matrix, across[:, :n_x].T], [across[:, :n_x], corner]])
        self._whole = linalg.cho_factor(whole, lower=True)

    def _inner(self, right: FloatArray, other: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Return dv and dλ of D dv + Gᵀ dλ = right and G dv − dλ/w = other, for all actions."""
        moved = (self._soft * right) @ self._rows.T
        if other is not None:
            moved -= other
        rows = self._halves.swapaxes(1, 2) @ (self._halves @ moved[..., None])
        turn: FloatArray = rows[..., 0]
        return self._soft * (right - turn @ self._rows), turn

    def _direction(
        self, aims: list[FloatArray]
    ) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
        """Return how points, their multipliers and those of symbols change towards products."""
        n_x = self._n_x
        open_ = self._costs + self.rows @ self._rows - self.least
        open_ += self.prices @ self._shared
        open_[:, :n_x] -= self.symbols
        over = -(self.v @ self._rows.T + self.slack)
        totals = self.v.sum(axis=0)
        short = 1 - totals[:n_x]
        spent = self._limits - self._shared @ totals - self.spare
        right = aims[0] / self.v - open_
        ahead, _ = self._inner(right, over - aims[1] / self.rows)
        sums = ahead.sum(axis=0)
        lacking = np.append(short - sums[:n_x], spent - aims[2] / self.prices - self._shared @ sums)
        prices = linalg.cho_solve(self._whole, lacking)
        symbols, limits = prices[:n_x], -prices[n_x:]
        right -= limits @ self._shared
        right[:, :n_x] += symbols
        ahead, rows = self._inner(right, over - aims[1] / self.rows)
        # of each product the smaller factor changes by the product, the other by what it must meet
        slack = np.where(
            self.slack < self.rows,
            (aims[1] - self.slack * rows) / self.rows,
            over - ahead @ self._rows.T,
        )
        met = open_ + rows @ self._rows + limits @ self._shared
        met[:, :n_x] -= symbols
        least = np.where(self.v < self.least, met, (aims[0] - self.least * ahead) / self.v)
        spare = (aims[2] - self.spare * limits) / self.prices
        return [ahead, slack, spare], [least, rows, limits], symbols


def least_seconds(n_a: int, n_rows: int) -> float:
    """Return about how long it takes to invert a matrix of all rows of each action, as steps do."""
    return SIZES.step_seconds * 2.0 * n_a * n_rows**3


def _longest(points: list[FloatArray], changes: list[FloatArray]) -> float:
    """Return the longest step, at most 1, on which no entry falls below 0."""
    longest = 1.0
    for point, change in zip(points, changes, strict=True):
        down = change < 0
        longest = min(longest, float((-point[down] / change[down]).min(initial=1.0)))
    return longest
