"""Proof that no allowed output improves a mixture: a floor under every reduced cost.

What is proven is proven of the rows as they were given, by none of the code that searches: by all
vertices in whole numbers; by vertices that the polytope's graph shows to be all; by those that
undercut the duals, carved from the simplex row by row; by slices whose vertices are proven so; or
by linear programs whose duals are checked: branch and bound, which ends in a proof or far from
one, and boxes for the whole mixture, which soon come near.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError, TimeLimitError
from core.optimal.bounds.box_bound import BoxBound
from core.optimal.bounds.box_programs import BoxPrograms
from core.optimal.bounds.box_solver import FEW
from core.optimal.bounds.branch_and_bound import MANY
from core.optimal.bounds.image_bound import ImageBound
from core.optimal.bounds.low_vertices import MOST, undercutting, worth_of
from core.optimal.bounds.pricing_bound import PricingBound
from core.optimal.bounds.slices import sliced_bound
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.enumeration import AllVertices, all_vertices
from core.optimal.polytopes.exact_vertices import MOST_RAYS, may_enumerate
from core.optimal.polytopes.facets import facets_of
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.walk import MAX_VERTICES
from core.optimal.tolerances import EXACT_PRICE
from core.optimal.utility import MutualInformation, OfImage, Utility
from core.validation import FloatArray

MARGIN = 1e-12
"""Added to every bound, in nats: the rounding of the sums that it is made of."""

MOST_BETTER = 4
"""Outputs that a walk hands back, for each symbol of X."""

LOW_SYMBOLS, LOW_ROWS, LOW_VERTICES = (20, 50), (400, 40), (MOST, MOST // 4)
"""Up to these symbols and rows, the vertices that undercut the duals are the first thing to find,
so many of them at most: a round of it takes milliseconds, but many rows have many such vertices."""

LOW_SHARE, LOW_SHARE_ALONE = 0.02, 0.3
"""Part of the time left that this may take, once if in vain: less where branch and bound takes many
boxes together, and so has no need of help."""

FIRST_SHARE = 0.12
"""Part of the time left that branch and bound, of many boxes together, may take at first;"""

LAST_SHARE = 0.8
"""then this part of what is left, where it has a chance."""

WIDE_TREE, WIDE_TREE_OF_MANY = 0.37, 0.28
"""It has none if so many of the boxes that it looked at are open, of few symbols or of more."""

LOW_GROWTH = 4
"""How many times as many vertices are kept where so many were too few, of few symbols."""

MOST_LOWER = 16
"""Outputs that this hands back, for each symbol: they differ more than those of a walk."""

WALK_SHARE = 0.25
"""Part of the time left that a walk may take before branch and bound gets the rest."""

QUICK_SHARE = 0.08
"""Part of the time left that branch and bound may take before other bounds are tried; later it
goes on from there."""

WIDE = 0.02
"""A bound further off than this, as a part of H(X), is one that branch and bound may not close:"""

BOX_SHARE = 0.6
"""boxes for the whole mixture then get this part of the time left."""

BRANCH_SHARE = 0.5
"""Part of the time left that branch and bound may take before a longer walk is tried, once, of
a polytope of few dimensions: others have too many vertices."""

LONG_WALK_SHARE = 0.6
"""Part of the time left that this walk may take."""

SLICE_SHARE = 0.7
"""Part of the time left that this bound may take."""

WALK_ENTRIES = 4_000_000
"""Entries of all tableaux of a walk that is quicker than branch and bound."""

LOW, LOW_WALK_ROWS = 20, 40
"""Dimensions and rows up to which a walk may have more entries, `LOW_FACTOR` times as many."""

LOW_FACTOR = 4
"""How many times `WALK_ENTRIES` the walk of a polytope of few dimensions and rows may have.

