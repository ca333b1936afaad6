"""Simplex tableaux of many vertices of a polytope as one array, and pivots to their neighbors.

A vertex is a basis: the labels (variables, slacks, complements of slacks) that are zero, and those
that are basic. It solves one of two systems, for the basic labels or for the variables: the smaller
one is solved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.clock import NEVER, Deadline
from core.errors import SolverError, TimeLimitError
from core.optimal.plan import SIZES
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.tolerances import NOUGHT
from core.validation import BoolArray, FloatArray, IntArray


def solved(space: Polytope, basic: IntArray, nonbasic: IntArray, *, edges: bool) -> FloatArray:
    """Return tableaux from scratch, basic = last − rest @ nonbasic; (k, n_basic, n_free + 1)."""
    if space.n_basic > space.n_vars:
        return _over_variables(space, basic, nonbasic, edges=edges)
    return _over_basic(space, basic, nonbasic, edges=edges)


def _over_basic(space: Polytope, basic: IntArray, nonbasic: IntArray, *, edges: bool) -> FloatArray:
    """Solve for basic labels, n_basic equations; a complement c enters its row as width − c."""
    columns = space.matrix[:, space.n_vars :]
    wide = np.concatenate([space.matrix, -columns], axis=1)
    labels = np.concatenate([basic, nonbasic], axis=1)
    flipped = labels >= space.n_vars + space.n_slacks
    widths = np.zeros((len(labels), len(space.upper)))
    np.put_along_axis(widths, labels, np.where(flipped, space.upper[labels], 0.0), axis=1)
    square, sides = _gathered(wide, basic), (space.right + widths @ wide.T)[:, :, None]
    if edges:
        sides = np.concatenate([_gathered(wide, nonbasic), sides], axis=2)
    result: FloatArray = _solve(square, sides)
    return result


def _gathered(wide: FloatArray, labels: IntArray) -> FloatArray:
    """Return the columns of labels, shape (k, j) → (k, m, j)."""
    return np.moveaxis(wide[:, labels], 0, 1)


def _over_variables(
    space: Polytope, basic: IntArray, nonbasic: IntArray, *, edges: bool
) -> FloatArray:
    """Solve for the variables z: n_vars equations; every label is offset + normal·z."""
    n_vars, count = space.n_vars, space.n_slacks
    rows, right = space.matrix[:, :n_vars], space.right
    normals = np.concatenate([np.eye(n_vars), -rows[:count], rows[:count]])
    widths = space.upper[n_vars + count :]
    offsets = np.concatenate([np.zeros(n_vars), right[:count], widths - right[:count]])
    k, n_free = nonbasic.shape
    equal = np.broadcast_to(rows[count:], (k, len(rows) - count, n_vars))
    square = np.concatenate([normals[nonbasic], equal], axis=1)
    levels = np.broadcast_to(right[count:], (k, len(rows) - count))
    sides = np.concatenate([-offsets[nonbasic], levels], axis=1)[:, :, None]
    if not edges:
        levels = _solve(square, sides)[:, :, 0] @ normals.T + offsets
        values: FloatArray = np.take_along_axis(levels, basic, axis=1)[:, :, None]
        return values
    moves = np.broadcast_to(np.eye(n_vars, n_free), (k, n_vars, n_free))
    moved = _solve(square, np.concatenate([-moves, sides], axis=2))
    result: FloatArray = normals[basic] @ moved
    result[:, :, -1] += offsets[basic]
    return result


def _solve(square: FloatArray, sides: FloatArray) -> FloatArray:
    """Solve k systems; NaN for a singular one, such as a basis after a pivot on rounding."""
    result = np.full((len(square), square.shape[1], sides.shape[2]), np.nan)
    try:
        result[:] = np.linalg.solve(square, sides)
    except np.linalg.LinAlgError:
        for i in range(len(square)):
            with suppress(np.linalg.LinAlgError):
                result[i] = np.linalg.solve(square[i], sides[i])
    return result


Keys = NDArray[np.uint64]
"""One word for each basis, equal only for equal bases, but for a chance of about 10⁻⁸."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Where the edges of k vertices lead; arrays (k, n_free).

    - `step`: how far the entering label rises; ∞ on a ray.
    - `row`: basic row that blocks it; n_basic where its own upper bound does.
    - `at_upper`: whether that row's label ends at its upper bound.
    """

    step: FloatArray
    row: IntArray
    at_upper: BoolArray


@dataclass(frozen=True, eq=False)
class BasicSolutions:
    """Vertices without tableaux: labels (k, n_basic), (k, n_free), `values` of the basic ones."""

    space: Polytope
    basic: IntArray
    nonbasic: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.basic)

    def take(self, which: IntArray) -> BasicSolutions:
        """Return the vertices at these indices."""
        return BasicSolutions(
            self.space, self.basic[which], self.nonbasic[which], self.values[which]
        )

    def points(self) -> FloatArray:
        """Return the vertices as weights r ≥ 0 up to scale, shape (k, n_x)."""
        return scattered(self.space, self.basic, self.values)

    def keys(self) -> Keys:
        """Return a key of each vertex's basis, shape (k,)."""
        return basis_keys(self.space, self.nonbasic)

    def tied(self) -> bool:
        """Return whether a basic label may be at a bound too, so an edge may have length 0."""
        close = (self.values < NOUGHT) | (self.space.upper[self.basic] - self.values < NOUGHT)
        return bool(close.any())


