"""What is WRONG in print, kept to show where printed values come from.

Nothing here may be used to protect data: each function is the printed rule whose error
`docs/errata.md` derives, and none is in a catalogue of mechanisms or notions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.mechanisms import Mechanism, polyopt
from core.mechanisms.response.generalized_randomized_response import grr_kernel
from core.mechanisms.robust.independent_reporting import best_split, delta_of
from core.notions import ALIP, LIP
from core.uncertainty import RenyiBall
from core.uncertainty.radius import mass_range
from core.validation import FloatArray

WRONG = (
    "risk_as_printed",
    "subset_merging_as_printed",
    "conditional_bound_as_printed",
    "lower_as_printed",
    "radius_as_printed",
    "distance_of_one_coordinate",
    "independent_reporting_as_printed",
    "polyopt_as_printed",
    "product_as_printed",
)
"""The functions of this module: each is wrong in the way that its docstring says."""

Sets = tuple[tuple[int, ...], ...]


def risk_as_printed(lift: FloatArray) -> float:
    """Return ω = Λ + Ψ of a set, which is *smaller* where Ψ is: the risk must grow instead.

    Parameters
    ----------
    lift : ndarray
        P(A | s)/P(A), shape (n_s,).

    Notes
    -----
    Source: [Lift] §IV-A. Right is max(log Λ, |log Ψ|).

    Examples
    --------
    >>> risk_as_printed(np.array([0.5, 1.5])) > risk_as_printed(np.array([0.01, 1.5]))
    True
    """
    return float(lift.max() + lift.min())


def _right_risk(lift: FloatArray) -> float:
    with np.errstate(divide="ignore"):
        return float(max(np.log(lift.max()), -np.log(lift.min())))


def subset_merging_as_printed(
    joint: Joint, notion: ALIP | LIP, wrong: Literal["risk", "line 4"]
) -> Sets:
    """Return the sets of X_H by [Lift] Algorithm 1 with one of its two errors.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : ALIP or LIP
        The budgets.
    wrong : {"risk", "line 4"}
        "risk": sets are chosen by Λ + Ψ. "line 4": no new set is opened as soon as all that is left
        of X_H meets the budget as one set, which it mostly does at the start.

    Returns
    -------
    tuple of tuple of int
        Disjoint sets of symbols; those in none are published as they are.

    Notes
    -----
    Source: [Lift] Algorithm 1. `core.mechanisms.subset_merging` has neither error.

    Examples
    --------
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> subset_merging_as_printed(joint, LIP(0.4), "line 4")
    ((0, 1, 2, 3),)
    """
    risk: Callable[[FloatArray], float] = risk_as_printed if wrong == "risk" else _right_risk

    def lift(members: list[int]) -> FloatArray:
        mass = joint.p[:, members].sum(axis=1)
        result: FloatArray = mass / (mass.sum() * joint.p_s)
        return result

    def broken(members: list[int]) -> bool:
        of = lift(members)
        low, high = np.exp(-notion.lower_budget), np.exp(notion.upper_budget)
        return bool(of.min() < low - 1e-12 or of.max() > high + 1e-12)

    queue = [x for x in range(joint.n_x) if broken([x])]
    sets: list[list[int]] = []
    while queue and (wrong != "line 4" or broken(queue)):
        members = [max(queue, key=lambda x: risk(lift([x])))]
        queue.remove(members[0])
        while queue and broken(members):
            chosen = members
            best = min(queue, key=lambda x: risk(lift([*chosen, x])))
            members = [*members, best]
            queue.remove(best)
        sets.append(members)
    if queue:
        sets.append(queue)
    while len(sets) > 1 and broken(sets[-1]):
        last = sets.pop()
        best_set = min(sets, key=lambda one: risk(lift(last + one)))
        sets.remove(best_set)
        sets.append(last + best_set)
    return tuple(tuple(sorted(members)) for members in sets)


def conditional_bound_as_printed(ball: RenyiBall) -> FloatArray:
    """Return log(1 + (e^B − 1)/P̂_s), which the numbers of [RLDP] Example 2 follow, shape (n_s,).

    Theorem 1 of the same paper has 2·log((e^{B/2} − (1 − P̂_s))/P̂_s) at α = 2, which is larger:
    the printed set of conditionals is too small, and a mechanism for it may break its promise.

    Examples
    --------
    >>> ball = RenyiBall.confidence([[7, 10], [26, 57]], 100)
    >>> conditional_bound_as_printed(ball).round(4)
    array([0.3782, 0.09  ])
    """
    result: FloatArray = np.log1p(np.expm1(ball.bound) / ball.p_s)
    return result


def lower_as_printed(ball: RenyiBall) -> FloatArray:
    """Return L_{u|s} that follows from the wrong B_s of [RLDP] Example 2, shape (n_s, n_u).

    Examples
    --------
    >>> lower_as_printed(RenyiBall.confidence([[7, 10], [26, 57]], 100)).round(4)
    array([[0.162 , 0.2829],
           [0.1923, 0.5337]])
    """
    bound = conditional_bound_as_printed(ball)[:, None]
    return mass_range(ball.p_u_given_s, bound, ball.alpha)[0]


def radius_as_printed(ball: RenyiBall) -> FloatArray:
    """Return rad_s of two u that follows from the wrong B_s of [RLDP] Example 2, shape (n_s,).

    Examples
    --------
    >>> radius_as_printed(RenyiBall.confidence([[7, 10], [26, 57]], 100)).round(3)
    array([0.611, 0.306])
    """
    bound = conditional_bound_as_printed(ball)[:, None]
    low, high = mass_range(ball.p_u_given_s, bound, ball.alpha)
    p = ball.p_u_given_s
    result: FloatArray = 2 * np.maximum(p - low, high - p).max(axis=1)
    return result


def distance_of_one_coordinate(ball: RenyiBall) -> float:
    """Return d with the first coordinate of P̂(U|s) − P̂(U|s') in place of their ℓ1 distance.

    One coordinate is at most half the ℓ1 distance, so this d is too small, δ2 too large, and
    independent reporting with it may break its promise. That [RLDP] Table 2 was made so is a
    conjecture: its rows of IR do not follow from Theorem 5, and follow from this.

    Examples
    --------
    >>> round(distance_of_one_coordinate(RenyiBall.confidence([[7, 10], [26, 57]], 100)), 4)
    1.3606
    """
    first = ball.p_u_given_s[:, 0]
    return min(2.0, 2 * float(ball.radius.max()) + float(first.max() - first.min()))


def independent_reporting_as_printed(ball: RenyiBall, eps: float) -> FloatArray:
    """Return P(y | s, u) of independent reporting with `distance_of_one_coordinate`.

    Returns
    -------
    ndarray
        Shape (n_s·n_u, n_s·n_u). It is not audited: it may break ε-RLDP.

    Examples
    --------
    >>> ball = RenyiBall.confidence([[7, 10], [26, 57]], 100)
    >>> independent_reporting_as_printed(ball, 0.7).shape
    (4, 4)
    """
    distance = distance_of_one_coordinate(ball)
    share = best_split(ball.p_hat_su, eps, distance)
    of_s, of_u = grr_kernel(ball.n_s, eps - share), grr_kernel(ball.n_u, delta_of(share, distance))
    kernel: FloatArray = np.asarray(np.kron(of_s, of_u), dtype=np.float64)
    return kernel


def polyopt_as_printed(
    p_su: ArrayLike,
    eps: float,
    ball: RenyiBall,
    *,
    seconds: float | None = None,
    gap: float = 1e-6,
) -> Mechanism:
    """Return PolyOpt with the rows that compare each secret with itself, which cost utility.

    It keeps its promise; only this one is needlessly strict.

    Examples
    --------
    >>> cells = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(cells, n=100)
    >>> round(polyopt_as_printed(cells, np.log(2), ball).utility, 4)
    0.4228
    """
    return polyopt(p_su, eps, ball, include_same_secret=True, time_limit=seconds, gap=gap)


def product_as_printed(kernels: list[FloatArray]) -> FloatArray:
    """Return the product of protocols of single attributes, which [Funnel] Theorem 4 calls private.

    It is not: protocols that say nothing of S one by one can reveal it together. The repaired
    product, `core.mechanisms.srlip_product`, is audited and has its budgets shrunk.

    Parameters
    ----------
    kernels : list of ndarray
        P(y_j | x_j) of each attribute.

    Examples
    --------
    >>> product_as_printed([np.eye(2), np.ones((2, 1))]).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    whole: FloatArray = np.ones((1, 1))
    for kernel in kernels:
        whole = np.asarray(np.kron(whole, kernel), dtype=np.float64)
    return whole
