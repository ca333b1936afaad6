"""The purpose of a scenario: what the release is to keep of X."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.data.counts.report import CountedTask
from core.errors import InvalidInputError
from core.joint import Joint
from core.utilities import Distortion, Guess, Information, Purpose, SquaredError, Task
from core.validation import FloatArray, shown

if TYPE_CHECKING:
    from core.scenario.scenario import Scenario

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


def check_purpose(purpose: str, loss: str, table: Any) -> Table:
    """Check the keys of a purpose and a loss, and return the loss table, checked.

    Raises
    ------
    InvalidInputError
        If a key is unknown, or the table is no list of equally long rows of finite numbers of at
        least 0.
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
    scenario: Scenario,
    joint: Joint,
    values: FloatArray | None = None,
    task: CountedTask | None = None,
) -> Purpose:
    """Return the purpose of a scenario on a joint.

    Parameters
    ----------
    scenario : Scenario
        The question.
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
    """
    if scenario.purpose == "information":
        return Information()
    if scenario.purpose == "guess" and task is None:
        return Guess()
    if scenario.purpose in ("task", "guess"):
        if task is None:
            raise InvalidInputError("To keep a task, choose the column of T.")
        kind = Task if scenario.purpose == "task" else Guess
        return kind(task.p_t_given_x)
    if scenario.loss == "table":
        if not scenario.table:
            raise InvalidInputError("The loss table is empty: give a row for each symbol of X.")
        return Distortion(np.array(scenario.table))
    if scenario.loss == "hamming":
        return Distortion(1 - np.eye(joint.n_x))
    if values is None:
        raise InvalidInputError(
            f"The {LOSSES[scenario.loss]} needs numbers, and X is not numeric here: count any "
            "error, or give a loss table."
        )
    if scenario.loss == "squared":
        return SquaredError(values)
    return Distortion(np.abs(values[:, None] - values))


def purpose_code(scenario: Scenario) -> str:
    """Return Python source of a scenario's purpose, with the data as `counted`."""
    task, values = "counted.task.p_t_given_x", "counted.x_values"
    if scenario.purpose == "information":
        return "Information()"
    if scenario.purpose == "task":
        return f"Task({task})"
    if scenario.purpose == "guess":
        return f"Guess({task})" if scenario.data.task else "Guess()"
    return {
        "table": f"Distortion({[list(row) for row in scenario.table]!r})",
        "hamming": "Distortion(1 - np.eye(joint.n_x))",
        "squared": f"SquaredError({values})",
        "absolute": f"Distortion(np.abs(np.subtract.outer({values}, {values})))",
    }[scenario.loss]
