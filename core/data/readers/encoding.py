"""Find the encoding of a text file, and check every character."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from core.errors import InvalidInputError

_CHUNK = 1 << 20
"""Bytes that are decoded at a time."""


def to_utf8(path: Path, name: str, converted: Path, head: bytes) -> Path:
    """Return the path of a file in UTF-8: its own, or that of a converted copy.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Its name, for sentences to the user.
    converted : Path
        Path of the copy, if one is needed.
    head : bytes
        The first bytes of the file.

    Raises
    ------
    InvalidInputError
        If the file is no text in UTF-8 or UTF-16, has a NUL character, or ends within a character.
    """
    encoding = _encoding(head)
    if encoding is None:
        raise InvalidInputError(
            f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
        )
    if encoding == "utf-8-sig":
        for _ in _decoded(path, name, encoding):
            pass
        return path
    with converted.open("w", encoding="utf-8", newline="") as target:
        target.writelines(_decoded(path, name, encoding))
    return converted


def _encoding(head: bytes) -> str | None:
    """Return the encoding of a file by its first bytes; None where they are no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\x00" not in head:
        return "utf-8-sig"
    for encoding in ("utf-16-le", "utf-16-be"):  # without a byte order mark
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if ("\n" in text or "\r" in text) and all(map(_is_text, set(text))):
            return encoding
    return None


def _is_text(char: str) -> bool:
    """Say whether a character can be part of a text: no control, private or unassigned one."""
    return char.isspace() or unicodedata.category(char) not in {"Cc", "Cn", "Co", "Cs"}


def _decoded(path: Path, name: str, encoding: str) -> Iterator[str]:
    """Decode a file piece by piece, up to its end."""
    decoder = codecs.getincrementaldecoder(encoding)()
    shown = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            waiting = len(decoder.getstate()[0])
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise InvalidInputError(
                    f"{name} is not {shown} text: it has the byte "
                    f"0x{error.object[error.start]:02X} near position "
                    f"{done - waiting + error.start:,}; save it as UTF-8."
                ) from error
            if "\x00" in text:
                raise InvalidInputError(
                    f"{name} has a NUL character near position {done:,}: it is no text."
                )
            yield text
            done += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} ends within a character: it is cut short, or no {shown} text."
        ) from error
