"""How a mechanism is applied: the draw, and the treatment of columns and unknown values."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass

from core.data import DataSpec
from core.data.counts.cells import JOINED
from core.errors import InvalidInputError
from core.records.draws import Draw, Keyed, Seeded
from core.validation import shown

COLUMNS = {
    "replaced": "Y replaces X, S is removed, and all other columns stay",
    "dropped": "only Y is written",
    "kept": "all columns stay and Y is added: a copy for the owner, not for others",
}
"""Treatments of the original columns."""

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
"""Treatments of records with an unknown value, beside taking them for a symbol of X."""


@dataclass(frozen=True)
class Plan:
    """How a mechanism is applied.

    Attributes
    ----------
    draw : Draw
        The source of random numbers: `Seeded`, or `Keyed` where releases may be repeated.
    columns : str
        Treatment of the original columns: "replaced" (Y replaces X, S is removed, all others
        stay), "dropped" (only Y is written) or "kept" (Y is added: the owner's copy).
    unknown : str
        Treatment of records with a value that the mechanism does not know, or a missing one:
        "error" refuses the release and names the values, "drop" leaves the records out, and the
        name of a symbol of X takes them for records with that symbol.

    Raises
    ------
    InvalidInputError
        If `columns` is none of these.
    """

    draw: Draw
    columns: str = "replaced"
    unknown: str = REFUSE

    def __post_init__(self) -> None:
        if self.columns not in COLUMNS:
            known = ", ".join(map(repr, COLUMNS))
            raise InvalidInputError(f"columns must be one of {known}, got {shown(self.columns)}.")


def command_line(plan: Plan, records: str, released: str) -> str:
    r"""Return the command that makes a release from a scenario's file, for a POSIX shell.

    Parameters
    ----------
    plan : Plan
        How the mechanism is applied. A seed is a part of the command; a key is not, but the file
        key.txt in its place.
    records, released : str
        Names of the file to be released and of the file to be written.

    Examples
    --------
    >>> print(command_line(Plan(Keyed(b"0123456789abcdef", "id")), "my data.csv", "released.csv"))
    python -m core release scenario.json 'my data.csv' released.csv \
        --key key.txt --id=id --certificate certificate.json
    """
    if isinstance(plan.draw, Seeded):
        how = ["--seed", str(plan.draw.seed)]
    elif isinstance(plan.draw, Keyed):
        how = ["--key", "key.txt", f"--id={plan.draw.column}"]
    if plan.columns != Plan.columns:
        how += ["--columns", plan.columns]
    if plan.unknown != REFUSE:
        how += [f"--unknown={plan.unknown}"]
    how += ["--certificate", "certificate.json"]
    files = [f"./{one}" if one.startswith("-") else one for one in (records, released)]
    command = ["python", "-m", "core", "release", "scenario.json", *files]
    return f"{shlex.join(command)} \\\n    {shlex.join(how)}"


@dataclass(frozen=True)
class Layout:
    """The columns that are written.

    Attributes
    ----------
    column : str
        Name of the column of Y.
    written : tuple of str
        All columns in their order, with that of Y.
    """

    column: str
    written: tuple[str, ...]

    @classmethod
    def of(cls, spec: DataSpec, columns: tuple[str, ...], treated: str) -> Layout:
        """Return the layout of a file's columns under a treatment of `COLUMNS`."""
        gone = {*spec.released, *spec.secret}
        others = [name for name in columns if name not in gone]
        title = JOINED.join(spec.released)
        if treated == "kept":
            name = _unlike(f"released {title}", columns)
            return cls(name, (*columns, name))
        if treated == "dropped":
            return cls(title, (title,))
        name = _unlike(title, others)
        place = columns.index(spec.released[0])
        before = sum(columns.index(one) < place for one in others)
        return cls(name, (*others[:before], name, *others[before:]))


def _unlike(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is taken."""
    chosen, number = name, 2
    while chosen in taken:
        chosen = f"{name} ({number})"
        number += 1
    return chosen
