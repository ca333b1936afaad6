"""What the Confusability page asks of `core`: kept by question, in another process where slow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from core.data import DataSpec
from core.errors import InvalidInputError
from core.jobs import Job
from core.jobs.work import cluster, make_rivals, make_trade_offs
from core.nonstochastic import Clustering, FrontierPoint
from core.nonstochastic.baselines.rivals import SLOW_FROM
from core.nonstochastic.catalogue import ALGORITHM, ClusteringEntry, entry
from core.nonstochastic.ranges.partition import Partition
from core.release.confusability import DRAWN, ConfusabilityGraph, component_graph, release_graph
from core.release.quantised import RangeRelease, RangeTable, range_release, range_table
from core.scenario import Scenario
from core.validation import BoolArray, FloatArray
from pages.ui.work import derived
from pages.ui.work.long_answer import LongAnswer

LIMIT = 120.0
"""Seconds that work in the background may take."""

Made = TypeVar("Made")

Range = tuple[BoolArray, FloatArray | None]
RangeQuestion = tuple[str, str, DataSpec]
"""Problem, utility and data."""


def joint_range(data: DataSpec, utility: str) -> Range:
    """Return which pairs occur, and the numbers of X where the utility needs them.

    Raises
    ------
    InvalidInputError
        If the utility needs numbers and X has none.
    """
    counted = derived.counted(data)
    if utility == "distortion" and counted.x_values is None:
        raise InvalidInputError(
            "Distortion needs a numeric X: one column of numbers without a level for missing "
            f"values, got {counted.report.released!r}."
        )
    return counted.joint.p > 0, counted.x_values if utility == "distortion" else None


def clustering(problem: str, scenario: Scenario) -> Clustering | Job[Clustering]:
    """Return a problem's clustering for a scenario's weight; the job while it is worked out.

    Raises
    ------
    CoreError
        If there is no answer, it took too long or this session stopped it.
    """
    return _found(
        clustering_work(problem, scenario),
        quick=_symbols(scenario.data) < algorithm(problem).slow_from,
    )


def clustering_work(problem: str, scenario: Scenario) -> LongAnswer[Clustering]:
    """Return the work of `clustering` where it is not quick."""

    def arguments() -> tuple[Any, ...]:
        occurs, values = joint_range(scenario.data, scenario.utility)
        return problem, occurs, scenario.weight, scenario.utility, values

    key = ("clustering", problem, repr(scenario.weight), scenario.utility)
    return LongAnswer(scenario.data, key, cluster, arguments, LIMIT, urgent=True)


def trade_offs(asked: RangeQuestion) -> tuple[FrontierPoint, ...] | Job[Any]:
    """Return an algorithm's frontier over all weights; the job while it is worked out."""
    problem, _, data = asked
    return _found(
        trade_offs_work(asked),
        quick=_symbols(data) < algorithm(problem).sweep_slow_from,
    )


def compared(asked: RangeQuestion) -> Mapping[str, tuple[FrontierPoint, ...]] | Job[Any]:
    """Return the baselines' frontiers; the job while they are worked out."""
    return _found(rivals_work(asked), quick=_symbols(asked[2]) < SLOW_FROM)


def trade_offs_work(asked: RangeQuestion) -> LongAnswer[tuple[FrontierPoint, ...]]:
    """Return the work of `trade_offs` where it is not quick."""
    return _frontier_work("trade-offs", make_trade_offs, asked)


def rivals_work(asked: RangeQuestion) -> LongAnswer[Mapping[str, tuple[FrontierPoint, ...]]]:
    """Return the work of `compared` where it is not quick."""
    return _frontier_work("rivals", make_rivals, asked)


def _frontier_work(kind: str, call: Callable[..., Made], asked: RangeQuestion) -> LongAnswer[Made]:
    problem, utility, data = asked
    return LongAnswer(
        data,
        (kind, problem, utility),
        call,
        lambda: (problem, *_with_utility(data, utility)),
        LIMIT,
    )


def _with_utility(data: DataSpec, utility: str) -> tuple[Any, ...]:
    occurs, values = joint_range(data, utility)
    return occurs, utility, values


def algorithm(problem: str) -> ClusteringEntry:
    """Return what the catalogue says of a problem's algorithm."""
    return entry(problem, ALGORITHM)


def _symbols(data: DataSpec) -> int:
    return derived.counted(data).joint.n_x


def released(data: DataSpec, partition: Partition) -> RangeRelease:
    """Return the release of a partition: what publishing the cluster of X tells and keeps."""
    counted = derived.counted(data)
    return derived.kept(
        data,
        ("range release", repr(data), repr(partition)),
        lambda: range_release(counted.joint, partition, counted.x_values),
    )


def graph(
    data: DataSpec, partition: Partition, nodes: str, part: int | None = None, most: int = DRAWN
) -> ConfusabilityGraph:
    """Return the confusability graph of a partition, or of one of its parts."""
    key = ("range graph", repr(data), repr(partition), nodes, repr(part), str(most))
    names = derived.counted(data).joint.s_labels
    return derived.kept(
        data,
        key,
        lambda: release_graph(
            released(data, partition).leak, names, nodes=nodes, part=part, most=most
        ),
    )


def parts(data: DataSpec, partition: Partition, nodes: str) -> ConfusabilityGraph:
    """Return the parts of a partition's confusability graph, a node each."""
    names = derived.counted(data).joint.s_labels
    return derived.kept(
        data,
        ("range parts", repr(data), repr(partition), nodes),
        lambda: component_graph(released(data, partition).leak, names, nodes=nodes),
    )


def table(data: DataSpec, partition: Partition) -> RangeTable:
    """Return which secrets occur with which clusters."""
    return derived.kept(
        data,
        ("range table", repr(data), repr(partition)),
        lambda: range_table(released(data, partition).leak, derived.counted(data).joint.s_labels),
    )


def _found(work: LongAnswer[Made], *, quick: bool) -> Made | Job[Made]:
    """Return an answer, made here where that is quick, else the job until it has ended."""
    return work.here() if quick else work.ask()
