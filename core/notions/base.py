"""What a privacy notion offers: its level for a mechanism, its check, and its allowed outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.allowed.allowed_set import AllowedSet
from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.limits import ROUNDING
from core.measures import pointwise
from core.validation import BoolArray, FloatArray, IntArray

OF_BUDGETS = "of its budgets"
"""Unit of a level that is a scale of several budgets: 1 where one of them is used up."""


class Notion(ABC):
    """A bound on what the outputs of a mechanism may reveal about S.

    Subclasses are frozen dataclasses that hold their budgets.
    """

    name: ClassVar[str]
    """The notion's usual short name."""

    convex: ClassVar[bool] = True
    """Whether the allowed set is convex for all budgets; `is_convex` looks at the budgets."""

    bounds_lift: ClassVar[bool] = False
    """Whether the two budgets bound log Ψ and log Λ themselves."""

    bounds_ratio: ClassVar[bool] = False
    """Whether the upper budget bounds log(Λ/Ψ) itself, and the lower one nothing."""

    bounds_greatest: ClassVar[bool] = False
    """Whether it bounds the greatest lift of an output, and nothing else."""

    of_conditionals: ClassVar[bool] = False
    """Whether its levels take `Conditionals` too, which many sets of symbols have soon."""

    of_attributes: ClassVar[bool] = False
    """Whether it is LIP also for readers who know some attributes of X."""

    of_estimate: ClassVar[bool] = False
    """Whether it holds for every distribution of a set around the joint, which is an estimate."""

    secret_released: ClassVar[bool] = False
    """Whether S must be released too, so that X is the pair (S, U)."""

    order_of_lift: ClassVar[bool] = False
    """Whether its order α is that of a mean of lifts, not of a Rényi divergence."""

    on_average: ClassVar[bool] = False
    """Whether it bounds an average over outputs, not each output."""

    of_joint_sy: ClassVar[bool] = False
    """Whether it depends on P(s, y) alone, so that a mechanism may read S too."""

    ends_at_x: ClassVar[bool] = False
    """Whether the level of X itself is the largest budget that a slider offers."""

    bounds_levels: ClassVar[Mapping[str, str]] = {}
    """Names of its budgets that bound levels, by the levels' keys in the catalogue."""

    reached: ClassVar[str] = ""
    """Title of its level beside those of LIP and LDP; empty where it is not shown there."""

    risk: ClassVar[str] = r"\omega(X_i) = \log(e^{\text{lower level}} + e^{\text{upper level}})"
    """How [Lift] Algorithm 1 ranks sets of symbols under the notion, in LaTeX."""

    @property
    def parts(self) -> tuple[Notion, ...]:
        """The notions that it combines; itself, where it combines none."""
        return (self,)

    @property
    def inner(self) -> Notion:
        """The notion that must hold given each value of what is known; itself, if nothing is."""
        return self

    @property
    def in_nats(self) -> tuple[str, ...]:
        """Names of its budgets that are in nats."""
        return tuple(name for name in ("eps", "eps_l", "eps_u") if hasattr(self, name))

    @property
    def level_unit(self) -> str:
        """Unit of `achieved`: "nats", `OF_BUDGETS`, or "" for a plain number."""
        return OF_BUDGETS

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether it is perfect privacy: every output is independent of S."""
        return False

    @property
    def exceptions(self) -> float:
        """The total probability δ of outputs that may break it."""
        return 0.0

    @abstractmethod
    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε (or scale of the budgets) at which the notion holds, ∞ if at none.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        kernel : array_like
            P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
        """

    def achieved_by_each(self, joint_sy: ArrayLike) -> FloatArray:
        """Return `achieved`, (k,), of releases P(s, y), (k, n_s, n_y), for a notion of them.

        Outputs that do not occur are columns of 0. A notion that depends on more raises
        `InvalidInputError`.
        """
        if not self.of_joint_sy:
            raise InvalidInputError(f"{self.name} depends on more than P(s, y).")
        p = validation.distribution(joint_sy, "The releases", batch=True)
        joints = map(Joint.from_counts, p)
        return np.array([self.achieved(joint, np.eye(joint.n_x)) for joint in joints])

    def alike(self, joint: Joint, decimals: int | None = None) -> IntArray | None:  # noqa: ARG002
        """Return a number for each symbol of X, (n_x,); None if the notion looks at each.

        Symbols of one number with the same P(s | x) are one to it; with `decimals` those are that
        agree to so many.
        """
        return np.zeros(joint.n_x, dtype=np.int64) if self.of_joint_sy else None

    def with_classes(self, of_x: IntArray) -> Notion:  # noqa: ARG002
        """Return it for classes of symbols that are `alike`, `of_x` (n_x,), in the place of X."""
        return self

    def simplest(self, joint: Joint) -> Notion:  # noqa: ARG002
        """Return the notion that is the same for this joint and is better known; itself if none."""
        return self

    def of_each_output(self) -> Notion | None:
        """Return a notion of single outputs that implies it; None if none is known."""
        return None

    def among(self, s: IntArray, n_s: int) -> Notion:  # noqa: ARG002
        """Return it for a joint with the secrets `s` alone, of the n_s that it is about now."""
        return self

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least scale of the budgets at which it holds: at most 1 iff it does."""
        return self.over_budget(self.achieved(joint, kernel))

    def over_budget(self, achieved: float) -> float:
        """Return the scale of the budgets that belongs to a value of `achieved`.

        A notion whose `achieved` is its least ε divides it by its budget here.
        """
        return achieved

    @abstractmethod
    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to its `slack`."""

    def slack(self, budget: float) -> float:  # noqa: ARG002
        """Return how far rounding may lift a level above a budget, in its unit."""
        return ROUNDING

    def is_convex(self) -> bool:
        """Return whether the allowed set is convex, so an optimum can be proven."""
        return self.convex

    def most_about_secret(self) -> float:
        """Return an upper bound on I(S;Y), in nats, that holds for every P(S); ∞ if none is known.

        For a pointwise notion it is the largest D(P(S|y) ‖ P(S)) of one output.
        """
        return np.inf

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {key: getattr(self, name) for key, name in self.bounds_levels.items()}

    def without_exceptions(self) -> Notion:
        """Return the notion with δ = 0, which implies it; itself, where it has no δ."""
        return self

    def excepted(self, joint_sy: ArrayLike) -> BoolArray:
        """Return which outputs of P(s, y), shape (n_s, n_y), are exceptions: shape (n_y,)."""
        return np.zeros(np.shape(joint_sy)[-1], dtype=np.bool_)

    def short_name(self) -> str:
        """Return its name without budgets, in one word or two."""
        return self.name.removesuffix("-privacy")

    def composed(self, write: Callable[[Notion], str]) -> str | None:  # noqa: ARG002
        """Return the name, with parts that `write` writes, of a notion made of others, or None."""
        return None

    def without_budget(self) -> Notion | None:
        """Return a notion of perfect privacy that implies it; None if none is known.

        A notion of P(s, y) alone needs none: 0-LIP implies it.
        """
        return None

    def in_words(self, level: float, secret: str, records: int) -> str | None:  # noqa: ARG002
        """Return a sentence on the level of a release; None where its lifts are described instead.

        `secret`: name of S. `records`: number of them behind the estimate.
        """
        return None

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the set of outputs that it allows; `NotConvexError` where that is not convex."""
        raise NotConvexError(
            f"{self.name} does not allow a convex set of outputs, so its optimum is not known "
            f"to be computable here (joint of {joint.n_s}×{joint.n_x}); use subset merging."
        )


class LevelNotion(Notion):
    """A notion that holds where its `achieved`, one level, is at most its one budget."""

    @property
    @abstractmethod
    def budget(self) -> float:
        """Largest level at which the notion holds, in the unit of `achieved`."""

    @property
    def level_unit(self) -> str:
        """Unit of `achieved`: "nats" where the budget is in nats, else ""."""
        return "nats" if self.in_nats else ""

    def over_budget(self, achieved: float) -> float:
        """Return a level divided by the budget: at most 1 iff the notion holds at it."""
        return relative(achieved, self.budget, self.slack(0.0))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to its `slack`."""
        return self.achieved(joint, kernel) <= self.budget + self.slack(self.budget)


