"""Oracles of allowed sets that are round: they cut off a point that a smooth measure forbids.

Each measure is, up to scale, a norm or a harmonic-like mean of L(r) = C r with C[s, x] the
lift of the data: convex or concave and homogeneous of degree 1. So its gradient at any point gives
a linear bound that holds everywhere: the cut is valid on the whole set. It is taken where the
segment from r to P_X, whose lifts are all 1, meets the set: there it touches the set, and it is
much deeper than at r itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from core.limits import CUT_TOL
from core.validation import FloatArray

NEAR = 0.1
"""Budget in nats up to which distances from 1 have more digits than what they are taken of."""

INWARD = 1e-13
"""Part of the way to P_X by which a gradient is taken inside the edge: so no lift is 0 there."""


@dataclass(frozen=True, eq=False)
class _PowerMeanCuts(ABC):
    """What cuts of the α-lift and of its inverse have in common.

    Attributes
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    p_s : ndarray
        P(s), shape (n_s,).
    eps : float
        Budget in nats, above 0.
    alpha : float
        Order, above 1 and finite.
    """

    lift: FloatArray
    p_s: FloatArray
    eps: float
    alpha: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r ≠ 0, shape (n_x,), breaks: shape (1, n_x), or (0, n_x)."""
        levels = _lifts(self.lift, r)
        if self._log_mean(levels) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        edge = _edge(self._log_mean, self.eps, levels)
        return self._touching(edge)

    @abstractmethod
    def _log_mean(self, levels: FloatArray) -> float:
        """Return the log of the mean that is bounded, of lifts of shape (n_s,)."""

    @abstractmethod
    def _touching(self, edge: FloatArray) -> FloatArray:
        """Return the cut that touches the set where the lifts are these, shape (1, n_x)."""


@dataclass(frozen=True, eq=False)
class AlphaLiftCuts(_PowerMeanCuts):
    """Cuts of (Σ_s P(s) L_s^α)^{1/α} ≤ e^{ε} Σ_x r(x), L = C r ([Lift] eq. 29)."""

    def _touching(self, edge: FloatArray) -> FloatArray:
        """Return the cut that touches the set where the lifts are these, shape (1, n_x)."""
        with np.errstate(divide="ignore"):  # a lift of 0 has no weight
            rise = np.expm1((self.alpha - 1) * (np.log(edge) - self._log_mean(edge)))
        told, most = _weighed(self.p_s, self.lift, rise, self.alpha / (self.alpha - 1))
        if self.eps > NEAR:
            return _scaled(np.exp(-self.eps) * ((self.p_s * (1 + rise)) @ self.lift) - np.exp(most))
        return _scaled(np.exp(-self.eps) * told + np.expm1(-self.eps) - np.expm1(most))

    def _log_mean(self, levels: FloatArray) -> float:
        """Return the log of the power mean of L, shape (n_s,)."""
        highest = levels.max()
        mean = self.p_s @ (levels / highest) ** self.alpha
        return float(np.log(highest) + np.log(mean) / self.alpha)


@dataclass(frozen=True, eq=False)
class AlphaLiftInverseCuts(_PowerMeanCuts):
    """Cuts of Σ_x r(x) ≤ e^{ε} (Σ_s P(s) L_s^{−α})^{−1/α}, L = C r ([Lift] eq. 32).

    The mean on the right is concave. Where a lift is 0 it has no gradient, but no lift is 0
    where the segment to P_X meets the set.
    """

    def _touching(self, edge: FloatArray) -> FloatArray:
        """Return the cut that touches the set where the lifts are these, shape (1, n_x)."""
        rise = np.expm1(-(self.alpha + 1) * (np.log(edge) + self._log_mean(edge)))
        told, least = _weighed(self.p_s, self.lift, rise, self.alpha / (self.alpha + 1))
        if self.eps > NEAR:
            weights = self.p_s * np.exp(-(self.alpha + 1) * (np.log(edge) + self._log_mean(edge)))
            return _scaled(np.exp(least - self.eps) - weights @ self.lift)
        return _scaled(np.expm1(least - self.eps) - told)

    def _log_mean(self, levels: FloatArray) -> float:
        """Return the log of the power mean of 1/L, shape (n_s,); ∞ where a lift is 0."""
        lowest = levels.min()
        if lowest == 0:
            return np.inf
        mean = self.p_s @ (lowest / levels) ** self.alpha
        return float(np.log(mean) / self.alpha - np.log(lowest))


