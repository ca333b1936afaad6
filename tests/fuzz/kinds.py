"""What a long run tries: each kind of case takes a `random.Random` and returns what it found.

To add one, write a function that returns a `Tried` and put it into `KINDS`.
"""

from collections import Counter
from dataclasses import dataclass, field

from tests.exact.optimum import truth
from tests.exact.questions import question, simpler
from tests.exact.verdict import SOLVERS, answer, rivals
from tests.fuzz.alike import both
from tests.fuzz.anything import beaten
from tests.fuzz.averages import within
from tests.fuzz.reading import both_read
from tests.legal import failure
from tests.legal import question as legal_question

ATTEMPTS = 40
"""Simpler questions that are tried in place of one that failed."""


@dataclass
class Tried:
    """What one case did.

    Attributes
    ----------
    calls : Counter
        Calls of the library, by what was asked.
    statuses : Counter
        Answers, by status.
    failures : list
        Each with a `kind` and the `code` that shows it.
    seconds : float
        CPU time that it took.
    """

    calls: Counter = field(default_factory=Counter)
    statuses: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)
    seconds: float = 0.0


def optimum(random):
    """Ask every solver for an optimum that is known exactly."""
    request = question(random)
    known = truth(request.counts, request.promise)
    tried = Tried()
    for solver in SOLVERS:
        best, result = answer(request, known, solver)
        tried.calls[request.promise.kind] += 1
        tried.statuses["refused" if best is None else best.status] += 1
        if result and not tried.failures:  # the others are mostly the same again
            result = [simplest(result[0], solver), *result[1:]]
        tried.failures += result
    return tried


def comparison(random):
    """Ask whether any mechanism of the catalogue, or of a smaller budget, beats the optimum."""
    request = question(random)
    calls, result = rivals(request, truth(request.counts, request.promise), random)
    return Tried(Counter({"rivals": calls}), Counter(), result)


def anything(random):
    """Ask whether any mechanism beats an optimum whose truth is not known."""
    name, calls, best, result = beaten(random)
    statuses = Counter() if best is None else Counter([best.status])
    return Tried(Counter({name: calls}), statuses, result)


def average(random):
    """Ask for an optimum under a budget on an average, alone or with a pointwise notion."""
    request, best, result = within(random)
    statuses = Counter() if best is None else Counter([best.status])
    return Tried(Counter({f"average {request.measure}": 1}), statuses, result)


def reading(random):
    """Ask for an optimum that may read S, known exactly."""
    request, best, result = both_read(random)
    statuses = Counter() if best is None else Counter([best.status])
    return Tried(Counter({f"reading S, {request.purpose}": 1}), statuses, result)


def alike(random):
    """Ask about symbols with equal posteriors, once without joining any."""
    request, best, result = both(random)
    statuses = Counter() if best is None else Counter([best.status])
    return Tried(Counter({f"alike, {request.key}": 1}), statuses, result)


def simplest(failure, solver):
    """Return the failure of the smallest question found that fails in the same way."""
    left = ATTEMPTS
    while True:
        for candidate in simpler(failure.question):
            left -= 1
            if left < 0:
                return failure
            again = _same(candidate, failure, solver)
            if again is not None:
                failure = again
                break
        else:
            return failure


def _same(candidate, failure, solver):
    """Return the failure of the same kind and text that a question has; None if there is none."""
    if not any(map(any, candidate.counts)):
        return None
    known = truth(candidate.counts, candidate.promise)
    for other in answer(candidate, known, solver)[1]:
        if other.kind == failure.kind and other.got[:24] == failure.got[:24]:
            return other
        if other.kind == failure.kind and failure.kind != "raised":
            return other
    return None


def legal(random):
    """Ask for any mechanism under any notion, and take no exception or warning for an answer."""
    request = legal_question(random)
    result = failure(request)
    return Tried(Counter({request.mechanism: 1}), Counter(), [] if result is None else [result])


KINDS = {
    "optimum": (optimum, 6),
    "comparison": (comparison, 1),
    "anything": (anything, 1),
    "legal": (legal, 3),
    "average": (average, 1),
    "reading": (reading, 1),
    "alike": (alike, 1),
}
"""Kinds of cases, by name: the function, and how often it comes up beside the others."""
