"""Column generation for sets whose tableaux would be too large: pricing by linear programs.

H(r) − λ·r is concave, so its linearisation at any r0 lies above it, and the vertex that minimises
the linearisation is at least as good as r0: a descent takes two to four programs, each started from
the last basis. Rows stay sparse, with their auxiliary variables: at 240 symbols a program takes
some milliseconds where a tableau has a quarter of a million entries.

While reduced costs are large, the duals are central ones (`CentredMaster`): at 240 symbols of
PolyOpt those of the best mixture so far took four times as long.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # no stubs

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import TimeLimitError
from core.optimal.concave_descent import descend
from core.optimal.programs.centred_master import CentredMaster
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.programs.master import SHORT, Master, Mixture
from core.optimal.tolerances import PRICE
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

MOST_ENTRIES = 60_000
"""Most entries of a tableau: at 240 symbols of PolyOpt it has 190,000, and the first 240 tableaux
take half a minute; at 60 symbols it has 30,000."""

MOST_PARTED = 6_500
"""The same for sets most of whose rows concern a few symbols: at 80 symbols of three attributes
linear programs found 3.6 nats where tableaux found 0.5; at 36 both find the same."""

SPARSE = 0.3
"""Largest part of non-zero entries in the rows of such a set."""

BATCH = 24
"""Descents between two master programs: they take about as long as one of these."""

CLOSE = 2.0
"""The central mixture is solved to a gap of the best gain met, divided by this."""

WIDEST = 0.3
"""Largest such gap, in nats."""

NEARLY = 1e-3
"""Best gain, in nats, below which the duals of the best mixture replace the central ones."""

INNER = 0.05
"""Best gain, in nats, below which the whole set is compared with its restriction, and again when
the gain has halved. Above it both have the same best outputs, and at 240 symbols a program over
PolyOpt's whole set takes 1.4 times as long as one over its restriction, PolyOpt as printed."""

WIDER = 1.02
"""Ratio of the gains over the whole set and its restriction from which the whole is searched."""

JOINING = 1.5
"""Outputs per symbol, those used most by the central mixture, that the best mixture starts with."""

FINEST = 1e-4
"""Gap, in nats, of the central mixture that chooses them."""

SETTLING = 1.5e-7
"""Seconds that the best mixture of these takes, divided by the cube of the number of symbols."""

SETTLING_SHARE = 0.25
"""Largest part of the time left that is kept for it."""

WEIGHT = 0.5
"""Weight of the latest duals in a moving average: those of one program alone oscillate."""

RISE = 1.08
"""Factor of the penalty after each batch: with a larger one the duals of few columns oscillate."""

LEAST = 0.003
"""Least weight of a symbol's penalty, relative to 1/n_x: with less, a symbol of probability 1e-9
stays uncovered; with much more, its dual outweighs those of likely symbols."""

GROWTH = 4.0
"""Factor of the penalty at the end, where no shortfall may remain."""

RAISES = 6
"""Most times that the penalty grows before the search goes on: a shortfall then is rounding."""

DIGITS = 10
"""Outputs that agree to this many decimals, relative to P(x), are one."""

SCATTERED = 32
"""Random starts in a round, beside one for each symbol and each output in use."""

ROUNDS = 2
"""Rounds of starts without a better output after which the search ends."""


_BLAS = ThreadpoolController().select(user_api="blas")
"""Limited to one thread: a second waits busily, which took 20 times as long on a busy machine."""


def too_large(allowed: AllowedSet) -> bool:
    """Return whether the tableaux of an allowed set would have too many entries."""
    n_rows, n_vars = allowed.rows.shape
    entries = n_rows * n_vars
    if allowed.blocks and allowed.rows.nnz < SPARSE * entries:
        return entries > MOST_PARTED
    return entries > MOST_ENTRIES


