"""Counts and shares in sentences: singular and plural, and shares that never round to 0 or all."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

IRREGULAR = {"entry": "entries", "frequency": "frequencies"}
"""Plurals that are more than an s."""


def size_of_file(n_bytes: int) -> str:
    """Return a file's size in the unit that needs the fewest digits.

    Examples
    --------
    >>> size_of_file(320), size_of_file(41_300), size_of_file(2_500_000)
    ('320 bytes', '41.3 kB', '2.5 MB')
    """
    if n_bytes < 1_000:
        return number_of(n_bytes, "byte")
    if n_bytes < 999_950:
        return f"{n_bytes / 1e3:,.1f} kB"
    return f"{n_bytes / 1e6:,.1f} MB"


def number_of(count: int, thing: str) -> str:
    """Return a count with what it counts, in the singular for 1.

    Parameters
    ----------
    count : int
        How many.
    thing : str
        What, in the singular; its last word is put in the plural.

    Examples
    --------
    >>> number_of(1, "rare level"), number_of(5135, "level"), number_of(0, "record")
    ('1 rare level', '5,135 levels', '0 records')
    """
    return f"{count:,} {thing if count == 1 else plural(thing)}"


def plural(thing: str) -> str:
    """Return the plural of a noun.

    Examples
    --------
    >>> plural("record"), plural("entry")
    ('records', 'entries')
    """
    return IRREGULAR.get(thing, f"{thing}s")


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names as a sentence lists them.

    Examples
    --------
    >>> listed(["Watchdog"]), listed(["a", "b"], "or"), listed(["a", "b", "c"])
    ('Watchdog', 'a or b', 'a, b and c')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


LONGEST_NAME = 80
"""Most characters of a file's name in a sentence."""


def file_called(name: str) -> str:
    r"""Return a file's name as sentences have it: on one line, and cut in its middle if it is long.

    Examples
    --------
    >>> file_called("people.csv"), file_called("a\n# b\u202e.csv"), len(file_called("n" * 5_000))
    ('people.csv', 'a # b .csv', 80)
    """
    plain = "".join(
        one if one.isprintable() or "\udc80" <= one <= "\udcff" else " " for one in name
    )
    half = LONGEST_NAME // 2
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: half - 1]}…{plain[-half:]}"


def printable(text: str) -> str:
    r"""Return a sentence with the bytes of paths that are no UTF-8 written as \xff.

    Examples
    --------
    >>> print(printable("There is no file 'in\udcff.csv'."), printable(repr("in\udcff.csv")))
    There is no file 'in\xff.csv'. 'in\xff.csv'
    """
    plain = re.sub("[\udc80-\udcff]", lambda one: f"\\x{ord(one[0]) - 0xDC00:02x}", text)
    return re.sub(r"(?<!\\)\\udc([89a-f][0-9a-f])", r"\\x\1", plain)


def were(count: int) -> str:
    """Return the verb for a count.

    Examples
    --------
    >>> were(1), were(2)
    ('was', 'were')
    """
    return "was" if count == 1 else "were"


def percent(share: float, decimals: int = 0) -> str:
    """Write a share as a percentage; only 0 reads as 0 % and only 1 as 100 %.

    Examples
    --------
    >>> [percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)]
    ['0 %', '<1 %', '50 %', '>99 %', '100 %']
    >>> percent(0.7812, 1), percent(0.99999, 1)
    ('78.1 %', '>99.9 %')
    """
    least = 10.0**-decimals
    text = f"{100 * share:.{decimals}f}"
    if share > 0 and float(text) == 0:
        return f"<{least:.{decimals}f} %"
    if share < 1 and float(text) == 100:
        return f">{100 - least:.{decimals}f} %"
    return f"{text} %"


def decimals(value: float, digits: int) -> str:
    """Write a number with some digits after the point.

    Examples
    --------
    >>> decimals(0.05, 3)
    '0.050'
    """
    return f"{value:.{digits}f}"


def apart(
    a: float, b: float, write: Callable[[float, int], str] = decimals, fewest: int = 1
) -> tuple[str, str]:
    """Write two numbers with as many decimals as tell them apart, nine at most.

    Parameters
    ----------
    a, b : float
        The numbers.
    write : callable
        Writes a number with some decimals.
    fewest : int
        Fewest decimals.

    Examples
    --------
    >>> apart(0.39161, 0.39159, percent), apart(0.2, 0.17, fewest=2)
    (('39.161 %', '39.159 %'), ('0.20', '0.17'))
    >>> apart(0.5, 0.5)
    ('0.500000000', '0.500000000')
    """
    told = [(write(a, digits), write(b, digits)) for digits in range(fewest, 10)]
    return next((pair for pair in told if pair[0] != pair[1]), told[-1])


def plain(value: float) -> str:
    """Write a number with three digits and without a power of ten.

    Examples
    --------
    >>> plain(0.0000781), plain(0.0752), plain(0.3), plain(7810.0), plain(0.0)
    ('0.0000781', '0.0752', '0.3', '7810', '0')
    """
    return f"{Decimal(f'{value:.3g}'):f}"


def at_most(share: float) -> str:
    """Write an upper bound on a share as a percentage, rounded up.

    Examples
    --------
    >>> at_most(0.5), at_most(0.78121), at_most(0.99991), at_most(0.9999999)
    ('50 %', '78.2 %', '99.991 %', '100 %')
    """
    decimals = next((digits for digits in (1, 2) if _up(share, digits) < 100), 3)
    text = f"{_up(share, decimals):.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.')} %"


def rounded_up(factor: float) -> str:
    """Write an upper bound on a factor with two decimals, rounded up.

    Examples
    --------
    >>> rounded_up(1.2301), rounded_up(2.0)
    ('1.24', '2.00')
    """
    return f"{math.ceil(factor * 100 - 1e-9) / 100:.2f}"


def all_records(count: int) -> str:
    """Return subject and verb of a sentence about what the records leave possible.

    Examples
    --------
    >>> all_records(1), all_records(1000)
    ('the one record leaves', 'the 1,000 records leave')
    """
    return "the one record leaves" if count == 1 else f"the {count:,} records leave"


def _up(share: float, decimals: int) -> float:
    """Return a share in percent, rounded up."""
    scale: float = 10.0**decimals
    return math.ceil(100 * share * scale - 1e-7) / scale
