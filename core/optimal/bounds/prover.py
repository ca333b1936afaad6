"""Proof that no allowed output improves a mixture: a lower bound on every reduced cost.

Proofs start from the rows as given, and share no code with the search: by all vertices, exact or
proven complete; by vertices that undercut the duals; by slices; or by linear programs whose duals
are checked, in branch and bound and in boxes for the whole mixture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError, TimeLimitError
from core.limits import ROUNDING
from core.optimal.bounds.box_bound import BoxBound
from core.optimal.bounds.image_bound import ImageBound
from core.optimal.bounds.low_vertices import dual_value, undercutting
from core.optimal.bounds.pricing_bound import PricingBound
from core.optimal.bounds.slices import sliced_bound
from core.optimal.plan import SHARES, SIZES
from core.optimal.polytopes.enumeration import AllVertices, all_vertices
from core.optimal.polytopes.exact_vertices import may_enumerate
from core.optimal.polytopes.facets import facets_of
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.tolerances import EXACT_PRICE
from core.optimal.utility import MutualInformation, OfImage, Utility
from core.validation import FloatArray

MOST_BETTER = 4
"""Most outputs, for each symbol of X, that a proof by all vertices returns."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """An upper bound on the utility, and allowed outputs of negative reduced cost, lowest first."""

    bound: float
    better: FloatArray


class Prover:
    """Proofs over one polytope; vertices, trees and boxes are kept between them."""

    def __init__(
        self, allowed: AllowedSet, space: Polytope, p_x: FloatArray, utility: Utility
    ) -> None:
        self.space, self.p_x, self.utility = space, p_x, utility
        self.allowed = AllowedSet(allowed.rows, allowed.n_x, blocks=allowed.blocks)
        self.vertices: AllVertices | None = None
        self.stopped, self._tried = "", 0
        self._facets = facets_of(self.allowed, p_x) if space.plain() else None
        self._tree: PricingBound | None = None
        self._boxes: BoxBound | None = None
        self._images: ImageBound | None = None
        self._sliced = not self.allowed.blocks or self.allowed.n_auxiliary > 0
        # bounds by slices and by boxes for the whole mixture do not account for exceptions
        self._whole = utility.exceptions is None
        self._most_low = _low_vertices(space)
        self._known = utility.of_x(p_x) + ROUNDING
        self._by_tree = self._by_boxes = np.inf

    def walk(self, deadline: Deadline, max_vertices: int) -> bool:
        """Compute all vertices, unless too many; return whether all are known (else `stopped`)."""
        if self.vertices is None and max_vertices > self._tried:
            self._tried, self.stopped = max_vertices, ""
            try:
                self.vertices = all_vertices(
                    self.allowed, self.p_x, self.space, deadline, max_vertices
                )
            except (TimeLimitError, SolverError) as error:
                self.stopped = str(error)
        return self.vertices is not None

    def check(
        self,
        duals: FloatArray,
        gap: float,
        deadline: Deadline,
        outputs: FloatArray | None = None,
        known: float = np.inf,
    ) -> Verdict:
        """Return a bound on the utility, and outputs that would improve the mixture.

        Branch and bound that proves no less than is `known` gives way to boxes.
        """
        outputs = self.p_x[None] if outputs is None else outputs
        enough = self._worth(duals) + gap
        plain = isinstance(self.utility, MutualInformation)

        def settled(verdict: Verdict) -> bool:
            return verdict.bound <= enough or len(verdict.better) > 0

        if may_enumerate(self.allowed) and self.walk(deadline.part(SHARES.walk), SIZES.exact_rays):
            verdict = self._check_all(duals)
            if not plain or settled(verdict):
                return verdict
        if self._most_low and self.vertices is None:
            verdict = self._undercut(duals, gap / 2, deadline.part(SHARES.low_vertices))
            if settled(verdict):
                return verdict
        if plain and self.vertices is None:
            verdict = self._branch(duals, gap, deadline.part(SHARES.first_branching))
        elif self.walk(deadline.part(SHARES.walk), self._few()):
            verdict = self._check_all(duals)
            if not plain:
                return verdict
        elif (image := self.utility.image()) is not None:
            return self._check_image(*image, duals, gap, deadline)
        else:
            return Verdict(self._known, np.zeros((0, len(self.p_x))))
        if settled(verdict):
            return verdict
        if self._whole and not self._sliced:
            self._sliced = True
            until = deadline.part(SHARES.slices)
            sliced = sliced_bound(self.allowed, self.p_x, enough, until)
            self._known = min(self._known, sliced)
            if self._known <= enough:
                return Verdict(self._known, verdict.better)
        leads = self._tree is None or self._by_tree < min(known, self._by_boxes)
        if leads and (self._tree is None or self._tree.spread <= SIZES.wide_tree):
            verdict = self._branch(duals, gap, deadline.part(SHARES.last_branching))
            if settled(verdict):
                return verdict
        # above it boxes for the whole mixture are tried before branch and bound is resumed
        wide = enough + 0.02 * self.utility.of_x(self.p_x)
        # beside a tree that proves more they get half, and all where they overtake it
        self._box(outputs, wide, deadline.part(0.5) if leads else deadline)
        if self._by_boxes < self._by_tree:
            self._box(outputs[:0], wide, deadline)
        return self._branch(duals, gap, deadline)

    def by_boxes(self, outputs: FloatArray, enough: float, deadline: Deadline) -> float:
        """Return a bound by boxes around a mixture's outputs, (k, n_x), the quickest of all.

        Boxes are priced to a part of the distance from `enough`, so it is to be the utility.
        """
        self._box(outputs, enough, deadline)
        return self._known

    def _few(self) -> int:
        """Return the most vertices for which a walk is faster than branch and bound."""
        few = self.space.n_free <= SIZES.walk_dimensions
        most = SIZES.walk_entries * (SIZES.walk_factor if few else 1)
        return most // max(1, self.space.n_basic * (self.space.n_free + 1))

    def _box(self, outputs: FloatArray, enough: float, deadline: Deadline) -> None:
        """Lower the bound by boxes for the whole mixture, until it is at most `enough`."""
        if self._whole and self._known > enough and not deadline.over:
            if self._boxes is None:
                self._boxes = BoxBound(self.allowed, self.p_x)
            self._by_boxes = self._boxes.bound(outputs, enough, deadline)
            self._known = min(self._known, self._by_boxes)

    def _undercut(self, duals: FloatArray, slack: float, deadline: Deadline) -> Verdict:
        """Prove by the vertices that undercut the duals by more than the slack."""
        if self._facets is None:
            return Verdict(self._known, np.zeros((0, len(self.p_x))))
        while True:
            undercut = undercutting(
                self._facets,
                self.p_x,
                self.utility,
                duals,
                slack=slack,
                most=self._most_low,
                deadline=deadline,
            )
            if undercut.sure:
                self._known = min(self._known, undercut.bound + ROUNDING)
            vain = len(undercut.outputs) == 0 and undercut.slack > slack
            if not (undercut.finished and vain and self.space.n_x <= SIZES.low_symbols[0]):
                break
            self._most_low *= SIZES.growth
        if vain or not undercut.finished or not undercut.sure:
            self._most_low = 0
        # most outputs, for each symbol of X, that a proof by the vertices that undercut the duals
        # returns: they are more diverse than those of a proof by all vertices
        most = 16 * len(self.p_x) if undercut.finished else 0
        return Verdict(self._known, undercut.outputs[:most])

    def _branch(self, duals: FloatArray, gap: float, deadline: Deadline) -> Verdict:
        """Prove by branch and bound; an earlier lower bound is kept."""
        if self._tree is None:
            self._tree = PricingBound(self.allowed)
        result = self._tree.minimise(
            duals,
            tolerance=gap / 2,
            time_limit=deadline.left,
            weights=self.p_x,
        )
        met = np.array(result.columns).reshape(-1, len(self.p_x))
        self._by_tree = min(self._by_tree, self._worth(result.prices) + ROUNDING)
        self._known = min(self._by_tree, self._known)
        return Verdict(self._known, met)

    def _check_all(self, duals: FloatArray) -> Verdict:
        """Prove by the reduced costs of all vertices."""
        if self.vertices is None:
            raise SolverError("The vertices are not known yet.")
        points = self.vertices.points
        gains = (self.utility.cost(points) - points @ duals) / (points / self.p_x).max(axis=1)
        order = np.argsort(gains, kind="stable")[: MOST_BETTER * len(self.p_x)]
        better = points[order[gains[order] < -EXACT_PRICE]]
        floors = self.vertices.floors(self.utility, duals)
        worth = dual_value(duals, floors, self.vertices.outer, self.p_x)
        bound = self.utility.offset(self.p_x) - worth + self.utility.premium(duals) + ROUNDING
        return Verdict(min(bound, self._known), better)

    def _check_image(
        self,
        image: OfImage,
        taken_off: FloatArray,
        duals: FloatArray,
        gap: float,
        deadline: Deadline,
    ) -> Verdict:
        """Prove for a cost of an output's image, by branch and bound over images."""
        if self._images is None:
            self._images = ImageBound(self.allowed, image, deadline)
        pricing = self._images.minimise(duals + taken_off, tolerance=gap / 2, deadline=deadline)
        floor = min(pricing.floor, 0.0)
        bound = self._worth(duals) - floor + ROUNDING
        self._known = min(self._known, bound)
        return Verdict(self._known, pricing.outputs[: MOST_BETTER * len(self.p_x)])

    def _worth(self, prices: FloatArray) -> float:
        """Return the upper bound that holds if φ(r) ≥ p·r for every allowed output."""
        at_most = self.utility.offset(self.p_x) - float(prices @ self.p_x)
        return at_most + self.utility.premium(prices)


def _low_vertices(space: Polytope) -> int:
    """Return the most vertices below the duals that are kept, 0 where these are not sought."""
    sizes = zip(SIZES.low_symbols, SIZES.low_rows, SIZES.low_vertices, strict=True)
    fitting = (most for n, m, most in sizes if space.n_x <= n and space.n_slacks <= m)
    return next(fitting, 0) if space.plain() else 0
