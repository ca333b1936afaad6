"""The watchdog merges all high-risk symbols of X, subset merging small sets that are allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from core.clock import NEVER, Deadline
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms.merging.partition import partition_mechanism
from core.mechanisms.merging.subset_levels import (
    Risk,
    SetJudge,
    check_risk,
    first_least,
    first_most,
    fits,
    least_first,
    low_risk,
    pointwise_notion,
    set_levels,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import PointwiseNotion
from core.notions.base import Notion
from core.optimal.plan import SIZES
from core.validation import FloatArray
from core.wording import fixed


def attain(
    joint: Joint, notion: PointwiseNotion, high: tuple[int, ...], *, repair: bool
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return symbols that the notion allows as one output, and notes on their repair."""
    merged = joint.p[:, list(high)].sum(axis=1)
    lower, upper = (float(level[0]) for level in set_levels(notion, merged[:, None], joint.p_s))
    if not high or fits(notion, lower, upper):
        return high, ()
    sentence = (
        "X_H, the symbols that exceed the budget on their own, reach "
        f"{_excess(notion, lower, upper)} even as one output"
    )
    if not repair:
        raise InfeasibleError(
            f"{sentence}; repair=True moves symbols from X_L to X_H until the budget holds."
        )
    # moving a symbol of probability p into a set of probability M costs
    # (M + p)·log(M + p) − M·log M − p·log p, which grows with p
    low = np.setdiff1d(np.arange(joint.n_x), high)
    order = low[least_first(joint.p_x[low])]
    growing = merged[:, None] + joint.p[:, order].cumsum(axis=1)
    enough = fits(notion, *set_levels(notion, growing, joint.p_s))
    if not enough.any():
        least = notion.achieved(joint, np.ones((joint.n_x, 1)))
        raise InfeasibleError(
            f"No mechanism satisfies {notion}: even the constant one breaks it, at {least:.6g}."
        )
    moved = order[: int(enough.argmax()) + 1]
    names = ", ".join(joint.x_labels[x] for x in moved[:3]) + (", …" if moved.size > 3 else "")
    what = "1 symbol" if moved.size == 1 else f"{moved.size} symbols"
    note = f"{sentence}; repaired by moving {what} of the others, X_L, into X_H ({names})."
    return tuple(sorted((*high, *map(int, moved)))), (note,)


def _excess(notion: PointwiseNotion, lower: float, upper: float) -> str:
    """Return text on the levels that break their budgets."""
    parts = [
        f"{level:.4g} nats {way} ({budget:.4g} allowed)"
        for level, budget, way in (
            (lower, notion.lower_budget, "downwards"),
            (upper, notion.upper_budget, "upwards"),
        )
        if not level <= budget
    ]
    return " and ".join(parts)


Merge = Literal["complete", "uniform"]
"""All of X_H becomes one output, or a uniformly drawn symbol of X_H."""


def watchdog(
    joint: Joint, notion: Notion, merge: Merge = "complete", *, repair: bool = True
) -> Mechanism:
    """Publish X_L as it is; on X_H the output does not depend on which of its symbols x is.

    I(X;Y) = H(X) − Σ_{x∈X_H} P(x) log(P(X_H)/P(x)), for either value of `merge`. Source: [Lift]
    §III-A, [ALIP] §III.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion
        LIP, ALIP, LDP, ℓ1, χ², α-lift or another `PointwiseNotion`: X_L are the symbols that it
        allows as outputs.
    merge : {"complete", "uniform"}
        One output for all of X_H, or a symbol of X_H drawn uniformly. Both have the same levels.
    repair : bool
        Where X_H as one output breaks the budget: move symbols from X_L to it, least
        utility lost first, until it holds; a note of the result then says so.

    Raises
    ------
    InvalidInputError
        If the notion is not a `PointwiseNotion`, or `merge` is unknown.
    InfeasibleError
        If X_H as one output breaks the budget and `repair` is off, or not even the constant
        mechanism keeps the notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> watchdog(joint, LIP(0.5)).y_labels
    ('x1 + x2', 'x3', 'x4')
    """
    pointwise = pointwise_notion(notion, "The watchdog")
    if merge not in get_args(Merge):
        raise InvalidInputError(f"merge must be complete or uniform, got {merge!r}.")
    low = low_risk(joint, pointwise)
    first_high = tuple(map(int, np.flatnonzero(~low)))
    high, notes = attain(joint, pointwise, first_high, repair=repair)
    single = [(x,) for x in range(joint.n_x) if x not in set(high)]
    sets = [*single, high] if high else single
    status = "repaired" if notes else "heuristic" if len(high) > 1 else "optimal"
    if merge == "complete":
        return partition_mechanism(
            joint,
            sets,
            name="Watchdog",
            solver="closed form",
            status=status,
            notion=pointwise,
            notes=notes,
        )
    kernel = np.eye(joint.n_x)
    if high:
        kernel[np.ix_(high, high)] = 1.0 / len(high)
    return make_mechanism(
        joint,
        kernel,
        name="Watchdog, uniform",
        status=status,
        notion=pointwise,
        y_labels=joint.x_labels,
        notes=notes,
        partition=tuple(sorted(sets)),
    )


