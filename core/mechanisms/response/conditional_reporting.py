"""Conditional reporting: randomise S to s̃, and release x only if s̃ = s."""

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibration import (
    calibrate,
    calibration_note,
    notion_or_lip,
    status_at,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import Notion, PointwiseNotion
from core.validation import FloatArray

READS_SECRET = "Reads S as well as X when it releases, so it may keep more than the optimum over X."
"""Note of the result, for its comparison with mechanisms that read X alone."""

LEAST_EXPONENT = -307
"""Decimal exponent of the least probability that a double holds with all its digits."""


def conditional_reporting(
    joint: Joint, notion: Notion | None = None, eps: float | None = None
) -> Mechanism:
    """Draw s̃ by randomised response on s; release x if s̃ = s, else a draw from P(X | s̃).

    Source: [Funnel] Algorithm 1 (its α₀ is α), with the largest α at which the notion holds.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion, optional
        The notion.
    eps : float, optional
        Budget of ε-LIP, in nats, in place of `notion`.

    Returns
    -------
    mechanism : Mechanism
        Its kernel reads S too: P(y | s, x), shape (n_s·n_x, n_x), rows s·n_x + x.

    Raises
    ------
    InvalidInputError
        If both or neither of `eps` and `notion` is given, the notion is not a `PointwiseNotion`, or
        a symbol is too rare.
    InfeasibleError
        If not even a constant mechanism keeps the notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mechanism = conditional_reporting(joint, LIP(0.0))
    >>> mechanism.utility > 0  # P(x | s̃ = s) differs from P(x)
    True
    """
    pointwise = notion_or_lip(eps, notion, "Conditional reporting")
    alpha = conditional_alpha(joint, pointwise)
    return make_mechanism(
        joint,
        conditional_kernel(joint, alpha),
        name="Conditional reporting",
        solver="closed form",
        status=status_at(alpha),
        notion=pointwise,
        y_labels=joint.x_labels,
        notes=(calibration_note(alpha), READS_SECRET),
    )


def conditional_kernel(joint: Joint, alpha: float) -> FloatArray:
    """Return P(y | s, x) of conditional reporting, shape (n_s·n_x, n_x); α in [0, ∞]."""
    other = np.exp(-validation.budget(alpha, "alpha"))
    given = joint.p / joint.p_s[:, None]
    truthful = np.eye(joint.n_x)[None]
    masked = other * (given.sum(axis=0) - given)
    cube = (truthful + masked[:, None, :]) / (1 + (joint.n_s - 1) * other)
    kernel: FloatArray = cube.reshape(-1, joint.n_x)
    return kernel


def conditional_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which conditional reporting keeps a notion, rounded down.

    [Funnel] Prop. 1 and eq. 30. With α, posteriors move on the line from P(S) to P(S | x = y), so
    every level increases. A finite α is limited so that no P(s, y) underflows.
    """
    total = (joint.p / joint.p_s[:, None]).sum(axis=0)
    rarest = np.log10(joint.p_s.min()) + np.log10(total[total > 0].min() / joint.n_s)
    if rarest < LEAST_EXPONENT:
        raise InvalidInputError(
            f"Conditional reporting would release a symbol with a probability of 1e{rarest:.0f} "
            f"together with some secret; it must be at least 1e{LEAST_EXPONENT}."
        )

    def levels(alpha: float) -> tuple[float, float]:
        other = np.exp(-alpha)
        released = (1 - other) * joint.p + other * joint.p_s[:, None] * total
        joint_sy = released / (1 + (joint.n_s - 1) * other)
        return float(notion.lower_level(joint_sy).max()), float(notion.upper_level(joint_sy).max())

    alpha = calibrate(levels, notion)
    return alpha if alpha == np.inf else min(alpha, np.log(10) * (rarest - LEAST_EXPONENT))
