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


def close(found: float | None, said: Any) -> bool:
    """Say whether a figure is what a certificate says."""
    if found is None or said is None:
        return found is None and said is None
    if (isinstance(said, bool) or not isinstance(said, int | float)) and said != "inf":
        return False
    value = math.inf if said == "inf" else float(said)
    if math.isinf(found) or math.isinf(value):
        return found == value
    return abs(found - value) <= CLOSE * max(1.0, abs(found), abs(value))
