"""The purpose of a scenario: what the release is to keep of X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.counts.report import CountedTask
from core.errors import InvalidInputError
from core.joint import Joint
from core.utilities import Distortion, Guess, Information, Purpose, SquaredError, Task
from core.validation import FloatArray, shown

PURPOSES = {
    "information": "all of X",
    "task": "a task T",
    "guess": "a right guess",
    "distortion": "a small error",
}
"""Purposes by key, in a word or two."""

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

    Attributes
    ----------
    purpose : str
        What is to be kept of X: "information" (all of it), "task" (the task of the data), "guess"
        (of the task, or of X where the data names none) or "distortion" (a small error).
    loss : str
        The loss of a "distortion": "absolute", "squared", "hamming" or "table".
    table : tuple of tuple of float
        The loss d(x, z) of guessing z where X is x, a row for each symbol of X.
    """

    purpose: str = "information"
    loss: str = "absolute"
    table: Table = ()


def check_purpose(purpose: str, loss: str, table: Any) -> Table:
    """Check the keys of a purpose and a loss, and return the loss table, checked.

    Raises
    ------
    InvalidInputError
        If a key is unknown, or the table is no list of equally long rows of finite numbers of at
        least 0.

    Examples
    --------
    >>> check_purpose("distortion", "table", [[0, 1], [2, 0]])
    ((0.0, 1.0), (2.0, 0.0))
    """
    for name, value, known in (("purpose", purpose, PURPOSES), ("loss", loss, LOSSES)):
        if not isinstance(value, str) or value not in known:
            raise InvalidInputError(
                f"{name} must be one of {', '.join(known)}, got {shown(value)}."
            )
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
    asked: PurposeChoice,
    joint: Joint,
    values: FloatArray | None = None,
    task: CountedTask | None = None,
) -> Purpose:
    """Return the purpose of a scenario on a joint.

    Parameters
    ----------
    asked : PurposeChoice
        The question, or this part of it.
    joint : Joint
        P(s, x).
    values : ndarray, optional
        A number for each symbol of X, shape (n_x,), where X is numeric.
    task : CountedTask, optional
        The task T, where the data names one.

    Raises
    ------
    InvalidInputError
        If the task, the numbers or the table that it needs are missing or do not fit.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> build_purpose(PurposeChoice(purpose="guess"), joint).value(joint, [[1.0], [1.0]])
    0.5
    """
    if asked.purpose == "information":
        return Information()
    if asked.purpose == "guess" and task is None:
        return Guess()
    if asked.purpose in ("task", "guess"):
        if task is None:
            raise InvalidInputError("To keep a task, choose the column of T.")
        kind = Task if asked.purpose == "task" else Guess
        return kind(task.p_t_given_x)
    if asked.loss == "table":
        if not asked.table:
            raise InvalidInputError("The loss table is empty: give a row for each symbol of X.")
        return Distortion(np.array(asked.table))
    if asked.loss == "hamming":
        return Distortion(1 - np.eye(joint.n_x))
    if values is None:
        raise InvalidInputError(
            f"The {LOSSES[asked.loss]} needs numbers, and X is not numeric here: count any "
            "error, or give a loss table."
        )
    if asked.loss == "squared":
        return SquaredError(values)
    return Distortion(np.abs(values[:, None] - values))


def purpose_code(asked: PurposeChoice, *, of_task: bool) -> str:
    """Return Python source of the purpose, with the data as `counted`.

    Parameters
    ----------
    asked : PurposeChoice
        The scenario, or this part of it.
    of_task : bool
        Whether the data names a task.

    Examples
    --------
    >>> purpose_code(PurposeChoice(purpose="task"), of_task=True)
    'Task(counted.task.p_t_given_x)'
    """
    task, values = "counted.task.p_t_given_x", "counted.x_values"
    if asked.purpose == "information":
        return "Information()"
    if asked.purpose == "task":
        return f"Task({task})"
    if asked.purpose == "guess":
        return f"Guess({task})" if of_task else "Guess()"
    return {
        "table": f"Distortion({[list(row) for row in asked.table]!r})",
        "hamming": "Distortion(1 - np.eye(joint.n_x))",
        "squared": f"SquaredError({values})",
        "absolute": f"Distortion(np.abs(np.subtract.outer({values}, {values})))",
    }[asked.loss]
