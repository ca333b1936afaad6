"""The privacy funnel as a frontier: information about X against information about S on average.

A mixture of two mechanisms, where Y says which was used, takes the mean of what they take of a
budget (`Average.room`) and keeps the mean of what they keep. So the optimum is concave in what may
be taken: in the budget itself where that is a sum over outputs, as I(S;Y), not where it is a
logarithm of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms import Mechanism
from core.mechanisms.result import CUT, make_mechanism
from core.notions import catalogue as notions
from core.notions.average import Average
from core.scenario import Scenario
from core.studies.frontier import GRID, Frontier
from core.studies.known import Known
from core.validation import FloatArray

POINTS = 25
"""Number of budgets of a funnel, from 0 to what X itself tells."""


def is_funnel(scenario: Scenario) -> bool:
    entry = notions.entry(scenario.notion)
    return entry.kind.on_average and "eps" in entry.parameters


def budgets(scenario: Scenario, joint: Joint) -> FloatArray:
    """Return the budgets of a scenario's frontier: for a funnel 0 to what X reveals, else `GRID`.

    Parameters
    ----------
    scenario : Scenario
        The question; its ε is not used.
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
    """Return the notion of a funnel, without the scenario's further promises."""
    return cast(Average, notions.build(scenario.notion, joint, scenario.numbers))


def reached(
    known: Known,
    beside: Scenario,
    eps: Sequence[float] | FloatArray,
    average: Average,
    joint: Joint,
) -> FloatArray:
    """Return what known answers under another notion reveal at k budgets; NaN where none."""
    answers = [known.best(replace(beside, eps=float(budget)), joint) for budget in eps]
    return np.array(
        [
            np.nan if mechanism is None else average.achieved(joint, mechanism.kernel)
            for mechanism in answers
        ]
    )


def lend(known: Known, lines: Sequence[tuple[Scenario, Frontier]], joint: Joint) -> None:
    """Make optima under other notions known as a funnel's, where they keep more than its line.

    The line is straight between the budgets that were solved, and the optimum may lie above it.
    """
    funnel = next(((scenario, line) for scenario, line in lines if is_funnel(scenario)), None)
    if funnel is None or not np.isfinite(funnel[1].utility).any():
        return
    for beside, line in lines:
        for eps in () if is_funnel(beside) else line.eps.tolist():
            mechanism = known.best(replace(beside, eps=eps), joint)
            if mechanism is not None and len(mechanism.kernel) == joint.n_x:
                _lend(known, *funnel, mechanism, joint)


def _lend(
    known: Known, funnel: Scenario, line: Frontier, mechanism: Mechanism, joint: Joint
) -> None:
    """Make an answer known as the funnel's at what it reveals, if it keeps more than the line."""
    average, there = measure(funnel, joint), np.isfinite(line.utility)
    at, level = line.eps[there], average.achieved(joint, mechanism.kernel)
    lead = mechanism.utility - float(np.interp(level, at, line.utility[there]))
    # least lead of an answer over a funnel's line, in units of the utility's size, that counts
    if not at[0] < level < at[-1] or lead <= 1e-5 * mechanism.purpose.size():
        return
    question = replace(funnel, eps=level)
    spent = taken(average, line.eps, joint), taken(average, [level], joint)
    bound = float(most_between(spent[0], line.utility, line.upper_bound, spent[1])[0])
    lent = make_mechanism(
        joint,
        mechanism.kernel,
        name=mechanism.name,
        solver=mechanism.solver,
        status=CUT,
        notion=question.build_notion(joint),
        y_labels=mechanism.y_labels,
        upper_bound=bound if np.isfinite(bound) else None,
        purpose=mechanism.purpose,
    )
    known.add(question, joint, lent)


def taken(average: Average, budgets: ArrayLike, joint: Joint) -> FloatArray:
    """Return what may be taken at each of k budgets, Σ_y P(y) c(l_y), increasing as they do."""
    levels = np.atleast_1d(np.asarray(budgets, dtype=np.float64)).tolist()
    return np.array([replace(average, bound=level).room(joint) for level in levels])


def envelope(revealed: ArrayLike, kept: ArrayLike) -> FloatArray:
    """Return the concave envelope of points of a funnel, which mixtures of two points reach.

    Parameters
    ----------
    revealed : array_like
        What each point reveals about S, shape (k,), increasing.
    kept : array_like
        What it keeps of X, shape (k,); NaN where there is no answer.

    Returns
    -------
    ndarray
        The envelope at each `revealed`, shape (k,); NaN outside the points that have an answer.

    Examples
    --------
    >>> envelope([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 2.0]).round(4)
    array([0. , 1. , 1.5, 2. ])
    """
    x, y = np.asarray(revealed, dtype=np.float64), np.asarray(kept, dtype=np.float64)
    corners: list[int] = []
    for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist():
        while len(corners) > 1:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (x[i] - x[a]) > (y[i] - y[a]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    if not corners:
        return np.full(x.shape, np.nan)
    line = np.interp(x, x[corners], y[corners], left=np.nan, right=np.nan)
    result: FloatArray = np.fmax(line, y)  # interpolation rounds
    return result


def most_between(solved: ArrayLike, kept: ArrayLike, bound: ArrayLike, at: ArrayLike) -> FloatArray:
    """Return an upper bound on the optimum at budgets between those that were solved.

    The optimum is concave in the budget and never falls. So it is at most the bound at the next
    larger budget, and at most every chord from a point reached to a bound, extended beyond that
    bound: to the right from a point on its left, to the left from a point on its right.

    Parameters
    ----------
    solved : array_like
        Budgets that were solved, shape (k,), increasing.
    kept, bound : array_like
        The utility reached at each, and its proven upper bound, shape (k,).
    at : array_like
        Other budgets, shape (j,).

    Returns
    -------
    ndarray
        Shape (j,); ∞ where nothing is proven.

    Examples
    --------
    >>> most_between([0.0, 1.0, 2.0], [0.0, 1.0, 1.5], [0.0, 1.0, 1.5], [0.5, 1.5, 3.0])
    array([0.75, 1.5 , 2.  ])
    """
    x, low, high = (np.asarray(values, dtype=np.float64) for values in (solved, kept, bound))
    known = np.isfinite(low) & np.isfinite(high)
    x, low, high = x[known], low[known], high[known]
    most = []
    for budget in np.atleast_1d(np.asarray(at, dtype=np.float64)).tolist():
        limits = [np.inf, *high[x >= budget].tolist()]
        before, after = np.flatnonzero(x <= budget), np.flatnonzero(x >= budget)
        for i in before:
            rises = (high[i] - low[:i]) / (x[i] - x[:i])
            limits += (high[i] + (budget - x[i]) * rises).tolist()
        for i in after:
            rises = (low[i + 1 :] - high[i]) / (x[i + 1 :] - x[i])
            limits += (high[i] - (x[i] - budget) * rises).tolist()
        most.append(min(limits))
    return np.array(most)
