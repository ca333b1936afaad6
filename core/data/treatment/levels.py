"""Names and order of symbols: numbers along the number line, missing and rare ones last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.data.treatment.bins import Bins
from core.joint import JOINER, MISSING
from core.level_order import Level, RareGroup, all_numbers, number, position
from core.validation import FloatArray

Key = tuple[bool, tuple[Level, ...]]
"""A symbol as counted: whether it is the group of rare ones, and its level in each column."""


@dataclass(frozen=True)
class Symbols:
    """The symbols of S or of X, in order.

    Attributes
    ----------
    keys : tuple
        Each symbol as counted, n of them.
    labels : tuple of str
        Their names, distinct.
    values : ndarray or None
        Their numbers, shape (n,), where the symbols are numbers or bins of one column.
    """

    keys: tuple[Key, ...]
    labels: tuple[str, ...]
    values: FloatArray | None


def name_symbols(keys: set[Key], bins: Sequence[Bins | None], rare_levels: int) -> Symbols:
    """Return symbols in order, with names.

    Parameters
    ----------
    keys : set
        The symbols as counted.
    bins : sequence
        For each column its bins, or None.
    rare_levels : int
        Number of levels that were grouped as rare.
    """
    numeric = [
        cut is None and all_numbers({key[1][i] for key in keys}) for i, cut in enumerate(bins)
    ]

    def place(key: Key) -> tuple[object, ...]:
        return (key[0], *(position(*pair) for pair in zip(key[1], numeric, strict=True)))

    ordered = tuple(sorted(keys, key=place))
    names = [_name(key, bins, rare_levels) for key in ordered]
    return Symbols(ordered, distinct(names), _values(ordered, bins, numeric))


def _name(key: Key, bins: Sequence[Bins | None], rare_levels: int) -> str:
    rare, levels = key
    if rare:
        return f"(rare: {rare_levels:,} {'level' if rare_levels == 1 else 'levels'})"
    parts = []
    for level, cut in zip(levels, bins, strict=True):
        if level is None:
            parts.append(MISSING)
        else:
            parts.append(cut.labels[int(level)] if cut else str(level))
    return JOINER.join(parts)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with repeats numbered: different symbols can have the same joined name.

    Examples
    --------
    >>> distinct(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    taken = set(names)
    seen: set[str] = set()
    result = []
    for name in names:
        chosen, count = name, 1
        while chosen in seen or (count > 1 and chosen in taken):
            count += 1
            chosen = f"{name} ({count})"
        seen.add(chosen)
        result.append(chosen)
    return tuple(result)


def _values(
    keys: Sequence[Key], bins: Sequence[Bins | None], numeric: Sequence[bool]
) -> FloatArray | None:
    """Return the symbols' numbers, or None where one of them has none."""
    if len(bins) != 1 or any(rare or levels[0] is None for rare, levels in keys):
        return None
    levels = [levels[0] for _, levels in keys]
    if any(isinstance(level, RareGroup) for level in levels):
        return None
    if bins[0] is not None:
        found = bins[0].midpoints[[int(level) for level in levels if level is not None]]
        return None if np.isnan(found).any() else found
    if not numeric[0]:
        return None
    return np.array([number(level) for level in levels], dtype=np.float64)