Adult's education under LIP of 15 occupations, for one, has 33,000 vertices."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a proof says.

    Attributes
    ----------
    bound : float
        No mechanism has more utility.
    better : ndarray
        Allowed outputs with a negative reduced cost, the best first, shape (k, n_x).
    """

    bound: float
    better: FloatArray


class Prover:
    """Proofs over one polytope; what they learn of it is kept.

    Parameters
    ----------
    allowed : AllowedSet
        Rows of the set; with an oracle, the bound is one for a larger set, which is valid too.
    space : Polytope
        The same as a polytope.
    p_x : ndarray
        P(x), shape (n_x,).
    utility : Utility
        What is to be large.
    """

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
        self._tried_all = False
        self._sliced = not self.allowed.blocks or self.allowed.n_auxiliary > 0
        # slices and boxes for the whole mixture take every output for an allowed one
        self._whole = utility.exceptions is None
        self._together = len(p_x) < MANY and BoxPrograms.suits(self.allowed)
        self._most_low = _low_vertices(space)
        self._known = self._trivial()

    def walk(self, deadline: Deadline, max_vertices: int) -> bool:
        """Compute all vertices, if there are not too many; return whether they are known now.

        A walk that ended in vain is taken up again only for more vertices; `stopped` says why
        the last one did.
        """
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
        self, duals: FloatArray, gap: float, deadline: Deadline, outputs: FloatArray | None = None
    ) -> Verdict:
        """Return a bound on the utility, and outputs that would improve the mixture.

        Parameters
        ----------
        duals : ndarray
            λ, shape (n_x,).
        gap : float
            A bound this close to the mixture's utility, in nats, is good enough.
        deadline : Deadline
            When to stop.
        outputs : ndarray, optional
            Those of the mixture, shape (k, n_x): a bound for the mixture starts from them.
        """
        outputs = self.p_x[None] if outputs is None else outputs
        enough = self._worth(duals) + gap
        plain = isinstance(self.utility, MutualInformation)

        def settled(verdict: Verdict) -> bool:
            return verdict.bound <= enough or len(verdict.better) > 0

        if may_enumerate(self.allowed) and self.walk(deadline.part(WALK_SHARE), MOST_RAYS):
            verdict = self._check_all(duals)
            if not plain or settled(verdict):
                return verdict
        if self._most_low and self.vertices is None:
            share = LOW_SHARE if self._together else LOW_SHARE_ALONE
            verdict = self._undercut(duals, gap / 2, deadline.part(share))
            if settled(verdict):
                return verdict
        if plain and self._together and self.vertices is None:
            verdict = self._branch(duals, gap, deadline.part(FIRST_SHARE))
        elif self.walk(deadline.part(WALK_SHARE), self._few()):
            verdict = self._check_all(duals)
            if not plain:
                return verdict
        elif (pieces := self.utility.pieces()) is not None:
            return self._check_pieces(duals, pieces, deadline)
        elif (image := self.utility.image()) is not None:
            return self._check_image(*image, duals, gap, deadline)
        elif not plain:
            return Verdict(self._known, np.zeros((0, len(self.p_x))))
        else:
            verdict = self._branch(duals, gap, deadline.part(QUICK_SHARE))
        if settled(verdict):
            return verdict
        if self._whole and not self._sliced:
            self._sliced = True
            until = deadline.part(SLICE_SHARE)
            sliced = sliced_bound(self.allowed, self.p_x, enough, until)
            self._known = min(self._known, sliced)
            if self._known <= enough:
                return Verdict(self._known, verdict.better)
        wide = enough + WIDE * self._trivial()
        if self._together and not self._tree_is_wide():
            verdict = self._branch(duals, gap, deadline.part(LAST_SHARE))
            if settled(verdict):
                return verdict
        if not (self._together and self.space.n_x <= FEW):
            self._box(outputs, wide, deadline.part(BOX_SHARE))
            few_vertices = self.space.n_free <= LOW and self.space.n_slacks <= LOW_WALK_ROWS
            if few_vertices and not self._tried_all:
                verdict = self._branch(duals, gap, deadline.part(BRANCH_SHARE))
                if settled(verdict):
                    return verdict
                self._tried_all, self._tried = True, 0
                if self.walk(deadline.part(LONG_WALK_SHARE), MAX_VERTICES):
                    return self._check_all(duals)
        self._box(outputs, wide, deadline)
        return self._branch(duals, gap, deadline)

    def _few(self) -> int:
        """Return how many vertices are walked sooner than branched over."""
        most = WALK_ENTRIES * (LOW_FACTOR if self.space.n_free <= LOW else 1)
        return most // (self.space.n_basic * (self.space.n_free + 1))

    def _tree_is_wide(self) -> bool:
        """Return whether branch and bound keeps most of its boxes: then it will not end in time."""
        most = WIDE_TREE if self.space.n_x <= FEW else WIDE_TREE_OF_MANY
        return self._tree is not None and self._tree.spread > most

    def _box(self, outputs: FloatArray, enough: float, deadline: Deadline) -> None:
        """Lower the bound by boxes for the whole mixture, until it is low enough."""
        if self._whole and self._known > enough:
            if self._boxes is None:
                self._boxes = BoxBound(self.allowed, self.p_x)
            self._known = min(self._known, self._boxes.bound(outputs, enough, deadline))

    def _undercut(self, duals: FloatArray, slack: float, deadline: Deadline) -> Verdict:
        """Find vertices that undercut the duals by more than the slack; all, if none is found."""
        if self._facets is None:
            return Verdict(self._known, np.zeros((0, len(self.p_x))))
        while True:
            found = undercutting(
                self._facets,
                self.p_x,
                self.utility,
                duals,
                slack=slack,
                most=self._most_low,
                deadline=deadline,
            )
            if found.sure:
                self._known = min(self._known, found.bound + MARGIN)
            vain = len(found.outputs) == 0 and found.slack > slack
            if not (found.finished and vain and self.space.n_x <= LOW_SYMBOLS[0]):
                break
            self._most_low *= LOW_GROWTH
        if vain or not found.finished or not found.sure:
            self._most_low = 0
        most = MOST_LOWER * len(self.p_x) if found.finished else 0
        return Verdict(self._known, found.outputs[:most])

    def _branch(self, duals: FloatArray, gap: float, deadline: Deadline) -> Verdict:
        """Prove by branch and bound; an earlier bound stands."""
        if self._tree is None:
            self._tree = PricingBound(self.allowed)
        result = self._tree.minimise(
            duals,
            tolerance=gap / 2,
            time_limit=deadline.left,
            weights=self.p_x,
        )
        met = np.array(result.columns).reshape(-1, len(self.p_x))
        bound = self._worth(result.prices) + MARGIN
        self._known = min(bound, self._known)
        return Verdict(self._known, met)

    def _check_all(self, duals: FloatArray) -> Verdict:
        """Price all vertices."""
        if self.vertices is None:
            raise SolverError("The vertices are not known yet.")
        points = self.vertices.points
        gains = (self.utility.cost(points) - points @ duals) / (points / self.p_x).max(axis=1)
        order = np.argsort(gains, kind="stable")[: MOST_BETTER * len(self.p_x)]
        better = points[order[gains[order] < -EXACT_PRICE]]
        floors = self.vertices.floors(self.utility, duals)
        worth = worth_of(duals, floors, self.vertices.outer, self.p_x)
        bound = self.utility.offset(self.p_x) - worth + self.utility.premium(duals) + MARGIN
        return Verdict(min(bound, self._known), better)

    def _check_pieces(self, duals: FloatArray, pieces: FloatArray, deadline: Deadline) -> Verdict:
        """Price a piecewise linear cost: exactly, if each piece's linear program is solved."""
        met = tableaux.some_corners(self.space, pieces - duals, deadline)
        if met is None:
            return Verdict(self._known, np.zeros((0, len(self.p_x))))
        found = met.points()
        found /= found.sum(axis=1, keepdims=True)
        prices = self.utility.cost(found) - found @ duals
        better = found[prices < -EXACT_PRICE]
        if len(better) or len(met) < len(pieces):
            return Verdict(self._known, better)
        return Verdict(self._worth(duals) + EXACT_PRICE, better)

    def _check_image(
        self,
        image: OfImage,
        taken_off: FloatArray,
        duals: FloatArray,
        gap: float,
        deadline: Deadline,
    ) -> Verdict:
        """Price an output by its image: by branch and bound in as many dimensions as that has."""
        if self._images is None:
            self._images = ImageBound(self.allowed, image)
        found = self._images.minimise(duals + taken_off, tolerance=gap / 2, deadline=deadline)
        floor = min(found.floor, 0.0)
        bound = self._worth(duals) - floor + MARGIN
        self._known = min(self._known, bound)
        return Verdict(self._known, found.outputs[: MOST_BETTER * len(self.p_x)])

    def _worth(self, prices: FloatArray) -> float:
        """Return what no mechanism exceeds if no allowed output costs less than the prices say."""
        at_most = self.utility.offset(self.p_x) - float(prices @ self.p_x)
        return at_most + self.utility.premium(prices)

    def _trivial(self) -> float:
        """Return the utility of publishing X as it is, which no mechanism exceeds."""
        return self.utility.value(np.diag(self.p_x), self.p_x) + MARGIN


def _low_vertices(space: Polytope) -> int:
    """Return how many vertices below the duals are kept at most, 0 where none are looked for."""
    sizes = zip(LOW_SYMBOLS, LOW_ROWS, LOW_VERTICES, strict=True)
    found = (most for n, m, most in sizes if space.n_x <= n and space.n_slacks <= m)
    return next(found, 0) if space.plain() else 0
