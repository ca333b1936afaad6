"""Open a file as a table that DuckDB counts in place: no row enters Python."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import ibis

from core.data.spec import Filter
from core.errors import InvalidInputError
from core.joint import MISSING
from core.limits import DUCKDB_MEMORY
from core.validation import shown

BLANKS = ("?", "na", "n/a", "nan", "null", "none", "-", ".")
"""What stands for a missing number in a column of numbers, in lower case."""


@dataclass(frozen=True)
class FileTable:
    """A file on disk, or several of one shape, whose columns are known.

    Attributes
    ----------
    title : str
        What a sentence to the user calls it.
    paths : tuple of Path
        The files; their records together are the table.
    columns : tuple of str
        Names of the columns, in the order of the file.
    delimiter : str
        Between the fields of a line of text; empty for Parquet.
    skip : int
        Lines of text before the first record.
    """

    title: str
    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    delimiter: str = ""
    skip: int = 0


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table that is ready for queries.

    Attributes
    ----------
    file : FileTable
        Where the records are.
    backend : ibis.backends.duckdb.Backend
        A private DuckDB that can read these files and nothing else.
    records : ibis.Table
        The records; columns are found by position, so their names are never part of a query.
    """

    file: FileTable
    backend: Any
    records: Any

    def column(self, name: str) -> Any:
        """Return a column by its name.

        Raises
        ------
        InvalidInputError
            If the table has no such column.
        """
        if name not in self.file.columns:
            have = ", ".join(map(repr, self.file.columns[:20]))
            more = ", …" if len(self.file.columns) > 20 else ""
            raise InvalidInputError(f"{self.file.title} has no column {shown(name)}: {have}{more}.")
        return self.records[self.file.columns.index(name)]

    def rows(self, query: Any) -> list[dict[str, Any]]:
        """Run a query and return its rows as dictionaries."""
        rows: list[dict[str, Any]] = self.backend.to_pyarrow(query).to_pylist()
        return rows

    def row(self, query: Any) -> dict[str, Any]:
        """Run a query that has one row and return it."""
        return self.rows(query)[0]


@contextmanager
def open_table(file: FileTable) -> Iterator[OpenTable]:
    """Open a file for queries, each time in a DuckDB of its own, so that threads never share one.

    Raises
    ------
    InvalidInputError
        If the file cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="liftscope-spill-") as spill:
        backend = _connect(file.paths, spill)
        try:
            records = _read(backend, file)
            if any(kind.is_floating() for kind in records.schema().types):
                # DuckDB 2.0.0 takes a NaN in Parquet for a number where statistics say so
                backend.con.execute("SET disabled_optimizers = 'statistics_propagation'")
            backend.con.execute("SET lock_configuration = true")
            yield OpenTable(file, backend, records)
        except duckdb.Error as error:
            raise InvalidInputError(f"{file.title} {_what_is_wrong(error)}") from error
        finally:
            backend.disconnect()


def _connect(paths: Sequence[Path], spill: str) -> Any:
    """Return a DuckDB that reaches neither the network nor any file but these."""
    backend = ibis.duckdb.connect(
        memory_limit=DUCKDB_MEMORY,
        temp_directory=spill,
        autoinstall_known_extensions="false",
        autoload_known_extensions="false",
    )
    backend.con.execute("SET allowed_paths = $1", [[str(path) for path in paths]])
    backend.con.execute("SET enable_external_access = false")
    return backend


def _read(backend: Any, file: FileTable) -> Any:
    paths = [str(path) for path in file.paths]
    if not file.delimiter:
        return backend.read_parquet(paths)
    return backend.read_csv(
        paths,
        columns={f"c{i}": "VARCHAR" for i in range(len(file.columns))},
        auto_detect=False,
        header=False,
        skip=file.skip,
        delim=file.delimiter,
        quote='"',
        escape='"',
        max_line_size=1 << 24,
    )


_LINE = re.compile(r"Line: (\d+)")
_WIDTHS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def _what_is_wrong(error: duckdb.Error) -> str:
    """Return DuckDB's complaint without its advice, as the end of a sentence."""
    text = str(error).strip()
    line, widths = _LINE.search(text), _WIDTHS.search(text)
    if line and widths:
        plural = "" if widths[2] == "1" else "s"
        return f"has {widths[2]} field{plural} in line {line[1]}, its header has {widths[1]}."
    if line and "unterminated quote" in text:
        return f"has a quote in line {line[1]} that is not closed."
    complaint = text.splitlines()[0].rstrip(".:")
    where = f" (line {line[1]})" if line else ""
    return f"could not be read: {complaint}{where}."


def as_text(column: Any) -> Any:
    """Return a column's levels as text, NULL where the value is missing or blank."""
    kind = column.type()
    if kind.is_string():
        return column.strip().nullif("")
    if kind.is_floating():
        text = column.cast("string").re_replace(r"\.0$", "")
        return ibis.ifelse(column.isnan(), ibis.null("string"), text)
    return column.cast("string")


def may_hold_numbers(column: Any) -> bool:
    """Return whether a column's type is text or one of numbers."""
    kind = column.type()
    return bool(kind.is_string() or kind.is_numeric() or kind.is_boolean())


def as_number(column: Any) -> Any:
    """Return a column that may hold numbers as such, NULL where it holds none."""
    text = column.type().is_string()  # whose cast passes over blanks at the ends
    number = column.try_cast("float64") if text else column.cast("float64")
    return ibis.ifelse(number.isnan(), ibis.null("float64"), number)


def is_text(column: Any) -> Any:
    """Return whether each text is neither a number nor missing, nor a mark for a missing one."""
    return column.try_cast("float64").isnull() & ~as_text(column).lower().isin(BLANKS)


def filtered(table: OpenTable, filters: Iterable[Filter]) -> Any:
    """Return the records that pass every filter.

    Raises
    ------
    InvalidInputError
        If a filter's column does not exist, or holds no numbers of which a range could be kept.
    """
    records = table.records
    for chosen in filters:
        records = records.filter(_passes(table.column(chosen.column), chosen))
    return records


def _passes(column: Any, chosen: Filter) -> Any:
    """Return whether each record passes a filter on a column."""
    if not chosen.is_range:
        return as_text(column).fill_null(MISSING).isin(chosen.levels)
    if not may_hold_numbers(column):
        raise InvalidInputError(
            f"Column {chosen.column!r} holds no numbers, so no range of it can be kept."
        )
    number = as_number(column)
    return number.between(
        -math.inf if chosen.low is None else chosen.low,
        math.inf if chosen.high is None else chosen.high,
    ).fill_null(False)


def count_records(file: FileTable) -> int:
    """Return the number of records, having looked at each line once.

    Raises
    ------
    InvalidInputError
        If there are none, or a line does not fit the header.
    """
    with open_table(file) as table:
        rows = int(table.row(table.records.aggregate(n=table.records.count()))["n"])
    if rows == 0:
        raise InvalidInputError(f"{file.title} has column names but no records.")
    return rows
