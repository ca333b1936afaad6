"""What is WRONG in the paper, kept to show where published values come from.

Nothing here may protect data: `docs/errata.md` derives each error, and no catalogue has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core.joint import Joint
from core.mechanisms import Mechanism, polyopt
from core.mechanisms.merging.partition import merging_kernel
from core.mechanisms.robust.reporting import reporting_kernel
from core.notions import ALIP, LIP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import mass_range
from core.validation import FloatArray

Sets = tuple[tuple[int, ...], ...]


def risk_as_printed(lift: FloatArray) -> float:
    """Return ω = Λ + Ψ of lifts (n_s,), which falls as Ψ does: [Lift] has it for ALIP.

    For LIP the same paragraph has max(log Λ, |log Ψ|), which is right for both.
    """
    return float(lift.max() + lift.min())


def _right_risk(lift: FloatArray) -> float:
    with np.errstate(divide="ignore"):
        return float(max(np.log(lift.max()), -np.log(lift.min())))


def subset_merging_as_printed(
    joint: Joint, notion: ALIP | LIP, wrong: Literal["risk", "line 4"]
) -> Sets:
    """Return the sets of X_H by [Lift] Algorithm 1 with one of its two errors."""
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
        best_set = min(sets, key=lambda group: risk(lift(last + group)))
        sets.remove(best_set)
        sets.append(last + best_set)
    return tuple(tuple(sorted(members)) for members in sets)


def kept_as_printed(joint: Joint, notion: ALIP | LIP, wrong: Literal["risk", "line 4"]) -> float:
    """Return the NMI of [Lift] Algorithm 1 with one of its two errors."""
    sets = subset_merging_as_printed(joint, notion, wrong)
    merged = {x for members in sets for x in members}
    whole = (*sets, *((x,) for x in range(joint.n_x) if x not in merged))
    p_y = joint.p_x @ merging_kernel(whole, joint.n_x)
    return float(special.entr(p_y).sum() / special.entr(joint.p_x).sum())


def conditional_bound_as_printed(ball: RenyiBall) -> FloatArray:
    """Return log(1 + (e^B − 1)/P̂_s), shape (n_s,), which the numbers of [RLDP] Example 2 follow.

    At α = 2 Theorem 1 has the larger 2·log((e^{B/2} − (1 − P̂_s))/P̂_s): this set is too small.
    """
    result: FloatArray = np.log1p(np.expm1(ball.bound) / ball.p_s)
    return result


def lower_as_printed(ball: RenyiBall) -> FloatArray:
    """Return L_{u|s} that follows from the wrong B_s of [RLDP] Example 2, shape (n_s, n_u)."""
    bound = conditional_bound_as_printed(ball)[:, None]
    return mass_range(ball.p_u_given_s, bound, ball.alpha)[0]


def radius_as_printed(ball: RenyiBall) -> FloatArray:
    """Return rad_s of two u that follows from the wrong B_s of [RLDP] Example 2, shape (n_s,)."""
    bound = conditional_bound_as_printed(ball)[:, None]
    low, high = mass_range(ball.p_u_given_s, bound, ball.alpha)
    p = ball.p_u_given_s
    result: FloatArray = 2 * np.maximum(p - low, high - p).max(axis=1)
    return result


def distance_of_one_coordinate(ball: RenyiBall) -> float:
    """Return d with the first coordinate of P̂(U|s) − P̂(U|s') in place of their ℓ1 distance.

    One coordinate is at most half of that, so δ2 is too large. That [RLDP] Table 2 was made so is a
    conjecture: its rows of IR do not follow from Theorem 5, and follow from this.
    """
    first = ball.p_u_given_s[:, 0]
    return min(2.0, 2 * float(ball.radius.max()) + float(first.max() - first.min()))


def independent_reporting_as_printed(ball: RenyiBall, eps: float) -> FloatArray:
    """Return P(y | s, u) of independent reporting with `distance_of_one_coordinate`."""
    return reporting_kernel(ball, eps, distance_of_one_coordinate(ball))


def polyopt_as_printed(
    p_su: ArrayLike,
    eps: float,
    ball: RenyiBall,
    *,
    seconds: float | None = None,
    gap: float = 1e-6,
) -> Mechanism:
    """Return PolyOpt with rows that compare each secret with itself: private, needlessly strict."""
    return polyopt(p_su, eps, ball, include_same_secret=True, time_limit=seconds, gap=gap)


def product_as_printed(kernels: list[FloatArray]) -> FloatArray:
    """Return the product of protocols that [Funnel] Theorem 4 calls private; it is not."""
    whole: FloatArray = np.ones((1, 1))
    for kernel in kernels:
        whole = np.asarray(np.kron(whole, kernel), dtype=np.float64)
    return whole
