"""Column generation for sets whose tableaux would be too large: pricing by linear programs.

H(r) − λ·r is concave, so the vertex that minimizes its linearization at r0 is at least as good as
r0: a descent is two to four programs over sparse rows, each from the last basis; over few rows
hundreds of them pivot together (`Descents`). While reduced costs are large, duals are central ones
(`CentredMaster`).
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # no stubs

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.limits import ROUNDING
from core.optimal.columns.descents import Descents
from core.optimal.columns.peeling import Peeling
from core.optimal.concave_descent import descend
from core.optimal.plan import SHARES, SIZES
from core.optimal.programs.centred_master import CentredMaster
from core.optimal.programs.highs import INFINITY, LinearProgram, sliced
from core.optimal.programs.master import Master, Mixture
from core.optimal.tolerances import PRICE
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

FINEST = 1e-4
"""Gap, in nats, of the central mixture that chooses them."""

WEIGHT = 0.5
"""Weight of the latest duals in a moving average: those of one program alone oscillate."""

DIGITS = 10
"""Outputs that agree to this many decimals, relative to P(x), are one."""

ROUNDS = 2
"""Rounds of starts without a better output after which the search ends."""


_BLAS = ThreadpoolController().select(user_api="blas")
"""Limited to one thread: a second waits busily, which took 20 times as long on a busy machine."""


def too_large(allowed: AllowedSet) -> bool:
    """Return whether the tableaux of an allowed set would have too many entries."""
    n_rows, n_vars = allowed.rows.shape
    entries = n_rows * n_vars
    # most rows of such a set concern a few symbols
    if allowed.blocks and allowed.rows.nnz < 0.3 * entries:
        return entries > SIZES.parted_entries
    return entries > SIZES.search_entries


class LinearSearch:
    """The search for improving outputs over sparse rows, for I(X;Y); `mixture`: the best so far."""

    def __init__(
        self,
        allowed: AllowedSet,
        p_x: FloatArray,
        *,
        seed: int,
        deadline: Deadline,
    ) -> None:
        self.p_x, self.deadline, self._allowed = p_x, deadline, allowed
        self._utility = MutualInformation()
        self._rng = np.random.default_rng(seed)
        self._known: set[bytes] = set()
        self._rows = _rows(allowed, p_x)
        self._searched = self._whole = sliced(self._rows, p_x)
        few = allowed.restriction is None and allowed.rows.shape[0] <= SIZES.together_rows
        self._together = Descents(self._rows, p_x) if few else None
        self._batch = SIZES.descents_together if few else SIZES.descents
        if allowed.restriction is not None:
            self._searched = sliced(_rows(allowed.restriction, p_x), p_x)
        # least weight of a symbol's penalty, relative to 1/n_x: with less, a symbol of probability
        # 1e-9 stays uncovered; with much more, its dual outweighs those of likely symbols
        self.master = Master(p_x, self._utility, p_x[None], 0.003 / len(p_x))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Add allowed outputs, posteriors of shape (k, n_x), to the master program."""
        new = []
        for i, point in enumerate(points):
            name = np.round(point / self.p_x, DIGITS).tobytes()
            if name not in self._known:
                self._known.add(name)
                new.append(i)
        if new:
            self.master.add(points[new])
            self.mixture = self.master.solve()
        return bool(new)

    def run(self) -> None:
        """Improve the mixture until rounds of starts find no better output, or time is over."""
        with suppress(TimeLimitError):
            # prices near the center take about so many seconds, and cannot be cut short
            if 4e-10 * len(self.p_x) ** 3 < self.deadline.left:  # else its end is never reached
                with _BLAS.limit(limits=1):
                    self._approach()
            self._close_in()

    def _approach(self) -> None:
        """Search at central duals while gains are large, and mix the outputs used most."""
        n_x = len(self.p_x)
        # the best mixture of these takes about 1.5e-7 n_x³ seconds
        until = max(self.deadline.earlier(1.5e-7 * n_x**3), self.deadline.part(1 - SHARES.settling))
        central = CentredMaster(self.p_x, self._utility)
        if len(self.master.points) > 1:
            central.add(self.master.points[1:])
            central.solve(0.3)
        # below a gain of 0.05 nats the whole set is compared with its restriction, and again when
        # the gain has halved. Above it both have the same best outputs, and at 240 symbols a
        # program over PolyOpt's whole set takes 1.4 times as long as one over its restriction,
        # PolyOpt as published
        best, near, compared = np.inf, central.points, 0.05
        took = 0.0
        # best gain, in nats, below which the duals of the best mixture replace the central ones
        while best > 1e-3 and until.left > took:
            before = until.left
            starts = self._few_starts(near) if best < np.inf else np.eye(n_x)
            if best < compared and self._searched is not self._whole:
                self._widen(starts, central.duals)
                compared /= 2
            met = self._met(starts, central.duals, until)
            prices = self._utility.cost(met) - met @ central.duals
            best = -float(prices.min(initial=0.0))
            central.add(_distinct(met[prices < -PRICE], self.p_x))
            if until.left == 0.0:  # the best mixture needs the rest of the time
                break
            # the central mixture is solved to half the best gain met, in nats
            central.solve(min(max(best / 2.0, FINEST), 0.3))
            near, took = central.points[central.most_used(n_x)], before - until.left
        central.solve(FINEST)
        # outputs per symbol, those used most by the central mixture, that the best mixture starts
        # with
        self.include(central.points[central.most_used(int(1.5 * n_x))])
        if self._together is not None and self.mixture.shortfall > ROUNDING:
            self._complete()
        # most times that the penalty grows before the search goes on: a shortfall then is rounding
        for _ in range(6):
            if self.mixture.shortfall <= ROUNDING:
                break
            self.master.raise_penalty(SIZES.growth)
            self.mixture = self.master.solve()

    def _complete(self) -> None:
        """Include outputs that take apart what those of the mixture leave of P_X."""
        peeling = Peeling(self._allowed, self.p_x, seed=0, deadline=self.deadline)
        with suppress(InfeasibleError, SolverError):  # there is another mixture
            peeling.complete(self.mixture.weights)
            weights = (self.p_x[:, None] * peeling.kernel()).T
            self.include(weights / weights.sum(axis=1, keepdims=True))

    def _met(self, starts: FloatArray, duals: FloatArray, until: Deadline) -> FloatArray:
        """Return the vertices of descents that begin before a deadline, (k, n_x)."""
        if self._together is not None:
            return self._together.outputs(starts, duals, until)
        met: list[FloatArray] = []
        with suppress(TimeLimitError):
            for r in starts:
                if until.over:
                    break
                met += self._descend(r, duals)
        return np.array(met).reshape(-1, len(self.p_x))

    def _widen(self, starts: FloatArray, duals: FloatArray) -> None:
        """Search the whole set from now on if descents from the same starts gain more there."""
        restriction = self._searched
        gain = self._gained(starts, duals)
        self._searched = self._whole
        # where the whole set gains 2% more than its restriction, the whole is searched
        if self._gained(starts, duals) < 1.02 * gain:
            self._searched = restriction

    def _gained(self, starts: FloatArray, duals: FloatArray) -> float:
        """Return the sum of the gains λ·r − H(r), in nats, at the ends of descents from starts."""
        paths = (self._descend(r, duals) for r in starts)
        ends = np.array([path[-1] for path in paths if path]).reshape(-1, len(self.p_x))
        return float(np.maximum(ends @ duals - self._utility.cost(ends), 0).sum())

    def _close_in(self) -> None:
        """Search at the duals of the best mixture."""
        self._searched = self._whole
        duals, in_vain = self.mixture.duals, 0
        starts: list[FloatArray] = []
        while not self.deadline.over:
            if in_vain > ROUNDS and self.mixture.shortfall <= ROUNDING:
                return
            if in_vain > ROUNDS:
                self._cover(SIZES.growth)
                duals, in_vain = self.mixture.duals, 0
            if not starts:
                near = self.master.points[self.mixture.used]
                starts, in_vain = self._starts(near), in_vain + 1
            batch, starts = starts[: self._batch], starts[self._batch :]
            met = self._met(np.array(batch), duals, self.deadline)
            prices = self._utility.cost(met) - met @ self.mixture.duals
            if self.include(met[prices < -PRICE]):
                in_vain = 0
                if self.mixture.shortfall > ROUNDING:
                    # factor of the penalty after each batch: with a larger one the duals of few
                    # columns oscillate
                    self._cover(1.08)
                duals = WEIGHT * self.mixture.duals + (1 - WEIGHT) * duals
            elif duals is not self.mixture.duals:
                duals = self.mixture.duals

    def settled(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture without a shortfall."""
        while self.mixture.shortfall > ROUNDING:  # ends: the output P_X alone is a mixture
            self._cover(SIZES.growth)
        return self.master.kernel(self.mixture)

    def in_use(self) -> FloatArray:
        """Return the outputs of the best mixture, shape (k, n_x)."""
        return self.master.points[self.mixture.used]

    def _cover(self, factor: float) -> None:
        """Add for each e_x uncovered the allowed e_x + d of least d, and raise the penalty."""
        covered = self.mixture.covered() / self.p_x
        rest = np.maximum(1.0 - covered, 0.0)
        if rest.any():
            self.master.add(self._even_out(rest / rest.max())[None])
        self.master.raise_penalty(factor)
        self.mixture = self.master.solve()

    def _even_out(self, rest: FloatArray) -> FloatArray:
        """Return rest + d, as weights, with the least d ≥ 0 that is allowed; max(rest) is 1."""
        fixed, auxiliary = self._rows[:, : len(rest)], self._rows[:, len(rest) :]
        evenly = sparse.csr_array((fixed @ np.ones(len(rest)))[:, None])
        none = np.full(self._rows.shape[0], -INFINITY)
        cost = np.append(1.0, np.zeros(auxiliary.shape[1]))
        both = sparse.csr_array(sparse.hstack([evenly, auxiliary]))
        least = LinearProgram(both, none, -(fixed @ rest), cost=cost).solve().x[0]
        result: FloatArray = self.p_x * (rest + least)
        return result

    def _starts(self, near: FloatArray) -> list[FloatArray]:
        """Return starts of descents in random order: symbols, near outputs, and random ones."""
        # random starts in a round, beside one for each symbol and each output in use
        starts = np.concatenate([np.eye(len(self.p_x)), self._around(near), self._far(32)])
        return list(starts[self._rng.permutation(len(starts))])

    def _few_starts(self, near: FloatArray) -> FloatArray:
        """Return a batch of starts, a third of each kind of `_starts`, shape (k, n_x)."""
        third, n_x = self._batch // 3, len(self.p_x)
        symbols = np.eye(n_x)[self._rng.permutation(n_x)[:third]]
        around = self._around(near[self._rng.permutation(len(near))[:third]])
        return np.concatenate([symbols, around, self._far(third)])

    def _around(self, points: FloatArray) -> FloatArray:
        """Return outputs, as weights, with each entry multiplied by a random number."""
        return points * self._rng.exponential(size=points.shape)

    def _far(self, count: int) -> FloatArray:
        """Return random outputs, as weights dominated by few symbols, shape (count, n_x)."""
        return self.p_x * self._rng.exponential(size=(count, len(self.p_x))) ** 4

    def _descend(self, start: FloatArray, duals: FloatArray) -> list[FloatArray]:
        """Return the successive vertices of a descent from a start, the best last."""
        return descend(start, duals, self._lowest)

    def _lowest(self, cost: FloatArray) -> FloatArray:
        """Return the allowed posterior that minimizes cost·r."""
        program = self._searched
        costs = np.zeros(program.n_cols)
        costs[: len(self.p_x)] = cost * self.p_x
        program.set_costs(costs)
        left = self.deadline.left
        if left <= 0:  # HiGHS checks the time only between steps, and may need none
            raise TimeLimitError("The search for outputs is over.")
        r = np.maximum(program.solve(left).x[: len(self.p_x)], 0.0) * self.p_x
        result: FloatArray = r / r.sum()
        return result


def _distinct(points: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the distinct outputs among posteriors of shape (k, n_x): sums of theirs differ."""
    sums = (points / p_x) @ np.random.default_rng(0).random(len(p_x))
    _, first = np.unique(np.round(sums, DIGITS), return_index=True)
    return points[np.sort(first)]


def _rows(allowed: AllowedSet, p_x: FloatArray) -> sparse.csr_array:
    """Return rows on r/P_X and auxiliary variables, each with a largest coefficient of 1."""
    unit = np.append(p_x, np.ones(allowed.n_auxiliary))
    rows = sparse.csr_array(allowed.rows @ sparse.diags_array(unit))
    largest = abs(rows).max(axis=1).toarray().ravel()
    scale = sparse.diags_array(1 / np.where(largest > 0, largest, 1.0))
    return sparse.csr_array(scale @ rows)
