"""The optimum from all vertices: a linear program over all extreme outputs.

They are found by breadth-first search along edges, thousands at a time: a walk takes one tableau a
vertex and can be stopped at any time. Neighbors of a level are in that level, the one before or the
one after, so keys are only compared with these.

Completeness is proven from the graph alone. A vertex of a simple polytope is given by the n rows
that it meets, each edge by all but one of them, so an edge belongs to exactly two vertices. Where
both ends of every edge were found no edge leads out, and a polytope's graph is connected (Balinski
1961), so there are no other vertices.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import SolverError, TimeLimitError
from core.limits import ROUNDING
from core.optimal.plan import SIZES
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.exact_vertices import TooManyRaysError, exact_vertices, may_enumerate
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.tableaux import BasicSolutions, Keys, Tableaux
from core.optimal.programs.master import Master, Mixture
from core.optimal.tolerances import EXACT_PRICE
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray


def walk(
    space: Polytope, *, deadline: Deadline, max_vertices: int = SIZES.walk_vertices
) -> BasicSolutions:
    """Return all vertices of a polytope, or of the perturbed one where it is degenerate."""
    try:
        return _walk(space, deadline, max_vertices, ties=False)
    except _TieError:
        return _walk(space.perturbed(), deadline, max_vertices)


def _walk(
    space: Polytope, deadline: Deadline, max_vertices: int, *, ties: bool = True
) -> BasicSolutions:
    """Return all vertices."""
    names = tableaux.label_keys(len(space.upper))
    level = tableaux.start(space, np.random.default_rng(0))
    keys = level.keys()
    before: Keys = np.zeros(0, dtype=np.uint64)
    levels: list[BasicSolutions] = []
    count = 0
    size = space.n_basic * (space.n_free + 1) * 8
    while len(level):
        here = level.corners()
        if not ties and here.tied():
            raise _TieError
        count += len(level)
        levels.append(here)
        fresh, which, column, edges = _unseen(level, keys, before, names, deadline)
        # most memory, in bytes, of the tableaux of one level
        if count + len(fresh) > max_vertices or len(fresh) * size > 300_000_000:
            raise TimeLimitError(f"More than {count + len(fresh)} vertices: too many to list.")
        level = level.neighbours(which, column, edges, deadline)
        before, keys = keys, fresh
    return BasicSolutions(
        space,
        np.concatenate([level.basic for level in levels]),
        np.concatenate([level.nonbasic for level in levels]),
        np.concatenate([level.values for level in levels]),
    )


class _TieError(Exception):
    """A vertex has more tight constraints than dimensions."""


def _unseen(
    level: Tableaux, keys: Keys, before: Keys, names: Keys, deadline: Deadline
) -> tuple[Keys, IntArray, IntArray, tableaux.Edges]:
    """Return keys of vertices met first, and an edge to each: its vertex, entering label, edges."""
    edges = level.edges(deadline)
    space = level.space
    last = np.concatenate([level.basic, np.zeros((len(level), 1), dtype=np.int64)], axis=1)
    leaving = np.take_along_axis(last, edges.row, axis=1)
    leaving = np.where(edges.row == space.n_basic, level.nonbasic, leaving)
    turned = edges.at_upper | (edges.row == space.n_basic)
    leaving = np.where(turned, space.complement(leaving), leaving)
    far = keys[:, None] ^ names[level.nonbasic] ^ names[leaving]
    which, column = np.nonzero(np.isfinite(edges.step))
    fresh, first = np.unique(far[which, column], return_index=True)
    old = np.isin(fresh, np.concatenate([keys, before]))
    fresh, first = fresh[~old], first[~old]
    order = np.argsort(first)  # in the order of the parents, so that memory is read once
    fresh, first = fresh[order], first[order]
    return fresh, which[first], column[first], edges


ROUNDED = 2e-15
"""Rounding of a polytope's rows, of magnitude 1, relative to the rows of the set."""


