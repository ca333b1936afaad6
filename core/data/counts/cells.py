"""Group a table by the levels of S and X in DuckDB, and fetch the table of counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from core.data.counts.report import Grouped, TooManyLevelsError
from core.data.hierarchies import Hierarchy, RareLevels
from core.data.spec import DataSpec
from core.data.tables import SAMPLED, SQUARED, OpenTable, as_number, as_text, sums
from core.data.treatment.bins import Bins, bin_index
from core.data.treatment.generalise import coarser, rare_as_one
from core.data.treatment.symbols import Coding, Kept, Key, Symbols, name_symbols
from core.level_order import Level, RareGroup
from core.limits import MAX_CELLS, MAX_KNOWN_CELLS, MAX_LEVELS, MOST_KNOWN
from core.validation import BoolArray, FloatArray, shown

JOINED = " and "
"""Joins the names of columns that are joined."""


@dataclass(frozen=True)
class Side:
    """S or X while it is counted; `bins`, `hierarchies`, `rare_levels` and `kept` go by column.

    `levels`, `rare`: names in queries of its levels and of the mark of rare symbols. `rare_levels`:
    names of the groups of rare levels, "" for none. `kept`, `left_in`: as in `Coding`.
    """

    columns: tuple[str, ...]
    levels: tuple[str, ...]
    rare: str
    bins: tuple[Bins | None, ...]
    hierarchies: tuple[Hierarchy | None, ...] = ()
    rare_levels: tuple[str, ...] = ()
    kept: Kept = ()
    left_in: Kept = ()

    @classmethod
    def of(
        cls,
        name: str,
        columns: tuple[str, ...],
        cuts: Mapping[str, Bins],
        hierarchies: Mapping[str, Hierarchy],
    ) -> Side:
        """Return a side named `name` in queries, with these columns."""
        levels = tuple(f"{name}{i}" for i in range(len(columns)))
        trees = tuple(map(hierarchies.get, columns))
        bins = tuple(map(cuts.get, columns))
        return cls(columns, levels, f"{name}_rare", bins, trees, ("",) * len(columns))

    @property
    def title(self) -> str:
        return JOINED.join(self.columns)

    def coding(self, symbols: Symbols, labels: tuple[str, ...]) -> Coding:
        """Return how records become its symbols, with their names in the joint."""
        return Coding(
            self.columns,
            self.bins,
            symbols.keys,
            labels,
            self.hierarchies if any(self.hierarchies) else (),
            self.rare_levels if any(self.rare_levels) else (),
            self.kept,
            self.left_in,
        )


def guard_columns(
    table: OpenTable, records: Any, names: list[str], known: Sequence[str] = ()
) -> None:
    """Raise if a column has far too many levels, before records are grouped by it.

    `known`: those of them that others know.
    """
    if not names:
        return
    plain = {name: records[table.position(name)] for name in names}  # quicker than their texts
    sizes = _estimated(table, records, plain)
    several = {name: as_text(table.column(name)) for name in names if sizes[name] > 2 * MAX_LEVELS}
    if not several:
        return
    for name, levels in _estimated(table, records, several).items():
        if levels > 2 * MAX_LEVELS:  # the estimate is off by a few per cent at most
            if name in known:
                raise _too_many_known(name, f"about {levels:,}")
            raise _too_many(repr(name), f"about {levels:,}")


def _estimated(table: OpenTable, records: Any, columns: Mapping[str, Any]) -> dict[str, int]:
    """Return about how many different values columns have, by their names."""
    query = {f"c{i}": column.approx_nunique() for i, column in enumerate(columns.values())}
    counts = table.row(records.aggregate(n=records.count(), **query))
    return {name: min(counts[f"c{i}"], counts["n"]) for i, name in enumerate(columns)}


def _too_many(name: str, levels: str) -> TooManyLevelsError:
    return TooManyLevelsError(
        f"{name} has {levels} levels; at most {MAX_LEVELS:,} are allowed: cut it into bins if it "
        "is numeric, or group its rare levels."
    )


def group_cells(table: OpenTable, records: Any, sides: Iterable[Side]) -> Any:
    """Return a row for each combination of levels with its records `n`; only values become text."""
    parts = [
        part for side in sides for part in zip(side.columns, side.levels, side.bins, strict=True)
    ]
    plain = {}
    for column, level, bins in parts:
        values = table.column(column)
        if bins is not None:
            plain[level] = as_number(values)
        else:
            plain[level] = values.cast("string") if values.type().is_nested() else values
    weights = table.sampled(records)
    chosen = records.select(**plain, **table.weight(), **weights)
    cuts = {level: bin_index(chosen[level], bins) for _, level, bins in parts if bins is not None}
    binned = chosen.mutate(**cuts) if cuts else chosen
    grouped = binned.group_by(list(plain)).agg(
        n=table.number(binned), **{name: binned[name].sum() for name in weights}
    )
    clean = {
        level: grouped[level] if bins is not None else as_text(grouped[level])
        for _, level, bins in parts
    }
    plainly = grouped.select(**clean, n=grouped.n, **{name: grouped[name] for name in weights})
    merged = coarser(
        table,
        plainly,
        [part for side in sides for part in zip(side.levels, side.hierarchies, strict=True)],
    )
    return table.kept(merged.group_by(list(clean)).agg(**sums(merged)))


def group_rare_levels(
    table: OpenTable, cells: Any, sides: tuple[Side, ...], rare: Sequence[RareLevels]
) -> tuple[Any, tuple[Side, ...], tuple[tuple[str, Grouped], ...]]:
    """Group each column's rare levels into one, where that is requested."""
    below = {threshold.column: threshold.below for threshold in rare}
    grouped = {}
    changed = []
    for side in sides:
        names = []
        for column, level in zip(side.columns, side.levels, strict=True):
            name = ""
            if column in below:
                cells, name, levels, records = rare_as_one(table, cells, level, below[column])
                if name:
                    grouped[column] = Grouped(levels, records)
            names.append(name)
        changed.append(replace(side, rare_levels=tuple(names)))
    return cells, tuple(changed), tuple(grouped.items())


