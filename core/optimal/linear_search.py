"""Column generation for sets whose tableaus would be too large: pricing by linear programs.

H(r) − λ·r is concave, so its linearisation at any r0 lies above it, and the vertex that minimises
the linearisation is at least as good as r0: a descent ends after two to four warm programs. The
rows stay sparse, with their helpers, and HiGHS keeps the factors of the basis: at 240 symbols a
program takes some milliseconds where a tableau has a quarter of a million entries.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse

from core.errors import TimeLimitError
from core.notions.allowed_set import AllowedSet
from core.optimal.highs import INFINITY, LinearProgram
from core.optimal.master import SHORT, Master, Mixture
from core.optimal.utility import MutualInformation
from core.validation import FloatArray

MOST_ENTRIES = 60_000
"""A tableau with more entries than this is not kept: at 240 symbols of PolyOpt it has 190,000,
and the first 240 of them alone take half a minute; at 60 it has 30,000."""

MOST_PARTED = 6_500
"""As many of a set most of whose rows concern a few symbols: at 80 symbols of three attributes
sparse programs found 3.6 nats where tableaus found .5; at 36 both find the same."""

SPARSE = 0.3
"""Part of the entries that are not 0 in such rows."""

SMALLEST = 1e-9
"""Entries below this count as this where H is linearised: at 0 its slope is infinite."""

PROGRESS = 1e-10
"""A descent goes on while it gains more than this, in nats: less is rounding."""

PRICE = 1e-10
"""A reduced cost above −1e-10 nats gains nothing."""

BATCH = 24
"""Descents between two master programs: as many cost about as much time as one of those."""

WEIGHT = 0.5
"""Weight of the latest duals: those of one program swing too far for the next columns."""

RISE = 1.08
"""Factor of the penalty after a batch: a steep one makes the duals of few columns swing."""

LEAST = 0.003
"""Least weight of a symbol's penalty, relative to 1/n_x: a symbol never seen but for a floor of
1e-9 stays uncovered without, and much more lets its price outweigh those of likely symbols."""

GROWTH = 4.0
"""Factor of the penalty at the end, when what is uncovered has to go."""

DIGITS = 10
"""Outputs that agree in so many digits after the point are one."""

SCATTERED = 32
"""Random starts in a round, beside one for each symbol and each output in use."""

ROUNDS = 2
"""Rounds of starts without a better output after which the search ends."""


def too_large(allowed: AllowedSet) -> bool:
    """Say whether the tableaus of an allowed set would have too many entries."""
    n_rows, n_vars = allowed.rows.shape
    entries = n_rows * n_vars
    if allowed.parts and allowed.rows.nnz < SPARSE * entries:
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
        The allowed outputs; its oracle plays no part here.
    p_x : ndarray
        P(x), shape (n_x,), an allowed output.
    seed : int
        Of the random starts.
    deadline : float
        On the clock of `time.monotonic`.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> allowed = LIP(0.5).allowed_set(joint)
    >>> search = LinearSearch(allowed, joint.p_x, seed=0, deadline=time.monotonic() + 10)
    >>> search.run()
    >>> np.sort(search.settled()).round(4)
    array([[0.1065, 0.8935],
           [0.1065, 0.8935]])
    """

    def __init__(self, allowed: AllowedSet, p_x: FloatArray, *, seed: int, deadline: float) -> None:
        self.p_x, self.deadline = p_x, deadline
        self._utility = MutualInformation()
        self._rng = np.random.default_rng(seed)
        self._known: set[bytes] = set()
        self._rows = _rows(allowed, p_x)
        self._program = _slice(self._rows, p_x)
        self.master = Master(p_x, self._utility, p_x[None], LEAST / len(p_x))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Let allowed outputs, posteriors of shape (k, n_x), into the master program.

        Returns
        -------
        new : bool
            Whether one of them was not known before.
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
        duals, in_vain = self.mixture.duals, 0
        starts: list[FloatArray] = []
        try:
            while time.monotonic() < self.deadline:
                if in_vain > ROUNDS and self.mixture.shortfall <= SHORT:
                    return
                if in_vain > ROUNDS:
                    self._cover(GROWTH)
                    duals, in_vain = self.mixture.duals, 0
                if not starts:
                    starts, in_vain = self._starts(), in_vain + 1
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
        except TimeLimitError:
            return

    def settled(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture, with nothing at a penalty."""
        while self.mixture.shortfall > SHORT:  # ends: the output P_X alone is a mixture
            self._cover(GROWTH)
        return self.master.kernel(self.mixture)

    def _cover(self, factor: float) -> None:
        """Let in an output for what is uncovered of each symbol, and raise the penalty.

        With e_x uncovered, the output v_x = e_x + d with the least allowed d covers it all at the
        price of a share d/(1 + d) of the mixture; its scale is free.
        """
        covered = self.mixture.weights.sum(axis=0) / self.p_x
        rest = np.maximum(1.0 - covered, 0.0)
        if rest.any():
            self.master.add(self._even_out(rest / rest.max())[None])
        self.master.raise_penalty(factor)
        self.mixture = self.master.solve()

    def _even_out(self, rest: FloatArray) -> FloatArray:
        """Return the output v = rest + d, as weights, with the least d ≥ 0 at which it is allowed.

        `rest` has a largest entry of 1: were it tiny, anything would pass within the tolerance.
        """
        fixed, helpers = self._rows[:, : len(rest)], self._rows[:, len(rest) :]
        evenly = sparse.csr_array((fixed @ np.ones(len(rest)))[:, None])
        none = np.full(self._rows.shape[0], -INFINITY)
        cost = np.append(1.0, np.zeros(helpers.shape[1]))
        both = sparse.csr_array(sparse.hstack([evenly, helpers]))
        least = LinearProgram(both, none, -(fixed @ rest), cost=cost).solve().x[0]
        result: FloatArray = self.p_x * (rest + least)
        return result

    def _starts(self) -> list[FloatArray]:
        """Return where to linearise first: each symbol, near the outputs in use, and anywhere."""
        n_x = len(self.p_x)
        in_use = self.master.points[self.mixture.used]
        near = in_use * self._rng.exponential(size=in_use.shape)
        far = self.p_x * self._rng.exponential(size=(SCATTERED, n_x)) ** 4
        starts = np.concatenate([np.eye(n_x), near, far])
        return list(starts[self._rng.permutation(len(starts))])

    def _descend(self, start: FloatArray, duals: FloatArray) -> list[FloatArray]:
        """Return the vertices on the way down from a start, the last of them the best."""
        r, value = start / start.sum(), np.inf
        met: list[FloatArray] = []
        while True:
            r = self._lowest(-np.log(np.maximum(r, SMALLEST)) - duals)
            lower = float(self._utility.cost(r)) - float(duals @ r)
            if lower > value - PROGRESS:
                return met
            met.append(r)
            value = lower

    def _lowest(self, cost: FloatArray) -> FloatArray:
        """Return the allowed posterior that minimises cost·r.

        Raises
        ------
        TimeLimitError
            If time is over.
        """
        costs = np.zeros(self._rows.shape[1])
        costs[: len(self.p_x)] = cost * self.p_x
        self._program.set_costs(costs)
        left = self.deadline - time.monotonic()
        r = np.maximum(self._program.solve(left).x[: len(self.p_x)], 0.0) * self.p_x
        result: FloatArray = r / r.sum()
        return result


def _rows(allowed: AllowedSet, p_x: FloatArray) -> sparse.csr_array:
    """Return the rows in r/P_X and helpers, each with a largest coefficient of 1.

    In r/P_X a symbol that was hardly ever seen counts as much as any other.
    """
    unit = np.append(p_x, np.ones(allowed.n_helpers))
    rows = sparse.csr_array(allowed.rows @ sparse.diags_array(unit))
    largest = abs(rows).max(axis=1).toarray().ravel()
    scale = sparse.diags_array(1 / np.where(largest > 0, largest, 1.0))
    return sparse.csr_array(scale @ rows)


def _slice(rows: sparse.csr_array, p_x: FloatArray) -> LinearProgram:
    """Return the program over rows at Σr = 1."""
    count, n_vars = rows.shape
    mass = sparse.csr_array(np.append(p_x, np.zeros(n_vars - len(p_x)))[None])
    return LinearProgram(
        sparse.csr_array(sparse.vstack([mass, rows])),
        np.append(1.0, np.full(count, -INFINITY)),
        np.append(1.0, np.zeros(count)),
        primal=True,
    )
