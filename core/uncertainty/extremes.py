"""The range of R·v over a Rényi ball: the member R that is extreme, and bounds by weak duality.

To maximize R·v over D_α(p‖R) ≤ y take gap = max v − v, to minimize it gap = v − min v. The best R
is R_u ∝ p_u (δ + gap_u)^{−1/α}, with the δ ≥ 0 at which D_α(p‖R) = y. By Hölder's inequality, for
every order (k = 0 is the geometric mean),

max {R·v : D_α(p‖R) ≤ y} = min over ν ≥ max v of ν − e^{−y}·(Σ p (ν − v)^k)^{1/k}, k = (α−1)/α,

likewise for the least: there an inexact search only widens the range.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.limits import ROUNDING
from core.validation import BoolArray, FloatArray


def renyi_divergence(p: ArrayLike, q: ArrayLike, alpha: float) -> FloatArray:
    """Return D_α(p‖q) in nats over the last axis, ∞ where q = 0 < p (α < 1: for all p > 0)."""
    first, second = np.broadcast_arrays(np.asarray(p, np.float64), np.asarray(q, np.float64))
    seen = first > 0
    with np.errstate(divide="ignore"):
        log_ratio = np.where(seen, np.log(np.where(seen, first, 1.0)) - np.log(second), 0.0)
    if alpha == 1:
        result: FloatArray = np.asarray((first * log_ratio).sum(axis=-1))
    else:
        result = np.asarray(log_mean_exp(first, (alpha - 1) * log_ratio) / (alpha - 1))
    return np.asarray(np.maximum(result, 0.0))


def log_mean_exp(weights: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return log Σ w·e^a over the last axis, Σw = 1 or 0 (then 0), to full precision near 0."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        near = (weights * np.expm1(exponents)).sum(axis=-1)
        total: FloatArray = np.asarray(np.log1p(near))
        far = ~((near > -0.75) & (near < np.inf))  # where log1p of Σ w·(e^a − 1) loses digits
        if far.any():
            shares = np.broadcast_to(weights, exponents.shape)
            total[far] = _log_sum_exp(shares[far], exponents[far])
    return total


def _log_sum_exp(weights: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return log Σ w·e^a of rows of shape (k, n), scaled by the largest term; ∞ if that is ∞."""
    seen = weights > 0
    top = np.where(seen, exponents, -np.inf).max(axis=-1, keepdims=True)
    shifted = np.exp(np.where(seen & np.isfinite(top), exponents - top, -np.inf))
    total: FloatArray = top[:, 0] + np.log((weights * shifted).sum(axis=-1))
    return np.where(top[:, 0] == np.inf, np.inf, total)


def budget_of(bound: ArrayLike, alpha: float) -> FloatArray:
    """Return a bound in units in which divergences add up: expm1(kB)/k, k = (α−1)/α; B at α = 1.

    In these units the divergence of a joint is at least the sum over s of P̂(s) times that of its
    conditionals. For α ≠ 1, D_α(P̂‖P) ≤ B says sign(α−1)·Σ_s P̂_s^α P_s^{1−α} χ_s ≤
    sign(α−1)·e^{(α−1)B} with χ_s = e^{(α−1)D_s}. The best masses P_s ∝ P̂_s χ_s^{1/α} leave
    Σ_s P̂_s (e^{k D_s} − 1)/k ≤ (e^{kB} − 1)/k; for one s alone [RLDP] Theorem 1.
    """
    value = np.asarray(bound, dtype=np.float64)
    k = (alpha - 1) / alpha
    if k == 0:
        return value
    with np.errstate(over="ignore"):
        result: FloatArray = np.expm1(k * value) / k
    return result


def bound_of(budget: ArrayLike, p_s: ArrayLike, alpha: float) -> FloatArray:
    """Return how far, in nats, the conditional of s may move on a budget: [RLDP] Th. 1, eq. 23."""
    spent, mass = np.broadcast_arrays(np.asarray(budget, np.float64), np.asarray(p_s, np.float64))
    k = (alpha - 1) / alpha
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = np.where(mass > 0, spent / mass, np.inf)
        if k == 0:
            return relative
        moved = np.where(k * relative > -1, np.log1p(k * relative) / k, np.inf)
    return np.where(relative == np.inf, np.inf, moved)


