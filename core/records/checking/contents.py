"""Checks of the files: the design's data and symbols, the columns and the cells of a release."""

from __future__ import annotations

import datetime
import decimal
import filecmp
import json
import math
import re
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.data import DataSpec, ReadOptions, Sources, count, folders
from core.data.counts.report import Counted
from core.data.databases.reference import is_reference
from core.data.readers.reading import Upload
from core.data.spec import WITHHELD
from core.errors import CoreError, InvalidInputError
from core.records.applying import write_again
from core.records.checking.check import Check, UncheckedError, WrongError, check_named, failing
from core.records.checking.drawn import Owner
from core.records.design import (
    CHOSEN,
    FORMATS,
    OWNERS,
    REFUSE,
    Layout,
    bundled_file,
    is_bundled,
    stand_in,
)
from core.records.fields import LINKED, OF_ALL, PLAIN_HASH, of_each, outputs_of, plain_coding
from core.records.files import (
    BATCH,
    Writer,
    alone,
    file_hash,
    is_parquet,
    retyped,
    typed_number,
    values_alone,
)
from core.records.left_out import marked_columns, named, release_text, without
from core.records.recount import Column, header_of, read_columns, short_time
from core.spreadsheets import safe_text
from core.texts import SPACES as SPACE
from core.validation import IntArray

UPLOAD = "upload:"
"""How a scenario's source begins that is a file, by its SHA-256."""


@dataclass(frozen=True)
class Design:
    """The data that the mechanism was made for, as far as given: a file, or a database's table."""

    path: Path | None
    table: str | None
    owner: Owner


def design_of(
    body: Mapping[str, Any],
    spec: DataSpec,
    original: Path,
    given: Path | str | None,
    owner: Owner,
) -> Design:
    """Return the data that the mechanism was made for; `given`: what the user names as such."""
    table = given if isinstance(given, str) else None
    path = None if isinstance(given, str) else given
    if body["design"]["same"]:
        path = original
    elif path is None and is_bundled(spec.source):
        path = bundled_file(spec.source)
    return Design(path, table, owner)


@check_named("codings")
def check_codings(body: Mapping[str, Any], spec: DataSpec, original: Path | None) -> str:
    """Compare how records become symbols with the scenario, and symbols with the alphabets."""
    design, inputs = body["design"], body["mechanism"]["inputs"]
    secret, released = design["coding"]
    if (tuple(secret["columns"]), tuple(released["columns"])) != (spec.secret, spec.released):
        raise WrongError("The codings belong to other columns than the scenario names.")
    cut = {binning.column for binning in spec.binnings} | {
        hierarchy.column
        for hierarchy in spec.hierarchies
        if hierarchy.kind == "interval" and hierarchy.level
    }
    grouped = {rule.column for rule in spec.rare_levels}
    for coding in (secret, released):
        groups = coding.get("groups") or [None] * len(coding["columns"])
        for name, group in zip(coding["columns"], groups, strict=True):
            if group is not None and name not in grouped:
                raise WrongError(
                    f"The rare levels of {name!r} are grouped, but not in the scenario."
                )
        for name, edges in zip(coding["columns"], coding["edges"], strict=True):
            if (edges is not None) != (name in cut):
                raise WrongError(f"The bins of {name!r} differ from the scenario's.")
    of_s, of_x = ([symbol["label"] for symbol in coding["symbols"]] for coding in design["coding"])
    if spec.secret_released:
        of_x = [f"{s} · {u}" for s in of_s for u in of_x]
    for what, names, known in (("S", design["s"], of_s), ("X", inputs, of_x)):
        if not names or len(set(names)) < len(names) or not set(names) <= set(known):
            raise WrongError(f"The symbols of {what} differ from those of its coding.")
    treatment = body["unknown"]["treatment"]
    symbol = stand_in(treatment)
    refuses = treatment == REFUSE and body["unknown"]["records"]
    if refuses or not (symbol is None or symbol in inputs):
        raise WrongError(f"{treatment!r} is not a treatment of unknown values.")
    same = _is_same(body, spec, original)
    if same is not None and same != design["same"]:
        text = "is" if same else "is not"
        raise WrongError(f"According to its scenario, the mechanism {text} made for this file.")
    return "The codings match the certificate's columns and symbols."


