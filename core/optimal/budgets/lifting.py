"""Budgets on averages as further coordinates of an output.

An output r of cost g(r) under a budget M is lifted to (r, w) with w ≥ g(r)/M, a convex cone, as g
is convex and homogeneous: a mechanism keeps the budget iff its outputs mix to (P_X, 1). The master
program has one more row, whose dual is the budget's price, so bounds are weak duality as before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.optimal.utility import Utility
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LiftedUtility(Utility):
    """The utility `inner` of X on lifted outputs, where coordinates of budgets have no cost.

    P of the lifted problem sums to 1 over all coordinates and to 1/(1 + n_budgets) over X.
    """

    inner: Utility
    n_x: int
    n_budgets: int

    def offset(self, p_x: FloatArray) -> float:
        """Return the inner utility at a total cost of 0."""
        own = p_x[: self.n_x]
        return self.inner.offset(own / own.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return the cost of lifted outputs, shape (..., n_x + n_budgets) → (...)."""
        return (1 + self.n_budgets) * self.inner.cost(weights[..., : self.n_x])

    def masses(self, weights: FloatArray) -> FloatArray:
        """Return the probability of lifted outputs, which is that of X's coordinates alone."""
        result: FloatArray = (1 + self.n_budgets) * weights[..., : self.n_x].sum(axis=-1)
        return result

    def supported_cost(self, weights: FloatArray, symbols: IntArray, n_x: int) -> FloatArray:
        """Return the cost where weights are given at some coordinates only, as in `Utility`."""
        of_x = np.where(symbols < min(self.n_x, n_x), symbols, self.n_x)
        inner = self.inner.supported_cost(np.where(of_x < self.n_x, weights, 0.0), of_x, self.n_x)
        return (1 + self.n_budgets) * inner


