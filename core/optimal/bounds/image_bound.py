"""Proofs of prices by branch and bound, where an output's cost depends on few numbers.

The cost Σ_t c_t(u_t) depends on the image u = B r alone. Over a box l ≤ u ≤ h each concave c_t lies
above its secant, so a linear program bounds Σ_t c_t(u_t) − λ·r from below, and multipliers of its
rows prove that; boxes are split where secants err most (Falk and Soland, 1969).
"""

from __future__ import annotations

import heapq
import itertools
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.bounds.relaxation import EPSILON, Relaxation
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import EXACT_PRICE, FEASIBILITY
from core.optimal.utility import OfImage
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Pricing:
    """`floor` ≤ c(r) − λ·r for every allowed r, and `best`, the least found, at `point`.

    `outputs`: allowed posteriors of negative reduced cost, lowest first, shape (k, n_x).
    """

    floor: float
    outputs: FloatArray
    best: float
    point: FloatArray


class ImageBound:
    """Branch and bound over the images of one allowed set; its first box is kept."""

    def __init__(self, allowed: AllowedSet, utility: OfImage, deadline: Deadline = NEVER) -> None:
        self._utility, self._oracle = utility, allowed.oracle
        self._n_t, self._n_x = utility.matrix.shape
        self._relaxation = Relaxation(allowed)  # prices auxiliary variables
        self._program = self._linked(allowed)
        self._costs = np.zeros(self._program.n_cols)
        self._lower, self._upper = self._first_box(deadline)

    def with_curve(self, utility: OfImage) -> ImageBound:
        """Return the search for another curve of the same image, which shares rows and box."""
        other = copy(self)
        other._utility = utility
        return other

    def minimise(
        self,
        prices: FloatArray,
        *,
        tolerance: float,
        deadline: Deadline,
        patient: bool = False,
        known: float = -np.inf,
    ) -> Pricing:
        """Return a lower bound of c(r) − λ·r, valid whenever it ends, and outputs below 0.

        It ends when the floor is within the tolerance of min(0, least found), when outputs far
        below 0 are found, or when time is over; with `patient` neither 0 nor outputs below it end
        it.
        """
        search = _Search(self, prices)
        search.look(self._lower, self._upper, -np.inf)
        most = np.inf if patient else 0.0
        while search.open and max(search.floor(), known) < min(search.best, most) - tolerance:
            # outputs that undercut the prices by far are returned at once
            # boxes after which outputs that undercut the prices by far are returned at once: the
            # next prices, which they improve, are a better use of time
            enough = search.boxes >= 64 and search.best < -4.0 * tolerance and not patient
            if enough or deadline.over:
                break
            search.split()
        pricing = search.pricing()
        return replace(pricing, floor=max(pricing.floor, known))

    def least(
        self, slopes: FloatArray, prices: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[float, FloatArray] | None:
        """Return a proven lower bound of slopes·u − λ·r in a box, and r; None if it is empty.

        They are −∞ and 0 where HiGHS finds the box empty without a proof, or fails.
        """
        # most programs of one box, each after an oracle has cut off the last one's point
        for _ in range(4):
            lowest = self._least(slopes, prices, lower, upper)
            if lowest is None or self._oracle is None or not lowest[1].any():
                return lowest
            cuts = self._oracle(lowest[1])
            if len(cuts) == 0:
                return lowest
            self.cut(cuts)
        return lowest

    def cut(self, cuts: FloatArray) -> None:
        """Add the rows cuts @ r ≤ 0, shape (k, n_x)."""
        auxiliary = self._program.n_cols - self._n_t - self._n_x
        padded = np.hstack([cuts, np.zeros((len(cuts), auxiliary))])
        self._relaxation.matrix = np.vstack([self._relaxation.matrix, padded])
        self._program.add_cuts(np.hstack([np.zeros((len(cuts), self._n_t)), padded]))

    def _least(
        self, slopes: FloatArray, prices: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[float, FloatArray] | None:
        """Return what `least` does, without the oracle."""
        n_t, n_x, none = self._n_t, self._n_x, np.zeros(self._n_x)
        self._costs[:n_t], self._costs[n_t : n_t + n_x] = slopes, -prices
        self._program.set_costs(self._costs)
        self._program.set_col_bounds(lower, upper)
        try:
            solution = self._program.solve()
        except InfeasibleError:
            ray = self._program.dual_ray()
            if self._proven(ray, np.zeros(n_t), none, lower, upper) > 0:
                return None
            return -np.inf, none
        except SolverError:  # the bound of the box around this one is used
            return -np.inf, none
        r = np.maximum(solution.x[n_t : n_t + n_x], 0.0)
        return self._proven(solution.duals, slopes, prices, lower, upper), r / r.sum()

    def _proven(
        self,
        duals: FloatArray,
        slopes: FloatArray,
        prices: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> float:
        """Return the lower bound that duals prove: each variable is at its cheaper end."""
        n_t = self._n_t
        links = duals[1 : 1 + n_t]
        priced, rows = self._relaxation.priced(np.maximum(-duals[1 + n_t :], 0.0))
        of_u = slopes - links
        of_r = priced - prices + links @ self._utility.matrix
        value = float(of_r.min()) + float(np.minimum(of_u * lower, of_u * upper).sum())
        reach = 1.0 + float(np.abs(lower).sum() + np.abs(upper).sum())
        size = 1.0 + float(np.abs(links).sum() + np.abs(prices).max() + rows.sum())
        size += float(np.abs(slopes).sum())
        terms = len(rows) + self._n_x + 2 * n_t + 8
        return float(value - EPSILON * terms * size * reach)

    def _linked(self, allowed: AllowedSet) -> LinearProgram:
        """Return the program over (u, r, auxiliary variables): Σr = 1, u = B r, rows ≤ 0."""
        n_t, n_x, n_h = self._n_t, self._n_x, allowed.n_auxiliary
        mass = sparse.csr_array(np.concatenate([np.zeros(n_t), np.ones(n_x), np.zeros(n_h)])[None])
        links = sparse.hstack(
            [
                sparse.eye_array(n_t),
                sparse.csr_array(-self._utility.matrix),
                sparse.csr_array((n_t, n_h)),
            ]
        )
        count = allowed.rows.shape[0]
        rows = sparse.hstack([sparse.csr_array((count, n_t)), allowed.rows])
        lower = np.concatenate([[1.0], np.zeros(n_t), np.full(count, -INFINITY)])
        upper = np.concatenate([[1.0], np.zeros(n_t), np.zeros(count)])
        free = np.append(np.full(n_t, -INFINITY), np.zeros(n_x + n_h))
        matrix = sparse.csr_array(sparse.vstack([mass, links, rows]))
        return LinearProgram(matrix, lower, upper, col_lower=free)

    def _first_box(self, deadline: Deadline) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest image of an allowed output in each dimension.

        What is left when time is over are those of all posteriors.
        """
        matrix, nothing = self._utility.matrix, np.zeros(self._n_x)
        lower, upper = matrix.min(axis=1), matrix.max(axis=1)
        for t, axis in enumerate(np.eye(self._n_t)):
            for sign, side in ((1.0, lower), (-1.0, upper)):
                if deadline.over:
                    return lower, upper
                lowest = self.least(sign * axis, nothing, lower, upper)
                if lowest is None:
                    raise InfeasibleError("No output at all meets the notion: its set is empty.")
                # added to the sides of the first box, for the rounding of the programs that found
                # them
                reached = sign * (lowest[0] - 1e-12)
                side[t] = max(reached, lower[t]) if sign > 0 else min(reached, upper[t])
        return lower, upper

    def secants(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, float]:
        """Return slopes, shape (n_t,), and the sum of intercepts of lines below the curves."""
        at_lower, at_upper = self._utility.curve(lower), self._utility.curve(upper)
        side = upper - lower
        thin = side < FEASIBILITY
        slopes = np.where(thin, 0.0, (at_upper - at_lower) / np.where(thin, 1.0, side))
        at_lower = np.where(thin, np.minimum(at_lower, at_upper), at_lower)
        return slopes, float((at_lower - slopes * lower).sum())

    def miss(self, r: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return the error of each curve's secant at an output, shape (n_t,)."""
        image = np.clip(self._utility.matrix @ r, lower, upper)
        at, low, high = (self._utility.curve(u) for u in (image, lower, upper))
        side = np.maximum(upper - lower, FEASIBILITY)
        result: FloatArray = at - low - (high - low) * (image - lower) / side
        return result

    def image(self, r: FloatArray) -> FloatArray:
        """Return B r, shape (n_t,)."""
        result: FloatArray = self._utility.matrix @ r
        return result

    def price(self, r: FloatArray, prices: FloatArray) -> float:
        """Return c(r) − λ·r of a posterior."""
        return float(self._utility.cost(r)) - float(prices @ r)


class _Search:
    """One call of `minimise`: the open boxes, and the outputs found."""

    def __init__(self, space: ImageBound, prices: FloatArray) -> None:
        self._space, self._prices = space, prices
        self.open: list[tuple[float, int, FloatArray, FloatArray, FloatArray]] = []
        self._count = itertools.count()
        self._closed = np.inf
        self._met: dict[bytes, tuple[float, FloatArray]] = {}
        self.best, self.boxes = np.inf, 0
        self._point = np.full(len(prices), np.nan)

    def floor(self) -> float:
        """Return the lower bound over all boxes."""
        return min(self._closed, self.open[0][0]) if self.open else self._closed

    def look(self, lower: FloatArray, upper: FloatArray, known: float) -> None:
        """Bound a box, given a known lower bound, and keep it open unless it is tiny or empty."""
        self.boxes += 1
        slopes, intercept = self._space.secants(lower, upper)
        lowest = self._space.least(slopes, self._prices, lower, upper)
        if lowest is None:
            return
        value, r = max(lowest[0] + intercept, known), lowest[1]
        if not r.any():  # there is no point at which to split it
            self._closed = min(self._closed, value)
            return
        price = self._space.price(r, self._prices)
        self._met.setdefault(np.round(r, 10).tobytes(), (price, r))
        if price < self.best:
            self.best, self._point = price, r
        if (upper - lower < FEASIBILITY).all():
            self._closed = min(self._closed, value)
        else:
            heapq.heappush(self.open, (value, next(self._count), lower, upper, r))

    def split(self) -> None:
        """Split the box with the lowest bound at the largest error of its secants."""
        known, _, lower, upper, r = heapq.heappop(self.open)
        side = upper - lower
        miss = np.where(side < FEASIBILITY, -np.inf, self._space.miss(r, lower, upper))
        t = int(miss.argmax()) if miss.max() > 0 else int(side.argmax())
        inward = 0.1 * side[t]  # least part of a side on either side of a split
        at = float(np.clip(self._space.image(r)[t], lower[t] + inward, upper[t] - inward))
        left, right = upper.copy(), lower.copy()
        left[t] = right[t] = at
        self.look(lower, left, known)
        self.look(right, upper, known)

    def pricing(self) -> Pricing:
        """Return the bound and the outputs found."""
        met = sorted(self._met.values(), key=lambda pair: pair[0])
        cheap = [r for price, r in met if price < -EXACT_PRICE]
        outputs = np.array(cheap).reshape(-1, len(self._prices))
        return Pricing(self.floor(), outputs, self.best, self._point)
