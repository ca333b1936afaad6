"""What the interface runs in a pool beside functions of `core`, and which may run anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.data import Counted
from core.data.databases.reference import parse
from core.data.databases.tables import check_listed, check_open, fetch
from core.data.readers.marks import with_marks
from core.data.readers.reading import Upload, read_file
from core.data.readers.sources import shared_file
from core.data.tables import FileTable
from core.errors import CoreError, InvalidInputError
from core.jobs.job import carry_out
from core.mechanisms import ForEach, optimal, optimal_for_each
from core.nonstochastic import pareto_frontier, rivals, solve
from core.records.certificate import Made, make
from core.records.checking.check import Check
from core.records.design import Plan
from core.records.for_each import ResultForEach, designed_for_each
from core.records.other_columns import attacked, given_away
from core.records.several import Several
from core.records.verifying import verify
from core.release import second_release
from core.release.attack import Attack
from core.release.beside import Beside
from core.release.implications import implications
from core.release.repeats import redrawn
from core.scenario import Result, Scenario, answer, measured
from core.scenario.purpose import build_purpose
from core.studies.advice import realised_levels
from core.studies.comparison import compare
from core.studies.frontier import sweep
from core.studies.known import OPTIMUM
from core.studies.matching import match
from core.studies.side_by_side import levels
from core.validation import FloatArray

Report = Callable[[Any], None]
"""Is called with a job's progress."""


def read_shared(name: str, folder: Path) -> Upload:
    """Read a file of the owner's folder: Parquet stays there, others are copied to `folder`."""
    return read_file(shared_file(name), name, folder)


def count_table(source: str, columns: Sequence[str], path: Path) -> FileTable:
    """Have such a database count a table by some columns, and write the counts to a file."""
    check_open(source)
    table = parse(source)
    counts = fetch(table, columns, path, allow=lambda backend: check_listed(backend, source, table))
    return with_marks(counts)


def find_all(calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> tuple[Any, ...]:
    """Make several calls; where one fails, its error is the answer."""
    return tuple(_outcome(call, arguments) for call, arguments in calls)


def _outcome(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return carry_out(call, arguments)
    except CoreError as error:
        return error


def improve_answer(scenario: Scenario, counted: Counted, kernel: FloatArray | None) -> Result:
    """Answer a scenario again with a longer limit; an optimum starts from the kernel, if given."""
    if scenario.mechanism != OPTIMUM:
        return answer(scenario, counted)
    mechanism = optimal(
        counted.joint,
        scenario.build_notion(counted.joint),
        time_limit=scenario.time_limit,
        gap=scenario.gap,
        seed=scenario.seed,
        utility=build_purpose(scenario, counted.joint, counted.x_values, counted.task),
        start=kernel,
    )
    return measured(scenario, counted, mechanism)


def find_for_each(
    scenario: Scenario, counted: Counted, least: float, seconds: float, *, report: Report
) -> ForEach:
    """Make a mechanism for each known value; reports (mechanisms made, of how many)."""
    return optimal_for_each(
        counted.joint,
        scenario.build_notion(counted.joint),
        least=least,
        time_limit=seconds,
        gap=scenario.gap,
        seed=scenario.seed,
        progress=lambda *made: report(made),
    )


def find_release_for_each(
    result: Result, table: FileTable, least: int, longer: int, *, report: Report
) -> ResultForEach:
    """Make a mechanism for each known value, to be released; reports as `find_for_each`."""
    return designed_for_each(*(result, table, least, longer), progress=lambda *made: report(made))


def make_release(
    result: Result,
    original: Upload,
    plan: Plan,
    target: Path,
    several: Several | None = None,
    *,
    report: Report,
) -> Made:
    """Release the file that a mechanism was made for; reports (records done, of how many)."""
    report((0, original.rows))
    try:
        return make(
            *(result, original, plan, target),
            progress=lambda done: report((done, original.rows)),
            several=several,
        )
    except InvalidInputError as error:
        message = str(error).replace(f"{target.parent}{os.sep}", "")
        raise InvalidInputError(message) from None


def find_given_away(
    result: Result,
    table: FileTable,
    groups: Sequence[Sequence[str]],
    unknown: str,
    of_text: bool,
    further: Sequence[Result] = (),
    *,
    report: Report,
) -> tuple[Beside, ...]:
    """Count what groups of columns give away; reports (groups done, of how many)."""
    report((0, len(groups)))
    return given_away(
        result,
        table,
        groups,
        unknown=unknown,
        of_text=of_text,
        progress=lambda done: report((done, len(groups))),
        further=further,
    )


def find_attack(
    result: Result,
    table: FileTable,
    names: Sequence[str],
    unknown: str,
    of_text: bool,
    further: Sequence[Result] = (),
) -> Attack:
    """Guess S from Y and columns beside it."""
    return attacked(*(result, table, names), unknown=unknown, of_text=of_text, further=further)


def verify_release(
    certificate: str,
    released: Path,
    original: Path | None,
    seed: str | None,
    key: bytes | None,
) -> list[Check]:
    """Check a certificate against the files that it describes."""
    try:
        return verify(certificate, released, original, seed, key=key)
    except InvalidInputError as error:
        message = str(error)
        for path in filter(None, (released, original)):
            message = message.replace(f"{path.parent}{os.sep}", "")
        raise InvalidInputError(message) from None


PURE: frozenset[Callable[..., Any]] = frozenset(
    {
        answer,
        compare,
        find_for_each,
        implications,
        improve_answer,
        levels,
        match,
        pareto_frontier,
        realised_levels,
        redrawn,
        rivals,
        second_release,
        solve,
        sweep,
    }
)
"""Functions that read their arguments alone, no files: they may run on any machine."""
