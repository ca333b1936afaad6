"""Results of a sweep: in memory, and on disk in parts as they come, then as one Parquet file.

Each part is written to the folder OUT.parts under another name and then renamed, so a stop at
any moment leaves whole parts only. Folder and file name their sweep and version of the code.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

from core.clock import Deadline, Stopwatch
from core.codec import plain_json
from core.domain import Domain
from core.errors import InvalidInputError
from core.limits import MAX_UPLOAD_MB
from core.mechanisms.result import CUT
from core.records.certificate import code_hash
from core.records.files import replacing
from core.scenario import DOMAINS, Scenario
from core.sweep.definition import MAX_POINTS, Sweep
from core.sweep.points import schema
from core.validation import BoolArray, IntArray, shown

KEY = b"liftscope.sweep"
"""Metadata of a table of results: the sweep as JSON."""

UNFINISHED = b"liftscope.sweep.unfinished"
"""The same of a table that lacks points, so that no run takes it for a finished one."""

CODE = b"liftscope.code"
"""Metadata of a table of results: the hash of the code that made it."""

ALWAYS = ("notion", "mechanism", "eps")
"""Fields that have a column whether they vary or not."""


class Gathered:
    """The points of one sweep that are computed, which `core.sweep.run` adds to; safe for threads.

    They are of the file with the hash `origin`, if of one, and of data that was counted to `counts`
    (see `running.counts_hash`). `earlier` of them were there when the work under way began: it took
    no time for them. `since`: the seconds since the last ones came.
    """

    def __init__(self, sweep: Sweep, origin: str = "", counts: str = "") -> None:
        self.sweep, self.origin, self.counts = sweep, origin, counts
        self.done: BoolArray = np.zeros(sweep.size, dtype=np.bool_)
        self.earlier = 0
        self.since = Stopwatch()
        self._parts: list[Any] = []
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Number of points that are computed."""
        return int(self.done.sum())

    @property
    def complete(self) -> bool:
        """Whether all points are."""
        return bool(self.done.all())

    def add(self, table: Any) -> None:
        """Keep computed points; existing ones stay as they are."""
        with self._lock:
            fresh = table.filter(pa.array(~self.done[table["point"].to_numpy()]))
            self._parts.append(fresh)
            self.done[fresh["point"].to_numpy()] = True
            self.since = Stopwatch()

    def about(self, sources: Mapping[str, str]) -> Gathered:
        """Return the same points, of other sources in place of those that are named."""
        result = Gathered(self.sweep.about(sources), self.origin, self.counts)
        result.add(self.table().select(schema(self.sweep.measures).names))
        return result

    @classmethod
    def of(cls, sweep: Sweep, table: Any, origin: str = "", counts: str = "") -> Gathered | None:
        """Return the points of a table; None where it is not as `described` would write it."""
        result = cls(sweep, origin, counts)
        if table.schema.remove_metadata() != result.table().schema.remove_metadata():
            return None
        points = table.select(schema(sweep.measures).names)
        if any(column.null_count for column in points.columns):
            return None
        places = points["point"].to_numpy()
        if (places < 0).any() or (places >= sweep.size).any() or (np.diff(places) <= 0).any():
            return None
        expected = question_columns(sweep, places)
        if not all(
            table[name].equals(pa.chunked_array([column])) for name, column in expected.items()
        ):
            return None
        result.add(points)
        return result

    def flush(self) -> None:
        """Do nothing: there is nowhere to write to."""

    def finish(self) -> None:
        """Do nothing: `table` makes the table."""

    def table(self) -> Any:
        """Return the points that are computed, in their order, as `Results.table` does."""
        with self._lock:
            parts = list(self._parts)
        return described(self.sweep, parts)


def is_final(table: Any) -> bool:
    """Return whether no search of a sweep was cut short, and every point has its answer."""
    open_ = CUT in table["status"].to_pylist()
    return not open_ and not any(table["reason"].to_pylist())


def described(sweep: Sweep, parts: list[Any]) -> Any:
    """Return points in their order, with their questions and what they are results of."""
    points = pa.concat_tables([schema(sweep.measures).empty_table(), *parts]).sort_by("point")
    questions = question_columns(sweep, points["point"].to_numpy())
    columns = {"point": points["point"], **questions}
    columns |= {name: points[name] for name in points.column_names if name != "point"}
    metadata = {KEY: sweep.to_json().encode(), CODE: code_hash().encode()}
    return pa.table(columns).replace_schema_metadata(metadata)


