"""What a release is made of: the data a mechanism is made for, the file, and how it is applied."""

from __future__ import annotations

import atexit
import json
import shlex
import shutil
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from core.data import DataSpec, Sources, folders
from core.data.catalogue import BUNDLED, bundled
from core.data.counts.cells import JOINED
from core.data.options import AS_IT_IS, ReadOptions
from core.data.readers.reading import Upload
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.records.draws import Draw, Keyed, Seeded
from core.records.files import file_hash
from core.scenario import Result, Scenario, evaluate
from core.scenario.data_url import JOINTS
from core.validation import one_of, shown
from core.wording import free_name, instead_of, number_of

COLUMNS = {
    "replaced": "Y replaces X, S is removed, and all other columns stay",
    "dropped": "only Y is written",
    "chosen": "Y is written, and the columns that were chosen",
    "kept": "all columns stay and Y is added: a copy for the owner, not for others",
}
"""Treatments of the original columns."""

CHOSEN, OWNERS = "chosen", "kept"
"""The treatments that keep the columns that are named, and all."""

_TEXT = (
    "{kind} in UTF-8: a line of column names, then a line for each record, each ended by a line "
    "feed; {between} between values, texts in double quotes, a missing value empty, decimal "
    "points; ' before a text that a spreadsheet could take for a formula"
)

FORMATS = {
    "Parquet": "Parquet: values of the types that the original has, Y as text",
    "CSV": _TEXT.format(kind="CSV", between="commas"),
    "TSV": _TEXT.format(kind="TSV", between="tabs"),
}
"""How a released file is laid out, by its kind."""

REFUSE, LEAVE_OUT = "error", "drop"
"""Treatments of records with an unknown value, besides taking it for a symbol of X."""


def stand_in(unknown: str) -> str | None:
    """Return the symbol of X that a treatment takes unknown values for; None for others."""
    return None if unknown in (REFUSE, LEAVE_OUT) else unknown


@dataclass(frozen=True)
class Plan:
    """How a mechanism is applied: random numbers, and treatments of columns and unknown values.

    `columns`: a key of `COLUMNS`; "chosen" where `keep` names columns. `unknown`: "error" refuses
    unknown or missing values, "drop" leaves their records out, and the name of a symbol of X takes
    them for it. `keep`: columns that are written beside Y. `known`: columns that are not, and that
    readers know from elsewhere. `randomize`: columns that are randomized separately beside X.
    `for_each`: number of records from which a value of what others know, by the question, has a
    mechanism of its own, while the others share one; 0 for one mechanism for all.
    """

    draw: Draw
    columns: str = "dropped"
    unknown: str = REFUSE
    keep: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    randomize: tuple[str, ...] = ()
    for_each: int = 0

    def __post_init__(self) -> None:
        one_of(self.columns, COLUMNS, "columns")
        if self.keep and self.columns == Plan.columns:
            object.__setattr__(self, "columns", CHOSEN)
        if bool(self.keep) != (self.columns == CHOSEN):
            raise InvalidInputError(
                f"Name columns to keep only if columns is {CHOSEN!r}, got {self.columns!r} and "
                f"{number_of(len(self.keep), 'column')}."
            )
        if self.for_each < 0 or (self.for_each and self.randomize):
            raise InvalidInputError(
                "Mechanisms for known values need a number of records of at least 1, and no "
                "columns that are randomized separately."
            )

    def on(self, original: Upload) -> Plan:
        """Return the plan with random numbers for a file alone."""
        return replace(self, draw=self.draw.on(original.sha256))


def command_line(plan: Plan, records: str, released: str) -> str:
    r"""Return the command that makes a release from a scenario's file, for a POSIX shell."""
    if isinstance(plan.draw, Seeded):
        how = ["--seed", str(plan.draw.seed)]
    elif isinstance(plan.draw, Keyed):
        how = ["--key", "key.txt", f"--id={plan.draw.column}"]
    if plan.columns not in (Plan.columns, CHOSEN):
        how += ["--columns", plan.columns]
    how += [f"--keep={name}" for name in plan.keep]
    how += [f"--known={name}" for name in plan.known]
    how += [f"--randomize={name}" for name in plan.randomize]
    if plan.for_each:
        how += ["--for-each", str(plan.for_each)]
    if plan.unknown != REFUSE:
        how += [f"--unknown={plan.unknown}"]
    how += ["--certificate", "certificate.json"]
    files = [f"./{path}" if path.startswith("-") else path for path in (records, released)]
    command = ["python", "-m", "core", "release", "scenario.json", *files]
    return f"{shlex.join(command)} \\\n    {shlex.join(how)}"


