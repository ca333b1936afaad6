"""The oracle of exact robust LDP: outputs whose LDP level at some P in the ball is above ε."""

from dataclasses import dataclass

import numpy as np

from core.limits import CUT_TOL
from core.uncertainty import RenyiBall
from core.uncertainty.divergence import bound_of
from core.uncertainty.extremes import extreme_member
from core.validation import FloatArray, IntArray

_FAR = 40.0
"""Largest split that is tried: the log ratio of the two secrets' shares of the ball's budget."""

_STEPS = 40
"""Most steps of the search for the best split, which takes about eight."""

_BALANCED = 1e-5
"""Relative difference of the two sides' marginal gains at which a split counts as best: the level
is flat there, so its own error is of the order of the square."""

_COARSE = 65
"""Splits tried for orders below ½, where the level may have several maxima."""


@dataclass(frozen=True, eq=False)
class RobustCuts:
    """Cuts R1·v_{s1} ≤ e^{ε} R2·v_{s2}, where one member of a ball has both conditionals R1, R2.

    The set of such pairs is that of `core.uncertainty.divergence.budget_of`; for α = 2 it
    is P̂_{s1}√χ_{s1} + P̂_{s2}√χ_{s2} ≤ √C − (1 − P̂_{s1} − P̂_{s2}) with C = e^B. Any pair in it
    gives a valid cut, so a search that stops early cuts less, never too much.

    Attributes
    ----------
    ball : RenyiBall
        F.
    eps : float
        Budget in nats.
    spread : ndarray
        Shape (n_s·n_u, n_x): v = spread @ r is P(y | s, u) up to scale.
    """

    ball: RenyiBall
    eps: float
    spread: FloatArray

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r violates, at most one for each pair of secrets."""
        return self.each(r[None])[0]

    def each(self, points: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the cuts that points r, shape (k, n_x), violate, and the number of each cut's r.

        A call costs about the same for ten points as for one.
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
        """Return the outputs, shape (k,), and their pairs of secrets, shape (k, 2), to search.

        They exceed ε where each of the two secrets has the ball's whole budget: others cannot.
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
        gain_left, gain_right = np.full(len(pairs), np.inf), np.full(len(pairs), -np.inf)
        split = np.zeros(len(pairs))
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
            newton = split + 2 * np.clip(gain, -_FAR, _FAR)
            both = np.isfinite(gain_left) & np.isfinite(gain_right)
            guess = np.where(both, secant, newton)
            inside = (guess > left) & (guess < right) & (step % 6 < 5)
            following = np.where(inside, guess, (left + right) / 2)
            # a guess beyond ±_FAR: the best split may give one side the whole budget
            following = np.where(
                (guess <= left) & (left == -_FAR) & (split > left), left, following
            )
            following = np.where(
                (guess >= right) & (right == _FAR) & (split < right), right, following
            )
            split = np.where(done, split, following)
        return first, second

    def _best_of_many(self, sides: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return R1 and R2, each of shape (k, n_u), at the best of `_COARSE` splits."""
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
        """Return R1, R2 and the log ratio of the marginal gains of budget at s1 and at s2.

        `split` is the log ratio of their shares of the budget, shape (k,).
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
            log_gains = found.log_price - np.log(ball.p_s[owners]) - log_values
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
