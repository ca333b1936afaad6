"""What follows from an answer: what its promise implies, several draws, and what records show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.release.implications import implications
from core.release.own_levels import Redrawn, own_levels, redrawn
from core.release.reach import Implication
from core.scenario import Result
from core.studies.advice import Realised, realised_levels

T = TypeVar("T")

SECONDS = 5.0
"""Time for all levels that a promise implies and that need a search."""

FEW = 10_000
"""Records below which is told what a promise at the estimate is worth at the truth."""

MOST_CELLS = 40_000
"""Entries of a kernel times secrets up to which that is told."""

CLOSE = 1e-6
"""How far a proven level may be from what is reached and still be called the least."""


@dataclass(frozen=True, eq=False)
class Consequences:
    """What follows from an answer; a text in place of what there is not says why.

    Attributes
    ----------
    own : mapping
        The release's levels, as `own_levels`.
    implied : mapping or str
        The levels that its promise implies, by the same keys.
    redrawn : tuple of Redrawn or str
        The levels of several draws for one record.
    realised : mapping or str or None
        What its levels may be at the truth; None where that is not asked (`is_sampled`).
    """

    own: Mapping[str, float]
    implied: Mapping[str, Implication] | str
    redrawn: tuple[Redrawn, ...] | str
    realised: Mapping[str, Realised] | str | None


def consequences(result: Result) -> Consequences:
    """Return what follows from an answer.

    Parameters
    ----------
    result : Result
        The answer.

    Examples
    --------
    >>> from core.data import DataSpec
    >>> from core.scenario import Scenario, evaluate
    >>> found = consequences(evaluate(Scenario(data=DataSpec("example:parity"), eps=0.5)))
    >>> [one.k for one in found.redrawn], found.realised is None
    ([1, 2, 3], True)
    """
    joint, kernel, scenario = result.joint, result.mechanism.kernel, result.scenario

    def promised() -> Mapping[str, Implication]:
        return implications(joint, scenario.build_notion(joint), SECONDS)

    def several() -> tuple[Redrawn, ...]:
        return redrawn(joint, kernel, scenario.build_notion(joint))

    return Consequences(
        own_levels(joint, kernel),
        _or_why(promised),
        _or_why(several),
        _or_why(lambda: realised_levels(joint, kernel)) if is_sampled(result) else None,
    )


def is_sampled(result: Result) -> bool:
    """Say whether the records are so few that it is told what the release's levels may be.

    Examples
    --------
    >>> from core.scenario import Scenario, evaluate
    >>> is_sampled(evaluate(Scenario(mechanism="watchdog")))  # 32,561 records
    False
    """
    scenario, joint, kernel = result.scenario, result.joint, result.mechanism.kernel
    reads = mechanisms.entry(scenario.mechanism).reads_secret
    robust = notions.entry(scenario.notion).kind.of_estimate
    if joint.n is None or joint.n >= FEW or reads or robust or scenario.data.secret_released:
        return False
    return kernel.shape[0] == joint.n_x and joint.n_s * kernel.size <= MOST_CELLS


def is_open(one: Implication) -> bool:
    """Say whether a level is not proven to be the least.

    Examples
    --------
    >>> is_open(Implication(0.5, 0.5)), is_open(Implication(0.5, 0.3))
    (False, True)
    """
    return one.level - one.reached > CLOSE * max(1.0, abs(one.reached))


def _or_why(find: Callable[[], T]) -> T | str:
    """Return what is found, or why it is not."""
    try:
        return find()
    except CoreError as error:
        return str(error)
