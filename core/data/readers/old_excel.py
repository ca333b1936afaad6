"""Sheets of old Excel workbooks (.xls), by xlrd: cells as shown, and merged ones."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import xlrd
from xlrd.xldate import xldate_as_datetime

from core.data.workbooks import MOST_MERGED, PADDED, Book, Extent, check_size, chosen
from core.errors import InvalidInputError

_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""What an encrypted new workbook has within an old one."""


_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
"""What a format has for hours that go beyond a day; others in brackets are colors and languages."""


def encrypted(name: str) -> InvalidInputError:
    """Return the error of a workbook with a password."""
    return InvalidInputError(f"{name} is an encrypted workbook: save it without a password first.")


def read_old_excel(path: Path, name: str, sheet: str) -> Book:
    """Return the cells of a sheet: the first visible one, or the named one."""
    content = path.read_bytes()
    try:
        book = xlrd.open_workbook(
            file_contents=content, logfile=io.StringIO(), formatting_info=True, ragged_rows=True
        )
    except MemoryError:
        raise
    except Exception as error:  # what is damaged raises errors of many types
        if _LOCKED in content or "encrypted" in str(error):
            raise encrypted(name) from error
        raise InvalidInputError(
            f"{name} is not a workbook, or is damaged: open it in a spreadsheet and save it as "
            ".xlsx."
        ) from error
    known = sorted(book.sheets(), key=lambda tab: tab.visibility)
    sheets = chosen(name, [tab.name for tab in known], sheet)
    own = book.sheet_by_name(sheets.read)
    check_size(name, Extent(own.nrows * own.ncols, 0, 0))
    forms = dict(enumerate(book.format_map[style.format_key].format_str for style in book.xf_list))
    cells = [
        [_value(cell, book.datemode, forms.get(cell.xf_index, "")) for cell in own.row(place)]
        for place in range(own.nrows)
    ]
    for row in cells:
        row += [None] * (own.ncols - len(row))
    texts = [len(cell) for row in cells for cell in row if isinstance(cell, str)]
    check_size(name, Extent(0, sum(texts), max(texts, default=0)))
    merged = [
        (left + 1, top + 1, right, down)
        for top, down, left, right in own.merged_cells[:MOST_MERGED]
    ]
    return Book("Excel", cells, sheets, merged)


def _value(cell: Any, origin: int, form: str) -> Any:
    """Return a cell's value as its format shows it; `origin`: where the file's time begins."""
    value = cell.value
    if cell.ctype == xlrd.XL_CELL_DATE and (moment := _moment(value, origin, form)) is not None:
        return moment
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(value)
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE) and value.is_integer():
        padded = PADDED.fullmatch(form) and value >= 0
        return f"{int(value):0{len(form)}}" if padded else int(value)
    return None if cell.ctype == xlrd.XL_CELL_ERROR or value == "" else value


def _moment(value: float, origin: int, form: str) -> Any:
    """Return a date, a time, both, or a time elapsed; None for what is none, as of year 10,000."""
    try:
        if _ELAPSED.search(form):
            return timedelta(days=value)
        moment = xldate_as_datetime(value, origin)
    except OverflowError:
        return None
    return moment.time() if value < 1 else moment if value % 1 else moment.date()
