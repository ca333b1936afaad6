"""What a mechanism is to be good for: a sum over outputs, each output costing something.

An output y with weights w(x) = P(x, y) costs φ(w), concave and homogeneous of degree 1; the
utility is an offset less the sum of the costs. Concavity makes the best outputs vertices.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Outputs of a small probability in all that need not be allowed.

    As costs are concave, the best of these are single symbols.

    Attributes
    ----------
    points : ndarray
        What one unit of probability of each of them is mixed of, shape (k, n).
    share : float
        δ: their probability in all is at most this.

    Examples
    --------
    >>> Exceptions(np.eye(3), 0.05).points.shape
    (3, 3)
    """

    points: FloatArray
    share: float


class Utility(ABC):
    """What is to be as large as possible: `offset` − Σ_y `cost`(P(·, y))."""

    exceptions: Exceptions | None = None
    """Outputs that need not be allowed, where there are any."""

    def excepting(self, exceptions: Exceptions | None) -> Self:
        """Return the same utility where some outputs need not be allowed."""
        result = copy.copy(self)
        object.__setattr__(result, "exceptions", exceptions)
        return result

    def premium(self, prices: FloatArray) -> float:
        """Return what exceptions add to a bound that is proven of the allowed outputs by prices.

        Let no allowed output r cost less than λ·r. Then an exception e costs at least λ·e − μ with
        μ = max(0, max_e λ·e − φ(e)), and by weak duality all costs are at least λ·P_X − μδ.

        Parameters
        ----------
        prices : ndarray
            λ, shape (n_x,).
        """
        if self.exceptions is None:
            return 0.0
        points = self.exceptions.points
        gains = points @ prices - self.cost(points)
        return self.exceptions.share * max(float(gains.max()), 0.0)

    @abstractmethod
    def offset(self, p_x: FloatArray) -> float:
        """Return what the utility would be if no output cost anything."""

    @abstractmethod
    def cost(self, weights: FloatArray) -> FloatArray:
        """Return the cost of outputs with weights w(x) ≥ 0, shape (..., n_x) → (...)."""

    def supported_cost(self, weights: FloatArray, symbols: IntArray, n_x: int) -> FloatArray:
        """Return the cost of outputs whose weights are given at some symbols and 0 elsewhere.

        Parameters
        ----------
        weights : ndarray
            Shape (k, m, j).
        symbols : ndarray
            Which x each weight is of, shape (k, m, j); n_x for none.
        n_x : int
            Number of symbols.
        """
        wide = np.zeros((*weights.shape[:2], n_x + 1))
        np.put_along_axis(wide, symbols, weights, axis=2)
        return self.cost(wide[:, :, :n_x])

    def pieces(self) -> FloatArray | None:
        """Return cost vectors c, shape (k, n_x), if the cost is min_i c_i·w; else None."""
        return None

    def image(self) -> tuple[OfImage, FloatArray] | None:
        """Return an `OfImage` and c, shape (n_x,), if the cost is its cost less c·w; else None."""
        return None

    def value(self, weights: FloatArray, p_x: FloatArray) -> float:
        """Return the utility of a mechanism with outputs w_y(x) = P(x, y), shape (n_y, n_x)."""
        return self.offset(p_x) - float(self.cost(weights).sum())


class MutualInformation(Utility):
    """I(X;Y) = H(X) − Σ_y P(y) H(X | Y=y), in nats.

    Examples
    --------
    >>> MutualInformation().value(np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([0.5, 0.5]))
    0.6931471805599453
    """

    def offset(self, p_x: FloatArray) -> float:
        """Return H(X)."""
        return -float(_x_log_x(p_x).sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return W·H(w/W) with W = Σw: P(y) H(X | Y=y)."""
        result: FloatArray = _x_log_x(weights.sum(axis=-1)) - _x_log_x(weights).sum(axis=-1)
        return result

    def supported_cost(self, weights: FloatArray, symbols: IntArray, n_x: int) -> FloatArray:
        """Return the same: where a weight stands does not matter."""
        return self.cost(np.where(symbols < n_x, weights, 0.0))


@dataclass(frozen=True, eq=False)
class NegativeDistortion(Utility):
    """Less the expected distortion between X and the best guess z of X from Y.

    Attributes
    ----------
    distortion : ndarray
        d(x, z) ≥ 0, shape (n_x, n_z).

    Examples
    --------
    >>> hamming = NegativeDistortion(1 - np.eye(2))
    >>> hamming.value(np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.5, 0.5]))
    -0.2
    """

    distortion: FloatArray

    def offset(self, p_x: FloatArray) -> float:
        """Return 0: no distortion."""
        return 0.0 * float(p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return min_z Σ_x w(x) d(x, z)."""
        result: FloatArray = (weights @ self.distortion).min(axis=-1)
        return result

    def pieces(self) -> FloatArray:
        """Return d(·, z) for each z, shape (n_z, n_x): pricing is a linear program for each."""
        return self.distortion.T


