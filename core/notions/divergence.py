"""A bound on how far one output moves the belief about S, as a Kullback–Leibler divergence."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.allowed.average_cost import Divergence
from core.allowed.inequalities import excess_lift
from core.allowed.separation_oracles import DivergenceCuts
from core.joint import Joint
from core.limits import CLOSE, quadratic_slack
from core.measures import pointwise
from core.notions.base import OneBudget
from core.validation import FloatArray

NOISE = 1e-15
"""What is added to that, for the rounding of a divergence at lifts very near 1."""


@dataclass(frozen=True)
class PointwiseDivergence(OneBudget):
    """D(P(S|y) ‖ P(S)) ≤ ε for every y: what one output reveals about S, in nats.

    Its mean over y is I(S;Y), which is therefore at most ε.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, ∞]; ∞ is no bound.

    Raises
    ------
    InvalidInputError
        If the budget is negative, NaN or no number.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(PointwiseDivergence(0.1).achieved(joint, np.eye(2)), 4)
    0.1308
    """

    name: ClassVar[str] = "KL-privacy"
    bounds_levels: ClassVar[Mapping[str, str]] = {"kl": "eps"}
    of_conditionals: ClassVar[bool] = True

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return D(P(S|y) ‖ P(S)) in nats, shape (..., n_y); NaN where P(y) = 0."""
        return pointwise.divergence(joint_sy)

    def slack(self, budget: float) -> float:
        """Return the slack of a level that is quadratic in the lifts' distance to 1, in nats."""
        return quadratic_slack(budget)

    def most_about_secret(self) -> float:
        """Return ε: I(S;Y) is the mean of what it bounds."""
        return self.eps

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: rows and an oracle.

        The rows bound each lift by the divergence of the belief in {s} against all other secrets,
        which is at most that of all of S (data processing).
        """
        # about the distance of a lift to 1, in which it is quadratic
        excess, p_s = excess_lift(joint, budget=np.sqrt(self.eps)), joint.p_s
        if joint.n_s == 1 or self.eps >= -np.log(p_s.min()):  # the divergence is below that
            return inequalities.plain(np.empty((0, joint.n_x)))
        if self.eps == 0:
            return inequalities.plain(inequalities.equations(excess, joint))
        ends = np.array([_lift_range(float(p), self.eps) for p in p_s])
        with np.errstate(divide="ignore"):
            falls, rises = -np.log1p(ends[:, 0]), np.log1p(ends[:, 1])
        matrix = [
            inequalities.lift_at_least(excess, falls),
            inequalities.lift_at_most(excess, rises),
        ]
        cuts = DivergenceCuts(inequalities.data_lift(joint), p_s, self.eps)
        most = AverageBudget(Divergence(p_s), excess, self.eps)
        return inequalities.plain(np.vstack(matrix), cuts, (most,))


def _lift_range(prior: float, eps: float) -> tuple[float, float]:
    """Return a range of l − 1 of all beliefs l·P in an event with d(l·P ‖ P) ≤ eps (Bernoulli)."""
    if prior == 1:  # rounded: nothing but the end is known
        return -1.0, 0.0

    def excess(gap: float) -> float:
        inside, outside = gap, -gap * prior / (1 - prior)
        return prior * _growth(inside) + (1 - prior) * _growth(max(outside, -1.0)) - eps

    # the relative error counts alone; halving down to the least double takes a thousand steps
    root = partial(optimize.brentq, excess, xtol=1e-300, maxiter=2_000)
    low, high = -1.0, 1 / prior - 1
    if excess(low) > 0:
        low = root(low, 0.0)
    if excess(high) > 0:
        high = root(0.0, high)
    widest = min(high * (1 + CLOSE) + NOISE, 1 / prior - 1)
    return max(low * (1 + CLOSE) - NOISE, -1.0), widest


def _growth(gap: float) -> float:
    """Return l log l − l + 1 for l − 1 = gap."""
    return (1 + gap) * math.log1p(gap) - gap if gap > -1 else 1.0
