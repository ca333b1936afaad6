"""What to do next with an answer, and what follows from its promise, mechanism and records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core import validation
from core.entries import entries_of
from core.errors import CoreError
from core.joint import Joint
from core.mechanisms import catalogue as mechanisms
from core.notions import LDP
from core.notions import catalogue as notions
from core.notions.robust_markov import RobustLDP, ball_around
from core.release.implications import implications
from core.release.reach import Implication
from core.release.repeats import Redrawn, own_levels, redrawn
from core.scenario import Result
from core.studies.frontier import Frontier
from core.uncertainty.lift_range import lift_range
from core.validation import FloatArray


@dataclass(frozen=True)
class LeastBudget:
    """The least budget in nats that keeps a share; `too_small`, or NaN, is proven to keep less."""

    eps: float
    kept: float
    too_small: float


@dataclass(frozen=True)
class Step:
    """The share that the last part of a budget, from `low` to `high` nats, adds to what is kept."""

    low: float
    high: float
    gained: float


def least_budget(line: Frontier, wanted: float = 0.9) -> LeastBudget | None:
    """Return the least budget of a frontier that keeps a share; None where none does."""
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


def last_step(line: Frontier, eps: float) -> Step | None:
    """Return what the last half nat of a budget adds, between points of a frontier."""
    known = ~np.isnan(line.nmi)
    budgets, kept = line.eps[known], line.nmi[known]
    here = np.flatnonzero(budgets <= eps + 1e-9)
    if not here.size:
        return None
    high = int(here[-1])
    before = np.flatnonzero(budgets <= budgets[high] - 0.5 + 1e-9)
    if not before.size:
        return None
    low = int(before[-1])
    return Step(float(budgets[low]), float(budgets[high]), float(kept[high] - kept[low]))


def lost_by_symbol(joint: Joint, kernel: ArrayLike) -> FloatArray:
    """Return each symbol's part of H(X|Y), P(x) Σ_y P(y|x) log 1/P(x|y), in nats, shape (n_x,)."""
    array = validation.kernel(kernel, joint.n_x)
    few = entries_of(array)
    if few is not None:
        x, y = few.places()
        seen = joint.p_x[x] * few.values
        of_y = np.bincount(y, seen)[y]
        lost = np.zeros(joint.n_x)
        np.add.at(lost, x, -special.rel_entr(seen, of_y))
        return lost
    together = joint.p_x[:, None] * array
    result: FloatArray = -special.rel_entr(together, together.sum(axis=0)).sum(axis=1)
    return result


@dataclass(frozen=True)
class Realised:
    """A level of a release in nats, at the estimate, and bounds on it over the confidence set."""

    at_estimate: float
    least: float
    most: float


def realised_levels(
    joint: Joint, kernel: ArrayLike, n: int | None = None, beta: float = 0.05, alpha: float = 2.0
) -> dict[str, Realised]:
    """Return what a release's levels may be at the true P(s, x) behind the sampled data."""
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
    at_estimate = max(0.0, float(now.max()))
    return Realised(
        at_estimate,
        min(at_estimate, max(0.0, float(least.max()))),
        max(at_estimate, float(most.max())),
    )


T = TypeVar("T")

MOST_CELLS = 40_000
"""Entries of a kernel times secrets up to which that is reported."""


@dataclass(frozen=True, eq=False)
class Consequences:
    """What follows from an answer, or a text that says why not; None where it is not requested."""

    own: Mapping[str, float]
    implied: Mapping[str, Implication] | str
    redrawn: tuple[Redrawn, ...] | str
    realised: Mapping[str, Realised] | str | None


def consequences(result: Result) -> Consequences:
    joint, kernel, scenario = result.joint, result.mechanism.kernel, result.scenario

    def promised() -> Mapping[str, Implication]:
        return implications(joint, scenario.build_notion(joint))

    def several() -> tuple[Redrawn, ...]:
        return redrawn(joint, kernel, scenario.build_notion(joint))

    return Consequences(
        own_levels(joint, kernel),
        _or_why(promised),
        _or_why(several),
        _or_why(lambda: realised_levels(joint, kernel)) if is_sampled(result) else None,
    )


def is_sampled(result: Result) -> bool:
    """Say whether so few records require a range of the release's levels."""
    scenario, joint, kernel = result.scenario, result.joint, result.mechanism.kernel
    reads = mechanisms.entry(scenario.mechanism).reads_secret
    robust = notions.entry(scenario.notion).kind.of_estimate
    if joint.n is None or joint.n >= 10_000 or joint.weighted:
        return False
    if reads or robust or scenario.data.secret_released:
        return False
    return kernel.shape[0] == joint.n_x and joint.n_s * kernel.size <= MOST_CELLS


def is_open(implication: Implication) -> bool:
    """Say whether a level is not proven to be the least."""
    return implication.level - implication.reached > 1e-6 * max(1.0, abs(implication.reached))


def _or_why(find: Callable[[], T]) -> T | str:
    try:
        return find()
    except CoreError as error:
        return str(error)
