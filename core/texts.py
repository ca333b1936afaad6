"""What a cell's text means, the same everywhere: its blanks, numbers and truth values."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

SPACES = " \t\n\r\v\f"
"""Blanks of ASCII."""

BLANK = "".join(
    chr(code)
    for code in (
        *range(9, 14),
        32,
        *(0x85, 0xA0, 0xAD, 0x1680),
        *range(0x2000, 0x2010),
        *(0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF),
    )
)
"""Blanks of every kind, those without width and marks of direction too."""

_GROUPS = {" ": " \u00a0\u2009\u202f", "'": "'\u2019"}
"""Characters for a mark of thousands that has several, such as spaces that do not break."""


def group_mark(thousands: str) -> str:
    """Return the pattern of what is between groups of three digits."""
    return f"[{re.escape(_GROUPS.get(thousands, thousands))}]"


def number_pattern(decimal: str = ".", thousands: str = "") -> str:
    """Return the pattern of numbers with these marks: 1.5 is not 15, and 0.471 not 471."""
    whole = "[0-9]+"
    if thousands:
        lakhs = "[1-9][0-9]?(?:,[0-9][0-9])+,[0-9]{3}|" if thousands == "," else ""
        whole = f"(?:[1-9][0-9]{{0,2}}(?:{group_mark(thousands)}[0-9]{{3}})+|{lakhs}[0-9]+)"
    mark = re.escape(decimal)
    return f"[+-]?(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"


_GAP = f"[{_GROUPS[' ']}]"

_LETTER = "[A-JLN-Za-jln-z]"
"""A letter but K and M, which stand for thousands and millions."""

FLAG = rf"(?:{_GAP}{_LETTER}{{1,2}}|{_GAP}?(?:[*†‡§#!?^¹²³⁴-⁹ᵃ-ᶻ]+|[(\[][A-Za-z0-9]{{1,3}}[)\]]))"
"""The pattern of a mark behind a number, such as a provisional one: 1234 p, 9.0*, 12 [r]."""

FLAG_END = f"({FLAG}|{_LETTER})$"
"""The pattern of such a mark at the end of a `FLAGGED` number."""

FLAGGED = (
    rf"[+-]?(?:[0-9]+(?:[.,'’{_GROUPS[' ']}][0-9]+)*{FLAG}"
    rf"|[0-9]*[.,][0-9]+{_LETTER}|[0-9]{{4,}}[a-jln-z])"
)
"""The pattern of a number with such a mark, or with a letter behind decimals, or a small one behind
four digits: else a letter at once behind a number is part of a code such as 2A or 1001A."""

NUMBER = number_pattern()
"""The pattern of a number: 18_24, 0x1F, infinity and nan are texts."""

_NUMBER = re.compile(NUMBER)

ANY_NUMBER = (
    r"(?=[^\deE]*\d)[-+−]?\s?[$€£¥]?\s?"
    r"(?:\d{1,3}(?:[.,'’\u00a0\u202f\ ]\d{3})+|\d\d?(?:,\d\d)+,\d{3}|\d*)(?:[.,]?\d+)?"
    r"(?:[eE][-+]?\d+)?\s?[%‰€$£¥]?"
)
"""The pattern of what may be a number in some country's form; E11 is a code."""

_ANY_NUMBER = re.compile(ANY_NUMBER)

WHOLE_AS_DECIMAL = r"^([+-]?(?:0|[1-9][0-9]*))\.0$"
"""The pattern of a whole number that was written as a decimal one: 1.0 is 1; 01.0 is a code."""

TRUTHS = {"TRUE": "true", "True": "true", "FALSE": "false", "False": "false"}
"""Truth values as programs write them, and the one text that stands for them."""


def stripped(text: str) -> str:
    """Return a text without blanks of any kind at its ends, its letters composed."""
    return unicodedata.normalize("NFC", text.strip(BLANK))


def as_level(text: str) -> str:
    """Return the text of a value's level: of 1 and 1.0, of TRUE and true, it is one."""
    plain = stripped(text)
    return TRUTHS.get(plain) or re.sub(WHOLE_AS_DECIMAL, r"\1", plain)


def number(text: str) -> float | None:
    """Return a text as a finite number; None if it is none."""
    plain = text.strip(BLANK)
    value = float(plain) if _NUMBER.fullmatch(plain) else math.nan
    return value if math.isfinite(value) else None


def is_any_number(text: str) -> bool:
    """Say whether a text may be a number in some country's form."""
    return _ANY_NUMBER.fullmatch(text) is not None


def any_number(text: str) -> float | None:
    """Return a text as a number in some country's form; None if it is none."""
    plain = re.sub("[ \u00a0\u2009\u202f]", "", text.strip()).replace("−", "-")
    if not is_any_number(plain):
        return None
    grouped = re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", plain)
    points = re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?", plain)
    if not grouped and (points or plain.count(",") == 1):
        plain = plain.replace(".", "").replace(",", ".")
    try:
        return float(re.sub("[,'’]", "", plain).strip("%‰€$£¥"))
    except ValueError:
        return None


def alike(text: str) -> str:
    """Return what texts that look alike share: one case, one blank for several."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


TOTAL = re.compile(
    r"(?i)\W*(?:grand |sub)?-?(?:totals?|sum|overall|insgesamt|gesamt|summe|zusammen|ensemble"
    r"|totaal|totale|suma|razem|ogółem|celkem|yhteensä|i alt|totalt|összesen|итого|всего|合計|总计)"
    r"(?:\W.*)?"
)
"""What a row of totals begins with."""


def are_series(cells: Sequence[tuple[str, Sequence[str]]]) -> bool:
    if not cells or not all(re.fullmatch(r"\d{1,4}", cell) for cell, _ in cells):
        return False
    numbers = [int(cell) for cell, _ in cells]
    if any(_is_year(value) for _, values in cells for value in values[:20]):
        return False
    if all(1800 <= n <= 2100 for n in numbers) and len(set(numbers)) == len(numbers):
        return True
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1 and steps <= {-1, 1}


def _is_year(text: str) -> bool:
    return bool(re.fullmatch(r"1[89]\d\d|20\d\d", text))
