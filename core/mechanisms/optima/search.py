"""The search behind every optimum: its options, its start, the solver, and the audit."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import get_args

import numpy as np

from core import measures, validation
from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.entries import identity
from core.errors import CoreError, InfeasibleError, InvalidInputError
from core.joint import Joint
from core.limits import CLOSE, ROUNDING
from core.mechanisms.optima.starts import (
    INSTANT,
    MANY,
    at_least,
    perfectly_private,
    starts,
    together,
    useful,
)
from core.mechanisms.options import Options, SearchLimits
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import cleared, polished, tightened
from core.mechanisms.posteriors import Classes, classes, none
from core.mechanisms.result import CUT, Mechanism, changed, make_mechanism, marked_if_cut
from core.notions import LIP, Intersection
from core.notions.base import Notion
from core.optimal.columns.peeling import Peeling
from core.optimal.direct import Warm
from core.optimal.plan import SHARES, SIZES
from core.optimal.solve import DEFAULT_SECONDS, Outcome, Solver, maximise
from core.utilities import Information, Purpose
from core.validation import FloatArray, shown


def chain_bound(joint: Joint, notion: Notion) -> float:
    """Return an upper bound on I(X;Y) of every kernel P(y | x) under a notion, in nats.

    I(X;Y) = I(S;Y) + I(X;Y|S): at most the notion's `most_about_secret` plus H(X|S).
    """
    of_secret = float(measures.mutual_information(joint.p))
    hidden = max(of_secret - notion.most_about_secret(), 0.0)
    # nats by which the bound is raised, for the rounding of its sums
    return float(measures.entropy(joint.p_x)) - hidden + 1e-12


NAME = "Optimal"


class SearchOptions(SearchLimits):
    """Checked options of a search, as in `optimal`."""

    solver: Solver


def checked_options(
    solver: Solver, time_limit: float | None, gap: float, seed: int
) -> SearchOptions:
    """Return the options of a search, for `optimal_from`."""
    if solver not in get_args(Solver):
        raise InvalidInputError(f"solver must be auto, enumerate or columns, got {solver!r}.")
    if time_limit is not None:
        time_limit = validation.number(time_limit, "time_limit", low=0.0, open_low=True)
    gap = validation.number(gap, "gap", low=0.0)
    seed = validation.whole(seed, "seed", low=0)
    return {"solver": solver, "time_limit": time_limit, "gap": gap, "seed": seed}


def checked_purpose(utility: Purpose | None) -> Purpose:
    """Return the utility function, I(X;Y) by default."""
    if utility is None:
        return Information()
    if not isinstance(utility, Purpose):
        raise InvalidInputError(
            "utility must be Information, Task, Guess, Distortion or SquaredError, got "
            f"{shown(utility)}."
        )
    return utility


@marked_if_cut
def optimal_from(
    joint: Joint,
    notion: Notion,
    start: FloatArray | None,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    prove: bool = True,
    utility: Purpose | None = None,
    among: Sequence[str] | None = None,
    warm: Warm | None = None,
) -> Mechanism:
    """Return the optimal mechanism, searched from a start (n_x, n_y) and the catalogue's others.

    It is below none of these; of many symbols, of those that half of the time can make.
    """
    goal = checked_purpose(utility)
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    deadline = Deadline.after(seconds)
    options = _hurried(Options(time_limit=time_limit, gap=gap, seed=seed), joint, deadline)
    known: list[Mechanism] = []
    joined = classes(joint, notion, goal) if solver == "auto" else none(joint, notion, goal)
    small, allowed = joined.joint, joined.notion.allowed_set(joined.joint)
    _check_feasible(joint, notion)
    if among is None and _few_starts(joint, joined, allowed, seconds, begun=start is not None):
        among = INSTANT
    near = _nearly(joint, notion, joined, options, goal) if solver == "auto" and prove else []
    each = _of_each_output(joined, allowed, options) if solver == "auto" else []
    # rows of 30×1629 under SRLIP take two seconds
    seconds = min(seconds, deadline.left) if near or each or _many(joint) else seconds

    def first(within: Deadline) -> FloatArray:
        known.extend(_begun(joint, notion, options, () if each else among, goal, within))
        begin = [] if start is None else [start]
        begin += useful([*near, *known], _mixed(joint, allowed, goal))
        kernels = [joined.together(joint, kernel) for kernel in begin]
        if start is not None:
            kernels[0] = _one_by_one(small, kernels[0], joined.notion)
        if each:  # a mixture would keep less than the better of them until the search ends
            kernels = [max([*each, *kernels], key=lambda item: joined.purpose.value(small, item))]
        return together(small, _or_silent(joined, kernels, within))

    soon = first(deadline.part(SHARES.search)) if _apart_late(joint, joined, allowed) else None
    outcome = maximise(
        allowed,
        small.p_x,
        solver=solver,
        time_limit=joined.seconds(seconds if soon is None else deadline.left),
        gap=gap,
        seed=seed,
        start=first if soon is None else lambda _within: soon,
        finish=lambda kernel: polished(small, kernel, joined.notion, deadline=deadline),
        prove=prove,
        utility=joined.purpose.solver_utility(small),
        upper=chain_bound(small, notion) if isinstance(goal, Information) else np.inf,
        warm=warm,
    )
    outcome = _apart(joint, notion, joined, outcome)
    mechanism = _audited(joint, notion, outcome, known, goal)
    begun = bool(known or each)
    known += _further(joint, notion, mechanism, options, among, goal, deadline, begun=begun)
    return proven(at_least(joint, mechanism, [*near, *known]), gap)


def _further(
    joint: Joint,
    notion: Notion,
    mechanism: Mechanism,
    options: Options,
    among: Sequence[str] | None,
    goal: Purpose,
    deadline: Deadline,
    *,
    begun: bool,
) -> list[Mechanism]:
    """Return the catalogue's mechanisms that an answer is compared with in the time left."""
    own = replace(options, time_limit=_left(mechanism, deadline))
    known: list[Mechanism] = []
    if not begun and mechanism.utility < goal.range(joint)[1]:  # else none has more
        few = INSTANT if mechanism.gap <= CLOSE * goal.size() else among
        known = starts(joint, notion, own, few, goal, deadline)
    anyway = mechanism.status == "heuristic"
    return known + (_allowed_anyway(joint, notion, own, goal) if anyway else [])