class PointwiseNotion(Notion):
    """A notion that bounds each output by itself, through two levels in nats.

    An output y is allowed iff its lower level is at most `lower_budget` and its upper level at
    most `upper_budget`. Falling beliefs are free unless a notion has a lower level of its own,
    whose budget is the upper one unless it says otherwise.
    """

    of_joint_sy: ClassVar[bool] = True

    def of_each_output(self) -> PointwiseNotion:
        """Return itself."""
        return self

    @property
    def lower_budget(self) -> float:
        """Largest allowed lower level, in nats; ∞ unless the notion bounds falling beliefs."""
        free = type(self).lower_level is PointwiseNotion.lower_level
        return np.inf if free else self.upper_budget

    @property
    @abstractmethod
    def upper_budget(self) -> float:
        """Largest allowed upper level, in nats."""

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return each output's lower level, how far it lowers beliefs, in nats; 0 if it is free.

        P(s, y) has shape (..., n_s, n_y), the result (..., n_y); NaN where P(y) = 0.
        """
        p_y = pointwise.conditionals(joint_sy).p_y
        return 0.0 * pointwise.ratio(p_y, p_y)[..., 0, :]

    @abstractmethod
    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return each output's upper level, how far it raises beliefs; as `lower_level`."""

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return ω of sets of symbols with these levels, in nats; the formula is `risk`.

        Source: [Lift] §IV-A, corrected: Λ + Ψ as printed is smaller where Ψ is. The logarithm of
        the sum orders sets alike and cannot overflow.
        """
        total: FloatArray = np.logaddexp(lower, upper)
        return total

    def allows(self, joint_sy: ArrayLike) -> BoolArray:
        """Return whether each output is allowed, shape (..., n_y); one with P(y) = 0 is."""
        lower, upper = self.lower_budget, self.upper_budget
        too_low = self.lower_level(joint_sy) > lower + self.slack(lower)
        too_high = self.upper_level(joint_sy) > upper + self.slack(upper)
        fits = ~(too_low | too_high)  # NaN, where P(y) = 0, compares as neither
        return np.asarray(fits, dtype=np.bool_)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least scale of the budgets at which the notion holds: at most 1 if it does."""
        joint_sy = joint.release(kernel)
        return self.combined(worst(self.lower_level(joint_sy)), worst(self.upper_level(joint_sy)))

    def achieved_by_each(self, joint_sy: ArrayLike) -> FloatArray:
        """Return `achieved` of many releases at once, shape (k,); see `Notion`.

        Examples
        --------
        >>> from core.notions import LIP
        >>> LIP(1.0).achieved_by_each([[[0.5, 0.0], [0.25, 0.25]], [[0.5, 0.0], [0.5, 0.0]]])
        array([inf,  0.])
        """
        lower = np.nanmax(self.lower_level(joint_sy), axis=-1).tolist()
        upper = np.nanmax(self.upper_level(joint_sy), axis=-1).tolist()
        return np.array([self.combined(*pair) for pair in zip(lower, upper, strict=True)])

    def combined(self, lower: float, upper: float) -> float:
        """Return the least scale of the budgets that allows these largest levels, in nats."""
        none = self.slack(0.0)
        return max(
            relative(lower, self.lower_budget, none), relative(upper, self.upper_budget, none)
        )

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to its `slack`."""
        return bool(self.allows(joint.release(kernel)).all())


def worst(levels: FloatArray) -> float:
    """Return the largest level, NaN left out."""
    return float(np.nanmax(levels))


def relative(level: float, budget: float, slack: float = ROUNDING) -> float:
    """Return the least t ≥ 0 with level ≤ t·budget, ∞ if there is none.

    Parameters
    ----------
    level, budget : float
        In the same unit.
    slack : float
        Largest level that counts as 0 where the budget is 0.

    Examples
    --------
    >>> relative(1.0, 2.0), relative(1.0, 0.0), relative(float("inf"), float("inf"))
    (0.5, inf, 0.0)
    """
    if budget == np.inf or level <= 0:
        return 0.0
    if budget == 0:
        return np.inf if level > slack else 0.0
    return level / budget


@dataclass(frozen=True)
class OfEps(Notion):
    """A notion with one budget ε, in nats; its `achieved` is the least ε at which it holds."""

    eps: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", validation.budget(self.eps, "eps"))

    def __str__(self) -> str:
        return f"{budget_text(self.eps)}-{self.name}"

    @property
    def level_unit(self) -> str:
        return "nats"

    @property
    def budget(self) -> float:
        return self.eps

    def over_budget(self, achieved: float) -> float:
        """Return the least ε at which the notion holds, divided by `eps`: at most 1 iff it does."""
        return relative(achieved, self.eps, self.slack(0.0))


@dataclass(frozen=True)
class OneBudget(OfEps, PointwiseNotion):
    """A pointwise notion with one budget."""

    @property
    def upper_budget(self) -> float:
        return self.eps

    @property
    def is_perfect_privacy(self) -> bool:
        return self.eps == 0

    def combined(self, lower: float, upper: float) -> float:
        """Return the larger level: the least ε at which these outputs are allowed, in nats."""
        return max(lower, upper)


@dataclass(frozen=True)
class TwoBudgets(PointwiseNotion):
    """A pointwise notion with a budget for falling beliefs and another for rising beliefs."""

    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps_l", validation.budget(self.eps_l, "eps_l"))
        object.__setattr__(self, "eps_u", validation.budget(self.eps_u, "eps_u"))

    def __str__(self) -> str:
        return f"({budget_text(self.eps_l)}, {budget_text(self.eps_u)})-{self.name}"

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether a budget is 0: lifts average to 1, so none is below 1 if none is above."""
        return 0 in (self.eps_l, self.eps_u)

    @property
    def lower_budget(self) -> float:
        return self.eps_l

    @property
    def upper_budget(self) -> float:
        return self.eps_u


def budget_text(value: float) -> str:
    return "∞" if value == np.inf else f"{value:g}"


def split(eps: float, lam: float) -> tuple[float, float]:
    """Return (ε_l, ε_u) = (λε, (1−λ)ε), and (∞, ∞) for ε = ∞ ([Lift] §III)."""
    total = validation.budget(eps, "eps")
    share = validation.number(lam, "lam", low=0.0, high=1.0)
    if total == np.inf:
        return total, total
    return share * total, (1 - share) * total
