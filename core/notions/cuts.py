"""Oracles of allowed sets that are round: they cut off a point that a smooth measure forbids.

Each measure is, up to scale, a norm or a harmonic-like mean of L(r) = C r with C[s, x] the
lift of the data: convex or concave and homogeneous of degree 1. So its gradient at any r gives a
linear bound that holds everywhere, with equality at r: the cut is valid on the whole set.
"""

from dataclasses import dataclass

import numpy as np

from core.limits import CUT_TOL
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class AlphaLiftCuts:
    """Cuts of (Σ_s P(s) L_s^α)^{1/α} ≤ e^{ε} Σ_x r(x), L = C r ([Lift] eq. 29).

    Attributes
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    p_s : ndarray
        P(s), shape (n_s,).
    eps : float
        Budget in nats.
    alpha : float
        Order, above 1 and finite.
    """

    lift: FloatArray
    p_s: FloatArray
    eps: float
    alpha: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r, shape (n_x,), breaks: shape (1, n_x), or (0, n_x) for none."""
        levels = self.lift @ _posterior(r)
        highest = levels.max()
        power_mean = self.p_s @ (levels / highest) ** self.alpha
        norm = highest * power_mean ** (1 / self.alpha)
        if np.log(norm) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        weights = self.p_s * (levels / norm) ** (self.alpha - 1)
        return _scaled(np.exp(-self.eps) * (weights @ self.lift) - 1)


@dataclass(frozen=True, eq=False)
class AlphaLiftInverseCuts:
    """Cuts of Σ_x r(x) ≤ e^{ε} (Σ_s P(s) L_s^{−α})^{−1/α}, L = C r ([Lift] eq. 32).

    The mean on the right is concave. Where a lift is 0 it has no gradient, but the limit of its
    gradients as the smallest lifts go to 0 together bounds it as well.

    Attributes
    ----------
    lift : ndarray
        C[s, x], shape (n_s, n_x).
    p_s : ndarray
        P(s), shape (n_s,).
    eps : float
        Budget in nats.
    alpha : float
        Order, above 1 and finite.
    """

    lift: FloatArray
    p_s: FloatArray
    eps: float
    alpha: float

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the cut that r, shape (n_x,), breaks: shape (1, n_x), or (0, n_x) for none."""
        levels = self.lift @ _posterior(r)
        lowest = levels.min()
        # lowest/L_s, which is 1 at the smallest lifts also where they are 0
        ratios = np.divide(lowest, levels, out=np.ones_like(levels), where=levels > lowest)
        power_mean = (self.p_s @ ratios**self.alpha) ** (1 / self.alpha)
        inverse_level = np.log(power_mean) - np.log(lowest) if lowest > 0 else np.inf
        if inverse_level <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        weights = self.p_s * (ratios / power_mean) ** (self.alpha + 1)
        return _scaled(np.exp(-self.eps) - weights @ self.lift)


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
        """Return the cut that r, shape (n_x,), breaks: shape (1, n_x), or (0, n_x) for none."""
        excess = (self.lift - 1) @ _posterior(r)
        norm = np.sqrt(self.p_s @ excess**2)
        if np.log1p(norm) <= self.eps + CUT_TOL:
            return np.empty((0, len(r)))
        weights = self.p_s * excess / norm
        return _scaled(weights @ (self.lift - 1) - np.expm1(self.eps))


def _posterior(r: FloatArray) -> FloatArray:
    """Return r without the solver's tiny negative entries, scaled to sum to 1."""
    clipped = np.maximum(r, 0.0)
    result: FloatArray = clipped / clipped.sum()
    return result


def _scaled(cut: FloatArray) -> FloatArray:
    """Return the cut as a matrix of one row with a largest coefficient of 1."""
    result: FloatArray = (cut / np.abs(cut).max())[None]
    return result
