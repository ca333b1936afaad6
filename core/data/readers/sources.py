"""The data of a session: bundled sets, uploads, matrices, and files that the owner opened."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.data import folders
from core.data.catalogue import BUNDLED, bundled
from core.data.databases.reference import DatabaseTable, is_reference, parse
from core.data.databases.tables import fetch, is_open
from core.data.joints import JointSource, drawn, example, matrix_id, parse_matrix
from core.data.options import AS_IT_IS, ENDINGS, ReadOptions
from core.data.readers.converted import converted, expanded
from core.data.readers.marks import with_marks
from core.data.readers.reading import Upload, read_bytes, read_file, room_for
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.limits import MAX_COLUMNS
from core.validation import shown
from core.wording import free_name

FOLDER = "LIFTSCOPE_FOLDER"
"""The environment's variable that names the folder."""


def shared_files() -> tuple[str, ...]:
    """Return paths of the owner's files, but hidden ones and links that lead out of the folder."""
    root = _root()
    if root is None:
        return ()
    paths: list[str] = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in ENDINGS:
                continue
            if path.is_file() and path.resolve().is_relative_to(root):
                paths.append(path.relative_to(root).as_posix())
        if len(paths) >= MAX_COLUMNS:
            break
    return tuple(paths[:MAX_COLUMNS])


def shared_file(name: str) -> Path:
    """Return the path of one of the `shared_files`."""
    root = _root()
    if root is None or name not in shared_files():
        raise InvalidInputError(
            f"{shown(name)} is not a file in the folder that this server's owner opened."
        )
    return root / name


def _root() -> Path | None:
    named = os.environ.get(FOLDER)
    if not named:
        return None
    root = Path(named).resolve()
    if not root.is_dir():
        raise InvalidInputError(f"{FOLDER} is not a folder on this server.")
    return root


KEPT = 12
"""Most tables of a session that are kept as they were read by a question's own options."""


