"""Branch and bound for all dominant symbols together: a few hundred of the worst boxes at a time.

It proves what `branch_and_bound` does box by box; with few symbols it takes a tenth of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from core.clock import Deadline
from core.optimal.bounds.box_batch import BoxBatch
from core.optimal.bounds.box_programs import BoxPrograms
from core.optimal.bounds.branch_and_bound import ABOUT_LARGEST, DISPROVEN_SHARE, NARROW
from core.optimal.bounds.odds import first_open_odds, odds_range
from core.optimal.bounds.relaxation import Space
from core.optimal.plan import SIZES
from core.optimal.tolerances import THIN
from core.validation import BoolArray, FloatArray, IntArray

LONGER = 2
"""Work stops at this multiple of the boxes after which the last column was found."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Boxes of all trees.

    - `lower`, `upper`: in the coordinates of `Relaxation`, shape (k, n_x).
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
        space: Space,
        programs: BoxPrograms,
        prices: FloatArray,
        tolerance: float,
        floors: FloatArray,
        explore: Callable[[FloatArray], list[FloatArray]],
    ) -> None:
        self._space, self._programs, self._given = space, programs, prices
        self._aims = prices - tolerance
        self.targets = self._aims.copy()
        self.boxes = 0
        self._tolerance, self._floors, self._explore = tolerance, floors, explore
        self._found_at = np.inf
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
        self._found_at = np.inf
        self.start(np.argsort(-weights * (self.targets - self.proven), kind="stable"))
        while not deadline.over and not self.closed:
            unproven = weights @ (self.targets - self.proven)
            disproven = weights @ (self._aims - self.targets)
            if unproven <= DISPROVEN_SHARE * disproven or len(self._leaves) > SIZES.waiting_boxes:
                break
            if self.boxes > LONGER * self._found_at:
                break
            self.grow(weights)

    def start(self, order: IntArray) -> None:
        """Add the first boxes of some symbols, unless their prices alone prove the targets."""
        lower, upper, planted = [], [], []
        for d in map(int, order):
            if self._started[d] or self._floors[d] >= self.targets[d]:
                continue
            self._started[d] = True
            ends = self._range(d)
            if ends is not None:
                least, most = np.zeros(len(self.targets)), np.full(len(self.targets), ends[1])
                np.minimum(most, 1.0, out=most)
                least[d], most[d] = ends
                lower.append(least)
                upper.append(most)
                planted.append(d)
        if planted:
            self._plant(np.array(lower), np.array(upper), np.array(planted), None)

    def _range(self, d: int) -> tuple[float, float] | None:
        """Return the range of a symbol's odds that needs a proof, None if it is empty."""
        highest = self._space.highest_odds(d)
        if np.isinf(highest):  # d is allowed (nearly) alone, at a cost of 0
            self._inspect(self._space.purest(d), d)
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
        # most boxes that are split at a time: enough to make the overhead of array operations
        # small
        worst = opened[np.argsort(-lack, kind="stable")[:256]]
        kept = np.zeros(len(leaves), dtype=bool)
        kept[opened] = True
        kept[worst] = False
        halves = leaves.take(worst)
        self._leaves = leaves.take(kept)
        each = np.arange(len(halves))
        left, right = halves.upper.copy(), halves.lower.copy()
        left[each, halves.split] = right[each, halves.split] = halves.at
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
        todo = BoxBatch(self._programs, prices, lower, upper, dominant, labels)
        # most times that boxes are tightened by their reduced costs and solved again
        for _ in range(2):
            if not todo.improve():
                break
        kept = todo.waiting()
        points, dominant = todo.points[kept], dominant[kept]
        excess = self._excesses(points, dominant)
        solved = todo.solved[kept]
        for i in np.argsort(-excess, kind="stable"):
            if solved[i] and excess[i] > 0:
                self._inspect(points[i], int(dominant[i]))
        each = np.arange(len(kept))
        closing = aims[kept] + todo.values[kept] / todo.lower[kept][each, dominant]
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
            self._found_at = self.boxes
            for column in (r, *self._explore(r)):
                self.learn(column)

    def _excess(self, r: FloatArray, dominant: int) -> float:
        """Return p·r − H(r), by which a column undercuts a tree's prices."""
        drop = float(self._given[dominant] - self.targets[dominant]) * float(r[dominant])
        return float(self._given @ r - special.entr(r).sum()) - drop

    def _excesses(self, points: FloatArray, dominant: IntArray) -> FloatArray:
        """Return `_excess` of many points, shape (k, n_x), given up to scale."""
        r = np.maximum(points, 0.0)
        r /= np.maximum(r.sum(axis=1, keepdims=True), THIN)
        result: FloatArray = (self._prices(dominant) * r - special.entr(r)).sum(axis=1)
        return result
