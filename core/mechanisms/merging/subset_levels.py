"""Levels and risks of sets of symbols of X that share one output.

They depend on P(s, A) = Σ_{x∈A} P(s, x) alone ([Lift] eq. 4–5); joints may be on leading axes.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.measures.pointwise import conditionals_of
from core.notions import PointwiseNotion
from core.validation import BoolArray, FloatArray, IntArray, one_of

Risk = Literal["max", "sum", "ratio"]
"""The risk of a set under notions that bound the lift: max(log Λ, |log Ψ|), Λ + 1/Ψ or Λ/Ψ."""


def pointwise_notion(notion: Any, maker: str) -> PointwiseNotion:
    """Return `notion`, checked to be a `PointwiseNotion`, which alone gives single sets a level."""
    if not isinstance(notion, PointwiseNotion):
        raise InvalidInputError(
            f"{maker} needs a notion that bounds every symbol separately (LIP, ALIP, LDP, ℓ1, χ² "
            f"or α-lift), got {notion!r}."
        )
    return notion


def set_levels(
    notion: PointwiseNotion, masses: FloatArray, p_s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return both levels, (..., n_sets), in nats; masses (..., n_s, n_sets), p_s (..., n_s)."""
    if notion.bounds_lift or notion.bounds_ratio:
        low, high = _log_lifts(masses, p_s)
        return (0.0 * high, high - low) if notion.bounds_ratio else (-low, high)
    if notion.bounds_greatest:
        high = _log_lifts(masses, p_s)[1]
        return 0.0 * high, high
    count = masses.shape[-1]
    joint_sy: ArrayLike
    if notion.of_conditionals:
        joint_sy = conditionals_of(masses, p_s[..., None])
    else:
        # A notion computes P(S) from the joint that it gets. Overlapping sets form a joint once
        # each mass is divided by the same count and one more output has the rest.
        rest = (count + 1) * p_s - masses.sum(axis=-1)
        joint_sy = np.concatenate([masses, rest[..., None]], axis=-1) / (count + 1)
    lower = notion.lower_level(joint_sy)[..., :count]
    upper = notion.upper_level(joint_sy)[..., :count]
    return np.where(np.isnan(lower), 0.0, lower), np.where(np.isnan(upper), 0.0, upper)


def _log_lifts(masses: FloatArray, p_s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log Ψ ≤ 0 and log Λ ≥ 0 of sets, shapes (..., n_sets); 0 for one of probability 0."""
    secret = p_s[..., None]
    if masses.ndim > 2:  # in each step of a merging, moving axes that are there takes as long
        masses, secret = np.moveaxis(masses, -2, 0), np.moveaxis(p_s, -1, 0)[..., None]
    by_secret = np.ascontiguousarray(masses)  # sums and extremes: 10× faster
    occurs = by_secret.sum(axis=0)
    every = bool(occurs.all())
    if secret.all():
        scaled = by_secret / secret
    else:  # a secret of probability 0 gets lift 1
        scaled = np.where(secret > 0, by_secret / np.where(secret > 0, secret, 1.0), occurs)
    least, most = scaled.min(axis=0), scaled.max(axis=0)
    if not every:
        least, most = np.where(occurs > 0, (least, most), 1.0)
        occurs = np.where(occurs > 0, occurs, 1.0)
    with np.errstate(divide="ignore"):  # log 0 = −∞: the set rules a secret out
        low, high = np.log(least / occurs), np.log(most / occurs)
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


def within(
    notion: PointwiseNotion, level: float | FloatArray, budget: float | FloatArray
) -> BoolArray:
    """Return whether levels are within a notion's budgets, up to half of the audit's slack."""
    return np.asarray(level <= budget + slack(notion, budget) / 2, dtype=np.bool_)


def slack(notion: PointwiseNotion, budget: float | FloatArray) -> FloatArray:
    """Return the audit's slack of each of several budgets of a notion's family."""
    if isinstance(budget, float):  # one budget: ten times as fast, in every step of a merging
        return np.asarray(notion.slack(budget))
    return np.asarray(np.vectorize(notion.slack, otypes=[np.float64])(budget))


def fits(
    notion: PointwiseNotion, lower: float | FloatArray, upper: float | FloatArray
) -> BoolArray:
    """Return whether the notion allows sets with these levels, in nats; shapes as the levels."""
    return within(notion, lower, notion.lower_budget) & within(notion, upper, notion.upper_budget)


def check_risk(notion: PointwiseNotion, risk: Risk | None) -> None:
    """Check that a risk is given only for a notion that bounds the lift."""
    if risk is None:
        return
    one_of(risk, get_args(Risk), "risk")
    if not notion.bounds_lift:
        raise InvalidInputError(
            f"risk={risk!r} is a choice under LIP and ALIP only; {notion.name} has one risk."
        )


def set_risk(
    notion: PointwiseNotion, lower: FloatArray, upper: FloatArray, risk: Risk | None = None
) -> FloatArray:
    """Return ω(A) in nats of sets with these levels ([Lift] §IV-A, corrected).

    Λ + Ψ as printed is smaller where Ψ is. The logarithm of a sum orders sets alike and cannot
    overflow.
    """
    if risk is None or risk == "max":
        return notion.set_risk(lower, upper)
    result: FloatArray = np.logaddexp(lower, upper) if risk == "sum" else lower + upper
    return result


@dataclass(frozen=True, eq=False)
class SetJudge:
    """The risk of sets of symbols under a notion, and whether it allows them; p_s is (..., n_s)."""

    notion: PointwiseNotion
    p_s: FloatArray
    risk: Risk | None = None

    def __call__(self, masses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return ω and whether allowed, (..., n_sets), for masses P(s, A), (..., n_s, n_sets)."""
        lower, upper = set_levels(self.notion, masses, self.p_s)
        return set_risk(self.notion, lower, upper, self.risk), fits(self.notion, lower, upper)


def low_risk(joint: Joint, notion: PointwiseNotion) -> BoolArray:
    """Return whether each symbol is in X_L, that is allowed as an output, shape (n_x,)."""
    return fits(notion, *set_levels(notion, joint.p, joint.p_s))


def first_least(risks: FloatArray) -> IntArray:
    """Return the index of the least risk on the last axis, the lowest among ties."""
    least = risks.min(axis=-1, keepdims=True)
    return np.asarray((risks <= least + ROUNDING * np.maximum(least, 1.0)).argmax(axis=-1))


def first_most(risks: FloatArray) -> IntArray:
    """Return the index of the greatest risk on the last axis, the lowest among ties."""
    most = risks.max(axis=-1, keepdims=True)
    return np.asarray((risks >= most * (1.0 - ROUNDING) - ROUNDING).argmax(axis=-1))


def least_first(values: FloatArray) -> IntArray:
    """Return the order of the last axis, least first; among near ties the lowest index first."""
    order = np.argsort(values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    apart = np.diff(ranked, axis=-1) > ROUNDING * np.abs(ranked[..., 1:])
    group = np.zeros(values.shape, dtype=np.int64)
    group[..., 1:] = apart.cumsum(axis=-1)
    groups = np.empty_like(group)
    np.put_along_axis(groups, order, group, axis=-1)
    return np.argsort(groups, axis=-1, kind="stable")
