"""The order of a column's levels: numbers along the number line, names by letter, missing last."""

from __future__ import annotations

from collections.abc import Iterable

from core import texts

Level = str | int | None
"""A level as counted: text, the index of a bin, or None where the value is missing."""


class RareGroup(str):
    """The name of a group of one column's rare levels, which is no number and comes last."""


def number(level: Level) -> float | None:
    """Return a level as a finite number, or None if it is none."""
    if isinstance(level, str):
        return texts.number(level)
    return None if level is None else float(level)


def all_numbers(levels: Iterable[Level]) -> bool:
    """Say whether a column's levels are numbers; missing ones do not count."""
    present = [level for level in levels if level is not None and not isinstance(level, RareGroup)]
    return bool(present) and all(number(level) is not None for level in present)


def position(level: Level, numeric: bool) -> tuple[object, ...]:
    """Return a key to sort a column's levels by."""
    if level is None:
        return (1,)
    if isinstance(level, RareGroup):
        return (2,)
    if isinstance(level, int):
        return (0, level)
    return (0, number(level), level) if numeric else (0, level)
