"""The mechanism of a release: the data that it is made for, and the file it is applied to."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from core.data import Sources
from core.data.catalogue import BUNDLED
from core.data.readers.reading import Upload
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.records.files import file_hash
from core.scenario import Result, Scenario, evaluate
from core.scenario.url import JOINTS


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
    key = sources.add_file(records)
    upload = sources.uploads[key]
    source = scenario.data.source
    if design is not None:
        source = sources.add_file(design)
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
        source = sources.add_file(named)
    result = evaluate(replace(scenario, data=replace(scenario.data, source=source)), sources)
    return Designed(result, upload, _same(source, upload, sources), sources)


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


def original(source: str, sources: Sources) -> Upload:
    """Return the one file that a scenario's data is read from, which a release is made of.

    Parameters
    ----------
    source : str
        As in a `DataSpec`: a bundled data set or an upload.
    sources : Sources
        The session's uploads.

    Raises
    ------
    InvalidInputError
        If there is no such file: the source is a joint distribution, or a set of several files.

    Examples
    --------
    >>> original("adult", Sources()).rows
    32561
    """
    if source in sources.uploads:
        return sources.uploads[source]
    table = sources.open(source)
    entry = next((one for one in BUNDLED if one.id == source), None)
    if entry is None or not isinstance(table, FileTable):
        raise InvalidInputError(
            f"{table.title} is a joint distribution without records: a release needs a data set."
        )
    if len(entry.paths) != 1:
        raise InvalidInputError(
            f"{entry.title} is read from {len(entry.paths)} files, and a certificate is about one: "
            "choose one of its parts."
        )
    (path,) = entry.paths
    size = path.stat().st_size
    return Upload(file_hash(path), path.name, size, "Parquet", table, entry.rows)


def _same(source: str, upload: Upload, sources: Sources) -> bool:
    """Say whether a source is the uploaded file; a bundled data set is the file it is read from."""
    if source.startswith("upload:"):
        return source == f"upload:{upload.sha256}"
    paths = next((entry.paths for entry in BUNDLED if entry.id == source), ())
    if len(paths) != 1:
        return False
    return sources.add_file(paths[0]) == f"upload:{upload.sha256}"
