"""An allowed set as a polytope in standard form, for pivoting.

{r ≥ 0, h ≥ 0 : rows @ [r, h] ≤ 0} is cut by one normalizing row, with r = z·unit so that columns
have entries of about 1. Without that, notions that bound (A r)_s or r_x against P(x) fail
numerically where P_X is far from uniform.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from core.allowed.allowed_set import AllowedSet
from core.errors import InfeasibleError
from core.limits import CLOSE, DUST
from core.optimal.polytopes.facets import Facets
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.validation import BoolArray, FloatArray, IntArray

WIDEST = 1e100
"""Largest unit of a variable: sums of weights in larger ones may overflow."""


@dataclass(frozen=True, eq=False)
class Polytope:
    """{z ≥ 0 : matrix @ z + slack = right side, 0 ≤ slack ≤ width}, the last row normalizing.

    Variables are, in order, scaled posterior entries (n_x), auxiliary variables (n_vars with those)
    and slacks. A slack of finite width represents two opposite rows.

    - `right`: 0, and 1 for the normalizing row.
    - `upper`: largest value of each label, shape (n_labels,): variables, slacks, then complements
      (width − slack).
    - `unit`: scales of the posterior entries, r = z·unit; `scales` of all variables, shape
      (n_vars,).
    - `sources`: the allowed set's row that each slack, then each complement, represents; −1 for
      none.
    """

    matrix: FloatArray
    right: FloatArray
    upper: FloatArray
    unit: FloatArray
    n_x: int
    n_vars: int
    n_slacks: int
    scales: FloatArray
    sources: IntArray

    @property
    def n_basic(self) -> int:
        """Number of basic labels of a vertex."""
        return int(self.matrix.shape[0])

    @property
    def n_free(self) -> int:
        """Number of nonbasic labels of a vertex: its constraints that are tight."""
        return int(self.matrix.shape[1]) - self.n_basic

    def complement(self, label: IntArray) -> IntArray:
        """Return the label of the other bound of slacks (or complements)."""
        first, count = self.n_vars, self.n_slacks
        return np.where(label < first + count, label + count, label - count)

    @cached_property
    def program(self) -> LinearProgram:
        """The polytope as a linear program over its variables, kept between solves."""
        lower = self.right.copy()
        lower[: self.n_slacks] -= self.upper[self.n_vars :][: self.n_slacks]
        rows = sparse.csr_array(self.matrix[:, : self.n_vars])
        return LinearProgram(rows, lower, self.right, primal=True)

    def facets(self) -> Facets:
        """Return the inequalities on r, which describe the polytope fully where it is `plain`."""
        count = self.n_slacks
        rows, right = self.matrix[:count, : self.n_x], self.right[:count]
        widths = self.upper[self.n_vars :][:count]
        both = np.isfinite(widths)
        return Facets(
            np.vstack([rows, -rows[both]]),
            np.append(right, (widths - right)[both]),
            self.matrix[-1, : self.n_x],
            self.unit,
        )

    def plain(self) -> bool:
        """Return whether there are no auxiliary variables and no equalities."""
        return self.n_vars == self.n_x and self.n_basic == self.n_slacks + 1

    def outward(self) -> FloatArray:
        """Return by how much each label's bound is moved outwards to break ties, (n_labels,)."""
        rng = np.random.default_rng(0)
        # how far bounds are moved to break ties: far above rounding, far below most probabilities
        return np.array(3e-8 * (1 + rng.random(len(self.upper))))

    def perturbed(self) -> Polytope:
        """Return the polytope with bounds moved outwards, each by a different small amount."""
        moves, count = self.outward(), self.n_slacks
        shift, extra = moves[: self.n_vars + count], moves[self.n_vars + count :]
        upper = self.upper.copy()
        upper[self.n_vars :] += np.tile(shift[self.n_vars :] + extra, 2)
        return replace(self, right=self.right + self.matrix @ shift, upper=upper)

    def with_cuts(self, cuts: FloatArray) -> Polytope:
        """Return the polytope cut by cuts @ r ≤ 0, shape (k, n_x), whose slacks come last."""
        count, added = self.n_slacks, len(cuts)
        scaled = cuts * self.unit
        scaled /= np.abs(scaled).max(axis=1, keepdims=True)
        m, width = self.matrix.shape
        matrix = np.zeros((m + added, width + added))
        matrix[:count, :width] = self.matrix[:count]
        matrix[count : count + added, : self.n_x] = scaled
        matrix[count : count + added, width:] = np.eye(added)
        matrix[count + added :, :width] = self.matrix[count:]
        right = np.concatenate([self.right[:count], np.zeros(added), self.right[count:]])
        free, widths = self.upper[: self.n_vars], self.upper[self.n_vars :][:count]
        widths = np.append(widths, np.full(added, np.inf))
        none = np.full(added, -1)
        return replace(
            self,
            matrix=matrix,
            right=right,
            upper=np.concatenate([free, widths, widths]),
            n_slacks=count + added,
            sources=np.concatenate([self.sources[:count], none, self.sources[count:], none]),
        )

    def vertex_of(self, cost: FloatArray) -> tuple[IntArray, IntArray] | None:
        """Return labels of a vertex that minimizes cost·r, cost (n_x,); None if there is none."""
        padded = np.zeros(self.n_vars)
        largest = float(self.unit.max())  # a positive factor of all costs does not matter
        # largest unit of a variable in which its cost is given: HiGHS takes 1e20 for infinite
        padded[: self.n_x] = cost * (self.unit / largest * min(largest, 1e12))
        self.program.set_costs(padded)
        solution = self.program.solve()
        basic_cols, basic_rows = self.program.basic()
        is_basic = np.concatenate([basic_cols, basic_rows[: self.n_slacks]])
        if is_basic.sum() != self.n_basic:
            return None
        labels = np.arange(len(is_basic))
        tight = labels[~is_basic]
        slack = (self.right - self.matrix[:, : self.n_vars] @ solution.x)[: self.n_slacks]
        values = np.concatenate([solution.x, slack])[tight]
        at_upper = values > self.upper[tight] / 2
        return labels[is_basic], np.where(at_upper, self.complement(tight), tight)


