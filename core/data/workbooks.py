"""What a workbook becomes once it is read: a small file can stand for billions of cells.

So its parts are looked through first: a cell far out makes a table as wide and as long, and a text
that is kept once can stand in every cell.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from core.data.tables import check_cell, check_columns
from core.errors import InvalidInputError
from core.limits import (
    MAX_UNPACKED_MB,
    MAX_WORKBOOK_CELLS,
    MAX_WORKBOOK_PARTS,
    MEGABYTE,
)
from core.validation import shown
from core.wording import file_called, first_of, listed

_LONGEST = 20
"""Characters of the number of a shared text, and of a cell's place, that are read."""


MOST_MERGED = 20_000
"""Most merged cells that are filled."""

PADDED = re.compile(r"0{2,}")
"""A format that shows whole numbers with zeros before them."""

_PLACES = re.compile(r"[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7}")
"""The places of merged cells."""

NAMED = 5
"""Most sheets that are named beside the one that is read."""

ZIP = b"PK\x03\x04"
"""First bytes of workbooks, which are zip files."""

OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
"""What stands at the beginning of OpenDocument workbooks."""

OLD_EXCEL = b"\xd0\xcf\x11\xe0"
"""First bytes of old Excel files, and of encrypted new ones."""

_ENTRY = b"PK\x01\x02"
"""How the entry of a part begins in the index at a zip file's end."""


@dataclass
class _Part:
    """One part of a workbook, as far as it was looked through."""

    cells: int = 0
    row: int = 0
    column: int = 0
    last_row: int = 0
    last_column: int = 0
    characters: int = 0
    shared: Counter[int] = field(default_factory=Counter)
    texts: list[int] = field(default_factory=list)
    is_shared: bool = False
    is_in_cell: bool = False
    number: str = ""
    own: int = 0
    longest: int = 0
    merged: list[str] = field(default_factory=list)
    unresolved: int = 0
    is_formula: bool = False
    is_text: bool = False
    is_in_value: bool = False
    has_result: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "row":
                self.row = _number(attributes.get("r")) or self.row + 1
                self.column = 0
            case "c":
                before, self.is_in_cell, self.number, self.own = self.column, True, "", 0
                self.is_shared = attributes.get("t") == "s"
                self.is_text = attributes.get("t") == "str"  # which may be empty
                self.is_formula = self.is_in_value = self.has_result = False
                self.column = _column(attributes.get("r", "")) or self.column + 1
                self.cells += max(0, self.column - before)
            case "f" if self.is_in_cell:
                self.is_formula = True
            case "mergeCell" if len(self.merged) < MOST_MERGED:
                self.merged.append(attributes.get("ref", ""))
            case "v" | "is" if self.is_in_cell:
                self.is_in_value, self.has_result = True, self.is_text
                self.last_row = max(self.last_row, self.row)
                self.last_column = max(self.last_column, self.column)
            case "si":
                self.texts.append(0)

    def end(self, name: str) -> None:
        if name.rpartition(":")[2] == "c":
            if self.is_shared:
                self.shared[_number(self.number)] += 1
            self.unresolved += self.is_formula and not self.has_result
            self.is_in_cell = False

    def say(self, text: str) -> None:
        if self.is_in_value and not text.isspace():
            self.has_result = True
        if self.is_in_cell and self.is_shared:
            self.number = (self.number + text)[:_LONGEST]
        elif self.is_in_cell:
            self.characters += len(text)
            self.own += len(text)
            self.longest = max(self.longest, self.own)
        elif self.texts:
            self.texts[-1] += len(text)


@dataclass(frozen=True)
class Extent:
    """What memory must hold of a workbook's first sheet, or of its largest part if that is unknown.

    `cells`: those between included. `characters`: each text counted wherever it stands. `merged`:
    places of merged cells such as A1:B2; `unresolved`: number of formulas without a stored result.
    `columns`: those up to the last one with a value.
    """

    cells: int
    characters: int
    longest: int
    merged: tuple[str, ...] = ()
    unresolved: int = 0
    columns: int = 0


@dataclass(frozen=True)
class Sheets:
    """The sheets that hold cells: the one `read`, at most `NAMED` others, and how many `more`."""

    read: str
    others: tuple[str, ...] = ()
    more: int = 0

    def sentence(self) -> str:
        """Say which sheet is read and which are not; "" where there is one alone."""
        if not self.others:
            return ""
        rest = [_quoted(name) for name in self.others] + [f"{self.more:,} more"] * bool(self.more)
        verb = "is" if len(rest) == 1 else "are"
        return (
            f"Sheet {_quoted(self.read)} is read; {listed(rest)} {verb} not: choose another sheet."
        )


Bounds = tuple[int, int, int, int]
"""First column, first row, last column and last row of merged cells, from 1."""


@dataclass(frozen=True)
class Book:
    """A workbook of a `kind`, with the cells of one of its `sheets` as rows of one width."""

    kind: str
    cells: list[list[Any]]
    sheets: Sheets
    merged: Sequence[Bounds] = ()
    unresolved: int = 0


def chosen(workbook: str, names: Sequence[str], sheet: str) -> Sheets:
    """Return the sheets of a workbook, in the order in which they are offered."""
    if not names:
        raise InvalidInputError(f"{workbook} has no sheet with cells.")
    first, *others = sorted(names, key=lambda name: name != sheet)
    if sheet and first != sheet:
        known = first_of([first, *others], NAMED + 1)
        raise InvalidInputError(
            f"{workbook} has no sheet {shown(sheet)} with cells: it has {known}."
        )
    return Sheets(first, tuple(others[:NAMED]), len(others[NAMED:]))


