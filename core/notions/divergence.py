"""A bound on how far one output moves the belief about S, as a Kullback–Leibler divergence."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet
from core.allowed.excess import excess_lift
from core.allowed.separation_oracles import DivergenceCuts
from core.joint import Joint
from core.limits import ROUNDING
from core.measures.conditionals import conditionals
from core.notions.budgets import OneBudget
from core.validation import FloatArray

SLACK = 1e-9
"""Part by which a belief's range is widened, so that rows stay valid in spite of the root finder's
error, whose tolerance is half of it."""

NOISE = 1e-15
"""Nats that are added to the budget of a belief's range, for the rounding of a divergence."""


@dataclass(frozen=True)
class PointwiseDivergence(OneBudget):
    """D(P(S|y) ‖ P(S)) ≤ ε for every y: what one output tells about S, in nats.

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

    @property
    def lower_budget(self) -> float:
        """∞: the divergence is the upper level, and the lower one is 0."""
        return np.inf

    def lower_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return 0, shape (..., n_y): the divergence is the upper level."""
        return 0.0 * self.upper_level(joint_sy)

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return D(P(S|y) ‖ P(S)) in nats, shape (..., n_y); NaN where P(y) = 0."""
        parts = conditionals(joint_sy)
        terms = special.xlogy(parts.posterior, parts.lift)  # a lift alone may be 1e307
        level: FloatArray = np.where(parts.p_s > 0, terms, 0.0).sum(axis=-2)
        return np.maximum(level, 0.0)

    def most_about_secret(self) -> float:
        """Return ε: I(S;Y) is the mean of what it bounds."""
        return self.eps

    def named_levels(self) -> dict[str, float]:
        """Return the budgets as bounds on levels, by the levels' keys in the catalogue."""
        return {"kl": self.eps}

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: rows and an oracle.

        The rows bound each lift by the divergence of the belief in {s} against all other secrets,
        which is at most that of all of S (data processing).
        """
        excess, p_s = excess_lift(joint), joint.p_s
        if joint.n_s == 1 or self.eps >= -np.log(p_s.min()):  # the divergence is below that
            return inequalities.plain(np.empty((0, joint.n_x)))
        if self.eps <= ROUNDING:
            equal = [
                inequalities.lift_at_least(excess, 0.0),
                inequalities.lift_at_most(excess, 0.0),
            ]
            return inequalities.plain(np.vstack(equal))
        ends = np.array([_belief_range(float(p), self.eps) for p in p_s]) / p_s[:, None]
        with np.errstate(divide="ignore"):
            falls, rises = -np.log(ends[:, 0]), np.log(ends[:, 1])
        matrix = [
            inequalities.lift_at_least(excess, falls),
            inequalities.lift_at_most(excess, rises),
        ]
        cuts = DivergenceCuts(inequalities.data_lift(joint), p_s, self.eps)
        return inequalities.plain(np.vstack(matrix), cuts)


def _belief_range(prior: float, eps: float) -> tuple[float, float]:
    """Return a range that holds every belief q in an event of this prior with d(q ‖ prior) ≤ eps.

    d is the divergence of two Bernoulli distributions, in nats.
    """

    def excess(q: float) -> float:
        return float(special.rel_entr(q, prior) + special.rel_entr(1 - q, 1 - prior)) - eps - NOISE

    margin = SLACK * prior
    low = 0.0 if excess(0.0) <= 0 else optimize.brentq(excess, 0.0, prior, xtol=margin / 2)
    high = 1.0 if excess(1.0) <= 0 else optimize.brentq(excess, prior, 1.0, xtol=margin / 2)
    return max(low - margin, 0.0), min(high * (1 + SLACK), 1.0)
