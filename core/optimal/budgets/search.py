"""The optimum under smooth budgets on averages, and its upper bound.

From inside, Newton's method moves the outputs in use to where H(r) + Σ_j μ_j g_j(r) − π·r is least
(saddle-free, Dauphin et al. 2014; in dr = √r dz H has the second derivative −1). From outside, the
vertices of a polytope around the cone, given by tangents at these outputs, that undercut the duals
are new outputs or give tangents; where there are none, the duals prove the upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.allowed.average_cost import SmoothCost
from core.clock import Deadline
from core.optimal.bounds.low_vertices import undercutting
from core.optimal.budgets.lifting import Lifting
from core.optimal.budgets.silent import SilentSearch
from core.optimal.plan import SHARES, SIZES
from core.optimal.polytopes.facets import facets_of
from core.optimal.programs.master import SHORT, Master
from core.optimal.tolerances import PRICE
from core.optimal.utility import MutualInformation, Utility
from core.validation import BoolArray, FloatArray, IntArray

STEPS = 40
"""Most steps; about ten suffice."""

GONE = 1e-9
"""Entries of a posterior below this are set to 0."""

TIGHT = 1e-10
"""Value of a row from −this on which the row counts as tight."""

KEPT = 20
"""Most symbols of an output that is moved: an extreme one has no more than secrets and rows."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Duals π of symbols and μ ≥ 0 of `budgets`, which define the reduced cost of outputs."""

    of_symbols: FloatArray
    of_budgets: FloatArray
    budgets: tuple[AverageBudget, ...]
    utility: Utility

    def value(self, points: FloatArray) -> FloatArray:
        """Return φ(r) + Σ_j μ_j g_j(r) − π·r of posteriors, shape (k, n_x) → (k,)."""
        total = self.utility.cost(points) - points @ self.of_symbols
        for mu, budget in zip(self.of_budgets, self.budgets, strict=True):
            total = total + mu * budget.value(points)
        result: FloatArray = total
        return result


def improved(
    starts: FloatArray, prices: Prices, rows: FloatArray, *, deadline: Deadline
) -> tuple[FloatArray, FloatArray]:
    """Return outputs of lower reduced cost near starts, (k, n_x), and these costs."""
    symbols = _support(starts)
    full = np.take_along_axis(starts, symbols, axis=1)
    whole = np.abs(full.sum(axis=1) - 1) < GONE  # an output of too many symbols is not moved
    face = _Face(symbols[whole], prices, rows, starts.shape[1])
    points = face.spread(full[whole])
    values = prices.value(points)
    for _ in range(STEPS):
        if deadline.over:
            break
        points, values, moved = face.step(points, values)
        if not moved.any():
            break
    outputs = np.vstack([points, starts[~whole]])
    return outputs, np.append(values, prices.value(starts[~whole]))


def _support(points: FloatArray) -> IntArray:
    """Return the support of each point, at most KEPT symbols, largest entries first, (k, m)."""
    most = int((points > GONE).sum(axis=1).max(initial=1))
    order = np.argsort(-points, axis=1, kind="stable")
    return order[:, : min(most, KEPT)]


