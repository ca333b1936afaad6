"""The last step of every mechanism that a search finds: moved slightly until its notion holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.clock import NEVER, Deadline
from core.entries import entries_of
from core.joint import Joint
from core.limits import CLOSE, DUST
from core.notions.base import LevelNotion, Notion, PointwiseNotion
from core.optimal.polish import least_share, mixed
from core.validation import FloatArray

MOST_NESTED = 10**9
"""Inputs times pairs of outputs up to which wider outputs are sought, in .2 s at most: of 1,629
inputs and 1,300 outputs they took half a second of one, in vain."""

SHARES = tuple(1e-15 * 10.0**power for power in range(6))
"""Shares of outputs that are sent on where a kernel without rounding breaks its notion by that."""


def cleared(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray:
    """Return a kernel (n_x, n_y) with 0 for rounding, where the notion can hold."""
    exact = None if _slow(notion) else _without_dust(joint, kernel)
    if exact is None:  # nothing to clear, or slow to check
        return kernel
    if notion.holds(joint, exact):
        return exact
    if exact.size * exact.shape[1] > MOST_NESTED:
        return kernel
    wider = _wider(exact)
    change = exact @ wider - exact
    released = joint.release(exact)
    further = released @ wider - released
    for share in SHARES:
        if _of_release(notion) and not _allows(notion, released + share * further):
            continue  # without a look at a large kernel
        moved = exact + share * change
        if notion.holds(joint, moved):
            return moved
    return kernel


def _without_dust(joint: Joint, kernel: FloatArray) -> FloatArray | None:
    """Return a kernel (n_x, n_y) with 0 for rounding; None where there is none."""
    prior = joint.p_x if len(kernel) == joint.n_x else joint.p.ravel()
    few = entries_of(kernel)
    if few is not None:
        x, y = few.places()
        weights = prior[x] * few.values
        dust = few.values <= DUST
        dust &= weights <= DUST * np.bincount(y, weights)[y]
        if not dust.any():
            return None
        x, values = x[~dust], few.values[~dust]
        return replace(few, at=few.at[~dust], values=values / np.bincount(x, values)[x]).dense()
    dust = (kernel > 0) & (kernel <= DUST)
    if dust.any():  # of a large kernel its copies take time and memory
        weights = prior[:, None] * kernel
        dust &= weights <= DUST * weights.sum(axis=0)
    if not dust.any():
        return None
    exact = np.where(dust, 0.0, kernel)
    exact /= exact.sum(axis=1, keepdims=True)
    return exact


def _slow(notion: Notion) -> bool:
    """Return whether a check searches a set of distributions, which takes up to .1 s."""
    return any(part.of_estimate for part in notion.parts)


def _of_release(notion: Notion) -> bool:
    """Return whether a notion is a condition on P(s, y) alone, of each output or on average."""
    return all(isinstance(part, PointwiseNotion) or part.on_average for part in notion.parts)


def _allows(notion: Notion, joint_sy: FloatArray) -> bool:
    """Return whether each part of a notion `_of_release` holds for P(s, y), with hardly a slack."""
    for part in notion.parts:
        if isinstance(part, PointwiseNotion):
            if not part.allows(joint_sy).all():
                return False
        elif isinstance(part, LevelNotion):
            level = float(part.achieved_by_each(joint_sy[None])[0])
            slack = min(part.slack(part.budget), CLOSE * part.budget)
            if level > part.budget + slack:
                return False
    return True


def _wider(kernel: FloatArray) -> FloatArray:
    """Return (n_y, n_y): each output goes to those that all its inputs lead to."""
    leads = (kernel > 0).astype(np.float32)  # counts inputs, of which there are below 2^24
    nested = (leads.T @ (1 - leads)) == 0
    np.fill_diagonal(nested, val=False)
    nested[~nested.any(axis=1)] = np.eye(len(nested), dtype=np.bool_)[~nested.any(axis=1)]
    result: FloatArray = nested / nested.sum(axis=1, keepdims=True)
    return result


def tightened(joint: Joint, kernel: FloatArray, notion: Notion) -> FloatArray:
    """Do as `polished`, without the audit's slack: what rounds later is then within it."""
    return mixed(
        kernel,
        joint.p_x,
        least_share(lambda share: notion.scale(joint, mixed(kernel, joint.p_x, share)) <= 1),
    )


def polished(
    joint: Joint,
    kernel: FloatArray,
    notion: Notion,
    *,
    quick: bool = False,
    deadline: Deadline = NEVER,
) -> FloatArray:
    """Move every posterior towards P_X by the least share at which the notion holds.

    r ← (1−δ) r + δ P_X keeps P(y) and Σ_y P(y) r_y = P_X (of pairs (s, x) where the kernel reads
    S); at δ = 1, which is assumed to keep the notion, the output is independent of X. Hardly any
    slack is left: near a budget of 0 the audit's would let through more than rounding. Checks that
    are slow end by a deadline, and then δ may be 1.
    """
    prior = joint.p_x if len(kernel) == joint.n_x else joint.p.ravel()
    if notion.holds(joint, kernel):
        return kernel
    if notion.is_perfect_privacy:  # nothing helps but to clear rounding, which may be all given k
        exact = cleared(joint, kernel, notion)
        return exact if notion.holds(joint, exact) else np.ones((len(kernel), 1))

    if _of_release(notion):  # a share that does for P(s, y) most often does for a large kernel
        released = joint.release(kernel)
        flat = released.sum(axis=1, keepdims=True) * released.sum(axis=0)
        share = least_share(
            lambda share: _allows(notion, (1 - share) * released + share * flat), quick=quick
        )
        moved = mixed(kernel, prior, share)
        if notion.holds(joint, moved) and (quick or notion.scale(joint, moved) <= 1 + CLOSE):
            return moved

    def passes(share: float) -> bool:
        if share == 0.0:  # as was seen
            return False
        moved = mixed(kernel, prior, share)
        return notion.holds(joint, moved) and (quick or notion.scale(joint, moved) <= 1 + CLOSE)

    share = least_share(passes, quick=quick, slow=_slow(notion), deadline=deadline)
    return mixed(kernel, prior, share)
