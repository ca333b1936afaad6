"""Bounds on how well S is guessed from one output, linear in the posterior."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet
from core.allowed.inequalities import excess_lift
from core.errors import InfeasibleError
from core.joint import Joint
from core.limits import ROUNDING
from core.measures.pointwise import conditionals
from core.notions.base import OneBudget, PointwiseNotion, worst
from core.notions.lip import ALIP, log_max_lift
from core.validation import FloatArray


@dataclass(frozen=True)
class PointwiseMaximalLeakage(OneBudget):
    """ε-pointwise maximal leakage: log Λ(y) ≤ ε for every y.

    No function of S, even a randomized one, is guessed from y more than e^{ε} times as well as
    without it. It is (∞, ε)-ALIP.

    Source: Saeidian et al. 2023, cited in [RLDP] as 34.

    Examples
    --------
    >>> str(PointwiseMaximalLeakage(0.5))
    '0.5-PML'
    """

    name: ClassVar[str] = "PML"
    bounds_levels: ClassVar[Mapping[str, str]] = {"pml": "eps"}
    bounds_greatest: ClassVar[bool] = True

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log Λ(y), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        return log_max_lift(joint_sy)

    def most_about_secret(self) -> float:
        """Return ε: I(S;Y) is a mean of log-lifts, and none is larger."""
        return self.eps

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: at most n_s rows."""
        return ALIP(np.inf, self.eps).allowed_set(joint)


@dataclass(frozen=True)
class GuessingProbability(PointwiseNotion):
    """No output lets S be guessed with a probability above `bound`: max_s P(s | y) ≤ bound.

    Parameters
    ----------
    bound : float
        A probability, in (0, 1].

    Raises
    ------
    InvalidInputError
        If the bound is outside (0, 1].

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> GuessingProbability(0.8).achieved(joint, np.eye(2))
    0.75
    """

    bound: float

    name: ClassVar[str] = "guessing probability"
    bounds_levels: ClassVar[Mapping[str, str]] = {"guess": "bound"}
    of_conditionals: ClassVar[bool] = True
    ends_at_x: ClassVar[bool] = True

    def __post_init__(self) -> None:
        bound = validation.number(self.bound, "bound", low=0.0, high=1.0, open_low=True)
        object.__setattr__(self, "bound", bound)

    def short_name(self) -> str:
        """Return what is guessed."""
        return "guess of S"

    def __str__(self) -> str:
        return f"{self.name} ≤ {self.bound:g}"

    @property
    def level_unit(self) -> str:
        """None: `achieved` is a probability."""
        return ""

    @property
    def upper_budget(self) -> float:
        """The bound's logarithm, at most 0."""
        return float(np.log(self.bound))

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log max_s P(s | y), at most 0, shape (..., n_y)."""
        level: FloatArray = np.log(conditionals(joint_sy).posterior.max(axis=-2))
        return level

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least bound at which the notion holds: the best guess's probability."""
        return worst(conditionals(joint.release(kernel)).posterior)

    def combined(self, lower: float, upper: float) -> float:  # noqa: ARG002 - the lower one is free
        """Return the best guess's probability, whose log is the upper level."""
        return float(np.exp(upper))

    def over_budget(self, achieved: float) -> float:
        """Return the best guess's probability divided by the bound: at most 1 iff it holds."""
        return achieved / self.bound

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: at most n_s rows.

        `InfeasibleError` where max_s P(s) is above the bound: the posteriors of any mechanism
        average to P(s), so some posterior is above it too.
        """
        prior = joint.p_s
        if np.log(prior.max()) > self.upper_budget + ROUNDING:
            likeliest = joint.s_labels[int(prior.argmax())]
            raise InfeasibleError(
                f"No mechanism satisfies {self}: {likeliest!r} alone has probability "
                f"{prior.max():.6g} before any release."
            )
        bounds = np.log(self.bound / prior)
        return inequalities.plain(inequalities.lift_at_most(excess_lift(joint), bounds))
