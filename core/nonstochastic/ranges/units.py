"""Logarithms to any base; those to base 2 and 10 are exact where the result is whole."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.validation import FloatArray

Logarithm = Callable[[ArrayLike], FloatArray]
"""A logarithm of numbers above 0."""


def logarithm(base: float) -> Logarithm:
    """Return the logarithm to a base above 1.

    Raises
    ------
    InvalidInputError
        If the base is not a finite number above 1.

    Examples
    --------
    >>> logarithm(2)([8, 0.5])
    array([ 3., -1.])
    """
    value = validation.number(base, "base", low=1.0, high=float(np.finfo(float).max), open_low=True)
    exact: dict[float, Logarithm] = {2.0: np.log2, 10.0: np.log10, math.e: np.log}
    return exact.get(value, lambda x: np.asarray(np.log(x) / math.log(value)))
