"""The two trivial mechanisms: publish X as it is, or the same output always."""

import numpy as np

from core.joint import Joint
from core.mechanisms.merging.partition import partition_mechanism
from core.mechanisms.result import Mechanism, make_mechanism


def identity(joint: Joint) -> Mechanism:
    """Publish X as it is: the most utility, without a notion."""
    return make_mechanism(
        joint,
        np.eye(joint.n_x),
        name="Identity",
        solver="closed form",
        status="optimal",
        notion=None,
        y_labels=joint.x_labels,
        partition=tuple((x,) for x in range(joint.n_x)),
    )


def constant(joint: Joint) -> Mechanism:
    """Publish the same output whatever X is: perfect privacy, no utility."""
    return partition_mechanism(
        joint,
        [range(joint.n_x)],
        name="Constant",
        solver="closed form",
        status="fixed",
        notion=None,
    )
