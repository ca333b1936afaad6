"""All records of a text file as a Parquet file.

Where all quotes are as the format requires, Arrow reads the records, and must find as many as there
are line ends outside quotes; Python's slower csv module reads any other file.
"""

from __future__ import annotations

import codecs
import io
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from core.data.options import Repair, repaired
from core.data.readers.dialect import UNQUOTED, BrokenError, complaint
from core.data.readers.names import same_names
from core.data.readers.text import FORMULA, TextLayout
from core.data.tables import check_cell
from core.errors import Choice, ReadingError, choice
from core.wording import number_of

_COUNTED = 1 << 18
"""Bytes in which records are counted at once: more leaves the cache."""

_QUOTE, _LINE_FEED, _RETURN, _EQUALS = b'"\n\r='


def write_records(text: Path, name: str, layout: TextLayout, target: Path) -> tuple[Repair, ...]:
    """Write each field as text; return what was repaired."""
    schema = pa.schema([(f"c{i}", pa.string()) for i in range(layout.width)])
    expected = _records(text, layout) if layout.dialect.is_plain else None
    if expected is not None:
        lines = _Lines(name, layout)
        try:
            rows = _fast(text, lines, schema, target)
            if rows + lines.again == expected:
                return lines.repairs()
        except pa.ArrowException:
            pass  # the csv module says what is wrong, and where
    lines = _Lines(name, layout)
    with (
        _records_of(text, layout) as part,
        io.TextIOWrapper(part, "utf-8", newline="") as characters,
    ):
        batches = map(lines.without_names, _batches(lines.fitted(characters), schema))
        if "formulas" not in layout.read.kept:
            batches = map(lines.without_formulas, batches)
        write_batches(batches, schema, target)
    lines.check(text)
    return lines.repairs()


