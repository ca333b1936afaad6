"""Find the layout of a text file: its delimiter, its header, and where its records begin."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from core.data.readers.headers import column_names, told
from core.errors import InvalidInputError

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
"""Delimiters that can be read, with their names."""

OTHERS = {" ": "spaces", ":": "colons", "^": "carets", "~": "tildes", "\x1f": "unit separators"}
"""Delimiters that cannot be read but are recognised, so that the user is told to replace them."""

SAMPLE = 50
"""Lines by which the delimiter is found."""

_SAMPLED = 1 << 20
"""Characters that these lines are taken from."""

_LINE_END = re.compile(r"\r\n|\n|\r")
"""Line ends of a CSV file; other line separators of Unicode are text."""


_SEPARATOR = re.compile(r'(sep=[^"\r\n]|"sep=[^"\r\n]")(\r\n|\n|\r)', re.IGNORECASE)
"""A first line that gives the delimiter to Excel."""

_LONGEST_SEPARATOR = 9
"""Most characters of such a line, with its quotes and its end."""


@dataclass(frozen=True)
class TextLayout:
    """The layout of a text file.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    delimiter : str
        The character between the fields of a record.
    start : int
        Number of bytes before the first record.
    lines : int
        Number of lines before the first record.
    comments : int
        How many of them are comments.
    note : str
        A note on the header for the user, as the end of a sentence; may be empty.
    """

    columns: tuple[str, ...]
    delimiter: str
    start: int
    lines: int
    comments: int
    note: str = ""

    @property
    def kind(self) -> str:
        """A description of the file for the user."""
        said = f"CSV, separated by {DELIMITERS.get(self.delimiter, repr(self.delimiter))}"
        if self.comments:
            plural = "" if self.comments == 1 else "s"
            said += f", after {self.comments:,} line{plural} of comment"
        return said + self.note


def find_layout(path: Path, name: str, delimiter: str | None) -> TextLayout:
    """Find the layout of a UTF-8 file from its start.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Its name, for sentences to the user.
    delimiter : str or None
        The character between the fields; found from the file where not given.

    Raises
    ------
    InvalidInputError
        If the file is blank or has a single column, the delimiter is no single character, a
        column name is missing or not unique, or the header may be a comment.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\x00'):
        raise InvalidInputError(
            f"The delimiter must be one character, no quote and no line break, got {delimiter!r}."
        )
    said = _separator(path)
    if said:
        found = _find(path, name, delimiter or said.rstrip('"\r\n')[-1], said)
        return replace(found, start=found.start + len(said.encode()), lines=found.lines + 1)
    return _find(path, name, delimiter, "")


def _separator(path: Path) -> str:
    """Return a first line that gives the delimiter to Excel, such as sep=; or "" without one."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        said = _SEPARATOR.match(file.read(_LONGEST_SEPARATOR))
    return said[0] if said else ""


@contextmanager
def _after(path: Path, said: str) -> Iterator[TextIO]:
    """Open a text after the line that gives its delimiter."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        file.read(len(said))
        yield file


def _find(path: Path, name: str, delimiter: str | None, said: str) -> TextLayout:
    """Find the layout of a text after the line that gives its delimiter, if there is one."""
    lines = _sample(path, said)
    if not lines:
        raise InvalidInputError(f"{name} is empty: it has nothing but blank lines.")
    chosen = delimiter or _likeliest(lines, DELIMITERS) or ","
    header, read, comments = _header(path, name, chosen, said)
    if len(header) == 1:
        raise InvalidInputError(_one_column(lines, name, chosen))
    with path.open("rb") as raw:
        mark = len(codecs.BOM_UTF8) if raw.read(3) == codecs.BOM_UTF8 else 0
    start = mark + sum(len(line.encode()) for line in read)
    columns = column_names(header, name)
    return TextLayout(columns, chosen, start, len(read), comments, told(header))


