"""The frontier: the optimal mechanism and its utility at each of several budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np

from core import validation
from core.clock import NEVER, Deadline
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.limits import CLOSE
from core.measures import entropy
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.optima.remembered import with_remembered
from core.mechanisms.optima.robust_starts import known_without_search
from core.mechanisms.optima.search import (
    NAME,
    chain_bound,
    checked_purpose,
    optimal_from,
    peeled,
    peels,
)
from core.mechanisms.optima.starts import INSTANT, at_least, diluted_x, disproves, starts
from core.mechanisms.options import Options, SearchLimits
from core.mechanisms.polish import polished
from core.mechanisms.result import CUT, Mechanism, make_mechanism, revalued
from core.mechanisms.robust.entries import CLOSED_FORMS
from core.notions.base import Notion
from core.notions.robust_markov import RobustForX
from core.optimal.direct import Warm
from core.optimal.plan import SHARES, SIZES
from core.utilities import Information, Purpose
from core.validation import FloatArray

FAILED = "failed"
"""Status of a point without a mechanism: its notes give the reason."""


def frontier(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    utility: Purpose | None = None,
) -> tuple[Mechanism, ...]:
    """Return the optimal mechanism at each budget, solved in increasing order.

    A larger budget allows all that a smaller one does: each solve starts from the last answer, and
    a linear program from the last one's basis. `carried` makes utility and bound non-decreasing in
    the budget. Where a search ran out of time, `diluted` offers it the next larger budget's
    outputs, moved towards P_X until they are allowed.
    Where hundreds of symbols have less than a second for each budget, outputs are taken off P_X at
    some budgets, most where the line rises; the others start from these.
    Under a robust notion budgets are searched from coarse to fine, each for more than a second:
    where time ends first, the others have the answer of the next smaller one. Of many symbols most
    budgets have what is known without a search.
    A budget that fails is a point without a mechanism; the others are solved all the same.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion_family : callable
        Takes a budget and returns the notion, which is weaker for a larger budget.
    budgets : sequence of float
        Budgets in [0, ∞], in any order; the result has the same order, with `failed` points where
        a solve failed.
    time_limit : float, optional
        Seconds for all budgets together; by default 5 for each.
    gap, seed, utility
        As in `optimal`, for each budget.

    Raises
    ------
    InvalidInputError
        If there is no budget, or one is outside [0, ∞].
    NotConvexError, InfeasibleError, SolverError
        As `optimal`, the error of the least budget, if every budget fails.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> [round(mechanism.nmi, 4) for mechanism in frontier(joint, LIP, [0.0, 0.5, 1.0])]
    [0.7629, 0.8088, 0.8937]
    """
    values = [validation.budget(budget, "budgets") for budget in budgets]
    if not values:
        raise InvalidInputError("budgets must name at least one budget, got none.")
    goal = checked_purpose(utility)
    deadline = None if time_limit is None else Deadline.after(time_limit)
    rising = sorted(set(values))
    own: SearchLimits = {"time_limit": None, "gap": gap, "seed": seed}
    first = _first_notion(notion_family, rising)
    points: list[Mechanism | CoreError]
    if deadline is None or first is None:
        points = _one_after_the_other(joint, notion_family, rising, None, own, goal)
    elif first.of_estimate and joint.n_x > SIZES.leveled_symbols:
        points = _at_some_budgets(joint, notion_family, rising, deadline, own, goal)
    elif first.of_estimate:
        points = _coarse_to_fine(joint, notion_family, rising, deadline, own, goal)
    elif deadline.left < SIZES.quick * len(rising) and _many(joint, goal):
        until = deadline.part(SHARES.search)
        points = _where_it_rises(_ShortLine(joint, notion_family, rising, until, own))
    else:
        points = _one_after_the_other(joint, notion_family, rising, deadline, own, goal)
    along = carried(joint, diluted(joint, points, deadline or NEVER), gap)
    return tuple(along[rising.index(value)] for value in values)


def _one_after_the_other(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    deadline: Deadline | None,
    limits: SearchLimits,
    utility: Purpose,
) -> list[Mechanism | CoreError]:
    """Search at each budget, from the best of the smaller ones' answers."""
    points: list[Mechanism | CoreError] = []
    start: FloatArray | None = None
    open_, warm, kept = False, Warm(), -np.inf
    for done, budget in enumerate(budgets):
        if deadline is not None:
            # least time for each budget, also when the limit is over: enough for a mechanism
            # without proof
            left = max(deadline.left / (len(budgets) - done), 0.05)
            limits = {**limits, "time_limit": left}
        try:
            notion = notion_family(budget)
            if notion.of_estimate:  # it has starts of its own beside the last answer
                mechanism = optimal(joint, notion, utility=utility, start=start, **limits)
            else:
                mechanism = optimal_from(joint, notion, start, utility=utility, warm=warm, **limits)
                with_remembered(joint, mechanism)
        except CoreError as error:
            points.append(error)
            continue
        if mechanism.status != "optimal" and not notion.of_estimate and open_:
            # an earlier answer that it starts from was cut
            mechanism = replace(mechanism, status=CUT)
        open_ |= mechanism.status == CUT
        points.append(mechanism)
        if start is None or mechanism.utility >= kept:
            start, kept = mechanism.kernel, mechanism.utility
    return points