def names(sweep: Sweep) -> tuple[str, ...]:
    """Return the fields of the questions that have a column, those that always do first."""
    return (*ALWAYS, *(name for name in sweep.varied if name not in ALWAYS))


def question_columns(sweep: Sweep, points: IntArray) -> dict[str, Any]:
    """Return the columns that describe points (k,): their question, draw, source and fields."""
    which = points // sweep.n_draws
    columns: dict[str, Any] = {"question": pa.array(which, pa.int64())}
    if sweep.draws is not None:
        draws = points % sweep.n_draws
        drawn = {d: sweep.draws.spec(d).source for d in np.unique(draws).tolist()}
        columns["draw"] = pa.array(draws, pa.int64())
        sources = [drawn[d] for d in draws.tolist()]
    else:
        sources = [sweep.questions[q].data.source for q in which.tolist()]
    columns["source"] = pa.array(sources, pa.string())
    for name in names(sweep):
        values = field_values(sweep.questions, name)
        kind = pa.float64() if name in DOMAINS else pa.string()
        columns[name] = pa.array(values, kind).take(pa.array(which, pa.int64()))
    return columns


def field_values(questions: Sequence[Scenario], name: str) -> list[Any]:
    """Return a field of each question as a plain value; None for a number without effect."""
    domain: Domain | None = DOMAINS.get(name)
    result: list[Any] = []
    for question in questions:
        value = getattr(question, name)
        if domain is not None:
            unused = value is None or name in question.without_effect()
            result.append(None if unused else float(value))
        elif isinstance(value, str):
            result.append(value)
        else:
            whole = question.to_dict()[name]
            result.append(json.dumps(plain_json(whole), ensure_ascii=False, sort_keys=True))
    return result


fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has none
    fcntl = None

COUNTS = b"liftscope.counts"
"""Metadata of a results file: the hash of what the data was counted to."""

MOST_BYTES = MAX_UPLOAD_MB * 10**6
"""Most bytes that a file somebody brings may unpack to: twice as many as the points that a page
computes at most take."""

COMPRESSIONS = {"SNAPPY", "UNCOMPRESSED"}
"""How columns of results are written: neither makes pages of gigabytes of a small file."""

ENCODINGS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}
"""Likewise: other encodings may declare that a text begins like the one before."""

INTERVAL = 1.0
"""Seconds after which finished points are written at the latest, once more have come."""


