"""Attributes released one by one: a product of kernels that is ε-SRLIP.

[Funnel] Theorem 4, that kernels Q^j which are ε_j-LIP given any values of the other attributes have
a (Σ ε_j)-SRLIP product, is false: let S = B¹ xor B² for two fair bits, let both attributes be (B¹,
B²), and let Q¹ release B¹ and Q² B². Then ε_j = 0, but together they reveal S. So these budgets
only start a search, and the audit of the product decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, get_args

import numpy as np
from scipy import sparse

from core import measures, validation
from core.allowed import inequalities as rows
from core.allowed.allowed_set import AllowedSet
from core.attributes import attribute_shape, attribute_values, cells_of, known_sets
from core.clock import NEVER, Deadline
from core.errors import InvalidInputError, SolverError
from core.joint import Joint
from core.limits import CLOSE, LIFT_NOISE, ROUNDING
from core.measures.pointwise import ratio
from core.mechanisms.entry import TIME_SHARE
from core.mechanisms.outputs import output_names
from core.mechanisms.result import Mechanism, make_mechanism, marked_if_cut
from core.notions.srlip import SRLIP
from core.optimal.polytopes.rays import best_kernels, extreme_rays
from core.optimal.solve import maximise
from core.validation import FloatArray

Kernels = tuple[FloatArray, ...]
"""For each attribute P(y^j | x^j), shape (n_j, n_y_j)."""

SECONDS = 0.25
"""Least time for one attribute's kernel under one budget, of which a search needs a few dozen."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """An ε-SRLIP product, shape (n_x, ∏ n_y_j), of kernels at budgets ε_j with a share of noise."""

    budgets: tuple[float, ...]
    share: float
    kernel: FloatArray
    utility: float


