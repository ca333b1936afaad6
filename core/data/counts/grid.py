"""X of several columns as a product of attributes, with all combinations of their levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from core.attributes import Attribute
from core.data.treatment.bins import Bins
from core.data.treatment.levels import Symbols, distinct, name_symbols
from core.joint import JOINER
from core.limits import MAX_ATTRIBUTES, MAX_GRID
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Grid:
    """Counts over all combinations of the columns' levels, in C order.

    Attributes
    ----------
    counts : ndarray
        Shape (n_s, ∏ sizes), zero where a combination never occurs.
    labels : tuple of str
        Names of the combinations.
    attributes : tuple of Attribute
        The columns and their levels.
    """

    counts: FloatArray
    labels: tuple[str, ...]
    attributes: tuple[Attribute, ...]


def grid(
    counts: FloatArray, symbols: Symbols, columns: Sequence[str], bins: Sequence[Bins | None]
) -> Grid | None:
    """Return the counts of joined columns over all combinations of their levels.

    Parameters
    ----------
    counts : ndarray
        Number of records by symbol of S and of X, shape (n_s, n_x).
    symbols : Symbols
        The symbols of X, n_x of them.
    columns : sequence of str
        The columns of X.
    bins : sequence
        For each column its bins, or None.

    Returns
    -------
    grid : Grid or None
        None where X is no product, as it is one column or rare symbols are grouped; and where
        there are over `MAX_ATTRIBUTES` columns or `MAX_GRID` combinations.
    """
    if not 2 <= len(columns) <= MAX_ATTRIBUTES or any(rare for rare, _ in symbols.keys):
        return None
    sides = [
        name_symbols({(False, (levels[i],)) for _, levels in symbols.keys}, [cut], 0)
        for i, cut in enumerate(bins)
    ]
    shape = [len(side.keys) for side in sides]
    if prod(shape) > MAX_GRID:
        return None
    places = [{key[1][0]: i for i, key in enumerate(side.keys)} for side in sides]
    index = [
        [place[level] for place, level in zip(places, levels, strict=True)]
        for _, levels in symbols.keys
    ]
    seen = np.ravel_multi_index(tuple(np.array(index).T), shape)
    never = np.setdiff1d(np.arange(prod(shape)), seen)
    missing = [
        JOINER.join(side.labels[i] for side, i in zip(sides, where, strict=True))
        for where in zip(*np.unravel_index(never, shape), strict=True)
    ]
    names = np.empty(prod(shape), dtype=object)
    names[np.concatenate([seen, never])] = distinct([*symbols.labels, *missing])
    full = np.zeros((len(counts), prod(shape)))
    full[:, seen] = counts
    attributes = tuple(
        Attribute(column, side.labels) for column, side in zip(columns, sides, strict=True)
    )
    return Grid(full, tuple(names), attributes)
