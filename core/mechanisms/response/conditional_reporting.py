"""Conditional reporting: mask S, and report x only if the mask happens to be the truth."""

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibration import asked, calibrate, calibration_note, status_at
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import Notion, PointwiseNotion
from core.validation import FloatArray

READS_SECRET = "Reads S as well as X when it releases, so it may keep more than the optimum over X."
"""What a reader of the result must know before comparing it with mechanisms that read X only."""

LEAST_EXPONENT = -307
"""Decimal exponent of the least probability that a double says in full."""


def conditional_reporting(
    joint: Joint, notion: Notion | None = None, eps: float | None = None
) -> Mechanism:
    """Draw s̃ by randomised response on s; release x if s̃ = s, else a draw from P(X | s̃).

    Source: [Funnel] Algorithm 1 (its α₀ is α), with the largest α at which the promise holds.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion, optional
        What is asked.
    eps : float, optional
        Asks for ε-LIP instead.

    Returns
    -------
    mechanism : Mechanism
        Its kernel reads S too: P(y | s, x), shape (n_s·n_x, n_x), rows s·n_x + x.

    Raises
    ------
    InvalidInputError
        If both or none of `eps` and `notion` are given, or the notion does not fit, or symbols
        are too rare.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mechanism = conditional_reporting(joint, LIP(0.0))
    >>> mechanism.utility > 0  # x is told where it agrees with the mask
    True
    """
    promise = asked(eps, notion, "Conditional reporting")
    alpha = conditional_alpha(joint, promise)
    return make_mechanism(
        joint,
        conditional_kernel(joint, alpha),
        name="Conditional reporting",
        solver="closed form",
        status=status_at(alpha),
        notion=promise,
        y_labels=joint.x_labels,
        notes=(calibration_note(alpha), READS_SECRET),
    )


def conditional_kernel(joint: Joint, alpha: float) -> FloatArray:
    """Return P(y | s, x) of conditional reporting, shape (n_s·n_x, n_x); α in [0, ∞].

    Raises
    ------
    InvalidInputError
        If `alpha` is negative.

    Examples
    --------
    >>> conditional_kernel(Joint.from_counts([[1, 1]]), 0.0)  # one secret is never masked
    array([[1., 0.],
           [0., 1.]])
    """
    other = np.exp(-validation.budget(alpha, "alpha"))
    given = joint.p / joint.p_s[:, None]
    told = np.eye(joint.n_x)[None]
    masked = other * (given.sum(axis=0) - given)
    cube = (told + masked[:, None, :]) / (1 + (joint.n_s - 1) * other)
    kernel: FloatArray = cube.reshape(-1, joint.n_x)
    return kernel


def conditional_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which conditional reporting keeps a promise, rounded down.

    Source: [Funnel] Prop. 1: P(y|s) = ((e^α − 1) P(y|s) + Σ_{s'} P(y|s'))/(e^α + n_s − 1), of
    which eq. 30 is the LIP level. Posteriors move with α on the line from P(S) to
    P(S | x = y), so every level increases.

    Raises
    ------
    InvalidInputError
        If a symbol would be released with a secret less often than any double says.
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

    return calibrate(levels, notion)
