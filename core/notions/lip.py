"""Local information privacy: bounds on the smallest and the largest lift of every output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, LiftRange
from core.allowed.inequalities import excess_lift
from core.joint import Joint
from core.measures.pointwise import most_divergence
from core.notions.base import OneBudget, PointwiseNotion, TwoBudgets, split
from core.validation import FloatArray


class _LiftBounds(PointwiseNotion):
    """Bounds on both extremes of the lift: e^{−ε_l} ≤ Ψ(y) and Λ(y) ≤ e^{ε_u}."""

    bounds_lift: ClassVar[bool] = True
    risk: ClassVar[str] = r"\omega(X_i) = \max\{\log \Lambda(X_i), |\log \Psi(X_i)|\}"

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return |log Ψ(y)|, shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return log_min_lift(joint_sy)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log Λ(y), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return log_max_lift(joint_sy)

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        larger: FloatArray = np.maximum(lower, upper)
        return larger

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of allowed outputs: at most 2·n_s rows, none of an infinite budget."""
        least = min(self.lower_budget, self.upper_budget)
        excess = excess_lift(joint, budget=least)
        if least == 0:  # on one side: as lifts are 1 on average, all are 1
            return inequalities.plain(inequalities.equations(excess, joint))
        lift = inequalities.lifts(joint, excess, budget=least)
        below = inequalities.lift_at_least(excess, self.lower_budget, lift=lift)
        above = inequalities.lift_at_most(excess, self.upper_budget)
        allowed = inequalities.plain(np.vstack([below, above]))
        if not joint.is_secret_released:
            return allowed
        with np.errstate(over="ignore"):  # ∞ for a budget that no double exceeds
            most = float(np.expm1(self.upper_budget))
        return replace(allowed, lifts=LiftRange(float(-np.expm1(-self.lower_budget)), most))

    def most_about_secret(self) -> float:
        """Return the largest D(P(S|y) ‖ P(S)) of lifts in [e^{−ε_l}, e^{ε_u}], in nats."""
        return most_divergence(float(np.exp(-self.lower_budget)), self.upper_budget)


@dataclass(frozen=True)
class LIP(_LiftBounds, OneBudget):
    """ε-local information privacy: e^{−ε} ≤ Ψ(y) and Λ(y) ≤ e^{ε} for every y.

    Source: [Lift] Def. 1, [Funnel] Def. 2.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> str(LIP(1)), LIP(1).achieved(joint, np.eye(2))  # log 2
    ('1-LIP', 0.6931471805599453)
    """

    name: ClassVar[str] = "LIP"
    bounds_levels: ClassVar[Mapping[str, str]] = {"lip": "eps", "pml": "eps", "min_lift": "eps"}

    @property
    def lower_budget(self) -> float:
        """ε, on both sides."""
        return self.eps


@dataclass(frozen=True)
class ALIP(_LiftBounds, TwoBudgets):
    """(ε_l, ε_u)-asymmetric LIP: e^{−ε_l} ≤ Ψ(y) and Λ(y) ≤ e^{ε_u} for every y.

    Source: [Lift] Def. 3, [ALIP] Def. 1.

    Examples
    --------
    >>> str(ALIP.from_lambda(2, lam=0.75))
    '(1.5, 0.5)-ALIP'
    """

    name: ClassVar[str] = "ALIP"
    bounds_levels: ClassVar[Mapping[str, str]] = {"pml": "eps_u", "min_lift": "eps_l"}

    @classmethod
    def from_lambda(cls, eps: float, lam: float) -> ALIP:
        """Split one budget: ε_l = λε, ε_u = (1−λ)ε, 0 ≤ λ ≤ 1; the result implies ε-LDP."""
        return cls(*split(eps, lam))


def log_min_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return |log Ψ(y)| ≥ 0, shape (..., n_y); ∞ where a lift is 0."""
    with np.errstate(divide="ignore"):
        level: FloatArray = np.maximum(-np.log(measures.min_lift(joint_sy)), 0.0)
    return level


def log_max_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return log Λ(y) ≥ 0, shape (..., n_y)."""
    level: FloatArray = np.maximum(np.log(measures.max_lift(joint_sy)), 0.0)
    return level
