"""Linear programs over boxes of posteriors: with few symbols solved together, else by HiGHS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.optimal.bounds.box_programs import Boxes, BoxPrograms, Priced
from core.optimal.bounds.relaxation import Relaxation
from core.optimal.plan import SIZES
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Answers:
    """The results of k programs.

    - `floors`: proven lower bounds, shape (k,): ∞ for a box proven empty, −∞ without a proof.
    - `points`: optimal points, shape (k, n_x), where `met`.
    - `priced`: the terms of their multipliers in a bound.
    - `masses`: multipliers of Σr = 1, shape (k,).
    - `bases`: basis at which each program ended, for a later start.
    """

    floors: FloatArray
    points: FloatArray
    met: BoolArray
    priced: Priced
    masses: FloatArray
    bases: list[Any]


class BoxSolver:
    """The programs of boxes over one allowed set, which HiGHS solves one box at a time."""

    def __init__(self, allowed: AllowedSet) -> None:
        self.relaxation = Relaxation(allowed, primal=True)
        few = allowed.n_x <= SIZES.box_symbols and BoxPrograms.suits(allowed)
        self._programs = BoxPrograms(allowed) if few else None

    @property
    def together(self) -> bool:
        """Whether programs are solved together."""
        return self._programs is not None

    def parts(self, which: IntArray) -> Iterator[IntArray]:
        """Yield parts of box indices, each to be solved between two looks at the clock."""
        # most programs that are solved together, between two looks at the clock
        size = 1 if self._programs is None else 256
        for first in range(0, len(which), size):
            yield which[first : first + size]

    def solve(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray, bases: list[Any]
    ) -> Answers:
        """Minimize costs·r over each box."""
        if self._programs is None:
            return self._one_by_one(costs, lower, upper, bases)
        boxes = Boxes(lower, upper, np.ones_like(lower))
        known = all(basis is not None for basis in bases)
        ends = self._programs.solve(boxes, costs, labels=np.array(bases) if known else None)
        floors = self._programs.proven(boxes, costs, ends)[0]
        nothing = self._programs.proven(boxes, np.zeros_like(costs), ends)[0]
        floors[ends.empty] = np.where(nothing > 0, np.inf, -np.inf)[ends.empty]
        return Answers(
            floors=floors,
            points=ends.points[:, : costs.shape[1]],
            met=ends.solved,
            priced=self._programs.priced(boxes, ends),
            masses=ends.totals,
            bases=list(ends.labels),
        )

    def _one_by_one(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray, bases: list[Any]
    ) -> Answers:
        """Solve the programs by HiGHS, one after the other; as `solve`."""
        relaxation, k = self.relaxation, len(costs)
        floors, points = np.full(k, -np.inf), np.zeros(costs.shape)
        met = np.zeros(k, dtype=bool)
        priced, sizes, masses = np.zeros(costs.shape), np.zeros(k), np.zeros(k)
        ended = []
        for i in range(k):
            if bases[i] is not None:
                relaxation.set_basis(bases[i])
            point, multipliers = relaxation.solve(costs[i], lower[i], upper[i])
            if point is not None:
                points[i], met[i] = point, True
                floors[i] = relaxation.proven(costs[i], lower[i], upper[i], multipliers)[0]
            elif relaxation.shown_empty(lower[i], upper[i], multipliers):
                floors[i] = np.inf
            priced[i], rows = relaxation.priced(multipliers.rows)
            masses[i], sizes[i] = multipliers.mass, 1.0 + abs(multipliers.mass) + float(rows.sum())
            ended.append(relaxation.basis() if met[i] else bases[i])
        return Answers(floors, points, met, Priced(priced, np.zeros(k), sizes), masses, ended)
