"""Calibration: the largest α, that is the least noise, at which a protocol keeps a notion."""

from collections.abc import Callable

import numpy as np
from scipy import optimize

from core.errors import InfeasibleError, InvalidInputError
from core.mechanisms.merging.subset_levels import pointwise_notion
from core.notions import LIP, Notion, PointwiseNotion

LARGEST = 600.0
"""Largest finite α that is tried: e^{−α} times a probability is still a normal double."""

HAIR = 1e-13
"""Nats below the budget at which a level is aimed, for the rounding of a sum over all outputs: so
the level that the audit finds does not exceed the budget in its last digit."""

Levels = Callable[[float], tuple[float, float]]
"""Takes α in [0, ∞]; returns the largest lower and upper level of any output, in nats.

The α with a level within its budget form an interval from 0, as where levels increase with α.
"""


def notion_or_lip(eps: float | None, notion: Notion | None, maker: str) -> PointwiseNotion:
    """Return the notion for a protocol: `notion` itself, or ε-LIP where `eps` is given."""
    if (eps is None) == (notion is None):
        raise InvalidInputError(
            f"{maker} needs either eps or notion, got eps={eps!r} and {notion}."
        )
    return LIP(eps) if eps is not None else pointwise_notion(notion, maker)


def calibrate(levels: Levels, notion: PointwiseNotion) -> float:
    """Return the largest α, rounded towards privacy, at which a protocol keeps a notion."""

    def excess(alpha: float) -> float:
        lower, upper = levels(alpha)
        return max(_over(lower, notion.lower_budget), _over(upper, notion.upper_budget))

    spare = min(notion.slack(notion.lower_budget), notion.slack(notion.upper_budget)) / 2
    if excess(np.inf) <= spare:
        return np.inf
    at_zero = excess(0.0)
    if at_zero > spare:
        least = notion.combined(*levels(0.0))
        raise InfeasibleError(
            f"No mechanism keeps {notion}: even the constant one breaks it, at {least:.6g}."
        )
    if at_zero > -HAIR:
        return 0.0
    high = 1.0
    while excess(high) <= 0:
        if high == LARGEST:
            return LARGEST
        high = min(2 * high, LARGEST)
    tightest = 4 * np.finfo(float).eps  # the least that brentq takes
    alpha = float(optimize.brentq(excess, 0.0, high, xtol=1e-20, rtol=tightest, maxiter=1000))
    step = np.spacing(alpha)
    while excess(alpha) > 0:  # the root may be rounded up
        alpha = max(alpha - step, 0.0)
        step *= 2
    return float(alpha)


def calibration_note(alpha: float) -> str:
    if alpha == np.inf:
        return "Any α will do: the promise holds with no noise at all (α = ∞)."
    if alpha == 0:
        return "Only α = 0 keeps the promise."
    return f"Runs at α = {alpha:.6g}."


def status_at(alpha: float) -> str:
    return "no noise needed" if alpha == np.inf else "calibrated"


def _over(level: float, budget: float) -> float:
    """Return by how much a level exceeds its budget less `HAIR`, in nats; −∞ for a budget of ∞."""
    if budget == np.inf:
        return -np.inf
    return level - (budget - min(HAIR, abs(budget) / 2))