@dataclass(frozen=True, eq=False)
class Tableaux:
    """Tableaux of k vertices: basic = rhs − body @ nonbasic, where all nonbasic are 0.

    `body`: shape (k, n_basic, n_free + 1), the last column the basic labels' values.
    """

    space: Polytope
    body: FloatArray
    basic: IntArray
    nonbasic: IntArray

    def __len__(self) -> int:
        return len(self.basic)

    @property
    def values(self) -> FloatArray:
        """Values of the basic labels, shape (k, n_basic)."""
        return self.body[:, :, -1]

    def take(self, which: IntArray) -> Tableaux:
        """Return the vertices at these indices."""
        return Tableaux(self.space, self.body[which], self.basic[which], self.nonbasic[which])

    def points(self) -> FloatArray:
        """Return the vertices as weights r ≥ 0 up to scale, shape (k, n_x)."""
        return scattered(self.space, self.basic, self.values)

    def corners(self) -> BasicSolutions:
        """Return the vertices without their tableaux."""
        return BasicSolutions(self.space, self.basic, self.nonbasic, self.values.copy())

    def keys(self) -> Keys:
        """Return a key of each vertex's basis, shape (k,)."""
        return basis_keys(self.space, self.nonbasic)

    def edges(self, deadline: Deadline = NEVER) -> Edges:
        """Return where each nonbasic label's edge leads, by the ratio test with bounds."""
        shape = self.nonbasic.shape
        edges = Edges(np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=bool))
        for block in _blocks(self.space, len(self), deadline):
            self._ratio_test(block, edges)
        return edges

    def neighbours(
        self, which: IntArray, column: IntArray, edges: Edges, deadline: Deadline = NEVER
    ) -> Tableaux:
        """Return the vertices at the far ends of edges, each of vertex `which` along `column`."""
        body = np.empty((len(which), *self.body.shape[1:]))
        basic, nonbasic = self.basic[which], self.nonbasic[which]
        for block in _blocks(self.space, len(which), deadline):
            body[block] = self.body[which[block]]
            at = which[block], column[block]
            row, at_upper = edges.row[at], edges.at_upper[at]
            self._pivot(body[block], basic[block], nonbasic[block], column[block], row, at_upper)
        return Tableaux(self.space, body, basic, nonbasic)

    def ends(self, which: IntArray, column: IntArray, edges: Edges) -> BasicSolutions:
        """Return what `neighbours` does without tableaux, which is much faster."""
        index = np.arange(len(which))
        row, step = edges.row[which, column], edges.step[which, column]
        basic, nonbasic = self.basic[which], self.nonbasic[which]
        values = self.values[which] - step[:, None] * self.body[which, :, column]
        flips = row == self.space.n_basic
        stays, moves = np.flatnonzero(flips), np.flatnonzero(~flips)
        leaving = np.empty(len(which), dtype=np.int64)
        leaving[stays] = self.space.complement(nonbasic[stays, column[stays]])
        leaving[moves] = basic[moves, row[moves]]
        turned = np.flatnonzero(edges.at_upper[which, column])
        leaving[turned] = self.space.complement(leaving[turned])
        basic[moves, row[moves]] = nonbasic[moves, column[moves]]
        values[moves, row[moves]] = step[moves]
        nonbasic[index, column] = leaving
        return BasicSolutions(self.space, basic, nonbasic, values)

    def _ratio_test(self, block: slice, edges: Edges) -> None:
        """Compute the edges of a block of vertices, in place."""
        entries, values = self.body[block, :, :-1], self.body[block, :, -1:]
        room = self.space.upper[self.basic[block]][:, :, None] - values
        # the distance to the bound that the label moves to, signed as the entry is
        ratio = np.where(entries > 0, values, -room)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # by 1e-309, say
            ratio /= entries
        # least magnitude of a tableau entry that is pivoted on: a smaller one is rounding
        ratio[np.abs(entries) < 1e-11] = np.inf
        row = ratio.argmin(axis=1)
        step = np.take_along_axis(ratio, row[:, None, :], axis=1)[:, 0]
        entry = np.take_along_axis(entries, row[:, None, :], axis=1)[:, 0]
        own = self.space.upper[self.nonbasic[block]]
        flips = own < step
        edges.step[block] = np.maximum(np.where(flips, own, step), 0.0)
        edges.row[block] = np.where(flips, self.space.n_basic, row)
        edges.at_upper[block] = (entry < 0) & ~flips

    def _pivot(
        self,
        body: FloatArray,
        basic: IntArray,
        nonbasic: IntArray,
        column: IntArray,
        row: IntArray,
        at_upper: BoolArray,
    ) -> None:
        """Pivot each tableau, in place, along its edge; `row` and `at_upper` as in `Edges`."""
        index = np.arange(len(body))
        flips = row == self.space.n_basic
        row = np.where(flips, 0, row)
        leaving = basic[index, row]
        up = np.flatnonzero(at_upper)
        if len(up):
            body[up, row[up]] *= -1.0
            body[up, row[up], -1] += self.space.upper[leaving[up]]
            leaving[up] = self.space.complement(leaving[up])
        entering = nonbasic[index, column]
        pivot_column = body[index, :, column]
        pivot = np.where(flips, 1.0, pivot_column[index, row])
        pivot_row = body[index, row] / pivot[:, None]
        if flips.any():
            # a label that moves to its own other bound: the basis stays, its column changes sign
            pivot_row[flips] = 0.0
            pivot_row[flips, -1] = self.space.upper[entering[flips]]
            leaving = np.where(flips, self.space.complement(entering), leaving)
        body -= pivot_column[:, :, None] * pivot_row[:, None, :]
        pivot_column /= -pivot[:, None]
        body[index, :, column] = pivot_column
        kept = np.flatnonzero(~flips)
        pivot_row[index, column] = 1.0 / pivot
        body[kept, row[kept]] = pivot_row[kept]
        basic[kept, row[kept]] = entering[kept]
        nonbasic[index, column] = leaving


