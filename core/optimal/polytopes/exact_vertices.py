"""The extreme outputs of a few symbols in whole numbers, without rounding.

Doubles scale to whole numbers, so double description needs no tolerance. The rows themselves were
rounded, so each coefficient is lowered by a few units in its last place. That only enlarges the
set: a bound for its vertices holds for all allowed outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import SolverError, TimeLimitError
from core.optimal.plan import SIZES
from core.validation import FloatArray


class TooManyRaysError(SolverError):
    """There are more than `SIZES.exact_rays` rays."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A ray in whole numbers without a common factor, and the rows it lies on, one bit each."""

    entries: tuple[int, ...]
    tight: int


def may_enumerate(allowed: AllowedSet) -> bool:
    """Return whether an allowed set has few enough rows and variables."""
    n_rows, n_vars = allowed.rows.shape
    # most rows: with more other proofs are faster
    return bool(n_vars <= SIZES.exact_variables and n_rows <= 48)


def exact_vertices(allowed: AllowedSet, p_x: FloatArray, deadline: Deadline = NEVER) -> FloatArray:
    """Return all extreme outputs of a set's rows as posteriors, (k, n_x): Motzkin et al. (1953)."""
    rows = allowed.rows.toarray()
    n = rows.shape[1]
    # part of its size by which each coefficient is lowered: some sixty units in the last place
    lowered = np.full(len(rows), 2.0**-46)
    if allowed.n_auxiliary == 0:  # a row that P_X breaks was rounded by as much at least
        sizes = np.abs(rows) @ p_x  # 0 for a row that asks nothing
        lowered = np.maximum(lowered, 8 * (rows @ p_x) / np.where(sizes > 0, sizes, 1.0))
    whole = {_whole(row, float(by)) for row, by in zip(rows, lowered, strict=True)}
    left = sorted(row for row in whole if max(row) > 0)
    rays = [Ray(tuple(int(i == j) for j in range(n)), ((1 << n) - 1) ^ (1 << i)) for i in range(n)]
    applied = n
    while left:
        levels = [[sum(map(int.__mul__, row, ray.entries)) for ray in rays] for row in left]
        broken = [sum(level > 0 for level in of_row) for of_row in levels]
        kept = [i for i, count in enumerate(broken) if count]
        if not kept:  # rays are only combined, so rows that none breaks stay unbroken
            break
        first = min(kept, key=broken.__getitem__)
        rays = _cut(rays, levels[first], applied)
        applied += 1
        left = [left[i] for i in kept if i != first]
        if len(rays) > SIZES.exact_rays:
            raise TooManyRaysError(f"{len(rays)} vertices: too many for whole numbers.")
        if deadline.over:
            raise TimeLimitError("Time ran out while listing the exact vertices.")
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
