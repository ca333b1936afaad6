"""Apply a mechanism to the records of a file, batch by batch and in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

from core.data.readers.reading import Upload
from core.data.tables import FileTable, as_text, open_table
from core.errors import InvalidInputError
from core.records.coded import UNKNOWN, Coded, Coder, as_counted
from core.records.design import LEAVE_OUT, REFUSE, Layout, Plan, check_others, is_same, stand_in
from core.records.draws import Draw, Keyed, Sampler, Words
from core.records.files import (
    BATCH,
    Writer,
    batches,
    check_years,
    checked_kind,
    replacing,
    typed_anew,
    unviewed,
    values_alone,
)
from core.records.formed import drawn_for, withheld
from core.release.persons import OfPersons, of_persons
from core.scenario import Result
from core.spreadsheets import safe_text
from core.validation import BoolArray, FloatArray, IntArray, shown
from core.wording import number_of

EMPTY = "The file has no records to release."
"""The error for a file without records."""

NONE_LEFT = "No record is left to release: all are left out by the question or as unknown values."
"""The error where all records are left out."""


@dataclass(frozen=True, eq=False)
class Applied:
    """Counts of a release.

    Attributes
    ----------
    column : str
        The column of Y.
    written : tuple of str
        All columns that were written.
    records : int
        Number of records of the file.
    filtered : int
        How many of them do not pass the scenario's filters; they are left out.
    unknown : tuple of (str, int)
        Values that the mechanism does not know, with the number of their records, which are left
        out or taken for the symbol that the plan names.
    released : int
        Number of records that were written.
    outputs : ndarray
        How often each output was drawn, shape (n_y,).
    cells : ndarray or None
        Number of records of each pair of known symbols, shape (n_s, n_x); None where the file has
        no column of S.
    kind : str
        "Parquet", "CSV" or "TSV", what was written.
    drawn_for : str
        The hash of the mechanism, and of how X is formed, that random numbers were drawn for.
    persons : dict of int to OfPersons, or None
        What all outputs of a person reveal, by the number of the person's records; None where no
        column names persons, none has several records, or S is not known or differs.
    """

    column: str
    written: tuple[str, ...]
    records: int
    filtered: int
    unknown: tuple[tuple[str, int], ...]
    released: int
    outputs: IntArray
    cells: IntArray | None
    kind: str
    drawn_for: str
    persons: dict[int, OfPersons] | None = None


@dataclass(eq=False)
class _Tally:
    """Counts of records, unknown symbols last; by a key, also a hash of each id."""

    outputs: IntArray
    cells: IntArray
    records: int = 0
    filtered: int = 0
    released: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    ids: list[Words] = field(default_factory=list)
    nameless: bool = False
    visits: list[tuple[Any, IntArray, IntArray]] = field(default_factory=list)

    def persons(self, kernel: FloatArray) -> dict[int, OfPersons] | None:
        """Return what all outputs of a person reveal, by names, secrets and rows of records."""
        if not sum(len(names) for names, _, _ in self.visits):
            return None
        names, secrets, rows = zip(*self.visits, strict=True)
        coded = pa.chunked_array(names).dictionary_encode().unify_dictionaries()
        person = np.concatenate([part.indices.to_numpy() for part in coded.chunks])
        return of_persons(person, np.concatenate(secrets), np.concatenate(rows), kernel)

    def repeated(self) -> bool:
        """Return whether two ids have equal hashes, as equal ids have."""
        hashes = np.empty(sum(map(len, self.ids)), dtype=np.uint64)
        place = 0
        while self.ids:  # each part is released as soon as it is copied
            part = self.ids.pop()
            hashes[place : place + len(part)] = part
            place += len(part)
        hashes.sort()
        return bool((hashes[1:] == hashes[:-1]).any())


def apply(
    result: Result,
    table: FileTable,
    target: Path,
    plan: Plan,
    *,
    progress: Callable[[int], None] | None = None,
    batch: int = BATCH,
) -> Applied:
    """Write a file's records with Y in place of X.

    Parameters
    ----------
    result : Result
        The answer to a scenario, whose mechanism is applied.
    table : FileTable
        The records, as `Sources` opens them. A certified release draws otherwise: see `write`.
    target : Path
        The file to write: .parquet, .csv or .tsv.
    plan : Plan
        The draw, and the treatment of columns and of unknown values.
    progress : callable, optional
        Called with the number of records that are done.
    batch : int
        Records that are held at once; what is written does not depend on it.

    Raises
    ------
    InvalidInputError
        If there is no record, a column is missing, a value is unknown and the plan refuses it, an
        id is missing or not unique, or the file cannot be written. Then no file is written.

    Examples
    --------
    >>> import tempfile
    >>> from core.data import Sources
    >>> from core.records.draws import Seeded
    >>> from core.scenario import Scenario, evaluate
    >>> result = evaluate(Scenario(mechanism="watchdog"))
    >>> target = Path(tempfile.mkdtemp(), "released.parquet")
    >>> apply(result, Sources().open("adult"), target, Plan(Seeded(7))).released
    32561
    """
    kind = checked_kind(target)
    with replacing([target]) as (fresh,):
        return _written(result, table, fresh, kind, plan, progress=progress, batch=batch)


def write(
    result: Result,
    original: Upload,
    path: Path,
    kind: str,
    plan: Plan,
    *,
    progress: Callable[[int], None] | None = None,
    batch: int = BATCH,
) -> Applied:
    """Write as `apply` does, into an existing file, which an error may leave incomplete.

    The random numbers are for this original alone. The types of a workbook's columns follow from
    the released records.
    """
    workbook = original.sheets is not None
    plan = plan.on(original)
    return _written(
        *(result, original.table, path, kind, plan),
        progress=progress,
        batch=batch,
        workbook=workbook,
        same=is_same(result.scenario.data.source, original),
    )


def _written(
    result: Result,
    table: FileTable,
    path: Path,
    kind: str,
    plan: Plan,
    *,
    progress: Callable[[int], None] | None = None,
    batch: int = BATCH,
    workbook: bool = False,
    same: bool = True,
) -> Applied:
    if kind != "Parquet":
        _check_distinct("outputs", result.mechanism.y_labels)
    about = drawn_for(result, plan, same=same)
    names = withheld(result, plan, same=same)
    with _opened(result, table, plan, f"{about} {names}".strip()) as (steps, tally):
        if kind != "Parquet":
            _check_distinct("columns", steps.layout.written)
        encoded = set(steps.coder.used) - set(steps.layout.written)
        made = _all(steps, batches(table, batch, encoded), tally, progress)
        if workbook:
            made = typed_anew(made, {steps.layout.column, *table.texts})
        _write_all(made, path, kind)
    if not tally.released and not steps.refused(tally):
        raise InvalidInputError(NONE_LEFT)
    if isinstance(plan.draw, Keyed) and (tally.nameless or tally.repeated()):
        _check_ids(table, plan.draw.column)
    if plan.unknown == REFUSE and tally.unknown:
        raise InvalidInputError(_refusal(tally.unknown, result))
    return Applied(
        steps.layout.column,
        steps.layout.written,
        tally.records,
        tally.filtered,
        tuple(tally.unknown.most_common()),
        tally.released,
        tally.outputs,
        tally.cells[:-1, :-1] if steps.coder.sees_s else None,
        kind,
        about,
        tally.persons(result.mechanism.kernel),
    )


def preview(result: Result, table: FileTable, plan: Plan, records: int = 50) -> tuple[Any, Any]:
    """Return the first records before and after, as Arrow tables; arguments as in `apply`.

    Raises
    ------
    InvalidInputError
        If there is no record, a column is missing, or one of these records has an unknown value
        and the plan refuses it.
    """
    about = drawn_for(result, plan, same=True)
    with _opened(result, table, plan, about) as (steps, tally):
        before = next(batches(table, records), None)
        if before is None:
            raise InvalidInputError(EMPTY)
        after = steps(before, tally)
    if plan.unknown == REFUSE and tally.unknown:
        raise InvalidInputError(_refusal(tally.unknown, result))
    return pa.Table.from_batches([before]), pa.Table.from_batches([after])


@contextmanager
def _opened(
    result: Result, table: FileTable, plan: Plan, about: str
) -> Iterator[tuple[_Steps, _Tally]]:
    """Yield what turns a table's batches into those of a release, and an empty tally.

    `about`: what random numbers are drawn for, of `drawn_for` and `withheld`.
    """
    kernel, joint, spec = result.mechanism.kernel, result.joint, result.scenario.data
    check_others(spec, (*plan.keep, *plan.known), table.columns, table.title)
    made = Coder(result.counted, spec, len(kernel), table.columns, table.title)
    with closing(made) as records:
        yield (
            _Steps(
                records,
                Sampler(kernel),
                plan,
                plan.draw.of(about),
                _fallback(plan.unknown, records),
                result.mechanism.y_labels,
                Layout.of(spec, table.columns, plan.columns, plan.keep),
                table.person if table.most > 1 and records.sees_s else "",
            ),
            _Tally(
                np.zeros(kernel.shape[1], dtype=np.int64),
                np.zeros((joint.n_s + 1, joint.n_x + 1), dtype=np.int64),
            ),
        )


def _all(
    steps: _Steps, read: Iterator[Any], tally: _Tally, progress: Callable[[int], None] | None
) -> Iterator[Any]:
    """Yield all batches of a release; the first one even if the release is refused."""
    for place, batch in enumerate(read):
        made = steps(batch, tally)
        if place == 0 or not steps.refused(tally):
            yield made
        if place and progress is not None:
            progress(tally.records)


def _write_all(made: Iterator[Any], path: Path, kind: str) -> None:
    first = next(made, None)
    if first is None:
        raise InvalidInputError(EMPTY)
    writer = Writer(path, kind, first.schema)
    try:
        writer.write(first)
        for batch in made:
            writer.write(batch)
            pa.default_memory_pool().release_unused()  # which Arrow would keep for later batches
    finally:
        writer.close()


@dataclass(frozen=True, eq=False)
class _Steps:
    """Turns batches of records into batches of the release."""

    coder: Coder
    sampler: Sampler
    plan: Plan
    draw: Draw
    fallback: int
    names: tuple[str, ...]
    layout: Layout
    person: str

    def refused(self, tally: _Tally) -> bool:
        """Say whether the release is refused because of an unknown value."""
        return self.plan.unknown == REFUSE and bool(tally.unknown)

    def __call__(self, batch: Any, tally: _Tally) -> Any:
        size = batch.num_rows
        coded = self.coder({name: batch.column(name) for name in self.coder.used}, size)
        rows = self._rows(coded)
        known = coded.included & (rows >= 0)
        if self.fallback != UNKNOWN and (coded.included & ~known).any():
            raise InvalidInputError(
                f"The mechanism reads S and was made without {next(iter(coded.unknown))!r}: no "
                "symbol of X can take its place, so leave such records out."
            )
        ids = None
        if isinstance(self.plan.draw, Keyed):
            values = as_counted(batch.column(self.plan.draw.column), self.plan.draw.column)
            ids = self.coder.texts(values)
            tally.nameless |= ids.null_count > 0
            whole = pa.types.is_integer(values.type) and not values.null_count
            tally.ids.append(self.coder.hashes(values if whole else ids))
        uniforms = self.draw.uniforms(tally.records, size, _of_row(ids, rows))
        outputs = self.sampler(rows[known], uniforms[known])
        _add(tally, coded, known, outputs)
        if self.person:
            counts = known & (coded.s >= 0)
            names = self.coder.texts(as_counted(batch.column(self.person), self.person))
            tally.visits.append((names.filter(pa.array(counts)), coded.s[counts], rows[counts]))
        names = pa.array(self.names, pa.string()).take(pa.array(outputs))
        return _laid_out(self.layout, batch, known, names)

    def _rows(self, coded: Coded) -> IntArray:
        """Return the kernel's row of each record, with the plan's symbol for unknown values."""
        if self.fallback == UNKNOWN:
            return coded.rows
        instead: IntArray = np.full_like(coded.rows, self.fallback)
        if self.coder.reads_s:
            n_x = self.coder.joint.n_x
            instead = np.where(coded.s >= 0, coded.s * n_x + self.fallback, UNKNOWN)
        result: IntArray = np.where(coded.rows >= 0, coded.rows, instead)
        return result


def _laid_out(layout: Layout, batch: Any, known: BoolArray, outputs: Any) -> Any:
    """Return the columns to write, for the records that are released, with their outputs' names."""
    kept = batch if known.all() else unviewed(batch).filter(pa.array(known))
    columns, fields = [], []
    for name in layout.written:
        if name == layout.column:
            columns.append(outputs)
            fields.append(pa.field(name, pa.string(), nullable=False))
        else:
            check_years(kept.column(name), name)
            columns.append(values_alone(kept.column(name)))
            # a type without missing values would be a statement about the whole original
            fields.append(pa.field(name, columns[-1].type))
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def write_again(
    original: Upload, path: Path, kind: str, layout: Layout, places: IntArray, outputs: Any
) -> None:
    """Write the file of a release whose outputs are known.

    `places`: where the released records are in the original, (n,), ascending; `outputs`: the names
    of their outputs, an Arrow array.
    """
    made = _chosen(original.table, layout, places, outputs)
    if original.sheets is not None:
        made = typed_anew(made, {layout.column, *original.table.texts})
    _write_all(made, path, kind)


