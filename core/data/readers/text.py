"""The layout of a text file: its delimiter and quotes, its names, and where its records are."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path

from core.data.options import ALIGNED, ReadOptions, Repair, repaired
from core.data.readers.dialect import (
    DELIMITERS,
    OTHERS,
    UNQUOTED,
    BrokenError,
    Dialect,
    Row,
    aligned,
    complaint,
    guess,
    width_of,
)
from core.data.readers.names import (
    Columns,
    Placed,
    find_below,
    find_names,
    first_lines,
    joined_names,
    lacks_first,
    lines_of,
    may_be_names,
    name_columns,
    names_in,
    titles,
)
from core.errors import Choice, InvalidInputError, ReadingError, choice
from core.limits import MEGABYTE
from core.wording import number_of, were

_TRIED = 300
"""Most lines that each way to cut fields is tried on."""

_CUT = 5_000
"""First lines of a long file that are cut."""

_TAIL = 1 << 16
"""Bytes at the end of a long file in which notes are looked for."""

_LEGEND = 50
"""Most lines below notes that cannot be cut and are left out with them."""

_SEPARATOR = re.compile(r'(sep=[^"\r\n]|"sep=[^"\r\n]")(\r\n|\n|\r)', re.IGNORECASE)
"""A first line that gives the delimiter to Excel."""

FORMULA = re.compile(r'^="([^"]*)"$')
"""A formula of a text, for spreadsheets."""


@dataclass(frozen=True)
class TextLayout:
    """The layout of a text file.

    `columns`: names, one for each of the `width` fields of a record. `start` and `lines`: bytes and
    lines before the first record; `end`: bytes up to the last one's end. `comments`: how many lines
    at the start are comments. `names`: the line of the names, cut, where a record may repeat it.
    `read`: how it was to be read; `hints`: what else may be meant.
    """

    columns: Columns
    dialect: Dialect
    start: int
    lines: int
    end: int
    comments: int
    read: ReadOptions
    names: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    hints: tuple[Choice, ...] = ()

    @property
    def width(self) -> int:
        """The number of fields of a record."""
        return len(self.columns.names)

    @property
    def delimiter(self) -> str:
        """What separates fields."""
        return self.dialect.delimiter

    @property
    def kind(self) -> str:
        """A description of the file for the user."""
        label = "CSV, " + (
            "a single column" if self.width == 1 else f"separated by {self.dialect.called}"
        )
        if self.comments:
            label += f", after {number_of(self.comments, 'line')} of comment"
        return label


@dataclass(frozen=True)
class _Start:
    """The start of a text: lines with their ends, after a mark and a line for Excel."""

    mark: int
    separator: str
    lines: list[str]
    whole: bool

    @property
    def before(self) -> int:
        """How many lines are before these."""
        return 1 if self.separator else 0

    def bytes_before(self, line: int) -> int:
        """Return the bytes before a line, which is counted from 1."""
        own = self.lines[: line - 1 - self.before]
        return self.mark + len(self.separator.encode()) + sum(len(text.encode()) for text in own)


def find_layout(path: Path, name: str, read: ReadOptions) -> TextLayout:
    """Find the layout of a UTF-8 file."""
    start = _start(path, name)
    comments = 0 if read.header > (0,) else _comments(start, name, read)
    place = comments if read.header <= (0,) else max(read.header[0] - 1 - start.before, 0)
    lines = start.lines[place:]
    if not any(line.strip() for line in lines):
        chosen = read.header > (0,)
        short = f"has no names in line {read.header[0]:,}: it is shorter" if chosen else ""
        raise InvalidInputError(f"{name} {short or 'is empty: it has nothing but blank lines'}.")
    dialect = _dialect(start, lines, name, read)
    some = lines if start.whole else lines[:_CUT]
    rows, broken = _rows(dialect, some, start.before + place, start.whole)
    if not dialect.is_single and broken is not None and rows and width_of(rows) < 2:
        raise _one_column(lines, name, dialect)
    if not rows or (broken is not None and len(rows) < 2):
        raise _no_records(broken, start.before + place + 1, name)
    width = width_of(rows)
    if not dialect.is_single and width < 2 and max(len(row) for _, row in rows) < 2:
        raise _one_column(lines, name, dialect)
    header, body, repairs, joins = place_names(rows, width, name, read)
    raw = joined_names([rows[i][1] for i in header])
    if "formulas" not in read.kept:
        raw = [FORMULA.sub(r"\1", cell) for cell in raw]
    if raw and re.match(r"#\s", raw[0]):
        raw[0] = raw[0][1:].strip()
    raw, fitted = _fitted(raw, rows[body:], width, read)
    columns = name_columns(raw, name)
    end, ended, hints = _end(path, name, start, rows, body, dialect, raw, read, broken)
    # blank lines between are no records
    first_line = rows[body][0] if body < len(rows) else rows[-1][0] + lines_of(rows[-1][1])
    return TextLayout(
        columns,
        dialect,
        min(start.bytes_before(first_line), end),
        first_line - 1,
        end,
        comments,
        read,
        tuple(rows[header[0]][1]) if len(header) == 1 and "again" not in read.kept else (),
        (*repairs, *_of_dialect(dialect, read), *fitted, *columns.repairs, *ended),
        (*joins, *hints),
    )


def _start(path: Path, name: str) -> _Start:
    """Read the start of a text."""
    with path.open("rb") as raw:
        mark = len(codecs.BOM_UTF8) if raw.read(3) == codecs.BOM_UTF8 else 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        text = file.read(MEGABYTE)  # by which the layout is found
        whole = not file.read(1)
    match = _SEPARATOR.match(text)
    separator = match[0] if match else ""
    lines = list(io.StringIO(text[len(separator) :], newline=""))
    if not whole:
        if len(lines) < 2:
            raise InvalidInputError(
                f"{name} has a first line of more than {MEGABYTE:,} characters: it is not a table."
            )
        lines.pop()  # the last line may be incomplete
    return _Start(mark, separator, lines, whole)


def _comments(start: _Start, name: str, read: ReadOptions) -> int:
    """Return the number of lines at the start that are comments: they begin with #."""
    above = list(takewhile(lambda line: line.startswith("#") or not line.strip(), start.lines))
    while above and not above[-1].strip():
        above.pop()
    rest = start.lines[len(above) :]
    below = [line for line in rest if line.strip()]
    if not above or not below or read.header == (0,):
        return len(above) if below else 0
    lines, following = [line for line in above if line.strip()], below[0]
    dialects = guess(rest[:50], {})
    delimiter = read.delimiter or next((dialect.delimiter for dialect in dialects), ",")
    width = _width(following, delimiter)
    alike = [line for line in lines if width > 1 and _width(line, delimiter) == width]
    if not alike:
        return len(above)
    if alike[0] is lines[0] and re.match(r"#[^#\s]", alike[0]):
        rows, _ = _rows(Dialect(delimiter), rest, 0, start.whole)
        if not may_be_names(rows, width):
            return 0
    place = start.lines.index(alike[-1]) + 1 + start.before
    after = start.lines.index(following) + 1 + start.before
    line = alike[0].strip()
    raise ReadingError(
        f"{name} has a line that may hold the names or be a comment, "
        f"{line[:60] + '…' if len(line) > 60 else line!r}: remove its #, or the line.",
        [names_in(place), names_in(after)],
        [(i + 1 + start.before, (line.rstrip("\r\n"),)) for i, line in enumerate(start.lines[:12])],
    )


