"""S = X under bounds on lifts: staircase mechanisms, found and proven by pricing sets of symbols.

An extreme output gives each symbol one of two lifts, but for at most one symbol between them
(Kairouz, Oh and Viswanath 2016 for LDP, where none is). It is the set T of the symbols that it
raises, and what it tells depends on P(T) alone, up to the symbol between. At prices ν the best set
maximizes f(P(T)) − Σ_{x ∈ T} ν(x) with a concave f: a knapsack. Its relaxation raises symbols in
part and is one look-up; branching decides the largest symbols first, thousands of sets at a time.
If every T could have the best mass, the relaxation would be the optimum. That bound needs no
search, and for some forty symbols random sets of nearly that mass already mix to within 1e-6 of it.

Symbols of equal probability are interchangeable: a set is the number of raised symbols of each
size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.allowed.allowed_set import LiftRange
from core.clock import Deadline
from core.limits import ROUNDING
from core.optimal.plan import SIZES
from core.optimal.polish import mixed
from core.optimal.programs.master import Master, Mixture
from core.optimal.utility import MutualInformation
from core.validation import BoolArray, FloatArray, IntArray

TAKEN = 4
"""Outputs that enter the mixture at a time at most, and random sets at first, for each symbol."""

FEW = 12
"""Least likely symbols of which all sets are listed, so that random sets get the best mass."""

GROWTH = 8
"""Factor by which the number of sets that are drawn or followed grows, as long as it helps."""


class Partial(NamedTuple):
    """Sets whose largest symbols are decided.

    - `counts`: raised symbols of each size, shape (k, n_sizes).
    - `between`: the size of the symbol that is raised in part; −1 where none is yet, shape (k,).
    - `mass`, `price`: P(T) and Σ ν(x) of the raised ones, shape (k,) each.
    """

    counts: IntArray
    between: IntArray
    mass: FloatArray
    price: FloatArray

    def take(self, which: IntArray) -> Partial:
        """Return some of them."""
        counts, between, mass, price = self
        return Partial(counts[which], between[which], mass[which], price[which])


class _Undecided:
    """Symbols of the smaller sizes, cheapest first: `ratio` ν/P, then sums of mass and price."""

    def __init__(self, sizes: FloatArray, nu: FloatArray, n: IntArray) -> None:
        self.order = np.argsort(nu / sizes, kind="stable")
        self.sizes, self.n = sizes[self.order], n[self.order]
        self.ratio = (nu / sizes)[self.order]
        self.mass = np.append(0.0, np.cumsum(self.sizes * self.n))
        self.price = np.append(0.0, np.cumsum(nu[self.order] * self.n))

    def price_of(self, amount: FloatArray) -> FloatArray:
        """Return the least price of masses, taken in part, shape (k,)."""
        result: FloatArray = np.interp(amount, self.mass, self.price)
        return result

    def best(self, mass: FloatArray, targets: FloatArray) -> FloatArray:
        """Return what to add to masses (k,), prices paid up to total masses `targets`."""
        if len(targets) == 0:
            return np.zeros(len(mass))
        paid = np.searchsorted(-(targets - self.mass[:-1]), -mass)  # sizes that are begun
        last = np.maximum(paid - 1, 0)
        amount = np.clip(targets[last] - mass, self.mass[last], self.mass[last + 1])
        return np.where(paid > 0, amount, 0.0)

    def whole(self, amount: FloatArray) -> tuple[IntArray, IntArray]:
        """Return counts of whole symbols that fit, cheapest first, and the size that is cut."""
        k = len(amount)
        if len(self.n) == 0:
            return np.zeros((k, 0), dtype=np.int64), np.full(k, -1)
        cut = np.clip(np.searchsorted(self.mass, amount, side="right") - 1, 0, len(self.n) - 1)
        counts = np.where(np.arange(len(self.n)) < cut[:, None], self.n, 0)
        fit = (amount - self.mass[cut]) / self.sizes[cut] + ROUNDING
        counts[np.arange(k), cut] = np.minimum(fit, self.n[cut]).astype(np.int64)
        result = np.zeros_like(counts)
        result[:, self.order] = counts
        return result, self.order[cut]


class Staircases:
    """Mixtures of staircase outputs over a range of lifts, for I(X;Y); `bound` is proven."""

    def __init__(
        self,
        lifts: LiftRange,
        p_x: FloatArray,
        seed: int,
        deadline: Deadline,
        *,
        apart: bool = False,
    ) -> None:
        self.p_x, self.deadline = p_x, deadline
        self._rng = np.random.default_rng(seed)
        sizes, self._size_of, self._n = np.unique(-p_x, return_inverse=True, return_counts=True)
        if apart:  # prices may tell symbols of one size apart
            order = np.argsort(-p_x, kind="stable")
            sizes, self._size_of, self._n = -p_x[order], np.argsort(order), np.ones_like(order)
        self.sizes: FloatArray = -sizes  # the largest first, as they decide most
        self.scaled, self.low, self._above = lifts.scaled, 1 - lifts.below, lifts.above
        # no lift is above that of the least likely symbol, raised alone
        alone = np.inf if self.scaled else lifts.below / self.sizes[-1]
        self.step = min(lifts.below + lifts.above, alone)
        self.high = self.low + self.step
        if self.scaled:
            self.best_mass, self.bound = _best_scaled(self.step)
        else:
            self.best_mass = lifts.below / self.step
            low, high = float(_h(self.low)), float(_h(self.high))
            self.bound = self.best_mass * high + (1 - self.best_mass) * low + ROUNDING
        self._most = self.bound
        utility = MutualInformation()
        self._entropy = utility.offset(p_x)
        self.master = Master(p_x, utility, p_x[None])
        self.mixture: Mixture = self.master.solve()
        self._known: set[bytes] = set()

    def run(self, gap: float) -> FloatArray:
        """Search and prove up to a gap, in nats, or until the deadline; return P(y | x)."""
        most, apart, n_x = SIZES.staircase_sets, np.inf, len(self.p_x)
        drawn, many = TAKEN * n_x, min(2**n_x, SIZES.staircase_entries // (GROWTH * n_x))
        while not self.deadline.over:
            before, apart = apart, self._apart()
            if apart <= gap / 2:
                break
            if apart < before / 2 and drawn <= many:  # these are quicker as long as they help
                self._include(*self._random_sets(drawn))
                drawn *= GROWTH
                continue
            counts, between, gain = self.price(self.mixture.duals, gap / 4, most)
            worth = self._entropy - float(self.mixture.duals @ self.p_x)
            self.bound = min(self.bound, worth + gain + ROUNDING)
            if not self._include(counts, between) and self._apart() > gap / 2:
                most *= GROWTH
                if most * len(self.sizes) > SIZES.staircase_entries:
                    break
        return self.master.kernel(self.mixture)

    def in_turns(self) -> FloatArray:
        """Return P(y | x) of as many sets as symbols: each has symbols of every size alike.

        Sets that miss the best mass have other lifts, and are moved towards P_X into the range.
        """
        n_x = len(self.p_x)
        size = min(max(round(self.best_mass * n_x), 1), n_x - 1)
        apart = np.arange(size) * n_x // size
        raised = np.zeros((n_x, n_x))
        by_size = np.argsort(self.p_x, kind="stable")
        for turn in range(n_x):
            raised[by_size[(apart + turn) % n_x], turn] = 1.0
        kernel: FloatArray = self.low + self.step * raised
        kernel /= kernel.sum(axis=1, keepdims=True)
        if self.scaled:
            return kernel
        weights = self.low + self.step * (self.p_x @ raised)
        up, down = self.high / weights.min() - 1, 1 - self.low / weights.max()
        shares = [
            1 - most / own for most, own in ((self._above, up), (1 - self.low, down)) if own > 0
        ]
        return mixed(kernel, self.p_x, max([0.0, *shares]))

    def _apart(self) -> float:
        """Return the difference of bound and mixture, in nats."""
        return self.bound - (self._entropy - self.mixture.cost)

    def price(self, duals: FloatArray, least: float, most: int) -> tuple[IntArray, IntArray, float]:
        """Return sets whose outputs r gain more than `least`, λ·r − H(r), and what none exceeds.

        Sets, the most gainful first, are counts of raised symbols, (k, n_sizes), and the size of
        the symbol between, (k,). The `most` promising partial sets are followed at a time.
        """
        total = np.bincount(self._size_of, -self.p_x * (duals + np.log(self.p_x)))
        nu, missed = total / self._n, -np.inf
        state = Partial(
            np.zeros((1, len(nu)), dtype=np.int64), np.full(1, -1), np.zeros(1), np.zeros(1)
        )
        gainful: list[tuple[IntArray, IntArray, FloatArray]] = []
        for j in range(len(nu) + 1):
            left = _Undecided(self.sizes[j:], nu[j:], self._n[j:])
            amount, ahead = self._relaxed(state, left, nu, least)
            ahead -= self.low * float(total.sum())
            if self.deadline.over:
                missed = max(missed, float(ahead.max(initial=0.0)))
                break
            kept = np.flatnonzero(ahead > 0)
            most_w = 1 + self.step * (state.mass + left.mass[-1]) if self.scaled else 1.0
            missed = max(missed, float((ahead / most_w)[ahead <= 0].max(initial=-np.inf)))
            if len(kept) > most:
                order = np.argpartition(-ahead[kept], most)
                missed = max(missed, float(ahead[kept[order[most:]]].max()))
                kept = kept[order[:most]]
            if len(kept) == 0:
                break
            state = state.take(kept)
            for counts, between in self._near(state, amount[kept], left, j):
                gainful.append(self._gainful(counts, between, nu, least))
            if j < len(nu):
                state = self._branched(state, j, nu)
        else:  # whole sets are left, each of which is among the gainful up to rounding
            missed = max(missed, 0.0)
        if not gainful:
            return state.counts[:0], state.between[:0], least + missed
        counts, between, gains = (np.concatenate(pieces) for pieces in zip(*gainful, strict=True))
        order = np.argsort(-gains, kind="stable")
        return counts[order], between[order], max(least + missed, float(gains.max(initial=0.0)))

    def better(self, duals: FloatArray, least: float, most: int) -> tuple[FloatArray, float]:
        """Return outputs, (k, n_x), that gain more than `least` as in `price`, and the most."""
        counts, between, gain = self.price(duals, least, most)
        counts, between = counts[: TAKEN * len(self.p_x)], between[: TAKEN * len(self.p_x)]
        part, _ = self._parts(counts, between)
        outputs: list[FloatArray] = []
        for i in range(len(counts)):
            outputs += self._outputs(counts[i], int(between[i]), float(part[i]))
        return np.array(outputs).reshape(-1, len(self.p_x)), gain

    def _relaxed(
        self, state: Partial, left: _Undecided, nu: FloatArray, least: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the best undecided mass, taken in part, and the gain over `least`, (k,).

        Where lifts may be scaled the gain is of W = 1 + step·P(T) times the output.
        """
        if self.scaled:
            with np.errstate(over="ignore"):
                w = np.exp(_h(self.high) / self.step - 1 - least - left.ratio)
            amount = left.best(state.mass, (w - 1) / self.step)
            mass, price = state.mass + amount, state.price + left.price_of(amount)
            w = 1 + self.step * mass
            return amount, _h(self.high) * mass - _h(w) - least * w - self.step * price
        need = self.best_mass - state.mass
        has = state.between >= 0
        own = np.where(has, self.sizes[state.between], 0.0)
        ratio = np.where(has, nu[state.between] / self.sizes[state.between], -np.inf)
        cheaper = left.mass[np.searchsorted(left.ratio, ratio)]
        part = np.clip(need - np.minimum(cheaper, need), 0.0, own)
        amount = np.clip(need - part, 0.0, left.mass[-1])
        price = state.price + left.price_of(amount) + np.where(has, ratio, 0.0) * part
        fits = np.abs(need - part - amount) <= ROUNDING
        # a lift between the ends brings less than its share of theirs, the more the further inside
        least_part, most_part = need - left.mass[-1], need
        lost = np.minimum(*(self._lost(own, part) for part in (least_part, most_part)))
        return amount, np.where(fits, self._most - least - lost - self.step * price, -np.inf)

    def _lost(self, size: FloatArray, raised: FloatArray) -> FloatArray:
        """Return by how much a symbol of some size, a part of it raised, is below its chord."""
        part = np.clip(raised / np.where(size > 0, size, 1.0), 0.0, 1.0)
        ends = (1 - part) * _h(self.low) + part * _h(self.high)
        result: FloatArray = size * (ends - _h(self.low + self.step * part))
        return result

    def _near(
        self, state: Partial, amount: FloatArray, left: _Undecided, j: int
    ) -> list[tuple[IntArray, IntArray]]:
        """Return whole sets near partial ones: counts and the size between."""
        more, cut = left.whole(amount)
        counts = state.counts.copy()
        counts[:, j:] = more
        cut = np.where(cut >= 0, cut + j, -1)
        if not self.scaled:
            return [(counts, np.where(state.between >= 0, state.between, cut))]
        room = np.flatnonzero(cut >= 0)
        room = room[counts[room, cut[room]] < self._n[cut[room]]]
        above = counts[room]
        above[np.arange(len(room)), cut[room]] += 1
        return [(counts, state.between), (above, state.between[room])]

    def _branched(self, state: Partial, j: int, nu: FloatArray) -> Partial:
        """Return the sets with each number of raised symbols of size j, and one of them between."""
        parts = []
        for between in (False,) if self.scaled else (False, True):
            which = np.flatnonzero(state.between < 0) if between else np.arange(len(state.mass))
            for count in range(int(self._n[j]) + 1 - between):
                part = state.take(which)
                part.counts[:, j] = count
                part = part._replace(
                    mass=part.mass + count * self.sizes[j], price=part.price + count * nu[j]
                )
                parts.append(part._replace(between=np.full(len(which), j)) if between else part)
        return Partial(*(np.concatenate(pieces) for pieces in zip(*parts, strict=True)))

    def _gainful(
        self, counts: IntArray, between: IntArray, nu: FloatArray, least: float
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the sets that gain more than `least`, the best first, and their gains."""
        part, fits = self._parts(counts, between)
        paid = self.low * (nu @ self._n) + self.step * (counts @ nu + part * nu[between])
        if self.scaled:
            paid /= 1 + self.step * (counts @ self.sizes)
        gain = self._information(counts, between, part) - paid
        better = np.flatnonzero(fits & (gain > least))
        better = better[np.argsort(-gain[better], kind="stable")][: TAKEN * len(self.p_x)]
        return counts[better], between[better], gain[better]

    def _information(self, counts: IntArray, between: IntArray, part: FloatArray) -> FloatArray:
        """Return Σ_x P(x) h(lift) of the outputs of sets, the symbol between raised in part."""
        mass = counts @ self.sizes
        if self.scaled:
            w = 1 + self.step * mass
            return (_h(self.high) * mass - _h(w)) / w
        own = self.sizes[between]
        ends = mass * _h(self.high) + (1 - mass - own) * _h(self.low)
        return ends + own * _h(self.low + self.step * part)

    def _parts(self, counts: IntArray, between: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return how far the symbol between is raised, and whether there is such an output."""
        if self.scaled:
            return np.zeros(len(counts)), np.ones(len(counts), dtype=np.bool_)
        rows = np.arange(len(counts))
        part = (self.best_mass - counts @ self.sizes) / self.sizes[between]
        fits = (between >= 0) & (part >= -ROUNDING) & (part <= 1 + ROUNDING)
        fits &= counts[rows, between] < self._n[between]
        return np.clip(part, 0.0, 1.0), fits

    def _include(self, counts: IntArray, between: IntArray) -> bool:
        """Add the outputs of sets to the mixture; return whether one is new."""
        part, fits = self._parts(counts, between)
        points: list[FloatArray] = []
        for i in np.flatnonzero(fits):
            if len(points) >= TAKEN * len(self.p_x):
                break
            name = np.append(counts[i], between[i]).tobytes()
            if name not in self._known:
                self._known.add(name)
                points += self._outputs(counts[i], int(between[i]), float(part[i]))
        if points:
            self.master.add(np.array(points))
            self.mixture = self.master.solve()
        while self.mixture.shortfall > ROUNDING:  # ends: P_X alone is a mixture
            self.master.raise_penalty()
            self.mixture = self.master.solve()
        return bool(points)

    def _outputs(self, counts: IntArray, between: int, part: float) -> list[FloatArray]:
        """Return outputs of a set, in which the symbols of one size take turns."""
        raised: IntArray = counts + (np.arange(len(counts)) == between)
        turning = (raised > 0) & (raised - (np.arange(len(counts)) == between) < self._n)
        turns = np.unique(
            np.concatenate([np.arange(n) / n for n in np.unique(self._n[turning])] or [[0.0]])
        )
        members = np.argsort(self._size_of, kind="stable")
        begin = np.cumsum(self._n) - self._n
        place = np.empty(len(self.p_x), dtype=np.int64)
        place[members] = np.arange(len(members)) - np.repeat(begin, self._n)
        n, count = self._n[self._size_of], counts[self._size_of]
        result = []
        for turn in turns:
            at = (place + (turn * n + ROUNDING).astype(np.int64)) % n
            level = (at < count) + part * ((at == count) & (self._size_of == between))
            weights = self.p_x * (self.low + self.step * level)
            result.append(weights / weights.sum())
        return result

    def _random_sets(self, count: int) -> tuple[IntArray, IntArray]:
        """Return sets of nearly the best mass, the most informative ones first."""
        n_x = len(self.p_x)
        symbols = np.argsort(-self.p_x, kind="stable")
        n_few = min(FEW, n_x // 2)
        likely, few = symbols[: n_x - n_few], symbols[n_x - n_few :]
        of_few = (np.arange(2**n_few)[:, None] >> np.arange(n_few)) & 1
        masses = of_few @ self.p_x[few]
        by_mass = np.argsort(masses, kind="stable")
        rows = np.arange(count)
        orders = likely[np.argsort(self._rng.random((count, len(likely))), axis=1)]
        goal = self.best_mass - self._rng.random(count) * masses.max()
        added = rows % 2 == 0
        left = np.where(added, goal, self.p_x[likely].sum() - goal)
        taken = np.zeros((count, n_x), dtype=np.bool_)
        for symbol in orders.T:
            fits = self.p_x[symbol] <= left
            taken[rows, symbol] = fits
            left = left - np.where(fits, self.p_x[symbol], 0.0)
        raised = np.where(added[:, None], taken, ~taken)
        raised[:, few] = False
        need = self.best_mass - raised @ self.p_x
        near = np.searchsorted(masses[by_mass], need, side="right") - 1
        near -= self._rng.integers(0, 4, count)
        raised[:, few] = of_few[by_mass[np.clip(near, 0, len(masses) - 1)]] > 0
        counts = np.zeros((count, len(self.sizes)), dtype=np.int64)
        for symbol, size in enumerate(self._size_of):
            counts[:, size] += raised[:, symbol]
        counts, between = self._cut(counts)
        reported = self._information(counts, between, self._parts(counts, between)[0])
        order = np.argsort(-reported, kind="stable")
        return counts[order], between[order]

    def _cut(self, counts: IntArray) -> tuple[IntArray, IntArray]:
        """Return sets, each with the smallest symbol between that gives it the best mass."""
        if self.scaled:
            alone = np.eye(len(self.sizes), dtype=np.int64)
            counts = np.concatenate([counts, alone, 0 * alone[:1]])
            return counts, np.full(len(counts), -1)
        lacking = self.best_mass - counts @ self.sizes
        # too much: the smallest raised symbol that is large enough is raised in part
        over = (lacking[:, None] < -ROUNDING) & (counts > 0)
        over &= self.sizes >= -lacking[:, None] - ROUNDING
        under = (lacking[:, None] >= -ROUNDING) & (counts < self._n)
        under &= self.sizes >= lacking[:, None] - ROUNDING
        usable = over | under
        between = len(self.sizes) - 1 - usable[:, ::-1].argmax(axis=1)
        rows = np.arange(len(counts))
        counts[rows[over[rows, between]], between[over[rows, between]]] -= 1
        return counts[usable.any(axis=1)], between[usable.any(axis=1)]


def _best_scaled(step: float) -> tuple[float, float]:
    """Return the best P(T) and the most information where lifts may be scaled.

    With b = 1 + step and W = 1 + step·P(T) it is (b log b P(T) − W log W)/W, best at
    W = b log b/step.
    """
    more = ((1 + step) * np.log1p(step) - step) / step
    return float(more / step), float(more - np.log1p(more)) + ROUNDING


def _h(values: FloatArray | float) -> FloatArray:
    """Return t log t, 0 for t ≤ 0."""
    safe = np.where(np.asarray(values) > 0, values, 1.0)
    result: FloatArray = safe * np.log(safe)
    return result
