"""An upper bound for sets with many rows on one block of symbols each, by the chain rule.

With m the masses of a partition's parts in r and r_p the distribution within part p, H(r) = H(m) +
Σ_p m_p H(r_p). By concavity H(r_p) is at least the mixture of the H(v) of the vertices v that the
rows on p alone leave, and H(m) its interpolation on a cell of a subdivision. With these and all
other rows the optimum is one linear program, which no mechanism exceeds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy import sparse, special

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError, TimeLimitError
from core.optimal.plan import SHARES, SIZES
from core.optimal.polytopes.enumeration import all_vertices
from core.optimal.polytopes.standard_form import polytope
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import NEAR
from core.optimal.utility import MutualInformation
from core.validation import FloatArray, IntArray

MARGIN = 1e-11
"""Added to every bound, in nats, for the rounding of its sums."""


@dataclass(eq=False)
class Cell:
    """A simplex of masses: its corners, one a row, shape (c, c), and vertices in the program."""

    corners: FloatArray
    inside: set[int] = field(default_factory=set)


class SliceBound:
    """Upper bounds on I(X;Y) over one allowed set, by one partition of the symbols."""

    def __init__(
        self, allowed: AllowedSet, p_x: FloatArray, part: IntArray, deadline: Deadline
    ) -> None:
        rows = allowed.rows.toarray()
        self.p_x, n_parts = p_x, int(part.max()) + 1
        of_parts = abs(allowed.rows) @ np.eye(n_parts)[part]
        concerns = of_parts.T > 0
        points: list[FloatArray] = []
        margins: list[FloatArray] = []
        of: list[IntArray] = []
        for p in range(n_parts):
            members = np.flatnonzero(part == p)
            own = rows[concerns[p] & (concerns.sum(axis=0) == 1)][:, members]
            room = SIZES.slice_vertices - sum(map(len, points))
            vertices, margin = _vertices(own, p_x[members], deadline, room)
            margins.append(margin)
            wide = np.zeros((len(vertices), len(p_x)))
            wide[:, members] = vertices
            points.append(wide)
            of.append(np.full(len(vertices), p))
        self.points, self.of = np.concatenate(points), np.concatenate(of)
        self.costs = special.entr(self.points).sum(axis=1) - np.concatenate(margins)
        shared = rows[concerns.sum(axis=0) > 1]
        self.levels = self.points @ shared.T
        self.member = np.eye(n_parts)[self.of]
        self.cells: list[Cell] = []
        self._height = shared.shape[0] + n_parts
        self._corner_cols: list[int] = []
        count = len(p_x)
        ones = np.ones(count)
        identity = sparse.eye_array(count, format="csr")
        # cost of publishing a symbol as it is, in nats: it keeps the program feasible at the start
        self._program = LinearProgram(identity, ones, ones, cost=50.0 * p_x)
        self._add_cell(Cell(np.eye(n_parts)), [])

    def bound(self, goal: float, deadline: Deadline) -> float:
        """Return an upper bound on I(X;Y), improved until it is at most `goal` or time is over."""
        best = entropy = float(special.entr(self.p_x).sum())
        while True:
            try:
                lowest, shares, reduced = self._solve(entropy - goal, deadline)
            except TimeLimitError:
                return best
            best = min(best, entropy - lowest + MARGIN)
            if best <= goal or deadline.over or not self._refine(shares, reduced):
                return best

    def _solve(
        self, enough: float, deadline: Deadline
    ) -> tuple[float, list[FloatArray], FloatArray]:
        """Return a lower bound of the optimum, weights (c,) of each cell, and reduced costs."""
        best = -np.inf
        while True:
            solution = self._program.solve(deadline.left)
            lowest, reduced = self._priced(solution.duals)
            best = max(best, lowest)
            new = False
            for q, cell in enumerate(self.cells):
                order = np.argpartition(reduced[:, q], min(SIZES.cell_vertices, len(reduced) - 1))[
                    : SIZES.cell_vertices
                ]
                # least gain, minus the reduced cost, in nats, of a vertex that enters
                fresh = [int(v) for v in order if reduced[v, q] < -1e-7 and v not in cell.inside]
                if fresh:
                    self._add_points(q, fresh)
                    new = True
            if not new or best >= enough or deadline.over:
                c = self.member.shape[1]
                shares = [solution.x[at : at + c] for at in self._corner_cols]
                return best, shares, reduced

    def _priced(self, duals: FloatArray) -> tuple[float, FloatArray]:
        """Return the lower bound that duals prove, and reduced costs, (n_vertices, n_cells)."""
        count, n_shared = len(self.p_x), self.levels.shape[1]
        lam = duals[:count] / self.p_x
        blocks = duals[count:].reshape(len(self.cells), self._height)
        shared, masses = np.minimum(blocks[:, :n_shared], 0.0), blocks[:, n_shared:]
        reduced = (self.costs - self.points @ lam)[:, None] - self.levels @ shared.T
        least = np.stack([reduced[self.of == p].min(axis=0) for p in range(masses.shape[1])])
        # in cell q a unit of mass at m costs at least H(m) + Σ_p m_p least[p, q] beyond λ
        corners = np.stack([cell.corners for cell in self.cells])
        excess = special.entr(corners).sum(axis=2) + np.einsum("qkp,pq->qk", corners, least)
        reduced -= self.member @ masses.T
        return float(lam @ self.p_x) + float(excess.min()), reduced

    def _refine(self, shares: list[FloatArray], reduced: FloatArray) -> bool:
        """Split the cells of largest interpolation error; return whether there are any."""
        gains = np.array(
            [_gain(cell.corners, theta) for cell, theta in zip(self.cells, shares, strict=True)]
        )
        worst = np.argsort(-gains)[:8]  # most cells that are split at a time
        # least interpolation error, in nats, of a cell that is split
        # part of the largest interpolation error from which on a cell is split
        worst = worst[gains[worst] >= max(1e-5, 0.3 * float(gains.max()))]
        for q in worst:
            self._split(int(q), shares[q], reduced[:, q])
        return len(worst) > 0

    def _split(self, q: int, theta: FloatArray, reduced: FloatArray) -> None:
        """Split a cell at the middle of the edge of largest interpolation error."""
        cell = self.cells[q]
        corners, entropies = cell.corners, _entropies(cell.corners)

        def along(edge: tuple[int, int]) -> float:
            i, j = edge
            middle = (corners[i] + corners[j]) / 2
            rise = special.entr(middle).sum() - (entropies[i] + entropies[j]) / 2
            return float(theta[i] * theta[j] * rise)

        i, j = max(combinations(range(len(corners)), 2), key=along)
        middle = (corners[i] + corners[j]) / 2
        other = corners.copy()
        corners[j] = other[i] = middle
        first = len(self.p_x) + q * self._height + self.levels.shape[1]
        col = self._corner_cols[q] + j
        for p, mass in enumerate(middle):
            self._program.set_coefficient(first + p, col, -float(mass))
        self._program.set_cost(col, float(special.entr(middle).sum()))
        near = [v for v in sorted(cell.inside) if reduced[v] < NEAR]
        self._add_cell(Cell(other), near)

    def _add_cell(self, cell: Cell, inside: list[int]) -> None:
        """Add a cell's rows, corners and vertices to the program."""
        n_shared, c = self.levels.shape[1], len(cell.corners)
        self._program.add_rows(
            np.append(np.full(n_shared, -INFINITY), np.zeros(c)), np.zeros(self._height)
        )
        self.cells.append(cell)
        self._corner_cols.append(self._program.n_cols)
        columns = np.zeros((c, self._program.n_rows))
        columns[:, -c:] = -cell.corners
        self._program.add_cols(columns, _entropies(cell.corners))
        if inside:
            self._add_points(len(self.cells) - 1, inside)

    def _add_points(self, q: int, which: list[int]) -> None:
        """Add vertices to a cell's part of the program."""
        self.cells[q].inside.update(which)
        first = len(self.p_x) + q * self._height
        columns = np.zeros((len(which), self._program.n_rows))
        columns[:, : len(self.p_x)] = self.points[which] / self.p_x
        block = np.hstack([self.levels[which], self.member[which]])
        columns[:, first : first + self._height] = block
        self._program.add_cols(columns, self.costs[which])


