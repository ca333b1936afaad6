"""Frontiers to compare an algorithm's with: its baseline's, and the optimum for few symbols."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from core.limits import MAX_ENUMERATED
from core.nonstochastic.baselines.exact import all_partitions
from core.nonstochastic.baselines.suppression import submodular_frontier, suppression_frontier
from core.nonstochastic.clustering.frontier import FrontierPoint
from core.nonstochastic.ranges.partition import joint_range

EXACT = "exact"
"""Key of the optimum over all partitions."""

SLOW_FROM = 9
"""Number of symbols of X from which trying all partitions takes more than a quarter of a second."""

BASELINES = {
    "anonymity": ("generalise_and_suppress", suppression_frontier),
    "maximin": ("submodular_path", submodular_frontier),
}
"""For each problem the baseline with the same leakage: its catalogue key and its frontier."""


def rivals(
    problem: str, occurs: ArrayLike, utility: str = "resolution", values: ArrayLike | None = None
) -> Mapping[str, tuple[FrontierPoint, ...]]:
    """Return the frontiers that a problem's algorithm is compared with, by key.

    Parameters
    ----------
    problem : {"anonymity", "maximin", "reduction"}
        (3), (5) or (10); for (10) no baseline keeps I* = 0.
    occurs, utility, values
        As in `pareto_frontier`.

    Returns
    -------
    mapping
        Frontiers by a baseline's key, and by `EXACT` where X has at most 10 symbols.

    Raises
    ------
    InvalidInputError
        As `pareto_frontier`.

    Examples
    --------
    >>> found = rivals("anonymity", [[1, 0, 0], [0, 1, 0], [0, 1, 1]])
    >>> {key: len(points) for key, points in found.items()}
    {'generalise_and_suppress': 3, 'exact': 3}
    """
    ranges = joint_range(occurs)
    found = {}
    if problem in BASELINES:
        key, frontier = BASELINES[problem]
        found[key] = frontier(ranges, utility, values)
    if ranges.shape[1] <= MAX_ENUMERATED:
        found[EXACT] = all_partitions(ranges, problem, utility, values).frontier()
    return found
