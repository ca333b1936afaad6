"""Counts and shares in sentences: singular and plural, and shares that never round to 0 or all."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from difflib import get_close_matches

from core.limits import ROUNDING

IRREGULAR = {"entry": "entries", "frequency": "frequencies", "search": "searches"}
"""Plurals that are more than an s."""

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
"""Digits → those of an exponent."""


def size_of_file(n_bytes: int) -> str:
    """Return a file's size in the unit that needs the fewest digits."""
    if n_bytes < 1_000:
        return number_of(n_bytes, "byte")
    if n_bytes < 999_950:
        return f"{n_bytes / 1e3:,.1f} kB"
    return f"{n_bytes / 1e6:,.1f} MB"


def number_of(count: int, thing: str) -> str:
    """Return a count with what it counts, in the singular for 1."""
    return f"{count:,} {thing if count == 1 else plural(thing)}"


def records_in(records: int, rows: int | None = None) -> str:
    """Return a number of records, and of the rows where each of these stands for several."""
    text = number_of(records, "record")
    return text if rows is None else f"{text} in {number_of(rows, 'row')}"


def plural(thing: str) -> str:
    return IRREGULAR.get(thing, f"{thing}s")


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def first_of(names: Sequence[str], most: int = 3, word: str = "and") -> str:
    """Return the first of some names as a sentence lists them, and how many more there are."""
    more = len(names) - most
    return listed([*names[:most], f"{more:,} more"] if more > 0 else names, word)


def nearest(missing: str, names: Sequence[str]) -> list[str]:
    """Return the names that a missing one may be meant for, the nearest first."""
    folded = {name.casefold().strip(): name for name in reversed(names)}
    return [folded[name] for name in get_close_matches(missing.casefold().strip(), folded)]


def instead_of(missing: str, names: Sequence[str], written: Callable[[str], str] = repr) -> str:
    """Return the end of a sentence about a missing name: the nearest ones, or what there is."""
    if len(names) > 8:  # a longer list is not read
        if near := nearest(missing, names):
            are = "is" if len(near) == 1 else "are"
            return f"; the nearest of its {len(names):,} {are} {listed(list(map(written, near)))}"
        return f", only {first_of(list(map(written, names)), 5)}"
    return f", only {', '.join(map(written, names))}"


def file_called(name: str) -> str:
    r"""Return a file's name for a sentence: on one line, cut in its middle if it is long."""
    longest = 80  # most characters of a file's name in a sentence
    plain, half = on_one_line(name), longest // 2
    return plain if len(plain) <= longest else f"{plain[: half - 1]}…{plain[-half:]}"


def on_one_line(text: str) -> str:
    """Return a text with blanks for characters that a terminal does not print but obeys."""
    return "".join(
        char if char.isprintable() or "\udc80" <= char <= "\udcff" else " " for char in text
    )


def printable(text: str) -> str:
    r"""Return a sentence with the bytes of paths that are no UTF-8 written as \xff."""
    plain = re.sub("[\udc80-\udcff]", lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}", text)
    return re.sub(r"(?<!\\)\\udc([89a-f][0-9a-f])", r"\\x\1", plain)


def were(count: int) -> str:
    return "was" if count == 1 else "were"


def percent(share: float, decimals: int = 0) -> str:
    """Write a share as a percentage; only 0 reads as 0% and only 1 as 100%."""
    least = 10.0**-decimals
    text = f"{100 * share:.{decimals}f}"
    if share > 0 and float(text) == 0:
        return f"<{least:.{decimals}f}%"
    if share < 1 and float(text) == 100:
        return f">{100 - least:.{decimals}f}%"
    return f"{text}%"


def rough(share: float) -> str:
    """Write a share as a percentage in words; only 0 reads as 0% and only 1 as 100%."""
    if 0 < share < 0.01:
        return "Less than 1%"
    if 0.99 < share < 1:
        return "More than 99%"
    return f"{share:.0%}"


def decimals(value: float, digits: int) -> str:
    """Write a number with some digits after the point."""
    return f"{value:.{digits}f}"


def fixed(value: float, digits: int) -> str:
    """Write a number with some digits after the point, or two where these are 0; rounding is 0."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = decimals(value, digits)
    if float(text) == 0:
        text = f"{value:.2g}" if abs(value) >= ROUNDING else decimals(0.0, digits)
    return text.replace("-", "−")


def apart(
    a: float, b: float, write: Callable[[float, int], str] = decimals, fewest: int = 1
) -> tuple[str, str]:
    """Write two numbers with as many decimals as tell them apart, nine at most."""
    pairs = [(write(a, digits), write(b, digits)) for digits in range(fewest, 10)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])


def plain(value: float) -> str:
    """Write a number with three digits and without a power of ten."""
    return f"{Decimal(f'{value:.3g}'):f}"


def at_most(share: float) -> str:
    """Write an upper bound on a share as a percentage, rounded up."""
    decimals = next((digits for digits in (1, 2) if _up(share, digits) < 100), 3)
    text = f"{_up(share, decimals):.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.')}%"


def rounded_up(factor: float) -> str:
    """Write an upper bound on a factor, rounded up: with two decimals, or whole from 100.

    From ten million with two digits and a power of ten: 7.3 × 10¹⁰.
    """
    if factor < 100:
        return f"{math.ceil(factor * 100 - 1e-9) / 100:.2f}"
    if factor < 1e7:
        return f"{math.ceil(factor):,}"
    exact = Decimal(factor)
    power = exact.adjusted()
    tenths = math.ceil(exact.scaleb(1 - power))
    if tenths == 100:
        tenths, power = 10, power + 1
    return f"{tenths / 10} × 10{str(power).translate(RAISED)}"


def all_records(count: int) -> str:
    """Return subject and verb of a sentence about what the records leave possible."""
    return "the one record leaves" if count == 1 else f"the {count:,} records leave"


def _up(share: float, decimals: int) -> float:
    """Return a share in percent, rounded up."""
    scale: float = 10.0**decimals
    return math.ceil(100 * share * scale - 1e-7) / scale


def free_name(name: str, taken: Callable[[str], bool]) -> str:
    """Return a name, or the first of "name (2)", "name (3)", … that is not taken."""
    candidate, number = name, 1
    while taken(candidate):
        number += 1
        candidate = f"{name} ({number})"
    return candidate