class ProductSearch:
    """Products of one kernel for each attribute that are ε-SRLIP."""

    def __init__(self, joint: Joint, notion: SRLIP, deadline: Deadline = NEVER) -> None:
        self.joint, self.notion, self.deadline = joint, notion, deadline
        self._each = SECONDS if deadline == NEVER else max(SECONDS, deadline.left / 8)
        self.sizes = notion.shape or (joint.n_x,)
        self.values = attribute_values(joint, self.sizes)
        self.conditions = [_Conditions.of(joint, self.values, j) for j in range(len(self.sizes))]
        self.known: dict[tuple[int, float], FloatArray] = {}
        self._tried: dict[tuple[float, ...], Candidate | None] = {}

    def product(self, budgets: tuple[float, ...]) -> Candidate | None:
        """Return the product of the optimal kernels under these budgets; None if not ε-SRLIP."""
        if budgets not in self._tried:
            kernels = self._kernels(budgets)
            self._tried[budgets] = self._settled(budgets, kernels, CLOSE)
        return self._tried[budgets]

    def shrunk(self, budgets: tuple[float, ...]) -> Candidate:
        """Return the product with budgets, then kernels by noise, reduced until it is ε-SRLIP."""
        best = self.product(tuple(0.0 for _ in budgets))
        if best is None:
            return self._noisy(budgets)

        def scaled(scale: float) -> tuple[float, ...]:
            return tuple(scale * budget for budget in budgets)

        return self._largest(scaled, 0.0, 1.0, best)

    def grown(self, start: tuple[float, ...], order: tuple[int, ...]) -> Candidate | None:
        """Return the product with budgets raised in order while ε-SRLIP; None if not at first."""
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
        """Return the product at the largest scale in [low, high) that bisection finds."""
        # steps of each bisection for a budget: it is found to ε/64, and its kernels are kept for
        # other searches
        for _ in range(6):
            if self.deadline.over:
                break
            middle = (low + high) / 2
            candidate = self.product(budgets(middle))
            if candidate is None:
                high = middle
            else:
                low, best = middle, candidate
        return best

    def _noisy(self, budgets: tuple[float, ...]) -> Candidate:
        """Return the better product of these budgets and of 0, each with the least noise."""
        candidates = [
            self._settled(chosen, self._kernels(chosen), 1.0)
            for chosen in (budgets, tuple(0.0 for _ in budgets))
        ]
        return max(
            (candidate for candidate in candidates if candidate is not None),
            key=lambda candidate: candidate.utility,
        )

    def _settled(
        self, budgets: tuple[float, ...], kernels: Kernels, most: float
    ) -> Candidate | None:
        """Return the product with the least noise, up to `most`, that is ε-SRLIP, or None."""
        low, share, kernel = 0.0, 0.0, self._together(kernels, 0.0)
        while not self._holds(kernel):
            if share >= most:
                return None
            low, share = share, min(most, max(CLOSE, 4 * share))
            kernel = self._together(kernels, share)
        if share > CLOSE:
            for _ in range(20):  # steps of the bisection for the least noise, which needs no solver
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
        """Return the kernels' product, (n_x, ∏ n_y_j), a share of each being a draw from P(y^j)."""
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
        missing = [pair for pair in wanted if pair not in self.known]
        # an attribute with at most this many values has few extreme outputs: all are enumerated
        few = [(j, eps) for j, eps in missing if self.conditions[j].occurring.size <= 5]
        if few:
            self.known.update(zip(few, self._few(few), strict=True))
        for j, eps in missing:
            if (j, eps) not in self.known:
                seconds = min(self._each, self.deadline.left)
                self.known[j, eps] = self._many(j, eps, seconds)
        return tuple(self.known[pair] for pair in wanted)

    def _few(self, wanted: list[tuple[int, float]]) -> list[FloatArray]:
        """Return optimal kernels (n_j, n_y) from all extreme rays; constant if a solver fails."""
        conditions = [self.conditions[j] for j, _ in wanted]
        laws = [condition.occurring for condition in conditions]
        try:
            rays = [extreme_rays(self.conditions[j].rows(eps)) for j, eps in wanted]
            kernels = best_kernels(rays, laws)
        except SolverError:
            kernels = [np.ones((p.size, 1)) for p in laws]
        return [
            condition.whole(kernel) for condition, kernel in zip(conditions, kernels, strict=True)
        ]

    def _many(self, j: int, eps: float, seconds: float) -> FloatArray:
        """Return an attribute's kernel (n_j, n_y), optimal if time suffices."""
        conditions = self.conditions[j]
        distinct = np.unique(conditions.rows(eps), axis=0)
        allowed = AllowedSet(sparse.csr_array(distinct), conditions.occurring.size)
        return conditions.whole(maximise(allowed, conditions.occurring, time_limit=seconds).kernel)


@dataclass(frozen=True, eq=False)
class _Conditions:
    """The conditions on one attribute's kernel, given any values of the others.

    Lifts are P(s, x^j | x^J)/(P(s | x^J) P(x^j | x^J)), NaN for 0/0, shape (k, n_s, n_j); weights
    are P(x^j | x^J)/P(x^j), shape (k, n_j), over the n_j values of x^j that occur; p is of all x^j.
    """

    p: FloatArray
    lifts: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, joint: Joint, values: np.ndarray, j: int) -> _Conditions:
        n_j = int(values[j].max()) + 1
        p: FloatArray = np.bincount(values[j], joint.p_x, n_j).astype(np.float64)
        occurs = p > 0
        others = [i for i in range(len(values)) if i != j]
        blocks = []
        for known in (*known_sets(len(others)), tuple(range(len(others)))):
            cells = cells_of(values, [others[i] for i in known])
            place = cells * n_j + values[j]
            n_cells = int(cells.max()) + 1
            sums = [np.bincount(place, row, n_cells * n_j) for row in joint.p]
            part = np.array(sums).reshape(joint.n_s, n_cells, n_j)[:, :, occurs]
            blocks.append(np.moveaxis(part, 1, 0))
        parts = np.concatenate(blocks)
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
        """Return rows of outputs that are ε-LIP given every x^J ([Funnel] eq. 22, 23)."""
        given, secret = np.nonzero(~np.isnan(self.lifts).all(axis=2))
        # where P(x^j | x^J) = 0 the lift is undefined, and its weight is 0
        lift, weights = np.nan_to_num(self.lifts[given, secret], nan=1.0), self.weights[given]
        excess = np.where(np.abs(lift - 1) <= LIFT_NOISE * lift, 0.0, lift - 1)
        below = rows.lift_at_least(excess, eps, weights)
        above = rows.lift_at_most(excess, eps, weights)
        return np.vstack([below, above])


