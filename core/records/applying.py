"""Apply a mechanism to the records of a file, batch by batch and in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

from core.data.readers.reading import Upload
from core.data.tables import FileTable, as_text, open_table
from core.errors import InvalidInputError
from core.records.coded import UNKNOWN, Coded, Coder, as_counted, coder_of
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
from core.wording import listed, number_of

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
    further : tuple of Applied
        The same of each further column that is randomized separately.
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
    further: tuple[Applied, ...] = ()


def columns_of(applied: Applied) -> str:
    """Return the columns of Y for a sentence."""
    names = [repr(own.column) for own in (applied, *applied.further)]
    return f"the column{'s' if len(names) > 1 else ''} {listed(names)}"


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Counts of one column: its outputs, (n_y,), and pairs of symbols, unknown ones last."""

    outputs: IntArray
    cells: IntArray

    def add(self, coded: Coded, outputs: IntArray) -> None:
        self.outputs[:] += np.bincount(outputs, minlength=len(self.outputs))
        width = self.cells.shape[1]  # unknown symbols are -1: the last row and column
        cells = np.ravel_multi_index(
            (coded.s[coded.included], coded.x[coded.included]), self.cells.shape, mode="wrap"
        )
        self.cells[:] += np.bincount(cells, minlength=self.cells.size).reshape(-1, width)


@dataclass(eq=False)
class _Tally:
    """Counts of records, in all and by the columns drawn; by a key, also a hash of each id."""

    drawn: tuple[_Drawn, ...]
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
        return _written([result], table, fresh, kind, plan, progress=progress, batch=batch)


def write(
    result: Result,
    original: Upload,
    path: Path,
    kind: str,
    plan: Plan,
    *,
    progress: Callable[[int], None] | None = None,
    batch: int = BATCH,
    further: Sequence[Result] = (),
) -> Applied:
    """Write as `apply` does, into an existing file, which an error may leave incomplete.

    The random numbers are for this original alone. The types of a workbook's columns follow from
    the released records. `further`: the answers for columns that are randomized separately.
    """
    workbook = original.sheets is not None
    plan = plan.on(original)
    return _written(
        *((result, *further), original.table, path, kind, plan),
        progress=progress,
        batch=batch,
        workbook=workbook,
        same=is_same(result.scenario.data.source, original),
    )