def with_kept_levels(table: OpenTable, cells: Any, left: Any, side: Side, grouped: Grouped) -> Side:
    """Return a side with the levels outside its columns' groups, where its symbols lack some."""
    if not grouped.levels or not any(side.rare_levels):
        return side
    return replace(side, kept=_kept(table, cells, side), left_in=_kept(table, left, side))


def _kept(table: OpenTable, cells: Any, side: Side) -> Kept:
    result: list[tuple[Level, ...] | None] = []
    for level, name in zip(side.levels, side.rare_levels, strict=True):
        if not name:
            result.append(None)
            continue
        values = {row[level] for row in table.rows(cells.select(level).distinct())} - {name}
        result.append(tuple(sorted(values, key=lambda value: (value is None, value or ""))))
    return tuple(result)


def cells_of(table: OpenTable, cells: Any, side: Side, symbols: Symbols, stays: BoolArray) -> Any:
    """Return the cells whose symbol of a side is among those that stay, (n,)."""
    if stays.all():
        return cells
    common = [(key[1], stay) for key, stay in zip(symbols.keys, stays, strict=True) if not key[0]]
    # all that is not common is in the group of rare ones
    others = all(stay for key, stay in zip(symbols.keys, stays, strict=True) if key[0])
    named = [levels for levels, stay in common if stay != others]
    columns = {
        f"known_{level}": pa.array([key[i] for key in named], cells[level].type().to_pyarrow())
        for i, level in enumerate(side.levels)
    }
    known = table.kept(pa.table(columns | {"is_known": [True] * len(named)}))
    same = [cells[level].identical_to(known[f"known_{level}"]) for level in side.levels]
    joined = cells.left_join(known, same)
    some = joined.is_known.isnull() if others else joined.is_known.notnull()
    return joined.filter(some).select(*cells.columns)


