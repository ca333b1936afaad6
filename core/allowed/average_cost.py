"""What one output contributes to an average budget: a convex function c of its lifts l.

An average measure is, up to an increasing function, Σ_y P(y) c(l_y). Each c is homogeneous of
degree 1, less its tangent at l = 1, which only adds a constant to the sum: so c ≥ 0, and 0 for
outputs independent of S. Lifts are passed as u = l − 1, which loses no digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from scipy import special

from core.limits import ROUNDING
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Cone:
    """rows @ z, rows a, b, c, … in order, lies in a convex cone of a standard kind.

    `kind`: {b e^{a/b} ≤ c}, {a ≥ ‖(b, c, …)‖₂} or {a^p b^{1−p} ≥ |c|}. `power`: p of the third.
    """

    kind: Literal["exponential", "second-order", "power"]
    rows: FloatArray
    power: float = 0.5


@dataclass(frozen=True, eq=False)
class Epigraph:
    """A cost as c(l) = min_h price·h + slope·l, h ≥ 0, under rows @ (l, h) ≤ 0 and cones."""

    slope: FloatArray
    price: FloatArray
    rows: FloatArray
    cones: tuple[Cone, ...] = ()


class AverageCost(ABC):
    """c(l), convex and homogeneous of degree 1, with c ≥ 0 and c(1) = 0 where Σ_s P(s) l = 1."""

    @abstractmethod
    def value(self, excess: FloatArray) -> FloatArray:
        """Return c of lifts 1 + u, u of shape (..., n_s) → (...)."""

    @abstractmethod
    def slope(self, excess: FloatArray) -> FloatArray:
        """Return a gradient d of c at 1 + u, shape (..., n_s): c(l) ≥ d·l for every l ≥ 0."""

    @abstractmethod
    def epigraph(self) -> Epigraph:
        """Return the cost as a small program, of every l ≥ 0 with Σ_s P(s) l = W of any size."""

    def sparse_epigraph(self) -> Epigraph:
        """Return one of short rows, exact enough where each lift is of one symbol."""
        return self.epigraph()

    @abstractmethod
    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return d near a slope with c(l) ≥ d·l for every l ≥ 0; a subgradient stays as it is."""

    def pieces(self) -> FloatArray | None:
        """Return all d of c(l) = max_i d_i·l, shape (k, n_s); None where they are not a few."""
        return None


class SmoothCost(AverageCost):
    """A cost without kinks."""

    @abstractmethod
    def curvature(self, excess: FloatArray) -> FloatArray:
        """Return the second derivatives of c at 1 + u, shape (..., n_s, n_s)."""


