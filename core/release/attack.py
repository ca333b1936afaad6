"""An attack on a release: how often S is guessed right, for records that were not learned from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from core import validation
from core.errors import InvalidInputError
from core.limits import AT_ONCE
from core.validation import FloatArray, IntArray

FOLDS = 5
"""Parts of the records, each guessed from the others, so an attack needs as many records."""

MOST_FITTED = 1 << 19
"""Most of them that weights are fitted to: thousands of records, for a weight of each column."""


@dataclass(frozen=True)
class Attack:
    """How often S is guessed right, each time by what other records show.

    Attributes
    ----------
    right : float
        Share of records whose S is guessed right.
    blind : float
        Share that is right where the most frequent S of other records is always guessed.
    records : int
        Number of records.
    """

    right: float
    blind: float
    records: int

    @property
    def error(self) -> float:
        """The standard error of `right`, √(right · (1 − right)/records)."""
        return math.sqrt(self.right * (1 - self.right) / self.records)


def attack(
    secrets: ArrayLike, columns: Sequence[ArrayLike], folds: int = FOLDS, seed: int = 0
) -> Attack:
    """Guess S from columns such as Y, by weighted naive Bayes with cross-validation.

    Counts of a file overstate what columns reveal where a combination of values has few records.
    Here each record is guessed from the other folds: the s of the greatest log P(s) + Σ w
    log P(s | v)/P(s), summed over the columns' values v, where P(s | v) is (N(s, v) + P(s))/(N(v) +
    1). The weights w ≥ 0 are those of greatest likelihood, so that columns that say the same are
    not counted twice. A better learner may guess more: this does not bound what others can do.

    Parameters
    ----------
    secrets : array_like
        The number of each record's secret, from 0, shape (n,).
    columns : sequence of array_like
        The number of each record's value in each column, from 0, shape (n,) each.
    folds : int
        Parts of equal size, each guessed from the others.
    seed : int
        Seed of the division into folds.

    Raises
    ------
    InvalidInputError
        If there is no column, there are fewer records than folds, or an array has a wrong shape or
        entry.

    Examples
    --------
    A column that equals S reveals it; one that is different for each record reveals nothing:

    >>> secrets = np.tile([0, 0, 1], 100)
    >>> attack(secrets, [secrets]).right, round(attack(secrets, [np.arange(300)]).right, 3)
    (1.0, 0.667)
    """
    s = _numbers(secrets, "secrets")
    values = [_numbers(column, "A column", len(s)) for column in columns]
    validation.whole(folds, "folds", low=2)
    if not values:
        raise InvalidInputError("An attack needs at least one column to guess S from, got none.")
    if len(s) < folds:
        raise InvalidInputError(
            f"An attack in {folds} folds needs at least as many records, got {len(s)}."
        )
    order = np.random.default_rng(seed).permutation(len(s))
    s, table = s[order], np.stack(values)[:, order]
    fold = np.arange(len(s)) % folds
    right = blind = 0
    for part in range(folds):
        learned, tried = fold != part, fold == part
        learner = _Learner.of(s[learned], table[:, learned], table.max(axis=1) + 1)
        right += int((learner.guesses(table[:, tried]) == s[tried]).sum())
        blind += int((s[tried] == learner.secrets[learner.p_s.argmax()]).sum())
    return Attack(right / len(s), blind / len(s), len(s))


def _numbers(values: ArrayLike, name: str, size: int | None = None) -> IntArray:
    """Return an array of whole numbers of at least 0, shape (n,), as 0, 1, … without gaps."""
    array = np.asarray(values)
    if array.ndim != 1 or (size is not None and len(array) != size):
        wanted = "(n,)" if size is None else f"({size},)"
        raise InvalidInputError(f"{name} must have shape {wanted}, got {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer) or array.min(initial=0) < 0:
        raise InvalidInputError(f"{name} must hold whole numbers of at least 0.")
    place: IntArray = np.unique(array, return_inverse=True)[1].astype(np.int64)
    return place


@dataclass(frozen=True, eq=False)
class _Learner:
    """What some records show: the secrets that occur, (n_s,), P(s), and N(v, s) of each column."""

    secrets: IntArray
    p_s: FloatArray
    counts: tuple[sparse.csr_array, ...]
    weights: FloatArray

    @classmethod
    def of(cls, s: IntArray, columns: IntArray, sizes: IntArray) -> _Learner:
        """Learn from secrets, (n,), and values, (n_columns, n); `sizes`: how many a column has."""
        secrets, own, number = np.unique(s, return_inverse=True, return_counts=True)
        ones = np.ones(len(s))
        counts = tuple(
            sparse.coo_array((ones, (values, own)), shape=(int(size), len(secrets))).tocsr()
            for values, size in zip(columns, sizes, strict=True)
        )
        learner = cls(secrets, number / len(s), counts, np.ones(len(columns)))
        n = max(1, MOST_FITTED // (len(columns) * len(secrets)))
        return replace(learner, weights=learner.fitted(own[:n], columns[:, :n]))

    def lifts(self, columns: IntArray, own: IntArray | None = None) -> FloatArray:
        """Return log P(s | v)/P(s), up to a summand of each record, shape (n_columns, n, n_s).

        `own`: the secrets of records that were learned from, and are left out for themselves.
        """
        numbers = np.stack(
            [counts[values].toarray() for counts, values in zip(self.counts, columns, strict=True)]
        )
        if own is not None:
            numbers[:, np.arange(len(own)), own] -= 1
        lifts: FloatArray = np.log1p(numbers / self.p_s)
        return lifts

    def fitted(self, own: IntArray, columns: IntArray) -> FloatArray:
        """Return the weights under which the secrets of records are likeliest, (n_columns,)."""
        lifts, prior, rows = self.lifts(columns, own), np.log(self.p_s), np.arange(len(own))

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            score = prior + np.tensordot(weights, lifts, 1)
            score -= logsumexp(score, axis=1, keepdims=True)
            value = -float(score[rows, own].mean())
            excess = np.exp(score)
            excess[rows, own] -= 1
            return value, np.tensordot(lifts, excess, 2) / len(own)

        bounds = [(0, None)] * len(columns)
        best: FloatArray = minimize(
            loss, self.weights, jac=True, method="L-BFGS-B", bounds=bounds
        ).x
        return best

    def guesses(self, columns: IntArray) -> IntArray:
        """Return the likeliest secret of each record, (n,)."""
        width = max(1, AT_ONCE // (len(columns) * len(self.secrets)))
        likeliest = []
        for begin in range(0, columns.shape[1], width):
            lifts = self.lifts(columns[:, begin : begin + width])
            score = np.log(self.p_s) + np.tensordot(self.weights, lifts, 1)
            likeliest.append(self.secrets[score.argmax(axis=1)])
        return np.concatenate(likeliest)
