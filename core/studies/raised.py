"""Answers that raise others: at other budgets, one by another one, and by the mixture of two.

A mixture, where Y says which of two mechanisms was used, keeps the mean of what they keep and takes
the mean of what they take of the budget.
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
from core.studies.frontier import Frontier, share_of_x
from core.validation import FloatArray

UNPROVEN = "time limit"
"""Status of an answer that a longer search may improve."""

Place = tuple[str, float]
"""A mechanism's key, with its own numbers and a seed other than 0, and its ε."""

Answer = tuple[float, Mechanism]
"""An ε and an answer there."""


def with_answers(
    frontier: Frontier,
    answers: Sequence[Answer],
    starts: Sequence[tuple[float, float]] | None,
    *,
    monotone: bool,
    gap: float,
    joint: Joint,
) -> Frontier:
    """Return a frontier with answers added: more points, better ones, closer bounds."""
    points = {
        float(at): (float(kept), float(most))
        for at, kept, most in zip(frontier.eps, frontier.utility, frontier.upper_bound, strict=True)
    }
    reasons = dict(zip(frontier.eps.tolist(), frontier.reasons, strict=True))
    for at, made in answers:
        kept, most = points.get(at, (made.utility, made.upper_bound))
        points[at] = (
            float(np.fmax(kept, made.utility)),
            float(np.fmin(most, made.upper_bound)),
        )
    eps = np.array(sorted(points))
    utility = np.array([points[value][0] for value in eps])
    bound = np.array([points[value][1] for value in eps])
    if starts is not None:
        for at, reached in starts:
            utility = np.where(eps >= at, np.fmax(utility, reached), utility)
        bound = np.fmin.accumulate(bound[::-1])[::-1]
    if monotone:
        utility = np.fmax.accumulate(utility)
    bound = np.fmax(bound, utility)
    return replace(
        frontier,
        eps=eps,
        utility=utility,
        nmi=share_of_x(utility, joint),
        upper_bound=bound,
        most_nmi=share_of_x(bound, joint),
        proven=bound - utility <= gap,
        reasons=tuple(
            reasons.get(at, "") if np.isnan(kept) else ""
            for at, kept in zip(eps.tolist(), utility, strict=True)
        ),
        mechanisms=(),
    )


def better(last: Mechanism, new: Mechanism) -> Mechanism:
    """Return the better of two answers to one question, with the closer bound of the two.

    Its status is its own, unless the other one proves that no answer keeps more; of two that keep
    as much it is that of a search that was not cut short.
    """
    best = last if last.utility > new.utility else new
    upper = max(min(last.upper_bound, new.upper_bound), best.utility)
    ended = [one.status for one in (new, last) if one.status != UNPROVEN]
    status = best.status
    if "optimal" in ended:
        status = "optimal"
    elif ended and last.utility == new.utility:
        status = ended[0]
    return replace(best, upper_bound=upper, gap=upper - best.utility, status=status)


def best_mixture(
    told: Average, answers: Sequence[tuple[float, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return the kernel of the best mixture of two answers; None where one alone keeps as much."""
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
    # least gain of a mixture over the best single answer, in units of the utility's size
    if kept(share, small, large) <= single + 1e-7 * small.purpose.size():
        return None
    kernel = np.hstack([(1 - share) * small.kernel, share * large.kernel])
    result: FloatArray = kernel[:, kernel.any(axis=0)]
    return result


def between(
    scenario: Scenario, answers: Sequence[tuple[Place, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return a mixture of answers that keeps more than each of them at ε; None where none does."""
    entry = notions.entry(scenario.notion)
    if not entry.kind.on_average or "eps" not in entry.parameters:
        return None
    told = cast(Average, notions.build(scenario.notion, joint, scenario.numbers))
    return best_mixture(told, [(eps, made) for (_, eps), made in answers], joint)
