"""Frontiers: what a mechanism keeps of X, along a grid of budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from core import measures
from core.clock import Deadline
from core.data.counts.report import CountedTask
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms import Mechanism, frontier
from core.mechanisms import catalogue as mechanism_catalogue
from core.mechanisms.optima.frontier import (
    FAILED,
    at_a_glance,
    carried,
    coarse_to_fine,
    failed,
    in_turn,
)
from core.mechanisms.optima.starts import at_least
from core.optimal.plan import SIZES
from core.scenario import DOMAINS, Scenario
from core.scenario.purpose import build_purpose
from core.utilities import Information, Purpose
from core.validation import BoolArray, FloatArray

GRID: FloatArray = np.linspace(0.25, 8.0, 32)
"""The budgets of every figure of [Lift]: ε = .25, .5, …, 8, in nats."""


MOST_SYMBOLS = 2_000
"""Most symbols of X along a grid of budgets, each of which keeps a mechanism of up to 32 MB."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """Utility along a grid of budgets.

    Attributes
    ----------
    notion, mechanism : str
        Keys, as in the catalogues.
    eps : ndarray
        Budgets in nats, shape (k,), increasing.
    utility, nmi : ndarray
        The utility (I(X;Y) in nats where the scenario has no other purpose) and I(X;Y)/H(X),
        shape (k,). NaN where a budget has no answer.
    upper_bound : ndarray
        Proven upper bound on the utility of any mechanism under the notion, shape (k,).
    most_nmi : ndarray
        The bound as a share of H(X), or of X's own utility for the purpose, shape (k,).
    proven : ndarray
        Whether utility and bound are as close as requested, shape (k,), bool.
    reasons : tuple of str
        Why a budget has no answer; empty where it has one.
    mechanisms : tuple of Mechanism
        The mechanism of each budget; empty where only the figures are kept.
    """

    notion: str
    mechanism: str
    eps: FloatArray
    utility: FloatArray
    nmi: FloatArray
    upper_bound: FloatArray
    most_nmi: FloatArray
    proven: BoolArray
    reasons: tuple[str, ...]
    mechanisms: tuple[Mechanism, ...] = ()


def sweep(
    scenario: Scenario,
    joint: Joint,
    budgets: Sequence[float] | FloatArray = GRID,
    values: FloatArray | None = None,
    task: CountedTask | None = None,
    *,
    report: Callable[[Frontier], None] | None = None,
) -> Frontier:
    """Answer a scenario at every budget of a grid; its own ε is not used.

    For a mechanism that the catalogue calls monotone the utility never falls: what is allowed at
    one budget is allowed at each larger one. Where a budget has no answer, its values are NaN.

    Parameters
    ----------
    scenario : Scenario
        The question.
    joint : Joint
        Its data, counted.
    budgets : array_like
        ε in nats, shape (k,), increasing.
    values, task
        As in `Scenario.build_mechanism`.
    report : callable, optional
        Is called first with what an optimum's line is at least, at some of the budgets, where
        that is more than nothing.

    Raises
    ------
    InvalidInputError
        If the budgets do not increase, one is outside the domain of ε, the data lacks what the
        purpose needs, or X has more than `MOST_SYMBOLS` symbols.
    CoreError
        If no budget has an answer: the error of the first one.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 1], [1, 3, 1]])
    >>> sweep(Scenario(mechanism="watchdog"), joint, [0.5, 4.0]).nmi.round(3)
    array([0.474, 1.   ])
    """
    grid = np.asarray(budgets, dtype=np.float64)
    if grid.ndim != 1 or grid.size == 0 or (np.diff(grid) <= 0).any():
        raise InvalidInputError("The budgets of a sweep must be a list of increasing numbers.")
    if joint.n_x > MOST_SYMBOLS:
        raise InvalidInputError(
            f"A line is drawn for at most {MOST_SYMBOLS:,} symbols of X, got {joint.n_x:,}: it "
            "keeps a mechanism for each budget. Group rare levels, or ask for one budget at a time."
        )
    questions = [replace(scenario, eps=float(eps)) for eps in grid]
    makers = [partial(_made, question, joint, values, task) for question in questions]
    purpose = build_purpose(scenario, joint, values, task)
    few = joint.n_x <= SIZES.all_starts  # of 1,000 pairs a check over F takes seconds
    known: Sequence[Mechanism] = ()
    if report is not None and scenario.mechanism in GLANCED and few:
        with suppress(CoreError):
            glance = _at_a_glance(scenario, joint, grid, purpose)
            if (glance.nmi[1:] > ROUNDING).all():  # else nothing is known but what reveals nothing
                known = glance.mechanisms
                report(replace(glance, mechanisms=()))
    if scenario.mechanism == "optimal":
        answers = _optima(scenario, joint, grid, purpose)
    elif scenario.mechanism in SEARCHED_OF_PAIRS:
        answers = _of_pairs(scenario, joint, grid, makers, purpose)
    else:
        answers = _each(scenario, joint, makers)
    if known:
        answers = _no_less(joint, grid, answers, known)
    return _line(scenario, joint, grid, answers, purpose)


GLANCED = ("optimal", "robust_optimal")
"""The mechanisms that keep at least what is known without a search."""


SEARCHED_OF_PAIRS = ("robust_optimal", "polyopt")
"""The mechanisms of pairs (S, U) whose lines are searched from coarse to fine."""


def _at_a_glance(scenario: Scenario, joint: Joint, grid: FloatArray, purpose: Purpose) -> Frontier:
    """Return what is known without a search, at every fourth budget and the last."""
    some = _some_of(grid)
    known = [
        at_a_glance(joint, replace(scenario, eps=eps).build_notion(joint), purpose)
        for eps in some.tolist()
    ]
    return _line(scenario, joint, some, carried(joint, known, scenario.gap), purpose)


def _no_less(
    joint: Joint, grid: FloatArray, answers: Sequence[Mechanism], known: Sequence[Mechanism]
) -> Sequence[Mechanism]:
    """Return a line's answers, none of which keeps less than what was known at its budget before.

    A search that time ends soon may find less.
    """
    before = dict(zip(_some_of(grid).tolist(), known, strict=True))
    line, reasons = [], []
    for eps, answer in zip(grid.tolist(), answers, strict=True):
        smaller = [mechanism for at, mechanism in before.items() if at <= eps]
        if answer.status == FAILED:
            line.append(answer)
            continue
        try:
            line.append(at_least(joint, answer, smaller))
        except CoreError as error:  # its bound is wrong: a gap there, with the reason
            line.append(failed(joint, str(error), answer.purpose))
            reasons.append(error)
    if reasons and all(point.status == FAILED for point in line):
        raise reasons[0]
    return line


def _some_of(grid: FloatArray) -> FloatArray:
    """Return every fourth budget, and the last."""
    return np.unique([*grid[::4], grid[-1]])


def _line(
    scenario: Scenario,
    joint: Joint,
    grid: FloatArray,
    answers: Sequence[Mechanism],
    purpose: Purpose,
) -> Frontier:
    """Return the answers of a scenario at a grid of budgets as its line."""
    failing = [mechanism.status == FAILED for mechanism in answers]
    return Frontier(
        notion=scenario.notion,
        mechanism=scenario.mechanism,
        eps=grid,
        utility=np.array([mechanism.utility for mechanism in answers]),
        nmi=np.array([mechanism.nmi for mechanism in answers]),
        upper_bound=np.array([mechanism.upper_bound for mechanism in answers]),
        most_nmi=np.array([_most(joint, mechanism) for mechanism in answers]),
        proven=np.array([mechanism.gap <= scenario.gap * purpose.size() for mechanism in answers]),
        reasons=tuple(
            mechanism.notes[0] if fails else ""
            for mechanism, fails in zip(answers, failing, strict=True)
        ),
        mechanisms=tuple(answers),
    )


def _most(joint: Joint, mechanism: Mechanism) -> float:
    """Return a mechanism's bound as a share of H(X), or of X's own utility for the purpose."""
    if isinstance(mechanism.purpose, Information):
        return float(share_of_x(np.array(mechanism.upper_bound), joint))
    return mechanism.purpose.share(joint, mechanism.upper_bound)


def _each(
    scenario: Scenario, joint: Joint, makers: Sequence[Callable[[], Mechanism]]
) -> Sequence[Mechanism]:
    """Answer each budget; a monotone mechanism takes over a smaller budget's better answer."""
    points: list[Mechanism | CoreError] = []
    for make in makers:
        try:
            points.append(make())
        except CoreError as error:
            points.append(error)
    if mechanism_catalogue.entry(scenario.mechanism).monotone:
        return carried(joint, points, scenario.gap)
    reasons = [point for point in points if isinstance(point, CoreError)]
    if len(reasons) == len(points):
        raise reasons[0]
    return [
        failed(joint, str(point)) if isinstance(point, CoreError) else point for point in points
    ]


