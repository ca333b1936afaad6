"""Statements of [Lift], [ALIP] and [Funnel] that are wrong, as little worlds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core import mechanisms as m
from core.joint import Joint
from core.learning.examples import flipped
from core.learning.words import level
from core.limits import ROUNDING
from core.measures.pointwise import conditionals
from core.notions import ALIP, LIP
from core.papers import as_printed
from core.validation import FloatArray
from core.wording import percent

SYMBOLS = (5, 17)
"""Sizes of S and X where subset merging is looked at, as in the paper's figures."""

LARGE = (20, 30)
"""Sizes of S and X where the share λ is looked at, as in the paper's figures."""

HALF, MORE = 0.5, 0.65
"""λ of the world of subset merging, and the larger share with which the paper compares it."""

BUDGETS = np.arange(1, 17) / 2
"""The ε at which subset merging is worked out."""

SHARES = np.linspace(0.5, 0.7, 41)
"""The λ at which the watchdog is worked out."""


def source(sizes: tuple[int, int], draw: int) -> str:
    """Return the name under which a drawn table is data of every page."""
    return f"random:uniform:{sizes[0]}x{sizes[1]}:{draw}"


def drawn(sizes: tuple[int, int], draw: int) -> Joint:
    """Return the table of that name: independent uniform entries, normalized."""
    return Joint.random_uniform(*sizes, np.random.default_rng(draw))


@dataclass(frozen=True, eq=False)
class Merging:
    """[Lift] Algorithm 1 with line 4 as published, on one drawn table, as shares of X kept; λ is ½.

    `eps` is both budgets together, in nats. The lines over all ε have shape (k,).
    """

    eps: float
    printed: float
    right: float
    budgets: FloatArray
    printed_line: FloatArray
    right_line: FloatArray

    @property
    def broken(self) -> bool:
        return self.printed < self.right - 1e-9


def merging(draw: int, eps: float) -> Merging:
    joint = drawn(SYMBOLS, draw)
    every = np.array([_kept(joint, float(budget)) for budget in BUDGETS])
    return Merging(eps, *_kept(joint, eps), BUDGETS, *every.T)


def _kept(joint: Joint, eps: float) -> tuple[float, float]:
    """Return the share of X that is kept with line 4 as published, and without it."""
    notion = ALIP.from_lambda(eps, HALF)
    printed = as_printed.kept_as_printed(joint, notion, "line 4")
    return printed, m.subset_merging(joint, notion).nmi


def of_merging(world: Merging) -> tuple[str, ...]:
    return (
        f"At ε = {level(world.eps)} subset merging keeps {percent(world.right, 1)} of the "
        "information in this table's X. With line 4, as the paper states it, subset merging "
        f"keeps {percent(world.printed, 1)}.",
        "Line 4 stops the search as soon as the remaining symbols, merged into one set, meet the "
        "budget. Usually they do so at the start, and all of them are merged. Without line 4 the "
        "search reaches the paper's average of 0.83. In a single table, line 4 may keep more.",
    )


@dataclass(frozen=True, eq=False)
class Sharing:
    """[ALIP] §III-B: the share of X that the watchdog keeps, and symbols merged, as λ grows.

    `half` is at λ = 0.5, `more` at 0.65; `shares` are the λ of `kept`, shape (k,). `eps` is both
    budgets together, in nats.
    """

    eps: float
    half: float
    more: float
    merged_half: int
    merged_more: int
    shares: FloatArray
    kept: FloatArray

    @property
    def broken(self) -> bool:
        return self.more < self.half - 1e-9


def sharing(draw: int, eps: float) -> Sharing:
    joint = drawn(LARGE, draw)
    half, more = (m.watchdog(joint, ALIP.from_lambda(eps, share)) for share in (HALF, MORE))
    kept = [m.watchdog(joint, ALIP.from_lambda(eps, float(share))).nmi for share in SHARES]
    return Sharing(eps, half.nmi, more.nmi, _merged(half), _merged(more), SHARES, np.array(kept))


