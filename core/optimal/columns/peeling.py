"""Mechanisms for large alphabets without a master program: outputs are taken off P_X in turn.

Each step takes an allowed part u of what is left of P_X that has all of one symbol and leaves an
allowed rest: one linear program. Entropy is concave, so its tangent, taken anew at each part, finds
parts of little entropy. Then a few outputs at a time are put together and taken apart again, which
is kept where it gains. At 500 symbols one run takes a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.entries import Entries, entries_of
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.limits import CLOSE
from core.optimal.plan import SIZES
from core.optimal.polish import share_to_rows
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import FEASIBILITY
from core.optimal.utility import entropy_terms
from core.validation import FloatArray, IntArray

LEAST_SHARE = 1e-7
"""Shares of an output are raised to this where the tangent is taken, as it is steep at 0."""

_SLACK = 10 * FEASIBILITY
"""Excess of a row, in parts of an output's weight, that is rounding of the linear program."""


Late = Callable[[float], bool]
"""Whether there is too little time for a share of P_X that is left."""


class Output(NamedTuple):
    """The symbols of an output, (k,), and its weights P(x, y) > 0 at these, (k,)."""

    symbols: IntArray
    weights: FloatArray


class Peeling:
    """The search for outputs of little entropy; `outputs`: those so far."""

    def __init__(
        self, allowed: AllowedSet, p_x: FloatArray, *, seed: int, deadline: Deadline
    ) -> None:
        self.p_x, self.deadline, self._allowed = p_x, deadline, allowed
        self._rows = sparse.csc_array(allowed.rows)
        self._rng = np.random.default_rng(seed)
        self.outputs: list[Output] = [Output(np.arange(len(p_x)), p_x)]

    def begin_once(self, until: Deadline) -> None:
        """Take P_X apart once, and until a deadline as `begin` does and `improve`."""
        self._keep(range(len(self.outputs)))
        self.deadline = until
        if not until.over:
            self.begin()
            self.improve()

    def begin(self) -> bool:
        """Take P_X apart some times and keep the best; until a third of the time is over.

        From then on a run ends where it would not in time: it has less of P_X than of the time.
        Return whether the first run went on to its end.
        """
        until, seconds, stopped = self.deadline.part(1 / 3), self.deadline.left, False

        def late(rest: float) -> bool:
            nonlocal stopped
            stopped = until.over and self.deadline.left < rest * seconds
            return stopped

        self._keep(range(len(self.outputs)), late)
        went_on = not stopped
        for _ in range(RUNS - 1):
            if until.over:
                break
            self._keep(range(len(self.outputs)), late)
        return went_on

    def begin_with(self, kernel: FloatArray) -> None:
        """Begin with a kernel (n_x, n_y) whose outputs are all allowed."""
        few = entries_of(kernel)
        x, y = np.nonzero(kernel) if few is None else few.places()
        values = kernel[x, y] if few is None else few.values
        order = np.argsort(y, kind="stable")
        x, ends = x[order], np.cumsum(np.bincount(y))[:-1]
        weights = self.p_x[x] * values[order]
        self.outputs = [
            Output(*output)
            for output in zip(np.split(x, ends), np.split(weights, ends), strict=True)
            if len(output[0])
        ]

    def complete(self, weights: FloatArray) -> None:
        """Begin with outputs of weights (k, n_x) that leave some of P_X, and take that apart.

        It is put together with as little of them as makes it allowed: one linear program.
        """
        n_x, masses = len(self.p_x), weights.sum(axis=1)
        rest = np.maximum(self.p_x - weights.sum(axis=0), 0.0)
        rest[rest <= CLOSE * self.p_x] = 0.0
        rows = sparse.csr_array(self._rows)
        size = abs(rows[:, :n_x] @ sparse.diags_array(self.p_x)).max(axis=1).toarray().ravel()
        scale = sparse.diags_array(1 / np.where(size > 0, size, 1.0))
        own, more = sparse.csr_array(scale @ rows[:, :n_x]), sparse.csr_array(scale @ rows[:, n_x:])
        program = LinearProgram(
            sparse.csr_array(sparse.hstack([sparse.csr_array(own @ weights.T), more])),
            np.full(len(size), -INFINITY),
            -(own @ rest) - _SLACK,
            col_upper=np.append(np.ones(len(masses)), np.full(more.shape[1], INFINITY)),
            cost=np.append(masses, np.zeros(more.shape[1])),
        )
        shares = np.clip(program.solve(self.deadline.left).x[: len(masses)], 0.0, 1.0)
        kept = (1 - shares[shares < 1, None]) * weights[shares < 1]
        whole = rest + shares @ weights
        self.outputs = [Output(np.flatnonzero(row), row[row > 0]) for row in kept]
        self.outputs += self._apart(whole, lambda _rest: False)

    def improve(self, moves: int | None = None) -> bool:
        """Put a few outputs together and take them apart, until time or moves are over.

        Return whether any of them has changed.
        """
        done, begun = 0, self.outputs
        while not self.deadline.over and done != moves:
            count = min(int(self._rng.integers(1, 4)), len(self.outputs))
            chosen = self._rng.choice(len(self.outputs), count, replace=False).tolist()
            self._keep(chosen)
            done += 1
        return self.outputs is not begun

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y)."""
        total = np.zeros(len(self.p_x))
        for symbols, weights in self.outputs:
            total[symbols] += weights
        n_x, n_y = len(self.p_x), len(self.outputs)
        at = [y * n_x + symbols for y, (symbols, _) in enumerate(self.outputs)]
        shares = [weights / total[symbols] for symbols, weights in self.outputs]
        few = Entries((n_x, n_y), np.concatenate(at), np.concatenate(shares), by_columns=True)
        return few.dense()

    def _keep(self, replaced: Sequence[int], late: Late = lambda _rest: False) -> None:
        """Take the sum of some outputs apart, and keep what is found where it gains."""
        old = [self.outputs[y] for y in replaced]
        whole = np.zeros(len(self.p_x))
        for symbols, weights in old:
            whole[symbols] += weights
        parts = self._apart(whole, late)
        if sum(map(_entropy, parts)) < sum(map(_entropy, old)) * (1 - CLOSE):
            gone = set(replaced)
            self.outputs = [output for y, output in enumerate(self.outputs) if y not in gone]
            self.outputs.extend(parts)

    def _apart(self, whole: FloatArray, late: Late) -> list[Output]:
        """Return allowed outputs that add up to an allowed one, of weights (n_x,).

        Whatever is left is allowed too, so where time is over it is the last of them, and where
        it is `late` to take apart what is left.
        """
        symbols = np.flatnonzero(whole > 0)
        mass = whole[symbols]
        program = _Part(self._rows, symbols, mass, len(self.p_x))
        # weight of the entropy that a nat of the rest is worth, noise of the order, and programs
        worth, noise = self._rng.uniform(0.0, 4.0), self._rng.uniform(0.0, 1.0)
        order = np.argsort(-mass * self._rng.exponential(size=len(mass)) ** noise)
        left, failed = np.ones(len(mass)), 0
        parts: list[FloatArray] = []
        with suppress(TimeLimitError):
            for x in order:
                if left[x] <= CLOSE:
                    continue
                if late(float(left @ program.mass)):
                    break
                part = self._part(program, left, int(x), worth)
                if part is None:
                    failed += 1
                    if failed > SIZES.failed_parts + len(parts):
                        break
                    continue
                parts.append(part)
                left = np.where(left - part > CLOSE, left - part, 0.0)
        if left.any():
            parts.append(left)
        weights = np.array(parts) * mass
        weights *= mass / weights.sum(axis=0)
        slight = weights.sum(axis=1) < CLOSE * mass.sum()
        if slight.any():
            largest = int(weights.sum(axis=1).argmax())
            weights[largest] += weights[slight].sum(axis=0)
            weights = weights[~slight]
        weights = self._inside(symbols, weights)
        return [Output(symbols[own > 0], own[own > 0]) for own in weights]

    def _inside(self, symbols: IntArray, weights: FloatArray) -> FloatArray:
        """Return parts, (n, k), moved towards their sum until all meet the rows.

        So no output has symbols of others, as it would if all were moved towards P_X.
        """
        columns = np.append(symbols, np.arange(self._allowed.n_x, self._rows.shape[1]))
        of_symbols = AllowedSet(sparse.csr_array(self._rows[:, columns]), len(symbols))
        whole = weights.sum(axis=0)
        share = share_to_rows(of_symbols, whole, (weights / whole).T)
        moved = (1 - share) * weights + share * np.outer(weights.sum(axis=1) / whole.sum(), whole)
        return weights if share == 0 else moved

    def _part(
        self, program: _Part, left: FloatArray, symbol: int, worth: float
    ) -> FloatArray | None:
        """Return shares of symbols, (k,), that have all of one; None where none keeps the set."""
        slopes, best = np.ones(len(left)), None
        program.begin(left, symbol)
        for _ in range(TANGENTS):
            if self.deadline.over:
                raise TimeLimitError("Taking outputs off P(X) is over.")
            with suppress(InfeasibleError, SolverError):
                shares = program.solve(slopes, self.deadline)
                if shares is not None:
                    best = shares
            if best is None:
                return None
            u = best * program.mass
            slopes = -np.log(np.maximum(u / u.sum(), LEAST_SHARE)) - worth
        return best


RUNS = 24
"""Times that P_X is taken apart: the best of some twenty is seldom bettered by more."""

TANGENTS = 3
"""Programs for one part: the tangent at the second is that of nearly the same part."""


class _Part:
    """The linear program of a part: shares a of weights `mass`, (k,), with an allowed rest.

    The rows hold for the part and for the rest, which may each have auxiliary variables.
    """

    def __init__(
        self, rows: sparse.csc_array, symbols: IntArray, mass: FloatArray, n_x: int
    ) -> None:
        self.mass = mass / mass.sum()
        own = sparse.csr_array(rows[:, symbols] @ sparse.diags_array(self.mass))
        size = abs(own).max(axis=1).toarray().ravel()
        keep = np.flatnonzero(size > 0)
        scale = sparse.diags_array(1 / size[keep])
        self._own = sparse.csr_array(scale @ own[keep])
        more = sparse.csr_array(scale @ sparse.csr_array(rows[:, n_x:])[keep])
        none = sparse.csr_array(more.shape)
        self._whole = sparse.csr_array(
            sparse.vstack(
                [
                    sparse.hstack([self._own, more, none]),
                    sparse.hstack([-self._own, none, more]),
                ]
            )
        )
        count = len(keep)
        self._program = LinearProgram(
            self._whole, np.full(2 * count, -INFINITY), np.zeros(2 * count)
        )
        self._most = np.zeros(2 * count)
        self._least, self._left = np.zeros(len(mass)), np.ones(len(mass))

    def begin(self, left: FloatArray, symbol: int) -> None:
        """Let parts have at most what is `left`, (k,), and all that is left of a symbol."""
        count = len(self._most) // 2
        self._most[count:] = -(self._own @ left)
        self._program.set_row_bounds(np.full(2 * count, -INFINITY), self._most)
        self._left, self._least = left, np.zeros(len(left))
        self._least[symbol] = left[symbol]
        self._program.set_col_bounds(self._least, left)
        self._program.use_simplex(primal=len(self._most) <= SIZES.peeled_rows)

    def solve(self, slopes: FloatArray, deadline: Deadline) -> FloatArray | None:
        """Return the shares of least slope, (k,); None where rounding left them outside."""
        program = self._program
        cost = np.zeros(program.n_cols)
        cost[: len(slopes)] = slopes * self.mass
        program.set_costs(cost)
        x = program.solve(deadline.left).x
        program.use_simplex(primal=True)  # for the next tangent
        x[: len(slopes)] = np.clip(x[: len(slopes)], self._least, self._left)
        return x[: len(slopes)] if self._meets(x) else None

    def _meets(self, x: FloatArray) -> bool:
        """Return whether part and rest meet the rows, relative to their own weight."""
        shares = x[: len(self.mass)]
        of_part, of_rest = np.split(self._whole @ x - self._most, 2)
        for excess, part in ((of_part, shares), (of_rest, self._left - shares)):
            weight = float(part @ self.mass)
            if excess.max(initial=0.0) > _SLACK * max(weight, FEASIBILITY):
                return False
        return True


def _entropy(output: Output) -> float:
    """Return P(y) H(X | Y=y) of an output."""
    weights = output.weights
    return float(entropy_terms(weights).sum() - entropy_terms(weights.sum()))
