"""Sheets of old Excel workbooks (.xls), by calamine."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from core.data.workbooks import MOST_MERGED, Book, Extent, check_size, chosen
from core.errors import InvalidInputError

_LOCKED = (
    re.compile("EncryptedPackage".encode("utf-16-le")),
    re.compile(rb"\x09\x08\x10\x00\x00\x06\x05\x00.{12}\x2f\x00", re.DOTALL),
)
"""Where a new workbook within an old one, or an old one itself, says that it is encrypted."""


def encrypted(name: str) -> InvalidInputError:
    """Return the error of a workbook with a password."""
    return InvalidInputError(
        f"{name} is a workbook that is encrypted: save it without a password first."
    )


def read_old_excel(path: Path, name: str, sheet: str) -> Book:
    """Return the cells of a sheet: the first that is seen, or the named one."""
    content = path.read_bytes()
    if any(mark.search(content) for mark in _LOCKED):
        raise encrypted(name)
    try:
        return _read(content, name, sheet)
    except PasswordError as error:
        raise encrypted(name) from error
    except BaseException as error:
        # what panics in Rust is no Exception, and has no type that could be named
        if not isinstance(error, CalamineError) and type(error).__name__ != "PanicException":
            raise
        raise InvalidInputError(
            f"{name} is no workbook, or a damaged one: open it in a spreadsheet and save it as "
            ".xlsx."
        ) from error


def _read(content: bytes, name: str, sheet: str) -> Book:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    known = sorted(
        (one for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet),
        key=lambda one: one.visible != SheetVisibleEnum.Visible,
    )
    sheets = chosen(name, [one.name for one in known], sheet)
    own = book.get_sheet_by_name(sheets.read)
    cells = [[_cell(cell) for cell in row] for row in own.to_python(skip_empty_area=False)]
    texts = [len(cell) for row in cells for cell in row if isinstance(cell, str)]
    found = Extent(own.total_height * own.total_width, sum(texts), max(texts, default=0))
    check_size(name, found)
    merged = [
        (left + 1, top + 1, right + 1, down + 1)
        for (top, left), (down, right) in (own.merged_cell_ranges or [])[:MOST_MERGED]
    ]
    return Book("Excel", cells, sheets, merged)


def _cell(cell: Any) -> Any:
    """Return a cell's value; None where it is empty."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return None if cell == "" else cell