LOWEST_TILT, HIGHEST_TILT = -1e5, 60.0
"""Limits of log δ for gaps of up to 1: beyond them R is a corner, or p, as far as doubles tell."""

TINY = np.finfo(np.float64).tiny
"""Least denominator: a sum that is 0 is not divided by."""


class Extreme(NamedTuple):
    """Members R of balls, (..., n), and the log of what more budget would add, −∞ for nothing.

    That is of one more unit of `budget_of`, spent on this conditional alone with P̂(s) = 1.
    """

    members: FloatArray
    log_price: FloatArray


def log_tilt(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return log δ of the tilt at which D_α(p‖R) = bound, within the two limits."""
    tilt = np.full(bound.shape, LOWEST_TILT)
    most = greatest_divergence(p, gap, alpha)
    within = bound < most
    p, gap, bound, most = p[within], gap[within], bound[within], most[within]
    mean = _mean(p, gap)
    variance = _mean(p, (gap - mean[:, None]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inner = _first_tilt(mean, variance, bound, alpha)
        inner = np.where(np.isnan(inner), LOWEST_TILT, np.clip(inner, LOWEST_TILT, HIGHEST_TILT))
        left = np.flatnonzero(inner < _HARDLY_TILTED)
        inner[left], met = _approached(
            *(p[left], gap[left], bound[left], most[left]), inner[left], alpha
        )
        left = left[~met]
        if len(left):
            inner[left] = _searched(p[left], gap[left], bound[left], inner[left], alpha)
    tilt[within] = inner
    return tilt


def _first_tilt(
    mean: FloatArray, variance: FloatArray, bound: FloatArray, alpha: float
) -> FloatArray:
    """Return log δ, (k,), near where D_α(p‖R) is the bound, from the gaps' mean and variance.

    For small bounds D ≈ variance / (2α(δ + mean)²), and for larger ones δ falls faster: both are so
    with u exp(−mean/u) for δ, u = δ + mean.
    """
    log_sum = 0.5 * np.log(variance / (2 * alpha * bound))
    # Newton's steps are slow from far below
    result: FloatArray = log_sum - np.minimum(mean * np.exp(-log_sum), 3.0)
    return result


def greatest_divergence(p: FloatArray, gap: FloatArray, alpha: float) -> FloatArray:
    """Return the limit of D_α(p‖R) for δ → 0, where R is on the seen symbols of gap 0, if any."""
    seen, k = p > 0, (alpha - 1) / alpha
    best = gap == 0
    lowest: BoolArray = np.any(seen & best, axis=-1)
    others: BoolArray = np.any(seen > best, axis=-1)
    reached = np.where(lowest & others, np.inf, 0.0)
    if alpha < 1:
        weight = (p * best).sum(axis=-1)
        reached = np.where(lowest & others, np.log(np.where(lowest, weight, 1.0)) / k, 0.0)
    unseen = others & ~lowest
    if unseen.any():
        known = p[unseen]
        with np.errstate(divide="ignore"):
            log_gap = np.where(known > 0, np.log(gap[unseen]), 0.0)
        mean = power_mean(known, log_gap, alpha)
        reached[unseen] = log_mean_exp(known, -log_gap / alpha) + mean / alpha
    return reached


def _searched(
    p: FloatArray, gap: FloatArray, bound: FloatArray, tilt: FloatArray, alpha: float
) -> FloatArray:
    """Return log δ as `log_tilt`, (k,), searched from a start: Newton's steps and bisection."""
    low, high = np.full(bound.shape, LOWEST_TILT), np.full(bound.shape, HIGHEST_TILT)
    goal = np.log(bound)
    for step in range(200):  # Newton takes 4 to 10 steps; bisection alone takes fewer than this
        divergence, slope = _divergence(p, gap, tilt, alpha)
        miss = np.log(divergence) - goal
        low = np.where(miss > 0, tilt, low)
        high = np.where(miss > 0, high, tilt)
        # D falls like a power of δ at both ends: Newton in logarithms is nearly exact there
        ahead = tilt - miss * divergence / slope
        # every fourth step halves: where D is rounding Newton hardly moves
        inside = (ahead > low) & (ahead < high) & (step % 4 < 3)
        following = np.where(inside, ahead, (low + high) / 2)
        close = (np.abs(miss) <= ROUNDING) | (np.abs(divergence - bound) <= 1e-15)
        done = close | (high - low <= ROUNDING * np.maximum(1.0, np.abs(low)))
        tilt = np.where(done, tilt, following)
        if done.all():
            break
    return tilt


_PLAIN = (-50.0, 8.0)
"""Tilts at which plain powers have digits enough."""

_HARDLY_TILTED = 18.0
"""Tilt from which on the second-order approximation has more digits than a search."""

_APPROACH = 14
"""Most points that are tried in plain powers: each takes a fifth of a step with all digits."""


def _approached(
    p: FloatArray,
    gap: FloatArray,
    bound: FloatArray,
    most: FloatArray,
    start: FloatArray,
    alpha: float,
) -> tuple[FloatArray, BoolArray]:
    """Return log δ, (k,), of Newton's steps in plain powers, and where D_α(p‖R) is the bound.

    D/(most − D), `most` its limit for δ → 0, is nearly a power of δ at both ends.
    """
    tilt, goal, odds = start.copy(), np.log(bound), np.log(bound) - np.log1p(-bound / most)
    met, left = np.zeros(len(tilt), dtype=bool), np.arange(len(tilt))
    for _ in range(_APPROACH):
        here = tilt[left]
        delta = np.exp(here)
        divergence, slope = _in_powers(p, delta[:, None] + gap, alpha)
        log_divergence, rest = np.log(divergence), 1 - divergence / most
        miss = log_divergence - goal
        step = (log_divergence - np.log(rest) - odds) * rest * divergence / (delta * slope)
        plain = (here > _PLAIN[0]) & (here < _PLAIN[1])
        exact = plain & _has_digits(divergence, alpha)
        met[left] = exact & (np.abs(miss) <= ROUNDING)
        going = plain & ~met[left] & np.isfinite(step)
        tilt[left[going]] = np.clip(here - step, *_PLAIN)[going]
        if not going.all():
            left, p, gap = left[going], p[going], gap[going]
            goal, odds, most = goal[going], odds[going], most[going]
        if len(left) == 0:
            break
    return tilt, met


def _in_powers(p: FloatArray, z: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return D_α(p‖R) of R ∝ p z^{−1/α}, z = δ + gap, (k, n), and its derivative in δ."""
    if alpha == 2:
        root = np.sqrt(z)
        weights = p / root
        mean, total = _mean(p, root), weights.sum(axis=-1)
        # Σ p/√z · Σ p√z − 1 as a sum of squares, which has all digits however small it is
        apart = _mean(weights, (root - mean[:, None]) ** 2) / mean
        divergence = np.log1p(apart)
    else:
        weights = p * z ** (-1 / alpha)
        mean, total = _mean(weights, z), weights.sum(axis=-1)
        if alpha == 1:
            divergence = np.log(total) + _mean(p, np.log(z))
        else:
            divergence = np.log(total) + np.log(mean) / (alpha - 1)
    return divergence, (total / mean - _mean(weights, 1 / z) / total) / alpha


def _has_digits(divergence: FloatArray, alpha: float) -> BoolArray:
    """Return where a D of `_in_powers` has digits enough, (k,).

    A difference of logarithms of order 1 has them where it is not small; divided by α − 1 it has
    fewer the nearer the order is to 1.
    """
    apart = 1.0 if alpha == 1 else min(1.0, abs(alpha - 1))
    return np.asarray((alpha == 2) | (divergence * apart > 1e-3))


def _mean(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return Σ w·v of rows, (k, n) each."""
    result: FloatArray = np.einsum("ku,ku->k", weights, values)
    return result


def _log_rise(gap: FloatArray, tilt: FloatArray) -> FloatArray:
    """Return log(1 + gap/δ), (..., n), gaps of up to 1."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rise: FloatArray = np.log1p(gap * np.exp(-tilt)[..., None])
        steep = tilt < -600  # where gap/δ may be no double
        if steep.any():
            rise[steep] = np.logaddexp(0.0, np.log(gap[steep]) - tilt[steep][..., None])
    return rise


def _divergence(
    p: FloatArray, gap: FloatArray, tilt: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return D_α(p‖R) and its derivative with respect to log δ, each of shape (...,)."""
    rise = _log_rise(gap, tilt)
    total, mean = log_mean_exp(p, -rise / alpha), power_mean(p, rise, alpha)
    near = np.exp(-rise)
    tilted = p * np.exp(-rise / alpha - total[..., None])
    k = (alpha - 1) / alpha
    mixed = p * np.exp(k * (rise - mean[..., None]))
    slope = ((mixed - tilted) * near).sum(axis=-1) / alpha
    return np.maximum(total + mean / alpha, 0.0), slope


def power_mean(p: FloatArray, rise: FloatArray, alpha: float) -> FloatArray:
    """Return the log of x's power mean of order k = (α−1)/α, x = e^rise = 1 + gap/δ.

    D_α(p‖R) is 1/α of it plus log Σ p·x^{−1/α}.
    """
    k = (alpha - 1) / alpha
    result: FloatArray = (p * rise).sum(axis=-1) if k == 0 else log_mean_exp(p, k * rise) / k
    return result


def extreme_member(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> Extreme:
    """Return the R of the ball that minimizes R·gap, and the price of its bound."""
    p, gap = np.broadcast_arrays(p, gap)
    bound = np.broadcast_to(np.asarray(bound, np.float64), p.shape[:-1])
    spread = np.max(gap, axis=-1)
    level = spread == 0
    scaled = gap / np.where(level, 1.0, spread)[..., None]
    tilt = log_tilt(p, scaled, bound, alpha)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rise = _log_rise(scaled, tilt)
        lowest = np.where(p > 0, rise, np.inf).min(axis=-1)
        lowest = np.where(lowest < np.inf, lowest, 0.0)
        members = p * np.exp(np.minimum(lowest[..., None] - rise, 0.0) / alpha)
        sums = members.sum(axis=-1)
        total = np.where(sums > 0, np.log(sums) - lowest / alpha, 0.0)  # log Σ p·x^{−1/α}
        members = members / np.maximum(sums, TINY)[..., None]
        beyond = (tilt == LOWEST_TILT) & ~level
        # the derivative of the value with respect to the budget: the Lagrange condition at any u
        price = tilt + np.log(spread) - alpha * total + (alpha - 1) * ((alpha - 1) / alpha) * bound
        if beyond.any():
            known, apart, most = p[beyond], scaled[beyond], bound[beyond]
            reached = total[beyond] + power_mean(known, rise[beyond], alpha) / alpha
            left = np.exp(np.maximum(reached, 0.0) - most)
            unseen = np.isfinite(most) & ~((known > 0) & (apart == 0)).any(axis=-1)
            price[beyond] = np.where(unseen, price[beyond] + alpha * np.log(left), -np.inf)
            members[beyond] = _corner(known, apart, left, members[beyond])
    members = np.where(level[..., None] & (p.sum(axis=-1) > 0)[..., None], p, members)
    return Extreme(members, np.where(level, -np.inf, price))


def nearly_extreme(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return members R of balls, (..., n), with R·gap hardly above the least, in half the time.

    D_α(p‖·) is convex, so where D exceeds the bound a part of the way from p is inside.
    """
    p, gap = np.broadcast_arrays(p, gap)
    shape, n = gap.shape, gap.shape[-1]
    p, gap = p.reshape(-1, n), gap.reshape(-1, n)
    bound = np.broadcast_to(np.asarray(bound, np.float64), shape[:-1]).ravel()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = gap / gap.max(axis=-1, keepdims=True)
        mean = _mean(p, scaled)
        tilt = _first_tilt(mean, _mean(p, (scaled - mean[:, None]) ** 2), bound, alpha)
        limit = greatest_divergence(p, scaled, alpha)
        quick = (tilt < _HARDLY_TILTED) & (bound < limit)
        some, apart, y, most = p[quick], scaled[quick], bound[quick], limit[quick]
        delta, odds = np.exp(np.maximum(tilt[quick], _PLAIN[0])), np.log(y / (1 - y / most))
        for _ in range(3):  # with two, answers of climbs lost a hundredth when made exact
            divergence, slope = _in_powers(some, delta[:, None] + apart, alpha)
            left = 1 - divergence / most
            step = (np.log(divergence / left) - odds) * left * divergence / (delta * slope)
            delta = np.exp(np.clip(np.log(delta) - step, *_PLAIN))
        z = delta[:, None] + apart
        divergence = _in_powers(some, z, alpha)[0]
        tilted = some * (1 / np.sqrt(z) if alpha == 2 else z ** (-1 / alpha))
        tilted /= tilted.sum(axis=-1, keepdims=True)
        members = np.empty(gap.shape)
        members[quick] = some + np.minimum(y / divergence, 1.0)[:, None] * (tilted - some)
        # others converge slowly, or have no digits
        exact = (np.abs(divergence - y) < 1e-3 * y) & _has_digits(divergence, alpha)
        beyond = np.flatnonzero(bound >= limit)
        if len(beyond):
            few, apart = p[beyond], scaled[beyond]
            tilted = few * np.where(few > 0, apart, 1.0) ** (-1 / alpha)
            tilted /= tilted.sum(axis=-1, keepdims=True)
            left = np.exp(limit[beyond] - bound[beyond])
            members[beyond] = _corner(few, apart, left, tilted)
    quick[quick] = exact
    quick[beyond] = True
    rest = np.flatnonzero(~quick)
    if len(rest):
        members[rest] = extreme_member(p[rest], gap[rest], bound[rest], alpha).members
    return members.reshape(shape)


def _corner(p: FloatArray, gap: FloatArray, left: FloatArray, tilted: FloatArray) -> FloatArray:
    """Return R where the ball reaches further than any tilt.

    If a symbol with p > 0 has gap 0, all mass goes to those. Else one with p = 0 takes what the
    tilted part, scaled by `left`, leaves; scaling by w adds −log w to the divergence of every
    order.
    """
    best = (p > 0) & (gap == 0)
    weight = (p * best).sum(axis=-1, keepdims=True)
    seen = p * best / np.where(weight > 0, weight, 1.0)
    first = np.arange(p.shape[-1]) == np.argmin(gap, axis=-1)[..., None]
    known = tilted.sum(axis=-1, keepdims=True) > 0
    share = np.where(known, left[..., None], 0.0)
    unseen = share * tilted + (1 - share) * first
    result: FloatArray = np.where(weight > 0, seen, unseen)
    return result


def greatest(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return max R·v over D_α(p‖R) ≤ bound, p and v (..., n), or slightly more."""
    top = v.max(axis=-1)
    value: FloatArray = top - margin(p, top[..., None] - v, bound, alpha)
    return np.asarray(np.minimum(value, top))


def least(p: FloatArray, v: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return min R·v over D_α(p‖R) ≤ bound, or slightly less; shapes as `greatest`."""
    bottom = v.min(axis=-1)
    value: FloatArray = bottom + margin(p, v - bottom[..., None], bound, alpha)
    return np.asarray(np.maximum(value, bottom))


def margin(p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return min R·gap by duality: max over δ ≥ 0 of e^{−bound}·(Σ p (δ + gap)^k)^{1/k} − δ."""
    return priced_margin(p, gap, bound, alpha)[0]


def priced_margin(
    p: FloatArray, gap: FloatArray, bound: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return `margin`, and the log of how fast it falls with the bound: it and its δ together."""
    bound = np.broadcast_to(bound, gap.shape[:-1])
    spread = gap.max(axis=-1)
    scaled = gap / np.where(spread > 0, spread, 1.0)[..., None]
    tilt = log_tilt(np.broadcast_to(p, gap.shape), scaled, bound, alpha)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        log_mean = power_mean(p, _log_rise(scaled, tilt), alpha)
        # every δ gives a valid bound; the first form keeps its digits where δ is large
        wide = np.exp(tilt) * np.expm1(log_mean - bound)
        narrow = np.exp(tilt + log_mean - bound) - np.exp(tilt)
        log_price = np.log(spread) + tilt + log_mean - bound
    result: FloatArray = spread * np.where(tilt > 0, wide, narrow)
    return result, log_price
