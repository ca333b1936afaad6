"""Matching: the ε at which a scenario reaches what another one reaches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from core.clock import Deadline
from core.data import Counted
from core.errors import CoreError, InvalidInputError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.result import CUT as UNPROVEN
from core.notions import catalogue as notions
from core.scenario import DOMAINS, Result, Scenario, answer
from core.validation import number, one_of

EPS, LDP, KEPT, LEAK = "eps", "ldp", "kept", "leak"

TARGETS = {
    EPS: "the same ε",
    LDP: "the same achieved LDP level",
    KEPT: "the same utility",
    LEAK: "the same I(S;Y)",
}
"""What can be matched, with its name."""

CLOSE = 1e-4
"""Difference, in nats or as a share, up to which a target is reached: pages show no smaller one."""

FINE = CLOSE / 100
"""Width of ε at which a bracket is no longer narrowed: the figure jumps within it."""


FIRST = (0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The budgets that are tried first, over the whole domain of ε."""

REACHED, JUMPS, BEYOND, CUT, FIXED = "reached", "jumps", "beyond", "cut short", "fixed"

SECONDS = 30.0
"""Default time limit of a match."""


@dataclass(frozen=True)
class Match:
    """The result of matching a scenario to a target.

    Attributes
    ----------
    status : str
        "reached"; "jumps" where the figure jumps over the target; "beyond" where no ε that was
        tried reaches it; "cut short" where a time limit ended the search, or an answer without
        which it would be one of these two; "fixed" where the scenario has no ε.
    eps : float
        The ε that comes closest, the smaller of two that are as close; at a jump the end whose
        figure is the smaller. NaN where the status is "fixed".
    value : float
        The figure at `eps`.
    low, high : float
        The least and the largest figure at any ε that was tried.
    monotone : bool
        Whether the figure never fell from one ε tried to the next. If it did, other ε may reach
        the target too.
    looks : int
        Number of ε that were tried.
    """

    status: str
    eps: float
    value: float
    low: float
    high: float
    monotone: bool
    looks: int


def figure(result: Result, target: str) -> float:
    """Return the figure of an answer that one of `TARGETS` is about."""
    _check(target)
    if target == EPS:
        return result.scenario.eps
    if target == LDP:
        return float(result.after.achieved["ldp"])
    if target == KEPT:
        return float(result.mechanism.kept)
    return float(result.after.averages["mutual_information"])


def has_budget(scenario: Scenario) -> bool:
    """Say whether a scenario's answer depends on ε."""
    uses = mechanisms.entry(scenario.mechanism).uses_notion
    return uses and "eps" in notions.entry(scenario.notion).parameters


def match(
    scenario: Scenario,
    counted: Counted,
    target: str,
    value: float,
    known: Mapping[float, float] | None = None,
    *,
    seconds: float = SECONDS,
    report: Callable[[Any], None] | None = None,
) -> Match:
    """Find the ε at which a scenario's answer reaches a value.

    The budgets of `FIRST` are tried first, unless known figures have the value between them. The
    first two neighbors with the value between them are then narrowed by secants and bisection.

    Parameters
    ----------
    scenario : Scenario
        The question; its ε is not used.
    counted : Counted
        Its data.
    target : str
        What is to be matched, one of `TARGETS`.
    value : float
        The value to reach, at least 0.
    known : mapping, optional
        The figure at each of some budgets, such as those of a line that is drawn.
    seconds : float
        Time limit of the whole search.
    report : callable, optional
        Called with the number of budgets tried.

    Raises
    ------
    InvalidInputError
        If the target is not one of `TARGETS`, or the value is no number of at least 0.
    CoreError
        If the scenario has no answer at any budget: the first error.

    Examples
    --------
    >>> from core.data import count
    >>> scenario = Scenario(notion="lip")
    >>> answer = match(scenario, count(scenario.data), "kept", 0.9)
    >>> answer.status, round(answer.value, 3), answer.monotone
    ('reached', 0.9, True)
    """
    _check(target)
    wanted = number(value, "The value to match", low=0.0)
    if not has_budget(scenario):
        reached = figure(answer(scenario, counted), target)
        return Match(FIXED, math.nan, reached, reached, reached, True, 1)
    domain = DOMAINS["eps"]
    if target == EPS:
        near = min(max(wanted, domain.low), domain.high)
        status = REACHED if near == wanted else BEYOND
        return Match(status, near, near, domain.low, domain.high, True, 0)
    return _Search(scenario, counted, target, wanted, seconds, report, known or {}).run()


