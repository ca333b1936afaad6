"""Starts of an optimum: the other mechanisms of the catalogue that keep the notion, and two more.

A robust optimum also starts from those of `robust_starts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.allowed.inequalities import excess_lift
from core.clock import NEVER, Deadline
from core.errors import CoreError, SolverError
from core.joint import Joint
from core.limits import CLOSE, ROUNDING
from core.mechanisms.entry import TIME_SHARE, MechanismEntry
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.merging.subset_merging import subset_merging
from core.mechanisms.optima.robust_starts import in_groups, known_without_search
from core.mechanisms.options import Options
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, changed, make_mechanism, revalued
from core.notions import LIP
from core.notions.base import Notion, PointwiseNotion
from core.optimal.budgets.silent import silent_outputs
from core.optimal.plan import SHARES, SIZES
from core.optimal.polish import mixed, share_to_rows
from core.optimal.solve import DEFAULT_SECONDS, not_below
from core.optimal.staircases import Staircases
from core.utilities import Information, Purpose
from core.validation import FloatArray


def perfectly_private(joint: Joint, notion: Notion, deadline: Deadline) -> list[Mechanism]:
    """Return an informative mechanism of perfect privacy, where the notion asks for it."""
    if not notion.is_perfect_privacy:
        return []
    kernel = silent_outputs(excess_lift(joint, budget=0.0), joint.p_x, deadline)
    tells = ~LIP(0.0).allows(joint.release(kernel))
    if tells.any():  # by rounding, which is less in a likely output
        tells[np.argmax(joint.p_x @ kernel)] = True
        kernel = np.column_stack([kernel[:, ~tells], kernel[:, tells].sum(axis=1)])
    if kernel.shape[1] == 1 or not notion.holds(joint, kernel):
        return []
    return [make_mechanism(joint, kernel, name="Perfect privacy", solver="columns", notion=notion)]


MANY = 1_000
"""Mechanisms with more outputs than this are not mixed into the start: with unary encoding of 16
symbols, at a budget of 1e-9, the optimum had 17,000 outputs, whose naming took a minute."""

INSTANT = tuple(entry.key for entry in HEURISTICS if entry.instant)
"""Keys of the mechanisms that take a millisecond or two: every optimum is compared with them."""


def starts(
    joint: Joint,
    notion: Notion,
    options: Options,
    among: Sequence[str] | None = None,
    purpose: Purpose | None = None,
    deadline: Deadline | None = None,
) -> list[Mechanism]:
    """Return the mechanisms of the catalogue that keep a notion and read X alone."""
    goal = Information() if purpose is None else purpose
    notion = notion.without_exceptions()
    least, most = goal.range(joint)
    pieces = goal.solver_utility(joint).pieces()
    # there X itself takes as long as a merging that is of use, or a program had most of the time
    hard = pieces is not None and pieces.size > SIZES.direct_entries
    large = joint.n_x > SIZES.all_starts or hard
    limited = deadline is not None and (large or joint.p.size > SIZES.started_at_ease)
    entries = sorted(HEURISTICS, key=lambda entry: (_searches(entry), limited and _late(entry)))
    many = large or joint.n_x >= SIZES.peeled_symbols  # of fewer a search soon finds more
    mechanisms = _merged_for_all(joint, notion, options, goal, deadline or NEVER) if many else []
    if not (large and mechanisms):
        grouped = [*in_groups(joint, notion), *raised_in_turns(joint, notion)]
        mechanisms += [revalued(joint, start, goal) for start in grouped]
    # of 10,000 symbols what ignores the notion takes .7 s, if it is as quick as X itself
    slowest = 7e-9 * joint.n_x**2 if large else 0.0
    for entry in entries:
        unasked = among is not None and entry.key not in among
        if unasked or entry.reads_secret or not entry.works_under(notion):
            continue
        nothing = least + ROUNDING * goal.size()
        worth = any(mechanism.utility > nothing for mechanism in mechanisms)
        left = deadline.left if limited and deadline is not None else np.inf
        if left <= slowest and (worth or not entry.uses_notion):
            return mechanisms
        own = options
        if _searches(entry) and large and left < np.inf:
            own = replace(options, time_limit=left)
        elif _searches(entry) and joint.n_x >= SIZES.peeled_alone and deadline:
            own = replace(options, time_limit=max(deadline.left / TIME_SHARE, SIZES.start_seconds))
        try:
            start = revalued(joint, entry.make(joint, notion, own), goal)
        except CoreError:
            continue
        kept = start.notion is notion or notion.holds(joint, start.kernel)
        if limited and deadline is not None:
            slowest = max(slowest, left - deadline.left)
        if kept:
            mechanisms.append(start)
            if start.utility == most:  # no mechanism has more
                return mechanisms
    if among is not None or (limited and deadline is not None and deadline.left <= slowest):
        return mechanisms
    seconds = DEFAULT_SECONDS if options.time_limit is None else options.time_limit
    # largest part of the time for a start under perfect privacy; at 400 symbols it takes .3 s
    silent = perfectly_private(joint, notion, Deadline.after(0.25 * seconds))
    more = [*diluted_x(joint, notion), *known_without_search(joint, notion), *silent]
    return [*mechanisms, *(revalued(joint, start, goal) for start in more)]


def _searches(entry: MechanismEntry) -> bool:
    """Return whether a mechanism takes as long as it may."""
    return "time_limit" in entry.parameters


def _late(entry: MechanismEntry) -> bool:
    """Return whether a mechanism comes last where time is short: others keep the notion at once."""
    return not (entry.uses_notion and entry.instant)


def _merged_for_all(
    joint: Joint, notion: Notion, options: Options, goal: Purpose, deadline: Deadline
) -> list[Mechanism]:
    """Return subset merging under LIP that implies all of several notions of single outputs.

    Under these together no mechanism of the catalogue is made, and of 10,000 symbols those that
    ignore the notion take seconds each; nor under SRLIP, which is LIP where X is one attribute.
    Nor is any within budgets on averages: the largest LIP that keeps them is sought, in a part of
    the time.
    """
    every = [part.simplest(joint) for part in notion.parts]
    parts = [part for part in every if isinstance(part, PointwiseNotion)]
    averages = [part for part in every if part.on_average]
    known = len(parts) + len(averages) == len(every)
    if parts == [notion] or not known or notion.is_perfect_privacy:
        return []
    least = min([_least_of_both(part) for part in parts], default=np.inf)
    # LIP from 1 down to 1/16: budgets on averages may keep each of them or not
    further = [0.5**k for k in range(5) if averages and 0.5**k < least]
    budgets = [least, *further] if parts else further
    if not 0 < budgets[0] < np.inf:
        return []
    until = deadline.part(SHARES.merged) if averages else NEVER
    best, low, high = None, 0, len(budgets)
    while low < high and not (averages and until.over):
        # most often LIP of the other notions keeps an average too
        tried = 0 if parts and (low, high) == (0, len(budgets)) else (low + high) // 2
        merged = subset_merging(joint, LIP(budgets[tried]), deadline=options.deadline)
        if notion.holds(joint, merged.kernel):
            best, high = merged, tried
        else:
            low = tried + 1
    return [] if best is None else [revalued(joint, best, goal)]


def _least_of_both(part: PointwiseNotion) -> float:
    """Return a budget of LIP that implies a notion."""
    if part.bounds_ratio:
        return part.upper_budget / 2
    return min(part.lower_budget, part.upper_budget)


def diluted_x(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return X moved towards P_X until it keeps a `PointwiseNotion`; [] under any other notion."""
    if not isinstance(notion, PointwiseNotion):
        return []
    kernel = polished(joint, np.eye(joint.n_x), notion)
    return [
        make_mechanism(
            joint,
            kernel,
            name="X diluted",
            notion=notion,
            y_labels=joint.x_labels if kernel.shape[1] == joint.n_x else None,
        )
    ]


