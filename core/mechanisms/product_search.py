"""The search behind `srlip_product`: budgets for each attribute whose product keeps the promise."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core import measures
from core.attributes import attribute_values, cells_of, known_sets
from core.errors import InfeasibleError, SolverError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import rows
from core.notions.allowed_set import AllowedSet
from core.notions.srlip import SRLIP
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
    sizes : tuple of int
        Number of outputs of each.
    utility : float
        I(X;Y) of the product, in nats.
    """

    budgets: tuple[float, ...]
    share: float
    kernel: FloatArray
    sizes: tuple[int, ...]
    utility: float


class ProductSearch:
    """Products of one kernel for each attribute, and whether they are ε-SRLIP together.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : SRLIP
        The promise, with a shape that fits the joint.
    deadline : float
        On the clock of `time.monotonic`: later, no further budgets are tried.
    """

    def __init__(self, joint: Joint, notion: SRLIP, deadline: float = np.inf) -> None:
        self.joint, self.notion, self.deadline = joint, notion, deadline
        self.sizes = notion.shape or (joint.n_x,)
        self.values = attribute_values(joint, self.sizes)
        self.conditions = [_Conditions.of(joint, self.values, j) for j in range(len(self.sizes))]
        self.known: dict[tuple[int, float], FloatArray] = {}

    def product(self, budgets: tuple[float, ...]) -> Candidate | None:
        """Return the product of the optimal kernels under these budgets, if it is ε-SRLIP."""
        return self._settled(budgets, self._kernels(budgets), ROUNDING_SHARE)

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
            if time.monotonic() > self.deadline:
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
        return Candidate(budgets, share, kernel, tuple(one.shape[1] for one in kernels), utility)

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
        return tuple(self.kernel(j, budget) for j, budget in enumerate(budgets))

    def kernel(self, j: int, budget: float) -> FloatArray:
        """Return the optimal kernel of one attribute, shape (n_j, n_y_j)."""
        if (j, budget) not in self.known:
            conditions = self.conditions[j]
            occurs = conditions.p > 0
            seconds = max(min(SECONDS, self.deadline - time.monotonic()), 0.0)
            told = _optimal(conditions.allowed_set(budget), conditions.p[occurs], seconds)
            kernel = np.tile(conditions.p[occurs] @ told, (occurs.size, 1))
            kernel[occurs] = told
            self.known[j, budget] = kernel
        return self.known[j, budget]


def _optimal(allowed: AllowedSet, p: FloatArray, seconds: float) -> FloatArray:
    """Return an optimal kernel, or one that tells nothing where time or a solver is not enough.

    Conditions of many x^J leave a sliver around P(x^j) where a budget is near 0.
    """
    try:
        return maximise(allowed, p, time_limit=seconds).kernel
    except (SolverError, InfeasibleError):
        return np.ones((p.size, 1))


@dataclass(frozen=True, eq=False)
class _Conditions:
    """What the kernel of one attribute must hide, for all values of all sets of the others.

    Attributes
    ----------
    p : ndarray
        P(x^j), shape (n_j,).
    lifts : tuple of ndarray
        For each x^J under which x^j varies: the lift of x^j on S given x^J, and the weight
        P(x^j | x^J)/P(x^j), over the values of x^j that occur anywhere.
    """

    p: FloatArray
    lifts: tuple[tuple[FloatArray, FloatArray], ...]

    @classmethod
    def of(cls, joint: Joint, values: np.ndarray, j: int) -> _Conditions:
        """Return the conditions on attribute j."""
        n_j = int(values[j].max()) + 1
        told = np.eye(n_j)[values[j]]
        p = joint.p_x @ told
        occurs = p > 0
        others = [i for i in range(len(values)) if i != j]
        seen: dict[bytes, tuple[FloatArray, FloatArray]] = {}
        for known in (*known_sets(len(others)), tuple(range(len(others)))):
            cells = cells_of(values, [others[i] for i in known])
            for cell in range(int(cells.max()) + 1):
                members = cells == cell
                part = (joint.p[:, members] @ told[members])[:, occurs]
                part = part[part.sum(axis=1) > 0] / part.sum()
                if (part.sum(axis=0) > 0).sum() > 1:
                    weight = part.sum(axis=0) / p[occurs]
                    lift = np.nan_to_num(measures.lift(part), nan=1.0)  # its weight is 0
                    seen.setdefault(part.tobytes(), (lift, weight))
        return cls(p, tuple(seen.values()))

    def allowed_set(self, eps: float) -> AllowedSet:
        """Return the outputs that are ε-LIP with respect to P(s, x^j | x^J) for every x^J.

        Source: [Funnel] eq. 22 and 23, for one column of the kernel.
        """
        n_x = int((self.p > 0).sum())
        found = [np.zeros((0, n_x))]
        for lift, weight in self.lifts:
            both = (rows.lift_at_least(lift, eps), rows.lift_at_most(lift, eps))
            found += [rows.scaled(one * weight) for one in both]
        return AllowedSet(sparse.csr_array(np.unique(np.vstack(found), axis=0)), n_x)
