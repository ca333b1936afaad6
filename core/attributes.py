"""X as a product of attributes, some of which an attacker may know ([Funnel] Def. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_ATTRIBUTES
from core.validation import FloatArray, IntArray

BLOCK = 1 << 21
"""Numbers of P(s, y | x^J) that are held at once: 16 MB of doubles."""


@dataclass(frozen=True)
class Attribute:
    """One attribute of X.

    Attributes
    ----------
    name : str
        What it is called.
    labels : tuple of str
        Names of its values.
    """

    name: str
    labels: tuple[str, ...]


def attribute_shape(joint: Joint, shape: Sequence[int] | None = None) -> tuple[int, ...]:
    """Return the sizes of X's attributes, checked against the joint.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    shape : sequence of int, optional
        The sizes; the joint's own where not given, and X as one attribute where it has none.

    Raises
    ------
    InvalidInputError
        If a size is no whole number of at least 1, there are none or over `MAX_ATTRIBUTES` of
        them, or their product is not the number of columns that the joint was made of.

    Examples
    --------
    >>> attribute_shape(Joint.from_counts([[1, 0, 2, 3, 0, 1]]), (2, 3))
    (2, 3)
    """
    columns = joint.n_x + len(joint.dropped_x)
    if shape is None:
        return joint.x_shape or (columns,)
    sizes = tuple(validation.whole(size, "An attribute's size", low=1) for size in shape)
    if not 1 <= len(sizes) <= MAX_ATTRIBUTES:
        raise InvalidInputError(
            f"X must have 1 to {MAX_ATTRIBUTES} attributes, got {len(sizes)} sizes."
        )
    if prod(sizes) != columns:
        raise InvalidInputError(
            f"The attributes' sizes {'·'.join(map(str, sizes))} = {prod(sizes)} must multiply to "
            f"the number of columns of the joint, {columns}."
        )
    return sizes


def attribute_values(joint: Joint, shape: Sequence[int]) -> IntArray:
    """Return the value of each attribute at each symbol of X, shape (n_attributes, n_x).

    Examples
    --------
    >>> attribute_values(Joint.from_counts([[1, 0, 2, 3]]), (2, 2))
    array([[0, 1, 1],
           [0, 0, 1]])
    """
    return np.array(np.unravel_index(joint.kept_x, tuple(shape)), dtype=np.int64)


def known_sets(n_attributes: int) -> tuple[tuple[int, ...], ...]:
    """Return every proper subset J of the attributes, smaller ones first.

    Examples
    --------
    >>> known_sets(2)
    ((), (0,), (1,))
    """
    sizes = range(n_attributes)
    return tuple(known for size in sizes for known in combinations(sizes, size))


def cells_of(values: IntArray, known: Sequence[int]) -> IntArray:
    """Return the index of x^J at each symbol of X, shape (n_x,), among the x^J that occur.

    Parameters
    ----------
    values : ndarray
        As `attribute_values` gives them, shape (n_attributes, n_x).
    known : sequence of int
        J: the attributes that are known.

    Examples
    --------
    >>> cells_of(np.array([[0, 1, 1], [0, 0, 2]]), (1,))
    array([0, 0, 1])
    """
    if len(known) == 0:
        return np.zeros(values.shape[1], dtype=np.int64)
    chosen = values[list(known)]
    place = np.ravel_multi_index(list(chosen), (chosen.max(axis=1) + 1).tolist())
    number = np.cumsum(np.bincount(place) > 0) - 1
    result: IntArray = number[place]
    return result


def given_known(joint: Joint, kernel: ArrayLike, cells: IntArray) -> Iterator[FloatArray]:
    """Yield P(s, y | x^J) for each x^J in order, in blocks of shape (k, n_s, n_y).

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    cells : ndarray
        Index of x^J at each x, shape (n_x,), as `cells_of` gives it; or of several J, each J's
        indices following the last J's, shape (k, n_x).

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 1, 0, 2], [1, 1, 2, 0]])
    >>> next(given_known(joint, np.eye(4), np.array([0, 0, 1, 1])))[1]
    array([[0. , 0. , 0. , 0.5],
           [0. , 0. , 0.5, 0. ]])
    """
    array = joint.checked_kernel(kernel)
    cube = array.reshape(-1, joint.n_x, array.shape[1])  # (1 or n_s, n_x, n_y)
    order = np.argsort(cells, axis=None, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(cells.ravel()[order], prepend=-1)), order.size)
    order %= joint.n_x
    room = max(1, BLOCK // (joint.n_s * array.shape[1]))
    first = 0
    while first < len(starts) - 1:
        # as many whole cells as fit, at least one
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + room, side="right")) - 1)
        chosen = order[starts[first] : starts[last]]
        within = starts[first:last] - starts[first]
        mass = joint.p[:, chosen, None] * cube[:, chosen]
        summed = np.moveaxis(np.add.reduceat(mass, within, axis=1), 1, 0)
        yield summed / summed.sum(axis=(1, 2), keepdims=True)
        first = last
