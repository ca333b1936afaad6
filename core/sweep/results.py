"""Results of a sweep on disk: parts as they come, and one sorted Parquet file at the end.

While a sweep runs, its points are in the folder OUT.parts, each part written under another name
and then renamed, so that a stop at any moment leaves whole parts only. The folder and the file
say which sweep they are of, and which version of the code made them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.clock import Deadline
from core.errors import InvalidInputError
from core.records.certificate import code_hash
from core.records.files import replacing
from core.sweep.definition import MAX_POINTS, Sweep
from core.sweep.gathered import (
    CODE,
    KEY,
    UNFINISHED,
    Gathered,
    described,
    is_as_written,
    packed_bytes,
    written_out,
)
from core.sweep.points import schema
from core.validation import BoolArray, shown

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has none
    fcntl = None

COUNTS = b"liftscope.counts"
"""Metadata of a results file: the hash of what the data was counted to."""

MOST_BYTES = 200_000_000
"""Most bytes that a file somebody brings may unpack to: twice as many as the points that a page
computes at most take."""

INTERVAL = 1.0
"""Seconds after which finished points are written at the latest, once more have come."""

SHARE = 16
"""Finished points are written as soon as they are this part of those already written."""


class Results:
    """The results of one sweep in a file; use it in a `with` block.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    out : Path
        The file, which is there once all points are.
    resume : bool
        Whether to go on with what an earlier run has left.
    counts : str
        What the data was counted to, as `running.counts_hash` returns it: a data base, which the
        sweep knows by its address alone, may hold other records when it is resumed.

    Raises
    ------
    InvalidInputError
        If the file or the folder of parts is of another sweep, of other counts or of another
        version of the code, an earlier run has left parts and `resume` is off, another run writes
        there now, or it cannot be written.
    """

    def __init__(self, sweep: Sweep, out: Path, *, resume: bool = False, counts: str = "") -> None:
        self.sweep, self.out, self.counts = sweep, out, counts
        self.folder = out.with_name(f"{out.name}.parts")
        self.done: BoolArray = np.zeros(sweep.size, dtype=np.bool_)
        self._fresh: list[Any] = []
        self._written = 0
        self._next = Deadline.after(INTERVAL)
        self._lock: Any = None
        if out.is_dir():
            raise InvalidInputError(f"{str(out)!r} cannot be written: it is a folder.")
        self.complete = out.exists() and _is_of(out, sweep, counts)
        if self.complete:
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
    def count(self) -> int:
        """Number of points that are computed."""
        return int(self.done.sum())

    def add(self, table: Any) -> None:
        """Keep computed points, and write all that are not yet written if it is time to."""
        fresh = table.filter(pa.array(~self.done[table["point"].to_numpy()]))
        self.done[fresh["point"].to_numpy()] = True
        self._fresh.append(fresh)
        waiting = sum(part.num_rows for part in self._fresh)
        if waiting * SHARE > self._written or self._next.over:
            self.flush()

    def flush(self) -> None:
        """Write the points that are not yet written.

        Raises
        ------
        InvalidInputError
            If they cannot be written; what was written before stays.
        """
        table = pa.concat_tables([schema(self.sweep.measures).empty_table(), *self._fresh])
        if table.num_rows:
            with replacing([self.folder / f"part-{secrets.token_hex(8)}.parquet"]) as (path,):
                parquet.write_table(table, path)
        self._fresh.clear()
        self._written += table.num_rows
        self._next = Deadline.after(INTERVAL)

    def table(self) -> Any:
        """Return the points that are computed, in their order, with their questions.

        Returns
        -------
        pyarrow.Table
            The columns are those of `question_columns`, `points.KEPT` and the measures.
        """
        if self.complete:
            return read(self.out)[0]
        parts = [_read_part(path) for path in sorted(self.folder.glob("part-*.parquet"))]
        table = described(self.sweep, [*parts, *self._fresh])
        said = table.schema.metadata | {COUNTS: self.counts.encode()}
        return table.replace_schema_metadata(said)

    def finish(self) -> None:
        """Write the file, and remove the parts.

        Raises
        ------
        InvalidInputError
            If it cannot be written; then the parts stay.
        """
        if self.complete:
            return
        self.flush()
        table = self.table()
        with replacing([self.out]) as (path,):
            parquet.write_table(table, path)
        self.complete = True
        self._close()
        self._remove_parts()

    def _close(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _remove_parts(self) -> None:
        """Remove the folder of parts, but nothing in it that is not of a sweep."""
        for pattern in ("part-*.parquet", "sweep.json", "lock"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _open(self, *, resume: bool) -> None:
        """Make the folder of parts, or read what is in it."""
        said = {
            "sweep": json.loads(self.sweep.to_json()),
            "counts": self.counts,
            "code": code_hash(),
        }
        manifest = self.folder / "sweep.json"
        with _told(self.folder):
            self.folder.mkdir(exist_ok=True)
            self._take_lock()
            if not manifest.exists():
                with replacing([manifest]) as (path,):
                    path.write_text(json.dumps(said, indent=1, ensure_ascii=False), "utf-8")
                return
            found = _manifest(manifest)
        _check_same(self.folder, found, self.sweep, self.counts)
        for path in sorted(self.folder.glob("part-*.parquet")):
            self.done[_read_part(path)["point"].to_numpy()] = True
        self._written = self.count
        if self._written and not resume:
            raise InvalidInputError(
                f"{str(self.folder)!r} has {self._written:,} of {self.sweep.size:,} points of this "
                "sweep: go on with --resume, or delete it."
            )

    def _take_lock(self) -> None:
        self._lock = (self.folder / "lock").open("w")
        if fcntl is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
        raise InvalidInputError(f"{str(path)!r} is no results file of a sweep.") from error
    said = (table.schema.metadata or {}).get(KEY)
    if said is None:
        raise InvalidInputError(f"{str(path)!r} is no results file of a sweep.")
    return table, Sweep.from_json(said.decode())


@dataclass(frozen=True, eq=False)
class Opened:
    """The points of a results file, all of a sweep or some.

    Attributes
    ----------
    gathered : Gathered
        The points.
    counts : str
        What the data was counted to, as `running.counts_hash` returns it.
    """

    gathered: Gathered
    counts: str


def opened(content: bytes, name: str, most: int = MAX_POINTS) -> Opened:
    """Return the points of a file that somebody brings, finished or not, after a look at all.

    Parameters
    ----------
    content : bytes
        The Parquet file.
    name : str
        What it is called in sentences.
    most : int
        Most points.

    Raises
    ------
    InvalidInputError
        If it cannot be read, holds no results of a sweep, has been changed, was made by another
        version of the code, has too many points, or unpacks to more than `MOST_BYTES`.
    """
    what = shown(name)
    damaged = InvalidInputError(f"{what} is damaged: it is no results file as a sweep writes it.")
    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        said = file.schema_arrow.metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{what} is no results file of a sweep.") from error
    text = said.get(KEY, said.get(UNFINISHED))
    if text is None:
        raise InvalidInputError(f"{what} is no results file of a sweep.")
    if said.get(CODE, b"").decode("latin-1") != code_hash():
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
        if file.schema_arrow.remove_metadata() != expected or not is_as_written(file.metadata):
            raise damaged
        if (packed := packed_bytes(file.metadata)) > MOST_BYTES:
            raise _too_large(what, packed)
        texts = [field.name for field in expected if field.type == pa.string()]
        table = parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts).read()
        if (whole := written_out(table)) > MOST_BYTES:
            raise _too_large(what, whole)
        found = Gathered.of(sweep, table.cast(expected), hashlib.sha256(content).hexdigest())
    except (pa.ArrowException, OSError) as error:
        raise damaged from error
    if found is None or (KEY in said and not found.complete):
        raise damaged
    return Opened(found, said.get(COUNTS, b"").decode("latin-1"))


def _too_large(what: str, n_bytes: int) -> InvalidInputError:
    """Return the error of a file that unpacks to so many bytes."""
    found, most = n_bytes / 1e6, MOST_BYTES / 1e6
    return InvalidInputError(
        f"{what} unpacks to {found:,.0f} MB, at most {most:,.0f} MB are allowed."
    )


def _is_of(path: Path, sweep: Sweep, counts: str) -> bool:
    """Check that a file has the results of a sweep, and return True."""
    try:
        found = parquet.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        found = {}
    if KEY not in found:
        raise InvalidInputError(
            f"{str(path)!r} is no results file of a sweep: write to another file."
        )
    said = {
        "sweep": json.loads(found[KEY]),
        "counts": found.get(COUNTS, b"").decode(),
        "code": found.get(CODE, b"").decode(),
    }
    _check_same(path, said, sweep, counts)
    return True


def _check_same(path: Path, found: dict[str, Any], sweep: Sweep, counts: str) -> None:
    """Raise unless what a file or folder says is this sweep, of these counts, and this code."""
    if found["sweep"] != json.loads(sweep.to_json()):
        raise InvalidInputError(
            f"{str(path)!r} has the results of another sweep: write to another file."
        )
    if found["code"] != code_hash():
        raise InvalidInputError(
            f"{str(path)!r} was made by another version of liftscope: delete it, or write to "
            "another file."
        )
    if found.get("counts", "") != counts:
        raise InvalidInputError(
            f"{str(path)!r} has the results of other records: the data has changed since. Delete "
            "it, or write to another file."
        )


def _manifest(path: Path) -> dict[str, Any]:
    """Return what a folder of parts says of itself."""
    with contextlib.suppress(ValueError):
        found = json.loads(path.read_text("utf-8"))
        if isinstance(found, dict) and {"sweep", "code"} <= set(found):
            return found
    raise InvalidInputError(f"{str(path)!r} is damaged: delete the folder, or write elsewhere.")


def _read_part(path: Path) -> Any:
    try:
        return parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{str(path)!r} is damaged: delete it, and resume.") from error


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).rstrip(".")
        raise InvalidInputError(
            f"{str(folder)!r} cannot be written: {why[:1].lower()}{why[1:]}."
        ) from error