@dataclass(frozen=True)
class MergeStep:
    """One step of [Lift] Algorithm 1: symbols join a set.

    `joined`: indices of X: one symbol, or an earlier set where the last one broke the budget at the
    end. `into`: the set before the step; empty where a symbol opens one. `risk_before`,
    `risk_after`: ω of the set in nats, 0 before it is opened. `fits`: whether the notion allows it
    after the step.
    """

    joined: tuple[int, ...]
    into: tuple[int, ...]
    risk_before: float
    risk_after: float
    fits: bool


@dataclass(frozen=True)
class HighRiskMerging:
    """A partition of X_H in the order of opening: one set, not allowed, where not `attained`."""

    sets: tuple[tuple[int, ...], ...]
    steps: tuple[MergeStep, ...]
    attained: bool


def subset_merging(
    joint: Joint,
    notion: Notion,
    *,
    risk: Risk | None = None,
    repair: bool = True,
    deadline: Deadline = NEVER,
) -> Mechanism:
    """Publish X_L as it is and merge X_H greedily into small sets that the notion allows.

    Source: [Lift] Algorithm 1, corrected (see `merge_high_risk`). Its utility is at least the
    watchdog's, whose set it refines.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion
        LIP, ALIP, LDP, ℓ1, χ², α-lift or another `PointwiseNotion`.
    risk : {"max", "sum", "ratio"}, optional
        The risk under LIP and ALIP: max(log Λ, |log Ψ|), the default, Λ + 1/Ψ or Λ/Ψ.
    repair : bool
        Where X_H even as one set breaks the budget: move symbols from X_L to it, least
        utility lost first, until it holds, then run the algorithm on that; a note says so.
    deadline : Deadline
        From when on sets are joined two by two, as in `merge_high_risk`.

    Raises
    ------
    InvalidInputError
        If the notion is not a `PointwiseNotion`, or `risk` does not apply to it.
    InfeasibleError
        If X_H as one set breaks the budget and `repair` is off, or not even the constant mechanism
        keeps the notion.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> subset_merging(joint, LIP(0.4)).y_labels
    ('x1 + x2', 'x3 + x4', 'x5')
    """
    merging, notes = _merged(joint, notion, risk, repair=repair, deadline=deadline)
    covered = {x for members in merging.sets for x in members}
    sets = [*merging.sets, *((x,) for x in range(joint.n_x) if x not in covered)]
    return partition_mechanism(
        joint,
        sets,
        name="Subset merging",
        solver="greedy",
        status="repaired" if notes else "heuristic" if len(sets) < joint.n_x else "optimal",
        notion=notion,
        notes=notes,
    )


def subset_merging_steps(
    joint: Joint, notion: Notion, *, risk: Risk | None = None
) -> tuple[MergeStep, ...]:
    """Return the steps that make the sets of `subset_merging`; parameters and errors as there.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> [(step.joined, step.into) for step in subset_merging_steps(joint, LIP(0.4))]
    [((0,), ()), ((1,), (0,)), ((2,), ()), ((3,), (2,))]
    """
    return _merged(joint, notion, risk, repair=True)[0].steps


