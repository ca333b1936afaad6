"""What a released file gives away about S: the columns K beside Y, Y given them, and both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core.limits import AT_ONCE
from core.three_way import ThreeWay
from core.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Beside:
    """What K, Y given K, and (Y, K) give away about S, for the counted distribution.

    Each has "lip", "ldp", "pml" and "min_lift", the levels of these notions in nats, and "guess".

    Attributes
    ----------
    known : dict
        K alone: P(s | k) against P(s). "guess" is the chance of a right guess, Σ_k max_s P(s, k).
    added : dict
        Y, to a reader who knows K: P(s | y, k) against P(s | k), at the worst k. Only secrets that
        k leaves possible count, so where K determines S this is 0. "guess" is how far Y raises the
        chance of guessing S.
    file : dict
        Both: P(s | y, k) against P(s). "guess" is Σ_{y,k} max_s P(s, y, k).
    determined : float
        Share of records whose k occurs with one secret alone.
    unique : float or None
        Share of records that are alone on K; None where the joint is not one of counts.
    records : int or None
        Number of records; None where the joint is not one of counts.
    certain : float
        Share of records whose (y, k) occurs with one secret alone, as Y is drawn.
    """

    known: dict[str, float]
    added: dict[str, float]
    file: dict[str, float]
    determined: float
    unique: float | None
    records: int | None
    certain: float = 0.0


def beside(joint_sxk: ArrayLike | ThreeWay, kernel: ArrayLike) -> Beside:
    """Return what a file with Y and further columns K reveals about S.

    Where k rules a secret out, P(s | k) = 0 < P(s): K alone then has "lip", "ldp" and "min_lift"
    ∞, and so has the file. Y cannot rule that secret out again: `added` compares beliefs in the
    secrets that are left. Where a belief can only fall to 0 through Y, `added` is ∞ too.

    Parameters
    ----------
    joint_sxk : array_like or ThreeWay
        Counts, weights or probabilities of (s, x, k), shape (n_s, n_x, n_k).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y), rows s·n_x + x.

    Raises
    ------
    InvalidInputError
        If the joint has other axes, negative entries or none above 0, or the kernel does not fit.

    Examples
    --------
    Y is independent of S, and K alone doubles a belief:

    >>> levels = beside([[[1, 3], [1, 3]], [[3, 1], [3, 1]]], [[1, 0], [0, 1]])
    >>> levels.added["lip"], round(math.exp(levels.known["min_lift"]), 6), levels.file["guess"]
    (0.0, 2.0, 0.75)
    """
    table = ThreeWay.of(joint_sxk)
    rows = table.checked_kernel(kernel)
    pairs = _Pairs.of(table)
    matrix = pairs.matrix(table, reads_s=len(rows) != table.shape[1])
    known, added, file, certain = _Extremes(), _Extremes(), _Extremes(), 0.0
    for part in pairs.batches(rows.shape[1]):
        given_y = matrix[part.pairs] @ rows  # P(s, y, k)
        known.add(part, part.mass[:, None], part.p_s, part.lacks)
        added.add(part, given_y, part.p_s_given_k, np.zeros_like(part.lacks))
        file.add(part, given_y, part.p_s, part.lacks)
        alone = np.add.reduceat((given_y > 0).astype(int), part.first) == 1
        certain += float(np.add.reduceat(given_y, part.first)[alone].sum())
    gained = {**added.levels(), "guess": max(file.guess - known.guess, 0.0)}
    records, unique = table.records, None
    if records is not None:
        of_k = np.bincount(table.k, table.weight, table.shape[2])
        unique = float((of_k == 1).sum()) / records
    shares = pairs.determined, unique, records, min(certain, 1.0)
    return Beside(known.levels(), gained, file.levels(), *shares)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Pairs (s, k) of some k: `first` is where each k begins (n_k,), `of` the k of each pair (n,).

    `p_s`, `p_s_given_k`: P(s) and P(s | k) of each pair, (n,). `lacks`: whether k rules a secret
    out, (n_k,).
    """

    pairs: slice
    first: IntArray
    of: IntArray
    mass: FloatArray
    p_s: FloatArray
    p_s_given_k: FloatArray
    lacks: BoolArray


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs (s, k) that occur, by k: the pair of each listed combination, and P(s, k).

    `first`: the first pair of each k, and the number of pairs at the end.
    """

    place: IntArray
    s: IntArray
    mass: FloatArray
    first: IntArray
    p_s: FloatArray

    @classmethod
    def of(cls, table: ThreeWay) -> _Pairs:
        """Return the pairs of a table."""
        n_s = table.shape[0]
        kinds, place = np.unique(table.k * n_s + table.s, return_inverse=True)
        mass: FloatArray = np.bincount(place, table.shares, len(kinds)).astype(np.float64)
        k = kinds // n_s
        first = np.concatenate([[0], np.flatnonzero(np.diff(k)) + 1, [len(k)]])
        s = kinds % n_s
        p_s: FloatArray = np.bincount(s, mass, n_s).astype(np.float64)
        return cls(place, s, mass, first, p_s)

    @property
    def determined(self) -> float:
        """Share of records whose k occurs with one secret alone."""
        alone = np.diff(self.first) == 1
        if alone.all():
            return 1.0
        return min(float(self.mass[self.first[:-1][alone]].sum()), 1.0)

    def matrix(self, table: ThreeWay, *, reads_s: bool) -> sparse.csr_array:
        """Return P(s, k) by the kernel's rows, shape (n_pairs, n_rows)."""
        n_s, n_x, _ = table.shape
        row = table.s * n_x + table.x if reads_s else table.x
        shape = len(self.s), n_s * n_x if reads_s else n_x
        return sparse.csr_array((table.shares, (self.place, row)), shape=shape)

    def batches(self, n_y: int) -> Iterator[_Batch]:
        """Yield the pairs of some k at a time, each k whole."""
        n_k, begin = len(self.first) - 1, 0
        most = max(1, AT_ONCE // n_y)
        possible = np.count_nonzero(self.p_s)
        while begin < n_k:
            last = np.searchsorted(self.first, self.first[begin] + most, "right") - 1
            end = max(int(last), begin + 1)
            pairs = slice(int(self.first[begin]), int(self.first[end]))
            sizes = np.diff(self.first[begin : end + 1])
            first, of = self.first[begin:end] - pairs.start, np.repeat(np.arange(len(sizes)), sizes)
            mass = self.mass[pairs]
            given = mass / np.add.reduceat(mass, first)[of]
            lacks = sizes < possible
            yield _Batch(pairs, first, of, mass, self.p_s[self.s[pairs]], given, lacks)
            begin = end


@dataclass
class _Extremes:
    """The extremes of posterior over prior so far, their largest ratio, and a sum of maxima."""

    lowest: float = 1.0
    highest: float = 1.0
    ratio: float = 1.0
    guess: float = 0.0

    def add(self, part: _Batch, joint: FloatArray, prior: FloatArray, lacks: BoolArray) -> None:
        """Take in P(s, y, k) of a batch's pairs, (n, n_y), with the beliefs before, (n,).

        `lacks`: of which k a secret of the prior is missing, whose belief is 0.
        """
        total = np.add.reduceat(joint, part.first)
        occurs = total > 0
        posterior = np.divide(
            joint, total[part.of], out=np.zeros_like(joint), where=occurs[part.of]
        )
        lift = posterior / prior[:, None]
        high = np.maximum.reduceat(lift, part.first)
        low = np.where(lacks[:, None], 0.0, np.minimum.reduceat(lift, part.first))
        with np.errstate(divide="ignore"):  # ∞ where a secret is ruled out
            ratio = high[occurs] / low[occurs]
        self.lowest = min(self.lowest, float(low[occurs].min()))
        self.highest = max(self.highest, float(high[occurs].max()))
        self.ratio = max(self.ratio, float(ratio.max()))
        self.guess += float(np.maximum.reduceat(joint, part.first).sum())

    def levels(self) -> dict[str, float]:
        """Return the levels in nats, and the chance of a right guess."""
        low = math.inf if self.lowest == 0 else abs(math.log(self.lowest))
        high = math.log(self.highest)
        return {
            "lip": max(low, high),
            "ldp": math.log(self.ratio),
            "pml": high,
            "min_lift": low,
            "guess": min(self.guess, 1.0),
        }