class Results(Gathered):
    """The results of one sweep in a file; use it in a `with` block.

    The file, the folder of its parts and `sweep` have names in place of the hashes of files that a
    user gave, by which guesses of the whole of them could be tested.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    out : Path
        The file, which is there once all points are.
    resume : bool
        Whether to go on with what an earlier run has left.
    counts : str
        What the data was counted to, as `running.counts_hash` returns it: a file or a database,
        which the results know by name alone, may hold other records when they are gone on with.
    called : mapping, optional
        Names of the user's files by source, as `Sweep.undisclosed` takes them.

    Raises
    ------
    InvalidInputError
        If the file or the folder of parts is of another sweep, of other counts or of another
        version of the code, an earlier run has left parts and `resume` is off, another run writes
        there now, or it cannot be written.
    """

    def __init__(
        self,
        sweep: Sweep,
        out: Path,
        *,
        resume: bool = False,
        counts: str = "",
        called: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sweep.undisclosed(called), counts=counts)
        self.out = out
        self.folder = out.with_name(f"{out.name}.parts")
        self._written = 0
        self._next = Deadline.after(INTERVAL)
        self._held: Any = None
        if out.is_dir():
            raise InvalidInputError(f"{str(out)!r} cannot be written: it is a folder.")
        self._finished = out.exists() and _is_of(out, self.sweep, counts)
        if self._finished:
            self.done[:] = True
            self._remove_parts()  # a kill may have left them
            return
        try:
            self._open(resume=resume)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if not self.count:
            self._remove_parts()

    @property
    def complete(self) -> bool:
        """Whether the file is there."""
        return self._finished

    def add(self, table: Any) -> None:
        """Keep computed points, and write all that are not yet written if it is time to."""
        super().add(table)
        waiting = sum(part.num_rows for part in self._parts)
        if waiting * 16 > self._written or self._next.over:
            self.flush()

    def flush(self) -> None:
        """Write points that are not yet written; where that fails, what was written stays."""
        table = pa.concat_tables([schema(self.sweep.measures).empty_table(), *self._parts])
        if table.num_rows:
            with replacing([self.folder / f"part-{secrets.token_hex(8)}.parquet"]) as (path,):
                parquet.write_table(table, path)
        self._parts.clear()
        self._written += table.num_rows
        self._next = Deadline.after(INTERVAL)

    def table(self) -> Any:
        """Return the computed points as an Arrow table, in their order, with their questions.

        The columns are those of `question_columns`, `points.KEPT` and the measures.
        """
        if self._finished:
            return read(self.out)[0]
        parts = [_read_part(path) for path in sorted(self.folder.glob("part-*.parquet"))]
        table = described(self.sweep, [*parts, *self._parts])
        metadata = table.schema.metadata | {COUNTS: self.counts.encode()}
        return table.replace_schema_metadata(metadata)

    def finish(self) -> None:
        """Write the file, and remove the parts, which stay where it cannot be written."""
        if self._finished:
            return
        self.flush()
        table = self.table()
        with replacing([self.out]) as (path,):
            parquet.write_table(table, path)
        self._finished = True
        self._close()
        self._remove_parts()

    def _close(self) -> None:
        if self._held is not None:
            self._held.close()

    def _remove_parts(self) -> None:
        """Remove the folder of parts, but nothing in it that is not of a sweep."""
        for pattern in ("part-*.parquet", "sweep.json", "lock"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _open(self, *, resume: bool) -> None:
        """Make the folder of parts, or read what is in it."""
        content = {
            "sweep": json.loads(self.sweep.to_json()),
            "counts": self.counts,
            "code": code_hash(),
        }
        manifest = self.folder / "sweep.json"
        with _explained(self.folder):
            self.folder.mkdir(exist_ok=True)
            self._take_lock()
            if not manifest.exists():
                with replacing([manifest]) as (path,):
                    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), "utf-8")
                return
            stored = _manifest(manifest)
        _check_same(self.folder, stored, self.sweep, self.counts)
        for path in sorted(self.folder.glob("part-*.parquet")):
            self.done[_read_part(path)["point"].to_numpy()] = True
        self._written = self.count
        if self._written and not resume:
            raise InvalidInputError(
                f"{str(self.folder)!r} has {self._written:,} of {self.sweep.size:,} points of this "
                "sweep: continue with --resume, or delete it."
            )

    def _take_lock(self) -> None:
        self._held = (self.folder / "lock").open("w")
        if fcntl is None:
            return
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InvalidInputError(
                f"{str(self.folder)!r} is being written by another run of this sweep."
            ) from error


def read(path: Path) -> tuple[Any, Sweep]:
    """Return a results file's table and its sweep.

    Raises
    ------
    InvalidInputError
        If it cannot be read or holds no results of a sweep.
    """
    try:
        table = parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{str(path)!r} is not a results file of a sweep.") from error
    text = (table.schema.metadata or {}).get(KEY)
    if text is None:
        raise InvalidInputError(f"{str(path)!r} is not a results file of a sweep.")
    return table, Sweep.from_json(text.decode())


