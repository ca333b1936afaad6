"""How levels of a release bound one another, whatever the joint.

Levels are in nats, but for "guess", a probability, and the averages, as in `core.release`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

ORDER = (
    *("min_lift", "pml", "ldp", "min_lift", "pml", "lip", "chi2_upper", "l1_upper", "kl"),
    *("mutual_information", "total_variation", "chi2_divergence", "maximal_leakage", "guessing"),
)
"""Keys of the levels, each after those that bound it; two of the lift are there twice."""


def bound_by_others(key: str, levels: Mapping[str, float]) -> float:
    """Return an upper bound on a level from other levels; ∞ where there is none.

    By Jensen's and Cauchy's inequalities; an average is at most the largest value averaged.
    Lifts in [m, M] of mean 1 have a variance of at most (M−1)(1−m) (Bhatia and Davis, 2000), and
    ½ Σ_s |P(s|y) − P(s)| is at most 1 − 1/M and 1 − m. Because their mean is 1, neither log-lift is
    larger than their difference, which LDP bounds, and all are 1 if none is above 1, or below.

    Examples
    --------
    >>> bound_by_others("ldp", {"pml": 0.5, "min_lift": 0.25}), bound_by_others("pml", {"ldp": 1.0})
    (0.75, 1.0)
    >>> bound_by_others("min_lift", {"pml": 0.0}), bound_by_others("min_lift", {"pml": 0.1})
    (0.0, inf)
    """
    upper, lower = levels.get("pml", math.inf), levels.get("min_lift", math.inf)
    chi2, ldp = _expm1(levels.get("chi2_upper", math.inf)), levels.get("ldp", math.inf)
    fall = -math.expm1(-lower)
    match key:
        case "ldp":
            return upper + lower
        case "pml":
            return min(ldp, 0.0 if lower == 0 else math.inf)
        case "min_lift":
            return min(ldp, 0.0 if upper == 0 else math.inf)
        case "lip":
            return max(upper, lower)
        case "l1_upper":
            return math.log1p(min(chi2, 2 * fall, -2 * math.expm1(-upper)))
        case "chi2_upper":
            rise = _expm1(upper)
            return 0.0 if fall == 0 else math.log1p(math.sqrt(rise * fall))
        case "kl":
            return min(math.log1p(chi2 * chi2), upper)
        case "mutual_information":
            return levels.get("kl", math.inf)
        case "total_variation":
            return _expm1(levels.get("l1_upper", math.inf)) / 2
        case "chi2_divergence":
            return chi2 * chi2
        case "maximal_leakage":
            return upper
        case "guessing":
            return levels.get("guess", math.inf)
    return math.inf


def closed(levels: Mapping[str, float]) -> dict[str, float]:
    """Return levels with all that they bound; a key that is not of `ORDER` stays as it is.

    Examples
    --------
    >>> levels = closed({"ldp": 0.5})
    >>> levels["lip"], levels["maximal_leakage"]
    (0.5, 0.5)
    """
    result = dict(levels)
    for key in ORDER:
        result[key] = min(result.get(key, math.inf), bound_by_others(key, result))
    return result


def _expm1(level: float) -> float:
    """Return e^level − 1, ∞ where no double is as large."""
    return math.expm1(level) if level < 700.0 else math.inf  # e^700 is 1e304