def _merged(mechanism: m.Mechanism) -> int:
    """Return how many symbols are published as one output with others."""
    kernel = mechanism.kernel
    return int(kernel[:, kernel.astype(bool).sum(axis=0) > 1].any(axis=1).sum())


def of_sharing(world: Sharing) -> tuple[str, ...]:
    verdict = "fails" if world.broken else "holds"
    rises = math.exp((1 - HALF) * world.eps), math.exp((1 - MORE) * world.eps)
    return (
        f"At ε = {level(world.eps)} and λ = {HALF} the watchdog keeps {percent(world.half, 1)} of "
        f"the information in this table's X and merges {world.merged_half} of its {LARGE[1]} "
        f"symbols. At λ = {MORE} it keeps {percent(world.more, 1)} and merges "
        f"{world.merged_more}.",
        f"The paper's claim {verdict} for this table.",
        "A larger share for falling beliefs leaves less for rising ones: they may rise by a "
        f"factor of {rises[1]:.3g} instead of {rises[0]:.3g}, and some symbols that were released "
        "before may have to be merged. This lowers utility in 1 to 2% of all draws.",
    )


@dataclass(frozen=True, eq=False)
class Proposition:
    """[Lift] Proposition 1(2): total variation, what the paper bounds it by, and what holds.

    `printed` is ½(e^εᵤ − 1), `right` ½ max(e^εᵤ − 1, 1 − e^−εₗ); `rounding` may move each by as
    much. The lines, shape (k,), are over all lifts of the secret that is nearly excluded.
    """

    max_lift: float
    min_lift: float
    variation: float
    printed: float
    right: float
    rounding: float
    lifts: FloatArray
    variations: FloatArray
    printed_line: FloatArray
    right_line: FloatArray

    @property
    def broken(self) -> bool:
        return self.variation - self.printed > 2 * self.rounding

    @property
    def silent(self) -> bool:
        """Whether no symbol changes any belief."""
        return self.right == 0.0


def proposition(secrets: int, excluded: float) -> Proposition:
    """Return the world of [Lift] Proposition 1(2): S and X uniform.

    Each symbol has the lift `excluded` for a secret of its own; all others share what is left.
    """
    lifts = np.linspace(0.0, 1.0, 41)
    every = np.array([_bounds(secrets, float(lift)) for lift in lifts])
    variation, printed, right = _bounds(secrets, excluded)
    reached = conditionals(_excluding(secrets, excluded)).lift
    return Proposition(
        float(reached.max()),
        float(reached.min()),
        variation,
        printed,
        right,
        _rounding(secrets),
        lifts,
        *every.T,
    )


def _rounding(secrets: int) -> float:
    """Return by how much rounding may move T, Λ − 1 or 1 − Ψ of the world.

    To first order in u = 2⁻⁵³: each p is off by 3u of itself, a sum of n by (n + 2)u, P(s)·P(x) by
    (2n + 5)u, a lift (≤ 2) by (2n + 9)u of itself, half of it less 1 by (2n + 9)u. T is half the
    sum of |p − P(s)·P(x)|: terms are off by (n + 4)u together, their sum by n²u more, a normalized
    table by another n²u. So (2n² + 2n + 9)u is enough, and 2(n + 3)² is more.
    """
    return 2 * (secrets + 3) ** 2 * 2.0**-53


def _excluding(secrets: int, excluded: float) -> FloatArray:
    """Return P(s, x) of the world, shape (secrets, secrets)."""
    other = (secrets - excluded) / (secrets - 1)
    lifts = np.where(np.eye(secrets, dtype=bool), excluded, other)
    result: FloatArray = lifts / secrets**2
    return result


