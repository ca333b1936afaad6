"""Text files: their encoding, their layout, and all their records as a Parquet file.

Where all quotes are as the format requires, Arrow reads the records, and must find as many as there
are line ends outside quotes; Python's slower csv module reads any other file.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import mmap
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from core.data.options import ENCODINGS, encoding_of
from core.errors import InvalidInputError
from core.limits import MAX_COLUMNS
from core.validation import shown
from core.wording import free_name

FALLBACK = "windows-1252"
"""The encoding of a file that is neither UTF-8 nor UTF-16."""

_FIELD = 24
"""Most characters of a field that show how an encoding reads it."""

_CONTROLS = re.compile("[\\x01-\\x08\\x0e-\\x19\\x7f]")
"""Characters that no text has."""


class _NotTextError(InvalidInputError):
    """The bytes of a file are no text in an encoding; `mixed` if some of them clearly are."""

    mixed = False


def to_utf8(
    path: Path, name: str, converted: Path, head: bytes, asked: str = ""
) -> tuple[Path, str]:
    """Return the path of a file in UTF-8, its own or a copy's, and the encoding that it had."""
    asked = encoding_of(asked)
    codec = codec_of(head, asked)
    if codec is None:
        raise InvalidInputError(
            f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
        )
    if codec == "utf-8-sig":
        try:
            for _ in decoded(path, name, codec):
                pass
            return path, "utf-8"
        except _NotTextError as error:
            if asked or error.mixed:
                raise
        codec = FALLBACK
    with converted.open("w", encoding="utf-8", newline="") as target:
        for text in decoded(path, name, codec, guessed=not asked and codec == FALLBACK):
            target.write(text)
    return converted, "utf-16" if codec.startswith("utf-16") else codec


def samples(head: bytes, delimiter: str) -> dict[str, str]:
    """Return how the first field with other than ASCII letters reads in each encoding of bytes."""
    strange = re.search(rb"[\x80-\xff]", head)
    if strange is None:
        return {}
    ends = (delimiter.encode(), b'"', b"\r", b"\n")
    first = max(head.rfind(end, 0, strange.start()) + len(end) for end in ends)
    first = first if strange.start() - first < _FIELD else strange.start()
    last = min((at for end in ends if (at := head.find(end, strange.end())) >= 0), default=None)
    found: dict[str, str] = {}
    for name in ENCODINGS:
        if name.startswith("utf"):
            continue
        try:
            text = codecs.getincrementaldecoder(name)().decode(head[first:last])
        except UnicodeDecodeError:
            continue
        if all(map(_is_text, text)):
            found[name] = text.strip()[:_FIELD]
    return found


def codec_of(head: bytes, asked: str) -> str | None:
    r"""Return Python's name of an encoding, by the first bytes where it is not asked for."""
    found = _encoding(head)
    if asked == "utf-16":
        return found if found and found.startswith("utf-16") else "utf-16-le"
    return {"": found, "utf-8": "utf-8-sig"}.get(asked, asked)


