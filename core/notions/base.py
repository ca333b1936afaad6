"""What a privacy notion is: a promise about every output of a mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.allowed.allowed_set import AllowedSet
from core.errors import NotConvexError
from core.joint import Joint
from core.limits import ROUNDING
from core.validation import BoolArray, FloatArray


class Notion(ABC):
    """A promise about what any output of a mechanism may tell about S.

    Subclasses are frozen dataclasses that hold their budgets.
    """

    name: ClassVar[str]
    """The notion's usual short name."""

    convex: ClassVar[bool] = True
    """Whether the allowed set is convex whatever the budgets are; `is_convex` knows them."""

    bounds_lift: ClassVar[bool] = False
    """Whether the two budgets bound log Ψ and log Λ themselves."""

    bounds_ratio: ClassVar[bool] = False
    """Whether the upper budget bounds log(Λ/Ψ) itself, and the lower one nothing."""

    of_estimate: ClassVar[bool] = False
    """Whether the joint is taken for an estimate, and the promise is about what may be true."""

    secret_released: ClassVar[bool] = False
    """Whether S must be released too, so that X is the pair (S, U)."""

    order_of_lift: ClassVar[bool] = False
    """Whether the order α is that of a mean of lifts."""

    on_average: ClassVar[bool] = False
    """Whether it is about an average over outputs, not about each."""

    of_joint_sy: ClassVar[bool] = False
    """Whether P(s, y) is all that it looks at, so that a mechanism may read S beside X."""

    ends_at_x: ClassVar[bool] = False
    """Whether what X itself reaches is the largest bound that makes a difference."""

    reached: ClassVar[str] = ""
    """What the level reached is, where it is told beside those of LIP and LDP."""

    risk: ClassVar[str] = r"\omega(X_i) = \log(e^{\text{lower level}} + e^{\text{upper level}})"
    """How [Lift] Algorithm 1 ranks sets of symbols under the notion, in LaTeX."""

    @property
    def parts(self) -> tuple[Notion, ...]:
        """The promises that it is made of: itself, where it is one."""
        return (self,)

    @property
    def in_nats(self) -> tuple[str, ...]:
        """Its budgets that are told in nats or bits, by name."""
        return tuple(name for name in ("eps", "eps_l", "eps_u") if hasattr(self, name))

    @property
    def lets_nothing_be_told(self) -> bool:
        """Whether it is perfect privacy: no output may tell anything about S."""
        return False

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

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return what is achieved over what is asked: at most 1 iff the notion holds.

        `achieved` is that already, unless a notion's `achieved` is its least ε: then the notion
        divides it by its budget here.
        """
        return self.achieved(joint, kernel)

    @abstractmethod
    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Say whether the mechanism keeps the promise (up to the rounding of this sum only)."""

    def is_convex(self) -> bool:
        """Say whether the allowed set is convex, so that an optimum can be proven."""
        return self.convex

    def most_about_secret(self) -> float:
        """Return the largest I(S;Y) that it allows, in nats, whatever P(S) is; ∞ if unknown.

        Of a pointwise notion that is the largest D(P(S|y) ‖ P(S)) of one output.
        """
        return np.inf

    def named_levels(self) -> dict[str, float]:
        """Return the levels that it bounds by its definition, by their keys in the catalogue."""
        return {}

    def without_exceptions(self) -> Notion:
        """Return the promise about every output that implies it: itself, where it has no δ."""
        return self

    def excepted(self, joint_sy: ArrayLike) -> BoolArray:
        """Say which outputs of P(s, y), shape (n_s, n_y), it lets be exceptions: shape (n_y,)."""
        return np.zeros(np.shape(joint_sy)[-1], dtype=np.bool_)

    def short_name(self) -> str:
        """Return what it is called where there is room for a word."""
        return self.name

    def composed(self, write: Callable[[Notion], str]) -> str | None:  # noqa: ARG002
        """Return what it is called where it is made of other promises; None where it is not.

        Parameters
        ----------
        write : callable
            Returns what one of those is called.
        """
        return None

    def without_budget(self) -> Notion | None:
        """Return the promise that implies it and lets nothing be told of S; None if unknown."""
        return None

    def in_words(self, level: float, secret: str, records: int) -> str | None:  # noqa: ARG002
        """Return a sentence on what a release achieves; None where its lifts tell it best.

        Parameters
        ----------
        level : float
            What is `achieved`.
        secret : str
            What S is called.
        records : int
            Number of records behind the estimate.
        """
        return None

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the convex set of outputs that the notion allows.

        Raises
        ------
        NotConvexError
            If the notion's set is not convex: then no optimum over it is certified.
        """
        raise NotConvexError(
            f"{self.name} does not allow a convex set of outputs, so its optimum is not known "
            f"to be computable here (joint of {joint.n_s}×{joint.n_x}); use subset merging."
        )


class LevelNotion(Notion):
    """A notion whose `achieved` is one level, and which holds where that is within one budget."""

    @property
    @abstractmethod
    def budget(self) -> float:
        """Largest level at which the notion holds, in the unit of `achieved`."""

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return what is achieved over the budget: at most 1 iff the notion holds."""
        return relative(self.achieved(joint, kernel), self.budget)

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Say whether the mechanism keeps the promise (up to the rounding of this sum only)."""
        return self.achieved(joint, kernel) <= self.budget + ROUNDING


class PointwiseNotion(Notion):
    """A notion that bounds every output by itself, through two levels in nats.

    An output y is allowed iff its lower level is at most `lower_budget` and its upper level at
    most `upper_budget`. A notion with one budget for both, or with one level only, overrides
    `achieved`.
    """

    of_joint_sy: ClassVar[bool] = True

    @property
    @abstractmethod
    def lower_budget(self) -> float:
        """Largest allowed lower level, in nats."""

    @property
    @abstractmethod
    def upper_budget(self) -> float:
        """Largest allowed upper level, in nats."""

    @abstractmethod
    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return how far each output lowers beliefs, in nats.

        P(s, y) has shape (..., n_s, n_y), the result (..., n_y); NaN where P(y) = 0.
        """

    @abstractmethod
    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return how far each output raises beliefs, in nats; shapes as `lower_level`."""

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return ω of sets of symbols with these levels, in nats; the formula is `risk`.

        Source: [Lift] §IV-A, corrected: Λ + Ψ as printed rewards a small Ψ. Sums are returned as
        their logarithm, which orders sets alike and cannot overflow.
        """
        total: FloatArray = np.logaddexp(lower, upper)
        return total

    def allows(self, joint_sy: ArrayLike) -> BoolArray:
        """Say for each output, shape (..., n_y), whether it is allowed; an absent one is."""
        too_low = self.lower_level(joint_sy) > self.lower_budget + ROUNDING
        too_high = self.upper_level(joint_sy) > self.upper_budget + ROUNDING
        fits = ~(too_low | too_high)  # NaN, an absent output, is neither
        return np.asarray(fits, dtype=np.bool_)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least scale of the budgets at which the notion holds: at most 1 if it does.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        kernel : array_like
            P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
        """
        joint_sy = joint.release(kernel)
        return self.combined(worst(self.lower_level(joint_sy)), worst(self.upper_level(joint_sy)))

    def combined(self, lower: float, upper: float) -> float:
        """Return what is achieved by outputs whose worst levels are these.

        Parameters
        ----------
        lower, upper : float
            Largest lower and upper level of all outputs, in nats.
        """
        return max(relative(lower, self.lower_budget), relative(upper, self.upper_budget))

    def over_budget(self, achieved: float) -> float:
        """Return what is achieved over what is asked, of what `combined` returns."""
        return achieved

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return what is achieved over what is asked: at most 1 iff the promise is kept."""
        return self.over_budget(self.achieved(joint, kernel))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Say whether the mechanism keeps the promise (up to the rounding of this sum only)."""
        return bool(self.allows(joint.release(kernel)).all())


def worst(levels: FloatArray) -> float:
    """Return the largest level of the outputs that occur."""
    return float(np.nanmax(levels))


def relative(level: float, budget: float) -> float:
    """Return the least t ≥ 0 with level ≤ t·budget, ∞ if there is none.

    Examples
    --------
    >>> relative(1.0, 2.0), relative(1.0, 0.0), relative(float("inf"), float("inf"))
    (0.5, inf, 0.0)
    """
    if budget == np.inf or level <= 0:
        return 0.0
    if budget == 0:
        return np.inf if level > ROUNDING else 0.0
    return level / budget
