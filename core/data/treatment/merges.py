"""Symbols that become one, or are left out: what the others are called, and their counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from core.data.spec import Merge
from core.validation import FloatArray


def merged_names(
    labels: Sequence[str], merges: Iterable[Merge], left_out: Collection[str] = ()
) -> tuple[str, ...]:
    """Return what each symbol is called once some became one; those that did share a name.

    Parameters
    ----------
    labels : sequence of str
        The symbols' names, n of them, distinct.
    merges : iterable of Merge
        Which become one. Names that no symbol has are ignored, and so is a merge of which fewer
        than two are left.
    left_out : collection of str
        Names of symbols that stay as they are, and that no other symbol gets.

    Returns
    -------
    names : tuple of str
        n names; different symbols never share one.

    Examples
    --------
    >>> merged_names(["a", "b", "c"], [Merge(("x",), ("c", "a"))])
    ('c or a', 'b', 'c or a')
    """
    known = set(labels)
    free = known.difference(left_out)
    there = [[name for name in merge.names if name in free] for merge in merges]
    groups = [names for names in there if len(names) > 1]
    taken = known.union(left_out).difference(*groups)
    becomes: dict[str, str] = {}
    for names in groups:
        title = chosen = " or ".join(names)
        count = 1
        while chosen in taken:
            count += 1
            chosen = f"{title} ({count})"
        taken.add(chosen)
        becomes |= dict.fromkeys(names, chosen)
    return tuple(becomes.get(label, label) for label in labels)


def merged_groups(labels: Sequence[str], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the symbols of each group that shares a name, of what `merged_names` returns.

    Examples
    --------
    >>> merged_groups(["a", "b", "c"], ["c or a", "b", "c or a"])
    (('a', 'c'),)
    """
    groups: dict[str, list[str]] = {}
    for label, name in zip(labels, names, strict=True):
        groups.setdefault(name, []).append(label)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def unknown_symbols(
    labels: Sequence[str], merges: Iterable[Merge], left_out: Collection[str]
) -> tuple[str, ...]:
    """Return the names to be merged or left out that no symbol has, in alphabetical order.

    Examples
    --------
    >>> unknown_symbols(["a", "b"], [Merge(("x",), ("b", "z"))], {"a", "y"})
    ('y', 'z')
    """
    asked = {name for merge in merges for name in merge.names}.union(left_out)
    return tuple(sorted(asked.difference(labels)))


def added_up(counts: FloatArray, names: Sequence[str]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return rows with those of the same name added up, each where the first of them was.

    Parameters
    ----------
    counts : ndarray
        Shape (n, m).
    names : sequence of str
        A name for each row.

    Returns
    -------
    counts : ndarray
        Shape (k, m), k the number of different names.
    names : tuple of str
        The k names.

    Examples
    --------
    >>> added_up(np.array([[1.0], [2.0], [4.0]]), ["a", "b", "a"])
    (array([[5.],
           [2.]]), ('a', 'b'))
    """
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    total = np.zeros((len(place), counts.shape[1]))
    np.add.at(total, [place[name] for name in names], counts)
    return total, tuple(place)
