"""Branch and bound for all dominant symbols together: a few hundred of the worst boxes at a time.

Prices p are proven for d when H(r) ≥ p·r for every allowed r in which d is the largest. Such an r
costs at least −log r_d, so only r_d > exp(−max p) needs a proof. Boxes of (odds, others'
distribution) are split until relaxations prove it: H(r)/(1 − r_d) is ψ(k) + Σ φ(w_x), a concave
function, which secants bound. Where they cannot, p_d is lowered: every bound then rises by at least
the odds times as much, so what was proven remains so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from core.clock import NEVER, Deadline
from core.limits import CLOSE
from core.optimal.bounds.box_programs import Boxes, BoxPrograms
from core.optimal.bounds.odds import first_open_odds, odds_range, unseen_prices
from core.optimal.plan import SIZES
from core.optimal.programs.batched_simplex import Ends
from core.optimal.tolerances import FEASIBILITY
from core.validation import BoolArray, FloatArray, IntArray

ABOUT_LARGEST = 0.9
"""A column belongs to d's tree if d has at least this part of its largest entry."""

NARROW = 1e-8
"""A box with no longer side is not split: its bound is negative by rounding."""

DISPROVEN_SHARE = 0.5
"""Work stops when less than this part of what columns disproved is unproven: prices change."""


