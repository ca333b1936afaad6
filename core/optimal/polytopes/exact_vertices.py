"""The extreme outputs of a few symbols in whole numbers, without rounding.

A double is a whole number times a power of 2, so rows are scaled to whole numbers and double
description needs no tolerance: a ray is on a row or it is not, even where the polytope is
degenerate. The rows themselves were rounded, so each coefficient is lowered by a few units in its
last place. That only enlarges the set: a bound for its vertices holds for all allowed outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import SolverError, TimeLimitError
from core.validation import FloatArray

ROUNDED = 2.0**-46
"""Part of its size by which each coefficient is lowered: some sixty units in the last place."""

MOST_VARIABLES = 8
"""Most symbols and auxiliary variables: with more the whole numbers get long and the rays many."""

MOST_ROWS = 48
"""Most rows: with more other proofs are faster."""

MOST_RAYS = 160
"""Most rays at any time: with more other proofs are faster."""


class TooManyRaysError(SolverError):
    """There are more than `MOST_RAYS` rays."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A ray in whole numbers without a common factor, and the rows it lies on, one bit each."""

    entries: tuple[int, ...]
    tight: int


def may_enumerate(allowed: AllowedSet) -> bool:
    """Return whether an allowed set has few enough rows and variables."""
    n_rows, n_vars = allowed.rows.shape
    return bool(n_vars <= MOST_VARIABLES and n_rows <= MOST_ROWS)


def exact_vertices(allowed: AllowedSet, p_x: FloatArray, deadline: Deadline = NEVER) -> FloatArray:
    """Return all extreme outputs of an allowed set's rows, as posteriors, shape (k, n_x).

    Source: Motzkin et al., The double description method (1953).

    Parameters
    ----------
    allowed : AllowedSet
        The set; its oracle is not used.
    p_x : ndarray
        P(x), shape (n_x,), which is allowed.
    deadline : Deadline
        When to stop.

    Raises
    ------
    TooManyRaysError
        If there are more than `MOST_RAYS` at any time.
    TimeLimitError
        If time is over.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LDP
    >>> independent = Joint.from_counts([[1, 2], [3, 6]])
    >>> exact_vertices(LDP(0).allowed_set(independent), independent.p_x)
    array([[0., 1.],
           [1., 0.]])
    """
    rows = allowed.rows.toarray()
    n = rows.shape[1]
    lowered = np.full(len(rows), ROUNDED)
    if allowed.n_auxiliary == 0:  # a row that P_X breaks was rounded by as much at least
        sizes = np.abs(rows) @ p_x  # 0 for a row that asks nothing
        lowered = np.maximum(lowered, 8 * (rows @ p_x) / np.where(sizes > 0, sizes, 1.0))
    whole = {_whole(row, float(by)) for row, by in zip(rows, lowered, strict=True)}
    left = sorted(row for row in whole if max(row) > 0)
    rays = [Ray(tuple(int(i == j) for j in range(n)), ((1 << n) - 1) ^ (1 << i)) for i in range(n)]
    applied = n
    while left:
        levels = [[sum(map(int.__mul__, row, ray.entries)) for ray in rays] for row in left]
        broken = [sum(level > 0 for level in found) for found in levels]
        kept = [i for i, count in enumerate(broken) if count]
        if not kept:  # rays are only combined, so rows that none breaks stay unbroken
            break
        first = min(kept, key=broken.__getitem__)
        rays = _cut(rays, levels[first], applied)
        applied += 1
        left = [left[i] for i in kept if i != first]
        if len(rays) > MOST_RAYS:
            raise TooManyRaysError(f"{len(rays)} vertices: too many for whole numbers.")
        if deadline.over:
            raise TimeLimitError("Time was over among the exact vertices.")
    outputs = {ray.entries[: allowed.n_x] for ray in rays}
    points = [[entry / sum(r) for entry in r] for r in sorted(outputs) if any(r)]
    return np.array(points, dtype=np.float64).reshape(-1, allowed.n_x)


def _whole(row: FloatArray, by: float) -> tuple[int, ...]:
    """Return a row with each coefficient lowered by a part of its size, scaled to whole numbers."""
    pairs = [float(value).as_integer_ratio() for value in row]
    scale = max(below for _, below in pairs)  # a power of 2, as all are
    numbers = [above * (scale // below) for above, below in pairs]
    part, of = by.as_integer_ratio()
    lowered = [value * of - abs(value) * part for value in numbers]
    common = math.gcd(*lowered) or 1
    return tuple(value // common for value in lowered)


def _cut(rays: list[Ray], levels: list[int], row: int) -> list[Ray]:
    """Return the rays of a cone cut by row·r ≤ 0, given the row's value at each ray."""
    bit = 1 << row
    result = [
        Ray(ray.entries, ray.tight | (bit if level == 0 else 0))
        for ray, level in zip(rays, levels, strict=True)
        if level <= 0
    ]
    outside = [i for i, level in enumerate(levels) if level > 0]
    inside = [i for i, level in enumerate(levels) if level < 0]
    least = len(rays[0].entries) - 2 if rays else 0
    for i in outside:
        for j in inside:
            common = rays[i].tight & rays[j].tight
            if common.bit_count() < least:
                continue
            others = sum(common & ray.tight == common for ray in rays)
            if others > 2:  # no edge: a third ray lies on all rows that both lie on
                continue
            a, b = levels[i], -levels[j]
            entries = [b * x + a * y for x, y in zip(rays[i].entries, rays[j].entries, strict=True)]
            factor = math.gcd(*entries)
            result.append(Ray(tuple(entry // factor for entry in entries), common | bit))
    return result
