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
depends on the probability of what is raised alone.
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
from core.optimal.staircases import Staircases
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

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
    """Return the best mixture of outputs that F of any size allows, in a list of at most one."""
    joint = Joint.with_secret_released(cells)
    far = not 0 < notion.eps <= FAR or notion.include_same_secret
    if far or joint.n_x > SIZES.staircase_symbols:
        return []
    points = _outputs(cells, joint, notion.eps, Deadline.after(seconds))
    master, mixture, _ = best_mixture(points, joint.p_x, MutualInformation(), NEVER)
    return [
        released(
            cells,
            polished(joint, master.kernel(mixture), notion, quick=True),
            name="Staircases of pairs",
            solver="columns",
            status="heuristic",
            notion=notion,
        )
    ]


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
