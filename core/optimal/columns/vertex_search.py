"""Column generation over the vertices of a polytope near those in use.

`ColumnPool` keeps the vertices found so far: one of no use under the present duals may enter the
program under later ones. A vertex is expanded once: promising neighbors join the pool.

Pricing is by descents along edges, from many vertices at once: φ(r) − λ·r is concave on Σr = 1, so
least at a vertex, and along an edge at an end. A step along an edge can make an entry of 0
positive; minimizing a linearization cannot: H's slope at 0 is infinite.
"""

from __future__ import annotations

import numpy as np

from core.clock import Deadline
from core.limits import ROUNDING
from core.optimal.plan import SIZES
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.tableaux import BasicSolutions, Edges, Tableaux
from core.optimal.programs.master import Master, Mixture
from core.optimal.tolerances import NEAR, PRICE
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray


def descend(
    starts: Tableaux, duals: FloatArray, utility: Utility, *, deadline: Deadline
) -> tuple[Tableaux, FloatArray]:
    """Return the vertices where descents end, and reduced costs; ends once where λ is one."""
    level, lams = starts, np.broadcast_to(duals, (len(starts), starts.space.n_x))
    prices = _prices(level.points(), lams, utility)
    ends, end_prices = [starts.take(np.zeros(0, dtype=np.int64))], [np.zeros(0)]
    one_price = duals.ndim == 1
    while len(level):
        if one_price:
            level, lams, prices = _distinct(level, lams, prices)
        if deadline.over:
            ends.append(level)
            end_prices.append(prices)
            break
        if level.space.n_free == 0:  # a single point has no edges
            ends.append(level)
            end_prices.append(prices)
            break
        edges = level.edges()
        beyond = edge_prices(level, edges, lams, utility)
        column = beyond.argmin(axis=1)
        ahead = beyond[np.arange(len(level)), column]
        moves = ahead < prices - PRICE
        ends.append(level.take(np.flatnonzero(~moves)))
        end_prices.append(prices[~moves])
        which = np.flatnonzero(moves)
        level = level.neighbours(which, column[which], edges)
        lams, prices = lams[which], ahead[which]
    joined = _joined(ends)
    if one_price:
        joined, _, prices = _distinct(joined, joined.points(), np.concatenate(end_prices))
        return joined, prices
    return joined, np.concatenate(end_prices)


def _prices(points: FloatArray, lams: FloatArray, utility: Utility) -> FloatArray:
    """Return φ(r) − λ·r at Σr = 1 of weights up to scale, with a λ for each, shapes (k, n_x)."""
    total = points.sum(axis=1)
    result: FloatArray = (utility.cost(points) - (points * lams).sum(axis=1)) / total
    return result


def edge_prices(level: Tableaux, edges: Edges, lams: FloatArray, utility: Utility) -> FloatArray:
    """Return φ(r) − λ·r at the far end of every edge, (k, n_free), ∞ on a ray; lams (k, n_x)."""
    space = level.space
    n_x = space.n_x
    finite = np.isfinite(edges.step)
    step = np.where(finite, edges.step, 0.0)
    symbols = np.concatenate(
        [
            np.broadcast_to(level.basic[:, None], (*step.shape, space.n_basic)),
            level.nonbasic[:, :, None],
        ],
        axis=2,
    )
    symbols = np.minimum(symbols, n_x)
    unscale = np.append(space.unit, 0.0)
    weights = np.empty(symbols.shape)
    weights[:, :, :-1] = level.values[:, None, :]
    weights[:, :, :-1] -= np.moveaxis(level.body[:, :, :-1], 1, 2) * step[:, :, None]
    weights[:, :, -1] = step
    np.maximum(weights, 0.0, out=weights)
    weights *= unscale[symbols]
    gain = np.take_along_axis(
        np.concatenate([lams, np.zeros((len(lams), 1))], axis=1)[:, None, :], symbols, axis=2
    )
    total = weights.sum(axis=2)
    cost = utility.supported_cost(weights, symbols, n_x) - (weights * gain).sum(axis=2)
    return np.where(finite & (total > 0), cost / np.where(total > 0, total, 1.0), np.inf)


