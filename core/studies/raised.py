"""Answers that raise others: a frontier by those at other budgets, one answer by another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.joint import Joint
from core.mechanisms import Mechanism
from core.studies.frontier import Frontier, share_of_x

UNPROVEN = "time limit"
"""Status of an answer that a longer search may improve."""

Place = tuple[str, float]
"""A mechanism's key, with its own numbers and a seed other than 0, and its ε."""

Answer = tuple[float, Mechanism]
"""An ε and an answer there."""


def with_answers(
    frontier: Frontier,
    answers: Sequence[Answer],
    starts: Sequence[Answer] | None,
    *,
    monotone: bool,
    gap: float,
    joint: Joint,
) -> Frontier:
    """Return a frontier with answers added: more points, better ones, closer bounds.

    Parameters
    ----------
    frontier : Frontier
        The result of a sweep.
    answers : sequence of (float, Mechanism)
        Answers of the same mechanism, each with its ε.
    starts : sequence of (float, Mechanism) or None
        For the optimum, answers of all mechanisms that are allowed at their own ε and so at every
        larger one; None for another mechanism.
    monotone : bool
        Whether a smaller budget's answer is one at every larger budget.
    gap : float
        Utility in nats below its bound at which a point counts as proven.
    joint : Joint
        The data.

    Examples
    --------
    >>> from core.scenario import Scenario
    >>> from core.studies.frontier import sweep
    >>> joint, asked = Joint.from_counts([[3, 1, 1], [1, 3, 1]]), Scenario(mechanism="watchdog")
    >>> low = sweep(asked, joint, np.array([0.1]))
    >>> added = replace(asked, eps=5.0).build_mechanism(joint)
    >>> line = with_answers(low, [(5.0, added)], None, monotone=True, gap=1e-9, joint=joint)
    >>> line.eps.tolist(), round(float(line.nmi[1]), 6)
    ([0.1, 5.0], 1.0)
    """
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
        for at, made in starts:
            utility = np.where(eps >= at, np.fmax(utility, made.utility), utility)
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

    Parameters
    ----------
    last, new : Mechanism
        The answers.

    Examples
    --------
    >>> from core.scenario import Scenario
    >>> joint = Joint.from_counts([[3, 1, 1], [1, 3, 1]])
    >>> ended = Scenario(mechanism="watchdog", eps=0.1).build_mechanism(joint)
    >>> cut = replace(Scenario(mechanism="identity").build_mechanism(joint), status=UNPROVEN)
    >>> better(ended, cut).status, better(cut, replace(cut, status="heuristic")).status
    ('time limit', 'heuristic')
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
