"""The best answers found so far, and what they imply at other budgets.

What is allowed at a budget is allowed at every larger one, and a bound at a budget holds at every
smaller one: an answer is a start for the optimum at its budget and above. A mixture, where Y says
which of two mechanisms was used, keeps the mean of what they keep and takes the mean of what they
take of the budget.

What one notion allows at a budget another one may allow too: answers and bounds hold under every
notion for which `core.studies.implied` shows it.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, product
from typing import cast

import numpy as np

from core.errors import InvalidInputError, SolverError
from core.joint import Joint
from core.limits import CLOSE
from core.mechanisms import Mechanism
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.optima.search import proven
from core.mechanisms.optima.starts import disproves
from core.mechanisms.polish import polished
from core.mechanisms.result import CUT, make_mechanism
from core.notions import catalogue as notions
from core.notions.average import Average
from core.scenario import Scenario
from core.sizes import size_of
from core.studies.frontier import Frontier, share_of_x
from core.studies.implied import Bounds, bounds_of, least_eps, measured
from core.validation import FloatArray

OPTIMUM = "optimal"
"""The mechanism for which the answer of every other one is a start."""

MOST_BYTES = 200_000_000
"""Most bytes of mechanisms that are kept."""

EMPTY = 1_000
"""Bytes of a notion without answers, beside its key."""

MIXTURE = "mixture"
"""Solver of an answer that is a mixture of those at a smaller and at a larger budget."""

OWN = ("weight", "utility")
"""Numbers of a mechanism, as opposed to those of its notion or its search."""

Point = tuple[str, float]
"""A mechanism's key, with its own numbers and a seed other than 0, and its ε."""

Answer = tuple[float, Mechanism]
"""An ε and an answer there."""


def with_answers(
    frontier: Frontier,
    answers: Sequence[Answer],
    starts: Sequence[tuple[float, float]] | None,
    *,
    monotone: bool,
    gap: float,
    joint: Joint,
) -> Frontier:
    """Return a frontier with answers added: more points, better ones, closer bounds."""
    points = {
        float(at): (float(kept), float(most))
        for at, kept, most in zip(frontier.eps, frontier.utility, frontier.upper_bound, strict=True)
    }
    reasons = dict(zip(frontier.eps.tolist(), frontier.reasons, strict=True))
    for at, mechanism in answers:
        kept, most = points.get(at, (mechanism.utility, mechanism.upper_bound))
        points[at] = (
            float(np.fmax(kept, mechanism.utility)),
            float(np.fmin(most, mechanism.upper_bound)),
        )
    eps = np.array(sorted(points))
    utility = np.array([points[value][0] for value in eps])
    bound = np.array([points[value][1] for value in eps])
    if starts is not None:
        for at, reached in starts:
            utility = np.where(eps >= at, np.fmax(utility, reached), utility)
        bound = np.fmin.accumulate(bound[::-1])[::-1]
    if monotone:
        utility = np.fmax.accumulate(utility)
    bound = np.fmax(bound, utility)
    return replace(
        frontier,
        eps=eps,
        utility=utility,
        nmi=share_of_x(utility, joint),
        upper_bound=bound,
        most_nmi=share_of_x(bound, joint),
        proven=bound - utility <= gap,
        reasons=tuple(
            reasons.get(at, "") if np.isnan(kept) else ""
            for at, kept in zip(eps.tolist(), utility, strict=True)
        ),
        mechanisms=(),
    )


def better(last: Mechanism, new: Mechanism) -> Mechanism:
    """Return the better of two answers to one question, with the closer bound and its proof."""
    best = last if last.utility > new.utility else new
    upper = max(min(last.upper_bound, new.upper_bound), best.utility)
    ended = [answer.status for answer in (new, last) if answer.status != CUT]
    status = best.status
    if "optimal" in ended:
        status = "optimal"
    elif ended and last.utility == new.utility:
        status = ended[0]
    return replace(best, upper_bound=upper, gap=upper - best.utility, status=status)


