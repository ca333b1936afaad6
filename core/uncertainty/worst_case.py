"""What a mechanism's outputs can tell about S at worst, over all members of a Rényi ball.

For a pair of secrets the ball is not the product of its two projections: moving P(U | s1) uses
up the budget that P(U | s2) would move on. In the units of `budget_of` the two costs add up, so
the worst case is one search over how to split the budget. Each side's value comes from weak
duality, so that a poor inner search could only overstate the leak:

max {R·v : D_α(p‖R) ≤ y} = min over ν ≥ max v of ν − e^{−y}·(Σ p (ν − v)^k)^{1/k}, k = (α−1)/α,

by Hölder's inequality, for every order (k = 0 is the geometric mean); likewise for the least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.uncertainty.ball import RenyiBall
from core.uncertainty.divergence import bound_of
from core.uncertainty.extremes import log_tilt, tilted_sums
from core.validation import FloatArray, IntArray

_GRID = 8
"""Parts into which each step of the search cuts an interval."""

_LEVELS = 12
"""Steps: each leaves two of the eight parts, so the split is known to 4^−12 and the level, flat
around its peak, to some units of rounding."""

_MOST_LEVELS = 60
"""For orders below ½: intervals are cut until they cannot matter, which takes about ten steps."""

_CHUNK = 1024
"""Triples (y, s1, s2) searched at once, the most suspicious first: the rest is mostly ruled out."""

_CELL_TOL = 1e-6
"""For orders below ½ the level has several peaks: how far, in nats, the reported one may
overstate the greatest."""


@dataclass(frozen=True)
class WorstCase:
    """The most that an output tells, over a ball.

    Attributes
    ----------
    level : float
        The greatest log P(y | s1)/P(y | s2) over all outputs, pairs and members; ∞ is a value.
    output, above, below : int
        Its y, s1 and s2.
    angle : float
        Its split of the budget: s1 gets sin² of it.
    """

    level: float
    output: int = 0
    above: int = 0
    below: int = 1
    angle: float = 0.0


def greatest(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return max R·v over D_α(p‖R) ≤ bound, never less than it is.

    Parameters
    ----------
    p : ndarray
        Probabilities, shape (..., n); all zero where nothing is known (then bound must be ∞).
    v : ndarray
        Values, shape (..., n).
    bound : ndarray
        Shape (...,), in nats.
    alpha : float
        Order in (0, ∞).
    """
    top = v.max(axis=-1)
    value: FloatArray = top - _margin(p, top[..., None] - v, bound, alpha)
    return np.asarray(np.minimum(value, top))


