"""The search behind `srlip_product`: budgets for each attribute whose product keeps the promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core import measures
from core.allowed import inequalities as rows
from core.allowed.allowed_set import AllowedSet
from core.attributes import attribute_values, cells_of, known_sets
from core.clock import NEVER, Deadline
from core.errors import SolverError
from core.joint import Joint
from core.limits import LIFT_NOISE, ROUNDING
from core.measures.conditionals import ratio
from core.notions.srlip import SRLIP
from core.optimal.polytopes.rays import best_kernels, extreme_rays
from core.optimal.solve import maximise
from core.validation import FloatArray

Kernels = tuple[FloatArray, ...]
"""For each attribute P(y^j | x^j), shape (n_j, n_y_j)."""

HALVINGS = 6
"""Steps of each search for a budget: it is found to a sixty-fourth of ε, and kernels on the way
serve again in other searches."""

NOISE_HALVINGS = 20
"""Steps of the search for the least noise: it needs no solver."""

ROUNDING_SHARE = 1e-9
"""Noise that makes up for rounding and is worth no word."""

SECONDS = 0.25
"""Time for one attribute's kernel under one budget; a search needs a few dozen."""

FEW_VALUES = 5
"""An attribute with no more values than this has few extreme outputs: all of them are found."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Kernels that keep the promise together.

    Attributes
    ----------
    budgets : tuple of float
        ε_j of each attribute, in nats.
    share : float
        How much of each kernel was replaced by noise to keep the promise.
    kernel : ndarray
        Their product, shape (n_x, ∏ n_y_j).
    utility : float
        I(X;Y) of the product, in nats.
    """

    budgets: tuple[float, ...]
    share: float
    kernel: FloatArray
    utility: float


class ProductSearch:
    """Products of one kernel for each attribute, and whether they are ε-SRLIP together.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : SRLIP
        The promise, with a shape that fits the joint.
    deadline : Deadline
        When to stop: no further budgets are tried later.
    """

    def __init__(self, joint: Joint, notion: SRLIP, deadline: Deadline = NEVER) -> None:
        self.joint, self.notion, self.deadline = joint, notion, deadline
        self.sizes = notion.shape or (joint.n_x,)
        self.values = attribute_values(joint, self.sizes)
        self.conditions = [_Conditions.of(joint, self.values, j) for j in range(len(self.sizes))]
        self.known: dict[tuple[int, float], FloatArray] = {}
        self._tried: dict[tuple[float, ...], Candidate | None] = {}

    def product(self, budgets: tuple[float, ...]) -> Candidate | None:
        """Return the product of the optimal kernels under these budgets, if it is ε-SRLIP."""
        if budgets not in self._tried:
            kernels = self._kernels(budgets)
            self._tried[budgets] = self._settled(budgets, kernels, ROUNDING_SHARE)
        return self._tried[budgets]

    def shrunk(self, budgets: tuple[float, ...]) -> Candidate:
        """Return the product under budgets shrunk in proportion until it is ε-SRLIP.

        Where it is not even at budgets of 0, noise is added to the kernels instead.
        """
        best = self.product(tuple(0.0 for _ in budgets))
        if best is None:
            return self._noisy(budgets)

        def scaled(scale: float) -> tuple[float, ...]:
            return tuple(scale * budget for budget in budgets)

        return self._largest(scaled, 0.0, 1.0, best)

    def grown(self, start: tuple[float, ...], order: tuple[int, ...]) -> Candidate | None:
        """Raise the budgets from a start, one after the other, each up to ε as the audit allows.

        None where the product is not ε-SRLIP at the start.
        """
        best = self.product(start)
        if best is None:
            return None
        for j in order:
            fixed = best.budgets

            def raised(
                budget: float, fixed: tuple[float, ...] = fixed, j: int = j
            ) -> tuple[float, ...]:
                return (*fixed[:j], budget, *fixed[j + 1 :])

            full = self.product(raised(self.notion.eps))
            best = full or self._largest(raised, fixed[j], self.notion.eps, best)
        return best

    def _largest(
        self,
        budgets: Callable[[float], tuple[float, ...]],
        low: float,
        high: float,
        best: Candidate,
    ) -> Candidate:
        """Return the product at the largest place in [low, high) where halving finds one."""
        for _ in range(HALVINGS):
            if self.deadline.over:
                break
            middle = (low + high) / 2
            found = self.product(budgets(middle))
            if found is None:
                high = middle
            else:
                low, best = middle, found
        return best

    def _noisy(self, budgets: tuple[float, ...]) -> Candidate:
        """Return the better of the products under these budgets and under 0, with least noise."""
        found = [
            self._settled(chosen, self._kernels(chosen), 1.0)
            for chosen in (budgets, tuple(0.0 for _ in budgets))
        ]
        return max(
            (one for one in found if one is not None), key=lambda candidate: candidate.utility
        )

    def _settled(
        self, budgets: tuple[float, ...], kernels: Kernels, most: float
    ) -> Candidate | None:
        """Return the product with the least share of noise at which it is ε-SRLIP, at most `most`.

        With share 1 no attribute is told, which every promise allows.
        """
        low, share, kernel = 0.0, 0.0, self._together(kernels, 0.0)
        while not self._holds(kernel):
            if share >= most:
                return None
            low, share = share, min(most, max(ROUNDING_SHARE, 4 * share))
            kernel = self._together(kernels, share)
        if share > ROUNDING_SHARE:
            for _ in range(NOISE_HALVINGS):
                middle = (low + share) / 2
                tried = self._together(kernels, middle)
                if self._holds(tried):
                    share, kernel = middle, tried
                else:
                    low = middle
        utility = float(measures.mutual_information(self.joint.release_x(kernel)))
        return Candidate(budgets, share, kernel, utility)

    def _holds(self, kernel: FloatArray) -> bool:
        return self.notion.achieved(self.joint, kernel) <= self.notion.eps + ROUNDING / 2

    def _together(self, kernels: Kernels, share: float) -> FloatArray:
        """Return the product of the kernels, a share of each replaced by its own output's law."""
        whole = np.ones((self.joint.n_x, 1))
        for j, kernel in enumerate(kernels):
            law = self.conditions[j].p @ kernel
            noisy = (1 - share) * kernel + share * law
            noisy /= noisy.sum(axis=1, keepdims=True)
            told = noisy[self.values[j]]
            whole = (whole[:, :, None] * told[:, None, :]).reshape(self.joint.n_x, -1)
        return whole

    def _kernels(self, budgets: tuple[float, ...]) -> Kernels:
        """Return the optimal kernel of each attribute under its budget."""
        wanted = list(enumerate(budgets))
        missing = [one for one in wanted if one not in self.known]
        few = [(j, eps) for j, eps in missing if self.conditions[j].told.size <= FEW_VALUES]
        if few:
            self.known.update(zip(few, self._few(few), strict=True))
        for j, eps in missing:
            if (j, eps) not in self.known:
                seconds = min(SECONDS, self.deadline.left)
                self.known[j, eps] = self._many(j, eps, seconds)
        return tuple(self.known[one] for one in wanted)

    def _few(self, wanted: list[tuple[int, float]]) -> list[FloatArray]:
        """Return kernels, shape (n_j, n_y), of attributes with few values, from all outputs."""
        conditions = [self.conditions[j] for j, _ in wanted]
        told = [one.told for one in conditions]
        try:
            rays = [extreme_rays(self.conditions[j].rows(eps)) for j, eps in wanted]
            kernels = best_kernels(rays, told)
        except SolverError:
            kernels = [np.ones((p.size, 1)) for p in told]
        return [one.whole(kernel) for one, kernel in zip(conditions, kernels, strict=True)]

    def _many(self, j: int, eps: float, seconds: float) -> FloatArray:
        """Return a kernel, shape (n_j, n_y), of an attribute: optimal if time is enough.

        Conditions of many x^J leave a sliver around P(x^j) where a budget is near 0: where the
        solver finds nothing in it the kernel tells nothing.
        """
        conditions = self.conditions[j]
        asked = np.unique(conditions.rows(eps), axis=0)
        allowed = AllowedSet(sparse.csr_array(asked), conditions.told.size)
        return conditions.whole(maximise(allowed, conditions.told, time_limit=seconds).kernel)


