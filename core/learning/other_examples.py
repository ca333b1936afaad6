"""Worked examples of what is not one bound on lifts: RLDP, the funnel, maximin information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import mechanisms as m
from core import nonstochastic as ns
from core.data.examples import example
from core.joint import Joint
from core.learning.settings import SETTINGS
from core.learning.tables import Told, of_test, told
from core.nonstochastic.ranges.partition import Partition, singletons
from core.notions import Average
from core.release.quantised import RangeRelease, range_release
from core.uncertainty import RenyiBall
from core.uncertainty.worst_case import worst_case
from core.validation import FloatArray

ESTIMATE = "rldp_estimate"
"""The example whose P̂(s, u) the lesson on RLDP takes."""

STOPS = "learn_stops"
"""The example that the lesson on maximin information takes."""

BETA = 0.05
"""The chance that the truth lies outside the uncertainty set."""

BUDGETS = 9
"""Points of the funnel's frontier."""


@dataclass(frozen=True, eq=False)
class RobustExample:
    """Two designs for the same estimate: one that trusts it, and one that does not.

    Attributes
    ----------
    eps : float
        What is asked, in nats.
    n : int
        Records behind the estimate.
    estimate, low, high : ndarray
        P̂(u1 | s), and the least and the greatest P(u1 | s) that the records leave possible,
        shape (2,).
    trusting, robust : float
        The share of X that each design keeps.
    at_worst, robust_at_worst : float
        What each gives away at the worst possible distribution, in nats.
    records, levels, kept : ndarray
        Numbers of records, the level of the trusting design at worst and the share that the
        robust one keeps there, shape (k,).
    trusted : float
        The level of the trusting design at the estimate, in nats.
    """

    eps: float
    n: int
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    trusting: float
    robust: float
    at_worst: float
    robust_at_worst: float
    records: FloatArray
    levels: FloatArray
    kept: FloatArray
    trusted: float


def robust_example(eps: float, n: int) -> RobustExample:
    """Return the worked example of RLDP.

    Parameters
    ----------
    eps : float
        The budget, in nats.
    n : int
        Records behind the estimate.

    Examples
    --------
    >>> found = robust_example(0.7, 100)
    >>> found.at_worst > 1.5, found.robust_at_worst <= 0.7 + 1e-9
    (True, True)
    """
    weights = example(ESTIMATE).weights
    p_hat = weights / weights.sum()
    trusting = m.non_robust(p_hat, eps)
    records = np.array(SETTINGS["people"].choices)
    balls = {int(count): RenyiBall.confidence(p_hat, int(count), BETA) for count in records}
    designs = {count: m.polyopt(p_hat, eps, ball) for count, ball in balls.items()}
    ball = balls.get(n) or RenyiBall.confidence(p_hat, n, BETA)
    robust = designs.get(n) or m.polyopt(p_hat, eps, ball)
    return RobustExample(
        eps=eps,
        n=n,
        estimate=ball.p_u_given_s[:, 0],
        low=ball.lower[:, 0],
        high=1.0 - ball.lower[:, 1],
        trusting=trusting.nmi,
        robust=robust.nmi,
        at_worst=_at_worst(ball, trusting.kernel),
        robust_at_worst=_at_worst(ball, robust.kernel),
        records=records,
        levels=np.array([_at_worst(one, trusting.kernel) for one in balls.values()]),
        kept=np.array([one.nmi for one in designs.values()]),
        trusted=_at_worst(RenyiBall(p_hat, 0.0), trusting.kernel),
    )


def _at_worst(ball: RenyiBall, kernel: FloatArray) -> float:
    """Return the level of a kernel of shape (n_s·n_u, n_y) at the worst member of a ball."""
    return worst_case(ball, kernel.reshape(ball.n_s, ball.n_u, -1)).level


@dataclass(frozen=True, eq=False)
class FunnelExample:
    """A result that is told rarely, but then as it is, and the optimum under a funnel's budget.

    Attributes
    ----------
    chance : float
        How often the result is told.
    release : Told
        That release.
    budgets, best : ndarray
        Budgets M on I(S;Y), and the largest I(X;Y) under each, in nats, shape (k,).
    best_here : float
        The largest I(X;Y) of a release that tells no more of S on average than this one.
    all_of_x : float
        H(X), in nats.
    """

    chance: float
    release: Told
    budgets: FloatArray
    best: FloatArray
    best_here: float
    all_of_x: float


def funnel_example(chance: float) -> FunnelExample:
    """Return the worked example of the funnel.

    Parameters
    ----------
    chance : float
        How often the result is told as it is, in [0, 1]; else nothing is told.

    Examples
    --------
    >>> found = funnel_example(0.1)
    >>> round(found.release.about_secret, 4), round(found.release.lip, 4)
    (0.0208, 1.9459)
    >>> found.best_here >= found.release.about_x
    True
    """
    joint = of_test()
    kernel = np.column_stack([chance * np.eye(2), np.full(2, 1 - chance)])
    release = told(joint, kernel, (*joint.x_labels, "nothing told"))
    most = told(joint).about_secret
    budgets = np.linspace(0.0, most, BUDGETS)
    return FunnelExample(
        chance=chance,
        release=release,
        budgets=budgets,
        best=np.array([_funnel(joint, budget) for budget in budgets]),
        best_here=_funnel(joint, min(release.about_secret, most)),
        all_of_x=told(joint).about_x,
    )


def _funnel(joint: Joint, budget: float) -> float:
    """Return the largest I(X;Y) with I(S;Y) within a budget, in nats."""
    return m.optimal(joint, Average("mutual_information", float(budget))).information


@dataclass(frozen=True, eq=False)
class RangeExample:
    """Bus stops that are merged, so that nothing is known of the street for certain.

    Attributes
    ----------
    joint : Joint
        Streets and stops: only which occur together matters.
    partition : tuple of tuple of int
        The stops that are told apart, after the merges.
    before, after : RangeRelease
        What the stop itself and its cluster tell, and keep.
    merges : int
        Merges done.
    most : int
        Merges that can be done.
    """

    joint: Joint
    partition: Partition
    before: RangeRelease
    after: RangeRelease
    merges: int
    most: int


def range_example(merges: int) -> RangeExample:
    """Return the worked example of maximin information.

    Parameters
    ----------
    merges : int
        Merges of [NonStoch] Algorithm 2 that are done; all of them where there are fewer.

    Examples
    --------
    >>> found = range_example(2)
    >>> found.before.parts, found.after.parts, found.partition
    (3, 1, ((0, 3), (1, 5), (2,), (4,)))
    """
    entry = example(STOPS)
    joint = Joint.from_counts(entry.weights, entry.s_labels, entry.x_labels)
    steps = ns.merge_for_indistinguishability(joint.p > 0, 0.0).steps
    done = min(merges, len(steps) - 1)
    return RangeExample(
        joint=joint,
        partition=steps[done].clusters,
        before=range_release(joint, singletons(joint.n_x)),
        after=range_release(joint, steps[done].clusters),
        merges=done,
        most=len(steps) - 1,
    )
