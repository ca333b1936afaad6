"""Notions made of others: several at once, or one that may fail with a small probability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions.base import Notion, PointwiseNotion, budget_text
from core.validation import BoolArray, FloatArray, IntArray, shown
from core.wording import rounded_up


@dataclass(frozen=True, init=False)
class Intersection(Notion):
    """All of several notions must hold.

    Parameters
    ----------
    *notions : Notion
        At least one.

    Raises
    ------
    InvalidInputError
        If no notion is given, or an argument is not a `Notion`.

    Examples
    --------
    >>> from core.notions import LDP, LIP
    >>> str(Intersection(LIP(1), LDP(1.5)))
    '1-LIP and 1.5-LDP'
    """

    notions: tuple[Notion, ...]

    name: ClassVar[str] = "intersection"

    def __init__(self, *notions: Notion) -> None:
        if not notions:
            raise InvalidInputError("An intersection needs at least one notion, got none.")
        for notion in notions:
            if not isinstance(notion, Notion):
                raise InvalidInputError(f"An intersection takes notions only, got {notion!r}.")
        object.__setattr__(self, "notions", notions)

    @property
    def parts(self) -> tuple[Notion, ...]:
        """The notions, with intersections among them replaced by their own parts."""
        return tuple(part for notion in self.notions for part in notion.parts)

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether one of the notions is perfect privacy."""
        return any(part.is_perfect_privacy for part in self.parts)

    def most_about_secret(self) -> float:
        """Return the least of the notions' upper bounds on I(S;Y), in nats."""
        return min(notion.most_about_secret() for notion in self.notions)

    def named_levels(self) -> dict[str, float]:
        """Return all bounds of the notions on levels, by key, the least where several share one."""
        named = [notion.named_levels() for notion in self.notions]
        keys = {key for levels in named for key in levels}
        return {key: min(levels.get(key, np.inf) for levels in named) for key in keys}

    def without_exceptions(self) -> Notion:
        """Return the intersection of the notions with δ = 0, which implies it."""
        parts = tuple(notion.without_exceptions() for notion in self.notions)
        same = all(new is old for new, old in zip(parts, self.notions, strict=True))
        return self if same else Intersection(*parts)

    def excepted(self, joint_sy: ArrayLike) -> BoolArray:
        """Return which outputs of P(s, y), shape (n_s, n_y), are exceptions of some notion."""
        excepted = [notion.excepted(joint_sy) for notion in self.notions]
        return np.asarray(np.any(excepted, axis=0), dtype=np.bool_)

    def with_classes(self, of_x: IntArray) -> Notion:
        """Return the intersection of the notions for classes of symbols."""
        return Intersection(*(notion.with_classes(of_x) for notion in self.notions))

    def among(self, s: IntArray, n_s: int) -> Notion:
        """Return the intersection of the notions for a joint with the secrets `s` alone."""
        return Intersection(*(notion.among(s, n_s) for notion in self.notions))

    def is_convex(self) -> bool:
        """Return whether each of the notions allows a convex set."""
        return all(notion.is_convex() for notion in self.notions)

    def __str__(self) -> str:
        return self.composed(str)

    def composed(self, write: Callable[[Notion], str]) -> str:
        """Return the notions' names, joined by "and"."""
        return " and ".join(write(notion) for notion in self.notions)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the largest of the notions' scales: at most 1 iff all hold."""
        return max(notion.scale(joint, kernel) for notion in self.notions)

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps every notion, up to `ROUNDING`."""
        return all(notion.holds(joint, kernel) for notion in self.notions)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the outputs that all notions allow: their rows, further variables and oracles."""
        parts = self.notions
        if any(part.on_average and part.is_perfect_privacy for part in parts):
            # every output is independent of S then, so there are no exceptions
            parts = tuple(part.notion if isinstance(part, EpsDelta) else part for part in parts)
        return inequalities.combined([notion.allowed_set(joint) for notion in parts])


_IN_WORDS = {
    "LIP": (
        "for someone who knows only the distribution of the data, Y alone shifts no belief about "
        "{secret} by more than a factor of {factor}"
    ),
    "PML": (
        "for someone who knows only the distribution of the data, Y alone raises no belief about "
        "{secret} by more than a factor of {factor}"
    ),
    "LDP": (
        "no output is more than {factor} times as likely under one value of {secret} as under "
        "another"
    ),
}
"""Sentences on what a level e^{level} = factor means, by the notion's name."""