def peels(joint: Joint, notion: Notion, purpose: Purpose) -> bool:
    """Return whether X has so many symbols, and a notion such a set, that outputs are taken off."""
    if not isinstance(purpose, Information):
        return False
    joined = classes(joint, notion, purpose)
    allowed = joined.notion.allowed_set(joined.joint)
    plain = allowed.oracle is None and not allowed.blocks and not allowed.budgets
    many = SIZES.peeled_symbols <= joined.joint.n_x <= SIZES.peeled_whole
    return many and plain and allowed.exceptions == 0


def peeled(
    joint: Joint, notion: Notion, *, gap: float, seed: int, once: Deadline, until: Deadline
) -> Mechanism:
    """Return a mechanism of outputs taken off P_X, at least `once` and `until` a deadline.

    It needs neither the catalogue's mechanisms nor a master program, which take longer.
    """
    goal = Information()
    _check_feasible(joint, notion)
    joined = classes(joint, notion, goal)
    small = joined.joint
    allowed = joined.notion.allowed_set(small)
    kernel = identity(small.n_x)
    if allowed.rows.shape[0]:
        search = Peeling(allowed, small.p_x, seed=seed, deadline=once)
        search.begin_once(until)
        kernel = polished(small, search.kernel(), joined.notion)
    value = joined.purpose.value(small, kernel)
    outcome = Outcome(kernel, value, chain_bound(small, notion), "columns", CUT)
    return proven(_audited(joint, notion, _apart(joint, notion, joined, outcome), [], goal), gap)


def _hurried(options: Options, joint: Joint, deadline: Deadline) -> Options:
    """Return options for starts, of many symbols with a deadline that leaves time to audit them."""
    n_x = joint.n_x
    if not _many(joint):
        return options
    if n_x <= 2 * SIZES.peeled_whole:
        return replace(options, deadline=deadline.part(SHARES.start))
    # of 10,000 symbols naming and audit take half a second, where no output is moved
    ends = max(deadline.earlier(5e-9 * n_x**2), deadline.part(0.3))
    return replace(options, deadline=min(ends, deadline.part(SHARES.search)))


def _many(joint: Joint) -> bool:
    """Return whether there are so many symbols that even a merging keeps a deadline.

    Of up to 500 an optimum is below none, however long that takes.
    """
    large = joint.n_s * joint.n_x**2 > SIZES.merged_at_ease
    return large and joint.n_x > SIZES.all_starts


