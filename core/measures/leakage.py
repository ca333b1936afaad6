"""All measures of what one release gives away about S that the interface shows."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core.validation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Leakage:
    """What Y, or X itself, reveals about S, in nats, over the outputs that occur.

    - `joint_sy`: P(s, y), shape (n_s, n_y), of outputs named `labels`.
    - `log_min_lift`, `log_max_lift`: log Ψ(y), −∞ where a secret is excluded, and log Λ(y).
    - `achieved`: least ε at which "lip", "ldp" and "pml" (pointwise maximal leakage) hold.
    - `averages`: "mutual_information", "maximal_leakage", "total_variation", "chi2_divergence".
    """

    joint_sy: FloatArray
    labels: tuple[str, ...]
    log_min_lift: FloatArray
    log_max_lift: FloatArray
    achieved: Mapping[str, float]
    averages: Mapping[str, float]

    @property
    def occurs(self) -> BoolArray:
        """Whether each pair (s, y) can occur, shape (n_s, n_y)."""
        possible: BoolArray = self.joint_sy > 0
        return possible


def leakage(joint_sy: ArrayLike, labels: tuple[str, ...]) -> Leakage:
    """Measure what Y reveals about S, given P(s, y)."""
    p = validation.distribution(joint_sy, "P(s, y)")
    names = validation.labels(labels, p.shape[1], "y", "labels")
    occurs = np.flatnonzero(p.sum(axis=0) > 0)
    p = p[:, occurs]
    with np.errstate(divide="ignore"):  # log 0 = −∞ where a secret is excluded
        low = np.log(measures.min_lift(p))
        high = np.log(measures.max_lift(p))
        ratio = np.log(measures.lift_ratio(p))
    return Leakage(
        joint_sy=p,
        labels=tuple(names[i] for i in occurs),
        log_min_lift=low,
        log_max_lift=high,
        achieved={
            "lip": float(max(0.0, -low.min(), high.max())),
            "ldp": float(max(0.0, ratio.max())),
            "pml": float(max(0.0, high.max())),
        },
        averages={
            "mutual_information": float(measures.mutual_information(p)),
            "total_variation": float(measures.total_variation(p)),
            "chi2_divergence": float(measures.chi2_divergence(p)),
            "maximal_leakage": float(measures.maximal_leakage(p)),
        },
    )