@dataclass(frozen=True, eq=False)
class Chi2LiftCuts:
    """Cuts of (Σ_s P(s) (L_s − Σr)²)^{1/2} ≤ (e^{ε} − 1) Σ_x r(x), L = C r ([Lift] eq. 28).

    Attributes
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    p_s : ndarray
        P(s), shape (n_s,).
    eps : float
        Budget in nats, above 0.
    """

    lift: FloatArray
    p_s: FloatArray
    eps: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r ≠ 0, shape (n_x,), breaks: shape (1, n_x), or (0, n_x)."""
        excess = _lifts(self.lift, r) - 1
        norm = np.sqrt(self.p_s @ excess**2)
        if np.log1p(norm) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        weights = self.p_s * excess / norm  # the same all along the segment to P_X
        return _scaled(weights @ (self.lift - 1) - np.expm1(self.eps))


@dataclass(frozen=True, eq=False)
class DivergenceCuts:
    """Cuts of Σ_s P(s) L_s log(L_s/Σr) ≤ ε Σ_x r(x), L = C r: D(P(S|y) ‖ P(S)) ≤ ε.

    Attributes
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    p_s : ndarray
        P(s), shape (n_s,).
    eps : float
        Budget in nats, above 0.
    """

    lift: FloatArray
    p_s: FloatArray
    eps: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r ≠ 0, shape (n_x,), breaks: shape (1, n_x), or (0, n_x)."""
        levels = _lifts(self.lift, r)
        if self._divergence(levels) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        edge = _edge(self._divergence, self.eps, levels)
        # a gradient anywhere gives a cut that holds; at a lift of 0 there is none
        logs = np.log(1 + (edge - 1) * (1 - INWARD))
        return _scaled((self.p_s * logs) @ self.lift - self.eps)

    def _divergence(self, levels: FloatArray) -> float:
        """Return Σ_s P(s) L_s log L_s of lifts, shape (n_s,)."""
        return float(self.p_s @ special.xlogy(levels, levels))


def _lifts(lift: FloatArray, r: FloatArray) -> FloatArray:
    """Return L(r), shape (n_s,), of r without the solver's tiny negative entries, Σr = 1."""
    clipped = np.maximum(r, 0.0)
    result: FloatArray = lift @ (clipped / clipped.sum())
    return result


def _edge(level: Callable[[FloatArray], float], eps: float, levels: FloatArray) -> FloatArray:
    """Return the lifts, shape (n_s,), at which the way to P_X enters the set: level = eps."""

    def excess(share: float) -> float:
        # bounded, so that the root finder can interpolate where the level is ∞
        return float(np.tanh(level(at(share)) - eps))

    def at(share: float) -> FloatArray:
        result: FloatArray = (1 - share) + share * levels  # exact at both ends, where L is 1e-13
        return result

    return at(float(optimize.brentq(excess, 0.0, 1.0, xtol=np.finfo(float).eps)))


def _weighed(
    p_s: FloatArray, lift: FloatArray, rise: FloatArray, order: float
) -> tuple[FloatArray, float]:
    """Return Σ_s P(s) u_s l(s, x) − 1, shape (n_x,), and log (Σ_s P(s) u_s^q)^{1/q}, u = 1 + rise.

    By Hölder's inequality Σ_s P(s) u_s L_s is at most this mean of u times that of L of order
    q/(q − 1), and at least that where q < 1: whatever u is, so its rounding costs no validity.
    Neither is taken as a difference of numbers near 1: their last digits are more than a small
    budget.
    """
    with np.errstate(divide="ignore"):
        powers = np.expm1(order * np.log1p(rise))
    told: FloatArray = (p_s * rise) @ lift  # Σ_s P(s) l(s, x) is 1
    return told, float(np.log1p(p_s @ powers)) / order


def _scaled(cut: FloatArray) -> FloatArray:
    """Return the cut as a matrix of one row with a largest coefficient of 1."""
    result: FloatArray = (cut / np.abs(cut).max())[None]
    return result
