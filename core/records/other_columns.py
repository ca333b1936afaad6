"""What columns beside Y give away: a file's records, counted by S, X and these columns together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import product
from typing import Any

import ibis
import numpy as np
import pyarrow.compute as pc

from core.data.counts.report import Counted
from core.data.readers.sources import Sources
from core.data.spec import DataSpec
from core.data.tables import FileTable, OpenTable, filtered, open_table
from core.errors import InvalidInputError
from core.records.coded import UNKNOWN, Coder, coder_of, encoded
from core.records.design import REFUSE, check_others, stand_in
from core.records.draws import Sampler
from core.release.attack import Attack, attack
from core.release.beside import Beside, beside
from core.release.in_turn import MOST_TOGETHER
from core.scenario import Result
from core.spreadsheets import SIGNS, safe_text
from core.three_way import ThreeWay
from core.validation import BoolArray, FloatArray, IntArray

NONE = "No record is left whose S and X were counted."
"""The error where columns reveal nothing because no record is left."""

MOST_ATTACKED = 50_000
"""Most records of an attack: the standard error of its share is then 0.2% at most."""

Progress = Callable[[int], None]
"""Takes the number of groups of columns that are done."""


def given_away(
    result: Result,
    table: FileTable,
    groups: Sequence[Sequence[str]],
    *,
    unknown: str = REFUSE,
    of_text: bool = False,
    progress: Progress | None = None,
    further: Sequence[Result] = (),
) -> tuple[Beside, ...]:
    """Return what each group of columns gives away about S, alone and beside Y.

    Counted are the records that would be released and whose S was counted: those that pass the
    filters, without symbols that are left out. `groups`: the columns K of each, none of S or X.
    `unknown`: as in `Plan`. `of_text`: whether the released file is text, where a blank is a
    missing value. `progress` is called with the number of groups that are done. `further`: the
    answers for columns that are randomized separately; all their outputs are Y.

    Raises
    ------
    InvalidInputError
        If a column is S, X or not in the file, the file lacks S, no record is left, or the outputs
        of several columns have too many combinations.
    """
    kernels, levels = [own.mechanism.kernel for own in (result, *further)], []
    with _opened((result, *further), table, groups) as (opened, records, coders):
        for done, names in enumerate(groups, 1):
            rows = grouped(opened, records, used_by(coders), names, of_text=of_text)
            levels.append(beside(*_three_way(rows, coders, kernels, unknown)))
            if progress is not None:
                progress(done)
    return tuple(levels)


def given_away_there(
    result: Result, sources: Sources, groups: Sequence[Sequence[str]]
) -> tuple[Beside, ...]:
    """Return what `given_away` does of the data that a scenario is about, in `sources`.

    A database counts its records by S, X and each group, and only these counts leave it. Of a joint
    distribution, an `InvalidInputError` says that it has no columns.
    """
    data, levels = result.scenario.data, list[Beside]()
    for names in groups:
        table = sources.open(data.source, (*data.columns, *names), data.read)
        if not isinstance(table, FileTable):
            raise InvalidInputError(
                f"{table.title} is a joint distribution of S and X, with no columns to keep next "
                "to Y."
            )
        levels += given_away(result, table, [names])
    return tuple(levels)


def attacked(
    result: Result,
    table: FileTable,
    names: Sequence[str],
    *,
    unknown: str = REFUSE,
    of_text: bool = False,
    seed: int = 0,
    further: Sequence[Result] = (),
) -> Attack:
    """Guess S of up to 50,000 of a file's records from Y and other columns, each from the others.

    Arguments and errors as of `given_away`, and of `attack`. `seed`: for the choice of records,
    their Y and the folds.
    """
    results = (result, *further)
    with _opened(results, table, [names]) as (opened, records, coders):
        rows = grouped(opened, records, used_by(coders), names, of_text=of_text, apart=True)
        s, xs, counts = symbols(rows, coders, unknown)
    n, *values = rows.columns[len(used_by(coders)) :]
    n, others = n.to_numpy()[counts], [_places(group)[counts] for group in values]
    order = np.lexsort((*others, *reversed(xs), s))  # the engine returns groups in any order
    rng = np.random.default_rng(seed)
    ends = np.cumsum(n[order])
    total = int(ends[-1])
    taken = rng.choice(total, min(total, MOST_ATTACKED), replace=False, shuffle=False)
    group = order[np.searchsorted(ends, np.sort(taken), "right")]
    outputs = []
    for own, x in zip(results, xs, strict=True):
        kernel, n_x = own.mechanism.kernel, own.joint.n_x
        row = s[group] * n_x + x[group] if len(kernel) != n_x else x[group]
        outputs.append(Sampler(kernel)(row, rng.random(len(row))))
    return attack(s[group], [*outputs, *(k[group] for k in others)], seed=seed)


@contextmanager
def _opened(
    results: Sequence[Result], table: FileTable, groups: Sequence[Sequence[str]]
) -> Iterator[tuple[OpenTable, Any, list[Coder]]]:
    """Open a file's records as `opened_file` does, by the answers for each X."""
    for own, names in product(results, groups):
        check_others(own.scenario.data, names, table.columns, table.title)
    sides = [(own.counted, own.scenario.data, len(own.mechanism.kernel)) for own in results]
    with opened_file(sides, table) as opened:
        yield opened