@dataclass(frozen=True)
class KnownCells:
    """The combinations of S, X and K that occur: the symbols' keys, the number of k, records.

    `weight`: their share, up to a factor. `labels`: the name of each value of K, by its number.
    """

    s: tuple[Key, ...]
    x: tuple[Key, ...]
    k: tuple[int, ...]
    n: tuple[int, ...]
    weight: tuple[float, ...]
    labels: tuple[str, ...]


def count_cells(
    table: OpenTable, cells: Any, sides: tuple[Side, Side], known: Side | None, spec: DataSpec
) -> tuple[tuple[Symbols, Symbols], FloatArray, tuple[Grouped, Grouped], KnownCells | None]:
    """Group rare symbols, check the sizes, and fetch the counts, shape (1, n_s, n_x), and by K.

    With sampling weights their shape is (3, n_s, n_x): records, weights, and squares of these.
    """
    marked = _mark_rare(table, cells, sides, (spec.rare_below_s, spec.rare_below))
    grouped = []
    sizes = []
    for side in sides:
        symbols = _symbols(marked, side)
        rare = symbols[side.rare]
        totals = table.row(
            symbols.aggregate(
                common=(~rare).sum(), rare=rare.sum(), records=symbols.n.sum(where=rare)
            )
        )
        grouped.append(Grouped(int(totals["rare"]), int(totals["records"] or 0)))
        sizes.append(int(totals["common"]) + (totals["rare"] > 0))
        if sizes[-1] > MAX_LEVELS:
            raise _too_many(repr(side.title), f"{sizes[-1]:,}")
    check_size(sides[0].title, sizes[0], sides[1].title, sizes[1], spec.secret_released)
    if known is not None:
        _check_known(table, marked, known, sides, sizes)
    rows = _fetch(table, marked, sides, () if known is None else known.levels)
    keys = [[_key(row, side) for row in rows] for side in sides]
    named = [
        name_symbols(set(own), side.bins, group.levels)
        for own, side, group in zip(keys, sides, grouped, strict=True)
    ]
    places = [{key: i for i, key in enumerate(symbols.keys)} for symbols in named]
    layers = [name for name in ("n", SAMPLED, SQUARED) if name in marked.columns]
    exact = float if len(layers) == 1 else object  # decimals, whose sums have no order
    counts = np.zeros([len(layers), *(len(symbols.keys) for symbols in named)], dtype=exact)
    for s, x, row in zip(*keys, rows, strict=True):
        counts[:, places[0][s], places[1][x]] += [row[layer] for layer in layers]
    result = None
    if known is not None:
        values = [tuple(row[level] for level in known.levels) for row in rows]
        order = {value: i for i, value in enumerate(sorted(set(values), key=_texts_first))}
        k, n = (order[value] for value in values), (int(row["n"]) for row in rows)
        symbols = name_symbols({(False, value) for value in order}, known.bins, 0)
        names = {key[1]: name for key, name in zip(symbols.keys, symbols.labels, strict=True)}
        labels = tuple(names[value] for value in order)
        weight = (float(row[SAMPLED if SAMPLED in row else "n"]) for row in rows)
        s_keys, x_keys = map(tuple, keys)
        result = KnownCells(s_keys, x_keys, tuple(k), tuple(n), tuple(weight), labels)
    return (named[0], named[1]), counts.astype(np.float64), (grouped[0], grouped[1]), result