class _Face:
    """Points on faces of the simplex, each with its own support; arguments as in `improved`."""

    def __init__(self, symbols: IntArray, prices: Prices, rows: FloatArray, n_x: int) -> None:
        self.symbols, self.prices, self.n_x = symbols, prices, n_x
        self._pi = prices.of_symbols[symbols]
        self._excess = [np.moveaxis(b.excess[:, symbols], 0, 1) for b in prices.budgets]
        self._rows = np.moveaxis(rows[:, symbols], 0, 1)

    def spread(self, shares: FloatArray) -> FloatArray:
        """Return entries on the support, shape (k, m), as posteriors, (k, n_x)."""
        shares = np.where(shares < GONE, 0.0, shares)
        points = np.zeros((len(shares), self.n_x))
        np.put_along_axis(points, self.symbols, shares, axis=1)
        result: FloatArray = points / points.sum(axis=1, keepdims=True)
        return result

    def step(
        self, points: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return points after one descent step, their reduced costs, and whether each moved."""
        shares = np.take_along_axis(points, self.symbols, axis=1)
        change = self._direction(shares)
        length = np.minimum(1.0, self._room(shares, change))
        moved = np.zeros(len(points), dtype=np.bool_)
        for _ in range(12):  # most times that a step is shortened until the reduced cost falls
            tried = self.spread(np.maximum(shares + length[:, None] * change, 0.0))
            ahead = self.prices.value(tried)
            # gain of a step, in nats, up to which it counts as rounding
            better = ~moved & (ahead < values - 1e-13)
            points = np.where(better[:, None], tried, points)
            values = np.where(better, ahead, values)
            moved |= better
            if moved.all():
                break
            length = np.where(moved, length, 0.4 * length)  # factor by which a step is shortened
        return points, values, moved

    def _direction(self, shares: FloatArray) -> FloatArray:
        """Return Newton's steps, shape (k, m), within the supports and the tight rows."""
        on = shares > 0
        root = np.sqrt(shares)
        gradient = np.where(on, -np.log(np.where(on, shares, 1.0)), 0.0) - self._pi
        hessian = -np.eye(shares.shape[1]) * on[:, None, :]
        for mu, budget, excess in zip(
            self.prices.of_budgets, self.prices.budgets, self._excess, strict=True
        ):
            lifts = np.einsum("ksm,km->ks", excess, shares)
            slope = budget.cost.slope(lifts)
            gradient = gradient + mu * np.einsum("ksm,ks->km", excess, slope)
            if isinstance(budget.cost, SmoothCost):
                scaled = excess * root[:, None, :]
                curvature = budget.cost.curvature(lifts)
                hessian = hessian + mu * np.swapaxes(scaled, 1, 2) @ curvature @ scaled
        gradient = np.where(on, gradient, 0.0) * root
        project = self._projector(shares, root)
        hessian = project @ hessian @ project
        values, vectors = np.linalg.eigh(hessian)
        along = np.einsum("kij,ki->kj", vectors, np.einsum("kij,kj->ki", project, gradient))
        # least curvature, in nats, that is assumed in any direction, so that steps stay bounded
        along /= -np.maximum(np.abs(values), 0.05)
        inner = np.einsum("kij,kj->ki", project, np.einsum("kij,kj->ki", vectors, along))
        change = root * inner
        result: FloatArray = change - shares * change.sum(axis=1, keepdims=True)
        return result

    def _projector(self, shares: FloatArray, root: FloatArray) -> FloatArray:
        """Return projections, shape (k, m, m), onto steps that keep Σr and the tight rows."""
        held = np.abs(np.einsum("kcm,km->kc", self._rows, shares)) <= TIGHT
        normals = np.concatenate(
            [root[:, None, :], self._rows * root[:, None, :] * held[:, :, None]], axis=1
        )
        identity = np.eye(shares.shape[1])
        if not held.any():
            result: FloatArray = identity - root[:, :, None] * root[:, None, :]
        else:
            result = identity - np.linalg.pinv(normals, rcond=1e-9) @ normals
        return result

    def _room(self, shares: FloatArray, change: FloatArray) -> FloatArray:
        """Return the largest multiple of a step at which entries and rows stay feasible, (k,)."""
        slack = -np.einsum("kcm,km->kc", self._rows, shares)
        growth = np.einsum("kcm,km->kc", self._rows, change)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            of_shares = np.where(change < 0, -shares / change, np.inf)
            of_rows = np.where(growth > TIGHT, np.maximum(slack, 0.0) / growth, np.inf)
        room: FloatArray = np.minimum(of_shares.min(axis=1), of_rows.min(axis=1, initial=np.inf))
        return room


class BudgetSearch:
    """The search for the best mixture under smooth budgets; `upper`: least proven bound so far."""

    def __init__(self, lifting: Lifting, *, seed: int, deadline: Deadline) -> None:
        self.lifting, self.deadline = lifting, deadline
        self.n_x, self.p_x = lifting.n_x, lifting.p_x
        self.goal = lifting.utility
        self.upper = self.goal.inner.value(np.diag(self.p_x), self.p_x)
        self._whole = self.upper
        self._rng = np.random.default_rng(seed)
        self._rows: FloatArray = lifting.inside().rows.toarray()
        self._silent = SilentSearch(lifting.budgets[0].excess, self._rows, seed=seed)
        self._known: set[bytes] = set()
        # most vertices below the duals that a proof keeps at first: far from the optimum there are
        # thousands
        self._most = 250
        self._tangents = np.zeros((0, len(lifting.p)))
        first = np.vstack([lifting.lifted(self.p_x[None]), lifting.slack()])
        self._master = Master(lifting.p, self.goal, first)
        self._mix()
        pure = np.eye(self.n_x)
        self.include(pure[(pure @ self._rows.T <= 0).all(axis=1)])

    def include(self, points: FloatArray) -> bool:
        """Add allowed posteriors, shape (k, n_x), to the mixture; return whether any was new."""
        # outputs that agree to this many decimals are one
        names = [np.round(point, 8).tobytes() for point in points]
        new = [i for i, name in enumerate(names) if name not in self._known]
        self._known.update(names)
        if new:
            self._master.add(self.lifting.lifted(points[new]))
            self._mix()
        return bool(new)

    def kernel(self) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of the best mixture."""
        return self.lifting.lowered(self._master.kernel(self._mixture))

    def run(self, gap: float, *, prove: bool) -> None:
        """Improve the mixture and lower the upper bound until they meet or time is over."""
        # first slack of a proof, as a part of the utility of X itself: duals are not yet optimal
        slack = max(1.8e-3 * self._whole, gap / 2)
        self.warm_up(SHARES.before_proof)
        while not self.deadline.over:
            starts, complete = self._undercutting(slack)
            if len(starts):
                if not self._move(starts):  # they undercut the duals by rounding only
                    return
                continue
            if not complete:
                self._most *= SIZES.growth
                if self._most > SIZES.budget_vertices:
                    return
                continue
            if not prove or self.upper - self.value <= gap or slack <= gap / 2:
                return
            slack = max(slack / 8.0, gap / 2)  # factor by which the slack falls from proof to proof

    def warm_up(self, share: float) -> None:
        """Improve the mixture from starts at random and starts independent of S."""
        until = self.deadline.part(share)
        while not until.over:
            before = self.value
            self._move(self.pulled(self._silent.outputs(self._prices().of_symbols)))
            self._move(self._scattered())
            # random starts gained less than this part of X's own utility: a proof is tried
            if self.value - before < 5e-4 * self._whole:
                return

    def _mix(self) -> None:
        """Compute the best mixture without a shortfall."""
        self._mixture = self._master.solve()
        while self._mixture.shortfall > SHORT:
            self._master.raise_penalty()
            self._mixture = self._master.solve()
        self.value = self.goal.offset(self.lifting.p) - self._mixture.cost

    def _prices(self) -> Prices:
        """Return the duals of the mixture, in nats and in nats per unit of each budget's cost."""
        duals = self._mixture.duals / (1 + len(self.lifting.budgets))
        limits = np.array([budget.limit for budget in self.lifting.budgets])
        of_budgets = np.maximum(-duals[self.n_x :], 0.0) / limits
        return Prices(duals[: self.n_x], of_budgets, self.lifting.budgets, self.goal.inner)

    def _in_use(self) -> FloatArray:
        """Return the outputs of the mixture as posteriors, shape (k, n_x)."""
        used = self._master.points[self._mixture.used, : self.n_x]
        used = used[used.sum(axis=1) > 0]
        result: FloatArray = used / used.sum(axis=1, keepdims=True)
        return result

    def _scattered(self) -> FloatArray:
        """Return random outputs of few symbols that meet the rows, shape (SIZES.scattered, n_x)."""
        most = min(self.n_x, len(self.lifting.budgets[0].excess) + 1, KEPT)
        weights = self._rng.exponential(size=(SIZES.scattered, self.n_x)) * self.p_x
        counts = self._rng.integers(min(2, most), most, size=(SIZES.scattered, 1), endpoint=True)
        least = np.take_along_axis(-np.sort(-weights, axis=1), counts - 1, axis=1)
        points = np.where(weights >= least, weights, 0.0)
        points /= points.sum(axis=1, keepdims=True)
        return self.pulled(points)

    def pulled(self, points: FloatArray) -> FloatArray:
        """Return posteriors, shape (k, n_x), moved towards P_X until they meet the rows."""
        here, there = points @ self._rows.T, self._rows @ self.p_x
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
        share = needed.max(axis=1, initial=0.0)[:, None]
        result: FloatArray = points * (1 - share) + share * self.p_x
        return result

    def _move(self, starts: FloatArray) -> bool:
        """Move outputs to least reduced cost and mix them, until that improves no more."""
        if not isinstance(self.goal.inner, MutualInformation):
            return self.include(starts)
        better = False
        for _ in range(10):  # most rounds of moving outputs in use before the next proof
            if self.deadline.over:
                break
            before, prices = self.value, self._prices()
            starts = np.vstack([starts, self._in_use()])
            points, values = improved(starts, prices, self._rows, deadline=self.deadline)
            included = self.include(points[values < -PRICE])
            better |= included
            # improvement of the mixture, in nats, below which outputs are not moved again
            if not included or self.value - before < 1e-9:
                break
            starts = np.zeros((0, self.n_x))
        return better

    def _undercutting(self, slack: float) -> tuple[FloatArray, bool]:
        """Lower the bound; return outputs below the duals, and if half of `slack` sufficed."""
        lifting, duals, prices = self.lifting, self._mixture.duals, self._prices()
        self._add_tangents(self._in_use())
        rows = sparse.vstack([lifting.rows, sparse.csr_array(self._tangents)])
        outer = facets_of(AllowedSet(sparse.csr_array(rows), len(lifting.p)), lifting.p)
        outputs: list[FloatArray] = []

        def oracle(points: FloatArray) -> FloatArray | None:
            own = points[:, : self.n_x]
            own = own / own.sum(axis=1, keepdims=True)
            # part of the slack by which an output must undercut the duals to count among them
            low = own[prices.value(own) < -0.25 * slack]
            outputs.append(low)
            # outputs that undercut the duals after which a proof stops, to improve the duals first
            if sum(map(len, outputs)) >= 50:
                return None
            cuts = lifting.cuts(points)
            self._tangents = np.vstack([self._tangents, cuts])
            return cuts

        met = undercutting(
            outer,
            lifting.p,
            self.goal,
            duals,
            slack=slack / 2,
            most=self._most,
            oracle=oracle,
            deadline=self.deadline,
        )
        if met.sure:
            self.upper = min(self.upper, met.bound)
        return np.vstack([np.zeros((0, self.n_x)), *outputs]), met.slack <= slack / 2

    def _add_tangents(self, points: FloatArray) -> None:
        """Add the tangents of every smooth budget at posteriors (k, n_x); drop the oldest."""
        budgets = self.lifting.budgets
        new = [self.lifting.row_of(j, budgets[j].tangents(points)) for j in self.lifting.smooth]
        # most tangents; the oldest are dropped
        self._tangents = np.vstack([self._tangents, *new])[-500:]
