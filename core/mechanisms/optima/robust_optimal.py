"""The optima for an uncertainty set: PolyOpt, the exact robust optimum, and the non-robust one.

PolyOpt is robust over polytopes around the set, the exact optimum over the set itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.clock import Deadline, tell_cut
from core.joint import Joint
from core.limits import FAR, ROUNDING
from core.mechanisms.entry import TIME_SHARE
from core.mechanisms.optima.every_distribution import (
    most_of_one_output,
    under_every_distribution,
)
from core.mechanisms.optima.remembered import with_remembered
from core.mechanisms.optima.robust_starts import in_groups, inside, tightened
from core.mechanisms.optima.search import (
    SearchOptions,
    chain_bound,
    checked_options,
    optimal_from,
    proven,
)
from core.mechanisms.optima.starts import INSTANT, at_least, capped, together
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism, marked_if_cut, revalued
from core.mechanisms.robust.reporting import (
    estimate,
    independent_reporting,
    likely,
    pair_randomized_response,
    released,
    secret_randomized_response,
    secret_response_kernel,
)
from core.notions import LDP
from core.notions.base import LevelNotion, Notion
from core.notions.rldp import RLDP
from core.notions.robust_markov import RobustForX, RobustLDP, too_large_for_rows
from core.optimal.columns.linear_search import too_large
from core.optimal.cutting_planes import AllowedOutputs, ManyOracle, Rough
from core.optimal.plan import SHARES, SIZES
from core.optimal.solve import DEFAULT_SECONDS, Outcome, Solver, maximise
from core.optimal.utility import MutualInformation
from core.optimal.whole_kernel import climbs_apart
from core.uncertainty import RenyiBall
from core.uncertainty.ball import cell_probabilities
from core.uncertainty.worst_case import CELLS
from core.utilities import Information, Purpose
from core.validation import FloatArray


@marked_if_cut
def non_robust(
    p_su: ArrayLike,
    eps: float,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Return the optimal mechanism under ε-LDP with respect to S at P̂ alone.

    At a true P other than P̂ its LDP level may exceed ε: compare `core.studies.robust_designs`.

    Shapes: p_su (n_s, n_u).

    Source: [RLDP] §8, NR.
    """
    cells = cell_probabilities(p_su)
    cells = estimate(cells, RenyiBall(cells, 0.0))
    notion = LDP(validation.budget(eps, "eps"))
    joint = Joint.with_secret_released(cells)
    options = checked_options(solver, time_limit, gap, seed)
    optimum = with_remembered(joint, optimal_from(joint, notion, None, **options))
    return released(
        cells,
        optimum.kernel,
        name="Non-robust optimum",
        solver=optimum.solver,
        status=optimum.status,
        notion=notion,
        upper_bound=optimum.upper_bound,
        notes=optimum.notes,
    )


