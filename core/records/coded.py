"""From the values of records to rows of a kernel, by the coding of the count it was made for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.data.counts.report import Counted
from core.data.spec import DataSpec, Filter
from core.data.tables import as_number, as_text, is_mark, is_text, passes
from core.data.treatment.bins import Bins, bin_index
from core.data.treatment.coding import Coding
from core.errors import InvalidInputError
from core.joint import JOINER, MISSING
from core.validation import BoolArray, IntArray

UNKNOWN = -1
"""Index of the symbol, or row, of a record whose value was not counted."""

MOST_NAMED = 1_000
"""Most unknown values that are counted by name; the rest are "others"."""


class Values:
    """Finds the levels of values as the count did, with its own DuckDB.

    Parameters
    ----------
    marked : iterable of str
        Columns of numbers in which marks such as NA stand for missing values.
    """

    def __init__(self, marked: Iterable[str]) -> None:
        self._backend = ibis.duckdb.connect()
        self._marked = frozenset(marked)
        self._queries: dict[Any, str] = {}

    def close(self) -> None:
        """Close the DuckDB."""
        self._backend.disconnect()

    def levels(self, column: str, values: Any, bins: Bins | None) -> list[Any]:
        """Return each value's level: text, or the index of a bin; None where it is missing.

        For a value that is no number in a column with bins it is a list of the value's text.
        """

        def level(value: Any) -> dict[str, Any]:
            value = value.cast("string") if value.type().is_nested() else value
            word = ibis.null("string")
            if bins is not None and value.type().is_string():
                word = ibis.ifelse(is_text(value), value, word)
            plain = self._unmarked(column, value)
            found = as_text(plain) if bins is None else bin_index(as_number(plain), bins)
            return {"level": found, "word": word}

        found = self._asked(("level", column, bins), values, level).to_pydict()
        return [
            one if word is None else [word]
            for one, word in zip(found["level"], found["word"], strict=True)
        ]

    def passing(self, chosen: Filter, values: Any) -> BoolArray:
        """Return whether each value passes a filter."""

        def passing(value: Any) -> dict[str, Any]:
            return {"passes": passes(self._unmarked(chosen.column, value), chosen)}

        found = self._asked(chosen, values, passing)["passes"].to_pylist()
        return np.array(found, dtype=bool)

    def texts(self, values: Any) -> list[str | None]:
        """Return each value as text, the same for every kind of file."""
        found = self._asked("text", values, lambda value: {"text": as_text(value)})
        texts: list[str | None] = found["text"].to_numpy(zero_copy_only=False).tolist()
        return texts

    def _unmarked(self, column: str, value: Any) -> Any:
        if column in self._marked and value.type().is_string():
            return ibis.ifelse(is_mark(value), ibis.null("string"), value)
        return value

    def _asked(self, key: Any, values: Any, ask: Any) -> pa.Table:
        """Return the results of a query for each value; it is compiled once for each type."""
        table = pa.table({"value": values})
        query = self._queries.get((key, values.type))
        connection = self._backend.con
        connection.register("distinct_values", table)
        try:
            if query is None:
                known = self._backend.table("distinct_values")
                query = self._backend.compile(known.select(**ask(known.value)))
                self._queries[key, values.type] = query
            return connection.sql(query).to_arrow_table()
        finally:
            connection.unregister("distinct_values")


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of a batch: its distinct values, and the index of each record's value."""

    values: Any
    index: IntArray


def encoded(values: Any) -> _Column:
    """Return the distinct values of a column, NULL included, and the index of each record's."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_nested(values.type):
        return _Column(values, np.arange(len(values)))
    found = pc.dictionary_encode(values, null_encoding="encode")
    return _Column(found.dictionary, found.indices.to_numpy(zero_copy_only=False).astype(np.int64))


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

    def __call__(self, columns: Mapping[str, _Column], size: int) -> tuple[IntArray, list[Any]]:
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
        for name, bins, levels, table in zip(
            self.coding.columns, self.coding.bins, self._levels, self._next, strict=True
        ):
            column = columns[name]
            level = self._values.levels(name, column.values, bins)
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

    def shown(self, columns: Mapping[str, _Column], found: list[Any], record: int) -> str:
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
        Which records pass the filters, shape (size,).
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
        if self.reads_s or self._pairs:
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

    def texts(self, values: Any) -> list[str | None]:
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
