"""Utilities in the solver's form: an offset less the sum of the outputs' costs.

An output y with weights w(x) = P(x, y) costs φ(w), concave and homogeneous of degree 1. By
concavity vertices of the allowed set suffice as outputs.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from core.entries import LARGE, entries_of
from core.limits import CACHED
from core.optimal.plan import SIZES
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Outputs of total probability δ (`share`) that need not be allowed; concavity: symbols do.

    A utility's own `points` have a probability of 1 each.
    """

    points: FloatArray
    share: float


class Utility(ABC):
    """A utility to maximize: `offset` − Σ_y `cost`(P(·, y))."""

    exceptions: Exceptions | None = None
    """Outputs that need not be allowed, if there are any."""

    searched: bool = True
    """Whether any search betters what it starts from within seconds."""

    def excepting(self, exceptions: Exceptions) -> Self:
        """Return the same utility with these exceptions, given up to scale."""
        result, masses = copy.copy(self), self.masses(exceptions.points)
        some = masses > 0
        points = exceptions.points[some] / masses[some, None]
        object.__setattr__(result, "exceptions", replace(exceptions, points=points))
        return result

    def masses(self, weights: FloatArray) -> FloatArray:
        """Return the probability of outputs with weights w(x), shape (..., n_x) → (...)."""
        result: FloatArray = weights.sum(axis=-1)
        return result

    def premium(self, prices: FloatArray) -> float:
        """Return what exceptions add to an upper bound that prices prove for allowed outputs.

        If no allowed output r costs less than λ·r, an exception e costs at least λ·e − μ with
        μ = max(0, max_e λ·e − φ(e)). By weak duality all costs are at least λ·P_X − μδ: it is μδ.

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
        """Return the utility at a total cost of 0."""

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
            The x of each weight, shape (k, m, j); n_x for none.
        n_x : int
            Number of symbols.
        """
        wide = np.zeros((*weights.shape[:2], n_x + 1))
        np.put_along_axis(wide, symbols, weights, axis=2)
        return self.cost(wide[:, :, :n_x])

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return the cost of each symbol alone, of weight 1, shape (n_x,)."""
        costs, step = np.zeros(n_x), max(1, CACHED // n_x)
        for x in range(0, n_x, step):  # a unit matrix of 5,000 symbols is 200 MB
            costs[x : x + step] = self.cost(np.eye(min(step, n_x - x), n_x, x))
        return costs

    def of_x(self, p_x: FloatArray) -> float:
        """Return the utility of X itself, which no mechanism exceeds."""
        return self.offset(p_x) - float(p_x @ self.of_symbols(len(p_x)))

    def pieces(self) -> FloatArray | None:
        """Return cost vectors c, shape (k, n_x), if the cost is min_i c_i·w; else None."""
        return None

    def image(self) -> tuple[OfImage, FloatArray] | None:
        """Return an `OfImage` and c, shape (n_x,), if the cost is its cost less c·w; else None."""
        return None

    def value(self, weights: FloatArray, p_x: FloatArray) -> float:
        """Return the utility of a mechanism with outputs w_y(x) = P(x, y), shape (n_y, n_x)."""
        step = max(1, CACHED // len(p_x))
        parts = [self.cost(weights[y : y + step]).sum() for y in range(0, len(weights), step)]
        return self.offset(p_x) - float(sum(parts))

    def of_kernel(self, kernel: FloatArray, p_x: FloatArray) -> float:
        """Return the utility of a mechanism P(y | x), shape (n_x, n_y)."""
        step = max(1, CACHED // len(p_x))
        parts = [
            self.cost((p_x[:, None] * kernel[:, y : y + step]).T).sum()
            for y in range(0, kernel.shape[1], step)
        ]
        return self.offset(p_x) - float(sum(parts))


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

    def of_kernel(self, kernel: FloatArray, p_x: FloatArray) -> float:
        """Return I(X;Y) of a mechanism P(y | x), shape (n_x, n_y)."""
        few = entries_of(kernel)
        if few is None:
            return super().of_kernel(kernel, p_x)
        x, y = few.places()
        weights = p_x[x] * few.values
        masses = np.zeros(kernel.shape[1])
        np.add.at(masses, y, weights)
        costs = _x_log_x(masses).sum() - _x_log_x(weights).sum()
        return self.offset(p_x) - float(costs)

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return 0 for each symbol, shape (n_x,)."""
        return np.zeros(n_x)

    def supported_cost(self, weights: FloatArray, symbols: IntArray, n_x: int) -> FloatArray:
        """Return the cost, which does not depend on which x a weight belongs to."""
        return self.cost(np.where(symbols < n_x, weights, 0.0))


