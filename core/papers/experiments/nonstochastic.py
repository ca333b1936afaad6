"""[NonStoch] Figures 8 and 9 on the Hungarian heart data, and its examples."""

from __future__ import annotations

import numpy as np

from core.data import DataSpec, count
from core.nonstochastic.baselines import submodular_frontier, suppression_frontier
from core.nonstochastic.clustering.algorithms import (
    merge_for_anonymity,
    merge_for_indistinguishability,
)
from core.nonstochastic.clustering.frontier import FrontierPoint, pareto_frontier
from core.papers.experiment import Findings, Setting, numbers
from core.papers.results import Panel, Series, Verdict, printed
from core.papers.verdicts import Value
from core.validation import BoolArray, FloatArray

PAPER = printed("nonstochastic")


UTILITIES = ("resolution", "distortion")

NAMES = ("Algorithm 1", "generalization and suppression", "Algorithm 2", "submodular")
"""The frontiers of Figure 9, in the order in which they are computed."""

HEART = DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")


def heart(setting: Setting) -> Findings:
    """Run Figures 8 and 9: descents of the Lagrangian, and frontiers with their rivals."""
    counted = count(HEART)
    occurs: BoolArray = np.asarray(counted.joint.p > 0)
    assert counted.x_values is not None
    values: FloatArray = counted.x_values
    setting.report((0, 3))
    falls, descents = _descents(occurs, values)
    setting.report((1, 3))
    first = {kind: pareto_frontier(occurs, "anonymity", kind, values) for kind in UTILITIES}
    rivals = {kind: suppression_frontier(occurs, kind, values) for kind in UTILITIES}
    setting.report((2, 3))
    second = {kind: pareto_frontier(occurs, "maximin", kind, values) for kind in UTILITIES}
    submodular = {
        kind: submodular_frontier(
            occurs, kind, values, weights=[0.0, 0.5, 1.0] if setting.quick else None
        )
        for kind in UTILITIES
    }
    return Findings(
        0,
        (
            Panel("Figure 8: the Lagrangian along the steps", "step", "L0 or I* − λ·utility"),
            *(
                Panel(f"Figure 9: L0 against lost {kind}", "utility lost", "L0, bits")
                for kind in UTILITIES
            ),
            *(
                Panel(f"Figure 9: I* against lost {kind}", "utility lost", "I*, bits")
                for kind in UTILITIES
            ),
        ),
        (*descents, *_frontiers(first, rivals, second, submodular)),
        _verdicts(falls, first, rivals, second, submodular),
        notes=("The paper does not give the λ of Figure 8; ours are 0.01, 0.05, 0.1 and 0.5.",),
        scenario={
            "data": {
                "source": HEART.source,
                "secret": list(HEART.secret),
                "released": list(HEART.released),
                "missing": HEART.missing,
            }
        },
    )


Frontiers = dict[str, tuple[FrontierPoint, ...]]
"""Frontiers by utility."""


def _frontiers(*frontiers: Frontiers) -> list[Series]:
    """Return the frontiers of `NAMES` as points, in the panels of their measure and utility."""
    return [
        _points(name, points[kind], panel + 2 * (place // 2))
        for place, (name, points) in enumerate(zip(NAMES, frontiers, strict=True))
        for panel, kind in enumerate(UTILITIES, start=1)
    ]


def _verdicts(
    falls: dict[str, float],
    first: Frontiers,
    rivals: Frontiers,
    second: Frontiers,
    submodular: Frontiers,
) -> tuple[Verdict, ...]:
    """Return the verdicts on the least fall of each run, and on the frontiers."""
    return (
        Verdict(
            "ORD",
            "The Lagrangian falls strictly until the algorithms stop",
            "Figure 8",
            tuple(Value(name, least) for name, least in falls.items()),
        ),
        Verdict(
            "ORD",
            "Algorithm 1 loses no more utility than suppression at the same L0",
            "Figure 9",
            tuple(
                Value(
                    f"Smallest lead in {kind}",
                    _least_lead(first[kind], rivals[kind]),
                    relation="at least",
                )
                for kind in UTILITIES
            ),
        ),
        Verdict(
            "NUM",
            "Several points of Algorithm 2 are strictly better than the submodular solution",
            PAPER["several"].place,
            tuple(
                PAPER["several"].beside(
                    _better(second[kind], submodular[kind]), name=f"Points of Algorithm 2, {kind}"
                )
                for kind in UTILITIES
            ),
            "Maximin information is 1 bit in these data, so a frontier has at most two points. "
            "The counts behind the paper's figure are lost, so the figure may show other data.",
        ),
    )


def _descents(occurs: BoolArray, values: FloatArray) -> tuple[dict[str, float], tuple[Series, ...]]:
    """Return the least fall of a step of each run that has one, and the runs' Lagrangians."""
    weights = (0.01, 0.05, 0.1, 0.5)  # λ of Figure 8, which are not published
    falls, drawn = {}, []
    for name, solve in (
        ("Algorithm 1", merge_for_anonymity),
        ("Algorithm 2", merge_for_indistinguishability),
    ):
        for kind in UTILITIES:
            for weight in weights:
                path = solve(occurs, weight, kind, values).path
                if len(path) < 2:
                    continue
                title = f"{name}, {kind}, λ = {weight:g}"
                along = np.array([step.lagrangian for step in path])
                falls[title] = float(-np.diff(along).max())
                if weight == weights[0]:
                    drawn.append(Series(title, numbers(np.arange(len(along))), numbers(along)))
    return falls, tuple(drawn)


def _points(name: str, points: tuple[FrontierPoint, ...], panel: int) -> Series:
    return Series(
        name,
        numbers([point.loss for point in points]),
        numbers([point.leakage for point in points]),
        panel=panel,
        kind="points",
    )


def _least_lead(ours: tuple[FrontierPoint, ...], theirs: tuple[FrontierPoint, ...]) -> float:
    """Return by how much our utility at most their leakage exceeds theirs, at the worst point."""
    leads = [
        max(own.utility for own in ours if own.leakage <= other.leakage + 1e-9) - other.utility
        for other in theirs
    ]
    return min(leads)


def _better(ours: tuple[FrontierPoint, ...], theirs: tuple[FrontierPoint, ...]) -> float:
    """Return how many of our points have less leakage and less loss than one of theirs."""
    return float(
        sum(
            any(
                own.leakage < other.leakage - 1e-9 and own.loss < other.loss - 1e-9
                for other in theirs
            )
            for own in ours
        )
    )


def examples(setting: Setting) -> Findings:
    """Say why Examples 1 to 5 cannot be checked."""
    setting.report((0, 1))
    return Findings(
        0,
        (),
        (),
        (
            Verdict(
                "NO",
                "The leakages, graphs and solutions of Examples 1 to 5",
                "Examples 1 to 5",
                (),
                "The available text of the paper has lost their data and symbols.",
            ),
        ),
    )
