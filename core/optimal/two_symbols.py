"""X with two symbols: the allowed outputs are an interval, whose ends are the optimum's outputs."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.errors import InfeasibleError, SolverError
from core.optimal.direct import settled
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray

SHORTEST = 1e-15
"""First step beyond an end, relative to its distance from P_X."""

CUTS = 50
"""Most calls of an oracle for cuts: a tangent at an end is the end, so two suffice."""


def two_outputs(allowed: AllowedSet, p_x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return two P(y | x), shape (2, n_y): the best one, and one that no allowed one exceeds.

    Either is best for every purpose, the second on an interval that holds the set. Where an oracle
    says what is allowed, its cuts leave an interval, and the oracle decides on what lies beyond.
    None where a budget or exceptions decide.
    """
    if len(p_x) != 2 or allowed.budgets or allowed.exceptions > 0:
        return None
    rows = _on_outputs(allowed)
    ends = farthest = _ends(rows, p_x)
    for _ in range(CUTS):
        if allowed.oracle is None:
            break
        cuts = np.vstack([allowed.oracle(np.array([end, 1 - end])) for end in ends])
        if not len(cuts):
            break
        rows = np.vstack([rows, cuts])
        ends = _ends(rows, p_x)
    beyond = [
        _beyond(allowed.oracle, end, last, float(p_x[0]))
        for end, last in zip(ends, farthest, strict=True)
    ]
    return _between(*ends, p_x), _between(beyond[0], beyond[1], p_x)


def _between(low: float, high: float, p_x: FloatArray) -> FloatArray:
    """Return P(y | x) whose outputs are the ends of an interval of P(x_0 | y), shape (2, n_y)."""
    if high - low <= 0:
        return np.ones((2, 1))
    shares = np.array([high - p_x[0], p_x[0] - low]) / (high - low)
    ends = np.array([low, high])
    kernel = np.vstack([ends, 1 - ends]) * shares / p_x[:, None]
    kernel = kernel[:, shares > 0]
    sums = kernel.sum(axis=1, keepdims=True)
    if not sums.all():  # a symbol so rare that the other's probability rounds to 1
        return np.ones((2, 1))
    result: FloatArray = kernel / sums
    return result


def _beyond(oracle: SeparationOracle | None, end: float, farthest: float, inside: float) -> float:
    """Return the first point beyond an end that an oracle does not allow, or the farthest.

    A cut may go too deep by rounding, where S hardly depends on X; the set is convex, so nothing
    is allowed beyond a point that is not.
    """
    if oracle is None or end == farthest:
        return farthest
    step = SHORTEST * max(abs(end - inside), SHORTEST)
    while step < abs(farthest - end):
        point = end + np.copysign(step, farthest - end)
        if len(oracle(np.array([point, 1 - point]))):
            return float(point)
        step *= 4  # growth of the steps: the widest takes 25 of them
    return farthest


def _ends(rows: FloatArray, p_x: FloatArray) -> tuple[float, float]:
    """Return the least and the largest a of posteriors (a, 1 − a) that meet rows, (k, 2)."""
    # a row c: c_0 a + c_1 (1 − a) ≤ 0
    slope, right = rows[:, 0] - rows[:, 1], -rows[:, 1]
    above, below = slope > 0, slope < 0
    # P_X is allowed, whatever rounding says
    high = max(float((right[above] / slope[above]).min(initial=1.0)), float(p_x[0]))
    low = min(float((right[below] / slope[below]).max(initial=0.0)), float(p_x[0]))
    return low, high


def _on_outputs(allowed: AllowedSet) -> FloatArray:
    """Return rows of r alone, (k, 2), that are met where some h ≥ 0 meets the given ones."""
    rows = allowed.rows.toarray()
    if allowed.n_auxiliary == 0:
        return rows
    if allowed.n_auxiliary > 1:
        return _by_multipliers(allowed)
    outputs, of_h = rows[:, :2], rows[:, 2]  # Fourier and Motzkin
    least = np.vstack([outputs[of_h < 0] / -of_h[of_h < 0, None], np.zeros((1, 2))])
    most = outputs[of_h > 0] / of_h[of_h > 0, None]
    pairs = (least[:, None] + most[None]).reshape(-1, 2)
    return np.vstack([outputs[of_h == 0], pairs])


def _by_multipliers(allowed: AllowedSet) -> FloatArray:
    """Return a row for each end, (k, 2): a sum of rows, weighted by duals, without auxiliary ones.

    A sum is a valid row whatever its weights are, if no h in it has a negative coefficient.
    """
    n_rows, width = allowed.rows.shape
    once = sparse.csr_array(np.append(np.ones(2), np.zeros(width - 2))[None])
    program = LinearProgram(
        sparse.csr_array(sparse.vstack([allowed.rows, once])),
        np.append(np.full(n_rows, -INFINITY), 1.0),
        np.append(np.zeros(n_rows), 1.0),
    )
    rows = []
    for sign in (1.0, -1.0):
        program.set_costs(np.append(sign, np.zeros(width - 1)))
        with suppress(SolverError, InfeasibleError):
            weights = settled(allowed, np.maximum(-program.solve().duals[None, :n_rows], 0.0))
            if weights is None:
                continue
            row = weights[0] @ allowed.rows[:, :2]
            # a row whose slope is rounding beside its weights says nothing
            if abs(row[0] - row[1]) > 1e-6 * weights.sum():
                rows.append(row)
    return np.array(rows).reshape(-1, 2)
