"""The three problems of [NonStoch] by name, each with its algorithm."""

from __future__ import annotations

from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.nonstochastic.clustering.algorithm_1 import merge_for_anonymity
from core.nonstochastic.clustering.algorithm_2 import OBJECTIVES, merge_for_indistinguishability
from core.nonstochastic.clustering.path import Clustering

PROBLEMS = ("anonymity", *OBJECTIVES)
"""(3) by Algorithm 1; (5) by Algorithm 2; (10) by its variant."""


def solve(
    problem: str,
    occurs: ArrayLike,
    weight: float,
    utility: str = "resolution",
    values: ArrayLike | None = None,
) -> Clustering:
    """Return the clustering that a problem's algorithm finds.

    Parameters
    ----------
    problem : {"anonymity", "maximin", "reduction"}
        (3), (5) or (10).
    occurs, weight, utility, values
        As in `merge_for_anonymity`.

    Raises
    ------
    InvalidInputError
        If the problem is unknown, or as `merge_for_anonymity`.

    Examples
    --------
    >>> occurs = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> solve("maximin", occurs, weight=0.5).partition
    ((0, 2), (1, 3))
    """
    if problem not in PROBLEMS:
        raise InvalidInputError(f"problem must be one of {', '.join(PROBLEMS)}, got {problem!r}.")
    if problem == "anonymity":
        return merge_for_anonymity(occurs, weight, utility, values)
    return merge_for_indistinguishability(occurs, weight, utility, values, problem)


def weight_within(low: float, high: float) -> float:
    """Return a weight with few digits strictly between two, to select a point of a frontier.

    Parameters
    ----------
    low, high : float
        The range of weights, 0 ≤ low < high ≤ ∞.

    Examples
    --------
    >>> weight_within(0.0, 0.14097), weight_within(0.63093, float("inf")), weight_within(0.1, 0.2)
    (0.07, 1.3, 0.14)
    >>> weight_within(0.0, float("inf"))
    1.0
    """
    open_end = high == float("inf")
    middle = (2 * low or 1.0) if open_end else ((low * high) ** 0.5 or high / 2)
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low < rounded < high and abs(rounded - middle) <= 0.1 * middle:
            return rounded
    return middle