def _width(line: str, delimiter: str) -> int:
    """Return the number of fields of one line; 0 where it cannot be cut."""
    rows, _ = _rows(Dialect(delimiter), [line], 0, whole=True)
    return len(rows[0][1]) if rows else 0


def _dialect(start: _Start, lines: Sequence[str], name: str, read: ReadOptions) -> Dialect:
    """Return how lines are cut: as requested, as the first line says for Excel, or by a guess."""
    options = {
        "delimiter": read.delimiter or start.separator.rstrip('"\r\n')[-1:],
        "quote": read.quote,
        "escape": read.escape,
    }
    known = {name: "" if mark == "none" else mark for name, mark in options.items() if mark}
    requested = Dialect(
        known.get("delimiter", ","), known.get("quote", '"'), known.get("escape") == "\\"
    )
    if "column" in read.kept:
        return requested.single()
    tried = list(islice((line for line in lines if line.strip()), _TRIED))
    if read.delimiter == ALIGNED:
        if gaps := aligned(tried):
            return replace(requested, gaps=gaps)
        raise InvalidInputError(f"{name} has no blanks below each other that separate columns.")
    if len(known) == 3:
        return requested
    dialects = guess(tried, known)
    if not known and dialects and dialects[0].delimiter == "," and _has_thousands(tried):
        raise _one_column(tried, name, requested)
    if dialects:
        return dialects[0]
    if "delimiter" in known:
        return requested
    rows, broken = _rows(requested, tried, 0, whole=False)
    if broken or not rows or width_of(rows) > 1:
        return requested
    if aligned(tried) or _fitting(tried, requested):
        raise _one_column(tried, name, requested)
    return requested.single()


