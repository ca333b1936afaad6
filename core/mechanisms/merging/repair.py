"""The repair of [ALIP] §III, for high-risk symbols that leak too much even as one output."""

import numpy as np

from core.errors import InfeasibleError
from core.joint import Joint
from core.mechanisms.merging.subset_levels import fits, least_first, set_levels
from core.notions import PointwiseNotion


def attain(
    joint: Joint, notion: PointwiseNotion, high: tuple[int, ...], *, repair: bool
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return symbols that the notion allows as one output, and notes on their repair."""
    merged = joint.p[:, list(high)].sum(axis=1)
    lower, upper = (float(level[0]) for level in set_levels(notion, merged[:, None], joint.p_s))
    if not high or fits(notion, lower, upper):
        return high, ()
    sentence = (
        "X_H, the symbols that break the promise by themselves, reach "
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
            f"No mechanism keeps {notion}: even the constant one breaks it, at {least:.6g}."
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