def _bounds(secrets: int, excluded: float) -> tuple[float, float, float]:
    """Return T, what the paper bounds it by, and what holds."""
    p = _excluding(secrets, excluded)
    most, least = float(measures.max_lift(p).max()), float(measures.min_lift(p).min())
    rise, fall = most - 1, 1 - least
    numbers = (float(measures.total_variation(p)), rise / 2, max(rise, fall) / 2)
    variation, printed, right = (0.0 if abs(x) <= _rounding(secrets) else x for x in numbers)
    return variation, printed, right


@dataclass(frozen=True, eq=False)
class Theorem:
    """[Funnel] Theorem 4: two protocols, each private alone, released together; LIP levels in nats.

    `bound` is the paper's, the sum. `levels`, (k,), are those of both where the bits are reported
    truly with the chances `truths`; at the chance `same` it is the same.
    """

    alone_a: float
    alone_b: float
    together: float
    bound: float
    truths: FloatArray
    levels: FloatArray
    same: float

    @property
    def broken(self) -> bool:
        return self.together > self.bound + 1e-9


def theorem(told_a: float, told_b: float, parity: float) -> Theorem:
    """Return the world of [Funnel] Theorem 4.

    X holds two uniform bits a and b in both attributes; S is their parity, or with a small chance
    the other one. The first protocol tells a, the second b.
    """
    joint = _parity(parity)
    first, second = flipped(told_a), flipped(told_b)
    alone = [
        _level(joint, np.kron(first, np.ones((2, 1)))),
        _level(joint, np.kron(np.ones((2, 1)), second)),
    ]
    truths = np.linspace(0.5, 1.0, 26)
    levels = [_level(joint, np.kron(flipped(t), flipped(t))) for t in truths]
    return Theorem(
        alone[0],
        alone[1],
        _level(joint, np.kron(first, second)),
        alone[0] + alone[1],
        truths,
        np.array(levels),
        # together they depend on both chances through (2a − 1)(2b − 1) alone
        0.5 + math.sqrt((2 * told_a - 1) * (2 * told_b - 1)) / 2,
    )


def _level(joint: Joint, kernel: ArrayLike) -> float:
    """Return the level of LIP; what the audit takes for rounding is 0."""
    reached = LIP(1.0).achieved(joint, kernel)
    return 0.0 if reached < ROUNDING else reached


def _parity(parity: float) -> Joint:
    """Return P(s, (a, b)), shape (2, 4): b changes fastest."""
    even = [parity, 1 - parity, 1 - parity, parity]
    p = np.array([even, [1 - share for share in even]]) / 4
    return Joint.from_counts(p, ("even", "odd"), ("00", "01", "10", "11"))


def of_proposition(world: Proposition) -> tuple[str, ...]:
    verdict = "above" if world.broken else "not above"
    moved = (
        "No symbol changes any belief."
        if world.silent
        else f"Every symbol raises beliefs by a factor of at most {world.max_lift:.3g}, and "
        f"lowers one to {world.min_lift:.3g} of its former value."
    )
    return (
        moved,
        f"T(S;Y) is {world.variation:.3g}, {verdict} the paper's bound of {world.printed:.3g}. "
        f"The correct bound is {world.right:.3g}.",
        "The proof assumes |l − 1| ≤ Λ − 1, which fails where 1 − Ψ is larger.",
        *(
            ()
            if world.silent
            else ("The sharper bound (Λ − 1)(1 − Ψ)/(Λ − Ψ) equals T here: each lift is Λ or Ψ.",)
        ),
    )


def of_theorem(world: Theorem) -> tuple[str, ...]:
    together = "∞" if math.isinf(world.together) else f"{world.together:.3g}"
    holds = "which holds here" if not world.broken else ""
    return (
        f"Alone, the first protocol reaches level {world.alone_a:.3g} and the second "
        f"{world.alone_b:.3g}: one bit reveals nothing about the parity.",
        f"Together they reach {together}. The paper's bound is "
        f"{world.bound:.3g}{', ' + holds if holds else ''}.",
        "The proof assumes that P(x | s) is a product over the attributes. It is one if the "
        "attributes are independent given S, and then the theorem holds.",
    )