def _or_silent(joined: Classes, kernels: list[FloatArray], within: Deadline) -> list[FloatArray]:
    """Return kernels of classes to start from; under perfect privacy only the best of them.

    Mixed with what tells little, outputs that reveal nothing about S would tell half as much of X.
    """
    silent = perfectly_private(joined.joint, joined.notion, within)
    if not silent:
        return kernels or [np.ones((joined.joint.n_x, 1))]
    each = [*kernels, *(made.kernel for made in silent)]
    return [max(each, key=lambda kernel: joined.purpose.value(joined.joint, kernel))]


def _apart_late(joint: Joint, joined: Classes, allowed: AllowedSet) -> bool:
    """Return whether a mechanism to start from is soon made, but P_X not soon taken apart.

    Of 10×1000 a merging takes .2 s and outputs taken off P_X five; until then their rest tells
    nothing. Nor do they under perfect privacy, as their programs solve equations by rounding.
    """
    alone = joined.joint.n_x >= SIZES.peeled_alone and isinstance(joined.purpose, Information)
    soon = joint.n_x > SIZES.all_starts and not _many(joint)
    limited = allowed.rows.shape[0] > 0 or allowed.oracle is not None  # else X is the optimum
    return alone and limited and (soon or joined.notion.is_perfect_privacy)


def _few_starts(
    joint: Joint, joined: Classes, allowed: AllowedSet, seconds: float, *, begun: bool
) -> bool:
    """Return whether a search soon has more than a mechanism that takes a second itself."""
    many = joined.fewer and joined.joint.n_x >= SIZES.peeled_symbols
    return (many and (begun or seconds >= SIZES.quick)) or _apart_late(joint, joined, allowed)


def _check_feasible(joint: Joint, notion: Notion) -> None:
    """Raise if not even an output independent of X keeps the notion."""
    if not notion.holds(joint, np.ones((joint.n_x, 1))):
        raise InfeasibleError(
            f"No mechanism satisfies {notion}: even an output independent of X breaks it."
        )


DECIMALS = 8
"""Decimals to which posteriors agree that are one in a start: what a search makes of their own
differences is below the tolerance of its programs."""


def _nearly(
    joint: Joint, notion: Notion, joined: Classes, options: Options, goal: Purpose
) -> list[Mechanism]:
    """Return the optimum of nearly equal posteriors as one, if it keeps the notion; else []."""
    alike = classes(joint, notion, goal, DECIMALS)
    if alike.joint.n_x == joined.joint.n_x:
        return []
    seconds = DEFAULT_SECONDS if options.time_limit is None else options.time_limit
    limited = replace(options, time_limit=SHARES.alike * seconds)
    with suppress(CoreError):
        of_classes = optimal_from(
            alike.joint, alike.notion, None, utility=alike.purpose, **limited.search
        )
        kernel = alike.apart(joint, of_classes.kernel)
        if notion.holds(joint, kernel):
            return [
                make_mechanism(
                    joint, kernel, name=NAME, solver=of_classes.solver, notion=notion, purpose=goal
                )
            ]
    return []


def _of_each_output(joined: Classes, allowed: AllowedSet, options: Options) -> list[FloatArray]:
    """Return the optimum of many classes where each output keeps a budget on an average, or [].

    Under the budget itself programs of so many symbols take longer.
    """
    small, notion = joined.joint, joined.notion
    each = notion.of_each_output() if allowed.budgets else None
    many = small.n_x >= SIZES.peeled_alone and isinstance(joined.purpose, Information)
    if not many or each is None:
        return []
    seconds = DEFAULT_SECONDS if options.time_limit is None else options.time_limit
    limited = replace(options, time_limit=SHARES.each_output * seconds)
    with suppress(CoreError):
        kernel = optimal_from(
            small, each, None, **limited.search, prove=False, among=INSTANT
        ).kernel
        if notion.holds(small, kernel):
            return [kernel]
    return []


def _apart(joint: Joint, notion: Notion, joined: Classes, outcome: Outcome) -> Outcome:
    """Return the outcome of a search for classes as that for X, within the notion if they are."""
    result = joined.outcome(joint, outcome)
    if not joined.fewer or notion.holds(joint, result.kernel):
        return result
    # outputs of X that are moved for the slack's sake lose what the classes' symbols tell
    within = tightened(joined.joint, outcome.kernel, joined.notion)
    return joined.outcome(joint, replace(outcome, kernel=within))


def _left(made: Mechanism, deadline: Deadline) -> float:
    """Return the seconds that a comparison may take: what beats a proven optimum is in the gap."""
    return min(deadline.left, DEFAULT_SECONDS if made.status == "optimal" else np.inf)