class LinearSearch:
    """The search for improving outputs over sparse rows, for I(X;Y).

    Attributes
    ----------
    mixture : Mixture
        The best mixture so far.

    Parameters
    ----------
    allowed : AllowedSet
        The allowed outputs; its oracle is not used.
    p_x : ndarray
        P(x), shape (n_x,), an allowed output.
    seed : int
        Seed of the random starts.
    deadline : Deadline
        When to stop.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> allowed = LIP(0.5).allowed_set(joint)
    >>> search = LinearSearch(allowed, joint.p_x, seed=0, deadline=Deadline.after(10))
    >>> search.run()
    >>> np.sort(search.settled()).round(4)
    array([[0.1065, 0.8935],
           [0.1065, 0.8935]])
    """

    def __init__(
        self, allowed: AllowedSet, p_x: FloatArray, *, seed: int, deadline: Deadline
    ) -> None:
        self.p_x, self.deadline = p_x, deadline
        self._utility = MutualInformation()
        self._rng = np.random.default_rng(seed)
        self._known: set[bytes] = set()
        self._rows = _rows(allowed, p_x)
        self._searched = self._whole = _slice(self._rows, p_x)
        if allowed.restriction is not None:
            self._searched = _slice(_rows(allowed.restriction, p_x), p_x)
        self.master = Master(p_x, self._utility, p_x[None], LEAST / len(p_x))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Add allowed outputs, posteriors of shape (k, n_x), to the master program.

        Returns
        -------
        new : bool
            Whether one of them was not in it yet.
        """
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
            with _BLAS.limit(limits=1):
                self._approach()
            self._close_in()

    def _approach(self) -> None:
        """Search at central duals while gains are large, and mix the outputs used most."""
        n_x = len(self.p_x)
        until = max(
            self.deadline.earlier(SETTLING * n_x**3), self.deadline.part(1 - SETTLING_SHARE)
        )
        found = CentredMaster(self.p_x, self._utility)
        best, near, compared = np.inf, self.p_x[None], INNER
        while best > NEARLY and not until.over:
            starts = self._few_starts(near)
            if best < compared and self._searched is not self._whole:
                self._widen(starts, found.duals)
                compared /= 2
            met = np.array([point for r in starts for point in self._descend(r, found.duals)])
            prices = self._utility.cost(met) - met @ found.duals
            best = -float(prices.min())
            found.add(_distinct(met[prices < -PRICE], self.p_x))
            found.solve(min(max(best / CLOSE, FINEST), WIDEST))
            near = found.points[found.most_used(n_x)]
        found.solve(FINEST)
        self.include(found.points[found.most_used(int(JOINING * n_x))])
        for _ in range(RAISES):
            if self.mixture.shortfall <= SHORT:
                break
            self.master.raise_penalty(GROWTH)
            self.mixture = self.master.solve()

    def _widen(self, starts: FloatArray, duals: FloatArray) -> None:
        """Search the whole set from now on if descents from the same starts gain more there."""
        restriction = self._searched
        gain = self._gained(starts, duals)
        self._searched = self._whole
        if self._gained(starts, duals) < WIDER * gain:
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
            if in_vain > ROUNDS and self.mixture.shortfall <= SHORT:
                return
            if in_vain > ROUNDS:
                self._cover(GROWTH)
                duals, in_vain = self.mixture.duals, 0
            if not starts:
                near = self.master.points[self.mixture.used]
                starts, in_vain = self._starts(near), in_vain + 1
            batch, starts = starts[:BATCH], starts[BATCH:]
            met = np.array([point for r in batch for point in self._descend(r, duals)])
            prices = self._utility.cost(met) - met @ self.mixture.duals
            if self.include(met[prices < -PRICE]):
                in_vain = 0
                if self.mixture.shortfall > SHORT:
                    self._cover(RISE)
                duals = WEIGHT * self.mixture.duals + (1 - WEIGHT) * duals
            elif duals is not self.mixture.duals:
                duals = self.mixture.duals

    def settled(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture without a shortfall."""
        while self.mixture.shortfall > SHORT:  # ends: the output P_X alone is a mixture
            self._cover(GROWTH)
        return self.master.kernel(self.mixture)

    def _cover(self, factor: float) -> None:
        """Add an output that covers the shortfall of each symbol, and raise the penalty.

        With e_x uncovered, it is the allowed output v_x = e_x + d with the least d: it covers the
        shortfall, and replaces a share d/(1 + d) of the mixture.
        """
        covered = self.mixture.covered() / self.p_x
        rest = np.maximum(1.0 - covered, 0.0)
        if rest.any():
            self.master.add(self._even_out(rest / rest.max())[None])
        self.master.raise_penalty(factor)
        self.mixture = self.master.solve()

    def _even_out(self, rest: FloatArray) -> FloatArray:
        """Return the output v = rest + d, as weights, with the least d ≥ 0 at which it is allowed.

        `rest` has a largest entry of 1, so that HiGHS's tolerance is small beside it.
        """
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
        starts = np.concatenate([np.eye(len(self.p_x)), self._around(near), self._far(SCATTERED)])
        return list(starts[self._rng.permutation(len(starts))])

    def _few_starts(self, near: FloatArray) -> FloatArray:
        """Return a batch of starts, a third of each kind of `_starts`, shape (k, n_x)."""
        third, n_x = BATCH // 3, len(self.p_x)
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
        return descend(start, duals, self._lowest, lambda r: float(self._utility.cost(r)))

    def _lowest(self, cost: FloatArray) -> FloatArray:
        """Return the allowed posterior that minimises cost·r.

        Raises
        ------
        TimeLimitError
            If time is over.
        """
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
    """Return the distinct outputs among posteriors of shape (k, n_x)."""
    _, first = np.unique(np.round(points / p_x, DIGITS), axis=0, return_index=True)
    return points[np.sort(first)]


def _rows(allowed: AllowedSet, p_x: FloatArray) -> sparse.csr_array:
    """Return the rows on r/P_X and auxiliary variables, each with a largest coefficient of 1.

    In r/P_X entries of rare symbols have the same size as any other.
    """
    unit = np.append(p_x, np.ones(allowed.n_auxiliary))
    rows = sparse.csr_array(allowed.rows @ sparse.diags_array(unit))
    largest = abs(rows).max(axis=1).toarray().ravel()
    scale = sparse.diags_array(1 / np.where(largest > 0, largest, 1.0))
    return sparse.csr_array(scale @ rows)


def _slice(rows: sparse.csr_array, p_x: FloatArray) -> LinearProgram:
    """Return the linear program of rows, as of `_rows`, and Σr = 1."""
    count, n_vars = rows.shape
    mass = sparse.csr_array(np.append(p_x, np.zeros(n_vars - len(p_x)))[None])
    return LinearProgram(
        sparse.csr_array(sparse.vstack([mass, rows])),
        np.append(1.0, np.full(count, -INFINITY)),
        np.append(1.0, np.zeros(count)),
        primal=True,
    )
