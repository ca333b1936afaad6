"""Linear rows of allowed sets: conditions row·r ≤ 0 on r ∝ P(x | y).

lift_s(r) = Σ_x l(s, x) r(x) / Σ_x r(x), with l the lift of the data. Rows have a largest
coefficient of 1; one without a positive coefficient is dropped, since r ≥ 0 implies it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures
from core.allowed.allowed_set import AllowedSet, AverageBudget, SeparationOracle
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import CLOSE, LIFT_NOISE
from core.validation import FloatArray

INDEPENDENT = 50 * LIFT_NOISE
"""Largest relative difference of lifts with which weights count as those of independent symbols."""


def excess_lift(joint: Joint, among: ArrayLike | None = None, budget: float = np.inf) -> FloatArray:
    """Return l(s, x) − 1, shape (n_s, n_x), rounded once.

    Where S is nearly independent of X, differences of rounded lifts would be half rounding error;
    at a budget of 0, where each row is an equation, that error would decide what is allowed. Counts
    are exact. For other weights a relative difference of up to `LIFT_NOISE` counts as 0, and S as
    independent of X where none is above `INDEPENDENT`. Where the least `budget` of the rows is up
    to `CLOSE`, posteriors that equal each other or mixtures of others up to `LIFT_NOISE` do
    so exactly, since the audit takes them for equal.
    """
    counts = joint.counts
    counted = counts is not None
    p = joint.p if counts is None else counts
    p = p if among is None else p[:, np.asarray(among)]
    p = p[p.sum(axis=1) > 0]
    of_s, of_x, total = _sum(p, 1), _sum(p, 0), _sum(p.ravel(), 0)
    left = _product((p, np.zeros_like(p)), total)
    right = _product((of_s[0][:, None], of_s[1][:, None]), of_x)
    gap = (left[0] - right[0]) + (left[1] - right[1])
    below = np.where(right[0] > 0, right[0], 1.0)
    if not counted:
        size = np.abs(gap) / np.maximum(np.maximum(left[0], right[0]), np.finfo(float).tiny)
        gap = np.where((size <= LIFT_NOISE) | (size.max(initial=0.0) <= INDEPENDENT), 0.0, gap)
    result: FloatArray = gap / below
    return result if counted or budget > CLOSE else _without_noise(result, budget)


_CLEAR = 1e-5
"""Least pivot, relative to the largest lift of its row, that is clearly not rounding: `LIFT_NOISE`
moves the utility by less than its tolerance there."""


def _without_noise(excess: FloatArray, budget: float) -> FloatArray:
    """Return l − 1 without what only rounding adds to its rank; unchanged if that is unclear."""
    # half, as LDP compares two lifts; the audit's slack exceeds a budget up to `LIFT_NOISE`
    most = INDEPENDENT if budget <= LIFT_NOISE else LIFT_NOISE / 2
    reduced = _eliminated(excess, most)
    return excess if reduced is None else excess - reduced[1]


def _eliminated(excess: FloatArray, most: float) -> tuple[FloatArray, FloatArray] | None:
    """Return independent combinations of rows, (k, n_x), and what no combination of them explains.

    Elimination with the largest entry as pivot ends where what is left is at most `most` of the
    larger of 1 and the lift; None where a pivot is not clearly more than that. A secret that
    occurs with a rare symbol alone has a lift there that is 1e12 times all others: its row then
    implies the rows that differ by as little.
    """
    lift = 1 + excess
    room, size = most * np.maximum(lift, 1.0), lift.max(axis=1)
    rest, pivots = excess.copy(), []
    while (np.abs(rest) > room).any():
        s, x = np.unravel_index(int(np.abs(rest).argmax()), rest.shape)
        pivot = rest[s].copy()
        if abs(pivot[x]) <= _CLEAR * size[s]:
            return None
        pivots.append(pivot)
        rest = rest - np.outer(rest[:, x] / pivot[x], pivot)
        rest[s], rest[:, x] = 0.0, 0.0
    return np.array(pivots).reshape(-1, excess.shape[1]), rest


def _sum(values: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Return sums along an axis, each as a rounded sum and its rounding error (Knuth's TwoSum)."""
    moved = np.moveaxis(values, axis, 0)
    total, error = np.zeros(moved.shape[1:]), np.zeros(moved.shape[1:])
    for value in moved:
        ahead = total + value
        part = ahead - total
        error = error + ((total - (ahead - part)) + (value - part))
        total = ahead
    whole = total + error
    return whole, error - (whole - total)


