"""Notions that bound a mean over s of each output's lifts, or one side of their range."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, AverageBudget, SeparationOracle
from core.allowed.average_cost import PowerMean, SquaredExcess
from core.allowed.inequalities import excess_lift
from core.allowed.separation_oracles import AlphaLiftCuts, AlphaLiftInverseCuts, Chi2LiftCuts
from core.errors import NotConvexError
from core.joint import Joint
from core.limits import quadratic_slack
from core.measures import max_lift, pointwise
from core.measures.pointwise import alpha_order
from core.notions.base import OneBudget, TwoBudgets, budget_text
from core.notions.lip import ALIP, log_min_lift
from core.validation import FloatArray


class _WithInverse(TwoBudgets):
    """A bound on a measure of an output's lifts, and on that of their inverses: not convex."""

    of_conditionals: ClassVar[bool] = True
    convex: ClassVar[bool] = False

    def is_convex(self) -> bool:
        """Return whether the lower budget is ∞: a bound on the inverse is not convex."""
        return self.eps_l == np.inf

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the upper bound allows where the lower budget is ∞.

        The measure of the inverses is not convex: `NotConvexError` where `eps_l` is finite.
        """
        if self.eps_l < np.inf:
            raise NotConvexError(
                f"{self} has no certified optimum: its lift-inverse measure is not convex in the "
                "posterior, so use subset merging, or ask for eps_l = ∞."
            )
        excess = excess_lift(joint, budget=self.eps_u)
        if self.eps_u == 0:
            return inequalities.plain(inequalities.equations(excess, joint))
        return self._upper_set(joint, excess)

    @abstractmethod
    def _upper_set(self, joint: Joint, excess: FloatArray) -> AllowedSet:
        """Return the set for ε_u > 0; excess lifts have shape (n_s, n_x)."""


@dataclass(frozen=True)
class L1Privacy(_WithInverse):
    """ℓ1-privacy: ℓ1-lift ≤ e^{ε_u} − 1 and ℓ1-lift-inverse ≤ e^{ε_l} − 1 for every y.

    Source: [Lift] §VI-B. No relaxation of ALIP where 1 − e^{−ε_l} > e^{ε_u} − 1.

    Examples
    --------
    >>> str(L1Privacy(float("inf"), 1))
    '(∞, 1)-ℓ1-privacy'
    """

    name: ClassVar[str] = "ℓ1-privacy"
    bounds_levels: ClassVar[Mapping[str, str]] = {"l1_upper": "eps_u"}
    risk: ClassVar[str] = (
        r"\omega(X_i) = \log\bigl(2 + \textstyle\sum_s P(s)\,|l(s,X_i)-1| + "
        r"\sum_s P(s)\,|\tfrac{1}{l(s,X_i)}-1|\bigr)"
    )

    def is_convex(self) -> bool:
        """Return whether the lower budget is ∞: a bound on the inverse is not convex."""
        return self.eps_l == np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + ℓ1-lift-inverse), shape (..., n_y)."""
        level: FloatArray = np.log1p(measures.l1_lift_inverse(joint_sy))
        return level

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + ℓ1-lift), shape (..., n_y)."""
        level: FloatArray = np.log1p(measures.l1_lift(joint_sy))
        return level

    def _upper_set(self, joint: Joint, excess: FloatArray) -> AllowedSet:
        """Return the set of outputs with Σ_s P(s)|l_s − 1| ≤ e^{ε_u} − 1.

        It has n_s + 1 rows and n_s auxiliary variables, each at least P(s | y) − P(s) and 0. As
        these differences sum to 0, the ℓ1-lift is twice the sum of their positive parts.
        """
        n_s, n_x = excess.shape
        if self.eps_u >= np.log(3):  # the ℓ1-lift is at most 2
            return inequalities.plain(np.empty((0, n_x)))
        rises = np.hstack([joint.p_s[:, None] * excess, -np.eye(n_s)])
        total = np.concatenate([np.full(n_x, -np.expm1(self.eps_u)), np.full(n_s, 2.0)])
        matrix = inequalities.scaled(np.vstack([rises, total]))
        return AllowedSet(sparse.csr_array(matrix), n_x)


@dataclass(frozen=True)
class Chi2Privacy(_WithInverse):
    """χ²-privacy: χ²-lift ≤ (e^{ε_u} − 1)² and χ²-lift-inverse ≤ (e^{ε_l} − 1)² for every y.

    Source: [Lift] §VI-B. No relaxation of ALIP where 1 − e^{−ε_l} > e^{ε_u} − 1.

    Examples
    --------
    >>> str(Chi2Privacy(1, 0.5))
    '(1, 0.5)-χ²-privacy'
    """

    name: ClassVar[str] = "χ²-privacy"
    bounds_levels: ClassVar[Mapping[str, str]] = {"chi2_upper": "eps_u"}
    risk: ClassVar[str] = (
        r"\omega(X_i) = \log\Bigl(1 + \sqrt{\textstyle\sum_s P(s)\,(l(s,X_i)-1)^2 + "
        r"\sum_s P(s)\,(\tfrac{1}{l(s,X_i)}-1)^2}\Bigr)"
    )

    def is_convex(self) -> bool:
        """Return whether the lower budget is ∞: a bound on the inverse is not convex."""
        return self.eps_l == np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + √χ²-lift-inverse), shape (..., n_y)."""
        level: FloatArray = np.log1p(np.sqrt(measures.chi2_lift_inverse(joint_sy)))
        return level

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + √χ²-lift), shape (..., n_y)."""
        level: FloatArray = np.log1p(np.sqrt(measures.chi2_lift(joint_sy)))
        return level

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return log(1 + √(measure + inverse)) of sets with these levels."""
        with np.errstate(over="ignore"):  # e^710 is ∞, and orders such sets last as it should
            total: FloatArray = np.log1p(np.hypot(np.expm1(lower), np.expm1(upper)))
        return total

    def _upper_set(self, joint: Joint, excess: FloatArray) -> AllowedSet:
        """Return the set of outputs with a χ²-lift of at most (e^{ε_u} − 1)²: rows and an oracle.

        The rows are |l − 1| ≤ (e^{ε_u}−1) √((1−P(s))/P(s)), which the bound on the χ²-lift implies:
        as Σ P(s)(l−1) = 0, the χ²-lift is at least P(s)(l−1)²/(1−P(s)) for each s.
        """
        lift, p_s = inequalities.data_lift(joint), joint.p_s
        if self.eps_u >= np.log1p(1 / np.sqrt(p_s.min())):  # the χ²-lift is below 1/min P(s)
            return inequalities.plain(np.empty((0, joint.n_x)))
        swing = np.expm1(self.eps_u) * np.sqrt(np.maximum(1 - p_s, 0.0) / p_s)
        with np.errstate(divide="ignore"):  # a swing of 1 or more has no lower bound
            falls = -np.log(np.maximum(1 - swing, 0.0))
        bounds = [
            inequalities.lift_at_most(excess, np.log1p(swing)),
            inequalities.lift_at_least(excess, falls),
        ]
        most = AverageBudget(SquaredExcess(p_s), excess, float(np.expm1(self.eps_u)) ** 2)
        return inequalities.plain(np.vstack(bounds), Chi2LiftCuts(lift, p_s, self.eps_u), (most,))


