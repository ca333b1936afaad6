"""The data of a session: bundled sets, uploads and pasted matrices, by the source of a spec."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Collection
from pathlib import Path

from pyarrow import parquet

from core.data import folders
from core.data.catalogue import BUNDLED, bundled
from core.data.databases.reference import is_reference, parse
from core.data.databases.tallies import fetch
from core.data.examples import example
from core.data.joints import JointSource, drawn
from core.data.readers.marks import with_marks
from core.data.readers.matrix import matrix_id, parse_matrix
from core.data.readers.reading import Upload, read_bytes, read_file, room_for
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.validation import shown


class Sources:
    r"""The files and matrices of one session, in its own folder, which is deleted with it.

    It is neither cached nor logged, nor shared with a session that does not borrow it.

    Attributes
    ----------
    uploads : dict
        Files that were read, by their source "upload:SHA256".
    matrices : dict
        Matrices that were pasted, by their source "matrix:SHA256".

    Parameters
    ----------
    databases : bool
        Whether a source may be a table of a data base: not where others choose the source.

    Examples
    --------
    >>> sources = Sources()
    >>> key = sources.add_bytes(b"sex,job\nf,a\nm,b\n", "people.csv")
    >>> sources.uploads[key].table.columns
    ('sex', 'job')
    """

    def __init__(self, *, databases: bool = False) -> None:
        self._databases = databases
        self._counts: dict[tuple[str, frozenset[str]], FileTable] = {}
        self.uploads: dict[str, Upload] = {}
        self.matrices: dict[str, JointSource] = {}
        self._lenders: list[Sources] = []
        self._borrowers: weakref.WeakSet[Sources] = weakref.WeakSet()
        self._folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def add_bytes(self, content: bytes, name: str, delimiter: str | None = None) -> str:
        """Read an upload and return its source; a bad file changes nothing.

        Parameters
        ----------
        content : bytes
            The file.
        name : str
            Its name, for sentences to the user.
        delimiter : str, optional
            The character between the fields of a text file; found from the file where not given.

        Raises
        ------
        InvalidInputError
            If the file is too large or cannot be read; the sentence says why.
        """
        return self._keep(read_bytes(content, name, self._folder, delimiter))

    def add_file(self, path: Path, delimiter: str | None = None) -> str:
        """Read a file of this machine, of any size; see `add_bytes`."""
        return self._keep(read_file(path, path.name, self._folder, delimiter))

    def stage(self, content: bytes, name: str) -> Path:
        """Write a file into its own folder for another process to read; see `add_read`.

        Raises
        ------
        InvalidInputError
            If there is no room for it.
        """
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
        """Add a staged file that another process has read, and return its source."""
        return self._keep(upload)

    def _keep(self, upload: Upload) -> str:
        key = f"upload:{upload.sha256}"
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

    def clear(self) -> None:
        """Remove the uploads and their files; pasted matrices stay."""
        self.uploads.clear()
        for lender in self._lenders:
            lender._borrowers.discard(self)
        self._lenders.clear()
        for kept in self._folder.glob("*"):
            if kept.is_dir():
                shutil.rmtree(kept, ignore_errors=True)
            else:
                kept.unlink(missing_ok=True)

    def add_matrix(self, text: str, *, normalise: bool = False) -> str:
        """Read a pasted joint matrix and return its source; see `matrix.parse_matrix`."""
        source = parse_matrix(text, normalise=normalise)
        key = f"matrix:{matrix_id(text, normalise=normalise)}"
        self.matrices[key] = source
        return key

    def title(self, source: str) -> str:
        """Return a source's name for the user: a data set's title, a file's name."""
        return self.open(source).title

    def open(self, source: str, columns: Collection[str] = ()) -> FileTable | JointSource:
        """Return the table or joint of a spec's source.

        Parameters
        ----------
        source : str
            The source, as in a `DataSpec`.
        columns : collection of str, optional
            The columns that are asked about: a table of a data base is counted by these.

        Raises
        ------
        InvalidInputError
            If nothing has this name, or it belongs to another session.
        """
        if is_reference(source):
            return self._counted(source, columns)
        kind, _, rest = source.partition(":")
        if not rest:
            entry = bundled(source)
            return FileTable(entry.title, entry.paths, tuple(entry.column_names))
        if kind == "upload":
            if source not in self.uploads:
                raise InvalidInputError(
                    f"The uploaded file {rest[:12]}… is not in this session: upload it again."
                )
            return self.uploads[source].table
        if kind == "matrix":
            if source not in self.matrices:
                raise InvalidInputError(
                    f"The pasted matrix {rest[:12]}… is not in this session: paste it again."
                )
            return self.matrices[source]
        if kind == "random":
            return drawn(rest)
        if kind == "example":
            return example(rest).joint_source
        known = ", ".join(entry.id for entry in BUNDLED)
        raise InvalidInputError(
            f"A data source is {known}, or starts with upload:, matrix:, random: or example:, got "
            f"{shown(source)}."
        )

    def _counted(self, source: str, columns: Collection[str]) -> FileTable:
        """Return a table of a data base, counted by some columns; once for each set of them."""
        table = parse(source)
        if not self._databases:
            raise InvalidInputError(
                f"{shown(table.title)} is in a data base, and data bases are not open here: use "
                "the command line, or upload its counts."
            )
        names = tuple(dict.fromkeys(columns))
        if not names:
            raise InvalidInputError(f"{table.title} is counted by columns: name one or more.")
        key = source, frozenset(names)
        if key not in self._counts:
            path = self._folder / f"counts-{len(self._counts)}.parquet"
            counts = fetch(table, names, path)
            self._counts[key] = with_marks(counts, parquet.read_metadata(path).num_rows)
        return self._counts[key]
