"""The most that any mechanism keeps of X under a polyhedral notion: enclosed, not estimated.

All extreme outputs are found in whole numbers. Their best mixture is a linear program whose
optimal basis HiGHS proposes; the mixture of that basis is then worked out in fractions, and so is
the price vector that no output beats by more than what the enclosure says.
"""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, lcm, log

import highspy
import numpy as np

from tests.exact.extreme_rays import extreme_rays
from tests.exact.promises import INNER, outer

SLACK = Fraction(11, 10**13)
"""Slack of the library's audit in nats, 1e-12, and a tenth for the rounding of its levels."""


NARROW = 1e-10
"""Width of an enclosure, in nats, with which HiGHS's basis is good enough."""

FINE = 2**200
"""Prices are rounded to parts of this: any prices give a bound."""


class SingularError(ArithmeticError):
    """A square system has no single solution."""


@dataclass(frozen=True)
class Truth:
    """What is known of the optimum, in nats.

    Attributes
    ----------
    low, high : float
        The optimum lies between them; −∞ where no mechanism meets the notion.
    allowed : float
        No kernel that passes the audit, with its slack, is worth more; −∞ where none passes.
    n_outputs : int
        Number of extreme outputs.
    """

    low: float
    high: float
    allowed: float
    n_outputs: int


def living(counts):
    """Return counts without rows and columns of zeros, and which columns are left."""
    kept = [x for x, column in enumerate(zip(*counts, strict=True)) if any(column)]
    return [[row[x] for x in kept] for row in counts if any(row)], kept


def truth(counts, promise):
    """Return the enclosure of the optimum for P(s, x) = counts/total.

    Rows are built on all columns, since SRLIP's shape counts those that never occur.
    """
    dense, kept = living(counts)
    bounds = []
    for bound in (INNER, outer(SLACK)):
        rows = [[row[x] for x in kept] for row in promise.rows(counts, bound)]
        bounds.append(best_mixture(dense, [row for row in rows if min(row, default=0) < 0]))
    (low, high, _), (_, allowed, n_outputs) = bounds
    return Truth(low, high, allowed, n_outputs)


def best_mixture(counts, rows):
    """Return (low, high, number of outputs) around max I(X;Y); −∞ if v = 1 breaks a row.

    Maximize Σ_k t_k g_k with Σ_k t_k v_k = 1, t ≥ 0, over the extreme outputs v_k, with the
    information g(v) = Σ_x P(x) v(x) log(v(x)/Σ_x P(x) v(x)).
    """
    if any(sum(row) < 0 for row in rows):
        return -inf, -inf, 0
    columns = [sum(column) for column in zip(*counts, strict=True)]
    outputs = extreme_rays(len(columns), rows)
    gains = [information(v, columns) for v in outputs]
    return *Program(outputs, gains, columns).solution(), len(outputs)


def budgeted(counts, pieces, limit):
    """Return (low, high) around max I(X;Y) where outputs' costs sum to at most `limit`.

    An output v costs max_i Σ_x P(x) pieces_i(x) v(x), pieces being fractions, shape (k, n_x). It
    is lifted to (v, w), where limit·w is at least its cost, and the w of all outputs sum to 1.
    """
    columns = [sum(column) for column in zip(*counts, strict=True)]
    total = sum(columns)
    mean = [[Fraction(n, total) * a for n, a in zip(columns, row, strict=True)] for row in pieces]
    rows = [_whole([-a for a in row] + [Fraction(limit)]) for row in mean]
    outputs = extreme_rays(len(columns) + 1, rows)
    gains = [information(v[:-1], columns) if any(v[:-1]) else 0.0 for v in outputs]
    gains = [g * max(v[:-1]) / max(v) for g, v in zip(gains, outputs, strict=True)]
    return Program(outputs, gains, [*columns, total]).solution()


def _whole(row):
    """Return a row of fractions, scaled to whole numbers."""
    scale = lcm(*(entry.denominator for entry in row))
    return [int(entry * scale) for entry in row]


def information(v, columns):
    """Return Σ_x P(x) v(x) log(v(x)/P(y)) of the output v/max(v), exact but for its last digits."""
    total = sum(columns)
    mass = sum(n * entry for n, entry in zip(columns, v, strict=True))
    return fsum(
        (n * entry) / (total * max(v)) * _log(entry * total, mass)
        for n, entry in zip(columns, v, strict=True)
        if entry
    )


def _log(above, below):
    """Return log(above/below) of whole numbers, whose ratio may be no double."""
    ratio = above / below
    return log(ratio) if ratio > 0 else log(above) - log(below)