def _encoding(head: bytes) -> str | None:
    """Return the encoding of a file by its first bytes; None where they are no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\x00" not in head:
        return "utf-8-sig"
    for encoding in ("utf-16-le", "utf-16-be"):  # without a byte order mark
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if ("\n" in text or "\r" in text) and all(map(_is_text, set(text))):
            return encoding
    for encoding in ("utf-8", FALLBACK):  # a text with a stray NUL, which is told with its line
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if all(char == "\x00" or _is_text(char) for char in set(text)):
            return "utf-8-sig"
    return None


def _is_text(char: str) -> bool:
    """Say whether a character can be part of a text: no control, private or unassigned one."""
    return char.isspace() or unicodedata.category(char) not in {"Cc", "Cn", "Co", "Cs"}


def decoded(path: Path, name: str, codec: str, *, guessed: bool = False) -> Iterator[str]:
    """Decode a file piece by piece, up to its end."""
    decoder = codecs.getincrementaldecoder(codec)()
    kind = codec.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    shown = ENCODINGS[kind]
    done, lines, mixed = 0, 0, False
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            waiting = len(decoder.getstate()[0])
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                before = error.object[: error.start]
                line = lines + 1 + before.count(b"\n")
                known = f"{shown} text" if not guessed else "text in UTF-8 or Windows-1252"
                wrong = _NotTextError(
                    f"{name} is not {known}: it has the byte "
                    f"0x{error.object[error.start]:02X} in line {line:,}, near position "
                    f"{done - waiting + error.start:,}; choose its encoding, or save it as UTF-8."
                )
                wrong.mixed = mixed or not before.isascii()
                raise wrong from error
            if "\x00" in text:
                line = lines + 1 + text[: text.index("\x00")].count("\n")
                raise InvalidInputError(
                    f"{name} has a NUL character in line {line:,}, which no text has: remove it."
                )
            if guessed and _CONTROLS.search(text):
                raise InvalidInputError(
                    f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
                )
            yield text
            mixed = mixed or not text.isascii()
            lines += text.count("\n")
            done += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        cut = _NotTextError(f"{name} ends within a character: it is cut short, or no {shown} text.")
        cut.mixed = True
        raise cut from error


FIRST = "column 1"
"""Name of a first column without a name, in which many programs write row numbers."""


def lacks_first(names: Sequence[str]) -> bool:
    """Say whether a header names all of its columns but the first."""
    return len(names) > 1 and not names[0].strip() and all(name.strip() for name in names[1:])


def first_named(names: Sequence[str]) -> str:
    """Return the name given to a first column that has none, distinct from the others; else ""."""
    if not lacks_first(names):
        return ""
    return free_name(FIRST, {other.strip() for other in names}.__contains__)


def told(names: Sequence[str]) -> str:
    """Return a note, for the end of a sentence, on the name given to a first column; else ""."""
    name = first_named(names)
    return f"; its first column has no name and is called {name}" if name else ""


def column_names(names: list[str], file: str) -> tuple[str, ...]:
    """Return a header's names, stripped; only the first column may have none."""
    if len(names) < 2:
        what = "a single column" if names else "no columns"
        raise InvalidInputError(f"{file} has {what}, and S and X need one each.")
    stripped = tuple(name.strip() for name in names)
    if lacks_first(names):
        stripped = (first_named(names), *stripped[1:])
    if len(stripped) > MAX_COLUMNS:
        raise InvalidInputError(
            f"{file} has {len(stripped):,} columns, at most {MAX_COLUMNS:,} are allowed."
        )
    for i, name in enumerate(stripped):
        if not name:
            raise InvalidInputError(f"Column {i + 1} of {file} has no name in the first row.")
    for name in stripped:
        if stripped.count(name) > 1:
            raise InvalidInputError(
                f"{file} has {stripped.count(name)} columns named {shown(name)}; names must "
                "be distinct."
            )
    return stripped


DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
"""Delimiters that can be read, with their names."""

OTHERS = {" ": "spaces", ":": "colons", "^": "carets", "~": "tildes", "\x1f": "unit separators"}
"""Delimiters that cannot be read but are recognised, so that the user is told to replace them."""


_SAMPLED = 1 << 20
"""Characters that these lines are taken from."""

_LINE_END = re.compile(r"\r\n|\n|\r")
"""Line ends of a CSV file; other line separators of Unicode are text."""


_SEPARATOR = re.compile(r'(sep=[^"\r\n]|"sep=[^"\r\n]")(\r\n|\n|\r)', re.IGNORECASE)
"""A first line that gives the delimiter to Excel."""


@dataclass(frozen=True)
class TextLayout:
    """The layout of a text file; `start` and `lines` are bytes and lines before the first record.

    `comments`: how many of these lines are comments. `note`: on the header, the end of a sentence.
    """

    columns: tuple[str, ...]
    delimiter: str
    start: int
    lines: int
    comments: int
    note: str = ""

    @property
    def kind(self) -> str:
        """A description of the file for the user."""
        said = f"CSV, separated by {DELIMITERS.get(self.delimiter, repr(self.delimiter))}"
        if self.comments:
            plural = "" if self.comments == 1 else "s"
            said += f", after {self.comments:,} line{plural} of comment"
        return said + self.note


