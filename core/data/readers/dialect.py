"""How a text is cut into fields: its delimiter, its quotes, and how a quote stands within them.

Each way is tried on the first lines. The one wins that gives most lines the same number of fields,
and whose fields look most like values: numbers, dates, words without another delimiter.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.errors import choice
from core.texts import ANY_NUMBER

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
"""Delimiters that are found, with their names."""

_NOTHING = "\x1f"
"""What separates the fields of a single column: a character that it does not have."""

OTHERS = {" ": "spaces", ":": "colons", "^": "carets", "~": "tildes", _NOTHING: "unit separators"}
"""Delimiters that are read on request, and offered where no other one fits."""

LINE_END = re.compile(r"\r\n|\n|\r")
"""Line ends of a CSV file; other line separators of Unicode are text."""

_QUOTE, _BACKSLASH, _DELIMITER = "\ue000", "\ue001", "\ue002"
"""What stands for a quote, a backslash and a delimiter behind a backslash while lines are cut."""

_WITHIN = re.compile(r'\\"(?![,;|\t\r\n]|\Z)')
"""A quote behind a backslash that ends no field."""

UNQUOTED = choice("Read quotes as ordinary characters", quote="none")
"""What may help where a quote is out of place."""

Row = tuple[int, list[str]]
"""The line in which a record begins, from 1, and its fields."""


@dataclass(frozen=True)
class Dialect:
    """How lines are cut: `quote` "" for none, `escaped` where a backslash stands before a quote.

    `gaps`: of columns of fixed widths, the places between which blanks separate two of them.
    """

    delimiter: str = ","
    quote: str = '"'
    escaped: bool = False
    gaps: tuple[tuple[int, int], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is RFC 4180 but for the delimiter, which Arrow reads."""
        plain = len(self.delimiter) == 1 and self.delimiter != " " and self.delimiter.isascii()
        return plain and self.quote == '"' and not self.escaped

    @property
    def is_single(self) -> bool:
        """Whether each record is one field."""
        return self.delimiter == _NOTHING

    def single(self) -> Dialect:
        """Return how the lines of a single column are cut."""
        return replace(self, delimiter=_NOTHING)

    @property
    def called(self) -> str:
        """The delimiter's name."""
        if self.gaps:
            return "blanks in columns"
        known = DELIMITERS | OTHERS
        name = known.get(self.delimiter[0], repr(self.delimiter[0]))
        if len(self.delimiter) == 1:
            return name
        return f"{name} with a blank" if self.delimiter[1] == " " else f"doubled {name}"

    def _hidden(self, line: str) -> str:
        """Return a line with other characters for those behind a backslash."""
        plain = line.replace("\\\\", _BACKSLASH).replace(f"\\{self.quote or chr(34)}", _QUOTE)
        return plain.replace(f"\\{self.delimiter}", _DELIMITER)

    def rows(self, lines: Iterable[str], before: int = 0) -> Iterator[Row]:
        """Yield records that are not blank, of lines that follow `before` others."""
        if self.gaps:
            for line, text in enumerate(lines, before + 1):
                if text.strip():
                    yield line, self._cut(text)
            return
        if self.escaped:
            lines = map(self._hidden, lines)
        blanks = self.delimiter[-1] == " "
        reader = csv.reader(
            lines,
            delimiter=self.delimiter[0],
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=blanks,
            strict=True,
        )
        while True:
            line = before + reader.line_num + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise BrokenError(line, str(error)) from error
            if self.escaped:
                row = [
                    cell.replace(_QUOTE, self.quote or '"')
                    .replace(_DELIMITER, self.delimiter)
                    .replace(_BACKSLASH, "\\")
                    for cell in row
                ]
            if self.delimiter == " " and len(row) > 1 and not row[-1]:
                row.pop()
            if len(self.delimiter) == 2 and not blanks:
                row = _every_other(row, line)
            if len(row) > 1 or "".join(row).strip():
                yield line, row

    def _cut(self, line: str) -> list[str]:
        """Return the fields of a line of columns; a text that reaches over a gap is one field."""
        text = line.rstrip().ljust(self.gaps[-1][1])
        ends = [text.find(" ", *gap) for gap in self.gaps]
        if min(ends) < 0:
            return [text.strip()]
        return [text[i:j].strip() for i, j in zip([0, *ends], [*ends, len(text)], strict=True)]


