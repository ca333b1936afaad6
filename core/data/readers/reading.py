"""Read an uploaded file: find its kind by its content, and convert it to Parquet."""

from __future__ import annotations

import errno
import hashlib
import io
import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

from core.data.options import (
    AS_IT_IS,
    ENCODINGS,
    OTHER_ENDINGS,
    READABLE,
    ReadOptions,
    Repair,
    repaired,
)
from core.data.readers.apart import apart
from core.data.readers.dialect import BrokenError, Row
from core.data.readers.encoding import (
    FALLBACK,
    codec_of,
    likelier,
    python_codec,
    samples,
    to_utf8,
    without_controls,
)
from core.data.readers.labelled import damaged, labelled_kind, write_labelled
from core.data.readers.marks import with_marks
from core.data.readers.names import (
    SHOWN,
    UNNAMED,
    Columns,
    first_lines,
    name_columns,
    same_names,
    unnamed_repairs,
)
from core.data.readers.records import write_batches, write_records
from core.data.readers.sheets import write_sheet
from core.data.readers.text import TextLayout, find_layout
from core.data.readers.web_tables import is_web_table
from core.data.tables import FileTable, check_cell, check_records
from core.data.workbooks import OLD_EXCEL, OPEN_DOCUMENT, ZIP, Sheets
from core.errors import Choice, InvalidInputError, ReadingError
from core.limits import MAX_CELL, MAX_UNPACKED_MB, MAX_UPLOAD_MB, MEGABYTE
from core.validation import shown
from core.wording import file_called

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a write for which there is no room."""

_PARQUET = b"PAR1"
"""First bytes of Parquet files."""

_INDEX = "__index_level_0__"
"""What pandas calls the row numbers that it writes as a last column."""

_SINGLE = "There is a single column. It is both S and X: S itself is released privately."

_OTHER_KINDS = {
    "a PDF document": (b"%PDF",),
    "a picture": (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    "compressed: unpack it first": (
        *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ\x00"),
    ),
    "a web page": (b"<html", b"<!DOCTYPE html", b"<!doctype html"),
    "an XML document": (b"<?xml",),
    "a JSON document": (b'{"', b"[{"),
}
"""Kinds of files that cannot be read, with their first bytes."""


@dataclass(frozen=True)
class Upload:
    """A file that was read; `sheets` is None where it is no workbook, `text` where it is no text.

    `name`: for sentences to the user. `kind`: "CSV" with its delimiter, "Parquet", "Excel", "SPSS"
    or another. `original`: the file as it was given, and `requested` how it was to be read.
    `repairs`: what was done to read it; `hints`: what else may be meant. `titles`: what the file
    says that its columns are, by their names.
    """

    sha256: str
    name: str
    size: int
    kind: str
    table: FileTable
    rows: int
    original: Path
    requested: ReadOptions = AS_IT_IS
    text: TextFile | None = None
    sheets: Sheets | None = None
    repairs: tuple[Repair, ...] = ()
    hints: tuple[Choice, ...] = ()
    titles: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TextFile:
    """A text file as it was given, which can be read in another way.

    `encoding`: what it was read in, a key of `ENCODINGS`.
    """

    path: Path
    encoding: str
    layout: TextLayout

    @property
    def guessed(self) -> bool:
        """Whether neither the file nor a choice says which encoding it has."""
        return not self.layout.read.encoding and self.encoding == FALLBACK

    def samples(self) -> dict[str, str]:
        """Return how a field of a file whose encoding was guessed reads in each encoding."""
        with self.path.open("rb") as raw:
            return samples(raw.read(MEGABYTE), self.layout.delimiter) if self.guessed else {}

    def _opened(self) -> TextIO:
        with self.path.open("rb") as raw:
            codec = codec_of(raw.read(MEGABYTE), self.encoding)
        return self.path.open(encoding=codec and python_codec(codec), newline="")

    def place_of(self, record: int) -> str:
        """Say in which line a record begins, as the end of a phrase; "" far down a long file."""
        layout = self.layout
        if record > 1_000_000:  # about a second
            return ""
        with self._opened() as file, suppress(BrokenError):
            lines = itertools.islice(file, layout.lines, None)
            for line, row in layout.dialect.rows(lines, layout.lines):
                again = bool(layout.names) and same_names(row, layout.names)
                left = layout.read.pad == "leave" and len(row) != layout.width
                record -= not (again or left)
                if record == 0:
                    return f" (line {line:,})"
        return ""

    def phrase(self) -> str:
        """Say that the encoding is a guess, and how a value reads in it; "" where it is none."""
        if not self.guessed or not (read := self.samples().get(self.encoding)):
            return ""
        return f"{ENCODINGS[self.encoding]} is a guess; with it, a value reads {read}"

    def first(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return the first lines, cut into fields, to choose the names from."""
        rows: list[Row] = []
        with self._opened() as file, suppress(BrokenError):
            rows.extend(itertools.islice(self.layout.dialect.rows(file), SHOWN))
        return first_lines(rows)

    def raw(self) -> str:
        """Return the first lines as they are."""
        with self._opened() as file:
            return "".join(line[:500] for line in itertools.islice(file, 40))


