"""Cut a numeric column into bins: edges, labels, and the bin of each number."""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ibis
import numpy as np

from core.data.spec import Binning
from core.data.tables import OpenTable, as_number, is_text, is_word, may_hold_numbers
from core.errors import InvalidInputError
from core.validation import FloatArray, shown
from core.wording import number_of

_DIGITS = range(6, 18)
"""Numbers of significant digits that an edge may be shown with; 17 tell all floats apart."""

_PLAIN = 9
"""Most significant digits of a decimal that is an edge as it is."""

_MOVED = Fraction(1, 1000)
"""Most that an edge with more digits may be moved, in widths of a bin, to have fewer."""


@dataclass(frozen=True)
class Bins:
    """The bins of a column.

    Attributes
    ----------
    column : str
        The column.
    edges : tuple of float
        Edges in increasing order, k + 1 for k bins; bin i is [edges[i], edges[i+1]), the last
        one is closed. Two equal edges are the one bin of a column that never varies.
    labels : tuple of str
        Names of the k + 2 levels: below the first edge, the k bins, above the last edge.
    asked : int
        Number of bins asked for, which is more than k where edges coincide.
    """

    column: str
    edges: tuple[float, ...]
    labels: tuple[str, ...]
    asked: int

    @property
    def midpoints(self) -> FloatArray:
        """The middle of each level's bin, shape (k + 2,); NaN for the open ends."""
        edges = np.asarray(self.edges)
        return np.concatenate([[np.nan], edges[:-1] / 2 + edges[1:] / 2, [np.nan]])


def cut(table: OpenTable, records: Any, binning: Binning) -> Bins:
    """Find a column's bins.

    Parameters
    ----------
    table : OpenTable
        The open file.
    records : ibis.Table
        The records to use, after filtering.
    binning : Binning
        How to cut.

    Raises
    ------
    InvalidInputError
        If the column does not exist, holds something that is no number, or no finite number.
    """
    column = _numeric(table, binning.column)
    by_hand = binning.kind == "edges"
    if by_hand and not column.type().is_string():
        edges = np.asarray(binning.edges, dtype=np.float64)  # whatever the numbers are
    else:
        edges = _edges(table, _tallies(table, records, binning.column), binning)
    asked = len(binning.edges) - 1 if by_hand else binning.count
    labels = bin_labels(edges, exact=binning.kind != "quantile")
    return Bins(binning.column, tuple(map(float, edges)), labels, asked)


def ends(table: OpenTable, records: Any, name: str) -> tuple[float, float]:
    """Return the least and the greatest finite number of a column; errors as in `cut`."""
    _numeric(table, name)
    return _ends(table, _tallies(table, records, name), name)


def _numeric(table: OpenTable, name: str) -> Any:
    """Return a column that may hold numbers; errors as in `cut`."""
    column = table.column(name)
    if name in table.file.texts:
        raise InvalidInputError(
            f"Column {shown(name)} is read as text, and bins need numbers: read it as "
            "numbers, or take its bins away."
        )
    if not may_hold_numbers(column):
        raise InvalidInputError(
            f"Column {shown(name)} holds {column.type()}, and bins need numbers."
        )
    return column


def _ends(table: OpenTable, tallies: Any, name: str) -> tuple[float, float]:
    found = table.row(tallies.aggregate(low=tallies.value.min(), high=tallies.value.max()))
    if found["low"] is None:
        raise InvalidInputError(f"Column {shown(name)} has no numbers to cut into bins.")
    return float(found["low"]), float(found["high"])


def _edges(table: OpenTable, tallies: Any, binning: Binning) -> FloatArray:
    """Return the edges of bins for tallied numbers."""
    if binning.kind == "edges":
        return np.asarray(binning.edges, dtype=np.float64)
    low, high = _ends(table, tallies, binning.column)
    if binning.kind == "width":
        return equal_widths(low, high, binning.count)
    return _distinct(np.array([low, *_quantiles(table, tallies, binning.count), high]))


def equal_widths(low: float, high: float, count: int) -> FloatArray:
    """Return the edges of bins of equal width that hold all numbers from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The least and the greatest number, as the decimals with the fewest digits that are read
        as these floats: so 0.3 is an edge of ten bins from 0 to 1, and 3·0.1 is none.
    count : int
        How many bins.

    Returns
    -------
    ndarray
        Distinct edges, shape (k + 1,) with k ≤ count, fewer where no float lies between them.
        One of more than nine significant digits, such as a third, is rounded to six or more, as
        few as move it by at most a thousandth of the width: the first downwards, the last
        upwards.

    Examples
    --------
    >>> equal_widths(0.0, 1.0, 10).tolist()
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    >>> equal_widths(0.0, 1.0, 3).tolist()
    [0.0, 0.333333, 0.666667, 1.0]
    """
    first, last = as_decimal(low), as_decimal(high)
    width = (last - first) / count
    if not width:
        return np.array([low, low])
    ways = (decimal.ROUND_FLOOR, *[decimal.ROUND_HALF_EVEN] * (count - 1), decimal.ROUND_CEILING)
    return _distinct(
        np.array([_plain(first + k * width, width, way) for k, way in enumerate(ways)])
    )


def _plain(edge: Fraction, width: Fraction, way: str) -> float:
    """Return an edge of bins as a float with few digits; see `equal_widths`."""
    nearest = float(edge)
    if as_decimal(nearest) == edge and float(f"{nearest:.{_PLAIN}g}") == nearest:
        return nearest
    text = repr(nearest)
    for digits in _DIGITS:
        rounded = decimal.Context(prec=digits, rounding=way).create_decimal(text)
        if abs(Fraction(rounded) - edge) <= _MOVED * width and math.isfinite(float(rounded)):
            return float(rounded)
    return nearest


