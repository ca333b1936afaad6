"""Pricing by descents along edges, from many vertices at once.

φ(r) − λ·r is concave on Σr = 1, so least at a vertex, and along an edge at an end. A step along an
edge can make an entry of 0 positive; minimizing a linearization cannot: H's slope at 0 is infinite.
"""

from __future__ import annotations

import numpy as np

from core.clock import Deadline
from core.optimal.concave_descent import PROGRESS
from core.optimal.polytopes.tableaux import Edges, Tableaux
from core.optimal.utility import Utility
from core.validation import FloatArray


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
        moves = ahead < prices - PROGRESS
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
