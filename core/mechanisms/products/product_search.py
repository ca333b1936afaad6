"""The search behind `srlip_product`: budgets of the attributes for which the product is ε-SRLIP."""

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
"""Steps of each bisection for a budget: it is found to ε/64, and its kernels are kept for other
searches."""

NOISE_HALVINGS = 20
"""Steps of the bisection for the least noise, which needs no solver."""

ROUNDING_SHARE = 1e-9
"""Share of noise that makes up for rounding; no note mentions it."""

SECONDS, SHARE = 0.25, 0.125
"""Time for one attribute's kernel under one budget, of which a search needs a few dozen: in seconds
and, where that is more, as a part of the time that there is for all."""

FEW_VALUES = 5
"""An attribute with at most this many values has few extreme outputs: all are enumerated."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A product of kernels that is ε-SRLIP.

    Attributes
    ----------
    budgets : tuple of float
        ε_j of each attribute, in nats.
    share : float
        Share of each kernel that was replaced by noise to keep the notion.
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
    """Products of one kernel for each attribute that are ε-SRLIP.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : SRLIP
        The notion, with a shape that fits the joint.
    deadline : Deadline
        No further budgets are tried once it is over.
    """

    def __init__(self, joint: Joint, notion: SRLIP, deadline: Deadline = NEVER) -> None:
        self.joint, self.notion, self.deadline = joint, notion, deadline
        self._each = SECONDS if deadline == NEVER else max(SECONDS, SHARE * deadline.left)
        self.sizes = notion.shape or (joint.n_x,)
        self.values = attribute_values(joint, self.sizes)
        self.conditions = [_Conditions.of(joint, self.values, j) for j in range(len(self.sizes))]
        self.known: dict[tuple[int, float], FloatArray] = {}
        self._tried: dict[tuple[float, ...], Candidate | None] = {}

    def product(self, budgets: tuple[float, ...]) -> Candidate | None:
        """Return the product of the optimal kernels under these budgets; None if not ε-SRLIP."""
        if budgets not in self._tried:
            kernels = self._kernels(budgets)
            self._tried[budgets] = self._settled(budgets, kernels, ROUNDING_SHARE)
        return self._tried[budgets]

    def shrunk(self, budgets: tuple[float, ...]) -> Candidate:
        """Return the product under budgets scaled down until it is ε-SRLIP.

        Where it is not even at budgets of 0, noise is added to the kernels instead.
        """
        best = self.product(tuple(0.0 for _ in budgets))
        if best is None:
            return self._noisy(budgets)

        def scaled(scale: float) -> tuple[float, ...]:
            return tuple(scale * budget for budget in budgets)

        return self._largest(scaled, 0.0, 1.0, best)

    def grown(self, start: tuple[float, ...], order: tuple[int, ...]) -> Candidate | None:
        """Return the product with budgets raised from a start, one after the other.

        Each is raised as far, up to ε, as the product stays ε-SRLIP; None where it is not ε-SRLIP
        at the start.
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
        """Return the product at the largest scale in [low, high) at which bisection finds one.

        `best` is the product at `low`.
        """
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
        """Return the better product of these budgets and of 0, each with the least noise."""
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
        """Return the product with the least share of noise, up to `most`, at which it is ε-SRLIP.

        None if there is none. With share 1 the output is independent of X, so it always is.
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
        """Return whether a kernel is ε-SRLIP, up to half of the audit's slack."""
        return self.notion.achieved(self.joint, kernel) <= self.notion.eps + ROUNDING / 2

    def _together(self, kernels: Kernels, share: float) -> FloatArray:
        """Return the product of the kernels, shape (n_x, ∏ n_y_j), a share of each being noise.

        The noise is a draw from P(y^j).
        """
        product = np.ones((self.joint.n_x, 1))
        for j, kernel in enumerate(kernels):
            p_y = self.conditions[j].p @ kernel
            noisy = (1 - share) * kernel + share * p_y
            noisy /= noisy.sum(axis=1, keepdims=True)
            of_x = noisy[self.values[j]]
            product = (product[:, :, None] * of_x[:, None, :]).reshape(self.joint.n_x, -1)
        return product

    def _kernels(self, budgets: tuple[float, ...]) -> Kernels:
        """Return the optimal kernel of each attribute under its budget."""
        wanted = list(enumerate(budgets))
        missing = [one for one in wanted if one not in self.known]
        few = [(j, eps) for j, eps in missing if self.conditions[j].occurring.size <= FEW_VALUES]
        if few:
            self.known.update(zip(few, self._few(few), strict=True))
        for j, eps in missing:
            if (j, eps) not in self.known:
                seconds = min(self._each, self.deadline.left)
                self.known[j, eps] = self._many(j, eps, seconds)
        return tuple(self.known[one] for one in wanted)

    def _few(self, wanted: list[tuple[int, float]]) -> list[FloatArray]:
        """Return the optimal kernels, shape (n_j, n_y), of attributes with few values.

        Their outputs are among all extreme rays. Where a solver fails the kernels are constant.
        """
        conditions = [self.conditions[j] for j, _ in wanted]
        laws = [one.occurring for one in conditions]
        try:
            rays = [extreme_rays(self.conditions[j].rows(eps)) for j, eps in wanted]
            kernels = best_kernels(rays, laws)
        except SolverError:
            kernels = [np.ones((p.size, 1)) for p in laws]
        return [one.whole(kernel) for one, kernel in zip(conditions, kernels, strict=True)]

    def _many(self, j: int, eps: float, seconds: float) -> FloatArray:
        """Return the kernel of an attribute, shape (n_j, n_y): optimal if time suffices.

        At a budget near 0 the conditions of many x^J leave hardly more than P(x^j): where the
        solver finds no other output, the kernel is constant.
        """
        conditions = self.conditions[j]
        distinct = np.unique(conditions.rows(eps), axis=0)
        allowed = AllowedSet(sparse.csr_array(distinct), conditions.occurring.size)
        return conditions.whole(maximise(allowed, conditions.occurring, time_limit=seconds).kernel)


