"""Generalised randomised response: tell the truth, or any other symbol, all equally likely."""

import numpy as np

from core import validation
from core.joint import Joint
from core.mechanisms.response.calibration import (
    LARGEST,
    asked,
    calibrate,
    calibration_note,
    status_at,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import Notion, PointwiseNotion
from core.validation import FloatArray


def generalized_randomized_response(
    joint: Joint, eps: float | None = None, notion: Notion | None = None
) -> Mechanism:
    """Release x with probability e^α/(e^α + n_x − 1), else any other symbol.

    Source: [Funnel] eq. 25, with the largest α at which the promise with respect to S holds.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    eps : float, optional
        Asks for ε-LIP.
    notion : PointwiseNotion, optional
        Asks for this instead.

    Raises
    ------
    InvalidInputError
        If both or none of `eps` and `notion` are given, or the notion does not fit.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mechanism = generalized_randomized_response(joint, eps=0.3)
    >>> round(mechanism.audit.achieved, 9)
    0.3
    """
    promise = asked(eps, notion, "Generalised randomised response")
    alpha = grr_alpha(joint, promise)
    return make_mechanism(
        joint,
        grr_kernel(joint.n_x, alpha),
        name="Generalised randomised response",
        solver="closed form",
        status=status_at(alpha),
        notion=promise,
        y_labels=joint.x_labels,
        notes=(calibration_note(alpha),),
    )


def grr_kernel(n_x: int, alpha: float) -> FloatArray:
    """Return P(y | x) of GRR, shape (n_x, n_x); α in [0, ∞].

    Raises
    ------
    InvalidInputError
        If `n_x` is no whole number of at least 1 or `alpha` is negative.

    Examples
    --------
    >>> grr_kernel(2, np.log(3))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    size = validation.whole(n_x, "n_x", low=1)
    wanted = validation.budget(alpha, "alpha")
    other = np.exp(-wanted if wanted == np.inf else -min(wanted, LARGEST))  # short of ∞, not 0
    kernel: FloatArray = np.where(np.eye(size) > 0, 1.0, other) / (1 + (size - 1) * other)
    return kernel


def grr_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which GRR keeps a promise with respect to S, rounded down.

    The posterior of an output y moves with α on the line from P(S) to P(S | x = y), so every
    level increases. For LIP the level is eq. 26: the largest
    |log (1 + (e^α − 1) P(x|s))/(1 + (e^α − 1) P(x))|.
    """

    def levels(alpha: float) -> tuple[float, float]:
        other = np.exp(-alpha)
        released = other * joint.p_s[:, None] + (1 - other) * joint.p
        joint_sy = released / (1 + (joint.n_x - 1) * other)
        return float(notion.lower_level(joint_sy).max()), float(notion.upper_level(joint_sy).max())

    return calibrate(levels, notion)
