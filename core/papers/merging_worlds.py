"""Statements of [Lift] and [ALIP] about merging that are wrong, as little worlds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from core import mechanisms as m
from core.joint import Joint
from core.learning.words import level
from core.limits import ROUNDING
from core.measures.conditionals import conditionals
from core.mechanisms.merging.partition import merging_kernel
from core.notions import ALIP
from core.papers import as_printed
from core.validation import FloatArray
from core.wording import percent

SYMBOLS = (5, 17)
"""Sizes of S and X where subset merging is looked at, as in the paper's figures."""

LARGE = (20, 30)
"""Sizes of S and X where the share λ is looked at, as in the paper's figures."""

HALF, MORE = 0.5, 0.65
"""λ of the world of subset merging, and the larger share with which print compares it."""

BUDGETS = np.arange(1, 17) / 2
"""The ε at which subset merging is worked out."""

SHARES = np.linspace(0.5, 0.7, 41)
"""The λ at which the watchdog is worked out."""


def source(sizes: tuple[int, int], draw: int) -> str:
    """Return the name under which a drawn table is data of every page.

    Examples
    --------
    >>> source(SYMBOLS, 3)
    'random:uniform:5x17:3'
    """
    return f"random:uniform:{sizes[0]}x{sizes[1]}:{draw}"


def drawn(sizes: tuple[int, int], draw: int) -> Joint:
    """Return the table of that name: independent uniform entries, normalised.

    Examples
    --------
    >>> drawn(SYMBOLS, 3).p.shape
    (5, 17)
    """
    return Joint.random_uniform(*sizes, np.random.default_rng(draw))


@dataclass(frozen=True, eq=False)
class Symbol:
    """One symbol, and its risk as printed.

    Attributes
    ----------
    name : str
        Of the symbol.
    risk : float
        ω = Λ + Ψ.
    factor : float
        The largest factor by which it changes a belief, up or down.
    """

    name: str
    risk: float
    factor: float


@dataclass(frozen=True, eq=False)
class Merging:
    """[Lift] Algorithm 1 with its two errors, on one drawn table.

    Attributes
    ----------
    eps : float
        Both budgets together, in nats; λ is ½.
    by_risk, by_line_4, right : float
        The share of X that is kept with ω = Λ + Ψ, with line 4 as printed, and without errors.
    riskier, harmless : Symbol or None
        Two symbols that are to be merged, of which print takes the riskier one for the more
        harmless one, as wrongly as any two; None where there are none.
    budgets, risk_line, line_4_line, right_line : ndarray
        The shares over all ε, shape (k,).
    """

    eps: float
    by_risk: float
    by_line_4: float
    right: float
    riskier: Symbol | None
    harmless: Symbol | None
    budgets: FloatArray
    risk_line: FloatArray
    line_4_line: FloatArray
    right_line: FloatArray


def merging(draw: int, eps: float) -> Merging:
    """Return the world of Algorithm 1.

    Parameters
    ----------
    draw : int
        Which table is drawn.
    eps : float
        Both budgets together, in nats.

    Examples
    --------
    >>> found = merging(3, 2.0)
    >>> found.by_line_4 < found.right, found.by_risk < found.right
    (True, True)
    """
    joint = drawn(SYMBOLS, draw)
    every = np.array([_kept(joint, float(one)) for one in BUDGETS])
    by_risk, by_line_4, right = _kept(joint, eps)
    riskier, harmless = _mistaken(joint, ALIP.from_lambda(eps, HALF))
    return Merging(eps, by_risk, by_line_4, right, riskier, harmless, BUDGETS, *every.T)


def _kept(joint: Joint, eps: float) -> tuple[float, float, float]:
    """Return the share of X that is kept with each error, and without."""
    notion = ALIP.from_lambda(eps, HALF)
    return (
        _wrongly(joint, notion, "risk"),
        _wrongly(joint, notion, "line 4"),
        m.subset_merging(joint, notion).nmi,
    )


def _wrongly(joint: Joint, notion: ALIP, wrong: Literal["risk", "line 4"]) -> float:
    sets = as_printed.subset_merging_as_printed(joint, notion, wrong)
    merged = {x for members in sets for x in members}
    whole = (*sets, *((x,) for x in range(joint.n_x) if x not in merged))
    p_y = joint.p_x @ merging_kernel(whole, joint.n_x)
    return float(special.entr(p_y).sum() / special.entr(joint.p_x).sum())