Split = Literal["even", "optimised"]


@marked_if_cut
def srlip_product(
    joint: Joint,
    eps: float,
    shape: Sequence[int] | None = None,
    split: Split = "even",
    time_limit: float | None = None,
) -> Mechanism:
    """Release each attribute by a separate kernel so that the product is ε-SRLIP.

    Each kernel is optimal under ε_j-LIP given any values of the others. Where the product is not
    ε-SRLIP, the budgets are scaled down until it is; where it is not even at budgets of 0, noise
    is added to every kernel.

    Source: [Funnel] Theorem 4, repaired: as printed it is false (see the module's docstring).

    Parameters
    ----------
    joint : Joint
        P(s, x), made of as many columns as there are combinations of attributes.
    eps : float
        Budget in nats, in [0, ∞].
    shape : sequence of int, optional
        Sizes of the attributes; by default the joint's own.
    split : {"even", "optimised"}
        ε_j = ε/m as in the paper; or also budgets raised from 0 one after the other as far as the
        product stays ε-SRLIP, in every order of up to three attributes, and the best of all.
    time_limit : float, optional
        Seconds; after TIME_SHARE of them no further budgets are tried. By default no limit.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or the sizes do not fit the joint.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> joint = Joint.from_counts([[4, 1, 3, 2], [1, 4, 2, 3]])
    >>> mechanism = srlip_product(joint, 0.6, (2, 2))
    >>> mechanism.audit.achieved <= 0.6, mechanism.y_labels[0]
    (True, 'x4 72%; x3 28%')
    """
    if split not in get_args(Split):
        raise InvalidInputError(f"split must be even or optimised, got {split!r}.")
    sizes = attribute_shape(joint, shape)
    notion = SRLIP(validation.budget(eps, "eps"), sizes)
    deadline = NEVER
    if time_limit is not None:
        limit = validation.number(time_limit, "time_limit", low=0.0, open_low=True)
        deadline = Deadline.after(TIME_SHARE * limit)
    search = ProductSearch(joint, notion, deadline)
    even = tuple(notion.eps / len(sizes) for _ in sizes)
    printed = search.product(even)
    best = printed or search.shrunk(even)
    if split == "optimised" and notion.eps < np.inf:
        for order in _orders(len(sizes)):
            if not deadline.over:
                grown = search.grown(tuple(0.0 for _ in sizes), order)
                best = max(best, grown or best, key=lambda candidate: candidate.utility)
    return make_mechanism(
        joint,
        best.kernel,
        name="Attribute by attribute",
        solver="product",
        status="heuristic" if printed else "repaired",
        notion=notion,
        y_labels=output_names(joint.p_x[:, None] * best.kernel, joint.x_labels),
        notes=_notes(best, even, split),
    )


def _orders(n_attributes: int) -> list[tuple[int, ...]]:
    """Return orders in which to raise the budgets: all orders of few attributes, else rotations."""
    every = tuple(range(n_attributes))
    if n_attributes <= 3:  # up to this many attributes the budgets are raised in every order
        return list(permutations(every))
    return [every[j:] + every[:j] for j in every]


def _notes(best: Candidate, even: tuple[float, ...], split: Split) -> tuple[str, ...]:
    """Return notes on the attributes' budgets, and on what was done to keep the notion."""
    budgets = ", ".join(f"{budget:.4g}" for budget in best.budgets)
    notes = (f"Each attribute has a budget of its own: {budgets} nats.",)
    noise = best.share > CLOSE
    if not noise and (split == "optimised" or best.budgets == even):
        return notes
    done = (
        f"no budgets were small enough, so noise replaces {100 * best.share:.3g}% of each"
        if noise
        else "the budgets were shrunk until the audit passed"
    )
    refused = (
        f"With {even[0]:.4g} nats for each attribute the whole leaks more than allowed, "
        f"although [Funnel] Theorem 4 says otherwise: {done}."
    )
    return (*notes, refused)