@dataclass
class _Lines:
    """The lines of a file as they become records, and what was repaired.

    `short` and `long`: lines of records of another length than the names, and how many fields they
    have; `blank`: how many records have blank fields more. `again`: how many lines repeat the
    names. `formulas`: how many values are formulas of a text such as ="02134", by which programs
    keep zeros in spreadsheets; `example`: the first.
    """

    name: str
    layout: TextLayout
    records: int = 0
    short: list[tuple[int, int]] = field(default_factory=list)
    long: list[tuple[int, int]] = field(default_factory=list)
    blank: int = 0
    again: int = 0
    formulas: int = 0
    example: str = ""

    def fitted(self, file: io.TextIOWrapper) -> Iterator[list[str]]:
        """Yield the records, each with as many fields as there are names; skip blank lines."""
        width = self.layout.width
        try:
            for line, row in self.layout.dialect.rows(file, self.layout.lines):
                self.records += 1
                if len(row) == width:
                    yield row
                    continue
                if len(row) > width and not "".join(row[width:]).strip():
                    self.blank += 1
                else:
                    (self.short if len(row) < width else self.long).append((line, len(row)))
                    if self.layout.read.pad == "leave":
                        continue
                yield (row + [""] * (width - len(row)))[:width]
        except BrokenError as error:
            raise ReadingError(
                f"{self.name} {complaint(error, f'line {error.line:,}')}.",
                [UNQUOTED] if self.layout.dialect.quote else (),
            ) from error

    def checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Refuse a batch with a cell that is too long; else return it `without_names`."""
        for column, cells in zip(self.layout.columns.names, batch.columns, strict=True):
            check_cell(self.name, int(_lengths(cells).max(initial=0)), column=column)
        return self.without_names(batch)

    def without_names(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch without lines that repeat the names, which are no records."""
        names = self.layout.names
        named = [i for i in range(min(len(names), batch.num_columns)) if names[i].strip()]
        if len(named) < 2:
            return batch
        name, cells = names[named[0]], batch.column(named[0])
        if not (_lengths(cells) == len(name.encode())).any():
            return batch
        first = pc.starts_with(cells, name, ignore_case=True)
        if not pc.any(first).as_py():
            return batch
        keep = [
            not same_names([cell.as_py() for cell in row], names) if is_first.as_py() else True
            for is_first, row in zip(first, zip(*batch.columns, strict=True), strict=True)
        ]
        self.again += keep.count(False)
        return batch.filter(pa.array(keep))

    def without_formulas(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch with the texts in place of formulas of a text."""
        columns = []
        for column in batch.columns:
            matches = pc.match_substring_regex(column, FORMULA.pattern)
            if times := pc.sum(matches).as_py():
                self.formulas += times
                self.example = self.example or column.filter(matches)[0].as_py()
                column = pc.replace_substring_regex(column, FORMULA.pattern, r"\1")
            columns.append(column)
        return pa.record_batch(columns, batch.schema)

    def check(self, text: Path) -> None:
        """Raise where records are of another length, and it is not evident what that means."""
        pad = self.layout.read.pad
        if pad in ("pad", "leave") or not (self.short or self.long):
            return
        if pad == "" and not self.long and self._evident(text):
            return
        line, fields = min(self.short[:1] + self.long[:1])
        raise ReadingError(
            f"{self.name} has {number_of(fields, 'field')} in line {line:,}, but its header has "
            f"{self.layout.width:,}.",
            self._choices(text, line),
        )

    def _evident(self, text: Path) -> bool:
        """Say whether short records only lack their last fields, and are not broken or cut off."""
        layout = self.layout
        if 2 * len(self.short) > self.records or any(fields < 2 for _, fields in self.short):
            return False
        for (line, fields), (after, others) in pairwise(self.short):
            if after == line + 1 and fields + others in (layout.width, layout.width + 1):
                return False
        with text.open("rb") as file:
            file.seek(layout.end - 1)
            ended = file.read(1) in (b"\n", b"\r")
        return ended or self.short[-1][0] < layout.lines + self.records

    def _choices(self, text: Path, first: int) -> list[Choice]:
        """Offer to fill or cut such records, to leave them out, or all from the first on."""
        parts = []
        uneven = len(self.short) + len(self.long)
        if self.short:
            parts.append(f"fill {number_of(len(self.short), 'short record')}")
        if self.long:
            parts.append(f"cut {number_of(len(self.long), 'long record')}")
        label = " and ".join(parts)
        choices = [choice(label[:1].upper() + label[1:], pad="pad")]
        some = "it" if uneven == 1 else f"all {uneven:,}"
        choices.append(choice(f"Leave {some} out", pad="leave"))
        with text.open(encoding="utf-8", newline="") as file:
            last = sum(1 for _ in file)
        if last - first < uneven + 20:
            label = f"Leave out everything from line {first:,} on"
            choices.append(choice(label, skip_end=last - first + 1))
        return choices

    def repairs(self) -> tuple[Repair, ...]:
        """Say how many records were filled, cut or left out, and how many formulas were read."""
        result = []
        if self.blank:
            verb = "ends" if self.blank == 1 else "end"
            note = f"{number_of(self.blank, 'record')} {verb} with an extra delimiter."
            result.append(Repair(note))
        for some, what, done in (
            (self.short, "too short", "their last fields are missing"),
            (self.long, "too long", "their last fields are left out"),
        ):
            if some:
                are, line = ("is", "line") if len(some) == 1 else ("are", "lines")
                done = "left out" if self.layout.read.pad == "leave" else done
                lines = ", ".join([f"{line:,}" for line, _ in some[:5]] + ["…"] * (len(some) > 5))
                note = f"{number_of(len(some), 'record')} {are} {what} ({line} {lines}): {done}."
                result.append(repaired(note, pad="refuse"))
        if self.again:
            verb = "repeats" if self.again == 1 else "repeat"
            note = f"{number_of(self.again, 'line')} further down {verb} the names: left out."
            result.append(repaired(note, kept=("again",)))
        if self.formulas:
            are = "is a formula" if self.formulas == 1 else "are formulas"
            note = f"{number_of(self.formulas, 'value')} such as {self.example} {are} for a text: "
            text = FORMULA.sub(r"\1", self.example)
            result.append(repaired(f"{note}read as {text}.", kept=("formulas",)))
        return tuple(result)


def _records(text: Path, layout: TextLayout) -> int | None:
    """Count the records by line ends; return None where Arrow would not read them as they are."""
    if layout.end <= layout.start:
        return None
    with text.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    data = np.frombuffer(mapped, np.uint8)[layout.start : layout.end]
    if bytes(data[:3]) == codecs.BOM_UTF8:
        return None  # Arrow would skip it
    beside = np.zeros(256, dtype=bool)
    beside[[ord(layout.delimiter), _QUOTE, _LINE_FEED, _RETURN]] = True
    records, quotes_seen, line_start = 0, 0, 0
    for start in range(0, data.size, _COUNTED):
        block = data[start : start + _COUNTED]
        raw = data[start : start + _COUNTED + 1].tobytes()  # what it lacks is seen at once
        quotes = np.flatnonzero(block == _QUOTE) + start
        first = quotes_seen % 2  # 0 where the block's first quote opens a field
        opening, closing = quotes[first::2], quotes[1 - first :: 2]
        # the first and the last byte of all stand for those beyond them, and are quotes then
        before, after = (data.take(at, mode="clip") for at in (opening - 1, closing + 1))
        if not (beside.take(before).all() and beside.take(after).all()):
            return None
        if _EQUALS in raw and (data.take(opening + 1, mode="clip") == _EQUALS).any():
            return None  # a formula of a text may begin
        ends = np.flatnonzero(block == _LINE_FEED) + start
        if _RETURN in raw:
            ends = _with_lone_returns(ends, data, np.flatnonzero(block == _RETURN) + start)
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


def _with_lone_returns(
    feeds: NDArray[np.intp], data: NDArray[np.uint8], returns: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return where lines end: at each line feed, and each return without one."""
    following = data[np.minimum(returns + 1, data.size - 1)]
    lone = returns[(following != _LINE_FEED) | (returns == data.size - 1)]
    return np.sort(np.concatenate([feeds, lone]))


@contextmanager
def _records_of(text: Path, layout: TextLayout) -> Iterator[Any]:
    """Open the bytes of a file between the layout's start and end."""
    size = max(layout.end - layout.start, 0)
    with pa.OSFile(str(text)) as file, file.get_stream(layout.start, size) as part:
        yield part


def _fast(text: Path, lines: _Lines, schema: pa.Schema, target: Path) -> int:
    """Read well-formed records with Arrow."""
    layout = lines.layout
    with _records_of(text, layout) as file:
        batches = arrow_csv.open_csv(
            file,
            # more leaves the cache
            arrow_csv.ReadOptions(column_names=schema.names, block_size=1 << 22),
            arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=schema, strings_can_be_null=False),
        )
        return write_batches(map(lines.checked, batches), schema, target)


def _lengths(cells: pa.Array) -> Any:
    """Return the bytes of texts; a scalar or an array of Arrow's imports pandas, for 0.5 s."""
    if not len(cells):
        return np.empty(0, np.int32)
    return np.diff(np.frombuffer(cells.buffers()[1], np.int32, len(cells) + 1, 4 * cells.offset))


def write_batches(batches: Iterator[pa.RecordBatch], schema: pa.Schema, target: Path) -> int:
    """Write batches, and return how many records they have."""
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