@marked_if_cut
def robust_search(
    p_su: ArrayLike,
    uncertainty: RenyiBall,
    notion: RLDP,
    *,
    name: str,
    solver: Solver,
    time_limit: float | None,
    gap: float,
    seed: int,
    known: tuple[Mechanism, ...] = (),
    first: bool = False,
    bounded: bool = True,
) -> Mechanism:
    """Return the mechanism with the most I(X;Y) at P̂(s, u), (n_s, n_u), under a robust notion."""
    cells = estimate(p_su, uncertainty)
    if of_one_symbol_each(cells):
        return itself(cells, notion, name=name, time_limit=time_limit, gap=gap, seed=seed)
    joint = Joint.with_secret_released(cells)
    options = checked_options(solver, time_limit, gap, seed)
    allowed = notion.allowed_set(joint)
    answer: Mechanism | Outcome
    bound, designed = np.inf, cells
    kernels = [mechanism.kernel for mechanism in known] or [_start(notion, cells)]
    if allowed.oracle is None:
        seconds = DEFAULT_SECONDS if time_limit is None else time_limit
        if too_large(allowed):
            designed = likely(cells)
            joint = Joint.with_secret_released(designed)
            options["time_limit"] = (1 - SHARES.robust_bound) * seconds
        elif first:
            options["time_limit"] = TIME_SHARE * seconds
        start = np.hstack(kernels)[joint.kept_x] / len(kernels)
        answer = optimal_from(joint, notion, start, **options)
    else:
        outputs = np.hstack(kernels)[joint.kept_x]
        used = outputs[:, joint.p_x @ outputs > 0]
        answer = maximise(
            allowed,
            joint.p_x,
            start=lambda _: used / used.sum(axis=1, keepdims=True),
            time_limit=options["time_limit"],
            gap=gap,
            seed=seed,
            finish=lambda kernel: polished(joint, kernel, notion, quick=True),
        )
        answer = _or_known(answer, known, joint, notion)
    if bounded and answer.upper_bound - answer.utility > gap:
        bound = ldp_bound(cells, notion.eps, time_limit, gap=gap, seed=seed)
    return released(
        cells,
        answer.kernel,
        designed=designed,
        name=name,
        solver=answer.solver,
        status=answer.status,
        notion=notion,
        upper_bound=min(answer.upper_bound, bound) if designed is cells else bound,
        notes=answer.notes,
    )


def of_one_symbol_each(cells: FloatArray) -> bool:
    """Return whether each secret was seen with one symbol alone, as where X is the secret."""
    return bool((np.count_nonzero(cells, axis=1) == 1).all())


def itself(
    cells: FloatArray, notion: RLDP, *, name: str, time_limit: float | None, gap: float, seed: int
) -> Mechanism:
    """Return the robust optimum where each secret has one symbol: LDP of the secret at P̂.

    All cells of a secret have the answer of that symbol, so P(y | s) is the same over all of F.
    """
    joint = Joint.with_secret_released(cells)
    optimum = optimal_from(joint, LDP(notion.eps), None, time_limit=time_limit, gap=gap, seed=seed)
    return released(
        cells,
        optimum.kernel,
        name=name,
        solver=optimum.solver,
        status=optimum.status,
        notion=notion,
        upper_bound=optimum.upper_bound,
    )


def _or_known(outcome: Outcome, known: Sequence[Mechanism], joint: Joint, notion: RLDP) -> Outcome:
    """Return the outcome, with the best known mechanism's kernel where that keeps more."""
    best = max(known, key=lambda mechanism: mechanism.utility, default=None)
    if best is None or best.utility <= outcome.utility + ROUNDING:
        return outcome
    kernel = polished(joint, best.kernel[joint.kept_x], notion, quick=True)
    value = MutualInformation().value((joint.p_x[:, None] * kernel).T, joint.p_x)
    return replace(outcome, kernel=kernel, utility=value) if value > outcome.utility else outcome


def ldp_bound(
    cells: FloatArray, eps: float, time_limit: float | None, *, gap: float, seed: int
) -> float:
    """Return an upper bound on I(X;Y) of every robust mechanism, in nats: that of LDP at P̂."""
    seconds = SHARES.robust_bound * (DEFAULT_SECONDS if time_limit is None else time_limit)
    joint = Joint.with_secret_released(cells)
    if too_large(LDP(eps).allowed_set(joint)):  # a search could not prove less than H(X)
        return MutualInformation().offset(joint.p_x)
    return optimal_from(joint, LDP(eps), None, time_limit=seconds, gap=gap, seed=seed).upper_bound


def _start(notion: RLDP, cells: FloatArray) -> FloatArray:
    """Return secret RR; at ε/2 for PolyOpt as published, which compares a secret with itself."""
    eps = notion.eps / 2 if notion.include_same_secret else notion.eps
    return secret_response_kernel(cells.shape[0], cells.shape[1], eps)


