"""The best mixture of two answers under a budget on an average.

A mixture of two mechanisms, where Y says which of them was used, keeps the mean of what they do
and takes the mean of what they take of the budget. So the answers at a smaller and at a larger
budget give one in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import cast

import numpy as np

from core.joint import Joint
from core.mechanisms import Mechanism
from core.notions import catalogue as notions
from core.notions.average import Average
from core.scenario import Scenario
from core.studies.raised import Place
from core.validation import FloatArray

WORTH = 1e-7
"""Least gain of a mixture over the best single answer, in units of the utility's size."""


def best_mixture(
    told: Average, answers: Sequence[tuple[float, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return the kernel of the best mixture of two answers; None where one alone keeps as much.

    Parameters
    ----------
    told : Average
        The budget.
    answers : sequence of (float, Mechanism)
        Mechanisms that read X alone, for one purpose, each with a bound of the measure that it
        keeps.
    joint : Joint
        P(s, x).

    Returns
    -------
    ndarray or None
        P(y | x), shape (n_x, n_y of both together).

    Examples
    --------
    >>> from core.mechanisms import constant, identity
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> ends = [(0.0, constant(joint)), (0.25, identity(joint))]
    >>> best_mixture(Average("total_variation", 0.1), ends, joint).tolist()  # X itself 2 in 5 times
    [[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]]
    """
    room = told.room(joint)
    spent = [replace(told, bound=level).room(joint) for level, _ in answers]
    below = [(take, made) for take, (_, made) in zip(spent, answers, strict=True) if take <= room]
    above = [(take, made) for take, (_, made) in zip(spent, answers, strict=True) if take > room]
    if not below or not above:
        return None

    def kept(share: float, small: Mechanism, large: Mechanism) -> float:
        return (1 - share) * small.utility + share * large.utility

    found = [
        ((room - take) / (more - take), small, large)
        for (take, small), (more, large) in product(below, above)
        if np.isfinite(more)
    ]
    if not found:
        return None
    share, small, large = max(found, key=lambda one: kept(*one))
    single = max(made.utility for _, made in below)
    if kept(share, small, large) <= single + WORTH * small.purpose.size():
        return None
    kernel = np.hstack([(1 - share) * small.kernel, share * large.kernel])
    result: FloatArray = kernel[:, kernel.any(axis=0)]
    return result


def between(
    scenario: Scenario, answers: Sequence[tuple[Place, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return a mixture of answers that keeps more than each of them at ε; None where none does.

    Parameters
    ----------
    scenario : Scenario
        The question, with its ε.
    answers : sequence of (Place, Mechanism)
        Mechanisms that read X alone, each with its place.
    joint : Joint
        P(s, x).

    Examples
    --------
    >>> between(Scenario(notion="lip"), [], Joint.from_counts([[3, 1], [1, 3]])) is None
    True
    """
    entry = notions.entry(scenario.notion)
    if not entry.kind.on_average or "eps" not in entry.parameters:
        return None
    told = cast(Average, notions.build(scenario.notion, joint, scenario.numbers))
    return best_mixture(told, [(eps, made) for (_, eps), made in answers], joint)
