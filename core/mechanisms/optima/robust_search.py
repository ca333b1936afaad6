"""The search behind the robust optima, started from mechanisms in closed form."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.entry import TIME_SHARE
from core.mechanisms.optima.search import checked_options, optimal_from
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, told_if_cut
from core.mechanisms.robust.design import estimate, likely, released
from core.mechanisms.robust.secret_randomized_response import secret_response_kernel
from core.notions import LDP
from core.notions.rldp import RLDP
from core.optimal.columns.linear_search import too_large
from core.optimal.solve import DEFAULT_SECONDS, Outcome, Solver, maximise
from core.optimal.utility import MutualInformation
from core.uncertainty import RenyiBall
from core.validation import FloatArray

_BOUND_SHARE = 0.1
"""Share of the time limit that is added for an upper bound where a search ends without a proof."""


@told_if_cut
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
    """Return the mechanism with the most I(X;Y) at P̂ under a robust notion.

    Parameters
    ----------
    p_su : array_like
        P̂(s, u), or counts, shape (n_s, n_u).
    uncertainty : RenyiBall
        F, around P̂.
    notion : RLDP
        The notion.
    name : str
        Name of the result.
    solver, time_limit, gap, seed
        As in `optimal`.
    known : tuple of Mechanism
        Mechanisms over all cells that keep the notion: the result is at least as good.
    first : bool
        Whether another search continues from the result within the same limit. Then TIME_SHARE of
        it is used, unless there are too many symbols for that search.
    bounded : bool
        Whether `ldp_bound` is computed where the result is not proven optimal.
    """
    cells = estimate(p_su, uncertainty)
    joint = Joint.with_secret_released(cells)
    options = checked_options(solver, time_limit, gap, seed)
    allowed = notion.allowed_set(joint)
    found: Mechanism | Outcome
    bound, designed = np.inf, cells
    kernels = [mechanism.kernel for mechanism in known] or [_start(notion, cells)]
    if allowed.oracle is None:
        seconds = DEFAULT_SECONDS if time_limit is None else time_limit
        if too_large(allowed):
            designed = likely(cells)
            joint = Joint.with_secret_released(designed)
            options["time_limit"] = (1 - _BOUND_SHARE) * seconds
        elif first:
            options["time_limit"] = TIME_SHARE * seconds
        start = np.hstack(kernels)[joint.kept_x] / len(kernels)
        found = optimal_from(joint, notion, start, **options)
    else:
        outputs = np.hstack(kernels)[joint.kept_x]
        used = outputs[:, joint.p_x @ outputs > 0]
        found = maximise(
            allowed,
            joint.p_x,
            start=lambda _: used / used.sum(axis=1, keepdims=True),
            time_limit=options["time_limit"],
            gap=gap,
            seed=seed,
            finish=lambda kernel: polished(joint, kernel, notion, quick=True),
        )
        found = _or_known(found, known, joint, notion)
    if bounded and found.upper_bound - found.utility > gap:
        bound = ldp_bound(cells, notion.eps, time_limit, gap=gap, seed=seed)
    return released(
        cells,
        found.kernel,
        designed=designed,
        name=name,
        solver=found.solver,
        status=found.status,
        notion=notion,
        upper_bound=min(found.upper_bound, bound) if designed is cells else bound,
        notes=found.notes,
    )


def _or_known(found: Outcome, known: Sequence[Mechanism], joint: Joint, notion: RLDP) -> Outcome:
    """Return the solver's outcome with the best known mechanism's kernel where that keeps more.

    Below order ½ levels are rounded up, so either may have to move towards P_X to pass the audit.
    """
    best = max(known, key=lambda mechanism: mechanism.utility, default=None)
    if best is None or best.utility <= found.utility + ROUNDING:
        return found
    kernel = polished(joint, best.kernel[joint.kept_x], notion, quick=True)
    value = MutualInformation().value((joint.p_x[:, None] * kernel).T, joint.p_x)
    return replace(found, kernel=kernel, utility=value) if value > found.utility else found


def ldp_bound(
    cells: FloatArray, eps: float, time_limit: float | None, *, gap: float, seed: int
) -> float:
    """Return an upper bound on I(X;Y) of every robust mechanism, in nats: that of LDP at P̂.

    It comes from a search that takes a tenth of the time limit.
    """
    seconds = _BOUND_SHARE * (DEFAULT_SECONDS if time_limit is None else time_limit)
    joint = Joint.with_secret_released(cells)
    if too_large(LDP(eps).allowed_set(joint)):  # a search could not prove less than H(X)
        return MutualInformation().offset(joint.p_x)
    return optimal_from(joint, LDP(eps), None, time_limit=seconds, gap=gap, seed=seed).upper_bound


def _start(notion: RLDP, cells: FloatArray) -> FloatArray:
    """Return secret RR; at ε/2 for PolyOpt as printed, which compares a secret with itself."""
    eps = notion.eps / 2 if notion.include_same_secret else notion.eps
    return secret_response_kernel(cells.shape[0], cells.shape[1], eps)
