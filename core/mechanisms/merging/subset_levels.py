"""Judge sets of symbols of X that share one output: does the notion allow them, how risky are they.

Only sums over a set are needed: P(s, A) = Σ_{x∈A} P(s, x) ([Lift] eq. 4–5), so every function
takes the masses of many sets at once, and of many joints on the leading axes.
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
"""How risky a set is, for notions that bound the lift: max(log Λ, |log Ψ|), Λ + 1/Ψ or Λ/Ψ."""

TIE = 1e-12
"""Risks this close, relative to their size, are a tie: the same answer whatever way sums round."""


def pointwise_notion(notion: Any, maker: str) -> PointwiseNotion:
    """Return `notion`, checked to bound every symbol by itself.

    Raises
    ------
    InvalidInputError
        If it does not: then no set of symbols can be judged without the others.
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
        Whose levels.
    masses : ndarray
        P(s, A), shape (..., n_s, n_sets); the sets may overlap.
    p_s : ndarray
        P(s), shape (..., n_s).

    Returns
    -------
    lower, upper : ndarray
        Shape (..., n_sets); 0 for a set that never occurs.

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
    # A notion reads P(S) off the joint it gets. Overlapping sets form one when each has an equal
    # share of the mass and one more output takes the rest.
    count = masses.shape[-1]
    rest = (count + 1) * p_s - masses.sum(axis=-1)
    joint_sy = np.concatenate([masses, rest[..., None]], axis=-1) / (count + 1)
    lower = notion.lower_level(joint_sy)[..., :count]
    upper = notion.upper_level(joint_sy)[..., :count]
    return np.where(np.isnan(lower), 0.0, lower), np.where(np.isnan(upper), 0.0, upper)


def _log_lifts(masses: FloatArray, p_s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log Ψ ≤ 0 and log Λ ≥ 0 of sets, shapes (..., n_sets); 0 for one that never occurs.

    The most used levels, in few passes over the masses: what batches spend their time on. The
    audit asks the notions themselves.
    """
    by_secret = np.ascontiguousarray(np.moveaxis(masses, -2, 0))  # sums and extremes: 10× faster
    secret = np.moveaxis(p_s, -1, 0)[..., None]
    occurs = by_secret.sum(axis=0)
    if secret.all():
        scaled = by_secret / secret
    else:  # a secret of probability 0 counts as told nothing about
        scaled = np.where(secret > 0, by_secret / np.where(secret > 0, secret, 1.0), occurs)
    ratio = np.where(occurs > 0, occurs, 1.0)
    with np.errstate(divide="ignore"):  # log 0 = −∞: a secret is excluded
        low = np.log(np.where(occurs > 0, scaled.min(axis=0), 1.0) / ratio)
        high = np.log(np.where(occurs > 0, scaled.max(axis=0), 1.0) / ratio)
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


def within(level: float | FloatArray, budget: float | FloatArray) -> BoolArray:
    """Say which levels are within a budget.

    The slack is half the audit's, so that what is decided here on running sums passes there.
    """
    return np.asarray(level <= budget + ROUNDING / 2, dtype=np.bool_)


def fits(
    notion: PointwiseNotion, lower: float | FloatArray, upper: float | FloatArray
) -> BoolArray:
    """Say which sets with these levels the notion allows."""
    return within(lower, notion.lower_budget) & within(upper, notion.upper_budget)


def check_risk(notion: PointwiseNotion, risk: Risk | None) -> None:
    """Check that a risk was asked for only where there is a choice.

    Raises
    ------
    InvalidInputError
        If `risk` is unknown, or given for a notion with one risk only.
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

    Source: [Lift] §IV-A, corrected: Λ + Ψ as printed rewards a small Ψ. Sums are returned as
    their logarithm, which orders sets alike and cannot overflow.

    Parameters
    ----------
    notion : PointwiseNotion
        Whose `set_risk`: LDP: log Γ. LIP, ALIP: the larger level. χ²: log(1 + √(measure +
        inverse)). Others, as ℓ1 and α-lift: log(e^lower + e^upper), which orders by measure +
        inverse.
    lower, upper : ndarray
        Levels, in nats.
    risk : {"max", "sum", "ratio"}, optional
        Which risk under LIP and ALIP: the notion's own, which is "max", where None.

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
    """Says of sets of symbols how risky they are and whether the notion allows them.

    Attributes
    ----------
    notion : PointwiseNotion
        What is asked.
    p_s : ndarray
        P(s), shape (..., n_s).
    risk : {"max", "sum", "ratio"} or None
        As in `set_risk`.
    """

    notion: PointwiseNotion
    p_s: FloatArray
    risk: Risk | None = None

    def __call__(self, masses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return ω and whether the set is allowed, shapes (..., n_sets), of P(s, A)."""
        lower, upper = set_levels(self.notion, masses, self.p_s)
        return set_risk(self.notion, lower, upper, self.risk), fits(self.notion, lower, upper)


def low_risk(joint: Joint, notion: PointwiseNotion) -> BoolArray:
    """Return which symbols are in X_L, shape (n_x,): the notion allows them as they are."""
    return fits(notion, *set_levels(notion, joint.p, joint.p_s))


def first_least(risks: FloatArray) -> IntArray:
    """Return the index of the least risk on the last axis, the lowest among ties."""
    least = risks.min(axis=-1, keepdims=True)
    return np.asarray((risks <= least + TIE * np.maximum(least, 1.0)).argmax(axis=-1))


def first_most(risks: FloatArray) -> IntArray:
    """Return the index of the greatest risk on the last axis, the lowest among ties."""
    most = risks.max(axis=-1, keepdims=True)
    return np.asarray((risks >= most * (1.0 - TIE) - TIE).argmax(axis=-1))