def best_mixture(
    average: Average, answers: Sequence[tuple[float, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return the kernel of the best mixture of two answers; None where one alone keeps as much."""
    room = average.room(joint)
    spent = [replace(average, bound=level).room(joint) for level, _ in answers]
    below = [
        (take, answer) for take, (_, answer) in zip(spent, answers, strict=True) if take <= room
    ]
    above = [
        (take, answer) for take, (_, answer) in zip(spent, answers, strict=True) if take > room
    ]
    if not below or not above:
        return None

    def kept(share: float, small: Mechanism, large: Mechanism) -> float:
        return (1 - share) * small.utility + share * large.utility

    mixtures = [
        ((room - take) / (more - take), small, large)
        for (take, small), (more, large) in product(below, above)
        if np.isfinite(more)
    ]
    if not mixtures:
        return None
    share, small, large = max(mixtures, key=lambda mixture: kept(*mixture))
    single = max(answer.utility for _, answer in below)
    # least gain of a mixture over the best single answer, in units of the utility's size
    if kept(share, small, large) <= single + 1e-7 * small.purpose.size():
        return None
    kernel = np.hstack([(1 - share) * small.kernel, share * large.kernel])
    result: FloatArray = kernel[:, kernel.any(axis=0)]
    return result


def between(
    scenario: Scenario, answers: Sequence[tuple[Point, Mechanism]], joint: Joint
) -> FloatArray | None:
    """Return a mixture of answers that keeps more than each of them at ε, or None."""
    entry = notions.entry(scenario.notion)
    if not entry.kind.on_average or "eps" not in entry.parameters:
        return None
    average = cast(Average, notions.build(scenario.notion, joint, scenario.numbers))
    return best_mixture(average, [(eps, mechanism) for (_, eps), mechanism in answers], joint)


@dataclass
class _Answers:
    """The answers under one notion on one joint, for all ε, and from `starts` on what follows.

    `scenario`: the question, at some ε, of this `key`. `budgets`: what its notions bound at ε = 1,
    None where it has none that can be asked. `group`: key of the same data and purpose.
    """

    scenario: Scenario
    key: Hashable
    group: Hashable
    budgets: tuple[Bounds, ...] | None
    n_bytes: int = 0
    answers: OrderedDict[Point, Mechanism] = field(default_factory=OrderedDict)
    sizes: dict[Point, int] = field(default_factory=dict)
    starts: list[tuple[Point, Mechanism]] | None = None
    ranked: tuple[list[float], list[tuple[Point, Mechanism]]] | None = None
    bounds: tuple[list[float], list[float]] | None = None
    lines: dict[tuple[str, float], tuple[Frontier, Frontier]] = field(default_factory=dict)
    given: dict[Point, tuple[Bounds, ...]] = field(default_factory=dict)
    lent: dict[Point, dict[Hashable, float]] = field(default_factory=dict)

    @property
    def notions(self) -> tuple[str, ...]:
        """Return the keys of the question's notions."""
        return self.scenario.notion, *(promise.notion for promise in self.scenario.also)

    def lent_to(self, other: _Answers, joint: Joint) -> list[tuple[float, Point, Mechanism]]:
        """Return the answers that another question may use, each after the least ε there."""
        result = []
        for point, answer in self.usable(joint, self.scenario):
            known = self.lent.setdefault(point, {})
            if other.key not in known:
                known[other.key] = other.least(self.bounds_at(point, answer, joint))
            if known[other.key] < np.inf:
                result.append((known[other.key], point, answer))
        return result

    def bounds_at(self, point: Point, answer: Mechanism, joint: Joint) -> tuple[Bounds, ...]:
        """Return what is known of the levels of an answer."""
        if point not in self.given:
            bounds = bounds_of(replace(self.scenario, eps=point[1]), joint)
            # to those who know more, levels are given what they know
            own = () if self.scenario.data.known else (measured(joint, answer),)
            self.given[point] = (*bounds, *own)
        return self.given[point]

    def least(self, given: Sequence[Bounds]) -> float:
        """Return the least ε at which bounds are known to imply these notions; ∞ if at none."""
        return np.inf if self.budgets is None else least_eps(given, self.scenario, self.budgets)

    def usable(self, joint: Joint, scenario: Scenario) -> list[tuple[Point, Mechanism]]:
        """Return the answers that are starts, those for which `_is_start` holds."""
        if self.starts is None:
            self.starts = [
                item for item in self.answers.items() if _is_start(item[1], joint, scenario)
            ]
        return self.starts

    def start(
        self, joint: Joint, scenario: Scenario, point: Point
    ) -> tuple[Point, Mechanism] | None:
        """Return the best start at a point's ε or below; of equal ones that of the point itself."""
        if self.ranked is None:
            usable = sorted(self.usable(joint, scenario), key=lambda item: item[0][1])
            best = accumulate(usable, partial(max, key=lambda item: item[1].utility))
            self.ranked = [eps for (_, eps), _ in usable], list(best)
        count, own = bisect_right(self.ranked[0], point[1]), self.answers.get(point)
        below = self.ranked[1][count - 1] if count else None
        if below and own and own.utility >= below[1].utility and _is_start(own, joint, scenario):
            return point, own
        return below

    def bound(self, eps: float) -> float:
        """Return the least bound on the optimum that was found at ε or above; ∞ without any."""
        if self.bounds is None:
            limits = sorted((-at, mechanism.upper_bound) for at, mechanism in _bounds(self))
            self.bounds = (
                [at for at, _ in limits],
                list(accumulate((limit for _, limit in limits), min)),
            )
        count = bisect_right(self.bounds[0], -eps)
        return self.bounds[1][count - 1] if count else np.inf

    def keep(self, point: Point, mechanism: Mechanism) -> None:
        last = self.answers.get(point)
        if last is None or last.kernel is not mechanism.kernel:
            self._moved(point)
        self._changed()
        size = size_of(mechanism)
        self.n_bytes += size - self.sizes.get(point, 0)
        self.answers[point], self.sizes[point] = mechanism, size

    def drop(self, point: Point) -> int:
        """Forget the answer at a point, and return its bytes."""
        self._changed()
        self._moved(point)
        del self.answers[point]
        size = self.sizes.pop(point)
        self.n_bytes -= size
        return size

    def _moved(self, point: Point) -> None:
        self.given.pop(point, None)
        self.lent.pop(point, None)

    def _changed(self) -> None:
        self.starts = self.ranked = self.bounds = None
        self.lines = {}  # who still works on old ones fills the old dictionary


class Known:
    """A cache of the best answers, safe for threads; those of the least recently used go first.

    What was reached at each ε is kept longer, so no optimum's line is below another one.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._by_notion: OrderedDict[Hashable, _Answers] = OrderedDict()
        self._reached: OrderedDict[Hashable, dict[float, float]] = OrderedDict()
        self._lock = threading.RLock()

    def add(self, scenario: Scenario, joint: Joint, mechanism: Mechanism) -> None:
        """Add an answer; of two answers to one question the better is kept."""
        point = _point(scenario)
        with self._lock:
            under = self._of(scenario, joint)
            last = under.answers.get(point)
            under.keep(point, mechanism if last is None else better(last, mechanism))
            under.answers.move_to_end(point)
            if _is_start(mechanism, joint, scenario):
                self._reach(under, point[1], mechanism.utility)
            self._check(under, joint)
            for other in self._others(under):
                other.lines = {}
            self._forget(under)

    def has_own(self, scenario: Scenario, joint: Joint) -> bool:
        """Say whether an answer at a scenario's own budget is there."""
        with self._lock:
            return _point(scenario) in self._of(scenario, joint).answers

    def best(
        self, scenario: Scenario, joint: Joint, *, of_others: bool = False
    ) -> Mechanism | None:
        """Return the best known answer to a scenario; None if there is none.

        `of_others`: a monotone mechanism has one from a smaller ε too, as the optimum always has.
        """
        point = _point(scenario)
        with self._lock:
            under = self._of(scenario, joint)
            own = under.answers.get(point)
            if own is not None:
                under.answers.move_to_end(point)
            if scenario.mechanism != OPTIMUM:
                if own is None and not of_others:
                    return None
                return self._carried(under, point, own, joint, scenario)
            start = under.start(joint, scenario, point)
            usable, bound = under.usable(joint, scenario), self._bound(under, point[1], joint)
            own_start, start = start, self._start(under, start, point[1], joint)
            if _at_any_eps(scenario):  # all of them are one question
                bound = min(bound, under.bound(-np.inf))
                others = [
                    candidate
                    for candidate in (start, _allowed(under, joint, scenario))
                    if candidate
                ]
                start = max(others, key=lambda candidate: candidate[1].utility, default=None)
        if start is None:
            return None
        here = start is own_start and start[0] == point
        mechanism = _bounded(start[1], bound, scenario.gap)
        mixed = None
        if mechanism.gap > scenario.gap * mechanism.purpose.size() or not here:
            mixed = between(scenario, usable, joint)
        if here and mixed is None:
            return mechanism
        notion = scenario.build_notion(joint)
        kernel = mechanism.kernel if mixed is None else mixed
        if mixed is not None or not notion.holds(joint, kernel):  # two levels' rounding adds up
            kernel = polished(joint, kernel, notion)
        lifted = make_mechanism(
            joint,
            kernel,
            name=mechanisms.entry(OPTIMUM).title,
            solver=mechanism.solver if mixed is None else MIXTURE,
            status=CUT,
            notion=notion,
            y_labels=mechanism.y_labels if kernel is mechanism.kernel else None,
            upper_bound=None if np.isinf(bound) else bound,
            purpose=mechanism.purpose,
        )
        with self._lock:  # kept, so that it is audited only once
            under.keep(point, lifted)
            self._forget(under)
        return _bounded(lifted, bound, scenario.gap)

    def along(self, frontier: Frontier, scenario: Scenario, joint: Joint) -> Frontier:
        """Return a frontier with the known answers added: more points, better ones, closer bounds.

        Other mechanisms' answers raise the optimum's frontier only; a smaller budget's point raises
        a larger one's if the mechanism is monotone.
        """
        name = _point(scenario)[0]
        key = (name, scenario.gap)
        with self._lock:
            under = self._of(scenario, joint)
            answers, lines = dict(under.answers), under.lines
            last = lines.get(key)
            if last is not None and last[0] is frontier:
                return last[1]
            starts, bounds = None, frontier.upper_bound
            if scenario.mechanism == OPTIMUM:
                for at, answer in self._lent(under, joint):
                    self._reach(under, at, answer.utility)
                starts = [(at, answer.utility) for (_, at), answer in under.usable(joint, scenario)]
                starts += self._reached.get(under.key, {}).items()
                least = [self._bound(under, at, joint) for at in frontier.eps.tolist()]
                bounds = np.where(np.isinf(least), np.nan, least)
        improved = with_answers(
            replace(frontier, upper_bound=np.fmin(frontier.upper_bound, bounds)),
            [(at, answer) for (other, at), answer in answers.items() if other == name],
            starts,
            monotone=mechanisms.entry(scenario.mechanism).monotone,
            gap=scenario.gap * next((answer.purpose.size() for answer in answers.values()), 1.0),
            joint=joint,
        )
        lines[key] = frontier, improved
        return improved

    def _others(self, under: _Answers) -> list[_Answers]:
        """Return the answers to other questions about the same data and purpose.

        Those under a notion from outside are left out once the catalogue has it no more.
        """
        if under.budgets is None:
            return []
        keys = {entry.key for entry in notions.ALL}
        return [
            item
            for item in self._by_notion.values()
            if item is not under and item.group == under.group and item.budgets is not None
            if keys.issuperset(item.notions)
        ]

    def _lent(self, under: _Answers, joint: Joint) -> list[tuple[float, Mechanism]]:
        """Return other questions' answers that are starts here too, each after its least ε."""
        return [
            (at, answer)
            for other in self._others(under)
            for at, _, answer in other.lent_to(under, joint)
        ]

    def _start(
        self, under: _Answers, own: tuple[Point, Mechanism] | None, eps: float, joint: Joint
    ) -> tuple[Point, Mechanism] | None:
        """Return another question's answer where it has clearly more utility than the own start."""
        lent = [answer for at, answer in self._lent(under, joint) if at <= eps]
        best = max(lent, key=lambda answer: answer.utility, default=None)
        if best is None:
            return own
        if own is not None and best.utility <= own[1].utility + CLOSE * best.purpose.size():
            return own
        return (OPTIMUM, -np.inf), best

    def _bound(self, under: _Answers, eps: float, joint: Joint) -> float:
        """Return the least bound on the optimum at ε, found here or where less is asked."""
        others = [other for other in self._others(under) if other.answers]
        limits = [under.bound(eps)]
        if others:
            given = bounds_of(replace(under.scenario, eps=eps), joint)
            limits += [other.bound(other.least(given)) for other in others]
        return min(limits)

    def _check(self, under: _Answers, joint: Joint) -> None:
        """Check the answers to a question against its bounds, and against those of the others."""
        own = [(eps, answer) for (_, eps), answer in under.usable(joint, under.scenario)]
        lent = [(other, under.lent_to(other, joint)) for other in self._others(under)]
        starts = [*own, *self._lent(under, joint)]
        try:
            _agree(under, starts, joint)
            for other, answers in lent:
                _agree(other, [(at, answer) for at, _, answer in answers], joint)
        except SolverError:
            for item in (under, *(other for other, _ in lent)):
                for point in list(item.answers):
                    item.drop(point)  # which of them is wrong is not known
                self._reached.pop(item.key, None)
            raise

    def _reach(self, under: _Answers, eps: float, utility: float) -> None:
        """Keep the utility that a start reaches at ε, unless one does so at a smaller ε."""
        reached = self._reached.setdefault(under.key, {})
        self._reached.move_to_end(under.key)
        if all(at > eps or kept < utility for at, kept in reached.items()) and (
            eps in reached or len(reached) < 300  # the grid of a chart has 32
        ):
            reached[eps] = utility
        while len(self._reached) > 500:
            self._reached.popitem(last=False)

    @staticmethod
    def _carried(
        under: _Answers, point: Point, own: Mechanism | None, joint: Joint, scenario: Scenario
    ) -> Mechanism | None:
        """Return a mechanism's answer; if it is monotone, a smaller ε's where that is better."""
        if not mechanisms.entry(scenario.mechanism).monotone:
            return own
        before = [
            mechanism
            for (name, eps), mechanism in under.answers.items()
            if name == point[0] and eps < point[1] and _is_start(mechanism, joint, scenario)
        ]
        best = max(before, key=lambda mechanism: mechanism.utility, default=own)
        if best is None or (own is not None and best.utility <= own.utility):
            return own
        unproven = own is None or own.status == CUT
        carried = make_mechanism(
            joint,
            best.kernel,
            name=best.name if own is None else own.name,
            solver=best.solver,
            status=CUT if unproven else best.status,
            notion=scenario.build_notion(joint) if own is None else own.notion,
            y_labels=best.y_labels,
            upper_bound=None if own is None else own.upper_bound,
            notes=best.notes,
            partition=best.partition,
            purpose=best.purpose if own is None else own.purpose,
        )
        if own is not None:
            under.keep(point, carried)
        return carried

    def _of(self, scenario: Scenario, joint: Joint) -> _Answers:
        key = _notion_key(scenario)
        under = self._by_notion.get(key)
        if under is None:  # one that is only looked up takes memory too
            under = _Answers(scenario, key, _group(scenario), _budgets(scenario, joint))
            under.n_bytes = size_of(key) + EMPTY
            self._by_notion[key] = under
            self._forget(under)
        self._by_notion.move_to_end(key)
        return under

    def _forget(self, used: _Answers) -> None:
        """Drop answers until the rest fits, those of the notions not used for longest first.

        Each other notion keeps the answer last asked for, which a page may show beside the used
        notion's, until that is not enough.
        """
        total = sum(under.n_bytes for under in self._by_notion.values())
        for other in self._by_notion.values():
            while total > self._most_bytes and other is not used and len(other.answers) > 1:
                total -= other.drop(_least_wanted(other))
        while total > self._most_bytes and len(self._by_notion) > 1:
            _, gone = self._by_notion.popitem(last=False)
            total -= gone.n_bytes
        while total > self._most_bytes and len(used.answers) > 1:
            total -= used.drop(_least_wanted(used))


def _least_wanted(under: _Answers) -> Point:
    """Return the point of the oldest answer that another one replaces, else of the oldest."""
    newest = next(reversed(under.answers))
    spare: set[Point] = set()
    best: dict[int, float] = {}  # by the kernel's rows: one that reads S too is no start
    known = under.answers.items()
    for point, mechanism in sorted(known, key=lambda item: (item[0][1], -item[1].utility)):
        reads = mechanism.kernel.shape[0]
        if mechanism.utility <= best.get(reads, -np.inf) and not _of_optimum(point):
            spare.add(point)
        elif mechanism.audit is not None and mechanism.audit.holds:
            best[reads] = max(best.get(reads, -np.inf), mechanism.utility)
    old = [point for point in under.answers if point != newest]
    return next((point for point in old if point in spare), old[0])


def _notion_key(scenario: Scenario) -> Hashable:
    """Return a key of a scenario's data, notion without its ε, purpose, and gap."""
    kept = (scenario.purpose, scenario.loss, scenario.table)
    if not mechanisms.entry(scenario.mechanism).uses_notion:
        return repr((scenario.data, kept))
    used = notions.entry(scenario.notion).parameters
    numbers = tuple((name, getattr(scenario, name)) for name in used if name != "eps")
    return repr((scenario.data, scenario.notion, numbers, scenario.also, kept, scenario.gap))


def _group(scenario: Scenario) -> Hashable:
    """Return a key of a scenario's data and purpose."""
    return repr((scenario.data, scenario.purpose, scenario.loss, scenario.table))


def _budgets(scenario: Scenario, joint: Joint) -> tuple[Bounds, ...] | None:
    """Return what a scenario's notions bound at ε = 1; None if it has none that can be asked."""
    if not mechanisms.entry(scenario.mechanism).uses_notion:
        return None
    try:
        return bounds_of(replace(scenario, eps=1.0), joint)
    except InvalidInputError:  # it cannot be asked, and has no answers
        return None


def _point(scenario: Scenario) -> Point:
    entry = mechanisms.entry(scenario.mechanism)
    own = [f" {name}={getattr(scenario, name)!r}" for name in OWN if name in entry.parameters]
    if scenario.seed and "seed" in entry.parameters:  # a search that ended with one goes on with it
        own.append(f" seed={scenario.seed}")
    return scenario.mechanism + "".join(own), scenario.eps if entry.uses_notion else 0.0


def _of_optimum(point: Point) -> bool:
    """Say whether a point is one of the optimum, with any seed."""
    return point[0].split(" ", 1)[0] == OPTIMUM


def _at_any_eps(scenario: Scenario) -> bool:
    """Say whether every ε asks for the same: one of two budgets is 0, which is perfect privacy."""
    used = notions.entry(scenario.notion).parameters
    return {"eps", "lam"} <= set(used) and scenario.lam in (0.0, 1.0)


def _allowed(under: _Answers, joint: Joint, scenario: Scenario) -> tuple[Point, Mechanism] | None:
    """Return the best start at any ε, where the question allows it; else None."""
    start = under.start(joint, scenario, (_point(scenario)[0], np.inf))
    holds = start is not None and scenario.build_notion(joint).holds(joint, start[1].kernel)
    return start if holds else None


def _is_start(mechanism: Mechanism, joint: Joint, scenario: Scenario) -> bool:
    """Say whether a mechanism satisfies the scenario's notion at its own ε, and reads X alone."""
    notion = mechanism.notion
    return (
        notion is not None
        and isinstance(notion.inner.parts[0], notions.entry(scenario.notion).kind)
        and mechanism.audit is not None
        and mechanism.audit.holds
        and mechanism.kernel.shape[0] == joint.n_x
    )


def _bounds(under: _Answers) -> list[tuple[float, Mechanism]]:
    """Return the answers that carry a bound on the optimum, each with its ε."""
    return [
        (eps, answer) for (name, eps), answer in under.answers.items() if _of_optimum((name, eps))
    ]


def _bounded(mechanism: Mechanism, bound: float, gap: float) -> Mechanism:
    """Return an optimum with a further bound, "optimal" if that closes the gap in `size` units."""
    upper = max(min(mechanism.upper_bound, bound), mechanism.utility)
    bounded = replace(mechanism, upper_bound=upper, gap=upper - mechanism.utility)
    return proven(bounded, gap) if mechanism.status == CUT else bounded


def _agree(under: _Answers, starts: Sequence[tuple[float, Mechanism]], joint: Joint) -> None:
    """Check that no mechanism is better than a bound on the optimum at its ε or a larger one."""
    budgets = np.array([eps for eps, _ in starts])
    reached = np.array([answer.utility for _, answer in starts])
    for at, optimum in _bounds(under):
        bound = optimum.upper_bound
        for i in np.flatnonzero((budgets <= at) & (reached > bound + CLOSE)).tolist():
            eps, answer = starts[i]
            if disproves(joint, answer.kernel, optimum.notion, bound, optimum.purpose):
                raise SolverError(
                    f"{answer.name} keeps {answer.utility:.9g} nats of X at ε = {eps:g}, more than "
                    f"the bound of {bound:.9g} found at ε = {at:g}: one of the two is wrong."
                )
