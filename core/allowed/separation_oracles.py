"""Separation oracles of allowed sets with a curved boundary: they cut off a point outside.

Each measure is, up to scale, convex or concave and homogeneous of degree 1 in L(r) = C r, C[s, x]
the lift of the data, so its gradient at any point gives a bound on the whole set. It is taken where
the segment from r to P_X, whose lifts are all 1, enters the set.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from core.limits import CUT_TOL, ROUNDING, quadratic_slack
from core.measures.pointwise import power_gain
from core.validation import FloatArray

SMALL_BUDGET = 0.1
"""Largest budget in nats at which cuts are computed from distances to 1, to keep their digits."""

NEAR = 0.5
"""Distance of lifts from 1 within which levels are computed from it, to keep their digits."""


@dataclass(frozen=True, eq=False)
class _PowerMeanCuts(ABC):
    """Cuts of a bounded power mean, of order alpha in (1, ∞), of lifts or of their inverses."""

    lift: FloatArray
    p_s: FloatArray
    eps: float
    alpha: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r ≠ 0, shape (n_x,), violates: shape (1, n_x), or (0, n_x)."""
        levels = _lifts(self.lift, r)
        if self._log_mean(levels) <= self.eps + _tolerance(self.eps):
            return np.empty((0, len(r)))
        edge = _edge(self._log_mean, self.eps, levels)
        return self._touching(edge)

    @abstractmethod
    def _log_mean(self, levels: FloatArray) -> float:
        """Return the log of the mean that is bounded, of lifts of shape (n_s,)."""

    @abstractmethod
    def _touching(self, edge: FloatArray) -> FloatArray:
        """Return the cut tangent to the set at these lifts, shape (n_s,) → (1, n_x)."""


@dataclass(frozen=True, eq=False)
class AlphaLiftCuts(_PowerMeanCuts):
    """Cuts of (Σ_s P(s) L_s^α)^{1/α} ≤ e^{ε} Σ_x r(x), L = C r ([Lift] eq. 29)."""

    def _touching(self, edge: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):  # a lift of 0 has no weight
            rise = np.expm1((self.alpha - 1) * (np.log(edge) - self._log_mean(edge)))
        slope, most = _holder(self.p_s, self.lift, rise, self.alpha / (self.alpha - 1))
        if self.eps > SMALL_BUDGET:
            return _scaled(np.exp(-self.eps) * ((self.p_s * (1 + rise)) @ self.lift) - np.exp(most))
        return _scaled(np.exp(-self.eps) * slope + np.expm1(-self.eps) - np.expm1(most))

    def _log_mean(self, levels: FloatArray) -> float:
        gain = self.p_s @ power_gain(levels - 1, self.alpha)
        if gain < NEAR:
            return float(np.log1p(gain) / self.alpha)
        highest = levels.max()
        mean = self.p_s @ (levels / highest) ** self.alpha
        return float(np.log(highest) + np.log(mean) / self.alpha)


@dataclass(frozen=True, eq=False)
class AlphaLiftInverseCuts(_PowerMeanCuts):
    """Cuts of Σ_x r(x) ≤ e^{ε} (Σ_s P(s) L_s^{−α})^{−1/α}, L = C r ([Lift] eq. 32), concave.

    It has no gradient where a lift is 0, but no lift is 0 where the segment to P_X enters the set.
    """

    def _touching(self, edge: FloatArray) -> FloatArray:
        rise = np.expm1(-(self.alpha + 1) * (np.log(edge) + self._log_mean(edge)))
        slope, least = _holder(self.p_s, self.lift, rise, self.alpha / (self.alpha + 1))
        if self.eps > SMALL_BUDGET:
            weights = self.p_s * np.exp(-(self.alpha + 1) * (np.log(edge) + self._log_mean(edge)))
            return _scaled(np.exp(least - self.eps) - weights @ self.lift)
        return _scaled(np.expm1(least - self.eps) - slope)

    def _log_mean(self, levels: FloatArray) -> float:
        """Return the log of the power mean of 1/L, shape (n_s,); ∞ where a lift is 0."""
        lowest = levels.min()
        if lowest == 0:
            return np.inf
        gain = self.p_s @ power_gain(levels - 1, -self.alpha)
        if gain < NEAR:
            return float(np.log1p(gain) / self.alpha)
        mean = self.p_s @ (lowest / levels) ** self.alpha
        return float(np.log(mean) / self.alpha - np.log(lowest))


