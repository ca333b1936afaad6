"""Many descents to outputs of low H(r) − λ·r, by one simplex that pivots all of them together.

H(r) − λ·r is concave, so the vertex that minimizes its tangent at r0 is at least as good as r0. All
descents share their rows: a pivot of hundreds takes a few array operations, where as many programs
by HiGHS take ten times as long. Each begins at the best vertex that the last ones ended at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse, special

from core.clock import Deadline
from core.errors import SolverError
from core.optimal.programs.batched_simplex import inverses
from core.optimal.programs.highs import sliced
from core.optimal.tolerances import NOUGHT, PRICE, SMALL
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(eq=False)
class _State:
    """Descents that still pivot: bases (k, m), their inverses, values of basic variables, costs."""

    basic: IntArray
    inverse: FloatArray
    values: FloatArray
    costs: FloatArray
    lowest: FloatArray

    def take(self, kept: IntArray) -> _State:
        """Return some of the descents."""
        return _State(**{name: value[kept] for name, value in vars(self).items()})


class Descents:
    """Descents over the vertices of rows @ (r/P_X, auxiliary) ≤ 0, Σr = 1, r ≥ 0."""

    def __init__(self, rows: sparse.csr_array, p_x: FloatArray) -> None:
        count, n_vars = rows.shape
        self._n_x = len(p_x)
        columns = np.zeros((count + 1, n_vars + count))
        columns[0, : self._n_x] = p_x
        columns[1:, :n_vars], columns[1:, n_vars:] = rows.toarray(), np.eye(count)
        sizes = np.sqrt((columns**2).sum(axis=0))
        sizes[sizes == 0] = 1.0
        self._columns = columns / sizes
        self._unit = p_x / sizes[: self._n_x]
        program = sliced(rows, p_x)
        program.solve()
        variables, slacks = program.basic()
        basis = np.append(np.flatnonzero(variables), n_vars + np.flatnonzero(slacks[1:]))
        if len(basis) != count + 1:
            raise SolverError("HiGHS gave no vertex to start from.")
        self._met, self._bases = p_x[None], basis[None]

    def outputs(self, starts: FloatArray, duals: FloatArray, deadline: Deadline) -> FloatArray:
        """Return the vertices met from starts, (k, n_x), until a deadline, shape (j, n_x)."""
        points = starts / starts.sum(axis=1, keepdims=True)
        slopes = -np.log(np.maximum(points, SMALL)) - duals
        state = self._begun(slopes)
        met, bases = [np.zeros((0, self._n_x))], [np.zeros((0, len(self._columns)), dtype=np.int64)]
        # none was seen to need half as many pivots, which take a millisecond or two
        for step in range(60 * len(self._columns)):
            if step % 8 == 0 and deadline.over:
                break
            multipliers = np.take_along_axis(state.costs, state.basic, axis=1)[:, None, :]
            reduced = state.costs - (multipliers @ state.inverse)[:, 0] @ self._columns
            entering = reduced.argmin(axis=1)
            low = reduced[np.arange(len(entering)), entering] >= -NOUGHT
            if low.any():
                at = np.flatnonzero(low)
                ends, lower = self._vertices(state, at, duals)
                met.append(ends[lower])
                bases.append(state.basic[at[lower]])
                ended = np.zeros(len(low), dtype=bool)
                ended[at[~lower]] = True
                kept = np.flatnonzero(~ended)
                if len(kept) == 0:
                    break
                if ended.any():
                    state, entering, low = state.take(kept), entering[kept], low[kept]
            self._pivot(state, np.flatnonzero(~low), entering)
        vertices = np.concatenate(met)
        if len(vertices):
            self._met, self._bases = vertices, np.concatenate(bases)
        return vertices

    def _begun(self, slopes: FloatArray) -> _State:
        """Return descents that minimize slopes·r, (k, n_x), from the best vertices known."""
        nearest = (slopes @ self._met.T).argmin(axis=1)
        bases, of = np.unique(nearest, return_inverse=True)
        basic = self._bases[bases]
        inverse = inverses(np.moveaxis(self._columns[:, basic], 0, 1))
        if not np.isfinite(inverse).all():
            raise SolverError("A vertex to start from has no basis.")
        costs = np.zeros((len(slopes), self._columns.shape[1]))
        costs[:, : self._n_x] = slopes * self._unit
        return _State(
            basic=basic[of],
            inverse=inverse[of],
            values=inverse[of, :, 0],
            costs=costs,
            lowest=np.full(len(slopes), np.inf),
        )

    def _vertices(
        self, state: _State, at: IntArray, duals: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return the vertices of descents whose tangent is least, and which of them are lower.

        These go on along the tangent there.
        """
        basic, values = state.basic[at], state.values[at]
        rest = np.einsum("imk,ik->im", np.moveaxis(self._columns[:, basic], 0, 1), values)
        rest[:, 0] -= 1.0
        values = values - (state.inverse[at] @ rest[:, :, None])[:, :, 0]
        wide = np.zeros((len(at), self._columns.shape[1]))
        np.put_along_axis(wide, basic, np.maximum(values, 0.0), axis=1)
        vertices = wide[:, : self._n_x] * self._unit
        vertices /= vertices.sum(axis=1, keepdims=True)
        value = special.entr(vertices).sum(axis=1) - vertices @ duals
        inside = (values.min(axis=1) >= -NOUGHT) & (np.abs(rest).max(axis=1) <= NOUGHT)
        lower = inside & (value <= state.lowest[at] - PRICE)
        slopes = -np.log(np.maximum(vertices[lower], SMALL)) - duals
        state.costs[at[lower], : self._n_x] = slopes * self._unit
        state.lowest[at[lower]] = value[lower]
        return vertices, lower

    def _pivot(self, state: _State, going: IntArray, entering: IntArray) -> None:
        """Let variables enter the bases of some descents, in place."""
        if len(going) == 0:
            return
        # a view where all of them pivot: most of the time goes into the inverses
        own = slice(None) if len(going) == len(entering) else going
        candidates, entering, index = entering, entering[going], np.arange(len(going))
        inverse, values = state.inverse[own], state.values[own]
        column = (inverse @ self._columns.T[entering][:, :, None])[:, :, 0]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # columns have length 1; smaller entries are not pivoted on
            ratio = np.where(column > 1e-8, np.maximum(values, 0.0) / column, np.inf)
        least = ratio.min(axis=1, keepdims=True)
        leaving = np.where(ratio <= least + NOUGHT, column, 0.0).argmax(axis=1)
        pivot, step = column[index, leaving], ratio[index, leaving]
        lost = ~np.isfinite(step)  # by rounding, as the set is bounded
        if lost.any():  # without costs they end where they are
            state.costs[going[lost]] = 0.0
            self._pivot(state, going[~lost], candidates)
            return
        row = inverse[index, leaving] / pivot[:, None]
        column[index, leaving] = pivot - 1.0
        inverse -= column[:, :, None] * row[:, None, :]
        values -= column * step[:, None]
        if own is going:
            state.inverse[going], state.values[going] = inverse, values
        state.basic[going, leaving] = entering
