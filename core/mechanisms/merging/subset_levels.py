"""Levels and risks of sets of symbols of X that share one output.

They depend on P(s, A) = Σ_{x∈A} P(s, x) alone ([Lift] eq. 4–5), so every function takes the masses
of many sets at once, and of many joints on leading axes.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import PointwiseNotion
from core.validation import BoolArray, FloatArray, IntArray

Risk = Literal["max", "sum", "ratio"]
"""The risk of a set under notions that bound the lift: max(log Λ, |log Ψ|), Λ + 1/Ψ or Λ/Ψ."""

SAME_RISK = 1e-12
"""Risks, or probabilities, this close relative to their size tie: rounding decides nothing."""


def pointwise_notion(notion: Any, maker: str) -> PointwiseNotion:
    """Return `notion`, checked to be a `PointwiseNotion`, which alone gives single sets a level.

    Raises
    ------
    InvalidInputError
        If it is not; the message names the mechanism `maker`.
    """
    if not isinstance(notion, PointwiseNotion):
        raise InvalidInputError(
            f"{maker} needs a notion that bounds every symbol by itself (LIP, ALIP, LDP, "
            f"ℓ1, χ² or α-lift), got {notion!r}."
        )
    return notion


def set_levels(
    notion: PointwiseNotion, masses: FloatArray, p_s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper level of each set as if it were an output, in nats.

    Parameters
    ----------
    notion : PointwiseNotion
        The notion that defines the levels; its budgets are not used.
    masses : ndarray
        P(s, A), shape (..., n_s, n_sets); the sets may overlap.
    p_s : ndarray
        P(s), shape (..., n_s).

    Returns
    -------
    lower, upper : ndarray
        Shape (..., n_sets); 0 for a set of probability 0.

    Examples
    --------
    >>> import numpy as np
    >>> from core.notions import LIP
    >>> p = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> lower, upper = set_levels(LIP(1.0), p, p.sum(axis=1))
    >>> lower.round(4)
    array([0.9163, 0.9163])
    >>> upper.round(4)
    array([0.47, 0.47])
    """
    if notion.bounds_lift or notion.bounds_ratio:
        low, high = _log_lifts(masses, p_s)
        return (0.0 * high, high - low) if notion.bounds_ratio else (-low, high)
    # A notion computes P(S) from the joint that it gets. Overlapping sets form a joint once each
    # mass is divided by the same count and one more output has the rest.
    count = masses.shape[-1]
    rest = (count + 1) * p_s - masses.sum(axis=-1)
    joint_sy = np.concatenate([masses, rest[..., None]], axis=-1) / (count + 1)
    lower = notion.lower_level(joint_sy)[..., :count]
    upper = notion.upper_level(joint_sy)[..., :count]
    return np.where(np.isnan(lower), 0.0, lower), np.where(np.isnan(upper), 0.0, upper)


