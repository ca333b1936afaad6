"""Local differential privacy, of all secrets alike and by their distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import measures
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, LiftRange
from core.allowed.inequalities import excess_lift
from core.errors import InvalidInputError
from core.joint import Joint
from core.level_order import all_numbers, number
from core.limits import AT_ONCE, DUST, ROUNDING
from core.measures import lift
from core.measures.pointwise import most_divergence
from core.notions.base import OneBudget
from core.validation import BoolArray, FloatArray, IntArray, shown


@dataclass(frozen=True)
class LDP(OneBudget):
    """ε-local differential privacy with respect to S: Γ(y) ≤ e^{ε} for every y.

    Source: [Lift] Def. 2, [Funnel] Def. 1.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> LDP(1).achieved(joint, np.eye(2))  # log 3
    1.0986122886681098
    """

    name: ClassVar[str] = "LDP"
    bounds_levels: ClassVar[Mapping[str, str]] = {"ldp": "eps"}
    bounds_ratio: ClassVar[bool] = True
    risk: ClassVar[str] = r"\omega(X_i) = \log \Gamma(X_i)"

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return log Γ(y), shape (..., n_y), of P(s, y), shape (..., n_s, n_y)."""
        level: FloatArray = np.maximum(np.log(measures.lift_ratio(joint_sy)), 0.0)
        return level

    def set_risk(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return log Γ, the upper level: the lower one is 0."""
        larger: FloatArray = np.maximum(lower, upper)
        return larger

    def most_about_secret(self) -> float:
        """Return the largest D(P(S|y) ‖ P(S)) of lifts in [a, a·e^ε], in nats.

        It is that of the worst a, which is (1 − e^{−ε})/ε.
        """
        if self.eps in (0.0, np.inf):
            return self.eps
        least = float(-np.expm1(-self.eps) / self.eps)
        return most_divergence(least, self.eps + float(np.log(least)))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows.

        With few secrets, a row for each pair: lift_s(r) ≤ e^ε lift_t(r). With more, 2·n_s rows and
        an auxiliary variable h between the lifts: e^{−ε/2} lift_s(r) ≤ h and
        e^{−ε/2} h ≤ lift_s(r). Half of ε on each side keeps coefficients of a large ε above 0.
        """
        allowed = self._rows(joint)
        # above this budget in nats e^ε is no double
        if not joint.is_secret_released or not 0.0 < self.eps < 700.0:
            return allowed
        return replace(allowed, lifts=LiftRange(0.0, float(np.expm1(self.eps)), scaled=True))

    def _rows(self, joint: Joint) -> AllowedSet:
        if self.eps == np.inf or joint.n_s == 1:
            return inequalities.plain(np.empty((0, joint.n_x)))
        if self.eps == 0:
            excess = excess_lift(joint, budget=0.0)
            return inequalities.plain(inequalities.equations(excess, joint))
        # up to this many secrets there is a row for each pair, at most 30: without auxiliary
        # variables the solver can use the vertices of the set, which is faster
        if joint.n_s <= 6:
            excess, shrink = excess_lift(joint, budget=self.eps), np.exp(-self.eps)
            s, t = np.nonzero(~np.eye(joint.n_s, dtype=bool))
            lift = inequalities.lifts(joint, excess, budget=self.eps)
            gap = inequalities.difference(
                shrink * lift[s],
                lift[t],
                shrink * excess[s] + np.expm1(-self.eps),
                excess[t],
            )
            return inequalities.plain(inequalities.scaled(gap))
        # below this budget in nats rows are made of differences of lifts, to keep their digits
        if self.eps < 0.1:
            return self._beside_first(joint)
        lift, shrink = inequalities.data_lift(joint), np.exp(-self.eps / 2)
        ones = np.ones((joint.n_s, 1))
        above = np.hstack([shrink * lift, -ones])
        below = np.hstack([-lift, shrink * ones])
        matrix = inequalities.scaled(np.vstack([above, below]))
        return AllowedSet(sparse.csr_array(matrix), joint.n_x)

    def _beside_first(self, joint: Joint) -> AllowedSet:
        """Return the same cone with g = h − e^{−ε/2} lift_1(r) ≥ 0, in differences of lifts."""
        excess, shrink = excess_lift(joint, budget=self.eps), np.exp(-self.eps / 2)
        first, others = excess[:1], excess[1:]
        above = shrink * inequalities.difference(1 + others, 1 + first, others, first)
        below = inequalities.difference(
            shrink**2 * (1 + first),
            1 + excess,
            shrink**2 * first + np.expm1(-self.eps),
            excess,
        )
        auxiliary = np.append(np.full(len(above), -1.0), np.full(len(below), shrink))
        matrix = inequalities.scaled(np.hstack([np.vstack([above, below]), auxiliary[:, None]]))
        return AllowedSet(sparse.csr_array(matrix), joint.n_x)


@dataclass(frozen=True)
class MetricLDP(OneBudget):
    """ε-LDP by distance: P(y|s) ≤ e^{ε d(s,s′)} P(y|s′) for every y and all s ≠ s′.

    Source: Chatzikokolakis, Andrés, Bordenabe and Palamidessi 2013. Where all distances are 1 it
    is LDP.

    Parameters
    ----------
    eps : float
        ε, in nats for each unit of distance.
    distances : sequence of sequence of float
        d(s, s′) ≥ 0, shape (n_s, n_s), symmetric, 0 from each secret to itself; ∞ asks nothing of a
        pair. Where a way over other secrets is shorter than d(s, s′), that way binds.

    Raises
    ------
    InvalidInputError
        If a number is outside its domain, or distances are not symmetric.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(MetricLDP(1, [[0, 2], [2, 0]]).achieved(joint, np.eye(2)), 6)  # log(3)/2
    0.549306
    """

    distances: Sequence[Sequence[float]]

    name: ClassVar[str] = "metric LDP"

    def __post_init__(self) -> None:
        super().__post_init__()
        table = tuple(tuple(map(float, row)) for row in np.asarray(checked(self.distances)))
        object.__setattr__(self, "distances", table)

    @classmethod
    def of_joint(cls, joint: Joint, eps: float) -> MetricLDP:
        """Return it with |value − value| of numbers, and else the places of S's levels.

        Examples
        --------
        >>> MetricLDP.of_joint(Joint.from_counts([[1, 2], [2, 1]], ["10", "30"]), 1.0).distances
        ((0.0, 20.0), (20.0, 0.0))
        """
        at = np.arange(joint.n_s, dtype=np.float64)
        if all_numbers(joint.s_labels):
            at = np.array([number(label) for label in joint.s_labels], dtype=np.float64)
        return cls(eps, np.abs(np.subtract.outer(at, at)).tolist())

    def upper_level(self, joint_sy: ArrayLike) -> FloatArray:
        """Return max_{s ≠ s′} log(P(y|s)/P(y|s′))/d(s, s′) of P(s, y), shape (..., n_y).

        A way over other secrets is at least as far, so one of its steps has as large a quotient.
        """
        lifts = lift(joint_sy)
        table = self._table(lifts.shape[-2])
        level: FloatArray = 0.0 * lifts.max(axis=-2)
        count = max(1, AT_ONCE // max(level.size, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(lifts)
            for at in range(0, len(self._pairs), count):
                s, t = self._pairs[at : at + count].T
                distance = table[s, t][:, None]
                apart = np.abs(logs[..., s, :] - logs[..., t, :])
                apart[~(apart > DUST)] = 0.0  # also where both are −∞
                if not distance.all():  # at a distance of 0 nothing is allowed
                    over = np.where(apart > ROUNDING, np.inf, 0.0)
                    apart = np.where(distance > 0, apart, over)
                    distance = np.where(distance > 0, distance, 1.0)
                level = np.maximum(level, (apart / distance).max(axis=-2))
        return level

    @cached_property
    def _pairs(self) -> IntArray:
        """The pairs s < s′ whose bounds imply all others, shape (k, 2)."""
        return np.argwhere(np.triu(neighbors(self._distances)))

    def among(self, s: IntArray, n_s: int) -> MetricLDP:
        """Return it with the distances of the secrets `s` alone; no way leads over the others."""
        return replace(self, distances=self._table(n_s)[np.ix_(s, s)].tolist())

    def allows(self, joint_sy: ArrayLike) -> BoolArray:
        """Return whether each output is allowed, shape (..., n_y), up to `ROUNDING` of a ratio.

        As a slack of the level, rounding at the least distance would be room at all others.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(lift(joint_sy))
            fits = np.ones(logs[..., 0, :].shape, dtype=bool)
            most = self.eps * self._table(logs.shape[-2]) + ROUNDING
            for s, row in enumerate(most):
                fits &= ~(logs[..., s : s + 1, :] - logs > row[:, None]).any(axis=-2)
        return fits

    def slack(self, budget: float) -> float:
        """Return how far rounding may lift a level above a budget, whichever pair has it."""
        return super().slack(budget) / self._furthest

    @cached_property
    def _furthest(self) -> float:
        """The largest finite distance, at least 1."""
        table = self._distances
        return max(1.0, float(table[np.isfinite(table)].max()))

    @cached_property
    def _distances(self) -> FloatArray:
        """The distances as an array, which every step of a merging reads."""
        return np.asarray(self.distances, dtype=np.float64)

    def named_levels(self) -> dict[str, float]:
        """Return the bound on LDP's level that the largest distance implies."""
        furthest = float(np.max(self.distances))
        return {"ldp": self.eps * furthest} if max(self.eps, furthest) < np.inf else {}

    def most_about_secret(self) -> float:
        """Return that of LDP at the largest distance; ∞ where it names no bound."""
        named = self.named_levels()
        return LDP(named["ldp"]).most_about_secret() if named else np.inf

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: a row for each pair of neighbors."""
        table = self._table(joint.n_s)
        apart = table[~np.eye(joint.n_s, dtype=bool)]
        if joint.n_s == 1 or self.eps == np.inf:
            return inequalities.plain(np.empty((0, joint.n_x)))
        if (apart == apart[0]).all():
            free = np.isinf(apart[0])
            return LDP(np.inf if free else self.eps * apart[0]).allowed_set(joint)
        if self.eps == 0 and np.isfinite(apart).all():
            return LDP(0.0).allowed_set(joint)
        s, t = np.nonzero(neighbors(table))
        budget = (self.eps * table[s, t])[:, None]
        excess = excess_lift(joint, budget=budget.min())
        lifts, shrink = inequalities.lifts(joint, excess, budget=budget.max()), np.exp(-budget)
        gap = inequalities.difference(
            shrink * lifts[s], lifts[t], shrink * excess[s] + np.expm1(-budget), excess[t]
        )
        return inequalities.plain(inequalities.scaled(gap))

    def _table(self, n_s: int) -> FloatArray:
        """Return the distances, checked to be those of so many secrets."""
        table = self._distances
        if len(table) != n_s:
            raise InvalidInputError(
                f"The distances are of {len(table)} secrets, and S has {n_s}: give one for each "
                "pair that occurs."
            )
        return table


def checked(distances: ArrayLike) -> FloatArray:
    """Return a table of distances, checked."""
    try:
        table = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"distances must be numbers, got {shown(distances)}.") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise InvalidInputError(f"distances must be a square table, got shape {table.shape}.")
    if not (table >= 0).all():  # NaN is not
        wrong = table[~(table >= 0)][0]
        raise InvalidInputError(f"distances must be at least 0, got {wrong:g}.")
    if np.diagonal(table).any():
        s = int(np.flatnonzero(np.diagonal(table))[0])
        raise InvalidInputError(
            f"The distance of a secret to itself must be 0, got {table[s, s]:g} for secret {s + 1}."
        )
    if (table != table.T).any():
        s, t = (int(place[0]) for place in np.nonzero(table != table.T))
        raise InvalidInputError(
            f"distances must be symmetric, got {table[s, t]:g} from secret {s + 1} to {t + 1} and "
            f"{table[t, s]:g} back."
        )
    return table


def neighbors(table: FloatArray) -> BoolArray:
    """Return the pairs (n_s, n_s) whose bounds imply all others.

    A pair is left out where a third secret, at a positive distance from both, is on the way: both
    parts are shorter than the whole, so by induction they are implied or kept. What is on the way
    up to rounding alone: over many secrets a detour would add up.
    """
    result: BoolArray = np.isfinite(table) & ~np.eye(len(table), dtype=bool)
    for other in range(len(table)):
        first, second = table[:, other, None], table[other, None, :]
        way = first + second
        shorter = (first > 0) & (second > 0) & (np.maximum(first, second) < table)
        result &= ~(shorter & (way <= table * (1 + DUST)))
    return result
