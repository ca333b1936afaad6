"""Write all records of a text file to a Parquet file.

Where all quotes are as the format requires, Arrow reads the file, and must find as many records as
there are line ends outside quotes. Any other file is read by Python's csv module, which is slower,
accepts mixed line ends, and gives the line of an error.
"""

from __future__ import annotations

import codecs
import csv
import io
import mmap
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from core.data.readers.delimited import TextLayout, complaint
from core.errors import InvalidInputError

_BLOCK = 1 << 22
"""Bytes that Arrow reads at once; it reads no longer record. Larger blocks leave the processor's
cache: 16 MB take twice as long."""

_COUNTED = 1 << 20
"""Bytes in which records are counted at once, for the same reason."""

_REPEATED = 4
"""Records for each distinct value from which a column is written as a dictionary: for others the
attempt takes as long as all the rest."""

_FIELDS = 1 << 20
"""Fields that are held at once when the csv module reads."""

_QUOTE, _LINE_FEED, _RETURN = b'"\n\r'


def write_records(text: Path, name: str, layout: TextLayout, target: Path) -> int:
    """Write each field as text, and return the number of records.

    Parameters
    ----------
    text : Path
        The file, in UTF-8.
    name : str
        Its name, for sentences to the user.
    layout : TextLayout
        Its columns and where its records begin.
    target : Path
        The Parquet file, with columns c0, c1, ….

    Raises
    ------
    InvalidInputError
        If a record has more or fewer fields than the header, or a quote is misplaced; the sentence
        names the line in which the record begins.
    """
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
            arrow_csv.ReadOptions(column_names=schema.names, block_size=_BLOCK),
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
    most = batch.num_rows // _REPEATED
    return [name for name in batch.schema.names if pc.count_distinct(batch[name]).as_py() <= most]


def _batches(records: Iterator[list[str]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield records as batches of columns."""
    some = max(_FIELDS // len(schema), 1)
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