def _log_lifts(masses: FloatArray, p_s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log Ψ ≤ 0 and log Λ ≥ 0 of sets, shapes (..., n_sets); 0 for one of probability 0.

    Batches spend their time here, so it makes few passes over the masses. The audit uses the
    notions' own levels.
    """
    by_secret = np.ascontiguousarray(np.moveaxis(masses, -2, 0))  # sums and extremes: 10× faster
    secret = np.moveaxis(p_s, -1, 0)[..., None]
    occurs = by_secret.sum(axis=0)
    if secret.all():
        scaled = by_secret / secret
    else:  # a secret of probability 0 gets lift 1
        scaled = np.where(secret > 0, by_secret / np.where(secret > 0, secret, 1.0), occurs)
    ratio = np.where(occurs > 0, occurs, 1.0)
    with np.errstate(divide="ignore"):  # log 0 = −∞: the set rules a secret out
        low = np.log(np.where(occurs > 0, scaled.min(axis=0), 1.0) / ratio)
        high = np.log(np.where(occurs > 0, scaled.max(axis=0), 1.0) / ratio)
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


def within(level: float | FloatArray, budget: float | FloatArray) -> BoolArray:
    """Return whether levels are within a budget, up to half of the audit's `ROUNDING`.

    Sums here are added up in another order than the audit's, so its slack is not used up.
    """
    return np.asarray(level <= budget + ROUNDING / 2, dtype=np.bool_)


def fits(
    notion: PointwiseNotion, lower: float | FloatArray, upper: float | FloatArray
) -> BoolArray:
    """Return whether the notion allows sets with these levels, in nats; shapes as the levels."""
    return within(lower, notion.lower_budget) & within(upper, notion.upper_budget)


def check_risk(notion: PointwiseNotion, risk: Risk | None) -> None:
    """Check that a risk is given only for a notion that bounds the lift.

    Raises
    ------
    InvalidInputError
        If `risk` is unknown, or given for another notion.
    """
    if risk is None:
        return
    if risk not in get_args(Risk):
        raise InvalidInputError(f"risk must be one of max, sum and ratio, got {risk!r}.")
    if not notion.bounds_lift:
        raise InvalidInputError(
            f"risk={risk!r} is a choice under LIP and ALIP only; {notion.name} has one risk."
        )


def set_risk(
    notion: PointwiseNotion, lower: FloatArray, upper: FloatArray, risk: Risk | None = None
) -> FloatArray:
    """Return ω(A) of sets with these levels, in nats; shapes as the levels.

    Source: [Lift] §IV-A, corrected: Λ + Ψ as printed is smaller where Ψ is. The logarithm of a sum
    orders sets alike and cannot overflow.

    Parameters
    ----------
    notion : PointwiseNotion
        The notion whose `set_risk` is used: for LDP log Γ; for LIP and ALIP the larger level; for
        χ² log(1 + √(measure + inverse)); for others, such as ℓ1 and α-lift, log(e^lower + e^upper),
        which orders by measure + inverse.
    lower, upper : ndarray
        Levels, in nats.
    risk : {"max", "sum", "ratio"}, optional
        The risk under LIP and ALIP; by default the notion's own, which is "max".

    Examples
    --------
    >>> from core.notions import LIP
    >>> float(set_risk(LIP(1.0), np.array(2.0), np.array(0.5)))
    2.0
    >>> float(set_risk(LIP(1.0), np.array(2.0), np.array(0.5), "ratio"))
    2.5
    """
    if risk is None or risk == "max":
        return notion.set_risk(lower, upper)
    result: FloatArray = np.logaddexp(lower, upper) if risk == "sum" else lower + upper
    return result


@dataclass(frozen=True, eq=False)
class SetJudge:
    """The risk of sets of symbols under a notion, and whether it allows them.

    Attributes
    ----------
    notion : PointwiseNotion
        The notion.
    p_s : ndarray
        P(s), shape (..., n_s).
    risk : {"max", "sum", "ratio"} or None
        As in `set_risk`.
    """

    notion: PointwiseNotion
    p_s: FloatArray
    risk: Risk | None = None

    def __call__(self, masses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return ω and whether the set is allowed, shapes (..., n_sets).

        `masses` is P(s, A), shape (..., n_s, n_sets).
        """
        lower, upper = set_levels(self.notion, masses, self.p_s)
        return set_risk(self.notion, lower, upper, self.risk), fits(self.notion, lower, upper)


def low_risk(joint: Joint, notion: PointwiseNotion) -> BoolArray:
    """Return whether each symbol is in X_L, that is allowed as an output, shape (n_x,)."""
    return fits(notion, *set_levels(notion, joint.p, joint.p_s))


def first_least(risks: FloatArray) -> IntArray:
    """Return the index of the least risk on the last axis, the lowest among ties."""
    least = risks.min(axis=-1, keepdims=True)
    return np.asarray((risks <= least + SAME_RISK * np.maximum(least, 1.0)).argmax(axis=-1))


def first_most(risks: FloatArray) -> IntArray:
    """Return the index of the greatest risk on the last axis, the lowest among ties."""
    most = risks.max(axis=-1, keepdims=True)
    return np.asarray((risks >= most * (1.0 - SAME_RISK) - SAME_RISK).argmax(axis=-1))


def least_first(values: FloatArray) -> IntArray:
    """Return the order of the last axis from the least value on, the lowest index among ties.

    Values this close are a tie: sums of the same probabilities are rounded in several ways.

    Examples
    --------
    >>> least_first(np.array([0.3, 0.1 + 0.2, 0.1])).tolist()  # 0.1 + 0.2 is 0.30000000000000004
    [2, 0, 1]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    apart = np.diff(ranked, axis=-1) > SAME_RISK * np.abs(ranked[..., 1:])
    group = np.zeros(values.shape, dtype=np.int64)
    group[..., 1:] = apart.cumsum(axis=-1)
    groups = np.empty_like(group)
    np.put_along_axis(groups, order, group, axis=-1)
    return np.argsort(groups, axis=-1, kind="stable")