def _has_thousands(lines: Sequence[str]) -> bool:
    """Say whether commas are within numbers of columns of fixed widths, and separate nothing."""
    if sum("  " in line for line in lines) < 3:
        return False
    others = sum("," in re.sub(r"\d,(?=\d{3})", "", line) for line in lines)
    return 2 * others < len(lines) and bool(aligned(lines))


def _rows(
    dialect: Dialect, lines: Iterable[str], before: int, whole: bool
) -> tuple[list[Row], BrokenError | None]:
    """Return records up to the first that cannot be cut, and what is wrong with it."""
    rows: list[Row] = []
    try:
        rows.extend(dialect.rows(lines, before))
    except BrokenError as error:
        if whole or "unexpected end" not in str(error):
            return rows, error
    if not whole and len(rows) > 1:
        rows.pop()  # the last record may be incomplete
    return rows, None


def _no_records(error: BrokenError | None, first: int, name: str) -> ReadingError:
    """Return the error of a file whose first records, from line `first` on, cannot be cut."""
    if error is None:
        return ReadingError(f"{name} has nothing but blank lines.")
    where = "the first row" if error.line <= first else f"line {error.line:,}"
    why = str(error)
    misplaced = "delimiter" not in why or "expected after" in why
    return ReadingError(f"{name} {complaint(error, where)}.", [UNQUOTED] if misplaced else ())


def _one_column(lines: Sequence[str], name: str, dialect: Dialect) -> ReadingError:
    """Return the error of a single column, with the delimiters that seem to be used."""
    tried = [line for line in lines if line.strip()][:_TRIED]
    known, choices = DELIMITERS | OTHERS, []
    sentence = f"{name} has a single column when separated by {dialect.called}"
    if gaps := aligned(tried):
        sentence = f"{name} seems to have columns of fixed widths"
        label = f"Cut it into {len(gaps) + 1} columns, where blanks are below each other"
        choices = [choice(label, delimiter=ALIGNED)]
    elif fits := _fitting(tried, dialect):
        best = [candidate.delimiter[0] for candidate in guess(tried, {})[:1]]
        ordered = sorted(fits, key=lambda mark: mark not in best)
        sentence += f"; it seems to be separated by {known[ordered[0]]}: choose that"
        choices = [
            choice(f"Read it as separated by {known[mark]}", delimiter=mark) for mark in ordered[:3]
        ]
    choices.append(choice("It is a single column", kept=("column",)))
    rows = first_lines([(i + 1, [line.rstrip("\r\n")]) for i, line in enumerate(tried)])
    return ReadingError(f"{sentence}.", choices, rows)


def _fitting(lines: Sequence[str], dialect: Dialect) -> list[str]:
    """Return the other delimiters that lines may be separated by."""
    return [
        mark
        for mark in DELIMITERS | OTHERS
        if mark != dialect.delimiter and guess(lines, {"delimiter": mark})
    ]


def place_names(rows: list[Row], width: int, name: str, read: ReadOptions) -> Placed:
    """Find names and records where they are chosen, or else where they seem to be."""
    if not read.header:
        header, body, repairs, hints = find_names(rows, width, name)
        return header, body + read.skip, repairs, hints
    if read.header == (0,):
        above = titles(rows, width)
        sentence = f"{number_of(above, 'line')} above the records {were(above)} left out."
        return (), above + read.skip, (Repair(sentence),) if above else (), ()
    places = {line: i for i, (line, _) in enumerate(rows)}
    for line in read.header:
        if line not in places:
            raise InvalidInputError(
                f"{name} has no names in line {line:,}: it is blank, or inside a record."
            )
    header = tuple(places[line] for line in read.header)
    return header, header[-1] + 1 + read.skip, (), ()


