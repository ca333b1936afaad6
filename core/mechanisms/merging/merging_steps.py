"""The sets of [Lift] Algorithm 1 after some of its steps, and each step as a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.mechanisms.merging.subset_merging import MergeStep

MOST_NAMED = 3
"""Most symbols of a set that a sentence names; of the others it gives the number."""


@dataclass(frozen=True)
class OpenSet:
    """A set of symbols between two steps.

    Attributes
    ----------
    members : tuple of int
        Indices of X.
    risk : float
        ω of the set, in nats.
    fits : bool
        Whether the notion allows it.
    """

    members: tuple[int, ...]
    risk: float
    fits: bool


def replay(steps: Sequence[MergeStep], count: int) -> tuple[OpenSet, ...]:
    """Return the sets after the first `count` steps, in the order in which they were opened.

    Parameters
    ----------
    steps : sequence of MergeStep
        As `subset_merging_steps` returns them.
    count : int
        Number of steps to take, from 0 to all.

    Raises
    ------
    InvalidInputError
        If `count` is negative or there are fewer steps.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.mechanisms import subset_merging_steps
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> steps = subset_merging_steps(joint, LIP(0.4))
    >>> [(one.members, one.fits) for one in replay(steps, 3)]
    [((0, 1), True), ((2,), False)]
    """
    if not 0 <= count <= len(steps):
        raise InvalidInputError(f"count must be in [0, {len(steps)}], got {count}.")
    sets: dict[tuple[int, ...], OpenSet] = {}
    for step in steps[:count]:
        sets.pop(step.into, None)
        sets.pop(step.joined, None)  # an earlier set, where it joins the last one
        members = step.into + step.joined
        sets[members] = OpenSet(members, step.risk_after, step.fits)
    return tuple(sets.values())


def in_words(step: MergeStep, x_labels: Sequence[str], *, bits: bool = False) -> str:
    """Return a sentence on what a step does, with risks in nats, or in bits.

    Examples
    --------
    >>> in_words(MergeStep((0,), (), 0.0, 1.5, False), ["a", "b"])
    "'a' opens a set: its risk ω is 1.500 nats."
    >>> in_words(MergeStep((1,), (0,), 1.5, 0.25, True), ["a", "b"])
    "'b' joins 'a': ω falls from 1.500 to 0.250 nats, and the set keeps the promise."
    """
    joined, unit = _spelt(step.joined, x_labels), "bits" if bits else "nats"
    if not step.into:
        return f"{joined} opens a set: its risk ω is {_written(step.risk_after, bits)} {unit}."
    into = _spelt(step.into, x_labels)
    way = "falls" if step.risk_after <= step.risk_before else "rises"
    verdict = "and the set keeps the promise" if step.fits else "not yet enough"
    before, after = _written(step.risk_before, bits), _written(step.risk_after, bits)
    return f"{joined} joins {into}: ω {way} from {before} to {after} {unit}, {verdict}."


def _spelt(members: Sequence[int], x_labels: Sequence[str]) -> str:
    """Return the names of a set's first symbols, and how many more there are."""
    named = " + ".join(f"'{x_labels[x]}'" for x in members[:MOST_NAMED])
    more = len(members) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _written(risk: float, bits: bool) -> str:
    """Return a risk in nats as text, in nats or bits."""
    return "∞" if math.isinf(risk) else f"{risk / math.log(2) if bits else risk:.3f}"