@dataclass(frozen=True)
class AlphaLift(TwoBudgets):
    """α-lift-privacy: α-lift ≤ e^{ε_u} and α-lift-inverse ≤ e^{ε_l} for every y.

    Source: [Lift] §VI-B. At α = ∞ it is ALIP.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, ∞]; ∞ leaves that side free.
    alpha : float
        Order, in (1, ∞].

    Raises
    ------
    InvalidInputError
        If a budget is negative or NaN, or the order not above 1.

    Examples
    --------
    >>> str(AlphaLift(1, 0.5, alpha=2))
    '(1, 0.5)-α-lift-privacy of order 2'
    """

    alpha: float

    name: ClassVar[str] = "α-lift-privacy"
    of_conditionals: ClassVar[bool] = True
    order_of_lift: ClassVar[bool] = True
    risk: ClassVar[str] = (
        r"\omega(X_i) = \log\Bigl(\bigl(\textstyle\sum_s P(s)\,l(s,X_i)^{\alpha}\bigr)"
        r"^{1/\alpha} + "
        r"\bigl(\sum_s P(s)\,l(s,X_i)^{-\alpha}\bigr)^{1/\alpha}\Bigr)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", alpha_order(self.alpha))

    def __str__(self) -> str:
        return f"{super().__str__()} of order {budget_text(self.alpha)}"

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return the log of the α-lift-inverse, shape (..., n_y)."""
        return pointwise.log_alpha_lift_inverse(joint_sy, self.alpha)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return the log of the α-lift, shape (..., n_y)."""
        return pointwise.log_alpha_lift(joint_sy, self.alpha)

    def slack(self, budget: float) -> float:
        """Return the slack of levels that are quadratic in the lifts' distance to 1 for α < ∞."""
        return super().slack(budget) if self.alpha == np.inf else quadratic_slack(budget)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: rows, and an oracle for finite α.

        The rows are e^{−ε_l} P(s)^{1/α} ≤ l ≤ e^{ε_u} P(s)^{−1/α}, which the bounds on the
        measures imply ([Lift] Prop. 4 and 6), and which are equivalent to them at α = ∞.
        """
        # about the distance of a lift to 1, in which it is quadratic
        least = np.sqrt(min(self.eps_l, self.eps_u))
        lift, p_s = inequalities.data_lift(joint), joint.p_s
        excess = excess_lift(joint, budget=least)
        if self.is_perfect_privacy:
            return inequalities.plain(inequalities.equations(excess, joint))
        room = -np.log(p_s) / self.alpha
        values = inequalities.lifts(joint, excess, budget=least)
        below = inequalities.lift_at_least(excess, self.eps_l + room, lift=values)
        above = inequalities.lift_at_most(excess, self.eps_u + room)
        oracles: list[SeparationOracle] = []
        each: list[AverageBudget] = []
        if self.alpha < np.inf and self.eps_l < np.inf:
            oracles.append(AlphaLiftInverseCuts(lift, p_s, self.eps_l, self.alpha))
            fall = -float(np.expm1(-self.eps_l))
            each.append(AverageBudget(PowerMean(p_s, -self.alpha), excess, fall))
        if self.alpha < np.inf and self.eps_u < np.inf:
            oracles.append(AlphaLiftCuts(lift, p_s, self.eps_u, self.alpha))
            rise = float(np.expm1(min(self.eps_u, -np.log(p_s.min()))))  # no lift is greater
            each.append(AverageBudget(PowerMean(p_s, self.alpha), excess, rise))
        cuts = inequalities.all_cuts(oracles)
        return inequalities.plain(np.vstack([below, above]), cuts, tuple(each))


@dataclass(frozen=True)
class MinLift(OneBudget):
    """Ψ(y) ≥ e^{−ε} for every y: no secret becomes much less likely. It is (ε, ∞)-ALIP.

    Source: the lower half of [Lift] Def. 3.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> str(MinLift(1)), MinLift(1).achieved(joint, np.eye(2))  # log 2
    ('1-min-lift', 0.6931471805599453)
    """

    name: ClassVar[str] = "min-lift"
    bounds_levels: ClassVar[Mapping[str, str]] = {"min_lift": "eps"}

    @property
    def lower_budget(self) -> float:
        """ε: only falling beliefs are bounded."""
        return self.eps

    @property
    def upper_budget(self) -> float:
        """∞: Λ is not bounded."""
        return np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return |log Ψ(y)|, shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return log_min_lift(joint_sy)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return 0, shape (..., n_y): Λ is not bounded."""
        return 0.0 * max_lift(joint_sy)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: at most n_s rows."""
        return ALIP(self.eps, np.inf).allowed_set(joint)


class _UpperHalf(OneBudget):
    """The upper half of a notion with two budgets, which is convex."""

    whole: ClassVar[type[_WithInverse]]
    of_conditionals: ClassVar[bool] = True

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return the upper level of the whole notion, shape (..., n_y)."""
        return self.whole(np.inf, self.eps).upper_level(joint_sy)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the upper bound allows."""
        return self.whole(np.inf, self.eps).allowed_set(joint)


@dataclass(frozen=True)
class L1Lift(_UpperHalf):
    """ℓ1-lift ≤ e^{ε} − 1 for every y: the upper half of ℓ1-privacy, which is convex.

    Source: [Lift] eq. 27. Half the ℓ1-lift is the total variation of P(S|y) and P(S).

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(L1Lift(1).achieved(joint, np.eye(2)), 6) == round(float(np.log(1.5)), 6)
    True
    """

    name: ClassVar[str] = "ℓ1-lift"
    whole: ClassVar[type[_WithInverse]] = L1Privacy
    bounds_levels: ClassVar[Mapping[str, str]] = {"l1_upper": "eps"}


@dataclass(frozen=True)
class Chi2Lift(_UpperHalf):
    """χ²-lift ≤ (e^{ε} − 1)² for every y: the upper half of χ²-privacy, which is convex.

    Source: [Lift] eq. 28. It is 2-lift ≤ √(1 + (e^{ε} − 1)²): Σ P(s) l² = 1 + χ²-lift.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(Chi2Lift(1).achieved(joint, np.eye(2)), 6) == round(float(np.log(1.5)), 6)
    True
    """

    name: ClassVar[str] = "χ²-lift"
    whole: ClassVar[type[_WithInverse]] = Chi2Privacy
    bounds_levels: ClassVar[Mapping[str, str]] = {"chi2_upper": "eps"}
