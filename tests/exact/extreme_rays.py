"""The extreme rays of a pointed cone, in whole numbers: the double description method."""

from itertools import product
from math import gcd

Vector = tuple[int, ...]


def extreme_rays(n, rows):
    """Return the extreme rays of {v ≥ 0 : row·v ≥ 0 for all rows} as primitive integer vectors.

    A ray carries the set of conditions that are tight on it, as bits. Two rays share an edge iff
    no third one is tight wherever both are.
    """
    orthant = (1 << n) - 1
    result = [(tuple(int(i == j) for j in range(n)), orthant & ~(1 << i)) for i in range(n)]
    for number, row in enumerate(rows, start=n):
        result = _with(result, row, 1 << number, n)
    return [ray for ray, _ in result]


def _with(rays, row, bit, n):
    """Return the rays of the cone that one more row leaves."""
    above, on, below = [], [], []
    for ray, tight in rays:
        level = sum(a * b for a, b in zip(row, ray, strict=True))
        if level > 0:
            above.append((ray, tight, level))
        elif level < 0:
            below.append((ray, tight, level))
        else:
            on.append((ray, tight | bit))
    kept = [(ray, tight) for ray, tight, _ in above] + on
    everything = [tight for _, tight in rays]
    for (high, tight_high, up), (low, tight_low, down) in product(above, below):
        shared = tight_high & tight_low
        if shared.bit_count() < n - 2:
            continue
        if sum(tight & shared == shared for tight in everything) > 2:
            continue
        kept.append(
            (primitive([up * b - down * a for a, b in zip(high, low, strict=True)]), shared | bit)
        )
    return kept


def primitive(vector):
    """Return an integer vector divided by the greatest common divisor of its entries."""
    divisor = gcd(*vector)
    return tuple(entry // divisor for entry in vector) if divisor > 1 else tuple(vector)
