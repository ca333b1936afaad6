"""Coarser values of columns: prefixes, tables of parents, intervals, groups of rare levels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from core.data.hierarchies import Hierarchy
from core.data.options import AS_IT_IS, ReadOptions
from core.data.readers.describe import column_levels
from core.data.readers.sources import Sources
from core.data.tables import OpenTable, sums
from core.data.treatment.bins import Bins, as_decimal, bin_labels, ends
from core.data.treatment.symbols import rare_name
from core.errors import InvalidInputError
from core.level_order import number
from core.limits import MAX_BINS
from core.validation import shown
from core.wording import free_name


def intervals(table: OpenTable, records: Any, hierarchy: Hierarchy) -> Bins:
    """Return the intervals of a hierarchy's level that hold all numbers of a column, as bins."""
    low, high = ends(table, records, hierarchy.column)
    start, width = as_decimal(hierarchy.start), _width(hierarchy)
    what = f"Intervals of width {hierarchy.step:g} of {shown(hierarchy.column)}"
    try:
        first, last = _place(low, start, width), _place(high, start, width) + 1
        if last - first > MAX_BINS:
            raise InvalidInputError(
                f"{what} are {last - first:,}, from {low:g} to {high:g}: at most {MAX_BINS} are "
                "allowed, so choose a higher level."
            )
        edges = np.unique([float(start + k * width) for k in range(first, last + 1)])
    except OverflowError:
        raise InvalidInputError(
            f"{what}, from {low:g} to {high:g}, reach beyond the largest number that can be held: "
            "choose a lower level, or leave out the largest values."
        ) from None
    labels = bin_labels(edges, exact=True)
    return Bins(hierarchy.column, tuple(map(float, edges)), labels, last - first)


def _width(hierarchy: Hierarchy) -> Fraction:
    """Return the width of a hierarchy's intervals, so those of all its levels nest exactly."""
    times = [1]
    for below, above in itertools.pairwise(hierarchy.steps):
        times.append(times[-1] * round(above / below))
    digits = [len(Decimal(repr(step)).normalize().as_tuple().digits) for step in hierarchy.steps]
    plainest = digits.index(min(digits))
    return as_decimal(hierarchy.steps[plainest]) * Fraction(
        times[hierarchy.level - 1], times[plainest]
    )


def _place(number: float, start: Fraction, width: Fraction) -> int:
    """Return the largest k for which the float nearest to start + k·width is at most a number."""
    halfway = (Fraction(number) + Fraction(math.nextafter(number, math.inf))) / 2
    k = math.floor((halfway - start) / width)
    return k if float(start + k * width) <= number else k - 1


def coarser(
    table: OpenTable, cells: Any, hierarchies: Sequence[tuple[str, Hierarchy | None]]
) -> Any:
    """Return cells with the texts of levels replaced by those of a hierarchy's level."""
    for level, hierarchy in hierarchies:
        if hierarchy is None or hierarchy.level == 0:
            continue
        text = cells[level]
        if hierarchy.kind == "prefix":
            prefix = text.substr(0, int(hierarchy.step)) + "*"
            cells = cells.mutate(**{level: ibis.ifelse(text.isnull(), ibis.null("string"), prefix)})
        else:
            cells = _of_table(table, cells, level, hierarchy)
    return cells


def _of_table(table: OpenTable, cells: Any, level: str, hierarchy: Hierarchy) -> Any:
    """Replace a column's texts by their parents, by a join."""
    parents = hierarchy.parents()
    rows = pa.table({"value_of": list(parents), "parent_of": list(parents.values())})
    known, cells = table.kept(rows), table.kept(cells)
    joined = cells.left_join(known, cells[level] == known.value_of)
    lost = joined.filter(joined[level].notnull() & joined.parent_of.isnull())
    missing = table.row(lost.aggregate(some=lost[level].min(), n=lost[level].nunique()))
    if missing["n"]:
        more = "" if missing["n"] == 1 else f" and for {missing['n'] - 1:,} more"
        raise InvalidInputError(
            f"The hierarchy of {shown(hierarchy.column)} has no row for {shown(missing['some'])}"
            f"{more}: add them to its table."
        )
    others = {name: joined[name] for name in cells.columns if name != level}
    chosen = joined.select(**{level: joined.parent_of}, **others)
    return table.kept(chosen)


