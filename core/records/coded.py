"""From the values of records to rows of a kernel, by the coding of the count it was made for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.data.counts.report import Counted
from core.data.spec import DataSpec, Filter
from core.data.tables import (
    as_number,
    as_text,
    define_texts,
    is_mark,
    is_text,
    open_duckdb,
    passes,
    plain_text,
)
from core.data.treatment.bins import Bins, bin_index
from core.data.treatment.symbols import Coding
from core.errors import InvalidInputError
from core.joint import JOINER, MISSING
from core.records.draws import Words
from core.records.files import check_years, takeable
from core.validation import BoolArray, IntArray
from core.wording import instead_of

_BLANK = np.arange(256) <= ord(" ")
"""Bytes that may be blanks at the ends of an ASCII text."""


class Values:
    """Finds the levels of values as the count did, with its own DuckDB."""

    def __init__(self, marked: Iterable[str]) -> None:
        self._backend = open_duckdb()
        define_texts(self._backend)
        self._marked = frozenset(marked)
        self._queries: dict[Any, str] = {}
        self._results: dict[Any, pa.Table] = {}

    def close(self) -> None:
        self._backend.disconnect()

    def levels(self, column: str, values: Any, bins: Bins | None) -> list[Any]:
        """Return each value's level: text, or the index of a bin; None where it is missing."""

        def level(value: Any) -> dict[str, Any]:
            word = ibis.null("string")
            if bins is not None and value.type().is_string():
                word = ibis.ifelse(is_text(value), value, word)
            plain = self._unmarked(column, value)
            counted = as_text(plain) if bins is None else bin_index(as_number(plain), bins)
            return {"level": counted, "word": word}

        table = self._known(("level", column, bins), values, level).to_pydict()
        return [
            label if word is None else [word]
            for label, word in zip(table["level"], table["word"], strict=True)
        ]

    def passing(self, chosen: Filter, values: Any) -> BoolArray:
        def passing(value: Any) -> dict[str, Any]:
            return {"passes": passes(self._unmarked(chosen.column, value), chosen)}

        passed = self._known(chosen, values, passing)["passes"].to_pylist()
        return np.array(passed, dtype=bool)

    def texts(self, values: Any) -> Any:
        if pa.types.is_integer(values.type):
            return values.cast(pa.string())
        if pa.types.is_string(values.type) and _is_bare(values):
            return values
        table = self._queried("text", values, _as_id)
        return table["text"].combine_chunks().cast(pa.string())

    def hashes(self, ids: Any) -> Words:
        """Return whole numbers of 64 bits, equal for equal texts or whole numbers, shape (n,)."""
        whole = pa.types.is_integer(ids.type)
        hashes = ids if whole else self._queried("hash", ids, _as_hash)["hash"]
        result: Words = hashes.to_numpy().astype(np.uint64, copy=False)
        return result

    def _unmarked(self, column: str, value: Any) -> Any:
        if column in self._marked and value.type().is_string():
            return ibis.ifelse(is_mark(value), ibis.null("string"), value)
        return value

    def _known(self, key: Any, values: Any, query_of: Any) -> pa.Table:
        """Return what `_queried` does; a batch whose values the last one had needs no query."""
        kept = self._results.get((key, values.type))
        if kept is not None:
            places = pc.index_in(values, kept["value"])
            if not places.null_count:
                return kept.take(places)
        table = self._queried(key, values, query_of)
        self._results[key, values.type] = table.append_column("value", values)
        return table

    def _queried(self, key: Any, values: Any, query_of: Any) -> pa.Table:
        """Return the results of a query for each value; it is compiled once for each type."""
        table = pa.table({"value": values})
        query = self._queries.get((key, values.type))
        connection = self._backend.con
        connection.register("distinct_values", table)
        try:
            if query is None:
                known = self._backend.table("distinct_values")
                query = self._backend.compile(known.select(**query_of(known.value)))
                self._queries[key, values.type] = query
            return connection.sql(query).to_arrow_table()
        finally:
            connection.unregister("distinct_values")


def _as_id(value: Any) -> dict[str, Any]:
    return {"text": plain_text(value) if value.type().is_string() else as_text(value)}


def _as_hash(value: Any) -> dict[str, Any]:
    return {"hash": _hash(value)}


@ibis.udf.scalar.builtin(name="hash")  # type: ignore[untyped-decorator]
def _hash(text: str) -> int:  # type: ignore[empty-body]
    """Return DuckDB's hash of a text; that of Ibis takes it for a signed number by way of bits."""


def _is_bare(texts: Any) -> bool:
    """Say whether all texts of a string array are ASCII without blanks at their ends."""
    _, ends, content = texts.buffers()
    if texts.null_count or content is None:
        return False
    offsets = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if not (offsets[1:] > offsets[:-1]).all():
        return False
    data = np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    if data.max(initial=0) > 127:
        return False
    return not (_BLANK[data[offsets[:-1]]].any() or _BLANK[data[offsets[1:] - 1]].any())


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a batch: its distinct values, and the index of each record's value."""

    values: Any
    index: IntArray


