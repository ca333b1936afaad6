"""Count S × X in DuckDB, directly from the file: only the table of counts enters Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from math import prod
from typing import Any

import ibis
import numpy as np

from core import texts
from core.attributes import Attribute
from core.data.counts.cells import (
    JOINED,
    KnownCells,
    Side,
    cells_of,
    check_size,
    count_cells,
    group_cells,
    group_rare_levels,
    guard_columns,
    with_kept_levels,
)
from core.data.counts.report import Counted, CountedTask, CountReport
from core.data.joints import JointSource
from core.data.options import ReadOptions
from core.data.readers.doubts import open_questions
from core.data.readers.marks import marks_of
from core.data.readers.sources import Sources
from core.data.spec import DataSpec
from core.data.tables import (
    FileTable,
    Marks,
    OpenTable,
    filtered,
    is_mark,
    open_table,
    reads_marks,
)
from core.data.treatment.bins import Bins, cut
from core.data.treatment.generalise import intervals
from core.data.treatment.symbols import (
    Symbols,
    added_up,
    distinct,
    merged_groups,
    merged_names,
    name_symbols,
    unknown_symbols,
)
from core.errors import InvalidInputError
from core.joint import JOINER, Joint
from core.limits import MAX_ATTRIBUTES, MAX_GRID
from core.texts import alike
from core.three_way import ThreeWay
from core.validation import BoolArray, FloatArray, shown


def grid(
    counts: FloatArray, symbols: Symbols, columns: Sequence[str], bins: Sequence[Bins | None]
) -> tuple[FloatArray, tuple[str, ...], tuple[Attribute, ...]] | None:
    """Return counts (n_s, n_x) of joined columns over all combinations of levels, in C order."""
    if not 2 <= len(columns) <= MAX_ATTRIBUTES or any(rare for rare, _ in symbols.keys):
        return None
    sides = [
        name_symbols({(False, (levels[i],)) for _, levels in symbols.keys}, [cut], 0)
        for i, cut in enumerate(bins)
    ]
    shape = [len(side.keys) for side in sides]
    if prod(shape) > MAX_GRID:
        return None
    places = [{key[1][0]: i for i, key in enumerate(side.keys)} for side in sides]
    index = [
        [place[level] for place, level in zip(places, levels, strict=True)]
        for _, levels in symbols.keys
    ]
    seen = np.ravel_multi_index(tuple(np.array(index).T), shape)
    never = np.setdiff1d(np.arange(prod(shape)), seen)
    missing = [
        JOINER.join(side.labels[i] for side, i in zip(sides, where, strict=True))
        for where in zip(*np.unravel_index(never, shape), strict=True)
    ]
    names = np.empty(prod(shape), dtype=object)
    names[np.concatenate([seen, never])] = distinct([*symbols.labels, *missing])
    full = np.zeros((len(counts), prod(shape)))
    full[:, seen] = counts
    attributes = tuple(
        Attribute(column, side.labels) for column, side in zip(columns, sides, strict=True)
    )
    return full, tuple(names), attributes


def count(spec: DataSpec, sources: Sources | None = None) -> Counted:
    """Count the data that a spec describes.

    Parameters
    ----------
    spec : DataSpec
        The data, its columns and how they become symbols.
    sources : Sources, optional
        The session's uploads and pasted matrices, where the spec is about one; without it, a
        table of a database may be named.

    Raises
    ------
    InvalidInputError
        If the data cannot be read, a column does not exist or cannot be cut into bins, no record
        is left, two of S, X and T are the same, or one has a single level.
    TooManyLevelsError
        If S or X has more levels than allowed.

    Examples
    --------
    >>> counted = count(DataSpec())
    >>> counted.joint.s_labels, counted.joint.n_x, counted.report.n_used
    (('Female', 'Male'), 15, 32561)
    """
    held = Sources(databases=True) if sources is None else sources
    source = held.open(spec.source, spec.columns, spec.read)
    if isinstance(source, JointSource):
        if spec.task or spec.known:
            what = "for a task" if spec.task else "that others know"
            raise InvalidInputError(
                f"{source.title} is a joint distribution of S and X, without a column {what}."
            )
        return count_joint(source, spec)
    return count_file(source, spec)


def count_file(source: FileTable, spec: DataSpec) -> Counted:
    """Count a table that is opened already; see `count`."""
    _check_columns(spec)
    with open_table(source) as table:
        counted = _from_table(table, spec)
        return replace(counted, task=_task(table, spec, counted)) if spec.task else counted


def _task(table: OpenTable, spec: DataSpec, counted: Counted) -> CountedTask:
    if spec.without(spec.secret) or (spec.secret_released and spec.without(spec.released)):
        raise InvalidInputError(
            "A task T cannot be counted with symbols of S left out, or with any left out while S "
            "is also released: remove the task, or restore the symbols."
        )
    if spec.secret_released and any(spec.merged(side) for side in (spec.secret, spec.released)):
        raise InvalidInputError(
            "A task T cannot be counted with merged symbols while S is also released: remove the "
            "task, or the merge."
        )
    pairs = (*spec.secret, *spec.released) if spec.secret_released else spec.released
    about = replace(
        spec, secret=spec.task, released=pairs, secret_released=False, rare_below_s=0, task=()
    )
    about = replace(about, known=())
    joint = _from_table(table, about, "T").joint
    place = {label: x for x, label in enumerate(joint.x_labels)}
    unknown = [label for label in counted.joint.x_labels if label not in place]
    if unknown:
        raise InvalidInputError(
            f"No record with X = {shown(unknown[0])} shows what T "
            f"({shown(JOINED.join(spec.task))}) is there."
        )
    both = joint.p[:, [place[label] for label in counted.joint.x_labels]]
    return CountedTask(JOINED.join(spec.task), joint.s_labels, both / both.sum(axis=0))


def _check_columns(spec: DataSpec) -> None:
    sides = (("S", spec.secret), ("X", spec.released), ("T", spec.task), ("K", spec.known))
    for name, columns in sides:
        if not columns and name in ("S", "X"):
            raise InvalidInputError(f"Choose at least one column for {name}.")
        for column in columns:
            if columns.count(column) > 1:
                raise InvalidInputError(f"{name} has the column {shown(column)} more than once.")
    for column in spec.known:
        if column in (*spec.secret, *spec.released):
            side = "S" if column in spec.secret else "X"
            raise InvalidInputError(
                f"{shown(column)} is a column of {side}, so it cannot also be known: choose "
                "another column that others know."
            )
    if spec.releases_secret and spec.secret_released:
        raise InvalidInputError(
            f"X is the secret {shown(JOINED.join(spec.secret))} itself, so it cannot be released a "
            "second time: switch off “Also release S”, or choose another column for X."
        )
    if set(spec.task) == set(spec.secret):
        raise InvalidInputError(
            f"The task T and S are both {shown(JOINED.join(spec.task))}, and predicting T would "
            "reveal S: choose another column for one of them."
        )
    if set(spec.task) == set(spec.released):
        raise InvalidInputError(
            f"The task T and X are both {shown(JOINED.join(spec.task))}: keeping all of X needs "
            "no task."
        )


def _from_table(table: OpenTable, spec: DataSpec, first: str = "S") -> Counted:
    """Count two sides of a table; `first` names the first of them in an error's sentence."""
    records = filtered(table, spec.filters)
    sides, known, cuts = _sides(table, records, spec)
    cells = group_cells(table, records, (*sides, *known))
    report = _missing_report(table, cells, spec, sides)
    if spec.missing == "drop":
        cells = cells.drop_null([level for side in sides for level in side.levels])
    cells, every, rare = group_rare_levels(table, cells, (*sides, *known), spec.rare_levels)
    sides = every[0], every[1]
    symbols, counts, grouped, by_k = count_cells(table, cells, sides, (*every, None)[2], spec)
    symbols, counts, lost = _in_order(symbols, counts, sides, spec)
    names = [
        merged_names(own.labels, spec.merged(side.columns), spec.without(side.columns) | gone)
        for side, own, gone in zip(sides, symbols, lost, strict=True)
    ]
    left = cells
    for side, own, stay in zip(sides, symbols, _stay(names, sides, spec), strict=True):
        left = cells_of(table, left, side, own, stay)
    codings = tuple(
        with_kept_levels(table, cells, left, side, group).coding(own, called)
        for side, group, own, called in zip(sides, grouped, symbols, names, strict=True)
    )
    merged = tuple(
        (side.title, group)
        for side, own, called in zip(sides, symbols, names, strict=True)
        for group in merged_groups(own.labels, called)
    )
    report = replace(
        report,
        left_open=_questions(table, spec) if first == "S" else (),
        alike=_alike(sides, names),
        grouped_s=grouped[0],
        grouped_x=grouped[1],
        bins=cuts,
        merged=merged,
        unknown=_unknown(sides, symbols, spec),
        hierarchies=tuple(
            tree for tree in spec.hierarchies if tree.level and tree.column in spec.treated
        ),
        rare_levels=rare,
    )
    of_s, of_x = _stay(names, sides, spec)
    some = counts[0, of_s].any(axis=0)  # of symbols that only records left out have nothing depends
    whole = names[1] == symbols[1].labels and of_x[some].all() and not spec.secret_released
    layers, names, stays, report = _left_out(counts, names, sides, spec, report)
    staying = symbols[1].only(stays)
    counts, s_labels = added_up(layers[min(1, len(layers) - 1)], names[0])
    product = grid(counts, staying, spec.released, sides[1].bins) if whole else None
    if product is None:
        turned, x_labels = added_up(counts.T, names[1])
        of_text = any(name in table.file.texts for name in spec.released)
        apart = len(set(names[1])) == len(names[1])  # none of them were merged
        values = staying.values if apart and not of_text else None
        counted = _finish(turned.T, s_labels, x_labels, spec, report, values, first)
    else:
        counts, x_labels, attributes = product
        plain = _finish(counts, s_labels, x_labels, spec, report, None, first)
        counted = _with_attributes(plain, attributes)
    counted = _weighted(replace(counted, codings=codings), layers)
    return counted if by_k is None else _with_known(counted, by_k, s_labels, x_labels, spec)


