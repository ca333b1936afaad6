"""The check of a certificate's proof: the scenario is answered again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.data.counts.report import Counted
from core.errors import CoreError
from core.mechanisms import Mechanism
from core.records.checking import former
from core.records.checking.check import CLOSE, Check
from core.scenario import Scenario, answer
from core.studies.known import UNPROVEN
from core.validation import FloatArray, shown

OPTIMAL = "optimal"
"""The status that says that no mechanism keeps more."""


def check_proof(
    body: Mapping[str, Any], scenario: Scenario, counted: Counted | None, kernel: FloatArray
) -> Check:
    """Answer the scenario again, and compare bound, status, solver, notes and name.

    A bound is proven again where the new one is not above it, and wrong where a mechanism that
    keeps more was found. Name, solver, status and notes are what the library says of the mechanism
    that it finds: they are wrong where it finds the same one and says something else of it. Where
    it finds another one, or a time limit ends either search, they are not checked.

    Parameters
    ----------
    body : mapping
        The certificate.
    scenario : Scenario
        Its scenario.
    counted : Counted or None
        The data that the mechanism was made for; None where it is not there.
    kernel : ndarray
        The certificate's P(y | x), or P(y | s, x).
    """
    if counted is None:
        text = "The proof needs the data that the mechanism was made for, which were not counted."
        return Check("proof", None, text)
    try:
        again = answer(scenario, counted).mechanism
    except CoreError as error:
        return Check("proof", None, f"The scenario could not be answered again: {error}")
    said = body["proof"]
    if isinstance(said["upper_bound"], str):
        return Check("proof", False, "It has no bound on what can be kept.")
    close = CLOSE * max(1.0, abs(again.utility))
    slack = again.purpose.size() * scenario.gap + close
    wrong = _wrong(body, again, kernel, slack, close)
    if wrong:
        return Check("proof", False, wrong)
    if again.upper_bound > said["upper_bound"] + slack:
        text = (
            f"Answered again, the bound is only {again.upper_bound:.9g}, so "
            f"{said['upper_bound']:.9g} was not proven again."
        )
        return Check("proof", None, text)
    other = _other(body, again)
    if other is not None:
        text = (
            f"The bound holds, found again; but {other}: another mechanism was found, or time "
            "ended a search, so this was not checked."
        )
        return Check("proof", None, text)
    return Check(
        "proof",
        True,
        f"Answered again: no mechanism keeps more than {said['upper_bound']:.6g} "
        f"({again.status}, found by {again.solver}), and its notes are the same.",
    )


def _wrong(
    body: Mapping[str, Any], again: Mechanism, kernel: FloatArray, slack: float, close: float
) -> str:
    """Say what is wrong with the proof; "" where nothing is known to be.

    A mechanism that was found refutes a bound below what it keeps, whatever the gap asked for.
    """
    said = body["proof"]
    if again.utility > said["upper_bound"] + close:
        return f"A mechanism keeps {again.utility:.9g}: more than the bound says."
    if said["status"] == again.status == OPTIMAL:
        missed = again.utility - said["utility"]
        if missed > slack:
            return f"It is not optimal: another mechanism keeps {missed:.6g} more."
    same = kernel.shape == again.kernel.shape and np.allclose(kernel, again.kernel, 0, CLOSE)
    if not same or UNPROVEN in (said["status"], again.status):
        return ""
    other = _other(body, again)
    if other is not None:
        return f"The same mechanism was found again, and {other}."
    if abs(again.upper_bound - said["upper_bound"]) > slack:
        return (
            f"The same mechanism was found again, and what was proven is {again.upper_bound:.9g}, "
            f"not {said['upper_bound']:.9g}."
        )
    return ""


def _other(body: Mapping[str, Any], again: Mechanism) -> str | None:
    """Say what the library says otherwise of the mechanism that it finds; None where nothing."""
    said = body["proof"]
    pairs = (
        ("name", body["mechanism"]["name"], again.name),
        ("status", said["status"], again.status),
        ("solver", said["solver"], again.solver),
        ("notes", former.notes(body), list(again.notes)),
    )
    for name, found, expected in pairs:
        if found != expected:
            return f"its {name} is {shown(expected)}, not {shown(found)}"
    return None
