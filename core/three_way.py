"""Counts or weights of S, X and what else is known, K: only combinations that occur are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """The joint of S, X and K, sparse: a file has as many k as it has combinations of values.

    Attributes
    ----------
    s, x, k : ndarray
        The symbols of each combination that is listed, shape (n,); one may be listed twice.
    weight : ndarray
        Its records, weight or probability, above 0, shape (n,).
    shape : tuple of int
        (n_s, n_x, n_k).

    Examples
    --------
    >>> table = ThreeWay.of([[[3, 0], [1, 0]], [[0, 2], [0, 2]]])
    >>> table.k, table.weight, table.records
    (array([0, 0, 1, 1]), array([3., 1., 2., 2.]), 8)
    """

    s: IntArray
    x: IntArray
    k: IntArray
    weight: FloatArray
    shape: tuple[int, int, int]

    @classmethod
    def of(cls, joint_sxk: ArrayLike | ThreeWay) -> ThreeWay:
        """Return an array of shape (n_s, n_x, n_k) in this form; a `ThreeWay` as it is.

        Raises
        ------
        InvalidInputError
            If it does not have three axes, an entry is negative or not finite, or all are 0.
        """
        if isinstance(joint_sxk, ThreeWay):
            return joint_sxk
        table = validation.matrix(joint_sxk, "The joint of S, X and K", batch=True)
        if table.ndim != 3:
            raise InvalidInputError(
                f"The joint of S, X and K must have three axes, (s, x, k), got {table.ndim}."
            )
        s, x, k = (np.asarray(place, dtype=np.int64) for place in np.nonzero(table))
        if not len(s):
            raise InvalidInputError("The joint of S, X and K must not be all zero.")
        n_s, n_x, n_k = table.shape
        return cls(s, x, k, table[s, x, k], (n_s, n_x, n_k))

    @property
    def records(self) -> int | None:
        """The number of records; None for probabilities, or weights that are not whole."""
        with np.errstate(over="ignore"):
            total = self.weight.sum()
        whole = 1 < total < np.inf and bool((self.weight == np.rint(self.weight)).all())
        return int(total) if whole else None

    @property
    def shares(self) -> FloatArray:
        """The probability of each combination that is listed, shape (n,)."""
        row = validation.normalised(self.weight[None, :], "The joint of S, X and K")
        return row.ravel()

    def checked_kernel(self, kernel: ArrayLike) -> FloatArray:
        """Return a kernel with n_x rows, or n_s·n_x rows of one that reads S too, checked.

        Raises
        ------
        InvalidInputError
            If it has another number of rows, or a row is no distribution.
        """
        n_s, n_x, _ = self.shape
        array = np.asarray(kernel, dtype=np.float64)
        reads_s = array.ndim == 2 and len(array) == n_s * n_x
        return validation.kernel(array, n_s * n_x if reads_s else n_x)


def direction(weights: FloatArray, *, whole: bool) -> FloatArray:
    """Return columns scaled, so that they are equal exactly where they differ by a factor.

    Whole numbers are divided by their greatest common divisor. Other weights may be rounded, so
    they become equal only if they differ by a power of two.
    """
    if whole:
        counts = weights.astype(np.int64)
        result: FloatArray = (counts // np.gcd.reduce(counts, axis=0)).astype(np.float64)
        return result
    _, exponent = np.frexp(weights.max(axis=0))
    scaled: FloatArray = np.ldexp(weights, -exponent)
    return scaled