@dataclass(frozen=True, eq=False)
class Divergence(SmoothCost):
    """Σ_s P(s) (l log l − l + 1): the sum over outputs is I(S;Y)."""

    p_s: FloatArray

    def value(self, excess: FloatArray) -> FloatArray:
        """Return Σ P (l log l − u), each term at least 0."""
        lift = np.maximum(1 + excess, 0.0)
        terms = special.xlog1py(lift, np.maximum(excess, -1.0)) - excess
        result: FloatArray = np.where(lift > 0, terms, 1.0) @ self.p_s
        return np.asarray(result)

    def slope(self, excess: FloatArray) -> FloatArray:
        """Return P log l."""
        result: FloatArray = self.p_s * np.log1p(_clipped(excess))
        return result

    def curvature(self, excess: FloatArray) -> FloatArray:
        """Return the diagonal matrix of P/l."""
        return _diagonal(self.p_s / (1 + _clipped(excess)))

    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return d − P log Σ P e^{d/P}: the conjugate of a divergence is a log-mean-exp."""
        result: FloatArray = slope - self.p_s * special.logsumexp(
            slope / self.p_s, b=self.p_s, axis=-1, keepdims=True
        )
        return result

    def epigraph(self) -> Epigraph:
        """Return Σ P h with h_s + l_s − W ≥ l_s log(l_s/W), W = Σ P l."""
        n_s = len(self.p_s)
        cones = self._cones(np.append(self.p_s, np.zeros(n_s)))
        return Epigraph(np.zeros(n_s), self.p_s, np.zeros((0, 2 * n_s)), cones)

    def sparse_epigraph(self) -> Epigraph:
        """Return the same with a variable W ≥ Σ P l: where they are equal the cost is least."""
        n_s = len(self.p_s)
        total = np.concatenate([self.p_s, np.zeros(n_s), [-1.0]])
        cones = self._cones(np.eye(2 * n_s + 1)[-1])
        return Epigraph(np.zeros(n_s), np.append(self.p_s, 0.0), total[None], cones)

    def _cones(self, total: FloatArray) -> tuple[Cone, ...]:
        """Return a cone for each lift, given W as a row."""
        n_s, unit = len(self.p_s), np.eye(len(total))
        return tuple(
            Cone("exponential", np.stack([total - unit[s] - unit[n_s + s], unit[s], total]))
            for s in range(n_s)
        )


@dataclass(frozen=True, eq=False)
class SquaredExcess(SmoothCost):
    """Σ_s P(s) (l − 1)² where Σ_s P(s) l = 1: the sum over outputs is χ²(S;Y)."""

    p_s: FloatArray

    def value(self, excess: FloatArray) -> FloatArray:
        """Return Σ P u²."""
        return np.asarray(excess**2 @ self.p_s)

    def slope(self, excess: FloatArray) -> FloatArray:
        """Return the gradient of Σ P l²/Σ P l − Σ P l: P (2u − Σ P u²)."""
        result: FloatArray = self.p_s * (2 * excess - self.value(excess)[..., None])
        return result

    def curvature(self, excess: FloatArray) -> FloatArray:
        """Return the second derivatives where Σ P l stays 1: 2P on the diagonal."""
        return _diagonal(np.broadcast_to(2 * self.p_s, excess.shape))

    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return d − P (m + v/4), with m and v the mean and the variance of d/P under P."""
        mean = slope.sum(axis=-1, keepdims=True)
        variance = ((slope / self.p_s - mean) ** 2 @ self.p_s)[..., None]
        result: FloatArray = slope - self.p_s * (mean + variance / 4)
        return result

    def epigraph(self) -> Epigraph:
        """Return h with h W ≥ Σ P (l − W)², W = Σ P l."""
        n_s = len(self.p_s)
        total, last = np.append(self.p_s, 0.0), np.eye(n_s + 1)[n_s]
        spread = 2 * np.sqrt(self.p_s)[:, None] * (np.eye(n_s + 1)[:n_s] - total)
        cone = Cone("second-order", np.vstack([total + last, total - last, spread]))
        return Epigraph(np.zeros(n_s), np.ones(1), np.zeros((0, n_s + 1)), (cone,))