def least(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return min R·v over D_α(p‖R) ≤ bound, never more than it is; shapes as `greatest`."""
    bottom = v.min(axis=-1)
    value: FloatArray = bottom + _margin(p, v - bottom[..., None], bound, alpha)
    return np.asarray(np.maximum(value, bottom))


def _margin(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return max over δ ≥ 0 of e^{−bound}·mean_k(δ + gap) − δ: the least R·gap, by duality."""
    bound = np.broadcast_to(bound, gap.shape[:-1])
    spread = gap.max(axis=-1)
    scaled = gap / np.where(spread > 0, spread, 1.0)[..., None]
    tilt = log_tilt(np.broadcast_to(p, gap.shape), scaled, bound, alpha)
    rise = np.log1p(scaled * np.exp(-tilt)[..., None])
    log_mean = tilted_sums(p, rise, alpha)[1]
    # any δ is a valid bound; δ·(e^{…} − 1) keeps its digits where δ is large
    with np.errstate(over="ignore"):
        margin: FloatArray = spread * np.exp(tilt) * np.expm1(log_mean - bound)
    return margin


def worst_case(ball: RenyiBall, answers: FloatArray) -> WorstCase:
    """Return the most that any output tells about S, over all members of the ball.

    Parameters
    ----------
    ball : RenyiBall
        F.
    answers : ndarray
        P(y | s, u), shape (n_s, n_u, n_y).

    Notes
    -----
    With τ = sin²·budget for s1, log max R1·v − log min R2·v has one peak for α ≥ ½ (a concave
    over a convex function), which is narrowed down. Below ½ every interval whose ends leave
    room for a higher value is cut again, and the result is rounded up.

    Examples
    --------
    >>> ball = RenyiBall([[0.25, 0.25], [0.25, 0.25]], bound=np.inf)
    >>> answers = np.array([[[0.8, 0.2], [0.8, 0.2]], [[0.4, 0.6], [0.2, 0.8]]])
    >>> round(float(np.exp(worst_case(ball, answers).level)), 6)
    4.0
    """
    occurring = np.flatnonzero(answers.max(axis=(0, 1)) > 0)
    values = np.moveaxis(answers[..., occurring], -1, 0)
    values = values / values.max(axis=(1, 2), keepdims=True)
    triples, ceilings, best = _pairs(ball, values)
    order = np.argsort(-ceilings)
    for start in range(0, len(order), _CHUNK):
        chunk = order[start : start + _CHUNK]
        if ceilings[chunk[0]] <= best.level or best.level == np.inf:
            break
        best = _search(ball, values, triples[chunk], best)
    slack = _CELL_TOL if ball.alpha < 0.5 and 0 < ball.budget < np.inf else 0.0
    return replace(best, level=best.level + slack, output=int(occurring[best.output]))


def _pairs(ball: RenyiBall, values: FloatArray) -> tuple[IntArray, FloatArray, WorstCase]:
    """Return all (y, s1, s2), a ceiling of each one's level, and the best of the two ends.

    The ceiling lets both secrets spend the whole budget, the ends give it to one of them.
    """
    p, free, none = ball.p_u_given_s, ball.conditional_bound, bound_of(0.0, ball.p_s, ball.alpha)
    high = [greatest(p, values, bound, ball.alpha) for bound in (none, free)]
    low = [least(p, values, bound, ball.alpha) for bound in (none, free)]
    s1, s2 = np.nonzero(~np.eye(ball.n_s, dtype=bool))
    triples = np.array([(y, i, j) for y in range(len(values)) for i, j in zip(s1, s2, strict=True)])
    best = WorstCase(0.0)
    for spends in (0, 1):
        levels = _log_ratio(high[spends][:, s1], low[1 - spends][:, s2]).ravel()
        top = int(levels.argmax())
        if levels[top] > best.level:
            y, above, below = (int(i) for i in triples[top])
            best = WorstCase(float(levels[top]), y, above, below, spends * np.pi / 2)
    return triples, _log_ratio(high[1][:, s1], low[1][:, s2]).ravel(), best


def _search(ball: RenyiBall, values: FloatArray, triples: IntArray, best: WorstCase) -> WorstCase:
    """Return the better of `best` and of the worst splits of some (y, s1, s2)."""
    one_peak = ball.alpha >= 0.5
    left, right = np.zeros(len(triples)), np.full(len(triples), np.pi / 2)
    for _ in range(_LEVELS if one_peak else _MOST_LEVELS):
        grid = left[:, None] + (right - left)[:, None] * np.linspace(0, 1, _GRID + 1)
        high, low = _values(ball, values, triples, grid)
        levels = _log_ratio(high, low)
        row, column = np.unravel_index(int(levels.argmax()), levels.shape)
        if levels[row, column] > best.level:
            y, above, below = (int(i) for i in triples[row])
            angle = float(grid[row, column])
            best = WorstCase(float(levels[row, column]), y, above, below, angle)
        # more budget raises `high` and lowers `low`: both ends together bound what is between
        ceilings = _log_ratio(high[:, 1:], low[:, :-1])
        if one_peak:
            peak = levels.argmax(axis=1)
            rows, first = np.arange(len(triples)), np.maximum(peak - 1, 0)
            last = np.minimum(peak + 1, _GRID)
            room = np.maximum(ceilings[rows, first], ceilings[rows, last - 1]) > best.level
            triples, left, right = triples[room], grid[rows, first][room], grid[rows, last][room]
        else:
            rows, first = np.nonzero(ceilings > best.level + _CELL_TOL)
            triples, left, right = triples[rows], grid[rows, first], grid[rows, first + 1]
        if len(triples) == 0:
            break
    return best


def _values(
    ball: RenyiBall, values: FloatArray, triples: IntArray, angles: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return max R1·v and min R2·v at splits of the budget, each of shape (n, k)."""
    y, s1, s2 = triples.T
    p, alpha, shape = ball.p_u_given_s, ball.alpha, (*angles.shape, ball.n_u)
    high, low = (
        side(
            np.broadcast_to(p[s][:, None], shape),
            np.broadcast_to(values[y, s][:, None], shape),
            bound_of(_share(ball.budget, part), ball.p_s[s][:, None], alpha),
            alpha,
        )
        for side, s, part in ((greatest, s1, np.sin(angles)), (least, s2, np.cos(angles)))
    )
    return high, low


def _share(budget: float, part: FloatArray) -> FloatArray:
    """Return part²·budget; of an infinite budget every share is infinite."""
    return np.full(part.shape, np.inf) if budget == np.inf else part**2 * budget


def _log_ratio(high: FloatArray, low: FloatArray) -> FloatArray:
    """Return log high/low, ∞ where only low is 0 and −∞ where high is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > 0, np.log(high) - np.log(low), -np.inf)
