"""Read an uploaded file: find its kind by its content, and convert it to Parquet."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from core.data.options import ENCODINGS, ReadOptions
from core.data.readers.marks import with_marks
from core.data.readers.text import (
    FALLBACK,
    TextLayout,
    codec_of,
    column_names,
    find_layout,
    samples,
    to_utf8,
    told,
    write_records,
)
from core.data.tables import FileTable
from core.data.workbooks import ZIP, Sheets, extent, parts_of, sheets_of
from core.errors import InvalidInputError
from core.limits import (
    MAX_CELL,
    MAX_UNPACKED_MB,
    MAX_UPLOAD_CELLS,
    MAX_UPLOAD_MB,
    MAX_UPLOAD_RECORDS,
    MAX_WORKBOOK_CELLS,
    MAX_WORKBOOK_PARTS,
)
from core.wording import file_called

_MEGABYTE = 1 << 20


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a write for which there is no room."""

TOO_LONG = "{} has a cell of {:,} characters, at most {:,} are allowed: leave that column out."
"""Said of a file with a cell that is no value."""

_PARQUET = b"PAR1"
"""First bytes of Parquet files."""

_COMPOUND = b"\xd0\xcf\x11\xe0"
"""First bytes of old Excel files, and of encrypted new ones."""

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""A name within encrypted ones."""

_OTHER_KINDS = {
    _COMPOUND: "an old Excel file: save it as .xlsx",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "compressed: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed: unpack it first",
    b"7z\xbc\xaf": "compressed: unpack it first",
    b"BZh": "compressed: unpack it first",
    b"\xfd7zXZ\x00": "compressed: unpack it first",
    b"<html": "a web page",
    b"<!DOCTYPE html": "a web page",
    b"<!doctype html": "a web page",
    b"<?xml": "an XML document",
    b'{"': "a JSON document",
    b"[{": "a JSON document",
}
"""Kinds of files that cannot be read, by their first bytes."""


@dataclass(frozen=True)
class Upload:
    """A file that was read; `sheets` is None where it is no workbook, `text` where it is no text.

    `name`: for sentences to the user. `kind`: "CSV", "Parquet" or "Excel", with any delimiter.
    """

    sha256: str
    name: str
    size: int
    kind: str
    table: FileTable
    rows: int
    text: TextFile | None = None
    sheets: Sheets | None = None


@dataclass(frozen=True)
class TextFile:
    """A text file as it was given, which can be read in another way.

    `encoding`: what it was read in, a key of `ENCODINGS`. `asked`: encoding and delimiter asked
    for.
    """

    path: Path
    encoding: str
    layout: TextLayout
    asked: ReadOptions

    @property
    def guessed(self) -> bool:
        """Whether nothing in the file says that it has its encoding, nor did anybody."""
        return not self.asked.encoding and self.encoding == FALLBACK

    def samples(self) -> dict[str, str]:
        """Return how a field of a file whose encoding was guessed reads in each encoding."""
        with self.path.open("rb") as raw:
            return samples(raw.read(_MEGABYTE), self.layout.delimiter) if self.guessed else {}

    def place_of(self, record: int) -> str:
        """Say in which line a record begins, as the end of a phrase; "" far down a long file."""
        try:
            # about a second
            return "" if record > 1_000_000 else f" (line {self.line_of(record):,})"
        except csv.Error:
            return ""

    def line_of(self, record: int) -> int:
        """Return the line in which a record begins; both are counted from 1."""
        with self.path.open("rb") as raw:
            codec = codec_of(raw.read(_MEGABYTE), self.encoding)
        with self.path.open(encoding=codec, newline="") as file:
            for _ in range(self.layout.lines):
                file.readline()
            reader = csv.reader(file, delimiter=self.layout.delimiter)
            while True:
                line = self.layout.lines + reader.line_num + 1
                row = next(reader)
                if len(row) > 1 or "".join(row).strip():
                    record -= 1
                if record == 0:
                    return line


def read_bytes(
    content: bytes, name: str, folder: Path, delimiter: str | None = None, encoding: str = ""
) -> Upload:
    """Read a file given as bytes, and keep it in a folder."""
    name = file_called(name)
    if len(content) > MAX_UPLOAD_MB * _MEGABYTE:
        raise InvalidInputError(
            f"{name} has {len(content) / _MEGABYTE:,.0f} MB, at most {MAX_UPLOAD_MB} are allowed."
        )
    if content.startswith(_PARQUET):
        rows, columns = _size_of(content)
        for what, size, most in (
            ("records", rows, MAX_UPLOAD_RECORDS),
            (f"cells in {columns:,} columns", rows * columns, MAX_UPLOAD_CELLS),
        ):
            if size > most:
                raise InvalidInputError(
                    f"{name} has {size:,} {what}, at most {most:,} are allowed."
                )
    path = folder / f"{hashlib.sha256(content).hexdigest()}.data"
    fresh = not path.exists()
    kept: tuple[Path, ...] = ()
    try:
        with room_for(name):
            path.write_bytes(content)
        upload = read_file(path, name, folder, delimiter, encoding)
        kept = upload.table.paths if upload.text is None else (path,)
        return upload
    finally:
        if fresh and path not in kept:
            path.unlink(missing_ok=True)


def _size_of(content: bytes) -> tuple[int, int]:
    """Return the records of a Parquet file's groups, and its columns; 0 where it is damaged."""
    try:
        file = parquet.read_metadata(io.BytesIO(content))
        groups = (file.row_group(group) for group in range(file.num_row_groups))
        return sum(group.num_rows for group in groups), file.num_columns
    except (pa.ArrowException, OSError, ValueError):
        return 0, 0  # `read_file` raises for it


