"""Read records in batches, and write files that are complete or not there at all."""

from __future__ import annotations

import hashlib
import math
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.spreadsheets import safe_batch

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has none
    fcntl = None

BATCH = 1 << 17
"""Records that are held at once."""

KINDS = {".parquet": "Parquet", ".csv": "CSV", ".tsv": "TSV"}
"""Kinds of files that can be written, by the end of their names."""


def batches(table: FileTable, size: int = BATCH, encoded: Collection[str] = ()) -> Iterator[Any]:
    """Yield a table's records in their order, as Arrow batches named after its columns."""
    try:
        for path in table.paths:
            # the row numbers of pandas, a last column, are none of the table
            schema = parquet.read_schema(path)
            names = schema.names[: len(table.columns)]
            places = list(range(len(names)))
            chosen = [
                name
                for name, kind, own in zip(names, schema.types, table.columns, strict=False)
                if own in encoded and not pa.types.is_nested(kind)
            ]
            with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=chosen) as file:
                for batch in file.iter_batches(batch_size=size, use_threads=False):
                    yield batch.select(places).rename_columns(list(table.columns))
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(
            f"{table.title} could not be read: it is damaged, or has changed since it was opened."
        ) from error


def values_alone(array: Any) -> Any:
    """Return an Arrow array that holds its own values and nothing else.

    A dictionary may list values of records that are left out, metadata may say anything, and many
    patterns of bits are NaN.
    """
    made = array.cast(alone(array.type))
    if not pa.types.is_floating(made.type):
        return made
    return pc.if_else(pc.is_nan(made), pa.scalar(math.nan, made.type), made)


def alone(kind: Any) -> Any:
    """Return the Arrow type of `values_alone`."""
    return retyped(kind, _plain)


def check_years(values: Any, name: str) -> None:
    """Raise if a column has times in years that Python, and so `verify`, cannot hold."""
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        try:
            pc.min_max(values).as_py()
        except (OverflowError, ValueError) as error:
            raise InvalidInputError(
                f"Column {name!r} has a time outside the years 1 to 9999, which cannot be released."
            ) from error


def unviewed(batch: Any) -> Any:
    """Return a batch without views of texts, from which Arrow cannot take values."""
    fields = [column.with_type(retyped(column.type, takeable)) for column in batch.schema]
    return batch.cast(pa.schema(fields, batch.schema.metadata))


def typed_anew(made: Iterator[Any], but: Collection[str]) -> Iterator[Any]:
    """Yield batches; columns of text become numbers where all their values are numbers."""
    held = list(made)
    if not held:
        return
    table = pa.Table.from_batches(held)
    for place, field in enumerate(table.schema):
        if field.name not in but and pa.types.is_string(field.type):
            numbers = _as_numbers(table.column(place).combine_chunks())
            if numbers is not None:
                table = table.set_column(place, field.with_type(pa.float64()), numbers)
    yield from table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]


def _as_numbers(texts: Any) -> Any:
    """Return texts as doubles; None if one is not written as a cell with a number is."""
    encoded = pc.dictionary_encode(texts)
    numbers = [typed_number(text) for text in encoded.dictionary.to_pylist()]
    if None in numbers:
        return None
    return pa.array(numbers, pa.float64()).take(encoded.indices)


def typed_number(text: str) -> float | None:
    """Return the number that a text stands for; None if it could be written differently."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    whole = number.is_integer() and text == str(int(number))
    return number if whole or (text == repr(number) and not number.is_integer()) else None


def retyped(kind: Any, change: Callable[[Any], Any]) -> Any:
    """Return an Arrow type with another in place of each innermost one, without nested metadata."""
    if pa.types.is_struct(kind):
        return pa.struct([_retyped_field(child, change) for child in kind.fields])
    if pa.types.is_map(kind):
        return pa.map_(
            _retyped_field(kind.key_field, change), _retyped_field(kind.item_field, change)
        )
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_retyped_field(kind.value_field, change, ITEM), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(_retyped_field(kind.value_field, change, ITEM))
    if pa.types.is_list(kind):
        return pa.list_(_retyped_field(kind.value_field, change, ITEM))
    other = change(kind)
    return kind if other == kind else retyped(other, change)


ITEM = "element"
"""What the items of a list are called in Parquet, whatever a file or an extension calls them."""


def _retyped_field(of: Any, change: Callable[[Any], Any], name: str = "") -> Any:
    """Return a nested field of a changed type and without metadata."""
    return pa.field(name or of.name, retyped(of.type, change), nullable=of.nullable)


def _plain(kind: Any) -> Any:
    """Return an innermost type that lists no values and names no extension."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind.storage_type
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return takeable(kind)


