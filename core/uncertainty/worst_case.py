"""The most that a mechanism's outputs can reveal about S, over all members of a Rényi ball.

P(U | s1) and P(U | s2) share the budget B; in the units of `budget_of` the costs add up, so the
worst case is a search over the split. Each side's value comes from weak duality
(`core.uncertainty.extremes`): an inexact inner search can only overstate the leak.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import elementwise

from core.uncertainty.ball import RenyiBall
from core.uncertainty.extremes import (
    bound_of,
    budget_of,
    greatest,
    greatest_divergence,
    least,
    priced_margin,
)
from core.validation import FloatArray, IntArray

_GRID = 8
"""Parts into which an interval of splits is divided."""

_TOLERANCES = {"xatol": 1e-7, "xrtol": 0.0, "fatol": 1e-7, "frtol": 0.0}
"""Of a split and of both sides' gains there: a level, flat at its peak, errs by their square."""

FAR_APART = 40.0
"""Largest split: the log ratio of the two sides' shares of the budget."""

_FIRST, _CHUNK = 32, 1024
"""Triples (y, s1, s2) searched at once, at first and at most, highest ceilings first: they rule out
most others, of 40 secrets all but some of the first."""

CELLS = 1 << 15
"""Cells (s, u) of outputs that are looked at together: of many symbols a few outputs tell soon that
a mechanism breaks a promise."""

_CELL_TOL = 1e-6
"""Nats by which the level may be overstated for orders below ½, where it has several peaks."""


@dataclass(frozen=True)
class WorstCase:
    """The greatest log P(y | s1)/P(y | s2) over a ball; s1, `above`, has the share sin²(angle)."""

    level: float
    output: int = 0
    above: int = 0
    below: int = 1
    angle: float = 0.0


def worst_case(ball: RenyiBall, answers: FloatArray) -> WorstCase:
    """Return the most that any output reveals about S over the ball; answers (n_s, n_u, n_y).

    In s1's share of the budget log max R1·v − log min R2·v has one peak for α ≥ ½ (a concave over a
    convex function). Below ½ every interval that may hold a higher value is divided again, and the
    result is rounded up by `_CELL_TOL`, to at most what the secrets reach with all of B each.
    """
    return _worst(ball, answers, 0.0, stop=False)


def exceeds(ball: RenyiBall, answers: FloatArray, limit: float) -> bool:
    """Say whether the level of `worst_case` exceeds a limit in nats; stops at the first.

    P̂ itself, which is soon seen, exceeds it most often: of 442 symbols as they are, in a tenth of
    the time.
    """
    if _at_estimate(ball, answers).max() > limit:
        return True
    return _worst(ball, answers, limit, stop=True).level > limit