def _texts_first(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what levels of several columns are sorted by, missing ones last."""
    return tuple((value is None, str(value)) for value in values)


def _check_known(
    table: OpenTable, marked: Any, known: Side, sides: tuple[Side, Side], sizes: Sequence[int]
) -> None:
    """Raise `TooManyLevelsError` if what is known has too many values for one promise."""
    values = marked.select(*known.levels).distinct()
    result = int(table.row(values.aggregate(k=values.count()))["k"])
    if result > MOST_KNOWN:
        raise _too_many_known(known.title, f"{result:,}")
    if result * sizes[0] * sizes[1] > MAX_KNOWN_CELLS:
        raise TooManyLevelsError(
            f"{shown(known.title)}, which others know, has {result:,} values beside {sizes[0]:,} "
            f"levels of {shown(sides[0].title)} and {sizes[1]:,} of {shown(sides[1].title)}: "
            f"{result * sizes[0] * sizes[1]:,} cells; at most {MAX_KNOWN_CELLS:,} are allowed: "
            f"{_FEWER}"
        )


def _too_many_known(title: str, values: str) -> TooManyLevelsError:
    return TooManyLevelsError(
        f"{shown(title)}, which others know, has {values} values; at most {MOST_KNOWN:,} are "
        f"allowed: {_FEWER}"
    )


_FEWER = "cut numeric columns into bins, group rare levels, or choose fewer columns that are known."
"""What makes the values of known columns fewer."""


def _symbols(marked: Any, side: Side) -> Any:
    """Return one row for each symbol of a side: whether it is rare, and its number of records."""
    return marked.group_by([side.rare, *side.levels]).agg(n=marked.n.sum().cast("int64"))


def _mark_rare(
    table: OpenTable, cells: Any, sides: tuple[Side, Side], least: tuple[int, int]
) -> Any:
    """Add to each combination whether its symbol of S, and that of X, is rare."""
    marked = cells
    for side, rare_below in zip(sides, least, strict=True):
        if rare_below:
            stored = table.kept(marked)
            marked = _mark_side(table, stored, side, rare_below)
        else:
            marked = marked.mutate(**{side.rare: ibis.literal(False)})
    return table.kept(marked) if any(least) else marked


def _mark_side(table: OpenTable, cells: Any, side: Side, rare_below: int) -> Any:
    """Add the mark of a side's rare symbols, by a join with the common ones, which are few."""
    symbols = cells.group_by(list(side.levels)).agg(total=cells.n.sum())
    common = symbols.filter(symbols.total >= rare_below).rename("common_{name}")
    stored = table.kept(common)
    same = [cells[level].identical_to(stored[f"common_{level}"]) for level in side.levels]
    joined = cells.left_join(stored, same)
    return joined.select(*cells.columns, **{side.rare: joined.common_total.isnull()})


def _fetch(
    table: OpenTable, marked: Any, sides: tuple[Side, Side], known: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the counts, one row for each pair that occurs, by known levels; rare ones as one."""
    columns = {level: marked[level] for level in known}
    for side in sides:
        rare = marked[side.rare]
        columns[side.rare] = rare
        for level in side.levels:
            columns[level] = ibis.ifelse(rare, ibis.null(), marked[level])
    merged = marked.select(**columns, **{name: marked[name] for name in sums(marked)})
    return table.rows(merged.group_by(list(columns)).agg(**sums(merged)))


def check_size(secret: str, n_s: int, released: str, n_x: int, secret_released: bool) -> None:
    """Raise `TooManyLevelsError` if a joint of these sizes has more than `MAX_CELLS` cells."""
    cells = n_s * n_x * (n_s if secret_released else 1)
    if cells > MAX_CELLS:
        pair = ", because S and X are released together" if secret_released else ""
        raise TooManyLevelsError(
            f"{shown(secret)} has {n_s:,} levels and {shown(released)} {n_x:,}: {cells:,} cells"
            f"{pair}; at most {MAX_CELLS:,} are allowed; cut numeric columns into bins or group "
            "rare levels."
        )


def _key(row: dict[str, Any], side: Side) -> Key:
    levels = (
        RareGroup(row[level]) if name and row[level] == name else row[level]
        for level, name in zip(side.levels, side.rare_levels, strict=True)
    )
    return (row[side.rare], tuple(levels))
