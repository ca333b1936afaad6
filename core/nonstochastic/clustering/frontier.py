"""The three problems of [NonStoch], and the Pareto frontiers of their algorithms over all λ ≥ 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.limits import ROUNDING
from core.nonstochastic.clustering.algorithms import (
    OBJECTIVES,
    merge_for_anonymity,
    merge_for_indistinguishability,
)
from core.nonstochastic.clustering.clusters import Clustering, Step
from core.nonstochastic.clustering.utility import Distance
from core.nonstochastic.ranges.partition import Partition
from core.validation import one_of

PROBLEMS = ("anonymity", *OBJECTIVES)
"""(3) by Algorithm 1; (5) by Algorithm 2; (10) by its variant."""


@dataclass(frozen=True)
class FrontierPoint:
    """A partition with its leakage and utility.

    Attributes
    ----------
    leakage : float
        L0 or I*, whichever the algorithm lowers.
    utility : float
        I0(X;X̂), or minus the largest distortion.
    partition : tuple of tuple of int
        The clusters.
    weights : (float, float) or None
        The range of λ for which the algorithm returns it; None if it does for no λ.
    """

    leakage: float
    utility: float
    partition: Partition
    weights: tuple[float, float] | None = None

    @property
    def loss(self) -> float:
        """Utility lost: minus the utility."""
        return -self.utility


def pareto_frontier(
    occurs: ArrayLike,
    algorithm: str | Callable[..., Clustering],
    utility: str,
    values: ArrayLike | None = None,
    *,
    codeword: str = "centroid",
    distance: Distance | None = None,
    base: float = 2,
    every_step: bool = False,
) -> tuple[FrontierPoint, ...]:
    """Return the non-dominated (leakage, utility) pairs of an algorithm over all weights.

    No grid of weights is needed. Where the path does not depend on λ, the weights at which it
    stops earlier are the steps' ratios of leakage lowered to utility lost. Where it does
    ("reduction"), each run returns up to which weight its choices hold; the next starts there.

    Parameters
    ----------
    occurs : array_like of bool
        Which pairs (s, x) can occur, shape (n_s, n_x) or (n_z, n_s, n_x).
    algorithm : {"anonymity", "maximin", "reduction"} or function
        Algorithm 1, Algorithm 2, or its variant for problem (10); the functions
        `merge_for_anonymity` and `merge_for_indistinguishability` name the first two.
    utility, values, codeword, distance, base
        As in `merge_for_anonymity`.
    every_step : bool
        Include partitions on the path that the algorithm returns for no weight; not for
        "reduction", whose path breaks its condition I* = 0.

    Returns
    -------
    tuple of FrontierPoint
        Sorted by increasing leakage and utility.

    Raises
    ------
    InvalidInputError
        As the algorithms, and if the algorithm is unknown.

    Notes
    -----
    Source: [NonStoch] §VII-A.

    Examples
    --------
    >>> occurs = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    >>> for point in pareto_frontier(occurs, "anonymity", "resolution"):
    ...     print(round(point.leakage, 2), round(point.utility, 2), point.partition)
    0.0 0.0 ((0, 1, 2, 3),)
    0.42 1.0 ((0, 1), (2, 3))
    2.0 2.0 ((0,), (1,), (2,), (3,))
    """
    name = _named(algorithm)
    settings: dict[str, Any] = {
        "utility": utility,
        "values": values,
        "codeword": codeword,
        "distance": distance,
        "base": base,
    }
    if name == "anonymity":
        candidates = list(_stops(merge_for_anonymity(occurs, 0.0, **settings).steps))
    elif name == "maximin":
        candidates = list(_stops(merge_for_indistinguishability(occurs, 0.0, **settings).steps))
    else:
        candidates = _sweep(occurs, settings)
    points = [point for point in candidates if every_step or point.weights is not None]
    return non_dominated(points)


def non_dominated(points: Iterable[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the points that no other dominates, sorted by leakage; of equal ones the first.

    Examples
    --------
    >>> low, high, poor = (FrontierPoint(a, b, ()) for a, b in [(0.0, 1.0), (1.0, 2.0), (1.0, 1.0)])
    >>> [point.leakage for point in non_dominated([high, poor, low])]
    [0.0, 1.0]
    """
    kept: list[FrontierPoint] = []
    for point in sorted(points, key=lambda p: (p.leakage, -p.utility)):
        if not kept or point.utility > kept[-1].utility:
            kept.append(point)
    return tuple(kept)