def rare_as_one(table: OpenTable, cells: Any, level: str, below: int) -> tuple[Any, str, int, int]:
    """Return cells in which a column's rare levels are one."""
    totals = cells.group_by(level).agg(total=cells.n.sum())
    rare = totals.filter(totals.total < below)
    summary = table.row(rare.aggregate(levels=rare.count(), records=rare.total.sum()))
    levels = int(summary["levels"])
    if levels == 0:
        return cells, "", 0, 0
    name = free_name(
        rare_name(levels),
        lambda name: table.row(cells.aggregate(n=(cells[level] == name).sum()))["n"],
    )
    known = table.kept(rare.rename(rare_level=level))
    joined = cells.left_join(known, cells[level].identical_to(known.rare_level))
    instead = ibis.ifelse(joined.total.notnull(), ibis.literal(name), joined[level])
    others = {column: joined[column] for column in cells.columns if column != level}
    merged = joined.select(**{level: instead}, **others)
    summed = sums(merged)
    grouped = merged.group_by([name for name in merged.columns if name not in summed]).agg(**summed)
    chosen = table.kept(grouped)
    return chosen, name, levels, int(summary["records"])


def at_level(hierarchies: Sequence[Hierarchy], column: str, level: int) -> tuple[Hierarchy, ...]:
    """Return hierarchies with one column's at another level."""
    return tuple(
        replace(tree, level=level) if tree.column == column else tree for tree in hierarchies
    )


_LARGEST = Fraction(10) ** 306
"""Largest width, and one over the smallest: floats hold their multiples."""


def interval_steps(values: Sequence[float]) -> tuple[float, ...]:
    """Return widths of intervals by which each level has fewer levels than the one below."""
    exact = sorted({as_decimal(value) for value in values if math.isfinite(value)})
    if len(exact) < 2:
        return (1.0,)
    far = min(10 * max(map(abs, exact)), _LARGEST)
    least = max((exact[-1] - exact[0]) / (MAX_BINS - 2), 1 / _LARGEST)
    widths = list(itertools.takewhile(lambda width: width <= far, _widths(min(least, far / 5))))
    fewer = [width for width in widths if _occupied(exact, width) <= min(20, len(exact) - 1)]
    steps = [fewer[0] if fewer else widths[-1]]
    while len(steps) < 3:
        left = _occupied(exact, steps[-1])
        wider = (
            steps[-1] * times
            for times in (2, 4, 5, 10, 20, 50, 100, 1_000)
            if steps[-1] * times <= _LARGEST
        )
        step = next((width for width in wider if 1 < _occupied(exact, width) < left), None)
        if step is None:
            break
        steps.append(step)
    return tuple(map(float, steps))


def suggested_steps(
    source: str, column: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[float, ...]:
    """Return `interval_steps` of a column's most frequent numbers."""
    labels = column_levels(source, column, sources, 2_000, read).labels
    return interval_steps([value for value in map(number, labels) if value is not None])


def _widths(least: Fraction) -> Iterator[Fraction]:
    """Yield 1, 2 and 5 times the powers of ten, from the first that is at least a number."""
    for power in itertools.count(math.floor(math.log10(least))):
        for times in (1, 2, 5):
            width = times * Fraction(10) ** power
            if width >= least:
                yield width


def _occupied(values: Sequence[Fraction], width: Fraction) -> int:
    """Return how many intervals from 0 on, and below it, have a value."""
    return len({value // width for value in values})
