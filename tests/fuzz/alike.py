"""Optima and subset random response of symbols with equal or nearly equal posteriors.

Each is made with the lemma of `core.mechanisms.posteriors` and again with a class for every symbol.
Both are true answers to one question, so neither may be above the other's bound. Polyhedral
notions of S and X are held against the exact optimum of all symbols too, in fractions.
"""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from unittest.mock import patch

import numpy as np

from core import notions, utilities
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms import posteriors
from core.mechanisms.catalogue import build
from core.mechanisms.optima import search
from core.mechanisms.options import Options
from core.mechanisms.response import subset_random_response
from tests.exact.optimum import truth
from tests.exact.promises import Promise
from tests.exact.verdict import GAP, TOLERANCE, Failure, strictly
from tests.fuzz.anything import strictly_worth

EPSILONS = ("0.0", "1e-12", "1e-9", "1e-4", "0.1", "0.4", "0.8", "2.0", "inf")

BOUNDS = ("0.0", "1e-9", "1e-4", "0.02", "0.1", "inf")
"""Budgets on averages."""

APART = (1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9)
"""Parts by which entries of nearly equal posteriors differ."""

KINDS = {
    "pointwise": (
        *("LIP({e})", "LIP({e})", "LDP({e})", "LDP({e})", "PointwiseMaximalLeakage({e})"),
        *("ALIP.from_lambda({e}, 0.0)", "ALIP.from_lambda({e}, 1.0)", "ALIP({e}, {f})"),
        *("MinLift({e})", "L1Lift({e})", "Chi2Lift({e})", "PointwiseDivergence({e})"),
        *("AlphaLift({e}, {f}, 2.0)", "AlphaLift({e}, {f}, 1.5)"),
    ),
    "several": (
        *("Intersection(LIP({e}), LDP({f}))", "Intersection(LDP({e}), AlphaLift({f}, {f}, 2.0))"),
        "Intersection(PointwiseMaximalLeakage({e}), Average('total_variation', {small}))",
    ),
    "average": (
        *("Average('total_variation', {small})", "Average('maximal_leakage', {e})"),
        *("Average('mutual_information', {small})", "Average('chi2', {small})"),
        *("Average('sibson', {small}, 2.0)", "Average('arimoto', {small}, 0.5)"),
    ),
    "exceptions": (
        *("EpsDelta(LIP({e}), {delta})", "EpsDelta(LDP({e}), {delta})"),
        "EpsDelta(Intersection(LIP({e}), LDP({f})), {delta})",
    ),
    "given": (
        *("Given(LIP({e}), table)", "Given(LDP({e}), table)"),
        *("Given(PointwiseMaximalLeakage({e}), table)", "Given(AlphaLift({e}, {f}, 2.0), table)"),
        "Intersection(LDP({e}), Given(LIP({f}), table))",
    ),
    "robust": (
        *("RobustLDP.of_joint(joint, {e}, n={n})", "RobustLIP.of_joint(joint, {e}, n={n})"),
        *("RobustPML.of_joint(joint, {e}, n={n})", "RLDP.of_joint(joint, {e}, n={n})"),
    ),
}
"""Notions as code, by what they are about."""

PURPOSES = (
    *("Information()", "Information()", "Information()", "Task(levels)", "Guess()"),
    *("Guess(levels)", "Distortion(1 - np.eye(joint.n_x))", "SquaredError(np.arange(joint.n_x))"),
)

ROUNDED = 1e-14
"""Parts by which nearly equal posteriors differ that are the rounding of P(s, x)."""

MOST = 6
"""Symbols: so many have few enough extreme outputs to list them in fractions."""

COARSE, FINE = 1 / 16, 1 / 1024
"""Seconds that a reading of the clock takes: 80 readings are the limit of 5 s, or 5,120."""

ENDED = ("below", "nearly equal ones lose")
"""Failures that may come of a limit; they are judged by the finer clock."""


