"""Bins of a numeric column: their edges and labels, the bin of each number, and a preview."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ibis
import numpy as np

from core.data.joints import JointSource
from core.data.options import AS_IT_IS, ReadOptions
from core.data.readers.sources import Sources
from core.data.spec import Binning, Filter
from core.data.tables import (
    OpenTable,
    as_number,
    filtered,
    is_text,
    is_word,
    may_hold_numbers,
    open_table,
)
from core.errors import InvalidInputError
from core.validation import FloatArray, shown
from core.wording import number_of

_DIGITS = range(6, 18)
"""Numbers of significant digits that an edge may be shown with; 17 tell all floats apart."""

_MOVED = Fraction(1, 1000)
"""Most that an edge with more digits may be moved, in widths of a bin, to have fewer."""


@dataclass(frozen=True)
class Bins:
    """The bins of a column.

    `edges`: in increasing order, k + 1 for k bins; bin i is [edges[i], edges[i+1]), the last one is
    closed. Two equal edges are the one bin of a column that never varies. `labels`: names of the k
    + 2 levels: below the first edge, the k bins, above the last edge. `chosen`: the number of bins
    asked for, more than k where edges coincide.
    """

    column: str
    edges: tuple[float, ...]
    labels: tuple[str, ...]
    chosen: int

    @property
    def midpoints(self) -> FloatArray:
        """The middle of each level's bin, shape (k + 2,); NaN for the open ends."""
        edges = np.asarray(self.edges)
        return np.concatenate([[np.nan], edges[:-1] / 2 + edges[1:] / 2, [np.nan]])


def cut(table: OpenTable, records: Any, binning: Binning) -> Bins:
    """Find a column's bins in the records that pass the filters (an Ibis table)."""
    column = _numeric(table, binning.column)
    by_hand = binning.kind == "edges"
    if by_hand and not column.type().is_string():
        edges = np.asarray(binning.edges, dtype=np.float64)  # whatever the numbers are
    else:
        edges = _edges(table, _tallies(table, records, binning.column), binning)
    count = len(binning.edges) - 1 if by_hand else binning.count
    labels = bin_labels(edges, exact=binning.kind != "quantile")
    return Bins(binning.column, tuple(map(float, edges)), labels, count)


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
            "numbers, or remove its bins."
        )
    if not may_hold_numbers(column):
        raise InvalidInputError(
            f"Column {shown(name)} holds {column.type()}, and bins need numbers."
        )
    return column


def _ends(table: OpenTable, tallies: Any, name: str) -> tuple[float, float]:
    span = table.row(tallies.aggregate(low=tallies.value.min(), high=tallies.value.max()))
    if span["low"] is None:
        raise InvalidInputError(f"Column {shown(name)} has no numbers to cut into bins.")
    return float(span["low"]), float(span["high"])


def _edges(table: OpenTable, tallies: Any, binning: Binning) -> FloatArray:
    """Return the edges of bins for tallied numbers."""
    if binning.kind == "edges":
        return np.asarray(binning.edges, dtype=np.float64)
    low, high = _ends(table, tallies, binning.column)
    if binning.kind == "width":
        return equal_widths(low, high, binning.count)
    return _distinct(np.array([low, *_quantiles(table, tallies, binning.count), high]))


