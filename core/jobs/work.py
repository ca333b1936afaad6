"""The calls that the interface hands to a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.joint import Joint
from core.mechanisms import Mechanism
from core.scenario import Scenario
from core.sweep import Frontier, sweep

Report = Callable[[Any], None]
"""Takes a job's progress."""


def make_mechanism(scenario: Scenario, joint: Joint, *, report: Report) -> Mechanism:
    """Make a scenario's mechanism on its data."""
    report("solving")
    return scenario.build_mechanism(joint)


def make_frontier(
    scenario: Scenario, joint: Joint, budgets: Sequence[float], *, report: Report
) -> Frontier:
    """Answer a scenario along a grid of budgets."""
    report("sweeping")
    return sweep(scenario, joint, budgets)
