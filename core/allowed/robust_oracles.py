"""The oracle of exact robust LDP: which outputs some member of a Rényi ball finds too telling."""

from dataclasses import dataclass

import numpy as np

from core.limits import CUT_TOL
from core.uncertainty import RenyiBall
from core.uncertainty.divergence import bound_of
from core.uncertainty.extremes import extreme_member
from core.validation import FloatArray, IntArray

_FAR = 40.0
"""Largest log of the ratio of the two shares of a budget that is tried."""

_STEPS = 40
"""The search for the split takes about eight; it is cut off here."""

_BALANCED = 1e-5
"""Relative difference of what a unit of budget gains on either side at which a split is best: the
level is flat there, so its own error is the square of this."""

_COARSE = 65
"""Splits tried for orders below ½, where the level may have several peaks."""


@dataclass(frozen=True, eq=False)
class RobustCuts:
    """Cuts R1·v_{s1} ≤ e^{ε} R2·v_{s2} for pairs of conditionals (R1, R2) that a ball has at once.

    The joint set of conditionals is that of `core.uncertainty.divergence.budget_of`; for α = 2 it
    is P̂_{s1}√χ_{s1} + P̂_{s2}√χ_{s2} ≤ √C − (1 − P̂_{s1} − P̂_{s2}) with C = e^B. Any pair in it
    gives a valid cut, so a search that stops early cuts less, never too much.

    Attributes
    ----------
    ball : RenyiBall
        F.
    eps : float
        Budget in nats.
    spread : ndarray
        Takes r, shape (n_x,), to v = P(y | s, u) up to scale, shape (n_s·n_u, n_x).
    """

    ball: RenyiBall
    eps: float
    spread: FloatArray

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r breaks, one for each pair of secrets at most."""
        return self.each(r[None])[0]

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that some r, shape (k, n_x), break, and which r breaks each.

        All at once: a call costs much the same for ten as for one.
        """
        values = (points @ self.spread.T).reshape(-1, self.ball.n_s, self.ball.n_u)
        values = values / values.max(axis=(1, 2), keepdims=True)
        broken, pairs = self._suspects(values)
        if len(pairs) == 0:
            return np.empty((0, points.shape[1])), broken
        sides = values[broken, pairs.T]
        first, second = self._worst_members(sides, pairs)
        high, low = (np.stack([first, second]) * sides).sum(axis=-1)
        over = np.exp(-self.eps - CUT_TOL) * high > low
        cuts = np.zeros((int(over.sum()), self.ball.n_s, self.ball.n_u))
        rows = np.arange(len(cuts))
        cuts[rows, pairs[over, 0]] = np.exp(-self.eps) * first[over]
        cuts[rows, pairs[over, 1]] = -second[over]
        cuts = cuts.reshape(len(cuts), self.ball.n_s * self.ball.n_u) @ self.spread
        scaled: FloatArray = cuts / np.abs(cuts).max(axis=1, keepdims=True, initial=0.0)
        return scaled, broken[over]

    def _suspects(self, values: FloatArray) -> tuple[IntArray, IntArray]:
        """Return what would break ε if both secrets had the whole budget.

        That is the number of the output, shape (k,), and its pair of secrets, shape (k, 2).
        """
        p, free, alpha = self.ball.p_u_given_s, self.ball.conditional_bound, self.ball.alpha
        gaps = np.stack([_below_top(values), _above_bottom(values)])
        members = extreme_member(p, gaps, free, alpha).members
        high, low = (members * values).sum(axis=-1)
        over = np.exp(-self.eps - CUT_TOL) * high[:, :, None] > low[:, None, :]
        over &= ~np.eye(self.ball.n_s, dtype=bool)
        found = np.argwhere(over)
        return found[:, 0], found[:, 1:]

    def _worst_members(self, sides: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return R1 and R2, each of shape (k, n_u), at the best split of each pair's budget.

        `sides` are v_{s1} and v_{s2} of each, shape (2, k, n_u).
        """
        if self.ball.alpha < 0.5:
            return self._best_of_many(sides, pairs)
        left, right = np.full(len(pairs), -_FAR), np.full(len(pairs), _FAR)
        lean_left, lean_right = np.full(len(pairs), np.inf), np.full(len(pairs), -np.inf)
        split = np.zeros(len(pairs))
        for step in range(_STEPS):
            first, second, lean = self._members(sides, pairs, split)
            done = (np.abs(lean) <= _BALANCED) | (right - left <= _BALANCED)
            if done.all() or step == _STEPS - 1:
                break
            gains = lean > 0
            left, lean_left = np.where(gains, split, left), np.where(gains, lean, lean_left)
            right, lean_right = np.where(gains, right, split), np.where(gains, lean_right, lean)
            with np.errstate(invalid="ignore"):
                weight = lean_left / (lean_left - lean_right)
            # the lean is almost linear in the log ratio of shares; one side may be unbounded
            secant = left + weight * (right - left)
            newton = split + 2 * np.clip(lean, -_FAR, _FAR)
            both = np.isfinite(lean_left) & np.isfinite(lean_right)
            guess = np.where(both, secant, newton)
            inside = (guess > left) & (guess < right) & (step % 6 < 5)
            following = np.where(inside, guess, (left + right) / 2)
            # a guess beyond a limit that was never tried: all of the budget may belong on one side
            following = np.where(
                (guess <= left) & (left == -_FAR) & (split > left), left, following
            )
            following = np.where(
                (guess >= right) & (right == _FAR) & (split < right), right, following
            )
            split = np.where(done, split, following)
        return first, second

    def _best_of_many(self, sides: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the members at the best of a row of splits, each of shape (k, n_u)."""
        splits = np.linspace(-_FAR / 4, _FAR / 4, _COARSE)
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
        """Return R1, R2 and the log of how much more a unit of budget gains at s1 than at s2.

        `split` is the log of the ratio of their shares of the budget, shape (k,).
        """
        ball, owners = self.ball, pairs.T
        with np.errstate(over="ignore"):
            shares = np.stack([1 / (1 + np.exp(-split)), 1 / (1 + np.exp(split))])
        gaps = np.stack([_below_top(sides[0]), _above_bottom(sides[1])])
        bounds = bound_of(shares * ball.budget, ball.p_s[owners], ball.alpha)
        found = extreme_member(ball.p_u_given_s[owners], gaps, bounds, ball.alpha)
        first, second = found.members
        with np.errstate(divide="ignore", invalid="ignore"):
            log_values = np.log((found.members * sides).sum(axis=-1))
            pull = found.log_price - np.log(ball.p_s[owners]) - log_values
            lean = np.where(pull[0] == pull[1], 0.0, pull[0] - pull[1])
        return first, second, lean


def _below_top(values: FloatArray) -> FloatArray:
    """Return how far each value, shape (..., n_u), is from the greatest of its row."""
    gap: FloatArray = values.max(axis=-1, keepdims=True) - values
    return gap


def _above_bottom(values: FloatArray) -> FloatArray:
    """Return how far each value, shape (..., n_u), is from the least of its row."""
    gap: FloatArray = values - values.min(axis=-1, keepdims=True)
    return gap
