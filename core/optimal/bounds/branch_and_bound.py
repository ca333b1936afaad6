"""Branch and bound for one dominant symbol: the largest price of that symbol that is proven.

Prices p are proven for d when H(r) ≥ p·r for every allowed r in which d is the largest. Such an r
costs at least −log r_d, so only r_d > exp(−max p) needs a proof. Boxes of (odds, others'
distribution) are split until relaxations prove it; where they cannot, p_d is lowered: every bound
then rises by at least the odds times as much, so what was proven remains so.

A tree of many symbols begins with outputs of two large ones, all pairs at once: beside the dominant
symbol either some symbol has at least half of the rest, or none has. Then −log w ≥ log 2 for all,
and the first relaxation is tight enough to be of use.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from core.clock import Deadline
from core.limits import CLOSE
from core.optimal.bounds.odds import dominance, first_open_odds, odds_range
from core.optimal.bounds.relaxation import EPSILON, Multipliers, Relaxation, Space
from core.optimal.plan import SIZES
from core.optimal.tolerances import FEASIBILITY
from core.validation import FloatArray

HALF = 0.5
"""The share of the rest from which on a second symbol is large: at most one is, or two with ½."""


def none_large(upper: FloatArray, dominant: int) -> FloatArray:
    """Return the upper ends, shape (n_x,), of the part of a box without a large second symbol."""
    inner = np.minimum(upper, HALF)
    inner[dominant] = upper[dominant]
    return inner


def one_large(
    lower: FloatArray, upper: FloatArray, dominant: int, large: int
) -> tuple[FloatArray, FloatArray]:
    """Return the part of a box in which a given second symbol is large."""
    least, most = lower.copy(), none_large(upper, dominant)
    least[large], most[large] = HALF, upper[large]
    least[dominant] = max(least[dominant], HALF)  # d is no smaller
    return least, most


def pair_bounds(
    relaxation: Relaxation,
    prices: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    multipliers: Multipliers,
) -> FloatArray:
    """Return, for each x, a lower bound of the scaled H − p·r over outputs in which x is large.

    Given multipliers, odds and w_x are at the cheaper ends of their ranges, and the remaining mass
    is on the cheapest other symbol.
    """
    d, count = relaxation.dominant, len(prices)
    priced, rows = relaxation.priced(multipliers.rows)
    slopes, intercepts = relaxation.secants(lower, none_large(upper, d))
    small = slopes - prices + priced
    start, end = np.full(count, HALF), np.maximum(upper, HALF)
    start[d], end[d] = lower[d], upper[d]
    slopes, levels = relaxation.secants(start, end)
    large = slopes - prices + priced
    odds = float(intercepts[d] + min(small[d] * lower[d], small[d] * upper[d]))
    small[d] = np.inf
    first, second = np.argsort(small)[:2]
    rest = np.full(count, small[first])
    rest[first] = small[second]
    ends = [levels + large * at + _times(1.0 - at, rest) for at in (start, end)]
    values = odds + np.minimum(*ends)
    values[d] = np.inf
    size = 1.0 + float(rows.sum()) + float(np.abs(prices).max()) + float(np.abs(large).max())
    result: FloatArray = values - EPSILON * (len(rows) + count + 8) * size * (2.0 + upper[d])
    return result


def _times(mass: FloatArray, price: FloatArray) -> FloatArray:
    """Return mass·price, and 0 where the mass is 0 or the price is infinite."""
    return np.where(mass > 0, mass * np.where(np.isfinite(price), price, 0.0), 0.0)


WORTHWHILE = 0.1
"""Part of a negative bound by which a tightening must lift it to be followed by another."""

ABOUT_LARGEST = 0.9
"""A column belongs to d's tree if d has at least this part of its largest entry."""

NARROW = 1e-8
"""A box with no longer side is not split, as HiGHS's tolerance is larger."""

DISPROVEN_SHARE = 0.5
"""Work stops when less than this part of what columns disproved is unproven: prices change."""


@dataclass(frozen=True, eq=False, slots=True)
class OpenBox:
    """A box with a bound below 0, and where to split it; `split` is −1 before it is solved."""

    lower: FloatArray
    upper: FloatArray
    multipliers: Multipliers
    split: int = -1
    at: float = 0.0