def read_bytes(content: bytes, name: str, folder: Path, read: ReadOptions = AS_IT_IS) -> Upload:
    """Read a file given as bytes, and keep it in a folder."""
    name = file_called(name)
    if len(content) > MAX_UPLOAD_MB * MEGABYTE:
        raise InvalidInputError(
            f"{name} has {len(content) / MEGABYTE:,.0f} MB; at most {MAX_UPLOAD_MB} are allowed."
        )
    if content.startswith(_PARQUET):
        check_records(name, *_size_of(content))
    path = folder / f"{hashlib.sha256(content).hexdigest()}.data"
    fresh = not path.exists()
    try:
        with room_for(name):
            path.write_bytes(content)
        return read_file(path, name, folder, read)
    except BaseException:
        if fresh:
            path.unlink(missing_ok=True)
        raise


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
            f"{file_called(name)} could not be stored: the disk is full."
        ) from error


def read_file(path: Path, name: str, folder: Path, read: ReadOptions = AS_IT_IS) -> Upload:
    """Read a file: Parquet in its place, any other kind through a Parquet copy in `folder`."""
    name, read = file_called(name), read.layout
    if not path.is_file():
        raise InvalidInputError(f"There is no file {name!r}.")
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # Arrow reads no other one, nor does JSON hold its name
        raise InvalidInputError(
            f"{str(path)!r} cannot be read: a file's name must be text in UTF-8."
        ) from error
    size = path.stat().st_size
    if size == 0:
        raise InvalidInputError(f"{name} is empty.")
    with path.open("rb") as file:
        head = file.read(MEGABYTE)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    way = "" if read == AS_IT_IS else hashlib.sha256(repr(read).encode()).hexdigest()[:16]
    converted = folder / f"{sha256}{way}.parquet"
    with room_for(name), tempfile.TemporaryDirectory(dir=folder, prefix="reading-") as scratch:
        fresh = Path(scratch, "records.parquet")
        parsed = _convert(path, name, fresh, head, read)
        source = fresh if fresh.exists() else path
        table = FileTable(name, (source,), parsed.columns.names, weigher=parsed.weigher)
        rows = table.rows
        if rows == 0:
            raise _no_records(name, parsed)
        empty: list[int] = []
        if source == fresh and parsed.columns.unnamed and "empty" not in read.kept:
            table, empty = _without_empty(table, parsed.columns, Path(scratch, "narrow.parquet"))
        unnamed = unnamed_repairs(parsed.columns, empty)
        table = with_marks(table)
        single = _single(parsed.text) if len(table.columns) == 1 else []
        if source == fresh:
            table.paths[0].replace(converted)
            table = replace(table, paths=(converted,))
    return Upload(
        sha256,
        name,
        size,
        parsed.kind,
        table,
        rows,
        path,
        read,
        parsed.text,
        parsed.sheets,
        (*parsed.repairs, *unnamed, *single),
        parsed.hints,
        parsed.titles,
    )


@dataclass(frozen=True)
class _Parsed:
    """What a file is: its kind, its columns, what was repaired; `weigher` as of `FileTable`."""

    kind: str
    columns: Columns
    repairs: tuple[Repair, ...] = ()
    sheets: Sheets | None = None
    hints: tuple[Choice, ...] = ()
    text: TextFile | None = None
    weigher: str = ""
    titles: tuple[tuple[str, str], ...] = ()


