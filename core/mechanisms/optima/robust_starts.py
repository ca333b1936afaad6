"""What is known under a robust notion without a search over the set of distributions.

LDP of X itself keeps LDP of S whatever the joint distribution is, where the mechanism sees X alone:
P(y | s) is a mean of P(y | x). Subset mergings under LDP at the estimate with a smaller budget may
keep a robust notion too.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from core.clock import NEVER
from core.joint import Joint
from core.mechanisms.merging.subset_merging import subset_merging
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import LDP
from core.notions.base import LevelNotion, Notion
from core.optimal.plan import SIZES
from core.optimal.polish import mixed
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.tolerances import PRICE
from core.optimal.utility import MutualInformation
from core.validation import BoolArray, FloatArray


def known_without_search(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return what is known under a robust notion; [] under any other."""
    return [*of_x_itself(joint, notion), *tightened(joint, notion)]


ITSELF = 64
"""Most symbols of X for LDP of X itself: with more it takes longer than a first answer may."""


def of_x_itself(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return the best mechanism found under LDP of X itself, where a robust notion has a budget."""
    if not isinstance(notion, LevelNotion) or not notion.of_estimate or notion.secret_released:
        return []
    if not 0 < notion.budget < np.inf or not 1 < joint.n_x <= ITSELF:
        return []
    return [
        make_mechanism(
            joint,
            polished(joint, staircases(joint.p_x, notion.budget), notion, quick=True),
            name="LDP of X itself",
            solver="columns",
            status="heuristic",
            notion=notion,
        )
    ]


FAR = 600.0
"""Largest budget that is used, in nats: e^ε of a larger one overflows."""

ROUNDS = 25
"""Most rounds in which better sets are looked for, with more symbols."""

TRIED = 8
"""Sets of a round that are improved, symbol by symbol."""


def staircases(p_x: FloatArray, eps: float) -> FloatArray:
    """Return P(y | x) of the best mixture found of outputs e^ε times as likely for a set of x."""
    n_x, utility = len(p_x), MutualInformation()
    weights = p_x * np.exp(-min(eps, FAR)), p_x
    if n_x <= SIZES.all_staircases:
        numbers = np.arange(1, 2**n_x)
        sets = (numbers[:, None] >> np.arange(n_x)) % 2 == 1
    else:
        ranked = np.argsort(np.argsort(-p_x, kind="stable"))
        likely = ranked < np.arange(1, n_x)[:, None]
        sets = np.vstack([np.eye(n_x, dtype=bool), likely, ~likely])
    for _ in range(ROUNDS):
        outputs = np.where(sets, weights[1], weights[0])
        master, mixture, _ = best_mixture(outputs, p_x, utility, NEVER)
        if n_x <= SIZES.all_staircases:
            break
        better = _better_sets(weights, mixture.duals, utility)
        if len(better) == 0:
            break
        sets = np.vstack([sets, better])
    return master.kernel(mixture)


def _better_sets(
    weights: tuple[FloatArray, FloatArray], duals: FloatArray, utility: MutualInformation
) -> BoolArray:
    """Return sets whose outputs cost less than their prices, shape (k, n_x)."""

    def prices(sets: BoolArray) -> FloatArray:
        outputs = np.where(sets, weights[1], weights[0])
        reduced: FloatArray = (utility.cost(outputs) - outputs @ duals) / outputs.sum(axis=-1)
        return reduced

    n_x = len(duals)
    # with the probability of the set given, the best one has the x of the least cost each
    ranked = np.argsort(np.argsort(-np.log(weights[1]) - duals, kind="stable"))
    sets = ranked < np.arange(1, n_x)[:, None]
    sets = sets[np.argsort(prices(sets), kind="stable")[:TRIED]]
    for _ in range(n_x):
        flipped = sets[:, None, :] ^ np.eye(n_x, dtype=bool)
        after = prices(flipped)
        best = after.argmin(axis=1)
        rows = np.arange(len(sets))
        gains = after[rows, best] < prices(sets) - PRICE
        if not gains.any():
            break
        sets = np.where(gains[:, None], flipped[rows, best], sets)
    better: BoolArray = np.unique(sets[prices(sets) < -PRICE], axis=0)
    return better


PARTS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Parts of the budget that are tried under LDP at the estimate."""

SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""Shares of P_X that are tried where no merging keeps the robust notion by itself."""

MOST_CELLS = 200
"""Most cells (s, x) for which all of these are tried: a check of the notion takes 2 ms up to there,
and as many as `PARTS` times `SHARES` are needed."""

LARGEST = 500
"""Most cells for which those are tried: eight checks of 20 to 60 ms at most."""


def tightened(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return subset mergings under LDP at the estimate that keep a robust notion, and are quick."""
    if not isinstance(notion, LevelNotion) or not notion.of_estimate:
        return []
    if joint.p.size > LARGEST or not np.isfinite(notion.budget):
        return []
    few = joint.p.size > MOST_CELLS
    parts = (0.05, 0.02) if few else PARTS  # records leave more open there: larger ones fail
    mergings = [subset_merging(joint, LDP(part * notion.budget)).kernel for part in parts]
    mergings = [kernel for kernel in mergings if kernel.shape[1] > 1]
    kernels = _holding(joint, mergings, notion, first=few)
    if not kernels:
        kernels = [
            moved for kernel in mergings if (moved := inside(joint, kernel, notion)) is not None
        ]
    return [
        make_mechanism(
            joint,
            kernel,
            name="Subset merging, tightened",
            solver="closed form",
            status="heuristic",
            notion=notion,
        )
        for kernel in kernels
    ]


def _holding(
    joint: Joint, kernels: list[FloatArray], notion: Notion, *, first: bool
) -> list[FloatArray]:
    """Return the kernels that keep a notion, or the first of them alone."""
    holding = (kernel for kernel in kernels if notion.holds(joint, kernel))
    return list(islice(holding, 1)) if first else list(holding)


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