def takeable(kind: Any) -> Any:
    """Return an innermost type from which Arrow can take values."""
    if pa.types.is_string_view(kind):
        return pa.string()
    return pa.binary() if pa.types.is_binary_view(kind) else kind


def checked_kind(path: Path) -> str:
    """Return the kind of file to write, by the end of its name."""
    check_name(path)
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInputError(
            f"{str(path)!r} must end in {', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}, "
            "which sets the format."
        )
    return kind


def check_name(path: Path) -> None:
    """Raise if a file's name is not text: Arrow cannot write to any other."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"{str(path)!r} cannot be written: a file's name must be text in UTF-8."
        ) from error


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Writer:
    """Writes batches of one schema into a file."""

    def __init__(self, path: Path, kind: str, schema: Any) -> None:
        self._guarded = kind != "Parquet"
        self._schema, self._rows = schema, 0
        self._held: list[Any] = []
        if self._guarded:
            schema = safe_batch(pa.RecordBatch.from_pylist([], schema)).schema
        self._sink = pa.OSFile(str(path), "wb")
        if kind == "Parquet":
            self._writer = parquet.ParquetWriter(self._sink, schema)
        else:
            options = arrow_csv.WriteOptions(delimiter="\t" if kind == "TSV" else ",")
            self._writer = arrow_csv.CSVWriter(self._sink, schema, write_options=options)

    def write(self, batch: Any) -> None:
        """Write a batch; in text files no cell can be taken for a formula.

        Parquet's groups all have `BATCH` rows, written at once: otherwise the sizes of groups and
        pages would show where records were left out.
        """
        if self._guarded:
            self._writer.write_batch(safe_batch(batch))
            return
        self._held.append(batch)
        self._rows += batch.num_rows
        while self._rows >= BATCH:
            self._write_group()

    def _write_group(self) -> None:
        """Write what is held, but no more rows than a group has."""
        table = pa.Table.from_batches(self._held, self._schema)
        group = table.slice(0, BATCH).combine_chunks()
        self._writer.write_table(group, row_group_size=BATCH)
        self._held = table.slice(BATCH).to_batches()
        self._rows = max(self._rows - BATCH, 0)

    def close(self) -> None:
        try:
            if self._rows:
                self._write_group()
            self._writer.close()
        finally:
            self._sink.close()


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def check_whole(path: Path) -> None:
    """Raise if a file is Parquet and cannot be read to its end."""
    if not path.is_file():
        return
    try:
        if not is_parquet(path):
            return
        with parquet.ParquetFile(path) as opened:
            _ = opened.metadata.created_by, opened.schema_arrow  # texts that may be none
            for _ in opened.iter_batches(BATCH, use_threads=False):
                pass
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InvalidInputError(
            f"{str(path)!r} cannot be read as Parquet: {first_line(error)}."
        ) from error


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder, made if needed, against other processes; it is free once this one ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise InvalidInputError(f"{str(folder)!r} cannot be written: {_why(error)}.") from error
    with lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InvalidInputError(
                    f"Another run is writing to {str(folder)!r}: wait until it ends, or write to "
                    "another folder."
                ) from error
        yield


@contextmanager
def replacing(targets: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """Yield a new file next to each target, which it replaces at the end if no error occurs."""
    with ExitStack() as stack:
        fresh = tuple(_fresh(target, stack) for target in targets)
        current = str(targets[0]) if targets else ""
        try:
            yield fresh
            for path, target in zip(fresh, targets, strict=True):
                current = str(target)
                with path.open("rb+") as file:
                    os.fsync(file.fileno())
            for path, target in zip(fresh, targets, strict=True):
                current = str(target)
                path.replace(target)
        except OSError as error:
            raise InvalidInputError(f"{current!r} cannot be written: {_why(error)}.") from error
        except pa.ArrowException as error:
            raise InvalidInputError(
                f"{current!r} cannot be written: {first_line(error)}; Parquet holds every type."
            ) from error


def _fresh(target: Path, stack: ExitStack) -> Path:
    """Make an empty file beside a target; it is deleted with the stack unless it was renamed."""
    fresh = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{str(target)!r} cannot be written: {_why(error)}.") from error
    stack.callback(fresh.unlink, missing_ok=True)
    return fresh


_OF_ARROW = re.compile(r"^.*\[errno \d+\] ", re.IGNORECASE)
"""What Arrow writes before the words of the operating system."""


def _why(error: Exception) -> str:
    """Return an operating system's message as the end of a sentence."""
    message = getattr(error, "strerror", None) or first_line(error)
    message = _OF_ARROW.sub("", message)
    return message[:1].lower() + message[1:]


def first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