def check_size(workbook: str, size: Extent) -> None:
    if size.cells > MAX_WORKBOOK_CELLS:
        raise InvalidInputError(
            f"{workbook} spans {size.cells:,} cells; at most {MAX_WORKBOOK_CELLS:,} are allowed: "
            "remove what is far away from its table."
        )
    check_columns(workbook, size.columns)
    check_cell(workbook, size.longest)
    if size.characters > MAX_UNPACKED_MB * MEGABYTE:
        raise InvalidInputError(
            f"{workbook} has {size.characters / MEGABYTE:,.0f} MB of text in its cells; at most "
            f"{MAX_UNPACKED_MB:,} MB are allowed."
        )


def _quoted(name: str) -> str:
    return f"“{file_called(name)}”"


def parts_of(workbook: Path | bytes) -> int:
    """Return the number of a zip file's parts, or a little more, without reading its index."""
    if isinstance(workbook, bytes):
        return workbook.count(_ENTRY)
    count, tail = 0, b""
    with workbook.open("rb") as file:
        while chunk := file.read(MEGABYTE):
            count += (tail + chunk).count(_ENTRY)
            tail = chunk[1 - len(_ENTRY) :]
    return count


def extent(workbook: Path | bytes, sheet: str = "") -> Extent:
    """Look through a workbook in bounded memory; a part that is no XML has no cells."""
    file = io.BytesIO(workbook) if isinstance(workbook, bytes) else workbook
    parts: list[tuple[str, _Part]] = []
    with zipfile.ZipFile(file) as packed:
        for member in packed.infolist():
            if not member.is_dir():
                with packed.open(member) as content:
                    parts.append((member.filename, _looked_through(content)))
    # any part may have the shared texts: the longest in each place counts
    texts = [max(sizes) for sizes in zip_longest(*(part.texts for _, part in parts), fillvalue=0)]
    first = _part_of(file, sheet)
    held = [part for name, part in parts if name == first] or [part for _, part in parts]
    return Extent(
        max(
            (max(part.cells, part.row, part.last_row * part.last_column) for part in held),
            default=0,
        ),
        max((_characters(part, texts) for part in held), default=0),
        max([0, *texts, *(part.longest for part in held)]),
        tuple(ref for part in held for ref in part.merged if _PLACES.fullmatch(ref)),
        sum(part.unresolved for part in held),
        max((part.last_column for part in held), default=0),
    )


def _part_of(file: io.BytesIO | Path, sheet: str) -> str | None:
    """Return the part that is read, found by the reader's own code: so none can hide another."""
    try:
        named = [(name, part) for name, part in worksheets(file) if sheet in ("", name)]
        return named[0][1] if named else None
    except Exception:
        return None


def worksheets(file: io.BytesIO | Path) -> Iterator[tuple[str, str]]:
    """Find the name and the part of each sheet that can be read, visible ones first."""
    from openpyxl.reader.excel import ExcelReader  # only here: most files are no workbooks

    # a name would have to end as those of workbooks do
    with file.open("rb") if isinstance(file, Path) else nullcontext(file) as content:
        reader = ExcelReader(content, read_only=True, data_only=True, keep_links=False)
        reader.read_manifest()
        reader.read_workbook()
        sheets = [
            (sheet.state != "visible", str(sheet.name), str(relation.target))
            for sheet, relation in reader.parser.find_sheets()
            if relation.target in reader.valid_files and "chartsheet" not in relation.Type
        ]
    for _, name, part in sorted(sheets, key=lambda entry: entry[0]):
        yield name, part


def weight(content: bytes, enough: int) -> int:
    """Return the bytes that the reading of a workbook takes, in the order of their size.

    Return 0 for what is refused; if its index says more than `enough`, its cells are not counted.
    """
    if not content.startswith(ZIP) or parts_of(content) > MAX_WORKBOOK_PARTS:
        return 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if unpacked > enough:
            return unpacked
        size = extent(content)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError):
        return 0  # what reads it raises for it
    return max(unpacked, size.cells, size.characters)


def go_through(
    content: IO[bytes],
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> None:
    """Call functions for the elements of an XML document, and for the texts between them."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = say
    while chunk := content.read(MEGABYTE):
        parser.Parse(chunk)
    parser.Parse(b"", True)


def _looked_through(content: IO[bytes]) -> _Part:
    part = _Part()
    with suppress(expat.ExpatError, LookupError, ValueError):  # no XML, or no encoding of it
        go_through(content, part.start, part.end, part.say)
    return part


def _characters(part: _Part, texts: list[int]) -> int:
    longest = max(texts, default=0)  # of a place that counts from the end, or is in another part
    shared = sum(
        times * (texts[number] if 0 <= number < len(texts) else longest)
        for number, times in part.shared.items()
    )
    return part.characters + shared


def _number(text: str | None) -> int:
    """Return a number as the reader understands it, 3e6 and 3_000_000 too; 0 for none."""
    plain = (text or "").strip()[:_LONGEST]
    try:
        return int(float(plain))
    except (ValueError, OverflowError):
        return 0


def _column(place: str) -> int:
    """Return the column of a place such as AB12, from 1; 0 where it names none."""
    column = 0
    for letter in place[:_LONGEST].upper():
        if not "A" <= letter <= "Z":
            break
        column = column * 26 + ord(letter) - ord("A") + 1
    return column
