"""The calls that the interface hands to a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.data import Counted
from core.data.readers.reading import Upload, read_file
from core.joint import Joint
from core.mechanisms import Mechanism, optimal
from core.nonstochastic import Clustering, FrontierPoint, pareto_frontier, rivals, solve
from core.notions import Notion
from core.notions.numbers import Numbers
from core.release import second_release
from core.release.implications import implications
from core.release.own_levels import Redrawn, redrawn
from core.release.reach import Implication
from core.scenario import Result, Scenario, answer, measured
from core.scenario.purpose import build_purpose
from core.studies.comparison import Compared, compare
from core.studies.frontier import Frontier, sweep
from core.studies.known import OPTIMUM
from core.studies.matching import Match, match
from core.studies.side_by_side import levels
from core.validation import BoolArray, FloatArray

Report = Callable[[Any], None]
"""Takes a job's progress."""


def read_workbook(path: Path, name: str, *, report: Report) -> Upload:
    """Read a file that was staged in a folder of its own, and leave its records there alone."""
    report("reading")
    upload = read_file(path, name, path.parent)
    if path not in upload.table.paths:
        path.unlink()
    return upload


def find_answer(scenario: Scenario, counted: Counted, *, report: Report) -> Result:
    """Answer a scenario on its data."""
    report("solving")
    return answer(scenario, counted)


def improve_answer(
    scenario: Scenario, counted: Counted, kernel: FloatArray | None, *, report: Report
) -> Result:
    """Answer a scenario again, going on from an earlier answer's P(y | x), where there is one.

    Only the optimum can go on from one; another search begins anew and has more time.
    """
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
    """Run every mechanism at one level of LIP, each for so many seconds at most."""
    report("comparing")
    return compare(scenario, counted, level, seconds)


def make_frontier(
    scenario: Scenario, counted: Counted, budgets: Sequence[float], *, report: Report
) -> Frontier:
    """Answer a scenario along a grid of budgets."""
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
    """Answer a problem of [NonStoch] on a joint range."""
    report("merging")
    return solve(problem, occurs, weight, utility, values)


def make_trade_offs(
    problem: str, occurs: BoolArray, utility: str, values: FloatArray | None, *, report: Report
) -> tuple[FrontierPoint, ...]:
    """Work out an algorithm's frontier over all weights."""
    report("merging")
    return pareto_frontier(occurs, problem, utility, values)


def make_rivals(
    problem: str, occurs: BoolArray, utility: str, values: FloatArray | None, *, report: Report
) -> Mapping[str, tuple[FrontierPoint, ...]]:
    """Work out the frontiers that an algorithm's is compared with."""
    report("merging")
    return rivals(problem, occurs, utility, values)


def find_implications(
    joint: Joint, notion: Notion, seconds: float, *, report: Report
) -> dict[str, Implication]:
    """Work out what a promise implies on a joint."""
    report("bounding")
    return implications(joint, notion, seconds)


def find_redrawn(
    joint: Joint, kernel: FloatArray, notion: Notion, *, report: Report
) -> tuple[Redrawn, ...]:
    """Work out what several draws of a mechanism reach."""
    report("drawing")
    return redrawn(joint, kernel, notion)


def find_levels(
    joint: Joint, kernel: FloatArray, numbers: Numbers, *, report: Report
) -> dict[str, float]:
    """Work out what a mechanism reaches of every notion."""
    report("measuring")
    return levels(joint, kernel, numbers)


def find_match(
    scenario: Scenario, counted: Counted, target: str, value: float, *, report: Report
) -> Match:
    """Find the ε at which a question reaches a value."""
    return match(scenario, counted, target, value, report=report)


def find_second(
    joint: Joint, notion: Notion, first: FloatArray, seconds: float, *, report: Report
) -> Mechanism:
    """Design a second release that keeps a promise together with the first."""
    report("solving")
    return second_release(joint, notion, first, time_limit=seconds)
