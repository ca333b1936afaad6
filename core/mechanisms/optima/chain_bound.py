"""An upper bound that costs nothing: what can be told of S at all, and all of X beside it."""

import numpy as np

from core import measures
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, SRLIP, Average, Intersection, PointwiseMaximalLeakage
from core.notions.base import Notion

_SLACK = 1e-12
"""Nats for the rounding of the sums."""

_FAR = 300.0
"""Beyond e^300 the chord is as good as vertical, and e^710 is no double."""


def chain_bound(joint: Joint, notion: Notion) -> float:
    """Return what no kernel P(y | x) under a notion exceeds in I(X;Y), in nats.

    I(X;Y) = I(S;Y) + I(X;Y|S), of which the first is at most what the notion lets any output tell
    of S (`most_about_secret`), and the second at most H(X|S). It says most where S is a part of X
    or nearly given by it, and saves a search too large for a proof from H(X) as its bound.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Any; one that bounds no lift leaves H(X).

    Examples
    --------
    >>> joint = Joint.with_secret_released([[0.25, 0.25], [0.25, 0.25]])
    >>> print(f"{chain_bound(joint, LDP(0)) / np.log(2):.6f}")  # of 2 bits, one is of S alone
    1.000000
    """
    of_secret = float(measures.mutual_information(joint.p))
    hidden = max(of_secret - most_about_secret(notion), 0.0)
    return float(measures.entropy(joint.p_x)) - hidden + _SLACK


def most_about_secret(notion: Notion) -> float:
    """Return the largest I(S;Y) that a notion allows, in nats, whatever P(S) is.

    Of a pointwise notion it is the largest D(P(S|y) ‖ P(S)) of one output.

    With lifts in [a, b] the mean of l·log l is at most that of its chord, which has the value
    (1 − p)·a·log a + p·b·log b at the mean lift 1 = (1 − p)·a + p·b. Under ε-LDP b = a·e^ε, and
    the worst a is (1 − e^{−ε})/ε.

    Examples
    --------
    >>> round(most_about_secret(LDP(1.5)), 4), most_about_secret(LIP(0.0))
    (0.2729, 0.0)
    """
    if isinstance(notion, Intersection):
        return min(most_about_secret(part) for part in notion.notions)
    if isinstance(notion, LDP):
        if notion.eps in (0.0, np.inf):
            return notion.eps
        least = -np.expm1(-notion.eps) / notion.eps
        return _chord(least, notion.eps + np.log(least))
    if isinstance(notion, LIP | ALIP):
        return _chord(np.exp(-notion.lower_budget), notion.upper_budget)
    if isinstance(notion, SRLIP):
        return _chord(np.exp(-notion.eps), notion.eps)
    if isinstance(notion, PointwiseMaximalLeakage):
        return notion.eps
    if isinstance(notion, Average):
        return _on_average(notion)
    return np.inf


def _on_average(notion: Average) -> float:
    """Return the largest I(S;Y) under a budget on an average, in nats; ∞ where none is known.

    Sibson's information grows with its order, which is 1 for Shannon's and ∞ for the maximal
    leakage; I(S;Y) ≤ log(1 + χ²) as the logarithm is concave.
    """
    if notion.measure in ("mutual_information", "maximal_leakage") or notion.order == 1:
        return notion.bound
    if notion.measure == "sibson" and notion.order is not None and notion.order > 1:
        return notion.bound
    return float(np.log1p(notion.bound)) if notion.measure == "chi2" else np.inf


def _chord(low: float, log_high: float) -> float:
    """Return the value of the chord of l·log l over [low, e^log_high] at l = 1."""
    if log_high > _FAR:
        return log_high  # no more than log_high is told by lifts of at most e^log_high
    high = float(np.exp(log_high))
    if low == 1.0 or high == 1.0:
        return 0.0
    p = (1 - low) / (high - low)
    return float((1 - p) * _x_log_x(low) + p * high * log_high)


def _x_log_x(value: float) -> float:
    return value * float(np.log(value)) if value > 0 else 0.0
