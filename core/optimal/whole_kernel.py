"""Climbs over whole kernels, for sets with a curved boundary: programs of all outputs under cuts.

I(X;Y) is convex in the kernel, so it lies above its tangent at any kernel: whatever maximizes the
tangent keeps at least as much, and its tangent is next (concave–convex procedure, Yuille and
Rangarajan 2003). Each program has all outputs at once, so none has to wait for others that make
up P_X with it; and it has cuts only where its own outputs break the set, each at one output. Its
outputs are moved inside, and the mixture of all that were met is the answer.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse

from core.clock import Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.optimal.cutting_planes import AllowedOutputs, ManyOracle, Rough, distinct
from core.optimal.plan import SHARES, SIZES
from core.optimal.programs.highs import LinearProgram
from core.optimal.tolerances import SMALL
from core.validation import FloatArray, IntArray

ROUNDS = 40
"""Most programs of one climb: most end after 10 to 20."""

TANGENTS = 4
"""Most programs under more and more cuts before the tangent is taken anew."""

DEEPEST = 3
"""Most cuts that one output gets from one program: the deepest, as others seldom bind."""

NEARLY = 0.02
"""Part of the way to P_X that outputs may be moved to be allowed where the tangent is taken anew:
they then tell enough about where the answer lies."""

PROGRESS = 1e-4
"""Relative gain of a new tangent up to which a climb ends."""

VAIN = 3
"""Climbs without a gain, from outputs in use and random ones in turn, after which there is none."""

SLIGHT = 1e-5
"""Probability of an output up to which it is left out: its conditions would be rounding."""

TINY = np.finfo(np.float64).tiny
"""Least scale of a cut, which may have entries only at symbols that no output of a program has."""


def climbed(
    inside: AllowedOutputs,
    oracle: ManyOracle,
    rows: FloatArray,
    *,
    seed: int,
    deadline: Deadline,
) -> FloatArray:
    """Improve allowed outputs by climbs from many kernels; return the cuts met, (k, n_x).

    `rows`, (j, n_x), are those of the set, which outputs moved by its oracle have to meet before.
    """
    rough = AllowedOutputs(inside.kernel(), inside.p_x, inside.utility, Rough(oracle))
    climb = _Climb(rough, rows, seed, deadline)
    climb.run(deadline.part(SHARES.rough_climbs))
    climb.cuts = np.vstack([climb.cuts, inside.take(rough.in_use(), deadline)])
    climb.inside = inside
    climb.once()
    return climb.cuts[len(rows) :]


class _Climb:
    """Climbs from many kernels; `inside` has the outputs that they met, `cuts` what they broke."""

    def __init__(
        self, inside: AllowedOutputs, rows: FloatArray, seed: int, deadline: Deadline
    ) -> None:
        self.inside, self.deadline = inside, deadline
        self.p_x, self._rows, self.cuts = inside.p_x, rows, rows
        self._rng = np.random.default_rng(seed)
        self._entries = SIZES.kernel_entries

    def run(self, until: Deadline) -> None:
        """Climb from the outputs in use and from random ones in turn, until this is in vain."""
        vain = 0
        while vain < VAIN and not until.over:
            before = self.inside.value
            self.once(random=vain % 2 == 1, until=until)
            vain = 0 if self.inside.value > before * (1 + PROGRESS) else vain + 1

    def once(self, *, random: bool = False, until: Deadline | None = None) -> None:
        """Climb once; a program that fails ends it, and the outputs met stay."""
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            weights = self._start(random=random)
            used = weights.sum(axis=1) > SLIGHT * weights.sum()
            self._climb(weights[used], self.deadline if until is None else until)

    def _start(self, *, random: bool) -> FloatArray:
        """Return the best mixture, or some of its outputs, as weights P(x, y), or a random one."""
        n_x = len(self.p_x)
        most = max(self._entries // n_x, 3)
        kernel = self.inside.kernel()
        weights = (self.p_x[:, None] * kernel).T
        if len(weights) > most:
            weights = weights[self._rng.permutation(len(weights))[:most]]
        elif len(weights) < min(n_x, most):
            more = self._anywhere(min(n_x, most) - len(weights))
            share = len(more) / min(n_x, most) * 1e-3
            weights = np.vstack([(1 - share) * weights, share * self._mixed(more)])
        if random:
            weights = weights.sum(axis=0) / self.p_x * self._mixed(self._anywhere(len(weights)))
        return weights

    def _anywhere(self, count: int) -> FloatArray:
        """Return random outputs as weights, shape (count, n_x), each above P_X at some symbols."""
        chosen = self._rng.random((count, len(self.p_x))) < self._rng.uniform(0.1, 0.6)
        lifted = 1 + self._rng.exponential(size=chosen.shape) * (1 + 3 * chosen)
        result: FloatArray = self.p_x * lifted
        return result

    def _mixed(self, outputs: FloatArray) -> FloatArray:
        """Return outputs scaled, each symbol by itself, so they mix to P_X."""
        result: FloatArray = outputs / outputs.sum(axis=0) * self.p_x
        return result

    def _climb(self, weights: FloatArray, until: Deadline) -> None:
        """Improve outputs with weights P(x, y), shape (n_y, n_x), together."""
        program = _Program(weights.sum(axis=0), len(weights))
        program.aim(_slopes(weights, self.p_x))
        gained, since = self.inside.value, 0
        for _ in range(ROUNDS):
            weights, since = program.solve(until), since + 1
            used = np.flatnonzero(weights.sum(axis=1) > SLIGHT * weights.sum())
            points = weights[used] / weights[used].sum(axis=1, keepdims=True)
            share = _depths(points, self._rows, self.p_x).max(axis=1, initial=0.0)[:, None]
            within = (1 - share) * points + share * self.p_x
            self._keep(self.inside.take(within, until))
            depth = program.cut(points, used, self.cuts, self.p_x)
            if depth <= NEARLY or since == TANGENTS:
                value = self.inside.value
                if depth <= NEARLY and value <= gained * (1 + PROGRESS):
                    return
                gained, since = value, 0
                program.aim(_slopes(self._revived(weights), self.p_x))
            if until.over:
                return

    def _keep(self, cuts: FloatArray) -> None:
        """Keep new cuts, shape (k, n_x), for all outputs of this climb and of later ones."""
        self.cuts = np.vstack([self.cuts, distinct(cuts)])

    def _revived(self, weights: FloatArray) -> FloatArray:
        """Return weights with unused outputs replaced by random directions."""
        unused = weights.sum(axis=1) <= SLIGHT * weights.sum()
        result = weights.copy()
        result[unused] = self._anywhere(int(unused.sum()))
        return result


class _Program:
    """Kernels of n_y outputs that share `total` of P_X, shape (n_x,), under cuts at outputs."""

    def __init__(self, total: FloatArray, n_y: int) -> None:
        n_x = len(total)
        self.total, self._shape = total, (n_y, n_x)
        rows = sparse.hstack([sparse.eye_array(n_x)] * n_y, format="csr")
        self._program = LinearProgram(sparse.csr_array(rows), np.ones(n_x), np.ones(n_x))
        self._known: set[tuple[int, int]] = set()

    def aim(self, slopes: FloatArray) -> None:
        """Minimize Σ slopes·weights, both of shape (n_y, n_x)."""
        costs = slopes * self.total
        self._program.set_costs((costs - costs.min(axis=0)).ravel())

    def solve(self, deadline: Deadline) -> FloatArray:
        """Return the weights P(x, y), shape (n_y, n_x)."""
        weights = self._program.solve(deadline.left).x.reshape(self._shape)
        result: FloatArray = np.maximum(weights, 0.0) * self.total
        return result

    def cut(
        self, points: FloatArray, outputs: IntArray, cuts: FloatArray, p_x: FloatArray
    ) -> float:
        """Add the deepest cuts that points (k, n_x) break to their outputs; return the deepest.

        A cut's depth is the part of the way to P_X at which a point meets it.
        """
        depths = _depths(points, cuts, p_x)
        rows: list[tuple[int, int]] = []
        for output, depth in zip(outputs.tolist(), depths, strict=True):
            deepest = np.argsort(-depth, kind="stable")[:DEEPEST]
            met = [(output, i) for i in deepest[depth[deepest] > 0].tolist()]
            rows.extend(pair for pair in met if pair not in self._known)
        # numbers of cuts are stable, as new ones are appended
        self._known.update(rows)
        if rows:
            added = np.zeros((len(rows), *self._shape))
            at, which = np.array(rows).T
            scaled = cuts[which] * self.total
            scaled /= np.maximum(np.abs(scaled).max(axis=1, keepdims=True), TINY)
            added[np.arange(len(rows)), at] = scaled
            self._program.add_cuts(added.reshape(len(rows), -1))
        return float(depths.max(initial=0.0))


def _depths(points: FloatArray, cuts: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the part of the way to P_X at which points meet cuts g·r ≤ 0, shape (k, j)."""
    here, there = points @ cuts.T, cuts @ p_x
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
    return result


def _slopes(weights: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the tangent −log P(x | y)/P(x) of each output's cost, shape (n_y, n_x)."""
    masses = weights.sum(axis=1, keepdims=True)
    ratio = weights / np.where(masses > 0, masses, 1.0) / p_x
    result: FloatArray = -np.log(np.maximum(ratio, SMALL))
    return result
