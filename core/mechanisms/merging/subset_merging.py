"""Subset merging: hide the high-risk symbols of X in sets as small as the budget lets them be."""

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
    """One step of Algorithm 1: symbols join a set.

    Attributes
    ----------
    joined : tuple of int
        Indices of X: one symbol, or an earlier set where the last one still broke the budget.
    into : tuple of int
        The set before; empty where a symbol opens one.
    risk_before, risk_after : float
        ω of the set before and after, in nats; 0 before the first.
    fits : bool
        Whether the notion allows the set now.
    """

    joined: tuple[int, ...]
    into: tuple[int, ...]
    risk_before: float
    risk_after: float
    fits: bool


@dataclass(frozen=True)
class HighRiskMerging:
    """What Algorithm 1 makes of X_H.

    Attributes
    ----------
    sets : tuple of tuple of int
        A partition of X_H, in the order in which the sets were opened.
    steps : tuple of MergeStep
        How it came about.
    attained : bool
        Whether the notion allows every set; if not, X_H is one set that leaks too much.
    """

    sets: tuple[tuple[int, ...], ...]
    steps: tuple[MergeStep, ...]
    attained: bool


def subset_merging(
    joint: Joint, notion: Notion, *, risk: Risk | None = None, repair: bool = True
) -> Mechanism:
    """Publish X_L as it is and merge X_H greedily into small sets that the notion allows.

    Source: [Lift] Algorithm 1, corrected (see `merge_high_risk`). It keeps at least what the
    watchdog does, whose sets it refines.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion
        LIP, ALIP, LDP, ℓ1, χ² or α-lift.
    risk : {"max", "sum", "ratio"}, optional
        How LIP and ALIP rank sets: max(log Λ, |log Ψ|) (where None), Λ + 1/Ψ or Λ/Ψ.
    repair : bool
        Where X_H even as one set breaks the budget: move symbols from X_L to it, least
        utility lost first, until it holds, then run the algorithm on that; a note says so.

    Raises
    ------
    InvalidInputError
        If the notion does not bound single symbols, or `risk` does not apply to it.
    InfeasibleError
        If X_H as one set breaks the budget and `repair` is off.

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
    """Return the steps that made the sets of `subset_merging`, whose parameters these are.

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
    """Return what Algorithm 1 makes of X_H, repaired where it must be, and the notes on that."""
    merging = merge_high_risk(joint, notion, risk)
    if merging.attained:
        return merging, ()
    asked = pointwise_notion(notion, "Subset merging")
    high, notes = attain(joint, asked, merging.sets[0], repair=repair)
    return merge_high_risk(joint, notion, risk, high), notes


def merge_high_risk(
    joint: Joint,
    notion: Notion,
    risk: Risk | None = None,
    high: Sequence[int] | None = None,
) -> HighRiskMerging:
    """Partition X_H by Algorithm 1, in O(|X_H|²·n_s).

    Source: [Lift] Algorithm 1 without the condition of line 4 that Q as a whole breaks the
    budget (it stops the printed algorithm at once whenever merging X_H completely is enough),
    and with a risk that does not reward a small min-lift.

    Parameters
    ----------
    joint, notion, risk
        As in `subset_merging`.
    high : sequence of int, optional
        Symbols to partition in the place of X_H; one that the notion allows is a set already.

    Raises
    ------
    InvalidInputError
        If the notion does not bound single symbols, or `risk` does not apply to it.
    """
    asked = pointwise_notion(notion, "Subset merging")
    check_risk(asked, risk)
    judge = SetJudge(asked, joint.p_s, risk)
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
    """Return the step to the union of least risk, and which of the options joins.

    `grown` holds P(s, union) for each option, shape (n_s, n_options).
    """
    risks, allowed = judge(grown)
    best = int(first_least(risks))
    step = MergeStep(options[best], into, last.risk_after, float(risks[best]), bool(allowed[best]))
    return step, best
