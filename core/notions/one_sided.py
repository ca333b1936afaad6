"""Notions with one side: a bound on lifts from below, or on a measure of lifts from above."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.allowed.allowed_set import AllowedSet
from core.joint import Joint
from core.measures import max_lift
from core.notions.budgets import OneBudget
from core.notions.lift_norms import Chi2Privacy, L1Privacy
from core.notions.lip import ALIP, log_min_lift
from core.validation import FloatArray


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

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {"min_lift": self.eps}

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: at most n_s rows."""
        return ALIP(self.eps, np.inf).allowed_set(joint)


@dataclass(frozen=True)
class _OfTheLift(OneBudget):
    """A bound on a measure of the lift, with its inverse free."""

    @property
    def lower_budget(self) -> float:
        return np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        return 0.0 * max_lift(joint_sy)


@dataclass(frozen=True)
class L1Lift(_OfTheLift):
    """ℓ1-lift ≤ e^{ε} − 1 for every y: the upper half of ℓ1-privacy, which is convex.

    Source: [Lift] eq. 27. Half the ℓ1-lift is the total variation of P(S|y) and P(S).

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(L1Lift(1).achieved(joint, np.eye(2)), 6) == round(float(np.log(1.5)), 6)
    True
    """

    name: ClassVar[str] = "ℓ1-lift"

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + ℓ1-lift), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return L1Privacy(np.inf, self.eps).upper_level(joint_sy)

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {"l1_upper": self.eps}

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of allowed outputs: n_s + 1 rows, n_s auxiliary variables."""
        return L1Privacy(np.inf, self.eps).allowed_set(joint)


@dataclass(frozen=True)
class Chi2Lift(_OfTheLift):
    """χ²-lift ≤ (e^{ε} − 1)² for every y: the upper half of χ²-privacy, which is convex.

    Source: [Lift] eq. 28. It is 2-lift ≤ √(1 + (e^{ε} − 1)²): Σ P(s) l² = 1 + χ²-lift.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(Chi2Lift(1).achieved(joint, np.eye(2)), 6) == round(float(np.log(1.5)), 6)
    True
    """

    name: ClassVar[str] = "χ²-lift"

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log(1 + √χ²-lift), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return Chi2Privacy(np.inf, self.eps).upper_level(joint_sy)

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {"chi2_upper": self.eps}

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: rows and an oracle."""
        return Chi2Privacy(np.inf, self.eps).allowed_set(joint)