def _at_some_budgets(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    deadline: Deadline,
    limits: SearchLimits,
    utility: Purpose,
) -> list[Mechanism | CoreError]:
    """Return what is known at each budget, and what is found at some of them, one after the other.

    A search of many symbols under a robust notion exceeds its limit by far, and adds little.
    """
    points: list[Mechanism | CoreError] = []
    best: Mechanism | None = None
    for budget in budgets:
        try:
            notion = notion_family(budget)
            late = best is not None and deadline.over
            best = (
                _as_at(joint, best, notion, utility)
                if late
                else at_a_glance(joint, notion, utility)
            )
            points.append(best)
        except CoreError as error:
            points.append(error)
    every = SIZES.robust_line
    searched = range((len(budgets) - 1) % every, len(budgets), every)
    best = None
    for done, i in enumerate(searched):
        point = points[i]
        if deadline.over or isinstance(point, CoreError) or point.notion is None:
            continue
        before = [other for other in (best, point) if other is not None]
        start = max(before, key=lambda other: other.utility).kernel
        own: SearchLimits = {**limits, "time_limit": deadline.left / (len(searched) - done)}
        with suppress(CoreError):
            best = optimal(joint, point.notion, utility=utility, start=start, **own)
            points[i] = best
    return points


def _coarse_to_fine(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    deadline: Deadline,
    limits: SearchLimits,
    utility: Purpose,
) -> list[Mechanism | CoreError]:
    """Search at some budgets, each from the best of the smaller ones' answers."""

    def search(i: int, seconds: float, best: Mechanism | None) -> Mechanism:
        own: SearchLimits = {**limits, "time_limit": seconds}
        start = None if best is None else best.kernel
        return optimal(joint, notion_family(budgets[i]), utility=utility, start=start, **own)

    answers = coarse_to_fine(len(budgets), deadline, search)
    return in_turn(joint, notion_family, budgets, answers, utility)


def coarse_to_fine(
    count: int, deadline: Deadline, search: Callable[[int, float, Mechanism | None], Mechanism]
) -> dict[int, Mechanism | CoreError]:
    """Search at the last and the first of so many budgets, then halfway between two, until time.

    A search over F that is shorter than a second finds little: longer ones at half of the budgets
    keep more at nearly all of them. `search` takes a budget's place, the seconds that it may take,
    and the best of the smaller budgets' answers.
    """
    answers: dict[int, Mechanism | CoreError] = {}
    for done, i in enumerate(_halving(count)):
        if done and deadline.over:
            break
        each = max(deadline.left / (count - done), SIZES.robust_seconds)
        smaller = [answers[j] for j in sorted(answers) if j < i]
        known = [point for point in smaller if isinstance(point, Mechanism)]
        best = max(known, key=lambda point: point.utility, default=None)
        try:
            answers[i] = search(i, max(min(each, deadline.left), 0.05), best)
        except CoreError as error:
            answers[i] = error
    return answers


def _halving(count: int) -> list[int]:
    """Return the places from 0 on: the last, the first, then each halfway between two."""
    order, between = list(dict.fromkeys((count - 1, 0))), [(0, count - 1)]
    for low, high in between:  # it grows
        middle = (low + high) // 2
        if low < middle:
            order.append(middle)
            between += [(low, middle), (middle, high)]
    return order


def in_turn(
    joint: Joint,
    notion_family: Callable[[float], Notion],
    budgets: Sequence[float],
    answers: Mapping[int, Mechanism | CoreError],
    utility: Purpose,
    name: str = NAME,
) -> list[Mechanism | CoreError]:
    """Return the answers by their budgets' places, elsewhere that of the next smaller budget."""
    points: list[Mechanism | CoreError] = []
    last: Mechanism | None = None
    for i, budget in enumerate(budgets):
        point = answers.get(i)
        if point is None:
            try:
                point = _as_at(joint, last, notion_family(budget), utility, name)
            except CoreError as error:
                point = error
        points.append(point)
        last = point if isinstance(point, Mechanism) else last
    return points