def polytope(allowed: AllowedSet, p_x: FloatArray) -> Polytope:
    """Return an allowed set's rows as a polytope."""
    n_x, n_vars = allowed.n_x, allowed.n_x + allowed.n_auxiliary
    rows = allowed.rows.toarray()
    source = np.flatnonzero((rows > 0).any(axis=1))  # r ≥ 0 implies the others
    rows = rows[source]
    start = np.concatenate([p_x, np.ones(n_vars - n_x)])
    rows, unit = _equilibrated(rows, start)
    norm = np.zeros(n_vars)
    spread = unit[:n_x] / unit[:n_x].max()
    # with Σr as the normalizing row, up to a factor, opposite rows can share a slack
    # least ratio of scales at which these are the normalizing row; else it is all ones
    norm[:n_x] = spread if spread.min() > 1e-3 else 1.0
    forced = _forced(rows, p_x / unit[:n_x])
    equal, rows, source = _independent(rows[forced]), rows[~forced], source[~forced]
    partner, widths = _paired(rows, norm)
    kept = partner > -2
    rows, widths = rows[kept], widths[kept]
    joined = np.where(partner >= 0, source[partner], -1)[kept]
    n_slacks = len(rows)
    m = n_slacks + len(equal) + 1
    matrix = np.zeros((m, n_vars + n_slacks))
    matrix[:n_slacks, :n_vars] = rows
    matrix[:n_slacks, n_vars:] = np.eye(n_slacks)
    matrix[n_slacks:-1, :n_vars] = equal
    matrix[-1, :n_vars] = norm
    right = np.zeros(m)
    right[-1] = 1.0
    upper = np.concatenate([np.full(n_vars, np.inf), widths, widths])
    sources = np.concatenate([source[kept], joined])
    return Polytope(matrix, right, upper, unit[:n_x], n_x, n_vars, n_slacks, unit, sources)


def _equilibrated(rows: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows·unit of rows and columns of size about 1, as `WIDEST` allows, and r = unit·z."""
    unit = start.copy()
    scaled = rows * unit
    for _ in range(2):
        scaled /= np.abs(scaled).max(axis=1, keepdims=True, initial=1e-300)
        largest = np.abs(scaled).max(axis=0, initial=0.0)
        factor = np.where(largest > 0, np.maximum(largest, unit / WIDEST), 1.0)
        scaled /= factor
        unit /= factor
    return scaled, unit


def _forced(rows: FloatArray, inside: FloatArray) -> BoolArray:
    """Return which rows are equations on all of the set; none is that is slack `inside` (P_X)."""
    count, n_vars = rows.shape
    if n_vars == len(inside):
        # relative slack of a row at P_X up to which it may be an equation on the whole set (ε = 0)
        tight = np.abs(rows @ inside) <= 1e-13 * (np.abs(rows) @ inside)
    else:
        tight = np.ones(count, dtype=bool)  # auxiliary variables have no known value at P_X
    if not tight.any():
        return tight
    # Without the normalizing row a slack that can be positive can be 1, and all such slacks at
    # once: maximizing their sum, each at most 1, tells the two kinds apart.
    slack = np.eye(count)[:, tight]
    n_slack = slack.shape[1]
    program = LinearProgram(
        sparse.csr_array(np.hstack([rows, slack])),
        np.full(count, -INFINITY),
        np.zeros(count),
        col_upper=np.append(np.full(n_vars, INFINITY), np.ones(n_slack)),
        cost=np.append(np.zeros(n_vars), -np.ones(n_slack)),
    )
    forced = tight.copy()
    forced[tight] = program.solve().x[n_vars:] < 0.5
    return forced


def _paired(rows: FloatArray, norm: FloatArray) -> tuple[IntArray, FloatArray]:
    """Pair opposite rows: return each row's partner, and the width of its slack, ∞ without one.

    The partner is −1 where there is none, and −2 for a row that is a partner itself and is left
    out.
    """
    if len(rows) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    level = rows @ norm / (norm @ norm)
    across = rows - level[:, None] * norm
    length = np.linalg.norm(across, axis=1)
    proper = length > DUST
    direction = np.where(proper[:, None], across / np.where(proper, length, 1.0)[:, None], 0.0)
    widths = np.full(len(rows), np.inf)
    partner = np.full(len(rows), -1)
    single = proper.copy()  # rows that may still be paired
    # rows as near to opposite as that differ by their rounding at most
    for i, j in np.argwhere(direction @ direction.T < -1 + CLOSE).tolist():
        if single[i] and single[j] and np.abs(direction[i] + direction[j]).max() <= DUST:
            # row_i ≤ 0 and row_j ≤ 0 on norm·z = 1: −row_i is in [0, width]
            widths[i] = -(level[i] + level[j] * length[i] / length[j])
            partner[i], partner[j] = j, -2
            single[[i, j]] = False
    # two opposite unit rows whose bounds cross by more leave no point; by less it is rounding
    if (widths < -1e-9).any():
        raise InfeasibleError("No output at all meets the notion: its set is empty.")
    return partner, np.maximum(widths, 0.0)


def _independent(rows: FloatArray) -> FloatArray:
    """Return a largest set of linearly independent rows."""
    if len(rows) == 0:
        return rows
    _, triangle, order = linalg.qr(rows.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > diagonal[0] * 1e-11).sum())
    return rows[np.sort(order[:rank])]
