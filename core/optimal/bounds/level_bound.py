"""An upper bound for sets between secrets: secants of the entropy on outputs of like levels.

Let ℓ be the greatest e^{−ε} R·v over all secrets but the rarest, each R within half of the ball's
budget: an allowed output has ℓ ≤ R'·v for every R' that the rarest one has with the other half. So
where ℓ lies in an interval, all of the former are at most its upper end and all of the latter at
least its lower end: entries of v then differ by little more than e^ε where the rarest secret is
hardly known. Linear programs tell the range of each entry in an interval, H lies above its secants
there, and the best mixture over all intervals is one linear program, which no mechanism exceeds.
Intervals where secants err most are halved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse, special

from core.allowed.allowed_set import AllowedSet, LiftRange
from core.clock import Deadline
from core.errors import SolverError
from core.limits import CLOSE, ROUNDING
from core.optimal.bounds.box_bound import secants
from core.optimal.bounds.lift_bound import LiftBound, SymbolOracle
from core.optimal.bounds.relaxation import EPSILON, Relaxation
from core.optimal.plan import SHARES, SIZES
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.staircases import Staircases
from core.validation import FloatArray, IntArray

SHALLOW = 1e-4
"""Depth of a cut, relative to its largest coefficient, up to which it is left out."""

ROUNDS = (6, 2)
"""Times that cuts are added and ranges computed anew: of the whole set, and of half an interval."""

TIGHT = 1e-6
"""Distance from a point, relative to its largest coefficient, at which a cut binds there."""

PROGRESS = 0.05
"""Least part of the distance from bound to aim that halving has to gain, or no more are halved."""

RAREST, PARTS = 6, np.linspace(0.05, 0.95, 10)
"""Secrets of which least is known, and parts of a budget, by which lifts of an output differ."""

LARGE = 0.1
"""Part of the largest error, of a symbol or an interval, from which on it is worth a program."""


@runtime_checkable
class LevelOracle(Protocol):
    """An oracle of conditions between secrets."""

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that r, shape (n_x,), violates."""
        ...

    @property
    def known(self) -> FloatArray:
        """How much is known of each secret, shape (n_s,)."""
        ...

    def tangents(self, points: FloatArray, part: float) -> tuple[FloatArray, FloatArray]:
        """Return rows a and b, (k, n_s, n_x) each: allowed r have a·r ≤ b·r for two secrets.

        The two of them have parts of one budget.
        """
        ...


@dataclass(frozen=True, eq=False)
class Interval:
    """Outputs of levels in [low, high]: cuts `rows`, the range of each entry, and some points."""

    low: float
    high: float
    rows: FloatArray
    lower: FloatArray
    upper: FloatArray
    points: FloatArray
    symbols: IntArray


