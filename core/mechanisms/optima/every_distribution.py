"""What is known of pairs (S, U) under RLDP where F is every distribution, and so for every F.

P(y | s, u) ≤ e^ε P(y | s', u') is asked of different secrets s and s' alone. An extreme output is
either a staircase of the pairs, or that of one secret:

- If its greatest entry M is at most e^ε times its least m, LDP of the pairs allows it, whose
  extreme outputs have entries 1 and e^ε (Kairouz, Oh and Viswanath 2016) and are allowed here.
- Else M and m are of one secret, so entries of all others are in [M e^{−ε}, m e^ε], less than e^ε
  apart: among these no condition is tight. An extreme output's tight conditions connect all of its
  entries, each with one e^ε times as large, and now only entries of that secret with others. So all
  others are equal, and that secret's are e^ε or e^{−ε} times as large.

I(X;Y) is at most the most that one output tells. It is known in closed form for both kinds, as it
depends on the probability of what is raised alone. A mixture is proven by its prices: the outputs
of one secret are all sets of its symbols, those of pairs a knapsack (`core.optimal.staircases`).
"""

from __future__ import annotations

import numpy as np

from core.allowed.allowed_set import LiftRange
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.limits import FAR, ROUNDING
from core.mechanisms.polish import polished
from core.mechanisms.response.calibrated import grr_kernel
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.reporting import released, secret_response_kernel
from core.notions.rldp import RLDP
from core.optimal.plan import SIZES
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.programs.master import Master, Mixture
from core.optimal.staircases import TAKEN, Staircases
from core.optimal.utility import MutualInformation
from core.validation import BoolArray, FloatArray

CLOSED = 1e-6
"""Nats up to which each kind's own optimum is sought: far below what mixing them changes."""


def most_of_one_output(p_s: FloatArray, eps: float) -> FloatArray:
    """Return the most that one output tells, in nats: of each secret's kind, then of pairs'."""
    pairs = Staircases(_of_pairs(eps), p_s, 0, NEVER).bound
    up, down = np.exp(eps), np.exp(-eps)
    # a + b t is the mean entry v and c + d t that of v log v, with t = P(what is raised)
    a, b = 1 - p_s + down * p_s, up - down
    c, d = -eps * down * p_s, eps * (up + down)
    raised = np.clip(((d - b) * a - b * c) / b**2, 0.0, p_s)
    mean = a + b * raised
    return np.append((c + d * raised) / mean - np.log(mean) + ROUNDING, pairs)


def under_every_distribution(cells: FloatArray, notion: RLDP, seconds: float) -> list[Mechanism]:
    """Return the best mixture of outputs that F of any size allows, in a list of at most one.

    It has an upper bound where F is every distribution.
    """
    joint = Joint.with_secret_released(cells)
    far = not 0 < notion.eps <= FAR or notion.include_same_secret
    if far or joint.n_x > SIZES.staircase_symbols:
        return []
    kernel, most = _mixed(cells, joint, notion.eps, Deadline.after(seconds))
    return [
        released(
            cells,
            polished(joint, kernel, notion, quick=True),
            name="Staircases of pairs",
            solver="columns",
            status="heuristic",
            notion=notion,
            upper_bound=most if notion.uncertainty.budget == np.inf else None,
        )
    ]


def _mixed(
    cells: FloatArray, joint: Joint, eps: float, until: Deadline
) -> tuple[FloatArray, float]:
    """Return P(y | x) of the best mixture of both kinds, and a bound on what they keep, in nats.

    At prices λ with λ·r − H(r) ≤ g for all outputs r, no mixture keeps more than
    H(X) − λ·P_X + g.
    """
    p_x, owners = joint.p_x, joint.kept_x // cells.shape[1]
    points = _outputs(cells, joint, eps, until.part(0.5))
    master, mixture, _ = best_mixture(points, p_x, MutualInformation(), NEVER)
    whole = MutualInformation().offset(p_x)
    most = float(most_of_one_output(cells.sum(axis=1), eps).max())
    if np.bincount(owners).max() > SIZES.listed_symbols:
        return master.kernel(mixture), most
    own = Staircases(_of_pairs(eps), p_x, 0, until.part(0.5))
    own.run(CLOSED)
    mixture = _added(master, own.master.points)
    pairs, sets = Staircases(_of_pairs(eps), p_x, 0, until, apart=True), SIZES.staircase_sets
    while most - (whole - mixture.cost) > CLOSED / 2 and not until.over:
        duals = mixture.duals
        priced = [_of_secret(p_x, owners == s, eps, duals) for s in range(len(cells))]
        priced.append(pairs.better(duals, CLOSED / 4, sets))
        gain = max(gain for _, gain in priced)
        most = min(most, whole - float(duals @ p_x) + gain + ROUNDING)
        outputs = np.vstack([points for points, _ in priced])
        if len(outputs):
            mixture = _added(master, outputs)
        elif sets * joint.n_x <= SIZES.staircase_entries:
            sets *= SIZES.growth
        else:
            break
    return master.kernel(mixture), most


