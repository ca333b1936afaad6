"""Rényi divergences of every order in (0, ∞), and the balls of the conditionals given S."""

import numpy as np
from numpy.typing import ArrayLike

from core.validation import FloatArray


def renyi_divergence(p: ArrayLike, q: ArrayLike, alpha: float) -> FloatArray:
    """Return D_α(p‖q) in nats over the last axis ([RLDP] §3).

    It is ∞ where q = 0 < p for some symbol; for α < 1 only where that holds of all with p > 0.
    """
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
        far = ~(np.abs(near) < 0.75)  # |Σ w·(e^a − 1)| below which its log1p loses no digits
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
