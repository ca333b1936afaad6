"""Find out how a text file is laid out: its encoding, delimiter and header."""

from __future__ import annotations

import codecs
import csv
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.data.headers import column_names
from core.data.tables import FileTable
from core.errors import InvalidInputError

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
"""What may stand between fields, and its name."""

OTHERS = {" ": "spaces", ":": "colons", "^": "carets", "~": "tildes", "\x1f": "unit separators"}
"""What may stand between fields elsewhere: named, so that the user can replace it."""

SAMPLE = 50
"""Lines that are looked at to find the delimiter."""

_CHUNK = 1 << 20
"""Bytes that are decoded at a time."""


def to_utf8(path: Path, name: str, converted: Path, head: bytes) -> Path:
    """Return a path where a file stands as UTF-8: its own, or that of a converted copy.

    Raises
    ------
    InvalidInputError
        If the file is no text.
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with converted.open("w", encoding="utf-8", newline="") as target:
            target.writelines(_decoded(path, name, "utf-16"))
        return converted
    if b"\x00" in head:
        raise InvalidInputError(
            f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
        )
    for _ in _decoded(path, name, "utf-8-sig"):
        pass
    return path


def _decoded(path: Path, name: str, encoding: str) -> Iterator[str]:
    """Decode a file piece by piece."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                yield decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise InvalidInputError(
                    f"{name} is not {encoding.removesuffix('-sig').upper()} text: it has the byte "
                    f"0x{error.object[error.start]:02X} near position {done + error.start:,}; "
                    "save it as UTF-8."
                ) from error
            done += len(chunk)


def read_delimited(path: Path, name: str, delimiter: str | None) -> tuple[str, FileTable]:
    """Return the kind of a text file, for people, and where its columns are.

    Raises
    ------
    InvalidInputError
        If it has no header, no records, a single column or another delimiter than was asked for.
    """
    lines = _sample(path)
    if not lines:
        raise InvalidInputError(f"{name} is empty: it has nothing but blank lines.")
    chosen = delimiter or _likeliest(lines, DELIMITERS) or ","
    header, skip = _header(path, name, chosen)
    if len(header) == 1:
        raise InvalidInputError(_one_column(lines, name, chosen))
    return f"CSV, separated by {DELIMITERS.get(chosen, repr(chosen))}", FileTable(
        name, (path,), column_names(header, name), chosen, skip
    )


def _sample(path: Path) -> list[str]:
    """Return the first lines that are not blank."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        start = file.read(_CHUNK)
    lines = start.splitlines()
    if len(start) == _CHUNK and len(lines) > 1:
        lines.pop()  # it may be cut off
    return list(itertools.islice(filter(str.strip, lines), SAMPLE))


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


def _header(path: Path, name: str, delimiter: str) -> tuple[list[str], int]:
    """Return the first row that is not blank, and the number of lines up to its end."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        try:
            header = next(row for row in reader if len(row) > 1 or "".join(row).strip())
        except csv.Error as error:
            raise InvalidInputError(f"The first row of {name} cannot be read: {error}.") from error
        return header, reader.line_num


def _one_column(lines: list[str], name: str, delimiter: str) -> str:
    """Say that one column is too few, and which delimiter is there instead."""
    known = DELIMITERS | OTHERS
    shown = known.get(delimiter, repr(delimiter))
    other = _likeliest(lines, [mark for mark in known if mark != delimiter])
    if other is None:
        return f"{name} has a single column, and S and X need one each."
    what = f"has a single column when separated by {shown}; it seems to be separated by"
    advice = "choose that" if other in DELIMITERS else "replace them by commas"
    return f"{name} {what} {known[other]}: {advice}."
