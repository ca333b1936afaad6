"""Ticks of an axis: round numbers, each written with as many digits as tell it from the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pages.ui.style.base import axis

ROUND_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Where an axis of small shares ends."""

MANY_DIGITS = 5
"""Decimals beyond which a number is written with a power of ten."""


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`: at most `most` of them, 0 included if between.

    Examples
    --------
    >>> ticks(-0.3, 1.0), ticks(0, 0.024, 4)
    ([0.0, 0.5, 1.0], [0.0, 0.01, 0.02])
    """
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def round_share(most: float) -> float:
    """Return the end of an axis of shares that reach this far: a round share, at most 1.

    Examples
    --------
    >>> round_share(0.034), round_share(0.2), round_share(0.61)
    (0.05, 0.2, 1.0)
    """
    return next((end for end in ROUND_SHARES if most <= end), 1.0)


def texts(values: Sequence[float], *, percent: bool = False) -> list[str]:
    """Return numbers as text, neighbours alike only if they are equal.

    Examples
    --------
    >>> texts([0.0, 0.005, 0.01], percent=True), texts([-0.5, 0.0, 0.5])
    (['0 %', '0.5 %', '1 %'], ['−0.5', '0', '0.5'])
    >>> texts([0.0, 1e-7, 2e-7])
    ['0', '1e−07', '2e−07']
    """
    shown = [100 * value if percent else value for value in values]
    gaps = [abs(b - a) for a, b in pairwise(shown) if b != a]
    size = max((abs(value) for value in shown), default=0.0)
    least = min(gaps, default=size) or 1.0
    decimals = max(0, 1 - math.floor(math.log10(least)))
    if decimals > MANY_DIGITS + 1 or size >= 1e7:
        digits = 2 + max(0, math.floor(math.log10(max(size, least) / least)))
        written = [f"{value:.{digits}g}" for value in shown]
    else:
        written = [_plain(f"{value:.{decimals}f}") for value in shown]
    return [text.replace("-", "−") + (" %" if percent else "") for text in written]


def ticked(
    title: str, low: float, high: float, *, percent: bool = False, most: int = 6, **more: Any
) -> dict[str, Any]:
    """Return an axis that stays at [low, high], with round ticks whose texts all differ."""
    values = ticks(low, high, most)
    written = texts(values, percent=percent)
    return axis(title, (low, high), tickvals=values, ticktext=written, **more)


def _plain(text: str) -> str:
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short in ("-0", "") else short
