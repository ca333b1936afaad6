"""What a release reveals about S, and what it keeps of X."""

from core.measures.average import (
    arimoto,
    chi2_divergence,
    entropy,
    gacs_korner,
    guessing_probability,
    maximal_leakage,
    mutual_information,
    sibson,
    total_variation,
)
from core.measures.pointwise import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    lift,
    lift_ratio,
    max_lift,
    min_lift,
)

__all__ = [
    "alpha_lift",
    "alpha_lift_inverse",
    "arimoto",
    "chi2_divergence",
    "chi2_lift",
    "chi2_lift_inverse",
    "entropy",
    "gacs_korner",
    "guessing_probability",
    "l1_lift",
    "l1_lift_inverse",
    "lift",
    "lift_ratio",
    "max_lift",
    "maximal_leakage",
    "min_lift",
    "mutual_information",
    "sibson",
    "total_variation",
]
