"""Two statements of the papers that are false, as little worlds whose numbers can be moved."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core.joint import Joint
from core.learning.tables import flipped
from core.limits import ROUNDING
from core.measures.conditionals import conditionals
from core.notions import LIP
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Proposition:
    """[Lift] Proposition 1(2): total variation, what print bounds it by, and what holds.

    Attributes
    ----------
    max_lift, min_lift : float
        Λ and Ψ of every symbol.
    variation, printed, right : float
        T, ½(e^ε_u − 1), and ½ max(e^ε_u − 1, 1 − e^−ε_l); what rounding alone may leave of 0 is 0.
    rounding : float
        By how much rounding alone may move each of them.
    lifts, variations, printed_line, right_line : ndarray
        The same over all lifts of the secret that is nearly excluded, shape (k,).
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
        """Whether T is above what print says."""
        return self.variation - self.printed > 2 * self.rounding

    @property
    def silent(self) -> bool:
        """Whether no symbol changes any belief."""
        return self.right == 0.0


def proposition(secrets: int, excluded: float) -> Proposition:
    """Return the world of [Lift] Proposition 1(2).

    S and X are uniform, each symbol has the lift `excluded` for a secret of its own, and all other
    secrets share what is left.

    Parameters
    ----------
    secrets : int
        At least 2.
    excluded : float
        In [0, 1].

    Examples
    --------
    >>> found = proposition(5, 0.05)
    >>> round(found.variation, 4), round(found.printed, 4), round(found.right, 4), found.broken
    (0.19, 0.1187, 0.475, True)
    """
    lifts = np.linspace(0.0, 1.0, 41)
    every = np.array([_bounds(secrets, float(lift)) for lift in lifts])
    variation, printed, right = _bounds(secrets, excluded)
    found = conditionals(_excluding(secrets, excluded)).lift
    return Proposition(
        float(found.max()),
        float(found.min()),
        variation,
        printed,
        right,
        _rounding(secrets),
        lifts,
        *every.T,
    )


def _rounding(secrets: int) -> float:
    """Return by how much rounding may move T, Λ − 1 or 1 − Ψ of the world.

    In units of u = 2⁻⁵³, to first order. Each p of the table is off by 3u of itself at most (a
    difference and two quotients), a sum of n of them by (n + 2)u, P(s)·P(x) by (2n + 5)u and a
    lift, which is 2 at most, by (2n + 9)u of itself; half of it less 1 by (2n + 9)u. T is half the
    sum of |p − P(s)·P(x)|: the terms are off by (n + 4)u together, and their sum by n²u more. A
    normalised table is off by another n²u. So (2n² + 2n + 9)u is enough, and 2(n + 3)² is more.
    """
    return 2 * (secrets + 3) ** 2 * 2.0**-53


def _excluding(secrets: int, excluded: float) -> FloatArray:
    """Return P(s, x) of the world, shape (secrets, secrets)."""
    other = (secrets - excluded) / (secrets - 1)
    lifts = np.where(np.eye(secrets, dtype=bool), excluded, other)
    result: FloatArray = lifts / secrets**2
    return result


def _bounds(secrets: int, excluded: float) -> tuple[float, float, float]:
    """Return T, what print bounds it by, and what holds."""
    p = _excluding(secrets, excluded)
    most, least = float(measures.max_lift(p).max()), float(measures.min_lift(p).min())
    rise, fall = most - 1, 1 - least
    numbers = (float(measures.total_variation(p)), rise / 2, max(rise, fall) / 2)
    variation, printed, right = (0.0 if abs(x) <= _rounding(secrets) else x for x in numbers)
    return variation, printed, right


@dataclass(frozen=True, eq=False)
class Theorem:
    """[Funnel] Theorem 4: two protocols, each private by itself, told together.

    Attributes
    ----------
    alone_a, alone_b : float
        The level of LIP of each protocol by itself, in nats.
    together : float
        That of both; ∞ where a secret is ruled out.
    bound : float
        What print says of it: the sum.
    truths, levels : ndarray
        Chances at which both bits are told as they are, and the level of both, shape (k,).
    same : float
        The one of those chances that reaches the same.
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
        """Whether the level is above what print says."""
        return self.together > self.bound + 1e-9


def theorem(told_a: float, told_b: float, parity: float) -> Theorem:
    """Return the world of [Funnel] Theorem 4.

    X holds two uniform bits a and b, in both of its attributes; S is their parity, or with a small
    chance the other one. The first protocol tells a, the second b.

    Parameters
    ----------
    told_a, told_b : float
        The chances that each bit is told as it is, in [0.5, 1].
    parity : float
        The chance that S is the parity, in [0.5, 1].

    Examples
    --------
    >>> found = theorem(1.0, 1.0, 0.9)
    >>> found.bound, round(found.together, 4), found.broken
    (0.0, 1.6094, True)
    >>> theorem(1.0, 0.5, 0.9).broken  # b is not told at all
    False
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
    found = LIP(1.0).achieved(joint, kernel)
    return 0.0 if found < ROUNDING else found


def _parity(parity: float) -> Joint:
    """Return P(s, (a, b)), shape (2, 4): b changes fastest."""
    even = [parity, 1 - parity, 1 - parity, parity]
    p = np.array([even, [1 - share for share in even]]) / 4
    return Joint.from_counts(p, ("even", "odd"), ("00", "01", "10", "11"))


def of_proposition(found: Proposition) -> tuple[str, ...]:
    """Return what the world of the proposition shows, in sentences.

    Examples
    --------
    >>> of_proposition(proposition(5, 0.05))[1]
    'T(S;Y) is 0.19: above 0.119, what print says it is at most. What holds is 0.475.'
    """
    verdict = "above" if found.broken else "not above"
    moved = (
        "No symbol changes any belief."
        if found.silent
        else f"Every symbol raises beliefs by a factor of {found.max_lift:.3g} at most, and lowers "
        f"one to {found.min_lift:.3g} of what it was."
    )
    return (
        moved,
        f"T(S;Y) is {found.variation:.3g}: {verdict} {found.printed:.3g}, what print says it is at "
        f"most. What holds is {found.right:.3g}.",
        "The proof takes |l − 1| to be at most Λ − 1, which fails where 1 − Ψ is larger.",
    )


def of_theorem(found: Theorem) -> tuple[str, ...]:
    """Return what the world of the theorem shows, in sentences.

    Examples
    --------
    >>> of_theorem(theorem(1.0, 1.0, 1.0))[1]
    'Together they reach ∞: print says 0 at most.'
    """
    together = "∞" if math.isinf(found.together) else f"{found.together:.3g}"
    holds = "and it holds here" if not found.broken else ""
    return (
        f"By itself the first protocol has the level {found.alone_a:.3g}, the second "
        f"{found.alone_b:.3g}: one bit says nothing of the parity.",
        f"Together they reach {together}: print says {found.bound:.3g} at most"
        f"{', ' + holds if holds else ''}.",
        "The proof takes what is known of X given S to be a product over the attributes. Where the "
        "attributes are independent given S it is one, and the theorem holds.",
    )
