"""What one output y reveals about S: the lift, and measures computed from it.

Every measure takes P(s, y) of shape (..., n_s, n_y), with a batch of joints on the leading axes.
It is NaN for a y that does not occur, and ignores an s that does not occur. Where P(s, y) = 0
the lift is 0, and what divides by it is ∞. A measure raises `InvalidInputError` if an entry is
no probability or the entries of a joint do not sum to 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core import validation
from core.validation import FloatArray

JOINT = "The joint P(s, y)"
"""What an error calls it."""


class Conditionals(NamedTuple):
    """P(s, y), marginals and conditionals, each (..., n_s, n_y) or 1 for an axis; NaN if 0/0."""

    joint: FloatArray
    p_s: FloatArray
    p_y: FloatArray
    posterior: FloatArray
    lift: FloatArray


def conditionals(joint_sy: ArrayLike) -> Conditionals:
    """Check P(s, y), shape (..., n_s, n_y), and return its marginals and conditionals.

    Given these in its place, return them.
    """
    if isinstance(joint_sy, Conditionals):
        return joint_sy
    joint = validation.distribution(joint_sy, JOINT, batch=True)
    return conditionals_of(joint, joint.sum(axis=-1, keepdims=True))


def conditionals_of(joint: FloatArray, p_s: FloatArray) -> Conditionals:
    """Return marginals and conditionals of some outputs of a joint; p_s is (..., n_s, 1)."""
    p_y = joint.sum(axis=-2, keepdims=True)
    posterior = ratio(joint, p_y)
    return Conditionals(joint, p_s, p_y, posterior, ratio(posterior, p_s))


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above/below, broadcast; NaN where `below` is 0, as the symbol does not occur."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # an overflow is ∞
        result: FloatArray = np.divide(above, below)
    if not (below > 0).all():
        result = np.where(below > 0, result, np.nan)
    return result


def excess(parts: Conditionals) -> FloatArray:
    """Return l(s, y) − 1, shape (..., n_s, n_y), to the last digits of P(s, y); 0 for NaN."""
    return np.nan_to_num(ratio(parts.posterior - parts.p_s, parts.p_s), nan=0.0, posinf=np.inf)


def power_gain(gap: FloatArray, order: float) -> FloatArray:
    """Return l^α − 1 − α (l − 1), whose mean is that of l^α, less 1, to full precision near 1.

    By Bernoulli's inequality it is ≥ 0 for α outside [0, 1], ≤ 0 inside: nothing cancels in a mean.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        grown = (1 + gap) * np.expm1((order - 1) * np.log1p(gap)) - (order - 1) * gap
    at_zero = np.inf if order < 0 else order - 1
    result: FloatArray = np.where(gap <= -1, at_zero, grown)
    return result


def lift(joint_sy: ArrayLike) -> FloatArray:
    """Return l(s, y) = P(s, y)/(P(s) P(y)), shape (..., n_s, n_y); NaN where P(s) P(y) = 0.

    Source: [Lift] eq. 1.

    Examples
    --------
    >>> lift([[0.5, 0.0], [0.25, 0.25]])
    array([[1.33333333, 0.        ],
           [0.66666667, 2.        ]])
    """
    return conditionals(joint_sy).lift


def max_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return Λ(y) = max_s l(s, y), shape (..., n_y).

    Source: [Lift] eq. 2.

    Examples
    --------
    >>> max_lift([[0.5, 0.0], [0.25, 0.25]])
    array([1.33333333, 2.        ])
    """
    return _highest(conditionals(joint_sy))


def min_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return Ψ(y) = min_s l(s, y), shape (..., n_y).

    Source: [Lift] eq. 2.

    Examples
    --------
    >>> min_lift([[0.5, 0.0], [0.25, 0.25]])
    array([0.66666667, 0.        ])
    """
    return _lowest(conditionals(joint_sy))


def lift_ratio(joint_sy: ArrayLike) -> FloatArray:
    """Return Γ(y) = Λ(y)/Ψ(y) = max P(y | s)/P(y | s'), shape (..., n_y).

    Source: [Lift] eq. 4.

    Examples
    --------
    >>> lift_ratio([[0.5, 0.0], [0.25, 0.25]])
    array([ 2., inf])
    """
    parts = conditionals(joint_sy)
    with np.errstate(divide="ignore", over="ignore"):  # ∞ where Ψ = 0, and on overflow
        result: FloatArray = _highest(parts) / _lowest(parts)
    return result


