"""The least budgets at which high-risk symbols can be merged into one output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import InvalidInputError
from core.joint import Joint
from core.validation import shown


def least_bounds(joint: Joint, high_risk: Sequence[int]) -> tuple[float, float]:
    """Return ε̄_l and ε̄_u of a set of symbols: the levels of merging them into one output.

    However the set's symbols are randomised among themselves, the worst outputs have no larger
    min-lift and no smaller max-lift. So these are the least budgets of ALIP that a mechanism can
    keep which publishes all other symbols as they are.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    high_risk : sequence of int
        Indices of the symbols X_H, at least one, each once.

    Returns
    -------
    eps_l, eps_u : float
        |min_s log l(s, X_H)| and max_s log l(s, X_H) with l(s, X_H) = P(X_H | s)/P(X_H), in
        nats; ε̄_l is ∞ where a secret excludes the whole set.

    Raises
    ------
    InvalidInputError
        If the set is empty, or an entry is no index of a symbol of X or occurs twice.

    Notes
    -----
    Source: [Lift] eq. 9 and 10.

    Examples
    --------
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> least_bounds(joint, [0, 1])  # merged they tell nothing
    (0.0, 0.0)
    >>> [round(bound, 4) for bound in least_bounds(joint, [0])]
    [1.5041, 0.5754]
    """
    chosen = list(high_risk)
    for index in chosen:
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise InvalidInputError(f"high_risk must hold indices of X, got {shown(index)}.")
        if not 0 <= index < joint.n_x:
            raise InvalidInputError(
                f"high_risk must hold indices from 0 to {joint.n_x - 1}, got {index}."
            )
    if not chosen or len(set(chosen)) != len(chosen):
        raise InvalidInputError(
            f"high_risk must name at least one symbol, each once, got {shown(chosen)}."
        )
    of_set = joint.p[:, chosen].sum(axis=1)
    lift = of_set / (joint.p_s * of_set.sum())
    with np.errstate(divide="ignore"):
        logs = np.log(lift[joint.p_s > 0])
    return max(0.0, -float(logs.min())), max(0.0, float(logs.max()))