def _weighted(counted: Counted, layers: FloatArray) -> Counted:
    """Return the count with Kish's number of records, (Σw)²/Σw², where there are weights."""
    if len(layers) == 1:
        return counted
    _, total, squares = (math.fsum(layer.ravel()) for layer in layers)
    n = math.floor(total * total / squares * (1 + 1e-12))
    joint = replace(counted.joint, n=n, weighted=True)
    return replace(counted, joint=joint, report=replace(counted.report, effective=n))


def _with_known(
    counted: Counted,
    cells: KnownCells,
    s_labels: tuple[str, ...],
    x_labels: tuple[str, ...],
    spec: DataSpec,
) -> Counted:
    """Return the count with that of S, X and K; raise if whoever knows K knows S."""
    of_s, of_x = (
        {key: named.get(label, -1) for key, label in zip(coding.keys, coding.labels, strict=True)}
        for coding, named in zip(
            counted.codings,
            ({label: i for i, label in enumerate(labels)} for labels in (s_labels, x_labels)),
            strict=True,
        )
    )
    s = np.array([of_s[key] for key in cells.s])
    x = np.array([of_x[key] for key in cells.x])
    stays = (s >= 0) & (x >= 0)  # the others have a symbol that is left out
    s, x, n, weight = s[stays], x[stays], np.array(cells.n)[stays], np.array(cells.weight)[stays]
    values, k = np.unique(np.array(cells.k)[stays], return_inverse=True)
    n_x = len(x_labels)
    if spec.secret_released:
        x, n_x = s * n_x + x, len(s_labels) * n_x
    order = np.lexsort((x, s, k))
    shape = len(s_labels), n_x, len(values)
    joint = counted.joint
    if joint.weighted:
        weight *= (joint.n or 1) / weight.sum()  # in records, as far as these are worth any
    table = ThreeWay(s[order], x[order], k[order], weight[order], shape)
    pairs = np.unique(k * len(s_labels) + s) // len(s_labels)
    alone = np.bincount(pairs, minlength=len(values)) == 1
    title, secret = JOINED.join(spec.known), shown(counted.report.secret)
    if alone.all():
        raise InvalidInputError(
            f"Each of {len(values):,} values of {shown(title)}, which others know, occurs with "
            f"only one level of {secret}: anyone who knows {shown(title)} knows {secret}, and "
            "nothing is left to hide."
        )
    report = replace(
        counted.report,
        known=title,
        known_values=tuple(cells.labels[value] for value in values),
        determined=int(n[alone[k]].sum()),
    )
    return replace(counted, joint=replace(joint, known=table), report=report)


