"""The functions that the interface runs in a pool; each reports its progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.data import Counted
from core.data.databases.reference import parse
from core.data.databases.tables import (
    DatabaseColumn,
    check_listed,
    check_open,
    columns_of,
    fetch,
    tables_of,
)
from core.data.options import ReadOptions
from core.data.readers.marks import with_marks
from core.data.readers.reading import Upload, read_file
from core.data.readers.sources import shared_file
from core.data.tables import FileTable
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.mechanisms import Mechanism, optimal
from core.nonstochastic import Clustering, FrontierPoint, pareto_frontier, rivals, solve
from core.notions import Notion
from core.notions.numbers import Numbers
from core.records.certificate import Made, make
from core.records.checking.check import Check
from core.records.design import Plan
from core.records.other_columns import given_away
from core.records.verifying import verify
from core.release import second_release
from core.release.beside import Beside
from core.release.implications import implications
from core.release.reach import Implication
from core.release.repeats import Redrawn, redrawn
from core.scenario import Result, Scenario, answer, measured
from core.scenario.purpose import build_purpose
from core.studies.advice import Realised, realised_levels
from core.studies.comparison import Compared, compare
from core.studies.frontier import Frontier, sweep
from core.studies.known import OPTIMUM
from core.studies.matching import Match, match
from core.studies.side_by_side import levels
from core.validation import BoolArray, FloatArray

Report = Callable[[Any], None]
"""Is called with a job's progress."""


def read_workbook(path: Path, name: str, read: ReadOptions, *, report: Report) -> Upload:
    """Read an uploaded file in its own folder."""
    report("reading")
    return read_file(path, name, path.parent, read)


def read_shared(name: str, folder: Path, *, report: Report) -> Upload:
    """Read a file of the owner's folder: Parquet stays there, others are copied to `folder`."""
    report("reading")
    return read_file(shared_file(name), name, folder)


def list_tables(address: str, *, report: Report) -> tuple[str, ...]:
    report("listing")
    return tables_of(address)


def list_columns(source: str, *, report: Report) -> tuple[DatabaseColumn, ...]:
    report("listing")
    return columns_of(source)


def count_table(source: str, columns: Sequence[str], path: Path, *, report: Report) -> FileTable:
    """Have such a database count a table by some columns, and write the counts to a file."""
    report("counting")
    check_open(source)
    table = parse(source)
    counts = fetch(table, columns, path, allow=lambda backend: check_listed(backend, source, table))
    return with_marks(counts)


def find_all(
    calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]], *, report: Report
) -> tuple[Any, ...]:
    """Make several calls of functions of this module; where one fails, its error is the answer."""
    report("working")
    return tuple(_found(call, arguments) for call, arguments in calls)