def _product(
    a: tuple[FloatArray, FloatArray], b: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return products of numbers, all as a double and its rounding error (Dekker's TwoProduct)."""
    high = a[0] * b[0]
    a_top, a_rest = halves(a[0])
    b_top, b_rest = halves(b[0])
    low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest
    return high, low + (a[0] * b[1] + a[1] * b[0])


def halves(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two parts of 26 bits that add up to each value: their products are exact."""
    # Veltkamp's constant: it splits a double into two halves of 26 bits
    big = (2.0**27 + 1) * value
    top = big - (big - value)
    return top, value - top


_SMALL = 1e-6
"""Lift below which 1 plus its excess has fewer than ten digits."""


def data_lift(joint: Joint) -> FloatArray:
    """Return C[s, x] = l(s, x), shape (n_s, n_x)."""
    return measures.lift(joint.p)


def lift_at_most(
    excess: FloatArray, log_bounds: FloatArray | float, weights: FloatArray | float = 1.0
) -> FloatArray:
    """Return rows of lift_s(r) ≤ e^{bound_s}, (at most n_s, n_x); none where bound_s = ∞."""
    bounds = _column(log_bounds, excess)
    shrink = np.exp(-bounds)
    gap = difference(shrink * (1 + excess), 1.0, shrink * excess, -np.expm1(-bounds))
    return scaled(gap * weights)


def lift_at_least(
    excess: FloatArray,
    log_bounds: FloatArray | float,
    weights: FloatArray | float = 1.0,
    lift: FloatArray | None = None,
) -> FloatArray:
    """Return rows of lift_s(r) ≥ e^{−bound_s}, as `lift_at_most`; with `lift` even below 1e-16."""
    bounds = _column(log_bounds, excess)
    values = 1 + excess if lift is None else lift
    gap = difference(np.exp(-bounds), values, np.expm1(-bounds), excess)
    return scaled(gap * weights)


def lifts(
    joint: Joint,
    excess: FloatArray,
    among: ArrayLike | None = None,
    budget: float = np.inf,
) -> FloatArray:
    """Return l(s, x) for its excess over 1, to which adding 1 loses the digits of a small lift."""
    near = 1 + excess
    if budget <= CLOSE or (near >= _SMALL).all():
        return near
    p = joint.p if among is None else joint.p[:, np.asarray(among)]
    p = p[p.sum(axis=1) > 0]
    result: FloatArray = np.where(near < _SMALL, measures.lift(p / p.sum()), near)
    return result


def scaled(rows: FloatArray) -> FloatArray:
    """Return the rows with a positive coefficient, each scaled to a largest magnitude of 1."""
    useful = rows[(rows > 0).any(axis=1)]
    result: FloatArray = useful / np.abs(useful).max(axis=1, keepdims=True, initial=0.0)
    return result


def equations(excess: FloatArray, joint: Joint) -> FloatArray:
    """Return rows of outputs that are independent of S: every lift is 1, (at most 2·n_s, n_x).

    Weights are rounded, so their n_s equations, which depend on each other, would contradict each
    other about a symbol of small probability: as many as their rank stay.
    """
    if joint.counts is None:
        # `_without_noise` leaves a few units in the last place
        reduced = _eliminated(excess, 64 * float(np.finfo(float).eps))
        if reduced is not None:
            excess = reduced[0]
    return scaled(np.vstack([excess, -excess]))


def plain(
    rows: FloatArray,
    oracle: SeparationOracle | None = None,
    each: tuple[AverageBudget, ...] = (),
) -> AllowedSet:
    """Return the allowed set of rows without auxiliary variables, shape (n_rows, n_x)."""
    return AllowedSet(sparse.csr_array(rows), rows.shape[1], oracle, each=each)


def combined(sets: Sequence[AllowedSet]) -> AllowedSet:
    """Return the intersection; where one allows exceptions, the others hold for these too."""
    n_x = sets[0].n_x
    failing = [part for part in sets if part.exceptions > 0]
    if len(failing) > 1:
        raise InvalidInputError(
            "Only one of several notions may have exceptions of probability δ, got δ = "
            f"{_listed(failing)}: put those that may fail into one, as EpsDelta(Intersection(…), "
            "δ), or set the δ of the others to 0."
        )
    exceptions, excepted = max(part.exceptions for part in sets), None
    always = [part for part in sets if part.exceptions == 0]
    sets = [*always, *failing]
    if failing and any(part.rows.shape[0] or part.oracle is not None for part in always):
        excepted = combined(always)
    outputs = sparse.vstack([part.rows[:, :n_x] for part in sets], format="csr")
    auxiliary = sparse.block_diag([part.rows[:, n_x:] for part in sets], format="csr")
    rows = sparse.csr_array(sparse.hstack([outputs, auxiliary], format="csr"))
    oracles = tuple(part.oracle for part in sets if part.oracle is not None)
    blocks = tuple(ways for part in sets for ways in part.blocks)
    return AllowedSet(
        *(rows, n_x, all_cuts(oracles), blocks),
        budgets=tuple(budget for part in sets for budget in part.budgets),
        each=tuple(bound for part in sets for bound in part.each),
        exceptions=exceptions,
        excepted=excepted,
    )


def _listed(sets: Sequence[AllowedSet]) -> str:
    return " and ".join(f"{part.exceptions:.6g}" for part in sets)


def all_cuts(oracles: Sequence[SeparationOracle]) -> SeparationOracle | None:
    """Return one oracle that gives the cuts of all, None for an empty sequence."""
    if len(oracles) <= 1:
        return oracles[0] if oracles else None
    return _Cuts(tuple(oracles))


class _Cuts:
    """The cuts of several oracles, stacked."""

    def __init__(self, oracles: tuple[SeparationOracle, ...]) -> None:
        self.oracles = oracles

    def __call__(self, r: FloatArray) -> FloatArray:
        return np.vstack([oracle(r) for oracle in self.oracles])


def _column(bounds: FloatArray | float, excess: FloatArray) -> FloatArray:
    """Return the bounds as a column, shape (n_s, 1), of a scalar or an array (n_s,)."""
    return np.broadcast_to(np.asarray(bounds, dtype=np.float64), excess.shape[:1])[:, None]


def difference(
    left: FloatArray | float,
    right: FloatArray | float,
    left_excess: FloatArray | float,
    right_excess: FloatArray | float,
) -> FloatArray:
    """Return left − right by the smaller pair, values or excesses, 0 where it is rounding only."""
    size = np.maximum(np.abs(left), np.abs(right))
    excess_size = np.maximum(np.abs(left_excess), np.abs(right_excess))
    near = excess_size < size
    gap = np.where(near, np.subtract(left_excess, right_excess), np.subtract(left, right))
    # relative difference of two numbers that counts as rounding: a few units in the last place. A
    # row is scaled to 1, so noise left in it would become a condition
    noise = np.abs(gap) <= 1e-15 * np.where(near, excess_size, size)
    result: FloatArray = np.where(noise, 0.0, gap)
    return result