def l1_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return the ℓ1-lift Σ_s P(s)|l(s, y) − 1|, shape (..., n_y).

    Source: [Lift] eq. 27, as Σ_s |P(s | y) − P(s)|.

    Examples
    --------
    >>> l1_lift([[0.5, 0.0], [0.25, 0.25]]).round(6)
    array([0.333333, 1.      ])
    """
    parts = conditionals(joint_sy)
    result: FloatArray = np.abs(parts.posterior - parts.p_s).sum(axis=-2)
    return result


def chi2_lift(joint_sy: ArrayLike) -> FloatArray:
    """Return the χ²-lift Σ_s P(s)(l(s, y) − 1)², shape (..., n_y).

    Source: [Lift] eq. 28, as Σ_s (P(s | y) − P(s))²/P(s).

    Examples
    --------
    >>> chi2_lift([[0.5, 0.0], [0.25, 0.25]]).round(6)
    array([0.111111, 1.      ])
    """
    parts = conditionals(joint_sy)
    return _total(parts, ratio((parts.posterior - parts.p_s) ** 2, parts.p_s))


def alpha_lift(joint_sy: ArrayLike, alpha: float) -> FloatArray:
    """Return the α-lift (Σ_s P(s) l(s, y)^α)^{1/α}, shape (..., n_y); for α = ∞ it is Λ(y).

    Source: [Lift] eq. 29, scaled by Λ(y) so that no power overflows.

    Parameters
    ----------
    joint_sy : array_like
        P(s, y), shape (..., n_s, n_y).
    alpha : float
        Order, in (1, ∞].

    Raises
    ------
    InvalidInputError
        If `alpha` is not above 1.

    Examples
    --------
    >>> alpha_lift([[0.5, 0.0], [0.25, 0.25]], 2) ** 2 - 1  # the χ²-lift
    array([0.11111111, 1.        ])
    """
    order = alpha_order(alpha)
    parts = conditionals(joint_sy)
    highest = _highest(parts)
    if order == np.inf:
        return highest
    # a lift that overflows is ∞, and so is the measure
    finite = np.where(np.isinf(highest), 1.0, highest)
    scaled = np.minimum(parts.lift / finite[..., None, :], 1.0) ** order
    result: FloatArray = highest * _total(parts, parts.p_s * scaled) ** (1 / order)
    return result


def log_alpha_lift(joint_sy: ArrayLike, alpha: float) -> FloatArray:
    """Return the log of the α-lift in nats, shape (..., n_y), to full precision near 0."""
    return _log_of(alpha_lift(joint_sy, alpha), joint_sy, alpha_order(alpha), alpha)


def log_alpha_lift_inverse(joint_sy: ArrayLike, alpha: float) -> FloatArray:
    """Return the log of the α-lift-inverse in nats, (..., n_y), to full precision near 0."""
    return _log_of(alpha_lift_inverse(joint_sy, alpha), joint_sy, -alpha_order(alpha), alpha)


def divergence(joint_sy: ArrayLike) -> FloatArray:
    """Return D(P(S|y) ‖ P(S)) in nats, shape (..., n_y), to full precision near 0.

    Examples
    --------
    >>> divergence([[0.5, 0.0], [0.25, 0.25]]).round(6)
    array([0.056633, 0.693147])
    """
    return divergence_of(conditionals(joint_sy))


def divergence_of(parts: Conditionals) -> FloatArray:
    """Return D(P(S|y) ‖ P(S)) as `divergence` does."""
    seen = parts.posterior > 0  # few cells of a large kernel; a lift of 0 costs P(s)
    p_s = np.broadcast_to(parts.p_s, seen.shape)
    prior, posterior = p_s[seen], parts.posterior[seen]
    gap = ratio(posterior - prior, prior)
    near = np.abs(gap) < 1
    # a lift may be 1e307
    values = special.xlogy(posterior, parts.lift[seen]) - posterior + prior
    values[near] = prior[near] * ((1 + gap[near]) * np.log1p(gap[near]) - gap[near])
    terms = p_s.copy()
    terms[seen] = values
    return np.where(parts.p_y[..., 0, :] > 0, _total(parts, terms), np.nan)


def l1_lift_inverse(joint_sy: ArrayLike) -> FloatArray:
    """Return the ℓ1-lift-inverse Σ_s P(s)|1/l(s, y) − 1|, shape (..., n_y).

    Source: [Lift] eq. 30.

    Examples
    --------
    >>> l1_lift_inverse([[0.5, 0.0], [0.25, 0.25]])
    array([0.375,   inf])
    """
    parts = conditionals(joint_sy)
    return _total(parts, parts.p_s * np.abs(_inverse_excess(parts)))


def chi2_lift_inverse(joint_sy: ArrayLike) -> FloatArray:
    """Return the χ²-lift-inverse Σ_s P(s)(1/l(s, y) − 1)², shape (..., n_y).

    Source: [Lift] eq. 31.

    Examples
    --------
    >>> chi2_lift_inverse([[0.5, 0.0], [0.25, 0.25]])
    array([0.15625,     inf])
    """
    parts = conditionals(joint_sy)
    with np.errstate(over="ignore"):  # an overflow is ∞
        return _total(parts, (np.sqrt(parts.p_s) * _inverse_excess(parts)) ** 2)


def alpha_lift_inverse(joint_sy: ArrayLike, alpha: float) -> FloatArray:
    """Return the α-lift-inverse (Σ_s P(s) l(s, y)^{−α})^{1/α}, shape (..., n_y); 1/Ψ for α = ∞.

    Source: [Lift] eq. 32, scaled by 1/Ψ(y) so that no power overflows.

    Parameters
    ----------
    joint_sy : array_like
        P(s, y), shape (..., n_s, n_y).
    alpha : float
        Order, in (1, ∞].

    Raises
    ------
    InvalidInputError
        If `alpha` is not above 1.

    Examples
    --------
    >>> alpha_lift_inverse([[0.5, 0.0], [0.25, 0.25]], float("inf"))
    array([1.5, inf])
    """
    order = alpha_order(alpha)
    parts = conditionals(joint_sy)
    lowest = _lowest(parts)
    with np.errstate(divide="ignore", over="ignore"):  # ∞ where Ψ = 0, and on overflow
        inverse: FloatArray = 1 / lowest
    if order == np.inf:
        return inverse
    # Where l = 0, Ψ/l is 0/0: any positive value will do, since 1/Ψ is ∞.
    at_zero = parts.lift == 0
    scaled = np.divide(lowest[..., None, :], parts.lift, out=parts.lift + 1.0, where=~at_zero)
    result: FloatArray = inverse * _total(parts, parts.p_s * scaled**order) ** (1 / order)
    return result


def alpha_order(alpha: float) -> float:
    """Return `alpha` as a float; raise `InvalidInputError` unless it is in (1, ∞]."""
    return validation.number(alpha, "alpha", low=1.0, open_low=True)


def _log_of(value: FloatArray, joint_sy: ArrayLike, power: float, alpha: float) -> FloatArray:
    """Return log of (Σ_s P(s) l^power)^{1/α}, given its value, whose digits suffice far from 1."""
    with np.errstate(divide="ignore"):
        far: FloatArray = np.maximum(np.log(value), 0.0)
    if np.isinf(alpha):
        return far
    parts = conditionals(joint_sy)
    with np.errstate(invalid="ignore"):
        gain = _total(parts, parts.p_s * power_gain(excess(parts), power))
    near = gain < 1
    return np.where(near, np.log1p(np.where(near, gain, 0.0)) / alpha, far)


def _highest(parts: Conditionals) -> FloatArray:
    """Return max_s l(s, y) over the s that occur, shape (..., n_y)."""
    result: FloatArray = np.where(parts.p_s > 0, parts.lift, -np.inf).max(axis=-2)
    return result


def _lowest(parts: Conditionals) -> FloatArray:
    """Return min_s l(s, y) over the s that occur, shape (..., n_y)."""
    result: FloatArray = np.where(parts.p_s > 0, parts.lift, np.inf).min(axis=-2)
    return result


def _total(parts: Conditionals, terms: FloatArray) -> FloatArray:
    """Return the sum of (..., n_s, n_y) terms over the s that occur, shape (..., n_y)."""
    result: FloatArray = np.where(parts.p_s > 0, terms, 0.0).sum(axis=-2)
    return result


def _inverse_excess(parts: Conditionals) -> FloatArray:
    """Return 1/l(s, y) − 1 as (P(s) − P(s | y))/P(s | y), shape (..., n_s, n_y); ∞ at l = 0."""
    below = parts.posterior
    # ∞ at l = 0 and on overflow, 0/0 where P(s) = 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: FloatArray = (parts.p_s - below) / below
    return result


def most_divergence(least: float, log_most: float) -> float:
    """Return the largest D(P(S|y) ‖ P(S)) in nats with lifts in [a, b], given a and log b.

    l·log l is convex, so its mean is at most its chord's value at the mean lift 1 = (1 − p)·a +
    p·b, which is (1 − p)·a·log a + p·b·log b.
    """
    # log-lift beyond which `most_divergence` is log b to all digits; e^710 overflows a double
    if log_most > 300.0:
        return log_most  # the mean of l·log l is at most log b where l ≤ b
    most = float(np.exp(log_most))
    if least == 1.0 or most == 1.0:
        return 0.0
    p = (1 - least) / (most - least)
    below = least * float(np.log(least)) if least > 0 else 0.0
    return float((1 - p) * below + p * most * log_most)