@dataclass(frozen=True, eq=False)
class _Conditions:
    """What the kernel of one attribute must hide, for all values of all sets of the others.

    Attributes
    ----------
    p : ndarray
        P(x^j), shape (n_j,).
    lifts : ndarray
        For each x^J under which x^j varies the lift of x^j on S given x^J, over the values of x^j
        that occur anywhere, shape (k, n_s, n_j); NaN where there is none.
    weights : ndarray
        P(x^j | x^J)/P(x^j) there, shape (k, n_j).
    """

    p: FloatArray
    lifts: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, joint: Joint, values: np.ndarray, j: int) -> _Conditions:
        """Return the conditions on attribute j."""
        n_j = int(values[j].max()) + 1
        p: FloatArray = np.bincount(values[j], joint.p_x, n_j).astype(np.float64)
        occurs = p > 0
        others = [i for i in range(len(values)) if i != j]
        found = []
        for known in (*known_sets(len(others)), tuple(range(len(others)))):
            cells = cells_of(values, [others[i] for i in known])
            place = cells * n_j + values[j]
            n_cells = int(cells.max()) + 1
            sums = [np.bincount(place, row, n_cells * n_j) for row in joint.p]
            part = np.array(sums).reshape(joint.n_s, n_cells, n_j)[:, :, occurs]
            found.append(np.moveaxis(part, 1, 0))
        parts = np.concatenate(found)
        parts = parts[(parts.sum(axis=1) > 0).sum(axis=1) > 1]
        in_all = parts.sum(axis=(1, 2), keepdims=True)
        of_s, of_x = parts.sum(axis=2, keepdims=True), parts.sum(axis=1, keepdims=True)
        lifts = ratio(parts * in_all, of_s * of_x)
        return cls(p, lifts, of_x[:, 0] / (in_all[:, 0] * p[occurs]))

    @property
    def told(self) -> FloatArray:
        """P(x^j) of the values that occur."""
        return self.p[self.p > 0]

    def whole(self, kernel: FloatArray) -> FloatArray:
        """Return a kernel of the values that occur for all: the others are told as P(y) is."""
        occurs = self.p > 0
        result = np.tile(self.p[occurs] @ kernel, (occurs.size, 1))
        result[occurs] = kernel
        return result

    def rows(self, eps: float) -> FloatArray:
        """Return rows of the outputs that are ε-LIP with respect to every P(s, x^j | x^J).

        Source: [Funnel] eq. 22 and 23, for one column of the kernel.
        """
        given, secret = np.nonzero(~np.isnan(self.lifts).all(axis=2))
        # where P(x^j | x^J) = 0 the lift is not known, and its weight is 0
        lift, weights = np.nan_to_num(self.lifts[given, secret], nan=1.0), self.weights[given]
        excess = np.where(np.abs(lift - 1) <= LIFT_NOISE * lift, 0.0, lift - 1)
        below = rows.lift_at_least(excess, eps, weights)
        above = rows.lift_at_most(excess, eps, weights)
        return np.vstack([below, above])
