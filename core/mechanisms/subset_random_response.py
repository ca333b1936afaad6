"""Subset random response: the optimum within each set of subset merging's partition."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from scipy import sparse

from core import validation
from core.joint import Joint
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.sets import fits, set_levels, symbol_notion
from core.mechanisms.subset_merging import merge_high_risk, subset_merging
from core.notions.allowed_set import AllowedSet
from core.notions.base import Notion, SymbolNotion
from core.optimal.polish import polished
from core.optimal.solve import DEFAULT_SECONDS, maximise
from core.validation import FloatArray

Members = tuple[int, ...]

NAME = "Subset random response"

LEAST_SECONDS = 0.05
"""What each set gets when time is over: enough for a mechanism, if not for a proof."""


def subset_random_response(
    joint: Joint, notion: Notion, time_limit: float | None = None, gap: float = 1e-6, seed: int = 0
) -> Mechanism:
    """Publish X_L as it is and answer at random within small sets of X_H, as well as possible.

    The sets are those of subset merging; one that the notion does not allow as an output is
    joined with the next, or with an earlier one when none is left. Within each set the kernel is
    optimal. Source: [Lift] Algorithm 2; a set is feasible when it is private as one output, for
    then P(X | set) is an allowed posterior, and only then. Print asks only whether the polytope
    is empty.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : SymbolNotion
        A convex one: LIP, ALIP, LDP, α-lift, …
    time_limit : float, optional
        Seconds for all sets together.
    gap, seed
        As in `optimal`, for each set.

    Raises
    ------
    InvalidInputError
        If the notion does not bound single symbols.
    NotConvexError
        If the notion's allowed set is not convex.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> mechanism = subset_random_response(joint, LIP(0.4))
    >>> mechanism.utility > subset_merging(joint, LIP(0.4)).utility
    True
    """
    asked = symbol_notion(notion, "Subset random response")
    allowed = asked.allowed_set(joint)
    limit = validation.number(time_limit or DEFAULT_SECONDS, "time_limit", low=0.0, open_low=True)
    deadline = time.monotonic() + limit
    sets = _private(joint, asked, list(merge_high_risk(joint, asked).sets))
    if sets is None:
        merged = subset_merging(joint, asked)
        note = "No set of X_H is private by itself, so subset merging answers."
        return replace(merged, name=NAME, notes=(note, *merged.notes))
    high = {x for members in sets for x in members}
    columns = [np.eye(joint.n_x)[:, [x for x in range(joint.n_x) if x not in high]]]
    late = 0
    for done, members in enumerate(sets):
        outcome = maximise(
            _restricted(allowed, members),
            joint.p_x[list(members)] / joint.p_x[list(members)].sum(),
            time_limit=max((deadline - time.monotonic()) / (len(sets) - done), LEAST_SECONDS),
            gap=gap,
            seed=seed,
        )
        block = np.zeros((joint.n_x, outcome.kernel.shape[1]))
        block[list(members)] = outcome.kernel
        columns.append(block)
        late += outcome.status != "optimal"
    notes = (f"{late} of {len(sets)} sets are not proven optimal.",) if late else ()
    return make_mechanism(
        joint,
        polished(joint, np.hstack(columns), asked),
        name=NAME,
        solver="columns",
        status="heuristic",
        notion=asked,
        notes=notes,
    )


def _private(joint: Joint, notion: SymbolNotion, waiting: list[Members]) -> list[Members] | None:
    """Return sets that are private as one output each; None if even their union is not."""
    finished: list[Members] = []
    while waiting:
        members = waiting.pop(0)
        while not _fits(joint, notion, members):
            if waiting:
                members += waiting.pop(0)
            elif finished:
                members += finished.pop()
            else:
                return None
        finished.append(tuple(sorted(members)))
    return finished


def _fits(joint: Joint, notion: SymbolNotion, members: Members) -> bool:
    mass = joint.p[:, list(members)].sum(axis=1, keepdims=True)
    return bool(fits(notion, *set_levels(notion, mass, joint.p_s))[0])


def _restricted(allowed: AllowedSet, members: Members) -> AllowedSet:
    """Return the allowed outputs that say x is in a set: posteriors on its members alone."""
    inside = np.array(members)
    helpers = np.arange(allowed.n_x, allowed.rows.shape[1])
    rows = sparse.csr_array(allowed.rows[:, np.concatenate([inside, helpers])])
    whole = allowed.oracle
    if whole is None:
        return AllowedSet(rows, len(inside))

    def oracle(r: FloatArray) -> FloatArray:
        wide = np.zeros(allowed.n_x)
        wide[inside] = r
        return whole(wide)[:, inside]

    return AllowedSet(rows, len(inside), oracle)