class Program:
    """The best mixture of outputs v_k, each over its largest entry, with gains g_k."""

    def __init__(self, outputs, gains, masses):
        self.outputs, self.gains, self.masses = outputs, gains, masses
        self.n, self.k = len(masses), len(outputs)
        unit = [[Fraction(int(i == j)) for j in range(self.n)] for i in range(self.n)]
        self.columns = [[Fraction(e, max(v)) for e in v] for v in outputs] + unit

    def solution(self):
        """Return the enclosure, by HiGHS's basis or, where that is not optimal, by an exact one.

        Where outputs are alike to a part in 1e13 the basis of HiGHS is singular.
        """
        with suppress(SingularError):
            result = self.enclosure(self.proposed())
            if result[1] - result[0] <= NARROW:
                return result
        return self.enclosure(self.optimal())

    def proposed(self):
        """Return the basis at which HiGHS stops: columns by number, artificial ones from k on."""
        solver = highspy.Highs()
        solver.silent()
        solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
        solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        solver.setOptionValue("presolve", "off")
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.k, self.n
        program.col_cost_ = -np.array(self.gains)
        program.col_lower_, program.col_upper_ = np.zeros(self.k), np.full(self.k, inf)
        program.row_lower_, program.row_upper_ = np.ones(self.n), np.ones(self.n)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.arange(self.k + 1) * self.n
        program.a_matrix_.index_ = np.tile(np.arange(self.n), self.k)
        program.a_matrix_.value_ = np.array(self.columns[: self.k], dtype=float).ravel()
        solver.passModel(program)
        solver.run()
        result = solver.getBasis()
        basic = highspy.HighsBasisStatus.kBasic
        return [i for i, s in enumerate([*result.col_status, *result.row_status]) if s == basic]

    def optimal(self):
        """Return an optimal basis, by the simplex method in fractions, Bland's rule throughout."""
        basis = list(range(self.k, self.k + self.n))
        artificial = [Fraction(0)] * self.k + [Fraction(-1)] * self.n
        basis = self._climb(basis, artificial)
        return self._climb(basis, [Fraction(g) for g in self.gains] + [Fraction(0)] * self.n)

    def _climb(self, basis, gains):
        while True:
            prices = solved([self.columns[i] for i in basis], [gains[i] for i in basis])
            entering = next(
                (
                    k
                    for k in range(self.k)
                    if k not in basis and gains[k] > _dot(prices, self.columns[k])
                ),
                None,
            )
            if entering is None:
                return basis
            matrix = _transposed([self.columns[i] for i in basis])
            weights = solved(matrix, [Fraction(1)] * self.n)
            change = solved(matrix, self.columns[entering])
            leaving = min(
                (weight / step if step > 0 else Fraction(0), basis[at], at)
                for at, (weight, step) in enumerate(zip(weights, change, strict=True))
                if step > 0 or (step < 0 and weight == 0 and basis[at] >= self.k)
            )
            basis = [i for at, i in enumerate(basis) if at != leaving[2]] + [entering]

    def enclosure(self, basis):
        """Return the value of the basis' mixture, exact, and a bound from its prices.

        Weak duality: for any prices y, Σ_k t_k g_k ≤ Σ_x y(x) + max_k (g_k − y·v_k)/P_k, because
        Σ_k t_k v_k = 1 makes the masses t_k P_k sum to 1.
        """
        chosen = [self.columns[i] for i in basis]
        gains = [self.gains[i] if i < self.k else 0.0 for i in basis]
        weights = solved(_transposed(chosen), [Fraction(1)] * self.n)
        low = -inf
        if all(t >= 0 if i < self.k else t == 0 for i, t in zip(basis, weights, strict=True)):
            low = fsum(float(t) * g for t, g in zip(weights, gains, strict=True))
        prices = solved(chosen, [Fraction(g) for g in gains])
        whole = [round(y * FINE) for y in prices]
        total, excess = sum(self.masses), -inf
        for v, gain in zip(self.outputs, self.gains, strict=True):
            price = _dot(whole, v) / (FINE * max(v))
            excess = max(excess, (gain - price) * (total * max(v) / _dot(self.masses, v)))
        return low, sum(whole) / FINE + excess


def solved(matrix, right):
    """Return the solution of a regular system in fractions, by elimination; or SingularError."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for i in range(n):
        pivot = next((j for j in range(i, n) if rows[j][i] != 0), None)
        if pivot is None:
            raise SingularError("The system has no single solution.")
        rows[i], rows[pivot] = rows[pivot], rows[i]
        head = rows[i][i]
        rows[i] = [entry / head for entry in rows[i]]
        for j in range(n):
            if j != i and rows[j][i] != 0:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[n] for row in rows]


def _dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def _transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]
