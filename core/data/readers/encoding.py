"""Find the encoding of a text file, and check every character."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from core.data.options import ENCODINGS
from core.errors import InvalidInputError

_CHUNK = 1 << 20
"""Bytes that are decoded at a time."""

_FALLBACK = "windows-1252"
"""The encoding of a file that is neither UTF-8 nor UTF-16."""

_CONTROLS = re.compile("[\\x01-\\x08\\x0e-\\x19\\x7f]")
"""Characters that no text has."""


class _NotTextError(InvalidInputError):
    """The bytes of a file are no text in an encoding; `mixed` if some of them clearly are."""

    mixed = False


def to_utf8(
    path: Path, name: str, converted: Path, head: bytes, asked: str = ""
) -> tuple[Path, str]:
    """Return the path of a file in UTF-8, its own or that of a converted copy, and its encoding.

    UTF-16 is known by its mark or its zeros, UTF-8 by its rules; any other text is taken for
    Windows-1252.

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
    asked : str
        The encoding, a key of `ENCODINGS`; found from the file where it is "".

    Returns
    -------
    path : Path
        The text in UTF-8.
    encoding : str
        A key of `ENCODINGS`.

    Raises
    ------
    InvalidInputError
        If the file is no text in the encoding, has a NUL character, or ends within a character.
    """
    codec = codec_of(head, asked)
    if codec is None:
        raise InvalidInputError(
            f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
        )
    if codec == "utf-8-sig":
        try:
            for _ in decoded(path, name, codec):
                pass
            return path, "utf-8"
        except _NotTextError as error:
            if asked or error.mixed:
                raise
        codec = _FALLBACK
    with converted.open("w", encoding="utf-8", newline="") as target:
        for text in decoded(path, name, codec, guessed=not asked and codec == _FALLBACK):
            target.write(text)
    return converted, "utf-16" if codec.startswith("utf-16") else codec


def codec_of(head: bytes, asked: str) -> str | None:
    r"""Return Python's name of an encoding, by the first bytes where it is not asked for.

    Parameters
    ----------
    head : bytes
        The first bytes of a file.
    asked : str
        The encoding, a key of `ENCODINGS`; found from the bytes where it is "".

    Examples
    --------
    >>> codec_of("a,b".encode("utf-16-be") + b"\x00\n", "utf-16"), codec_of(b"a,b", "utf-8")
    ('utf-16-be', 'utf-8-sig')
    """
    found = _encoding(head)
    if asked == "utf-16":
        return found if found and found.startswith("utf-16") else "utf-16-le"
    return {"": found, "utf-8": "utf-8-sig"}.get(asked, asked)


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


def decoded(path: Path, name: str, codec: str, *, guessed: bool = False) -> Iterator[str]:
    """Decode a file piece by piece, up to its end.

    Parameters
    ----------
    path, name
        As in `to_utf8`.
    codec : str
        Python's name of the encoding.
    guessed : bool
        Whether nothing in the file says that it has this encoding.

    Raises
    ------
    InvalidInputError
        As in `to_utf8`.
    """
    decoder = codecs.getincrementaldecoder(codec)()
    kind = codec.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    shown = ENCODINGS[kind]
    done, lines, mixed = 0, 0, False
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            waiting = len(decoder.getstate()[0])
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                before = error.object[: error.start]
                line = lines + 1 + before.count(b"\n")
                known = f"{shown} text" if not guessed else "text in UTF-8 or Windows-1252"
                wrong = _NotTextError(
                    f"{name} is not {known}: it has the byte "
                    f"0x{error.object[error.start]:02X} in line {line:,}, near position "
                    f"{done - waiting + error.start:,}; choose its encoding, or save it as UTF-8."
                )
                wrong.mixed = mixed or not before.isascii()
                raise wrong from error
            if "\x00" in text:
                raise InvalidInputError(
                    f"{name} has a NUL character near position {done:,}: it is no text."
                )
            if guessed and _CONTROLS.search(text):
                raise InvalidInputError(
                    f"{name} is a binary file, not text; CSV, TSV, Parquet and Excel can be read."
                )
            yield text
            mixed = mixed or not text.isascii()
            lines += text.count("\n")
            done += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        cut = _NotTextError(f"{name} ends within a character: it is cut short, or no {shown} text.")
        cut.mixed = True
        raise cut from error
