"""What columns beside Y give away: a file's records, counted by S, X and these columns together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import ibis
import numpy as np

from core.data.tables import FileTable, OpenTable, filtered, open_table
from core.errors import InvalidInputError
from core.records.coded import UNKNOWN, Coder
from core.records.design import REFUSE, check_others, stand_in
from core.release.beside import Beside, beside
from core.scenario import Result
from core.three_way import ThreeWay

NONE = "No record is left whose S and X were counted."
"""What is wrong where columns give nothing away because there is no record."""

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
        Whether the file that is released is one of text, where a blank is a missing value.
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
    >>> (found,) = given_away(result, Sources().open("adult"), [["relationship"]])
    >>> round(np.exp(found.known["lip"]))  # one Husband of 13,193 is female
    4364
    """
    data, kernel = result.scenario.data, result.mechanism.kernel
    spec = replace(data, filters=())  # which the query has passed already
    for names in groups:
        check_others(data, names, table.columns, table.title)
    found = []
    made = Coder(result.counted, spec, len(kernel), table.columns, table.title)
    with closing(made) as coder, open_table(table) as opened:
        if not coder.sees_s:
            raise InvalidInputError(
                f"{table.title} has no column of S, so what its other columns reveal about it is "
                "unknown."
            )
        records = filtered(opened, data.filters)
        for done, names in enumerate(groups, 1):
            rows = grouped(opened, records, coder.used, names, of_text=of_text)
            found.append(beside(three_way(rows, coder, unknown), kernel))
            if progress is not None:
                progress(done)
    return tuple(found)


def grouped(
    table: OpenTable, records: Any, used: Sequence[str], names: Sequence[str], *, of_text: bool
) -> Any:
    """Return the number of records of each combination of values, as an Arrow table."""
    levels = {f"u{place}": _whole(records[table.position(one)]) for place, one in enumerate(used)}
    others = {
        f"k{place}": _as_read(records[table.position(one)], of_text=of_text)
        for place, one in enumerate(names)
    }
    chosen = records.select(**levels, **others, **table.weight())
    counted = chosen.group_by([*levels, *others]).agg(n=table.number(chosen))
    order = [counted[one] for one in others]
    k = ibis.dense_rank().over(ibis.window(order_by=order)) if others else ibis.literal(0)
    found = table.backend.to_pyarrow(counted.select(*levels, "n", k=k.cast("int64")))
    return found.rename_columns([*used, "n", "k"])


def three_way(rows: Any, coder: Coder, unknown: str = REFUSE) -> ThreeWay:
    """Return grouped records as counts of the joint's symbols and of k; see `grouped`."""
    if not rows.num_rows:
        raise InvalidInputError(NONE)
    joint = coder.joint
    columns = {name: _one_array(rows.column(name)) for name in coder.used}
    coded = coder(columns, rows.num_rows)
    x = coded.x
    symbol = stand_in(unknown)
    if symbol is not None:
        x = np.where(x == UNKNOWN, joint.x_labels.index(symbol), x)
    counts = coded.asked & (coded.s != UNKNOWN) & (x != UNKNOWN)
    if not counts.any():
        raise InvalidInputError(NONE)
    n, k = (rows.column(name).to_numpy()[counts] for name in ("n", "k"))
    known, k = np.unique(k, return_inverse=True)
    shape = joint.n_s, joint.n_x, len(known)
    return ThreeWay(coded.s[counts], x[counts], k, n.astype(np.float64), shape)


def _one_array(column: Any) -> Any:
    """Return a column of an Arrow table as one array."""
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _whole(column: Any) -> Any:
    """Return a column that can be grouped and fetched: one with parts, or nanoseconds, as text."""
    kind = column.type()
    return column.cast("string") if kind.is_nested() or kind.is_unknown() else column


def _as_read(column: Any, *, of_text: bool) -> Any:
    """Return a column as the reader of a released file tells its values apart."""
    kind = column.type()
    if kind.is_floating():  # a release has one NaN, whatever its sign in the original
        return column.isnan().ifelse("nan", column.cast("string"))
    if of_text and (kind.is_string() or kind.is_binary()):
        return column.cast("string").nullif("")
    return _whole(column)
