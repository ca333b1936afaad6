"""What columns beside Y give away: a file's records, counted by S, X and these columns together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import ibis
import numpy as np
import pyarrow.compute as pc

from core.data.tables import FileTable, OpenTable, filtered, open_table
from core.errors import InvalidInputError
from core.records.coded import UNKNOWN, Coder, encoded
from core.records.design import REFUSE, check_others, stand_in
from core.records.draws import Sampler
from core.release.attack import Attack, attack
from core.release.beside import Beside, beside
from core.scenario import Result
from core.spreadsheets import SIGNS, safe_text
from core.three_way import ThreeWay
from core.validation import BoolArray, IntArray

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
) -> tuple[Beside, ...]:
    """Return what each group of columns gives away about S, alone and beside Y.

    Counted are the records that would be released and whose S was counted: those that pass the
    filters, without symbols that are left out.

    Parameters
    ----------
    result : Result
        The answer to a scenario, whose mechanism makes Y.
    table : FileTable
        The records, with the columns of S.
    groups : sequence of sequence of str
        The columns K of each group; none of S or X.
    unknown : str
        As in `Plan`: the symbol of X that unknown values are taken for.
    of_text : bool
        Whether the released file is text, where a blank is a missing value.
    progress : callable, optional
        Called with the number of groups that are done.

    Raises
    ------
    InvalidInputError
        If a column is S, X or not in the file, the file lacks S, or no record is left.

    Examples
    --------
    >>> from core.data import Sources
    >>> from core.scenario import Scenario, evaluate
    >>> result = evaluate(Scenario(mechanism="watchdog"))
    >>> (levels,) = given_away(result, Sources().open("adult"), [["relationship"]])
    >>> round(np.exp(levels.known["lip"]))  # one Husband of 13,193 is female
    4364
    """
    kernel, levels = result.mechanism.kernel, []
    with _opened(result, table, groups) as (opened, records, coder):
        for done, names in enumerate(groups, 1):
            rows = grouped(opened, records, coder.used, names, of_text=of_text)
            levels.append(beside(three_way(rows, coder, unknown), kernel))
            if progress is not None:
                progress(done)
    return tuple(levels)


def attacked(
    result: Result,
    table: FileTable,
    names: Sequence[str],
    *,
    unknown: str = REFUSE,
    of_text: bool = False,
    seed: int = 0,
) -> Attack:
    """Guess S of up to 50,000 of a file's records from Y and other columns, each from the others.

    Parameters
    ----------
    result, table, unknown, of_text
        As for `given_away`.
    names : sequence of str
        The columns beside Y; none of S or X.
    seed : int
        Seed for the choice of records, their Y and the folds.

    Raises
    ------
    InvalidInputError
        As `given_away`, or if there are fewer records than folds.

    Examples
    --------
    >>> from core.data import Sources
    >>> from core.scenario import Scenario, evaluate
    >>> result = evaluate(Scenario(mechanism="watchdog"))
    >>> guess = attacked(result, Sources().open("adult"), ["relationship"])
    >>> round(guess.right, 2), round(guess.blind, 2), guess.records
    (0.78, 0.67, 32561)
    """
    joint, kernel = result.joint, result.mechanism.kernel
    with _opened(result, table, [names]) as (opened, records, coder):
        rows = grouped(opened, records, coder.used, names, of_text=of_text, apart=True)
        s, x, counts = _symbols(rows, coder, unknown)
    n, *values = rows.columns[len(coder.used) :]
    n, others = n.to_numpy()[counts], [_places(group)[counts] for group in values]
    order = np.lexsort((*others, x, s))  # the engine returns groups in any order
    rng = np.random.default_rng(seed)
    ends = np.cumsum(n[order])
    total = int(ends[-1])
    taken = rng.choice(total, min(total, MOST_ATTACKED), replace=False, shuffle=False)
    group = order[np.searchsorted(ends, np.sort(taken), "right")]
    row = s[group] * joint.n_x + x[group] if len(kernel) != joint.n_x else x[group]
    y = Sampler(kernel)(row, rng.random(len(row)))
    return attack(s[group], [y, *(k[group] for k in others)], seed=seed)


@contextmanager
def _opened(
    result: Result, table: FileTable, groups: Sequence[Sequence[str]]
) -> Iterator[tuple[OpenTable, Any, Coder]]:
    """Open a file's records that would be released, and what finds their symbols."""
    data = result.scenario.data
    spec = replace(data, filters=())  # which the query has passed already
    for names in groups:
        check_others(data, names, table.columns, table.title)
    made = Coder(result.counted, spec, len(result.mechanism.kernel), table.columns, table.title)
    with closing(made) as coder, open_table(table) as opened:
        if not coder.sees_s:
            raise InvalidInputError(
                f"{table.title} has no column of S, so what its other columns reveal about it is "
                "unknown."
            )
        yield opened, filtered(opened, data.filters), coder


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


def three_way(rows: Any, coder: Coder, unknown: str = REFUSE) -> ThreeWay:
    """Return grouped records as counts of the joint's symbols and of k; see `grouped`.

    They are sorted: an engine returns groups in any order, which changes the last digits of sums.
    """
    s, x, counts = _symbols(rows, coder, unknown)
    n, k = (column.to_numpy()[counts] for column in rows.columns[len(coder.used) :])
    known, k = np.unique(k, return_inverse=True)
    order = np.lexsort((n, x, s, k))
    shape = coder.joint.n_s, coder.joint.n_x, len(known)
    return ThreeWay(s[order], x[order], k[order], n[order].astype(np.float64), shape)


def _symbols(rows: Any, coder: Coder, unknown: str) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the symbols of S and of X of the groups that count, and which do."""
    if not rows.num_rows:
        raise InvalidInputError(NONE)
    columns = {name: _as_array(rows.column(name)) for name in coder.used}
    coded = coder(columns, rows.num_rows)
    x = coded.x
    symbol = stand_in(unknown)
    if symbol is not None:
        x = np.where(x == UNKNOWN, coder.joint.x_labels.index(symbol), x)
    counts = coded.included & (coded.s != UNKNOWN) & (x != UNKNOWN)
    if not counts.any():
        raise InvalidInputError(NONE)
    return coded.s[counts], x[counts], counts


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
