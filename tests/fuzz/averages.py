"""Optima under budgets on averages, alone or with a pointwise notion, against other routes.

The kinked ones are solved in fractions from all their vertices; every one is held against
mechanisms that are made to keep it by erasing them as often as need be.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import expm1, inf
from operator import mul

import numpy as np

from core import mechanisms as m
from core import notions
from core.errors import InfeasibleError
from core.joint import Joint
from core.measures import mutual_information
from core.notions import Average, Intersection
from tests.exact.optimum import budgeted, living
from tests.exact.questions import epsilon, joint_counts, promise
from tests.exact.verdict import GAP, TOLERANCE, Failure, strictly

MEASURES = (
    *(("mutual_information", None), ("total_variation", None), ("chi2", None)),
    *(("maximal_leakage", None), ("guessing", None)),
    *(("sibson", order) for order in (0.5, 2.0, 10.0, inf)),
    *(("arimoto", order) for order in (0.3, 1.0, 3.0, inf)),
)
"""Measures with their orders."""

KINKED = ("total_variation", "maximal_leakage", "guessing")
"""Those whose costs have few pieces."""

SHARES = (0.0, 1e-9, 1e-3, 0.02, 0.2, 0.6, 0.99, 1.0, 1.5)
"""Budgets, in parts of what X itself tells."""

COARSE = 1 / 16
"""Seconds that a reading of the clock takes: 80 readings are the limit of 5 s."""

RANDOM = 6
"""Random mechanisms that are held against one optimum."""

HALVINGS = 50
"""Steps in which it is found how often a mechanism must be erased."""

EXACT = 4e-16
"""How far the chances of an output that tells nothing may be apart, in parts of the largest."""

SLACK = 1e-12
"""What the audit lets pass."""

LARGEST = 600.0
"""Bound above all that counts tell, up to ∞; its exponential is a double."""


@dataclass(frozen=True)
class Averaged:
    """Counts N(s, x), a budget, and a pointwise notion's code or nothing."""

    counts: tuple[tuple[int, ...], ...]
    measure: str
    order: float | None
    bound: float
    beside: str = ""

    def joint(self):
        """Return the joint of `core`."""
        return Joint.from_counts(self.counts)

    def average(self):
        """Return the budget alone."""
        return Average(self.measure, self.bound, self.order)

    def pointwise(self):
        """Return the notion beside it, None where there is none."""
        return eval(self.beside, {**vars(notions), "inf": inf}) if self.beside else None

    def notion(self):
        """Return all that is asked."""
        return Intersection(self.average(), self.pointwise()) if self.beside else self.average()

    def code(self):
        """Return the joint and the notion as the first lines of a program."""
        average = f"Average({self.measure!r}, {self.bound!r}, {self.order!r})"
        return (
            "from math import inf\nfrom core import mechanisms as m\nfrom core.joint import Joint\n"
            "from core.notions import *\n"
            f"joint = Joint.from_counts({[list(row) for row in self.counts]})\n"
            f"notion = {f'Intersection({average}, {self.beside})' if self.beside else average}"
        )


def averaged(random):
    """Draw a question: budgets of 0, tiny ones, and all that X tells or more among them."""
    counts = joint_counts(random)
    measure, order = random.choice(MEASURES)
    joint = Joint.from_counts(counts)
    full = Average(measure, 1.0, order)
    reported, least = (
        full.achieved(joint, k) for k in (np.eye(joint.n_x), np.ones((joint.n_x, 1)))
    )
    bound = max(least + random.choice(SHARES) * (reported - least), 0.0)
    if measure == "guessing":
        bound = min(bound, 1.0)
    elif random.random() < 0.1:
        bound = epsilon(random)
    beside = "" if random.random() < 0.6 else promise(random, counts).code()
    return Averaged(counts, measure, order, float(bound), beside)


