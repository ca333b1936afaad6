"""Worked examples of the notions that bound lifts: LIP, ALIP, LDP, PML and α-lift."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import measures
from core import mechanisms as m
from core.learning.tables import Told, flipped, of_clue, of_test, told
from core.measures.conditionals import conditionals
from core.notions import ALIP, LDP, LIP, PointwiseMaximalLeakage
from core.validation import FloatArray

SHARES = np.linspace(0.0, 1.0, 21)
"""The λ at which the optimum under ALIP is worked out."""

PRIORS = np.linspace(0.01, 0.99, 99)
"""The P(ill) at which the levels of one release are worked out."""

ORDERS = np.geomspace(1.0, 50.0, 50)
"""The orders α at which the mean of lifts is worked out."""


@dataclass(frozen=True, eq=False)
class LipExample:
    """A test whose result is told with a chance of a lie, under LIP.

    Attributes
    ----------
    eps : float
        What is asked, in nats.
    itself, release : Told
        The result itself, and what is told.
    kept : bool
        Whether the release keeps ε-LIP.
    most_truthful : float
        The largest chance of the truth at which it does.
    simple, best : float
        The share of X that is kept at that chance, and by the optimum under ε-LIP.
    """

    eps: float
    itself: Told
    release: Told
    kept: bool
    most_truthful: float
    simple: float
    best: float


def lip_example(eps: float, truth: float) -> LipExample:
    """Return the worked example of LIP.

    Parameters
    ----------
    eps : float
        The budget, in nats.
    truth : float
        The chance that the result is told as it is, in [0.5, 1].

    Examples
    --------
    >>> found = lip_example(0.5, 0.8)
    >>> round(found.release.lip, 4), found.kept, round(found.most_truthful, 4)
    (0.869, False, 0.6887)
    """
    joint, notion = of_test(), LIP(eps)
    release = told(joint, flipped(truth))
    simple = m.generalized_randomized_response(joint, notion=notion)
    return LipExample(
        eps=eps,
        itself=told(joint),
        release=release,
        kept=notion.holds(joint, flipped(truth)),
        most_truthful=float(simple.kernel[0, 0]),
        simple=simple.nmi,
        best=m.optimal(joint, notion).nmi,
    )


@dataclass(frozen=True, eq=False)
class AlipExample:
    """The optimum under ALIP at one λ, and what it keeps at all of them.

    Attributes
    ----------
    eps_l, eps_u : float
        The budgets for falling and for rising beliefs, in nats.
    release : Told
        The optimum at this λ.
    shares, kept : ndarray
        λ and the share of X that the optimum keeps, shape (k,).
    best_share : float
        The λ of those at which most is kept.
    """

    eps_l: float
    eps_u: float
    release: Told
    shares: FloatArray
    kept: FloatArray
    best_share: float


def alip_example(eps: float, share: float) -> AlipExample:
    """Return the worked example of ALIP.

    Parameters
    ----------
    eps : float
        Both budgets together, in nats.
    share : float
        λ.

    Examples
    --------
    >>> found = alip_example(1.0, 0.5)
    >>> round(found.release.kept, 4), found.best_share
    (0.1207, 0.4)
    """
    joint, notion = of_test(), ALIP.from_lambda(eps, share)
    made = m.optimal(joint, notion)
    line = np.array([m.optimal(joint, ALIP.from_lambda(eps, lam)).nmi for lam in SHARES])
    return AlipExample(
        eps_l=notion.lower_budget,
        eps_u=notion.upper_budget,
        release=told(joint, made.kernel, _outputs(made.kernel)),
        shares=SHARES,
        kept=line,
        best_share=round(float(SHARES[line.argmax()]), 2),
    )


def _outputs(kernel: FloatArray) -> tuple[str, ...]:
    """Return names of a test's outputs: that of the result of which each is likelier."""
    names = tuple("says positive" if row[0] > row[1] else "says negative" for row in kernel.T)
    if len(set(names)) == len(names):
        return names
    return tuple(f"output {place}" for place in range(1, len(names) + 1))