def _questions(table: OpenTable, spec: DataSpec) -> tuple[str, ...]:
    """Return what a user's table leaves open, and how it is counted."""
    used = {*spec.treated}
    if not table.file.reports_doubts:
        return ()
    questions = open_questions(table, spec.read)
    return tuple(q.sentence for q in questions if not q.columns or used.intersection(q.columns))


def _alike(
    sides: tuple[Side, Side], names: list[tuple[str, ...]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the symbols of each side that look alike, as they differ in case or blanks alone."""
    result = []
    for side, called in zip(sides, names, strict=True):
        groups: dict[str, list[str]] = {}
        for name in dict.fromkeys(called):
            groups.setdefault(alike(name), []).append(name)
        result += [(side.title, tuple(group)) for group in groups.values() if len(group) > 1]
    return tuple(result)


def _sides(
    table: OpenTable, records: Any, spec: DataSpec
) -> tuple[tuple[Side, Side], tuple[Side, ...], tuple[Bins, ...]]:
    """Return the columns of S and X, and of K, with what becomes of their values, and the bins."""
    used = spec.treated
    cuts = {
        binning.column: cut(table, records, binning)
        for binning in spec.binnings
        if binning.column in used
    }
    coarse = {tree.column: tree for tree in spec.hierarchies if tree.level and tree.column in used}
    for column, tree in list(coarse.items()):
        if tree.kind == "interval":
            cuts[column] = intervals(table, records, coarse.pop(column))
    plain = (() if spec.rare_below_s else spec.secret) + (() if spec.rare_below else spec.released)
    plain += spec.known
    fewer = {*cuts, *coarse, *(rare.column for rare in spec.rare_levels)}
    guarded = [name for name in dict.fromkeys(plain) if name not in fewer]
    guard_columns(table, records, guarded, spec.known)
    sides = Side.of("s", spec.secret, cuts, coarse), Side.of("x", spec.released, cuts, coarse)
    known = (Side.of("k", spec.known, cuts, coarse),) if spec.known else ()
    return sides, known, tuple(cuts.values())


def _in_order(
    symbols: tuple[Symbols, Symbols],
    counts: FloatArray,
    sides: tuple[Side, Side],
    spec: DataSpec,
) -> tuple[tuple[Symbols, Symbols], FloatArray, tuple[frozenset[str], ...]]:
    """Return symbols in the order of those that stay, their counts, and the names that are lost.

    This way records left out do not show whether they hold a word among numbers, or what is merged.
    A symbol is lost if no remaining record has it, although it is not left out by name. `counts`:
    shape (layers, n_s, n_x), numbers of records first.
    """
    stays = _stay([own.labels for own in symbols], sides, spec)
    rest = counts[0][np.ix_(*stays)]
    if all(stay.all() for stay in stays) or not rest.any():
        return symbols, counts, (frozenset(), frozenset())
    lost = []
    for own, stay, some in zip(symbols, stays, (rest.any(axis=1), rest.any(axis=0)), strict=True):
        lost.append(frozenset(compress(compress(own.labels, stay), np.logical_not(some))))
        stay[stay] = some
    ordered, order = [], []
    for own, side, stay in zip(symbols, sides, stays, strict=True):
        place = {key: i for i, key in enumerate(own.keys)}
        left = name_symbols(set(compress(own.keys, stay)), side.bins, 0)
        order.append([*(place[key] for key in left.keys), *np.flatnonzero(~stay).tolist()])
        values = np.full(len(own.keys), np.nan)  # those of symbols left out are not used
        if left.values is not None:
            values[: len(left.keys)] = left.values
        ordered.append(
            Symbols(
                tuple(own.keys[i] for i in order[-1]),
                tuple(own.labels[i] for i in order[-1]),
                None if left.values is None else values,
            )
        )
    counts = counts[:, order[0]][:, :, order[1]]
    return (ordered[0], ordered[1]), counts, (lost[0], lost[1])


def _stay(
    names: Sequence[tuple[str, ...]], sides: tuple[Side, Side], spec: DataSpec
) -> list[BoolArray]:
    """Return which symbols of each side are not left out by name."""
    return [
        np.array([name not in spec.without(side.columns) for name in called], dtype=bool)
        for called, side in zip(names, sides, strict=True)
    ]


def _left_out(
    counts: FloatArray,
    names: list[tuple[str, ...]],
    sides: tuple[Side, Side],
    spec: DataSpec,
    report: CountReport,
) -> tuple[FloatArray, list[tuple[str, ...]], BoolArray, CountReport]:
    """Return counts and names without what is left out, which symbols of X stay, the report.

    `counts`: shape (layers, n_s, n_x), numbers of records first.
    """
    gone = [spec.without(side.columns) for side in sides]
    stays = _stay(names, sides, spec)
    if all(stay.all() for stay in stays):
        return counts, names, stays[1], report
    rest = counts[0][np.ix_(*stays)]
    removed = tuple(
        (side.title, tuple(name for name in called if name in without))
        for side, called, without in zip(sides, names, gone, strict=True)
        if without.intersection(called)
    )
    if not rest.any():
        columns = " and ".join(shown(title) for title, _ in removed)
        raise InvalidInputError(
            f"There is nothing to count: leaving out these symbols of {columns} leaves out all "
            "records."
        )
    for stay, some in zip(stays, (rest.any(axis=1), rest.any(axis=0)), strict=True):
        stay[stay] = some
    rest = counts[:, stays[0]][:, :, stays[1]]
    records = round(float(counts[0].sum() - rest[0].sum()))
    used = None if report.n_used is None else report.n_used - records
    left = [
        tuple(name for name, stay in zip(called, here, strict=True) if stay)
        for called, here in zip(names, stays, strict=True)
    ]
    report = replace(report, n_used=used, left_out=removed, left_out_records=records)
    return rest, left, stays[1], report


def _unknown(
    sides: tuple[Side, Side], symbols: tuple[Symbols, Symbols], spec: DataSpec
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the columns' title and the names to be merged or left out that no symbol has."""
    result = []
    for side, own in zip(sides, symbols, strict=True):
        wanted = spec.merged(side.columns), spec.without(side.columns)
        result.append((side.title, unknown_symbols(own.labels, *wanted)))
    return tuple((title, names) for title, names in result if names)


def _with_attributes(counted: Counted, attributes: tuple[Attribute, ...]) -> Counted:
    """Return the count with X as a product of these attributes."""
    shape = tuple(len(attribute.labels) for attribute in attributes)
    joint = replace(counted.joint, x_shape=shape)
    return replace(counted, joint=joint, attributes=attributes)


def _missing_report(
    table: OpenTable, cells: Any, spec: DataSpec, sides: tuple[Side, Side]
) -> CountReport:
    """Count the records, and those with a missing value in each column."""
    levels = {
        level: column
        for side in sides
        for level, column in zip(side.levels, side.columns, strict=True)
    }
    some = ibis.or_(*(cells[level].isnull() for level in levels))
    sums = {level: cells.n.sum(where=cells[level].isnull()) for level in levels}
    words = _may_be_marks(table, sides, spec.read)
    sums |= {f"{level}_marks": is_mark(cells[level]).sum() for level in words}
    counts = table.row(cells.aggregate(n=cells.n.sum(), some=cells.n.sum(where=some), **sums))
    used = int(counts["n"] or 0)
    total = table.total() if spec.filters else used
    if used == 0:
        why = "no record passes the filters" if total else "the data has no records"
        raise InvalidInputError(f"There is nothing to count: {why}.")
    missing = {column: int(counts[level] or 0) for level, column in levels.items()}
    read = {condition.column for condition in spec.filters if reads_marks(condition)}
    for column, rows in missing.items():
        if rows == used:
            raise InvalidInputError(
                f"Column {shown(column)} is empty: all its {rows:,} values are missing."
            )
    dropped = int(counts["some"] or 0) if spec.missing == "drop" else 0
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
        rows=table.file.rows if spec.read.weight else None,
        sampling=table.file.sampling,
        unweighted=table.file.unweighted,
        person=table.file.person,
        most=table.file.most,
        repeated=table.file.repeated,
        marks=tuple(
            marks for marks in table.file.marks if marks.column in missing or marks.column in read
        ),
        taken=tuple(marks for marks in table.file.taken if marks.column in missing),
        as_levels=tuple(
            _words(table, cells, level, column)
            for level, column in words.items()
            if counts[f"{level}_marks"]
        ),
    )


def _may_be_marks(table: OpenTable, sides: tuple[Side, Side], read: ReadOptions) -> dict[str, str]:
    """Return the levels, with their columns, with words to report if they often mean a blank."""
    return {
        level: column
        for side in sides
        for level, column, bins in zip(side.levels, side.columns, side.bins, strict=True)
        if table.file.reports_doubts and bins is None and read.marks_of(column) is None
    }


def _words(table: OpenTable, cells: Any, level: str, column: str) -> Marks:
    """Return the words of a column that often mean a missing value and are levels."""
    some = cells.filter(is_mark(cells[level]))
    words = table.rows(some.group_by(level).agg(n=some.n.sum()))
    return marks_of(column, {row[level]: int(row["n"]) for row in words})


def count_joint(source: JointSource, spec: DataSpec) -> Counted:
    """Return the joint of a source that is one; `spec` only says whether S is released.

    X is numeric where its names are numbers.
    """
    check_size("S", len(source.s_labels), "X", len(source.x_labels), spec.secret_released)
    whole = source.records
    report = CountReport(
        source.title, "S", "X", n_total=whole, n_used=whole, left_open=source.notes
    )
    named = [texts.number(name) for name in source.x_labels]
    values = None if None in named else np.array(named, dtype=np.float64)
    counted = _finish(source.weights, source.s_labels, source.x_labels, spec, report, values)
    if not source.x_shape or spec.secret_released:
        return counted
    attributes = tuple(
        Attribute(f"X{j + 1}", tuple(str(i + 1) for i in range(size)))
        for j, size in enumerate(source.x_shape)
    )
    return _with_attributes(counted, attributes)


def _finish(
    counts: FloatArray,
    s_labels: tuple[str, ...],
    x_labels: tuple[str, ...],
    spec: DataSpec,
    report: CountReport,
    x_values: FloatArray | None,
    first: str = "S",
) -> Counted:
    """Make the joint, with S released too if requested; raise if S or X has a single level."""
    plain = Joint.from_counts(counts, s_labels, x_labels)
    for name, title, labels in (
        (first, report.secret, plain.s_labels),
        ("X", report.released, plain.x_labels),
    ):
        if len(labels) == 1:
            what = {"S": "to hide", "T": "to predict"}.get(name, "to release")
            column = "" if title == name else f" ({shown(title)})"
            raise InvalidInputError(
                f"{name}{column} has only one level, {shown(labels[0])}: there is nothing {what}."
            )
    joint = plain
    if spec.secret_released:
        joint = Joint.with_secret_released(counts, s_labels, x_labels)
        x_values = None
    elif x_values is not None:
        x_values = x_values[plain.kept_x]
    return Counted(joint, replace(report, zero_cells=int((plain.p == 0).sum())), x_values)