def _worst(ball: RenyiBall, answers: FloatArray, floor: float, *, stop: bool) -> WorstCase:
    """Return the worst case, or the floor if none is above; with `stop` the first one above."""
    slack = _CELL_TOL if ball.alpha < 0.5 and 0 < ball.budget < np.inf else 0.0
    values = _values_of(ball, answers)
    bottom = max(floor - slack, 0.0) if stop else floor
    nothing = WorstCase(bottom, int(np.argmax(values.sizes > 0)))
    occurring = np.flatnonzero(values.sizes > 0)
    if stop:
        occurring = _suspects(ball, answers, occurring, bottom)
    triples, ceilings, best = _pairs(ball, values, occurring, nothing, floor if stop else np.inf)
    above = np.flatnonzero(ceilings > best.level)  # few of the pairs of a thousand secrets
    order = above[np.argsort(-ceilings[above])]
    most, begin = max(1, min(_CHUNK, 4 * CELLS // values.answers.shape[1])), 0
    step = min(_FIRST, most)
    while begin < len(order):
        chunk = order[begin : begin + step]
        begin, step = begin + step, min(2 * step, most)
        if ceilings[chunk[0]] <= best.level or best.level == np.inf:
            break
        if stop and best.level > bottom:
            break
        search = _one_peak if ball.alpha >= 0.5 else _many_peaks
        best = search(ball, values, triples[chunk[ceilings[chunk] > best.level]], best)
    # the level found may be too low by the slack, but none is above the highest ceiling
    level = max(best.level, min(best.level + slack, float(ceilings.max(initial=bottom))))
    return replace(best, level=level)


class _Values(NamedTuple):
    """The outputs' P(y | s, u), (n_s, n_u, n_y), which are divided by the largest of each, (n_y,).

    Of many outputs of many symbols only some are made at a time. `p`: P̂(u | s), (n_s, n_u, n_y),
    with 1 for n_y where it is the same for all.
    """

    answers: FloatArray
    sizes: FloatArray
    p: FloatArray

    def of(self, outputs: IntArray, secrets: IntArray) -> FloatArray:
        """Return the values of some outputs at a secret each, shape (k, n_u)."""
        result: FloatArray = self.answers[secrets, :, outputs] / self.sizes[outputs, None]
        return result

    def whole(self, outputs: IntArray) -> FloatArray:
        """Return the values of some outputs, shape (k, n_s, n_u)."""
        values = np.moveaxis(self.answers[..., outputs], -1, 0)
        result: FloatArray = values / self.sizes[outputs, None, None]
        return result

    def p_of(self, outputs: IntArray, secrets: IntArray) -> FloatArray:
        """Return P̂(u | s) for some outputs at a secret each, shape (k, n_u)."""
        result: FloatArray = self.p[secrets, :, np.minimum(outputs, self.p.shape[-1] - 1)]
        return result

    def p_whole(self, outputs: IntArray) -> FloatArray:
        """Return P̂(u | s) for some outputs, shape (k, n_s, n_u), or (1, n_s, n_u) for all."""
        return np.moveaxis(self.p if self.p.shape[-1] == 1 else self.p[..., outputs], -1, 0)


def _values_of(ball: RenyiBall, answers: FloatArray) -> _Values:
    """Return outputs' values, those that occur several times under a secret as one.

    R·v depends on the sum of R over them alone, and of all R with the same sums the one that shares
    them out as P̂ does is the nearest to P̂. Of 32 groups an output has two values.
    """
    sizes = answers.max(axis=(0, 1))
    plain = _Values(answers, sizes, ball.p_u_given_s[..., None])
    if 2 * len(np.unique(answers[0, :, 0])) > ball.n_u:
        return plain
    order = np.argsort(answers, axis=1, kind="stable")
    rising = np.take_along_axis(answers, order, axis=1)
    place = np.zeros(answers.shape, dtype=np.int64)
    np.cumsum(rising[:, 1:] > rising[:, :-1], axis=1, out=place[:, 1:])
    most = int(place.max()) + 1
    if 2 * most > ball.n_u:
        return plain
    s, y = np.arange(ball.n_s)[:, None, None], np.arange(answers.shape[2])
    # where an output has fewer values, its greatest one again, without a symbol of its own
    values = np.repeat(rising[:, -1:], most, axis=1)
    values[s, place, y] = rising
    p = np.zeros(values.shape)
    np.add.at(p, (s, place, y), np.take_along_axis(plain.p, order, axis=1))
    return _Values(values, sizes, p)


def _at_estimate(ball: RenyiBall, answers: FloatArray) -> FloatArray:
    """Return the level of each output at P̂ among secrets seen, (n_y,), −∞ if it is never made."""
    given_s = np.einsum("su,suy->sy", ball.p_u_given_s, answers)[ball.p_s > 0]
    return _log_ratio(given_s.max(axis=0), given_s.min(axis=0))


def _suspects(ball: RenyiBall, answers: FloatArray, outputs: IntArray, limit: float) -> IntArray:
    """Return the outputs that may exceed a limit in nats, those first that reveal most at P̂.

    R1·v and R2·v are between the least and the greatest v, whatever the distributions are.
    """
    every = answers[..., outputs]
    highest, lowest = every.max(axis=(0, 1)), every.min(axis=(0, 1))
    order = np.argsort(-_at_estimate(ball, every), kind="stable")
    result: IntArray = outputs[order[_log_ratio(highest, lowest)[order] > limit]]
    return result


def _pairs(
    ball: RenyiBall, values: _Values, outputs: IntArray, best: WorstCase, limit: float
) -> tuple[IntArray, FloatArray, WorstCase]:
    """Return all (y, s1, s2), ceilings with all of B for both, and the worst if one has all.

    It ends where a worst one is above the limit.
    """
    free = ball.conditional_bound
    s1, s2 = np.nonzero(~np.eye(ball.n_s, dtype=bool))
    triples, ceilings = [np.empty((0, 3), dtype=np.int64)], [np.empty(0)]
    step = max(1, CELLS // ball.p_hat_su.size)
    for start in range(0, len(outputs), step):
        some = outputs[start : start + step]
        whole = values.whole(some)
        p = values.p_whole(some)
        given_s = (p * whole).sum(axis=-1)
        given_s = np.clip(given_s, whole.min(axis=-1), whole.max(axis=-1))  # as P̂ is rounded
        high = [given_s, greatest(p, whole, free, ball.alpha)]
        low = [given_s, least(p, whole, free, ball.alpha)]
        pairs = np.tile(np.stack([s1, s2], axis=1), (len(some), 1))
        triples.append(np.column_stack([np.repeat(some, len(s1)), pairs]))
        for spends in (0, 1):
            levels = _log_ratio(high[spends][:, s1], low[1 - spends][:, s2]).ravel()
            best = _better(best, levels, triples[-1], np.full(len(levels), spends * np.pi / 2))
        ceilings.append(_log_ratio(high[1][:, s1], low[1][:, s2]).ravel())
        if best.level > limit:
            break
    return np.concatenate(triples), np.concatenate(ceilings), best


def _better(
    best: WorstCase, levels: FloatArray, triples: IntArray, angles: FloatArray
) -> WorstCase:
    """Return the case of the highest of `levels`, shape (k,), if it is above that of `best`."""
    top = int(levels.argmax())
    if levels[top] <= best.level:
        return best
    y, above, below = (int(i) for i in triples[top])
    return WorstCase(float(levels[top]), y, above, below, float(angles[top]))


def _one_peak(ball: RenyiBall, values: _Values, triples: IntArray, best: WorstCase) -> WorstCase:
    """Return the higher of `best` and the peaks of some (y, s1, s2), for levels with one peak."""
    grid = np.linspace(0, np.pi / 2, _GRID + 1)
    angles = np.broadcast_to(grid, (len(triples), grid.size))
    high, low = _values(ball, values, triples, angles)
    levels = _log_ratio(high, low)
    peak, rows = levels.argmax(axis=1), np.arange(len(triples))
    best = _better(best, levels[rows, peak], triples, grid[peak])
    ceilings = _log_ratio(high[:, 1:], low[:, :-1])
    beside = ceilings[rows, np.maximum(peak - 1, 0)], ceilings[rows, np.minimum(peak, _GRID - 1)]
    room = np.flatnonzero(np.maximum(*beside) > best.level)
    if room.size == 0 or best.level == np.inf:
        return best

    def gain(split: FloatArray, row: FloatArray) -> FloatArray:
        return _gain(ball, values, chosen[row.astype(np.int64)], split)

    # a level rises until more of the budget gains as much on either side
    splits = np.clip(2 * np.log(np.tan(grid[1:-1])), -FAR_APART, FAR_APART)
    splits = np.concatenate([[-FAR_APART], splits, [FAR_APART]])
    chosen, at = triples[room], peak[room]
    peaks = elementwise.find_root(  # type: ignore[call-overload]  # the stub lacks arguments
        gain,
        (splits[np.maximum(at - 1, 0)], splits[np.minimum(at + 1, _GRID)]),
        args=(np.arange(len(room), dtype=np.float64),),
        tolerances=_TOLERANCES,
    )
    # without a change of sign a level is highest at the end of the grid, or flat
    angles = np.where(peaks.success, _angle(peaks.x), grid[at])[:, None]
    if ball.alpha < 1 and 0 < ball.bound < np.inf:
        angles = np.hstack([angles, _turns(ball, values, chosen)])
    high, low = _values(ball, values, chosen, angles)
    every = np.repeat(chosen, angles.shape[1], axis=0)
    return _better(best, _log_ratio(high, low).ravel(), every, angles.ravel())


def _turns(ball: RenyiBall, values: _Values, triples: IntArray) -> FloatArray:
    """Return the angles, (n, 4), where more budget ceases to change a side: a peak may be a kink.

    For orders below 1 a finite budget takes a conditional to a corner, or its secret's mass away.
    Each is a little beyond, as a side may change without bound up to there.
    """
    y, secrets = triples[:, 0], triples[:, 1:].T
    sides = np.stack([values.of(y, secrets[0]), values.of(y, secrets[1])])
    top, bottom = sides[0].max(axis=1), sides[1].min(axis=1)
    gaps = np.stack([top[:, None] - sides[0], sides[1] - bottom[:, None]])
    known = np.stack([values.p_of(y, secret) for secret in secrets])
    corners = greatest_divergence(known, gaps, ball.alpha)
    spent = budget_of(np.stack([corners, np.full(corners.shape, np.inf)]), ball.alpha)
    parts = np.sqrt(np.clip(spent * ball.p_s[secrets] / ball.budget, 0.0, 1.0))
    beyond = 1e-15  # radians: some roundings of an angle
    first = np.minimum(np.arcsin(parts[:, 0]) + beyond, np.pi / 2)
    second = np.maximum(np.arccos(parts[:, 1]) - beyond, 0.0)
    result: FloatArray = np.concatenate([first, second]).T
    return result


def _angle(split: FloatArray) -> FloatArray:
    """Return the angles whose shares sin² and cos² have the log ratio `split`."""
    return np.arctan(np.exp(split / 2))


def _gain(ball: RenyiBall, values: _Values, triples: IntArray, split: FloatArray) -> FloatArray:
    """Return the log ratio of what more of the budget adds to the level on either side, (n,)."""
    high, low, prices, bounds = _sides(ball, values, triples, _angle(split)[:, None])
    k = (ball.alpha - 1) / ball.alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        masses = np.log(ball.p_s[triples[:, 1:].T])[..., None]
        gains = prices - masses - k * bounds - np.log(np.stack([high, low]))
        gains[~np.isfinite(bounds)] = -np.inf
        result: FloatArray = np.nan_to_num(
            gains[0] - gains[1], posinf=FAR_APART, neginf=-FAR_APART
        )[:, 0]
    return result


def _many_peaks(ball: RenyiBall, values: _Values, triples: IntArray, best: WorstCase) -> WorstCase:
    """Return the higher of `best` and, to within `_CELL_TOL`, the highest of all peaks."""
    left, right = np.zeros(len(triples)), np.full(len(triples), np.pi / 2)
    # most times that intervals are divided, for orders below ½; about ten are needed
    for _ in range(60):
        grid = left[:, None] + (right - left)[:, None] * np.linspace(0, 1, _GRID + 1)
        high, low = _values(ball, values, triples, grid)
        levels = _log_ratio(high, low)
        peak, rows = levels.argmax(axis=1), np.arange(len(triples))
        best = _better(best, levels[rows, peak], triples, grid[rows, peak])
        # more budget raises `high` and lowers `low`: both ends bound the levels between them
        ceilings = _log_ratio(high[:, 1:], low[:, :-1])
        rows, first = np.nonzero(ceilings > best.level + _CELL_TOL)
        if rows.size == 0 or best.level == np.inf:
            break
        triples, left, right = triples[rows], grid[rows, first], grid[rows, first + 1]
    return best


def _values(
    ball: RenyiBall, values: _Values, triples: IntArray, angles: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return max R1·v and min R2·v at splits of the budget, each of shape (n, k)."""
    return _sides(ball, values, triples, angles)[:2]


def _sides(
    ball: RenyiBall, values: _Values, triples: IntArray, angles: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return `_values`, logs of what more of the bounds adds, and the bounds, (2, n, k) each."""
    y, s1, s2 = triples.T
    shape = (*angles.shape, values.answers.shape[1])
    owners = np.stack([s1, s2])[..., None]
    # for orders below 1 a budget is finite even where every distribution is possible
    budget = np.inf if ball.bound == np.inf else ball.budget
    shares = np.stack([_share(budget, np.sin(angles)), _share(budget, np.cos(angles))])
    bounds = bound_of(shares, ball.p_s[owners], ball.alpha)
    above, below = values.of(y, s1), values.of(y, s2)
    known = np.stack([values.p_of(y, s1), values.p_of(y, s2)])[:, :, None]
    top, bottom = above.max(axis=1), below.min(axis=1)
    gaps = np.stack([top[:, None] - above, below - bottom[:, None]])[:, :, None]
    margins, prices = priced_margin(
        np.broadcast_to(known, (2, *shape)),
        np.broadcast_to(gaps, (2, *shape)),
        bounds,
        ball.alpha,
    )
    margins = np.maximum(margins, 0.0)
    return top[:, None] - margins[0], bottom[:, None] + margins[1], prices, bounds


def _share(budget: float, part: FloatArray) -> FloatArray:
    """Return part²·budget; ∞ for every part of an infinite budget."""
    return np.full(part.shape, np.inf) if budget == np.inf else part**2 * budget


def _log_ratio(high: FloatArray, low: FloatArray) -> FloatArray:
    """Return log high/low, ∞ where only low is 0 and −∞ where high is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > 0, np.log(high) - np.log(low), -np.inf)
