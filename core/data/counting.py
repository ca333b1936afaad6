"""Count S × X inside DuckDB, straight from the file: only the table of counts enters Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np

from core.data.bins import Bins, bin_index, cut
from core.data.joints import JointSource
from core.data.levels import Key, Symbols, name_symbols
from core.data.report import Counted, CountReport, Grouped, TooManyLevelsError
from core.data.sources import Sources
from core.data.spec import DataSpec
from core.data.tables import OpenTable, as_number, as_text, open_table
from core.errors import InvalidInputError
from core.joint import MISSING, Joint
from core.limits import MAX_CELLS, MAX_LEVELS
from core.validation import FloatArray

JOINED = " and "
"""Between the names of columns that are joined."""


def count(spec: DataSpec, sources: Sources | None = None) -> Counted:
    """Count the data that a spec describes.

    Parameters
    ----------
    spec : DataSpec
        The data, its columns and how they become symbols.
    sources : Sources, optional
        The session's uploads and pasted matrices, where the spec is about one.

    Raises
    ------
    InvalidInputError
        If the data cannot be read, a column does not exist or cannot be cut, S and X are the
        same, or one of them has a single level.
    TooManyLevelsError
        If S or X has more levels than can be read or solved.

    Examples
    --------
    >>> counted = count(DataSpec())
    >>> counted.joint.s_labels, counted.joint.n_x, counted.report.n_used
    (('Female', 'Male'), 15, 32561)
    """
    source = (sources or Sources()).open(spec.source)
    if isinstance(source, JointSource):
        return _from_joint(source, spec)
    _check_columns(spec)
    with open_table(source) as table:
        return _from_table(table, spec)


def _check_columns(spec: DataSpec) -> None:
    for name, columns in (("S", spec.secret), ("X", spec.released)):
        if not columns:
            raise InvalidInputError(f"Choose at least one column for {name}.")
        for column in columns:
            if columns.count(column) > 1:
                raise InvalidInputError(f"{name} has the column {column!r} more than once.")
    if set(spec.secret) == set(spec.released):
        raise InvalidInputError(
            f"S and X are both {JOINED.join(spec.secret)!r}: choose another column for one of them."
        )


@dataclass(frozen=True)
class _Side:
    """S or X while it is counted: its columns, and what their levels are called in queries."""

    name: str
    columns: tuple[str, ...]
    levels: tuple[str, ...]
    rare: str
    bins: tuple[Bins | None, ...]

    @classmethod
    def of(cls, name: str, columns: tuple[str, ...], cuts: Mapping[str, Bins]) -> _Side:
        levels = tuple(f"{name}{i}" for i in range(len(columns)))
        return cls(name, columns, levels, f"{name}_rare", tuple(map(cuts.get, columns)))

    @property
    def title(self) -> str:
        return JOINED.join(self.columns)


def _from_table(table: OpenTable, spec: DataSpec) -> Counted:
    records = _filtered(table, spec)
    used = dict.fromkeys(spec.secret + spec.released)
    cuts = {
        binning.column: cut(table, records, binning)
        for binning in spec.binnings
        if binning.column in used
    }
    if not spec.rare_below:
        _guard_columns(table, records, [name for name in used if name not in cuts])
    sides = (_Side.of("s", spec.secret, cuts), _Side.of("x", spec.released, cuts))
    cells = _cells(table, records, sides)
    report = _missing_report(table, cells, spec, sides)
    if spec.missing == "drop":
        cells = cells.drop_null([level for side in sides for level in side.levels])
    symbols, counts, grouped = _count_cells(table, cells, sides, spec)
    report = replace(report, grouped_s=grouped[0], grouped_x=grouped[1], bins=tuple(cuts.values()))
    return _finish(counts, symbols[0].labels, symbols[1].labels, spec, report, symbols[1].values)


def _filtered(table: OpenTable, spec: DataSpec) -> Any:
    records = table.records
    for chosen in spec.filters:
        level = as_text(table.column(chosen.column)).fill_null(MISSING)
        records = records.filter(level.isin(chosen.levels))
    return records


def _guard_columns(table: OpenTable, records: Any, names: list[str]) -> None:
    """Raise if a column has far too many levels, before anything is grouped by it."""
    if not names:
        return
    query = {f"c{i}": table.column(name).approx_nunique() for i, name in enumerate(names)}
    for name, levels in zip(names, table.row(records.aggregate(**query)).values(), strict=True):
        if levels > 2 * MAX_LEVELS:  # the estimate is off by a few per cent at most
            raise _too_many(repr(name), f"about {levels:,}")


def _too_many(name: str, levels: str) -> TooManyLevelsError:
    return TooManyLevelsError(
        f"{name} has {levels} levels, at most {MAX_LEVELS:,} are allowed: cut it into bins if it "
        "is numeric, or group its rare levels."
    )


def _cells(table: OpenTable, records: Any, sides: Iterable[_Side]) -> Any:
    """Return one row for each combination of levels, with its number of records `n`.

    The one pass over the file groups by the columns as they stand; what is then turned into
    text is one value for each combination.
    """
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
    chosen = records.select(**plain)
    cuts = {level: bin_index(chosen[level], bins) for _, level, bins in parts if bins is not None}
    binned = chosen.mutate(**cuts) if cuts else chosen
    kept = table.backend.create_table(
        "cells", binned.group_by(list(plain)).agg(n=binned.count()), temp=True
    )
    clean = {
        level: kept[level] if bins is not None else as_text(kept[level]) for _, level, bins in parts
    }
    merged = kept.select(**clean, n=kept.n)
    return merged.group_by(list(clean)).agg(n=merged.n.sum().cast("int64"))


def _missing_report(
    table: OpenTable, cells: Any, spec: DataSpec, sides: tuple[_Side, _Side]
) -> CountReport:
    """Count the records, and those with a missing value in each column.

    Raises
    ------
    InvalidInputError
        If there are no records, or a column has nothing but missing values.
    """
    levels = {
        level: column
        for side in sides
        for level, column in zip(side.levels, side.columns, strict=True)
    }
    some = ibis.or_(*(cells[level].isnull() for level in levels))
    asked = {level: cells.n.sum(where=cells[level].isnull()) for level in levels}
    found = table.row(cells.aggregate(n=cells.n.sum(), some=cells.n.sum(where=some), **asked))
    used = int(found["n"] or 0)
    total = (
        table.row(table.records.aggregate(n=table.records.count()))["n"] if spec.filters else used
    )
    if used == 0:
        why = "no record passes the filters" if total else "the data has no records"
        raise InvalidInputError(f"There is nothing to count: {why}.")
    missing = {column: int(found[level] or 0) for level, column in levels.items()}
    for column, rows in missing.items():
        if rows == used:
            raise InvalidInputError(
                f"Column {column!r} is empty: all its {rows:,} values are missing."
            )
    dropped = int(found["some"] or 0) if spec.missing == "drop" else 0
    if dropped == used:
        raise InvalidInputError(
            f"Each of the {used:,} records has a missing value: keep missing values as a level."
        )
    return CountReport(
        title=table.file.title,
        secret=sides[0].title,
        released=sides[1].title,
        n_total=total,
        n_used=used - dropped,
        filtered=total - used,
        missing=tuple(missing.items()),
        dropped_missing=dropped,
    )


def _count_cells(
    table: OpenTable, cells: Any, sides: tuple[_Side, _Side], spec: DataSpec
) -> tuple[tuple[Symbols, Symbols], FloatArray, tuple[Grouped, Grouped]]:
    """Group rare symbols, check the sizes, and fetch the table of counts, shape (n_s, n_x)."""
    marked = _mark_rare(table, cells, sides, spec.rare_below)
    grouped = []
    sizes = []
    for side in sides:
        symbols = _symbols(marked, side)
        rare = symbols[side.rare]
        found = table.row(
            symbols.aggregate(
                common=(~rare).sum(), rare=rare.sum(), records=symbols.n.sum(where=rare)
            )
        )
        grouped.append(Grouped(int(found["rare"]), int(found["records"] or 0)))
        sizes.append(int(found["common"]) + (found["rare"] > 0))
        if sizes[-1] > MAX_LEVELS:
            raise _too_many(repr(side.title), f"{sizes[-1]:,}")
    _check_cells(sides, sizes, spec)
    rows = _fetch(table, marked, sides)
    keys = [[_key(row, side) for row in rows] for side in sides]
    named = [
        name_symbols(set(found), side.bins, group.levels)
        for found, side, group in zip(keys, sides, grouped, strict=True)
    ]
    places = [{key: i for i, key in enumerate(symbols.keys)} for symbols in named]
    counts = np.zeros([len(symbols.keys) for symbols in named])
    for s, x, row in zip(*keys, rows, strict=True):
        counts[places[0][s], places[1][x]] = row["n"]
    return (named[0], named[1]), counts, (grouped[0], grouped[1])


def _symbols(marked: Any, side: _Side) -> Any:
    """Return one row for each symbol of a side: whether it is rare, and its records `n`."""
    return marked.group_by([side.rare, *side.levels]).agg(n=marked.n.sum().cast("int64"))


def _mark_rare(table: OpenTable, cells: Any, sides: tuple[_Side, _Side], rare_below: int) -> Any:
    """Say of each combination whether its symbol of S, and that of X, is rare."""
    if not rare_below:
        return cells.mutate(**{side.rare: ibis.literal(False) for side in sides})
    totals = {
        side.rare: cells.n.sum().over(ibis.window(group_by=[cells[name] for name in side.levels]))
        < rare_below
        for side in sides
    }
    return table.backend.create_table("marked", cells.mutate(**totals), temp=True)


def _fetch(table: OpenTable, marked: Any, sides: tuple[_Side, _Side]) -> list[dict[str, Any]]:
    """Return the table of counts, one row for each pair that occurs, rare symbols as one."""
    columns = {}
    for side in sides:
        rare = marked[side.rare]
        columns[side.rare] = rare
        for level in side.levels:
            columns[level] = ibis.ifelse(rare, ibis.null(), marked[level])
    merged = marked.select(**columns, n=marked.n)
    return table.rows(merged.group_by(list(columns)).agg(n=merged.n.sum().cast("int64")))


def _check_cells(sides: tuple[_Side, _Side], sizes: list[int], spec: DataSpec) -> None:
    n_s, n_x = sizes
    released = n_s * n_x if spec.secret_released else n_x
    if n_s * released > MAX_CELLS:
        pair = " as S and X are released together" if spec.secret_released else ""
        raise TooManyLevelsError(
            f"{sides[0].title!r} has {n_s:,} levels and {sides[1].title!r} {n_x:,}: "
            f"{n_s * released:,} cells{pair}, at most {MAX_CELLS:,} are allowed; cut numeric "
            "columns into bins or group rare levels."
        )


def _key(row: dict[str, Any], side: _Side) -> Key:
    return (row[side.rare], tuple(row[level] for level in side.levels))


def _from_joint(source: JointSource, spec: DataSpec) -> Counted:
    whole = source.records
    report = CountReport(source.title, "S", "X", n_total=whole, n_used=whole)
    return _finish(source.weights, source.s_labels, source.x_labels, spec, report, None)


def _finish(
    counts: FloatArray,
    s_labels: tuple[str, ...],
    x_labels: tuple[str, ...],
    spec: DataSpec,
    report: CountReport,
    x_values: FloatArray | None,
) -> Counted:
    """Make the joint, with S released too if asked; raise if there is nothing to ask about."""
    plain = Joint.from_counts(counts, s_labels, x_labels)
    for name, title, labels in (
        ("S", report.secret, plain.s_labels),
        ("X", report.released, plain.x_labels),
    ):
        if len(labels) == 1:
            what = "to hide" if name == "S" else "to release"
            column = "" if title == name else f" ({title!r})"
            raise InvalidInputError(
                f"{name}{column} has only one level, {labels[0]!r}: there is nothing {what}."
            )
    joint = plain
    if spec.secret_released:
        joint = Joint.with_secret_released(counts, s_labels, x_labels)
        x_values = None
    elif x_values is not None:
        x_values = x_values[plain.kept_x]
    return Counted(joint, replace(report, zero_cells=int((joint.p == 0).sum())), x_values)