def equal_widths(low: float, high: float, count: int) -> FloatArray:
    """Return k + 1 distinct edges, k ≤ count, of bins of equal width that hold `low` to `high`.

    The ends are taken as their shortest decimals: 0.3 is an edge of ten bins from 0 to 1, and 3·0.1
    is none. Edges of more than nine significant digits are rounded to six or more, as few as move
    them by at most a thousandth of the width: the first downwards, the last upwards.
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
    if as_decimal(nearest) == edge and float(f"{nearest:.9g}") == nearest:
        return nearest
    text = repr(nearest)
    for digits in _DIGITS:
        rounded = decimal.Context(prec=digits, rounding=way).create_decimal(text)
        if abs(Fraction(rounded) - edge) <= _MOVED * width and math.isfinite(float(rounded)):
            return float(rounded)
    return nearest


def as_decimal(number: float) -> Fraction:
    """Return the decimal with the fewest digits that is read as a float, exactly."""
    return Fraction(repr(float(number)))


def _tallies(table: OpenTable, records: Any, name: str) -> Any:
    """Return each finite number of a column with its number of records, as a temporary table."""
    column = table.column(name)
    values = records.select(raw=column, **table.weight())
    raw = values.group_by("raw").agg(n=table.number(values))
    stored = table.kept(raw)
    if column.type().is_string():
        no_number = is_word if name in table.file.exact else is_text
        words = stored.filter(no_number(stored.raw))
        wrong = table.row(words.aggregate(records=words.n.sum(), example=words.raw.min()))
        if wrong["records"]:
            some = number_of(int(wrong["records"]), "value")
            are = "that is not a number" if wrong["records"] == 1 else "that are not numbers"
            where = ""
            if not table.file.counted:
                is_wrong = column == wrong["example"]
                where = f" in {table.first_record(column, is_wrong)[0]}"
            raise InvalidInputError(
                f"Column {shown(name)} holds {some} {are}, such as {shown(wrong['example'])}"
                f"{where}: bins need numbers, or a mark such as NA for a missing one."
            )
    numbers = stored.select(value=as_number(stored.raw), n=stored.n)
    merged = numbers.group_by("value").agg(n=numbers.n.sum().cast("int64"))
    tallies = table.kept(merged)
    return tallies.filter(tallies.value.notnull() & ~tallies.value.isinf())


def _quantiles(table: OpenTable, tallies: Any, count: int) -> list[float]:
    """Return the inner edges of bins with counts as equal as ties allow."""
    if count == 1:
        return []
    running = tallies.mutate(upto=tallies.n.cumsum(order_by=tallies.value))
    below = running.mutate(below=running.upto - running.n)
    total = table.row(tallies.aggregate(n=tallies.n.sum()))["n"]
    query = {}
    for i in range(1, count):
        target = total * i / count
        before, after = below.below <= target, below.below >= target
        query[f"low{i}"] = below.value.max(where=before)
        query[f"low_below{i}"] = below.below.max(where=before)
        query[f"high{i}"] = below.value.min(where=after)
        query[f"high_below{i}"] = below.below.min(where=after)
    row = table.row(below.aggregate(**query))
    edges = []
    for i in range(1, count):
        target = total * i / count
        over = row[f"high_below{i}"]
        nearer_high = over is not None and over - target < target - row[f"low_below{i}"]
        edges.append(row[f"high{i}"] if nearer_high else row[f"low{i}"])
    return edges


def _distinct(edges: FloatArray) -> FloatArray:
    """Return the distinct edges in increasing order; twice the same where there is only one."""
    values = np.unique(edges)
    return values if values.size > 1 else np.repeat(values, 2)


def bin_labels(edges: FloatArray, exact: bool = False) -> tuple[str, ...]:
    """Return names of the bins between edges and of the two open ends; `exact` rounds no edge."""
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
    """Return edges as text with the fewest digits, six or more, that keep them apart or exact."""
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


@dataclass(frozen=True)
class BinPreview:
    """A column's bins and the number of records in each.

    `bins`: edges and labels. `counts`: number of records in each of the k + 2 levels: below the
    first edge, the k bins, above the last edge. `missing`: number of records without a number.
    """

    bins: Bins
    counts: tuple[int, ...]
    missing: int

    def shown(self) -> tuple[tuple[str, int], ...]:
        """Return labels and counts of the bins, and of the open ends where there are records."""
        last = len(self.counts) - 1
        pairs = enumerate(zip(self.bins.labels, self.counts, strict=True))
        return tuple(pair for i, pair in pairs if pair[1] or 0 < i < last)


def preview(
    source: str,
    binning: Binning,
    filters: Sequence[Filter] = (),
    sources: Sources | None = None,
    read: ReadOptions = AS_IT_IS,
) -> BinPreview:
    """Cut a column and count its bins."""
    columns = (binning.column, *(condition.column for condition in filters))
    file = (sources or Sources()).open(source, columns, read)
    if isinstance(file, JointSource):
        raise InvalidInputError(f"{file.title} has no columns to cut into bins.")
    with open_table(file) as table:
        records = filtered(table, filters)
        bins = cut(table, records, binning)
        number = as_number(table.column(binning.column))
        numbers = records.select(number=number, **table.weight())
        levels = numbers.mutate(level=bin_index(numbers.number, bins))
        rows = table.rows(levels.group_by("level").agg(n=table.number(levels)))
    sizes = {row["level"]: row["n"] for row in rows}
    counts = tuple(sizes.get(i, 0) for i in range(len(bins.labels)))
    return BinPreview(bins, counts, sizes.get(None, 0))
