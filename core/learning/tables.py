"""The tables that the lessons are about: an illness and its test, a clue about four suspects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core.joint import Joint
from core.notions import LDP, LIP, PointwiseMaximalLeakage
from core.validation import FloatArray

SECRETS = ("ill", "well")
"""S of the test."""

RESULTS = ("positive", "negative")
"""X of the test."""

SUSPECTS = ("A", "B", "C", "D")
"""S of the clue: all equally likely before it."""


def of_test(ill: float = 0.2, hit: float = 0.9, alarm: float = 0.15) -> Joint:
    """Return P(s, x) of a test for an illness."""
    rows = [[ill * hit, ill * (1 - hit)], [(1 - ill) * alarm, (1 - ill) * (1 - alarm)]]
    return Joint.from_counts(rows, SECRETS, RESULTS)


def of_clue(lift: float) -> Joint:
    """Return P(s, x) of four suspects and a clue after which A is `lift` times likelier."""
    lifts = np.array([lift, *[(4 - lift) / 3] * 3])
    # how likely the clue is to be found
    found = 0.2 * lifts / 4
    return Joint.from_counts(np.stack([found, 0.25 - found], axis=1), SUSPECTS, ("clue", "no clue"))


@dataclass(frozen=True, eq=False)
class Told:
    """What the outputs of a release tell about S, in nats; `kept` is I(X;Y)/H(X), 1 where H(X) = 0.

    Shapes: p_s (n_s,), p_y (n_y,), posterior and lift (n_s, n_y), log_min and log_max (n_y,).
    """

    names: tuple[str, ...]
    secrets: tuple[str, ...]
    p_s: FloatArray
    p_y: FloatArray
    posterior: FloatArray
    lift: FloatArray
    log_min: FloatArray
    log_max: FloatArray
    lip: float
    ldp: float
    pml: float
    about_secret: float
    about_x: float
    kept: float

    def of(self, secret: str, output: str) -> float:
        """Return l(s, y) by names."""
        return float(self.lift[self.secrets.index(secret), self.names.index(output)])


def told(joint: Joint, kernel: ArrayLike | None = None, names: tuple[str, ...] = ()) -> Told:
    """Return what a release of X by a kernel (n_x, n_y) tells about S."""
    whole = np.eye(joint.n_x) if kernel is None else np.asarray(kernel, dtype=np.float64)
    occurring = np.flatnonzero(joint.p_x @ whole > 0)
    whole = whole[:, occurring]
    joint_sy, joint_xy = joint.p @ whole, joint.p_x[:, None] * whole
    given = names or joint.x_labels
    lift = measures.lift(joint_sy)
    with np.errstate(divide="ignore"):
        log_min, log_max = np.log(lift.min(axis=0)), np.log(lift.max(axis=0))
    entropy = float(measures.entropy(joint.p_x))
    about_x = float(measures.mutual_information(joint_xy))
    return Told(
        names=tuple(given[y] for y in occurring),
        secrets=joint.s_labels,
        p_s=joint.p_s,
        p_y=joint_sy.sum(axis=0),
        posterior=joint_sy / joint_sy.sum(axis=0),
        lift=lift,
        log_min=log_min,
        log_max=log_max,
        lip=LIP(1.0).achieved(joint, whole),
        ldp=LDP(1.0).achieved(joint, whole),
        pml=PointwiseMaximalLeakage(1.0).achieved(joint, whole),
        about_secret=float(measures.mutual_information(joint_sy)),
        about_x=about_x,
        kept=about_x / entropy if entropy > 0 else 1.0,
    )


def flipped(truth: float) -> FloatArray:
    """Return P(y | x) of telling a result as it is with a chance, and the other one otherwise."""
    return np.array([[truth, 1 - truth], [1 - truth, truth]])
