"""Read records in batches, and write files that are complete or not there at all."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
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
            names = parquet.read_schema(path).names
            chosen = [
                name for name, own in zip(names, table.columns, strict=True) if own in encoded
            ]
            with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=chosen) as file:
                for batch in file.iter_batches(batch_size=size, use_threads=False):
                    yield batch.rename_columns(list(table.columns))
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(
            f"{table.title} could not be read: it is damaged, or has changed since it was opened."
        ) from error


def values_alone(array: Any) -> Any:
    """Return an Arrow array that holds its own values and nothing else.

    A dictionary lists values of records that are left out, and metadata may say anything.
    """
    return array.cast(_plain(array.type))


def _plain(kind: Any) -> Any:
    """Return an Arrow type without dictionaries, extensions and the metadata of nested fields."""
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_field(kind.value_field), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_field(kind.value_field))
    if pa.types.is_list(kind):
        return pa.list_(_plain_field(kind.value_field))
    return kind


def _plain_field(of: Any) -> Any:
    """Return a nested field of plain type and without metadata."""
    return pa.field(of.name, _plain(of.type), nullable=of.nullable)


def checked_kind(path: Path) -> str:
    """Return the kind of file to write, by the end of its name."""
    check_name(path)
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInputError(
            f"{str(path)!r} must end in {', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}: "
            "that says what is written."
        )
    return kind


def check_name(path: Path) -> None:
    """Raise if a file's name is no text: Arrow writes to no other one."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"{str(path)!r} cannot be written: a file's name must be text in UTF-8."
        ) from error


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
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

        Parquet's groups all have `BATCH` rows: else their sizes told where records were left out.
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
        self._writer.write_table(table.slice(0, BATCH), row_group_size=BATCH)
        self._held = table.slice(BATCH).to_batches()
        self._rows = max(self._rows - BATCH, 0)

    def close(self) -> None:
        """Write what is left and close the file."""
        try:
            if self._rows:
                self._write_group()
            self._writer.close()
        finally:
            self._sink.close()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, against other processes; the system lets go at our end."""
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
                    f"{str(folder)!r} is being written by another run: wait until it ends, or "
                    "write to another folder."
                ) from error
        yield


@contextmanager
def replacing(targets: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """Yield a new file beside each target; without an error each replaces its target at the end."""
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
                f"{current!r} cannot be written: {_first_line(error)}; Parquet holds every type."
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
    said = getattr(error, "strerror", None) or _first_line(error)
    said = _OF_ARROW.sub("", said)
    return said[:1].lower() + said[1:]


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
