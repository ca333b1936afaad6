"""Tables of web pages, which some offices save as .xls: the largest one is read."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from core.data.readers.encoding import FALLBACK
from core.data.workbooks import MOST_MERGED, Book, Bounds, Extent, check_size, chosen
from core.errors import InvalidInputError

_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|meta|table)\b", re.IGNORECASE
)
"""How a web page begins."""

_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)

"""Where a web page says its encoding."""

_MOST_SPANNED = 1_000
"""Most columns or rows that a cell spans, as browsers have it."""


def is_web_table(name: str, head: bytes) -> bool:
    """Say whether a file is a web page and is called a workbook."""
    return name.lower().endswith((".xls", ".xlsx")) and bool(_START.match(head))


def read_web_table(path: Path, name: str, sheet: str) -> Book:
    """Return the cells of the largest table of a page, or of the named one."""
    content = path.read_bytes()
    declared = _CHARSET.search(content[:2_000])
    pages = _Tables(name)
    pages.feed(_decoded(content, declared[1].decode() if declared else "utf-8"))
    pages.close()
    filled = [table for table in pages.tables if table.rows]
    if not filled:
        raise InvalidInputError(f"{name} is a web page without a table: use the data file itself.")
    known = {f"table {i + 1}": table for i, table in enumerate(filled)}
    ordered = sorted(known, key=lambda title: -len(known[title].rows))
    sheets = chosen(name, ordered, sheet)
    table = known[sheets.read]
    width = max(map(len, table.rows))
    check_size(name, Extent(len(table.rows) * width, 0, 0))
    cells = [[cell or None for cell in row] + [None] * (width - len(row)) for row in table.rows]
    return Book("web page", cells, sheets, table.merged)


def _decoded(content: bytes, encoding: str) -> str:
    for codec in (encoding, "utf-8"):
        try:
            return content.decode(codec)
        except (LookupError, UnicodeDecodeError):
            continue
    return content.decode(FALLBACK, "replace")


class _Table:
    """A table: rows of texts, and the places of cells that span several."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.merged: list[Bounds] = []
        self.taken: dict[int, int] = {}


class _Tables(HTMLParser):
    """All tables of a page; one within another is a part of its cell."""

    def __init__(self, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self._name = name
        self.tables: list[_Table] = []
        self._depth = 0
        self._text: list[str] | None = None
        self._skipped = ""
        self._place = self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the beginning of an element."""
        if tag in ("script", "style"):
            self._skipped = tag
        elif tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append(_Table())
        elif self._depth == 1 and tag == "tr":
            self._begin_row(self.tables[-1])
        elif self._depth == 1 and tag in ("td", "th") and self.tables[-1].rows:
            self._begin_cell(self.tables[-1], dict(attrs))
        elif tag == "br" and self._text is not None:
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an element."""
        if tag == self._skipped:
            self._skipped = ""
        elif tag == "table" and self._depth:
            self._depth -= 1
            self._end_cell()
        elif self._depth == 1 and tag in ("td", "th", "tr"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        """Note characters between elements."""
        if self._text is not None and not self._skipped:
            self._text.append(data)

    def _begin_row(self, table: _Table) -> None:
        self._end_cell()
        table.taken = {at: left - 1 for at, left in table.taken.items() if left > 1}
        table.rows.append([])

    def _begin_cell(self, table: _Table, attributes: dict[str, str | None]) -> None:
        self._end_cell()
        row = table.rows[-1]
        while len(row) in table.taken:
            row.append("")
        wide, high = (_spanned(attributes.get(span)) for span in ("colspan", "rowspan"))
        left, top = len(row), len(table.rows)
        if high > 1:
            table.taken |= dict.fromkeys(range(left, left + wide), high)
        if max(wide, high) > 1 and len(table.merged) < MOST_MERGED:
            table.merged.append((left + 1, top, left + wide, top + high - 1))
        row.extend([""] * wide)
        self._cells += wide
        check_size(self._name, Extent(self._cells, 0, 0))
        self._text, self._place = [], left

    def _end_cell(self) -> None:
        if self._text is not None:
            text = " ".join("".join(self._text).split())
            check_size(self._name, Extent(0, 0, len(text)))
            self.tables[-1].rows[-1][self._place] = text
            self._text = None


def _spanned(text: str | None) -> int:
    """Return how many columns or rows a cell spans."""
    plain = (text or "1").strip()[:5]
    return min(max(int(plain), 1), _MOST_SPANNED) if plain.isascii() and plain.isdigit() else 1