@dataclass(frozen=True, eq=False)
class Chi2LiftCuts:
    """Cuts of (Σ_s P(s) (L_s − Σr)²)^{1/2} ≤ (e^{ε} − 1) Σ_x r(x), L = C r ([Lift] eq. 28)."""

    lift: FloatArray
    p_s: FloatArray
    eps: float

    def __call__(self, r: FloatArray) -> FloatArray:
        excess = _lifts(self.lift, r) - 1
        norm = np.sqrt(self.p_s @ excess**2)
        if np.log1p(norm) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        weights = self.p_s * excess / norm  # the same all along the segment to P_X
        return _scaled(weights @ (self.lift - 1) - np.expm1(self.eps))


@dataclass(frozen=True, eq=False)
class DivergenceCuts:
    """Cuts of Σ_s P(s) L_s log(L_s/Σr) ≤ ε Σ_x r(x), L = C r: D(P(S|y) ‖ P(S)) ≤ ε."""

    lift: FloatArray
    p_s: FloatArray
    eps: float

    def __call__(self, r: FloatArray) -> FloatArray:
        levels = _lifts(self.lift, r)
        if self._divergence(levels) <= self.eps + _tolerance(self.eps):
            return np.empty((0, len(r)))
        edge = _edge(self._divergence, self.eps, levels)
        # a gradient anywhere gives a valid cut; at a lift of 0 there is none
        # part of the way to P_X by which a gradient's point is moved inwards, so that no lift is 0
        logs = np.log(1 + (edge - 1) * (1 - 1e-13))
        return _scaled((self.p_s * logs) @ self.lift - self.eps)

    def _divergence(self, levels: FloatArray) -> float:
        """Return Σ_s P(s) (L_s log L_s − L_s + 1) of lifts, shape (n_s,)."""
        gap = levels - 1
        near = np.abs(gap) < NEAR  # where the logarithm of the lift itself has lost its digits
        close = levels * np.log1p(np.where(near, gap, 0.0))
        return float(self.p_s @ (np.where(near, close, special.xlogy(levels, levels)) - gap))


def _tolerance(eps: float) -> float:
    """Return the excess of a quadratic level, in nats, below which there is no cut."""
    return CUT_TOL / ROUNDING * quadratic_slack(eps)


def _lifts(lift: FloatArray, r: FloatArray) -> FloatArray:
    """Return L(r), shape (n_s,), with r's tiny negative entries set to 0 and Σr = 1."""
    clipped = np.maximum(r, 0.0)
    result: FloatArray = lift @ (clipped / clipped.sum())
    return result


def _edge(level: Callable[[FloatArray], float], eps: float, levels: FloatArray) -> FloatArray:
    """Return the lifts, shape (n_s,), where the segment to P_X enters the set: level = eps."""

    def excess(share: float) -> float:
        # bounded, so that the root finder can interpolate from a level of ∞
        return float(np.tanh(level(at(share)) - eps))

    def at(share: float) -> FloatArray:
        result: FloatArray = (1 - share) + share * levels  # exact at both ends, for tiny lifts too
        return result

    return at(float(optimize.brentq(excess, 0.0, 1.0, xtol=np.finfo(float).eps)))


def _holder(
    p_s: FloatArray, lift: FloatArray, rise: FloatArray, order: float
) -> tuple[FloatArray, float]:
    """Return Σ_s P(s) u_s l(s, x) − 1 and log (Σ_s P(s) u_s^q)^{1/q}, u = 1 + rise, q = `order`.

    By Hölder's inequality Σ_s P(s) u_s L_s is at most the power mean of u of order q times that of
    L of order q/(q − 1), and at least that where q < 1: for every u, so its rounding makes no cut
    invalid.
    """
    with np.errstate(divide="ignore"):
        powers = np.expm1(order * np.log1p(rise))
    slope: FloatArray = (p_s * rise) @ lift  # Σ_s P(s) l(s, x) is 1
    return slope, float(np.log1p(p_s @ powers)) / order


def _scaled(cut: FloatArray) -> FloatArray:
    """Return the cut as a matrix of one row with a largest coefficient of 1."""
    result: FloatArray = (cut / np.abs(cut).max())[None]
    return result