def opened(content: bytes, name: str, most: int = MAX_POINTS) -> Gathered:
    """Return the points of a results file, finished or not, after a look at all."""
    what = shown(name)
    damaged = InvalidInputError(
        f"{what} is damaged: it is not a results file as a sweep writes it."
    )
    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        metadata = file.schema_arrow.metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{what} is not a results file of a sweep.") from error
    text = metadata.get(KEY, metadata.get(UNFINISHED))
    if text is None:
        raise InvalidInputError(f"{what} is not a results file of a sweep.")
    if metadata.get(CODE, b"").decode("latin-1") != code_hash():
        raise InvalidInputError(
            f"{what} was made by another version of liftscope: compute the sweep again."
        )
    try:
        sweep = Sweep.from_json(text.decode())
    except (InvalidInputError, UnicodeDecodeError) as error:
        raise damaged from error
    if sweep.size > most:
        raise InvalidInputError(
            f"{what} is of a sweep of {sweep.size:,} points, and at most {most:,} are opened here."
        )
    groups = (file.metadata.row_group(group) for group in range(file.metadata.num_row_groups))
    if max(file.metadata.num_rows, sum(group.num_rows for group in groups)) > sweep.size:
        raise damaged
    expected = Gathered(sweep).table().schema.remove_metadata()
    try:  # texts may be repeated until no memory is left: nothing is read but what belongs there
        if file.schema_arrow.remove_metadata() != expected or not _is_as_written(file.metadata):
            raise damaged
        if (packed := _packed_bytes(file.metadata)) > MOST_BYTES:
            raise _too_large(what, packed)
        texts = [field.name for field in expected if field.type == pa.string()]
        table = parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts).read()
        if (whole := _written_out(table)) > MOST_BYTES:
            raise _too_large(what, whole)
        origin, counts = hashlib.sha256(content).hexdigest(), metadata.get(COUNTS, b"")
        result = Gathered.of(sweep, table.cast(expected), origin, counts.decode("latin-1"))
    except (pa.ArrowException, OSError) as error:
        raise damaged from error
    if result is None or (KEY in metadata and not result.complete):
        raise damaged
    return result


def _is_as_written(metadata: Any) -> bool:
    """Return whether a Parquet file says that it is compressed and encoded as results are."""
    return all(
        column.compression in COMPRESSIONS and set(column.encodings) <= ENCODINGS
        for column in _columns(metadata)
    )


def _packed_bytes(metadata: Any) -> int:
    """Return how many bytes a Parquet file's columns have, with each text of a dictionary once."""
    return sum(int(column.total_uncompressed_size) for column in _columns(metadata))


def _columns(metadata: Any) -> list[Any]:
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    return [group.column(place) for group in groups for place in range(group.num_columns)]


def _written_out(table: Any) -> int:
    """Return how many bytes a table has once each text of a dictionary is repeated."""
    total = 0
    for column in table.columns:
        if not pa.types.is_dictionary(column.type):
            total += column.nbytes
            continue
        for chunk in column.chunks:
            lengths = compute.binary_length(chunk.dictionary).cast(pa.int64())
            total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return total


def _too_large(what: str, n_bytes: int) -> InvalidInputError:
    """Return the error of a file that unpacks to so many bytes."""
    size, most = n_bytes / 1e6, MOST_BYTES / 1e6
    return InvalidInputError(
        f"{what} unpacks to {size:,.0f} MB; at most {most:,.0f} MB are allowed."
    )


def _is_of(path: Path, sweep: Sweep, counts: str) -> bool:
    """Check that a file has the results of a sweep, and return True."""
    try:
        metadata = parquet.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        metadata = {}
    if KEY not in metadata:
        raise InvalidInputError(
            f"{str(path)!r} is not a results file of a sweep: write to another file."
        )
    content = {
        "sweep": json.loads(metadata[KEY]),
        "counts": metadata.get(COUNTS, b"").decode(),
        "code": metadata.get(CODE, b"").decode(),
    }
    _check_same(path, content, sweep, counts)
    return True


def _check_same(path: Path, content: dict[str, Any], sweep: Sweep, counts: str) -> None:
    """Raise unless what a file or folder says is this sweep, of these counts, and this code."""
    if content["sweep"] != json.loads(sweep.to_json()):
        raise InvalidInputError(
            f"{str(path)!r} has the results of another sweep: write to another file."
        )
    if content["code"] != code_hash():
        raise InvalidInputError(
            f"{str(path)!r} was made by another version of liftscope: delete it, or write to "
            "another file."
        )
    if content.get("counts", "") != counts:
        raise InvalidInputError(
            f"{str(path)!r} has the results of other records: the data has changed since. Delete "
            "it, or write to another file."
        )


def _manifest(path: Path) -> dict[str, Any]:
    """Return what a folder of parts says of itself."""
    with contextlib.suppress(ValueError):
        content = json.loads(path.read_text("utf-8"))
        if isinstance(content, dict) and {"sweep", "code"} <= set(content):
            return content
    raise InvalidInputError(f"{str(path)!r} is damaged: delete the folder, or write elsewhere.")


def _read_part(path: Path) -> Any:
    try:
        return parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{str(path)!r} is damaged: delete it, and resume.") from error


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).rstrip(".")
        raise InvalidInputError(
            f"{str(folder)!r} cannot be written: {why[:1].lower()}{why[1:]}."
        ) from error