def _distinct(
    level: Tableaux, lams: FloatArray, prices: FloatArray
) -> tuple[Tableaux, FloatArray, FloatArray]:
    """Return the distinct vertices, with their λ and reduced costs."""
    first = np.sort(np.unique(level.corners().keys(), return_index=True)[1])
    if len(first) == len(level):
        return level, lams, prices
    return level.take(first), lams[first], prices[first]


def _joined(parts: list[Tableaux]) -> Tableaux:
    """Return tableaux of one polytope as one."""
    return Tableaux(
        parts[0].space,
        np.concatenate([part.body for part in parts]),
        np.concatenate([part.basic for part in parts]),
        np.concatenate([part.nonbasic for part in parts]),
    )


class ColumnPool:
    """Vertices as posteriors, (k, n_x), their costs φ, and whether neighbors were priced."""

    def __init__(self, space: Polytope, utility: Utility, start: BasicSolutions) -> None:
        self.space, self.utility = space, utility
        self.searched = start.space
        n_x = space.n_x
        self.points, self.costs = np.zeros((0, n_x)), np.zeros(0)
        self.expanded = np.zeros(0, dtype=bool)
        self._priced_at, self._prices = np.zeros(n_x), np.zeros(0)
        self._known: set[int] = set()  # their keys
        self._basic = np.zeros((0, space.n_basic), dtype=np.int64)
        self._tight = np.zeros((0, space.n_free), dtype=np.int64)
        self.add(start)

    def __len__(self) -> int:
        return len(self.costs)

    def add(self, vertices: BasicSolutions) -> None:
        """Add those vertices that are new."""
        keys, first = np.unique(vertices.keys(), return_index=True)
        new = [key not in self._known for key in keys.tolist()]
        first = np.sort(first[new])
        points, true = tableaux.true_points(self.space, vertices.take(first))
        vertices = vertices.take(first[true])
        if len(vertices) == 0:
            return
        self.points = np.concatenate([self.points, points])
        self.costs = np.concatenate([self.costs, self.utility.cost(points)])
        self.expanded = np.concatenate([self.expanded, np.zeros(len(vertices), dtype=bool)])
        self._known.update(vertices.keys().tolist())
        self._basic = np.concatenate([self._basic, vertices.basic])
        self._tight = np.concatenate([self._tight, vertices.nonbasic])

    def prices(self, duals: FloatArray) -> FloatArray:
        """Return the reduced costs φ(r) − λ·r of all vertices, shape (k,)."""
        if duals is not self._priced_at:
            self._priced_at, self._prices = duals, np.zeros(0)
        fresh = slice(len(self._prices), None)
        added = self.costs[fresh] - self.points[fresh] @ duals
        self._prices = np.concatenate([self._prices, added])
        return self._prices

    def tableaux(self, which: IntArray) -> Tableaux:
        """Return the tableaux of some vertices, without those of a singular basis."""
        return tableaux.tableaux(
            self.searched,
            self._basic[which],
            self._tight[which],
        )

    def expand(self, which: IntArray, duals: FloatArray, below: float) -> None:
        """Add neighbors of some vertices with a reduced cost below `below`, the best of each."""
        self.expanded[which] = True
        level = self.tableaux(which)
        edges = level.edges()
        lams = np.broadcast_to(duals, (len(level), len(duals)))
        prices = edge_prices(level, edges, lams, self.utility)
        if prices.shape[1] > SIZES.best_edges:
            limits = np.partition(prices, SIZES.best_edges, axis=1)[:, SIZES.best_edges]
            below_limit = prices < np.minimum(limits, below)[:, None]
        else:
            below_limit = prices < below
        vertex, column = np.nonzero(below_limit)
        self.add(level.ends(vertex, column, edges))

    def cut(self, space: Polytope, cuts: FloatArray) -> IntArray | None:
        """Replace the polytope by `space`, with cuts as last slacks; return vertices inside all."""
        # a vertex this close to a new cut is dropped, and may be found again
        kept = np.flatnonzero((self.points @ cuts.T < -1e-9).all(axis=1))
        if self.searched is not self.space or len(kept) == 0:
            return None
        added, first = len(cuts), self.space.n_vars + self.space.n_slacks
        slacks = np.broadcast_to(np.arange(first, first + added), (len(kept), added))
        basic, nonbasic = self._basic[kept], self._tight[kept]
        basic = np.concatenate([_shifted(basic, first, added), slacks], axis=1)
        self._basic, self._tight = basic, _shifted(nonbasic, first, added)
        self._known = set(tableaux.basis_keys(space, self._tight).tolist())
        self.space = self.searched = space
        self.points, self.costs = self.points[kept], self.costs[kept]
        self.expanded = np.zeros(len(kept), dtype=bool)  # they may have new neighbors
        self._prices, self._priced_at = np.zeros(0), np.zeros(space.n_x)
        return kept