def proven_complete(
    allowed: AllowedSet, space: Polytope, vertices: BasicSolutions, deadline: Deadline = NEVER
) -> tuple[FloatArray, FloatArray] | None:
    """Return the vertices of a set around the allowed one, if those found are proven to be all.

    Bounds are moved outwards as far as ties and rounding require, at most as far as on the walk.
    """
    if len(vertices) == 0 or space.n_free != space.n_vars - 1 or not _stems_from(space, allowed):
        return None
    nonbasic = np.sort(vertices.nonbasic, axis=1)
    if not _closed(nonbasic, len(space.upper)):
        return None
    moves = np.zeros(len(space.upper)) if vertices.space is space else space.outward()
    known = _Constraints(space, moves)
    # most entries of the systems that are solved at a time
    size = max(1, 4_000_000 // (min(space.n_vars, space.n_basic) ** 2 + len(space.upper)))
    parts = []
    for first in range(0, len(nonbasic), size):
        if deadline.over:
            raise TimeLimitError("Time ran out before the vertices were checked.")
        parts.append(known.solved(nonbasic[first : first + size]))
    levels, slopes, error = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    n_x = space.n_x
    points, moved = levels[:, :n_x].copy(), slopes[:, :n_x] - moves[:n_x]
    share = _least_share(levels, slopes, error, nonbasic)
    if not share <= 1.0:
        return None
    points += share * moved
    off = error + np.maximum(-points.min(axis=1), 0.0)  # entries below 0 are raised to it
    if not off.max() <= 1e-6:  # largest error of a vertex at which the proof is of use
        return None
    weights = np.maximum(points, 0.0) * space.unit
    total = weights.sum(axis=1)
    return weights / total[:, None], 2.0 * space.unit.sum() * off / total


class _Constraints:
    """Values of all labels, level + share·slope, where the nonbasic ones are 0, relative to bounds.

    At a share of 1 bounds are as far out as on a walk of the perturbed polytope, at 0 not at all.
    """

    def __init__(self, space: Polytope, moves: FloatArray) -> None:
        self.space = space
        n, count = space.n_vars, space.n_slacks
        self.shift = moves[: n + count]
        self.moving = bool(moves.any())
        self.widths = space.upper[n + count :]
        self.wider = moves[n : n + count] + moves[n + count :]

    def solved(self, nonbasic: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return levels and slopes of all labels, shape (k, n_labels) each, and errors, (k,)."""
        space, k = self.space, len(nonbasic)
        n, count, m = space.n_vars, space.n_slacks, space.n_basic
        core = np.where(nonbasic >= n + count, nonbasic - count, nonbasic)
        free = np.ones((k, n + count), dtype=bool)
        np.put_along_axis(free, core, False, axis=1)
        both = 2 if self.moving else 1
        values = np.zeros((both, k, n + count))
        upper = nonbasic >= n + count
        at = np.where(upper, core - n, count)
        widths, wider = np.append(self.widths, 0.0), np.append(self.wider, 0.0)
        np.put_along_axis(values[0], core, widths[at], axis=1)
        if self.moving:
            np.put_along_axis(values[1], core, wider[at], axis=1)
        right = np.stack([space.right, space.matrix @ self.shift])[:both, None]
        solved = None
        if (free.sum(axis=1) == m).all():
            way = self._by_tight_rows if n < m else self._by_basic_columns
            solved = way(core, free, values, right)
        if solved is None:
            shape = (k, n + 2 * count)
            return np.zeros(shape), np.zeros(shape), np.full(k, np.inf)
        values, error = solved
        slacks = values[:, :, n:]
        limits = np.stack([self.widths, self.wider])[:both, None]
        levels = np.concatenate([values, limits - slacks], axis=2)
        return levels[0], levels[1] if self.moving else np.zeros_like(levels[0]), error

    def _by_basic_columns(
        self, core: IntArray, free: BoolArray, values: FloatArray, right: FloatArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the values with those of basic labels, (j, k, n + count), and errors, (k,).

        j: levels, then slopes. An equation for each row gives the basic labels.
        """
        matrix, m = self.space.matrix, self.space.n_basic
        basic = np.nonzero(free)[1].reshape(len(core), m)
        right = right - values @ matrix.T
        try:
            inverse = np.linalg.inv(np.moveaxis(matrix[:, basic], 0, 1))
        except np.linalg.LinAlgError:
            return None
        answer = np.einsum("kij,skj->ski", inverse, right)
        result = values.copy()
        for value, part in zip(result, answer, strict=True):
            np.put_along_axis(value, basic, part, axis=1)
        spread = np.abs(inverse).sum(axis=2).max(axis=1)
        return result, self._error(spread, answer, right)

    def _by_tight_rows(
        self, core: IntArray, free: BoolArray, values: FloatArray, right: FloatArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the same where variables are fewer: an equation for each tight label gives them.

        Slacks of the other rows follow.
        """
        matrix, n, count = self.space.matrix, self.space.n_vars, self.space.n_slacks
        rows, norm = np.vstack([np.eye(n), matrix[:count, :n]]), matrix[-1:, :n]
        square = np.concatenate([rows[core], np.broadcast_to(norm, (len(core), 1, n))], axis=1)
        try:
            inverse = np.linalg.inv(square)
        except np.linalg.LinAlgError:
            return None
        own = np.take_along_axis(values, np.broadcast_to(core, values[:, :, : n - 1].shape), axis=2)
        given = np.concatenate([np.zeros((len(right), 1, n)), right[:, :, :count]], axis=2)[:, 0]
        tight = given[:, core] + np.where(core < n, own, -own)
        last = np.broadcast_to(right[:, :, -1:], (*tight.shape[:2], 1))
        tight = np.concatenate([tight, last], axis=2)
        answer = np.einsum("kij,skj->ski", inverse, tight)
        slacks = right[:, :, :count] - answer @ rows[n:].T
        result = np.where(free, np.concatenate([answer, slacks], axis=2), values)
        sums = np.abs(inverse).sum(axis=2)
        spread = np.maximum(sums.max(axis=1), 1 + (sums @ np.abs(rows[n:]).T).max(axis=1))
        return result, self._error(spread, result, tight)

    def _error(self, spread: FloatArray, values: FloatArray, right: FloatArray) -> FloatArray:
        """Return errors of vertices, (k,), from an inverse's row sums and what it applies to."""
        size = 1.0 + np.abs(values[0]).max(axis=1) + np.abs(right[0]).max(axis=1)
        result: FloatArray = (self.space.n_basic + 8) * ROUNDED * spread * size
        return result


def _least_share(
    levels: FloatArray, slopes: FloatArray, error: FloatArray, nonbasic: IntArray
) -> float:
    """Return a small share at which all basic labels are positive, ∞ if none is found."""
    np.put_along_axis(levels, nonbasic, np.inf, axis=1)
    np.put_along_axis(slopes, nonbasic, 0.0, axis=1)
    least = np.broadcast_to((2 * error)[:, None], levels.shape)
    low = levels <= least
    if not low.any():
        return 0.0
    if (slopes[low] <= 0).any():
        return np.inf
    share = 2 * float(((least - levels)[low] / slopes[low]).max())
    return share if (levels + share * slopes > least).all() else np.inf


def _stems_from(space: Polytope, allowed: AllowedSet) -> bool:
    """Return whether every inequality of a polytope is one of the set's rows, up to scale."""
    n_vars, count = space.n_vars, space.n_slacks
    norm = space.matrix[-1, :n_vars]
    widths = space.upper[n_vars + count :]
    both = np.isfinite(widths)
    mine = space.matrix[:count, :n_vars] - space.right[:count, None] * norm
    theirs = -mine[both] - widths[both, None] * norm
    rows = allowed.rows.toarray()
    labels = np.append(np.arange(count), np.flatnonzero(both) + count)
    for label, row in zip(labels, np.vstack([mine, theirs]), strict=True):
        source = int(space.sources[label])
        if source < 0:
            return False
        given = rows[source] * space.scales
        scale = float(np.abs(row).max()) / float(np.abs(given).max())
        if np.abs(given * scale - row).max() > 4 * ROUNDED:
            return False
    return True


def _closed(nonbasic: IntArray, n_labels: int) -> bool:
    """Return whether every edge has both ends among vertices, but for a chance of random words."""
    words = np.random.default_rng(1).integers(0, 2**64, n_labels, dtype=np.uint64)
    of_label = words[nonbasic]
    vertices = np.bitwise_xor.reduce(of_label, axis=1)
    if len(np.unique(vertices)) < len(vertices):
        return False
    _, counts = np.unique(vertices[:, None] ^ of_label, return_counts=True)
    return bool((counts == 2).all())


@dataclass(frozen=True, eq=False)
class AllVertices:
    """The extreme outputs of an allowed set, proven to be all; `points`: posteriors to be mixed.

    `outer`: extreme outputs of the set or of a slightly larger one, (j, n_x), so a bound for
    these holds for all allowed outputs. `errors`: at most the error of each of `outer`, in ℓ1.
    """

    points: FloatArray
    outer: FloatArray
    errors: FloatArray

    def floors(self, utility: Utility, duals: FloatArray) -> FloatArray:
        """Return lower bounds of φ(r) − λ·r of all outer points, shape (j,)."""
        prices = utility.cost(self.outer) - self.outer @ duals
        # least error, in ℓ1, that a posterior is assumed to have by rounding
        off = np.maximum(self.errors, 1e-14)
        slope = 2.0 + np.log(len(duals)) - np.log(off)  # bounds the change of H per unit of `off`
        with np.errstate(over="ignore"):  # the floor is −∞ where a dual is 1e308
            floors: FloatArray = prices - off * (slope + np.abs(duals).max())
        return floors


def all_vertices(
    allowed: AllowedSet, p_x: FloatArray, space: Polytope, deadline: Deadline, max_vertices: int
) -> AllVertices:
    """Return all vertices, proven: in whole numbers with few symbols, else by the walk's graph."""
    if may_enumerate(allowed):
        with suppress(TooManyRaysError):
            points = exact_vertices(allowed, p_x, deadline)
            if len(points) > max_vertices:
                raise TimeLimitError(f"{len(points)} vertices: too many.")
            return AllVertices(_some(points), points, np.zeros(len(points)))
    vertices = walk(space, deadline=deadline, max_vertices=max_vertices)
    proof = proven_complete(allowed, space, vertices, deadline)
    if proof is None:
        raise SolverError("The list of vertices is not proven complete.")
    points, _ = tableaux.true_points(space, vertices, deadline)
    return AllVertices(_some(points), *proof)


def _some(points: FloatArray) -> FloatArray:
    """Return outputs, (k, n_x), or raise if there is none, as near a budget of 0."""
    if len(points) == 0:
        raise SolverError("No output meets the notion's rows as they were rounded.")
    return points


def best_mixture(
    points: FloatArray, p_x: FloatArray, utility: Utility, deadline: Deadline
) -> tuple[Master, Mixture, float]:
    """Return the best mixture of outputs (k, n_x), a few in the program, and its utility."""
    posteriors = points / points.sum(axis=1, keepdims=True)
    costs = utility.cost(posteriors)
    master = Master(p_x, utility, p_x[None])
    inside = np.zeros(len(points), dtype=bool)
    first = np.argsort(costs, kind="stable")[: 2 * len(p_x)]
    chosen = np.union1d(first, posteriors.argmax(axis=0))
    while True:
        master.add(posteriors[chosen])
        inside[chosen] = True
        mixture = master.solve(deadline.left)
        prices = costs - posteriors @ mixture.duals
        candidates = np.flatnonzero(~inside & (prices < -EXACT_PRICE))
        if len(candidates) == 0:
            if mixture.shortfall <= ROUNDING:
                return master, mixture, float(prices.min())
            if deadline.over:
                raise TimeLimitError("Time ran out before the outputs covered every symbol.")
            master.raise_penalty()
        # most outputs that enter the master program before it is solved again
        count = min(64, len(candidates))
        chosen = candidates[np.argsort(prices[candidates], kind="stable")[:count]]