def _first_notion(
    notion_family: Callable[[float], Notion], budgets: Sequence[float]
) -> Notion | None:
    """Return the notion at the first budget that does not fail, None where all do."""
    for budget in budgets:
        with suppress(CoreError):
            return notion_family(budget)
    return None


def _many(joint: Joint, purpose: Purpose) -> bool:
    """Return whether X has so many symbols that a short search at every budget finds little."""
    return joint.n_x >= SIZES.peeled_symbols and isinstance(purpose, Information)


class _ShortLine:
    """Answers at the budgets of a line that are searched, of many symbols in little time."""

    def __init__(
        self,
        joint: Joint,
        notion_family: Callable[[float], Notion],
        budgets: Sequence[float],
        deadline: Deadline,
        limits: SearchLimits,
    ) -> None:
        self.joint, self.budgets, self.deadline = joint, budgets, deadline
        self.answers: dict[int, Mechanism | CoreError] = {}
        self._family, self._limits = notion_family, limits

    def search(self, i: int, share: float) -> None:
        """Search at a budget for a share of the time left, and keep what is better."""
        try:
            notion = self._family(self.budgets[i])
            made = self._optimum(i, notion, self.deadline.part(share))
            known = [point for point in (self.answers.get(i),) if isinstance(point, Mechanism)]
            if not known and i + 1 == len(self.budgets):
                # X itself may have to be moved little there, and so may it below
                known = diluted_x(self.joint, notion)
            if not known and i == 0:
                # where no smaller budget helps: at 756 symbols these keep 0.01 more
                known = starts(self.joint, notion, Options(), INSTANT)
            self.answers[i] = at_least(self.joint, made, known)
        except CoreError as error:
            self.answers.setdefault(i, error)

    def _optimum(self, i: int, notion: Notion, until: Deadline) -> Mechanism:
        """Return what taking outputs off P_X finds, or where they cannot be, what a search does."""
        if peels(self.joint, notion, Information()):
            # the same draws again would find hardly more
            gap, seed = self._limits["gap"], self._limits["seed"] + (i in self.answers)
            once = self.deadline
            return peeled(self.joint, notion, gap=gap, seed=seed, once=once, until=until)
        limits: SearchLimits = {**self._limits, "time_limit": max(until.left, 0.05)}
        known = (self.answers[j] for j in sorted(self.answers, reverse=True) if j <= i)
        start = next((point.kernel for point in known if isinstance(point, Mechanism)), None)
        return optimal_from(self.joint, notion, start, among=INSTANT, **limits)

    def rise(self, low: int, high: int) -> float:
        """Return how much more the budgets between two may keep in all than at the lower one."""
        return (high - low - 1) * max(self._kept(high) - self._kept(low), 0.0)

    def _kept(self, i: int) -> float:
        point = self.answers[i]
        return point.utility if isinstance(point, Mechanism) else 0.0

    def points(self) -> list[Mechanism | CoreError]:
        """Return the answers, elsewhere that of the next smaller budget."""
        return in_turn(self.joint, self._family, self.budgets, self.answers, Information())


