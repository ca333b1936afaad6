"""The one place that calls Clarabel: a program over linear rows and convex cones, solved once.

minimize cost·x subject to equal @ x = right, rows @ x ≤ upper, x ≥ lower, and cones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from core import clock
from core.allowed.average_cost import Cone
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.optimal.programs.highs import Solution
from core.validation import FloatArray, IntArray

_STATUS = clarabel.SolverStatus


def solve_conic(
    cost: FloatArray,
    lower: FloatArray,
    equal: sparse.csr_array,
    right: FloatArray,
    rows: sparse.csr_array,
    upper: FloatArray,
    cones: Sequence[tuple[Cone, int]],
    seconds: float,
) -> Solution:
    """Solve a conic program, given its rows, bounds and cones."""
    left = clock.elsewhere(seconds)
    until = NEVER if left == math.inf else Deadline.after(left)
    n_cols = len(cost)
    bounded = np.flatnonzero(lower == 0)
    parts = [equal, rows, -sparse.eye_array(n_cols, format="csr")[bounded]]
    kinds: list[Any] = [
        clarabel.ZeroConeT(equal.shape[0]),
        clarabel.NonnegativeConeT(rows.shape[0] + len(bounded)),
    ]
    entries: list[tuple[FloatArray, IntArray, IntArray]] = []
    height = 0
    for cone, begin in cones:
        row, column = np.nonzero(cone.rows)
        entries.append((-cone.rows[row, column], row + height, column + begin))
        height += len(cone.rows)
        kinds.append(_kind(cone))
    if entries:
        data, row, column = (np.concatenate(part) for part in zip(*entries, strict=True))
        parts.append(sparse.csr_array((data, (row, column)), shape=(height, n_cols)))
    matrix = sparse.csc_matrix(sparse.vstack(parts, format="csc"))
    bounds = np.concatenate([right, upper, np.zeros(matrix.shape[0] - len(right) - len(upper))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    # tolerance of Clarabel's residuals and gap; its default is 1e-8
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((n_cols, n_cols)), cost, matrix, bounds, kinds, settings
    )
    if until is not NEVER:
        solver.set_termination_callback(lambda _info: until.over)
        if until.over:  # an order of its rows may take longer: of 30 secrets and 1,629 symbols .8 s
            raise TimeLimitError("The conic program was not begun in the time given.")
    solution = solver.solve()
    if solution.status == _STATUS.CallbackTerminated:
        clock.tell_cut()
        raise TimeLimitError("The conic program was not solved in the time given.")
    if solution.status in (_STATUS.PrimalInfeasible, _STATUS.AlmostPrimalInfeasible):
        raise InfeasibleError("The conic program has no solution.")
    if solution.status not in (_STATUS.Solved, _STATUS.AlmostSolved, _STATUS.InsufficientProgress):
        raise SolverError(f"Clarabel gave no answer: {solution.status}.")
    x = np.array(solution.x)
    duals = -np.array(solution.z)[: len(right) + len(upper)]
    return Solution(x=x, duals=duals, objective=float(cost @ x))


def _kind(cone: Cone) -> Any:
    """Return a cone as Clarabel names it."""
    if cone.kind == "exponential":
        return clarabel.ExponentialConeT()
    if cone.kind == "second-order":
        return clarabel.SecondOrderConeT(len(cone.rows))
    return clarabel.PowerConeT(cone.power)