@dataclass(frozen=True, eq=False)
class Greatest(Utility):
    """Σ_y max_t Σ_x g(t, x) P(x, y): the expected gain of choosing the best t from y.

    A loss d(x, t) is the gain −d(x, t).

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

    @property
    def searched(self) -> bool:  # type: ignore[override]
        """Whether a program of all actions has room."""
        return self.gain.size <= SIZES.action_symbols

    def offset(self, p_x: FloatArray) -> float:
        """Return 0."""
        return 0.0 * float(p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return −max_t Σ_x g(t, x) w(x)."""
        gains = weights if self._is_guess else weights @ self.gain.T
        result: FloatArray = -gains.max(axis=-1)
        return result

    @cached_property
    def _is_guess(self) -> bool:
        """Whether g is the unit matrix: of 1,000 symbols a product with it takes a second."""
        n_t, n_x = self.gain.shape
        ones = n_t == n_x and bool((np.diagonal(self.gain) == 1).all())
        return ones and np.count_nonzero(self.gain) == n_x

    def of_kernel(self, kernel: FloatArray, p_x: FloatArray) -> float:
        """Return the utility of a mechanism P(y | x), shape (n_x, n_y)."""
        few = entries_of(kernel)
        if few is None or self._is_guess:
            return super().of_kernel(kernel, p_x)
        most, step = np.full(kernel.shape[1], -np.inf), max(1, LARGE // len(p_x))
        for t in range(0, len(self.gain), step):
            most = np.maximum(most, few.mixed(self.gain[t : t + step] * p_x).max(axis=0))
        return float(most.sum())

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return −max_t g(t, x) of each symbol, shape (n_x,)."""
        return -self._best[:n_x]

    @cached_property
    def _best(self) -> FloatArray:
        """The gain of the best t of each symbol, shape (n_x,)."""
        best: FloatArray = self.gain.max(axis=0)
        return best

    def pieces(self) -> FloatArray:
        """Return −g(t, ·) for each t, shape (n_t, n_x)."""
        return -self.gain


class Likeliest(Utility):
    """Σ_y max_x P(x, y), of a right guess of X, for more symbols than a program has room for.

    Examples
    --------
    >>> Likeliest().value(np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.5, 0.5]))
    0.8
    """

    searched = False

    def offset(self, p_x: FloatArray) -> float:
        """Return 0."""
        return 0.0 * float(p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return −max_x w(x)."""
        result: FloatArray = -weights.max(axis=-1)
        return result

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return −1 for each symbol, shape (n_x,)."""
        return np.full(n_x, -1.0)


@dataclass(frozen=True, eq=False)
class OfImage(Utility):
    """`base` − Σ_y P(y) Σ_t c_t((B r_y)_t): an output's cost depends on its image under B.

    Attributes
    ----------
    matrix : ndarray
        B, shape (n_t, n_x), such as P(t | x).
    curve : callable
        The c_t, concave, elementwise on arrays of shape (..., n_t).
    base : float
        The utility at a total cost of 0.

    Examples
    --------
    >>> of_task = OfImage(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), entropy_terms, 0.6931)
    >>> of_task.value(np.diag([0.25, 0.25, 0.5]), np.array([0.25, 0.25, 0.5]))  # Y = X gives H(T)
    0.6931
    """

    matrix: FloatArray
    curve: Callable[[FloatArray], FloatArray]
    base: float

    def offset(self, p_x: FloatArray) -> float:
        """Return the base."""
        return float(self.base + 0.0 * p_x.sum())

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return W Σ_t c_t((B w)_t/W) with W = Σw; 0 where W = 0."""
        total = weights.sum(axis=-1, keepdims=True)
        image = weights @ self.matrix.T / np.where(total > 0, total, 1.0)
        result: FloatArray = total[..., 0] * self.curve(image).sum(axis=-1)
        return result

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return Σ_t c_t(B(t, x)) of each symbol, shape (n_x,)."""
        costs: FloatArray = self.curve(self.matrix.T[:n_x]).sum(axis=-1)
        return costs

    def image(self) -> tuple[OfImage, FloatArray]:
        """Return itself, and c = 0."""
        return self, np.zeros(self.matrix.shape[1])


@dataclass(frozen=True, eq=False)
class Centred(Utility):
    """A utility of 0 for a constant output, with costs of at least 0 that are 0 at single symbols.

    Solvers assume such costs; a linear function is subtracted from a concave cost, which shifts the
    utility of every mechanism by the same amount.
    """

    inner: Utility
    p_x: FloatArray

    @property
    def searched(self) -> bool:  # type: ignore[override]
        """Whether the inner utility is searched for."""
        return self.inner.searched

    @cached_property
    def base(self) -> float:
        """The inner utility of a constant output."""
        return self.inner.value(self.p_x[None], self.p_x)

    def offset(self, p_x: FloatArray) -> float:
        """Return the inner utility of X itself less that of a constant output."""
        return self.inner.offset(p_x) - float(p_x @ self._of_symbols) - self.base

    def cost(self, weights: FloatArray) -> FloatArray:
        """Return the inner cost less that of the same weights as single symbols."""
        result: FloatArray = self.inner.cost(weights) - weights @ self._of_symbols
        return result

    def supported_cost(self, weights: FloatArray, symbols: IntArray, n_x: int) -> FloatArray:
        """Return the cost as the inner utility does: wide arrays of 200 symbols took .7 s."""
        inner = self.inner.supported_cost(weights, symbols, n_x)
        alone = np.append(self._of_symbols, 0.0)[symbols]
        result: FloatArray = inner - (weights * alone).sum(axis=-1)
        return result

    def masses(self, weights: FloatArray) -> FloatArray:
        """Return the inner probability of outputs."""
        return self.inner.masses(weights)

    def of_symbols(self, n_x: int) -> FloatArray:
        """Return 0 for each symbol, shape (n_x,)."""
        return np.zeros(n_x)

    def pieces(self) -> FloatArray | None:
        """Return the inner pieces less the costs of single symbols."""
        pieces = self.inner.pieces()
        return None if pieces is None else pieces - self._of_symbols

    def image(self) -> tuple[OfImage, FloatArray] | None:
        """Return the inner image, with the costs of single symbols added to c."""
        image = self.inner.image()
        return None if image is None else (image[0], image[1] + self._of_symbols)

    @cached_property
    def _of_symbols(self) -> FloatArray:
        """The inner cost of each symbol alone, shape (n_x,)."""
        return self.inner.of_symbols(len(self.p_x))


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
        """Return −W Σ_x P(x) f(w(x)/(W P(x))) with W = Σw; 0 where W = 0."""
        total = weights.sum(axis=-1, keepdims=True)
        relative = weights / np.where(total > 0, total, 1.0) / self.p_x
        result: FloatArray = -total[..., 0] * (self.f(relative) @ self.p_x)
        return result


def entropy_terms(values: FloatArray) -> FloatArray:
    """Return −v·log v, 0 for v ≤ 0."""
    return 0.0 - _x_log_x(values)


def _x_log_x(values: FloatArray) -> FloatArray:
    """Return v·log v, 0 for v ≤ 0."""
    safe = np.where(values > 0, values, 1.0)
    result: FloatArray = safe * np.log(safe)
    return result
