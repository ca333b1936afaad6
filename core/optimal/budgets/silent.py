"""Outputs independent of S with utility for X, and a mechanism of such outputs, of any size.

Vertices of {r : P(S | r) = P(S)} are taken from P_X, each as often as its scarcest symbol allows,
until nothing is left: whatever share is taken, the rest reveals nothing about S.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse

from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, SolverError
from core.limits import ROUNDING
from core.optimal.concave_descent import descend
from core.optimal.plan import SIZES
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import FloatArray


def silent_outputs(excess: FloatArray, p_x: FloatArray, deadline: Deadline) -> FloatArray:
    """Return P(y | x) of vertices r ≥ 0 with excess @ r = 0 that mix to P_X; excess (n_s, n_x)."""
    sizes = np.abs(excess).max(axis=1)
    equations = np.vstack([np.ones(len(p_x)), excess[sizes > 0] / sizes[sizes > 0, None]])
    right = np.append(1.0, np.zeros(len(equations) - 1))
    program = LinearProgram(sparse.csr_array(equations), right, right)
    left, outputs = p_x.copy(), []
    while not deadline.over:
        present = left > ROUNDING * p_x
        if not present.any():
            break
        cost = np.zeros(len(p_x))
        cost[np.argmax(left)] = -1.0
        program.set_costs(cost)
        program.set_col_bounds(np.zeros(len(p_x)), np.where(present, INFINITY, 0.0))
        try:
            vertex = _exact(equations, right, np.where(present, program.solve().x, 0.0))
        except (InfeasibleError, SolverError):  # by rounding, which has added up in the rest
            break
        used = np.flatnonzero(vertex)
        share = float((left[used] / vertex[used]).min())
        scarcest = used[left[used] <= share * vertex[used] * (1 + ROUNDING)]
        outputs.append(share * vertex)
        left = np.maximum(left - share * vertex, 0.0)
        left[scarcest] = 0.0
    # what is left of P_X, relative to the likeliest output, that is rounding: as an output of its
    # own it would tell something about S
    if outputs and left.sum() < 1e-9 * max(output.sum() for output in outputs):
        max(outputs, key=np.sum)[:] += left
    elif left.any():
        outputs.append(left)
    weights = np.array(outputs)
    kernel: FloatArray = (weights / weights.sum(axis=0)).T
    return kernel


def _exact(equations: FloatArray, right: FloatArray, vertex: FloatArray) -> FloatArray:
    """Return a vertex without a linear program's tolerance: its symbols' own solution."""
    # largest entry of a vertex that is taken for rounding, relative to its largest
    used = np.flatnonzero(vertex > 1e-9 * vertex.max())
    solved = np.linalg.lstsq(equations[:, used], right)[0]
    result = np.zeros(len(vertex))
    result[used] = np.maximum(solved, 0.0)
    return result


STARTS = 30
"""Random costs from whose vertices descents start."""


class SilentSearch:
    """Extreme outputs independent of S, of low reduced cost; excess (n_s, n_x), rows (m, n_x)."""

    def __init__(self, excess: FloatArray, rows: FloatArray, *, seed: int) -> None:
        self._rng, self._n_x = np.random.default_rng(seed), excess.shape[1]
        size = np.abs(excess).max(axis=1, keepdims=True)
        scaled = excess[size[:, 0] > 0] / size[size[:, 0] > 0]
        matrix = np.vstack([np.ones(self._n_x), scaled, rows])
        right = np.append(1.0, np.zeros(len(scaled) + len(rows)))
        left = np.append(right[: 1 + len(scaled)], np.full(len(rows), -INFINITY))
        self._program = LinearProgram(sparse.csr_array(matrix), left, right)
        # of 40×400 all starts take a second, and of 10×442 under SRLIP ten of them do
        self._between_looks = 10 if matrix.size <= SIZES.search_entries else 1

    def _lowest(self, costs: FloatArray) -> FloatArray:
        """Return the output of least costs·r."""
        self._program.set_costs(costs)
        r = np.maximum(self._program.solve().x, 0.0)
        result: FloatArray = r / r.sum()
        return result

    def outputs(self, prices: FloatArray, deadline: Deadline = NEVER) -> FloatArray:
        """Return at most STARTS outputs of low H(r) − π·r, (k, n_x), where descents end."""
        ends: list[FloatArray] = []
        with suppress(InfeasibleError, SolverError):  # P_X is the only one, up to rounding
            for number in range(1, STARTS + 1):
                r = self._lowest(np.asarray(self._rng.normal(size=self._n_x)))
                ends += descend(r, prices, self._lowest)[-1:] or [r]
                if number % self._between_looks == 0 and deadline.over:
                    break
        result: FloatArray = np.array(ends).reshape(-1, self._n_x)
        return result
