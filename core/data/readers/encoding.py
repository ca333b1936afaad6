"""The encoding of a text file, and its text as UTF-8."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from core.data.options import ENCODINGS, READABLE, encoding_of
from core.errors import Choice, InvalidInputError, ReadingError, choice

FALLBACK = "windows-1252"
"""The encoding of a file that is neither UTF-8 nor UTF-16."""

_FIELD = 24
"""Most characters of a field that show how an encoding reads it."""

_CONTROLS = re.compile("[\\x01-\\x08\\x0e-\\x19\\x7f]")
"""Characters that no text has."""

_LATIN = re.compile(rb"\xc2([\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f])")
"""Characters of Windows-1252 that were read as Latin-1, in UTF-8: Unicode has controls there."""


_WIDER = {"shift_jis": "cp932", "euc-kr": "cp949", "big5": "cp950"}
"""What files of these encodings are in fact: Windows' own, with more characters, such as ①."""


def python_codec(encoding: str) -> str:
    """Return Python's name of what decodes an encoding."""
    return _WIDER.get(encoding, encoding)


class _NotTextError(InvalidInputError):
    """The bytes of a file are not text in an encoding; `mixed` if some of them clearly are."""

    mixed = False


def to_utf8(
    path: Path, name: str, converted: Path, head: bytes, encoding: str = ""
) -> tuple[Path, str]:
    """Return the path of a file in UTF-8, its own or a copy's, and the encoding that it had."""
    encoding = encoding_of(encoding)
    codec = codec_of(head, encoding)
    if codec is None:
        raise InvalidInputError(f"{name} is a binary file, not text; {READABLE}.")
    try:
        if codec == "utf-8-sig":
            try:
                for _ in decoded(path, name, codec):
                    pass
                return path, "utf-8"
            except _NotTextError as error:
                if encoding or error.mixed:
                    raise
            codec = FALLBACK
        with converted.open("w", encoding="utf-8", newline="") as target:
            for text in decoded(path, name, codec, guessed=not encoding and codec == FALLBACK):
                target.write(text)
    except _NotTextError as error:
        raise ReadingError(str(error), _choices(head, encoding)) from error
    return converted, "utf-16" if codec.startswith("utf-16") else codec


def without_controls(path: Path, mended: Path) -> str:
    """Write a UTF-8 file again with Windows-1252's characters for those that were read as Latin-1.

    Returns the word of the first of them; "" for a file without any, which is not copied.
    """
    with path.open("rb") as source:
        pieces = (piece for piece in _pieces(source) if b"\xc2" in piece and _LATIN.search(piece))
        first = next(pieces, None)
        if first is None:
            return ""
        source.seek(0)
        with mended.open("wb") as target:
            target.writelines(_LATIN.sub(_of_1252, piece) for piece in _pieces(source))
    word = re.search(rb"[^\s,;\"|]*" + _LATIN.pattern + rb"[^\s,;\"|]*", first)
    return _LATIN.sub(_of_1252, word[0]).decode(errors="ignore") if word else ""


