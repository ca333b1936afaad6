"""The mechanism of a release: the data that it is made for, and the file it is applied to."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from core.data import Sources
from core.data.catalogue import BUNDLED
from core.data.readers.reading import Upload
from core.errors import InvalidInputError
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
    elif source not in {entry.id for entry in BUNDLED} and Path(source).is_file():
        source = sources.add_file(Path(source))
    result = evaluate(replace(scenario, data=replace(scenario.data, source=source)), sources)
    return Designed(result, upload, _same(source, upload, sources), sources)


def _same(source: str, upload: Upload, sources: Sources) -> bool:
    """Say whether a source is the uploaded file; a bundled data set is the file it is read from."""
    if source.startswith("upload:"):
        return source == f"upload:{upload.sha256}"
    paths = next((entry.paths for entry in BUNDLED if entry.id == source), ())
    if len(paths) != 1:
        return False
    return sources.add_file(paths[0]) == f"upload:{upload.sha256}"
