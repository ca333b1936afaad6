"""Widths to begin a hierarchy of intervals with, so that each level is coarser than the last."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from core.data.options import ReadOptions
from core.data.readers.column_levels import column_levels
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.treatment.bins import as_decimal
from core.level_order import number
from core.limits import MAX_BINS

PARTS = 20
"""Most intervals with a record that the first level has."""

LOOKED = 2_000
"""Most numbers of a column that are looked at, the most frequent."""

LEVELS = 3
"""Most levels that are suggested."""

_TIMES = (2, 4, 5, 10, 20, 50, 100, 1_000)
"""How many times as wide the next level's intervals may be."""

_LARGEST = Fraction(10) ** 306
"""Largest width, and one over the smallest: floats hold their multiples."""


def interval_steps(values: Sequence[float]) -> tuple[float, ...]:
    """Return widths of intervals by which each level has fewer levels than the one below.

    Parameters
    ----------
    values : sequence of float
        The numbers of a column; those that are not finite are left out.

    Returns
    -------
    tuple of float
        One to three widths, each a multiple of the one before: 1, 2 or 5 times a power of ten,
        then the least multiple that makes levels one. The last level still tells two intervals
        apart, unless no level does; numbers on both sides of 0 are never in one.

    Examples
    --------
    >>> interval_steps(range(10))  # widths of .5 and 1 would leave ten levels
    (2.0, 4.0, 8.0)
    >>> interval_steps([0.0, 0.1, 0.2, 0.3])
    (0.2,)
    """
    exact = sorted({as_decimal(one) for one in values if math.isfinite(one)})
    if len(exact) < 2:
        return (1.0,)
    far = min(10 * max(map(abs, exact)), _LARGEST)
    least = max((exact[-1] - exact[0]) / (MAX_BINS - 2), 1 / _LARGEST)
    widths = list(itertools.takewhile(lambda one: one <= far, _widths(min(least, far / 5))))
    fewer = [one for one in widths if _occupied(exact, one) <= min(PARTS, len(exact) - 1)]
    steps = [fewer[0] if fewer else widths[-1]]
    while len(steps) < LEVELS:
        left = _occupied(exact, steps[-1])
        wider = (steps[-1] * times for times in _TIMES if steps[-1] * times <= _LARGEST)
        found = next((one for one in wider if 1 < _occupied(exact, one) < left), None)
        if found is None:
            break
        steps.append(found)
    return tuple(map(float, steps))


def suggested_steps(
    source: str, column: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[float, ...]:
    """Return `interval_steps` of a column's most frequent numbers.

    Parameters
    ----------
    source, column, sources, read
        As in `core.data.column_levels`.

    Raises
    ------
    InvalidInputError
        If there is no such data or column.

    Examples
    --------
    >>> suggested_steps("adult", "age")
    (5.0, 10.0, 20.0)
    """
    labels = column_levels(source, column, sources, LOOKED, read).labels
    return interval_steps([one for one in map(number, labels) if one is not None])


def _widths(least: Fraction) -> Iterator[Fraction]:
    """Yield 1, 2 and 5 times the powers of ten, from the first that is at least a number."""
    for power in itertools.count(math.floor(math.log10(least))):
        for times in (1, 2, 5):
            width = times * Fraction(10) ** power
            if width >= least:
                yield width


def _occupied(values: Sequence[Fraction], width: Fraction) -> int:
    """Return how many intervals from 0 on, and below it, have a value."""
    return len({value // width for value in values})
