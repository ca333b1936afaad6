"""Workbooks: a sheet's table, its merged cells filled, and its cells as its formats show them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from core.data.options import READABLE, ReadOptions, Repair, repaired
from core.data.readers.names import HEAD, Columns, find_below, joined_names, name_columns
from core.data.readers.old_excel import read_old_excel
from core.data.readers.opendocument import is_opendocument, read_opendocument
from core.data.readers.text import place_names
from core.data.readers.web_tables import is_web_table, read_web_table
from core.data.workbooks import (
    OPEN_DOCUMENT,
    PADDED,
    ZIP,
    Book,
    Bounds,
    Sheets,
    check_size,
    chosen,
    extent,
    parts_of,
    worksheets,
)
from core.errors import Choice, InvalidInputError, ReadingError, choice
from core.limits import MAX_UNPACKED_MB, MAX_WORKBOOK_PARTS, MEGABYTE
from core.validation import shown
from core.wording import number_of

_ROUNDED = 10**15
"""The first whole number with more digits than a spreadsheet keeps."""

Cells = list[list[Any]]


def write_sheet(
    path: Path, name: str, target: Path, read: ReadOptions, head: bytes
) -> tuple[str, Columns, tuple[Repair, ...], Sheets, tuple[Choice, ...]]:
    """Write a sheet's records to a Parquet file.

    `head`: the file's first bytes. Return its kind, columns, repairs, sheets and hints.
    """
    try:
        book = _opened(path, name, read.sheet, head)
    except (InvalidInputError, MemoryError):
        raise
    except Exception as error:  # what reads zip files, XML and sheets raises errors of many types
        kind = "OpenDocument" if OPEN_DOCUMENT in head else "Excel"
        raise InvalidInputError(f"{name} is a damaged {kind} file.") from error
    cells, sheets = book.cells, book.sheets
    merged = [] if "merged" in read.kept else book.merged
    filled = sum(_fill(cells, (left, top, left, down)) for left, top, _, down in merged)
    rows = [
        (i + 1, ["" if cell is None else str(cell) for cell in row]) for i, row in enumerate(cells)
    ]
    rows = [row for row in rows if any(row[1])]
    if not rows:
        which = f"sheet {shown(read.sheet)}" if read.sheet else "first sheet"
        raise InvalidInputError(f"{name} is empty: its {which} has no cells.")
    width = len(cells[0])
    if width < 2 and sheets.others and not read.sheet:
        raise _other_sheet(name, sheets)
    header, body, repairs, _ = place_names(rows[:HEAD], width, name, read)
    raw = joined_names([rows[i][1] for i in header])
    columns = name_columns(raw or [f"column {i + 1}" for i in range(width)], name)
    last = max(len(rows) - (read.skip_end or 0), body)
    records = rows[body:last]
    gone, below, hints = find_below(
        *(records, raw or [""] * width, name, lambda place: len(rows) - body - place),
        search=read.skip_end is None,
    )
    places = [line - 1 for line, _ in records[: len(records) - gone]]
    recorded = set(places)  # a name of several columns is joined, and not filled
    filled += sum(_fill(cells, area) for area in merged if area[1] - 1 in recorded)
    notes = [*repairs, *columns.repairs, *below]
    if book.kind == "web page":
        notes.insert(0, Repair("It has a workbook's name, but is a web page: its table is read."))
    if filled:
        note = f"{number_of(filled, 'empty cell')} inside merged cells: filled with their value."
        notes.append(repaired(note, kept=("merged",)))
    if book.unresolved:
        formulas = number_of(book.unresolved, "formula")
        verb = "has" if book.unresolved == 1 else "have"
        notes.append(
            Repair(
                f"{formulas} {verb} no stored result: open the file in a spreadsheet and save it."
            )
        )
    notes += _long_numbers(cells[place] for place in places)
    width = len(columns.names)
    data = {f"c{i}": _column([cells[place][i] for place in places]) for i in range(width)}
    parquet.write_table(pa.table(data), target)
    return book.kind, columns, tuple(notes), sheets, hints


def _other_sheet(name: str, sheets: Sheets) -> ReadingError:
    """Return the question which sheet is meant, where the first has one column, as of notes."""
    return ReadingError(
        f"Sheet {shown(sheets.read)} of {name} has a single column: choose a sheet.",
        [choice(f"Read sheet {shown(tab)}", sheet=tab) for tab in (*sheets.others, sheets.read)],
    )


def _opened(path: Path, name: str, sheet: str, head: bytes) -> Book:
    """Look through a workbook before it is opened; refuse what is no workbook, or too large."""
    if is_web_table(name, head):
        return read_web_table(path, name, sheet)
    if not head.startswith(ZIP):
        return read_old_excel(path, name, sheet)
    if (parts := parts_of(path)) > MAX_WORKBOOK_PARTS:
        raise InvalidInputError(
            f"{name} is a zip file of {parts:,} parts; at most {MAX_WORKBOOK_PARTS:,} are allowed."
        )
    with zipfile.ZipFile(path) as packed:
        members = packed.infolist()
    names = [member.filename for member in members]
    if "xl/workbook.xml" not in names and not is_opendocument(names):
        raise InvalidInputError(f"{name} is a zip file; {READABLE}.")
    unpacked = sum(member.file_size for member in members) / MEGABYTE
    if unpacked > MAX_UNPACKED_MB:
        raise InvalidInputError(
            f"{name} unpacks to {unpacked:,.0f} MB; at most {MAX_UNPACKED_MB:,} MB are allowed."
        )
    if "xl/workbook.xml" not in names:
        return read_opendocument(path, name, sheet)
    from openpyxl.utils import range_boundaries  # only here: most files are no workbooks

    summary = extent(path, sheet)
    check_size(name, summary)
    sheets = chosen(name, [title for title, _ in worksheets(path)], sheet)
    merged = [range_boundaries(area) for area in summary.merged]
    return Book("Excel", _cells(path, sheets.read), sheets, merged, summary.unresolved)


def _cells(path: Path, sheet: str) -> Cells:
    """Return the cells of a sheet, all rows of one width; None where one is empty."""
    import openpyxl

    with path.open("rb") as content:  # its name may end otherwise than those of workbooks do
        book = openpyxl.load_workbook(content, read_only=True, data_only=True, keep_links=False)
        try:
            own = book[sheet]
            own.reset_dimensions()
            rows = [[_value(cell) for cell in row] for row in own.iter_rows()]
        finally:
            book.close()
    width = max(
        (i + 1 for row in rows for i, cell in enumerate(row) if cell is not None), default=0
    )
    return [(row + [None] * width)[:width] for row in rows]


def _value(cell: Any) -> Any:
    """Return a cell's value as its format shows it, where that has zeros before whole numbers."""
    value = cell.value
    if value is None or value == "" or cell.data_type == "e":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if PADDED.fullmatch(cell.number_format or "") and value == int(value) >= 0:
            return f"{int(value):0{len(cell.number_format)}}"
        return int(value) if isinstance(value, float) and value.is_integer() else value
    return value


