"""How records become symbols: kept from a count, so that a mechanism can be applied."""

from __future__ import annotations

from dataclasses import dataclass

from core.data.hierarchies import Hierarchy
from core.data.treatment.bins import Bins
from core.data.treatment.levels import Key
from core.level_order import Level


@dataclass(frozen=True)
class Coding:
    """The symbols of S or of X, with the levels of the columns that each is made of.

    Attributes
    ----------
    columns : tuple of str
        The columns, joined where there are several.
    bins : tuple
        For each column its bins, or None.
    keys : tuple
        Each symbol as counted: whether it is the group of rare ones, and its level in each column
        (text, the index of a bin, or None where the value is missing).
    labels : tuple of str
        Their names in the joint; those that were merged share one.
    hierarchies : tuple
        For each column the hierarchy that made its texts coarser, or None; empty for none.
    rare : tuple of str
        For each column the name of the group of its rare levels, "" where there is none; empty
        where no column has one.
    kept : tuple
        For each column with a group of rare levels its other levels, in order, and None for the
        rest. Empty where no whole symbols are grouped as rare: then `keys` has all levels.

    Examples
    --------
    >>> from core.data import DataSpec, count
    >>> coding = count(DataSpec()).codings[0]
    >>> coding.columns, coding.labels, coding.keys[0]
    (('sex',), ('Female', 'Male'), (False, ('Female',)))
    """

    columns: tuple[str, ...]
    bins: tuple[Bins | None, ...]
    keys: tuple[Key, ...]
    labels: tuple[str, ...]
    hierarchies: tuple[Hierarchy | None, ...] = ()
    rare: tuple[str, ...] = ()
    kept: tuple[tuple[Level, ...] | None, ...] = ()
