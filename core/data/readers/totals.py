"""Rows that are not records: headings, parts, and totals, by their name or by their sums."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.tables import OpenTable, as_text
from core.texts import TOTAL, any_number

Cells = Sequence[str | None]

MOST_CROSSED = 200
"""Most rows, and columns, of a table that may be a cross table."""

_NEIGHBOURS = 50
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


_PARTS = re.compile(
    r"(?i)\W*(?:(?:of|from) which|dont|darunter|davon|di cui|de (?:los|las) cuales|d[oa]s quais"
    r"|waarvan|därav|herav|heraf|w tym|z toho)\b.*|うち.*"
)
"""What a row of a part of the row above begins with."""


@dataclass(frozen=True)
class Asides:
    """What the rows that may be no records are called, and how many they are.

    `totals`: whether all of them may add up others; else some head groups of rows, or are parts.
    """

    called: tuple[str, ...] = ()
    rows: int = 0
    totals: bool = True


def asides(columns: Mapping[str, Cells]) -> Asides:
    """Return the rows that may add up others, head groups of rows, or be a part of another row."""
    parsed = {name: _numbers(cells) for name, cells in columns.items()}
    labels = [cells for name, cells in columns.items() if parsed[name] is None]
    codes = code_columns(columns)
    measures = [
        values
        for name, values in parsed.items()
        if values is not None
        and not (_are_years(values) or name in codes or len(set(columns[name])) < 2)
    ]
    years = [
        tuple(values) for values in parsed.values() if values is not None and _are_years(values)
    ]
    rows = len(next(iter(columns.values()), ()))
    if not labels or rows < 3:
        return Asides()
    others = {*_headings(columns, labels), *_parts(labels)}
    aside = others | set(_called_so(labels, years))
    crossed = _crossed(labels, years)
    if measures and rows * len(columns) <= _MOST:
        numbers = np.column_stack(measures)
        for _ in range(3):  # what is left may add up again
            left = np.array([i for i in range(rows) if i not in aside], dtype=np.intp)
            some = [[cells[i] for i in left] for cells in crossed]
            ages = [[cells[i] for i in left] for cells in years]
            sums = {*_of_groups(some, ages, numbers[left]), *_of_neighbours(numbers[left])}
            if len(left) < 3 or not sums:
                break
            aside |= {int(left[i]) for i in sums}
    named = [cells for cells in labels if len(set(cells)) > 1]
    called = [_name_of(i, named, aside) for i in sorted(aside)]
    return Asides(tuple(dict.fromkeys(text for text in called if text)), len(aside), not others)


def _headings(columns: Mapping[str, Cells], labels: Sequence[Cells]) -> list[int]:
    """Return the rows that have a text alone: the first, or several."""
    if len(columns) < 3:
        return []
    rows = list(zip(*columns.values(), strict=True))
    alone = [i for i, row in enumerate(rows) if row.count(None) == len(row) - 1]
    named = [i for i in alone if any(cells[i] for cells in labels) and i < len(rows) - 1]
    return named if named[:1] == [0] or 1 < len(named) < len(rows) / 2 else []


def _parts(labels: Sequence[Cells]) -> Iterator[int]:
    for cells in labels:
        yield from (i for i, cell in enumerate(cells) if i and cell and _PARTS.fullmatch(cell))


def first_texts(table: OpenTable, most: int) -> dict[str, list[str | None]]:
    """Return the texts of a table's columns, of its first rows where it is long."""
    names = table.file.columns
    chosen = {f"c{i}": as_text(table.column(name)) for i, name in enumerate(names)}
    rows = table.rows(table.records.limit(most).select(**chosen))
    return {name: [row[f"c{i}"] for row in rows] for i, name in enumerate(names)}


def total_columns(columns: Mapping[str, Cells]) -> set[str]:
    """Return the columns of numbers that are called totals, or add up others in each row."""
    numeric = [name for name, cells in columns.items() if _numbers(cells) is not None]
    called = {name for name in numeric if TOTAL.fullmatch(name) or _ENDS.fullmatch(name)}
    rows = zip(*(columns[name] for name in numeric), strict=True)
    totals = called | set(
        asides({"": numeric, **{str(i): row for i, row in enumerate(rows)}}).called
    )
    return totals if totals < set(numeric) else set()


