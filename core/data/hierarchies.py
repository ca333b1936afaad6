"""Hierarchies of a column's values, and the grouping of one column's rare levels, as values."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core import validation
from core.codec import json_object, listed
from core.errors import InvalidInputError
from core.limits import MAX_LEVELS
from core.validation import shown
from core.wording import file_called, size_of_file

HIERARCHY_KINDS = ("prefix", "table", "interval")
"""Kinds of hierarchies: first characters, a table of parents, intervals of numbers."""

MOST_STEPS = 10
"""Most levels of a hierarchy above the values themselves."""

MOST_TABLE_BYTES = 5_000_000
"""Most bytes of a file with such a table."""

MOST_RECORDS = 10**15
"""Largest number of records below which a level may count as rare."""


@dataclass(frozen=True)
class Hierarchy:
    """How the values of a column become coarser, level by level (generalization; Sweeney 2002).

    `kind`: "prefix" (first characters), "table" (parent, grandparent, …) or "interval". `level`:
    the one in use; 0 leaves values as they are. `steps`: for each level above 0 the length of
    prefixes, decreasing, or the width of intervals, each a multiple of the one before; empty for a
    table. `rows`: a table's values, each with its ancestors; all of one length. `start`: where an
    interval begins.
    """

    column: str
    kind: str
    level: int = 1
    steps: tuple[float, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    start: float = 0.0

    def __post_init__(self) -> None:
        what = f"The hierarchy of {shown(self.column)}"
        if self.kind not in HIERARCHY_KINDS:
            known = ", ".join(map(repr, HIERARCHY_KINDS))
            raise InvalidInputError(
                f"{what} must be of a kind among {known}, got {shown(self.kind)}."
            )
        start = validation.number(self.start, f"The start of {what.lower()}")
        if not math.isfinite(start):
            raise InvalidInputError(f"The start of {what.lower()} must be finite, got {start}.")
        object.__setattr__(self, "start", start)
        if self.kind == "table":
            object.__setattr__(self, "steps", ())
            rows = tuple(tuple(str(cell).strip() for cell in row) for row in self.rows)
            object.__setattr__(self, "rows", rows)
            _check_rows(what, rows)
        else:
            object.__setattr__(self, "rows", ())
            steps = tuple(
                validation.number(step, f"A step of {what.lower()}") for step in self.steps
            )
            object.__setattr__(self, "steps", steps)
            (_check_lengths if self.kind == "prefix" else _check_widths)(what, steps)
        level = validation.whole(self.level, f"The level of {what.lower()}", low=0)
        if level > self.height:
            raise InvalidInputError(
                f"{what} has the levels 0 to {self.height}, got {shown(self.level)}."
            )

    @property
    def height(self) -> int:
        """Number of levels above the values themselves."""
        return len(self.rows[0]) - 1 if self.kind == "table" else len(self.steps)

    @property
    def step(self) -> float:
        """What its level keeps; 0 where it is a table, or the level is 0."""
        return self.steps[self.level - 1] if self.steps and self.level else 0.0

    def parents(self) -> dict[str, str]:
        """Return what each value of a table becomes at its level."""
        return {row[0]: row[self.level] for row in self.rows}

    def coarser(self) -> Callable[[str], str | None]:
        """Return what makes a value's text coarser, not of intervals; None where it is unknown."""
        if self.level == 0 or self.kind == "interval":
            return lambda text: text
        if self.kind == "table":
            return self.parents().get
        length = int(self.step)
        return lambda text: f"{text[:length]}*"

    def sentence(self) -> str:
        """Say which level is used."""
        text = f"{shown(self.column)} is taken at level {self.level} of {self.height} of its "
        if self.kind == "table":
            return f"{text}hierarchy."
        kept = "its first" if self.kind == "prefix" else "intervals of width"
        unit = "" if self.kind == "interval" else " character" + ("s" if self.step != 1 else "")
        return f"{text}hierarchy: {kept} {self.step:g}{unit}."

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Hierarchy:
        parts = json_object(values, cls, "A hierarchy")
        for name in ("column", "kind"):
            if not isinstance(parts.get(name), str):
                raise InvalidInputError(f"A hierarchy's {name} must be a text.")
        steps, rows = (
            listed(parts.get(name, ()), f"A hierarchy's {name}") for name in ("steps", "rows")
        )
        if not all(
            isinstance(row, list | tuple) and all(isinstance(cell, str) for cell in row)
            for row in rows
        ):
            raise InvalidInputError("Each of a hierarchy's rows must be a list of texts.")
        return cls(**parts | {"steps": steps, "rows": tuple(map(tuple, rows))})