def _fitted(
    raw: list[str], rows: Sequence[Row], width: int, read: ReadOptions
) -> tuple[list[str], list[Repair]]:
    """Return as many names as records have fields: without blanks at their end, or with more."""
    widths = [len(row) for _, row in rows]
    if widths and widths.count(width) < len(widths) / 2:
        width = width_of(rows)
    if not raw:
        return [f"column {i + 1}" for i in range(width)], []
    repairs = []
    if "shift" not in read.kept and lacks_first(raw, rows, width):
        raw = ["", *raw]
        repairs.append(repaired("The names begin with the second column.", kept=("shift",)))
    if len(raw) > width and not any(raw[width:]):
        repairs.append(
            Repair(f"The names end with {number_of(len(raw) - width, 'extra delimiter')}.")
        )
        raw = raw[: max(width, 2)]
    return raw + [""] * (width - len(raw) if width > 1 else 0), repairs


def _of_dialect(dialect: Dialect, read: ReadOptions) -> list[Repair]:
    """Say how fields are quoted where that is unusual."""
    repairs = []
    if dialect.quote == "'" and not read.quote:
        repairs.append(repaired("Fields are in apostrophes.", quote='"'))
    if dialect.escaped and not read.escape:
        repairs.append(repaired("A backslash marks a quote inside quotes.", escape="doubled"))
    return repairs


def _end(
    path: Path,
    name: str,
    start: _Start,
    rows: list[Row],
    body: int,
    dialect: Dialect,
    names: Sequence[str],
    read: ReadOptions,
    broken: BrokenError | None,
) -> tuple[int, list[Repair], tuple[Choice, ...]]:
    """Return the bytes up to the last record's end, what is left out below, and what may be too.

    `broken`: what follows the rows and cannot be cut, as a legend with another delimiter.
    """
    records, total = rows[body:], len(start.lines) + start.before
    if not start.whole:
        records, total = _last_rows(path, dialect)
    search = read.skip_end is None
    records = [row for row in records if row[0] <= total - (read.skip_end or 0)]

    def to_end(place: int) -> int:
        return total - records[place][0] + 1

    whole = start.whole
    gone, repairs, hints = find_below(records, names, name, to_end, whole=whole, search=search)
    if read.skip_end is not None:
        return _without_lines(path, read.skip_end), repairs, hints
    if gone and whole and broken is not None:
        if total - broken.line > _LEGEND:
            return _without_lines(path, 0), [], ()
        sentence = f"Nothing from line {records[-gone][0]:,} on is a record: left out."
        repairs = [Repair(sentence, (("skip_end", 0),)), *repairs[1:]]
    return _without_lines(path, to_end(len(records) - gone) if gone else 0), repairs, hints


def _last_rows(path: Path, dialect: Dialect) -> tuple[list[Row], int]:
    """Return the last records of a long file and the number of its last lines, counted from there.

    Return none where they cannot be cut, such as records of many lines.
    """
    with path.open("rb") as file:
        file.seek(-_TAIL, io.SEEK_END)
        text = file.read().decode("utf-8", errors="ignore")
    _, *lines = io.StringIO(text, newline="")
    if text.count('"') and any(line.count('"') % 2 for line in lines):
        return [], 0
    rows, broken = _rows(dialect, lines, 0, whole=True)
    return ([], 0) if broken else (rows, len(lines))


def _without_lines(path: Path, lines: int) -> int:
    """Return the bytes of a file without some lines at its end."""
    size = path.stat().st_size
    if not lines:
        return size
    length = _TAIL
    while True:
        with path.open("rb") as file:
            file.seek(-min(length, size), io.SEEK_END)
            tail = file.read()
        ends = [match.end() for match in re.finditer(rb"\r\n|\n|\r", tail)]
        if ends and ends[-1] == len(tail):
            ends.pop()
        if len(ends) >= lines:
            return size - len(tail) + ends[-lines]
        if length >= size:
            return 0
        length *= 4
