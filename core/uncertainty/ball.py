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
from core.uncertainty.extremes import (
    bound_of,
    budget_of,
    extreme_member,
    greatest,
    least,
    renyi_divergence,
)
from core.validation import BoolArray, FloatArray

FLOORED = 1e-6
"""How far from 1 P̂ may sum: cells that were never seen are often raised to a tiny floor."""

ASSUMED_RECORDS = 1_000
"""Records assumed behind probabilities that come without a number of records."""


def assumed_records(n: int | None) -> int:
    """Return the number of records behind an estimate, `ASSUMED_RECORDS` where it is not known."""
    return ASSUMED_RECORDS if n is None else n


def cell_probabilities(p_su: ArrayLike, name: str = "P(s, u)") -> FloatArray:
    """Return P(s, u), shape (n_s, n_u), checked and normalized."""
    cells = validation.matrix(p_su, name)
    n_s = len(cells)
    if n_s < 2:
        raise InvalidInputError(
            f"{name} must have at least two secrets s, got {n_s}: one secret needs no hiding."
        )
    total = float(cells.sum())
    if abs(total - 1) > FLOORED and not is_counts(cells):
        raise InvalidInputError(f"{name} must sum to 1 or hold whole counts, got {total:.12g}.")
    result: FloatArray = cells / total
    return result


def is_counts(cells: FloatArray) -> bool:
    """Say whether cells are whole numbers that add up to more than 1."""
    return bool(cells.sum() > 1 + FLOORED and (cells == np.rint(cells)).all())


def conditionals(p_su: FloatArray) -> FloatArray:
    """Return P(u | s), shape (..., n_s, n_u); a row of zeros for an s of probability 0."""
    masses = p_su.sum(axis=-1, keepdims=True)
    result: FloatArray = p_su / np.where(masses > 0, masses, 1.0)
    return result


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


def radii(p: FloatArray, bounds: FloatArray, alpha: float) -> FloatArray:
    """Return max ‖R − p‖₁ over the ball around each row of p; upper bounds beyond `MAX_EXACT`.

    Twice the maximum over U1 of ρξ⁺(ρ) − ρ at ρ = p(U1) ([RLDP] eq. 30). As D_α is jointly
    quasi-convex, this gain is concave in ρ: only achievable sums next to its peak matter. At α = 2
    the peak is at (1 − √b)/2 and worth √b/2.
    """
    least = p.min(axis=1)
    peaks = np.maximum(_peaks(bounds, alpha), least)
    gains = []
    for row, bound, peak, low in zip(p, bounds, peaks, least, strict=True):
        sums = np.array([peak]) if row.size > MAX_EXACT else _sums_next_to(row, peak, low)
        gains.append(float((_greatest_mass(sums, bound, alpha) - sums).max()))
    result: FloatArray = np.clip(2 * np.array(gains), 0.0, 2.0)
    return result


def _greatest_mass(rho: FloatArray, bound: FloatArray, alpha: float) -> FloatArray:
    """Return the greatest R(U1) where p(U1) = rho: by duality, so never too small."""
    if alpha == 2:
        return mass_range(rho, bound, alpha)[1]
    bound = np.broadcast_to(bound, rho.shape)
    pair = np.stack([rho, 1 - rho], axis=-1)
    inside = np.broadcast_to(np.array([1.0, 0.0]), pair.shape)
    return np.where(bound == 0, rho, np.maximum(greatest(pair, inside, bound, alpha), rho))


def _peaks(bounds: FloatArray, alpha: float) -> FloatArray:
    """Return the ρ in [0, 1] at which ρξ⁺(ρ) − ρ is greatest, for each bound, shape (k,)."""
    if alpha == 2:
        known: FloatArray = np.maximum(0.0, (1 - np.sqrt(np.expm1(np.minimum(bounds, 1.0)))) / 2)
        return known
    left, right = np.zeros(len(bounds)), np.ones(len(bounds))
    # golden-section steps from an interval of 1 to below the spacing of doubles
    for _ in range(80):
        points = np.stack([right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)])
        first, second = _greatest_mass(points, bounds, alpha) - points
        left, right = (
            np.where(first >= second, left, points[0]),
            np.where(first >= second, points[1], right),
        )
    result: FloatArray = (left + right) / 2
    return result


def _sums_next_to(p: FloatArray, target: float, least: float) -> FloatArray:
    """Return the sums of non-empty subsets nearest to `target` from below and from above."""
    half = p.size // 2
    first, second = _subset_sums(p[:half]), np.sort(_subset_sums(p[half:]))
    place = np.searchsorted(second, target - first, side="right")
    below = first + second[np.maximum(place - 1, 0)]
    above = first + second[np.minimum(place, second.size - 1)]
    sums = np.concatenate([below, above])
    sums = np.minimum(sums[sums >= least], 1.0)
    under, over = sums[sums <= target], sums[sums >= target]
    return np.array(
        [*under.max(initial=least, keepdims=True), *over.min(initial=1.0, keepdims=True)]
    )


def _subset_sums(p: FloatArray) -> FloatArray:
    """Return the sums of all subsets, shape (2^n,)."""
    sums = np.zeros(1)
    for probability in p:
        sums = np.concatenate([sums, sums + probability])
    return sums


LAST_DIGITS = 8 * np.finfo(float).eps
"""Part of a probability that its rounding may be."""


@dataclass(frozen=True, eq=False)
class RenyiBall:
    """The set F = {P : D_α(P̂‖P) ≤ B} of distributions of (S, U) ([RLDP] §3).

    Parameters
    ----------
    p_hat_su : array_like
        The estimate P̂(s, u), or counts, shape (n_s, n_u), n_s ≥ 2. Cells that were never
        seen may be 0: members of F may have mass there. Kept normalized and read-only.
    bound : float
        B in nats, in [0, ∞]. At 0 F is {P̂}, at ∞ it is every distribution.
    alpha : float
        Order α in (0, ∞); 1 is Kullback–Leibler.

    Raises
    ------
    InvalidInputError
        If P̂ is no distribution of at least two secrets, or a number is out of range.

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
        if self.n_u == 1:  # U is constant
            return np.ones((self.n_s, 1)), np.ones((self.n_s, 1))
        low, high = mass_range(self.p_u_given_s, self.conditional_bound[:, None], self.alpha)
        unknown = (self.p_s == 0)[:, None]
        return np.where(unknown, 0.0, low), np.where(unknown, 1.0, high)

    @cached_property
    def radius(self) -> FloatArray:
        """rad_s, shape (n_s,): the greatest ‖P(U | s) − P̂(U | s)‖₁ over F, at most 2.

        It is exact up to 30 symbols u and an upper bound beyond; 2 for an s never seen.
        Source: [RLDP] eq. 30.
        """
        result, seen = np.full(self.n_s, 2.0), self.p_s > 0
        result[seen] = radii(self.p_u_given_s[seen], self.conditional_bound[seen], self.alpha)
        return result

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