def _check_lengths(what: str, steps: tuple[float, ...]) -> None:
    whole = all(math.isfinite(step) and step == int(step) >= 1 for step in steps)
    fewer = all(b < a for a, b in itertools.pairwise(steps))
    if not (1 <= len(steps) <= MOST_STEPS and whole and fewer):
        raise InvalidInputError(
            f"{what} needs 1 to {MOST_STEPS} numbers of characters to keep, whole, decreasing and "
            f"at least 1, got {_listed(steps)}."
        )


def _check_widths(what: str, steps: tuple[float, ...]) -> None:
    if (
        not 1 <= len(steps) <= MOST_STEPS
        or not all(math.isfinite(step) and step > 0 for step in steps)
        or any(
            b <= a or not math.isclose(b / a, round(b / a)) for a, b in itertools.pairwise(steps)
        )
    ):
        raise InvalidInputError(
            f"{what} needs 1 to {MOST_STEPS} widths above 0, each a multiple of the one before, "
            f"got {_listed(steps)}."
        )


def _listed(steps: tuple[float, ...]) -> str:
    return ", ".join(f"{step:g}" for step in steps[: MOST_STEPS + 1]) or "none"


def _check_rows(what: str, rows: tuple[tuple[str, ...], ...]) -> None:
    if not 1 <= len(rows) <= MAX_LEVELS:
        raise InvalidInputError(f"{what} must have 1 to {MAX_LEVELS:,} rows, got {len(rows):,}.")
    width = len(rows[0])
    seen: list[dict[str, str]] = [{} for _ in range(width)]
    for i, row in enumerate(rows, start=1):
        if len(row) != width or not 2 <= width <= MOST_STEPS + 1:
            raise InvalidInputError(
                f"Each row of {what.lower()} must be a value and its 1 to {MOST_STEPS} ancestors, "
                f"as many in every row; row {i} has {len(row)} entries, the first {width}."
            )
        if not all(row):
            raise InvalidInputError(f"Row {i} of {what.lower()} has an empty entry.")
        for known, low, high in zip(seen, row, row[1:], strict=False):
            if known.setdefault(low, high) != high:
                raise InvalidInputError(
                    f"{what} gives {shown(low)} two parents, {shown(known[low])} and {shown(high)}."
                )
    if len(seen[0]) < len(rows):
        raise InvalidInputError(f"{what} has a value in more than one row.")


def read_rows(content: bytes, name: str) -> tuple[tuple[str, ...], ...]:
    r"""Read a table of parents from a CSV file without a header."""
    if len(content) > MOST_TABLE_BYTES:
        raise InvalidInputError(
            f"{file_called(name)} has {size_of_file(len(content))}; a table of parents may have "
            f"at most {size_of_file(MOST_TABLE_BYTES)}."
        )
    try:
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        rows = tuple(itertools.islice((tuple(row) for row in lines if any(row)), MAX_LEVELS + 1))
    except (UnicodeDecodeError, csv.Error):
        rows = ()
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInputError(
            f"{file_called(name)} cannot be read as a table of parents: it needs a value and its "
            "ancestors separated by commas, the same number in each row, in UTF-8."
        )
    return rows


@dataclass(frozen=True)
class RareLevels:
    """A column whose levels with fewer records than `below` become one, before any are joined."""

    column: str
    below: int

    def __post_init__(self) -> None:
        what = f"The number of records below which levels of {shown(self.column)} are rare"
        below = validation.whole(self.below, what, low=1, high=MOST_RECORDS)
        object.__setattr__(self, "below", below)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RareLevels:
        parts = json_object(values, cls, "A grouping of rare levels")
        if len(parts) < 2 or not isinstance(parts["column"], str):
            raise InvalidInputError(
                "A grouping of rare levels must name its column and a number of records."
            )
        return cls(**parts)


def check_apart(
    cut: tuple[str, ...], hierarchies: tuple[Hierarchy, ...], rare: tuple[RareLevels, ...]
) -> None:
    """Raise if a column has two hierarchies, two groupings, or what cannot go together."""
    named = [tree.column for tree in hierarchies]
    grouped = [group.column for group in rare]
    numbers = [*cut, *(tree.column for tree in hierarchies if tree.kind == "interval")]
    for column in named:
        if named.count(column) > 1:
            raise InvalidInputError(f"Column {shown(column)} has more than one hierarchy.")
        if column in cut:
            raise InvalidInputError(
                f"Column {shown(column)} has bins and a hierarchy: give one of them."
            )
    for column in grouped:
        if grouped.count(column) > 1:
            raise InvalidInputError(
                f"Column {shown(column)} has more than one threshold for rare levels."
            )
        if column in numbers:
            raise InvalidInputError(
                f"Column {shown(column)} is cut into bins or intervals, whose rare ones cannot be "
                "grouped separately: make them wider."
            )
