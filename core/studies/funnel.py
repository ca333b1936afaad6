"""The privacy funnel as a frontier: what is kept of X against what is told of S on average.

Every mixture of two mechanisms, by a coin whose side is published too, tells and keeps what lies
between theirs. So the optimum under an average budget is concave in it, and the straight lines
between its points can be reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from core.joint import Joint
from core.limits import ROUNDING
from core.notions import catalogue as notions
from core.notions.average import Average
from core.scenario import Scenario
from core.studies.frontier import GRID
from core.studies.known import Known
from core.validation import FloatArray

POINTS = 25
"""Budgets along a funnel, from nothing to what X itself tells."""


def is_funnel(scenario: Scenario) -> bool:
    """Say whether a scenario's promise is a budget on an average that ε is the size of.

    Examples
    --------
    >>> is_funnel(Scenario(notion="average_mi")), is_funnel(Scenario(notion="lip"))
    (True, False)
    """
    entry = notions.entry(scenario.notion)
    return entry.kind.on_average and "eps" in entry.parameters


def budgets(scenario: Scenario, joint: Joint) -> FloatArray:
    """Return the budgets of a scenario's frontier: `GRID`, or those at which an average matters.

    Parameters
    ----------
    scenario : Scenario
        The question; its own ε plays no part.
    joint : Joint
        P(s, x).

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> budgets(Scenario(notion="average_mi"), joint)[[0, -1]]  # X itself tells 0.1308 nats
    array([0.        , 0.13081204])
    """
    if not is_funnel(scenario):
        return GRID
    most = measure(scenario, joint).achieved(joint, np.eye(joint.n_x))
    return np.linspace(0.0, most, POINTS) if most > ROUNDING else GRID


def measure(scenario: Scenario, joint: Joint) -> Average:
    """Return the budget of a funnel as a notion, whatever else is promised beside it."""
    return cast(Average, notions.build(scenario.notion, joint, scenario.numbers))


def reached(
    known: Known, beside: Scenario, eps: Sequence[float] | FloatArray, told: Average, joint: Joint
) -> FloatArray:
    """Return what the known answers to another promise tell of S, budget by budget.

    Parameters
    ----------
    known : Known
        The answers found so far.
    beside : Scenario
        The other promise; its ε plays no part.
    eps : array_like
        Its budgets in nats, shape (k,).
    told : Average
        What counts as told.
    joint : Joint
        P(s, x).

    Returns
    -------
    ndarray
        Shape (k,); NaN where no answer is known.

    Examples
    --------
    >>> joint, asked = Joint.from_counts([[3, 1], [1, 3]]), Scenario(mechanism="identity")
    >>> known = Known()
    >>> known.add(asked, joint, asked.build_mechanism(joint))
    >>> reached(known, asked, [1.0], Average("mutual_information", 1.0), joint).round(4)
    array([0.1308])
    """
    found = [known.best(replace(beside, eps=float(one)), joint) for one in eps]
    return np.array(
        [np.nan if made is None else told.achieved(joint, made.kernel) for made in found]
    )