def as_counted(values: Any, name: str) -> Any:
    """Return a column of Parquet in the type that a count by DuckDB reads it in."""
    kind = values.type
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        raise InvalidInputError(
            f"Column {name!r} has the type {kind}: S, X, ids and filters need a text, a number, a "
            "time or a truth value in each cell."
        )
    if pa.types.is_decimal(kind) and kind.precision > _DIGITS:
        raise InvalidInputError(
            f"Column {name!r} has numbers of {kind.precision} digits; S, X, ids and filters may "
            f"have at most {_DIGITS}."
        )
    check_years(values, name)
    if pa.types.is_float16(kind):
        return values.cast(pa.float32())
    if pa.types.is_duration(kind):
        return values.cast(pa.int64())
    if pa.types.is_decimal(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    return values.cast(takeable(kind))


_DIGITS = 38
"""The most digits of a decimal number that DuckDB counts exactly."""


def encoded(values: Any) -> Column:
    """Return the distinct values of a column, NULL included, and the index of each record's."""
    if pa.types.is_dictionary(values.type):
        return _of_dictionary(values)
    coded = pc.dictionary_encode(values, null_encoding="encode")
    return Column(
        coded.dictionary,
        coded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
    )


def _of_dictionary(values: Any) -> Column:
    """Return the values of a dictionary, then NULL where some record has no value."""
    known, index = values.dictionary, values.indices.cast(pa.int64())
    if known.null_count:
        return encoded(values.dictionary_decode())
    if index.null_count:
        index = index.fill_null(len(known))
        known = pa.concat_arrays([known, pa.nulls(1, known.type)])
    return Column(known, index.to_numpy(zero_copy_only=False).astype(np.int64))


UNKNOWN = -1
"""Index of the symbol, or row, of a record whose value was not counted."""


class SideCoder:
    """Finds the symbol of S or of X that each record of a batch has."""

    def __init__(self, coding: Coding, missing_is_level: bool, values: Values) -> None:
        self.coding = coding
        self._values = values
        self._missing_is_level = missing_is_level
        self._known = {key: place for place, (rare, key) in enumerate(coding.keys) if not rare}
        self._rare = next((i for i, (rare, _) in enumerate(coding.keys) if rare), UNKNOWN)
        none = (None,) * len(coding.columns)
        self._coarser = [
            None if hierarchy is None else hierarchy.coarser()
            for hierarchy in coding.hierarchies or none
        ]
        self._groups = coding.rare or ("",) * len(none)
        self._kept = []
        for depth, own in enumerate(coding.kept or none):
            group, name = self._groups[depth], coding.columns[depth]
            if group and own is None and self._rare != UNKNOWN:
                raise InvalidInputError(
                    f"The coding of {name!r} does not list the levels outside {group!r}: count the "
                    "data again."
                )
            levels = (key[depth] for key in self._known)
            self._kept.append(frozenset(levels if own is None else own))

    def __call__(self, columns: Mapping[str, Column], size: int) -> tuple[IntArray, list[Any]]:
        """Return the symbol of each record, and the levels of each column for `shown`."""
        keys: list[tuple[Any, ...]] = [()]
        kind: IntArray = np.zeros(size, dtype=np.int64)  # of each record, the place of its key
        levels = []
        for depth, (name, bins) in enumerate(
            zip(self.coding.columns, self.coding.bins, strict=True)
        ):
            column = columns[name]
            level = self._coarsened(depth, self._values.levels(name, column.values, bins))
            levels.append(level)
            pairs, kind = kind * len(level) + column.index, column.index
            if len(keys) == 1:
                keys = [(*keys[0], label) for label in level]
                continue
            pairs, kind = np.unique(pairs, return_inverse=True)
            places = (divmod(pair, len(level)) for pair in pairs.tolist())
            keys = [(*keys[before], level[place]) for before, place in places]
        symbols = np.array([*map(self._symbol, keys), UNKNOWN], dtype=np.int64)
        return symbols[kind], levels

    def _symbol(self, key: tuple[Any, ...]) -> int:
        if any(isinstance(label, list) for label in key):
            return UNKNOWN
        countable = self._missing_is_level or None not in key
        return self._known.get(key, self._rare if countable else UNKNOWN)

    def _coarsened(self, depth: int, level: list[Any]) -> list[Any]:
        """Return a column's levels as its hierarchy makes them, rare ones as their group."""
        coarser, group = self._coarser[depth], self._groups[depth]
        if coarser is not None:
            made = [None if label is None else coarser(label) for label in level]
            level = [
                [label] if new is None and label is not None else new
                for label, new in zip(level, made, strict=True)
            ]
        if group:
            known = self._kept[depth]
            level = [
                label
                if isinstance(label, list)
                or label in known
                or (label is None and not self._missing_is_level)
                else group
                for label in level
            ]
        return level

    def shown(self, columns: Mapping[str, Column], by_column: list[Any], record: int) -> str:
        """Return the values of one record of a batch as text, joined."""
        parts = []
        for name, bins, levels in zip(
            self.coding.columns, self.coding.bins, by_column, strict=True
        ):
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
    """Records of a batch as rows of a kernel and symbols, or `UNKNOWN`, (size,)."""

    included: BoolArray
    rows: IntArray
    s: IntArray
    x: IntArray
    unknown: Counter[str]


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedPairs(Counted):
    """S and pairs of X and a group of known values: the rows of kernels that are made for each.

    `alone`: S and X. `known`: S and what is known, as if it were X. `pair`: the row of each known
    value and X, `UNKNOWN` for none and where one of both is unknown, shape (n_k + 1, n_x + 1).
    """

    alone: Counted
    known: Counted
    pair: IntArray


class Coder:
    """Turns batches of records into rows of a kernel, until it is closed."""

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
                f"The kernel is for another alphabet: it has {rows} rows, but the data have "
                f"{joint.n_x} symbols of X and {joint.n_s} of S."
            )
        self.joint = joint
        self.reads_s = rows != joint.n_x
        self._pairs = spec.secret_released
        self._filters = spec.filters
        needed = [*spec.released, *(chosen.column for chosen in spec.filters)]
        if self.reads_s or self._pairs or spec.without(spec.secret):
            needed += spec.secret
        for name in needed:
            if name not in columns:
                raise InvalidInputError(
                    f"The scenario uses the column {name!r}, but {title} has no such column"
                    f"{instead_of(name, columns)}."
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
        self._values.close()

    def texts(self, values: Any) -> Any:
        return self._values.texts(values)

    def hashes(self, ids: Any) -> Words:
        return self._values.hashes(ids)

    def __call__(self, columns: Mapping[str, Any], size: int) -> Coded:
        batch = {name: encoded(as_counted(columns[name], name)) for name in self.used}
        included = np.ones(size, dtype=bool)
        for chosen in self._filters:
            column = batch[chosen.column]
            included &= self._values.passing(chosen, column.values)[column.index]
        released, of_x = self._x(batch, size)
        if self.sees_s:
            secret, of_s = self._s(batch, size)
        else:
            secret, of_s = np.full(size, UNKNOWN), []
        if self._leaves_out:
            included &= ~(self._gone_s[secret] | self._gone_x[released])
        s = self._of_s[secret]
        x = self._of_pair[secret, released] if self._pairs else self._of_x[released]
        rows = np.where((s >= 0) & (x >= 0), s * self.joint.n_x + x, UNKNOWN) if self.reads_s else x
        unknown: Counter[str] = Counter()
        for record in np.flatnonzero(included & (rows < 0)).tolist():
            parts = []
            if self._pairs or (self.reads_s and s[record] < 0):
                parts.append(self._s.shown(batch, of_s, record))
            if self._pairs or x[record] < 0:
                parts.append(self._x.shown(batch, of_x, record))
            name = JOINER.join(parts)
            unknown[name if len(unknown) < 1_000 or name in unknown else "others"] += 1
        return Coded(included, rows, s, x, unknown)


class PairCoder(Coder):
    """Finds the pairs of X and what is known, in the place of X."""

    def __init__(
        self, counted: CountedPairs, spec: DataSpec, columns: Sequence[str], title: str
    ) -> None:
        alone, known = counted.alone, counted.known
        super().__init__(alone, spec, alone.joint.n_x, columns, title)
        others = replace(spec, released=spec.known, known=())
        self._known = Coder(known, others, known.joint.n_x, columns, title)
        self._pair = counted.pair
        self.joint = counted.joint
        self.used = tuple(name for name in columns if name in {*self.used, *self._known.used})

    def close(self) -> None:
        super().close()
        self._known.close()

    def __call__(self, columns: Mapping[str, Any], size: int) -> Coded:
        coded = super().__call__(columns, size)
        pair = self._pair[self._known(columns, size).x, coded.x]
        unknown = coded.unknown.copy()
        others = coded.included & (coded.x >= 0) & (pair < 0)
        if others.any():
            unknown["(what others know)"] += int(others.sum())
        return replace(coded, rows=pair, x=pair, unknown=unknown)


def coder_of(
    counted: Counted, spec: DataSpec, rows: int, columns: Sequence[str], title: str
) -> Coder:
    """Return what finds the rows of a kernel for the records of a table with these columns."""
    if isinstance(counted, CountedPairs):
        return PairCoder(counted, spec, columns, title)
    return Coder(counted, spec, rows, columns, title)


def _places(labels: Sequence[str], names: Sequence[str]) -> IntArray:
    """Return the index in `labels` of each name, then `UNKNOWN`."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([*(place.get(label, UNKNOWN) for label in names), UNKNOWN], dtype=np.int64)


def _are_in(names: Collection[str], labels: Sequence[str]) -> BoolArray:
    """Return which labels are among some names, then False for an unknown label."""
    return np.array([*(label in names for label in labels), False], dtype=bool)
