"""Estimate P(x), or P(s, x), from the outputs of a release and its kernel.

Outputs are a mixture of the kernel's rows, P(y) = Σ_x P(x) P(y|x). Where the rows are linearly
independent, the inverse estimates P(x) without bias; where noise takes it out of the simplex, EM
finds the likeliest distribution. Where rows are dependent, as when symbols are merged, some P(x)
are not identified by any number of records, and their standard errors are infinite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError, SolverError
from core.validation import BoolArray, FloatArray

STEPS = 200_000
"""Most steps of EM."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A distribution that was estimated from a release.

    Attributes
    ----------
    p : ndarray
        P(x), shape (n_x,); or P(s, x), shape (n_s, n_x).
    stderr : ndarray
        Standard errors of the inverse, of the same shape; ∞ where `identified` is False.
    identified : ndarray
        Whether the release identifies the probability, of the same shape.
    method : str
        "inverse", or "EM" where the inverse is outside the simplex or not unique.
    n : int
        Number of records.
    """

    p: FloatArray
    stderr: FloatArray
    identified: BoolArray
    method: str
    n: int


def estimate(counts: ArrayLike, kernel: ArrayLike, *, reads_s: bool = False) -> Estimate:
    """Estimate the distribution of the data that a mechanism was applied to.

    Parameters
    ----------
    counts : array_like
        How often each output was released, shape (n_y,); or with each secret (or each value of a
        task), where that is known, shape (n_s, n_y).
    kernel : array_like
        P(y | x), shape (n_x, n_y). For counts of shape (n_y,) its rows may be the pairs (s, x) of
        a kernel that reads S.
    reads_s : bool
        For counts by secret: whether the kernel is P(y | s, x), shape (n_s·n_x, n_y).

    Returns
    -------
    estimate : Estimate
        P(x), or P(s, x) for counts by secret.

    Raises
    ------
    InvalidInputError
        If counts are not whole numbers of at least 0 or are all 0, the shapes do not fit, or an
        output was counted that has probability 0.
    SolverError
        If EM does not converge.

    Notes
    -----
    The inverse is generalized least squares with weights W = 1/P(y) on the frequencies f of
    outputs: p̂ = G⁺ K W f with G = K W Kᵀ, which is the inverse of Kᵀ where that is square. Because
    counts are multinomial, Var p̂(x) = ((G⁺)_xx − p(x)²)/n (Gauss–Markov). For randomized response
    this is Warner 1965.

    Examples
    --------
    >>> estimated = estimate([60, 40], [[0.75, 0.25], [0.25, 0.75]])
    >>> estimated.p.round(3), estimated.stderr.round(3), estimated.method
    (array([0.7, 0.3]), array([0.098, 0.098]), 'inverse')
    """
    array = np.asarray(counts, dtype=np.float64)
    flat = array.ndim == 1
    table = validation.matrix(np.atleast_2d(array), "The counts of outputs")
    n = float(table.sum())
    if n == 0 or (table != np.rint(table)).any():
        raise InvalidInputError("The counts of outputs must be whole numbers, not all of them 0.")
    rows = np.asarray(kernel, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != table.shape[1]:
        raise InvalidInputError(
            f"The kernel must have {table.shape[1]} outputs, like the counts, got shape "
            f"{rows.shape}."
        )
    blocks = _blocks(rows, len(table), reads_s)
    parts = [_inverse(line / n, block, n) for line, block in zip(table, blocks, strict=True)]
    p, variance, identified = (np.array([part[i] for part in parts]) for i in range(3))
    method = "inverse"
    if not identified.all() or (p < 0).any():
        method = "EM"
        p = np.array(
            [_likeliest(line / n, block, n) for line, block in zip(table, blocks, strict=True)]
        )
    stderr = np.where(identified, np.sqrt(np.maximum(variance, 0.0)), np.inf)
    shape = (-1,) if flat else p.shape
    return Estimate(
        p.reshape(shape),
        stderr.reshape(shape),
        identified.reshape(shape).astype(bool),
        method,
        int(n),
    )


def _blocks(kernel: FloatArray, n_s: int, reads_s: bool) -> list[FloatArray]:
    """Return the kernel of each secret, shape (n_x, n_y) each."""
    checked = validation.kernel(kernel, len(kernel))
    if reads_s:
        if len(checked) % n_s:
            raise InvalidInputError(
                f"A kernel that reads S must have a multiple of {n_s} rows, got {len(checked)}."
            )
        return list(checked.reshape(n_s, -1, checked.shape[1]))
    return [checked] * n_s


def _inverse(
    shares: FloatArray, kernel: FloatArray, n: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the inverse of one block, its variances, and which symbols are identified."""
    likeliest = _likeliest(shares, kernel, n)
    fitted = likeliest @ kernel
    seen = fitted > 0
    if (shares[~seen] > 0).any():
        y = int(np.flatnonzero(~seen & (shares > 0))[0])
        raise InvalidInputError(f"Output {y + 1} was counted, but the kernel never gives it.")
    half = kernel[:, seen] / np.sqrt(np.maximum(fitted[seen], 1e-300))
    inverse = np.linalg.pinv(half.T)  # (n_x, outputs): G⁺ K √W
    p = inverse @ (shares[seen] / np.sqrt(np.maximum(fitted[seen], 1e-300)))
    back = half @ np.linalg.pinv(half)  # onto the span of the kernel's columns
    identified = np.abs(back - np.eye(len(kernel))).max(axis=1) < 1e-8  # up to rounding
    variance = ((inverse**2).sum(axis=1) - likeliest**2) / n
    return np.where(np.abs(p) < 1e-14, 0.0, p), variance, identified


def _likeliest(shares: FloatArray, kernel: FloatArray, n: float) -> FloatArray:
    """Return the likeliest weights of the rows by EM in squared steps (SQUAREM, Varadhan 2008).

    With g(x) = Σ_y f(y) P(y|x)/P(y), no mixture has a log-likelihood that is higher by more than n
    (max g − Σ f), which ends the search.
    """
    total = float(shares.sum())
    p = np.full(len(kernel), total / len(kernel))
    if total == 0:
        return p
    seen = shares > 0
    f, rows = shares[seen], kernel[:, seen]

    def step(at: FloatArray) -> tuple[FloatArray, float]:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = rows @ np.where(f > 0, f / (at @ rows), 0.0)
        return at * slope, float(slope.max())

    def likelihood(at: FloatArray) -> float:
        return float(f @ np.log(at @ rows))

    if (kernel.max(axis=0)[seen] <= 0).any():
        return p  # an output that no row gives: the caller raises
    for _ in range(STEPS):
        first, steepest = step(p)
        if n * total * (steepest - 1) <= 1e-6:  # far below noise
            return first
        second, _ = step(first)
        away, turn = first - p, second - 2 * first + p
        bend = float(np.sqrt(turn @ turn))
        longer = max(1.0, float(np.sqrt(away @ away)) / bend) if bend > 0 else 1.0
        leap = p + 2 * longer * away + longer**2 * turn
        leap = np.maximum(leap, 0.1 * second)  # a weight of 0 could never rise again
        leap *= total / leap.sum()
        p = leap if likelihood(leap) >= likelihood(second) else second
    raise SolverError(f"EM did not converge to the likeliest distribution in {STEPS:,} steps.")