def _named(algorithm: str | Callable[..., Clustering]) -> str:
    functions = {merge_for_anonymity: "anonymity", merge_for_indistinguishability: "maximin"}
    name = algorithm if isinstance(algorithm, str) else functions.get(algorithm, "")
    aliases = {function.__name__: short for function, short in functions.items()}
    name = aliases.get(name, name)
    if name not in PROBLEMS:
        raise InvalidInputError(
            f"algorithm must be one of {', '.join(PROBLEMS)}, got {algorithm!r}."
        )
    return name


def _stops(steps: tuple[Step, ...]) -> Iterator[FrontierPoint]:
    """Yield each step of a path that does not depend on λ, with the weights that stop there.

    A step is taken iff λ is below the leakage it lowers over the utility it loses: step i is
    reached for λ below the least such ratio so far; between ratios equal but for rounding it has no
    weight.
    """
    reached = float("inf")
    for i, step in enumerate(steps):
        leaves = 0.0 if i + 1 == len(steps) else _ratio(step, steps[i + 1])
        weights = (leaves, reached) if leaves < reached * (1 - ROUNDING) else None
        yield FrontierPoint(step.leakage, step.utility, step.clusters, weights)
        reached = min(reached, leaves) if i + 1 < len(steps) else reached


def _ratio(before: Step, after: Step) -> float:
    """Return the weight from which a step does not lower the Lagrangian."""
    lost = after.loss - before.loss
    return (before.leakage - after.leakage) / lost if lost > 0 else float("inf")


def _sweep(occurs: ArrayLike, settings: dict[str, Any]) -> list[FrontierPoint]:
    """Return the results of the variant for problem (10), each with its range of weights."""
    points: list[FrontierPoint] = []
    since, begin, weight, stalled = 0.0, 0.0, 0.0, 0
    while True:
        result = merge_for_indistinguishability(occurs, weight, objective="reduction", **settings)
        end = max(result.valid_below, weight)
        point = FrontierPoint(result.leakage, result.utility, result.partition, (begin, end))
        if points and points[-1].partition == point.partition:
            points[-1] = replace(points[-1], weights=(since, end))
        else:
            points.append(point)
            since = begin
        if end == float("inf"):
            return points
        # At a weight where two choices tie, `end` is the weight itself: step on, further each time.
        stalled = stalled + 1 if end == weight else 0
        # the first weight tried after 0: a much smaller one times a loss is lost to rounding
        start = max(end, 1e-9)
        # relative distance from a weight at which the path changes to the next weight tried: far
        # above the rounding of a Lagrangian, far below any difference of weights that a user would
        # set
        begin, weight = end, start + 1e-9 * 100**stalled * start


def solve(
    problem: str,
    occurs: ArrayLike,
    weight: float,
    utility: str = "resolution",
    values: ArrayLike | None = None,
) -> Clustering:
    """Return the clustering that a problem's algorithm finds."""
    one_of(problem, PROBLEMS, "problem")
    if problem == "anonymity":
        return merge_for_anonymity(occurs, weight, utility, values)
    return merge_for_indistinguishability(occurs, weight, utility, values, problem)


def weight_within(low: float, high: float) -> float:
    """Return a weight with few digits strictly between two, to select a point of a frontier."""
    open_end = high == float("inf")
    middle = (2 * low or 1.0) if open_end else ((low * high) ** 0.5 or high / 2)
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low < rounded < high and abs(rounded - middle) <= 0.1 * middle:
            return rounded
    return middle
