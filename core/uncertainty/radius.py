"""How far a Rényi ball reaches: the range of a set's probability, and the largest ℓ1 distance."""

import numpy as np

from core.uncertainty.extremes import extreme_member, greatest, least
from core.validation import FloatArray

MAX_EXACT = 30
"""Up to this many u the sums of all subsets are searched (2 × 2^15 half sums); beyond it the
result is an upper bound that holds for any sums."""

_GOLDEN = (np.sqrt(5) - 1) / 2


def mass_range(rho: FloatArray, bound: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return the least and greatest R(U1), ρξ⁻(ρ) and ρξ⁺(ρ), over the ball where p(U1) = rho.

    For α = 2, with b = e^B − 1, they are the roots t of (1 + b)t² − (b + 2ρ)t + ρ² = 0. Source:
    [RLDP] eq. 27 and 28; for α = 2 Lemma 1.
    """
    rho, bound = np.broadcast_arrays(np.asarray(rho, np.float64), np.asarray(bound, np.float64))
    if alpha == 2:
        with np.errstate(over="ignore", invalid="ignore"):
            # scaled by e^{−B}, so that a large B does not overflow
            shrink = np.exp(-bound)
            width = -np.expm1(-bound)
            root = np.sqrt(width**2 + 4 * rho * (1 - rho) * width * shrink)
            high = np.minimum((width + 2 * rho * shrink + root) / 2, 1.0)
            low = np.where(rho > 0, rho**2 * shrink / np.where(high > 0, high, 1.0), 0.0)
        return low, high
    pair = np.stack([rho, 1 - rho], axis=-1)
    with_set, without = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    inside = np.broadcast_to(without, pair.shape)  # 1 on the set, 0 off it
    # the member found lies within the ball, the bound by duality just outside: in a small ball
    # the divergence is mostly rounding, and the range must not come out too small
    high = np.maximum(
        extreme_member(pair, with_set, bound, alpha).members[..., 0],
        greatest(pair, inside, bound, alpha),
    )
    low = np.minimum(
        extreme_member(pair, without, bound, alpha).members[..., 0],
        least(pair, inside, bound, alpha),
    )
    return np.where(bound == 0, rho, low), np.where(bound == 0, rho, high)


def radius(p: FloatArray, bound: float, alpha: float) -> float:
    """Return max ‖R − p‖₁ over the ball around p; beyond `MAX_EXACT` symbols an upper bound.

    Twice the maximum over U1 of ρξ⁺(ρ) − ρ at ρ = p(U1) ([RLDP] eq. 30). As D_α is jointly
    quasi-convex, this gain is concave in ρ: only achievable sums next to its peak matter. At α = 2
    the peak is at (1 − √b)/2 and worth √b/2.
    """
    least = float(p.min())
    peak = max(_peak(bound, alpha), least)
    sums = np.array([peak]) if p.size > MAX_EXACT else _sums_next_to(p, peak, least)
    high = _greatest_mass(sums, bound, alpha)
    return float(np.clip(2 * (high - sums).max(), 0.0, 2.0))


def _greatest_mass(rho: FloatArray, bound: float, alpha: float) -> FloatArray:
    """Return the greatest R(U1) where p(U1) = rho: by duality, so never too small."""
    if alpha == 2 or bound == 0:
        return mass_range(rho, np.array(bound), alpha)[1]
    pair = np.stack([rho, 1 - rho], axis=-1)
    inside = np.broadcast_to(np.array([1.0, 0.0]), pair.shape)
    return np.maximum(greatest(pair, inside, np.full(rho.shape, bound), alpha), rho)


def _peak(bound: float, alpha: float) -> float:
    """Return the ρ in [0, 1] at which ρξ⁺(ρ) − ρ is greatest."""
    if alpha == 2:
        return max(0.0, (1 - float(np.sqrt(np.expm1(min(bound, 1.0))))) / 2)
    left, right = 0.0, 1.0
    # golden-section steps from an interval of 1 to below the spacing of doubles
    for _ in range(80):
        points = np.array([right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)])
        gain = _greatest_mass(points, bound, alpha) - points
        if gain[0] >= gain[1]:
            right = float(points[1])
        else:
            left = float(points[0])
    return (left + right) / 2


def _sums_next_to(p: FloatArray, target: float, least: float) -> FloatArray:
    """Return the sums of non-empty subsets nearest to `target` from below and from above."""
    half = p.size // 2
    first, second = _subset_sums(p[:half]), np.sort(_subset_sums(p[half:]))
    place = np.searchsorted(second, target - first, side="right")
    below = first + second[np.maximum(place - 1, 0)]
    above = first + second[np.minimum(place, second.size - 1)]
    found = np.concatenate([below, above])
    found = np.minimum(found[found >= least], 1.0)
    under, over = found[found <= target], found[found >= target]
    return np.array(
        [*under.max(initial=least, keepdims=True), *over.min(initial=1.0, keepdims=True)]
    )


def _subset_sums(p: FloatArray) -> FloatArray:
    """Return the sums of all subsets, shape (2^n,)."""
    sums = np.zeros(1)
    for probability in p:
        sums = np.concatenate([sums, sums + probability])
    return sums