def _numbers(cells: Cells) -> NDArray[np.float64] | None:
    """Return a column's numbers, NaN for none; None where most of its values are text."""
    some = [cell for cell in cells if cell is not None][:50]
    if 2 * sum(any_number(cell) is not None for cell in some) <= len(some):
        return None
    values = [None if cell is None else any_number(cell) for cell in cells]
    return np.array([np.nan if value is None else value for value in values])


def levels_of(cells: Cells) -> tuple[int, ...]:
    """Return for each row the first one that has its level: alike for codes and their names."""
    places: dict[str | None, int] = {}
    return tuple(places.setdefault(cell, i) for i, cell in enumerate(cells))


def code_columns(columns: Mapping[str, Cells]) -> set[str]:
    """Return the columns of numbers that stand for the levels of a column of text behind them."""
    codes, behind = set[str](), set[tuple[int, ...]]()
    for name, cells in reversed(list(columns.items())):
        levels = levels_of(cells)
        if _numbers(cells) is None:
            behind.add(levels)
        elif levels in behind and len(set(levels)) < len(levels):
            codes.add(name)
    return codes


def _crossed(labels: Sequence[Cells], years: Sequence[Sequence[Any]]) -> list[Cells]:
    """Return the columns by whose levels rows are crossed: one of those alike, no numbers of rows.

    A column with a level for each row is not one where the others distinguish all rows.
    """
    distinct = {levels_of(cells): cells for cells in labels}
    rows = len(labels[0])
    few = [cells for levels, cells in distinct.items() if 1 < len(set(levels)) < rows]
    if len(few) > 1 and len(set(zip(*few, *years, strict=True))) == rows:
        return few
    return list(distinct.values())


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
        others = [column for i, column in enumerate(labels) if i != own]
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, kind in enumerate(zip(*others, *years, strict=True)) if others or years else ():
            groups[kind].append(i)
        tried: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at in groups.values() if groups else [list(range(len(cells)))]:
            if len({cells[i] for i in at}) < len(at):
                break  # these are records, not sums of them
            part = numbers[at]
            sums = np.nansum(part, axis=0) - part
            enough = (~np.isnan(part)).sum(axis=0) > 2
            for i, sure in zip(at, _sureness(part, np.where(enough, sums, np.nan)), strict=True):
                if len(at) > 2 and cells[i] is not None:
                    tried[str(cells[i])].append((i, sure))
        else:
            for pairs in tried.values():
                sure = [score for _, score in pairs]
                if min(sure) > 0 and sum(sure) >= _enough(len(cells)):
                    yield from (i for i, _ in pairs)


def _of_neighbours(numbers: NDArray[np.float64]) -> Iterator[int]:
    """Yield the rows that add up two or more of those above or below them."""
    rows = len(numbers)
    before = np.vstack([np.zeros(numbers.shape[1]), np.cumsum(np.nan_to_num(numbers), axis=0)])
    for many in range(2, min(_NEIGHBOURS, rows - 1) + 1):
        sums = before[many:] - before[:-many]  # of rows i to i + many
        for first, totals in ((many, sums[:-1]), (0, sums[1:])):
            sure = _sureness(numbers[first : first + len(totals)], totals)
            yield from (first + np.flatnonzero(sure >= _enough(rows))).tolist()


def _sureness(own: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row how little likely its sums are chance, half where most are none."""
    adds = np.isclose(own, sums, rtol=1e-9, atol=1e-6) & (own != 0)
    most = 2 * adds.sum(axis=1) > (~np.isnan(own)).sum(axis=1)
    weights: NDArray[np.float64] = np.where(adds, np.log1p(np.abs(own)), 0.0).sum(axis=1)
    return np.asarray(np.where(most, 1.0, 0.5) * weights, dtype=np.float64)


def _enough(rows: int) -> float:
    return math.log(_ODDS * rows)


def _name_of(row: int, labels: Sequence[Cells], aside: set[int]) -> str:
    """Return a text that this row has, and no row but those found; "" for none."""
    own = [name for cells in labels if (name := cells[row])]
    for name in sorted(own, key=lambda text: (not TOTAL.fullmatch(text), text == text.upper())):
        if all(i in aside for cells in labels for i, cell in enumerate(cells) if cell == name):
            return name
    return ""