def find_layout(path: Path, name: str, delimiter: str | None) -> TextLayout:
    """Find the layout of a UTF-8 file from its start."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\x00'):
        raise InvalidInputError(
            f"The delimiter must be one character, no quote and no line break, got {delimiter!r}."
        )
    said = _separator(path)
    if said:
        found = _find(path, name, delimiter or said.rstrip('"\r\n')[-1], said)
        return replace(found, start=found.start + len(said.encode()), lines=found.lines + 1)
    return _find(path, name, delimiter, "")


def _separator(path: Path) -> str:
    """Return a first line that gives the delimiter to Excel, such as sep=; or "" without one."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        said = _SEPARATOR.match(file.read(9))  # with its quotes and its end
    return said[0] if said else ""


@contextmanager
def _after(path: Path, said: str) -> Iterator[TextIO]:
    """Open a text after the line that gives its delimiter."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        file.read(len(said))
        yield file


def _find(path: Path, name: str, delimiter: str | None, said: str) -> TextLayout:
    """Find the layout of a text after the line that gives its delimiter, if there is one."""
    lines = _sample(path, said)
    if not lines:
        raise InvalidInputError(f"{name} is empty: it has nothing but blank lines.")
    chosen = delimiter or _likeliest(lines, DELIMITERS) or ","
    header, read, comments = _header(path, name, chosen, said)
    if len(header) == 1:
        raise InvalidInputError(_one_column(lines, name, chosen))
    with path.open("rb") as raw:
        mark = len(codecs.BOM_UTF8) if raw.read(3) == codecs.BOM_UTF8 else 0
    start = mark + sum(len(line.encode()) for line in read)
    columns = column_names(header, name)
    return TextLayout(columns, chosen, start, len(read), comments, told(header))


def _sample(path: Path, said: str) -> list[str]:
    """Return the first lines that are neither blank nor comments; else the first comments."""
    with _after(path, said) as file:
        start = file.read(_SAMPLED)
    lines = _LINE_END.split(start)
    if len(start) == _SAMPLED and len(lines) > 1:
        lines.pop()  # the last line may be incomplete
    filled = [line for line in lines if line.strip()]
    after = itertools.dropwhile(lambda line: line.startswith("#"), filled)
    return list(itertools.islice(after, 50)) or filled[:50]


def _likeliest(lines: list[str], candidates: Iterable[str]) -> str | None:
    """Return the delimiter that cuts most lines into the same number of fields, two or more."""
    best, best_score = None, (0.0, 0)
    for candidate in candidates:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=candidate)]
        except csv.Error:
            continue
        if widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best_score:
                best, best_score = candidate, score
    return best


def _header(path: Path, name: str, delimiter: str, said: str) -> tuple[list[str], list[str], int]:
    """Return the header, the lines up to its end, and how many of them are comments."""
    skipped = _comments(path, name, delimiter, said)
    with _after(path, said) as file:
        read: list[str] = []
        lines = _noted(file, read)
        while sum(line.startswith("#") for line in read) < skipped:
            next(lines)  # not through the csv reader: a quote in a comment opens no value
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            filled = (row for row in reader if len(row) > 1 or "".join(row).strip())
            header = next(filled, None)
        except csv.Error as error:
            raise InvalidInputError(f"{name} {complaint(error, 'the first row')}.") from error
    if header is None:
        raise InvalidInputError(f"{name} is empty: it has nothing but blank lines.")
    return header, read, skipped


def complaint(error: csv.Error, where: str) -> str:
    """Return what the csv module finds wrong with a record, as the end of a sentence."""
    if "unexpected end" in str(error):
        return f"has a quote in {where} that is not closed"
    if "expected after" in str(error):
        return f"has text after a closing quote in {where}: double a quote within a value"
    if "field limit" in str(error):
        most = f"{csv.field_size_limit():,}"
        return f"has a value of more than {most} characters in {where}: a quote may be open"
    return f"cannot be read in {where}: {error}"


def _noted(lines: Iterable[str], read: list[str]) -> Iterator[str]:
    """Yield lines, and append each to `read`."""
    for line in lines:
        read.append(line)
        yield line


def _comments(path: Path, name: str, delimiter: str, said: str) -> int:
    """Return the number of lines at the start that are comments: they begin with #."""
    marked: list[str] = []
    following = None
    with _after(path, said) as file:
        for line in file:
            if not line.strip():
                continue
            if not line.startswith("#"):
                following = line
                break
            marked.append(line)
    if not marked or following is None:
        return 0
    try:
        width = _width(following, delimiter)
        alike = [line for line in marked if width > 1 and _width(line, delimiter) == width]
    except csv.Error as error:
        raise InvalidInputError(f"{name} {complaint(error, 'its first lines')}.") from error
    if not alike:
        return len(marked)
    if alike[0] is marked[0] and re.match(r"#[^#\s]", alike[0]):
        return 0
    shown = alike[0].strip()
    raise InvalidInputError(
        f"{name} has a line that may name the columns or be a comment, "
        f"{shown[:60] + '…' if len(shown) > 60 else shown!r}: take its # away, or the line."
    )


