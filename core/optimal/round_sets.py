"""The optimum over a set that only an oracle knows: between polytopes outside and outputs inside.

A polytope of all cuts so far contains the set: its optimum bounds the answer, but its outputs are
not allowed. Each is moved towards P_X, cut by cut, until it is: the points met there give the
cuts that touch the set where it matters, and the last one joins a pool of allowed outputs, whose
best mixture is the answer so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import sparse

from core.notions.allowed_set import AllowedSet, Oracle
from core.optimal.enumeration import best_mixture
from core.optimal.solve import DEFAULT_SECONDS, Outcome, Solver, Start, maximise
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

_CROSSINGS = 30
"""Cuts met on the way to P_X: each is a tangent, so a handful does; then the output is dropped."""

_INWARD = 1e-9
"""How much further in than the last cut an output is put, so that the oracle is silent."""

_DIFFERENT = 1e-9
"""Cuts this close in every entry are the same."""

_ROUND_SHARE = 0.2
"""Part of the time that one polytope may take: a poor answer from many is worth more than a good
one from few."""

_LEAST_SECONDS = 0.05
"""For one polytope: less would end before any answer."""


def maximise_round(
    allowed: AllowedSet,
    oracle: Oracle,
    p_x: FloatArray,
    start: FloatArray,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    finish: Callable[[FloatArray], FloatArray],
) -> Outcome:
    """Return the best mechanism for I(X;Y) whose outputs all are allowed by an oracle.

    Parameters
    ----------
    allowed : AllowedSet
        A polytope around the allowed outputs.
    oracle : callable
        Its cuts leave the allowed outputs, with P_X well inside.
    p_x : ndarray
        P(x), shape (n_x,), all positive.
    start : ndarray
        P(y | x) of outputs that are allowed, shape (n_x, n_y).
    solver, time_limit, gap, seed
        As in `maximise`; the solver is that of each polytope.
    finish : callable
        Moves a kernel inside the set where rounding left it outside.
    """
    goal = MutualInformation()
    begin = time.monotonic()
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    rows, known = allowed.rows, _posteriors(start, p_x)
    pool, cuts = np.vstack([known, p_x]), np.empty((0, len(p_x)))
    upper, status, turn = goal.value(np.diag(p_x), p_x), "", _ROUND_SHARE * seconds
    outer: Outcome | None = None
    while True:
        master, mixture, _ = best_mixture(pool, p_x, goal, np.inf)
        value, spent = goal.offset(p_x) - mixture.cost, time.monotonic() - begin
        if upper - value <= gap / 2:
            status = "optimal"
        elif spent >= seconds:
            status = "time limit"
        elif outer is not None and len(cuts) == 0 and outer.status != "time limit":
            status = "heuristic"
        if status:
            break
        turn *= 2 if outer is not None and len(cuts) == 0 else 1
        outer = maximise(
            AllowedSet(rows, len(p_x)),
            p_x,
            solver=solver,
            time_limit=max(min(seconds - spent, turn), _LEAST_SECONDS),
            gap=gap / 4,
            seed=seed,
            start=_constantly(master.kernel(mixture)),
        )
        upper = min(upper, outer.upper_bound)
        points = _posteriors(outer.kernel, p_x)
        inside, cuts = _pulled(points, p_x, oracle, begin + seconds)
        pool = np.vstack([pool, inside])
        added = sparse.csr_array(np.hstack([cuts, np.zeros((len(cuts), allowed.n_helpers))]))
        rows = sparse.csr_array(sparse.vstack([rows, added]))
    kernel = finish(master.kernel(mixture))
    value = goal.value((p_x[:, None] * kernel).T, p_x)
    if upper - value > gap and status == "optimal":
        status = "heuristic"
    return Outcome(kernel, value, max(upper, value), "cutting planes", status)


def _constantly(kernel: FloatArray) -> Start:
    """Return a start that is the kernel, whatever the time."""
    return lambda _: kernel


def _posteriors(kernel: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the outputs that occur as posteriors, shape (k, n_x)."""
    weights = (p_x[:, None] * kernel).T
    totals = weights.sum(axis=1, keepdims=True)
    used = totals[:, 0] > 0
    result: FloatArray = weights[used] / totals[used]
    return result


def _pulled(
    points: FloatArray, p_x: FloatArray, oracle: Oracle, deadline: float
) -> tuple[FloatArray, FloatArray]:
    """Move outputs, shape (k, n_x), towards P_X until they are allowed; return them and the cuts.

    Those that the deadline leaves no time for are left out.

    Where a cut g·r ≤ 0 is broken, the crossing of the segment to P_X with its hyperplane is the
    next point to ask about; g·P_X < 0, as P_X is inside.
    """
    inside, cuts = [], []
    for point in points:
        if time.monotonic() >= deadline:
            break
        current = point
        for _ in range(_CROSSINGS):
            found = oracle(current)
            if len(found) == 0:
                inside.append(current)
                break
            cuts.append(found)
            here, there = found @ point, found @ p_x
            share = float((here / (here - there)).max())
            share = min(1.0, share + _INWARD)
            current = (1 - share) * point + share * p_x
    empty = np.empty((0, points.shape[1]))
    return (
        np.array(inside) if inside else empty,
        _distinct(np.vstack(cuts)) if cuts else empty,
    )


def _distinct(rows: FloatArray) -> FloatArray:
    """Return rows without those that are all but equal to another."""
    _, first = np.unique(np.round(rows / _DIFFERENT), axis=0, return_index=True)
    return rows[np.sort(first)]
