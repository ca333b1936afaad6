"""What a scenario promises and what its release is to keep of X; the domains of its numbers."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import validation
from core.codec import json_object
from core.data.counts.report import CountedTask
from core.domain import Domain, domains
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import Mechanism
from core.mechanisms.options import Settings
from core.notions import Notion
from core.notions import catalogue as notion_catalogue
from core.notions.numbers import Numbers, declared
from core.utilities import Distortion, Guess, Information, Purpose, SquaredError, Task
from core.validation import FloatArray, shown
from core.wording import fixed, rough

DOMAINS: Mapping[str, Domain] = declared() | domains(Settings)
"""Domains by name: of the numbers that notions declare, and of the mechanism's settings."""


def check_numbers(target: Any, names: Iterable[str]) -> None:
    """Check the named numbers of a frozen dataclass, and store each as a float or an int."""
    for name in names:
        value, domain = getattr(target, name), DOMAINS[name]
        if value is None and domain.optional:
            continue
        number = validation.number(value, name, low=domain.low, high=domain.high)
        if domain.whole and number != int(number):
            raise InvalidInputError(f"{name} must be a whole number, got {shown(value)}.")
        object.__setattr__(target, name, int(number) if domain.whole else number)


@dataclass(frozen=True, repr=False)
class Promise(Numbers):
    """A notion and its numbers, as in a `Scenario`.

    `notion`: key of the notion, as in `core.notions.catalogue`. `eps`, `lam`, `alpha`, `beta`, `n`,
    `eps_l`, `eps_u`, `bound`, `delta`: as in `Numbers`.
    """

    notion: str

    def __post_init__(self) -> None:
        notion_catalogue.entry(self.notion)
        check_numbers(self, declared())

    def __repr__(self) -> str:
        entries = (f"{name}={value!r}" for name, value in self.to_dict().items())
        return f"Promise({', '.join(entries)})"

    @property
    def numbers(self) -> Numbers:
        """Its numbers, without the key."""
        return Numbers(**{name: getattr(self, name) for name in declared()})

    def build(self, joint: Joint) -> Notion:
        return notion_catalogue.build(self.notion, joint, self.numbers)

    def code(self) -> str:
        """Return Python source of the notion, with the joint as `joint`."""
        return notion_catalogue.entry(self.notion).code(self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the key and the numbers that the notion uses, by name."""
        used = ("notion", *notion_catalogue.entry(self.notion).parameters)
        return {name: getattr(self, name) for name in used}

    @classmethod
    def from_dict(cls, values: Any) -> Promise:
        entries = json_object(values, cls, "An additional notion")
        if "notion" not in entries:
            raise InvalidInputError(
                f"An additional notion must be a JSON object with its notion, got {shown(values)}."
            )
        return cls(**entries)


LOSSES = {
    "absolute": "absolute error",
    "squared": "squared error",
    "hamming": "any error",
    "table": "the losses of a table",
}
"""Losses d(x, z) by key, in a word or two."""

Table = tuple[tuple[float, ...], ...]
"""A loss table d(x, z): a row for each x."""


@dataclass(frozen=True, kw_only=True)
class PurposeChoice:
    """The part of a scenario that says what to keep of X.

    `purpose`: "information" (all of it), "task" (the task of the data), "guess" (of the task, or of
    X where the data names none) or "distortion" (a small error). `loss`: of a "distortion":
    "absolute", "squared", "hamming" or "table". `table`: d(x, z) of guessing z where X is x, a row
    for each x.
    """

    purpose: str = "information"
    loss: str = "absolute"
    table: Table = ()


@dataclass(frozen=True)
class PurposeEntry:
    """One purpose: in a word or two, what it measures, and how a choice of it becomes a `Purpose`.

    - `axis`: title of a frontier's vertical axis, what its shares are of, and what is kept.
    - `make`: takes the choice, the joint, the numbers of X, (n_x,), and the data's task.
    - `code`: takes the choice, and whether the data has a task; returns Python source, that of
      `build_purpose` where the data may lack what it needs.
    - `sentence`: takes the mechanism, the utility of nothing and of X itself, and the names of X
      and of T, "" for none; says what is kept. None where that is said of X.
    """

    title: str
    meaning: str
    axis: tuple[str, str, str]
    make: Callable[[PurposeChoice, Joint, FloatArray | None, CountedTask | None], Purpose]
    code: Callable[[PurposeChoice, bool], str]
    sentence: Callable[[Mechanism, tuple[float, float], str, str], str] | None = None


def _needed(task: CountedTask | None) -> FloatArray:
    """Return P(t | x) of the task that a purpose needs."""
    if task is None:
        raise InvalidInputError("To keep a task, choose the column of T.")
    return task.p_t_given_x


def _losses(
    choice: PurposeChoice, joint: Joint, values: FloatArray | None, _task: CountedTask | None
) -> Purpose:
    if choice.loss == "table":
        if not choice.table:
            raise InvalidInputError("The loss table is empty: give one row per symbol of X.")
        return Distortion(np.array(choice.table))
    if choice.loss == "hamming":
        return Distortion(1 - np.eye(joint.n_x))
    if values is None:
        raise InvalidInputError(
            f"The {LOSSES[choice.loss]} needs numbers, and X is not numeric here. Count any error, "
            "or give a loss table."
        )
    if choice.loss == "squared":
        return SquaredError(values)
    return Distortion(np.abs(values[:, None] - values))


def _losses_code(choice: PurposeChoice, _of_task: bool) -> str:
    if choice.loss == "hamming":
        return "Distortion(1 - np.eye(joint.n_x))"
    if choice.loss == "table" and choice.table:
        return f"Distortion({[list(row) for row in choice.table]!r})"
    return _built(f'purpose="distortion", loss="{choice.loss}"', "joint, counted.x_values")


def _built(choice: str, data: str) -> str:
    """Return Python source that calls `build_purpose`."""
    return f"build_purpose(PurposeChoice({choice}), {data})"


_TASK = "counted.task.p_t_given_x"
"""Python source of P(t | x)."""

PURPOSES: Mapping[str, PurposeEntry] = {
    "information": PurposeEntry(
        "all of X",
        "I(X;Y): every difference between symbols of X counts.",
        ("X kept, I(X;Y)/H(X)", "X", "I(X;Y)"),
        lambda _choice, _joint, _values, _task: Information(),
        lambda _choice, _of_task: "Information()",
    ),
    "task": PurposeEntry(
        "a task T",
        "I(T;Y): only X's information about another column T counts.",
        ("share of the information about T kept", "X's information about T", "I(T;Y)"),
        lambda _choice, _joint, _values, task: Task(_needed(task)),
        lambda _choice, of_task: f"Task({_TASK})" if of_task else _built('purpose="task"', "joint"),
        lambda made, _ends, x, t: (
            f"{rough(made.kept)} of the information in {x} about {t or 'T'} survives."
        ),
    ),
    "guess": PurposeEntry(
        "a right guess",
        "How often the best guess of T, or of X, is right.",
        ("share of X's gain in right guesses kept", "X's gain", "right guess"),
        lambda _choice, _joint, _values, task: Guess(None if task is None else task.p_t_given_x),
        lambda _choice, of_task: f"Guess({_TASK})" if of_task else "Guess()",
        lambda made, ends, x, t: (
            f"The best guess of {t or x} is right with probability {fixed(made.utility, 3)}, "
            f"compared with {fixed(ends[1], 3)} from {x} and {fixed(ends[0], 3)} from nothing."
        ),
    ),
    "distortion": PurposeEntry(
        "a small error",
        "How far the best guess of X is from X on average; less is better.",
        ("share of X's error reduction kept", "X's reduction", "expected error"),
        _losses,
        _losses_code,
        lambda made, ends, x, _t: (
            f"The best guess of {x} has an expected error of {0 - made.utility:.4g}, compared "
            f"with {-ends[0]:.4g} from nothing."
        ),
    ),
}
"""Every purpose by key, in the order in which to show them."""


def check_purpose(purpose: str, loss: str, table: Any) -> Table:
    """Check the keys of a purpose and a loss, and return the loss table, checked."""
    for name, value, known in (("purpose", purpose, PURPOSES), ("loss", loss, LOSSES)):
        validation.one_of(value, known, name)
    if not isinstance(table, list | tuple) or not all(
        isinstance(row, list | tuple) for row in table
    ):
        raise InvalidInputError(f"table must be a list of rows of numbers, got {shown(table)}.")
    if not table:
        return ()
    if len({len(row) for row in table}) > 1:
        lengths = sorted({len(row) for row in table})
        raise InvalidInputError(
            f"table must have as many numbers in each row, got {lengths[0]} and {lengths[-1]}."
        )
    checked = Distortion(np.array(table, dtype=object)).d
    return tuple(tuple(map(float, row)) for row in checked)


def build_purpose(
    choice: PurposeChoice,
    joint: Joint,
    values: FloatArray | None = None,
    task: CountedTask | None = None,
) -> Purpose:
    """Return the purpose of a scenario on a joint; `values` of X have shape (n_x,)."""
    return PURPOSES[choice.purpose].make(choice, joint, values, task)


def read_losses(text: str) -> Table:
    r"""Read a loss table d(x, z) from CSV; a first row or column of names is skipped."""
    if len(text) > 1_000_000:
        raise InvalidInputError("The loss table has more than 1,000,000 characters.")
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    try:
        rows = [row for row in csv.reader(lines) if any(row)]
    except csv.Error as error:
        raise InvalidInputError(f"The loss table cannot be read as CSV: {error}.") from error
    if not rows:
        raise InvalidInputError("The loss table is empty: give one row per symbol of X.")
    if len(rows) > 1 and not any(_is_number(cell) for cell in rows[0]):
        rows = rows[1:]
    if all(row[0].strip() and not _is_number(row[0]) for row in rows):
        rows = [row[1:] for row in rows]
    numbers = []
    for i, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InvalidInputError(
                f"Row {i} of the loss table has {len(row)} numbers; row 1 has {len(rows[0])}."
            )
        for j, cell in enumerate(row, start=1):
            if not _is_number(cell) or float(cell) < 0:
                raise InvalidInputError(
                    f"The loss table has {shown(cell)} in row {i}, column {j}: a loss must be a "
                    "number of at least 0."
                )
        numbers.append([float(cell) for cell in row])
    return check_purpose("distortion", "table", numbers)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