class _Search:
    """A search for the ε at which a figure reaches a value, with the figures found so far."""

    def __init__(
        self,
        scenario: Scenario,
        counted: Counted,
        target: str,
        wanted: float,
        seconds: float,
        report: Callable[[Any], None] | None,
        known: Mapping[float, float],
    ) -> None:
        self._scenario, self._counted = scenario, counted
        self._target, self._wanted = target, wanted
        self._deadline = Deadline.after(seconds)
        self._report = report or (lambda _looks: None)
        self._seen = dict(known)
        # the share kept of an optimum is at least what a smaller budget keeps
        rises = mechanisms.entry(scenario.mechanism).monotone and target == KEPT
        self._least = known if rises else {}
        self._reason: CoreError | None = None
        self._looks, self._cut = 0, False

    def run(self) -> Match:
        """Try the first budgets, narrow the bracket, and return the result."""
        for eps in FIRST if self._bracket() is None else ():
            self._look(eps)
        if not self._seen:
            raise self._reason or InvalidInputError("None of the budgets could be tried.")
        bracket = self._bracket()
        if bracket is None:
            return self._match(BEYOND if not self._deadline.over else CUT)
        low, high = bracket
        while not self._reached() and high - low > FINE and not self._deadline.over:
            eps = self._between(low, high)
            if not self._look(eps):
                break  # no answer there: the bracket cannot be narrowed
            if (self._seen[eps] < self._wanted) == (self._seen[low] < self._wanted):
                low = eps
            else:
                high = eps
        if self._reached():
            return self._match(REACHED)
        return self._match(JUMPS if high - low <= FINE else CUT, low, high)

    def _look(self, eps: float) -> bool:
        """Answer the scenario at a budget, and say whether it has an answer."""
        if self._deadline.over and self._seen:
            return False
        left = max(self._deadline.left, DOMAINS["time_limit"].low)
        question = replace(self._scenario, eps=eps, time_limit=min(self._scenario.time_limit, left))
        self._looks += 1
        self._report(self._looks)
        try:
            result = answer(question, self._counted)
            least = [value for at, value in self._least.items() if at <= eps]
            self._seen[eps] = max([figure(result, self._target), *least])
            self._cut = self._cut or result.mechanism.status == UNPROVEN
        except CoreError as error:
            self._reason = self._reason or error
            return False
        return True

    def _bracket(self) -> tuple[float, float] | None:
        """Return the first two neighbors that have the value between them, if any."""
        at = sorted(self._seen)
        for low, high in pairwise(at):
            ends = sorted((self._seen[low], self._seen[high]))
            if ends[0] <= self._wanted <= ends[1]:
                return low, high
        return None

    def _between(self, low: float, high: float) -> float:
        """Return the next ε to try: by the secant and by bisection in turn."""
        span, rise = high - low, self._seen[high] - self._seen[low]
        half = low + span / 2
        if self._looks % 2 or not math.isfinite(rise) or rise == 0:
            return half
        share = (self._wanted - self._seen[low]) / rise
        return low + span * min(max(share, 0.05), 0.95)

    def _distance(self, eps: float) -> float:
        value = self._seen[eps]
        return 0.0 if value == self._wanted else abs(value - self._wanted)

    def _closest(self) -> float:
        return min(sorted(self._seen), key=self._distance)

    def _reached(self) -> bool:
        return self._distance(self._closest()) <= CLOSE

    def _match(self, status: str, low: float | None = None, high: float | None = None) -> Match:
        at = sorted(self._seen)
        values = [self._seen[eps] for eps in at]
        eps = self._closest()
        if status == JUMPS and low is not None and high is not None:
            eps = min((low, high), key=lambda end: self._seen[end])
        elif status == BEYOND and self._distance(eps) <= CLOSE:
            status = REACHED
        if status in (BEYOND, JUMPS) and self._cut:
            status = CUT  # with more time an answer may reach it
        # fall of a figure, as ε grows, that does not count: the gap that solvers leave
        falls = any(before - after > 1e-6 for before, after in pairwise(values))
        return Match(status, eps, self._seen[eps], min(values), max(values), not falls, self._looks)


def _check(target: str) -> None:
    one_of(target, TARGETS, "A target")