def _shifted(labels: IntArray, first: int, added: int) -> IntArray:
    """Return labels with those from `first` on, the complements, moved up by `added`."""
    return np.where(labels >= first, labels + added, labels)


class ColumnSearch:
    """The search for improving outputs over one polytope; `pool`: all vertices found."""

    def __init__(
        self, space: Polytope, p_x: FloatArray, utility: Utility, *, seed: int, deadline: Deadline
    ) -> None:
        self.space, self.p_x, self.utility, self.deadline = space, p_x, utility, deadline
        self._rng = np.random.default_rng(seed)
        self.pool = ColumnPool(space, utility, self._seeds())
        self._included: set[bytes] = set()
        self._start(p_x[None], np.ones(len(self.pool), dtype=bool))

    def _start(self, others: FloatArray, inside: BoolArray) -> None:
        """Set up the master program with given outputs and some of the pool's vertices."""
        self.master = Master(self.p_x, self.utility, others)
        self._origin = np.full(len(others), -1)
        self._inside = np.zeros(len(self.pool), dtype=bool)
        self._take(np.flatnonzero(inside))
        self.mixture: Mixture = self.master.solve()

    def include(self, points: FloatArray) -> bool:
        """Add allowed outputs that need not be vertices, posteriors of shape (k, n_x)."""
        # outputs that agree to this many decimals are one
        names = [np.round(point, 10).tobytes() for point in points]
        new = [i for i, name in enumerate(names) if name not in self._included]
        self._included.update(names)
        if new:
            self.master.add(points[new])
            self._origin = np.append(self._origin, np.full(len(new), -1))
            self.mixture = self.master.solve()
        return bool(new)

    def cut(self, cuts: FloatArray) -> None:
        """Cut the polytope by cuts @ r ≤ 0, shape (k, n_x), and drop outputs that break them."""
        self.space = self.space.with_cuts(cuts)
        others = self.master.points[self._origin < 0]
        whole: BoolArray = np.asarray((others @ cuts.T <= 0).all(axis=1))
        whole[0] = True  # P_X, which mixes by itself, even if rounding puts it outside a cut
        others = others[whole]
        kept = self.pool.cut(self.space, cuts)
        if kept is None:
            self.pool = ColumnPool(self.space, self.utility, self._seeds())
            self._start(others, np.ones(len(self.pool), dtype=bool))
        else:
            self._start(others, self._inside[kept])

    def run(self) -> None:
        """Improve the mixture until no neighbor of its outputs is better, or time is over."""
        in_vain = 0
        while not self.deadline.over:
            better = self._better()
            # with fewer improving outputs in the pool than this, neighbors are priced first
            if len(better) < 8:
                in_use, nearly = self._unexpanded()
                in_vain = 0 if len(in_use) or len(better) else in_vain + 1
                # passes over vertices nearly in use, without a better one, before the search ends
                if in_vain <= 3 and len(in_use) + len(nearly):
                    todo = np.concatenate([in_use, nearly])
                    self.pool.expand(todo, self.mixture.duals, NEAR)
                    better = self._better()
                elif len(better) == 0:
                    if self.mixture.shortfall <= ROUNDING:
                        return
                    self.master.raise_penalty()
                    self.mixture = self.master.solve()
            if len(better):
                self._take(better[:100])  # most outputs that enter the master program at a time
                self.mixture = self.master.solve()

    def settled(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture without a shortfall."""
        while self.mixture.shortfall > ROUNDING:  # ends: the output P_X alone is a mixture
            self.master.raise_penalty()
            self.mixture = self.master.solve()
        return self.master.kernel(self.mixture)

    def in_use(self) -> FloatArray:
        """Return the outputs of the best mixture, shape (k, n_x)."""
        return self.master.points[self.mixture.used]

    def widen(self) -> bool:
        """Expand vertices nearly in use, or descend from random starts where none is left."""
        while not self.deadline.over:
            _, nearly = self._unexpanded()
            if len(nearly) == 0:
                return self.descend_from(self._anywhere())
            self.pool.expand(nearly, self.mixture.duals, NEAR)
            if len(self._better()):
                return True
        return False

    def look_wider(self, deadline: Deadline) -> None:
        """Descend from random starts and improve the mixture, until a deadline or in vain."""
        whole, self.deadline, in_vain = self.deadline, deadline, 0
        # rounds of random starts without a better output before a proof is tried
        while in_vain < 3 and not deadline.over:
            if self.descend_from(self._anywhere()):
                in_vain = 0
                self.run()
            else:
                in_vain += 1
        self.deadline = whole

    def descend_from(self, costs: FloatArray) -> bool:
        """Descend from the vertices that minimize given costs, shape (k, n_x)."""
        entries = self.space.n_basic * (self.space.n_free + 1)
        if len(costs) * entries > SIZES.walk_entries:  # 220 of 50,000 entries took 1.2 s
            costs = costs[: max(1, int(self.deadline.left / (SIZES.entry_seconds * entries)))]
        corners = tableaux.some_corners(self.pool.searched, costs, self.deadline)
        if corners is None:
            return False
        starts = tableaux.tableaux(corners.space, corners.basic, corners.nonbasic)
        if len(starts) == 0:
            return False
        ends, _ = descend(starts, self.mixture.duals, self.utility, deadline=self.deadline)
        self.pool.add(ends.corners())
        return len(self._better()) > 0

    def _seeds(self) -> BasicSolutions:
        """Return, for each symbol, a vertex in which it weighs most."""
        costs = -np.eye(self.space.n_x)
        first, second = self.deadline.part(1 / 4), self.deadline.part(1 / 2)
        corners = tableaux.corners(self.space, costs, first)
        if not corners.tied():
            return corners
        moved = tableaux.some_corners(self.space.perturbed(), costs, second)
        return corners if moved is None else moved

    def _anywhere(self) -> FloatArray:
        """Return random costs whose minimizing vertices are starts of descents, shape (k, n_x)."""
        # most random starts in one round, each with its own symbol: outputs that a search misses
        # mostly have a large entry at a symbol that is small in other outputs
        symbols = self._rng.permutation(self.space.n_x)[:42]
        costs = self._rng.exponential(size=(len(symbols), self.space.n_x))
        # negative cost of that symbol at such a start; the costs of all symbols have mean 1
        costs[np.arange(len(symbols)), symbols] -= 5.0
        return costs

    def _better(self) -> IntArray:
        """Return the indices of the pool's vertices of negative reduced cost, lowest first."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        prices = self.pool.prices(self.mixture.duals)
        better = np.flatnonzero(~self._inside & (prices < -PRICE))
        return better[np.argsort(prices[better], kind="stable")]

    def _unexpanded(self) -> tuple[IntArray, IntArray]:
        """Return vertices to expand: some in use, and some nearly in use."""
        prices = self.pool.prices(self.mixture.duals)
        in_use = self._origin[self.mixture.used]
        in_use = in_use[in_use >= 0]
        in_use = in_use[~self.pool.expanded[in_use]]
        in_use = in_use[np.argsort(prices[in_use], kind="stable")][: SIZES.expanded_vertices]
        nearly = ~self.pool.expanded & (prices < NEAR)
        nearly[in_use] = False
        others = np.flatnonzero(nearly)
        room = (SIZES.expanded_vertices - len(in_use)) // 2
        others = others[np.argsort(prices[others], kind="stable")][:room]
        return in_use, others

    def _take(self, which: IntArray) -> None:
        """Add vertices of the pool to the master program."""
        more = len(self.pool) - len(self._inside)
        self._inside = np.append(self._inside, np.zeros(more, dtype=bool))
        self.master.add(self.pool.points[which])
        self._inside[which] = True
        self._origin = np.append(self._origin, which)
