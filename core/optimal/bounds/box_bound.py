"""An upper bound for the whole mixture, with entropies replaced by secants on boxes.

On each box l ≤ r ≤ u H lies above its symbols' secants, so the least Σ_y q_y secant(r_y) over
mixtures of P_X, a linear program over all boxes, is a lower bound of H(X|Y). Any prices p prove a
bound: H(r) − p·r is at least the least lower bound of a box, which multipliers of the rows prove.
Boxes where secants err most are split; columns are as of Dantzig and Wolfe (1960). Where a set is
given by an oracle too, what it cuts off the mixture is left out before each split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse, special

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError
from core.limits import ROUNDING
from core.optimal.bounds.box_programs import EPSILON, Boxes, BoxPrograms
from core.optimal.programs.batched_simplex import Ends
from core.optimal.programs.highs import LinearProgram
from core.optimal.tolerances import FEASIBILITY
from core.validation import BoolArray, FloatArray, IntArray

DEAREST = 50.0
"""Cost of publishing a symbol as it is, in nats: it keeps the program feasible at the start."""

CLOSE = 0.2
"""Columns are added until the optimum is proven to this part of its distance from the aim; to a
smaller part where no split would change it."""

INWARD = 0.15
"""Least part of a side on either side of a split."""


@dataclass(frozen=True, eq=False)
class Box:
    """A box l ≤ r ≤ u of outputs, with a linear function below the entropy there.

    - `slopes`, `intercept`: H(r) ≥ slopes·r + intercept in the box; ∞ where it is empty.
    - `highest`: for each symbol an output of this box, or of one around it, that maximizes its
      entry; shape (n_x, n_x).
    - `priced`: row multipliers times rows, shape (n_x,): with `mass` they prove a bound at any
      prices.
    - `mass`, `rest`, `rounding`: multiplier of Σr = 1, contribution of auxiliary variables and
      slacks to that bound, and size of all multipliers, to which rounding is proportional.
    - `basis`: basis at which the box's program ended, from which the next starts.
    - `of_sides`: the same of programs of sides, by symbol and sign, of this box or one around it.
    """

    lower: FloatArray
    upper: FloatArray
    slopes: FloatArray
    intercept: float
    highest: FloatArray
    priced: FloatArray
    mass: float = 0.0
    rest: float = 0.0
    rounding: float = 1.0
    basis: IntArray | None = None
    of_sides: dict[tuple[int, float], IntArray] = field(default_factory=dict)


class BoxBound:
    """Upper bounds on I(X;Y) over one allowed set; boxes and columns are kept between calls.

    `within`: the least and the greatest entries of allowed outputs, where these are known;
    `cuts_off`: the cuts, (j, n_x), of a set that outputs (k, n_x) violate, of one without auxiliary
    variables. With `within`, both ends of sides are shortened.
    `many`: whether boxes keep the sides that are not split, as pays where many are needed.
    """

    def __init__(
        self,
        allowed: AllowedSet,
        p_x: FloatArray,
        within: tuple[FloatArray, FloatArray] | None = None,
        cuts_off: Callable[[FloatArray], FloatArray] | None = None,
        *,
        many: bool = False,
    ) -> None:
        self.p_x = p_x
        self._allowed, self._programs = allowed, BoxPrograms(allowed)
        self._within, self._cuts_off = within, cuts_off
        self._entropy = float(special.entr(p_x).sum())
        self._best = self._entropy + ROUNDING
        self._boxes: list[Box] = []
        self._failed, self._many = False, many
        self._close = CLOSE**2 if many else CLOSE
        self._columns = np.zeros((0, len(p_x)))
        self._of = np.zeros(0, dtype=np.int64)
        self._program = self._empty_program()

    def bound(self, outputs: FloatArray, enough: float, deadline: Deadline) -> float:
        """Return an upper bound on I(X;Y), improved until it is ≤ `enough` or time is over."""
        try:
            return self._improved(outputs, enough, deadline)
        except SolverError:  # as on coefficients too far apart; the bound so far is valid
            self._failed = True
            return self._best

    def _improved(self, outputs: FloatArray, enough: float, deadline: Deadline) -> float:
        """Split and solve until the bound is low enough or time is over; as `bound`."""
        if self._failed:
            return self._best
        if not self._boxes:
            self._start(deadline)
            self._check()
        self._columns = np.vstack([self._columns, outputs])
        self._of = np.append(self._of, np.full(len(outputs), -1))
        while True:
            self._assign()
            weights = self._settle(enough, deadline)
            if self._best <= enough or deadline.over:
                return self._best
            kept = self._cut(weights)
            split = self._refine(weights, deadline)
            if not split and kept.all():
                if self._close <= FEASIBILITY:
                    return self._best
                self._close *= CLOSE
            self._columns, self._of = self._columns[kept], self._of[kept]
            self._check()

    def _check(self) -> None:
        """Raise SolverError if no box holds P_X, which is allowed: one was wrongly found empty."""
        if self._holder(self.p_x) < 0:
            raise SolverError("The boxes do not hold P(x).")

    def _cut(self, weights: FloatArray) -> BoolArray:
        """Cut off what a mixture's outputs violate; return which columns are left, (k,)."""
        outputs = self._columns[: len(weights)][weights > 0]
        outputs = outputs / outputs.sum(axis=1, keepdims=True)
        cuts = outputs[:0] if self._cuts_off is None else self._cuts_off(outputs)
        if len(cuts):  # rows that come last leave multipliers and bases of boxes as they are
            rows = sparse.csr_array(sparse.vstack([self._allowed.rows, sparse.csr_array(cuts)]))
            self._allowed = replace(self._allowed, rows=rows)
            self._programs = BoxPrograms(self._allowed)
            for k, box in enumerate(self._boxes):
                known: BoolArray = np.all(np.isfinite(box.highest), axis=1)
                excess: FloatArray = np.where(known[:, None], box.highest, 0.0) @ cuts.T
                met = known & (excess.max(axis=1) <= FEASIBILITY)
                highest = np.where(met[:, None], box.highest, np.inf)
                self._boxes[k] = replace(box, highest=highest)
        beyond: FloatArray = (self._columns @ cuts.T).max(axis=1, initial=0.0)
        kept: BoolArray = beyond <= FEASIBILITY
        return kept

    def _start(self, deadline: Deadline) -> None:
        """Add the first box, the whole set."""
        n = len(self.p_x)
        nowhere = np.full((n, n), np.inf)
        lower, upper = (np.zeros(n), np.ones(n)) if self._within is None else self._within
        whole = Box(lower, upper, np.zeros(n), 0.0, nowhere, np.zeros(n))
        self._boxes = self._narrowed([(whole, np.arange(n))], deadline)

    def _empty_program(self) -> LinearProgram:
        """Return the program whose only columns are single symbols, at the cost DEAREST."""
        n = len(self.p_x)
        rows = sparse.eye_array(n, format="csr")
        ones = np.ones(n)
        return LinearProgram(rows, ones, ones, cost=DEAREST * self.p_x, primal=True)

    def _assign(self) -> None:
        """Assign columns of split boxes to present ones, and build the program again."""
        open_ = np.array([box.intercept < np.inf for box in self._boxes], dtype=bool)
        self._keep(open_, [])
        for i in np.flatnonzero(self._of < 0):
            self._of[i] = self._holder(self._columns[i])
        kept = self._of >= 0
        self._columns, self._of = self._columns[kept], self._of[kept]
        self._program = self._empty_program()
        self._enter(self._columns, self._of)

    def _holder(self, r: FloatArray) -> int:
        """Return the index of the latest box that holds an output, −1 for none or an empty one."""
        for k in range(len(self._boxes) - 1, -1, -1):
            box = self._boxes[k]
            if box.intercept == np.inf:
                continue
            if (r >= box.lower - FEASIBILITY).all() and (r <= box.upper + FEASIBILITY).all():
                return k
        return -1

    def _enter(self, columns: FloatArray, of: IntArray) -> None:
        """Add columns, with the boxes they are in, to the program at their boxes' costs."""
        if len(columns):
            boxes = [self._boxes[k] for k in of]
            costs = [box.slopes @ r + box.intercept for r, box in zip(columns, boxes, strict=True)]
            self._program.add_cols(columns / self.p_x, np.array(costs))

    def _settle(self, enough: float, deadline: Deadline) -> FloatArray:
        """Add columns until prices are stable (CLOSE); return the weights of all columns."""
        while True:
            solution = self._program.solve()
            prices = solution.duals / self.p_x
            worth = float(prices @ self.p_x)
            slack = max(self._close * (self._entropy - worth - enough), FEASIBILITY)
            floors = self._floors(prices)
            columns, of = self._priced(np.flatnonzero(floors < -slack), prices, deadline)
            floors = self._floors(prices)
            lowest = float(floors.min(initial=np.inf))
            self._best = min(self._best, self._entropy - worth - min(lowest, 0.0) + ROUNDING)
            if lowest >= -slack or self._best <= enough or not len(of) or deadline.over:
                return np.maximum(solution.x[len(self.p_x) :], 0.0)
            self._enter(columns, of)
            self._columns = np.vstack([self._columns, columns])
            self._of = np.append(self._of, of)

    def _floors(self, prices: FloatArray) -> FloatArray:
        """Return a proven lower bound of H(r) − prices·r in each box, shape (n_boxes,)."""
        if not self._boxes:
            return np.zeros(0)
        lower = np.array([box.lower for box in self._boxes])
        upper = np.array([box.upper for box in self._boxes])
        costs = np.array([box.slopes for box in self._boxes]) - prices
        mass = np.array([box.mass for box in self._boxes])
        reduced = costs + np.array([box.priced for box in self._boxes]) - mass[:, None]
        least = np.minimum(reduced * lower, reduced * upper).sum(axis=1) + mass
        least += np.array([box.rest for box in self._boxes])
        rounding = np.array([box.rounding for box in self._boxes]) + np.abs(costs).max(axis=1)
        rounding *= EPSILON * self._programs.terms * (1.0 + upper.sum(axis=1))
        floors: FloatArray = least - rounding + np.array([box.intercept for box in self._boxes])
        return floors

    def _priced(
        self, which: IntArray, prices: FloatArray, deadline: Deadline
    ) -> tuple[FloatArray, IntArray]:
        """Solve some boxes' programs, keep their multipliers, return their points and boxes."""
        points, of = [np.zeros((0, len(self.p_x)))], [np.zeros(0, dtype=np.int64)]
        for part in self._parts(which):
            if deadline.over:
                break
            boxes = [self._boxes[k] for k in part]
            of_all = np.array([box.slopes for box in boxes]) - prices
            ends, bounds = self._solved(boxes, of_all, [box.basis for box in boxes], deadline)
            priced = self._programs.priced(bounds, ends)
            nothing = self._programs.proven(bounds, np.zeros_like(of_all), ends)[0]
            empty = np.flatnonzero(ends.empty & (nothing > 0))
            for i in empty:
                self._boxes[part[i]] = replace(boxes[i], intercept=np.inf)
            if len(empty):
                self._check()
            for i in np.flatnonzero(ends.solved):
                self._boxes[part[i]] = replace(
                    boxes[i],
                    priced=priced.rows[i],
                    mass=float(ends.totals[i]),
                    rest=float(priced.rest[i]),
                    rounding=float(priced.size[i]),
                    basis=ends.labels[i],
                )
            met = ends.points[:, : len(prices)]
            points.append(np.clip(met, bounds.lower, bounds.upper)[ends.solved])
            of.append(part[ends.solved])
        return np.concatenate(points), np.concatenate(of)

    def _parts(self, which: IntArray) -> list[IntArray]:
        """Return parts of box indices, each to be solved between two looks at the clock."""
        size = self._programs.together
        return [which[first : first + size] for first in range(0, len(which), size)]

    def _solved(
        self,
        boxes: list[Box],
        costs: FloatArray,
        starts: Sequence[IntArray | None],
        deadline: Deadline,
    ) -> tuple[Ends, Boxes]:
        """Return where the programs of boxes with costs, (k, n_x), end, from bases to start at."""
        lower, upper = (np.array([vars(box)[end] for box in boxes]) for end in ("lower", "upper"))
        bounds = Boxes(lower, upper, np.ones_like(lower))
        known = [start for start in starts if start is not None]
        labels = np.array(known) if len(known) == len(boxes) else None
        return self._programs.solve(bounds, costs, labels=labels, deadline=deadline), bounds

    def _refine(self, weights: FloatArray, deadline: Deadline) -> bool:
        """Split the boxes of largest secant error in the solution; return whether there are any."""
        weights = np.pad(weights, (0, len(self._of) - len(weights)))
        mixed = np.zeros((len(self._boxes), len(self.p_x)))
        np.add.at(mixed, self._of, weights[:, None] * self._columns)
        masses = mixed.sum(axis=1)
        errors = np.zeros_like(mixed)
        means = np.zeros_like(mixed)
        open_ = np.array([box.intercept < np.inf for box in self._boxes], dtype=bool)
        for k in np.flatnonzero(open_ & (masses > 0)):
            lower, upper = self._boxes[k].lower, self._boxes[k].upper
            means[k] = mixed[k] / masses[k]
            slopes, intercepts = secants(lower, upper)
            errors[k] = masses[k] * (special.entr(means[k]) - slopes * means[k] - intercepts)
        totals = errors.sum(axis=1)
        worst = np.argsort(-totals)[:32]  # most boxes that are split at a time
        # least secant error, in nats, of a box that is split, and its least part of the largest
        worst = worst[totals[worst] >= max(1e-9, 0.05 * float(totals.max()))]
        parts: list[Box] = []
        gone = np.zeros(len(self._boxes), dtype=bool)
        for part in self._parts(worst):
            if deadline.over:
                break
            split = [self._split(int(q), errors[q], means[q]) for q in part]
            parts += self._narrowed([each for several in split for each in several], deadline)
            gone[part] = True
        self._keep(~gone, parts)
        return len(worst) > 0

    def _keep(self, kept: BoolArray, more: list[Box]) -> None:
        """Keep some boxes, and have more; columns of the others are in none, −1."""
        place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        self._of = place[self._of]
        self._boxes = [box for box, stays in zip(self._boxes, kept, strict=True) if stays] + more

    def _split(self, k: int, errors: FloatArray, mean: FloatArray) -> list[tuple[Box, IntArray]]:
        """Return the parts of a box, split at its largest secant errors, and symbols to narrow."""
        box, most = self._boxes[k], float(errors.max())
        # part of a box's largest secant error from which on a side of its parts is shortened
        which = np.flatnonzero([] if self._many else errors >= 0.3 * most)
        # two symbols at once, unless the second error is much less than the first: programs of four
        # parts take hardly longer than those of two
        largest = np.argsort(-errors, kind="stable")[:2]
        least = (0.8 if self._many else 0.5) * most
        parts = [box]
        for x in largest[errors[largest] >= least]:
            side = box.upper[x] - box.lower[x]
            at = np.clip(mean[x], box.lower[x] + INWARD * side, box.upper[x] - INWARD * side)
            unsplit, parts = parts, []
            for part in unsplit:
                left, right = part.upper.copy(), part.lower.copy()
                left[x] = right[x] = at
                parts += [replace(part, upper=left), replace(part, lower=right)]
        return [(part, which) for part in parts]

    def _narrowed(self, parts: list[tuple[Box, IntArray]], deadline: Deadline) -> list[Box]:
        """Return the non-empty boxes, sides of some symbols shortened by linear programs."""
        largest = int(self.p_x.argmax())
        sides = []
        for i, (box, which) in enumerate(parts):
            below = box.highest <= box.upper + FEASIBILITY
            inside = below & (box.highest >= box.lower - FEASIBILITY)
            sought = which[~inside[which].all(axis=1)]
            sides += [(i, int(x), -1.0) for x in sought] + [(i, largest, 1.0)]
            raised = which[(box.lower[which] > 0) & (which != largest)]  # 0 most often stays 0
            sides += [(i, int(x), 1.0) for x in raised if self._within is not None]
        costs = np.zeros((len(sides), len(self.p_x)))
        for j, (_, x, sign) in enumerate(sides):
            costs[j, x] = sign
        boxes = [parts[i][0] for i, _, _ in sides]
        starts = [
            box.of_sides.get((x, sign), box.basis)
            for box, (_, x, sign) in zip(boxes, sides, strict=True)
        ]
        answers, bounds = self._solved(boxes, costs, starts, deadline)
        floors = self._programs.proven(bounds, costs, answers)[0]
        nothing = self._programs.proven(bounds, np.zeros_like(costs), answers)[0]
        floors[answers.empty] = np.where(nothing > 0, np.inf, -np.inf)[answers.empty]
        ends = [(box.lower.copy(), box.upper.copy(), box.highest.copy()) for box, _ in parts]
        bases = [dict(box.of_sides) for box, _ in parts]
        empty = np.zeros(len(parts), dtype=bool)
        for j, (i, x, sign) in enumerate(sides):
            lower, upper, highest = ends[i]
            if answers.solved[j]:
                bases[i][x, sign] = answers.labels[j]
            empty[i] |= bool(np.isposinf(floors[j]))
            if sign > 0:
                lower[x] = min(max(lower[x], floors[j]), upper[x])
            else:
                upper[x] = max(min(upper[x], -floors[j]), lower[x])
                highest[x] = answers.points[j, : len(self.p_x)] if answers.solved[j] else np.inf
        halves = [
            self._half(replace(box, of_sides=bases[i]), *ends[i])
            for i, (box, _) in enumerate(parts)
            if not empty[i]
        ]
        return [half for half in halves if half is not None]

    def _half(
        self, box: Box, lower: FloatArray, upper: FloatArray, highest: FloatArray
    ) -> Box | None:
        """Return a box with new ends, None if no posterior is between them."""
        upper = np.minimum(upper, 1.0 - (lower.sum() - lower) + FEASIBILITY)
        lower = np.maximum(lower, 1.0 - (upper.sum() - upper) - FEASIBILITY)
        if (lower > upper).any():
            return None
        slopes, intercepts = secants(lower, upper)
        intercept = float(intercepts.sum())
        return replace(
            box, lower=lower, upper=upper, slopes=slopes, intercept=intercept, highest=highest
        )


def secants(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return slopes and intercepts of lines below −r log r on [l, u] in [0, 1], shapes (n,)."""
    at_lower, at_upper = special.entr(lower), special.entr(upper)
    width = upper - lower
    thin = width < FEASIBILITY  # a flat line through the lower end
    slopes = np.where(thin, 0.0, (at_upper - at_lower) / np.where(thin, 1.0, width))
    intercepts = np.where(thin, np.minimum(at_lower, at_upper), at_lower - slopes * lower)
    return slopes, intercepts
