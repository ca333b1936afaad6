"""Local differential privacy with respect to S."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, LiftRange
from core.allowed.excess import excess_lift
from core.joint import Joint
from core.measures.pointwise import most_divergence
from core.notions.budgets import OneBudget
from core.validation import FloatArray


@dataclass(frozen=True)
class LDP(OneBudget):
    """ε-local differential privacy with respect to S: Γ(y) ≤ e^{ε} for every y.

    Source: [Lift] Def. 2, [Funnel] Def. 1.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> LDP(1).achieved(joint, np.eye(2))  # log 3
    1.0986122886681098
    """

    name: ClassVar[str] = "LDP"
    bounds_ratio: ClassVar[bool] = True
    risk: ClassVar[str] = r"\omega(X_i) = \log \Gamma(X_i)"

    @property
    def lower_budget(self) -> float:
        """∞: only the ratio Γ is bounded, and it is the upper level."""
        return np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return 0, shape (..., n_y): Ψ alone is not bounded."""
        return 0.0 * measures.max_lift(joint_sy)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log Γ(y), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        level: FloatArray = np.maximum(np.log(measures.lift_ratio(joint_sy)), 0.0)
        return level

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return log Γ, the upper level: the lower one is 0."""
        larger: FloatArray = np.maximum(lower, upper)
        return larger

    def most_about_secret(self) -> float:
        """Return the largest D(P(S|y) ‖ P(S)) of lifts in [a, a·e^ε], in nats.

        It is that of the worst a, which is (1 − e^{−ε})/ε.
        """
        if self.eps in (0.0, np.inf):
            return self.eps
        least = float(-np.expm1(-self.eps) / self.eps)
        return most_divergence(least, self.eps + float(np.log(least)))

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {"ldp": self.eps}

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows.

        With few secrets, a row for each pair: lift_s(r) ≤ e^ε lift_t(r). With more, 2·n_s rows and
        an auxiliary variable h between the lifts: e^{−ε/2} lift_s(r) ≤ h and
        e^{−ε/2} h ≤ lift_s(r). Half of ε on each side keeps coefficients of a large ε above 0.
        """
        allowed = self._rows(joint)
        # above this budget in nats e^ε is no double
        if not joint.is_secret_released or not 0.0 < self.eps < 700.0:
            return allowed
        return replace(allowed, lifts=LiftRange(0.0, float(np.expm1(self.eps)), scaled=True))

    def _rows(self, joint: Joint) -> AllowedSet:
        if self.eps == np.inf or joint.n_s == 1:
            return inequalities.plain(np.empty((0, joint.n_x)))
        # up to this many secrets there is a row for each pair, at most 30: without auxiliary
        # variables the solver can use the vertices of the set, which is faster
        if joint.n_s <= 6:
            excess, shrink = excess_lift(joint), np.exp(-self.eps)
            s, t = np.nonzero(~np.eye(joint.n_s, dtype=bool))
            lift = inequalities.lifts(joint, excess)
            gap = inequalities.difference(
                shrink * lift[s],
                lift[t],
                shrink * excess[s] + np.expm1(-self.eps),
                excess[t],
            )
            return inequalities.plain(inequalities.scaled(gap))
        # below this budget in nats rows are made of differences of lifts, to keep their digits
        if self.eps < 0.1:
            return self._beside_first(joint)
        lift, shrink = inequalities.data_lift(joint), np.exp(-self.eps / 2)
        ones = np.ones((joint.n_s, 1))
        above = np.hstack([shrink * lift, -ones])
        below = np.hstack([-lift, shrink * ones])
        matrix = inequalities.scaled(np.vstack([above, below]))
        return AllowedSet(sparse.csr_array(matrix), joint.n_x)

    def _beside_first(self, joint: Joint) -> AllowedSet:
        """Return the same cone with g = h − e^{−ε/2} lift_1(r) ≥ 0, in differences of lifts."""
        excess, shrink = excess_lift(joint), np.exp(-self.eps / 2)
        first, others = excess[:1], excess[1:]
        above = shrink * inequalities.difference(1 + others, 1 + first, others, first)
        below = inequalities.difference(
            shrink**2 * (1 + first),
            1 + excess,
            shrink**2 * first + np.expm1(-self.eps),
            excess,
        )
        auxiliary = np.append(np.full(len(above), -1.0), np.full(len(below), shrink))
        matrix = inequalities.scaled(np.hstack([np.vstack([above, below]), auxiliary[:, None]]))
        return AllowedSet(sparse.csr_array(matrix), joint.n_x)