@contextmanager
def opened_file(
    sides: Sequence[tuple[Counted, DataSpec, int]], table: FileTable
) -> Iterator[tuple[OpenTable, Any, list[Coder]]]:
    """Open a file's records that would be released, and what finds the symbols of each X.

    `sides`: for each X its count, its data, and the number of rows of its kernel.
    """
    with ExitStack() as stack:
        coders = []
        for counted, data, rows in sides:
            spec = replace(data, filters=())  # which the query has passed already
            made = coder_of(counted, spec, rows, table.columns, table.title)
            coders.append(stack.enter_context(closing(made)))
        if not coders[0].sees_s:
            raise InvalidInputError(
                f"{table.title} has no column of S, so what its other columns reveal about it is "
                "unknown."
            )
        opened = stack.enter_context(open_table(table))
        yield opened, filtered(opened, sides[0][1].filters), coders


def used_by(coders: Sequence[Coder]) -> tuple[str, ...]:
    """Return the columns that are read to find symbols, each once."""
    return tuple(dict.fromkeys(name for coder in coders for name in coder.used))


def grouped(
    table: OpenTable,
    records: Any,
    used: Sequence[str],
    names: Sequence[str],
    *,
    of_text: bool,
    apart: bool = False,
) -> Any:
    """Return the number of records of each combination of values, as an Arrow table.

    Its columns: those used, that number, and the number of the other columns' combination of
    values; `apart`: these columns instead.
    """
    levels = {f"u{place}": _whole(records[table.position(name)]) for place, name in enumerate(used)}
    others = {
        f"k{place}": _as_read(table, records[table.position(name)], of_text=of_text)
        for place, name in enumerate(names)
    }
    chosen = records.select(**levels, **others, **table.weight())
    counted = chosen.group_by([*levels, *others]).agg(n=table.number(chosen))
    if apart:
        return _called(table.arrow(counted.select(*levels, "n", *others)), used)
    order = [counted[name] for name in others]
    k = ibis.dense_rank().over(ibis.window(order_by=order)) if others else ibis.literal(0)
    return _called(table.arrow(counted.select(*levels, "n", k=k.cast("int64"))), used)


def _called(rows: Any, used: Sequence[str]) -> Any:
    """Return grouped records whose first columns have the names of those used."""
    return rows.rename_columns([*used, *rows.column_names[len(used) :]])