@dataclass(frozen=True, eq=False)
class PowerMean(SmoothCost):
    """(Σ_s w l^α)^{1/α} − Σ_s w l with Σ w = 1, α not 0 or 1, and for α < 1 its negative.

    With w = P(s) the sums over outputs give Sibson's I_α, with w ∝ P(s)^α Arimoto's.
    """

    weights: FloatArray
    order: float

    def value(self, excess: FloatArray) -> FloatArray:
        """Return the power mean less the plain mean, with its sign, raised to 0."""
        gain = np.expm1(self._log_mean(excess)) - excess @ self.weights
        return np.asarray(np.maximum(self._sign * gain, 0.0))

    def slope(self, excess: FloatArray) -> FloatArray:
        """Return w ((l/mean)^{α−1} − 1), with its sign."""
        inner = _clipped(excess)
        ratio = np.log1p(inner) - self._log_mean(inner)[..., None]
        result: FloatArray = self._sign * self.weights * np.expm1((self.order - 1) * ratio)
        return result

    def curvature(self, excess: FloatArray) -> FloatArray:
        """Return (α−1)·mean·(diag(v/l²) − (v/l)(v/l)ᵀ) with v = w (l/mean)^α, signed."""
        inner = _clipped(excess)
        log_mean = self._log_mean(inner)[..., None]
        share = self.weights * np.exp(self.order * (np.log1p(inner) - log_mean))
        tilt = share / (1 + inner)
        outer = tilt[..., :, None] * tilt[..., None, :]
        inside = _diagonal(share / (1 + inner) ** 2) - outer
        scale = self._sign * (self.order - 1) * np.exp(log_mean)[..., None]
        result: FloatArray = scale * inside
        return result

    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return the slope, scaled beside the plain mean, by Hölder's inequality.

        For α > 1 that part, d + w, may have a dual norm of at most 1; for α < 1 w − d must
        have one of at least 1.
        """
        share, dual = self.weights, self.order / (self.order - 1)
        own = (
            np.maximum(self._sign * slope + self._sign * share, 0.0)
            if self.order > 1
            else (np.maximum(share - slope, ROUNDING * share))
        )
        ratio = own / share
        top = ratio.max(axis=-1, keepdims=True) if self.order > 1 else ratio.min(-1, keepdims=True)
        safe = np.where(top > 0, top, 1.0)
        norm = safe * (((ratio / safe) ** dual) @ share)[..., None] ** (1 / dual)
        if self.order > 1:
            scaled: FloatArray = own / np.maximum(norm, 1.0) - share
            return scaled
        result: FloatArray = share - own / np.minimum(norm, 1.0)
        return result

    def epigraph(self) -> Epigraph:
        """Return ±(t − Σ w l) by cones, with t the power mean.

        For α = 2, t is a norm. For other α > 1, t = Σ h and h^{1/α} t^{1−1/α} ≥ w^{1/α} l for
        each s. For α < 1, h is the cost itself: t = Σ w l − h is at most Σ w g with
        l^α t^{1−α} ≥ g, and for α < 0 it is at least Σ g with g l^{−α} ≥ w t^{1−α}. These g are
        all at most t, whatever the weights: Clarabel fails where they differ by powers of ten.
        """
        n_s, share = len(self.weights), self.weights
        if self.order == 2:
            norm = np.diag(np.append(np.sqrt(share), 1.0))[[-1, *range(n_s)]]
            cone = Cone("second-order", norm)
            return Epigraph(-share, np.ones(1), np.zeros((0, n_s + 1)), (cone,))
        if self.order > 1:
            unit, total = np.eye(2 * n_s), np.append(np.zeros(n_s), np.ones(n_s))
            parts = share ** (1 / self.order)
            cones = tuple(
                Cone("power", np.stack([unit[n_s + s], total, parts[s] * unit[s]]), 1 / self.order)
                for s in range(n_s)
            )
            return Epigraph(-share, np.ones(n_s), np.zeros((0, 2 * n_s)), cones)
        unit = np.eye(2 * n_s + 1)  # l, then h, then g
        mean = np.concatenate([share, [-1.0], np.zeros(n_s)])
        if self.order < 0:
            row = np.append(np.zeros(n_s + 1), np.ones(n_s)) - mean
            power = self.order / (self.order - 1)
            parts = share ** (1 - power)
            sides = [(unit[s], unit[n_s + 1 + s], parts[s] * mean) for s in range(n_s)]
        else:
            row, power = mean - np.concatenate([np.zeros(n_s + 1), share]), self.order
            sides = [(unit[s], mean, unit[n_s + 1 + s]) for s in range(n_s)]
        cones = tuple(Cone("power", np.stack(rows), power) for rows in sides)
        price = np.append(1.0, np.zeros(n_s))
        return Epigraph(np.zeros(n_s), price, row[None], cones)

    @property
    def _sign(self) -> float:
        return 1.0 if self.order > 1 else -1.0

    def _log_mean(self, excess: FloatArray) -> FloatArray:
        """Return (1/α) log Σ w l^α, shape (...)."""
        with np.errstate(divide="ignore"):
            logs = np.log1p(np.maximum(excess, -1.0))
        highest = np.maximum(logs.max(axis=-1, keepdims=True), np.log(ROUNDING))
        relative = np.expm1(self.order * (logs - highest)) @ self.weights
        near_one = relative > -0.5  # else 1 + relative would lose digits to cancellation
        mean = np.asarray(np.log1p(np.where(near_one, relative, 0.0)))
        if not near_one.all():  # terms of at most w, the largest of all being one of these
            terms = self.order * (logs - highest)[~near_one]
            # logarithms of terms of a sum are raised to this: it is finite, and its term
            # underflows to 0
            total = np.exp(np.maximum(terms, -1e4)) @ self.weights
            mean[~near_one] = np.log(np.maximum(total, np.finfo(np.float64).tiny))
        result: FloatArray = highest[..., 0] + mean / self.order
        return result


@dataclass(frozen=True, eq=False)
class Deviation(AverageCost):
    """½ Σ_s P(s) |l − 1|: the sum over outputs is the total variation."""

    p_s: FloatArray

    def value(self, excess: FloatArray) -> FloatArray:
        """Return ½ Σ P |u|."""
        return np.asarray(np.abs(excess) @ self.p_s / 2)

    def slope(self, excess: FloatArray) -> FloatArray:
        """Return P(s) (σ_s − Σ P σ)/2 with σ = sign u."""
        return self._of_signs(np.sign(excess))

    def pieces(self) -> FloatArray | None:
        """Return the slope for each combination of signs; None with over six secrets."""
        if len(self.p_s) > 6:  # of 6 secrets there are 2⁶ − 2 = 62
            return None
        signs = np.array(list(product([-1.0, 1.0], repeat=len(self.p_s))))
        mixed = signs[np.abs(signs.sum(axis=1)) < len(self.p_s)]
        return self._of_signs(mixed)

    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return P (g − mean), with the range of g = d/P reduced to 1 where it is larger."""
        own = slope / self.p_s - slope.sum(axis=-1, keepdims=True)
        width = own.max(axis=-1, keepdims=True) - own.min(axis=-1, keepdims=True)
        own = own / np.maximum(width, 1.0)
        result: FloatArray = self.p_s * (own - (own @ self.p_s)[..., None])
        return result

    def epigraph(self) -> Epigraph:
        """Return ½ Σ P h with h ≥ |l − W|, W = Σ P l."""
        n_s = len(self.p_s)
        gap = np.eye(n_s) - self.p_s
        rows = np.block([[gap, -np.eye(n_s)], [-gap, -np.eye(n_s)]])
        return Epigraph(np.zeros(n_s), self.p_s / 2, rows)

    def _of_signs(self, signs: FloatArray) -> FloatArray:
        """Return ½ P (σ − Σ P σ), whose product with l is ½ Σ P σ u where Σ P l = 1."""
        mean = (signs @ self.p_s)[..., None]
        result: FloatArray = self.p_s * (signs - mean) / 2
        return result


