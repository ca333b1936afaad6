"""The one place that calls HiGHS: a linear program that is changed and solved again, warm-started.

minimize cost·x subject to row_lower ≤ rows @ x ≤ row_upper and col_lower ≤ x ≤ col_upper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from core import clock
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.optimal.tolerances import FEASIBILITY
from core.validation import FloatArray, IntArray

INFINITY = float(highspy.kHighsInf)
"""The value of a bound that does not bind."""

_OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,  # many small programs: threads only cost
    "presolve": "off",  # a presolved program forgets the last basis
    "solver": "simplex",  # the answers must be vertices
    "primal_feasibility_tolerance": FEASIBILITY,
    "dual_feasibility_tolerance": FEASIBILITY,
    "random_seed": 0,
    "simplex_scale_strategy": 2,  # HiGHS's default
}
_ONCE: dict[str, bool | int | float | str] = {"presolve": "on", "solver": "ipm"}

STEPS = 20
"""Steps of the simplex method for each row and column after which it begins anew: most programs
take two or three, and one of 87 rows went on for ever, in a circle."""

_STATUS = highspy.HighsModelStatus
_OK = highspy.HighsStatus.kOk
_WARNING = highspy.HighsStatus.kWarning


@dataclass(frozen=True, eq=False, slots=True)
class Solution:
    """An optimal solution; `duals` are the optimum's change per unit of a row's bound."""

    x: FloatArray
    duals: FloatArray
    objective: float


class LinearProgram:
    """A linear program whose every solve starts from the basis of the last."""

    def __init__(
        self,
        rows: sparse.csr_array,
        row_lower: FloatArray,
        row_upper: FloatArray,
        *,
        col_lower: FloatArray | None = None,
        col_upper: FloatArray | None = None,
        cost: FloatArray | None = None,
        primal: bool = False,
        once: bool = False,
    ) -> None:
        n_rows, n_cols = rows.shape
        matrix = sparse.csr_array(rows)
        self._highs = highspy._core._Highs()
        self._once, self._until = once, NEVER
        self._set({**_OPTIONS, **(_ONCE if once else {})})
        self.use_simplex(primal=primal)
        _check(
            self._highs.passModel(
                n_cols,
                n_rows,
                matrix.nnz,
                int(highspy.MatrixFormat.kRowwise),
                int(highspy.ObjSense.kMinimize),
                0.0,
                _floats(cost, n_cols, 0.0),
                _floats(col_lower, n_cols, 0.0),
                _floats(col_upper, n_cols, INFINITY),
                _floats(row_lower, n_rows, 0.0),
                _floats(row_upper, n_rows, 0.0),
                matrix.indptr.astype(np.int32),
                matrix.indices.astype(np.int32),
                matrix.data.astype(np.float64),
                np.zeros(n_cols, dtype=np.int32),  # every variable is continuous
            ),
            "the model",
        )
        self.n_rows, self.n_cols = n_rows, n_cols
        self._all_cols = np.arange(n_cols, dtype=np.int32)

    def use_simplex(self, *, primal: bool) -> None:
        """Solve by the primal simplex method, which suits new costs; or by the dual, new bounds."""
        self._set({"simplex_strategy": 4 if primal else 1})

    def set_costs(self, cost: FloatArray) -> None:
        """Replace all costs, shape (n_cols,)."""
        _check(self._highs.changeColsCost(self.n_cols, self._all_cols, cost), "costs")

    def set_col_bounds(self, lower: FloatArray, upper: FloatArray) -> None:
        """Replace the bounds of the first k columns, shape (k,) each."""
        count = len(lower)
        status = self._highs.changeColsBounds(count, self._all_cols[:count], lower, upper)
        _check(status, "column bounds")

    def set_row_bounds(self, lower: FloatArray, upper: FloatArray) -> None:
        """Replace the bounds of all rows, shape (n_rows,) each."""
        highs: Any = self._highs  # its stub lacks this method
        every = np.arange(self.n_rows, dtype=np.int32)
        status = highs.changeRowsBounds(self.n_rows, every, lower, upper)
        _check(status, "row bounds")

    def set_coefficient(self, row: int, col: int, value: float) -> None:
        """Replace one entry of the rows."""
        _check(self._highs.changeCoeff(row, col, value), "a coefficient")

    def dual_ray(self) -> FloatArray:
        """Return row multipliers of an infeasible program, (n_rows,), unchecked; 0 without any."""
        highs: Any = self._highs  # its stub lacks this method
        status, has_ray, ray = highs.getDualRay()
        _check(status, "the request for a dual ray")
        return np.array(ray, dtype=np.float64) if has_ray else np.zeros(self.n_rows)

    def add_cols(self, cols: FloatArray, cost: FloatArray) -> None:
        """Add non-negative columns, given as rows of an array, shape (k, n_rows); cost (k,)."""
        indptr, indices, values = _compressed(cols)
        count = len(cost)
        lower, upper = np.zeros(count), np.full(count, INFINITY)
        nnz = len(values)
        status = self._highs.addCols(count, cost, lower, upper, nnz, indptr, indices, values)
        _check(status, "new columns")
        self.n_cols += count
        self._all_cols = np.arange(self.n_cols, dtype=np.int32)

    def add_rows(self, lower: FloatArray, upper: FloatArray) -> None:
        """Add rows without entries and with these bounds, shape (k,) each, for later columns."""
        count, none = len(lower), np.zeros(0, dtype=np.int32)
        starts = np.zeros(count, dtype=np.int32)
        status = self._highs.addRows(count, lower, upper, 0, starts, none, np.zeros(0))
        _check(status, "new rows")
        self.n_rows += count

    def add_cuts(self, cuts: FloatArray) -> None:
        """Add rows cuts @ x ≤ 0, shape (k, n_cols)."""
        starts, indices, values = _compressed(cuts)
        count = len(cuts)
        lower, upper = np.full(count, -INFINITY), np.zeros(count)
        nnz = len(values)
        status = self._highs.addRows(count, lower, upper, nnz, starts, indices, values)
        _check(status, "new cuts")
        self.n_rows += count

    def drop_rows(self, which: IntArray) -> None:
        """Delete rows, numbers of shape (k,), that are basic: the basis stays one."""
        basis = self._highs.getBasis()
        gone = set(which.tolist())
        status = [item for i, item in enumerate(basis.row_status) if i not in gone]
        _check(self._highs.deleteRows(len(which), which.astype(np.int32)), "fewer rows")
        basis.row_status = status
        self.n_rows -= len(which)
        self.set_basis(basis)

    def set_cost(self, col: int, cost: float) -> None:
        """Replace the cost of one column."""
        _check(self._highs.changeColCost(col, cost), "a cost")

    def basis(self) -> Any:
        """Return the present basis, to be handed to `set_basis` later."""
        return self._highs.getBasis()

    def set_basis(self, basis: Any) -> None:
        """Start the next solve from a basis of this program's present shape."""
        _check(self._highs.setBasis(basis), "basis")

    def solve_near(self, basis: Any, time_limit: float | None = None) -> Solution:
        """Solve from a basis of a similar program, if few steps suffice, and else from scratch.

        The basis may lack the last rows. Half as many steps as there are rows cost less than the
        program `once`.
        """
        missing = self.n_rows - len(basis.row_status)
        if len(basis.col_status) == self.n_cols and missing >= 0:
            near = highspy.HighsBasis()
            near.col_status = basis.col_status
            near.row_status = [*basis.row_status, *[highspy.HighsBasisStatus.kBasic] * missing]
            near.valid = True
            self._set({**_OPTIONS, "simplex_iteration_limit": self.n_rows // 2})
            self._limit(time_limit)
            if self._highs.setBasis(near) in (_OK, _WARNING) and self._run() == _STATUS.kOptimal:
                return self._solution()
            self._highs.clearSolver()
            self._set(_ONCE)
            if self._until != NEVER:
                time_limit = self._until.left
        return self.solve(time_limit)

    def basic(self) -> tuple[FloatArray, FloatArray]:
        """Return which columns, shape (n_cols,), and which rows, (n_rows,), are basic (bool)."""
        basis, is_basic = self._highs.getBasis(), highspy.HighsBasisStatus.kBasic
        cols = np.array([status == is_basic for status in basis.col_status])
        rows = np.array([status == is_basic for status in basis.row_status])
        return cols, rows

    def solve(self, time_limit: float | None = None) -> Solution:
        """Solve from the last basis."""
        highs = self._highs
        self._set({"simplex_iteration_limit": STEPS * (self.n_rows + self.n_cols)})
        self._limit(time_limit)
        outcome = self._run()
        if outcome not in _DECIDED:
            highs.clearSolver()
            outcome = self._run()
        if outcome not in _DECIDED:
            outcome = self._run_as_it_is()
        if outcome == _STATUS.kInfeasible:
            raise InfeasibleError("The linear program has no solution.")
        if outcome == _STATUS.kTimeLimit:
            clock.tell_cut()
            raise TimeLimitError("The linear program was not solved in the time given.")
        if outcome != _STATUS.kOptimal:
            raise SolverError(f"HiGHS gave no answer: {highs.modelStatusToString(outcome)}.")
        return self._solution()

    def _set(self, options: dict[str, bool | int | float | str]) -> None:
        """Set options by name."""
        for name, value in options.items():
            _check(self._highs.setOptionValue(name, value), f"option {name}")

    def _limit(self, seconds: float | None) -> None:
        """Limit the next runs together."""
        left = INFINITY if seconds is None else clock.elsewhere(seconds)
        self._until = NEVER if left == INFINITY else Deadline.after(left)
        if self._once and left < INFINITY:
            _ask(self._highs, self._until)
            return
        if self._once:
            _ask_no_more(self._highs)
        self._let(left)

    def _let(self, seconds: float) -> None:
        """Limit the next run: HiGHS adds up the run time of all solves of a model."""
        self._set({"time_limit": self._highs.getRunTime() + seconds})

    def _solution(self) -> Solution:
        """Return the solution of the last run."""
        solution = self._highs.getSolution()
        return Solution(
            x=np.array(solution.col_value),
            duals=np.array(solution.row_dual),
            objective=float(self._highs.getObjectiveValue()),
        )

    def _run(self) -> Any:
        """Run HiGHS and return the model status, kSolveError where the run itself failed.

        Where more seconds have passed than the processor worked, the simplex method goes on.
        """
        while True:
            if self._highs.run() not in (_OK, _WARNING):
                return _STATUS.kSolveError
            outcome = self._highs.getModelStatus()
            if outcome != _STATUS.kTimeLimit:
                return _STATUS.kTimeLimit if outcome == _STATUS.kInterrupt else outcome
            left = self._until.left
            if left <= 0.01:  # seconds
                return outcome
            self._let(left)

    def _run_as_it_is(self) -> Any:
        """Run HiGHS from scratch and without its own scaling."""
        scale = "simplex_scale_strategy"
        self._highs.clearSolver()
        _check(self._highs.setOptionValue(scale, 0), f"option {scale}")
        outcome = self._run()
        _check(self._highs.setOptionValue(scale, _OPTIONS[scale]), f"option {scale}")
        return outcome


def _ask(highs: Any, until: Deadline) -> None:
    """Let HiGHS ask at its steps whether time is over: an interior point would begin anew."""

    def answer(_kind: Any, _message: str, _out: Any, reply: Any, _data: Any) -> None:
        reply.user_interrupt = until.over

    highs.setCallback(answer, None)
    for kind in _INTERRUPTS:
        highs.startCallback(kind)


def _ask_no_more(highs: Any) -> None:
    """Let HiGHS run to its end, whatever deadline an earlier run had."""
    for kind in _INTERRUPTS:
        highs.stopCallback(kind)


_INTERRUPTS = (
    highspy.cb.HighsCallbackType.kCallbackIpmInterrupt,
    highspy.cb.HighsCallbackType.kCallbackSimplexInterrupt,
)
"""Where HiGHS asks."""


def sliced(rows: sparse.csr_array, norm: FloatArray, *, primal: bool = True) -> LinearProgram:
    """Return the program of v ≥ 0, (n,), with norm·v = 1 and rows @ v ≤ 0; norm on the first v."""
    count, n = rows.shape
    first = sparse.csr_array(np.append(norm, np.zeros(n - len(norm)))[None])
    matrix = sparse.csr_array(sparse.vstack([first, rows]))
    none, zero = np.full(count, -INFINITY), np.zeros(count)
    return LinearProgram(matrix, np.append(1.0, none), np.append(1.0, zero), primal=primal)


_DECIDED = (_STATUS.kOptimal, _STATUS.kInfeasible, _STATUS.kTimeLimit, _STATUS.kUnbounded)
"""Statuses after which another run is of no use."""


def _floats(values: FloatArray | None, count: int, default: float) -> FloatArray:
    """Return values as contiguous doubles, shape (count,); the default where None."""
    if values is None:
        return np.full(count, default)
    return np.ascontiguousarray(values, dtype=np.float64)


def _compressed(rows: FloatArray) -> tuple[Any, Any, FloatArray]:
    """Return start, index and value arrays of the non-zeros of a dense matrix, row by row."""
    nonzero = rows != 0
    indices = np.nonzero(nonzero)[1].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))[:-1]]).astype(np.int32)
    return starts, indices, rows[nonzero]


def _check(status: Any, what: str) -> None:
    """Raise SolverError unless HiGHS accepted a call."""
    if status not in (_OK, _WARNING):
        raise SolverError(f"HiGHS did not accept {what}.")
