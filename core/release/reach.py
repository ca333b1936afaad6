"""The largest value of a function over the outputs that a notion allows on one joint.

It is a ratio of two linear functions over a cone. A linear program in floating point drops
coefficients below 1e-9 and meets its rows to 1e-9, which decides where lifts are that small. So
what needs no program is computed first, and variables are scaled to their part in the optimum,
where every coefficient that matters is near 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import Deadline
from core.errors import InfeasibleError
from core.joint import Joint
from core.optimal.bounds.image_bound import ImageBound
from core.optimal.plan import SIZES
from core.optimal.polish import least_share
from core.optimal.programs.highs import LinearProgram, sliced
from core.optimal.utility import OfImage
from core.validation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Cone:
    """The r ≥ 0, (n_x,), with rows @ [r, h] ≤ 0 for some h ≥ 0; `inside` is one without a zero."""

    rows: sparse.csr_array
    inside: FloatArray

    @property
    def n_x(self) -> int:
        """Length of r."""
        return len(self.inside)

    def is_wide(self, *functions: FloatArray) -> bool:
        """Return whether coefficients of the rows or of linear functions differ widely."""
        return any(
            # least coefficient, relative to the largest, with which a program needs no scaling: a
            # thousand times the tolerance of its rows
            bool((np.abs(values[values != 0]) < 1e-6 * np.abs(values).max(initial=0.0)).any())
            for values in (self.rows.data, *functions)
        )

    def single(self) -> BoolArray:
        """Return which unit vectors surely are in the cone, with h = 0: shape (n_x,)."""
        positive = self.rows[:, : self.n_x] > 0
        result: BoolArray = np.asarray(positive.sum(axis=0)).ravel() == 0
        return result


def of_one(cone: Cone, above: FloatArray, below: FloatArray) -> int | None:
    """Return the entry whose unit vector has the largest ratio, if in the cone."""
    ratios = _ratios(above, below)
    best = np.flatnonzero((ratios == ratios.max()) & cone.single())
    return int(best[0]) if len(best) else None


def vanishing(cone: Cone, above: FloatArray, below: FloatArray) -> FloatArray | None:
    """Return a vector of the cone with below·r = 0 < above·r, None where there is none."""
    if (below > 0).all():
        return None
    rows, n_x = sparse.csc_array(cone.rows), cone.n_x
    left = np.ones(rows.shape[1], dtype=np.bool_)
    left[:n_x] = below == 0
    while left.any():
        part = sparse.csr_array(rows[:, left])
        forced = part.multiply(part > 0)[np.asarray((part < 0).sum(axis=1)).ravel() == 0]
        zero = np.asarray(forced.sum(axis=0)).ravel() > 0
        if not zero.any():
            break
        left[np.flatnonzero(left)[zero]] = False
    of_x = left[:n_x]
    if not (above[of_x] > 0).any():
        return None
    norm = np.where(above[of_x] > 0, above[of_x], 0.0)
    scales = np.where(norm > 0, norm, 1.0)
    part = sparse.csr_array(rows[:, left])
    try:
        entries = _solved(part, scales, (norm > 0).astype(np.float64), np.zeros(len(scales)))
    except InfeasibleError:
        return None
    result = np.zeros(n_x)
    result[of_x] = entries
    return result


def largest_ratio(cone: Cone, above: FloatArray, below: FloatArray) -> tuple[float, FloatArray]:
    """Return the largest (above·r)/(below·r) over a cone, and an r with it that adds up to 1.

    Dinkelbach's steps: r maximizes above·r − λ below·r, and its ratio is the next λ. Each program
    is in u = r·(above + λ below + κ), κ the last above·r, so coefficients near the optimum are
    near 1.
    """
    stride = 1e4  # largest factor by which one step raises the ratio: scales are right near it only
    rows = sparse.csr_array(cone.rows)
    r = cone.inside / cone.inside.sum()
    level = float(above @ r) / float(below @ r)
    # most steps; from 1 to the largest double there are 77 strides
    for _ in range(100):
        scales = above + level * below + float(above @ r)
        norm = np.ones(len(scales))
        try:
            point = _solved(rows, scales, norm, (above - level * below) / scales)
        except InfeasibleError:
            break
        point = point / point.sum()
        up, down = float(above @ point), float(below @ point)
        if up <= 0.0:
            break
        ratio = min(up / down if down > 0 else np.inf, stride * level)
        # relative change of the ratio at which the steps end
        steady = abs(ratio - level) <= 1e-10 * level
        if ratio < stride * level:
            r = point
        level = ratio
        if steady:
            return level, r
    return float(_ratios(above, below).max()), r


def _solved(
    rows: sparse.csr_array, scales: FloatArray, norm: FloatArray, gain: FloatArray
) -> FloatArray:
    """Return r of the u with the largest gain·u and norm·u = 1, where r = u/scales."""
    n_x, (count, n_vars) = len(scales), rows.shape
    columns = np.append(1 / scales, np.ones(n_vars - n_x))
    matrix = sparse.csr_array(rows @ sparse.diags_array(columns))
    sizes = abs(matrix[:, :n_x]).max(axis=1).toarray().ravel() if count else np.zeros(0)
    for j in range(n_x, n_vars):  # an auxiliary variable is as large as what its rows bound
        column = abs(matrix[:, [j]]).toarray().ravel()
        beside = (column > 0) & (sizes > 0)
        if beside.any():
            logs = np.log(sizes[beside]) - np.log(column[beside])
            columns[j] = np.exp((logs.min() + logs.max()) / 2)
    matrix = sparse.csr_array(rows @ sparse.diags_array(columns))
    sizes = abs(matrix).max(axis=1).toarray().ravel() if count else np.zeros(0)
    matrix = sparse.csr_array(sparse.diags_array(1 / np.where(sizes > 0, sizes, 1.0)) @ matrix)
    program = sliced(matrix, norm, primal=False)
    program.set_costs(-np.append(gain, np.zeros(n_vars - n_x)))
    result: FloatArray = np.maximum(program.solve().x[:n_x], 0.0) / scales
    return result


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the ratios of coefficients; ∞ where only the lower is 0, 0 where both are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: FloatArray = np.where(above > 0, above / below, 0.0)
    return result


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
    """The outputs of mechanisms under a notion on one joint, as posteriors r on X."""

    def __init__(self, joint: Joint, allowed: AllowedSet, deadline: Deadline) -> None:
        # A row whose value at P_X is this close to 0, relative to the sum of its terms' sizes, is 0
        # for every output of a mechanism: outputs average to P_X. One that P_X breaks by more was
        # rounded
        slack = 1e-13
        self._n_x, self._p_x, self._deadline = joint.n_x, joint.p_x, deadline
        self._oracle: SeparationOracle | None = allowed.oracle
        rows_of_x = allowed.rows[:, : joint.n_x] @ joint.p_x
        sizes = abs(allowed.rows[:, : joint.n_x]) @ joint.p_x
        alone = abs(allowed.rows[:, joint.n_x :]).sum(axis=1) == 0
        met = np.flatnonzero((np.abs(rows_of_x) <= slack * sizes) & alone)
        broken = (rows_of_x > slack * sizes) & alone  # lowered until P_X is strictly inside
        by = np.where(broken, 2 * rows_of_x / np.where(sizes > 0, sizes, 1.0), 0.0)
        rows = allowed.rows - sparse.diags_array(by) @ abs(allowed.rows)
        equal = sparse.vstack([rows, -rows[met]])
        self._set = AllowedSet(sparse.csr_array(equal), joint.n_x)
        self._norm: FloatArray = np.zeros(0)
        self._last: LinearProgram | None = None
        self._images: ImageBound | None = None

    def largest(self, gain: FloatArray) -> Implication:
        """Return the largest gain·r of an output."""
        return self.ratio(gain, np.ones(self._n_x))

    def ratio(self, above: FloatArray, below: FloatArray) -> Implication:
        """Return the largest (above·r)/(below·r), both ≥ 0; ∞ where some below·r = 0 < above·r."""

        def solve() -> tuple[float, FloatArray]:
            return self._linear(above, below)

        def value(r: FloatArray) -> float:
            down = float(below @ r)
            return float(above @ r) / down if down > 0 else np.inf

        return self._settled(solve, value, self._narrow, self._deadline)

    def convex(self, image: OfImage, most: float, deadline: Deadline) -> Implication:
        """Return the largest −cost, at most `most`, of an output; P_X where rounding finds none."""
        if self._images is None:
            allowed = replace(self._set, oracle=self._oracle)
            self._images = ImageBound(allowed, image, deadline)
        bound = self._images.with_curve(image)

        def solve() -> tuple[float, FloatArray]:
            bracket = bound.minimise(
                # gap at which the search for a convex level stops, in its own unit
                np.zeros(self._n_x),
                tolerance=1e-9,
                deadline=deadline,
                patient=True,
                known=-most,
            )
            return -bracket.floor, bracket.point if bracket.best < np.inf else self._p_x

        return self._settled(solve, lambda r: 0.0 - float(image.cost(r)), bound.cut, deadline)

    def _settled(
        self,
        solve: Callable[[], tuple[float, FloatArray]],
        value: Callable[[FloatArray], float],
        narrow: Callable[[FloatArray], None],
        deadline: Deadline,
    ) -> Implication:
        """Solve and cut until the oracle allows the optimum, or a point nearly as good."""
        while True:
            level, point = solve()
            cuts = self._cuts(point)
            inside = point if len(cuts) == 0 else self._pulled(point)
            reached = min(value(inside), level)
            # relative gap between a level and an allowed output's value at which cuts end: a linear
            # program satisfies its rows only to 1e-9, and an oracle would go on to cut
            close = reached == level or level - reached <= 1e-8 * max(1.0, abs(level)) < np.inf
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
        elif self._n_x >= SIZES.peeled_alone and self._deadline.over:  # all posteriors' most
            return float(_ratios(above, below).max()), self._p_x
        elif cone.is_wide(above, below):
            return largest_ratio(cone, above, below)
        else:
            program = self._program(below)
            program.set_costs(np.append(-above, np.zeros(program.n_cols - self._n_x)))
            r = np.maximum(program.solve().x[: self._n_x], 0.0)
        down = float(below @ r)
        return (float(above @ r) / down if down > 0 else np.inf), r / r.sum()

    def _program(self, norm: FloatArray) -> LinearProgram:
        """Return the linear program of the rows and norm·r = 1, with costs of the last one."""
        if self._last is not None and np.array_equal(norm, self._norm):
            return self._last
        self._norm, self._last = norm, sliced(self._set.rows, norm)
        return self._last

    def _cuts(self, r: FloatArray) -> FloatArray:
        """Return the oracle's cuts at an output, shape (k, n_x)."""
        return np.zeros((0, self._n_x)) if self._oracle is None else self._oracle(r)

    def _narrow(self, cuts: FloatArray) -> None:
        """Add cuts to the rows."""
        padded = np.hstack([cuts, np.zeros((len(cuts), self._set.n_auxiliary))])
        more = sparse.vstack([self._set.rows, sparse.csr_array(padded)])
        self._set, self._last = AllowedSet(sparse.csr_array(more), self._n_x), None