@contextmanager
def room_for(name: str) -> Iterator[None]:
    """Turn the error of a full disk, while the block writes a file, into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise InvalidInputError(
            f"{file_called(name)} could not be kept: there is no room left on the disk."
        ) from error


def read_file(
    path: Path, name: str, folder: Path, delimiter: str | None = None, encoding: str = ""
) -> Upload:
    """Read a file: Parquet in its place, any other kind through a Parquet copy in `folder`."""
    name = file_called(name)
    if not path.is_file():
        raise InvalidInputError(f"There is no file {name!r}.")
    size = path.stat().st_size
    if size == 0:
        raise InvalidInputError(f"{name} is empty.")
    with path.open("rb") as file:
        head = file.read(_MEGABYTE)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    converted = folder / f"{sha256}{(delimiter or '').encode().hex()}{encoding}.parquet"
    with (
        room_for(name),
        tempfile.TemporaryDirectory(dir=folder, prefix="reading-") as scratch,
    ):
        fresh = Path(scratch, "records.parquet")
        kind, columns, text = _convert(path, name, fresh, head, (delimiter, encoding))
        source = fresh if fresh.exists() else path
        table = FileTable(name, (source,), columns)
        rows = table.rows
        if rows == 0:
            raise InvalidInputError(f"{name} has column names but no records.")
        table = with_marks(table)
        if source == fresh:
            fresh.replace(converted)
            table = replace(table, paths=(converted,))
    sheets = sheets_of(path) if head.startswith(ZIP) else None
    return Upload(sha256, name, size, kind, table, rows, text, sheets)


def _convert(
    path: Path, name: str, converted: Path, head: bytes, asked: tuple[str | None, str]
) -> tuple[str, tuple[str, ...], TextFile | None]:
    """Return a file's kind, columns and text; unless it is Parquet, write it to `converted`."""
    if head.startswith(_PARQUET):
        return (*_parquet(path, name), None)
    if head.startswith(ZIP):
        return (*_excel(path, name, converted), None)
    if head.startswith(_COMPOUND) and _ENCRYPTED in path.read_bytes():
        raise InvalidInputError(
            f"{name} is a workbook that is encrypted: save it without a password first."
        )
    for start, what in _OTHER_KINDS.items():
        if head.startswith(start):
            raise InvalidInputError(f"{name} is {what}; CSV, TSV, Parquet and Excel can be read.")
    delimiter, encoding = asked
    text, found = to_utf8(path, name, converted.with_suffix(".txt"), head, encoding)
    layout = find_layout(text, name, delimiter)
    write_records(text, name, layout, converted)
    _check_cells(converted, name)
    said = layout.kind + ("" if found == "utf-8" else f", {ENCODINGS[found]}")
    return (
        said,
        layout.columns,
        TextFile(path, found, layout, ReadOptions(encoding, delimiter or "")),
    )


def _parquet(path: Path, name: str) -> tuple[str, tuple[str, ...]]:
    try:
        names = parquet.read_schema(path).names
        _check_cells(path, name)
    except InvalidInputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:  # names that are not UTF-8 too
        raise InvalidInputError(f"{name} is a damaged Parquet file.") from error
    return f"Parquet{told(names)}", column_names(names, name)


