"""Rows that add up others: those that are called totals, and those whose numbers are sums."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.readers.names import plain_number
from core.data.tables import OpenTable, as_text
from core.texts import TOTAL

Cells = Sequence[str | None]

MOST_CROSSED = 200
"""Most rows, and columns, of a table that may be a cross table."""

_LONGEST = 50
"""Most neighbouring rows that one adds up."""

_ODDS = 2_000
"""How many times as unlikely as there are rows sums must be, were they chance."""

_ENDS = re.compile(
    r"(?i).+[\W_](?:sub-?|grand )?"
    r"(?:totals?|insgesamt|gesamt|summe|zusammen|totaal|totale|razem)\W*"
)
"""What a row of totals ends with, behind the name of its group."""

_MOST = 100_000
"""Most cells in which sums are looked for."""


def totals(columns: Mapping[str, Cells]) -> tuple[list[str], int]:
    """Return what the rows that may add up others are called, and how many they are."""
    parsed = {name: _numbers(cells) for name, cells in columns.items()}
    labels = [cells for name, cells in columns.items() if parsed[name] is None]
    measures = [one for one in parsed.values() if one is not None and not _are_years(one)]
    years = [tuple(one) for one in parsed.values() if one is not None and _are_years(one)]
    rows = len(next(iter(columns.values()), ()))
    if not labels or rows < 3:
        return [], 0
    found = set(_called_so(labels, years))
    if measures and rows * len(columns) <= _MOST:
        numbers = np.column_stack(measures)
        for _ in range(3):  # what is left may add up again
            left = np.array([i for i in range(rows) if i not in found], dtype=np.intp)
            some = [[cells[i] for i in left] for cells in labels]
            ages = [[cells[i] for i in left] for cells in years]
            sums = {*_of_groups(some, ages, numbers[left]), *_of_neighbours(numbers[left])}
            if len(left) < 3 or not sums:
                break
            found |= {int(left[i]) for i in sums}
    called = [_name_of(i, labels, found) for i in sorted(found)]
    return list(dict.fromkeys(one for one in called if one)), len(found)


def first_texts(table: OpenTable, most: int) -> dict[str, list[str | None]]:
    """Return the texts of a table's columns, of its first rows where it is long."""
    names = table.file.columns
    chosen = {f"c{i}": as_text(table.column(name)) for i, name in enumerate(names)}
    rows = table.rows(table.records.limit(most).select(**chosen))
    return {name: [row[f"c{i}"] for row in rows] for i, name in enumerate(names)}


def total_columns(columns: Mapping[str, Cells]) -> set[str]:
    """Return the columns of numbers that are called totals, or add up others in each row."""
    numeric = [name for name, cells in columns.items() if _numbers(cells) is not None]
    called = {one for one in numeric if TOTAL.fullmatch(one) or _ENDS.fullmatch(one)}
    rows = zip(*(columns[name] for name in numeric), strict=True)
    told, _ = totals({"": numeric, **{f"{i}": row for i, row in enumerate(rows)}})
    found = called | set(told)
    return found if found < set(numeric) else set()


def _numbers(cells: Cells) -> NDArray[np.float64] | None:
    """Return a column's numbers, NaN for none; None where most of its values are text."""
    some = [one for one in cells if one is not None][:50]
    if 2 * sum(plain_number(one) is not None for one in some) <= len(some):
        return None
    values = [None if one is None else plain_number(one) for one in cells]
    return np.array([np.nan if one is None else one for one in values])


def _are_years(numbers: NDArray[np.float64]) -> bool:
    return bool(((numbers >= 1800) & (numbers <= 2100) & (numbers == np.rint(numbers))).all())


def _called_so(labels: Sequence[Cells], years: Sequence[Sequence[Any]]) -> Iterator[int]:
    """Yield the rows that are called totals, but for levels of records that are alike."""
    kinds = list(zip(*labels, *years, strict=True))
    for cells in labels:
        places: dict[str, list[int]] = defaultdict(list)
        for i, cell in enumerate(cells):
            if cell is not None:
                places[cell].append(i)
        for level, at in places.items():
            once = len({kinds[i] for i in at}) == len(at) < len(cells)
            if once and (TOTAL.fullmatch(level) or _ENDS.fullmatch(level)):
                yield from at


def _of_groups(
    labels: Sequence[Cells], years: Sequence[Sequence[Any]], numbers: NDArray[np.float64]
) -> Iterator[int]:
    """Yield the rows of a level that adds up all others of its column, in each group of rows."""
    for own, cells in enumerate(labels):
        others = [one for i, one in enumerate(labels) if i != own]
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, kind in enumerate(zip(*others, *years, strict=True)) if others or years else ():
            groups[kind].append(i)
        tried: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at in groups.values() if groups else [list(range(len(cells)))]:
            if len({cells[i] for i in at}) < len(at):
                break  # these are records, not sums of them
            part = numbers[at]
            told = np.nansum(part, axis=0) - part
            enough = (~np.isnan(part)).sum(axis=0) > 2
            for i, sure in zip(at, _sureness(part, np.where(enough, told, np.nan)), strict=True):
                if len(at) > 2 and cells[i] is not None:
                    tried[str(cells[i])].append((i, sure))
        else:
            for found in tried.values():
                if min(sure for _, sure in found) > 0 and _is_sure(found, len(cells)):
                    yield from (i for i, _ in found)


def _of_neighbours(numbers: NDArray[np.float64]) -> Iterator[int]:
    """Yield the rows that add up two or more of those above or below them."""
    rows = len(numbers)
    before = np.vstack([np.zeros(numbers.shape[1]), np.cumsum(np.nan_to_num(numbers), axis=0)])
    for many in range(2, min(_LONGEST, rows - 1) + 1):
        sums = before[many:] - before[:-many]  # of rows i to i + many
        for first, told in ((many, sums[:-1]), (0, sums[1:])):
            own = numbers[first : first + len(told)]
            for i, sure in enumerate(_sureness(own, told), first):
                if _is_sure([(i, sure)], rows):
                    yield i


def _sureness(own: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row how little likely its sums are chance, 0 where most numbers are none."""
    adds = np.isclose(own, sums, rtol=1e-9, atol=1e-6) & (own != 0)
    most = 2 * adds.sum(axis=1) > (~np.isnan(own)).sum(axis=1)
    return np.where(most, np.where(adds, np.log1p(np.abs(own)), 0.0).sum(axis=1), 0.0)


def _is_sure(found: Sequence[tuple[int, float]], rows: int) -> bool:
    return sum(sure for _, sure in found) >= math.log(_ODDS * rows)


def _name_of(row: int, labels: Sequence[Cells], found: set[int]) -> str:
    """Return a text that this row has, and no row but those found; "" for none."""
    own = [(cells[row], cells) for cells in labels if cells[row]]
    for name, cells in sorted(own, key=lambda one: not TOTAL.fullmatch(one[0] or "")):
        if all(i in found for i, cell in enumerate(cells) if cell == name):
            return str(name)
    return ""