def _is_same(body: Mapping[str, Any], spec: DataSpec, original: Path | None) -> bool | None:
    """Say whether a scenario is about the file that was released; None where that is unknown."""
    if body["version"] <= PLAIN_HASH:
        known = body["original"]["sha256"]
    elif not is_bundled(spec.source):
        commitment = body["original"]["commitment"]
        return None if commitment is None else spec.source == UPLOAD + commitment
    elif original is None:
        return None
    else:
        known = file_hash(original)
    if is_bundled(spec.source):
        return file_hash(bundled_file(spec.source)) == str(known)
    return spec.source == UPLOAD + str(known)


def _is_other(body: Mapping[str, Any], spec: DataSpec, source: str, owner: Owner) -> bool:
    """Say whether a file is known not to be the one that a scenario is about."""
    if body["version"] <= PLAIN_HASH:
        return source != spec.source
    commitment = owner.committed(source.removeprefix(UPLOAD))
    comparable = spec.source != UPLOAD + WITHHELD and commitment is not None
    return comparable and spec.source != f"{UPLOAD}{commitment}"


def check_design(
    body: Mapping[str, Any], spec: DataSpec, design: Design
) -> tuple[Check, Counted | None]:
    """Count the data that the mechanism was made for, with the library's code."""
    try:
        counted = _as_designed(body, spec, design)
    except (WrongError, UncheckedError) as error:
        return failing("design", error), None
    return _check_title(body, spec, counted.report.title), counted


def _as_designed(body: Mapping[str, Any], spec: DataSpec, design: Design) -> Counted:
    """Return a new count of the design's data, which is the certificate's."""
    counted = _count(body, spec, design)
    codings = shown = [plain_coding(coding) for coding in counted.codings]
    if "left_out" in body["design"] and body["version"] > OF_ALL:
        shown = without(codings, spec, counted, version=body["version"])
    same = body["design"]["same"] and body["version"] > OF_ALL
    again = {
        "records": counted.joint.n,
        "s": list(counted.joint.s_labels),
        "coding": codings,
        "marked": marked_columns(counted, shown, spec, same=same),
    }
    again = json.loads(json.dumps(again))
    wrong = [name for name, value in again.items() if body["design"][name] != value]
    if list(counted.joint.x_labels) != body["mechanism"]["inputs"]:
        wrong.append("inputs")
    if wrong:
        name = f"{design.table} as it is now"
        if design.path is not None and not is_reference(spec.source):
            name = design.path.name
        raise WrongError(f"A new count of {name} differs from the certificate in {wrong[0]!r}.")
    return counted


@check_named("design")
def _check_title(body: Mapping[str, Any], spec: DataSpec, title: str) -> str:
    """Compare the title of the design's data with the certificate's."""
    stated = body["design"]["data"]
    if title == stated:
        return f"The mechanism was made for {title}, counted again."
    text = f"The certificate calls the data {stated!r}, but they are now called {title!r}"
    if is_bundled(spec.source) or is_reference(spec.source):
        raise WrongError(f"{text}.")
    raise UncheckedError(f"{text}: a hash does not show the name of a file.")


def disclosed(
    body: Mapping[str, Any], spec: DataSpec, design: Design
) -> tuple[Check, dict[str, Any] | None]:
    """Return a certificate with the names that it withholds, of symbols left out."""
    try:
        whole = _disclosed(body, spec, design)
    except (WrongError, UncheckedError) as error:
        return failing("left out", error), None
    secret = body["draw"]["kind"]
    text = f"The symbols left out match the certificate's commitment, opened by the {secret}."
    return Check("left out", True, text), whole