def _chosen(table: FileTable, layout: Layout, places: IntArray, outputs: Any) -> Iterator[Any]:
    """Yield what a release has of each of its batches."""
    begin = done = 0
    for batch in batches(table):
        known = np.zeros(batch.num_rows, dtype=bool)
        end = int(np.searchsorted(places, begin + batch.num_rows))
        known[places[done:end] - begin] = True
        yield _laid_out(layout, batch, known, outputs.slice(done, end - done))
        begin, done = begin + batch.num_rows, end


def _of_row(ids: Any, rows: IntArray) -> Any:
    """Return ids with the kernel's row in front: a record with another value is drawn anew.

    With a single number, the outputs of a record before and after a change would show both values.
    """
    if ids is None:
        return None
    names = pa.array(map(str, range(-1, rows.max(initial=-1) + 1)), pa.string())
    return pc.binary_join_element_wise(names.take(pa.array(rows + 1)), ids, " ")


def _add(tally: _Tally, coded: Coded, known: BoolArray, outputs: IntArray) -> None:
    tally.records += len(known)
    tally.filtered += int((~coded.included).sum())
    tally.released += len(outputs)
    tally.outputs += np.bincount(outputs, minlength=len(tally.outputs))
    tally.unknown.update(coded.unknown)
    width = tally.cells.shape[1]  # unknown symbols are -1: the last row and column
    cells = np.ravel_multi_index(
        (coded.s[coded.included], coded.x[coded.included]), tally.cells.shape, mode="wrap"
    )
    tally.cells += np.bincount(cells, minlength=tally.cells.size).reshape(-1, width)