def sliced_bound(allowed: AllowedSet, p_x: FloatArray, goal: float, deadline: Deadline) -> float:
    """Return an upper bound on I(X;Y), by the first partition whose vertices are found in time."""
    too_large = len(p_x)
    for part in allowed.blocks:
        largest = int(np.bincount(part).max())
        if largest >= too_large:
            continue
        if deadline.over:  # rows of 30×1629 under SRLIP, as they are made dense, take a second
            break
        try:
            slices = SliceBound(allowed, p_x, part, deadline.part(SHARES.slice_vertices))
        except (TimeLimitError, SolverError):
            too_large = largest
            continue
        return slices.bound(goal, deadline)
    return float(special.entr(p_x).sum()) + MARGIN


def _vertices(
    rows: FloatArray, p_x: FloatArray, deadline: Deadline, most: int
) -> tuple[FloatArray, FloatArray]:
    """Return vertices of one part as posteriors, and bounds on their entropies' errors in nats."""
    if len(p_x) == 1 or len(rows) == 0:
        return np.eye(len(p_x)), np.zeros(len(p_x))
    allowed = AllowedSet(sparse.csr_array(rows), len(p_x))
    vertices = all_vertices(allowed, p_x, polytope(allowed, p_x), deadline, most)
    floors = vertices.floors(MutualInformation(), np.zeros(len(p_x)))
    return vertices.outer, _entropies(vertices.outer) - floors


def _entropies(corners: FloatArray) -> FloatArray:
    """Return the entropy of each row in nats, shape (k, n) → (k,)."""
    result: FloatArray = special.entr(corners).sum(axis=1)
    return result


def _gain(corners: FloatArray, theta: FloatArray) -> float:
    """Return the interpolation error of H at a mixture of corners, times Σ theta, its weights."""
    theta = np.maximum(theta, 0.0)
    mass = float(theta.sum())
    if mass <= 0:
        return 0.0
    middle = theta @ corners / mass
    return mass * float(special.entr(middle).sum()) - float(theta @ _entropies(corners))