def _merged(
    joint: Joint, notion: Notion, risk: Risk | None, *, repair: bool, deadline: Deadline = NEVER
) -> tuple[HighRiskMerging, tuple[str, ...]]:
    """Return the partition of X_H, repaired where it is not allowed, and notes on the repair."""
    merging = merge_high_risk(joint, notion, risk, deadline=deadline)
    if merging.attained:
        return merging, ()
    pointwise = pointwise_notion(notion, "Subset merging")
    high, notes = attain(joint, pointwise, merging.sets[0], repair=repair)
    return merge_high_risk(joint, notion, risk, high, deadline=deadline), notes


def merge_high_risk(
    joint: Joint,
    notion: Notion,
    risk: Risk | None = None,
    high: Sequence[int] | None = None,
    *,
    deadline: Deadline = NEVER,
) -> HighRiskMerging:
    """Partition X_H, or the symbols `high`, by [Lift] Algorithm 1, corrected, in O(|X_H|²·n_s).

    Line 4's condition that Q as a whole breaks the budget is dropped: it stops the printed
    algorithm at once whenever merging X_H completely is enough. The risk grows as the min-lift
    falls. A symbol of `high` that the notion allows is a set by itself. To keep a deadline sets are
    joined with the best of fewer symbols; once it is over, what is left is joined two by two.
    """
    pointwise = pointwise_notion(notion, "Subset merging")
    check_risk(pointwise, risk)
    judge = SetJudge(pointwise, joint.p_s, risk)
    single_risk, low = judge(joint.p)
    queue = list(map(int, np.flatnonzero(~low))) if high is None else sorted(high)
    sets: list[tuple[int, ...]] = []
    masses: list[FloatArray] = []
    steps: list[MergeStep] = []
    rest = np.vstack([single_risk, joint.p])[:, queue]  # a symbol's risk above its masses

    pace = None if deadline is NEVER else _Pace(deadline, len(queue))
    while queue and not (pace and pace.over(len(queue))):
        at = int(first_most(rest[0]))
        start, mass = queue.pop(at), rest[1:, at].copy()
        rest = np.delete(rest, at, axis=1)
        members: tuple[int, ...] = (start,)
        steps.append(MergeStep(members, (), 0.0, float(single_risk[start]), bool(low[start])))
        while not steps[-1].fits and queue and not (pace and pace.over(len(queue))):
            grown = mass[:, None] + (rest[1:, : pace.options] if pace else rest[1:])
            best, risk_after, allowed = _best_join(judge, grown)
            joined = (queue.pop(best),)
            steps.append(MergeStep(joined, members, steps[-1].risk_after, risk_after, allowed))
            members, mass = members + joined, grown[:, best].copy()
            rest = np.delete(rest, best, axis=1)
        sets.append(members)
        masses.append(mass)
    if queue:
        _two_by_two(judge, queue, rest[1:], sets, masses, steps)
    while len(sets) > 1 and not steps[-1].fits:
        grown = masses[-1][:, None] + np.stack(masses[:-1], axis=1)
        best, risk_after, allowed = _best_join(judge, grown)
        steps.append(MergeStep(sets[best], sets[-1], steps[-1].risk_after, risk_after, allowed))
        sets[-1], masses[-1] = sets[-1] + sets[best], grown[:, best]
        del sets[best], masses[best]
    return HighRiskMerging(tuple(sets), tuple(steps), not steps or steps[-1].fits)


class _Pace:
    """How many symbols may join a set, its `options`, so that all are in sets by a deadline."""

    def __init__(self, deadline: Deadline, symbols: int) -> None:
        self._deadline, self._symbols = deadline, symbols
        self._seconds, self._steps, self._late = deadline.left, 0, False
        self.options = symbols

    def over(self, left: int) -> bool:
        """Return whether the deadline is over; the more symbols are left, the fewer options."""
        self._steps += 1
        if self._late or self._steps % SIZES.merging_pace != 1:
            return self._late
        seconds = self._deadline.left
        # a step takes as long as it has options, so half of the symbols take three quarters
        ahead = seconds * self._symbols**2 >= self._seconds * left**2
        options = max(int(self.options * (1.25 if ahead else 0.8)), SIZES.merging_pace)
        self.options = min(options, self._symbols)
        self._late = seconds == 0
        return self._late


