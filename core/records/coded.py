"""From the values of records to rows of a kernel, by the coding of the count it was made for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.counts.report import Counted
from core.data.spec import DataSpec
from core.data.treatment.coding import Coding
from core.errors import InvalidInputError
from core.joint import JOINER, MISSING
from core.records.values import Column, Values, encoded
from core.validation import BoolArray, IntArray

UNKNOWN = -1
"""Index of the symbol, or row, of a record whose value was not counted."""

MOST_NAMED = 1_000
"""Most unknown values that are counted by name; the rest are "others"."""


class SideCoder:
    """Finds the symbol of S or of X that each record of a batch has.

    Parameters
    ----------
    coding : Coding
        The symbols, with the levels of each.
    missing_is_level : bool
        Whether missing values were counted.
    values : Values
        Finds the levels of values.

    Raises
    ------
    InvalidInputError
        If it cannot be told which levels of a column are in its group of rare ones.
    """

    def __init__(self, coding: Coding, missing_is_level: bool, values: Values) -> None:
        self.coding = coding
        self._values = values
        self._missing_is_level = missing_is_level
        common = [(i, key[1]) for i, key in enumerate(coding.keys) if not key[0]]
        self._rare = next((i for i, key in enumerate(coding.keys) if key[0]), UNKNOWN)
        self._levels: list[dict[Any, int]] = []
        self._next: list[IntArray] = []
        prefixes: dict[tuple[Any, ...], int] = {(): 0}
        for depth in range(len(coding.columns)):
            levels = {
                one: i for i, one in enumerate(dict.fromkeys(key[depth] for _, key in common))
            }
            longer: dict[tuple[Any, ...], int] = {}
            table = np.full((len(prefixes) + 1, len(levels) + 1), UNKNOWN, dtype=np.int64)
            for place, key in common:
                until = key[: depth + 1]
                last = depth + 1 == len(coding.columns)
                longer.setdefault(until, place if last else len(longer))
                table[prefixes[key[:depth]], levels[key[depth]]] = longer[until]
            self._levels.append(levels)
            self._next.append(table)
            prefixes = longer
        width = len(coding.columns)
        self._coarser = [
            None if one is None else one.coarser() for one in coding.hierarchies or (None,) * width
        ]
        self._groups = coding.rare or ("",) * width
        kept = coding.kept or (None,) * width
        for name, group, own in zip(coding.columns, self._groups, kept, strict=True):
            if group and own is None and self._rare != UNKNOWN:
                raise InvalidInputError(
                    f"The coding of {name!r} does not list the levels outside {group!r}: count the "
                    "data again."
                )
        self._kept = [
            frozenset(levels if own is None else own)
            for levels, own in zip(self._levels, kept, strict=True)
        ]

    def __call__(self, columns: Mapping[str, Column], size: int) -> tuple[IntArray, list[Any]]:
        """Return the symbol of each record, and the levels of each column for `shown`.

        Parameters
        ----------
        columns : mapping
            The batch's columns.
        size : int
            Its records.

        Returns
        -------
        symbols : ndarray
            Shape (size,); `UNKNOWN` where the value was not counted.
        found : list
            For each column, the levels of its distinct values.
        """
        place = np.zeros(size, dtype=np.int64)
        may_be_rare = np.full(size, self._rare != UNKNOWN)
        found = []
        for depth, (name, bins, levels, table) in enumerate(
            zip(self.coding.columns, self.coding.bins, self._levels, self._next, strict=True)
        ):
            column = columns[name]
            level = self._made(depth, self._values.levels(name, column.values, bins))
            found.append(level)
            codes = np.array(
                [UNKNOWN if isinstance(one, list) else levels.get(one, UNKNOWN) for one in level],
                dtype=np.int64,
            )
            place = table[place, codes[column.index]]  # the last row and column are unknown
            if may_be_rare.any():
                counted = np.array(
                    [
                        not isinstance(one, list) and (one is not None or self._missing_is_level)
                        for one in level
                    ],
                    dtype=bool,
                )
                may_be_rare &= counted[column.index]
        place[(place == UNKNOWN) & may_be_rare] = self._rare
        return place, found

    def _made(self, depth: int, level: list[Any]) -> list[Any]:
        """Return levels of a column made coarser, and as their group where they are rare.

        A value that a table of parents lacks is a list of its text.
        """
        coarser, group = self._coarser[depth], self._groups[depth]
        if coarser is not None:
            made = [None if one is None else coarser(one) for one in level]
            level = [
                [one] if new is None and one is not None else new
                for one, new in zip(level, made, strict=True)
            ]
        if group:
            known = self._kept[depth]
            level = [
                one
                if isinstance(one, list)
                or one in known
                or (one is None and not self._missing_is_level)
                else group
                for one in level
            ]
        return level

    def shown(self, columns: Mapping[str, Column], found: list[Any], record: int) -> str:
        """Return the values of one record of a batch as text, joined."""
        parts = []
        for name, bins, levels in zip(self.coding.columns, self.coding.bins, found, strict=True):
            level = levels[columns[name].index[record]]
            if level is None:
                parts.append(MISSING)
            elif isinstance(level, list):
                parts.append(str(level[0]))
            else:
                parts.append(bins.labels[level] if bins is not None else str(level))
        return JOINER.join(parts)


@dataclass(frozen=True, eq=False)
class Coded:
    """The records of a batch as rows of a kernel.

    Attributes
    ----------
    asked : ndarray
        Which records pass the filters and have no symbol that is left out, shape (size,).
    rows : ndarray
        The kernel's row of each record, `UNKNOWN` where it has none, shape (size,).
    s, x : ndarray
        The joint's symbols of each record, `UNKNOWN` where it has none, shape (size,); s is
        `UNKNOWN` for all where the file has no column of S.
    unknown : Counter
        Number of records of each unknown value, of those that pass the filters.
    """

    asked: BoolArray
    rows: IntArray
    s: IntArray
    x: IntArray
    unknown: Counter[str]


class Coder:
    """Turns batches of records into rows of a kernel.

    Parameters
    ----------
    counted : Counted
        The count that the kernel was made for.
    spec : DataSpec
        The data that was counted.
    rows : int
        Number of rows of the kernel: n_x, or n_s·n_x if it reads S too.
    columns : sequence of str
        The columns of the file that the kernel is applied to.
    title : str
        Name of that file, for the error's sentence.

    Raises
    ------
    InvalidInputError
        If there are no records behind the joint, the kernel does not fit it, or the file lacks a
        column.
    """

    def __init__(
        self, counted: Counted, spec: DataSpec, rows: int, columns: Sequence[str], title: str
    ) -> None:
        joint = counted.joint
        if not counted.codings:
            raise InvalidInputError(
                f"{counted.report.title} is a joint distribution without columns: a release needs "
                "a scenario about a data set."
            )
        if rows not in (joint.n_x, joint.n_s * joint.n_x):
            raise InvalidInputError(
                f"The kernel is for another alphabet: it has {rows} rows, and the data has "
                f"{joint.n_x} symbols of X and {joint.n_s} of S."
            )
        self.joint = joint
        self.reads_s = rows != joint.n_x
        self._pairs = spec.secret_released
        self._filters = spec.filters
        needed = [*spec.released, *(one.column for one in spec.filters)]
        if self.reads_s or self._pairs or spec.without(spec.secret):
            needed += spec.secret
        for name in needed:
            if name not in columns:
                have = ", ".join(map(repr, columns[:20])) + (", …" if len(columns) > 20 else "")
                raise InvalidInputError(
                    f"The scenario is about the column {name!r}, and {title} has no such column: "
                    f"{have}."
                )
        self.sees_s = all(name in columns for name in spec.secret)
        self._values = Values(marks.column for marks in counted.report.marks)
        level = spec.missing == "level"
        s, x = (SideCoder(coding, level, self._values) for coding in counted.codings)
        self._s, self._x = s, x
        self._leaves_out = bool(spec.left_out)
        self._gone_s = _are_in(spec.without(spec.secret), s.coding.labels)
        self._gone_x = _are_in(spec.without(spec.released), x.coding.labels)
        self._of_s = _places(joint.s_labels, s.coding.labels)
        if self._pairs:
            pairs = [f"{a}{JOINER}{b}" for a in s.coding.labels for b in x.coding.labels]
            table = _places(joint.x_labels, pairs)[:-1].reshape(len(s.coding.labels), -1)
            self._of_pair = np.pad(table, (0, 1), constant_values=UNKNOWN)
        else:
            self._of_x = _places(joint.x_labels, x.coding.labels)
        used = {*needed, *(spec.secret if self.sees_s else ())}
        self.used = tuple(name for name in columns if name in used)

    def close(self) -> None:
        """Release its DuckDB."""
        self._values.close()

    def texts(self, values: Any) -> Any:
        """Return values as text, as `Values.texts`."""
        return self._values.texts(values)

    def __call__(self, columns: Mapping[str, Any], size: int) -> Coded:
        """Return a batch's records as rows of the kernel.

        Parameters
        ----------
        columns : mapping
            The values of each column in `used`, as Arrow arrays.
        size : int
            Number of records.
        """
        batch = {name: encoded(columns[name]) for name in self.used}
        asked = np.ones(size, dtype=bool)
        for chosen in self._filters:
            column = batch[chosen.column]
            asked &= self._values.passing(chosen, column.values)[column.index]
        released, of_x = self._x(batch, size)
        if self.sees_s:
            secret, of_s = self._s(batch, size)
        else:
            secret, of_s = np.full(size, UNKNOWN), []
        if self._leaves_out:
            asked &= ~(self._gone_s[secret] | self._gone_x[released])
        s = self._of_s[secret]
        x = self._of_pair[secret, released] if self._pairs else self._of_x[released]
        rows = np.where((s >= 0) & (x >= 0), s * self.joint.n_x + x, UNKNOWN) if self.reads_s else x
        unknown: Counter[str] = Counter()
        for record in np.flatnonzero(asked & (rows < 0)).tolist():
            parts = []
            if self._pairs or (self.reads_s and s[record] < 0):
                parts.append(self._s.shown(batch, of_s, record))
            if self._pairs or x[record] < 0:
                parts.append(self._x.shown(batch, of_x, record))
            name = JOINER.join(parts)
            unknown[name if len(unknown) < MOST_NAMED or name in unknown else "others"] += 1
        return Coded(asked, rows, s, x, unknown)


def _places(labels: Sequence[str], found: Sequence[str]) -> IntArray:
    """Return the index in `labels` of each label found, and `UNKNOWN` as a last entry."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([*(place.get(label, UNKNOWN) for label in found), UNKNOWN], dtype=np.int64)


def _are_in(names: Collection[str], labels: Sequence[str]) -> BoolArray:
    """Return which labels are among some names, and False for an unknown one as a last entry."""
    return np.array([*(label in names for label in labels), False], dtype=bool)


@contextmanager
def coder(
    counted: Counted, spec: DataSpec, rows: int, columns: Sequence[str], title: str
) -> Iterator[Coder]:
    """Open a `Coder`, and close it at the end."""
    made = Coder(counted, spec, rows, columns, title)
    try:
        yield made
    finally:
        made.close()