def within(random):
    """Return (measure, optimum or None, failures) for one question."""
    request = averaged(random)
    joint, notion, call = request.joint(), request.notion(), "m.optimal(joint, notion)"
    try:
        with strictly(COARSE):
            best = m.optimal(joint, notion)
    except InfeasibleError as error:
        if "guess" in request.measure.lower() or "Guessing" in request.beside:
            return request, None, []
        return request, None, [Failure("infeasible", request, call, "1 output", str(error))]
    except Exception as error:  # whatever it is, it is reported
        got = f"{type(error).__name__}: {error}"
        return request, None, [Failure("raised", request, call, "a mechanism", got)]
    result = []
    got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.solver}, {best.status}"
    if not notion.holds(joint, best.kernel) or not best.utility <= best.upper_bound + TOLERANCE:
        result.append(Failure("untrue", request, call, "what is asked", got))
    for name, kernel in rivals(request, joint, random):
        value = float(mutual_information(joint.release_x(kernel)))
        if value > best.upper_bound + TOLERANCE:
            result.append(Failure("above the bound", request, call, f"{value:.12g} of {name}", got))
    if request.measure in KINKED and not request.beside and joint.n_s <= 3:
        (least, _), (_, most) = (exactly(request, slack) for slack in (0.0, 4 * SLACK))
        wrong = best.upper_bound < least - TOLERANCE or best.utility > most + TOLERANCE
        if wrong or (best.status == "optimal" and best.utility < least - GAP - TOLERANCE):
            result.append(Failure("wrong", request, call, f"{least:.12g} to {most:.12g}", got))
    return request, best, result


def rivals(request, joint, random):
    """Return names and kernels that keep what is asked."""
    rng = np.random.default_rng(random.getrandbits(32))
    beside, result = request.pointwise(), []
    if beside is None:
        result = [("X itself", np.eye(joint.n_x))]
        for _ in range(RANDOM):
            spread = 10 ** rng.uniform(-1.5, 0.5)
            result.append(("chance", rng.dirichlet(np.full(joint.n_x + 1, spread), joint.n_x)))
        beside = notions.LIP(float(rng.choice([0.0, 0.1, 1.0])))
    try:
        with strictly(COARSE):
            result.append((f"{beside}", m.optimal(joint, beside).kernel))
    except InfeasibleError:  # a guess that the prior itself does not bound
        return []
    erased = [(name, kept_by(request.average(), joint, kernel)) for name, kernel in result]
    return [(f"{name}, erased", kernel) for name, kernel in erased if kernel is not None]


def kept_by(average, joint, kernel):
    """Return a kernel, erased just as often as a budget asks; None where nothing keeps it."""

    def with_erasures(share):
        return np.hstack([share * kernel, np.full((joint.n_x, 1), 1.0 - share)])

    if average.is_perfect_privacy:  # the measure of what tells 1e-9 is 0 by rounding
        reported = joint.release(kernel) / joint.p_s[:, None]
        return kernel if (np.ptp(reported, axis=0) <= EXACT * reported.max(axis=0)).all() else None
    if average.achieved(joint, kernel) <= average.bound:
        return kernel
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if average.achieved(joint, with_erasures(middle)) <= average.bound:
            low = middle
        else:
            high = middle
    kept = with_erasures(low)
    return kept if average.achieved(joint, kept) <= average.bound else None


def exactly(request, slack):
    """Return the least and the most that a kinked budget allows, plus a slack; 0 if nothing does.

    Pieces and vertices are fractions: near independence all floats are as small as their errors.
    """
    counts, _ = living(request.counts)
    bound = min(request.bound, LARGEST)
    pieces, limit = pieces_of(request, counts, Fraction(bound) + Fraction(slack))
    if limit < 0:  # a budget that the constant mechanism meets but for rounding
        return 0.0, 0.0
    return budgeted(counts, pieces, limit)


def pieces_of(request, counts, bound):
    """Return what an output costs beyond the prior, at least 0, and the limit of the sum.

    The cost is the largest of linear functions of P(x|y), given as fractions, shape (k, n_x).
    """
    columns, total = [sum(column) for column in zip(*counts, strict=True)], sum(map(sum, counts))
    given = [[Fraction(n, m) for n, m in zip(row, columns, strict=True)] for row in counts]
    p_s = [Fraction(sum(row), total) for row in counts]
    if request.measure == "guessing":
        first = given[p_s.index(max(p_s))]  # less what it costs to guess one and the same
        return [[a - b for a, b in zip(row, first, strict=True)] for row in given], bound - max(p_s)
    if request.measure == "maximal_leakage":
        lifts = [[a / p for a in row] for row, p in zip(given, p_s, strict=True)]
        return [[a - 1 for a in row] for row in lifts], Fraction(expm1(bound))
    excess = [[a - p for a in row] for row, p in zip(given, p_s, strict=True)]
    signs = list(product((-1, 1), repeat=len(p_s)))
    reported = list(zip(*excess, strict=True))
    pieces = [[sum(map(mul, sign, column)) / 2 for column in reported] for sign in signs]
    return pieces, min(bound, Fraction(2))