def _where_it_rises(line: _ShortLine) -> list[Mechanism | CoreError]:
    """Search at the first and the last budget, then between two where a line rises most.

    All that a budget between two may keep is between what these keep. So the others, which have
    the answer of the next smaller one, lose little where two answers are close. In the time that
    is left the searches are longer.
    """
    for i in dict.fromkeys((len(line.budgets) - 1, 0)):
        line.search(i, SHARES.of_line)
    least = SIZES.least_rise * float(entropy(line.joint.p_x))
    while not line.deadline.over:
        ends = sorted(line.answers)
        low, high = max(pairwise(ends), key=lambda ends: line.rise(*ends), default=(0, 0))
        if line.rise(low, high) <= least:
            break
        line.search((low + high) // 2, SHARES.of_line)
    searched = sorted(line.answers)
    for done, i in enumerate(searched):
        if line.deadline.over:
            break
        line.search(i, 1 / (len(searched) - done))
    return line.points()


def _as_at(
    joint: Joint,
    smaller: Mechanism | None,
    notion: Notion,
    purpose: Purpose,
    name: str = NAME,
) -> Mechanism:
    """Return a smaller budget's mechanism as an answer that was cut short."""
    return make_mechanism(
        *(joint, np.ones((joint.n_x, 1)) if smaller is None else smaller.kernel),
        name=name,
        solver="known",
        status=CUT,
        notion=notion,
        y_labels=None if smaller is None else smaller.y_labels,
        upper_bound=_bound(joint, notion, purpose),
        purpose=purpose,
    )


def _bound(joint: Joint, notion: Notion, purpose: Purpose) -> float | None:
    """Return a bound on the utility that needs no search; None where none is known."""
    if not isinstance(purpose, Information):
        return None
    if isinstance(notion, RobustForX) and notion.is_around(joint):
        notion = notion.at_estimate(notion.eps)
    return chain_bound(joint, notion)


def at_a_glance(joint: Joint, notion: Notion, utility: Purpose | None = None) -> Mechanism:
    """Return the best mechanism that is known without a search, as one that was cut short."""
    goal = checked_purpose(utility)
    known = starts(
        joint, notion, Options(), (*INSTANT, *(entry.key for entry in CLOSED_FORMS)), goal
    )
    if joint.n_x <= SIZES.leveled_symbols:
        more = [*diluted_x(joint, notion), *known_without_search(joint, notion)]
        known += [revalued(joint, made, goal) for made in more]
    return at_least(joint, _as_at(joint, None, notion, goal), known)


def carried(
    joint: Joint, points: Sequence[Mechanism | CoreError], gap: float = 1e-6
) -> list[Mechanism]:
    """Return points of increasing budgets whose utilities and bounds do not fall."""
    reasons = [point for point in points if isinstance(point, CoreError)]
    if len(reasons) == len(points):
        raise reasons[0]
    purpose = next(point.purpose for point in points if isinstance(point, Mechanism))
    along: list[Mechanism] = []
    last: Mechanism | None = None
    for point in points:
        if isinstance(point, CoreError):
            along.append(failed(joint, str(point), purpose))
            continue
        better = point
        if last is not None and point.utility < last.utility:
            better = _instead(joint, last, last.kernel, point)
        along.append(better)
        last = better
    bound = np.inf
    for i in reversed(range(len(along))):
        point = along[i]
        bound = min(bound, point.upper_bound)
        upper = bound if point.status == FAILED else max(bound, point.utility)
        proven = upper - point.utility <= gap * purpose.size()
        status = "optimal" if proven else point.status
        along[i] = replace(point, upper_bound=upper, gap=upper - point.utility, status=status)
    return along


def failed(joint: Joint, reason: str, purpose: Purpose | None = None) -> Mechanism:
    """Return a point without a mechanism: no outputs, utility NaN, and the reason as a note."""
    goal = Information() if purpose is None else purpose
    return Mechanism(
        name=NAME,
        kernel=np.zeros((joint.n_x, 0)),
        x_labels=joint.x_labels,
        y_labels=(),
        utility=np.nan,
        nmi=np.nan,
        upper_bound=goal.range(joint)[1],
        gap=np.nan,
        solver="none",
        status=FAILED,
        notion=None,
        audit=None,
        notes=(reason,),
        purpose=goal,
    )


def diluted(
    joint: Joint, points: Sequence[Mechanism | CoreError], deadline: Deadline = NEVER
) -> list[Mechanism | CoreError]:
    """Return the points with unproven ones replaced by the next larger budget's, where diluted.

    It ends with a deadline.
    """
    along = list(points)
    larger: Mechanism | None = None
    for i in reversed(range(len(along))):
        if deadline.over:
            break
        point = along[i]
        if isinstance(point, CoreError) or (point.notion is not None and point.notion.of_estimate):
            continue
        if larger is not None and point.notion is not None and point.status != "optimal":
            kernel = polished(joint, larger.kernel, point.notion)
            utility = point.purpose.value(joint, kernel)
            if utility > point.utility + CLOSE * point.purpose.size():
                along[i] = point = _instead(joint, larger, kernel, point)
        larger = point
    return along


def _instead(joint: Joint, other: Mechanism, kernel: FloatArray, mechanism: Mechanism) -> Mechanism:
    """Return a kernel made from another mechanism, under the notion and bound of `mechanism`."""
    goal = mechanism.purpose
    wrong = disproves(joint, kernel, mechanism.notion, mechanism.upper_bound, goal)
    note = f"Another budget keeps more than the bound of {mechanism.upper_bound:.6g} {goal.unit}."
    same = kernel.shape[1] == len(other.y_labels)
    open_ = other.status == CUT and mechanism.status != "optimal"
    return make_mechanism(
        joint,
        kernel,
        name=mechanism.name,
        solver=mechanism.solver,
        status="heuristic" if wrong else CUT if open_ else mechanism.status,
        notion=mechanism.notion,
        y_labels=other.y_labels if same else None,
        upper_bound=None if wrong else mechanism.upper_bound,
        notes=(*mechanism.notes, note) if wrong else mechanism.notes,
        partition=other.partition if kernel is other.kernel else None,
        purpose=goal,
    )
