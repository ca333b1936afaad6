"""Sheets of OpenDocument workbooks (.ods): cells as shown, merged ones, formulas without results.

A cell or a row is written once and repeated by a number, so a small file can stand for
billions of cells: they are counted before they are repeated.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import IO, Any

from core.data.readers.old_excel import encrypted
from core.data.workbooks import MOST_MERGED, Book, Extent, check_size, chosen, go_through
from core.limits import MAX_CELL

_ASIDE = ("office:annotation", "table:shapes", "table:tracked-changes", "draw:")
"""Elements whose texts and cells do not belong to the sheet."""

_BREAKS = {"text:tab": "\t", "text:line-break": "\n"}
"""Elements that stand for characters."""

_MOST_BLANKS = 100
"""Most blanks that one element stands for."""

_CELLS = ("table:table-cell", "table:covered-table-cell")

_WHOLE = re.compile(r"-?[0-9]{1,300}")
"""A whole number, all of its digits."""

_TIME = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
"""A time of day, as it is stored."""


def is_opendocument(names: list[str]) -> bool:
    """Say whether a zip file with these parts is a document of this kind."""
    return {"content.xml", "META-INF/manifest.xml"} <= set(names)


def read_opendocument(path: Path, name: str, sheet: str) -> Book:
    """Return the cells of a sheet: the first visible one, or the named one."""
    with zipfile.ZipFile(path) as packed:
        if b"encryption-data" in packed.read("META-INF/manifest.xml"):
            raise encrypted(name)
        with packed.open("content.xml") as content:
            sheets = chosen(name, _sheets(content), sheet)
        cells = _Cells(name, sheets.read)
        with packed.open("content.xml") as content:
            go_through(content, cells.start, cells.end, cells.say)
    return Book("OpenDocument", cells.rows, sheets, cells.merged, cells.unresolved)


def _sheets(content: IO[bytes]) -> list[str]:
    """Return the names of all sheets, last those that are hidden by their style."""
    hidden: dict[str, bool] = {}
    hiding: set[str] = set()
    style = ""

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal style
        if tag == "style:style":
            style = attributes.get("style:name", "")
        elif tag == "style:table-properties" and attributes.get("table:display") == "false":
            hiding.add(style)
        elif tag == "table:table":
            is_hidden = attributes.get("table:style-name") in hiding
            hidden[attributes.get("table:name", "")] = is_hidden

    go_through(content, start)
    return sorted(hidden, key=lambda name: hidden[name])


class _Cells:
    """The cells of one sheet, as far as they were read; `merged` has places from 1."""

    def __init__(self, name: str, sheet: str) -> None:
        self._name, self._sheet = name, sheet
        self._rows: list[dict[int, Any]] = []
        self.merged: list[tuple[int, int, int, int]] = []
        self.unresolved = 0
        self._is_begun = self._in_text = False
        self._aside = self._place = self._column = 0
        self._width = self._characters = self._own = 0
        self._row: dict[int, Any] = {}
        self._times = 1
        self._cell: dict[str, str] = {}
        self._text: list[str] = []

    @property
    def rows(self) -> list[list[Any]]:
        """All rows of one width; None where a cell is empty."""
        places = range(self._width)
        return [[row.get(i) for i in places] for row in self._rows]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note the beginning of an element; other sheets, and tables within a cell, are aside."""
        is_own = not self._is_begun and attributes.get("table:name", "") == self._sheet
        if self._aside or tag.startswith(_ASIDE) or (tag == "table:table" and not is_own):
            self._aside += 1
        elif tag == "table:table":
            self._is_begun = True
        elif tag == "table:table-row":
            self._row, self._column = {}, 0
            self._times = _number(attributes, "table:number-rows-repeated")
        elif tag in _CELLS:
            self._cell, self._text, self._own = attributes, [], 0
        elif tag == "text:p":
            self._add("\n" if self._text else "")
            self._in_text = True
        elif self._in_text:
            blanks = _number(attributes, "text:c") if tag == "text:s" else 0
            self._add(_BREAKS.get(tag, " " * min(blanks, _MOST_BLANKS)))

    def say(self, text: str) -> None:
        """Note characters between elements."""
        if self._in_text and not self._aside:
            self._add(text)

    def _add(self, text: str) -> None:
        """Add to a cell's text; of one that is too long the length alone is kept."""
        self._own += len(text)
        if self._own <= MAX_CELL and text:
            self._text.append(text)

    def end(self, tag: str) -> None:
        """Note the end of an element."""
        if self._aside:
            self._aside -= 1
        elif tag == "text:p":
            self._in_text = False
        elif tag in _CELLS:
            self._end_cell(self._cell)
        elif tag == "table:table-row":
            if self._row:
                self._width = max(self._width, max(self._row) + 1)
                self._check((self._place + self._times) * self._width, columns=self._width)
                self._rows += [{}] * (self._place - len(self._rows)) + [self._row] * self._times
            self._place += self._times

    def _end_cell(self, cell: dict[str, str]) -> None:
        """Take a cell, as often as it is repeated; empty ones leave a gap."""
        self._check(0, self._own)
        value = _value(cell, "".join(self._text))
        times = _number(cell, "table:number-columns-repeated")
        left, top = self._column + 1, self._place + 1
        self._column += times
        if "table:formula" in cell and "office:value-type" not in cell:
            self.unresolved += self._times * times
        wide = _number(cell, "table:number-columns-spanned")
        high = _number(cell, "table:number-rows-spanned")
        if max(wide, high) > 1 and len(self.merged) < MOST_MERGED:
            self.merged.append((left, top, left + wide - 1, top + high - 1))
        if value is None:
            return
        longest = len(value) if isinstance(value, str) else 0
        self._characters += longest * times * self._times
        self._check(self._times * self._column, longest)
        self._row.update(dict.fromkeys(range(left - 1, self._column), value))

    def _check(self, cells: int, longest: int = 0, columns: int = 0) -> None:
        check_size(self._name, Extent(cells, self._characters, longest, columns=columns))


def _number(attributes: dict[str, str], name: str) -> int:
    """Return how often something is repeated, at least once."""
    text = attributes.get(name, "1")
    return max(int(text[:10]), 1) if text.isascii() and text.isdigit() else 1


def _value(cell: dict[str, str], text: str) -> Any:
    """Return a cell's value, as it is shown where a format has zeros before a whole number."""
    kind = cell.get("office:value-type", "")
    if cell.get("calcext:value-type") == "error":
        return None
    if kind in ("float", "percentage", "currency"):
        written = cell["office:value"]
        number = float(written)
        if not number.is_integer():
            return number
        whole = int(written) if _WHOLE.fullmatch(written) else int(number)
        padded = len(text) > 1 and text.startswith("0") and text.isdigit() and int(text) == whole
        return text if padded else whole
    if kind == "date":
        return cell.get("office:date-value", text).replace("T", " ")
    if kind == "time":
        match = _TIME.fullmatch(cell.get("office:time-value", ""))
        return ":".join(match.groups()) if match else text or None
    if kind == "boolean":
        return cell.get("office:boolean-value") == "true"
    return cell.get("office:string-value", text) or None
