"""The set of outputs that a convex notion allows, in the form that the solvers take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scipy import sparse

from core.validation import FloatArray, IntArray

Oracle = Callable[[FloatArray], FloatArray]
"""Takes a posterior r, shape (n_x,); returns violated cuts g, shape (k, n_x), with g·r > 0."""


@dataclass(frozen=True, eq=False)
class AllowedSet:
    """A convex cone of outputs r ≥ 0: those whose posterior P(x | y) ∝ r the notion allows.

    Every convex notion is a condition on one output at a time and on its posterior alone, so it
    is homogeneous in r: r may be scaled as one likes (to Σr = 1: the posterior).

    Attributes
    ----------
    rows : csr_array
        Shape (n_rows, n_x + n_helpers). r is allowed iff some helpers h ≥ 0 have
        rows @ [r, h] ≤ 0. Each row's largest coefficient has magnitude about 1.
    n_x : int
        Number of symbols of X.
    oracle : callable or None
        Where rows do not say it all: returns the cuts g·r ≤ 0, valid on the whole set, that a
        given r breaks, shape (k, n_x); none (k = 0) means that r is allowed.
    parts : tuple of ndarray
        Ways to part the symbols so that many rows concern one part only, the best first: numbers
        0, 1, … of each symbol's part, shape (n_x,). A hint for a bound.
    inner : AllowedSet or None
        Part of the set that a long search had better look through first.
    """

    rows: sparse.csr_array
    n_x: int
    oracle: Oracle | None = None
    parts: tuple[IntArray, ...] = ()
    inner: AllowedSet | None = None

    @property
    def n_helpers(self) -> int:
        """Number of helper variables."""
        return int(self.rows.shape[1]) - self.n_x
