"""Test whether the outputs of a release can have come from its kernel.

Two tests share the false alarm rate. One is of each cell: the number of records of a row that got
an output is binomial, and its exact tails are compared with the rate divided by the number of
cells (Bonferroni). The other is of the totals of all outputs: their distance from their means is
compared with that of draws from the kernel (Monte Carlo). Neither rests on an approximation, so
the rate is an upper bound for every file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.validation import FloatArray, IntArray

ALARM = 0.001
"""False alarm rate: the largest probability that a true release fails."""

DRAWS = 1_999
"""Draws from the kernel, with which the least p-value is half of `ALARM`."""

SEED = 20_261_122
"""Seed of these draws, so that a check has the same outcome each time."""


@dataclass(frozen=True)
class Consistency:
    """Whether outputs are consistent with a kernel.

    Attributes
    ----------
    impossible : tuple of (int, int), or None
        A row of the kernel, and an output of probability 0 that one of its records has.
    cells, totals : float
        The p-values of the two tests.
    alarm : float
        The false alarm rate.
    """

    impossible: tuple[int, int] | None
    cells: float
    totals: float
    alarm: float = ALARM

    @property
    def holds(self) -> bool:
        """Whether no test rejects the kernel."""
        half = self.alarm / 2
        return self.impossible is None and self.cells > half and self.totals > half


def consistency(rows: IntArray, outputs: IntArray, kernel: FloatArray) -> Consistency:
    """Test the outputs of records against a kernel.

    Parameters
    ----------
    rows : ndarray
        Row of the kernel of each record, shape (n,).
    outputs : ndarray
        Output of each record, shape (n,).
    kernel : ndarray
        P(y | row), shape (rows, n_y).

    Examples
    --------
    >>> rows = np.repeat([0, 1], 100)
    >>> kernel = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> consistency(rows, np.repeat([0, 1], 100), kernel).holds  # 100 of 100 heads
    False
    >>> consistency(rows, np.r_[np.tile([0, 1], 50), np.ones(100, int)], kernel).holds
    True
    """
    pairs = np.zeros(kernel.shape, dtype=np.int64)
    np.add.at(pairs, (rows, outputs), 1)
    wrong = np.argwhere((pairs > 0) & (kernel <= 0))
    if len(wrong):
        return Consistency((int(wrong[0][0]), int(wrong[0][1])), 0.0, 0.0)
    records = pairs.sum(axis=1)
    return Consistency(None, _cells(pairs, records, kernel), _totals(pairs, records, kernel))


def _cells(pairs: IntArray, records: IntArray, kernel: FloatArray) -> float:
    """Return the least two-sided p-value of a cell, times the number of cells, at most 1."""
    random = (kernel > 0) & (kernel < 1) & (records > 0)[:, None]
    if not random.any():
        return 1.0
    of_row = np.broadcast_to(records[:, None], kernel.shape)[random]
    seen, chance = pairs[random], kernel[random]
    below = stats.binom.cdf(seen, of_row, chance)
    above = stats.binom.sf(seen - 1, of_row, chance)
    return float(min(1.0, 2 * random.sum() * np.minimum(below, above).min()))


def _totals(pairs: IntArray, records: IntArray, kernel: FloatArray) -> float:
    """Return the p-value of the distance of the outputs' totals from their means."""
    mean = records @ kernel
    variance = records @ (kernel * (1 - kernel))
    free = variance > 1e-12 * max(records.sum(), 1)
    if not free.any():
        return 1.0
    rng = np.random.default_rng(SEED)
    drawn = np.zeros((DRAWS, kernel.shape[1]))
    for row in np.flatnonzero(records):
        possible = np.flatnonzero(kernel[row] > 0)
        chances = kernel[row, possible] / kernel[row, possible].sum()
        drawn[:, possible] += rng.multinomial(records[row], chances, size=DRAWS)

    def spread(totals: FloatArray) -> FloatArray:
        away: FloatArray = ((totals[..., free] - mean[free]) ** 2 / variance[free]).sum(axis=-1)
        return away

    found = spread(pairs.sum(axis=0).astype(np.float64))
    return float((1 + (spread(drawn) >= found).sum()) / (DRAWS + 1))