def _mistaken(joint: Joint, notion: ALIP) -> tuple[Symbol | None, Symbol | None]:
    """Return the two symbols whose order print mistakes most, the riskier one first."""
    lift = conditionals(joint.p).lift
    low, high = lift.min(axis=0), lift.max(axis=0)
    within = (-np.log(low) <= notion.lower_budget + ROUNDING) & (
        np.log(high) <= notion.upper_budget + ROUNDING
    )
    factor, printed = np.maximum(high, 1 / low), high + low
    pairs = [
        (factor[a] / factor[b], a, b)
        for a in np.flatnonzero(~within)
        for b in np.flatnonzero(~within)
        if printed[a] < printed[b] and factor[a] > factor[b]
    ]
    if not pairs:
        return None, None
    _, a, b = max(pairs)
    first, second = (Symbol(joint.x_labels[x], float(printed[x]), float(factor[x])) for x in (a, b))
    return first, second


def of_merging(found: Merging) -> tuple[str, ...]:
    """Return what the world of Algorithm 1 shows, in sentences.

    Examples
    --------
    >>> of_merging(merging(3, 2.0))[0][:33]
    'At ε = 2 subset merging keeps 83.'
    """
    said = [
        f"At ε = {level(found.eps)} subset merging keeps {percent(found.right, 1)} of this table's "
        f"X. With ω = Λ + Ψ as printed it keeps {percent(found.by_risk, 1)}, with line 4 as "
        f"printed {percent(found.by_line_4, 1)}."
    ]
    if found.riskier is not None and found.harmless is not None:
        said.append(
            f"The sum Λ + Ψ is smaller where Ψ is, so it takes {found.riskier.name} "
            f"({found.riskier.risk:.3g}) for less risky than {found.harmless.name} "
            f"({found.harmless.risk:.3g}), though one changes a belief by a factor of "
            f"{found.riskier.factor:.3g} and the other by {found.harmless.factor:.3g}."
        )
    said.append(
        "Line 4 ends the search as soon as all that is left keeps the promise as one set, which "
        "it mostly does at the start. In a single table an error may by chance keep more."
    )
    return tuple(said)


@dataclass(frozen=True, eq=False)
class Sharing:
    """[ALIP] §IV-B: what the watchdog keeps of one drawn table as λ grows.

    Attributes
    ----------
    eps : float
        Both budgets together, in nats.
    half, more : float
        The share of X that is kept at λ = 0.5 and at λ = 0.65.
    merged_half, merged_more : int
        Symbols that are merged there.
    shares, kept : ndarray
        λ, and what is kept there, shape (k,).
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
        """Whether less is kept at the larger share."""
        return self.more < self.half - 1e-9


def sharing(draw: int, eps: float) -> Sharing:
    """Return the world of a larger share for falling beliefs.

    Parameters
    ----------
    draw : int
        Which table is drawn.
    eps : float
        Both budgets together, in nats.

    Examples
    --------
    >>> found = sharing(2, 2.0)
    >>> found.kept.shape, bool(found.more >= found.half)
    ((41,), True)
    """
    joint = drawn(LARGE, draw)
    half, more = (m.watchdog(joint, ALIP.from_lambda(eps, share)) for share in (HALF, MORE))
    kept = [m.watchdog(joint, ALIP.from_lambda(eps, float(share))).nmi for share in SHARES]
    return Sharing(eps, half.nmi, more.nmi, _merged(half), _merged(more), SHARES, np.array(kept))


def _merged(mechanism: m.Mechanism) -> int:
    """Return how many symbols are published as one output with others."""
    kernel = mechanism.kernel
    return int(kernel[:, kernel.astype(bool).sum(axis=0) > 1].any(axis=1).sum())


def of_sharing(found: Sharing) -> tuple[str, ...]:
    """Return what the world of the share λ shows, in sentences.

    Examples
    --------
    >>> of_sharing(sharing(2, 2.0))[1]
    'So print is right for this table.'
    """
    verdict = "wrong" if found.broken else "right"
    rises = math.exp((1 - HALF) * found.eps), math.exp((1 - MORE) * found.eps)
    return (
        f"At ε = {level(found.eps)} the watchdog keeps {percent(found.half, 1)} of this table's X "
        f"with λ = {HALF}, merging {found.merged_half} of its {LARGE[1]} symbols, and "
        f"{percent(found.more, 1)} with λ = {MORE}, merging {found.merged_more}.",
        f"So print is {verdict} for this table.",
        f"A larger share for falling beliefs leaves less for rising ones: they may rise by a "
        f"factor of {rises[1]:.3g} in place of {rises[0]:.3g}, and a symbol that was published "
        "before may have to be merged. That is so in 1 to 2 % of all draws.",
    )
