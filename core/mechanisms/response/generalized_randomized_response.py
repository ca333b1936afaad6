"""Generalised randomised response (GRR): release x, or another symbol drawn uniformly."""

import numpy as np

from core import validation
from core.joint import Joint
from core.mechanisms.response.calibration import (
    LARGEST,
    calibrate,
    calibration_note,
    notion_or_lip,
    status_at,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import Notion, PointwiseNotion
from core.validation import FloatArray


def generalized_randomized_response(
    joint: Joint, eps: float | None = None, notion: Notion | None = None
) -> Mechanism:
    """Release x with probability e^α/(e^α + n_x − 1), else another symbol drawn uniformly.

    Source: [Funnel] eq. 25, with the largest α at which the notion holds.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    eps : float, optional
        Budget of ε-LIP, in nats.
    notion : PointwiseNotion, optional
        The notion, in place of `eps`.

    Raises
    ------
    InvalidInputError
        If both or neither of `eps` and `notion` is given, or the notion is not a `PointwiseNotion`.
    InfeasibleError
        If not even a constant mechanism keeps the notion.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mechanism = generalized_randomized_response(joint, eps=0.3)
    >>> round(mechanism.audit.achieved, 9)
    0.3
    """
    pointwise = notion_or_lip(eps, notion, "Generalised randomised response")
    alpha = grr_alpha(joint, pointwise)
    return make_mechanism(
        joint,
        grr_kernel(joint.n_x, alpha),
        name="Generalised randomised response",
        solver="closed form",
        status=status_at(alpha),
        notion=pointwise,
        y_labels=joint.x_labels,
        notes=(calibration_note(alpha),),
    )


def grr_kernel(n_x: int, alpha: float) -> FloatArray:
    """Return P(y | x) of GRR, shape (n_x, n_x); α in [0, ∞]."""
    size = validation.whole(n_x, "n_x", low=1)
    checked = validation.budget(alpha, "alpha")
    other = np.exp(-checked if checked == np.inf else -min(checked, LARGEST))  # 0 only at α = ∞
    kernel: FloatArray = np.where(np.eye(size) > 0, 1.0, other) / (1 + (size - 1) * other)
    return kernel


def grr_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which GRR keeps a notion, rounded down ([Funnel] eq. 26).

    With α, posteriors move on the line from P(S) to P(S | x = y), so every level increases. A
    finite α is limited so that no P(s, y) underflows.
    """

    def levels(alpha: float) -> tuple[float, float]:
        other = np.exp(-alpha)
        released = other * joint.p_s[:, None] + (1 - other) * joint.p
        joint_sy = released / (1 + (joint.n_x - 1) * other)
        return float(notion.lower_level(joint_sy).max()), float(notion.upper_level(joint_sy).max())

    alpha = calibrate(levels, notion)
    room = np.log(joint.p_s.min() / joint.n_x) - np.log(np.finfo(float).tiny)
    return alpha if alpha == np.inf else min(alpha, max(float(room), 0.0))
