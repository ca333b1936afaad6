"""What a privacy notion asks of one output, as inequalities with whole coefficients.

An output is a column v(x) = P(y | x) of a kernel, up to scale. With counts N(s, x) it has
P(s, y) ∝ Σ_x N(s, x) v(x), so every polyhedral notion is a list of rows with row·v ≥ 0, and
whole but for e^ε. This is written from the papers' definitions and imports nothing of `core` but
the notions' names, to ask `core` the same question.
"""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import inf

from core import notions

BITS = 100
"""Binary digits of e^ε after the point: the enclosure is some 1e-30 wide."""

_DIGITS = Context(prec=80)


def exponential(eps, *, up):
    """Return e^ε rounded down or up, as a fraction; e^0 exactly. `eps` is a float or fraction."""
    exact = Fraction(eps)
    if exact == 0:
        return Fraction(1)
    power = _DIGITS.exp(_DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator)))
    scaled = int(power * 2**BITS)  # the decimal power has far more digits than are kept
    return Fraction(scaled + 2 if up else scaled - 2, 2**BITS)


@dataclass(frozen=True)
class Bound:
    """A factor e^ε or less: rounded inwards (`slack` None) or ε + slack rounded outwards."""

    slack: Fraction | None

    def factor(self, eps):
        """Return a number of at most e^ε, or of at least e^(ε + slack)."""
        if self.slack is None:
            return exponential(eps, up=False)
        return exponential(Fraction(eps) + self.slack, up=True)


INNER = Bound(None)
"""No output that these rows allow breaks the notion."""


def outer(slack):
    """Return the bound that allows every output which breaks the notion by at most `slack`."""
    return Bound(Fraction(slack))


@dataclass(frozen=True)
class Promise:
    """A notion by the name of its class in `core.notions`, with its arguments."""

    kind: str
    arguments: tuple

    def notion(self):
        """Return the notion of `core`."""
        parts = [a.notion() if isinstance(a, Promise) else a for a in self.arguments]
        return getattr(notions, self.kind)(*parts)

    def code(self):
        """Return the call that makes the notion of `core`."""
        parts = [a.code() if isinstance(a, Promise) else _number(a) for a in self.arguments]
        return f"{self.kind}({', '.join(parts)})"

    def rows(self, counts, bound):
        """Return rows, whole, with row·v ≥ 0 for the outputs v that the notion allows."""
        return [_whole(row) for row in ROWS[self.kind](counts, bound, *self.arguments)]


def _number(value):
    return "inf" if value == inf else repr(value)


def _whole(row):
    """Return a row of whole numbers and fractions times their common denominator."""
    denominator = 1
    for entry in row:
        if isinstance(entry, Fraction):
            denominator = max(denominator, entry.denominator)
    if all((entry * denominator).denominator == 1 for entry in row):
        return [int(entry * denominator) for entry in row]
    for entry in row:
        denominator *= Fraction(entry * denominator).denominator
    return [int(entry * denominator) for entry in row]


def _lift_at_most(counts, factor):
    """Return P(s, y) ≤ factor·P(s)·P(y) for every s."""
    total, columns = _masses(counts)
    return [
        [factor * sum(row) * m - total * c for c, m in zip(row, columns, strict=True)]
        for row in counts
    ]


def _lift_at_least(counts, factor):
    """Return factor·P(s, y) ≥ P(s)·P(y) for every s."""
    total, columns = _masses(counts)
    return [
        [factor * total * c - sum(row) * m for c, m in zip(row, columns, strict=True)]
        for row in counts
    ]


def _masses(counts):
    columns = [sum(column) for column in zip(*counts, strict=True)]
    return sum(columns), columns


def _alip(counts, bound, eps_l, eps_u):
    rows = []
    if eps_l < inf:
        rows += _lift_at_least(counts, bound.factor(eps_l))
    if eps_u < inf:
        rows += _lift_at_most(counts, bound.factor(eps_u))
    return rows


def _lip(counts, bound, eps):
    return _alip(counts, bound, eps, eps)


def _pml(counts, bound, eps):
    return _alip(counts, bound, inf, eps)


def _ldp(counts, bound, eps):
    """P(s, y)/P(s) ≤ e^ε P(t, y)/P(t) for every s ≠ t."""
    if eps == inf:
        return []
    factor = bound.factor(eps)
    return [
        [factor * sum(s) * b - sum(t) * a for a, b in zip(s, t, strict=True)]
        for i, s in enumerate(counts)
        for j, t in enumerate(counts)
        if i != j
    ]


def _guessing(counts, bound, most):
    """P(s | y) ≤ most; the slack is one of log P(s | y)."""
    factor = Fraction(most) * bound.factor(0)
    _, columns = _masses(counts)
    return [[factor * m - c for c, m in zip(row, columns, strict=True)] for row in counts]


def _l1(counts, bound, eps_l, eps_u):
    """Σ_s |P(s | y) − P(s)| ≤ e^{ε_u} − 1, a row for each choice of signs; ε_l must be ∞."""
    assert eps_l == inf
    if eps_u == inf:
        return []
    total, columns = _masses(counts)
    room = (bound.factor(eps_u) - 1) * total
    excess = [
        [total * c - sum(row) * m for c, m in zip(row, columns, strict=True)] for row in counts
    ]
    return [
        [
            room * m - sum(f * e for f, e in zip(signs, column, strict=True))
            for m, column in zip(columns, zip(*excess, strict=True), strict=True)
        ]
        for signs in product((-1, 1), repeat=len(counts))
    ]


def _srlip(counts, bound, eps, shape):
    """LIP given x^J, for every proper subset J of the attributes and every x^J."""
    if eps == inf:
        return []
    n_x = len(counts[0])
    values = list(product(*map(range, shape)))
    factor = bound.factor(eps)
    rows = []
    for known in product((False, True), repeat=len(shape)):
        if all(known):
            continue
        cells = {}
        for x, value in enumerate(values):
            cells.setdefault(tuple(v for v, k in zip(value, known, strict=True) if k), []).append(x)
        for members in cells.values():
            part = [[row[x] for x in members] for row in counts]
            part = [row for row in part if any(row)]
            for row in _lift_at_least(part, factor) + _lift_at_most(part, factor):
                wide = [0] * n_x
                for x, entry in zip(members, row, strict=True):
                    wide[x] = entry
                rows.append(wide)
    return rows


def _intersection(counts, bound, *parts):
    return [row for part in parts for row in part.rows(counts, bound)]


ROWS = {
    "LIP": _lip,
    "ALIP": _alip,
    "LDP": _ldp,
    "PointwiseMaximalLeakage": _pml,
    "GuessingProbability": _guessing,
    "L1Privacy": _l1,
    "SRLIP": _srlip,
    "Intersection": _intersection,
}
"""The rows of each polyhedral notion, from counts, a `Bound` and the notion's own arguments."""