def _width(line: str, delimiter: str) -> int:
    """Return the number of fields of one line."""
    return len(next(csv.reader([line], delimiter=delimiter)))


def _one_column(lines: list[str], name: str, delimiter: str) -> str:
    """Return the error's sentence for a single column, with the delimiter that seems to be used."""
    known = DELIMITERS | OTHERS
    shown = known.get(delimiter, repr(delimiter))
    other = _likeliest(lines, [mark for mark in known if mark != delimiter])
    if other is None:
        return f"{name} has a single column, and S and X need one each."
    what = f"has a single column when separated by {shown}; it seems to be separated by"
    advice = "choose that" if other in DELIMITERS else "replace them by commas"
    return f"{name} {what} {known[other]}: {advice}."


_COUNTED = 1 << 20
"""Bytes in which records are counted at once, for the same reason."""


_QUOTE, _LINE_FEED, _RETURN = b'"\n\r'


def write_records(text: Path, name: str, layout: TextLayout, target: Path) -> int:
    """Write each field as text, and return the number of records."""
    schema = pa.schema([(f"c{i}", pa.string()) for i in range(len(layout.columns))])
    expected = _records(text, layout)
    if expected is not None:
        try:
            if _fast(text, layout, schema, target) == expected:
                return expected
        except pa.ArrowException:
            pass  # the csv module says what is wrong, and where
    return _slow(text, name, layout, schema, target)


def _records(text: Path, layout: TextLayout) -> int | None:
    """Count the records by line ends; return None where a quote is misplaced."""
    if not layout.delimiter.isascii() or text.stat().st_size == layout.start:
        return None
    with text.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    data = np.frombuffer(mapped, np.uint8)[layout.start :]
    if bytes(data[:3]) == codecs.BOM_UTF8:
        return None  # Arrow would skip it
    beside = np.zeros(256, dtype=bool)
    beside[[ord(layout.delimiter), _QUOTE, _LINE_FEED, _RETURN]] = True
    records, quotes_seen, line_start = 0, 0, 0
    for start in range(0, data.size, _COUNTED):
        block = data[start : start + _COUNTED]
        quotes = np.flatnonzero(block == _QUOTE) + start
        first = quotes_seen % 2  # 0 where the block's first quote opens a field
        opening, closing = quotes[first::2], quotes[1 - first :: 2]
        before = data[opening[opening > 0] - 1]
        after = data[closing[closing < data.size - 1] + 1]
        if not (beside[before].all() and beside[after].all()):
            return None
        ends = _line_ends(data, start, block)
        ends = ends[(quotes_seen + np.searchsorted(quotes, ends)) % 2 == 0]
        quotes_seen += quotes.size
        if ends.size:
            starts = np.concatenate([[line_start], ends[:-1] + 1])
            pair = (data[ends] == _LINE_FEED) & (ends > starts) & (data[ends - 1] == _RETURN)
            records += int((ends - pair > starts).sum())
            line_start = int(ends[-1]) + 1
        _forget(mapped, layout.start + min(start, line_start))
    if quotes_seen % 2:
        return None
    return records + (line_start < data.size)