def _without_empty(file: FileTable, columns: Columns, target: Path) -> tuple[FileTable, list[int]]:
    """Return a table without the columns that have no name and no value, and their places."""
    names = columns.names
    with parquet.ParquetFile(file.paths[0]) as read:

        def is_empty(i: int) -> bool:
            parts = (batch.column(0).unique() for batch in read.iter_batches(columns=[f"c{i}"]))
            cells = (cell for part in parts for cell in part.to_pylist() if cell is not None)
            return all(isinstance(cell, str) and not cell.strip() for cell in cells)

        empty = [i for i in columns.unnamed if is_empty(i)]
        empty = empty[len(empty) == len(names) :]  # one column at least
        if not empty:
            return file, empty
        left = [i for i in range(len(names)) if i not in empty]
        schema = pa.schema([read.schema_arrow.field(i) for i in left])
        write_batches(read.iter_batches(columns=schema.names), schema, target)
    return replace(file, paths=(target,), columns=tuple(names[i] for i in left)), empty


def _single(text: TextFile | None) -> list[Repair]:
    """Say that there is one column, and that its lines may have fields of fixed widths."""
    lines = text.raw().splitlines()[1:] if text else []
    widths = {len(line.rstrip("\r")) for line in lines}
    plain = all(len(line.split()) == 1 for line in lines)
    if len(lines) < 8 or len(widths) > 1 or min(widths) < 8 or not plain:
        return [Repair(_SINGLE)]
    sentence = (
        f"Its lines have {widths.pop()} characters each. If these are several fields of fixed "
        "widths, cut them by the file's description and save it as CSV."
    )
    return [Repair(_SINGLE), Repair(sentence)]


def _no_records(name: str, parsed: _Parsed) -> ReadingError:
    """Return the error of a file without records: it has names alone, or is no table."""
    lines = [] if parsed.text is None else parsed.text.first()
    alone = sum(sum(bool(cell.strip()) for cell in cells) < 2 for _, cells in lines)
    if len(parsed.columns.names) > 1 and 2 * alone > len(lines):
        return ReadingError(
            f"{name} does not look like a table: {alone} of its first {len(lines)} lines have a "
            "single field."
        )
    named = parsed.text is not None and parsed.text.layout.read.header != (0,)
    choices = [UNNAMED] if named and len(lines) < 2 else []
    return ReadingError(f"{name} has column names but no records.", choices)


def _convert(path: Path, name: str, converted: Path, head: bytes, read: ReadOptions) -> _Parsed:
    """Find a file's kind and columns; unless it is Parquet, write it to `converted`."""
    if head.startswith(_PARQUET):
        return _parquet(path, name, read)
    if head.startswith((ZIP, OLD_EXCEL)) or is_web_table(name, head):
        return _workbook(path, name, converted, head, read)
    if kind := labelled_kind(head):
        args = path, name, converted, read
        columns, repairs, weigher, titles = apart(write_labelled, name, damaged(name, kind), *args)
        _check_cells(converted, name)
        return _Parsed(kind, columns, repairs, weigher=weigher, titles=titles)
    for what, starts in _OTHER_KINDS.items():
        if head.startswith(starts):
            raise InvalidInputError(f"{name} is {what}; {READABLE}.")
    utf8, encoding = to_utf8(path, name, converted.with_suffix(".txt"), head, read.encoding)
    ending, notes = Path(name).suffix.lower(), []
    if ending in OTHER_ENDINGS:
        notes.append(Repair(f"Its name ends in {ending}, but it is text: read as text."))
    if encoding == "utf-8" and "controls" not in read.kept:
        mended = converted.with_suffix(".mended.txt")
        if example := without_controls(utf8, mended):
            utf8 = mended
            sentence = (
                f"Control characters are read as Windows-1252, not Latin-1: {shown(example)}."
            )
            notes.append(repaired(sentence, kept=("controls",)))
    layout = find_layout(utf8, name, read)
    text = TextFile(path, encoding, layout)
    repairs = write_records(utf8, name, layout, converted)
    label = layout.kind + ("" if encoding == "utf-8" else f", {ENCODINGS[encoding]}")
    return _Parsed(
        label,
        layout.columns,
        (*notes, *layout.repairs, *repairs),
        hints=(*layout.hints, *(likelier(head, layout.delimiter) if text.guessed else ())),
        text=text,
    )