def _written(
    results: Sequence[Result],
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
        for result in results:
            _check_distinct("outputs", result.mechanism.y_labels)
    about = [drawn_for(result, plan, same=same) for result in results]
    names = [withheld(result, plan, same=same) for result in results]
    texts = [" ".join(filter(None, pair)) for pair in zip(about, names, strict=True)]
    with _opened(results, table, plan, texts) as (steps, tally):
        if kind != "Parquet":
            _check_distinct("columns", steps.layout.written)
        encoded = set(steps.used) - set(steps.layout.written)
        made = _all(steps, batches(table, batch, encoded), tally, progress)
        if workbook:
            made = typed_anew(made, {*steps.layout.outputs, *table.texts})
        _write_all(made, path, kind)
    if not tally.released and not steps.refused(tally):
        raise InvalidInputError(NONE_LEFT)
    if isinstance(plan.draw, Keyed) and (tally.nameless or tally.repeated()):
        _check_ids(table, plan.draw.column)
    if plan.unknown == REFUSE and tally.unknown:
        raise InvalidInputError(_refusal(tally.unknown, results))
    sees_s = steps.columns[0].coder.sees_s
    first, *further = (
        Applied(
            column,
            steps.layout.written,
            tally.records,
            tally.filtered,
            tuple(tally.unknown.most_common()),
            tally.released,
            drawn.outputs,
            drawn.cells[:-1, :-1] if sees_s else None,
            kind,
            hashed,
        )
        for column, drawn, hashed in zip(steps.layout.outputs, tally.drawn, about, strict=True)
    )
    persons = tally.persons(results[0].mechanism.kernel)
    return replace(first, persons=persons, further=tuple(further))


def preview(
    result: Result,
    table: FileTable,
    plan: Plan,
    records: int = 50,
    further: Sequence[Result] = (),
) -> tuple[Any, Any]:
    """Return the first records before and after, as Arrow tables; arguments as in `write`.

    Raises
    ------
    InvalidInputError
        If there is no record, a column is missing, or one of these records has an unknown value
        and the plan refuses it.
    """
    results = (result, *further)
    about = [drawn_for(result, plan, same=True) for result in results]
    with _opened(results, table, plan, about) as (steps, tally):
        before = next(batches(table, records), None)
        if before is None:
            raise InvalidInputError(EMPTY)
        after = steps(before, tally)
    if plan.unknown == REFUSE and tally.unknown:
        raise InvalidInputError(_refusal(tally.unknown, results))
    return pa.Table.from_batches([before]), pa.Table.from_batches([after])


@contextmanager
def _opened(
    results: Sequence[Result], table: FileTable, plan: Plan, about: Sequence[str]
) -> Iterator[tuple[_Steps, _Tally]]:
    """Yield what turns a table's batches into those of a release, and an empty tally.

    `about`: what random numbers of each column are drawn for, of `drawn_for` and `withheld`.
    """
    specs = [result.scenario.data for result in results]
    for spec in specs:
        check_others(spec, (*plan.keep, *plan.known), table.columns, table.title)
    columns, drawn = [], []
    with ExitStack() as stack:
        for result, text in zip(results, about, strict=True):
            kernel, joint = result.mechanism.kernel, result.joint
            made = coder_of(
                *(result.counted, result.scenario.data, len(kernel), table.columns, table.title)
            )
            records = stack.enter_context(closing(made))
            fallback = _fallback(plan.unknown, records)
            draw, names = plan.draw.of(text), result.mechanism.y_labels
            columns.append(_Column(records, Sampler(kernel), draw, fallback, names))
            shape = joint.n_s + 1, joint.n_x + 1
            outputs = np.zeros(kernel.shape[1], dtype=np.int64)
            drawn.append(_Drawn(outputs, np.zeros(shape, dtype=np.int64)))
        layout = Layout.of(specs, table.columns, plan.columns, plan.keep)
        person = table.person if table.most > 1 and columns[0].coder.sees_s else ""
        yield _Steps(tuple(columns), plan, layout, person), _Tally(tuple(drawn))


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
class _Column:
    """What turns the values of one X into outputs: their rows, and how these are drawn."""

    coder: Coder
    sampler: Sampler
    draw: Draw
    fallback: int
    names: tuple[str, ...]

    def rows(self, coded: Coded) -> IntArray:
        """Return the kernel's row of each record, with the plan's symbol for unknown values."""
        if self.fallback == UNKNOWN:
            return coded.rows
        instead: IntArray = np.full_like(coded.rows, self.fallback)
        if self.coder.reads_s:
            n_x = self.coder.joint.n_x
            instead = np.where(coded.s >= 0, coded.s * n_x + self.fallback, UNKNOWN)
        result: IntArray = np.where(coded.rows >= 0, coded.rows, instead)
        if (coded.included & (result < 0)).any():
            raise InvalidInputError(
                f"The mechanism reads S and was made without {next(iter(coded.unknown))!r}: no "
                "symbol of X can take its place, so leave such records out."
            )
        return result


@dataclass(frozen=True, eq=False)
class _Steps:
    """Turns batches of records into batches of the release."""

    columns: tuple[_Column, ...]
    plan: Plan
    layout: Layout
    person: str

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that are read to find rows and symbols."""
        return tuple(dict.fromkeys(name for own in self.columns for name in own.coder.used))

    def refused(self, tally: _Tally) -> bool:
        """Say whether the release is refused because of an unknown value."""
        return self.plan.unknown == REFUSE and bool(tally.unknown)

    def __call__(self, batch: Any, tally: _Tally) -> Any:
        size = batch.num_rows
        read = {name: batch.column(name) for name in self.used}
        every = [own.coder(read, size) for own in self.columns]
        rows = [own.rows(coded) for own, coded in zip(self.columns, every, strict=True)]
        known = np.all(
            [of.included & (at >= 0) for of, at in zip(every, rows, strict=True)], axis=0
        )
        first, coded = self.columns[0].coder, every[0]
        ids = self._ids(batch, tally)
        made = {}
        parts = zip(self.layout.outputs, self.columns, every, rows, tally.drawn, strict=True)
        for name, own, of, at, drawn in parts:
            uniforms = own.draw.uniforms(tally.records, size, _of_row(ids, at))
            outputs = own.sampler(at[known], uniforms[known])
            drawn.add(of, outputs)
            tally.unknown.update(of.unknown)
            made[name] = pa.array(own.names, pa.string()).take(pa.array(outputs))
        if self.person:
            counts = known & (coded.s >= 0)
            names = first.texts(as_counted(batch.column(self.person), self.person))
            tally.visits.append((names.filter(pa.array(counts)), coded.s[counts], rows[0][counts]))
        tally.records += size
        tally.filtered += int((~coded.included).sum())
        tally.released += int(known.sum())
        return _laid_out(self.layout, batch, known, made)

    def _ids(self, batch: Any, tally: _Tally) -> Any:
        """Count the ids of a keyed draw and return them as texts; None for a draw by a seed."""
        if not isinstance(self.plan.draw, Keyed):
            return None
        name, coder = self.plan.draw.column, self.columns[0].coder
        values = as_counted(batch.column(name), name)
        ids = coder.texts(values)
        tally.nameless |= ids.null_count > 0
        whole = pa.types.is_integer(values.type) and not values.null_count
        tally.ids.append(coder.hashes(values if whole else ids))
        return ids


def _laid_out(layout: Layout, batch: Any, known: BoolArray, outputs: Mapping[str, Any]) -> Any:
    """Return the columns to write, for the records that are released, with their outputs' names."""
    kept = batch if known.all() else unviewed(batch).filter(pa.array(known))
    columns, fields = [], []
    for name in layout.written:
        if name in outputs:
            columns.append(outputs[name])
            fields.append(pa.field(name, pa.string(), nullable=False))
        else:
            check_years(kept.column(name), name)
            columns.append(values_alone(kept.column(name)))
            # a type without missing values would be a statement about the whole original
            fields.append(pa.field(name, columns[-1].type))
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def write_again(
    original: Upload,
    path: Path,
    kind: str,
    layout: Layout,
    places: IntArray,
    outputs: Sequence[Any],
) -> None:
    """Write the file of a release whose outputs are known.

    `places`: where the released records are in the original, (n,), ascending; `outputs`: the names
    of their outputs, an Arrow array for each column of Y.
    """
    made = _chosen(original.table, layout, places, outputs)
    if original.sheets is not None:
        made = typed_anew(made, {*layout.outputs, *original.table.texts})
    _write_all(made, path, kind)


def _chosen(
    table: FileTable, layout: Layout, places: IntArray, outputs: Sequence[Any]
) -> Iterator[Any]:
    """Yield what a release has of each of its batches."""
    begin = done = 0
    for batch in batches(table):
        known = np.zeros(batch.num_rows, dtype=bool)
        end = int(np.searchsorted(places, begin + batch.num_rows))
        known[places[done:end] - begin] = True
        made = [own.slice(done, end - done) for own in outputs]
        yield _laid_out(layout, batch, known, dict(zip(layout.outputs, made, strict=True)))
        begin, done = begin + batch.num_rows, end


def _of_row(ids: Any, rows: IntArray) -> Any:
    """Return ids with the kernel's row in front: a record with another value is drawn anew.

    With a single number, the outputs of a record before and after a change would show both values.
    """
    if ids is None:
        return None
    names = pa.array(map(str, range(-1, rows.max(initial=-1) + 1)), pa.string())
    return pc.binary_join_element_wise(names.take(pa.array(rows + 1)), ids, " ")


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


def _refusal(unknown: Counter[str], results: Sequence[Result]) -> str:
    """Return the error's sentence: which values are unknown, and how many records have them."""
    named = [f"{name!r} ({number_of(n, 'record')})" for name, n in unknown.most_common(3)]
    if more := len(unknown) - len(named):
        named.append(f"{number_of(more, 'other value')}")
    total = sum(unknown.values())
    of = listed([repr(result.counted.report.released) for result in results])
    return (
        f"The mechanism was made without {', '.join(named)} of "
        f"{of}: {number_of(total, 'record')} cannot be released; "
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
