"""The answers of all columns; each column is a part of the page that waits for its own work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import find_levels
from core.notions.numbers import Numbers
from core.scenario import Result, Scenario
from core.studies.side_by_side import Column, entries, is_slow, levels, reference
from pages.ui.compare import query
from pages.ui.work import answers, derived, long_answer
from pages.ui.work.long_answer import LongAnswer

PART = "column"
"""How the names of the parts of the page begin that wait for a column's answer."""

LEVELS_LIMIT = 120.0
"""Seconds that the levels of robust notions may take."""

_LAST = "_compare_last"


@dataclass(frozen=True, eq=False)
class Answered:
    """A column and the state of its answer.

    Attributes
    ----------
    place : int
        From the left, from 0.
    name, note : str
        As the user wrote them.
    scenario : Scenario
        Its question.
    result : Result or None
        The best answer so far.
    error : CoreError or None
        Why there is no answer.
    working : bool
        Whether a first or a better answer is being worked out.
    old : Result or None
        Where there is no answer, that of the last question that the column asked.
    """

    place: int
    name: str
    note: str
    scenario: Scenario
    result: Result | None = None
    error: CoreError | None = None
    working: bool = False
    old: Result | None = None


def part(place: int) -> str:
    """Return the part of the page that waits for a column's answer."""
    return f"{PART} {place}"


def is_first() -> bool:
    """Say whether the session has had no column's answer yet."""
    return not st.session_state.get(_LAST)


def answered() -> list[Answered]:
    """Return every column that is shown, with the state of its answer."""
    asked = query.shown()
    long_answer.await_nowhere(PART, [part(place) for place in range(len(asked))])
    return [_answered(place, *column) for place, column in enumerate(asked)]


def result_of(place: int) -> Result:
    """Return a column's answer.

    Raises
    ------
    CoreError
        If there is none.
    """
    with long_answer.within(part(place)):
        return answers.evaluate(query.shown()[place][0])


def _answered(place: int, scenario: Scenario, name: str, note: str) -> Answered:
    last: dict[int, Result] = st.session_state.setdefault(_LAST, {})
    with long_answer.within(part(place)):
        try:
            result = answers.evaluate(scenario)
        except answers.UnfinishedError as error:
            old = last.get(place)
            return Answered(place, name, note, scenario, error=error, working=True, old=old)
        except CoreError as error:
            return Answered(place, name, note, scenario, error=error, old=last.get(place))
        working = answers.is_refining(scenario)
    last[place] = result
    return Answered(place, name, note, scenario, result, working=working)


def is_working(place: int, scenario: Scenario) -> bool:
    """Say whether a column's answer is being worked out."""
    with long_answer.within(part(place)):
        return answers.is_refining(scenario)


def is_better(one: Answered) -> bool:
    """Say whether a better answer than the one on screen has become known."""
    if one.result is None:
        return not is_working(one.place, one.scenario)
    with long_answer.within(part(one.place)):
        return answers.is_better(one.scenario, one.result.mechanism)


def is_stopped(column: Answered) -> bool:
    """Say whether this session stopped the work on a better answer than the one on screen."""
    with long_answer.within(part(column.place)):
        try:
            answers.refining(column.scenario)
        except long_answer.StoppedError:
            return True
        except CoreError:
            return False
    return False


def stop(column: Answered) -> None:
    """Stop the work on a column's answer."""
    answers.answer_work(column.scenario).stop()


def columns(found: Sequence[Answered], numbers: Numbers) -> tuple[Column, ...]:
    """Return the answers with their levels, as `core.studies` compares them."""
    told = []
    for one in found:
        with long_answer.within(part(one.place)):
            reached = {} if one.result is None else _levels(one.result, numbers)
        told.append(Column(one.name, one.scenario, one.result, str(one.error or ""), reached))
    return tuple(told)


def waiting_levels(found: Sequence[Answered], numbers: Numbers) -> list[Job[dict[str, float]]]:
    """Return the jobs at work on levels that take long."""
    jobs = []
    for one in found:
        if one.result is not None and _has_slow(one.result):
            with long_answer.within(part(one.place)):
                try:
                    job = _slow(one.result, numbers).ask()
                except CoreError:
                    continue  # the level is shown as not known
            if isinstance(job, Job):
                jobs.append(job)
    return jobs


def still_measuring(asked: Sequence[tuple[Scenario, str, str]]) -> bool:
    """Say whether levels that take long are being worked out."""
    found = [_answered(place, *column) for place, column in enumerate(asked)]
    return bool(waiting_levels(found, reference([scenario for scenario, _, _ in asked])))


def _levels(result: Result, numbers: Numbers) -> Mapping[str, float]:
    """Return a release's level of every notion: the quick ones at once, the others when ready."""
    data, made = result.scenario.data, result.mechanism
    quick: dict[str, float] = derived.kept(
        data,
        ("quick levels", result.content_id, repr(numbers)),
        lambda: levels(result.joint, made.kernel, numbers, slow=False),
    )
    if not _has_slow(result):
        long_answer.await_only("levels", ())
        return quick
    work = _slow(result, numbers)
    long_answer.await_only("levels", [work])
    try:
        found = work.ask()
    except CoreError:
        return quick
    return quick if isinstance(found, Job) else found


def _has_slow(result: Result) -> bool:
    cells = result.mechanism.kernel.size
    return any(is_slow(entry, cells) for entry in entries())


def _slow(result: Result, numbers: Numbers) -> LongAnswer[dict[str, float]]:
    return LongAnswer(
        result.scenario.data,
        ("levels", result.content_id, repr(numbers)),
        find_levels,
        lambda: (result.joint, result.mechanism.kernel, numbers),
        LEVELS_LIMIT,
    )