def _added(master: Master, points: FloatArray) -> Mixture:
    """Return the best mixture with more outputs, (k, n_x)."""
    master.add(points)
    mixture = master.solve()
    while mixture.shortfall > ROUNDING:  # ends, as the outputs before mix to P_X
        master.raise_penalty()
        mixture = master.solve()
    return mixture


def _of_secret(
    p_x: FloatArray, own: BoolArray, eps: float, duals: FloatArray
) -> tuple[FloatArray, float]:
    """Return outputs of one secret's kind, (k, n_x), that gain most at prices λ, and the most.

    The gain is λ·r − H(r); the sets of raised symbols are all listed.
    """
    up, down = np.exp(eps), np.exp(-eps)
    prices = p_x * (duals + np.log(p_x))
    mass, price = _sums(p_x[own]), _sums(prices[own])
    p_s, count = float(mass[-1]), int(own.sum())
    mean = 1 - p_s + down * p_s + (up - down) * mass
    paid = float(prices.sum()) - (1 - down) * float(price[-1]) + (up - down) * price
    gain = (paid + eps * (up * mass - down * (p_s - mass))) / mean - np.log(mean)
    best = np.argsort(-gain, kind="stable")[: TAKEN * count]
    best = best[gain[best] > CLOSED / 4]
    lifts = np.ones((len(best), len(p_x)))
    lifts[:, own] = np.where((best[:, None] >> np.arange(count)) & 1, up, down)
    return lifts * p_x / mean[best, None], float(gain.max())


def _sums(values: FloatArray) -> FloatArray:
    """Return the sum over each set of values, shape (2^n,), the i-th in those with bit i."""
    sums = np.zeros(1)
    for value in values:
        sums = np.append(sums, sums + value)
    return sums


def _outputs(cells: FloatArray, joint: Joint, eps: float, until: Deadline) -> FloatArray:
    """Return posteriors, (k, n_x): of each kind that may tell most, and of random responses."""
    n_s, n_u = cells.shape
    p_x, owners = joint.p_x, joint.kept_x // n_u
    kernels = [
        grr_kernel(len(p_x), eps),
        secret_response_kernel(n_s, n_u, eps)[joint.kept_x],
    ]
    most, known = most_of_one_output(cells.sum(axis=1), eps), 0.0
    for kind in np.argsort(-most, kind="stable"):
        if most[kind] <= known or until.over:
            break
        own = owners == kind if kind < n_s else np.ones_like(owners, dtype=np.bool_)
        lifts = _of_pairs(eps) if kind == n_s else _of_one(eps)
        if own.sum() > 1:
            p_own = p_x[own] / p_x[own].sum()
            part = Staircases(lifts, p_own, 0, until).run(CLOSED)
            kernel = np.tile(p_own @ part, (len(p_x), 1))
            kernel[own] = part
            kernels.append(kernel)
            reported = MutualInformation().value((p_x[:, None] * kernel).T, p_x)
            known = max(known, reported)
    weights = p_x * np.hstack(kernels).T
    used = weights.sum(axis=1) > 0
    result: FloatArray = weights[used] / weights[used].sum(axis=1, keepdims=True)
    return result


def _of_pairs(eps: float) -> LiftRange:
    """Return the lifts of LDP of pairs."""
    return LiftRange(0.0, float(np.expm1(eps)), scaled=True)


def _of_one(eps: float) -> LiftRange:
    """Return the lifts of one secret's kind: all others have lift 1."""
    return LiftRange(-float(np.expm1(-eps)), float(np.expm1(eps)))