class LevelBound:
    """Upper bounds on I(X;Y) over the set of one oracle, and `rows` that all of it meets.

    Intervals are kept between calls. `cells`: secrets times symbols.
    """

    def __init__(self, oracle: LevelOracle, p_x: FloatArray) -> None:
        self._oracle, self.p_x, self.rows = oracle, p_x, np.zeros((0, len(p_x)))
        every = np.eye(len(p_x))
        whole = Interval(
            *(0.0, np.inf, every[:0], np.zeros(len(p_x)), np.ones(len(p_x))),
            points=(1 - SHALLOW) * every + SHALLOW * p_x,
            symbols=np.arange(len(p_x)),
        )
        self._intervals = [whole]
        self._best, self._gains = float(special.entr(p_x).sum()) + ROUNDING, True
        self._weights: FloatArray | None = None
        self._rounds = ROUNDS[0]
        mean = oracle.tangents(p_x[None], 0.0)[0]
        self.cells, self._least = mean.size, float((mean @ p_x).max())
        self._lifts: LiftBound | None = None
        if len(p_x) > SIZES.box_symbols and isinstance(oracle, SymbolOracle) and oracle.of_symbols:
            self._lifts = LiftBound(oracle, p_x)

    @property
    def within(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest entries that allowed outputs can have, shape (n_x,) each."""
        items = self._intervals
        lower: FloatArray = np.min([item.lower for item in items], axis=0)
        upper: FloatArray = np.max([item.upper for item in items], axis=0)
        return lower, upper

    def bound(self, enough: float, deadline: Deadline) -> float:
        """Return an upper bound on I(X;Y), improved until it is ≤ `enough` or time is over."""
        if self._lifts is not None:  # of dozens of symbols linear programs take seconds
            lifts = self._lifts.bound(enough, deadline.part(SHARES.of_lifts))
            self._best = min(self._best, lifts)
        try:
            while self._gains and self._best > enough and not deadline.over:
                begins = self._rounds > 0
                if self._weights is None or begins:
                    self._begin(deadline)
                else:
                    self._halve(self._weights, deadline)
                upper, weights = self._mixture()
                least = PROGRESS * (self._best - enough)
                self._gains = begins or self._best - upper > least
                self._best, self._weights = min(self._best, upper), weights
        except SolverError:  # as on coefficients too far apart; the bound so far holds
            self._gains = False
        return self._best

    def _begin(self, deadline: Deadline) -> None:
        """Cut the whole set, and bound what it allows by the lifts that each symbol can have.

        What time cuts short goes on in the next call: halves of a set of few cuts prove little.
        """
        if self._weights is None:
            ratios = greatest_ratios(self._oracle, self.p_x)
            if np.isfinite(ratios).all():
                most = most_of_ratios if len(ratios) <= SIZES.listed_symbols else most_of_itself
                itself = most(ratios, self.p_x, deadline.part(SHARES.of_itself))
                self._best = min(self._best, itself)
        while self._rounds and not deadline.over:
            self._intervals = self._narrowed(self._intervals, 1, deadline)
            self._rounds -= not deadline.over
        self.rows = self._intervals[0].rows

    def _halve(self, weights: FloatArray, deadline: Deadline) -> None:
        """Halve the intervals of large errors at a mixture's weights, (k, n_x), of outputs."""
        masses = weights.sum(axis=1, keepdims=True)
        means = weights / np.where(masses > 0, masses, 1.0)
        lines = [secants(item.lower, item.upper) for item in self._intervals]
        below = np.array([slopes for slopes, _ in lines]) * means
        errors = special.entr(means) - below - np.array([level for _, level in lines])
        total = masses[:, 0] * errors.sum(axis=1)
        chosen = total >= max(LARGE * total.max(), TIGHT)
        halves = []
        for i in np.flatnonzero(chosen):
            symbols = np.flatnonzero(errors[i] >= LARGE * errors[i].max())
            item = self._intervals[i]
            item = replace(item, points=np.vstack([item.points, means[i]]), symbols=symbols)
            halves += self._split(item)
        kept = [item for item, gone in zip(self._intervals, chosen, strict=True) if not gone]
        self._intervals = kept + self._narrowed(halves, ROUNDS[1], deadline)

    def _split(self, interval: Interval) -> list[Interval]:
        """Return the halves of an interval's levels."""
        low = max(interval.low, self._least) if interval.high > self._least else interval.high / 2
        middle = float(
            np.sqrt(low * (interval.high if interval.high < np.inf else max(2 * low, 1.0)))
        )
        return [replace(interval, high=middle), replace(interval, low=middle)]

    def _narrowed(
        self, intervals: list[Interval], rounds: int, deadline: Deadline
    ) -> list[Interval]:
        """Return intervals with more cuts and narrower ranges."""
        for _ in range(rounds):
            if deadline.over:
                break
            cut = [
                replace(item, rows=np.vstack([item.rows, self._cuts(item)])) for item in intervals
            ]
            intervals = [_ranged(item, deadline) for item in cut]
        return intervals

    def _cuts(self, interval: Interval) -> FloatArray:
        """Return the deepest cuts of each kind that an interval's points violate, (k, n_x)."""
        points, rarest = interval.points, int(self._oracle.known.argmin())
        (high, low), (highest, lowest), (own, own_low) = (
            self._oracle.tangents(points, part) for part in (0.5, 1.0, 0.0)
        )
        kinds = [
            _deepest(a, b, points) for a, b in ((high, low), (highest, own_low), (own, lowest))
        ]
        if interval.high < np.inf:  # entries of a posterior sum to 1
            most = interval.high * (1 + CLOSE)
            others = np.delete(high, rarest, axis=1)
            at = (others @ points[..., None])[..., 0].argmax(axis=1)
            kinds.append(others[np.arange(len(points)), at] - most)
        if interval.low > 0:
            kinds.append(interval.low * (1 - CLOSE) - low[:, rarest])
        cuts, which = np.vstack(kinds), np.tile(np.arange(len(points)), len(kinds))
        scales = np.abs(cuts).max(axis=1, keepdims=True)
        cuts = cuts / np.where(scales > 0, scales, 1.0)
        broken: FloatArray = cuts[(cuts * points[which]).sum(axis=1) > SHALLOW]
        return broken

    def _mixture(self) -> tuple[float, FloatArray]:
        """Return the bound by the best mixture over all intervals, and its weights, (k, n_x)."""
        n_x, count, every = len(self.p_x), len(self._intervals), np.eye(len(self.p_x))
        lines = [secants(item.lower, item.upper) for item in self._intervals]
        costs = np.array([slopes + intercepts.sum() for slopes, intercepts in lines])
        blocks = [
            np.vstack([item.rows, every - item.upper[:, None], item.lower[:, None] - every])
            for item in self._intervals
        ]
        inner = sparse.csr_array(sparse.block_diag(blocks))
        of_x = sparse.csr_array(sparse.hstack([sparse.eye_array(n_x)] * count))
        solution = LinearProgram(
            sparse.csr_array(sparse.vstack([of_x, inner])),
            np.concatenate([self.p_x, np.full(inner.shape[0], -INFINITY)]),
            np.concatenate([self.p_x, np.zeros(inner.shape[0])]),
            cost=costs.ravel(),
        ).solve()
        prices, duals = solution.duals[:n_x], np.minimum(solution.duals[n_x:], 0.0)
        # any such prices and duals prove a bound: an output of an interval costs at least this
        reduced = costs - prices - (inner.T @ duals).reshape(count, n_x)
        size = 1 + np.abs(duals).sum() + np.abs(costs).max() + np.abs(prices).max()
        least = float(prices @ self.p_x) + float(reduced.min())
        least -= float(EPSILON * (sum(inner.shape) + 8) * size)
        weights = np.maximum(solution.x.reshape(count, n_x), 0.0)
        return float(special.entr(self.p_x).sum()) - least + ROUNDING, weights


def greatest_ratios(oracle: LevelOracle, p_x: FloatArray) -> FloatArray:
    """Return how many times its least lift those of an allowed output are at most; ∞ for nothing.

    Shape (n_x,). Let x' have the least lift, m. With a row a of one secret and b of another one
    a·v ≤ b·v. If x has the greatest, M, that leaves it furthest from m where v is M at the symbols
    with a < b and m at the others, but for x and x' themselves. So M is at most a multiple of m,
    and where x does not have the greatest, others are at most that multiple instead of M.
    """
    n_x, every = len(p_x), np.arange(len(p_x))
    rarest = np.argsort(oracle.known, kind="stable")[:RAREST]
    other = ~np.eye(len(rarest), dtype=bool)
    apart = ~np.eye(n_x, dtype=bool)
    own, others, room = np.zeros((3, len(PARTS), n_x, n_x, len(rarest), len(rarest)))
    for i, part in enumerate(PARTS):
        high = oracle.tangents(np.eye(n_x), part)[0][:, rarest, None] * p_x
        low = oracle.tangents(1 - np.eye(n_x), 1 - part)[1][:, None, rarest] * p_x
        for x in every:
            rows = high[x] - low  # of all x' and pairs of secrets
            below = np.minimum(rows, 0.0)
            own[i, x], room[i, x] = rows[..., x], -rows.sum(axis=-1)
            others[i, x] = below.sum(axis=-1) - below[..., x] - below[every, :, :, every]

    def most(slope: FloatArray, room: FloatArray) -> FloatArray:
        """Return how far above m the lift of x is at most, shape (n_x, n_x): [x, x']."""
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.where((slope > CLOSE) & other, room / slope, np.inf)
        result: FloatArray = more.min(axis=(0, 3, 4))
        return result

    top = most(own + others, room).max(axis=0, where=apart, initial=0.0)
    if np.isinf(top).any():
        return np.full(n_x, np.inf)
    each = most(own, room - others * top[:, None, None])
    result: FloatArray = 1 + np.minimum(each, top).max(axis=1, where=apart, initial=0.0)
    return result * (1 + CLOSE)


def most_of_ratios(ratios: FloatArray, p_x: FloatArray, deadline: Deadline) -> float:
    """Return a bound on I(X;Y), in nats, where lifts are at most some multiples of the least one.

    All outputs have lifts, up to a factor, between 1 and `ratios`, (n_x,): they are mixtures of
    such with each lift at one of these ends, which tell no less. All of these are listed, and the
    best mixture of them is one linear program.
    """
    n_x, added, entropy = len(p_x), (ratios - 1) * p_x, float(special.entr(p_x).sum())
    sets = (np.arange(2**n_x)[:, None] >> np.arange(n_x) & 1).astype(np.float64)
    masses = 1 + sets @ added
    costs = entropy + sets @ (special.entr(ratios * p_x) - special.entr(p_x))
    costs -= special.entr(masses)
    alone = np.full(n_x, special.entr(p_x).max() + 1)  # a start that no mixture takes
    program = LinearProgram(
        sparse.eye_array(n_x, format="csr"), np.ones(n_x), np.ones(n_x), cost=alone, primal=True
    )
    best, together = entropy + ROUNDING, min(4 * n_x, len(sets) - 1)
    while True:
        duals = program.solve().duals
        worth = float(duals.sum())
        reduced = (costs - worth - sets @ (added * duals / p_x)) / masses
        most = entropy - worth - min(float(reduced.min()), 0.0) + ROUNDING
        best = min(best, most)
        # hardly more is left to gain
        if most <= 1.001 * (entropy - worth) or deadline.over:
            return best
        lowest = np.argpartition(reduced, together)[:together]
        program.add_cols(1 + sets[lowest] * (ratios - 1), costs[lowest])


def most_of_itself(ratios: FloatArray, p_x: FloatArray, deadline: Deadline) -> float:
    """Return a bound on I(X;Y), in nats, where no output's lifts differ by more than a factor.

    It is the greatest of `ratios`.

    Of dozens of symbols a proof takes a second. There I(X;Y) = I(G;Y) + I(X;Y|G) is bounded part by
    part, with the rare symbols one in G: lifts of groups, and given G, differ by no more.
    """
    lifts = LiftRange(0.0, float(ratios.max()) - 1, scaled=True)
    whole = Staircases(lifts, p_x, 0, deadline)
    if len(p_x) <= SIZES.box_symbols:
        whole.run(ROUNDING)
        return whole.bound
    # those that stay apart, and one for the others, are proven in .1 s
    ordered, apart = np.sort(p_x), SIZES.enclosed_symbols - 1
    rare, likely = ordered[:-apart], ordered[-apart:]
    share = float(rare.sum())
    groups = Staircases(lifts, np.append(likely, share), 0, deadline)
    groups.run(ROUNDING)
    among = Staircases(lifts, rare / share, 0, deadline).bound
    return min(whole.bound, groups.bound + share * among)


def _deepest(a: FloatArray, b: FloatArray, points: FloatArray) -> FloatArray:
    """Return for each point the cut a − b of two secrets that it violates most, shape (k, n_x)."""
    excess = (a @ points[..., None]) - (b @ points[..., None])[..., 0][:, None]
    excess[:, np.arange(a.shape[1]), np.arange(a.shape[1])] = -np.inf
    first, second = np.divmod(excess.reshape(len(points), -1).argmax(axis=1), a.shape[1])
    every = np.arange(len(points))
    result: FloatArray = a[every, first] - b[every, second]
    return result


def _ranged(interval: Interval, deadline: Deadline) -> Interval:
    """Return an interval with narrower ranges of its symbols; one without outputs as it is."""
    n_x = interval.rows.shape[1]
    program = Relaxation(AllowedSet(sparse.csr_array(interval.rows), n_x))
    lower, upper = interval.lower.copy(), interval.upper.copy()
    points = []
    for x in interval.symbols:
        if deadline.over:
            break
        for sign in (1.0, -1.0):
            costs = np.zeros(n_x)
            costs[x] = sign
            point, multipliers = program.solve(costs, lower, upper)
            if point is None:  # it has no weight in a mixture
                return interval
            floor = program.proven(costs, lower, upper, multipliers)[0]
            if sign > 0:
                lower[x] = np.clip(floor, lower[x], upper[x])
            else:
                upper[x] = np.clip(-floor, lower[x], upper[x])
            points.append(np.maximum(point, 0.0) / np.maximum(point, 0.0).sum())
    if not points:
        return interval
    binds = (interval.rows @ np.array(points).T >= -TIGHT).any(axis=1)
    met = np.unique(np.round(np.array(points), 9), axis=0)
    return replace(interval, rows=interval.rows[binds], lower=lower, upper=upper, points=met)
