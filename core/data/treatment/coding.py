"""How records become symbols: what a count found, kept so that a mechanism can be applied."""

from __future__ import annotations

from dataclasses import dataclass

from core.data.treatment.bins import Bins
from core.data.treatment.levels import Key


@dataclass(frozen=True)
class Coding:
    """The symbols of S or of X, and the values of the columns that stand for each.

    Attributes
    ----------
    columns : tuple of str
        The columns, joined where there are several.
    bins : tuple
        For each column its bins, or None.
    keys : tuple
        Each symbol as counted: whether it is the group of rare ones, and its level in each column:
        text, the number of a bin, or None where the value is missing.
    labels : tuple of str
        Their names, as the joint has them.

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
