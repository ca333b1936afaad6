"""Symbols of S and X: how records become them, their names and order, and those that are merged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from core.data.hierarchies import Hierarchy
from core.data.spec import Merge
from core.data.treatment.bins import Bins
from core.joint import JOINER, MISSING
from core.level_order import Level, RareGroup, all_numbers, number, position
from core.validation import BoolArray, FloatArray
from core.wording import free_name

Key = tuple[bool, tuple[Level, ...]]
"""A symbol as counted: whether it is the group of rare ones, and its level in each column."""

Kept = tuple[tuple[Level, ...] | None, ...]
"""By column, the levels outside its group of rare ones; None where it has no such group."""


@dataclass(frozen=True)
class Symbols:
    """The symbols of S or X in order: keys as counted, distinct names, numbers (n,) if numeric."""

    keys: tuple[Key, ...]
    labels: tuple[str, ...]
    values: FloatArray | None

    def only(self, stays: BoolArray) -> Symbols:
        """Return those that stay, (n,)."""
        values = None if self.values is None else self.values[stays]
        return Symbols(
            tuple(compress(self.keys, stays)), tuple(compress(self.labels, stays)), values
        )


def name_symbols(keys: set[Key], bins: Sequence[Bins | None], rare_levels: int) -> Symbols:
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
        return rare_name(rare_levels)
    parts = []
    for level, cut in zip(levels, bins, strict=True):
        if level is None:
            parts.append(MISSING)
        else:
            parts.append(cut.labels[int(level)] if cut else str(level))
    return JOINER.join(parts)


def rare_name(levels: int) -> str:
    return f"(rare: {levels:,} {'level' if levels == 1 else 'levels'})"


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with repeats numbered: different symbols can have the same joined name."""
    taken = set(names)
    seen: dict[str, None] = {}
    for name in names:
        later = name in seen
        seen[free_name(name, lambda text: text in seen or text in taken) if later else name] = None
    return tuple(seen)


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
        midpoints = bins[0].midpoints[[int(level) for level in levels if level is not None]]
        return None if np.isnan(midpoints).any() else midpoints
    if not numeric[0]:
        return None
    return np.array([number(level) for level in levels], dtype=np.float64)


@dataclass(frozen=True)
class Coding:
    """The symbols of S or of X, with the levels of the columns that each is made of.

    `keys`: each symbol as counted: whether it is the group of rare ones, and its level in each
    column (text, the index of a bin, or None if missing). `labels`: names in the joint; merged
    symbols share one. By column, empty where none has one: `hierarchies`; `rare`, the name of the
    group of rare levels, "" for none; `kept`, the other levels, empty too where no whole symbols
    are grouped as rare: then `keys` has all levels. `left_in`: those of `kept` that records have
    with no symbol that is left out.
    """

    columns: tuple[str, ...]
    bins: tuple[Bins | None, ...]
    keys: tuple[Key, ...]
    labels: tuple[str, ...]
    hierarchies: tuple[Hierarchy | None, ...] = ()
    rare: tuple[str, ...] = ()
    kept: Kept = ()
    left_in: Kept = ()


def merged_names(
    labels: Sequence[str], merges: Iterable[Merge], left_out: Collection[str] = ()
) -> tuple[str, ...]:
    """Return what each symbol is called once some became one; those that did share a name."""
    known = set(labels)
    free = known.difference(left_out)
    there = [[name for name in merge.names if name in free] for merge in merges]
    groups = [names for names in there if len(names) > 1]
    taken = known.union(left_out).difference(*groups)
    becomes: dict[str, str] = {}
    for names in groups:
        chosen = free_name(" or ".join(names), taken.__contains__)
        taken.add(chosen)
        becomes |= dict.fromkeys(names, chosen)
    return tuple(becomes.get(label, label) for label in labels)


def merged_groups(labels: Sequence[str], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the symbols of each group that shares a name, of what `merged_names` returns."""
    groups: dict[str, list[str]] = {}
    for label, name in zip(labels, names, strict=True):
        groups.setdefault(name, []).append(label)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def unknown_symbols(
    labels: Sequence[str], merges: Iterable[Merge], left_out: Collection[str]
) -> tuple[str, ...]:
    """Return the names to be merged or left out that no symbol has, in alphabetical order."""
    names = {name for merge in merges for name in merge.names}.union(left_out)
    return tuple(sorted(names.difference(labels)))


def added_up(counts: FloatArray, names: Sequence[str]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return rows with those of the same name added up, each where the first of them was."""
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    total = np.zeros((len(place), counts.shape[1]))
    np.add.at(total, [place[name] for name in names], counts)
    return total, tuple(place)