def _disclosed(body: Mapping[str, Any], spec: DataSpec, design: Design) -> dict[str, Any]:
    committed, version = design.owner.committed, body["version"]
    if committed("") is None:
        raise UncheckedError(f"Only the {body['draw']['kind']} shows which symbols were left out.")
    whole = _count(body, replace(spec, merges=()), design)
    labels, withheld = [coding.labels for coding in whole.codings], body["design"]["left_out"]
    release = release_text(
        body["original"]["commitment"], body["released"]["sha256"], version=version
    )
    complete = named(
        *(labels, spec, withheld, lambda text: str(committed(text)), release), version=version
    )
    other = WrongError("The symbols that the certificate withholds differ from those of the data.")
    if complete is None:
        raise other
    counted = _count(body, complete, design)
    codings = json.loads(json.dumps([plain_coding(coding) for coding in counted.codings]))
    if without(codings, complete, counted, version=version) != body["design"]["coding"]:
        raise other
    names = [asdict(group) for group in complete.left_out]
    data = json.loads(json.dumps(body["scenario"]["data"] | {"left_out": names}))
    return {
        **body,
        "scenario": {**body["scenario"], "data": data},
        "design": {**body["design"], "coding": codings},
    }


def _count(body: Mapping[str, Any], spec: DataSpec, design: Design) -> Counted:
    if is_reference(spec.source):
        return _count_table(spec, design.table)
    path = design.path
    if path is None:
        text = f"The mechanism was made for {body['design']['data']}, which you did not give."
        raise UncheckedError(text)
    sources = Sources()
    bundled = is_bundled(spec.source)
    source = spec.source if bundled else sources.add_file(path, spec.read.layout)
    if not bundled and _is_other(body, spec, source, design.owner):
        raise WrongError(f"{path.name} is not the file that the mechanism was made for.")
    if bundled and file_hash(path) != file_hash(bundled_file(source)):
        raise WrongError(f"{path.name} is not the bundled data set {source!r} of the scenario.")
    try:
        return count(replace(spec, source=source), sources)
    except CoreError as error:
        raise WrongError(f"The scenario's data cannot be counted: {error}") from error


def _count_table(spec: DataSpec, table: str | None) -> Counted:
    """Count the table of a data base that the mechanism was made for, if the user named it."""
    if table is None:
        what = f"{spec.source}, a table of a database"
        raise UncheckedError(f"The mechanism was made for {what}, which you did not give.")
    if table != spec.source:
        raise WrongError(f"{table} is not the table that the mechanism was made for.")
    try:
        return count(spec, Sources(databases=True))
    except CoreError as error:
        raise UncheckedError(f"The table could not be counted: {error}") from error


@check_named("columns")
def check_columns(
    body: Mapping[str, Any], specs: Sequence[DataSpec], released: Path, original: Path | None
) -> str:
    """Compare the released file's columns with the certificate's, and these with its treatment.

    `specs`: the data of each column of Y.
    """
    stated, made = body["released"]["columns"], outputs_of(body)
    treatment = body["released"]["treatment"]
    written = header_of(released, [*stated, *map(safe_text, stated)])
    if written not in (
        [name.strip() for name in stated],
        [safe_text(name).strip() for name in stated],
    ):
        raise WrongError(
            f"{released.name} has the columns {_named(written)}, not {_named(stated)}."
        )
    replaced = {name for spec in specs for name in spec.released}
    gone = {*replaced, *specs[0].secret}
    others = [name for name in stated if name not in made]
    # each Y is one of the columns, once
    wrong = len(others) != len(stated) - len(made) or len(set(made)) < len(made)
    wrong |= treatment == "dropped" and bool(others)
    wrong |= treatment == "replaced" and bool(gone.intersection(others))
    wrong |= treatment == CHOSEN and (not others or bool(gone.intersection(others)))
    wrong |= treatment == OWNERS and not replaced <= set(others)
    if not wrong and original is not None:
        wrong = all(
            not (all(spec.released for spec in specs) and replaced <= set(names))
            or Layout.of(specs, names, treatment, others) != Layout(tuple(made), tuple(stated))
            for names in _columns_of(original, gone, specs[0].read)
        )
    if wrong:
        raise WrongError(f"The columns {_named(stated)} do not fit original columns {treatment!r}.")
    return f"{released.name} has the columns that the certificate lists."