def raised_in_turns(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return outputs that raise sets of many symbols alike, under the same notion of X itself.

    The lifts of S are means of these. With as many secrets as symbols hardly more is allowed: of
    213 secrets and 117 symbols a search for 2 s found a thirtieth of it.
    """
    many = SIZES.leveled_symbols < joint.n_x <= SIZES.all_starts
    same = isinstance(notion, PointwiseNotion) and (notion.bounds_lift or notion.bounds_ratio)
    if not (many and same):  # others may be about certain secrets
        return []
    whole = notion.allowed_set(Joint.from_counts(np.diag(joint.p_x)))
    if whole.lifts is None:
        return []
    kernel = Staircases(whole.lifts, joint.p_x, 0, NEVER).in_turns()
    return [make_mechanism(joint, polished(joint, kernel, notion), name="X in sets", notion=notion)]


def together(joint: Joint, kernels: Sequence[FloatArray]) -> FloatArray:
    """Return the uniform mixture of kernels (n_x, n_y), outputs with the same posterior merged."""
    if joint.n_x > SIZES.peeled_whole or (len(kernels) == 1 and kernels[0].shape[1] > MANY):
        return kernels[0]  # sorting outputs takes a second, of which there is no use there
    columns = np.hstack([kernel / len(kernels) for kernel in kernels])
    columns = columns[:, joint.p_x @ columns > 0]
    posteriors = joint.p_x[:, None] * columns
    posteriors /= posteriors.sum(axis=0)
    # outputs whose posteriors agree to this many decimals are merged
    _, of = np.unique(np.round(posteriors, 10), axis=1, return_inverse=True)
    result = np.zeros((joint.n_x, int(of.max()) + 1))
    np.add.at(result.T, of.ravel(), columns.T)
    return result


def useful(known: Sequence[Mechanism], most: int = MANY) -> list[FloatArray]:
    """Return the kernels of mechanisms that a search starts from, best first."""
    few = [mechanism for mechanism in known if mechanism.n_y <= most]
    ranked = sorted(few, key=lambda mechanism: -mechanism.kept)
    # mechanisms with less than this part of the best one's utility are left out: hundreds of
    # outputs with hardly any utility only slow the program down
    return [mechanism.kernel for mechanism in ranked if mechanism.kept >= 0.5 * ranked[0].kept]


def at_least(joint: Joint, mechanism: Mechanism, known: Sequence[Mechanism]) -> Mechanism:
    """Return a search's mechanism, with the best known one's kernel where that has more utility."""
    best = max(known, key=lambda candidate: candidate.utility, default=mechanism)
    purpose = mechanism.purpose
    exceeds = best.utility > mechanism.upper_bound  # by rounding alone, unless it is disproven
    if exceeds and disproves(joint, best.kernel, mechanism.notion, mechanism.upper_bound, purpose):
        unit = purpose.unit or "of"
        raise SolverError(
            f"{mechanism.name} has a bound of {mechanism.upper_bound:.9g} {unit} under "
            f"{mechanism.notion}, but {best.name} keeps {best.utility:.9g}: the bound is wrong."
        )
    if best.utility <= mechanism.utility + ROUNDING * purpose.size():
        return mechanism
    if best.notion is mechanism.notion:  # audited under it already
        bound = max(mechanism.upper_bound, best.utility)
        return changed(
            best,
            name=mechanism.name,
            status=mechanism.status,
            upper_bound=bound,
            gap=bound - best.utility,
            notes=mechanism.notes,
            purpose=purpose,
        )
    return make_mechanism(
        joint,
        best.kernel,
        name=mechanism.name,
        solver=best.solver,
        status=mechanism.status,
        notion=mechanism.notion,
        y_labels=best.y_labels,
        upper_bound=mechanism.upper_bound,
        notes=mechanism.notes,
        partition=best.partition,
        purpose=mechanism.purpose,
    )


def disproves(
    joint: Joint,
    kernel: FloatArray,
    notion: Notion | None,
    bound: float,
    purpose: Purpose | None = None,
) -> bool:
    """Return whether a kernel's `strict_utility` exceeds an upper bound by more than rounding."""
    goal = Information() if purpose is None else purpose
    least = bound + CLOSE * goal.size()
    value = goal.value(joint, kernel)
    return value > least and strict_utility(joint, kernel, notion, goal) > least


def strict_utility(
    joint: Joint, kernel: FloatArray, notion: Notion | None, purpose: Purpose | None = None
) -> float:
    """Return a kernel's utility once its outputs, moved towards P_X, meet all rows."""
    of_x = len(kernel) == joint.n_x
    whole = joint if of_x else Joint.with_secret_released(joint.p)  # X is then the pair (S, X)
    allowed = None if notion is None else notion.allowed_set(whole)
    share = 0.0
    if allowed is not None and notion is not None:
        judged = (kernel if of_x else kernel[whole.kept_x])[
            :, ~notion.excepted(joint.release(kernel))
        ]
        share = share_to_rows(allowed, whole.p_x, judged)
    goal = Information() if purpose is None else purpose
    return goal.value(joint, mixed(kernel, joint.p_x if of_x else joint.p.ravel(), share))


def capped(joint: Joint, mechanism: Mechanism, bound: float) -> Mechanism:
    """Return a mechanism with an upper bound that is at most another one that was proven for it."""
    size, purpose = mechanism.purpose.size(), mechanism.purpose
    upper = size * not_below(
        min(mechanism.upper_bound, bound) / size,
        mechanism.utility / size,
        lambda: strict_utility(joint, mechanism.kernel, mechanism.notion, purpose) / size,
    )
    return replace(mechanism, upper_bound=upper, gap=upper - mechanism.utility)
