"""Truncated geometric noise: X's place, moved by a geometric step and held at the ends."""

import numpy as np

from core.joint import Joint
from core.mechanisms.response.calibration import calibrate, calibration_note, status_at
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import PointwiseNotion
from core.validation import FloatArray


def truncated_geometric(joint: Joint, notion: PointwiseNotion) -> Mechanism:
    """Move X's place in the order of its symbols by noise with P(i) ∝ e^{−α|i|}, held at the ends.

    The noise is the least that keeps the notion. Where S = X and distances are those of places,
    α = ε keeps ε-LDP by distance.

    Source: Ghosh, Roughgarden and Sundararajan 2009, Def. 2.3.

    Parameters
    ----------
    joint : Joint
        P(s, x), with X in the order of its places.
    notion : PointwiseNotion
        The notion.

    Raises
    ------
    InfeasibleError
        If not even a constant mechanism keeps the notion.

    Examples
    --------
    >>> from core.notions import MetricLDP
    >>> joint = Joint.from_counts(np.eye(3))
    >>> mechanism = truncated_geometric(joint, MetricLDP.of_joint(joint, np.log(2)))
    >>> mechanism.kernel.round(3)
    array([[0.667, 0.167, 0.167],
           [0.333, 0.333, 0.333],
           [0.167, 0.167, 0.667]])
    """

    def levels(alpha: float) -> tuple[float, float]:
        released = joint.p @ geometric_kernel(joint.n_x, alpha)
        return float(notion.lower_level(released).max()), float(notion.upper_level(released).max())

    alpha = calibrate(levels, notion)
    kernel = geometric_kernel(joint.n_x, alpha)
    return make_mechanism(
        joint,
        kernel,
        name="Truncated geometric noise",
        solver="closed form",
        status=status_at(alpha),
        notion=notion,
        y_labels=joint.x_labels if kernel.shape[1] == joint.n_x else None,
        notes=(calibration_note(alpha),),
    )


def geometric_kernel(count: int, alpha: float) -> FloatArray:
    """Return P(y | x) of places 0 to count − 1; with α = 0 only the two ends come out."""
    if count == 1:
        return np.ones((1, 1))
    places = np.arange(count)
    with np.errstate(invalid="ignore"):  # ∞·0, at α = ∞
        steps = np.where(places[:, None] == places, 0.0, -alpha * abs(places[:, None] - places))
    less = float(np.exp(-alpha))
    kernel = np.exp(steps) * (1 - less) / (1 + less)
    kernel[:, [0, -1]] = np.exp(steps[:, [0, -1]]) / (1 + less)
    kernel = kernel[:, kernel.any(axis=0)]
    result: FloatArray = kernel / kernel.sum(axis=1, keepdims=True)
    return result