def _columns_of(original: Path, names: set[str], read: ReadOptions) -> list[tuple[str, ...]]:
    """Return the original's columns, as its header has them and as the library reads them."""
    sources = Sources()
    key = sources.add_file(original, read.layout)
    columns = sources.uploads[key].table.columns
    if read.cells:
        return [sources.upload(key, read.within(columns)).table.columns]
    own = tuple(name for name in columns if name != read.weight)
    try:
        header = tuple(header_of(original, sorted(names)))
    except CoreError:
        return [own]
    return [tuple(name for name in header if name != read.weight), own]


def _named(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


ARROW = b"ARROW:schema"
"""The one entry of a released Parquet file's metadata: the types of its columns."""

FOOTER = 8
"""Last bytes of a Parquet file: the length of its description, and a mark."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The released records: their places in the original and the indices of their outputs, (n,).

    `original` is as the library reads it, which is what is released. `outputs`: of each Y.
    """

    original: Upload
    places: IntArray
    outputs: Sequence[IntArray]


@check_named("nothing else")
def check_alone(body: Mapping[str, Any], released: Path, rows: Rows | None = None) -> str:
    """Say that a released file holds values and nothing else.

    With its rows, whose cells are as they should be, it is written again and compared byte by byte.
    """
    rows = rows if body["version"] > OF_ALL else None
    if rows is not None and _is_of_rows(body, released, rows):
        return f"{released.name} is, byte by byte, the file that its records and outputs make."
    text = _alone(body, released)
    if rows is None:
        return text
    if body["version"] <= LINKED:
        raise UncheckedError(
            f"{released.name} has other bytes than this version writes for its records, so they "
            "were not checked for further information."
        )
    raise WrongError(
        f"{released.name} has other bytes than a release of its records: a missing value, a "
        "number or a text is written differently, which may reveal more than the cells do."
    )


def _is_of_rows(body: Mapping[str, Any], released: Path, rows: Rows) -> bool:
    """Say whether a released file's bytes are those of its rows as they are in the original."""
    stated = body["released"]
    kind = next(kind for kind, form in FORMATS.items() if form == stated["format"])
    layout = Layout(tuple(outputs_of(body)), tuple(stated["columns"]))
    outputs = [
        pa.array(part["mechanism"]["outputs"], pa.string()).take(pa.array(own))
        for part, own in zip(of_each(body), rows.outputs, strict=True)
    ]
    with tempfile.TemporaryDirectory(prefix=folders.prefix()) as folder:
        again = Path(folder, "again")
        write_again(rows.original, again, kind, layout, rows.places, outputs)
        return filecmp.cmp(again, released, shallow=False)


def _alone(body: Mapping[str, Any], released: Path) -> str:
    """Check as `check_alone` does, from the released file itself."""
    if not is_parquet(released):
        return _text_alone(released, "\t" if "TSV" in body["released"].get("format", "") else ",")
    try:
        return _parquet_alone(released, body["version"])
    except WrongError as error:
        if body["version"] <= PLAIN_HASH:  # as the first releases did
            raise UncheckedError(str(error)) from error
        raise


def _parquet_alone(released: Path, version: int) -> str:
    """Check as `_alone` does a Parquet file, by a certificate's version."""
    exactly = version > OF_ALL
    with released.open("rb") as file:
        mark = file.read(4)
        size = file.seek(-FOOTER, 2) + FOOTER
        described = int.from_bytes(file.read(4), "little") + FOOTER
    with parquet.ParquetFile(released) as opened:
        metadata, schema = opened.metadata, opened.schema_arrow
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    noted = schema.metadata is not None or any(map(_has_metadata, schema))
    if set(metadata.metadata or {}) - {ARROW} or noted or not schema.equals(_schema_alone(schema)):
        what = "metadata, or lists of values, besides its cells"
    elif len(mark) + sum(chunk.total_compressed_size for chunk in chunks) + described != size:
        what = "bytes that belong to no column"
    elif any(group.num_rows != BATCH for group in groups[:-1]):
        what = "groups of other sizes than those of a release"
    elif not _BY_ARROW.fullmatch(metadata.created_by or ""):
        what = "the name of a program that does not write releases"
    elif exactly and metadata.created_by != _written_by():
        raise UncheckedError(
            f"{released.name} was written by another version of Arrow, so its bytes were not "
            "compared with its cells written again."
        )
    elif exactly and not _is_written_again(released, version):
        what = "other bytes than its cells written again, which may reveal more than the cells do"
    else:
        return f"{released.name} holds only values and their types."
    raise WrongError(f"{released.name} holds {what}.")


def _has_metadata(of: Any) -> bool:
    """Say whether a field of an Arrow schema, or one nested in it, has metadata."""
    nested = [of.type.field(place) for place in range(of.type.num_fields)]
    return of.metadata is not None or any(map(_has_metadata, nested))


def _schema_alone(schema: Any) -> Any:
    """Return the schema of a release's columns; a reader names parts of maps otherwise."""
    return pa.schema(
        [pa.field(column.name, alone(column.type), column.nullable) for column in schema]
    )


_BY_ARROW = re.compile(r"parquet-cpp-arrow version \d+\.\d+\.\d+")
"""What Arrow calls itself in a Parquet file."""


def _written_by() -> str:
    return f"parquet-cpp-arrow version {pa.cpp_version}"


def _is_written_again(released: Path, version: int) -> bool:
    """Say whether a Parquet file's bytes are those of its cells as a release writes them."""
    with tempfile.TemporaryDirectory(prefix=folders.prefix()) as folder:
        again = Path(folder, "again.parquet")
        with parquet.ParquetFile(released) as opened:
            schema = _schema_alone(opened.schema_arrow)
            writer = Writer(again, "Parquet", schema)
            try:
                for batch in opened.iter_batches(BATCH, use_threads=False):
                    columns = [column.cast(alone(column.type)) for column in batch.columns]
                    if version > LINKED:
                        columns = list(map(values_alone, columns))
                    writer.write(pa.RecordBatch.from_arrays(columns, schema=schema))
            finally:
                writer.close()
        return filecmp.cmp(again, released, shallow=False)


def _text_alone(released: Path, delimiter: str) -> str:
    """Say whether a text file's quotes and line ends are those of a release."""
    bare = f'[^"{delimiter}\\r\\n]*'
    field = re.compile(f'("(?:[^"]|"")*"|{bare})({delimiter}|\\n)')
    kinds: dict[int, bool] = {}
    width, row = 0, 0
    for row, fields in enumerate(_fields(released, field)):
        width = width or len(fields)
        kept = [(place, cell) for place, cell in enumerate(fields) if cell]
        quoted = {place: cell.startswith('"') for place, cell in kept}
        plain = all(cell == cell.strip() for place, cell in kept if not quoted[place])
        if row == 0:
            as_written = len(kept) == width and all(quoted.values())
        else:
            as_written = all(kinds.setdefault(*item) == item[1] for item in quoted.items())
        blank = width == 1 and not kept  # a line that readers pass over: Y is never missing
        if len(fields) != width or blank or not (plain and as_written):
            raise _not_as_written(released, row)
    if row == 0:
        raise _not_as_written(released, row)
    return f"{released.name} is written as releases are, and holds only values."


def _not_as_written(released: Path, row: int) -> WrongError:
    where = "the line of names" if row == 0 else f"record {row:,}"
    return WrongError(
        f"{released.name} is not written as releases are, from {where} on: its quotes, blanks and "
        "line ends may reveal more than its cells do."
    )


def _fields(released: Path, field: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield the fields of each record as they are written; an empty list where it has none."""
    held, fields = "", list[str]()
    with released.open(encoding="utf-8", newline="") as file:
        while True:
            more = file.read(1 << 20)
            held += more
            place = 0
            for match in field.finditer(held):
                if match.start() != place or (more and match.end() == len(held)):
                    break
                place = match.end()
                fields.append(match[1])
                if match[2] == "\n":
                    yield fields
                    fields = []
            held = held[place:]
            if not more:
                break
    if held or fields:
        yield []


@dataclass(frozen=True)
class Original:
    """The original as a file that was read: the names of its columns, where not in its header."""

    path: Path
    called: tuple[str, ...] | None = None
    workbook: bool = False


@check_named("cells")
def check_cells(
    body: Mapping[str, Any], released: Path, read_from: Original, places: IntArray
) -> str:
    """Compare the cells of all columns beside Y, record by record; `places` has shape (n,)."""
    original, called = read_from.path, read_from.called
    made = outputs_of(body)
    names = [name for name in body["released"]["columns"] if name not in made]
    if not names:
        return "No column was written next to Y."
    rest, exact = [], dict[str, Any]()
    for name in names:
        theirs, ours = _of_parquet(original, name, called), _of_parquet(released, name, None)
        if theirs is not None and body["version"] > LINKED:
            theirs = values_alone(theirs)
        if theirs is None or ours is None:
            rest.append(name)
            if theirs is not None and body["version"] > OF_ALL and not read_from.workbook:
                exact[name] = theirs.type
        elif len(ours) != len(places):
            raise _fewer(released, len(ours), places)
        elif theirs.type == ours.type:
            place = _first_unequal(_bits(_at(theirs, places, original)), _bits(ours))
            if place is not None:
                raise _another(name, released, original, place, places)
        elif called is None or _is_whole(theirs) or _is_whole(ours):
            kinds = f"{name!r} as {ours.type}, {original.name} as {theirs.type}"
            raise WrongError(f"{released.name} has {kinds}.")
        else:
            rest.append(name)
    for some in _groups(rest):
        read, size = read_columns(original, some, called)
        written, count = read_columns(released, [*some, *map(safe_text, some)])
        if count != len(places):
            raise _fewer(released, count, places)
        if size <= places.max(initial=-1):
            raise InvalidInputError(f"{original.name} changed while it was read.")
        for name in some:
            column = written.get(name) or written.get(safe_text(name))
            if name not in read or column is None:
                where = original.name if name not in read else released.name
                raise WrongError(f"{where} has no column {name!r} to compare.")
            same = _same_number if read_from.workbook else _same
            if name in exact:
                same = partial(_as_written, exact[name])
            place = _first_difference(read[name].short(), column.short(), places, same)
            if place is not None:
                raise _another(name, released, original, place, places)
    return f"Every cell next to Y matches its record in {original.name}."


def _fewer(released: Path, count: int, places: IntArray) -> WrongError:
    return WrongError(f"{released.name} has {count:,} records instead of {len(places):,}.")


def _another(name: str, released: Path, original: Path, place: int, places: IntArray) -> WrongError:
    return WrongError(
        f"Record {place + 1:,} of {released.name} differs in {name!r} from its record "
        f"{int(places[place]) + 1:,} of {original.name}."
    )


def _of_parquet(path: Path, name: str, called: Sequence[str] | None) -> Any:
    """Return the values of a column of a Parquet file; None if it is no such file."""
    if not is_parquet(path):
        return None
    with parquet.ParquetFile(path) as opened:
        own = opened.schema_arrow.names
        named = dict(zip(called or [title.strip() for title in own], own, strict=True))
        if name not in named:
            return None
        column = opened.read(columns=[named[name]]).column(0).combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of no record
        column = pa.array([], column.type)
    return column.cast(alone(column.type))


def _is_whole(column: Any) -> bool:
    """Say whether the cells of an Arrow array have parts, or bytes of one number."""
    kind = column.type
    return bool(pa.types.is_nested(kind) or pa.types.is_fixed_size_binary(kind))


def _at(column: Any, places: IntArray, original: Path) -> Any:
    if len(column) <= places.max(initial=-1):
        raise InvalidInputError(f"{original.name} changed while it was read.")
    return column.take(pa.array(places))


def _bits(column: Any) -> Any:
    """Return an Arrow array with whole numbers of the same bits in place of doubles and times."""
    return column.view(retyped(column.type, _whole_number))


def _whole_number(kind: Any) -> Any:
    """Return the type of whole numbers of a type of doubles or times; any other one as it is."""
    times = pa.types.is_temporal(kind) and not pa.types.is_interval(kind)
    if not times and not pa.types.is_floating(kind):
        return kind
    return {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[kind.bit_width]


def _first_unequal(theirs: Any, ours: Any) -> int | None:
    """Return the first record whose cells differ (null is null), or None."""
    if theirs.equals(ours):
        return None
    fits = range(1, len(ours) + 1)
    return bisect_left(fits, True, key=lambda n: not theirs[:n].equals(ours[:n]))


def _groups(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield as many names at a time as there are columns held at once."""
    for begin in range(0, len(names), 4):
        yield names[begin : begin + 4]


def _first_difference(
    theirs: Column, ours: Column, places: IntArray, same: Callable[[Any, Any], bool]
) -> int | None:
    """Return the first released record whose cell differs; None where all are equal."""
    pairs = theirs.index[places] * np.int64(len(ours.values)) + ours.index
    kinds, first = np.unique(pairs, return_index=True)
    different = [
        int(place)
        for kind, place in zip(kinds.tolist(), first.tolist(), strict=True)
        if not same(theirs.values[kind // len(ours.values)], ours.values[kind % len(ours.values)])
    ]
    return min(different, default=None)


def _same(original: Any, released: Any) -> bool:
    """Say whether two cells hold the same value, in files of whatever kind."""
    if isinstance(original, float) and math.isnan(original) and released == "nan":
        return True
    if isinstance(original, str) and isinstance(released, str):
        return released in (original, safe_text(original))
    if _missing(original) or _missing(released):
        return _missing(original) and _missing(released)
    if isinstance(released, str):
        return _text_is(released, original)
    if isinstance(original, str):
        return _text_is(original, released)
    return bool(original == released)


def _as_written(kind: Any, original: Any, released: Any) -> bool:
    """Say whether a cell of a text file is a value of an Arrow type as a release writes it."""
    if original is None:
        return bool(released == "")
    if isinstance(original, bytes):
        return bool(released == safe_text(original.decode()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_nested(kind):
        return _same(original, released)
    if isinstance(original, str):  # a time of day in nanoseconds
        return short_time(released) == original
    return bool(released == pa.scalar(original, kind).cast(pa.string()).as_py())


def _same_number(original: Any, released: Any) -> bool:
    """Say whether two cells hold the same value, even if a number is written differently."""
    if _same(original, released):
        return True
    texts = isinstance(original, str) and isinstance(released, str)
    return texts and typed_number(original) is not None and _text_is(released, float(original))


def _missing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip(SPACE)
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text_is(text: str, value: Any) -> bool:
    """Say whether a text stands for a value that is not text."""
    text = text.strip(SPACE)
    if isinstance(value, bool):
        return text.lower() == ("true" if value else "false")
    if isinstance(value, int | decimal.Decimal):
        number = _number(text)
        return number is not None and number == decimal.Decimal(value)
    if isinstance(value, float):
        try:
            return float(text) == value
        except ValueError:
            return False
    if isinstance(value, bytes):
        return text.encode() == value
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        written = str(pa.scalar(value).cast(pa.string()).as_py())  # as text files have it
        return short_time(text) in (short_time(str(value)), short_time(written))
    return text == str(value)


def _number(text: str) -> decimal.Decimal | None:
    """Return a text as an exact number; None where it is not a number."""
    try:
        number = decimal.Decimal(text.removeprefix("'"))
    except decimal.InvalidOperation:
        return None
    return number if number.is_finite() else None