@dataclass(frozen=True)
class Alike:
    """Weights N(s, x, k), one k if nothing is known; a notion and a purpose as code; a mechanism.

    `equal`: the weights that the posteriors differ from by a trifle.
    """

    weights: tuple[tuple[tuple[float, ...], ...], ...]
    notion_code: str
    purpose_code: str = "Information()"
    key: str = "optimal"
    equal: tuple[tuple[tuple[float, ...], ...], ...] | None = None

    def apart(self):
        """Return the largest part by which a weight differs from one of equal posteriors."""
        weights, equal = np.array(self.weights), np.array(self.equal)
        return float((np.abs(weights - equal) / np.where(equal > 0, equal, 1.0)).max())

    def made(self):
        """Return joint, notion and purpose of `core`; RLDP is about S and X = (S, U)."""
        table = np.array(self.weights)
        pairs = self.notion_code.startswith("RLDP")
        joint = (Joint.with_secret_released if pairs else Joint.from_counts)(table.sum(axis=2))
        levels = np.eye(2)[:, np.arange(joint.n_x) % 2]  # unlike for equal symbols
        names = {**vars(notions), **vars(utilities), "inf": inf, "np": np}
        names |= {"joint": joint, "table": table, "levels": levels}
        return joint, eval(self.notion_code, names), eval(self.purpose_code, names)

    def answer(self):
        """Return the mechanism."""
        joint, notion, purpose = self.made()
        return build(self.key, joint, notion, Options(purpose=purpose))

    def code(self):
        """Return the question as the first line of a program."""
        return f"from tests.fuzz.alike import *\nrequest = {self!r}"


@contextmanager
def joining_nothing():
    """Let each symbol be a class of its own while the block runs."""

    def alone(joint, notion, purpose, _decimals=None):
        return posteriors.none(joint, notion, purpose)

    with (
        patch.object(search, "classes", alone),
        patch.object(subset_random_response, "classes", alone),
    ):
        yield


def alike(random):
    """Draw a question: symbols in classes, with zeros and ties, some of them nearly equal."""
    kind = random.choice(tuple(KINDS))
    notion = random.choice(KINDS[kind]).format(
        e=random.choice(EPSILONS),
        f=random.choice(EPSILONS),
        small=random.choice(BOUNDS),
        delta=random.choice(("0.0", "1e-9", "0.01", "0.2")),
        n=random.choice((30, 1000, 10**6)),
    )
    equal = _weights(random, random.choice((1, 2, 3)) if kind == "given" else 1)
    apart, chosen = random.choice((0.0, 0.0, *APART)), equal
    if apart:
        noise = [random.choice((-1, 0, 1, random.uniform(-1, 1))) for _ in range(equal.size)]
        chosen = equal * (1 + apart * np.array(noise).reshape(equal.shape))
    purpose, key = random.choice(PURPOSES), "optimal"
    if purpose == "Information()" and kind == "pointwise":
        key = random.choice(("optimal", "subset_random_response", "optimal_reading_secret"))
    elif purpose == "Guess()" and kind in ("pointwise", "several", "average"):
        key = random.choice(("optimal", "optimal_reading_secret"))
    return Alike(_nested(chosen), notion, purpose, key, _nested(equal) if apart else None)


def _weights(random, n_k):
    """Return weights N(s, x, k), at most MOST symbols in up to three classes."""
    n_s, n_c = random.choice((1, 2, 2, 3, 3)), random.choice((1, 2, 3, 3))
    cells = [random.choice((0, 0, 1, 2, random.randint(1, 9))) for _ in range(n_s * n_c * n_k)]
    base = np.array(cells, dtype=float).reshape(n_s, n_c, n_k)
    base[0, 0, 0] += 1
    base[-1, -1, 0] += 1
    of_x = [random.randrange(n_c) for _ in range(random.randint(2, MOST - 1))] + [0]
    scale = [random.choice((1, 1, 2, random.randint(1, 50))) for _ in of_x]
    unit = random.choice((1.0, 2.0**-9, 1e9))
    return unit * base[:, of_x] * np.array(scale)[:, None]


