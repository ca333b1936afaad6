"""The mechanism of a release: the data that it is made for, and the file it is applied to."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from core.data import Sources, folders
from core.data.catalogue import BUNDLED
from core.data.options import ReadOptions
from core.data.readers.reading import Upload
from core.data.readers.sources import AS_IT_IS
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.records.files import file_hash
from core.scenario import Result, Scenario, evaluate
from core.scenario.data_url import JOINTS


@dataclass(frozen=True, eq=False)
class Designed:
    """A mechanism, and the records that it is to be applied to.

    Attributes
    ----------
    result : Result
        The answer to the scenario, on the data that it was made for.
    upload : Upload
        The file that it is applied to.
    same : bool
        Whether it was made for this file.
    sources : Sources
        Holds the copies of the files that were read; they are deleted with it.
    """

    result: Result
    upload: Upload
    same: bool
    sources: Sources


def designed(text: str, records: Path, sources: Sources, design: Path | None = None) -> Designed:
    """Answer a scenario for a release.

    The mechanism is made for `design` where given, else for the scenario's data: a bundled data
    set, a file by its path, or an upload, which `records` must be. A scenario without data is
    about `records`.

    Parameters
    ----------
    text : str
        The scenario's JSON.
    records : Path
        The file to be released.
    sources : Sources
        Holds the copies of the files that are read.
    design : Path, optional
        The file that the mechanism is made for.

    Raises
    ------
    CoreError
        If the scenario is about a joint distribution or another file, a file cannot be read, or
        the scenario has no answer.
    """
    scenario = Scenario.from_json(text)
    if scenario.data.source.startswith(JOINTS):
        raise InvalidInputError(
            f"The scenario is about {scenario.data.source.partition(':')[0]!r} data, a joint "
            "distribution without columns: a release needs a data set, such as a file (--design)."
        )
    read = scenario.data.read
    layout = read.delimiter or None, read.encoding
    key = sources.add_file(records, *layout)
    upload = sources.upload(key, read.within(sources.uploads[key].table.columns))
    source = scenario.data.source
    if design is not None:
        source = sources.add_file(design, *layout)
    elif "source" not in json.loads(text).get("data", {}):
        source = key
    elif source.startswith("upload:"):
        if source != key:
            raise InvalidInputError(
                f"The scenario is about the file {source[7:19]}…, and {records.name} is "
                f"{key[7:19]}…: it is another file or has changed; name the file that the "
                "mechanism is to be made for (--design)."
            )
    elif (named := named_file(source)) is not None:
        source = sources.add_file(named, *layout)
    result = evaluate(replace(scenario, data=replace(scenario.data, source=source)), sources)
    return Designed(result, upload, _same(source, upload), sources)


def named_file(source: str) -> Path | None:
    """Return the file whose path a scenario's source is; None where it is anything else.

    Examples
    --------
    >>> named_file("adult") is None, named_file("no such file.csv") is None
    (True, True)
    """
    if source in {entry.id for entry in BUNDLED}:
        return None
    try:
        return path if (path := Path(source)).is_file() else None
    except (OSError, ValueError):
        return None  # no path: too long, or with a character that none has


def original(source: str, sources: Sources, read: ReadOptions = AS_IT_IS) -> Upload:
    """Return the one file that a scenario's data is read from, which a release is made of.

    Parameters
    ----------
    source : str
        As in a `DataSpec`: a bundled data set or an upload.
    sources : Sources
        The session's uploads.
    read : ReadOptions, optional
        How the file is read.

    Raises
    ------
    InvalidInputError
        If there is no such file: the source is a joint distribution.

    Examples
    --------
    >>> original("adult", Sources()).rows, original("adult_all", Sources()).rows
    (32561, 48842)
    """
    if source in sources.uploads:
        return sources.upload(source, read)
    table = sources.open(source, (), read)
    entry = next((one for one in BUNDLED if one.id == source), None)
    if entry is None or not isinstance(table, FileTable):
        raise InvalidInputError(
            f"{table.title} is a joint distribution without records: a release needs a data set."
        )
    path = bundled_file(source)
    size = path.stat().st_size
    if not read.of_values:
        table = FileTable(table.title, (path,), table.columns)
    return Upload(file_hash(path), path.name, size, "Parquet", table, entry.rows)


@cache
def bundled_file(source: str) -> Path:
    """Return the one file with the records of a bundled data set; its parts in one, if it has some.

    Parameters
    ----------
    source : str
        The set's id.

    Examples
    --------
    >>> bundled_file("adult").name, bundled_file("adult_all").name
    ('adult_train.parquet', 'adult_all.parquet')
    """
    (entry,) = (one for one in BUNDLED if one.id == source)
    if len(entry.paths) == 1:
        return entry.paths[0]
    folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{source}.parquet"
    parquet.write_table(pa.concat_tables([parquet.read_table(one) for one in entry.paths]), path)
    return path


def records_file(path: Path) -> Path:
    """Return a file of records, or that of the bundled set whose id is given in its place.

    Examples
    --------
    >>> records_file(Path("adult")).name, records_file(Path("people.csv")).name
    ('adult_train.parquet', 'people.csv')
    """
    named = str(path) in {entry.id for entry in BUNDLED} and not path.exists()
    return bundled_file(str(path)) if named else path


def _same(source: str, upload: Upload) -> bool:
    """Say whether a source is the uploaded file; a bundled data set is the file it is read from."""
    if source.startswith("upload:"):
        return source == f"upload:{upload.sha256}"
    return any(one.id == source for one in BUNDLED) and (
        file_hash(bundled_file(source)) == upload.sha256
    )