def _of_1252(match: re.Match[bytes]) -> bytes:
    return match[1].decode("cp1252").encode()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Read a file in pieces that end between characters of Latin-1."""
    while piece := file.read(1 << 20):
        yield piece + file.read(piece.endswith(b"\xc2"))


def _choices(head: bytes, encoding: str) -> list[Choice]:
    """Offer the encodings in which all of the first bytes are text, the strictest first."""
    shown = samples(head, ",")
    able = [name for name in _STRICT if name in shown and _text_of(head, name) is not None]
    return _offered([name for name in able if name != encoding][:4], shown)


def _offered(names: Sequence[str], shown: Mapping[str, str]) -> list[Choice]:
    return [choice(f"Read it as {ENCODINGS[name]}: {shown[name]}", encoding=name) for name in names]


_STRICT = ("shift_jis", "euc-kr", "big5", "gb18030", FALLBACK, "latin-1", "mac-roman")
"""Encodings that are offered where none is found."""

_ODD = re.compile(
    r"[À-ÖØ-öø-ÿ]{4}|[¡-¿]{3}"
    r"|[^\W\d_][¡-§©«¬±²³¶¸¹»-¿×÷ˆ‡‰”™][^\W\d_]|[a-zß-öø-ÿ][ŠŽŸ]|[^\W\d_][ŠŽŸ][a-zß-öø-ÿ]"
)
"""What Windows-1252 makes of another encoding's words: four accents or three signs in a row, a
sign between letters, or a capital behind a small letter."""

_ACCENTS = re.compile("[^\x00-\x7f]{4}")
"""What few words in Latin letters have."""

_LOOKED = 1 << 16
"""Bytes whose fields show whether the encoding was guessed right."""


def likelier(head: bytes, delimiter: str) -> list[Choice]:
    """Offer encodings in which a file reads better than in the one that is guessed."""
    fields = re.split(rb'[,;\t"\r\n]+', head[:_LOOKED])
    some = b"\n".join([*[field for field in fields[:-1] if not field.isascii()][:200], b""])
    if not _ODD.search(_text_of(some, FALLBACK) or ""):
        return []
    shown = samples(head, delimiter)
    read = {name: _text_of(some, name) for name in shown if name not in (FALLBACK, "latin-1")}
    likely = {name: _likelihood(text) for name, text in read.items() if text is not None}
    best = sorted(likely, key=lambda name: (-likely[name], (*_STRICT, name).index(name)))
    return _offered([name for name in best[:3] if likely[name] >= 0.9], shown)


def _likelihood(text: str) -> float:
    """Return the share of words in letters of one script, with capitals where words have them."""
    words = [word for word in re.split(r"[\W\d_]*[\s\d_:()\[\]/.-][\W\d_]*", text) if word]
    likely = 0
    for word in words:
        kinds = {unicodedata.name(char, "").partition(" ")[0] for char in word}
        capitals = word in (word.lower(), word.upper(), word.capitalize())
        single = len(kinds) == 1 or kinds <= {"CJK", "HIRAGANA", "KATAKANA"}
        likely += single and capitals and not (kinds == {"LATIN"} and _ACCENTS.search(word))
    return likely / len(words) if words else 0.0


def _text_of(head: bytes, codec: str, beside: str = "") -> str | None:
    """Return first bytes as a text; None where they are none, `beside` a stray character."""
    try:
        text = codecs.getincrementaldecoder(python_codec(codec))().decode(head)
    except UnicodeDecodeError:
        return None
    return text if all(map(_is_text, set(text) - {beside})) else None


def samples(head: bytes, delimiter: str) -> dict[str, str]:
    """Return how the first field with other than ASCII letters reads in each encoding of bytes."""
    strange = re.search(rb"[\x80-\xff]", head)
    if strange is None:
        return {}
    ends = (delimiter.encode(), b'"', b"\r", b"\n")
    first = max(head.rfind(end, 0, strange.start()) + len(end) for end in ends)
    first = first if strange.start() - first < _FIELD else strange.start()
    last = min((at for end in ends if (at := head.find(end, strange.end())) >= 0), default=None)
    names = [name for name in ENCODINGS if not name.startswith("utf")]
    texts = {name: _text_of(head[first:last], name) for name in names}
    return {name: text.strip()[:_FIELD] for name, text in texts.items() if text is not None}


def codec_of(head: bytes, encoding: str) -> str | None:
    r"""Return Python's name of an encoding, by the first bytes unless it is requested."""
    detected = _encoding(head)
    if encoding == "utf-16":
        return detected if detected and detected.startswith("utf-16") else "utf-16-le"
    return {"": detected, "utf-8": "utf-8-sig"}.get(encoding, encoding)


def _encoding(head: bytes) -> str | None:
    """Return the encoding of a file by its first bytes; None where they are no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\x00" not in head:
        return "utf-8-sig"
    for encoding in ("utf-16-le", "utf-16-be"):  # without a byte order mark
        text = _text_of(head, encoding) or ""
        if "\n" in text or "\r" in text:
            return encoding
    # the line of a stray NUL is reported later
    is_text = any(_text_of(head, codec, "\x00") is not None for codec in ("utf-8", FALLBACK))
    return "utf-8-sig" if is_text else None


def _is_text(char: str) -> bool:
    """Say whether a character can be part of a text: no control, private or unassigned one."""
    return char.isspace() or unicodedata.category(char) not in {"Cc", "Cn", "Co", "Cs"}


def decoded(path: Path, name: str, codec: str, *, guessed: bool = False) -> Iterator[str]:
    """Decode a file piece by piece, up to its end."""
    decoder = codecs.getincrementaldecoder(python_codec(codec))()
    kind = codec.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    shown = ENCODINGS[kind]
    done, lines, mixed = 0, 0, False
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
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
                line = lines + 1 + text[: text.index("\x00")].count("\n")
                raise InvalidInputError(
                    f"{name} has a NUL character in line {line:,}, which no text has: remove it."
                )
            if guessed and _CONTROLS.search(text):
                raise InvalidInputError(f"{name} is a binary file, not text; {READABLE}.")
            yield text
            mixed = mixed or not text.isascii()
            lines += text.count("\n")
            done += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        cut = _NotTextError(
            f"{name} ends inside a character: it is cut off, or is not {shown} text."
        )
        cut.mixed = True
        raise cut from error
