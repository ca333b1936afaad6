"""Sheets of old Excel workbooks (.xls), by calamine."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from core.data.workbooks import MOST_MERGED, PADDED, Book, Extent, check_size, chosen
from core.errors import InvalidInputError

_LOCKED = (
    re.compile("EncryptedPackage".encode("utf-16-le")),
    re.compile(rb"\x09\x08\x10\x00\x00\x06\x05\x00.{12}\x2f\x00", re.DOTALL),
)
"""Where a new workbook within an old one, or an old one itself, says that it is encrypted."""


_NO_SECTOR, _LEAST = 0xFFFFFFFA, 4_096
"""Numbers from here on mean none; shorter streams are kept elsewhere, and have no formats."""

_END, _SHEET, _STYLE, _FORMAT = 0x0A, 0x85, 0xE0, 0x41E
"""Records of a workbook whose formats calamine does not report."""

_NUMBERS, _SEVERAL = (0x06, 0x203, 0x27E), 0xBD
"""Records of a cell with a number, and of several."""


def encrypted(name: str) -> InvalidInputError:
    """Return the error of a workbook with a password."""
    return InvalidInputError(f"{name} is an encrypted workbook: save it without a password first.")


def read_old_excel(path: Path, name: str, sheet: str) -> Book:
    """Return the cells of a sheet: the first visible one, or the named one."""
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
            f"{name} is not a workbook, or is damaged: open it in a spreadsheet and save it as "
            ".xlsx."
        ) from error


def _read(content: bytes, name: str, sheet: str) -> Book:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    known = sorted(
        (tab for tab in book.sheets_metadata if tab.typ == SheetTypeEnum.WorkSheet),
        key=lambda tab: tab.visible != SheetVisibleEnum.Visible,
    )
    sheets = chosen(name, [tab.name for tab in known], sheet)
    own = book.get_sheet_by_name(sheets.read)
    cells = [[_cell(cell) for cell in row] for row in own.to_python(skip_empty_area=False)]
    with suppress(struct.error, ValueError):  # what calamine reads may be of an older kind
        for row, column, digits in _padded(_stream(content), sheets.read):
            value = cells[row][column] if row < len(cells) and column < len(cells[row]) else None
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                cells[row][column] = f"{value:0{digits}}"
    texts = [len(cell) for row in cells for cell in row if isinstance(cell, str)]
    extent = Extent(own.total_height * own.total_width, sum(texts), max(texts, default=0))
    check_size(name, extent)
    merged = [
        (left + 1, top + 1, right + 1, down + 1)
        for (top, left), (down, right) in (own.merged_cell_ranges or [])[:MOST_MERGED]
    ]
    return Book("Excel", cells, sheets, merged)


def _stream(content: bytes) -> bytes:
    """Return the workbook within an old Excel file, b"" where it is kept in another way."""
    (power,) = struct.unpack_from("<H", content, 30)
    size = 1 << min(power, 12)

    def sector(place: int) -> bytes:
        return content[(place + 1) * size : (place + 2) * size]

    def chain(place: int) -> bytes:
        parts: list[bytes] = []
        while place < len(links) and len(parts) <= len(links):
            parts.append(sector(place))
            place = int(links[place])
        return b"".join(parts)

    tables = list(struct.unpack_from("<109I", content, 76))
    (more,) = struct.unpack_from("<I", content, 68)
    while more < _NO_SECTOR and len(tables) * size < len(content) + 109 * size:
        *some, more = struct.unpack(f"<{size // 4}I", sector(more))
        tables += some
    links = np.frombuffer(b"".join(sector(n) for n in tables if n < _NO_SECTOR), "<u4")
    folder = chain(struct.unpack_from("<I", content, 48)[0])
    for start in range(0, len(folder), 128):
        entry = folder[start : start + 128]
        if entry.startswith("Workbook\0".encode("utf-16-le")):
            place, length = struct.unpack_from("<2I", entry, 116)
            return chain(place)[:length] if length >= _LEAST else b""
    return b""


def _padded(stream: bytes, sheet: str) -> Iterator[tuple[int, int, int]]:
    """Yield row, column and digits of a sheet's cells whose format has zeros before numbers."""
    forms: dict[int, int] = {}
    styles: list[int] = []
    start = len(stream)
    for kind, data in _records(stream, 0):
        if kind == _FORMAT:
            number, length, wide = struct.unpack_from("<HHB", data)
            text = _text(data[5:], length, wide)
            if PADDED.fullmatch(text):
                forms[number] = len(text)
        elif kind == _STYLE:
            styles.append(struct.unpack_from("<H", data, 2)[0])
        elif kind == _SHEET:
            place, _, _, length, wide = struct.unpack_from("<IBBBB", data)
            start = place if _text(data[8:], length, wide) == sheet else start
    for kind, data in _records(stream, start) if forms else ():
        if kind in _NUMBERS:
            row, column, *own = struct.unpack_from("<3H", data)
        elif kind == _SEVERAL:
            row, column = struct.unpack_from("<2H", data)
            own = [struct.unpack_from("<H", data, at)[0] for at in range(4, len(data) - 2, 6)]
        else:
            continue
        for i, style in enumerate(own):
            if digits := forms.get(styles[style] if style < len(styles) else -1):
                yield row, column + i, digits


def _records(stream: bytes, place: int) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of the records of a part, up to its end."""
    while place + 4 <= len(stream):
        kind, length = struct.unpack_from("<2H", stream, place)
        if kind == _END:
            return
        yield kind, stream[place + 4 : place + 4 + length]
        place += 4 + length


def _text(data: bytes, length: int, wide: int) -> str:
    return data[: length * (1 + (wide & 1))].decode("utf-16-le" if wide & 1 else "latin-1")


def _cell(cell: Any) -> Any:
    """Return a cell's value; None where it is empty."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return None if cell == "" else cell