def _workbook(path: Path, name: str, converted: Path, head: bytes, read: ReadOptions) -> _Parsed:
    """Read a workbook; any but .xlsx may need much memory, so it has its own process."""
    args = path, name, converted, read, head[:200]
    if not head.startswith(ZIP) or OPEN_DOCUMENT in args[-1]:
        died = InvalidInputError(
            f"{name} is damaged, or needs too much memory for a workbook: save it as CSV."
        )
        return _Parsed(*apart(write_sheet, name, died, *args))
    return _Parsed(*write_sheet(*args))


def _parquet(path: Path, name: str, read: ReadOptions) -> _Parsed:
    try:
        names = parquet.read_schema(path).names
        _check_cells(path, name)
    except InvalidInputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:  # names that are not UTF-8 too
        raise InvalidInputError(f"{name} is a damaged Parquet file.") from error
    notes = []
    if len(names) > 1 and names[-1] == _INDEX and "index" not in read.kept:
        names = names[:-1]
        notes = [repaired(f"{_INDEX} has the row numbers of pandas: left out.", kept=("index",))]
    columns = name_columns(names, name)
    return _Parsed("Parquet", columns, (*columns.repairs, *notes))


def _check_cells(path: Path, name: str) -> None:
    """Refuse a Parquet file with a cell of too many characters or items before it is read."""
    metadata = parquet.read_metadata(path)
    columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    texts = [
        column.physical_type.endswith("BYTE_ARRAY") and column.logical_type.type not in _NUMBERS
        for column in columns
    ]
    coded = [column.path for column, is_text in zip(columns, texts, strict=True) if is_text]
    with parquet.ParquetFile(path, read_dictionary=coded) as read:
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            for place, column in enumerate(columns):
                is_text, is_listed = texts[place], column.max_repetition_level > 0
                if not (is_text or is_listed):
                    continue
                about = metadata.row_group(group).column(place)
                items = about.num_values if is_listed else 0
                check_cell(name, items // max(rows, 1), "items")
                # equal items take next to nothing in the file
                size = max(about.total_uncompressed_size, _ITEM * items)
                if size > MAX_UNPACKED_MB * MEGABYTE:
                    raise InvalidInputError(
                        f"{name} unpacks to {size / MEGABYTE:,.0f} MB of {column.path!r}; at most "
                        f"{MAX_UNPACKED_MB:,} MB are allowed."
                    )
                most = items - rows + 1 if is_listed else 1
                if most * (about.total_uncompressed_size if is_text else 1) <= MAX_CELL:
                    continue
                cells = read.reader.read_row_group(group, column_indices=[place]).column(0)
                longest = max(
                    (int(_sizes(part).max(initial=0)) for part in cells.chunks), default=0
                )
                named = "" if is_listed else column.path
                check_cell(name, longest, "characters" if is_text else "items", named)


_NUMBERS = ("DECIMAL", "FLOAT16", "INTERVAL")
"""What Parquet keeps as bytes, and is no text."""

_ITEM = 8
"""Bytes of an item of a list."""


def _sizes(cells: Any) -> Any:
    """Return how many characters the cells of an Arrow array have, or items where these are more.

    Anything but text counts as one.
    """
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        return _sizes(cells.storage)
    if pa.types.is_dictionary(kind):
        known = np.append(_sizes(cells.dictionary), 0)
        return known[cells.indices.cast(pa.int64()).fill_null(len(known) - 1).to_numpy()]
    if pa.types.is_struct(kind):
        return np.sum([_sizes(cells.field(i)) for i in range(kind.num_fields)], axis=0)
    if pa.types.is_fixed_size_list(kind):
        return _sizes(cells.cast(pa.large_list(kind.value_type)))
    if pa.types.is_map(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        starts = cells.offsets.to_numpy()
        if pa.types.is_primitive(cells.values.type):
            return np.diff(starts)
        before = np.append(0, np.cumsum(_sizes(cells.values)))
        return np.maximum(np.diff(before[starts]), np.diff(starts))
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return np.ones(len(cells), np.int64)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        cells = cells.cast(pa.large_binary())
    return compute.binary_length(cells).cast(pa.int64()).fill_null(0).to_numpy()
