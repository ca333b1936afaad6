"""The set of outputs that a convex notion allows, in the solvers' form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core.allowed.average_cost import AverageCost, Epigraph
from core.validation import FloatArray, IntArray

SeparationOracle = Callable[[FloatArray], FloatArray]
"""Takes a posterior r, shape (n_x,); returns violated cuts g, shape (k, n_x), with g·r > 0."""


@dataclass(frozen=True, eq=False)
class AverageBudget:
    """A bound on an average over outputs: Σ_y P(y) g(P(X | y)) ≤ limit, g(r) = c(lifts of S).

    g is convex and homogeneous of degree 1, with g ≥ 0 and g(P_X) = 0.

    Attributes
    ----------
    cost : AverageCost
        c.
    excess : ndarray
        l(s, x) − 1 of the data, shape (n_s, n_x): a posterior r gives S the lifts 1 + excess @ r.
    limit : float
        Above 0.
    """

    cost: AverageCost
    excess: FloatArray
    limit: float

    def value(self, points: FloatArray) -> FloatArray:
        """Return g of posteriors, shape (k, n_x) → (k,)."""
        return self.cost.value(points @ self.excess.T)

    def tangents(self, points: FloatArray) -> FloatArray:
        """Return for each point a subgradient a of g, shape (k, n_x): a·r ≤ g(r) for every r ≥ 0.

        At the point itself the two are equal, unless a lift is below `ROUNDING`.
        """
        return self.of_x(self.cost.slope(points @ self.excess.T))

    def pieces(self) -> FloatArray | None:
        """Return all a of g(r) = max_i a_i·r, shape (k, n_x); None where they are not a few."""
        pieces = self.cost.pieces()
        return None if pieces is None else self.of_x(pieces)

    def epigraph(self) -> Epigraph:
        """Return c as a small program: of short rows where S = X, as long ones fill a program."""
        alone = (np.count_nonzero(1 + self.excess, axis=1) == 1).all()
        return self.cost.sparse_epigraph() if alone else self.cost.epigraph()

    def of_x(self, slopes: FloatArray) -> FloatArray:
        """Return slopes in lifts, shape (k, n_s), as slopes in r, shape (k, n_x)."""
        result: FloatArray = slopes @ self.excess + slopes.sum(axis=-1, keepdims=True)
        return result

    def spent(self, kernel: FloatArray, p_x: FloatArray) -> float:
        """Return Σ_y P(y) g(P(X | y)) of a kernel P(y | x), shape (n_x, n_y)."""
        weights = (p_x[:, None] * kernel).T
        totals = weights.sum(axis=1)
        used = totals > 0
        return float(totals[used] @ self.value(weights[used] / totals[used, None]))

    def spent_by_x(self, p_x: FloatArray) -> float:
        """Return what X itself as the output spends."""
        return float(p_x @ self.cost.value(self.excess.T))


@dataclass(frozen=True)
class LiftRange:
    """A range [1 − below, 1 + above] of all lifts r(x)/(P(x) Σr) of an output r.

    Where `scaled`, the range is up to a factor, so only its ratio counts.
    """

    below: float
    above: float
    scaled: bool = False


@dataclass(frozen=True, eq=False)
class AllowedSet:
    """What a notion allows: a convex cone of outputs r ≥ 0, and bounds on averages over them.

    A pointwise notion constrains each output's posterior alone, so r may have any scale; with
    Σr = 1 it is the posterior P(x | y).

    Attributes
    ----------
    rows : csr_array
        Shape (n_rows, n_x + n_auxiliary). r is allowed iff some auxiliary variables h ≥ 0 have
        rows @ [r, h] ≤ 0. Each row's largest coefficient has magnitude about 1.
    n_x : int
        Number of symbols of X.
    oracle : callable or None
        For a set that rows alone do not describe: returns the cuts g·r ≤ 0, valid on the whole
        set, that a given r violates, shape (k, n_x); k = 0 means that r is allowed.
    blocks : tuple of ndarray
        Partitions of the symbols for which many rows concern one block only, best first: each
        symbol's block number 0, 1, …, shape (n_x,). A hint for an upper bound.
    restriction : AllowedSet or None
        A subset that a long search solves first.
    budgets : tuple of AverageBudget
        Bounds on averages over all outputs of a mechanism.
    each : tuple of AverageBudget
        Bounds that each output keeps by itself, g(r) ≤ limit, where the oracle says so too.
    exceptions : float
        δ: outputs of total probability δ need not be allowed; `budgets` hold for them too.
    excepted : AllowedSet or None
        What these outputs must be allowed by all the same, whose rows and auxiliary variables are
        the first ones here; None where they may be any outputs.
    lifts : LiftRange or None
        The same set as a range of the lifts of X, where S = X and rows say no more.
    """

    rows: sparse.csr_array
    n_x: int
    oracle: SeparationOracle | None = None
    blocks: tuple[IntArray, ...] = ()
    restriction: AllowedSet | None = None
    budgets: tuple[AverageBudget, ...] = ()
    each: tuple[AverageBudget, ...] = ()
    exceptions: float = 0.0
    excepted: AllowedSet | None = None
    lifts: LiftRange | None = None

    @property
    def n_auxiliary(self) -> int:
        """Number of auxiliary variables."""
        return int(self.rows.shape[1]) - self.n_x


def weighed(
    whole: AllowedSet, likelihood: FloatArray, members: IntArray, p_x: FloatArray
) -> AllowedSet:
    """Return the outputs r for which r(x)·likelihood(x), x in `members`, is in an allowed set.

    `whole` is the set of the members alone, without budgets or exceptions; `likelihood`: P(k | x)
    of what is known, up to a factor, shape (n_members,); `p_x`, (n_x,), is allowed.
    """
    n_x, n_auxiliary = len(p_x), whole.n_auxiliary
    weights = np.append(likelihood, np.ones(n_auxiliary))
    weighted = sparse.csr_array(whole.rows @ sparse.diags_array(weights)).toarray()
    useful = (weighted > 0).any(axis=1)
    weighted = weighted[useful] / np.abs(weighted[useful]).max(axis=1, keepdims=True)
    matrix = np.zeros((len(weighted), n_x + n_auxiliary))
    matrix[:, np.append(members, n_x + np.arange(n_auxiliary))] = weighted
    if not n_auxiliary:  # auxiliary variables have no known value at P_X
        # a row whose value at P_X is this little above 0, relative to its coefficients, is taken as
        # 0 there: the budget is used up, to the rounding of the audit; it may only allow more
        at_prior, size = matrix @ p_x, np.abs(matrix) @ p_x
        met = (at_prior > 0) & (at_prior <= 1e-11 * size)
        above = np.maximum(matrix[met], 0.0)
        matrix[met] -= above * (at_prior[met] / (above @ p_x))[:, None]
    oracle = None if whole.oracle is None else _Weighed(whole.oracle, likelihood, members)
    return AllowedSet(sparse.csr_array(matrix), n_x, oracle)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """The separation oracle for outputs that are weighted on some symbols."""

    oracle: SeparationOracle
    likelihood: FloatArray
    members: IntArray

    def __call__(self, r: FloatArray) -> FloatArray:
        cuts = np.zeros((0, len(r)))
        given = np.maximum(r[self.members], 0.0) * self.likelihood
        if given.sum() <= 0:  # what is known and this output never occur together
            return cuts
        rows = self.oracle(given / given.sum()) * self.likelihood
        rows = rows[(rows > 0).any(axis=1)]
        cuts = np.zeros((len(rows), len(r)))
        cuts[:, self.members] = rows / np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        return cuts
