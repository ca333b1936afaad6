"""Subset merging: merge the high-risk symbols of X into small sets that the notion allows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.joint import Joint
from core.mechanisms.merging.partition import partition_mechanism
from core.mechanisms.merging.repair import attain
from core.mechanisms.merging.subset_levels import (
    Risk,
    SetJudge,
    check_risk,
    first_least,
    first_most,
    pointwise_notion,
)
from core.mechanisms.result import Mechanism
from core.notions.base import Notion
from core.validation import FloatArray


@dataclass(frozen=True)
class MergeStep:
    """One step of [Lift] Algorithm 1: symbols join a set.

    Attributes
    ----------
    joined : tuple of int
        Indices of X: one symbol, or an earlier set where the last one broke the budget at the end.
    into : tuple of int
        The set before the step; empty where a symbol opens one.
    risk_before, risk_after : float
        ω of the set before and after the step, in nats; 0 before the set is opened.
    fits : bool
        Whether the notion allows the set after the step.
    """

    joined: tuple[int, ...]
    into: tuple[int, ...]
    risk_before: float
    risk_after: float
    fits: bool


@dataclass(frozen=True)
class HighRiskMerging:
    """The partition of X_H by [Lift] Algorithm 1.

    Attributes
    ----------
    sets : tuple of tuple of int
        A partition of X_H, in the order in which the sets were opened.
    steps : tuple of MergeStep
        The steps in order.
    attained : bool
        Whether the notion allows every set; if not, X_H is one set that it does not allow.
    """

    sets: tuple[tuple[int, ...], ...]
    steps: tuple[MergeStep, ...]
    attained: bool


def subset_merging(
    joint: Joint, notion: Notion, *, risk: Risk | None = None, repair: bool = True
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
    merging, notes = _merged(joint, notion, risk, repair=repair)
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
    joint: Joint, notion: Notion, risk: Risk | None, *, repair: bool
) -> tuple[HighRiskMerging, tuple[str, ...]]:
    """Return the partition of X_H, repaired where it is not allowed, and notes on the repair."""
    merging = merge_high_risk(joint, notion, risk)
    if merging.attained:
        return merging, ()
    pointwise = pointwise_notion(notion, "Subset merging")
    high, notes = attain(joint, pointwise, merging.sets[0], repair=repair)
    return merge_high_risk(joint, notion, risk, high), notes


def merge_high_risk(
    joint: Joint,
    notion: Notion,
    risk: Risk | None = None,
    high: Sequence[int] | None = None,
) -> HighRiskMerging:
    """Partition X_H by Algorithm 1, in O(|X_H|²·n_s).

    Source: [Lift] Algorithm 1 without the condition of line 4 that Q as a whole breaks the
    budget, which stops the printed algorithm at once whenever merging X_H completely is enough;
    and with a risk that grows as the min-lift falls.

    Parameters
    ----------
    joint, notion, risk
        As in `subset_merging`.
    high : sequence of int, optional
        Symbols to partition in place of X_H; one that the notion allows is a set by itself.

    Raises
    ------
    InvalidInputError
        If the notion is not a `PointwiseNotion`, or `risk` does not apply to it.
    """
    pointwise = pointwise_notion(notion, "Subset merging")
    check_risk(pointwise, risk)
    judge = SetJudge(pointwise, joint.p_s, risk)
    single_risk, low = judge(joint.p)
    queue = list(map(int, np.flatnonzero(~low))) if high is None else sorted(high)
    sets: list[tuple[int, ...]] = []
    masses: list[FloatArray] = []
    steps: list[MergeStep] = []
    while queue:
        start = queue.pop(int(first_most(single_risk[queue])))
        members: tuple[int, ...] = (start,)
        steps.append(MergeStep(members, (), 0.0, float(single_risk[start]), bool(low[start])))
        mass = joint.p[:, start]
        while not steps[-1].fits and queue:
            grown = mass[:, None] + joint.p[:, queue]
            step, best = _best_join(judge, steps[-1], members, [(x,) for x in queue], grown)
            steps.append(step)
            members, mass = members + step.joined, grown[:, best]
            del queue[best]
        sets.append(members)
        masses.append(mass)
    while len(sets) > 1 and not steps[-1].fits:
        grown = masses[-1][:, None] + np.stack(masses[:-1], axis=1)
        step, best = _best_join(judge, steps[-1], sets[-1], sets[:-1], grown)
        steps.append(step)
        sets[-1], masses[-1] = sets[-1] + step.joined, grown[:, best]
        del sets[best], masses[best]
    return HighRiskMerging(tuple(sets), tuple(steps), not steps or steps[-1].fits)


def _best_join(
    judge: SetJudge,
    last: MergeStep,
    into: tuple[int, ...],
    options: list[tuple[int, ...]],
    grown: FloatArray,
) -> tuple[MergeStep, int]:
    """Return the step to the union of least risk, and the index of the option that joins.

    `grown` holds P(s, union) for each option, shape (n_s, n_options).
    """
    risks, allowed = judge(grown)
    best = int(first_least(risks))
    step = MergeStep(options[best], into, last.risk_after, float(risks[best]), bool(allowed[best]))
    return step, best