class Sources:
    """One session's files ("upload:SHA256") and matrices, in a folder that is deleted with it.

    It is neither cached nor logged, nor shared with a session that does not borrow it.
    """

    def __init__(self, *, databases: bool = False) -> None:
        self._databases = databases
        self._counts: dict[tuple[str, frozenset[str]], FileTable] = {}
        self._read: dict[tuple[str, ReadOptions, frozenset[str]], Upload | FileTable] = {}
        self.uploads: dict[str, Upload] = {}
        self.matrices: dict[str, JointSource] = {}
        self._lenders: list[Sources] = []
        self._borrowers: weakref.WeakSet[Sources] = weakref.WeakSet()
        self._folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def add_bytes(self, content: bytes, name: str, read: ReadOptions = AS_IT_IS) -> str:
        """Read an upload and return its source; a bad file changes nothing."""
        return self.add_read(read_bytes(content, name, self._folder, read))

    def add_file(self, path: Path, read: ReadOptions = AS_IT_IS) -> str:
        """Read a file of this machine, of any size; see `add_bytes`."""
        return self.add_read(read_file(path, path.name, self._folder, read))

    def stage(self, content: bytes, name: str) -> Path:
        """Write a file into its own folder for another process to read; see `add_read`."""
        folder = Path(tempfile.mkdtemp(prefix="staged-", dir=self._folder))
        staged = folder / "upload.data"
        try:
            with room_for(name):
                staged.write_bytes(content)
        except InvalidInputError:
            self.unstage(staged)
            raise
        return staged

    def unstage(self, staged: Path) -> None:
        """Remove a staged file's folder."""
        shutil.rmtree(staged.parent, ignore_errors=True)

    def add_read(self, upload: Upload) -> str:
        """Add a file that was read, here or by another process, and return its source."""
        key = f"upload:{upload.sha256}"
        read = upload.requested
        if key in self.uploads and read != AS_IT_IS:  # as it is for questions that ask so
            self._remember((key, read, frozenset()), upload)
        else:
            self.uploads[key] = upload
        return key

    @property
    def lends(self) -> bool:
        """Whether another session uses files of this one."""
        return bool(self._borrowers)

    def borrow(self, other: Sources, source: str) -> None:
        """Add an upload of another session, whose folder is kept as long as this one lives."""
        self.uploads[source] = other.uploads[source]
        self._lenders.append(other)
        other._borrowers.add(self)

    def borrow_counts(self, other: Sources, source: str) -> bool:
        """Take over another session's counts of a table of a data base; say whether it has any."""
        lent = {key: counts for key, counts in other._counts.items() if key[0] == source}
        if lent and not self.counts_of(source):
            self._counts |= lent
            self._lenders.append(other)
            other._borrowers.add(self)
        return bool(lent)

    def clear(self) -> None:
        """Remove the uploads and their files; pasted matrices stay."""
        self.uploads.clear()
        self._read.clear()
        self._counts.clear()
        for lender in self._lenders:
            lender._borrowers.discard(self)
        self._lenders.clear()
        for path in self._folder.glob("*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def add_matrix(self, text: str, *, normalise: bool = False) -> str:
        """Read a pasted joint matrix and return its source; see `matrix.parse_matrix`."""
        source = parse_matrix(text, normalise=normalise)
        key = f"matrix:{matrix_id(text, normalise=normalise)}"
        self.matrices[key] = source
        return key

    def title(self, source: str) -> str:
        """Return a source's name for the user: a data set's title, a file's name."""
        return self.open(source).title

    def label(self, source: str) -> str:
        r"""Return a source's title, with a number where an earlier upload has the same name."""
        return self.upload_labels.get(source) or self.title(source)

    @property
    def upload_labels(self) -> dict[str, str]:
        """The names of the uploads, by source, in their order: each once."""
        labels: dict[str, str] = {}
        for source, upload in self.uploads.items():
            labels[source] = free_name(upload.name, lambda name: name in labels.values())
        return labels

    def open(
        self, source: str, columns: Collection[str] = (), read: ReadOptions = AS_IT_IS
    ) -> FileTable | JointSource:
        """Return the table or joint of a spec's source."""
        if source in self.uploads:
            return self.upload(source, read).table
        if is_reference(source):  # which counts records by their weights too
            columns = (*columns, *filter(None, (read.weight, read.sampling)))
        opened = self._plain(source, columns)
        if isinstance(opened, JointSource):
            return opened.whole or opened if "totals" in read.kept else opened
        if not read.of_values:
            return opened
        key = source, read, frozenset(columns if is_reference(source) else ())
        if key not in self._read:
            self._remember(key, self._written(partial(converted, opened, read)))
        table = self._read[key]
        return table.table if isinstance(table, Upload) else table

    def upload(self, source: str, read: ReadOptions = AS_IT_IS) -> Upload:
        """Return an upload as it is to be read."""
        if source not in self.uploads:
            raise InvalidInputError(
                f"The uploaded file {source.partition(':')[2][:12]}… is not in this session: "
                "upload it again."
            )
        own = self.uploads[source]
        key: tuple[str, ReadOptions, frozenset[str]] = (source, read, frozenset())
        cached = self._read.get(key)
        if isinstance(cached, Upload):
            return cached
        laid = self._laid(own, read)
        if read.of_values:
            where = None if laid.text is None else laid.text.place_of
            table = self._written(partial(converted, laid.table, read, line=where))
            changed = read.omit or table.unweighted or table.repeated
            laid = replace(laid, table=table, rows=table.rows if changed else laid.rows)
        if laid is not own:
            self._remember(key, laid)
        return laid

    def records(self, source: str, read: ReadOptions = AS_IT_IS) -> Upload:
        """Return an upload with a row for each record, where its rows stand for several."""
        upload = self.upload(source, read)
        if not upload.table.counted:
            return upload
        table = self.each_record(upload.table)
        return replace(upload, table=table, rows=table.rows)

    def each_record(self, table: FileTable) -> FileTable:
        """Return a table with a row for each record."""
        return self._written(partial(expanded, table)) if table.counted else table

    def _laid(self, own: Upload, read: ReadOptions) -> Upload:
        """Return an upload in the requested layout."""
        layout, text = read.layout, own.text
        if text is not None:  # the user may request what was detected
            if layout.encoding in ("", text.encoding):
                layout = replace(layout, encoding=own.requested.encoding)
            if layout.delimiter in ("", text.layout.delimiter):
                layout = replace(layout, delimiter=own.requested.delimiter)
        if layout == own.requested:
            return own
        if own.kind == "Parquet":
            layout = replace(
                AS_IT_IS, kept=tuple(option for option in layout.kept if option == "index")
            )
            if layout == own.requested:
                return own
            read = layout
        if not own.original.exists():
            raise InvalidInputError(
                f"{own.name} is no longer available to be read in another way: upload it again."
            )
        return read_file(own.original, own.name, self._folder, read)

    def _written(self, write: Callable[..., FileTable]) -> FileTable:
        """Return a table that is read in another way, written to a new file; none stays unused."""
        folder, table = Path(tempfile.mkdtemp(prefix="read-", dir=self._folder)), None
        try:
            table = write(target=folder / "records.parquet")
        finally:
            if table is None or folder not in {path.parent for path in table.paths}:
                shutil.rmtree(folder, ignore_errors=True)
        return table

    def _remember(
        self, key: tuple[str, ReadOptions, frozenset[str]], entry: Upload | FileTable
    ) -> None:
        """Keep a table as it was read, and remove the file of the one that was kept longest."""
        self._read[key] = entry
        if len(self._read) > KEPT:
            oldest = self._read.pop(next(iter(self._read)))
            table = oldest.table if isinstance(oldest, Upload) else oldest
            for path in table.paths:
                if path.parent.name.startswith("read-") and path.parent.parent == self._folder:
                    shutil.rmtree(path.parent, ignore_errors=True)

    def _plain(self, source: str, columns: Collection[str]) -> FileTable | JointSource:
        """Return the table or joint of a source as it is."""
        if is_reference(source):
            return self._counted(source, columns)
        kind, _, rest = source.partition(":")
        if not rest:
            entry = bundled(source)
            return FileTable(
                entry.title, entry.paths, tuple(entry.column_names), reports_doubts=False
            )
        if kind == "upload":
            return self.upload(source).table
        if kind == "matrix":
            if source not in self.matrices:
                raise InvalidInputError(
                    f"The pasted matrix {rest[:12]}… is not in this session: paste it again."
                )
            return self.matrices[source]
        if kind == "random":
            return drawn(rest)
        if kind == "example":
            return example(rest)
        known = ", ".join(entry.id for entry in BUNDLED)
        raise InvalidInputError(
            f"A data source is {known}, or starts with upload:, matrix:, random: or example:, got "
            f"{shown(source)}."
        )

    def add_counts(self, source: str, counts: FileTable) -> None:
        """Add the counts of a table of a data base, in place of those it has of these columns."""
        self._counts.pop((source, frozenset(counts.columns)), None)
        for key in [key for key in self._read if key[0] == source]:
            del self._read[key]  # made of older counts
        self._counts[source, frozenset(counts.columns)] = counts  # the newest is last

    @property
    def counted_sources(self) -> tuple[str, ...]:
        """The tables of data bases that it has counts of, each once."""
        return tuple(dict.fromkeys(source for source, _ in self._counts))

    def counts_of(self, source: str, columns: Collection[str] = ()) -> FileTable | None:
        """Return the newest counts of a table by some columns, and perhaps more; None for none."""
        names = frozenset(columns)
        matches = [
            counts for key, counts in self._counts.items() if key[0] == source and names <= key[1]
        ]
        return matches[-1] if matches else None

    def counts_file(self) -> Path:
        """Return where the next counts of a data base may be written."""
        return Path(tempfile.mkdtemp(prefix="counts-", dir=self._folder)) / "counts.parquet"

    def _counted(self, source: str, columns: Collection[str]) -> FileTable:
        """Return a table of a data base, counted by some columns; once for each set of them."""
        table = parse(source)
        names = tuple(dict.fromkeys(columns))
        known = self.counts_of(source, names)
        if known is not None:
            return known
        if not self._databases:
            raise _not_counted(source, table, names)
        if not names:
            raise InvalidInputError(f"{table.title} is counted by columns: choose at least one.")
        counts = fetch(table, names, self.counts_file())
        self.add_counts(source, with_marks(counts))
        return self._counts[source, frozenset(names)]


def _not_counted(source: str, table: DatabaseTable, names: Sequence[str]) -> InvalidInputError:
    """Return the error of a table whose counts a session does not have."""
    if not is_open(source):
        return InvalidInputError(
            f"{shown(table.title)} is in a database, and databases are not open here: use "
            "the command line, or upload its counts."
        )
    by = f" by {' and '.join(map(shown, names))}" if names else ""
    return InvalidInputError(
        f"{table.title} is not yet counted{by} in this session: count it on the Data page, under "
        "Use my own data."
    )