def _of_pairs(
    scenario: Scenario,
    joint: Joint,
    grid: FloatArray,
    makers: Sequence[Callable[..., Mechanism]],
    purpose: Purpose,
) -> Sequence[Mechanism]:
    """Search from coarse to fine, in the time of all budgets; elsewhere the next smaller answer."""
    answers = coarse_to_fine(
        len(grid),
        Deadline.after(scenario.time_limit * len(grid)),
        lambda i, seconds, _: makers[i](seconds),
    )
    points = in_turn(
        *(joint, lambda eps: replace(scenario, eps=eps).build_notion(joint), grid.tolist()),
        *(answers, purpose, mechanism_catalogue.entry(scenario.mechanism).title),
    )
    return carried(joint, points, scenario.gap)


def _made(
    scenario: Scenario,
    joint: Joint,
    values: FloatArray | None,
    task: CountedTask | None,
    seconds: float | None = None,
) -> Mechanism:
    """Return a budget's mechanism, by default within the scenario's own time limit."""
    limit = scenario.time_limit if seconds is None else min(seconds, DOMAINS["time_limit"].high)
    return replace(scenario, time_limit=limit).build_mechanism(joint, values, task)


def in_shares(line: Frontier, joint: Joint, purpose: Purpose) -> Frontier:
    """Return a frontier with `nmi` and `most_nmi` as shares of X's own utility for a purpose."""

    def shares(values: FloatArray) -> FloatArray:
        known = [
            np.nan if np.isnan(value) else purpose.share(joint, value) for value in values.tolist()
        ]
        return np.array(known)

    return replace(line, nmi=shares(line.utility), most_nmi=shares(line.upper_bound))


def share_of_x(information: FloatArray, joint: Joint) -> FloatArray:
    """Return information over H(X), at most 1; 1 where H(X) = 0."""
    entropy = float(measures.entropy(joint.p_x))
    if entropy == 0:
        return np.ones_like(information)
    result: FloatArray = np.minimum(information / entropy, 1.0)
    return result


def _optima(
    scenario: Scenario, joint: Joint, grid: FloatArray, purpose: Purpose
) -> Sequence[Mechanism]:
    """Solve from the smallest budget up: each search starts from the last optimum's outputs."""
    return frontier(
        joint,
        lambda eps: replace(scenario, eps=eps).build_notion(joint),
        grid.tolist(),
        time_limit=scenario.time_limit * len(grid),
        gap=scenario.gap,
        seed=scenario.seed,
        utility=purpose,
    )