def _nested(weights):
    return tuple(tuple(map(tuple, row)) for row in weights.tolist())


def both(random):
    """Return (question, answer or None, failures) of one question, joined and alone."""
    request = alike(random)
    best, result = compared(request, COARSE)
    if any(failure.kind in ENDED for failure in result):  # perhaps as time was over
        best, result = compared(request, FINE)
    return request, best, result


def compared(request, tick):
    """Return (answer or None, failures) of a question with the lemma, against that without it."""
    joined, why = _asked(request, tick)
    with joining_nothing():
        alone, why_alone = _asked(request, tick)
    call = f"compared(request, {tick!r})"
    if joined is None or alone is None:
        same = why == why_alone and not why.startswith("raised")
        return joined, [] if same else [Failure("refused", request, call, why_alone, why)]
    joint, notion, goal = request.made()
    room, result = TOLERANCE * goal.size(), []
    equal = None
    if request.equal is not None:
        equal, _ = _asked(replace(request, weights=request.equal, equal=None), tick)
    # differences as small as the rounding of P(s, x) tell nothing that equal ones do not
    blurred = equal.upper_bound if equal is not None and request.apart() < ROUNDED else -inf

    def wrong(kind, known, best):
        got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.solver}, {best.status}"
        result.append(Failure(kind, request, call, known, got))

    for name, best, other in (("joined", joined, alone), ("alone", alone, joined)):
        if not notion.holds(joint, best.kernel):
            wrong(f"audit, {name}", "held", best)
        if abs(goal.value(joint, best.kernel) - best.utility) > room:
            wrong(f"utility, {name}", f"{goal.value(joint, best.kernel):.12g}", best)
        most = max(other.upper_bound, blurred) + room
        if best.utility > most and strictly_worth(joint, notion, best.kernel, goal) > most:
            wrong(f"above the bound, {name}", f"{other.upper_bound:.12g}", best)
    short = room + GAP * goal.size()
    if joined.utility < alone.utility - short:
        wrong("below", f"{alone.utility:.12g}, {alone.status}", joined)
    if request.key != "optimal":
        return joined, result
    lost = equal is not None and joined.utility < equal.utility - short
    if lost and notion.holds(joint, equal.kernel):
        wrong("nearly equal ones lose", f"{equal.utility:.12g}", joined)
    known = exact(request)
    if known is not None and known.allowed > -inf:
        span = f"[{known.low:.12g}, {known.allowed:.12g}]"
        if joined.upper_bound < known.low - room or joined.utility > known.allowed + room:
            wrong("not the truth", span, joined)
        elif joined.status == "optimal" and joined.utility < known.low - short:
            wrong("false proof", span, joined)
    return joined, result


def _asked(request, tick):
    """Return (answer, "") or (None, the reason)."""
    try:
        with strictly(tick):
            return request.answer(), ""
    except (InfeasibleError, InvalidInputError) as error:
        return None, type(error).__name__
    except Exception as error:  # whatever it is, it is reported
        return None, f"raised {type(error).__name__}: {error}"


def exact(request):
    """Return the truth about the information of all symbols, None if it is not worked out."""
    promise = _promise(request.made()[1])
    if promise is None or request.purpose_code != "Information()":
        return None
    cells = [[Fraction(*entry.as_integer_ratio()) for (entry,) in row] for row in request.weights]
    unit = max(entry.denominator for row in cells for entry in row)
    return truth(tuple(tuple(int(unit * entry) for entry in row) for row in cells), promise)


def _promise(notion):
    """Return a notion as the rows of tests/exact are asked for it, None for another one."""
    kind = type(notion).__name__
    if kind == "Intersection":
        parts = tuple(map(_promise, notion.notions))
        return None if None in parts else Promise(kind, parts)
    if kind == "ALIP":
        return Promise(kind, (notion.eps_l, notion.eps_u))
    plain = ("LIP", "LDP", "PointwiseMaximalLeakage")
    return Promise(kind, (notion.eps,)) if kind in plain else None