def _fallback(unknown: str, records: Coder) -> int:
    """Return the symbol of X that unknown values are taken for, or `UNKNOWN`."""
    symbol, labels = stand_in(unknown), records.joint.x_labels
    if symbol is None:
        return UNKNOWN
    if symbol not in labels:
        raise InvalidInputError(
            f"What to do with unknown values must be {REFUSE!r}, {LEAVE_OUT!r} or a symbol of X "
            f"such as {labels[0]!r}, got {shown(unknown)}."
        )
    return labels.index(symbol)


def _refusal(unknown: Counter[str], result: Result) -> str:
    """Return the error's sentence: which values are unknown, and how many records have them."""
    named = [f"{name!r} ({number_of(n, 'record')})" for name, n in unknown.most_common(3)]
    if more := len(unknown) - len(named):
        named.append(f"{number_of(more, 'other value')}")
    total = sum(unknown.values())
    return (
        f"The mechanism was made without {', '.join(named)} of "
        f"{result.counted.report.released!r}: {number_of(total, 'record')} cannot be released; "
        "choose what to do with them first (leave them out, or treat them as a symbol)."
    )


def _check_distinct(what: str, names: tuple[str, ...]) -> None:
    """Raise if two names become the same once they are protected from formulas."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(safe_text(name), name)
        if other != name:
            raise InvalidInputError(
                f"The {what} {other!r} and {name!r} become the same once they are protected "
                "from spreadsheets' formulas: write Parquet, which needs no such protection."
            )


def _check_ids(table: FileTable, column: str) -> None:
    """Raise if ids are missing or shared: costly, so checked only where hashes coincide."""
    with open_table(table) as opened:
        texts = opened.records.select(id=as_text(opened.column(column)))
        counts = opened.row(
            texts.aggregate(n=texts.count(), some=texts.id.count(), different=texts.id.nunique())
        )
        missing = int(counts["n"] - counts["some"])
        if missing:
            raise InvalidInputError(
                f"{table.title} has {number_of(missing, 'record')} without {column!r}: a draw "
                "by a key needs an id for each."
            )
        twice = int(counts["some"] - counts["different"])
        if twice:
            counted = texts.group_by("id").agg(n=texts.count())
            example = opened.row(counted.order_by([counted.n.desc(), counted.id]).limit(1))
            raise InvalidInputError(
                f"{column!r} has {example['id']!r} for {example['n']:,} records: a draw by a key "
                "needs a distinct id for each."
            )
