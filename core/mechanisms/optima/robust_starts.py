"""What is known under a robust notion without a search over the set of distributions.

LDP of X itself keeps LDP of S whatever the joint distribution is, where the mechanism sees X alone:
P(y | s) is a mean of P(y | x). So are P(y | s, x^J) and P(y | x^J): it keeps SRLIP too. Subset
mergings under LDP at the estimate with a smaller budget may keep a robust notion as well.
"""

from __future__ import annotations

import numpy as np

from core.allowed.allowed_set import LiftRange
from core.clock import Deadline
from core.joint import Joint
from core.limits import FAR
from core.measures import mutual_information
from core.mechanisms.merging.subset_merging import subset_merging
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import LDP, LIP
from core.notions.base import LevelNotion, Notion, PointwiseNotion
from core.notions.robust_markov import RobustForX
from core.optimal.plan import SIZES
from core.optimal.polish import mixed
from core.optimal.staircases import Staircases
from core.validation import FloatArray, IntArray


def known_without_search(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return what is known under a robust notion; [] under any other."""
    return [*of_x_itself(joint, notion), *tightened(joint, notion)]


def of_x_itself(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return the best mechanism found under LDP of X itself, where robust notions have a budget."""
    robust = [
        part
        for part in notion.parts
        if isinstance(part, LevelNotion) and part.of_estimate and not part.secret_released
    ]
    budget = min((part.budget for part in robust), default=0.0)
    if not 0 < budget < np.inf or not 1 < joint.n_x <= SIZES.leveled_symbols:
        return []
    lifts = LiftRange(0.0, float(np.expm1(min(budget, 2 * FAR))), scaled=True)
    search = Staircases(lifts, joint.p_x, 0, Deadline.after(SIZES.itself_seconds))
    return [
        make_mechanism(
            joint,
            # a gap of 1e-6 nats is far below what a search over F tells apart
            polished(joint, search.run(1e-6), notion, quick=True),
            name="LDP of X itself",
            solver="columns",
            notion=notion,
        )
    ]


def in_groups(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return randomized response on groups of P_X, where many symbols have no start but LDP of X.

    Groups are about equally likely, as many as keep the most. It is LDP of X, which any
    distribution keeps, and its few outputs are soon checked.
    """
    budgets = [_least_of_lifts(part) for part in notion.parts]
    budget = min((budget for budget in budgets if budget is not None), default=0.0)
    if joint.n_x <= SIZES.leveled_symbols or not 0 < budget < np.inf:
        return []
    best, most = np.ones((joint.n_x, 1)), 0.0
    for count in (2**power for power in range(1, SIZES.robust_groups + 1)):
        group, masses = _equally_likely(joint.p_x, count)
        raised = np.exp(-min(budget, FAR)) * np.ones((count, count))
        np.fill_diagonal(raised, 1.0)
        response = raised / raised[0].sum()
        kept = float(mutual_information(masses[:, None] * response))
        if kept > most:
            best, most = response[group], kept
    kernel, y_labels = in_reading_order(joint, polished(joint, best, notion, quick=True))
    return [make_mechanism(joint, kernel, name="Groups of X", notion=notion, y_labels=y_labels)]


def _least_of_lifts(part: Notion) -> float | None:
    """Return the budget of lifts of X under a notion with hardly another start, else None."""
    if isinstance(part, RobustForX):
        lifts: PointwiseNotion = part.at_estimate(part.eps)
    elif isinstance(part, LevelNotion) and part.of_attributes:
        lifts = LIP(part.budget)
    else:
        return None
    return min(lifts.lower_budget, lifts.upper_budget)


def _equally_likely(p: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Return each symbol's group, (n,), and the groups' probabilities, (count,), nearly equal."""
    group, masses = np.zeros(len(p), dtype=np.int64), np.zeros(count)
    for x in np.argsort(-p, kind="stable"):  # the next symbol joins the lightest group
        group[x] = masses.argmin()
        masses[group[x]] += p[x]
    return group, masses


PARTS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Parts of the budget that are tried under LDP at the estimate."""

SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""Shares of P_X that are tried where no merging keeps the robust notion by itself."""


def tightened(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return the best merging under LDP at the estimate that keeps a robust notion, or []."""
    if not isinstance(notion, LevelNotion) or not notion.of_estimate:
        return []
    if joint.p.size > SIZES.tightened_at_all or not np.isfinite(notion.budget):
        return []
    # with few records to a cell what they leave open is more: larger parts fail
    parts = (0.05, 0.02) if joint.p.size > SIZES.tightened_cells else PARTS
    kernels = [subset_merging(joint, LDP(part * notion.budget)).kernel for part in parts]
    best = _best_inside(joint, [kernel for kernel in kernels if kernel.shape[1] > 1], notion)
    if best is None:
        return []
    return [make_mechanism(joint, best, name="Subset merging, tightened", notion=notion)]


def _best_inside(joint: Joint, kernels: list[FloatArray], notion: Notion) -> FloatArray | None:
    """Return the best kernel that keeps a notion, or where none does the best that is moved.

    A check takes long, so what keeps most comes first. Moved by a share a kernel loses that share
    of its utility at least, as that is convex.
    """
    valued = [
        (float(mutual_information(joint.p_x[:, None] * kernel)), kernel) for kernel in kernels
    ]
    ordered = sorted(valued, key=lambda pair: -pair[0])
    for _, kernel in ordered:
        if notion.holds(joint, kernel):
            return kernel
    best, most = None, 0.0
    for value, kernel in ordered:
        if (1 - SHARES[0]) * value <= most:
            break
        moved = inside(joint, kernel, notion)
        kept = 0.0 if moved is None else float(mutual_information(joint.p_x[:, None] * moved))
        best, most = (moved, kept) if kept > most else (best, most)
    return best


def inside(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray | None:
    """Return a kernel (n_x, n_y) moved towards P_X by the least of `SHARES` that passes."""
    low, high = 0, len(SHARES)
    while low < high:
        middle = (low + high) // 2
        if notion.holds(joint, mixed(kernel, joint.p_x, SHARES[middle])):
            high = middle
        else:
            low = middle + 1
    return mixed(kernel, joint.p_x, SHARES[low]) if low < len(SHARES) else None
