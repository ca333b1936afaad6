"""An upper bound for sets between secrets where one symbol has most of P_X: outputs by three lifts.

What an output tells is at most what its three lifts leave open: that of the likeliest symbol, and
the least and the greatest of all others, whose mean follows from these. By convexity the others
tell most if each has one of the two. A pair of secrets and members of the ball with both of their
conditionals give a linear condition on these three numbers, whichever symbols have them. So all
outputs are boxes of three lifts that the conditions leave, halved where they tell most, and the
best mixture has one multiplier, of the likeliest symbol's mean lift, which is 1. No linear program
is solved, and the number of symbols hardly matters.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from scipy import special

from core.clock import Deadline
from core.limits import CLOSE, ROUNDING
from core.optimal.plan import SIZES
from core.validation import BoolArray, FloatArray, IntArray

SECRETS, PARTS = 5, np.linspace(0.0, 1.0, 5)
"""Secrets of which least is known, and parts of a budget, symmetric, that make conditions."""

FIRST = np.array([[1.0, 0.5, 2.0], [0.8, 0.8, 2.5], [1.05, 0.4, 0.6], [0.9, 0.7, 2.5]])
"""Lifts at which the first conditions are tangents."""

AGAIN = 3
"""Rounds of halving between two rounds of tangents at the best mixture's outputs."""

TOGETHER, NEAR = 1_000, 0.1
"""Boxes halved in a round at most: those that tell most, and nearly as much, as a part of what is
left open."""

WIDE = 4.0
"""Ratio of the ends of a range from which on it is halved by its logarithm."""

STEPS = 60
"""Halvings of the range of a multiplier."""

TINY = np.finfo(np.float64).tiny
"""Least denominator of what is 0 where it is 0."""


@runtime_checkable
class SymbolOracle(Protocol):
    """An oracle of conditions between secrets on P(y | x), each with a member of a ball."""

    eps: float

    @property
    def of_symbols(self) -> bool:
        """Whether the conditions are on P(y | x), the same for all secrets."""
        ...

    @property
    def known(self) -> FloatArray:
        """How much is known of each secret, shape (n_s,)."""
        ...

    def members(
        self, groups: IntArray, lifts: FloatArray, secrets: IntArray, parts: FloatArray, sign: int
    ) -> FloatArray:
        """Return R of secrets, (len(parts), k, n_s, n_x), of greatest R·v or, if sign < 0, least.

        For two secrets and parts of the budget that sum to 1, e^{−ε} R·v is at most R'·v.
        """
        ...


