"""The values of columns, and their texts and levels as the count found them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.data.spec import Filter
from core.data.tables import as_number, as_text, is_mark, is_text, passes
from core.data.treatment.bins import Bins, bin_index
from core.validation import BoolArray, IntArray

_BLANK = np.arange(256) <= ord(" ")
"""Bytes that may be blanks at the ends of a text."""


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

    def texts(self, values: Any) -> Any:
        """Return each value as text, as a string array; the same for every kind of file."""
        if pa.types.is_integer(values.type):
            return values.cast(pa.string())
        if pa.types.is_string(values.type) and _is_bare(values):
            return values
        found = self._asked("text", values, lambda value: {"text": as_text(value)})
        return found["text"].combine_chunks().cast(pa.string())

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


def _is_bare(texts: Any) -> bool:
    """Say whether no text of a string array is missing, empty, or begins or ends with a blank."""
    _, ends, content = texts.buffers()
    if texts.null_count or content is None:
        return False
    offsets = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if not (offsets[1:] > offsets[:-1]).all():
        return False
    data = np.frombuffer(content, np.uint8)
    return not (_BLANK[data[offsets[:-1]]].any() or _BLANK[data[offsets[1:] - 1]].any())


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a batch: its distinct values, and the index of each record's value."""

    values: Any
    index: IntArray


def encoded(values: Any) -> Column:
    """Return the distinct values of a column, NULL included, and the index of each record's."""
    if pa.types.is_dictionary(values.type):
        return _of_dictionary(values)
    if pa.types.is_nested(values.type):
        return Column(values, np.arange(len(values)))
    found = pc.dictionary_encode(values, null_encoding="encode")
    return Column(found.dictionary, found.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def _of_dictionary(values: Any) -> Column:
    """Return the values of a dictionary, and NULL behind them where some record has it."""
    known, index = values.dictionary, values.indices.cast(pa.int64())
    if known.null_count or pa.types.is_nested(known.type):
        return encoded(values.dictionary_decode())
    if index.null_count:
        index = index.fill_null(len(known))
        known = pa.concat_arrays([known, pa.nulls(1, known.type)])
    return Column(known, index.to_numpy(zero_copy_only=False).astype(np.int64))
