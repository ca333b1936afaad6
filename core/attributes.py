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
from core.limits import AT_ONCE, MAX_ATTRIBUTES
from core.validation import FloatArray, IntArray


@dataclass(frozen=True)
class Attribute:
    """One attribute of X, with the names of its values."""

    name: str
    labels: tuple[str, ...]


def attribute_shape(joint: Joint, shape: Sequence[int] | None = None) -> tuple[int, ...]:
    """Return the sizes of X's attributes, checked against the joint."""
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
    """Return the value of each attribute at each symbol of X, shape (n_attributes, n_x)."""
    return np.array(np.unravel_index(joint.kept_x, tuple(shape)), dtype=np.int64)


def known_sets(n_attributes: int) -> tuple[tuple[int, ...], ...]:
    """Return every proper subset J of the attributes, smaller ones first."""
    sizes = range(n_attributes)
    return tuple(known for size in sizes for known in combinations(sizes, size))


def cells_of(values: IntArray, known: Sequence[int]) -> IntArray:
    """Return the index of x^J, of those that occur, at each symbol; values (n_attributes, n_x)."""
    if len(known) == 0:
        return np.zeros(values.shape[1], dtype=np.int64)
    chosen = values[list(known)]
    place = np.ravel_multi_index(list(chosen), (chosen.max(axis=1) + 1).tolist())
    number = np.cumsum(np.bincount(place) > 0) - 1
    result: IntArray = number[place]
    return result


def given_known(joint: Joint, kernel: ArrayLike, cells: IntArray) -> Iterator[FloatArray]:
    """Yield P(s, y | x^J) for each x^J in order, in blocks of shape (k, n_s, n_y)."""
    array = joint.checked_kernel(kernel)
    if cells.size == joint.n_x and not cells.any():  # nothing is known
        released = joint.release(array)
        yield (released / released.sum())[None]
        return
    cube = array.reshape(-1, joint.n_x, array.shape[1])  # (1 or n_s, n_x, n_y)
    order = np.argsort(cells, axis=None, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(cells.ravel()[order], prepend=-1)), order.size)
    order %= joint.n_x
    room = max(1, AT_ONCE // (joint.n_s * array.shape[1]))
    first = 0
    while first < len(starts) - 1:
        # as many whole cells as fit, at least one
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + room, side="right")) - 1)
        chosen = order[starts[first] : starts[last]]
        within = starts[first:last] - starts[first]
        if len(chosen) > room:  # one cell, whose products take n_s times the memory of its rows
            rows = np.broadcast_to(cube[:, chosen], (joint.n_s, len(chosen), cube.shape[2]))
            summed = np.matmul(joint.p[:, None, chosen], rows)[None, :, 0]
        else:
            mass = joint.p[:, chosen, None] * cube[:, chosen]
            summed = np.moveaxis(np.add.reduceat(mass, within, axis=1), 1, 0)
        yield summed / summed.sum(axis=(1, 2), keepdims=True)
        first = last