def _forget(mapped: mmap.mmap, until: int) -> None:
    """Release the pages of a file that were read, which count as memory of the process."""
    whole = until // mmap.PAGESIZE * mmap.PAGESIZE
    if whole and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED, 0, whole)


def _line_ends(data: NDArray[np.uint8], start: int, block: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return where lines of a block end: at each line feed, and each return without one."""
    feeds = np.flatnonzero(block == _LINE_FEED) + start
    returns = np.flatnonzero(block == _RETURN) + start
    if not returns.size:
        return feeds
    following = data[np.minimum(returns + 1, data.size - 1)]
    lone = returns[(following != _LINE_FEED) | (returns == data.size - 1)]
    return np.sort(np.concatenate([feeds, lone]))


def _fast(text: Path, layout: TextLayout, schema: pa.Schema, target: Path) -> int:
    """Read well-formed records with Arrow."""
    with text.open("rb") as file:
        file.seek(layout.start)
        batches = arrow_csv.open_csv(
            file,
            arrow_csv.ReadOptions(
                column_names=schema.names, block_size=1 << 22
            ),  # more leaves the cache
            arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=schema, strings_can_be_null=False),
        )
        return _write(batches, schema, target)


def _slow(text: Path, name: str, layout: TextLayout, schema: pa.Schema, target: Path) -> int:
    """Read the records with Python's csv module."""
    with text.open("rb") as file:
        file.seek(layout.start)
        with io.TextIOWrapper(file, "utf-8", newline="") as characters:
            records = _checked(characters, name, layout)
            return _write(_batches(records, schema), schema, target)


def _write(batches: Iterator[pa.RecordBatch], schema: pa.Schema, target: Path) -> int:
    first = next(batches, None)
    if first is None:
        parquet.write_table(schema.empty_table(), target)
        return 0
    rows = 0
    # statistics would take a quarter of the time, and no query here skips row groups by them
    repeated = _repeated(first)
    with parquet.ParquetWriter(
        target, schema, use_dictionary=repeated, write_statistics=False
    ) as writer:
        for batch in chain([first], batches):
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def _repeated(batch: pa.RecordBatch) -> list[str]:
    """Return the columns whose values repeat, by one batch."""
    most = batch.num_rows // 4
    return [name for name in batch.schema.names if pc.count_distinct(batch[name]).as_py() <= most]


def _batches(records: Iterator[list[str]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield records as batches of columns."""
    some = max((1 << 20) // len(schema), 1)
    while rows := list(islice(records, some)):
        yield pa.record_batch(
            [pa.array(column, pa.string()) for column in zip(*rows, strict=True)], schema
        )


def _checked(file: io.TextIOWrapper, name: str, layout: TextLayout) -> Iterator[list[str]]:
    """Yield the records, each checked to have as many fields as the header; skip blank lines."""
    width = len(layout.columns)
    reader = csv.reader(file, delimiter=layout.delimiter, strict=True)
    while True:
        line = layout.lines + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidInputError(f"{name} {complaint(error, f'line {line:,}')}.") from error
        if len(row) == width:
            yield row
        elif len(row) > 1 or "".join(row).strip():
            plural = "" if len(row) == 1 else "s"
            raise InvalidInputError(
                f"{name} has {len(row):,} field{plural} in line {line:,}, its header has {width:,}."
            )
