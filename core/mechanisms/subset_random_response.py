"""Subset random response: the optimum within each set of subset merging's partition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from core import clock, validation
from core.joint import Joint
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.sets import symbol_notion
from core.mechanisms.subset_merging import merge_high_risk, subset_merging
from core.notions.allowed_set import AllowedSet
from core.notions.base import Notion
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

    The sets are those of subset merging, and within each the kernel is optimal. Source: [Lift]
    Algorithm 2. A set is feasible there when P(X | set) is an allowed posterior, so when it is
    private as one output: print asks whether the polytope is empty, which is not enough. The
    sets of the corrected Algorithm 1 are all private, so none has to be joined with others,
    unless X_H as a whole is not: then subset merging, with its repair, answers.

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
    deadline = clock.now() + limit
    merging = merge_high_risk(joint, asked)
    if not merging.attained:
        merged = subset_merging(joint, asked)
        note = "X_H is not private even as one set, so subset merging answers."
        return replace(merged, name=NAME, notes=(note, *merged.notes))
    sets = merging.sets
    high = {x for members in sets for x in members}
    columns = [np.eye(joint.n_x)[:, [x for x in range(joint.n_x) if x not in high]]]
    late = 0
    for done, members in enumerate(sets):
        outcome = maximise(
            _restricted(allowed, members),
            joint.p_x[list(members)] / joint.p_x[list(members)].sum(),
            time_limit=max((deadline - clock.now()) / (len(sets) - done), LEAST_SECONDS),
            gap=gap,
            seed=seed,
        )
        block = np.zeros((joint.n_x, outcome.kernel.shape[1]))
        block[list(members)] = outcome.kernel
        columns.append(block)
        late += outcome.status != "optimal"
    notes = (f"{late} of {len(sets)} sets are not proven optimal.",) if late else ()
    kernel, y_labels = in_reading_order(joint, polished(joint, np.hstack(columns), asked))
    return make_mechanism(
        joint,
        kernel,
        name=NAME,
        solver="columns",
        status="heuristic",
        notion=asked,
        y_labels=y_labels,
        notes=notes,
    )


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
