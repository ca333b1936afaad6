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
from core.uncertainty.lift_range import lift_range
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


@dataclass(frozen=True)
class Realised:
    """A level of a release: at the estimate, and its range over what the records leave possible.

    Attributes
    ----------
    at_estimate : float
        In nats.
    least, most : float
        Bounds on it over all members of the confidence set, in nats; `most` may be ∞.
    """

    at_estimate: float
    least: float
    most: float


def realised_levels(
    joint: Joint, kernel: ArrayLike, n: int | None = None, beta: float = 0.05, alpha: float = 2.0
) -> dict[str, Realised]:
    """Return what a release's levels may be at the true P(s, x), of which the data is a sample.

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
    levels : dict
        By the levels' keys in the catalogue: "lip"; "min_lift" and "pml", how far beliefs fall and
        rise, which are ALIP's two budgets; "ldp", whose least is not bounded and told as 0.

    Notes
    -----
    The lifts' ranges are those of `core.uncertainty.lift_range`; the most of LDP is exact.

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> found = realised_levels(joint, [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]])
    >>> round(found["ldp"].at_estimate, 3), round(found["ldp"].most, 3)
    (0.16, 0.252)
    >>> found["lip"].least <= found["lip"].at_estimate <= found["lip"].most
    True
    """
    array = validation.kernel(kernel, joint.n_x)
    array = array[:, array.any(axis=0)]
    ball = ball_around(joint, n, beta, alpha)
    low, high = lift_range(ball, array)
    together = joint.p @ array
    lifts = together / np.outer(joint.p_s, together.sum(axis=0))
    with np.errstate(divide="ignore"):
        now, least, most = np.log(lifts), np.log(low), np.log(high)
    ldp = float(LDP(0.0).achieved(joint, array))
    sides = {
        "pml": _realised(now, least, most),
        "min_lift": _realised(-now, -most, -least),
    }
    lip = Realised(
        *(
            max(getattr(side, name) for side in sides.values())
            for name in ("at_estimate", "least", "most")
        )
    )
    most_ldp = max(ldp, RobustLDP(0.0, ball).achieved(joint, array))
    return {"lip": lip, **sides, "ldp": Realised(ldp, 0.0, most_ldp)}


def _realised(now: FloatArray, least: FloatArray, most: FloatArray) -> Realised:
    """Return the largest entries, at least 0, kept in order against rounding."""
    at_estimate = max(0.0, float(now.max()))
    return Realised(
        at_estimate,
        min(at_estimate, max(0.0, float(least.max()))),
        max(at_estimate, float(most.max())),
    )
