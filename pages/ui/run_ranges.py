"""What the Confusability page asks of `core`: cached like `run`, in another process where slow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from core.data import DataSpec
from core.errors import CoreError, InvalidInputError
from core.jobs import Job, Pool
from core.jobs.work import cluster, make_rivals, make_trade_offs
from core.lookalikes import DRAWN, Lookalikes, lookalikes, parts_alone
from core.nonstochastic import (
    Clustering,
    FrontierPoint,
    pareto_frontier,
    rivals,
    solve,
)
from core.nonstochastic.ranges import Partition
from core.range_release import RangeRelease, RangeTable, range_release, range_table
from core.scenario import Scenario
from core.validation import BoolArray, FloatArray
from pages.ui import background, run
from pages.ui.background import Task

QUICK_SYMBOLS = 160
"""Largest alphabet of X whose clustering takes less than a glance."""

QUICK_SWEEP = 40
"""The same for the frontier of (10), which is merged anew for every stretch of λ."""

EXACT_SYMBOLS = 8
"""Alphabet of X from which on looking at all partitions takes longer than a glance."""

LIMIT = 120.0
"""Seconds that work in the background may take."""

CLUSTERINGS = Pool(1)
"""Works out clusterings beside the interface, in a process of its own."""

Made = TypeVar("Made")

Range = tuple[BoolArray, FloatArray | None]
Asked = tuple[str, str, DataSpec]
"""Problem, utility and data."""


def joint_range(data: DataSpec, utility: str) -> Range:
    """Return which pairs occur, and the numbers of X where the utility needs them.

    Raises
    ------
    InvalidInputError
        If the utility needs numbers and X has none.
    """
    counted = run.counted(data)
    if utility == "distortion" and counted.x_values is None:
        raise InvalidInputError(
            "Distortion needs a numeric X: one column of numbers without a level for missing "
            f"values, got {counted.report.released!r}."
        )
    return counted.joint.p > 0, counted.x_values if utility == "distortion" else None


def numeric(data: DataSpec) -> bool:
    """Say whether X is numeric; not where the data has an error, which is told elsewhere."""
    try:
        return run.counted(data).x_values is not None
    except CoreError:
        return False


def clustering(problem: str, scenario: Scenario) -> Clustering | Job[Clustering]:
    """Return what a problem's algorithm finds for a scenario's weight; a job while it is at work.

    Raises
    ------
    CoreError
        If there is no answer, it took too long or this session stopped it.
    """
    occurs, values = joint_range(scenario.data, scenario.utility)
    question = (problem, occurs, scenario.weight, scenario.utility, values)
    return _found(
        clustering_task(problem, scenario),
        lambda: solve(*question),
        lambda: CLUSTERINGS.submit(cluster, *question, time_limit=LIMIT),
        quick=occurs.shape[1] <= QUICK_SYMBOLS,
    )


def clustering_task(problem: str, scenario: Scenario) -> Task:
    """Return the name of what `clustering` does, to stop it or to start it again."""
    return Task(scenario.data, ("clustering", problem, repr(scenario.weight), scenario.utility))


def trade_offs(asked: Asked) -> tuple[FrontierPoint, ...] | Job[Any]:
    """Return an algorithm's frontier over all weights; a job while it is at work."""
    problem, utility, data = asked
    occurs, values = joint_range(data, utility)
    return _found(
        trade_offs_task(asked),
        lambda: pareto_frontier(occurs, problem, utility, values),
        lambda: CLUSTERINGS.submit(
            make_trade_offs, problem, occurs, utility, values, time_limit=LIMIT
        ),
        quick=occurs.shape[1] <= (QUICK_SWEEP if problem == "reduction" else QUICK_SYMBOLS),
    )


def compared(asked: Asked) -> Mapping[str, tuple[FrontierPoint, ...]] | Job[Any]:
    """Return the frontiers to hold an algorithm's against; a job while it is at work."""
    problem, utility, data = asked
    occurs, values = joint_range(data, utility)
    return _found(
        rivals_task(asked),
        lambda: rivals(problem, occurs, utility, values),
        lambda: CLUSTERINGS.submit(make_rivals, problem, occurs, utility, values, time_limit=LIMIT),
        quick=occurs.shape[1] <= EXACT_SYMBOLS,
    )


def trade_offs_task(asked: Asked) -> Task:
    """Return the name of what `trade_offs` does."""
    problem, utility, data = asked
    return Task(data, ("trade-offs", problem, utility))


def rivals_task(asked: Asked) -> Task:
    """Return the name of what `compared` does."""
    problem, utility, data = asked
    return Task(data, ("rivals", problem, utility))


def pending(asked: Asked) -> bool:
    """Say whether a frontier or its rivals are still being worked out."""
    return any(isinstance(_tried(find, asked), Job) for find in (trade_offs, compared))


def _tried(find: Callable[[Asked], Any], asked: Asked) -> Any:
    """Return what is found, or None where there is nothing: whoever shows it says why."""
    try:
        return find(asked)
    except CoreError:
        return None


def released(data: DataSpec, partition: Partition) -> RangeRelease:
    """Return what publishing the cluster of X tells and keeps."""
    counted = run.counted(data)
    return run._cached(
        data,
        ("range release", repr(data), repr(partition)),
        lambda: range_release(counted.joint, partition, counted.x_values),
    )


def graph(
    data: DataSpec, partition: Partition, nodes: str, part: int | None = None, most: int = DRAWN
) -> Lookalikes:
    """Return the confusability graph of a partition, or of one of its parts."""
    key = ("range graph", repr(data), repr(partition), nodes, repr(part), str(most))
    names = run.counted(data).joint.s_labels
    return run._cached(
        data,
        key,
        lambda: lookalikes(
            released(data, partition).leak, names, nodes=nodes, part=part, most=most
        ),
    )


def parts(data: DataSpec, partition: Partition, nodes: str) -> Lookalikes:
    """Return the parts of a partition's confusability graph, a node each."""
    names = run.counted(data).joint.s_labels
    return run._cached(
        data,
        ("range parts", repr(data), repr(partition), nodes),
        lambda: parts_alone(released(data, partition).leak, names, nodes=nodes),
    )


def table(data: DataSpec, partition: Partition) -> RangeTable:
    """Return which secrets occur with which clusters."""
    return run._cached(
        data,
        ("range table", repr(data), repr(partition)),
        lambda: range_table(released(data, partition).leak, run.counted(data).joint.s_labels),
    )


def _found(
    task: Task,
    here: Callable[[], Made],
    elsewhere: Callable[[], Job[Made]],
    *,
    quick: bool,
) -> Made | Job[Made]:
    """Return an answer, made here where that is quick, else the job until it has ended."""
    return run._cached(task.data, task.name, here) if quick else background.ask(task, elsewhere)