@dataclass(frozen=True, eq=False)
class Largest(AverageCost):
    """(max_s w_s l_s − w_t l_t)/w_t with t = argmax w; with equal weights max_s l_s − 1.

    With w = 1 the sum over outputs is e^{maximal leakage} − 1; with w = P(s) the probability of
    guessing S from Y, divided by that without Y, less 1.
    """

    weights: FloatArray
    p_s: FloatArray

    def value(self, excess: FloatArray) -> FloatArray:
        return np.asarray((excess @ self.pieces().T + self._rest).max(axis=-1))

    def slope(self, excess: FloatArray) -> FloatArray:
        pieces = self.pieces()
        result: FloatArray = pieces[(excess @ pieces.T + self._rest).argmax(axis=-1)]
        return result

    def pieces(self) -> FloatArray:
        """Return one slope for each secret, shape (n_s, n_s)."""
        share = self.weights / self.weights.max()
        result: FloatArray = np.diag(share) - self._tangent()
        return result

    def minorant(self, slope: FloatArray) -> FloatArray:
        """Return the slope with its shares of the pieces scaled to a sum of at most 1."""
        share = self.weights / self.weights.max()
        own = np.maximum(slope + self._tangent(), 0.0)
        total = (own / share).sum(axis=-1, keepdims=True)
        result: FloatArray = own / np.maximum(total, 1.0) - self._tangent()
        return result

    def epigraph(self) -> Epigraph:
        pieces = self.pieces()
        rows = np.column_stack([pieces, np.full(len(pieces), -1.0)])
        return Epigraph(np.zeros(len(self.p_s)), np.ones(1), rows)

    @property
    def _rest(self) -> FloatArray:
        """The pieces' values at l = 1, at most 0."""
        result: FloatArray = self.pieces().sum(axis=1)
        return result

    def _tangent(self) -> FloatArray:
        """Return the subtracted subgradient of max_s w_s l_s/max w at l = 1, shape (n_s,)."""
        share = self.weights / self.weights.max()
        if (share == 1.0).all():  # P is a subgradient too, and Σ P l = 1 for every posterior
            return self.p_s
        tangent = np.zeros(len(share))
        tangent[int(share.argmax())] = 1.0
        return tangent


def _clipped(excess: FloatArray) -> FloatArray:
    """Return u with lifts below `ROUNDING` raised to it, as a cost's slope at 0 may be infinite.

    A tangent at any point lies below a convex function, so it stays valid.
    """
    result: FloatArray = np.maximum(excess, ROUNDING - 1.0)
    return result


def _diagonal(values: FloatArray) -> FloatArray:
    result: FloatArray = values[..., :, None] * np.eye(values.shape[-1])
    return result
