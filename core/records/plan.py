"""How a mechanism is applied: the draw, what becomes of columns and of unknown values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from core.data import DataSpec
from core.data.counts.cells import JOINED
from core.errors import InvalidInputError
from core.records.draws import Draw
from core.validation import shown

COLUMNS = {
    "replaced": "Y stands where X stood and S goes; all other columns stay",
    "dropped": "Y alone is written",
    "kept": "all columns stay and Y is added: a copy for the owner, not for others",
}
"""What becomes of the original columns."""

REFUSE, LEAVE_OUT = "error", "drop"
"""What may be done with a record whose value the mechanism does not know, beside a symbol."""


@dataclass(frozen=True)
class Plan:
    """How a mechanism is applied.

    Attributes
    ----------
    draw : Draw
        Where random numbers come from: `Seeded`, or `Keyed` where releases may be repeated.
    columns : str
        What becomes of the original columns: "replaced" (Y stands where X stood, S goes, all
        others stay), "dropped" (Y alone) or "kept" (Y is added: the owner's copy).
    unknown : str
        What is done with records that have a value that the mechanism does not know, or a missing
        one: "error" names value and count, "drop" leaves the record out, and the name of a symbol
        of X takes the record for one that has it.

    Raises
    ------
    InvalidInputError
        If there is no such way to treat columns.
    """

    draw: Draw
    columns: str = "replaced"
    unknown: str = REFUSE

    def __post_init__(self) -> None:
        if self.columns not in COLUMNS:
            known = ", ".join(map(repr, COLUMNS))
            raise InvalidInputError(f"columns must be one of {known}, got {shown(self.columns)}.")


@dataclass(frozen=True)
class Layout:
    """Which columns are written, and where Y stands among them.

    Attributes
    ----------
    column : str
        What Y is called.
    written : tuple of str
        All columns, Y among them.
    """

    column: str
    written: tuple[str, ...]

    @classmethod
    def of(cls, spec: DataSpec, columns: tuple[str, ...], treated: str) -> Layout:
        """Return the layout of a file's columns under a plan's treatment."""
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
    """Return a name that is not taken yet."""
    chosen, number = name, 2
    while chosen in taken:
        chosen = f"{name} ({number})"
        number += 1
    return chosen