def _two_by_two(
    judge: SetJudge,
    queue: Sequence[int],
    rest: FloatArray,
    sets: list[tuple[int, ...]],
    masses: list[FloatArray],
    steps: list[MergeStep],
) -> None:
    """Add the symbols of a queue, of masses (n_s, k), and the last set if it is not allowed.

    Sets that are not allowed are joined in pairs until all are, or one is left.
    """
    left: list[tuple[int, ...]] = [(x,) for x in queue]
    if sets and not steps[-1].fits:
        left.append(sets.pop())
        rest = np.column_stack([rest, masses.pop()])
    while left:
        risks, allowed = judge(rest)
        if len(left) == 1 or allowed.all():
            steps.append(MergeStep((), left[-1], 0.0, float(risks[-1]), bool(allowed[-1])))
            allowed = np.ones_like(allowed)
        sets.extend(left[i] for i in np.flatnonzero(allowed))
        masses.extend(rest[:, allowed].T)
        left, rest = [left[i] for i in np.flatnonzero(~allowed)], rest[:, ~allowed]
        # the secrets that are likeliest in a set and in its partner differ, where they can
        order = np.argsort((rest / judge.p_s[:, None]).argmax(axis=0), kind="stable")
        half = (len(left) + 1) // 2
        pairs = [order[i::half] for i in range(half)]
        left = [tuple(x for i in pair for x in left[i]) for pair in pairs]
        rest = np.array([rest[:, pair].sum(axis=1) for pair in pairs]).reshape(half, len(rest)).T


def _best_join(judge: SetJudge, grown: FloatArray) -> tuple[int, float, bool]:
    """Return the index, risk and verdict of the union of least risk; grown is (n_s, n_options)."""
    risks, allowed = judge(grown)
    best = int(first_least(risks))
    return best, float(risks[best]), bool(allowed[best])


MOST_NAMED = 3
"""Most symbols of a set that a sentence names; of the others it gives the number."""


@dataclass(frozen=True)
class OpenSet:
    """A set of symbols between two steps, with its ω in nats, and whether the notion allows it."""

    members: tuple[int, ...]
    risk: float
    fits: bool


def replay(steps: Sequence[MergeStep], count: int) -> tuple[OpenSet, ...]:
    """Return the sets after the first `count` steps, in the order in which they were opened."""
    if not 0 <= count <= len(steps):
        raise InvalidInputError(f"count must be in [0, {len(steps)}], got {count}.")
    sets: dict[tuple[int, ...], OpenSet] = {}
    for step in steps[:count]:
        sets.pop(step.into, None)
        sets.pop(step.joined, None)  # an earlier set, where it joins the last one
        members = step.into + step.joined
        sets[members] = OpenSet(members, step.risk_after, step.fits)
    return tuple(sets.values())


def in_words(step: MergeStep, x_labels: Sequence[str], *, bits: bool = False) -> str:
    """Return a sentence on what a step does, with risks in nats, or in bits."""
    joined, unit = _spelt(step.joined, x_labels), "bits" if bits else "nats"
    if not step.into:
        return f"{joined} opens a set: its risk ω is {_written(step.risk_after, bits)} {unit}."
    into = _spelt(step.into, x_labels)
    way = "lowers" if step.risk_after <= step.risk_before else "raises"
    verdict = "within the budget" if step.fits else "still over the budget"
    before, after = _written(step.risk_before, bits), _written(step.risk_after, bits)
    return f"Adding {joined} to {into} {way} ω from {before} to {after} {unit}, {verdict}."


def _spelt(members: Sequence[int], x_labels: Sequence[str]) -> str:
    named = " + ".join(f"'{x_labels[x]}'" for x in members[:MOST_NAMED])
    more = len(members) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _written(risk: float, bits: bool) -> str:
    """Return a risk in nats as text, in nats or bits."""
    return fixed(risk / math.log(2) if bits else risk, 3)
