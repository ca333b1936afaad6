"""What a reader types as a number: decimals, fractions, powers, logarithms; read token by token."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from core.errors import InvalidInputError
from core.validation import shown

LONGEST = 40
"""Most characters of a number."""

_TOKEN = re.compile(
    r"(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?|log_?2(?!\d)|log₂|[a-z]+|\*\*|[-+*/^()%√]", re.ASCII
)
_SPELLED = {"−": "-", "·": "*", "×": "*", "÷": "/", ":": "/", "**": "^", "√": "sqrt"}

_LOGARITHMS: Mapping[str, Callable[[float], float]] = {
    "ln": math.log,
    "log": math.log,
    **dict.fromkeys(("log2", "log_2", "log₂"), math.log2),
    "exp": math.exp,
}
_FUNCTIONS = {**_LOGARITHMS, "sqrt": math.sqrt}


def number(text: str) -> float:
    """Read a number such as 0.5, 1/7, 30%, ln 7, 2^(1/2) or e^0.5.

    Raises
    ------
    InvalidInputError
        If it is none, or not finite.
    """
    value = math.nan
    if len(text) <= LONGEST:
        try:
            value = _Reader(text).whole()
        except ZeroDivisionError:
            raise InvalidInputError(
                f"An answer must not divide by zero, got {shown(text)}."
            ) from None
        except (_UnreadableError, ValueError, OverflowError):
            value = math.nan
    if not math.isfinite(value):
        raise InvalidInputError(
            f"An answer must be a number such as 0.5, 1/7, 30% or ln(8/7), got {shown(text)}."
        )
    return value


class _UnreadableError(Exception):
    """A text is no number."""


class _Reader:
    """Reads a text from left to right; each method reads one part of it and returns its value."""

    def __init__(self, text: str) -> None:
        plain = text.lower()
        for sign, spelled in _SPELLED.items():
            plain = plain.replace(sign, spelled)
        self._tokens: list[str] = _TOKEN.findall(plain)
        self._at = 0
        if re.sub(r"\s", "", plain) != "".join(self._tokens):
            raise _UnreadableError

    def whole(self) -> float:
        value = self._sum()
        if self._at < len(self._tokens):
            raise _UnreadableError
        return value

    def _sum(self) -> float:
        value, terms = self._term(), 1
        while (sign := self._taken("+", "-")) is not None:
            value, terms = value + (-1 if sign == "-" else 1) * self._term(), terms + 1
        if terms == 1 and self._taken("%"):
            value /= 100
        return value

    def _next(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _taken(self, *tokens: str) -> str | None:
        if self._next() not in tokens:
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    def _term(self) -> float:
        """Read factors; 2 ln 3 has no sign between them, and 1/2/3 could be read in two ways."""
        value, divided = self._signed(), False
        while True:
            if self._taken("*"):
                value *= self._signed()
            elif self._taken("/"):
                if divided:
                    raise _UnreadableError
                value, divided = value / self._signed(), True
            elif self._next() in _FUNCTIONS or self._next() in ("(", "e"):
                if divided:
                    raise _UnreadableError
                value *= self._power()
            else:
                return value

    def _signed(self) -> float:
        sign = -1 if self._taken("+", "-") == "-" else 1
        return sign * self._power()

    def _power(self) -> float:
        value = self._base()
        return math.pow(value, self._signed()) if self._taken("^") else value

    def _base(self) -> float:
        token = self._next()
        self._at += 1
        if token == "(":
            value = self._sum()
            if not self._taken(")"):
                raise _UnreadableError
            return value
        if token == "e":
            return math.e
        if token in _FUNCTIONS:
            return self._applied(token)
        if not token[:1].isdigit() and token[:1] not in (".", ","):
            raise _UnreadableError
        return float(token.replace(",", "."))

    def _applied(self, name: str) -> float:
        """Read what a function is of; ln 1/7 could be read in two ways, ln 7/ln 2 in one."""
        if self._next() == "(":
            return _FUNCTIONS[name](self._base())
        value = self._power()
        if name in _LOGARITHMS and self._next() in ("*", "/") and self._next(1) not in _FUNCTIONS:
            raise _UnreadableError
        return _FUNCTIONS[name](value)
