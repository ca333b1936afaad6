"""What to do next with an answer: read off its frontier, its mechanism and its records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.joint import Joint
from core.notions import LDP
from core.notions.robust_markov import RobustLDP, ball_around
from core.studies.frontier import Frontier
from core.validation import FloatArray


@dataclass(frozen=True)
class LeastBudget:
    """The least budget of a frontier that keeps a share.

    Attributes
    ----------
    eps : float
        The budget, in nats.
    kept : float
        The share that it keeps.
    too_small : float
        The largest budget of the frontier that is proven to keep less; NaN where there is none.
    """

    eps: float
    kept: float
    too_small: float


@dataclass(frozen=True)
class Step:
    """What the last part of a budget adds to what is kept.

    Attributes
    ----------
    low, high : float
        The two budgets of the frontier, in nats.
    gained : float
        The share that is kept at `high` less that at `low`.
    """

    low: float
    high: float
    gained: float


def least_budget(line: Frontier, wanted: float = 0.9) -> LeastBudget | None:
    """Return the least budget of a frontier that keeps a share; None where none does.

    Parameters
    ----------
    line : Frontier
        What is kept at each budget.
    wanted : float
        The share to keep, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `wanted` is outside [0, 1].

    Examples
    --------
    >>> from core.scenario import Scenario
    >>> from core.studies.frontier import sweep
    >>> joint = Joint.from_counts([[3, 1, 1], [1, 3, 1]])
    >>> line = sweep(Scenario(notion="lip"), joint, [0.1, 0.2, 0.5, 1.0])
    >>> found = least_budget(line)
    >>> found.eps, found.too_small
    (1.0, 0.5)
    """
    share = validation.number(wanted, "wanted", low=0.0, high=1.0)
    enough = np.flatnonzero(line.nmi >= share)
    if not enough.size:
        return None
    first = int(enough[0])
    less = line.eps[:first][line.most_nmi[:first] < share]
    return LeastBudget(
        float(line.eps[first]),
        float(line.nmi[first]),
        float(less.max(initial=-np.inf)) if less.size else np.nan,
    )


def last_step(line: Frontier, eps: float, step: float = 0.5) -> Step | None:
    """Return what the last `step` of a budget adds, between points of a frontier.

    Parameters
    ----------
    line : Frontier
        What is kept at each budget.
    eps : float
        The present budget, in nats; the largest one of the frontier up to it is taken.
    step : float
        The part of the budget, in nats; the largest one of the frontier that is as far below is
        taken.

    Returns
    -------
    step : Step or None
        None where the frontier has no two such budgets with an answer.

    Examples
    --------
    >>> from core.scenario import Scenario
    >>> from core.studies.frontier import sweep
    >>> joint = Joint.from_counts([[3, 1, 1], [1, 3, 1]])
    >>> line = sweep(Scenario(notion="lip", mechanism="watchdog"), joint, [0.25, 0.5, 1.0])
    >>> round(last_step(line, 1.0).gained, 3)
    0.526
    """
    known = ~np.isnan(line.nmi)
    budgets, kept = line.eps[known], line.nmi[known]
    here = np.flatnonzero(budgets <= eps + 1e-9)
    if not here.size:
        return None
    high = int(here[-1])
    before = np.flatnonzero(budgets <= budgets[high] - step + 1e-9)
    if not before.size:
        return None
    low = int(before[-1])
    return Step(float(budgets[low]), float(budgets[high]), float(kept[high] - kept[low]))


def lost_by_symbol(joint: Joint, kernel: ArrayLike) -> FloatArray:
    """Return what each symbol of X adds to H(X|Y), in nats, shape (n_x,).

    It is P(x) Σ_y P(y|x) log 1/P(x|y): how uncertain the release leaves a record that is x, times
    how many there are. The sum is H(X) − I(X;Y).

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y).

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 1, 2]])
    >>> lost_by_symbol(joint, [[1, 0], [1, 0], [0, 1]]).round(4)
    array([0.1733, 0.1733, 0.    ])
    """
    array = validation.kernel(kernel, joint.n_x)
    together = joint.p_x[:, None] * array
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(together > 0, -np.log(together / together.sum(axis=0)), 0.0)
    result: FloatArray = (together * terms).sum(axis=1)
    return result


def promise_worth(
    joint: Joint, kernel: ArrayLike, n: int | None = None, beta: float = 0.05, alpha: float = 2.0
) -> tuple[float, float]:
    """Return a release's level of LDP at the estimate, and the most it may be at the truth.

    Parameters
    ----------
    joint : Joint
        P̂(s, x), of n records.
    kernel : array_like
        P(y | x), shape (n_x, n_y).
    n : int, optional
        Records; by default the joint's own number, or 1,000 where it has none.
    beta, alpha : float
        The truth is in the set with probability 1 − β; its order α, as in
        `RenyiBall.confidence`.

    Returns
    -------
    at_estimate, at_most : float
        In nats; `at_most` is over all distributions that the records leave possible.

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> at_estimate, at_most = promise_worth(joint, [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]])
    >>> round(at_estimate, 3), round(at_most, 3)
    (0.16, 0.252)
    """
    at_estimate = LDP(0.0).achieved(joint, kernel)
    notion = RobustLDP(0.0, ball_around(joint, n, beta, alpha))
    return float(at_estimate), max(float(at_estimate), notion.achieved(joint, kernel))
