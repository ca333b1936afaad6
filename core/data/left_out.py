"""Symbols whose records are left out, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import InvalidInputError
from core.validation import shown


@dataclass(frozen=True)
class LeftOut:
    """Symbols of S or of X whose records are left out.

    A filter keeps values of one column; this is about symbols: bins, groups of rare levels, levels
    of several columns together.

    Attributes
    ----------
    columns : tuple of str
        The columns of S or of X, all of them; without effect where other columns are chosen.
    names : tuple of str
        Names of the symbols, as they are before any are merged; those that no record has are
        told in the count's report.

    Raises
    ------
    InvalidInputError
        If there is no column or no name.

    Examples
    --------
    >>> LeftOut(("workclass",), ("Without-pay", "Never-worked")).names
    ('Without-pay', 'Never-worked')
    """

    columns: tuple[str, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_symbols(self, least=1, what="left out")


def check_symbols(symbols: Any, *, least: int, what: str) -> None:
    """Check the columns and names of symbols, and make tuples of them, each name once.

    Parameters
    ----------
    symbols : dataclass
        Has `columns` and `names`.
    least : int
        Names that it needs.
    what : str
        What becomes of the symbols, such as "merged".

    Raises
    ------
    InvalidInputError
        If there is no column, or there are too few names.

    Examples
    --------
    >>> LeftOut(["sex"], ["Male", "Male"])
    LeftOut(columns=('sex',), names=('Male',))
    """
    columns, names = tuple(symbols.columns), tuple(dict.fromkeys(symbols.names))
    object.__setattr__(symbols, "columns", columns)
    object.__setattr__(symbols, "names", names)
    if not columns:
        raise InvalidInputError(f"Symbols that are {what} must be of a column, got none.")
    if len(names) < least:
        needed = "one symbol" if least == 1 else "two symbols"
        raise InvalidInputError(
            f"At least {needed} of {shown(' and '.join(columns))} must be named to be {what}, "
            f"got {len(names) or 'none'}."
        )