@dataclass(frozen=True)
class EpsDelta(Notion):
    """A notion that may fail on outputs of total probability δ: (ε, δ)-privacy.

    It is the probabilistic form of (ε, δ), P(level of Y > ε) ≤ δ: an exception may reveal S.

    Parameters
    ----------
    notion : Notion
        A `PointwiseNotion`, or an `Intersection` of such.
    delta : float
        δ in [0, 1); at 0 it is the notion itself.

    Raises
    ------
    InvalidInputError
        If δ is outside [0, 1), or the notion is not pointwise.

    Notes
    -----
    The optimum publishes some symbols as they are, with total probability δ, and the rest under
    the notion: utilities are convex in the posterior, so the best exceptions each name one symbol.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[30, 10, 1], [10, 30, 0]])
    >>> promise = EpsDelta(LIP(0.5), 0.05)
    >>> str(promise), promise.holds(joint, np.eye(3)), LIP(0.5).holds(joint, np.eye(3))
    ('0.5-LIP with δ = 0.05', False, False)
    >>> round(promise.achieved(joint, np.eye(3)), 4)  # the third symbol, 1 in 81, is an exception
    0.7054
    """

    notion: Notion
    delta: float

    name: ClassVar[str] = "(ε, δ)-privacy"
    of_joint_sy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        delta = validation.number(self.delta, "delta", low=0.0, high=1.0)
        if delta == 1.0:
            raise InvalidInputError("delta must be in [0, 1), got 1: then nothing is guaranteed.")
        object.__setattr__(self, "delta", delta)
        whole = self.notion.parts if isinstance(self.notion, Notion) else (self.notion,)
        for part in whole:
            if not isinstance(part, PointwiseNotion):
                what = str(part) if isinstance(part, Notion) else shown(part)
                raise InvalidInputError(
                    f"Exceptions need a notion about each output separately, got {what}."
                )

    def __str__(self) -> str:
        return self.composed(str)

    def composed(self, write: Callable[[Notion], str]) -> str:
        """Return the notion's name, and δ."""
        return f"{write(self.notion)} with δ = {budget_text(self.delta)}"

    @property
    def exceptions(self) -> float:
        """δ."""
        return self.delta

    def without_exceptions(self) -> Notion:
        """Return the notion itself."""
        return self.notion

    def excepted(self, joint_sy: ArrayLike) -> BoolArray:
        """Return which outputs of P(s, y), shape (n_s, n_y), break the notion; none where δ = 0."""
        broken = self.breaks(joint_sy)
        return broken if self.delta > 0 else np.zeros_like(broken)

    def in_words(self, level: float, secret: str, records: int) -> str | None:
        """Return a sentence on the level with exceptions; None if infinite or of another notion."""
        if self.delta == 0:
            return self.notion.in_words(level, secret, records)
        sentence = _IN_WORDS.get(self.notion.name)
        if sentence is None or not np.isfinite(level):
            return None
        factor = rounded_up(np.exp(level))
        return (
            f"Except for releases of total probability {self.delta:g}, which may reveal "
            f"everything, {sentence.format(secret=secret, factor=factor)}."
        )

    def most_about_secret(self) -> float:
        """Return the notion's where δ = 0, else ∞: an exception may reveal S."""
        return self.notion.most_about_secret() if self.delta == 0 else np.inf

    def named_levels(self) -> dict[str, float]:
        """Return those of the notion where δ = 0, else none: an exception may have any level."""
        return self.notion.named_levels() if self.delta == 0 else {}

    def is_convex(self) -> bool:
        """Return whether the notion allows a convex set."""
        return self.notion.is_convex()

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε, or scale of the budgets, that outputs exceed with probability ≤ δ."""
        if self.delta == 0:
            return self.notion.achieved(joint, kernel)
        joint_sy = joint.release(kernel)
        inner = self.notion
        levels = _levels(inner, joint_sy) if isinstance(inner, PointwiseNotion) else None
        return self._but_for_delta(joint_sy, _scales(inner, joint_sy) if levels is None else levels)

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least scale of the budgets that outputs exceed with probability ≤ δ."""
        if self.delta == 0:
            return self.notion.scale(joint, kernel)
        joint_sy = joint.release(kernel)
        return self._but_for_delta(joint_sy, _scales(self.notion, joint_sy))

    def over_budget(self, achieved: float) -> float:
        """Return the achieved level over the required one; several notions have that already."""
        own = self.delta == 0 or isinstance(self.notion, PointwiseNotion)
        return self.notion.over_budget(achieved) if own else achieved

    @property
    def level_unit(self) -> str:
        """Unit of `achieved`: the notion's; a scale where it is several notions."""
        return self.notion.level_unit

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether outputs that break the notion have a total probability of at most δ."""
        if self.delta == 0:
            return self.notion.holds(joint, kernel)
        joint_sy = joint.release(kernel)
        return float(joint_sy.sum(axis=0)[self.breaks(joint_sy)].sum()) <= self.delta + ROUNDING

    def breaks(self, joint_sy: ArrayLike) -> BoolArray:
        """Return which outputs of P(s, y), shape (n_s, n_y), break the notion: shape (n_y,)."""
        parts = [part for part in self.notion.parts if isinstance(part, PointwiseNotion)]
        return np.asarray(~np.all([part.allows(joint_sy) for part in parts], axis=0))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the outputs that the notion allows, and the probability of exceptions.

        `InfeasibleError` where the notion allows no mechanism, not even one independent of X.
        """
        inner = self.notion.allowed_set(joint)
        free = inner.oracle is None and not inner.rows.shape[0]
        return inner if free or self.delta == 0 else replace(inner, exceptions=self.delta)

    def _but_for_delta(self, joint_sy: FloatArray, levels: FloatArray) -> float:
        """Return the least of these levels, shape (n_y,), that Y exceeds with probability ≤ δ."""
        p_y = joint_sy.sum(axis=0)
        occurs = p_y > 0
        p_y, levels = p_y[occurs], levels[occurs]
        order = np.argsort(-levels, kind="stable")
        above = np.cumsum(p_y[order])  # probability of this output and those of larger levels
        first = int((above <= self.delta + ROUNDING).sum())
        return float(levels[order[min(first, len(order) - 1)]])


def _levels(notion: PointwiseNotion, joint_sy: FloatArray) -> FloatArray:
    """Return `combined` of each output by itself, shape (n_y,)."""
    lower, upper = notion.lower_level(joint_sy), notion.upper_level(joint_sy)
    pairs = zip(lower.tolist(), upper.tolist(), strict=True)
    return np.array([notion.combined(low, high) for low, high in pairs])


def _scales(notion: Notion, joint_sy: FloatArray) -> FloatArray:
    """Return the least scale of the budgets that allows each output, shape (n_y,)."""
    scales = []
    for part in notion.parts:
        if not isinstance(part, PointwiseNotion):
            continue
        levels = [part.over_budget(level) for level in _levels(part, joint_sy).tolist()]
        scales.append(np.array(levels))
    result: FloatArray = np.max(scales, axis=0)
    return result