class LiftBound:
    """Upper bounds on I(X;Y), in nats, over the set of one oracle; boxes are kept between calls."""

    def __init__(self, oracle: SymbolOracle, p_x: FloatArray) -> None:
        self._oracle, self._p_x = oracle, p_x
        self._apart = int(p_x.argmax())
        self._others = np.delete(np.arange(len(p_x)), self._apart)
        self._p, self._rest = p_x[self._others], float(p_x[self._others].sum())
        self._secrets = np.argsort(oracle.known, kind="stable")[:SECRETS]
        # conditions: most (part, s, k, 4) is at most least (part, s', k, 4) of another secret, as
        # coefficients of 1 and the three lifts
        self._above = self._below = np.zeros((len(PARTS), len(self._secrets), 0, 4))
        most = 1 / (1 - self._rest)
        self._low = np.zeros((1, 3))
        self._high = np.array([[most, 1 / self._rest, 1 / self._p.min()]])
        self._tells = np.full((1, 2), np.inf)
        self._best, self._rounds = float(special.entr(p_x).sum()) + ROUNDING, 0

    def bound(self, enough: float, deadline: Deadline) -> float:
        """Return an upper bound on I(X;Y), improved until it is ≤ `enough` or time is over."""
        if self._rounds == 0:
            self._add_conditions(FIRST)
        while self._best > enough and not deadline.over and len(self._low) < SIZES.lift_boxes:
            self._halve(enough)
            multiplier, most = self._mixture()
            self._best = min(self._best, most + ROUNDING)
            self._rounds += 1
            if self._rounds % AGAIN == 0:
                self._add_conditions(self._outputs(multiplier))
        return self._best

    def _mean(self, own: FloatArray) -> FloatArray:
        """Return the mean lift of the others, where that of the likeliest symbol is given."""
        result: FloatArray = (1 - (1 - self._rest) * own) / self._rest
        return result

    def _add_conditions(self, lifts: FloatArray) -> None:
        """Add conditions that are tangents at outputs of three lifts, shape (k, 3).

        A row at one output is a condition on others too: those with v(x) the greatest, or the
        least, of all. Which x that is nobody knows, so each coefficient is the weakest over all x.
        """
        above = np.exp(-self._oracle.eps) * self._members(lifts, 2, 1)
        self._above = np.concatenate([self._above, self._weakest(above, lifts, least=True)], axis=2)
        below = self._members(lifts, 1, -1)
        self._below = np.concatenate(
            [self._below, self._weakest(below, lifts, least=False)], axis=2
        )

    def _members(self, lifts: FloatArray, end: int, sign: int) -> FloatArray:
        """Return R, (parts, s, k, n, n_x), where each of the n others in turn has an end's lift.

        All others have their mean.
        """
        count = len(self._others)
        total = self._rest * self._mean(lifts[:, :1]) - self._p * lifts[:, end, None]
        least, greatest = lifts[:, 1, None], np.maximum(lifts[:, 1:2], lifts[:, 2:])
        means = np.clip(total / (self._rest - self._p), least, greatest)
        own, ends = (np.broadcast_to(lifts[:, i, None], means.shape) for i in (0, end))
        groups = np.full((count, len(self._p_x)), 2)
        groups[np.arange(count), self._others] = 1
        groups[:, self._apart] = 0
        members = self._oracle.members(
            np.tile(groups, (len(lifts), 1)),
            np.stack([own, ends, means], axis=-1).reshape(-1, 3),
            *(self._secrets, PARTS, sign),
        )
        shape = (len(PARTS), len(lifts), count, len(self._secrets), -1)
        result: FloatArray = np.moveaxis(members.reshape(shape), 3, 1)
        return result

    def _weakest(self, rows: FloatArray, lifts: FloatArray, *, least: bool) -> FloatArray:
        """Return functions (parts, s, k, 4) that all R·v of R (parts, s, k, n, n_x) are at least.

        Or at most, if not `least`. For any θ Σ R v = θ Σ p v + Σ (R − θp) v over the others, where
        Σ p v is known and v lies between the two ends. The best θ is where they change ends.
        """
        rows, own = rows[..., self._others], rows[..., self._apart]
        count = len(self._others)
        spread = np.maximum(lifts[:, 2] - lifts[:, 1], CLOSE)
        raised = self._rest * np.clip((self._mean(lifts[:, 0]) - lifts[:, 1]) / spread, 0.0, 1.0)
        ratio = rows / self._p
        order = np.argsort(ratio if least else -ratio, axis=-1)
        mass = np.cumsum(self._p[order], axis=-1)
        at = (mass < raised[:, None, None]).sum(axis=-1, keepdims=True)
        at = np.take_along_axis(order, np.minimum(at, count - 1), axis=-1)
        theta = np.take_along_axis(ratio, at, axis=-1)
        over = rows - theta * self._p
        of_end = np.diagonal(over, axis1=-2, axis2=-1)  # of the symbol at an end
        above = np.maximum(over, 0.0).sum(axis=-1) - np.maximum(of_end, 0.0)
        below = np.minimum(over, 0.0).sum(axis=-1) - np.minimum(of_end, 0.0)
        ends = (above, below + of_end) if least else (below + of_end, above)
        functions = np.stack([self._rest * theta[..., 0], own, *ends], axis=-1)
        # lifts and their mean are at least 0
        result: FloatArray = functions.min(axis=-2) if least else functions.max(axis=-2)
        # the mean of the others by the lift of the likeliest symbol
        result[..., 1] -= result[..., 0] * (1 - self._rest) / self._rest
        result[..., 0] /= self._rest
        return result

    def _halve(self, enough: float) -> None:
        """Halve the boxes that tell most, and drop those of their parts that no output is in."""
        multiplier, most = self._mixture() if self._rounds else (0.0, np.inf)
        tells = self._worth(multiplier).max(axis=1)
        chosen = tells >= most - NEAR * (most - enough) if self._rounds else tells == np.inf
        if chosen.sum() > TOGETHER:
            chosen = tells >= np.partition(tells, -TOGETHER)[-TOGETHER]
        low, high = self._low[chosen], self._high[chosen]
        width = high - low
        width[:, 0] *= (1 - self._rest) / self._rest  # as the mean of the others changes
        axis, each = width.argmax(axis=1), np.arange(len(low))
        ends = np.maximum(low[each, axis], 1 / WIDE), high[each, axis]
        by_log = ends[1] > WIDE * ends[0]
        middle = np.where(by_log, np.sqrt(ends[0] * ends[1]), (low + high)[each, axis] / 2)
        left, right = high.copy(), low.copy()
        left[each, axis] = right[each, axis] = middle
        low, high = np.vstack([low, right]), np.vstack([left, high])
        low, high = self._narrowed(low, high)
        self._low = np.vstack([self._low[~chosen], low])
        self._high = np.vstack([self._high[~chosen], high])
        self._tells = np.vstack([self._tells[~chosen], self._most(low, high)])

    def _narrowed(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what conditions leave of boxes, shape (k, 3) each, without those left empty."""
        low, high = self._with_means(low, high)
        every = np.arange(len(self._secrets))
        for above, below in zip(self._above, self._below[::-1], strict=True):
            # of each secret the conditions that are deepest in each box, of shape (n_s, k, 4)
            first = above[every[:, None], _least(above, low, high).argmax(axis=-1)]
            second = below[every[:, None], _least(-below, low, high).argmax(axis=-1)]
            kept = np.ones(len(low), dtype=bool)
            for s, t in zip(*np.nonzero(every[:, None] != every), strict=True):
                low, high = _within(first[s] - second[t], low, high, kept)
            low, high = low[kept], high[kept]
        return self._with_means(low, high)

    def _with_means(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return boxes, (k, 3), cut to first lifts whose mean of the others is between their ends.

        What no such lift is in is left out.
        """
        low, high, rest = low.copy(), high.copy(), self._rest
        low[:, 2] = np.maximum(low[:, 2], low[:, 1])
        high[:, 1] = np.minimum(high[:, 1], high[:, 2])
        low[:, 0] = np.maximum(low[:, 0], (1 - rest * high[:, 2]) / (1 - rest) - CLOSE)
        high[:, 0] = np.minimum(high[:, 0], (1 - rest * low[:, 1]) / (1 - rest) + CLOSE)
        open_ = (low <= high).all(axis=1)
        return low[open_], high[open_]

    def _most(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return what outputs of boxes tell at most at either end of the first lift, (k, 2).

        Between the ends it is convex, as the mean of the others is a mean there (`_with_means`).
        """
        own = np.stack([low[:, 0], high[:, 0]], axis=1)
        least, greatest = low[:, 1, None], high[:, 2, None]
        mean = np.clip(self._mean(own), least, greatest)
        ends = -special.entr(least), -special.entr(greatest)
        slope = (ends[1] - ends[0]) / np.maximum(greatest - least, TINY)
        others = ends[0] + slope * (mean - least)
        result: FloatArray = (1 - self._rest) * -special.entr(own) + self._rest * others
        return result

    def _worth(self, multiplier: float) -> FloatArray:
        """Return what boxes tell less what their first lift costs, at both ends, (k, 2)."""
        own = np.stack([self._low[:, 0], self._high[:, 0]], axis=1)
        result: FloatArray = self._tells - multiplier * (own - 1)
        return result

    def _mixture(self) -> tuple[float, float]:
        """Return the multiplier of the first lift's mean and the bound, which any other proves."""
        own = np.stack([self._low[:, 0], self._high[:, 0]], axis=1)
        left, right = -1 / self._rest, 1 / self._rest
        best, most = 0.0, np.inf
        for _ in range(STEPS):
            middle = (left + right) / 2
            worth = self._tells - middle * (own - 1)
            at = worth.argmax()
            if worth.flat[at] < most:
                best, most = middle, float(worth.flat[at])
            if own.flat[at] > 1:
                left = middle
            else:
                right = middle
        return best, most

    def _outputs(self, multiplier: float) -> FloatArray:
        """Return the lifts of the best mixture's outputs, on either side of 1, shape (2, 3)."""
        worth = self._worth(multiplier)
        ends = np.stack([self._low[:, 0], self._high[:, 0]], axis=1)
        sides = np.array(
            [int(np.where(side, worth, -np.inf).argmax()) for side in (ends <= 1, ends >= 1)]
        )
        boxes = sides // 2
        own = ends.ravel()[sides]
        return np.stack([own, self._low[boxes, 1], self._high[boxes, 2]], axis=1)


def _least(rows: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the least of affine functions, (n_s, j, 4), in boxes, (k, 3): shape (n_s, k, j)."""
    slopes = np.swapaxes(rows[..., 1:], -1, -2)
    least = low @ np.maximum(slopes, 0) + high @ np.minimum(slopes, 0)
    result: FloatArray = rows[:, None, :, 0] + least
    return result


def _within(
    rows: FloatArray, low: FloatArray, high: FloatArray, kept: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return boxes, (k, 3), cut to where an affine function of each, (k, 4), may be at most 0.

    Boxes where it is above 0, or that are empty, are no longer `kept`, (k,).
    """
    slopes = rows[:, 1:]
    upward = slopes > 0
    least = rows[:, 0] + (slopes * np.where(upward, low, high)).sum(axis=1)
    scale = np.abs(rows[:, 0]) + (np.abs(slopes) * high).sum(axis=1)
    room = CLOSE * scale - least
    kept &= (room >= 0) & (low <= high).all(axis=1)
    with np.errstate(divide="ignore", over="ignore"):
        reach = np.maximum(room, 0.0)[:, None] / np.maximum(np.abs(slopes), TINY)
    return (
        np.where(slopes < 0, np.maximum(low, high - reach), low),
        np.where(upward, np.minimum(high, low + reach), high),
    )
