"""Exact robust LDP: its cells, and the oracle of outputs above ε at some P of the ball.

Symbols of S and X = (S, U) map to cells (s, u). An unseen cell's row P(y | s, u) is the mixture,
with weights P̂(u | s), of those of its secret's seen cells. That raises no level: moving a member's
mass to the cells it mixes leaves P(y | s) as it is and brings P nearer to P̂.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import CUT_TOL
from core.uncertainty import RenyiBall
from core.uncertainty.ball import conditionals
from core.uncertainty.extremes import bound_of, extreme_member, nearly_extreme
from core.uncertainty.worst_case import FAR_APART
from core.validation import BoolArray, FloatArray, IntArray


def pair_cells(joint: Joint) -> FloatArray:
    """Return P(s, u) of a joint of S and X = (S, U), shape (n_s, n_u), with 0 for unseen cells."""
    n_s, n_cells = joint.n_s + len(joint.dropped_s), joint.n_x + len(joint.dropped_x)
    n_u = n_cells // n_s
    holders = joint.p > 0
    owners = joint.kept_s[np.argmax(holders, axis=0)]
    own = bool((holders.sum(axis=0) <= 1).all()) and n_u * n_s == n_cells
    if not own or (owners != joint.kept_x // max(n_u, 1))[holders.any(axis=0)].any():
        raise InvalidInputError(
            "RLDP protects S when S is released together with U, but here X is not such a pair: "
            "also release S, so that X = (S, U)."
        )
    if joint.dropped_s:
        raise InvalidInputError(
            f"The secret {joint.dropped_s[0]!r} never occurs in the sample, so nothing is known "
            f"about P(u | s) (B_s = ∞): leave it out or merge it with another."
        )
    cells = np.zeros(n_cells)
    cells[joint.kept_x] = joint.p_x
    return cells.reshape(n_s, n_u)


def spread(ball: RenyiBall, joint: Joint) -> FloatArray:
    """Return the matrix from P(y | x) of symbols to P(y | s, u), (n_s·n_u, n_x), rows sum to 1."""
    cells = joint.kept_x
    owner = cells // ball.n_u
    fits = joint.kept_s.max() < ball.n_s and cells.max() < ball.n_s * ball.n_u
    holders = joint.p > 0
    named = joint.kept_s[np.argmax(holders, axis=0)]
    if not fits or (holders.sum(axis=0) > 1).any() or (named != owner)[holders.any(axis=0)].any():
        raise InvalidInputError(
            f"RLDP needs the joint of S and X = (S, U) with {ball.n_s}×{ball.n_u} cells as in P̂ "
            f"(Joint.with_secret_released), got {joint.n_s}×{joint.n_x} with another structure."
        )
    lost = np.setdiff1d(np.arange(ball.n_s), owner)
    if lost.size:
        raise never_seen(int(lost[0]))
    matrix = np.zeros((ball.n_s * ball.n_u, joint.n_x))
    matrix[cells, np.arange(joint.n_x)] = 1.0
    seen = np.zeros((ball.n_s, ball.n_u))
    seen.flat[cells] = 1.0
    weights = conditionals(seen * ball.p_hat_su)
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, conditionals(seen))
    for cell in np.flatnonzero(seen.ravel() == 0):
        same = owner == cell // ball.n_u
        matrix[cell, same] = weights.ravel()[cells[same]]
    return matrix


def answers(ball: RenyiBall, joint: Joint, kernel: ArrayLike) -> FloatArray:
    """Return P(y | s, u) of a kernel of X, shape (n_s, n_u, n_y)."""
    array = np.asarray(kernel, dtype=np.float64)
    all_cells = ball.n_s * ball.n_u
    if array.ndim == 2 and array.shape[0] == all_cells:
        rows = validation.kernel(array, all_cells)
    else:
        rows = spread(ball, joint) @ validation.kernel(array, joint.n_x)
    return rows.reshape(ball.n_s, ball.n_u, -1)


def never_seen(s: int) -> InvalidInputError:
    """Return the error for secret s, counted from 0, of which the sample has no record."""
    return InvalidInputError(
        f"Secret number {s + 1} never occurs in the sample, so nothing is known about P(u | s) "
        f"(B_s = ∞): leave it out or merge it with another."
    )


_STEPS = 40
"""Most steps of the search for the best split, which takes about eight."""

_BALANCED = 1e-5
"""Relative difference of the two sides' marginal gains at which a split counts as best: the level
is flat there, so its own error is of the order of the square."""

_EXCESS = 1e-7
"""Excess at a split of the grid, in parts of the output's greatest value, up to which the best
split is searched all the same: a linear program meets such a cut within its tolerance and stays."""

_COARSE = 65
"""Splits tried for orders below ½, where the level may have several maxima."""


@dataclass(frozen=True, eq=False)
class RobustCuts:
    """Cuts R1·v_{s1} ≤ e^{ε} R2·v_{s2}, where one member of a ball has both conditionals R1, R2.

    Such pairs are those of `core.uncertainty.extremes.budget_of`. Any of them gives a valid cut,
    so a search that stops early cuts less, never too much. v = spread @ r is P(y | s, u) up to
    scale.
    """

    ball: RenyiBall
    eps: float
    spread: FloatArray

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r violates, at most one for each pair of secrets."""
        return self.each(r[None])[0]

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that points r, (k, n_x), violate, and the number of each cut's r.

        Most are found on a grid of splits, which is the same for all pairs of secrets. Only where
        that finds hardly a cut of an output, the best splits of its pairs are searched for.
        """
        return self._cuts(points, search=True)

    def roughly(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return `each` without those that only the search finds: of outputs hardly above ε."""
        return self._cuts(points, search=False)

    @property
    def has_sides(self) -> bool:
        """Whether every symbol is of one secret, so that `sides` have few entries."""
        owners = self.spread.reshape(self.ball.n_s, self.ball.n_u, -1).any(axis=1)
        return bool((owners.sum(axis=0) <= 1).all())

    @property
    def owners(self) -> IntArray:
        """The secret of each symbol, shape (n_x,), where it `has_sides`."""
        owned = self.spread.reshape(self.ball.n_s, self.ball.n_u, -1).any(axis=1)
        result: IntArray = owned.argmax(axis=0)
        return result

    def sides(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return rows a and b of every secret, (k, n_s, n_x) each, tangents at points (k, n_x).

        Over all R in the balls of the conditionals, a·r is e^{−ε} R·v at the greatest R·v and b·r
        the least R·v. The product of these balls contains F: an output whose greatest a·r is at
        most its least b·r is allowed.
        """
        return self.tangents(points, 1.0)

    @property
    def known(self) -> FloatArray:
        """How much is known of each secret, shape (n_s,): P̂(s)."""
        return self.ball.p_s

    def tangents(self, points: FloatArray, part: float) -> tuple[FloatArray, FloatArray]:
        """Return `sides` over the balls that a part of the budget leaves of the conditionals.

        Some member of F has both an R of one secret within a part and an R' of another one within
        the rest. So a·r ≤ b·r for any a of one secret and b of another, of parts that sum to 1.
        """
        ball = self.ball
        values = (points @ self.spread.T).reshape(-1, ball.n_s, ball.n_u)
        gaps = np.stack([_below_top(values), _above_bottom(values)])
        bounds = bound_of(part * ball.budget, ball.p_s, ball.alpha)
        members = extreme_member(ball.p_u_given_s, gaps, bounds[None, None], ball.alpha).members
        rows = np.einsum("iksu,sux->iksx", members, self.spread.reshape(*ball.p_hat_su.shape, -1))
        return np.exp(-self.eps) * rows[0], rows[1]

    @property
    def of_symbols(self) -> bool:
        """Whether X is all that a mechanism sees, so that P(y | s, x) is the same for all s."""
        return self.spread.shape[1] == self.ball.n_u and not self.has_sides

    def members(
        self, groups: IntArray, lifts: FloatArray, secrets: IntArray, parts: FloatArray, sign: int
    ) -> FloatArray:
        """Return R of secrets, (len(parts), k, n_s, n_x), of greatest R·v or, if sign < 0, least.

        Outputs v have one lift, (k, n_groups), for each group of symbols; `groups`, (k, n_x), has
        each symbol's. R shares out a group as P̂ does, which keeps it as near to P̂ as the groups'
        sums are. Parts of the budget are as in `tangents`.
        """
        ball, every = self.ball, np.arange(lifts.shape[1])
        inside = (groups[..., None] == every).astype(np.float64)
        known = ball.p_u_given_s[secrets]
        masses = np.einsum("su,kug->ksg", known, inside)
        gaps = _below_top(lifts) if sign > 0 else _above_bottom(lifts)
        bounds = bound_of(parts[:, None] * ball.budget, ball.p_s[secrets], ball.alpha)
        shape = (len(parts), *masses.shape)
        extremes = extreme_member(
            np.broadcast_to(masses, shape),
            np.broadcast_to(gaps[:, None], shape),
            np.broadcast_to(bounds[:, None], shape[:-1]),
            ball.alpha,
        ).members
        at = groups[:, None]
        total = np.take_along_axis(masses, at, axis=-1)
        count = np.take_along_axis(inside.sum(axis=1)[:, None], at, axis=-1)
        shares = np.where(total > 0, known / np.where(total > 0, total, 1.0), 1 / count)
        result: FloatArray = np.take_along_axis(extremes, at[None], axis=-1) * shares
        return result

    def _cuts(self, points: FloatArray, *, search: bool) -> tuple[FloatArray, IntArray]:
        values = (points @ self.spread.T).reshape(-1, self.ball.n_s, self.ball.n_u)
        values = values / values.max(axis=(1, 2), keepdims=True)
        # splits from all the budget for one secret to all for the other: few for most outputs,
        # more for those that these find nothing of
        above, suspects, near = self._on_grid(values, np.arange(len(values)), 3, search)
        if len(suspects):
            more, suspects, near = self._on_grid(values, np.unique(suspects[:, 0]), 9, search)
            above = [np.concatenate(parts) for parts in zip(above, more, strict=True)]
        broken, pairs, first, second = above
        if len(suspects) and search:
            outputs, others = suspects[:, 0], suspects[:, 1:]
            sides = values[outputs, others.T]
            members = self._worst_members(sides, others, near)
            high, low = (np.stack(members) * sides).sum(axis=-1)
            over = np.exp(-self.eps - CUT_TOL) * high > low
            broken, pairs = np.append(broken, outputs[over]), np.vstack([pairs, others[over]])
            first = np.vstack([first, members[0][over]])
            second = np.vstack([second, members[1][over]])
        return self._rows(pairs, first, second), broken

    def at_splits(self, points: FloatArray, pairs: IntArray, split: FloatArray) -> FloatArray:
        """Return the cut of a pair, (s1, s2), for each of the points r, (k, n_x).

        R1 and R2 are extreme there for a `split`, (k,): the log ratio of the two secrets' shares
        of the ball's budget.
        """
        values = (points @ self.spread.T).reshape(-1, self.ball.n_s, self.ball.n_u)
        sides = values[np.arange(len(points)), pairs.T]
        return self._rows(pairs, *self._members(sides, pairs, split)[:2])

    @cached_property
    def _spreads(self) -> list[sparse.csr_array]:
        """The part of `spread` of each secret, (n_u, n_x), which has few entries."""
        blocks = self.spread.reshape(self.ball.n_s, self.ball.n_u, -1)
        return [sparse.csr_array(block) for block in blocks]

    def _rows(self, pairs: IntArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return e^{−ε} R1·v_{s1} − R2·v_{s2} as cuts in r, (k, n_x), scaled."""
        cuts = np.zeros((len(pairs), self.spread.shape[1]))
        for secrets, members, sign in (
            (pairs[:, 0], np.exp(-self.eps) * first, 1),
            (pairs[:, 1], second, -1),
        ):
            for s in np.unique(secrets).tolist():
                of_s = secrets == s
                cuts[of_s] += sign * (members[of_s] @ self._spreads[s])
        scaled: FloatArray = cuts / np.abs(cuts).max(axis=1, keepdims=True, initial=0.0)
        return scaled

    def _on_grid(
        self, values: FloatArray, outputs: IntArray, count: int, exact: bool
    ) -> tuple[list[Any], IntArray, FloatArray]:
        """Return outputs, pairs, R1 and R2 above ε on a grid of splits, and other suspects.

        Unless `exact`, R1 and R2 are nearly extreme, and some suspects may be left out.

        Suspects (output, s1, s2), shape (j, 3), are above ε where each side has the greater budget
        of the two splits around some split. No others can exceed ε. The last result, (3, j), has
        the best split of each, as in `at_splits`, between those around it.
        """
        ball, shrink, values = self.ball, np.exp(-self.eps - CUT_TOL), values[outputs]
        shares = np.sin(np.linspace(0, np.pi / 2, count)) ** 2
        bounds = bound_of(shares[1:] * ball.budget, ball.p_s[:, None], ball.alpha)
        gaps = np.stack([_below_top(values), _above_bottom(values)])[:, :, :, None]
        unmoved = np.broadcast_to(ball.p_u_given_s[:, None], (*gaps.shape[:3], 1, ball.n_u))
        shape = (*gaps.shape[:3], count - 1, ball.n_u)
        balls = (
            *(np.broadcast_to(unmoved, shape), np.broadcast_to(gaps, shape)),
            np.broadcast_to(bounds, shape[:-1]),
            ball.alpha,
        )
        moved = extreme_member(*balls).members if exact else nearly_extreme(*balls)
        extremes = np.concatenate([unmoved, moved], axis=3)
        high, low = (extremes * values[:, :, None]).sum(axis=-1)
        other = ~np.eye(ball.n_s, dtype=bool)
        excess = shrink * high[:, :, None] - low[:, None, :, ::-1]
        best = excess.argmax(axis=-1)
        deepest: FloatArray = np.take_along_axis(excess, best[..., None], axis=-1)[..., 0]
        over = (deepest > 0) & other
        y, s1, s2 = np.nonzero(over)
        split = best[over]
        members = extremes[0, y, s1, split], extremes[1, y, s2, count - 1 - split]
        ceiling = shrink * high[:, :, None, 1:] - low[:, None, :, :0:-1]
        settled: BoolArray = np.any((deepest > _EXCESS) & other, axis=(1, 2))
        near = (ceiling > 0).any(axis=-1) & other & ~settled[:, None, None]
        suspects = np.argwhere(near)
        suspects[:, 0] = outputs[suspects[:, 0]]
        with np.errstate(divide="ignore"):
            splits = np.clip(np.log(shares) - np.log(shares[::-1]), -FAR_APART, FAR_APART)
        at = best[near]
        inner = np.clip(at, 1, count - 2)
        around = splits[[np.maximum(at - 1, 0), inner, np.minimum(at + 1, count - 1)]]
        return [outputs[y], np.stack([s1, s2], axis=1), *members], suspects, around

    def _worst_members(
        self, sides: FloatArray, pairs: IntArray, around: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return R1, R2, (k, n_u), at the best split of the budget of `sides` (2, k, n_u).

        It is between the first and the last split of `around`, (3, k).
        """
        if self.ball.alpha < 0.5:
            return self._best_of_many(sides, pairs)
        left, split, right = around
        gain_left, gain_right = np.full(len(pairs), np.inf), np.full(len(pairs), -np.inf)
        for step in range(_STEPS):
            first, second, gain = self._members(sides, pairs, split)
            done = (np.abs(gain) <= _BALANCED) | (right - left <= _BALANCED)
            if done.all() or step == _STEPS - 1:
                break
            rising = gain > 0
            left, gain_left = np.where(rising, split, left), np.where(rising, gain, gain_left)
            right, gain_right = np.where(rising, right, split), np.where(rising, gain_right, gain)
            with np.errstate(invalid="ignore"):
                weight = gain_left / (gain_left - gain_right)
            # the log ratio of gains is almost linear in the split; one side may be unbounded
            secant = left + weight * (right - left)
            newton = split + 2 * np.clip(gain, -FAR_APART, FAR_APART)
            both = np.isfinite(gain_left) & np.isfinite(gain_right)
            guess = np.where(both, secant, newton)
            inside = (guess > left) & (guess < right) & (step % 6 < 5)
            following = np.where(inside, guess, (left + right) / 2)
            # a guess beyond ±FAR_APART: the best split may give one side the whole budget
            following = np.where(
                (guess <= left) & (left == -FAR_APART) & (split > left), left, following
            )
            following = np.where(
                (guess >= right) & (right == FAR_APART) & (split < right), right, following
            )
            split = np.where(done, split, following)
        return first, second

    def _best_of_many(self, sides: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return R1 and R2, each of shape (k, n_u), at the best of `_COARSE` splits."""
        splits = np.linspace(-FAR_APART / 4, FAR_APART / 4, _COARSE)
        splits[[0, -1]] = -np.inf, np.inf
        many, repeated = np.repeat(pairs, _COARSE, axis=0), np.repeat(sides, _COARSE, axis=1)
        first, second, _ = self._members(repeated, many, np.tile(splits, len(pairs)))
        high, low = (np.stack([first, second]) * repeated).sum(axis=-1)
        excess = (np.exp(-self.eps) * high - low).reshape(-1, _COARSE)
        best = np.arange(len(pairs)) * _COARSE + excess.argmax(axis=1)
        return first[best], second[best]

    def _members(
        self, sides: FloatArray, pairs: IntArray, split: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return R1, R2 and the log ratio of their gains, `split` that of their shares, (k,)."""
        ball, owners = self.ball, pairs.T
        with np.errstate(over="ignore"):
            shares = np.stack([1 / (1 + np.exp(-split)), 1 / (1 + np.exp(split))])
        gaps = np.stack([_below_top(sides[0]), _above_bottom(sides[1])])
        bounds = bound_of(shares * ball.budget, ball.p_s[owners], ball.alpha)
        extremes = extreme_member(ball.p_u_given_s[owners], gaps, bounds, ball.alpha)
        first, second = extremes.members
        with np.errstate(divide="ignore", invalid="ignore"):
            log_values = np.log((extremes.members * sides).sum(axis=-1))
            log_gains = extremes.log_price - np.log(ball.p_s[owners]) - log_values
            gain = np.where(log_gains[0] == log_gains[1], 0.0, log_gains[0] - log_gains[1])
        return first, second, gain


def _below_top(values: FloatArray) -> FloatArray:
    """Return how far each value, shape (..., n_u), is from the greatest of its row."""
    gap: FloatArray = values.max(axis=-1, keepdims=True) - values
    return gap


def _above_bottom(values: FloatArray) -> FloatArray:
    """Return how far each value, shape (..., n_u), is from the least of its row."""
    gap: FloatArray = values - values.min(axis=-1, keepdims=True)
    return gap