class Lifting:
    """An allowed set with k budgets as one without, of n_x + k coordinates.

    - `p`: (P_X, 1, …, 1)/(1 + k), shape (n_x + k,): what lifted outputs mix to.
    - `rows`: rows of the wider cone: the allowed set's own, and the pieces of costs that have few.
    """

    def __init__(self, allowed: AllowedSet, p_x: FloatArray, utility: Utility) -> None:
        self.allowed, self.p_x = allowed, p_x
        self.n_x, self.budgets = allowed.n_x, allowed.budgets
        count = len(self.budgets)
        self.p: FloatArray = np.append(p_x, np.ones(count)) / (1 + count)
        self.utility = LiftedUtility(utility, self.n_x, count)
        every = [(j, budget.pieces()) for j, budget in enumerate(self.budgets)]
        known = [self.row_of(j, pieces) for j, pieces in every if pieces is not None]
        self._pieces: FloatArray = np.vstack([np.zeros((0, len(self.p))), *known])
        self.rows = self._wide(allowed, self._pieces)

    def _wide(self, allowed: AllowedSet, more: FloatArray) -> sparse.csr_array:
        """Return a set's rows, then more rows, (k, n_x + n_budgets), on lifted outputs."""
        own, n_auxiliary = allowed.rows, allowed.n_auxiliary
        gap = sparse.csr_array((own.shape[0], len(self.budgets)))
        wide = np.hstack([more, np.zeros((len(more), n_auxiliary))])
        parts = [sparse.hstack([own[:, : self.n_x], gap, own[:, self.n_x :]])]
        return sparse.csr_array(sparse.vstack([*parts, sparse.csr_array(wide)]))

    @property
    def smooth(self) -> tuple[int, ...]:
        """Indices of the budgets whose costs are not given by rows."""
        return tuple(j for j, budget in enumerate(self.budgets) if budget.pieces() is None)

    def row_of(self, j: int, tangents: FloatArray) -> FloatArray:
        """Return a·r ≤ M w of budget j as rows, (k, n_x + n_budgets), largest magnitude 1."""
        rows = np.zeros((len(tangents), self.n_x + len(self.budgets)))
        rows[:, : self.n_x] = tangents
        rows[:, self.n_x + j] = -self.budgets[j].limit
        result: FloatArray = rows / np.abs(rows).max(axis=1, keepdims=True)
        return result

    def lifted(self, points: FloatArray) -> FloatArray:
        """Return posteriors, shape (k, n_x), with g(r)/M of each budget appended."""
        spent = [budget.value(points) / budget.limit for budget in self.budgets]
        return np.column_stack([points, *spent])

    def slack(self) -> FloatArray:
        """Return the lifted outputs for unspent budget, shape (n_budgets, n_x + n_budgets)."""
        return np.eye(len(self.p))[self.n_x :]

    def cone(self) -> AllowedSet:
        """Return the wider cone: its rows, and an oracle for the set's own and for smooth costs."""
        inner = self.allowed.oracle
        oracle = _Beyond(self, inner) if inner is not None or self.smooth else None
        return AllowedSet(self.rows, len(self.p), oracle)

    def around(self, tangents: FloatArray) -> AllowedSet:
        """Return the wider cone with exceptions, of which costs are at least these tangents'."""
        firm = self.allowed.excepted
        if firm is None:
            firm = AllowedSet(self.allowed.rows[:0, : self.n_x], self.n_x)
        rows = self._wide(firm, np.vstack([self._pieces, tangents]))
        oracle = None if firm.oracle is None else _Beyond(self, firm.oracle)
        excepted = AllowedSet(rows, len(self.p), oracle)
        return replace(self.cone(), exceptions=self.allowed.exceptions, excepted=excepted)

    def tangents(self, points: FloatArray) -> FloatArray:
        """Return tangents of all smooth budgets at posteriors, (k, n_x), as rows."""
        new = [self.row_of(j, self.budgets[j].tangents(points)) for j in self.smooth]
        result: FloatArray = np.vstack([np.zeros((0, len(self.p))), *new])
        return result

    def cuts(self, points: FloatArray) -> FloatArray:
        """Return the tangents that lifted points violate, (k, n_x + n_budgets) → (j, same)."""
        total = points[:, : self.n_x].sum(axis=1)
        points = points[total > 0] / total[total > 0, None]
        own, tangents = points[:, : self.n_x], [np.zeros((0, len(self.p)))]
        for j in self.smooth:
            over = self.budgets[j].value(own) / self.budgets[j].limit - points[:, self.n_x + j]
            # excess of g(r)/M over w from which on a lifted output is cut off
            broken = over > 1e-11
            tangents.append(self.row_of(j, self.budgets[j].tangents(own[broken])))
        return np.vstack(tangents)

    def raised(self, kernel: FloatArray) -> FloatArray:
        """Return a kernel of all coordinates; its last output is what budgets leave unspent."""
        weights = (self.p_x[:, None] * kernel).T
        totals = weights.sum(axis=1)
        points = self.lifted(weights / np.where(totals > 0, totals, 1.0)[:, None])
        spent = totals[:, None] * points[:, self.n_x :]
        rest = np.maximum(1.0 - spent.sum(axis=0), 0.0)
        shares = np.vstack([spent, rest])
        wide = np.hstack([kernel, np.zeros((self.n_x, 1))])
        return np.vstack([wide, (shares / shares.sum(axis=0)).T])

    def lowered(self, kernel: FloatArray) -> FloatArray:
        """Return a kernel of all coordinates as one of X, without outputs of probability 0."""
        own = kernel[: self.n_x]
        own = own[:, own.sum(axis=0) > 0]
        result: FloatArray = own / own.sum(axis=1, keepdims=True)
        return result

    def inside(self) -> AllowedSet:
        """Return the allowed set without its budgets."""
        return replace(self.allowed, budgets=())


@dataclass(frozen=True, eq=False)
class _Beyond:
    """The oracle of a wider cone: tangents of smooth costs, and cuts of the set's own oracle."""

    lifting: Lifting
    inner: SeparationOracle | None

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cuts that one lifted point violates, shape (k, n_x + n_budgets)."""
        tangents = self.lifting.cuts(np.maximum(r, 0.0)[None])
        if self.inner is None:
            return tangents
        n_x = self.lifting.n_x
        own = r[:n_x]
        if own.sum() <= 0:
            return tangents
        cuts = self.inner(own / own.sum())
        return np.vstack([tangents, np.pad(cuts, ((0, 0), (0, len(r) - n_x)))])
