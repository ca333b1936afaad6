"""Rényi balls around an estimate: the distributions that a sample leaves possible."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from core import validation
from core.errors import InvalidInputError
from core.limits import ROUNDING
from core.uncertainty.divergence import bound_of, budget_of, renyi_divergence
from core.uncertainty.estimate import cell_probabilities, conditionals, is_counts
from core.uncertainty.radius import mass_range, radius
from core.validation import BoolArray, FloatArray

LAST_DIGITS = 8 * np.finfo(float).eps
"""Part of a probability that its rounding may be."""


@dataclass(frozen=True, eq=False)
class RenyiBall:
    """The set F = {P : D_α(P̂‖P) ≤ B} of distributions of (S, U) ([RLDP] §3).

    Parameters
    ----------
    p_hat_su : array_like
        The estimate P̂(s, u), or counts, shape (n_s, n_u), at least 2×2. Cells that were never
        seen may be 0: members of F may have mass there. Kept normalised and read-only.
    bound : float
        B in nats, in [0, ∞]. At 0 F is {P̂}, at ∞ it is every distribution.
    alpha : float
        Order α in (0, ∞); 1 is Kullback–Leibler.

    Raises
    ------
    InvalidInputError
        If P̂ is no distribution of at least two secrets and two u, or a number is out of range.

    Examples
    --------
    >>> ball = RenyiBall.confidence([[0.07, 0.10], [0.26, 0.57]], n=100, beta=0.05)
    >>> round(ball.bound, 5), ball.conditional_bound.round(5)
    (0.07524, array([0.40673, 0.09031]))
    >>> ball.lower.round(5)
    array([[0.15522, 0.27272],
           [0.19213, 0.53337]])
    >>> bool(ball.contains([[0.1, 0.1], [0.2, 0.6]]))
    True
    """

    p_hat_su: FloatArray = field(repr=False)
    bound: float
    alpha: float = 2.0

    def __post_init__(self) -> None:
        cells = cell_probabilities(self.p_hat_su, "P̂(s, u)")
        cells.flags.writeable = False
        alpha = validation.number(self.alpha, "alpha", low=0.0, open_low=True)
        if alpha == np.inf:
            raise InvalidInputError("alpha must be a finite order above 0, got inf.")
        object.__setattr__(self, "p_hat_su", cells)
        object.__setattr__(self, "bound", validation.budget(self.bound, "bound"))
        object.__setattr__(self, "alpha", alpha)

    @classmethod
    def confidence(
        cls, p_hat_su: ArrayLike, n: int, beta: float = 0.05, alpha: float = 2.0
    ) -> RenyiBall:
        """Return the confidence set of an estimate from n records, as a ball of order α.

        Parameters
        ----------
        p_hat_su : array_like
            P̂(s, u), or the counts themselves, shape (n_s, n_u).
        n : int
            Number of records behind it, at least 1.
        beta : float
            Chance that the true distribution lies outside, in (0, 1), for large n.
        alpha : float
            Order in (0, ∞); 2 is the χ² set of the paper.

        Raises
        ------
        InvalidInputError
            If `n` or `beta` is out of range, or counts do not add up to `n`.

        Notes
        -----
        B = log(1 + α(α−1)q/(2n))/(α−1) with q the 1 − β quantile of χ² with n_s·n_u − 1 degrees
        of freedom: log(1 + q/n) at α = 2, q/(2n) at α = 1, and ∞ for α < 1 and few records. The
        power divergences 2n(e^{(α−1)D_α} − 1)/(α(α−1)) all tend to that χ² law.
        Source: [RLDP] eq. 9 for α = 2; Cressie and Read 1984 for the others.
        """
        cells = validation.matrix(p_hat_su, "P̂(s, u)")
        records = validation.whole(n, "n", low=1)
        miss = validation.number(beta, "beta", low=0.0, high=1.0)
        if miss in (0.0, 1.0):
            raise InvalidInputError(f"beta must be strictly between 0 and 1, got {beta!r}.")
        if is_counts(cells) and cells.sum() != records:
            raise InvalidInputError(
                f"n must be the number of records counted, {cells.sum():.0f}, got {records}."
            )
        order = validation.number(alpha, "alpha", low=0.0, open_low=True)
        spread = float(special.chdtri(cells.size - 1, miss)) / (2 * records)
        if order == 1:
            return cls(cells, spread, 1.0)
        growth = order * (order - 1) * spread
        bound = float(np.log1p(growth)) / (order - 1) if growth > -1 else np.inf
        return cls(cells, bound, order)

    @property
    def n_s(self) -> int:
        """Number of secrets."""
        return int(self.p_hat_su.shape[0])

    @property
    def n_u(self) -> int:
        """Number of u."""
        return int(self.p_hat_su.shape[1])

    @cached_property
    def p_s(self) -> FloatArray:
        """P̂(s), shape (n_s,)."""
        masses: FloatArray = self.p_hat_su.sum(axis=1)
        return masses

    @cached_property
    def p_u_given_s(self) -> FloatArray:
        """P̂(u | s), shape (n_s, n_u); zeros for an s that was never seen."""
        return conditionals(self.p_hat_su)

    @cached_property
    def budget(self) -> float:
        """B in the units in which divergences of conditionals add up (see `budget_of`)."""
        return float(budget_of(self.bound, self.alpha))

    @cached_property
    def conditional_bound(self) -> FloatArray:
        """B_s, shape (n_s,): P(U | s) ranges over {R : D_α(P̂(U | s)‖R) ≤ B_s}; ∞ is a value.

        Source: [RLDP] Theorem 1.
        """
        return bound_of(self.budget, self.p_s, self.alpha)

    @cached_property
    def lower(self) -> FloatArray:
        """L_{u|s}, shape (n_s, n_u): the least P(u | s) over F. Source: [RLDP] eq. 29."""
        return self._ranges[0]

    @cached_property
    def lower_rounded(self) -> FloatArray:
        """L_{u|s} rounded down, shape (n_s, n_u): the polytope that it spans contains F's.

        It differs from L where 1 − Σ_u L_{u|s} is so small that the last digits of L are more
        than ROUNDING of it, as in a ball of 1e-14.
        """
        free = 1 - self.lower.sum(axis=1, keepdims=True)
        rounded = (self.conditional_bound[:, None] > 0) & (free * ROUNDING < LAST_DIGITS)
        result: FloatArray = np.where(rounded, self.lower * (1 - LAST_DIGITS), self.lower)
        return result

    @cached_property
    def upper(self) -> FloatArray:
        """The greatest P(u | s) over F, shape (n_s, n_u)."""
        return self._ranges[1]

    @cached_property
    def _ranges(self) -> tuple[FloatArray, FloatArray]:
        low, high = mass_range(self.p_u_given_s, self.conditional_bound[:, None], self.alpha)
        unknown = (self.p_s == 0)[:, None]
        return np.where(unknown, 0.0, low), np.where(unknown, 1.0, high)

    @cached_property
    def radius(self) -> FloatArray:
        """rad_s, shape (n_s,): the greatest ‖P(U | s) − P̂(U | s)‖₁ over F, at most 2.

        It is exact up to 30 symbols u and an upper bound beyond; 2 for an s never seen.
        Source: [RLDP] eq. 30.
        """
        return np.array(
            [
                radius(row, float(bound), self.alpha) if mass > 0 else 2.0
                for row, bound, mass in zip(
                    self.p_u_given_s, self.conditional_bound, self.p_s, strict=True
                )
            ]
        )

    def divergence(self, p_su: ArrayLike) -> FloatArray:
        """Return D_α(P̂‖P) in nats, shape (...), for P(s, u) of shape (..., n_s, n_u)."""
        cells = validation.distribution(p_su, "P(s, u)", batch=True)
        if cells.shape[-2:] != self.p_hat_su.shape:
            raise InvalidInputError(
                f"P(s, u) must have shape {self.p_hat_su.shape} as P̂, got {cells.shape[-2:]}."
            )
        flat = cells.reshape(*cells.shape[:-2], -1)
        return renyi_divergence(self.p_hat_su.ravel(), flat, self.alpha)

    def contains(self, p_su: ArrayLike) -> BoolArray:
        """Say which P(s, u), shape (..., n_s, n_u), are members of F, shape (...)."""
        inside: BoolArray = np.asarray(self.divergence(p_su) <= self.bound + ROUNDING)
        return inside

    def sample(self, count: int, rng: np.random.Generator, *, boundary: bool = False) -> FloatArray:
        """Draw members of F, shape (count, n_s, n_u), to illustrate F and to look for worst cases.

        Each lies on the ray from P̂ to a random distribution (Dirichlet of order ½ over the cells):
        at the end of F, or of the simplex, with `boundary`, else at a random place before it. The
        draws are not uniform on F.
        """
        whole = validation.whole(count, "count", low=1)
        centre = self.p_hat_su.ravel()
        ends = rng.dirichlet(np.full(centre.size, 0.5), whole)
        low, high = np.zeros(whole), np.full(whole, 1.0 if self.bound > 0 else 0.0)
        low[renyi_divergence(centre, ends, self.alpha) <= self.bound] = high[0]
        for _ in range(60):  # halvings of [0, 1] down to the spacing of doubles
            middle = (low + high) / 2
            points = centre + middle[:, None] * (ends - centre)
            inside = renyi_divergence(centre, points, self.alpha) <= self.bound
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        share = low if boundary else low * rng.random(whole) ** (1 / (centre.size - 1))
        drawn = centre + share[:, None] * (ends - centre)
        cells: FloatArray = drawn.reshape(whole, self.n_s, self.n_u)
        return cells