def _fill(cells: Cells, bounds: Bounds) -> int:
    """Fill merged cells with their value; return how many were filled."""
    left, top, right, down = bounds
    if top > len(cells) or left > len(cells[0]):
        return 0
    value, filled = cells[top - 1][left - 1], 0
    for row in cells[top - 1 : down]:
        for i in range(left - 1, min(right, len(row))):
            if row[i] is None and value is not None:
                row[i] = value
                filled += 1
    return filled


def _column(cells: list[Any]) -> pa.Array:
    """Return a column as numbers where doubles hold all digits of its cells, else as text."""
    if all(cell is None or _is_plain_number(cell) for cell in cells):
        with suppress(OverflowError, pa.ArrowException):  # whole numbers that no double holds
            numbers = [None if cell is None else float(cell) for cell in cells]
            if not any(isinstance(b, int) and a != b for a, b in zip(numbers, cells, strict=True)):
                return pa.array(numbers, type=pa.float64())
    return pa.array([None if cell is None else str(cell) for cell in cells], type=pa.string())


def _is_plain_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _long_numbers(rows: Iterable[list[Any]]) -> list[Repair]:
    """Say how many whole numbers have more digits than a spreadsheet keeps."""
    long = sum(
        isinstance(cell, int) and abs(cell) >= _ROUNDED and not isinstance(cell, bool)
        for row in rows
        for cell in row
    )
    if not long:
        return []
    have = "has" if long == 1 else "have"
    return [
        Repair(
            f"{number_of(long, 'number')} {have} more than 15 digits. Spreadsheets keep only 15, "
            "so the last ones may already be lost. Store such ids as text."
        )
    ]