def aligned(lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the places between which all lines but titles and notes have blanks, within them.

    Behind each the first line has a text: else a word of a longer text ends there.
    """
    apart = [bool(re.search(r"\S\s{2,}\S", line)) for line in lines]
    if apart.count(True) < 3 or any("\t" in line for line in lines):
        return ()
    table = lines[apart.index(True) : len(apart) - apart[::-1].index(True)]
    filled = {i for line in table for i, char in enumerate(line) if not char.isspace()}
    blanks = re.finditer(" +", "".join("x" if i in filled else " " for i in range(max(filled) + 1)))
    gaps = [gap.span() for gap in blanks if gap.start() > 0]
    nexts = [*(start for start, _ in gaps[1:]), None]
    named = zip(gaps, nexts, strict=True)
    return tuple(gap for gap, after in named if table[0][gap[1] : after].strip())


class BrokenError(Exception):
    """A record that begins in `line` cannot be cut."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def _every_other(row: list[str], line: int) -> list[str]:
    """Return the fields between doubled delimiters."""
    if any(row[1::2]):
        raise BrokenError(line, "a delimiter that is not doubled")
    return row[::2]


def complaint(error: BrokenError, where: str) -> str:
    """Return what is wrong with a record, as the end of a sentence."""
    why = str(error)
    if "unexpected end" in why:
        return f"has an unclosed quote in {where}"
    if "expected after" in why:
        return f"has text after a closing quote in {where}: double the quotes inside a value"
    if "field limit" in why:
        most = f"{csv.field_size_limit():,}"
        return f"has a value of more than {most} characters in {where}: a quote may be unclosed"
    return f"cannot be read in {where}: {why}"


def width_of(rows: Sequence[Row]) -> int:
    """Return the number of fields that most records with several have; the greater of two."""
    widths = Counter(len(row) for _, row in rows if len(row) > 1)
    return max(widths, key=lambda width: (widths[width], width), default=1)


def guess(lines: Sequence[str], known: Mapping[str, str]) -> list[Dialect]:
    """Return ways to cut lines, the likeliest first; `known` are the requested marks."""
    tried = [
        (score, -place, dialect)
        for place, dialect in enumerate(_candidates(lines, known))
        if (score := _score(lines, dialect)) > 0
    ]
    return [dialect for _, _, dialect in sorted(tried, key=lambda trial: trial[:2], reverse=True)]


def _candidates(lines: Sequence[str], known: Mapping[str, str]) -> Iterator[Dialect]:
    """Yield ways to cut lines: the requested one, else those that the text may have."""
    text = "\n".join(lines)
    delimiters = [known["delimiter"]] if "delimiter" in known else [",", "\t", ";", "|"]
    if "delimiter" not in known:
        delimiters += [mark for mark in (", ", "; ") if f'{mark}"' in text or f"{mark}'" in text]
        delimiters += [mark for mark in ("||", ";;", "^^", "~~") if text.count(mark) >= len(lines)]
    quotes = [known["quote"]] if "quote" in known else ['"', "'"] if "'" in text else ['"']
    for quote in quotes:
        for delimiter in delimiters:
            yield Dialect(delimiter, quote, known.get("escape") == "\\")
        for delimiter in delimiters if "escape" not in known else ():
            if f"\\{quote}" in text or f"\\{delimiter}" in text:
                yield Dialect(delimiter, quote, escaped=True)


def _score(lines: Sequence[str], dialect: Dialect) -> float:
    """Return how well a dialect fits: the share of lines alike, times that of values."""
    rows: list[Row] = []
    broken = 0
    try:
        rows.extend(dialect.rows(lines))
    except BrokenError as error:
        broken = len(lines) - error.line + 1
    width = width_of(rows)
    if width < 2:
        return 0.0
    alike = [row for _, row in rows if len(row) == width]
    if width > 2 and not any(cell for row in alike for cell in row[1::2]):
        return 0.0  # its delimiters are doubled
    cells = [cell for row in alike[:100] for cell in row]
    looks = sum(map(_looks, cells)) / len(cells)
    if any("\t" in cell for cell in cells):
        looks /= 2  # no value has a tab, but for one in quotes
    if dialect.quote == "'" and not _opens(lines, dialect):
        return 0.0
    if not dialect.escaped and any(_WITHIN.search(line) for line in lines):
        looks /= 2
    share = len(alike) / (len(rows) + broken)
    return share * (width - 1) / width * looks


def _opens(lines: Sequence[str], dialect: Dialect) -> bool:
    """Say whether apostrophes enclose fields: two or more, or one that has to be enclosed."""
    mark = re.escape(dialect.delimiter)
    enclosed = re.compile(rf"(?:^|{mark})'((?:[^'\n]|'')*)'(?={mark}|$)", re.M)
    fields = enclosed.findall("\n".join(line.rstrip("\r\n") for line in lines))
    return len(fields) > 1 or any("''" in field or dialect.delimiter in field for field in fields)


_VALUE = re.compile(
    rf"[(<>≤≥~]?{ANY_NUMBER}\)?|\d{{1,2}}:\d{{2}}(?::\d{{2}})?"
    r"|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?.{0,6})?"
)
"""Numbers in any country's form, dates and times of day."""

_MARKED = re.compile(r"[;|\t]|,(?! )")
"""What a value rarely has: a delimiter, and of commas those before no blank."""


@lru_cache(maxsize=20_000)
def _looks(cell: str) -> float:
    """Return how much a field looks like one value, from 0 to 1."""
    text = cell.strip()
    if not text or _VALUE.fullmatch(text):
        return 1.0
    if "\t" in text:
        return 0.0
    if len(text) > 1 and (text[0] in "\"'" or text[-1] in "\"'") and text.count("'") != 1:
        return 0.1 if text[0] in "\"'" else 0.3
    if _MARKED.search(text):
        return 0.2
    return 0.8 if ", " in text else 0.98