@dataclass(frozen=True, eq=False)
class _Conditions:
    """The conditions on the kernel of one attribute, given any values of any other attributes.

    Attributes
    ----------
    p : ndarray
        P(x^j), shape (n_j,).
    lifts : ndarray
        Lifts P(s, x^j | x^J)/(P(s | x^J) P(x^j | x^J)) for each x^J given which x^j varies, over
        the values of x^j that occur, shape (k, n_s, n_j); NaN where the denominator is 0.
    weights : ndarray
        P(x^j | x^J)/P(x^j) for the same x^J and x^j, shape (k, n_j).
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
    def occurring(self) -> FloatArray:
        """P(x^j) of the values that occur."""
        return self.p[self.p > 0]

    def whole(self, kernel: FloatArray) -> FloatArray:
        """Return the kernel of all values from that of those that occur; other rows are P(y)."""
        occurs = self.p > 0
        result = np.tile(self.p[occurs] @ kernel, (occurs.size, 1))
        result[occurs] = kernel
        return result

    def rows(self, eps: float) -> FloatArray:
        """Return rows of the outputs that are ε-LIP with respect to every P(s, x^j | x^J).

        Source: [Funnel] eq. 22 and 23, for one column of the kernel.
        """
        given, secret = np.nonzero(~np.isnan(self.lifts).all(axis=2))
        # where P(x^j | x^J) = 0 the lift is undefined, and its weight is 0
        lift, weights = np.nan_to_num(self.lifts[given, secret], nan=1.0), self.weights[given]
        excess = np.where(np.abs(lift - 1) <= LIFT_NOISE * lift, 0.0, lift - 1)
        below = rows.lift_at_least(excess, eps, weights)
        above = rows.lift_at_most(excess, eps, weights)
        return np.vstack([below, above])