def _sample(path: Path, said: str) -> list[str]:
    """Return the first lines that are neither blank nor comments; else the first comments."""
    with _after(path, said) as file:
        start = file.read(_SAMPLED)
    lines = _LINE_END.split(start)
    if len(start) == _SAMPLED and len(lines) > 1:
        lines.pop()  # the last line may be incomplete
    filled = [line for line in lines if line.strip()]
    after = itertools.dropwhile(lambda line: line.startswith("#"), filled)
    return list(itertools.islice(after, SAMPLE)) or filled[:SAMPLE]


def _likeliest(lines: list[str], candidates: Iterable[str]) -> str | None:
    """Return the delimiter that cuts most lines into the same number of fields, two or more."""
    best, best_score = None, (0.0, 0)
    for candidate in candidates:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=candidate)]
        except csv.Error:
            continue
        if widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best_score:
                best, best_score = candidate, score
    return best


def _header(path: Path, name: str, delimiter: str, said: str) -> tuple[list[str], list[str], int]:
    """Return the header, the lines up to its end, and how many of them are comments."""
    skipped = _comments(path, name, delimiter, said)
    with _after(path, said) as file:
        read: list[str] = []
        lines = _noted(file, read)
        while sum(line.startswith("#") for line in read) < skipped:
            next(lines)  # not through the csv reader: a quote in a comment opens no value
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            filled = (row for row in reader if len(row) > 1 or "".join(row).strip())
            header = next(filled, None)
        except csv.Error as error:
            raise InvalidInputError(f"{name} {complaint(error, 'the first row')}.") from error
    if header is None:
        raise InvalidInputError(f"{name} is empty: it has nothing but blank lines.")
    return header, read, skipped


def complaint(error: csv.Error, where: str) -> str:
    """Return what the csv module finds wrong with a record, as the end of a sentence."""
    if "unexpected end" in str(error):
        return f"has a quote in {where} that is not closed"
    if "expected after" in str(error):
        return f"has text after a closing quote in {where}: double a quote within a value"
    if "field limit" in str(error):
        most = f"{csv.field_size_limit():,}"
        return f"has a value of more than {most} characters in {where}: a quote may be open"
    return f"cannot be read in {where}: {error}"


def _noted(lines: Iterable[str], read: list[str]) -> Iterator[str]:
    """Yield lines, and append each to `read`."""
    for line in lines:
        read.append(line)
        yield line


def _comments(path: Path, name: str, delimiter: str, said: str) -> int:
    """Return the number of lines at the start that are comments: they begin with #.

    Raises
    ------
    InvalidInputError
        If a line may be the header as well as a comment.
    """
    marked: list[str] = []
    following = None
    with _after(path, said) as file:
        for line in file:
            if not line.strip():
                continue
            if not line.startswith("#"):
                following = line
                break
            marked.append(line)
    if not marked or following is None:
        return 0
    try:
        width = _width(following, delimiter)
        alike = [line for line in marked if width > 1 and _width(line, delimiter) == width]
    except csv.Error as error:
        raise InvalidInputError(f"{name} {complaint(error, 'its first lines')}.") from error
    if not alike:
        return len(marked)
    if alike[0] is marked[0] and re.match(r"#[^#\s]", alike[0]):
        return 0
    shown = alike[0].strip()
    raise InvalidInputError(
        f"{name} has a line that may name the columns or be a comment, "
        f"{shown[:60] + '…' if len(shown) > 60 else shown!r}: take its # away, or the line."
    )


def _width(line: str, delimiter: str) -> int:
    """Return the number of fields of one line."""
    return len(next(csv.reader([line], delimiter=delimiter)))


def _one_column(lines: list[str], name: str, delimiter: str) -> str:
    """Return the error's sentence for a single column, with the delimiter that seems to be used."""
    known = DELIMITERS | OTHERS
    shown = known.get(delimiter, repr(delimiter))
    other = _likeliest(lines, [mark for mark in known if mark != delimiter])
    if other is None:
        return f"{name} has a single column, and S and X need one each."
    what = f"has a single column when separated by {shown}; it seems to be separated by"
    advice = "choose that" if other in DELIMITERS else "replace them by commas"
    return f"{name} {what} {known[other]}: {advice}."