class BoxBatch:
    """Boxes that are bounded and tightened together; a box is done where its value is ≥ 0 or NaN.

    - `lower`, `upper`, `points`: boxes, tightened so far, and their programs' points, shape (k,
      n_x).
    - `labels`: labels at which the programs ended, shape (k, n − 1).
    - `values`: lower bounds of H(r) − p·r, scaled, shape (k,).
    """

    def __init__(
        self,
        programs: BoxPrograms,
        prices: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        dominant: IntArray,
        labels: IntArray | None,
        deadline: Deadline = NEVER,
    ) -> None:
        k, n_x = lower.shape
        self._programs, self._prices, self._deadline = programs, prices, deadline
        self.lower, self.upper, self.dominant = lower, upper, dominant
        self._mass = np.ones((k, n_x))
        self._mass[np.arange(k), dominant] = 0.0
        n = self._programs.matrix.shape[1]
        self.labels = np.full((k, n - 1), -1) if labels is None else labels
        self._fresh = labels is None
        self.values = np.full(k, -np.inf)
        self.points = (lower + upper) / 2
        self.solved = np.zeros(k, dtype=bool)
        self._todo = np.arange(k)

    def improve(self) -> bool:
        """Solve and tighten the boxes that are worth it; return whether any remains so."""
        todo = self._todo
        lower, upper, dominant = self.lower[todo], self.upper[todo], self.dominant[todo]
        slopes, intercepts = secants(lower, upper, dominant)
        base = intercepts.sum(axis=1)
        costs = slopes - self._prices[todo]
        boxes = Boxes(lower, upper, self._mass[todo])
        labels = None if self._fresh else self.labels[todo]
        ends = self._programs.solve(
            boxes, costs, labels=labels, enough=FEASIBILITY - base, deadline=self._deadline
        )
        self._fresh = False
        value, reduced = self._programs.proven(boxes, costs, ends)
        value += base
        value[self._shown_empty(boxes, ends)] = np.inf
        value[ends.empty & ~(value > 0)] = -np.inf
        reduced[~np.isfinite(value)] = 0.0
        inner_lower, inner_upper = tightened(value, reduced, lower, upper, dominant)
        value[(inner_lower > inner_upper).any(axis=1)] = np.inf
        self.values[todo] = np.maximum(value, self.values[todo])
        self.points[todo], self.labels[todo] = ends.points[:, : lower.shape[1]], ends.labels
        self.solved[todo] = ends.solved
        open_ = np.flatnonzero(value < 0)
        self.lower[todo[open_]] = inner_lower[open_]
        self.upper[todo[open_]] = inner_upper[open_]
        slopes, intercepts = secants(inner_lower, inner_upper, dominant)
        lifted = ((slopes - costs - self._prices[todo]) * self.points[todo]).sum(axis=1)
        lifted += intercepts.sum(axis=1) - base
        # a tightening that lifts a negative bound by less than a tenth is not followed by another
        self._todo = todo[(value < 0) & ends.solved & (lifted >= -0.1 * value)]
        return len(self._todo) > 0

    def waiting(self) -> IntArray:
        """Return the indices of the boxes with a bound below 0."""
        return np.flatnonzero(self.values < 0)

    def splits(self, which: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the variables whose secants have the largest error, and where to split them."""
        lower, upper, d = self.lower[which], self.upper[which], self.dominant[which]
        point, index = self.points[which], np.arange(len(which))
        side = upper - lower
        slopes, intercepts = secants(lower, upper, d)
        exact = special.entr(np.maximum(point, 0.0))
        exact[index, d] = dominances(np.maximum(point[index, d], 0.0))
        error = exact - slopes * point - intercepts
        split, most = error.argmax(axis=1), error.max(axis=1)
        split = np.where(most <= FEASIBILITY, side.argmax(axis=1), split)
        at = point[index, split]
        largest, own = point.max(axis=1), point[index, d]
        aside = own < ABOUT_LARGEST * largest  # either half leaves this point out
        split, at = np.where(aside, d, split), np.where(aside, (own + largest) / 2, at)
        # a split keeps at least this part of the side on either side of it
        inward = 0.3 * side[index, split]
        at = np.clip(at, lower[index, split] + inward, upper[index, split] - inward)
        return split, at

    def _shown_empty(self, boxes: Boxes, ends: Ends) -> BoolArray:
        """Return whether each box is proven to hold no allowed output, shape (k,)."""
        result = np.zeros(len(boxes), dtype=bool)
        which = np.flatnonzero(ends.empty)
        if len(which):
            some = Ends(**{name: value[which] for name, value in vars(ends).items()})
            costs = np.zeros((len(which), boxes.lower.shape[1]))
            result[which] = self._programs.proven(boxes.take(which), costs, some)[0] > 0
        return result


def dominances(odds: FloatArray) -> FloatArray:
    """Return ψ(k) = (k + 1) log(k + 1) − k log k of many odds, shape (k,)."""
    safe = np.where(odds > 0, odds, 1.0)
    return np.where(odds > 0, np.log1p(odds) + odds * np.log1p(1.0 / safe), 0.0)


def secants(
    lower: FloatArray, upper: FloatArray, dominant: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return slopes and intercepts of lines below ψ and φ on boxes, shapes (k, n_x)."""
    index = np.arange(len(lower))
    at_lower, at_upper = special.entr(lower), special.entr(upper)
    at_lower[index, dominant] = dominances(lower[index, dominant])
    at_upper[index, dominant] = dominances(upper[index, dominant])
    width = upper - lower
    thin = width < FEASIBILITY  # a flat line through the lower end
    least = np.minimum(at_lower, at_upper)
    slopes = np.where(thin, 0.0, (at_upper - at_lower) / np.where(thin, 1.0, width))
    return slopes, np.where(thin, least, at_lower) - slopes * lower


def tightened(
    value: FloatArray, reduced: FloatArray, lower: FloatArray, upper: FloatArray, d: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the parts of boxes, (k, n_x), where bounds may be < 0; lower > upper where none is."""
    index = np.arange(len(value))
    reach = np.full(reduced.shape, np.inf)
    missing = np.where(np.isfinite(value), np.maximum(-value, 0.0), np.inf)[:, None]
    np.divide(missing, np.abs(reduced), out=reach, where=np.abs(reduced) > CLOSE)
    reach += FEASIBILITY
    upper, lower = (
        np.minimum(upper, np.where(reduced > 0, lower + reach, np.inf)),
        np.maximum(lower, np.where(reduced < 0, upper - reach, -np.inf)),
    )
    # the others have mass 1, and none is more than d
    least, most = lower[index, d], upper[index, d]
    room = 1.0 - (lower.sum(axis=1) - least) + FEASIBILITY
    upper = np.minimum(upper, np.minimum(lower + room[:, None], most[:, None]))
    upper[index, d] = most
    others = lower.copy()
    others[index, d] = 0.0
    lower[index, d] = np.maximum(least, others.max(axis=1))
    return lower, upper


LONGER = 2
"""Work stops at this multiple of the boxes after which the last column was found."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Boxes of all trees.

    - `lower`, `upper`: of the odds k of the dominant symbol and of the others' w, shape (k, n_x).
    - `dominant`: the dominant symbol of each box's tree, shape (k,).
    - `closing`: the price of that symbol that is proven on each box, shape (k,).
    - `split`, `at`: the variable to split, and where, shape (k,).
    - `labels`: labels at which the program of each ended, shape (k, n − 1).
    """

    lower: FloatArray
    upper: FloatArray
    dominant: IntArray
    closing: FloatArray
    split: IntArray
    at: FloatArray
    labels: IntArray

    def __len__(self) -> int:
        return len(self.closing)

    def take(self, which: IntArray | BoolArray) -> Leaves:
        """Return the boxes of these indices, or of a mask."""
        return Leaves(**{name: value[which] for name, value in vars(self).items()})

    def and_those(self, more: list[Leaves]) -> Leaves:
        """Return these boxes and others."""
        return Leaves(
            **{
                name: np.concatenate([value, *(vars(leaves)[name] for leaves in more)])
                for name, value in vars(self).items()
            }
        )


class Forest:
    """A tree for each symbol that may be the largest; `targets`: prices to prove, shape (n_x,)."""

    def __init__(
        self,
        programs: BoxPrograms,
        prices: FloatArray,
        tolerance: float,
        explore: Callable[[FloatArray], list[FloatArray]],
    ) -> None:
        self._programs, self._given = programs, prices
        self._aims = prices - tolerance
        self.targets = self._aims.copy()
        self.boxes = 0
        self._tolerance, self._explore = tolerance, explore
        self._floors = unseen_prices(prices)
        self._improved_at, self._deadline = np.inf, NEVER
        n_x, n = len(prices), programs.matrix.shape[1]
        self._started = np.zeros(n_x, dtype=bool)
        none = np.zeros(0, dtype=np.int64)
        empty, flat = np.zeros((0, n_x)), np.zeros(0)
        self._leaves = Leaves(empty, empty, none, flat, none, flat, none.reshape(0, n - 1))

    @property
    def proven(self) -> FloatArray:
        """The prices proven so far, shape (n_x,), each beside the others as given (or lower)."""
        worst = np.where(self._started, self.targets, self._floors)
        np.minimum.at(worst, self._leaves.dominant, self._leaves.closing)
        return np.minimum(self.targets, np.maximum(worst, self._floors))

    @property
    def closed(self) -> bool:
        """Whether all targets are proven."""
        return bool((self.proven >= self.targets).all())

    @property
    def spread(self) -> float:
        """Part of the bounded boxes that is open."""
        return len(self._leaves) / max(self.boxes, 1)

    def are_for(self, prices: FloatArray, tolerance: float) -> bool:
        """Return whether the trees are for these prices."""
        return tolerance == self._tolerance and bool(np.array_equal(prices, self._given))

    def learn(self, column: FloatArray) -> None:
        """Lower the targets of a column's largest symbols that the column disproves."""
        for d in map(int, np.flatnonzero(column >= ABOUT_LARGEST * column.max())):
            excess = self._excess(column, d)
            if excess > 0:
                price = self.targets[d] - excess / float(column[d]) - self._tolerance
                self._lower(d, price)

    def work(self, weights: FloatArray, deadline: Deadline) -> None:
        """Split worst boxes until all are closed, prices should change or time is over."""
        if deadline.over:
            return
        self._deadline, self._improved_at = deadline, np.inf
        purest = self._programs.purest(deadline)
        if purest is None:
            return
        order = np.argsort(-weights * (self.targets - self.proven), kind="stable")
        self.start(order, *purest)
        while not deadline.over and not self.closed:
            unproven = weights @ (self.targets - self.proven)
            disproven = weights @ (self._aims - self.targets)
            if unproven <= DISPROVEN_SHARE * disproven or len(self._leaves) > SIZES.waiting_boxes:
                break
            if self.boxes > LONGER * self._improved_at:
                break
            self.grow(weights)

    def start(self, order: IntArray, odds: FloatArray, purest: FloatArray) -> None:
        """Add the first boxes of some symbols, unless their prices alone prove the targets.

        `odds` and `purest` are those of `BoxPrograms.purest`.
        """
        lower, upper, planted = [], [], []
        for d in map(int, order):
            if self._started[d] or self._floors[d] >= self.targets[d]:
                continue
            self._started[d] = True
            ends = self._range(d, float(odds[d]), purest[d])
            if ends is not None:
                least, most = np.zeros(len(self.targets)), np.full(len(self.targets), ends[1])
                np.minimum(most, 1.0, out=most)
                least[d], most[d] = ends
                lower.append(least)
                upper.append(most)
                planted.append(d)
        if planted:
            self._plant(np.array(lower), np.array(upper), np.array(planted), None)

    def _range(self, d: int, highest: float, purest: FloatArray) -> tuple[float, float] | None:
        """Return the range of a symbol's odds that needs a proof, None if it is empty."""
        if np.isinf(highest):  # d is allowed (nearly) alone, at a cost of 0, or may be
            if np.isfinite(purest).all():
                self._inspect(purest, d)
            self._lower(d, -self._tolerance)
        prices = self._prices(np.array([d]))[0]
        least, most = odds_range(prices, d, highest)
        least = first_open_odds(prices, d, least, most)
        return (least, most) if least < most else None

    def grow(self, weights: FloatArray) -> None:
        """Split the boxes with the largest unproven part of a price, times its weight."""
        leaves = self._leaves
        lack = self.targets[leaves.dominant] - leaves.closing
        opened = np.flatnonzero(lack > 0)
        lack = np.minimum(lack, (self.targets - self._floors)[leaves.dominant])[opened]
        lack *= weights[leaves.dominant[opened]]
        halved = max(1, self._programs.together // 2)  # each becomes two
        worst = opened[np.argsort(-lack, kind="stable")[:halved]]
        kept = np.zeros(len(leaves), dtype=bool)
        kept[opened] = True
        kept[worst] = False
        halves = leaves.take(worst)
        self._leaves = leaves.take(kept)
        index = np.arange(len(halves))
        left, right = halves.upper.copy(), halves.lower.copy()
        left[index, halves.split] = right[index, halves.split] = halves.at
        self._plant(
            np.vstack([halves.lower, right]),
            np.vstack([left, halves.upper]),
            np.tile(halves.dominant, 2),
            np.vstack([halves.labels, halves.labels]),
        )

    def _lower(self, dominant: int, price: float) -> None:
        """Lower the target of a symbol to at most this price, but not below its floor."""
        price = max(price, float(self._floors[dominant]))
        self.targets[dominant] = min(self.targets[dominant], price)

    def _prices(self, dominant: IntArray) -> FloatArray:
        """Return the prices of trees, shape (k, n_x): as given, but with each tree's target."""
        prices = np.tile(self._given, (len(dominant), 1))
        prices[np.arange(len(dominant)), dominant] = self.targets[dominant]
        return prices

    def _plant(
        self,
        lower: FloatArray,
        upper: FloatArray,
        dominant: IntArray,
        labels: IntArray | None,
    ) -> None:
        """Bound and tighten boxes, and keep those with a bound below 0."""
        self.boxes += len(lower)
        aims = self.targets[dominant]
        prices = self._prices(dominant)
        todo = BoxBatch(self._programs, prices, lower, upper, dominant, labels, self._deadline)
        # most times that boxes are tightened by their reduced costs and solved again
        for _ in range(2):
            if not todo.improve():
                break
        kept = todo.waiting()
        points, dominant = todo.points[kept], dominant[kept]
        excess = self._excesses(points, dominant)
        solved = todo.solved[kept]
        order = np.argsort(-excess, kind="stable")
        for number, i in enumerate(order[solved[order] & (excess[order] > 0)], 1):
            # of 117 symbols each takes 10 ms
            if number % 16 == 0 and self._deadline.over:
                break
            self._inspect(points[i], int(dominant[i]))
        index = np.arange(len(kept))
        closing = aims[kept] + todo.values[kept] / todo.lower[kept][index, dominant]
        side = todo.upper[kept] - todo.lower[kept]
        narrow = (side <= NARROW * (1.0 + todo.lower[kept])).all(axis=1)
        for i in np.flatnonzero(narrow):  # the bound is negative by rounding
            self._lower(int(dominant[i]), float(closing[i]))
        split, at = todo.splits(kept)
        leaves = Leaves(
            todo.lower[kept], todo.upper[kept], dominant, closing, split, at, todo.labels[kept]
        )
        self._leaves = self._leaves.and_those([leaves.take(np.flatnonzero(~narrow))])

    def _inspect(self, point: FloatArray, dominant: int) -> None:
        """Lower targets by a point of a program, if it disproves a tree's prices."""
        r = np.maximum(point, 0.0)
        r /= r.sum()
        if self._excess(r, dominant) > 0:
            self._improved_at = self.boxes
            for column in (r, *self._explore(r)):
                self.learn(column)

    def _excess(self, r: FloatArray, dominant: int) -> float:
        """Return p·r − H(r), by which a column undercuts a tree's prices."""
        drop = float(self._given[dominant] - self.targets[dominant]) * float(r[dominant])
        return float(self._given @ r - special.entr(r).sum()) - drop

    def _excesses(self, points: FloatArray, dominant: IntArray) -> FloatArray:
        """Return `_excess` of many points, shape (k, n_x), given up to scale."""
        r = np.maximum(points, 0.0)
        r /= np.maximum(r.sum(axis=1, keepdims=True), FEASIBILITY)
        result: FloatArray = (self._prices(dominant) * r - special.entr(r)).sum(axis=1)
        return result