def robust_of_x(
    joint: Joint,
    notion: RobustForX,
    start: FloatArray | None,
    *,
    solver: Solver,
    time_limit: float | None,
    gap: float,
    seed: int,
) -> Mechanism:
    """Return the optimum of I(X;Y) under a robust notion of a mechanism that sees X alone."""
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    deadline = Deadline.after(seconds)
    if not 0 < notion.eps < np.inf:
        options = checked_options(solver, time_limit, gap, seed)
        return optimal_from(joint, notion, start, **options)
    share = SHARES.nominal_of_many if joint.p.size > SIZES.cells_over_set else SHARES.nominal
    estimated = optimal_from(
        *(joint, notion.at_estimate(notion.eps), None),
        time_limit=share * seconds,
        gap=gap,
        seed=seed,
        among=INSTANT,
    )
    soon = min(deadline.part(SHARES.start), Deadline.after(SIZES.itself_seconds / 2))
    smaller = at_smaller_budgets(
        *(joint, notion, estimated.kernel),
        searched=max(deadline.part(SHARES.smaller_budgets), soon),
        deadline=deadline,
    )
    most = estimated.upper_bound if notion.is_around(joint) else np.inf
    last = most - estimated.utility <= gap or joint.p.size > SIZES.cells_over_set
    if last and any(kernel is estimated.kernel for kernel in smaller):
        return make_mechanism(  # as where X is the secret: nothing keeps more, or is found in time
            joint,
            estimated.kernel,
            name=estimated.name,
            solver=estimated.solver,
            status=estimated.status,
            notion=notion,
            y_labels=estimated.y_labels,
            upper_bound=most,
        )
    kernels = [*([] if start is None else [start]), *smaller]
    kernels += with_rare_as_one(
        joint, notion, SHARES.rare_as_one * deadline.left, gap=gap, seed=seed
    )
    optimum = optimal_from(
        *(joint, notion, together(joint, kernels) if kernels else None),
        solver=solver,
        time_limit=max(deadline.left, _LEAST_SECONDS / (8 if smaller else 2)),
        gap=gap,
        seed=seed,
    )
    kept = [Information().value(joint, kernel) for kernel in kernels]
    if kept and max(kept) > optimum.utility:  # an audit takes as long as a search of many symbols
        best = _as_start(joint, kernels[int(np.argmax(kept))], notion)
        optimum = at_least(joint, optimum, [best])
    return proven(capped(joint, optimum, most), gap)


def too_many_symbols(joint: Joint, notion: Notion) -> bool:
    """Return whether a promise is over F and of too many symbols for a search."""
    robust = any(isinstance(part, RobustForX) for part in notion.parts)
    return robust and (too_large_for_rows(joint) or joint.n_x > SIZES.peeled_whole)


def of_many_symbols(
    joint: Joint, notion: Notion, goal: Purpose, options: SearchOptions
) -> Mechanism:
    """Return the better one of a constant output and the robust optimum of the likeliest symbols.

    What has thousands of different answers is no answer: at 6×10000 it is checked for minutes, and
    at 2×5000 for half a minute, in 1.5 GB.
    """
    deadline = Deadline.after(options["time_limit"] or DEFAULT_SECONDS)
    bound, kernels = goal.range(joint)[1], [np.ones((joint.n_x, 1))]
    if isinstance(goal, Information):
        estimated = notion
        if isinstance(notion, RobustForX) and notion.is_around(joint):
            estimated = notion.at_estimate(notion.eps)
        bound = min(bound, chain_bound(joint, estimated))
    if isinstance(notion, RobustForX):
        seconds = deadline.part(SHARES.start).left
        kernels += with_rare_as_one(
            joint, notion, seconds, gap=options["gap"], seed=options["seed"]
        )
    tell_cut()
    mechanism = make_mechanism(
        joint,
        max(kernels, key=lambda kernel: goal.value(joint, kernel)),
        name=NAME,
        solver="columns",
        status="time limit",
        notion=notion,
        upper_bound=bound,
        purpose=goal,
    )
    # of a thousand secrets an audit takes a second: what has one is not audited again
    known = [revalued(joint, groups, goal) for groups in in_groups(joint, notion)]
    return at_least(joint, mechanism, known)


