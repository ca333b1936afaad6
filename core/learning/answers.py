"""Answers that a reader types: read as numbers, and compared with what was worked out."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.validation import shown

NEEDED = 3
"""Digits that an answer needs."""

NEAR = 0.006
"""Relative difference up to which an answer is right: rounding to three digits moves it by less."""

LONGEST = 40
"""Most characters of an answer."""

_NUMBER = r"(\d+(?:[.,]\d*)?|[.,]\d+)"
_ANSWER = re.compile(rf"(-?){_NUMBER}(?:/{_NUMBER})?(%?)")


@dataclass(frozen=True)
class Slip:
    """A wrong answer that is often given.

    Attributes
    ----------
    value : float
        The answer.
    said : str
        What went wrong, in a sentence.
    """

    value: float
    said: str


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer.

    Attributes
    ----------
    right : bool
        Whether it is right.
    said : str
        A sentence or two.
    """

    right: bool
    said: str


def number(text: str) -> float:
    """Read an answer: a decimal number, a fraction or a percentage.

    Raises
    ------
    InvalidInputError
        If it is none of these.

    Examples
    --------
    >>> number("0.5"), number(" 0,5 "), number("1/7"), number("30 %"), number("−2")
    (0.5, 0.5, 0.14285714285714285, 0.3, -2.0)
    """
    plain = re.sub(r"\s+", "", text[: LONGEST + 1].replace("−", "-"))
    match = _ANSWER.fullmatch(plain) if len(text) <= LONGEST else None
    if match is None:
        raise InvalidInputError(
            f"An answer must be a number such as 0.5, 1/7 or 30 %, got {shown(text)}."
        )
    sign, top, bottom, percent = match.groups()
    value, below = float(top.replace(",", ".")), float((bottom or "1").replace(",", "."))
    if below == 0:
        raise InvalidInputError(f"An answer must not be divided by zero, got {shown(text)}.")
    return (-1 if sign else 1) * value / below / (100 if percent else 1)


def near(given: float, wanted: float) -> bool:
    """Say whether an answer is right to three digits.

    Examples
    --------
    >>> near(0.14, 1 / 7), near(0.143, 1 / 7), near(0.0, 0.0)
    (False, True, True)
    """
    return math.isclose(given, wanted, rel_tol=NEAR, abs_tol=1e-9)


def compare(given: float, wanted: float, slips: tuple[Slip, ...]) -> Feedback:
    """Return what is said of an answer.

    Parameters
    ----------
    given, wanted : float
        The answer, and the right one.
    slips : tuple of Slip
        Wrong answers that have an explanation.

    Examples
    --------
    >>> compare(0.33, 3.0, (Slip(1 / 3, "That is the inverse."),)).said
    'Not yet.'
    >>> compare(0.333, 3.0, (Slip(1 / 3, "That is the inverse."),)).said
    'Not yet. That is the inverse.'
    """
    if near(given, wanted):
        return Feedback(True, "Right.")
    for slip in slips:
        if near(given, slip.value):
            return Feedback(False, f"Not yet. {slip.said}")
    return Feedback(False, "Not yet.")
