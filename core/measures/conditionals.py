"""Priors, posteriors and lifts of a checked joint, from which every measure is computed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.validation import FloatArray


class Conditionals(NamedTuple):
    """P(s, y), marginals and conditionals, each (..., n_s, n_y) or 1 for an axis; NaN if 0/0."""

    joint: FloatArray
    p_s: FloatArray
    p_y: FloatArray
    posterior: FloatArray
    lift: FloatArray


def conditionals(joint_sy: ArrayLike) -> Conditionals:
    """Check P(s, y), shape (..., n_s, n_y), and return its marginals and conditionals."""
    joint = validation.distribution(joint_sy, "The joint P(s, y)", batch=True)
    p_s = joint.sum(axis=-1, keepdims=True)
    p_y = joint.sum(axis=-2, keepdims=True)
    posterior = ratio(joint, p_y)
    return Conditionals(joint, p_s, p_y, posterior, ratio(posterior, p_s))


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above/below, broadcast; NaN where `below` is 0, as the symbol does not occur."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    with np.errstate(over="ignore"):  # an overflow is ∞
        result: FloatArray = np.divide(above, below, out=np.full(shape, np.nan), where=below > 0)
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
