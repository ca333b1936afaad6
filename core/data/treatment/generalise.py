"""Make the values of columns coarser: prefixes and tables of parents, intervals, rare levels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from core.data.hierarchies import Hierarchy
from core.data.tables import OpenTable
from core.data.treatment.bins import Bins, as_decimal, bin_labels, ends
from core.errors import InvalidInputError
from core.limits import MAX_BINS
from core.validation import shown


def intervals(table: OpenTable, records: Any, hierarchy: Hierarchy) -> Bins:
    """Return the intervals of a hierarchy's level that hold all numbers of a column, as bins.

    Each edge is start + k·width as a decimal, and then the float nearest to it, so that a number
    of the column that is written like an edge is equal to it, and the edges of a level are among
    those of the levels below wherever both have some. Edges that are one float are one edge.

    Raises
    ------
    InvalidInputError
        If the column holds something that is no number, there are too many intervals, or they
        reach beyond the largest float.
    """
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
    """Return the width of a hierarchy's intervals, so that those of all its levels nest exactly.

    The width with the fewest digits is a decimal, and the others are its multiples and parts:
    0.1 and 0.30000000000000004 are 1/10 and 3/10, and 0.3333333333333333 and 1 are 1/3 and 1.
    """
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
    """Return cells with the texts of levels replaced by those of a hierarchy's level.

    Parameters
    ----------
    table : OpenTable
        The open file.
    cells : ibis.Table
        One row for each combination of levels, as text, with its number of records `n`.
    hierarchies : sequence
        The name of a column of `cells`, and its hierarchy, of prefixes or a table; None for none.

    Raises
    ------
    InvalidInputError
        If a value has no row in a table of parents.
    """
    for level, hierarchy in hierarchies:
        if hierarchy is None or hierarchy.level == 0:
            continue
        text = cells[level]
        if hierarchy.kind == "prefix":
            kept = text.substr(0, int(hierarchy.step)) + "*"
            cells = cells.mutate(**{level: ibis.ifelse(text.isnull(), ibis.null("string"), kept)})
        else:
            cells = _of_table(table, cells, level, hierarchy)
    return cells


def _of_table(table: OpenTable, cells: Any, level: str, hierarchy: Hierarchy) -> Any:
    """Replace a column's texts by their parents, by a join."""
    parents = hierarchy.parents()
    named = ibis.util.gen_name("parents")
    rows = pa.table({"value_of": list(parents), "parent_of": list(parents.values())})
    known = table.backend.create_table(named, rows, temp=True)
    joined = cells.left_join(known, cells[level] == known.value_of)
    lost = joined.filter(joined[level].notnull() & joined.parent_of.isnull())
    found = table.row(lost.aggregate(some=lost[level].min(), n=lost[level].nunique()))
    if found["n"]:
        more = "" if found["n"] == 1 else f" and for {found['n'] - 1:,} more"
        raise InvalidInputError(
            f"The hierarchy of {shown(hierarchy.column)} has no row for {shown(found['some'])}"
            f"{more}: add them to its table."
        )
    others = {name: joined[name] for name in cells.columns if name != level}
    chosen = joined.select(**{level: joined.parent_of}, **others)
    return table.backend.create_table(ibis.util.gen_name("coarser"), chosen, temp=True)


def rare_as_one(table: OpenTable, cells: Any, level: str, below: int) -> tuple[Any, str, int, int]:
    """Return cells in which a column's rare levels are one.

    Parameters
    ----------
    table : OpenTable
        The open file.
    cells : ibis.Table
        As for `coarser`.
    level : str
        The column of `cells`.
    below : int
        Levels with fewer records are rare, missing values among them.

    Returns
    -------
    cells : ibis.Table
        The same, merged.
    name : str
        What the group is called, like no other level; "" where no level is rare.
    levels, records : int
        How many it has.
    """
    totals = cells.group_by(level).agg(total=cells.n.sum())
    rare = totals.filter(totals.total < below)
    found = table.row(rare.aggregate(levels=rare.count(), records=rare.total.sum()))
    levels = int(found["levels"])
    if levels == 0:
        return cells, "", 0, 0
    name = base = f"(rare: {levels:,} {'level' if levels == 1 else 'levels'})"
    count = 1
    while table.row(cells.aggregate(n=(cells[level] == name).sum()))["n"]:
        count += 1
        name = f"{base} ({count})"
    known = table.backend.create_table(
        ibis.util.gen_name("rare"), rare.rename(rare_level=level), temp=True
    )
    joined = cells.left_join(known, cells[level].identical_to(known.rare_level))
    instead = ibis.ifelse(joined.total.notnull(), ibis.literal(name), joined[level])
    others = {one: joined[one] for one in cells.columns if one != level}
    merged = joined.select(**{level: instead}, **others)
    kept = [one for one in merged.columns if one != "n"]
    grouped = merged.group_by(kept).agg(n=merged.n.sum().cast("int64"))
    chosen = table.backend.create_table(ibis.util.gen_name("grouped"), grouped, temp=True)
    return chosen, name, levels, int(found["records"])


def at_level(hierarchies: Sequence[Hierarchy], column: str, level: int) -> tuple[Hierarchy, ...]:
    """Return hierarchies with one column's at another level.

    Examples
    --------
    >>> at_level([Hierarchy("zip", "prefix", 1, steps=(3, 2))], "zip", 2)[0].level
    2
    """
    return tuple(replace(one, level=level) if one.column == column else one for one in hierarchies)
