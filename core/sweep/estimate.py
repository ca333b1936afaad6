"""How long a sweep may take, measured on a few of its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.clock import Deadline, Stopwatch
from core.data import Counted
from core.data.spec import DataSpec
from core.scenario import Scenario
from core.studies.known import UNPROVEN
from core.sweep.definition import Sweep
from core.sweep.points import Chunk, batchable, compute

SECONDS = 3.0
"""Seconds after which no further point is measured."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one processor for a whole sweep, and the number of points measured to find out."""

    seconds: float
    measured: int


def estimate(
    sweep: Sweep,
    counted: Mapping[DataSpec, Counted],
    *,
    report: Callable[[Any], None],
) -> Estimate:
    """Return how long a sweep may take, from the middle budget of each kind of question.

    A kind is a promise, a mechanism and a data set. A search that `SECONDS` cuts off counts with
    its own limit, and kinds for which no time was left as the mean of the others.
    """
    deadline = Deadline.after(SECONDS)
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for number, one in enumerate(sweep.questions):
        kinds.setdefault((one.notion, one.mechanism, one.data), []).append(number)
    each: list[tuple[int, float]] = []
    measured = 0
    for done, numbers in enumerate(kinds.values()):
        report((done, len(kinds)))
        if each and deadline.over:
            break
        seconds, points = _measured(sweep, numbers, counted, max(deadline.left, 0.05))
        each.append((len(numbers), seconds))
        measured += points
    known = sum(count for count, _ in each)
    total = sum(count * seconds for count, seconds in each)
    return Estimate(total / known * len(sweep.questions) * sweep.n_draws, measured)


def _measured(
    sweep: Sweep, numbers: list[int], counted: Mapping[DataSpec, Counted], left: float
) -> tuple[float, int]:
    """Return the seconds of a point of a kind of question, and how many were computed."""
    questions = [sweep.questions[number] for number in numbers]
    at_once = sweep.draws is not None and batchable(questions[0], sweep.measures)
    if not at_once:
        questions = [questions[len(questions) // 2]]
    asked = tuple(_limited(one, left) for one in questions)
    draws: tuple[tuple[int, DataSpec], ...] = ()
    if sweep.draws is not None:
        most = min(32 if at_once else 1, sweep.n_draws)
        draws = tuple((number, sweep.draws.spec(number)) for number in range(most))
    known = counted.get(asked[0].data)
    chunk = Chunk(
        0,
        0,
        asked,
        draws,
        sweep.n_draws,
        sweep.measures,
        sweep.scenario.numbers,
        at_once,
        known,
    )
    taken = Stopwatch()
    found = compute(chunk, report=lambda _: None)
    seconds = taken.seconds / found.num_rows
    if UNPROVEN in found["status"].to_pylist():
        seconds = max(seconds, questions[0].time_limit)
    return seconds, int(found.num_rows)


def _limited(question: Scenario, seconds: float) -> Scenario:
    return replace(question, time_limit=min(question.time_limit, seconds))