class Tree:
    """Branch and bound of allowed outputs in which one symbol is largest; `target`: p_d to try."""

    def __init__(
        self,
        space: Space,
        dominant: int,
        prices: FloatArray,
        tolerance: float,
        floor: float,
        explore: Callable[[FloatArray], list[FloatArray]],
    ) -> None:
        self.space, self.dominant = space, dominant
        self.target = float(prices[dominant]) - tolerance
        self.boxes = 0
        self._tolerance, self._explore = tolerance, explore
        self._prices = prices.copy()
        self._prices[dominant] = self.target
        self._count = itertools.count()
        self._open: list[tuple[float, int, OpenBox]] = []
        self._floor = floor
        self._started = False
        self._latest = Multipliers(np.zeros(len(space.relaxation.matrix)), 0.0)

    @property
    def proven(self) -> float:
        """The price p_d proven so far, beside the other prices as given (or lower)."""
        if not self._started:
            return min(self.target, self._floor)
        worst = self._open[0][0] if self._open else self.target
        return min(self.target, max(worst, self._floor))

    @property
    def closed(self) -> bool:
        """Whether the target is proven."""
        return self.proven >= self.target

    @property
    def waiting(self) -> int:
        """Number of open boxes."""
        return len(self._open)

    def lower(self, target: float) -> None:
        """Lower the target to at most this price."""
        self.target = min(self.target, target)
        self._prices[self.dominant] = self.target

    def learn(self, column: FloatArray) -> None:
        """Lower the target if an allowed column, with d about its largest entry, disproves it."""
        excess, share = self._excess(column), float(column[self.dominant])
        if excess > 0 and share >= ABOUT_LARGEST * float(column.max()):
            self.lower(max(self.target - excess / share - self._tolerance, self._floor))

    def grow(self, boxes: int, deadline: Deadline) -> None:
        """Split worst boxes until the target is proven, `boxes` are bounded or time is over."""
        last = self.boxes + boxes
        if not self.closed and not self._started:
            self._start()
        self.space.relaxation.focus(self.dominant)
        while not self.closed and self.boxes < last and not deadline.over:
            _, _, box = heapq.heappop(self._open)
            if box.split < 0:
                self._add(box.lower, box.upper, box.multipliers)
                continue
            left, right = box.upper.copy(), box.lower.copy()
            left[box.split] = right[box.split] = box.at
            self._add(box.lower, left, box.multipliers)
            self._add(right, box.upper, box.multipliers)

    def _start(self) -> None:
        """Add the first boxes, unless prices alone prove the target."""
        d, prices = self.dominant, self._prices
        self._started = True
        highest = self.space.highest_odds(d)
        if np.isinf(highest):  # d is allowed (nearly) alone, at a cost of 0
            self._inspect(self.space.purest(d))
            self.lower(-self._tolerance)
        least, most = odds_range(prices, d, highest)
        least = first_open_odds(prices, d, least, most)
        if least >= most:
            return
        lower, upper = np.zeros(len(prices)), np.full(len(prices), min(1.0, most))
        lower[d], upper[d] = least, most
        self.space.relaxation.focus(d)
        if len(prices) < SIZES.paired_symbols or upper.max() <= HALF:
            self._add(lower, upper, None)
            return
        self._add(lower, none_large(upper, d), None)
        values = pair_bounds(self.space.relaxation, self._prices, lower, upper, self._latest)
        for large in np.flatnonzero(values < 0):
            box = one_large(lower, upper, d, int(large))
            closing = self.target + float(values[large] / least)
            heapq.heappush(self._open, (closing, next(self._count), OpenBox(*box, self._latest)))

    def _add(self, lower: FloatArray, upper: FloatArray, known: Multipliers | None) -> None:
        """Bound a box, tighten it, and keep it unless its bound is 0."""
        self.boxes += 1
        value = -np.inf
        if known is not None:
            value, lower, upper = self._tightened(lower, upper, known)
            if value >= 0:
                return
        point, met = (lower + upper) / 2, None
        # most times that one box is tightened by its reduced costs and solved again
        for _ in range(4):
            slopes, _ = self.space.relaxation.secants(lower, upper)
            met, multipliers = self.space.relaxation.solve(slopes - self._prices, lower, upper)
            self._latest = multipliers
            if met is None:
                if self.space.relaxation.shown_empty(lower, upper, multipliers):
                    return
                break
            point = met
            value, inner_lower, inner_upper = self._tightened(lower, upper, multipliers)
            if value >= 0:
                return
            lifted = self._under(point, inner_lower, inner_upper)
            lifted -= self._under(point, lower, upper)
            lower, upper = inner_lower, inner_upper
            if lifted < -WORTHWHILE * value:
                break
        closing = self.target + value / float(lower[self.dominant])
        if met is not None:
            self._inspect(point)
        if (upper - lower <= NARROW * (1.0 + lower)).all():  # its bound is negative by rounding
            self.lower(max(closing, self._floor))
            return
        box = OpenBox(lower, upper, multipliers, *self._split(point, lower, upper))
        heapq.heappush(self._open, (closing, next(self._count), box))

    def _tightened(
        self, lower: FloatArray, upper: FloatArray, multipliers: Multipliers
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return a proven bound on a box, and the ends of the part where it may be below 0."""
        d = self.dominant
        slopes, intercepts = self.space.relaxation.secants(lower, upper)
        costs = slopes - self._prices
        value, reduced = self.space.relaxation.proven(costs, lower, upper, multipliers)
        value += float(intercepts.sum())
        if value >= 0:
            return value, lower, upper
        reach = np.full(len(reduced), np.inf)
        np.divide(-value, np.abs(reduced), out=reach, where=np.abs(reduced) > CLOSE)
        reach += FEASIBILITY
        upper, lower = (
            np.minimum(upper, np.where(reduced > 0, lower + reach, np.inf)),
            np.maximum(lower, np.where(reduced < 0, upper - reach, -np.inf)),
        )
        # the others have mass 1, and none is more than d
        least, most = float(lower[d]), float(upper[d])
        room = 1.0 - (float(lower.sum()) - least) + FEASIBILITY
        upper = np.minimum(upper, np.minimum(lower + room, most))
        upper[d] = most
        lower[d] = max(least, float(np.delete(lower, d).max()))
        if (lower > upper).any():
            return np.inf, lower, upper
        return value, lower, upper

    def _under(self, point: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
        """Return the sum of the box's secants at a point."""
        slopes, intercepts = self.space.relaxation.secants(lower, upper)
        return float(slopes @ point + intercepts.sum())

    def _split(self, point: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[int, float]:
        """Return the variable whose secant has the largest error, and where to split it."""
        d = self.dominant
        side = upper - lower
        slopes, intercepts = self.space.relaxation.secants(lower, upper)
        exact = special.entr(np.maximum(point, 0.0))
        exact[d] = dominance(float(point[d]))
        error = exact - slopes * point - intercepts
        j, at = int(error.argmax()), point
        if point[d] < ABOUT_LARGEST * point.max():  # either half leaves this point out
            j, at = d, np.full(len(point), (point[d] + point.max()) / 2)
        elif error[j] <= FEASIBILITY:
            j = int(side.argmax())
        inward = 0.2 * side[j]  # least part of a side on either side of a split
        return j, float(np.clip(at[j], lower[j] + inward, upper[j] - inward))

    def _inspect(self, point: FloatArray) -> None:
        """Lower the target by a point of the linear program, if it disproves the prices."""
        r = np.maximum(point, 0.0)
        r /= r.sum()
        if self._excess(r) > 0:
            for column in (r, *self._explore(r)):
                self.learn(column)

    def _excess(self, r: FloatArray) -> float:
        """Return p·r − H(r), by which a column undercuts the prices."""
        return float(self._prices @ r - special.entr(r).sum())


class Trees:
    """The trees of all symbols; other parameters as of `Tree`."""

    def __init__(
        self,
        space: Space,
        prices: FloatArray,
        tolerance: float,
        floors: FloatArray,
        explore: Callable[[FloatArray], list[FloatArray]],
    ) -> None:
        self._aims = prices - tolerance
        self.trees = [
            Tree(space, d, prices, tolerance, float(floors[d]), explore) for d in range(len(prices))
        ]

    @property
    def proven(self) -> FloatArray:
        """The prices proven so far, shape (n_x,)."""
        return np.array([tree.proven for tree in self.trees])

    @property
    def closed(self) -> bool:
        """Whether all targets are proven."""
        return all(tree.closed for tree in self.trees)

    @property
    def boxes(self) -> int:
        """Number of boxes that were bounded."""
        return sum(tree.boxes for tree in self.trees)

    @property
    def spread(self) -> float:
        """Part of the bounded boxes that is open."""
        return sum(tree.waiting for tree in self.trees) / max(self.boxes, 1)

    def work(self, weights: FloatArray, deadline: Deadline) -> None:
        """Grow the worst tree until all are closed, `DISPROVEN_SHARE` is met or time is over."""
        trees = self.trees
        unproven = np.array([tree.target - tree.proven for tree in trees]) * weights
        for d in np.argsort(-unproven, kind="stable"):  # the first box of a tree gains most
            if unproven[d] <= 0 or deadline.over:
                break
            trees[d].grow(1, deadline)
        unproven = np.array([tree.target - tree.proven for tree in trees]) * weights
        disproven = np.array([self._aims[d] - tree.target for d, tree in enumerate(trees)])
        disproven *= weights
        queue = [(-float(unproven[d]), d) for d in np.flatnonzero(unproven > 0)]
        heapq.heapify(queue)
        while queue and not deadline.over:
            if unproven.sum() <= DISPROVEN_SHARE * disproven.sum():
                break
            if sum(tree.waiting for tree in trees) > SIZES.waiting_boxes:
                break
            _, d = heapq.heappop(queue)
            tree = trees[d]
            # boxes of one tree before the next worst tree continues: a change of trees takes about
            # one box
            tree.grow(32, deadline)
            unproven[d] = weights[d] * (tree.target - tree.proven)
            disproven[d] = weights[d] * (self._aims[d] - tree.target)
            if not tree.closed:
                heapq.heappush(queue, (-float(unproven[d]), d))