def _check_cells(path: Path, name: str) -> None:
    """Refuse a Parquet file with a cell of more than `MAX_CELL` characters before it is read."""
    metadata, schema = parquet.read_metadata(path), parquet.read_schema(path)
    if metadata.num_columns != len(schema.names):
        return  # nested columns are no text
    texts = [place for place, field in enumerate(schema) if _is_text(field.type)]
    names = [schema.names[place] for place in texts]
    with parquet.ParquetFile(path, read_dictionary=names) as read:
        for group in range(metadata.num_row_groups):
            for place, column in zip(texts, names, strict=True):
                size = metadata.row_group(group).column(place).total_uncompressed_size
                if size > MAX_UNPACKED_MB * _MEGABYTE:
                    raise InvalidInputError(
                        f"{name} unpacks to {size / _MEGABYTE:,.0f} MB of {column!r}, at most "
                        f"{MAX_UNPACKED_MB:,} MB are allowed."
                    )
                if size <= MAX_CELL:
                    continue
                cells = read.reader.read_row_group(group, column_indices=[place]).column(0)
                for chunk in cells.chunks:
                    own = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
                    longest = compute.max(compute.binary_length(own)).as_py() or 0
                    if longest > MAX_CELL:
                        raise InvalidInputError(TOO_LONG.format(name, longest, MAX_CELL))


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds texts or bytes, which may be long."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner)) or bool(
        pa.types.is_binary(inner) or pa.types.is_large_binary(inner)
    )


def _excel(path: Path, name: str, converted: Path) -> tuple[str, tuple[str, ...]]:
    """Write the first sheet of a workbook to a Parquet file; return its kind and columns."""
    if (parts := parts_of(path)) > MAX_WORKBOOK_PARTS:
        raise InvalidInputError(
            f"{name} is a zip file of {parts:,} parts, at most {MAX_WORKBOOK_PARTS:,} are allowed."
        )
    try:
        with zipfile.ZipFile(path) as packed:
            members = packed.infolist()
        if not any(member.filename == "xl/workbook.xml" for member in members):
            raise InvalidInputError(
                f"{name} is a zip file; CSV, TSV, Parquet and Excel can be read."
            )
        unpacked = sum(member.file_size for member in members) / _MEGABYTE
        if unpacked > MAX_UNPACKED_MB:
            raise InvalidInputError(
                f"{name} unpacks to {unpacked:,.0f} MB, at most {MAX_UNPACKED_MB:,} MB are allowed."
            )
        _require_room_for_cells(path, name)
        sheet = pd.read_excel(
            path, header=None, engine="openpyxl", keep_default_na=False, na_values=[""]
        )
    except (InvalidInputError, MemoryError):
        raise
    except Exception as error:  # openpyxl, zip and XML readers raise errors of many types
        raise InvalidInputError(f"{name} is a damaged Excel file.") from error
    sheet = sheet.dropna(how="all").reset_index(drop=True)  # a blank row is no record
    if sheet.empty:
        raise InvalidInputError(f"{name} is empty: its first sheet has no cells.")
    header = ["" if pd.isna(cell) else str(cell) for cell in sheet.iloc[0]]
    columns = column_names(header, name)
    body = sheet.iloc[1:].reset_index(drop=True)
    data = {f"c{i}": _excel_column(body[i]) for i in body.columns}
    parquet.write_table(pa.table(data), converted)
    return f"Excel{told(header)}", columns


def _require_room_for_cells(path: Path, name: str) -> None:
    """Refuse a workbook whose cells or texts are many more than its bytes."""
    found = extent(path)
    if found.cells > MAX_WORKBOOK_CELLS:
        raise InvalidInputError(
            f"{name} spans {found.cells:,} cells, at most {MAX_WORKBOOK_CELLS:,} are allowed: "
            "remove what is far away from its table."
        )
    if found.longest > MAX_CELL:
        raise InvalidInputError(TOO_LONG.format(name, found.longest, MAX_CELL))
    if found.characters > MAX_UNPACKED_MB * _MEGABYTE:
        raise InvalidInputError(
            f"{name} has {found.characters / _MEGABYTE:,.0f} MB of text in its cells, at most "
            f"{MAX_UNPACKED_MB:,} MB are allowed."
        )


def _excel_column(cells: pd.Series[str]) -> pa.Array:
    """Return a column as numbers where doubles hold all its cells, else as text."""
    present = cells.dropna()
    if present.map(lambda cell: isinstance(cell, int | float) and not isinstance(cell, bool)).all():
        with suppress(OverflowError, pa.ArrowException):  # whole numbers that no double holds
            return pa.array(pd.to_numeric(cells), type=pa.float64(), from_pandas=True)
    texts = [None if pd.isna(cell) else str(cell) for cell in cells]
    return pa.array(texts, type=pa.string())
