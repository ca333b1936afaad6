"""One check of a certificate, and when two figures are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

CLOSE = 1e-9
"""Largest difference of two equal figures, relative to the larger of them and 1: rounding."""


@dataclass(frozen=True)
class Check:
    """What is checked, whether it holds (None where that is not known), and what was found."""

    name: str
    passed: bool | None
    sentence: str


def close(figure: float | None, stated: Any) -> bool:
    """Say whether a figure is what a certificate says."""
    if figure is None or stated is None:
        return figure is None and stated is None
    if (isinstance(stated, bool) or not isinstance(stated, int | float)) and stated != "inf":
        return False
    value = math.inf if stated == "inf" else float(stated)
    if math.isinf(figure) or math.isinf(value):
        return figure == value
    return abs(figure - value) <= CLOSE * max(1.0, abs(figure), abs(value))