def as_decimal(number: float) -> Fraction:
    """Return the decimal with the fewest digits that is read as a float, exactly.

    Examples
    --------
    >>> as_decimal(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(number)))


def _tallies(table: OpenTable, records: Any, name: str) -> Any:
    """Return each finite number of a column with its number of records, as a temporary table.

    Raises
    ------
    InvalidInputError
        If the column holds something that is no number.
    """
    column = table.column(name)
    values = records.select(raw=column, **table.weight())
    raw = values.group_by("raw").agg(n=table.number(values))
    kept = table.backend.create_table(ibis.util.gen_name("raw"), raw, temp=True)
    if column.type().is_string():
        no_number = is_word if name in table.file.exact else is_text
        words = kept.filter(no_number(kept.raw))
        found = table.row(words.aggregate(records=words.n.sum(), example=words.raw.min()))
        if found["records"]:
            some = number_of(int(found["records"]), "value")
            are = "that is no number" if found["records"] == 1 else "that are no numbers"
            where = "" if table.file.counted else _first_record(table, name, found["example"])
            raise InvalidInputError(
                f"Column {shown(name)} holds {some} {are}, such as {shown(found['example'])}"
                f"{where}: bins need numbers, or a mark such as NA for a missing one."
            )
    numbers = kept.select(value=as_number(kept.raw), n=kept.n)
    merged = numbers.group_by("value").agg(n=numbers.n.sum().cast("int64"))
    tallies = table.backend.create_table(ibis.util.gen_name("tallies"), merged, temp=True)
    return tallies.filter(tallies.value.notnull() & ~tallies.value.isinf())


def _first_record(table: OpenTable, name: str, value: str) -> str:
    """Say which is the first record of the file with a value, from 1."""
    numbered = table.records.select(raw=table.column(name), record=ibis.row_number())
    first = numbered.filter(numbered.raw == value)
    place = int(table.row(first.aggregate(record=first.record.min()))["record"]) + 1
    return f" in record {place:,}"


def _quantiles(table: OpenTable, tallies: Any, count: int) -> list[float]:
    """Return the inner edges of bins with counts as equal as ties allow.

    The edge of the quantile q is the value v for which the number of records below v is closest
    to q·n; of two equally close ones the lower.
    """
    if count == 1:
        return []
    running = tallies.mutate(upto=tallies.n.cumsum(order_by=tallies.value))
    below = running.mutate(below=running.upto - running.n)
    total = table.row(tallies.aggregate(n=tallies.n.sum()))["n"]
    asked = {}
    for i in range(1, count):
        target = total * i / count
        before, after = below.below <= target, below.below >= target
        asked[f"low{i}"] = below.value.max(where=before)
        asked[f"low_below{i}"] = below.below.max(where=before)
        asked[f"high{i}"] = below.value.min(where=after)
        asked[f"high_below{i}"] = below.below.min(where=after)
    found = table.row(below.aggregate(**asked))
    edges = []
    for i in range(1, count):
        target = total * i / count
        over = found[f"high_below{i}"]
        nearer_high = over is not None and over - target < target - found[f"low_below{i}"]
        edges.append(found[f"high{i}"] if nearer_high else found[f"low{i}"])
    return edges


def _distinct(edges: FloatArray) -> FloatArray:
    """Return the distinct edges in increasing order; twice the same where there is only one."""
    kept = np.unique(edges)
    return kept if kept.size > 1 else np.repeat(kept, 2)


def bin_labels(edges: FloatArray, exact: bool = False) -> tuple[str, ...]:
    """Return names of the bins between edges, and of the two open ends; `exact` rounds no edge.

    Examples
    --------
    >>> bin_labels(np.array([20.0, 35.0, 90.0]))
    ('< 20', '[20, 35)', '[35, 90]', '> 90')
    """
    shown = _shown(edges, exact)
    last = len(shown) - 2
    if shown[0] == shown[-1]:
        inside = [shown[0]]
    else:
        inside = [
            f"[{shown[i]}, {shown[i + 1]}{']' if i == last else ')'}" for i in range(last + 1)
        ]
    return (f"< {shown[0]}", *inside, f"> {shown[-1]}")


def _shown(edges: FloatArray, exact: bool) -> list[str]:
    """Return edges as text with the fewest digits, at least six, that keep them distinct.

    Where they are `exact`, each text is read as its edge instead.
    """
    edges = edges + 0.0  # one name for both zeros
    if exact:
        return [_exact(edge) for edge in edges.tolist()]
    for digits in _DIGITS[:-1]:
        shown = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(shown)) == len(set(edges.tolist())):
            return shown
    return [repr(edge) for edge in edges.tolist()]


def _exact(edge: float) -> str:
    """Return the shortest text of at least six digits that is read as an edge."""
    texts = (f"{edge:.{digits}g}" for digits in _DIGITS[:-2])
    return next((text for text in texts if float(text) == edge), repr(edge))


def bin_index(number: Any, bins: Bins) -> Any:
    """Return the index of each number's level, from 0 to k + 1; NULL where there is no number."""
    *lower, last = bins.edges[1:]
    branches = [(number.isnull(), ibis.null("int64")), (number < bins.edges[0], 0)]
    branches += [(number < edge, i + 1) for i, edge in enumerate(lower)]
    branches.append((number <= last, len(bins.edges) - 1))
    return ibis.cases(*branches, else_=len(bins.edges)).cast("int64")
