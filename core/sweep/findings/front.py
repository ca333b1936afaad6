"""Which questions of a sweep no other one dominates, by the means of two measures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.sweep.measures import PREFIX
from core.validation import BoolArray, shown

SMALLER = ("gap", "outputs", "achieved")
"""Measures of which less is better; of every level too, and more of all others."""


def smaller_is_better(measure: str) -> bool:
    """Return whether less of a measure is better.

    Examples
    --------
    >>> smaller_is_better("level_lip"), smaller_is_better("kept")
    (True, False)
    """
    return measure in SMALLER or measure.startswith(PREFIX)


def non_dominated(costs: ArrayLike, gains: ArrayLike) -> BoolArray:
    """Return which points no other one dominates: none costs at most as much and gains at least it.

    Of two equal points neither dominates the other. A point with a NaN is dominated, and dominates
    none.

    Parameters
    ----------
    costs, gains : array_like
        What each point costs and gains, shape (k,) each; either may be infinite.

    Returns
    -------
    ndarray
        Shape (k,), bool.

    Raises
    ------
    InvalidInputError
        If they are no lists of the same length.

    Examples
    --------
    >>> non_dominated([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 1.5, 2.0])
    array([ True,  True, False, False])
    """
    cost, gain = np.asarray(costs, dtype=np.float64), np.asarray(gains, dtype=np.float64)
    if cost.ndim != 1 or cost.shape != gain.shape:
        raise InvalidInputError(
            f"Costs and gains must be lists of one length, got shapes {cost.shape}, {gain.shape}."
        )
    kept = np.zeros(cost.shape, dtype=np.bool_)
    known = np.flatnonzero(~(np.isnan(cost) | np.isnan(gain)))
    order = known[np.lexsort((-gain[known], cost[known]))]  # cheapest first, of those the best
    best, at = -np.inf, np.nan
    for place in order:
        first = np.isnan(at) or gain[place] > best
        if first or (gain[place] == best and cost[place] == at):
            kept[place] = True
            best, at = gain[place], cost[place]
    return kept


def check_axes(measures: Collection[str], cost: str, gain: str) -> None:
    """Check that two measures are among some, that less of one and more of the other is better.

    Raises
    ------
    InvalidInputError
        If they are not.
    """
    for measure in (cost, gain):
        if measure not in measures:
            raise InvalidInputError(f"The sweep has no measure {shown(measure)}.")
    if not smaller_is_better(cost) or smaller_is_better(gain):
        raise InvalidInputError(
            f"A front needs a measure of which less is better and one of which more is, in this "
            f"order, got {cost!r} and {gain!r}."
        )


def front(rows: Sequence[dict[str, Any]], cost: str, gain: str) -> list[dict[str, Any]]:
    """Return the questions of a summary that no other one dominates, by the means of two measures.

    Parameters
    ----------
    rows : sequence of dict
        As `summary` returns them.
    cost, gain : str
        Measures on the axes: of one less is better, of the other more, as `smaller_is_better` says.

    Returns
    -------
    list of dict
        The rows of `gain`, in order of cost, each with the mean of the other one as "cost".

    Raises
    ------
    InvalidInputError
        If the summary lacks a measure, or less, or more, of both is better.
    """
    means = {(row["question"], row["measure"]): row["mean"] for row in rows}
    check_axes({key for _, key in means}, cost, gain)
    asked = [row for row in rows if row["measure"] == gain]
    costs = [means[row["question"], cost] for row in asked]
    kept = non_dominated(costs, [row["mean"] for row in asked])
    found = [row | {"cost": paid} for row, paid, one in zip(asked, costs, kept, strict=True) if one]
    return sorted(found, key=lambda row: (row["cost"], row["question"]))