def _three_way(
    rows: Any, coders: Sequence[Coder], kernels: Sequence[FloatArray], unknown: str = REFUSE
) -> tuple[ThreeWay, FloatArray]:
    """Return grouped records as counts of S, all X together and k, with the kernel; see `grouped`.

    They are sorted: an engine returns groups in any order, which changes the last digits of sums.
    """
    s, xs, counts = symbols(rows, coders, unknown)
    n, k = (column.to_numpy()[counts] for column in rows.columns[len(used_by(coders)) :])
    known, k = np.unique(k, return_inverse=True)
    x, n_x, kernel = xs[0], coders[0].joint.n_x, kernels[0]
    if len(xs) > 1:
        x, kernel = _together(xs, kernels)
        n_x = len(kernel)
    order = np.lexsort((n, x, s, k))
    shape = coders[0].joint.n_s, n_x, len(known)
    weight = n[order].astype(np.float64)
    return ThreeWay(s[order], x[order], k[order], weight, shape), kernel


def _together(xs: Sequence[IntArray], kernels: Sequence[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Return the combination of several X of each group, (n,), and the kernel of all outputs."""
    outputs = math.prod(kernel.shape[1] for kernel in kernels)
    if outputs > MOST_TOGETHER:
        raise InvalidInputError(
            f"The outputs of these {len(kernels)} columns have {outputs:,} combinations; next to "
            f"other columns at most {MOST_TOGETHER:,} can be counted: keep no other columns, or "
            "randomize fewer."
        )
    kinds, x = np.unique(np.stack(xs), axis=1, return_inverse=True)
    whole = np.ones((kinds.shape[1], 1))
    for kernel, own in zip(kernels, kinds, strict=True):
        whole = (whole[:, :, None] * kernel[own][:, None, :]).reshape(len(whole), -1)
    return x.ravel(), whole


def symbols(
    rows: Any, coders: Sequence[Coder], unknown: str = REFUSE
) -> tuple[IntArray, list[IntArray], BoolArray]:
    """Return the symbols of S and of each X of the groups that count, and which do."""
    if not rows.num_rows:
        raise InvalidInputError(NONE)
    # by place, as the number of records and k may have the name of one
    columns = dict(zip(used_by(coders), map(_as_array, rows.columns), strict=False))
    counts, xs = np.ones(rows.num_rows, dtype=bool), []
    symbol = stand_in(unknown)
    for coder in coders:
        coded = coder(columns, rows.num_rows)
        x = coded.x
        if symbol is not None:
            x = np.where(x == UNKNOWN, coder.joint.x_labels.index(symbol), x)
        counts &= coded.included & (coded.s != UNKNOWN) & (x != UNKNOWN)
        xs.append(x)
    if not counts.any():
        raise InvalidInputError(NONE)
    return coded.s[counts], [x[counts] for x in xs], counts


def _places(column: Any) -> IntArray:
    """Return the place of each value of a column among its values in order, NULL last."""
    coded = encoded(_as_array(column))
    places = np.argsort(pc.array_sort_indices(coded.values).to_numpy())
    return places[coded.index]


def _as_array(column: Any) -> Any:
    """Return a column of an Arrow table as one array."""
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _whole(column: Any) -> Any:
    """Return a column that can be grouped and fetched: one with parts, or nanoseconds, as text."""
    kind = column.type()
    return column.cast("string") if kind.is_nested() or kind.is_unknown() else column


def _as_read(table: OpenTable, column: Any, *, of_text: bool) -> Any:
    """Return a column as the reader of a released file tells its values apart."""
    kind = column.type()
    if kind.is_floating():  # a release has one NaN, whatever its sign in the original
        return column.isnan().ifelse("nan", column.cast("string"))
    if of_text and (kind.is_string() or kind.is_binary()):
        return _safe(table, column.cast("string")).nullif("")
    return _whole(column)


def _safe(table: OpenTable, texts: Any) -> Any:
    """Return texts; those that become the same once protected from formulas are one."""
    protected = rf"'[{SIGNS}]"  # such a text may stand for another one
    if not table.rows(texts.name("text").as_table().filter(texts.re_search(protected)).limit(1)):
        return texts
    suspects = texts.name("text").as_table().filter(texts.re_search(f"[{SIGNS}]")).distinct()
    known = {row["text"]: safe_text(row["text"]) for row in table.rows(suspects)}
    return texts.substitute({text: safe for text, safe in known.items() if safe in known})
