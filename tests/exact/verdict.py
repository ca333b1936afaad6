"""The library's answers, held against the truth and against the mechanisms it knows."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from core import clock
from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError
from core.mechanisms.catalogue import CATALOGUE, build
from tests.exact.optimum import SLACK, information, living
from tests.exact.promises import outer
from tests.exact.questions import smaller

SOLVERS = ("auto", "enumerate", "columns")

GAP = 1e-6
"""How far from the optimum, in nats, a proven answer may be."""

TOLERANCE = 1e-9
"""Rounding of an answer's utility and bound, in nats."""

CONDITION = 1e-3
"""Part of what the audit's slack of 1e-12 is worth that the rounding of P(s, x), 1e-16, may be."""

TICK = 1e-4
"""Seconds that a reading of the injected clock takes: 50,000 readings are the limit of 5 s."""


@dataclass(frozen=True)
class Failure:
    """One thing that was wrong, with the program that shows it."""

    kind: str
    question: object
    call: str
    truth: str
    got: str

    def __str__(self):
        return f"[{self.kind}] truth: {self.truth}; got: {self.got}\n{self.code}"

    @property
    def code(self):
        """Return a program that asks the question."""
        return f"{self.question.code()}\n{self.call}"


@contextmanager
def strictly(tick=TICK):
    """Let warnings be errors and time limits count readings of the clock while the block runs."""
    with warnings.catch_warnings(), clock.using(clock.Ticking(tick)):
        warnings.simplefilter("error")
        yield


def answer(question, known, solver="auto"):
    """Return (mechanism or None, failures) of the library's optimum, against a `Truth`."""
    result = []

    def wrong(kind, truth, got):
        call = f"m.optimal(joint, notion, solver={solver!r})"
        result.append(Failure(kind, question, call, truth, got))

    span = f"[{known.low:.12g}, {known.high:.12g}], with the audit's slack {known.allowed:.12g}"
    try:
        with strictly():
            best = m.optimal(question.joint(), question.promise.notion(), solver=solver)
    except InfeasibleError as error:
        if known.low > -inf:
            wrong("infeasible", span, str(error))
        return None, result
    except Exception as error:  # whatever it is, it is reported
        wrong("raised", span, f"{type(error).__name__}: {error}")
        return None, result
    got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.solver}, {best.status}"
    if known.allowed == -inf:
        wrong("infeasible", "InfeasibleError", got)
        return best, result
    if not best.audit.holds or not kept(question, best.kernel):
        wrong("audit", f"slack {float(SLACK)}", f"{best.audit.achieved!r}; {got}")
    value = worth(question, best.kernel)
    if abs(value - best.utility) > TOLERANCE:
        wrong("utility", f"{value:.12g} of this kernel", got)
    if best.utility > known.allowed + TOLERANCE:
        wrong("too good", span, got)
    rounding = _rounding(known)
    if best.upper_bound < known.low - rounding:
        wrong("false bound", span, got)
    if best.status == "optimal" and best.utility < known.low - GAP - rounding:
        wrong("false proof", span, got)
    return best, result


def rivals(question, known, random):
    """Return (number of calls, failures) of mechanisms that the optimum must not be below.

    They are those of the catalogue, and the optimum at a smaller budget: what is allowed there
    is allowed here.
    """
    best, _ = answer(question, known)
    if best is None or known.allowed == -inf:
        return 1, []
    joint, notion, result, calls = question.joint(), question.promise.notion(), [], 1
    less = smaller(random, question)
    request = [("optimal", less)] if less else []
    request += [
        (key, question)
        for key, entry in CATALOGUE.items()
        if key != "optimal" and entry.works_under(notion) and not entry.reads_secret
    ]
    room = TOLERANCE + max(0.0, known.allowed - known.low)
    for key, item in request:
        calls += 1
        call = f"from core.mechanisms.catalogue import build\nbuild({key!r}, joint, notion)"
        try:
            with strictly():
                rival = build(key, joint, item.promise.notion())
        except (InfeasibleError, InvalidInputError):
            continue
        except Exception as error:  # whatever it is, it is reported
            result.append(
                Failure("raised", item, call, "a mechanism", f"{type(error).__name__}: {error}")
            )
            continue
        if not notion.holds(joint, rival.kernel):
            if item is question and rival.audit is not None:
                result.append(Failure("audit", item, call, "kept", f"{rival.audit.achieved!r}"))
            continue
        beaten = f"{rival.utility:.12g} of {key} under {item.promise.code()}"
        got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.status}"
        optimum = "m.optimal(joint, notion)"
        if rival.utility > best.upper_bound + room:
            result.append(Failure("above the bound", question, optimum, beaten, got))
        elif rival.utility > best.utility + room + (GAP if key == "optimal" else 0.0):
            result.append(Failure("below a known one", question, optimum, beaten, got))
    return calls, result


def kept(question, kernel):
    """Say whether every output keeps the promise, up to the audit's slack, in exact arithmetic."""
    _, living_x = living(question.counts)
    rows = question.promise.rows(question.counts, outer(SLACK))
    for column in zip(*kernel.tolist(), strict=True):
        exact = _whole(column)
        for row in rows:
            if sum(row[x] * entry for x, entry in zip(living_x, exact, strict=True)) < 0:
                return False
    return True


def worth(question, kernel):
    """Return I(X;Y) of a kernel."""
    counts, _ = living(question.counts)
    columns = [sum(column) for column in zip(*counts, strict=True)]
    return sum(
        max(column) * information(_whole(column), columns)
        for column in zip(*kernel.tolist(), strict=True)
        if any(column)
    )


def _rounding(known):
    return TOLERANCE + CONDITION * max(0.0, known.allowed - known.high)


def _whole(column):
    """Return doubles times a power of 2 that makes them whole."""
    ratios = [Fraction(entry) for entry in column]
    scale = max(ratio.denominator for ratio in ratios)
    return [int(ratio * scale) for ratio in ratios]
