"""Local differential privacy with respect to S."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures
from core.joint import Joint
from core.notions import rows
from core.notions.allowed_set import AllowedSet
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

    @property
    def lower_budget(self) -> float:
        """∞: the ratio Γ is all that is bounded, and it is the upper level."""
        return np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return 0, shape (..., n_y): nothing is asked of Ψ alone."""
        return 0.0 * measures.max_lift(joint_sy)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log Γ(y), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        level: FloatArray = np.maximum(np.log(measures.lift_ratio(joint_sy)), 0.0)
        return level

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: 2·n_s rows and one helper.

        The helper t lies between the lifts: e^{−ε/2} lift_s(r) ≤ t and e^{−ε/2} t ≤ lift_s(r),
        unnormalised; half of ε on each side keeps the coefficients of a large ε apart from 0.
        """
        lift = rows.data_lift(joint)
        if self.eps == np.inf or joint.n_s == 1:
            return rows.plain(np.empty((0, joint.n_x)))
        ones = np.ones((joint.n_s, 1))
        shrink = np.exp(-self.eps / 2)
        above = np.hstack([shrink * lift, -ones])
        below = np.hstack([-lift, shrink * ones])
        matrix = rows.scaled(np.vstack([above, below]))
        return AllowedSet(sparse.csr_array(matrix), joint.n_x)
