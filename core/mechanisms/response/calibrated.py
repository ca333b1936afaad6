"""Protocols in closed form of one number α: the largest, with least noise, that a notion allows."""

from collections.abc import Callable

import numpy as np
from scipy import optimize

from core import validation
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.limits import DUST
from core.mechanisms.entry import check_entries
from core.mechanisms.merging.subset_levels import pointwise_notion
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import LIP, Notion, PointwiseNotion
from core.validation import FloatArray

LARGEST = 600.0
"""Largest finite α that is tried: e^{−α} times a probability is still a normal double."""

Levels = Callable[[float], tuple[float, float]]
"""Takes α in [0, ∞]; returns the largest lower and upper level of any output, in nats.

The α with a level within its budget form an interval from 0, as where levels increase with α.
"""


def notion_or_lip(eps: float | None, notion: Notion | None, maker: str) -> PointwiseNotion:
    """Return the notion for a protocol: `notion` itself, or ε-LIP where `eps` is given."""
    if (eps is None) == (notion is None):
        raise InvalidInputError(
            f"{maker} needs either eps or notion, got eps={eps!r} and {notion}."
        )
    return LIP(eps) if eps is not None else pointwise_notion(notion, maker)


def calibrate(levels: Levels, notion: PointwiseNotion) -> float:
    """Return the largest α, rounded towards privacy, at which a protocol keeps a notion."""

    def excess(alpha: float) -> float:
        lower, upper = levels(alpha)
        return max(_over(lower, notion.lower_budget), _over(upper, notion.upper_budget))

    spare = min(notion.slack(notion.lower_budget), notion.slack(notion.upper_budget)) / 2
    if excess(np.inf) <= spare:
        return np.inf
    at_zero = excess(0.0)
    if at_zero > spare:
        least = notion.combined(*levels(0.0))
        raise InfeasibleError(
            f"No mechanism satisfies {notion}: even the constant one breaks it, at {least:.6g}."
        )
    if at_zero > -DUST:
        return 0.0
    high = 1.0
    while excess(high) <= 0:
        if high == LARGEST:
            return LARGEST
        high = min(2 * high, LARGEST)
    tightest = 4 * np.finfo(float).eps  # the least that brentq takes
    alpha = float(optimize.brentq(excess, 0.0, high, xtol=1e-20, rtol=tightest, maxiter=1000))
    step = np.spacing(alpha)
    while excess(alpha) > 0:  # the root may be rounded up
        alpha = max(alpha - step, 0.0)
        step *= 2
    return float(alpha)


def levels_at(notion: PointwiseNotion, released: Callable[[float], FloatArray]) -> Levels:
    """Return the levels of a protocol under a notion, from P(s, y), (n_s, n_y), at α."""

    def levels(alpha: float) -> tuple[float, float]:
        joint_sy = released(alpha)
        return float(notion.lower_level(joint_sy).max()), float(notion.upper_level(joint_sy).max())

    return levels


def calibration_note(alpha: float) -> str:
    if alpha == np.inf:
        return "Any α will do: the notion holds without noise (α = ∞)."
    if alpha == 0:
        return "Only α = 0 satisfies the notion."
    return f"Runs at α = {alpha:.6g}."


def status_at(alpha: float) -> str:
    return "no noise needed" if alpha == np.inf else "calibrated"


def _over(level: float, budget: float) -> float:
    """Return by how much a level exceeds its budget less `DUST`, in nats; −∞ for a budget of ∞."""
    if budget == np.inf:
        return -np.inf
    return level - (budget - min(DUST, abs(budget) / 2))


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
    pointwise = notion_or_lip(eps, notion, "Generalized randomized response")
    alpha = grr_alpha(joint, pointwise)
    return make_mechanism(
        joint,
        grr_kernel(joint.n_x, alpha),
        name="Generalized randomized response",
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
    total = 1 + (size - 1) * other
    kernel: FloatArray = np.full((size, size), other / total)
    np.fill_diagonal(kernel, 1.0 / total)
    return kernel


def grr_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which GRR keeps a notion, rounded down ([Funnel] eq. 26).

    With α, posteriors move on the line from P(S) to P(S | x = y), so every level increases. A
    finite α is limited so that no P(s, y) underflows.
    """

    def released(alpha: float) -> FloatArray:
        other = np.exp(-alpha)
        mixed = other * joint.p_s[:, None] + (1 - other) * joint.p
        joint_sy: FloatArray = mixed / (1 + (joint.n_x - 1) * other)
        return joint_sy

    alpha = calibrate(levels_at(notion, released), notion)
    room = np.log(joint.p_s.min() / joint.n_x) - np.log(np.finfo(float).tiny)
    return alpha if alpha == np.inf else min(alpha, max(float(room), 0.0))


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
    levels = levels_at(notion, lambda alpha: joint.p @ geometric_kernel(joint.n_x, alpha))
    alpha = calibrate(levels, notion)
    kernel = geometric_kernel(joint.n_x, alpha)
    return make_mechanism(
        joint,
        kernel,
        name="Truncated geometric noise",
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


READS_SECRET = "Reads S as well as X when it releases, so it may keep more than the optimum over X."
"""Note of the result, for its comparison with mechanisms that read X alone."""

LEAST_EXPONENT = -307
"""Decimal exponent of the least probability that a double holds with all its digits."""


def conditional_reporting(
    joint: Joint, notion: Notion | None = None, eps: float | None = None
) -> Mechanism:
    """Draw s̃ by randomized response on s; release x if s̃ = s, else a draw from P(X | s̃).

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
        If both or neither of `eps` and `notion` is given, the notion is not a `PointwiseNotion`, a
        symbol is too rare, or the kernel would have more than `MAX_ENTRIES` entries.
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
    check_entries(joint, "Conditional reporting")
    alpha = conditional_alpha(joint, pointwise)
    return make_mechanism(
        joint,
        conditional_kernel(joint, alpha),
        name="Conditional reporting",
        status=status_at(alpha),
        notion=pointwise,
        y_labels=joint.x_labels,
        notes=(calibration_note(alpha), READS_SECRET),
    )


def conditional_kernel(joint: Joint, alpha: float) -> FloatArray:
    """Return P(y | s, x) of conditional reporting, shape (n_s·n_x, n_x); α in [0, ∞]."""
    other = np.exp(-validation.budget(alpha, "alpha"))
    x_given_s = joint.p / joint.p_s[:, None]
    truthful = np.eye(joint.n_x)[None]
    masked = other * (x_given_s.sum(axis=0) - x_given_s)
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

    def released(alpha: float) -> FloatArray:
        other = np.exp(-alpha)
        mixed = (1 - other) * joint.p + other * joint.p_s[:, None] * total
        joint_sy: FloatArray = mixed / (1 + (joint.n_s - 1) * other)
        return joint_sy

    alpha = calibrate(levels_at(notion, released), notion)
    return alpha if alpha == np.inf else min(alpha, np.log(10) * (rarest - LEAST_EXPONENT))
