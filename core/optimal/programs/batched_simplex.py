"""Many linear programs at once, by one dual simplex that pivots all of them together.

minimize costs·v subject to lower ≤ (v, slacks) ≤ upper, mass·v = 1, with slacks −rows @ v of the
same rows in all programs. Every label (variable or slack) has two bounds, so any n − 1 labels at a
bound are dual feasible, and however a program ends its multipliers prove a bound. Long steps past
labels that change ends: Kirillova, Gabasov and Kostyukova (1979).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.clock import NEVER, Deadline
from core.optimal.plan import SIZES
from core.optimal.tolerances import NOUGHT
from core.validation import BoolArray, FloatArray, IntArray

MOST_STEPS = 300
"""Most pivots of a program: none was seen to take half as many."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Where k programs ended, optimal where `solved`.

    - `rows`: multipliers of the slacks, shape (k, m); negative where one is at its upper bound.
    - `totals`: multipliers of the mass, shape (k,).
    - `labels`: labels at a bound, shape (k, n − 1): a start for similar programs.
    - `empty`: whether the multipliers prove a program to be infeasible.
    """

    points: FloatArray
    rows: FloatArray
    totals: FloatArray
    labels: IntArray
    solved: BoolArray
    empty: BoolArray


@dataclass(eq=False)
class _State:
    """The programs that still pivot, one row each: what changes with each pivot."""

    which: IntArray
    inverse: FloatArray
    labels: IntArray
    turned: BoolArray
    points: FloatArray
    reduced: FloatArray
    lower: FloatArray
    upper: FloatArray
    costs: FloatArray
    enough: FloatArray

    def take(self, kept: IntArray) -> _State:
        """Return some of the programs."""
        return _State(**{name: value[kept] for name, value in vars(self).items()})


class BatchedSimplex:
    """k programs of the same rows (m, n); lower, upper (k, n + m), labels (k, n − 1)."""

    def __init__(
        self,
        rows: FloatArray,
        costs: FloatArray,
        mass: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        labels: IntArray | None = None,
        enough: FloatArray | None = None,
    ) -> None:
        k, (m, n) = len(costs), rows.shape
        self._m, self._n = m, n
        self._normals = np.vstack([np.eye(n), -rows])
        labels, inverse = self._started(labels, mass)
        self._rows, self._totals = np.zeros((k, m)), np.zeros(k)
        self._labels, self._points = labels.copy(), np.zeros((k, n))
        self._solved, self._empty = np.zeros(k, dtype=bool), np.zeros(k, dtype=bool)
        self._steps, self._going = 0, np.ones(k, dtype=bool)
        reduced = np.einsum("ki,kij->kj", costs, inverse)
        turned = reduced[:, :-1] < 0
        at = np.ones((k, n))
        tops, bottoms = (np.take_along_axis(ends, labels, axis=1) for ends in (upper, lower))
        at[:, :-1] = np.where(turned, tops, bottoms)
        self._state = _State(
            which=np.arange(k),
            inverse=inverse,
            labels=labels,
            turned=turned,
            points=np.einsum("kij,kj->ki", inverse, at),
            reduced=reduced,
            lower=lower,
            upper=upper,
            costs=costs,
            enough=np.full(k, np.inf) if enough is None else enough,
        )

    def run(self, deadline: Deadline = NEVER) -> Ends:
        """Return where the programs end, or are once time is over."""
        entries = len(self._rows) * self._n * len(self._normals)
        pause = max(1, SIZES.between_looks // entries)
        while self._step() and (self._steps % pause or not deadline.over):
            pass
        self._rest()
        return Ends(
            points=self._points,
            rows=self._rows,
            totals=self._totals,
            labels=self._labels,
            solved=self._solved,
            empty=self._empty,
        )

    def _started(self, labels: IntArray | None, mass: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return starting labels and their inverses; a singular start is replaced by a default."""
        if labels is None:
            labels = _first_labels(mass)
            return labels, self._inverted(labels, mass)
        labels, inverse = labels.copy(), self._inverted(labels, mass)
        bad = ~np.isfinite(inverse).all(axis=(1, 2))
        if bad.any():
            labels[bad] = _first_labels(mass[bad])
            inverse[bad] = self._inverted(labels[bad], mass[bad])
        return labels, inverse

    def _inverted(self, labels: IntArray, mass: FloatArray) -> FloatArray:
        """Return how labels at a bound, and then the mass, move all variables, shape (k, n, n).

        A variable at a bound moves no other one there, so only the remaining system is inverted.
        """
        k, n = mass.shape
        slack = labels >= n
        size = int(slack.sum(axis=1).max(initial=0)) + 1
        order = np.argsort(~slack, axis=1, kind="stable")
        ours, fixed = order[:, : size - 1], order[:, size - 1 :]
        at = np.take_along_axis(labels, fixed, axis=1)
        free = np.ones((k, n), dtype=bool)
        np.put_along_axis(free, at, False, axis=1)
        moved = np.nonzero(free)[1].reshape(k, size)
        rows = np.empty((k, size, n))
        rows[:, :-1] = self._normals[np.take_along_axis(labels, ours, axis=1)]
        rows[:, -1] = mass
        small = inverses(np.take_along_axis(rows, moved[:, None, :], axis=2))
        columns = np.hstack([ours, np.full((k, 1), n - 1)])
        index = np.arange(k)[:, None, None]
        result = np.zeros((k, n, n))
        result[np.arange(k)[:, None], at, fixed] = 1.0
        result[index, moved[:, :, None], columns[:, None, :]] = small
        across = np.matmul(small, np.take_along_axis(rows, at[:, None, :], axis=2))
        result[index, moved[:, :, None], fixed[:, None, :]] = -across
        return result

    def _step(self) -> bool:
        """Pivot all programs that are not done; return whether any is left."""
        state, index = self._state, np.arange(len(self._state.which))
        values = np.hstack([state.points, state.points @ self._normals[self._n :].T])
        below, above = state.lower - values, values - state.upper
        beyond = np.maximum(below, above)
        leaving = beyond.argmax(axis=1)
        far = beyond[index, leaving]
        met = far <= NOUGHT * (1.0 + np.abs(values[index, leaving]))
        done = met | ((state.points * state.costs).sum(axis=1) >= state.enough)
        self._solved[state.which[self._going & met]] = True
        self._going &= ~done
        self._steps += 1
        if not self._going.any() or self._steps > MOST_STEPS:
            return False
        # part of the programs that still pivot at which the finished ones are removed from the
        # arrays
        if self._going.mean() <= 0.6:
            kept = np.flatnonzero(self._going)
            self._rest()
            self._state = state = state.take(kept)
            leaving, far, below = leaving[kept], far[kept], below[kept]
            index = np.arange(len(kept))
            self._going = np.ones(len(kept), dtype=bool)
        short = below[index, leaving] > 0
        self._pivot(leaving, np.where(short, far, -far))
        return bool(self._going.any())

    def _pivot(self, leaving: IntArray, lack: FloatArray) -> None:
        """Pivot programs whose label `leaving` is out by `lack`, by steps as long as that falls."""
        state, index = self._state, np.arange(len(leaving))
        pivot_row = np.matmul(self._normals[leaving][:, None, :], state.inverse)[:, 0]
        entries = pivot_row[:, :-1]
        size = np.abs(entries)
        every = index[:, None]
        room = state.upper[every, state.labels] - state.lower[every, state.labels]
        helps = (entries * np.sign(lack)[:, None] > 0) != state.turned
        helps &= (size > 1e-9) & (room > 0)  # least magnitude of an entry that is pivoted on
        # entries next to nothing are not among those that help
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = np.where(helps, np.abs(state.reduced[:, :-1]) / size, np.inf)
        order = ratio.argsort(axis=1)
        gain = np.where(helps, size * room, 0.0)
        needed = np.abs(lack)[:, None] - NOUGHT  # short by less is rounding, not infeasible
        covered = gain[every, order].cumsum(axis=1) >= needed
        able = covered.any(axis=1)
        lost = np.flatnonzero(self._going & ~able)
        if len(lost):
            self._show_empty(lost, leaving[lost], np.sign(lack[lost]), pivot_row[lost])
        self._going &= able
        going = np.flatnonzero(self._going)
        if len(going) == 0:
            return
        place = covered.argmax(axis=1)
        entering = order[index, place]
        moves = np.zeros_like(entries)
        passed = np.arange(entries.shape[1]) < place[:, None]
        turning = np.zeros_like(state.turned)
        turning[every, order] = passed
        turning &= helps & self._going[:, None]
        moves[turning] = np.where(state.turned, -room, room)[turning]
        state.turned ^= turning
        pivot = np.where(self._going, entries[index, entering], 1.0)
        left = lack - (entries * moves).sum(axis=1)
        moves[index, entering] = np.where(self._going, left / pivot, 0.0)
        state.points += np.matmul(state.inverse[:, :, :-1], moves[:, :, None])[:, :, 0]
        pivot_column = state.inverse[index, :, entering] / pivot[:, None]
        theta = np.where(self._going, state.reduced[index, entering] / pivot, 0.0)
        pivot_column[~self._going] = 0.0
        state.reduced -= theta[:, None] * pivot_row
        state.inverse -= pivot_column[:, :, None] * pivot_row[:, None, :]
        state.reduced[going, entering[going]] = theta[going]
        state.inverse[going, :, entering[going]] = pivot_column[going]
        state.labels[going, entering[going]] = leaving[going]
        state.turned[going, entering[going]] = lack[going] < 0

    def _show_empty(
        self, which: IntArray, leaving: IntArray, sign: FloatArray, pivot_row: FloatArray
    ) -> None:
        """Store multipliers that prove programs infeasible: no label can bring `leaving` back."""
        state, n = self._state, self._n
        of = state.which[which]
        wide = np.zeros((len(which), n + self._m))
        np.put_along_axis(wide, state.labels[which], -pivot_row[:, :-1], axis=1)
        wide[np.arange(len(which)), leaving] = 1.0
        self._rows[of] = sign[:, None] * wide[:, n:]
        self._totals[of] = -sign * pivot_row[:, -1]
        self._empty[of] = True
        self._points[of], self._labels[of] = state.points[which], state.labels[which]

    def _rest(self) -> None:
        """Store the present state of the programs that are not infeasible."""
        state, n = self._state, self._n
        kept = np.flatnonzero(~self._empty[state.which])
        of = state.which[kept]
        wide = np.zeros((len(kept), n + self._m))
        wide[np.arange(len(kept))[:, None], state.labels[kept]] = state.reduced[kept, :-1]
        self._rows[of], self._totals[of] = wide[:, n:], state.reduced[kept, -1]
        self._points[of], self._labels[of] = state.points[kept], state.labels[kept]


def _first_labels(mass: FloatArray) -> IntArray:
    """Return labels to start from, shape (k, n − 1): all variables but that of largest mass."""
    k, n = mass.shape
    order = np.tile(np.arange(n), (k, 1))
    others: IntArray = order[order != mass.argmax(axis=1)[:, None]].reshape(k, n - 1)
    return others


def inverses(square: FloatArray) -> FloatArray:
    """Return the inverses of systems, shape (k, n, n); NaN for one that is singular."""
    result = np.full(square.shape, np.nan)
    try:
        result[:] = np.linalg.inv(square)
    except np.linalg.LinAlgError:
        for i in range(len(square)):
            with suppress(np.linalg.LinAlgError):
                result[i] = np.linalg.inv(square[i])
    return result
