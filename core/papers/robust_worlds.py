"""Statements of [RLDP] as little worlds: a wrong B_s, a wrong d of reporting, needless rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import mechanisms as m
from core.learning.examples import BETA, at_worst, estimate
from core.learning.words import level, nats
from core.papers import as_printed
from core.uncertainty import RenyiBall
from core.validation import FloatArray
from core.wording import apart, number_of, percent, plain

SHARES = np.linspace(0.05, 0.95, 46)
"""The P̂(s1) at which both bounds are worked out."""

PROMISES = np.linspace(0.1, 2.0, 11)
"""The ε at which independent reporting is worked out."""

BUDGETS = np.linspace(0.1, 2.0, 20)
"""The ε at which PolyOpt is worked out."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """[RLDP] Example 2: the least P(u1 | s1) that records leave possible, as published and right.

    `share` is P̂(s1), `estimated` P̂(u1 | s1); `witness`, (2, 2), reaches the right one, with
    D_2(P̂‖P) `divergence` of at most `bound`. The lines, (k,), are over all P̂(s1).
    """

    records: int
    share: float
    estimated: float
    printed: float
    right: float
    witness: FloatArray
    divergence: float
    bound: float
    shares: FloatArray
    printed_line: FloatArray
    right_line: FloatArray

    @property
    def broken(self) -> bool:
        """Whether the witness lies outside of what the paper says is possible."""
        return bool(self.witness[0, 0] / self.witness[0].sum() < self.printed - 1e-9)


def bounds(share: float, records: int) -> Bounds:
    every = np.array([_least(float(value), records) for value in SHARES])
    ball = _ball(share, records)
    printed, right = _least(share, records)
    witness = _witness(ball, right)
    return Bounds(
        records=records,
        share=share,
        estimated=float(ball.p_u_given_s[0, 0]),
        printed=printed,
        right=right,
        witness=witness,
        divergence=float(ball.divergence(witness)),
        bound=float(ball.bound),
        shares=SHARES,
        printed_line=every[:, 0],
        right_line=every[:, 1],
    )


def _ball(share: float, records: int) -> RenyiBall:
    u_given_s = estimate() / estimate().sum(axis=1, keepdims=True)
    weights = np.array([[share], [1.0 - share]])
    return RenyiBall.confidence(weights * u_given_s, records, BETA)


def _least(share: float, records: int) -> tuple[float, float]:
    """Return the least P(u1 | s1) as published, and by Theorem 1."""
    ball = _ball(share, records)
    return float(as_printed.lower_as_printed(ball)[0, 0]), float(ball.lower[0, 0])


def _witness(ball: RenyiBall, least: float) -> FloatArray:
    """Return the member with P(u1 | s1) = least whose P(s) is the one nearest to P̂, for α = 2."""
    wanted = np.array([least, 1.0 - least])
    away = math.sqrt(float((ball.p_u_given_s[0] ** 2 / wanted).sum()))
    raised = float(ball.p_s[0]) * away
    mass = raised / (raised + float(ball.p_s[1]))
    return np.array([mass * wanted, (1.0 - mass) * ball.p_u_given_s[1]])


def of_bounds(world: Bounds) -> tuple[str, ...]:
    printed, right = apart(world.printed, world.right, percent)
    there, share = apart(float(world.witness[0].sum()), world.share, fewest=2)
    return (
        f"{number_of(world.records, 'record')} put P(u1 | s1) near {percent(world.estimated, 1)}. "
        f"By the formula behind the Bₛ of the paper's Example 2, it is at least {printed}.",
        f"One of these distributions puts it at {right}: its divergence is "
        f"{plain(world.divergence)}, and {plain(world.bound)} is allowed.",
        f"There P(s1) is {there} instead of {share}. The formula behind the paper's numbers "
        "ignores that probability can move from one secret to another. Theorem 1 of the same "
        "paper takes this into account.",
    )


@dataclass(frozen=True, eq=False)
class Reporting:
    """[RLDP] Table 2: independent reporting with one coordinate of a distance for all of it.

    `printed` and `right` are what each d gives away at worst, in nats; the lines, (k,), are over
    all ε.
    """

    eps: float
    printed_distance: float
    distance: float
    printed: float
    right: float
    promises: FloatArray
    printed_line: FloatArray
    right_line: FloatArray

    @property
    def broken(self) -> bool:
        """Whether the mechanism as published gives away more than it promises."""
        return self.printed > self.eps + 1e-9


def unlike_table(unlike: float) -> FloatArray:
    """Return P̂(s, u) of two equally likely secrets and three u, of which the first says nothing."""
    alike = 0.2  # P̂(u1 | s) in the world of independent reporting, the same for both secrets
    first, other = (1 - alike) * unlike, (1 - alike) * (1 - unlike)
    return np.array([[alike, first, other], [alike, other, first]]) / 2


def reporting(eps: float, unlike: float, records: int) -> Reporting:
    table = unlike_table(unlike)
    ball = RenyiBall.confidence(table, records, BETA)
    every = np.array([_levels(table, ball, float(promise)) for promise in PROMISES])
    printed, right = _levels(table, ball, eps)
    u_given_s = ball.p_u_given_s
    return Reporting(
        eps=eps,
        printed_distance=as_printed.distance_of_one_coordinate(ball),
        distance=min(
            2.0, 2 * float(ball.radius.max()) + float(np.abs(u_given_s[0] - u_given_s[1]).sum())
        ),
        printed=printed,
        right=right,
        promises=PROMISES,
        printed_line=every[:, 0],
        right_line=every[:, 1],
    )


def _levels(table: FloatArray, ball: RenyiBall, eps: float) -> tuple[float, float]:
    """Return what reporting gives away at worst, as published and right, in nats."""
    printed = as_printed.independent_reporting_as_printed(ball, eps)
    return at_worst(ball, printed), at_worst(ball, m.independent_reporting(table, eps, ball).kernel)


def of_reporting(world: Reporting) -> tuple[str, ...]:
    verdict = "more than it promises" if world.broken else "no more than it promises"
    return (
        "u1 is equally likely given s1 and given s2, so the first coordinate alone gives d = "
        f"{world.printed_distance:.3g}; Theorem 5 gives d = {world.distance:.3g}.",
        f"With the small d, a report that promises ε = {nats(world.eps)} reaches "
        f"{level(world.printed)} in the worst case: {verdict}. With the correct d it reaches "
        f"{level(world.right)}.",
        "We conjecture that Table 2 was computed this way: its values follow from this d, not "
        "from Theorem 5.",
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """[RLDP] Definition 3: PolyOpt with and without the rows that compare a secret with itself.

    `printed`, `right` and the exact optimum `best` are shares of X kept, the levels at worst in
    nats; the lines, (k,), are shares over all ε.
    """

    eps: float
    printed: float
    right: float
    best: float
    printed_level: float
    right_level: float
    budgets: FloatArray
    printed_line: FloatArray
    right_line: FloatArray

    @property
    def broken(self) -> bool:
        return self.printed < self.right - 1e-6


def rows(eps: float, records: int) -> Rows:
    table = estimate()
    ball = RenyiBall.confidence(table, records, BETA)
    with_rows = [
        as_printed.polyopt_as_printed(table, float(budget), ball).nmi for budget in BUDGETS
    ]
    without = [m.polyopt(table, float(budget), ball).nmi for budget in BUDGETS]
    printed, right = as_printed.polyopt_as_printed(table, eps, ball), m.polyopt(table, eps, ball)
    return Rows(
        eps=eps,
        printed=printed.nmi,
        right=right.nmi,
        best=m.robust_optimal(table, eps, ball).nmi,
        printed_level=at_worst(ball, printed.kernel),
        right_level=at_worst(ball, right.kernel),
        budgets=BUDGETS,
        printed_line=np.array(with_rows),
        right_line=np.array(without),
    )


def of_rows(world: Rows) -> tuple[str, ...]:
    cost = "" if world.broken else " Here the extra rows cost nothing."
    return (
        f"PolyOpt as published keeps {percent(world.printed, 1)} of the information in X at ε = "
        f"{level(world.eps)}; without the extra rows it keeps {percent(world.right, 1)}.{cost}",
        f"Both meet the budget: in the worst case they reach {level(world.printed_level)} and "
        f"{level(world.right_level)}. The exact optimum, which imposes the condition over the set "
        f"itself, keeps {percent(world.best, 1)}.",
        "Theorem 3 claims an optimum under Theorem 2's condition, which includes these rows, and "
        "that claim is correct. The condition is stricter than necessary: robust LDP never "
        "compares P(y | s) under two distributions for the same s.",
    )
