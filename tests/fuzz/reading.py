"""Optima that may read S, held against every extreme output of the pair (S, X), in whole numbers.

A kernel P(y | s, x) has an output v(s, x) for each y. The notion is a list of rows of such v, what
they keep of X is convex, so the optimum is the best mixture of extreme outputs.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from core import measures
from core import mechanisms as m
from core.errors import InfeasibleError
from core.joint import Joint
from core.utilities import Distortion, Guess, Information, SquaredError
from tests.exact.extreme_rays import extreme_rays
from tests.exact.optimum import SLACK, Program, information
from tests.exact.promises import INNER, Promise, outer
from tests.exact.questions import joint_counts, promise
from tests.exact.verdict import GAP, TOLERANCE, Failure, strictly

NOTIONS = ("LIP", "ALIP", "LDP", "PointwiseMaximalLeakage", "GuessingProbability", "L1Privacy")
"""Polyhedral promises about P(s, y)."""

PURPOSES = ("information", "information", "information", "guess", "distortion", "squared error")
"""What is to survive of X; the frequent one stands thrice."""

MOST = 3
"""Secrets and symbols: nine pairs have few enough extreme outputs."""

MOST_ROWS = 40
"""Rows of a promise: signs of ℓ1 with others beside them would be more."""

MOST_OUTPUTS = 400
"""Extreme outputs whose best mixture is worked out in fractions."""

COARSE = 1 / 16
"""Seconds that a reading of the clock takes: 80 readings are the limit of 5 s."""


@dataclass(frozen=True)
class Reading:
    """Counts N(s, x) without rows or columns of zeros, a promise, and what is to survive of X."""

    counts: tuple[tuple[int, ...], ...]
    promise: Promise
    purpose: str
    numbers: tuple[tuple[int, ...], ...]

    @property
    def pairs(self):
        """The pairs (s, x) that occur."""
        cells = [(s, x) for s, row in enumerate(self.counts) for x in range(len(row))]
        return [(s, x) for s, x in cells if self.counts[s][x]]

    def utility(self):
        """Return the purpose of `core`."""
        if self.purpose == "distortion":
            return Distortion(self.numbers)
        if self.purpose == "squared error":
            return SquaredError(self.numbers[0])
        return Guess() if self.purpose == "guess" else Information()

    def gain(self, v):
        """Return what an output v/max(v) of the pairs adds to the utility."""
        counts = [0] * len(self.counts[0])
        for (s, x), entry in zip(self.pairs, v, strict=True):
            counts[x] += self.counts[s][x] * entry
        unit, mass = sum(map(sum, self.counts)) * max(v), sum(counts)
        if self.purpose == "guess":
            return max(counts) / unit
        if self.purpose == "distortion":
            guesses = zip(*self.numbers, strict=True)
            return -min(sum(n * d for n, d in zip(counts, z, strict=True)) for z in guesses) / unit
        if self.purpose == "squared error":
            mean = Fraction(sum(n * q for n, q in zip(counts, self.numbers[0], strict=True)), mass)
            spread = [n * (q - mean) ** 2 for n, q in zip(counts, self.numbers[0], strict=True)]
            return -float(sum(spread) / unit)
        columns = [sum(column) for column in zip(*self.counts, strict=True)]
        return _of_x(counts, columns, max(v))

    def worth(self, kernel):
        """Return the utility of P(y | s, x), by a route of its own."""
        p = np.array(self.counts, dtype=float)
        p_xy = np.einsum("sx,sxy->xy", p / p.sum(), np.reshape(kernel, (*p.shape, -1)))
        if self.purpose == "guess":
            return float(p_xy.max(axis=0).sum())
        if self.purpose == "distortion":
            return -float((p_xy.T @ np.array(self.numbers)).min(axis=1).sum())
        if self.purpose == "squared error":
            v, mass = np.array(self.numbers[0], dtype=float), p_xy.sum(axis=0)
            return -float((v**2 @ p_xy - (v @ p_xy) ** 2 / np.where(mass > 0, mass, 1)).sum())
        return float(measures.mutual_information(p_xy))

    def code(self):
        """Return the question as the first lines of a program."""
        return (
            "from math import inf\nfrom core import mechanisms as m\nfrom core.joint import Joint\n"
            "from core.notions import *\nfrom core.utilities import *\n"
            f"joint = Joint.from_counts({[list(row) for row in self.counts]})\n"
            f"notion = {self.promise.code()}  # {self.purpose} of {self.numbers}"
        )


def _of_x(counts, columns, largest):
    """Return what an output tells of X: P(y) D(P(X | y) ‖ P_X), of counts N(x)·v."""
    ratios = [Fraction(n, column) for n, column in zip(counts, columns, strict=True)]
    if max(ratios) == 0:
        return 0.0
    # `information` is of an output over its largest entry; here it is over that of the pairs
    whole = [int(ratio * _product(columns)) for ratio in ratios]
    return information(whole, columns) * float(max(ratios) / largest)


def _product(numbers):
    product = 1
    for number in numbers:
        product *= number
    return product


def reading(random):
    """Draw a question; None where it has too many extreme outputs."""
    counts = [row for row in joint_counts(random) if any(row)][:MOST]
    kept = [x for x in range(len(counts[0])) if any(row[x] for row in counts)]
    kept = sorted(random.sample(kept, min(MOST, len(kept))))
    cut = tuple(tuple(row[x] for x in kept) for row in counts if any(row[x] for x in kept))
    parts = [promise(random, cut, NOTIONS) for _ in range(random.choice((1, 1, 1, 1, 2)))]
    request = parts[0] if len(parts) == 1 else Promise("Intersection", tuple(parts))
    purpose = random.choice(PURPOSES)
    if purpose == "distortion":
        guesses = random.choice((2, 3))
        numbers = tuple(tuple(random.randint(0, 5) for _ in range(guesses)) for _ in kept)
    else:
        numbers = (tuple(random.randint(-3, 9) for _ in kept),)
    return Reading(cut, request, purpose, numbers)


def truth(request):
    """Return (low, high, what the audit's slack allows at most), None where it takes too long."""
    pairs = request.pairs
    of_pairs = [
        [request.counts[s][x] if s == t else 0 for s, x in pairs]
        for t in range(len(request.counts))
    ]
    masses, result = [request.counts[s][x] for s, x in pairs], []
    for bound in (INNER, outer(SLACK)):
        rows = [row for row in request.promise.rows(of_pairs, bound) if min(row, default=0) < 0]
        if any(sum(row) < 0 for row in rows):
            result.append((-inf, -inf))
            continue
        if len(rows) > MOST_ROWS:
            return None
        outputs = extreme_rays(len(masses), rows)
        if len(outputs) > MOST_OUTPUTS:
            return None
        result.append(Program(outputs, [request.gain(v) for v in outputs], masses).solution())
    (low, high), (_, allowed) = result
    return low, high, allowed


def both_read(random):
    """Return (question, optimum or None, failures) for one question."""
    request = reading(random)
    known = truth(request)
    if known is None:
        return request, None, []
    low, high, allowed = known
    utility, call = request.utility(), "m.optimal_reading_secret(joint, notion)"
    unit, span = utility.size(), f"[{low:.12g}, {high:.12g}], with slack {allowed:.12g}"
    joint, notion = Joint.from_counts(request.counts), request.promise.notion()
    try:
        with strictly(COARSE):
            best = m.optimal_reading_secret(joint, notion, utility=utility)
    except InfeasibleError as error:
        kind = [Failure("infeasible", request, call, span, str(error))]
        return request, None, kind if low > -inf else []
    except Exception as error:  # whatever it is, it is reported
        got = f"{type(error).__name__}: {error}"
        return request, None, [Failure("raised", request, call, span, got)]
    got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.status}"
    checks = {
        "audit": notion.holds(joint, best.kernel),
        "utility": abs(request.worth(best.kernel) - best.utility) <= TOLERANCE * unit,
        "too good": best.utility <= allowed + TOLERANCE * unit,
        "false bound": best.upper_bound >= low - TOLERANCE * unit,
        "false proof": best.status != "optimal" or best.utility >= low - (GAP + TOLERANCE) * unit,
    }
    result = [Failure(kind, request, call, span, got) for kind, fine in checks.items() if not fine]
    return request, best, result
