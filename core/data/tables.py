"""Open a file as a table for queries in DuckDB, so no record enters Python."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
from ibis.expr.operations import DatabaseTable
from pyarrow import parquet

from core.data import folders
from core.data.spec import Filter
from core.errors import InvalidInputError
from core.joint import MISSING
from core.limits import (
    DUCKDB_MEMORY,
    MAX_CELL,
    MAX_COLUMNS,
    MAX_UPLOAD_CELLS,
    MAX_UPLOAD_RECORDS,
)
from core.texts import BLANK, TRUTHS, WHOLE_AS_DECIMAL, as_level
from core.validation import shown
from core.wording import instead_of, number_of

_PLAIN = "[!-~]|[!-~][ -~]*[!-~]"
"""The pattern of texts of ASCII without blanks at their ends, which most are."""

BLANKS = ("?", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "-", "--", ".")
"""Marks of a missing number in a column of numbers, in lower case."""


WEIGHT = "weight"
"""The number of records of a row, in queries."""

SAMPLED, SQUARED = "sampled", "squared"
"""The sampling weight of a row, in queries, and its square."""


Line = Callable[[int], str] | None
"""Says in which line of a text a record begins, as the end of a phrase; None where unknown."""


@dataclass(frozen=True)
class Marks:
    """The marks of missing numbers in a column, most frequent first, and the records with one."""

    column: str
    words: tuple[str, ...]
    records: int

    def sentence(self, *, level: bool = False) -> str:
        """Say which marks are taken for missing values, or for levels."""
        *first, last = map(repr, self.words)
        what, are = "a level" if level else "a missing value", "is"
        if first:
            what, are = "levels" if level else "missing values", "are"
            last = f"{', '.join(first)} and {last}"
        records = number_of(self.records, "record")
        return f"{last} in {self.column!r} {are} taken for {what}: {records}."


@dataclass(frozen=True)
class FileTable:
    """A Parquet file on disk, or several with the same columns; `columns` are in their order.

    `marks`: marks of missing numbers, by column. `taken`: marks chosen as missing values, which its
    records no longer have. `exact`: columns whose marks were chosen, so other text is a word.
    `texts`: columns that are text by choice. `reports_doubts`: whether values in doubt are
    reported, such as levels called NA. `counted`: whether a last column, not one of `columns`, is
    how many records a row stands for. `weigher`: the column by which its program weighs records, ""
    for none. `sampling`: the column of sampling weights, all above 0, "" for none; `unweighted`:
    how many rows of weight 0 it no longer has. `person`: the column that names whose record it is,
    "" for none; `most`: the most records of a person; `repeated`: how many records of persons it no
    longer has.
    """

    title: str
    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    marks: tuple[Marks, ...] = ()
    taken: tuple[Marks, ...] = ()
    exact: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    reports_doubts: bool = True
    counted: bool = False
    weigher: str = ""
    sampling: str = ""
    unweighted: int = 0
    person: str = ""
    most: int = 1
    repeated: int = 0

    @cached_property
    def rows(self) -> int:
        return sum(parquet.read_metadata(path).num_rows for path in self.paths)


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table in a private DuckDB that reads these files alone; columns are found by position."""

    file: FileTable
    backend: Any
    records: Any
    line: Line = None

    def column(self, name: str) -> Any:
        """Return a column by its name, NULL where a mark such as NA means a missing number."""
        return self.unmarked(name, self.records[self.position(name)])

    def position(self, name: str) -> int:
        """Return the index of a column; errors as in `column`."""
        check_column(self.file.title, name, self.file.columns)
        return self.file.columns.index(name)

    @property
    def types(self) -> dict[str, Any]:
        """The type of each column."""
        return dict(zip(self.file.columns, self.records.schema().types, strict=False))

    @property
    def texts(self) -> list[str]:
        """The columns of text."""
        return [name for name, kind in self.types.items() if kind.is_string()]

    def is_marked(self, name: str) -> bool:
        return any(marks.column == name for marks in self.file.marks)

    def unmarked(self, name: str, values: Any) -> Any:
        """Return a column's values, NULL where a mark means a missing number."""
        if self.is_marked(name) and values.type().is_string():
            return ibis.ifelse(is_mark(values), ibis.null("string"), values)
        return values

    def weight(self) -> dict[str, Any]:
        """Return the number of records of each row, to select beside columns; none where 1."""
        return {WEIGHT: self.times()} if self.file.counted else {}

    def times(self) -> Any:
        """Return how many records each row stands for."""
        return self.records[len(self.file.columns)] if self.file.counted else ibis.literal(1)

    def sampled(self, records: Any) -> dict[str, Any]:
        """Return the sampling weights of records and their squares; none where there are none.

        They are in units of a power of two above the largest, with 20 decimals, since sums of these
        are exact in any order.
        """
        if not self.file.sampling:
            return {}
        weight = as_number(self.column(self.file.sampling))
        most = self.row(records.aggregate(most=weight.max()))["most"]
        scaled = weight / math.ldexp(1.0, math.frexp(most or 1.0)[1])
        layers = {SAMPLED: scaled.cast(_EXACT), SQUARED: (scaled * scaled).cast(_EXACT)}
        if not self.file.counted:
            return layers
        return {name: layer * self.times() for name, layer in layers.items()}

    def number(self, rows: Any) -> Any:
        """Return the number of records of rows, which were selected with `weight`."""
        return rows[WEIGHT].sum().cast("int64") if self.file.counted else rows.count()

    def size(self, records: Any) -> Any:
        """Return the number of records of those of `records` that a filter left."""
        if not self.file.counted:
            return records.count()
        return records[len(self.file.columns)].sum().fill_null(0).cast("int64")

    def first_record(self, value: Any, wrong: Any) -> tuple[str, str | None]:
        """Return the first record that is wrong, as a phrase, and its value; "" where none is.

        It is "it" where rows are counts.
        """
        if not self.row(self.records.aggregate(n=wrong.sum()))["n"]:
            return "", None
        numbered = self.records.select(value=value, wrong=wrong, record=ibis.row_number())
        first = self.row(numbered.filter(numbered.wrong).order_by("record").limit(1))
        if self.file.counted:
            return "it", first["value"]
        record = int(first["record"]) + 1
        return f"record {record:,}{self.line(record) if self.line else ''}", first["value"]

    def total(self) -> int:
        if not self.file.counted:
            return self.file.rows
        return int(self.row(self.records.aggregate(n=self.size(self.records)))["n"])

    def kept(self, query: Any) -> Any:
        """Return the rows of a query as a temporary table."""
        return self.backend.create_table(ibis.util.gen_name("kept"), query, temp=True)

    def arrow(self, query: Any) -> pa.Table:
        """Return the rows of a query; Ibis would import pandas for it, which takes 0.1 s."""
        rows: pa.Table = self.backend.con.sql(self.backend.compile(query)).to_arrow_table()
        return rows.cast(query.schema().to_pyarrow())

    def rows(self, query: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.arrow(query).to_pylist()
        return rows

    def row(self, query: Any) -> dict[str, Any]:
        return self.rows(query)[0]


_EXACT = "decimal(38, 20)"
"""The type whose sums do not depend on their order."""


def sums(cells: Any) -> dict[str, Any]:
    """Return the sums of the numbers of records, and of sampling weights where cells have any."""
    weights = (name for name in (SAMPLED, SQUARED) if name in cells.columns)
    return {"n": cells.n.sum().cast("int64")} | {name: cells[name].sum() for name in weights}


@contextmanager
def open_table(file: FileTable, line: Line = None) -> Iterator[OpenTable]:
    """Open a file for queries in a new DuckDB, so threads never share one."""
    with tempfile.TemporaryDirectory(prefix=f"{folders.prefix()}spill-") as spill:
        backend = _connect(file.paths, spill)
        try:
            records = _records(backend, file.paths)
            if any(kind.is_floating() for kind in records.schema().types):
                # DuckDB 2.0.0 takes a NaN in Parquet for a number where statistics say so
                backend.con.execute("SET disabled_optimizers = 'statistics_propagation'")
            backend.con.execute("SET lock_configuration = true")
            yield OpenTable(file, backend, records, line)
        except duckdb.Error as error:
            raise InvalidInputError(f"{file.title} {_what_is_wrong(error)}.") from error
        finally:
            backend.disconnect()


def check_records(name: str, rows: int, columns: int) -> None:
    for what, size, most in (
        ("records", rows, MAX_UPLOAD_RECORDS),
        (f"cells in {columns:,} columns", rows * columns, MAX_UPLOAD_CELLS),
    ):
        if size > most:
            raise InvalidInputError(f"{name} has {size:,} {what}; at most {most:,} are allowed.")


def check_column(title: str, name: str, columns: Sequence[str]) -> None:
    if name not in columns:
        instead = instead_of(name, columns, shown)
        raise InvalidInputError(f"{title} has no column {shown(name)}{instead}.")


def check_columns(name: str, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise InvalidInputError(
            f"{name} has {columns:,} columns; at most {MAX_COLUMNS:,} are allowed."
        )


def check_cell(name: str, longest: int, what: str = "characters", column: str = "") -> None:
    """Refuse a file with a cell of more characters or items than are allowed."""
    if longest > MAX_CELL:
        which = f"column {shown(column)}" if column else "that column"
        raise InvalidInputError(
            f"{name} has a cell of {longest:,} {what}; at most {MAX_CELL:,} are allowed: delete "
            f"{which} from the file."
        )


def open_duckdb(database: Any = ":memory:", **settings: Any) -> Any:
    """Return a DuckDB that draws no progress bar, as it does on standard output of `python -c`."""
    backend = ibis.duckdb.connect(database, **settings)
    # in a notebook without widgets it is off, and DuckDB refuses to set it
    if backend.con.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        backend.con.execute("SET enable_progress_bar = false")
    return backend


def _connect(paths: Sequence[Path], spill: str) -> Any:
    """Return a DuckDB without access to the network or to any file but these."""
    backend = open_duckdb(
        memory_limit=DUCKDB_MEMORY,
        temp_directory=spill,
        autoinstall_known_extensions="false",
        autoload_known_extensions="false",
    )
    define_texts(backend)
    backend.con.execute("SET allowed_paths = $1", [[str(path) for path in paths]])
    backend.con.execute("SET enable_external_access = false")
    return backend


def _records(backend: Any, paths: Sequence[Path]) -> Any:
    """Return the records of files; a type that thousands of columns share is parsed once."""
    relation = backend.con.read_parquet([str(path) for path in paths])
    relation.create_view("records")
    written = [str(kind) for kind in relation.types]
    types = {kind: backend.compiler.type_mapper.from_string(kind) for kind in set(written)}
    schema = ibis.schema(
        {name: types[kind] for name, kind in zip(relation.columns, written, strict=True)}
    )
    return DatabaseTable("records", schema=schema, source=backend).to_expr()


def _what_is_wrong(error: duckdb.Error) -> str:
    """Return what DuckDB could not do, as the end of a sentence."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"needs more than the {DUCKDB_MEMORY} of memory that one count may take"
    if isinstance(error, duckdb.IOException) and "No space left" in str(error):
        return "needs more room on the disk than there is left"
    return "could not be read: it is damaged, or has changed since it was opened"


@ibis.udf.scalar.builtin(name="plain_text")  # type: ignore[untyped-decorator]
def _plain_text(text: str) -> str:  # type: ignore[empty-body]
    """Return a text as `plain_text` does: a macro of each connection."""


@ibis.udf.scalar.builtin(name="level_text")  # type: ignore[untyped-decorator]
def _level_text(text: str) -> str:  # type: ignore[empty-body]
    """Return a text as `as_text` does: a macro of each connection."""


@ibis.udf.scalar.builtin(name="number_of_text")  # type: ignore[untyped-decorator]
def _number_of_text(text: str) -> float:  # type: ignore[empty-body]
    """Return a text as `as_number` does: a macro of each connection."""


def _macros() -> str:
    """Return what defines the functions of texts in a DuckDB, short wherever a query uses them."""
    truths = ", ".join(f"'{text}'" for text in TRUTHS)
    whens = " ".join(f"WHEN '{text}' THEN '{truth}'" for text, truth in TRUTHS.items())
    return f"""
        CREATE TEMP MACRO is_plain(t) AS regexp_full_match(t, '{_PLAIN}');
        CREATE TEMP MACRO stripped(t) AS nullif(nfc_normalize(trim(t, '{BLANK}')), '');
        CREATE TEMP MACRO plain_text(t) AS CASE WHEN is_plain(t) THEN t ELSE stripped(t) END;
        CREATE TEMP MACRO level_of(t) AS
            CASE WHEN t IN ({truths}) THEN CASE t {whens} END
            WHEN ends_with(t, '.0') THEN regexp_replace(t, '{WHOLE_AS_DECIMAL}', '\\1') ELSE t END;
        CREATE TEMP MACRO level_text(t) AS
            CASE WHEN is_plain(t) THEN level_of(t) ELSE level_of(stripped(t)) END;
        CREATE TEMP MACRO finite(n) AS CASE WHEN isfinite(n) THEN n END;
        CREATE TEMP MACRO number_of_text(t) AS
            CASE WHEN contains(t, '_') OR contains(t, '+-') THEN NULL
            WHEN strlen(t) = length(t) THEN finite(try_cast(t AS DOUBLE))
            ELSE finite(try_cast(stripped(t) AS DOUBLE)) END;
    """


def define_texts(backend: Any) -> None:
    """Define what this module's queries of texts need in a DuckDB."""
    backend.con.execute(_macros())


def plain_text(column: Any) -> Any:
    """Return texts without blanks at their ends, their letters composed; NULL for a blank."""
    return _plain_text(column)


def as_text(column: Any) -> Any:
    """Return levels as text, NULL if missing; 1.0 is 1 and TRUE is true."""
    kind = column.type()
    if kind.is_string():
        return _level_text(column)
    if kind.is_floating():
        text = (column + 0.0).cast("string").re_replace(r"\.0$", "")  # −0 and 0 are one level
        return ibis.ifelse(column.isnan(), ibis.null("string"), text)
    text = column.cast("string")
    if kind.is_decimal() and kind.precision == kind.scale:  # DuckDB writes 0.5 as .5
        return text.re_replace(r"^(-?)\.", r"\10.")
    return text


def may_hold_numbers(column: Any) -> bool:
    """Return whether a column's type is text or one of numbers."""
    kind = column.type()
    return bool(kind.is_string() or kind.is_numeric() or kind.is_boolean())


def as_number(column: Any) -> Any:
    """Return a column of text or numbers as numbers, NULL where a value is none."""
    if not column.type().is_string():
        number = column.cast("float64")
        return ibis.ifelse(number.isnan(), ibis.null("float64"), number)
    return _number_of_text(column)


def is_mark(column: Any) -> Any:
    """Return whether each text is a mark of a missing number."""
    text = plain_text(column) if column.type().is_string() else as_text(column)
    return text.lower().isin(BLANKS)


def is_text(column: Any) -> Any:
    """Return whether each text is neither a number, nor missing, nor a mark of a missing number."""
    other = as_number(column).isnull()  # most are numbers, and are not looked at again
    return ibis.ifelse(other, plain_text(column).notnull() & ~is_mark(column), False)


def is_word(column: Any) -> Any:
    """Return whether each text is neither a number nor missing; a mark such as NA is a word."""
    return ibis.ifelse(as_number(column).isnull(), plain_text(column).notnull(), False)


def reads_marks(chosen: Filter) -> bool:
    """Say whether it matters to a filter if a mark such as NA is a missing number or a word."""
    levels = map(as_level, chosen.levels)
    return any(level == MISSING or level.lower() in BLANKS for level in levels)


def filtered(table: OpenTable, filters: Iterable[Filter]) -> Any:
    records = table.records
    for chosen in filters:
        records = records.filter(passes(table.column(chosen.column), chosen))
    return records


def passes(column: Any, chosen: Filter) -> Any:
    if not chosen.is_range:
        return as_text(column).fill_null(MISSING).isin([as_level(level) for level in chosen.levels])
    if not may_hold_numbers(column):
        raise InvalidInputError(
            f"Column {shown(chosen.column)} holds no numbers, so no range of it can be kept."
        )
    number = as_number(column)
    return number.between(
        -math.inf if chosen.low is None else chosen.low,
        math.inf if chosen.high is None else chosen.high,
    ).fill_null(False)
