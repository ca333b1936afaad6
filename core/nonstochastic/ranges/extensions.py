"""Quantising the secret along with the data ([NonStoch] §V-C).

Where the curator sees S too, the symbols to merge are the pairs (s, x). For side information the
measures and algorithms take a stack of ranges, one for each z.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.nonstochastic.ranges.partition import joint_range
from core.validation import BoolArray


def with_secret(occurs: ArrayLike) -> tuple[BoolArray, tuple[tuple[int, int], ...]]:
    """Return the range of (S, (S, X)), to quantise the pair (S, X).

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x).

    Returns
    -------
    occurs : ndarray of bool
        Shape (n_s, number of pairs): each pair occurs with its own secret only.
    pairs : tuple of (int, int)
        The pairs (s, x) that occur, in the order of the columns; values for a distortion of x
        are `[values[x] for _, x in pairs]`.

    Raises
    ------
    InvalidInputError
        If the range is empty or a symbol has no secret.

    Examples
    --------
    >>> with_secret([[1, 1], [0, 1]])
    (array([[ True,  True, False],
            [False, False,  True]]), ((0, 0), (0, 1), (1, 1)))
    """
    ranges = joint_range(occurs)
    pairs = tuple((int(s), int(x)) for s, x in np.argwhere(ranges))
    secrets = np.array([s for s, _ in pairs])
    of_pairs: BoolArray = secrets == np.arange(ranges.shape[0])[:, None]
    return of_pairs, pairs
