"""One check of a certificate, and when two figures are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

CLOSE = 1e-9
"""Largest difference of two equal figures, relative to the larger of them and 1: rounding."""


@dataclass(frozen=True)
class Check:
    """One check of a certificate.

    Attributes
    ----------
    name : str
        What is checked.
    passed : bool or None
        Whether it holds; None where it could not be checked.
    sentence : str
        What was found.
    """

    name: str
    passed: bool | None
    sentence: str


def close(found: float | None, said: Any) -> bool:
    """Say whether a figure is what a certificate says.

    Examples
    --------
    >>> close(0.5, 0.5 + 1e-12), close(float("inf"), "inf"), close(None, 0), close(0.0, True)
    (True, True, False, False)
    """
    if found is None or said is None:
        return found is None and said is None
    if (isinstance(said, bool) or not isinstance(said, int | float)) and said != "inf":
        return False
    value = math.inf if said == "inf" else float(said)
    if math.isinf(found) or math.isinf(value):
        return found == value
    return abs(found - value) <= CLOSE * max(1.0, abs(found), abs(value))
