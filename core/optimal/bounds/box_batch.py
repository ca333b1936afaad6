"""Bounds on boxes of outputs in which one symbol dominates, many at once; as of `relaxation`."""

from __future__ import annotations

import numpy as np
from scipy import special

from core.optimal.bounds.box_programs import Boxes, BoxPrograms
from core.optimal.bounds.branch_and_bound import ABOUT_LARGEST, FLAT, WORTHWHILE
from core.optimal.programs.batched_simplex import Ends
from core.optimal.tolerances import THIN
from core.validation import BoolArray, FloatArray, IntArray


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
    ) -> None:
        k, n_x = lower.shape
        self._programs, self._prices = programs, prices
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
        ends = self._programs.solve(boxes, costs, labels=labels, enough=THIN - base)
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
        self._todo = todo[(value < 0) & ends.solved & (lifted >= -WORTHWHILE * value)]
        return len(self._todo) > 0

    def waiting(self) -> IntArray:
        """Return the indices of the boxes with a bound below 0."""
        return np.flatnonzero(self.values < 0)

    def splits(self, which: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the variables whose secants have the largest error, and where to split them."""
        lower, upper, d = self.lower[which], self.upper[which], self.dominant[which]
        point, each = self.points[which], np.arange(len(which))
        side = upper - lower
        slopes, intercepts = secants(lower, upper, d)
        exact = special.entr(np.maximum(point, 0.0))
        exact[each, d] = dominances(np.maximum(point[each, d], 0.0))
        error = exact - slopes * point - intercepts
        split, most = error.argmax(axis=1), error.max(axis=1)
        split = np.where(most <= THIN, side.argmax(axis=1), split)
        at = point[each, split]
        largest, own = point.max(axis=1), point[each, d]
        aside = own < ABOUT_LARGEST * largest  # either half leaves this point out
        split, at = np.where(aside, d, split), np.where(aside, (own + largest) / 2, at)
        # a split keeps at least this part of the side on either side of it
        inward = 0.3 * side[each, split]
        at = np.clip(at, lower[each, split] + inward, upper[each, split] - inward)
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
    each = np.arange(len(lower))
    at_lower, at_upper = special.entr(lower), special.entr(upper)
    at_lower[each, dominant] = dominances(lower[each, dominant])
    at_upper[each, dominant] = dominances(upper[each, dominant])
    width = upper - lower
    thin = width < THIN  # a flat line through the lower end
    least = np.minimum(at_lower, at_upper)
    slopes = np.where(thin, 0.0, (at_upper - at_lower) / np.where(thin, 1.0, width))
    return slopes, np.where(thin, least, at_lower) - slopes * lower


def tightened(
    value: FloatArray, reduced: FloatArray, lower: FloatArray, upper: FloatArray, d: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the parts of boxes, (k, n_x), where bounds may be < 0; lower > upper where none is."""
    each = np.arange(len(value))
    reach = np.full(reduced.shape, np.inf)
    missing = np.where(np.isfinite(value), np.maximum(-value, 0.0), np.inf)[:, None]
    np.divide(missing, np.abs(reduced), out=reach, where=np.abs(reduced) > FLAT)
    reach += THIN
    upper, lower = (
        np.minimum(upper, np.where(reduced > 0, lower + reach, np.inf)),
        np.maximum(lower, np.where(reduced < 0, upper - reach, -np.inf)),
    )
    # the others have mass 1, and none is more than d
    least, most = lower[each, d], upper[each, d]
    room = 1.0 - (lower.sum(axis=1) - least) + THIN
    upper = np.minimum(upper, np.minimum(lower + room[:, None], most[:, None]))
    upper[each, d] = most
    others = lower.copy()
    others[each, d] = 0.0
    lower[each, d] = np.maximum(least, others.max(axis=1))
    return lower, upper