_BUDGETS = 4
"""Budgets at P̂ that are tried: the answers start a search, which improves on them."""


def at_smaller_budgets(
    joint: Joint, notion: RobustForX, kernel: FloatArray, *, searched: Deadline, deadline: Deadline
) -> list[FloatArray]:
    """Return optima P(y | x) at P̂ with smaller budgets, those that keep a robust notion or mixed.

    `kernel` is the one with the notion's own budget; others are `searched` until a deadline. What F
    adds to a level is nearly the same at near budgets, so the next one is lower by what a level is
    too high. Where F alone adds more than ε, most often as records are few, none keeps the notion.
    """
    eps, low, high, budget = notion.eps, 0.0, notion.eps, notion.eps
    kept: list[FloatArray] = []
    near: list[FloatArray] = []
    added = np.inf
    # of 40 secrets and 400 symbols a level takes half a second, and a check a twentieth
    short = joint.p.size > SIZES.cells_over_set and deadline.left < SIZES.itself_seconds
    if short and not notion.holds(joint, kernel):
        tell_cut()
        return []
    for _ in range(_BUDGETS):
        level = notion.achieved(joint, kernel)
        before, added = added, level - budget
        if level <= eps + ROUNDING:  # as the notion holds
            kept, low = [*kept, kernel], budget
        else:
            near, high = [*near, kernel] if level < np.inf else near, budget
        # what F adds falls by a quarter, at least, where it may be less than ε in the end
        vain = added > eps and added >= 0.75 * before
        # an optimum whose level is as near as 2% of ε is moved, output by output
        if abs(level - eps) <= 0.02 * eps or low == high or vain or searched.over:
            break
        budget += eps - level
        if not low < budget < high:
            budget = (low + high) / 2
        kernel = optimal_from(
            *(joint, notion.at_estimate(budget), None),
            time_limit=max(searched.left, _LEAST_SECONDS / 4),
            prove=False,
            among=INSTANT,
        ).kernel
    return kept + _moved_inside(joint, notion, kept, near, deadline)