@dataclass(frozen=True, eq=False)
class LdpExample:
    """One release among those of whom few or many are ill.

    Attributes
    ----------
    release : Told
        At this P(ill).
    priors, lip, ldp : ndarray
        P(ill) and the levels of the same release there, in nats, shape (k,).
    """

    release: Told
    priors: FloatArray
    lip: FloatArray
    ldp: FloatArray


def ldp_example(ill: float, truth: float) -> LdpExample:
    """Return the worked example of LDP.

    Parameters
    ----------
    ill : float
        P(ill), between 0 and 1.
    truth : float
        The chance that the result is told as it is.

    Examples
    --------
    >>> found = ldp_example(0.2, 0.8)
    >>> round(found.release.lip, 4), round(found.release.ldp, 4)
    (0.869, 1.0046)
    """
    joints = [of_test(prior) for prior in PRIORS]
    kernel = flipped(truth)
    return LdpExample(
        release=told(of_test(ill), kernel),
        priors=PRIORS,
        lip=np.array([LIP(1.0).achieved(joint, kernel) for joint in joints]),
        ldp=np.array([LDP(1.0).achieved(joint, kernel) for joint in joints]),
    )


@dataclass(frozen=True, eq=False)
class PmlExample:
    """The optimum under PML beside that under LIP, and what a guesser gains.

    Attributes
    ----------
    eps : float
        What is asked, in nats.
    release : Told
        The optimum under PML.
    kept, kept_by_lip : float
        The share of X that it keeps, and that the optimum under LIP keeps.
    blind, informed : float
        The chance to guess right whether somebody is ill, without and with the output.
    """

    eps: float
    release: Told
    kept: float
    kept_by_lip: float
    blind: float
    informed: float


def pml_example(eps: float) -> PmlExample:
    """Return the worked example of pointwise maximal leakage.

    Parameters
    ----------
    eps : float
        The budget, in nats.

    Examples
    --------
    >>> found = pml_example(0.5)
    >>> round(found.kept, 4), round(found.kept_by_lip, 4)
    (0.3555, 0.1207)
    """
    joint = of_test()
    made = m.optimal(joint, PointwiseMaximalLeakage(eps))
    release = told(joint, made.kernel, _outputs(made.kernel))
    return PmlExample(
        eps=eps,
        release=release,
        kept=made.nmi,
        kept_by_lip=m.optimal(joint, LIP(eps)).nmi,
        blind=float(joint.p_s.max()),
        informed=float((release.posterior * release.p_y).max(axis=0).sum()),
    )


@dataclass(frozen=True, eq=False)
class AlphaExample:
    """Means of the lifts that a clue gives four suspects.

    Attributes
    ----------
    lifts : ndarray
        l(s, clue), shape (4,).
    alpha : float
        The order asked for.
    mean : float
        The mean of that order.
    largest : float
        Λ: the mean of order ∞.
    orders, means : ndarray
        Orders and the means of them, shape (k,).
    """

    lifts: FloatArray
    alpha: float
    mean: float
    largest: float
    orders: FloatArray
    means: FloatArray


def alpha_example(lift: float, alpha: float) -> AlphaExample:
    """Return the worked example of α-lift.

    Parameters
    ----------
    lift : float
        Lift of the first of four suspects, in [0, 4].
    alpha : float
        The order, at least 1; of order 1 every mean of lifts is 1.

    Examples
    --------
    >>> found = alpha_example(2.5, 2.0)
    >>> round(found.mean, 4), found.largest
    (1.3229, 2.5)
    """
    joint = of_clue(lift)

    def mean(order: float) -> float:
        return 1.0 if order == 1 else float(measures.alpha_lift(joint.p, order)[0])

    lifts = conditionals(joint.p).lift[:, 0]
    return AlphaExample(
        lifts=lifts,
        alpha=alpha,
        mean=mean(alpha),
        largest=round(mean(math.inf), 12),
        orders=ORDERS,
        means=np.array([mean(float(order)) for order in ORDERS]),
    )