def _mixed(joint: Joint, allowed: AllowedSet, goal: Purpose) -> int:
    """Return the most outputs of a mechanism that is mixed into the start.

    Taking outputs off P(X) is as fast with many outputs; any other search is not.
    """
    peels = isinstance(goal, Information) and allowed.oracle is None and not allowed.blocks
    return max(MANY, joint.n_x) if peels else MANY


def proven(mechanism: Mechanism, gap: float) -> Mechanism:
    """Return a mechanism with status "optimal" exactly where its bound leaves at most the gap.

    A complete search may have lost its proof, as outputs were moved to keep the notion.
    """
    if mechanism.gap <= mechanism.purpose.size() * gap:
        return changed(mechanism, status="optimal")
    return changed(mechanism, status="heuristic") if mechanism.status == "optimal" else mechanism


def _one_by_one(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray:
    """Return a starting kernel with every output allowed: exceptions are moved towards P_X."""
    inner = notion.without_exceptions()
    return kernel if inner is notion else polished(joint, kernel, inner)


def _audited(
    joint: Joint, notion: Notion, outcome: Outcome, known: Sequence[Mechanism], goal: Purpose
) -> Mechanism:
    """Return a search's outcome as an audited mechanism, its outputs in reading order.

    A known mechanism that a search under a robust notion has not improved stays as it is: its
    audit, of .4 s at 40×400, is not repeated, unless it is above what was proven: `at_least` tells
    whether by rounding alone.
    """
    bound = goal.size() * outcome.upper_bound
    same = [made for made in known if made.notion is notion]
    best = max(same, key=lambda made: made.utility, default=None)
    if best is not None and any(part.of_estimate for part in notion.parts):
        gained = goal.value(joint, outcome.kernel) - best.utility
        if gained <= ROUNDING * goal.size() and best.utility <= bound:
            about = {"status": outcome.status, "notes": outcome.notes, "purpose": goal}
            return changed(best, name=NAME, upper_bound=bound, gap=bound - best.utility, **about)
    kernel, y_labels = in_reading_order(joint, outcome.kernel)
    kernel = polished(joint, kernel, notion)  # reordered outputs may round to another level
    return make_mechanism(
        joint,
        cleared(joint, kernel, notion),
        name=NAME,
        solver=outcome.solver,
        status=outcome.status,
        notion=notion,
        y_labels=y_labels,
        upper_bound=bound,
        notes=outcome.notes,
        purpose=goal,
    )


def without_budget(notion: Notion) -> Notion | None:
    """Return a notion of perfect privacy that implies a given notion; None if none is known."""
    none = [
        LIP(0.0) if part.of_joint_sy else part.without_budget()
        for part in notion.without_exceptions().parts
    ]
    known = tuple(dict.fromkeys(part for part in none if part is not None))
    if None in none:
        return None
    return Intersection(*known) if len(known) > 1 else known[0]


def _begun(
    joint: Joint,
    notion: Notion,
    options: Options,
    among: Sequence[str] | None,
    goal: Purpose,
    within: Deadline,
) -> list[Mechanism]:
    """Return the catalogue's others, and perfect privacy's where a budget is hardly above 0.

    There the rounding of a row may leave a search hardly any output.
    """
    made = starts(joint, notion, options, among, goal, within)
    if not _is_nearly_none(notion):
        return made
    own = replace(options, time_limit=within.left)
    return [*made, *_allowed_anyway(joint, notion, own, goal)]


def _is_nearly_none(notion: Notion) -> bool:
    """Return whether a budget is within the rounding of lifts, and not 0."""
    parts = notion.inner.parts
    budgets = [getattr(part, name) for part in parts for name in part.in_nats]
    return 0 < min(budgets, default=np.inf) <= CLOSE


def _allowed_anyway(
    joint: Joint, notion: Notion, options: Options, goal: Purpose
) -> list[Mechanism]:
    """Return the optimum under perfect privacy, if it keeps the notion; [] where there is none.

    Near a budget of 0 outputs are moved so far that hardly any utility is left; at 0 rows are
    equations, which are met exactly.
    """
    nothing = without_budget(notion)
    if nothing is None or nothing == notion or options.time_limit == 0:
        return []
    with suppress(CoreError):
        mechanism = optimal_from(
            joint,
            nothing,
            None,
            utility=goal,
            **options.search,
        )
        if notion.holds(joint, mechanism.kernel):
            return [mechanism]
    return []