def _found(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return call(*arguments, report=lambda _: None)
    except CoreError as error:
        return error


def find_answer(scenario: Scenario, counted: Counted, *, report: Report) -> Result:
    report("solving")
    return answer(scenario, counted)


def improve_answer(
    scenario: Scenario, counted: Counted, kernel: FloatArray | None, *, report: Report
) -> Result:
    """Answer a scenario again with a longer limit; an optimum starts from the kernel, if given."""
    report("solving")
    if scenario.mechanism != OPTIMUM:
        return answer(scenario, counted)
    found = optimal(
        counted.joint,
        scenario.build_notion(counted.joint),
        time_limit=scenario.time_limit,
        gap=scenario.gap,
        seed=scenario.seed,
        utility=build_purpose(scenario, counted.joint, counted.x_values, counted.task),
        start=kernel,
    )
    return measured(scenario, counted, found)


def compare_all(
    scenario: Scenario, counted: Counted, level: float, seconds: float, *, report: Report
) -> tuple[Compared, ...]:
    """Run every mechanism at one level of LIP, each for at most `seconds` seconds."""
    report("comparing")
    return compare(scenario, counted, level, seconds)


def make_frontier(
    scenario: Scenario, counted: Counted, budgets: Sequence[float], *, report: Report
) -> Frontier:
    report("sweeping")
    return sweep(scenario, counted.joint, budgets, counted.x_values, counted.task)


def cluster(
    problem: str,
    occurs: BoolArray,
    weight: float,
    utility: str,
    values: FloatArray | None,
    *,
    report: Report,
) -> Clustering:
    report("merging")
    return solve(problem, occurs, weight, utility, values)


def make_trade_offs(
    problem: str, occurs: BoolArray, utility: str, values: FloatArray | None, *, report: Report
) -> tuple[FrontierPoint, ...]:
    report("merging")
    return pareto_frontier(occurs, problem, utility, values)


def make_rivals(
    problem: str, occurs: BoolArray, utility: str, values: FloatArray | None, *, report: Report
) -> Mapping[str, tuple[FrontierPoint, ...]]:
    """Compute the frontiers that an algorithm's is compared with."""
    report("merging")
    return rivals(problem, occurs, utility, values)


def find_implications(
    joint: Joint, notion: Notion, seconds: float, *, report: Report
) -> dict[str, Implication]:
    report("bounding")
    return implications(joint, notion, seconds)


def find_redrawn(
    joint: Joint, kernel: FloatArray, notion: Notion, *, report: Report
) -> tuple[Redrawn, ...]:
    report("drawing")
    return redrawn(joint, kernel, notion)


def find_levels(
    joint: Joint, kernel: FloatArray, numbers: Numbers, *, report: Report
) -> dict[str, float]:
    report("measuring")
    return levels(joint, kernel, numbers)


def find_realised(joint: Joint, kernel: FloatArray, *, report: Report) -> dict[str, Realised]:
    """Compute what a release's levels may be at the truth that the data is a sample of."""
    report("measuring")
    return realised_levels(joint, kernel)


def find_match(
    scenario: Scenario, counted: Counted, target: str, value: float, *, report: Report
) -> Match:
    return match(scenario, counted, target, value, report=report)


def make_release(
    result: Result, original: Upload, plan: Plan, target: Path, *, report: Report
) -> Made:
    """Release the file that a mechanism was made for; reports (records done, of how many)."""
    report((0, original.rows))
    try:
        return make(
            result, original, plan, target, progress=lambda done: report((done, original.rows))
        )
    except InvalidInputError as error:
        said = str(error).replace(f"{target.parent}{os.sep}", "")
        raise InvalidInputError(said) from None


def find_given_away(
    result: Result,
    original: Upload,
    groups: Sequence[Sequence[str]],
    unknown: str,
    of_text: bool,
    *,
    report: Report,
) -> tuple[Beside, ...]:
    """Count what groups of columns give away; reports (groups done, of how many)."""
    report((0, len(groups)))
    return given_away(
        result,
        original.table,
        groups,
        unknown=unknown,
        of_text=of_text,
        progress=lambda done: report((done, len(groups))),
    )


def verify_release(
    certificate: str,
    released: Path,
    original: Path | None,
    seed: str | None,
    key: bytes | None,
    *,
    report: Report,
) -> list[Check]:
    """Check a certificate against the files that it describes."""
    report("checking")
    try:
        return verify(certificate, released, original, seed, key=key)
    except InvalidInputError as error:
        said = str(error)
        for path in filter(None, (released, original)):
            said = said.replace(f"{path.parent}{os.sep}", "")
        raise InvalidInputError(said) from None


def find_second(
    joint: Joint, notion: Notion, first: FloatArray, seconds: float, *, report: Report
) -> Mechanism:
    """Design a second release that satisfies a notion together with the first."""
    report("solving")
    return second_release(joint, notion, first, time_limit=seconds)


PURE: frozenset[Callable[..., Any]] = frozenset(
    {
        find_answer,
        improve_answer,
        compare_all,
        make_frontier,
        cluster,
        make_trade_offs,
        make_rivals,
        find_implications,
        find_redrawn,
        find_levels,
        find_realised,
        find_match,
        find_second,
    }
)
"""Functions that read their arguments alone, no files: they may run on any machine."""