@dataclass(frozen=True, eq=False)
class Greatest(Utility):
    """Σ_y max_t Σ_x g(t, x) P(x, y): the expected gain of whoever sees y and picks the best t.

    Attributes
    ----------
    gain : ndarray
        g(t, x), shape (n_t, n_x).

    Examples
    --------
    >>> guess = Greatest(np.eye(2))  # the probability of guessing X right
    >>> guess.value(np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.5, 0.5]))
    0.8
    """

    gain: FloatArray

    def offset(self, p_x: FloatArray) -> float:
        """Return 0."""
        return 0.0 * float(p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return −max_t Σ_x g(t, x) w(x)."""
        result: FloatArray = -(weights @ self.gain.T).max(axis=-1)
        return result

    def pieces(self) -> FloatArray:
        """Return −g(t, ·) for each t, shape (n_t, n_x): pricing is a linear program for each."""
        return -self.gain


@dataclass(frozen=True, eq=False)
class OfImage(Utility):
    """`base` − Σ_y P(y) Σ_t c_t((B r_y)_t): an output costs what its image under B costs.

    Attributes
    ----------
    matrix : ndarray
        B, shape (n_t, n_x): a probability of t for each x, or any other numbers.
    curve : callable
        The c_t, concave, elementwise on arrays of shape (..., n_t).
    base : float
        What the utility would be if no output cost anything.

    Examples
    --------
    >>> about = OfImage(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), entropy_terms, 0.6931)
    >>> about.value(np.diag([0.25, 0.25, 0.5]), np.array([0.25, 0.25, 0.5]))  # all of T is kept
    0.6931
    """

    matrix: FloatArray
    curve: Callable[[FloatArray], FloatArray]
    base: float

    def offset(self, p_x: FloatArray) -> float:
        """Return the base."""
        return float(self.base + 0.0 * p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return W Σ_t c_t((B w)_t/W) with W = Σw; 0 where W is."""
        total = weights.sum(axis=-1, keepdims=True)
        image = weights @ self.matrix.T / np.where(total > 0, total, 1.0)
        result: FloatArray = total[..., 0] * self.curve(image).sum(axis=-1)
        return result

    def image(self) -> tuple[OfImage, FloatArray]:
        """Return itself, with nothing to take off."""
        return self, np.zeros(self.matrix.shape[1])


@dataclass(frozen=True, eq=False)
class Centred(Utility):
    """A utility from 0, for an output that says nothing, with no cost where X is published.

    Solvers take costs to be at least 0 and 0 at each symbol alone, as entropies are: any concave
    cost is that once a linear function is taken off, which changes every mechanism's utility by
    the same.

    Attributes
    ----------
    inner : Utility
        The utility as it was.
    p_x : ndarray
        P(x), shape (n_x,).

    Examples
    --------
    >>> guess = Centred(Greatest(np.eye(2)), np.array([0.25, 0.75]))
    >>> guess.base, guess.offset(guess.p_x), guess.cost(np.eye(2))
    (0.75, 0.25, array([0., 0.]))
    """

    inner: Utility
    p_x: FloatArray

    @property
    def base(self) -> float:
        """The inner utility of an output that says nothing."""
        return self.inner.value(self.p_x[None], self.p_x)

    def offset(self, p_x: FloatArray) -> float:
        """Return what publishing X gains on saying nothing."""
        return self.inner.value(np.diag(p_x), p_x) - self.base

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return the inner cost less that of publishing the same weights."""
        result: FloatArray = self.inner.cost(weights) - weights @ self._corners
        return result

    def pieces(self) -> FloatArray | None:
        """Return the inner pieces, less the same."""
        found = self.inner.pieces()
        return None if found is None else found - self._corners

    def image(self) -> tuple[OfImage, FloatArray] | None:
        """Return the inner image, and what is taken off its cost."""
        found = self.inner.image()
        return None if found is None else (found[0], found[1] + self._corners)

    @cached_property
    def _corners(self) -> FloatArray:
        """The inner cost of each symbol alone, shape (n_x,)."""
        return self.inner.cost(np.eye(len(self.p_x)))


@dataclass(frozen=True, eq=False)
class FDivergence(Utility):
    """Σ_y P(y) D_f(P(X | Y=y) ‖ P_X), for a convex f with f(1) = 0.

    Attributes
    ----------
    f : callable
        Convex, elementwise on arrays of numbers of at least 0.
    p_x : ndarray
        P(x), shape (n_x,).

    Examples
    --------
    >>> chi2 = FDivergence(lambda t: (t - 1) ** 2, np.array([0.5, 0.5]))
    >>> chi2.value(np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([0.5, 0.5]))
    1.0
    """

    f: Callable[[FloatArray], FloatArray]
    p_x: FloatArray

    def offset(self, p_x: FloatArray) -> float:
        """Return 0."""
        return 0.0 * float(p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return −W Σ_x P(x) f(w(x)/(W P(x))) with W = Σw; 0 where W is."""
        total = weights.sum(axis=-1, keepdims=True)
        relative = weights / np.where(total > 0, total, 1.0) / self.p_x
        result: FloatArray = -total[..., 0] * (self.f(relative) @ self.p_x)
        return result


def entropy_terms(values: FloatArray) -> FloatArray:
    """Return −v·log v, 0 at 0 and at the rounding below it.

    Examples
    --------
    >>> entropy_terms(np.array([0.0, 1.0, -1e-18]))
    array([0., 0., 0.])
    """
    return 0.0 - _x_log_x(values)


def _x_log_x(values: FloatArray) -> FloatArray:
    """Return v·log v, 0 at 0 and at the rounding below it."""
    safe = np.where(values > 0, values, 1.0)
    result: FloatArray = safe * np.log(safe)
    return result