@dataclass(frozen=True)
class Layout:
    """The columns of Y, one for each X, and all columns that are written, in their order."""

    outputs: tuple[str, ...]
    written: tuple[str, ...]

    @classmethod
    def of(
        cls,
        specs: Sequence[DataSpec],
        columns: tuple[str, ...],
        treated: str,
        keep: Collection[str] = (),
    ) -> Layout:
        """Return the layout of a file's columns under a treatment of `COLUMNS`.

        `specs`: the data of each X, which differ in that alone.
        """
        released = [name for spec in specs for name in spec.released]
        others = [name for name in others_of(specs[0], columns) if name not in released]
        if treated == CHOSEN:
            others = [name for name in others if name in keep]
        stay = [] if treated == "dropped" else list(columns) if treated == OWNERS else others
        made: dict[str, int] = {}  # the places of X by the names of Y
        for spec in specs:
            title = JOINED.join(spec.released)
            if treated == OWNERS:
                title = f"released {title}"
            name = free_name(title, lambda name: name in stay or name in made)
            made[name] = columns.index(spec.released[0])
        if treated == OWNERS:
            return cls(tuple(made), (*stay, *made))
        places = made | {name: columns.index(name) for name in stay}
        return cls(tuple(made), tuple(sorted(places, key=places.__getitem__)))


def others_of(spec: DataSpec, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a file that are neither S nor X."""
    return tuple(name for name in columns if name not in (*spec.secret, *spec.released))


def check_others(spec: DataSpec, names: Sequence[str], columns: Sequence[str], title: str) -> None:
    """Raise where a column that is to be kept or known is S, X or none of the file's."""
    for name in names:
        if name in spec.secret:
            raise InvalidInputError(
                f"{shown(name)} is S itself, which a release must hide: it can be neither kept "
                "nor known."
            )
        if name in spec.released:
            raise InvalidInputError(
                f"{shown(name)} is X itself, which Y replaces: it can be neither kept nor known."
            )
        if name not in columns:
            instead = instead_of(name, columns, shown)
            raise InvalidInputError(f"{title} has no column {shown(name)}{instead}.")


@dataclass(frozen=True, eq=False)
class Designed:
    """The answer and the file it is applied to (`same`: made for it); `sources` hold the copies."""

    result: Result
    upload: Upload
    same: bool
    sources: Sources


def designed(text: str, records: Path, sources: Sources, design: Path | None = None) -> Designed:
    """Answer a scenario, made for `design`, else for its own data, else for `records`."""
    scenario = Scenario.from_json(text)
    if scenario.data.source.startswith(JOINTS):
        raise InvalidInputError(
            f"The scenario uses {scenario.data.source.partition(':')[0]!r} data, a joint "
            "distribution without columns: a release needs a data set, such as a file (--design)."
        )
    read = scenario.data.read
    key = sources.add_file(records, read.layout)
    upload = sources.records(key, read.within(sources.uploads[key].table.columns))
    source = scenario.data.source
    if design is not None:
        source = sources.add_file(design, read.layout)
    elif "source" not in json.loads(text).get("data", {}):
        source = key
    elif source.startswith("upload:"):
        if source != key:
            raise InvalidInputError(
                f"The scenario uses the file {source[7:19]}…, but {records.name} is "
                f"{key[7:19]}…, another file or a changed one: name the file to make the "
                "mechanism for (--design)."
            )
    elif (named := named_file(source)) is not None:
        source = sources.add_file(named, read.layout)
    result = evaluate(replace(scenario, data=replace(scenario.data, source=source)), sources)
    return Designed(result, upload, is_same(source, upload), sources)


def is_bundled(source: str) -> bool:
    return any(entry.id == source for entry in BUNDLED)


def named_file(source: str) -> Path | None:
    """Return the file whose path is a scenario's source; None for any other source."""
    if is_bundled(source):
        return None
    try:
        return path if (path := Path(source)).is_file() else None
    except (OSError, ValueError):
        return None  # no path: too long, or with a character that none has


def original(source: str, sources: Sources, read: ReadOptions = AS_IT_IS) -> Upload:
    """Return the one file that a scenario's data is read from, which a release is made of."""
    if source in sources.uploads:
        return sources.records(source, read)
    table = sources.open(source, (), read)
    if not is_bundled(source) or not isinstance(table, FileTable):
        raise InvalidInputError(
            f"{table.title} is a joint distribution without records: a release needs a data set."
        )
    table = sources.each_record(table)
    path = bundled_file(source)
    size = path.stat().st_size
    if not read.of_values:
        table = FileTable(table.title, (path,), table.columns)
    return Upload(file_hash(path), path.name, size, "Parquet", table, table.rows, path)


@cache
def bundled_file(source: str) -> Path:
    """Return one file with the records of a bundled data set, its parts joined."""
    paths = bundled(source).paths
    if len(paths) == 1:
        return paths[0]
    folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{source}.parquet"
    parquet.write_table(pa.concat_tables([parquet.read_table(part) for part in paths]), path)
    return path


def records_file(path: Path) -> Path:
    """Return a file of records, or that of the bundled set whose id is given in its place."""
    return bundled_file(str(path)) if is_bundled(str(path)) and not path.exists() else path


def is_same(source: str, upload: Upload) -> bool:
    """Say whether a source is the uploaded file; a bundled data set is the file it is read from."""
    if source.startswith("upload:"):
        return source == f"upload:{upload.sha256}"
    return is_bundled(source) and file_hash(bundled_file(source)) == upload.sha256
