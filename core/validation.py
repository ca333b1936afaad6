"""Coerce and check arguments: every public entry of `core` goes through here."""

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InvalidInputError
from core.limits import CLOSE, ROUNDING

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

LEAST = float(np.finfo(np.float64).tiny)
"""Least probability in a joint: smaller doubles have fewer digits, and 1 over one is ∞."""


def matrix(values: ArrayLike, name: str, *, batch: bool = False) -> FloatArray:
    """Return `values` as a finite, non-negative array of at least two axes."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must hold numbers only: {error}.") from error
    if array.ndim != 2 and not (batch and array.ndim > 2):
        raise InvalidInputError(f"{name} must be a matrix with two axes, got {array.ndim}.")
    if array.size == 0:
        raise InvalidInputError(f"{name} must not be empty, got shape {array.shape}.")
    _check_entries(array, name)
    return array


def _check_entries(array: FloatArray, name: str) -> None:
    """Raise if an entry is not finite or negative, naming the first one."""
    if array.min(initial=0.0) >= 0 and np.isfinite(array.max(initial=0.0)):
        return
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidInputError(
            f"{name} must hold finite numbers of at least 0, got {array[where]} at {where}."
        )


def _without_noise(values: ArrayLike, name: str, *, batch: bool = False) -> FloatArray:
    """Return probabilities as `matrix` does, 0 where rounding made them negative: 1 − .9 − .1."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return matrix(values, name, batch=batch)  # raises, and says what is wrong
    if array.min(initial=0.0) < 0:
        array = np.where((array < 0) & (array >= -ROUNDING), 0.0, array)
    return matrix(array, name, batch=batch)


def normalised(array: FloatArray, name: str) -> FloatArray:
    """Return non-negative numbers, not all zero, divided by their sum over the last two axes."""
    weights = array
    with np.errstate(over="ignore"):
        total = array.sum(axis=(-2, -1), keepdims=True)
    if np.isinf(total).any():
        weights = array / array.max(axis=(-2, -1), keepdims=True)
        total = weights.sum(axis=(-2, -1), keepdims=True)
    result: FloatArray = weights / total
    small = (array > 0) & (result < LEAST)
    if small.any():
        where = tuple(int(i) for i in np.argwhere(small)[0])
        raise InvalidInputError(
            f"{name} must hold 0 or a share of at least {LEAST:.3g} of its sum, "
            f"got {array[where]} at {where}."
        )
    return result


def distribution(values: ArrayLike, name: str, *, batch: bool = False) -> FloatArray:
    """Return `values`, a matrix of probabilities, checked to sum to 1 and normalized."""
    array = _without_noise(values, name, batch=batch)
    with np.errstate(over="ignore"):
        total = array.sum(axis=(-2, -1), keepdims=True)
    if (np.abs(total - 1) > CLOSE).any():
        worst = total.flat[np.abs(total - 1).argmax()]
        raise InvalidInputError(f"{name} must sum to 1, got {worst:.12g}.")
    result: FloatArray = array / total
    return result


def kernel(values: ArrayLike, rows: int, name: str = "kernel") -> FloatArray:
    """Return a kernel P(y | x), shape (rows, n_y), whose rows sum to 1."""
    array = _without_noise(values, name)
    if array.shape[0] != rows:
        raise InvalidInputError(f"{name} must have {rows} rows, got {array.shape[0]}.")
    with np.errstate(over="ignore"):
        sums_to_one(array.sum(axis=1), name)
    return array


def sums_to_one(totals: FloatArray, name: str) -> None:
    """Raise unless the rows of a kernel sum to 1, given their sums."""
    off = np.abs(totals - 1)
    if (off > CLOSE).any():
        row = int(off.argmax())
        raise InvalidInputError(
            f"Each row of {name} must sum to 1, row {row} sums to {totals[row]:.12g}."
        )


def budget(value: float, name: str) -> float:
    """Return a privacy budget in nats, a number in [0, ∞], as a float."""
    return number(value, name, low=0.0, high=np.inf)


def number(
    value: Any, name: str, *, low: float = -np.inf, high: float = np.inf, open_low: bool = False
) -> float:
    """Return `value` as a float in [low, high] (or (low, high] with `open_low`), never NaN."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be a number, got {shown(value)}.") from error
    except OverflowError as error:
        raise InvalidInputError(
            f"{name} must be a number that a double can hold, got {shown(value)}."
        ) from error
    if np.isnan(result) or result < low or result > high or (open_low and result == low):
        left, right = "(" if open_low or low == -np.inf else "[", "]"
        raise InvalidInputError(
            f"{name} must be in {left}{low:g}, {high:g}{right}, got {shown(value)}."
        )
    return result


def one_of(value: Any, known: Iterable[str], name: str) -> None:
    """Raise unless a value is one of the texts that are allowed."""
    allowed = tuple(known)
    if not isinstance(value, str) or value not in allowed:
        raise InvalidInputError(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}.")


def whole(value: Any, name: str, *, low: int, high: int | None = None) -> int:
    """Return `value` as a whole number in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidInputError(f"{name} must be a whole number, got {shown(value)}.")
    if value < low or (high is not None and value > high):
        upper = "" if high is None else f" and at most {high}"
        raise InvalidInputError(f"{name} must be at least {low}{upper}, got {shown(value)}.")
    return int(value)


class _Shown(reprlib.Repr):
    """The start of a value's `repr`, whatever its size and depth."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxlong, self.maxother = 3, 60, 40, 80

    def repr_int(self, x: int, level: int) -> str:
        """Return the digits, or only their number where Python refuses to write them."""
        digits = int(x.bit_length() * np.log10(2)) + 1
        return super().repr_int(x, level) if digits < 1_000 else f"about {digits} digits"


shown = _Shown().repr
"""Returns a value as an error's sentence shows it, cut where it is long.

>>> shown("a" * 100), shown(True), shown([[1, "b"]])
("'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaaa'", 'True', "[[1, 'b']]")
"""


def labels(values: Sequence[object] | None, count: int, prefix: str, name: str) -> tuple[str, ...]:
    """Return `count` distinct labels as text; numbered ones with `prefix` where None are given."""
    if values is None:
        return tuple(f"{prefix}{i + 1}" for i in range(count))
    texts = tuple(str(value) for value in values)
    if len(texts) != count:
        raise InvalidInputError(f"{name} must be {count} labels, got {len(texts)}.")
    if len(set(texts)) != count:
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InvalidInputError(f"{name} must be distinct, got {twice!r} more than once.")
    return texts
