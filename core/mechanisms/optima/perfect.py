"""A start under perfect privacy: outputs of few symbols, taken one after the other from P_X.

Outputs that tell nothing about S are the distributions r on X with P(S | r) = P(S). A vertex of
them has at most as many symbols as P(s | x) has independent rows, so that it tells much about X.
Whatever share of a vertex is taken from P_X, the rest still tells nothing about S: a vertex is
taken as often as its scarcest symbol allows, until nothing is left. At 400 symbols it takes tenths
of a second, where a search for the best outputs needs seconds for a first mechanism.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.allowed.excess import excess_lift
from core.clock import Deadline
from core.errors import InfeasibleError
from core.joint import Joint
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray

LEAST = 1e-12
"""Part of a symbol's probability below which nothing of it is left."""

SUPPORT = 1e-9
"""Largest entry of a vertex that is taken for rounding, relative to its largest."""

ROUNDING = 1e-9
"""What is left of P_X, relative to the likeliest output, that is rounding: as an output of its own
it would tell something about S."""


def perfectly_private(joint: Joint, notion: Notion, deadline: Deadline) -> list[Mechanism]:
    """Return a mechanism of perfect privacy, where the notion asks for it and has one that tells.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Under any that leaves outputs something to tell about S the list is empty.
    deadline : Deadline
        When to stop: what is left of P_X then is one output.

    Examples
    --------
    >>> from core.clock import NEVER
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> [(made.n_y, round(made.nmi, 3)) for made in perfectly_private(joint, LIP(0), NEVER)]
    [(3, 0.763)]
    >>> perfectly_private(joint, LIP(0.1), NEVER)
    []
    """
    if not notion.is_perfect_privacy:
        return []
    kernel = taken_apart(excess_lift(joint), joint.p_x, deadline)
    if kernel.shape[1] == 1 or not notion.holds(joint, kernel):
        return []
    return [
        make_mechanism(
            joint,
            kernel,
            name="Perfect privacy",
            solver="columns",
            status="heuristic",
            notion=notion,
        )
    ]


def taken_apart(excess: FloatArray, p_x: FloatArray, deadline: Deadline) -> FloatArray:
    """Return P(y | x), shape (n_x, n_y), of vertices r ≥ 0 with excess @ r = 0 that mix to P_X.

    Parameters
    ----------
    excess : ndarray
        Equations that P_X meets, shape (n_s, n_x).
    p_x : ndarray
        P(x), all positive, shape (n_x,).
    deadline : Deadline
        When to stop.
    """
    sizes = np.abs(excess).max(axis=1)
    equations = np.vstack([np.ones(len(p_x)), excess[sizes > 0] / sizes[sizes > 0, None]])
    right = np.append(1.0, np.zeros(len(equations) - 1))
    program = LinearProgram(sparse.csr_array(equations), right, right)
    left, outputs = p_x.copy(), []
    while not deadline.over:
        present = left > LEAST * p_x
        if not present.any():
            break
        cost = np.zeros(len(p_x))
        cost[np.argmax(left)] = -1.0
        program.set_costs(cost)
        program.set_col_bounds(np.zeros(len(p_x)), np.where(present, INFINITY, 0.0))
        try:
            vertex = _exact(equations, right, np.where(present, program.solve().x, 0.0))
        except InfeasibleError:  # by rounding, which has added up in what is left
            break
        used = np.flatnonzero(vertex)
        share = float((left[used] / vertex[used]).min())
        scarcest = used[left[used] <= share * vertex[used] * (1 + LEAST)]
        outputs.append(share * vertex)
        left = np.maximum(left - share * vertex, 0.0)
        left[scarcest] = 0.0
    if outputs and left.sum() < ROUNDING * max(output.sum() for output in outputs):
        max(outputs, key=np.sum)[:] += left
    elif left.any():
        outputs.append(left)
    weights = np.array(outputs)
    kernel: FloatArray = (weights / weights.sum(axis=0)).T
    return kernel


def _exact(equations: FloatArray, right: FloatArray, found: FloatArray) -> FloatArray:
    """Return a vertex without a linear program's tolerance: its symbols' own solution."""
    used = np.flatnonzero(found > SUPPORT * found.max())
    solved = np.linalg.lstsq(equations[:, used], right)[0]
    result = np.zeros(len(found))
    result[used] = np.maximum(solved, 0.0)
    return result
