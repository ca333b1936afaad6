"""What the notions of one question imply of another's, for every joint, by the levels they bound.

A robust notion bounds the levels of each distribution of its set F, and the estimate is in F.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from core.joint import Joint
from core.measures.leakage import leakage
from core.mechanisms import Mechanism
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Average,
    Chi2Lift,
    GuessingProbability,
    L1Lift,
    MinLift,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
)
from core.notions import catalogue as notions
from core.notions.base import relative
from core.notions.levels import closed
from core.notions.numbers import Numbers
from core.scenario import Scenario
from core.uncertainty.ball import LAST_DIGITS, assumed_records

OF_EACH = {
    "rldp": "ldp",
    "robust_ldp": "ldp",
    "robust_pml": "pml",
    "robust_lip": "lip",
    "robust_alip": "alip",
}
"""The notion that a robust one asks of each distribution of its set, by their keys."""

OF_LEVELS = (
    *(LIP, ALIP, LDP, PointwiseMaximalLeakage, MinLift, PointwiseDivergence, L1Lift, Chi2Lift),
    *(GuessingProbability, Average),
)
"""Notions that hold if and only if the levels that they name are within their budgets."""


@dataclass(frozen=True)
class Bounds:
    """Upper bounds on levels, for each distribution of a set and all outputs but exceptions.

    `levels`: by key; a notion that is more than such bounds has a level of its own, its ε.
    `budgets`: those that imply the notion. `of`: what the set F is over and its order, "" for the
    estimate alone; with its records and β. `widened`: whether it is the larger set that a robust
    notion of lifts asks for. `delta`: probability of the exceptions.
    """

    levels: Mapping[str, float]
    budgets: Mapping[str, float]
    of: Hashable = ""
    records: float = math.inf
    beta: float = 1.0
    widened: bool = False
    delta: float = 0.0

    def cover(self, other: Bounds) -> bool:
        """Say whether they hold for all distributions and outputs for which others are asked.

        Fewer records and a smaller β make F larger; a widened set is known to hold F alone.
        """
        if self.delta > other.delta:
            return False
        if other.of == "":
            return True
        if other.widened:
            mine, its = (self.of, self.records, self.beta), (other.of, other.records, other.beta)
            return self.widened and mine == its
        return self.of == other.of and self.records <= other.records and self.beta <= other.beta


def bounds_of(scenario: Scenario, joint: Joint) -> tuple[Bounds, ...]:
    """Return what a scenario's notions bound at its ε: its own first, then the further ones.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> bounds_of(Scenario(notion="robust_ldp", eps=0.5, n=40), joint)[0].levels
    {'ldp': 0.5}
    """
    further = (_bounds(promise.notion, promise.numbers, joint) for promise in scenario.also)
    return (_bounds(scenario.notion, scenario.numbers, joint), *further)


def measured(joint: Joint, mechanism: Mechanism) -> Bounds:
    """Return the levels that the release of a mechanism reaches at the estimate."""
    after = leakage(joint.release(mechanism.kernel), mechanism.y_labels)
    lowest = max(0.0, -float(after.log_min_lift.min()))
    levels = {**after.achieved, "min_lift": lowest, **after.averages}
    return Bounds(levels, levels)


def least_eps(given: Sequence[Bounds], scenario: Scenario, question: Sequence[Bounds]) -> float:
    """Return the least ε at which bounds are known to imply a scenario's notions; ∞ if at none.

    Parameters
    ----------
    given : sequence of Bounds
        What holds.
    scenario : Scenario
        The question; its ε is not used.
    question : sequence of Bounds
        `bounds_of` the question at ε = 1: they are in proportion to ε.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> ldp = bounds_of(Scenario(notion="ldp", eps=0.5), joint)
    >>> lip = Scenario(notion="lip", eps=1.0)
    >>> round(least_eps(ldp, lip, bounds_of(lip, joint)), 12)
    0.5
    """
    own, *further = (_scale(given, item) for item in question)
    within = 1 + float(LAST_DIGITS)
    if any(scale > within for scale in further):
        return math.inf
    if "eps" not in notions.entry(scenario.notion).parameters:
        return 0.0 if own <= within else math.inf
    return own / within  # a sum of the parts of ε may be above it by rounding


def _scale(given: Sequence[Bounds], question: Bounds) -> float:
    """Return the least scale of what is asked that bounds are known to imply."""
    covering = [bounds for bounds in given if bounds.cover(question)]
    whole = [bounds.levels for bounds in covering if bounds.delta == 0]
    # exceptions of two notions may be different outputs, which are more together
    others = [[bounds.levels] for bounds in covering if bounds.delta > 0]
    return min(
        (_of_levels(_least(levels), question) for levels in (whole, *others)), default=math.inf
    )


def _of_levels(levels: Mapping[str, float], question: Bounds) -> float:
    implied = closed(levels)
    return max(
        (
            relative(implied.get(key, math.inf), budget, 0.0)
            for key, budget in question.budgets.items()
        ),
        default=math.inf,
    )


def _least(of_each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the least bound on each level."""
    result: dict[str, float] = {}
    for levels in of_each:
        for key, level in levels.items():
            result[key] = min(level, result.get(key, math.inf))
    return result


def _bounds(notion_key: str, numbers: Numbers, joint: Joint) -> Bounds:
    """Return what one notion bounds, and what implies it."""
    robust = notions.entry(notion_key).kind.of_estimate
    key = OF_EACH.get(notion_key, notion_key)
    whole = notions.build(key, joint, numbers)
    notion = whole.without_exceptions()
    named: dict[str, float] = dict(notion.named_levels())
    budgets = named
    if not (isinstance(notion, OF_LEVELS) and named):
        used = notions.entry(key).parameters
        further = [(name, getattr(numbers, name)) for name in used if name != "eps"]
        budgets = {f"{key} {further}": numbers.eps}
        named = {**named, **budgets}
    if not robust:
        return Bounds(named, budgets, delta=whole.exceptions)
    n = assumed_records(joint.n) if numbers.n is None else numbers.n
    over = ("pairs" if notion_key == "rldp" else "data", numbers.alpha)
    return Bounds(named, budgets, over, n, numbers.beta, widened=key != "ldp")