def _moved_inside(
    joint: Joint,
    notion: RobustForX,
    kept: list[FloatArray],
    near: list[FloatArray],
    deadline: Deadline,
) -> list[FloatArray]:
    """Return what kernels that nearly keep a robust notion are once moved, mixed with kept ones.

    Each output is moved towards P_X until it is allowed, by itself where cuts tell how far. Those
    that are not by the deadline are left out: at 10×442 all of them took 18 s.
    """
    if not near:
        return []
    oracle = notion.allowed_set(joint).oracle
    if not isinstance(oracle, ManyOracle):
        moved = [
            inside(joint, kernel, notion)
            for kernel in reversed(near)  # the last one is the nearest
            if kernel is near[-1] or not deadline.over
        ]
        return [kernel for kernel in moved if kernel is not None]
    start = together(joint, kept) if kept else np.ones((joint.n_x, 1))
    rough, exact = (
        AllowedOutputs(start, joint.p_x, MutualInformation(), each)
        for each in (Rough(oracle), oracle)
    )
    weights = joint.p_x * np.hstack(near[::-1]).T  # the nearest first
    most = max(1, min(16, CELLS // joint.p.size))  # outputs between two looks at the clock
    for outputs, until in ((rough, deadline.part(SHARES.start)), (exact, deadline)):
        for first in range(0, len(weights), most):
            some = weights[first : first + most]
            if len(weights) > most:  # with all others as one they mix to P_X, whatever follows
                others = np.maximum(weights.sum(axis=0) - some.sum(axis=0), 0.0)
                some = np.vstack([some, others])
            outputs.take(some / some.sum(axis=1, keepdims=True), until)
        weights = joint.p_x * outputs.kernel().T
    return [polished(joint, exact.kernel(), notion, quick=True)]


def with_rare_as_one(
    joint: Joint, notion: RobustForX, seconds: float, *, gap: float, seed: int
) -> list[FloatArray]:
    """Return the robust optimum P(y | x) where rare symbols are one, in a list of at most one.

    Joined symbols are no further from the estimate, and may move together, so F is a ball of the
    same bound there: RLDP of them is RLDP of all. A search among dozens may find less.
    """
    if joint.n_x <= SIZES.enclosed_symbols or seconds < _LEAST_SECONDS:
        return []
    likely, ball = SIZES.likely_symbols, notion.uncertainty
    of_x = np.full(joint.n_x, likely)
    of_x[np.argsort(-joint.p_x, kind="stable")[:likely]] = np.arange(likely)
    into = np.eye(likely + 1)[of_x]
    optimum = robust_of_x(
        Joint.from_counts(joint.p @ into),
        replace(notion, uncertainty=RenyiBall(ball.p_hat_su @ into, ball.bound, ball.alpha)),
        None,
        solver="auto",
        time_limit=seconds,
        gap=gap,
        seed=seed,
    )
    kernel = into @ optimum.kernel
    moved = kernel if notion.holds(joint, kernel) else inside(joint, kernel, notion)
    return [] if moved is None else [moved]


def _as_start(joint: Joint, kernel: FloatArray, notion: Notion) -> Mechanism:
    """Return a kernel P(y | x) as a mechanism that is known under a notion."""
    return make_mechanism(
        joint, kernel, name=NAME, solver="known", status="heuristic", notion=notion
    )


@marked_if_cut
def polyopt(
    p_su: ArrayLike,
    eps: float,
    uncertainty: RenyiBall,
    include_same_secret: bool = False,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Maximize I(X;Y) at P̂ over mechanisms that are robust for the polytopes D_s.

    The projections of F on P(U | s) lie in D_s = {R : R_u ≥ L_{u|s}}; RLDP over the product of
    these is stricter than over F, and linear.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.
    include_same_secret : bool
        Compare each secret with itself too, as published: stricter than RLDP requires.
    solver, time_limit, gap, seed
        As in `optimal`. It uses TIME_SHARE of the limit where the robust optimum, which takes its
        result where that keeps more, needs the rest.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.
    SolverError
        If a solver fails.

    Notes
    -----
    Source: [RLDP] Theorems 2 and 3, in a compact form with 2·n_s·n_u + n_s(n_s−1) rows.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(polyopt(p_hat, 0.6931471805599453, ball).utility, 4)
    0.563
    >>> round(polyopt(p_hat, 0.6931471805599453, ball, include_same_secret=True).utility, 4)
    0.4228
    """
    return robust_search(
        p_su,
        uncertainty,
        RLDP(validation.budget(eps, "eps"), uncertainty, include_same_secret=include_same_secret),
        name="PolyOpt as published" if include_same_secret else "PolyOpt",
        solver=solver,
        time_limit=time_limit,
        gap=gap,
        seed=seed,
        first=True,
    )


MOST_SYMBOLS = 128
"""Most values of U: with more a check of the notion takes too long for a start."""


def quantiles(p_su: FloatArray, count: int) -> FloatArray:
    """Return P(y | s, u), (n_s·n_u, count), that tells the quantile of U given its secret.

    P(y | s) is the same for every secret, so an output reveals nothing about S where P̂ is the
    truth, though it reveals much about U.
    """
    upto = np.cumsum(p_su, axis=1) / p_su.sum(axis=1, keepdims=True)
    below = np.hstack([np.zeros((len(p_su), 1)), upto[:, :-1]])
    ends = np.arange(count + 1) / count
    ends[-1] = upto[:, -1].max()  # rounding may leave a rest above 1
    shared = np.minimum(upto[..., None], ends[1:]) - np.maximum(below[..., None], ends[:-1])
    shared = np.maximum(shared, 0.0)
    total = shared.sum(axis=2, keepdims=True)
    never = np.eye(count)[np.minimum((below * count).astype(int), count - 1)]
    kernel = np.where(total > 0, shared / np.where(total > 0, total, 1.0), never)
    result: FloatArray = kernel.reshape(-1, count)
    return result


def coupled(p_su: FloatArray, joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return `quantiles` with the most outputs that keep a notion, in a list of at most one."""
    n_u = p_su.shape[1]
    if not isinstance(notion, LevelNotion) or not notion.of_estimate or n_u > MOST_SYMBOLS:
        return []
    # numbers of outputs, tried by halving: four checks of the notion, and small outputs, suffice
    tried = [count for count in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48) if count <= 2 * n_u]
    kernels: dict[int, FloatArray] = {}
    low, high = 0, len(tried)
    while low < high:
        middle = (low + high) // 2
        kernel = quantiles(p_su, tried[middle])[joint.kept_x]
        if notion.holds(joint, kernel):
            kernels[middle], low = kernel, middle + 1
        else:
            high = middle
    best = kernels.get(low - 1)
    if best is None:
        best = inside(joint, quantiles(p_su, tried[0])[joint.kept_x], notion)
    if best is None:
        return []
    return [make_mechanism(joint, best, name="Quantiles of U", notion=notion)]


_LEAST_SECONDS = 0.4
"""With less time than this cutting planes would not finish one round: the better one of PolyOpt's
mechanism and the quick starts is returned."""

NAME = "Robust optimum"


@marked_if_cut
def robust_optimal(
    p_su: ArrayLike,
    eps: float,
    uncertainty: RenyiBall,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Maximize I(X;Y) at P̂ over all (ε, F)-RLDP mechanisms, with an upper bound.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.
    solver, time_limit, gap, seed
        As in `optimal`, which says what is remembered; `solver` is that of PolyOpt, which runs
        within the same limit. With few pairs (s, u) it runs first and the search starts from it, so
        at the same limit PolyOpt alone is never better; with many, where it keeps less, it runs
        last, if time is left. The best of it and of the quick starts (`tightened`, `coupled`) is
        returned where time is too short, or there are too many symbols for cutting planes.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.
    SolverError
        If a solver fails.

    Notes
    -----
    F is smaller than the product of its projections: a member with P(U | s1) far from P̂ has
    P(U | s2) near it. [RLDP] §9 leaves this optimum open. It is found by cutting planes: the
    solver proposes outputs, and `core.allowed.robust` finds the members of F at which they
    exceed ε.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(robust_optimal(p_hat, 0.6931471805599453, ball).nmi, 3)
    0.546
    """
    notion = RLDP(validation.budget(eps, "eps"), uncertainty, exact=True)
    options = checked_options(solver, time_limit, gap, seed)
    estimate(p_su, uncertainty)  # checks only: `best_under` normalizes p_su, once
    return best_under(notion, p_su, name=NAME, **options)


@marked_if_cut
def best_under(
    notion: RLDP, p_su: ArrayLike, *, name: str, **options: Unpack[SearchOptions]
) -> Mechanism:
    """Return the optimum over all cells, for F itself or for the polytopes around it.

    It is below no remembered one.
    """
    cells = estimate(p_su, notion.uncertainty)
    optimum = _optimum_of_pairs(notion, p_su, name=name, **options)
    return with_remembered(Joint.with_secret_released(cells, keep_unseen=True), optimum)


def _optimum_of_pairs(
    notion: RLDP,
    p_su: ArrayLike,
    *,
    name: str,
    solver: Solver,
    time_limit: float | None,
    gap: float,
    seed: int,
) -> Mechanism:
    """Return the optimum over all cells that a search finds."""
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    deadline, ball = Deadline.after(seconds), notion.uncertainty
    cells = estimate(p_su, ball)
    if of_one_symbol_each(cells):
        return itself(cells, notion, name=name, time_limit=time_limit, gap=gap, seed=seed)
    search = partial(robust_search, p_su, ball, name=name, solver=solver, gap=gap, seed=seed)
    if notion.exact and ball.budget == np.inf and 0 < notion.eps <= FAR:
        return _of_every_distribution(cells, notion, search, seconds, gap)
    if seconds < _LEAST_SECONDS:
        tell_cut()
    alone = seconds < _LEAST_SECONDS or (
        cells.size > SIZES.searched_cells
        and too_large(notion.allowed_set(Joint.with_secret_released(cells)))
    )
    polytopes = RLDP(notion.eps, ball, include_same_secret=notion.include_same_secret)
    if notion.exact and not alone and _climbs_apart(notion, cells):
        return _climbed_first(cells, notion, polytopes, search, seconds, gap=gap, seed=seed)
    first = search(polytopes, time_limit=time_limit, first=True, bounded=alone)
    if not notion.exact and (alone or first.gap <= gap):
        return first
    if alone:
        whole = Joint.with_secret_released(cells, keep_unseen=True)
        quick = _quick_of_pairs(cells, notion, deadline, gap=gap, seed=seed)
        start = max([first, *quick], key=lambda mechanism: mechanism.utility)
        kernel = start.kernel
        if len(kernel) == cells.size:  # its level over F may be rounded up
            kernel = polished(whole, kernel, notion, quick=True)
        return released(
            cells,
            kernel,
            name=name,
            solver=start.solver,
            status="time limit",
            notion=notion,
            upper_bound=ldp_bound(cells, notion.eps, seconds, gap=gap, seed=seed),
            notes=first.notes,
        )
    left = max(deadline.left, _LEAST_SECONDS / 2)
    if not notion.exact:
        second = search(notion, time_limit=left, known=(first,))
        return max(second, first, key=lambda mechanism: mechanism.utility)
    known = [first, *_known_of_pairs(cells, notion, deadline, gap=gap, seed=seed)]
    left = max(deadline.left, _LEAST_SECONDS / 2)
    result = search(notion, time_limit=left, known=tuple(known), bounded=False)
    closed = result.gap <= gap
    most = np.inf if closed else ldp_bound(cells, notion.eps, seconds, gap=gap, seed=seed)
    return capped(Joint.with_secret_released(cells, keep_unseen=True), result, most)


def _quick_of_pairs(
    cells: FloatArray, notion: RLDP, deadline: Deadline, *, gap: float, seed: int
) -> list[Mechanism]:
    """Return the mechanisms of pairs that are known where no time is left for a search."""
    pairs = Joint.with_secret_released(cells)
    quick = [*tightened(pairs, notion), *coupled(cells, pairs, notion)]
    quick += of_everything(cells, notion, deadline.left / 4)
    if notion.exact:
        quick += ignoring_secret(cells, notion, deadline.left / 2, gap=gap, seed=seed)
    return quick


def _known_of_pairs(
    cells: FloatArray, notion: RLDP, deadline: Deadline, *, gap: float, seed: int
) -> list[Mechanism]:
    """Return what a search of pairs starts from: of everything, quantiles, and what ignores S."""
    known = _known_at_once(cells, notion, SHARES.known_of_pairs * deadline.left)
    seconds = SHARES.ignoring_secret * deadline.left
    return known + ignoring_secret(cells, notion, seconds, gap=gap, seed=seed)


def _known_at_once(cells: FloatArray, notion: RLDP, seconds: float) -> list[Mechanism]:
    """Return what is known of pairs without a search: of everything, and quantiles of U."""
    return of_everything(cells, notion, seconds) + [
        released(
            cells, each.kernel, name=each.name, solver="known", status="heuristic", notion=notion
        )
        for each in coupled(cells, Joint.with_secret_released(cells), notion)
    ]


def _climbs_apart(notion: RLDP, cells: FloatArray) -> bool:
    """Return whether a search of pairs begins with climbs of one secret at a time."""
    joint = Joint.with_secret_released(cells)
    oracle = notion.allowed_set(joint).oracle
    return isinstance(oracle, ManyOracle) and climbs_apart(oracle, joint.n_x)


def _climbed_first(
    cells: FloatArray,
    notion: RLDP,
    polytopes: RLDP,
    search: Callable[..., Mechanism],
    seconds: float,
    *,
    gap: float,
    seed: int,
) -> Mechanism:
    """Return the optimum of many pairs, whose climbs have their time before all other searches.

    They keep more than PolyOpt and what ignores S in most cases, and never wait for these.
    """
    deadline = Deadline.after(seconds)
    known = _known_at_once(cells, notion, SHARES.known_of_pairs * deadline.left)
    alone = TIME_SHARE * seconds <= SIZES.central_seconds  # PolyOpt would find nothing, and be late
    share = SHARES.pairs_alone if alone else SHARES.pairs_first
    left = max(share * deadline.left, _LEAST_SECONDS / 2)
    result = search(notion, time_limit=left, known=tuple(known), bounded=False)
    if result.gap <= gap:
        return result
    whole = Joint.with_secret_released(cells, keep_unseen=True)
    result = capped(whole, result, ldp_bound(cells, notion.eps, seconds, gap=gap, seed=seed))
    if alone or deadline.left < _LEAST_SECONDS:
        return result
    # PolyOpt takes that share of its limit, and some more to end
    limit = min(seconds, SHARES.polyopt_last * deadline.left / TIME_SHARE)
    others = [search(polytopes, time_limit=limit, first=True, bounded=False)]
    others += ignoring_secret(cells, notion, deadline.left, gap=gap, seed=seed)
    return at_least(whole, result, others)


def _of_every_distribution(
    cells: FloatArray,
    notion: RLDP,
    search: Callable[..., Mechanism],
    seconds: float,
    gap: float,
) -> Mechanism:
    """Return the optimum where F is every distribution; a search helps where no proof ends."""
    deadline = Deadline.after(seconds)
    known = under_every_distribution(cells, notion, 3 * seconds / 4)
    if known and known[0].gap <= gap:
        return proven(replace(known[0], name=NAME), gap)
    left = max(deadline.left, _LEAST_SECONDS / 2)
    result = search(notion, time_limit=left, known=tuple(known))
    best = max(result, *known, key=lambda mechanism: mechanism.utility)
    best = replace(best, name=result.name, status=result.status)
    most = float(most_of_one_output(cells.sum(axis=1), notion.eps).max())
    whole = Joint.with_secret_released(cells, keep_unseen=True)
    bound = min([most, *(each.upper_bound for each in (result, *known))])
    return proven(capped(whole, best, bound), gap)


def of_everything(cells: FloatArray, notion: RLDP, seconds: float) -> list[Mechanism]:
    """Return what is known for pairs without a search, under a robust notion."""
    seconds = min(seconds, SIZES.itself_seconds)
    known = under_every_distribution(cells, notion, seconds) or [
        secret_randomized_response(cells, notion.eps),
        pair_randomized_response(cells, notion.eps),
    ]
    if notion.exact:
        known.append(independent_reporting(cells, notion.eps, notion.uncertainty))
    return known


def ignoring_secret(
    cells: FloatArray, notion: RLDP, seconds: float, *, gap: float, seed: int
) -> list[Mechanism]:
    """Return the robust optimum of a mechanism that sees U alone, in a list of at most one."""
    if not cells.any(axis=0).all() or seconds < _LEAST_SECONDS / 4:
        return []
    alone = Joint.from_counts(cells)
    optimum = robust_of_x(
        *(alone, RobustLDP(notion.eps, notion.uncertainty), None),
        solver="auto",
        time_limit=seconds,
        gap=gap,
        seed=seed,
    )
    return [
        released(
            cells,
            np.tile(optimum.kernel, (len(cells), 1)),
            name="Robust optimum of U alone",
            solver=optimum.solver,
            status=optimum.status,
            notion=notion,
        )
    ]
