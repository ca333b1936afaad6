"""The largest value of a function over the outputs that a notion allows on one joint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import Deadline
from core.joint import Joint
from core.optimal.bounds.image_bound import ImageBound
from core.optimal.polish import least_share
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.utility import OfImage
from core.release.ratios import Cone, largest_ratio, of_one, vanishing
from core.validation import FloatArray

MET = 1e-13
"""A row whose value at P_X is this close to 0, relative to the sum of its terms' sizes, is 0 for
every output of a mechanism: outputs average to P_X. One that P_X breaks by more was rounded."""

ROUND = 1e-8
"""Relative gap between a level and an allowed output's value at which cuts end: a linear program
satisfies its rows only to 1e-9, and an oracle would go on to cut."""

CLOSE = 1e-9
"""Gap at which the search for a convex level stops, in its own unit."""


@dataclass(frozen=True, eq=False)
class Implication:
    """The level of another notion, or an average, that a notion implies.

    Attributes
    ----------
    level : float
        Proven upper bound on the level or average.
    reached : float
        The largest one found; equal to `level` unless the search was cut short.
    kernel : ndarray or None
        For an average, P(y | x) of a mechanism that reaches `reached`, shape (n_x, n_y).
    output : ndarray or None
        For a level of single outputs, an allowed output that reaches it, as a posterior on X,
        shape (n_x,).
    """

    level: float
    reached: float
    kernel: FloatArray | None = None
    output: FloatArray | None = None

    def mapped(self, scale: Callable[[float], float]) -> Implication:
        """Return the implication with an increasing function applied to both numbers."""
        return replace(self, level=scale(self.level), reached=scale(self.reached))

    def at_most(self, level: float) -> Implication:
        """Return the implication with a further upper bound on the level."""
        least = min(self.level, level)
        return replace(self, level=least, reached=min(self.reached, least))


class Reach:
    """The outputs of mechanisms under a notion on one joint, as posteriors r on X.

    Outputs average to P_X, so a row that P_X meets with equality is met so by all of them.
    """

    def __init__(self, joint: Joint, allowed: AllowedSet, deadline: Deadline) -> None:
        self._n_x, self._p_x, self._deadline = joint.n_x, joint.p_x, deadline
        self._oracle: SeparationOracle | None = allowed.oracle
        rows_of_x = allowed.rows[:, : joint.n_x] @ joint.p_x
        sizes = abs(allowed.rows[:, : joint.n_x]) @ joint.p_x
        alone = abs(allowed.rows[:, joint.n_x :]).sum(axis=1) == 0
        met = np.flatnonzero((np.abs(rows_of_x) <= MET * sizes) & alone)
        broken = (rows_of_x > MET * sizes) & alone  # lowered until P_X is strictly inside
        by = np.where(broken, 2 * rows_of_x / np.where(sizes > 0, sizes, 1.0), 0.0)
        rows = allowed.rows - sparse.diags_array(by) @ abs(allowed.rows)
        equal = sparse.vstack([rows, -rows[met]])
        self._set = AllowedSet(sparse.csr_array(equal), joint.n_x)

    def largest(self, gain: FloatArray) -> Implication:
        """Return the largest gain·r of an output."""
        return self.ratio(gain, np.ones(self._n_x))

    def ratio(self, above: FloatArray, below: FloatArray) -> Implication:
        """Return the largest (above·r)/(below·r) of an output; both are at least 0 everywhere.

        ∞ where an output has below·r = 0 < above·r.
        """

        def solve() -> tuple[float, FloatArray]:
            return self._linear(above, below)

        def value(r: FloatArray) -> float:
            down = float(below @ r)
            return float(above @ r) / down if down > 0 else np.inf

        return self._settled(solve, value, self._narrow, self._deadline)

    def convex(self, image: OfImage, most: float, deadline: Deadline) -> Implication:
        """Return the largest −cost of an output, which is known to be at most `most`.

        Where the programs fail by rounding and no output is found, P_X is told as one.
        """
        bound = ImageBound(replace(self._set, oracle=self._oracle), image)

        def solve() -> tuple[float, FloatArray]:
            found = bound.minimise(
                np.zeros(self._n_x), tolerance=CLOSE, deadline=deadline, patient=True, known=-most
            )
            return -found.floor, found.point if found.best < np.inf else self._p_x

        return self._settled(solve, lambda r: 0.0 - float(image.cost(r)), bound.cut, deadline)

    def _settled(
        self,
        solve: Callable[[], tuple[float, FloatArray]],
        value: Callable[[FloatArray], float],
        narrow: Callable[[FloatArray], None],
        deadline: Deadline,
    ) -> Implication:
        """Solve and add cuts until the oracle allows the optimum, or a point of nearly its value.

        If time ends the search, the level is an upper bound.
        """
        while True:
            level, point = solve()
            cuts = self._cuts(point)
            inside = point if len(cuts) == 0 else self._pulled(point)
            reached = min(value(inside), level)
            close = reached == level or level - reached <= ROUND * max(1.0, abs(level)) < np.inf
            if len(cuts) == 0 or close or deadline.over:
                return Implication(level, reached, output=inside)
            narrow(cuts)

    def _pulled(self, r: FloatArray) -> FloatArray:
        """Return an output moved towards P_X until the oracle allows it."""
        share = least_share(lambda part: len(self._cuts((1 - part) * r + part * self._p_x)) == 0)
        return (1 - share) * r + share * self._p_x

    def _linear(self, above: FloatArray, below: FloatArray) -> tuple[float, FloatArray]:
        """Return the largest (above·r)/(below·r) over the rows, and an output that has it."""
        cone = Cone(self._set.rows, self._p_x)
        best = of_one(cone, above, below)
        if best is not None:
            r = np.eye(1, self._n_x, best)[0]
        elif (outside := vanishing(cone, above, below)) is not None:
            return np.inf, outside / outside.sum()
        elif cone.is_wide(above, below):
            return largest_ratio(cone, above, below)
        else:
            program = self._program(below)
            program.set_costs(np.append(-above, np.zeros(program.n_cols - self._n_x)))
            r = np.maximum(program.solve().x[: self._n_x], 0.0)
        down = float(below @ r)
        return (float(above @ r) / down if down > 0 else np.inf), r / r.sum()

    def _program(self, norm: FloatArray) -> LinearProgram:
        """Return the linear program of the rows and norm·r = 1, without costs."""
        matrix = self._set.rows
        count, n_vars = matrix.shape
        padded = np.append(norm, np.zeros(n_vars - self._n_x))
        return LinearProgram(
            sparse.csr_array(sparse.vstack([sparse.csr_array(padded[None]), matrix])),
            np.append(1.0, np.full(count, -INFINITY)),
            np.append(1.0, np.zeros(count)),
        )

    def _cuts(self, r: FloatArray) -> FloatArray:
        """Return the oracle's cuts at an output, shape (k, n_x)."""
        return np.zeros((0, self._n_x)) if self._oracle is None else self._oracle(r)

    def _narrow(self, cuts: FloatArray) -> None:
        """Add cuts to the rows."""
        padded = np.hstack([cuts, np.zeros((len(cuts), self._set.n_auxiliary))])
        more = sparse.vstack([self._set.rows, sparse.csr_array(padded)])
        self._set = AllowedSet(sparse.csr_array(more), self._n_x)
