"""The outputs of a randomised mechanism in an order, and with names, that a reader can follow."""

import numpy as np

from core.joint import Joint
from core.mechanisms.partition import merged_labels
from core.validation import FloatArray

VISIBLE = 1e-6
"""Least P(x | y) at which x is named: what a solver's tolerance leaves behind stays below it."""


def in_reading_order(joint: Joint, kernel: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Order outputs by the input that each speaks for most, and name them after their inputs.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y), every output possible.

    Returns
    -------
    kernel : ndarray
        The same with its columns in order, shape (n_x, n_y).
    y_labels : tuple of str
        Distinct names, the likeliest input first.

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 1, 2]], x_labels=["a", "b", "c"])
    >>> in_reading_order(joint, np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]))[1]
    ('a + b', 'c + b')
    """
    posterior = joint.p_x[:, None] * kernel
    posterior /= posterior.sum(axis=0)
    ranked = np.argsort(-posterior, axis=0, kind="stable")
    order = sorted(
        range(kernel.shape[1]), key=lambda y: (ranked[0, y], -posterior[ranked[0, y], y])
    )
    members = tuple(
        tuple(int(x) for x in ranked[:, y] if posterior[x, y] >= VISIBLE) for y in order
    )
    ordered: FloatArray = kernel[:, order]
    return ordered, merged_labels(members, joint.x_labels)
