"""Priors, posteriors and lifts of a checked joint, from which every measure is computed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.validation import FloatArray


class Conditionals(NamedTuple):
    """A joint of S and Y with its marginals and conditionals; every array keeps both axes.

    Attributes
    ----------
    joint : ndarray
        P(s, y), shape (..., n_s, n_y), sums to 1.
    p_s : ndarray
        P(s), shape (..., n_s, 1).
    p_y : ndarray
        P(y), shape (..., 1, n_y).
    posterior : ndarray
        P(s | y), shape (..., n_s, n_y), NaN where P(y) = 0.
    lift : ndarray
        P(s | y)/P(s), shape (..., n_s, n_y), NaN where P(s)P(y) = 0.
    """

    joint: FloatArray
    p_s: FloatArray
    p_y: FloatArray
    posterior: FloatArray
    lift: FloatArray


def conditionals(joint_sy: ArrayLike) -> Conditionals:
    """Check P(s, y), shape (..., n_s, n_y), and return its marginals and conditionals.

    Raises
    ------
    InvalidInputError
        If an entry is no probability or the entries do not sum to 1.

    Examples
    --------
    >>> conditionals([[0.5, 0.0], [0.25, 0.25]]).lift
    array([[1.33333333, 0.        ],
           [0.66666667, 2.        ]])
    """
    joint = validation.distribution(joint_sy, "The joint P(s, y)", batch=True)
    p_s = joint.sum(axis=-1, keepdims=True)
    p_y = joint.sum(axis=-2, keepdims=True)
    posterior = ratio(joint, p_y)
    return Conditionals(joint, p_s, p_y, posterior, ratio(posterior, p_s))


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above/below, broadcast; NaN where `below` is 0, as the symbol does not occur.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    shape = np.broadcast_shapes(above.shape, below.shape)
    with np.errstate(over="ignore"):  # an overflow is ∞
        result: FloatArray = np.divide(above, below, out=np.full(shape, np.nan), where=below > 0)
    return result