def _blocks(space: Polytope, count: int, deadline: Deadline) -> Iterator[slice]:
    """Yield slices of vertices of `SIZES.tableaux_bytes` each; TimeLimitError if time is over."""
    size = max(1, SIZES.tableaux_bytes // (8 * space.n_basic * (space.n_free + 1)))
    for first in range(0, count, size):
        if deadline.over:
            raise TimeLimitError("Time ran out while listing the vertices.")
        yield slice(first, first + size)


def scattered(space: Polytope, basic: IntArray, values: FloatArray) -> FloatArray:
    """Return r ≥ 0 up to scale, shape (k, n_x), of basic labels with values, (k, n_basic)."""
    wide = np.zeros((len(basic), len(space.upper)))
    np.put_along_axis(wide, basic, values, axis=1)
    return np.maximum(wide[:, : space.n_x], 0.0) * space.unit


def tableaux(space: Polytope, basic: IntArray, nonbasic: IntArray) -> Tableaux:
    """Return the tableaux of bases, computed from scratch; singular ones are left out."""
    body = solved(space, basic, nonbasic, edges=True)
    proper = np.flatnonzero(np.isfinite(body).all(axis=(1, 2)))
    return Tableaux(space, body, basic.copy(), nonbasic.copy()).take(proper)


def corners(space: Polytope, costs: FloatArray, deadline: Deadline = NEVER) -> BasicSolutions:
    """Return vertices that minimize costs of shape (k, n_x), one for each, while time lasts."""
    solutions = some_corners(space, costs, deadline)
    if solutions is None:
        raise SolverError("The polytope gave no proper vertex to start from.")
    return solutions


def some_corners(
    space: Polytope, costs: FloatArray, deadline: Deadline = NEVER
) -> BasicSolutions | None:
    """Return what `corners` does without costs that lead to no vertex; None if none does."""
    labels: list[tuple[IntArray, IntArray]] = []
    # a program has about as many pivots as rows; ten small ones take a few milliseconds
    entries = space.n_basic**2 * (space.n_free + 1)
    every = max(1, min(10, SIZES.between_looks // entries))
    late = False
    for number, cost in enumerate(costs):
        if (vertex := space.vertex_of(cost)) is not None:
            labels.append(vertex)
        late = late or (number % every == 0 and deadline.over)
        if late:
            if (inside := _inside(space, labels)) is not None:
                return inside
            labels = []  # none of these is looked at again: of 442 that took eight seconds
    return _inside(space, labels)


def _inside(space: Polytope, labels: list[tuple[IntArray, IntArray]]) -> BasicSolutions | None:
    """Return the vertices of bases (basic, nonbasic) that are inside, None where there is none."""
    if labels:
        basic, nonbasic = (np.stack(part) for part in zip(*labels, strict=True))
        values = solved(space, basic, nonbasic, edges=False)[:, :, 0]
        slack = np.minimum(values, space.upper[basic] - values).min(axis=1)
        # how far below 0 rounding may put a basic value of a vertex
        inside = np.flatnonzero(slack >= -1e-13)
        if len(inside):
            return BasicSolutions(space, basic, nonbasic, values).take(inside)
    return None


def start(space: Polytope, rng: np.random.Generator) -> Tableaux:
    """Return the tableau of one vertex, which minimizes a random cost."""
    # random costs tried for a first vertex: HiGHS may end at one that is 1e-9 outside
    corner = corners(space, rng.random((3, space.n_x))).take(np.zeros(1, dtype=np.int64))
    first = tableaux(space, corner.basic, corner.nonbasic)
    if len(first) == 0:
        raise SolverError("The first vertex of the polytope has a singular basis.")
    return first


def true_points(
    space: Polytope, vertices: BasicSolutions, deadline: Deadline = NEVER
) -> tuple[FloatArray, IntArray]:
    """Return posteriors of vertices without perturbation, and indices of those feasible so."""
    which = np.arange(len(vertices))
    points = vertices.points()
    if vertices.space is not space:
        values = np.empty(vertices.values.shape)
        for block in _blocks(space, len(vertices), deadline):
            basic, nonbasic = vertices.basic[block], vertices.nonbasic[block]
            values[block] = solved(space, basic, nonbasic, edges=False)[:, :, 0]
        slack = np.minimum(values, space.upper[vertices.basic] - values).min(axis=1)
        which = np.flatnonzero(slack >= -NOUGHT)
        points = scattered(space, vertices.basic[which], values[which])
    return points / points.sum(axis=1, keepdims=True), which


def basis_keys(space: Polytope, nonbasic: IntArray) -> Keys:
    """Return a key of each basis, from its nonbasic labels, shape (k, n_free) → (k,)."""
    keys: Keys = np.bitwise_xor.reduce(label_keys(len(space.upper))[nonbasic], axis=1)
    return keys


def label_keys(count: int) -> Keys:
    """Return a word for each label, of which a set's key is the exclusive or: a bit up to 64."""
    if count <= 64:
        return np.uint64(1) << np.arange(count, dtype=np.uint64)
    return np.random.default_rng(0).integers(0, 2**64, count, dtype=np.uint64)
