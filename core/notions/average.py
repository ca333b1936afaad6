"""Budgets on averages over outputs of what these reveal about S, as in the privacy funnel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, AverageBudget
from core.allowed.average_cost import (
    AverageCost,
    Deviation,
    Divergence,
    Largest,
    PowerMean,
    SquaredExcess,
)
from core.allowed.inequalities import excess_lift
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING, quadratic_slack
from core.notions.base import LevelNotion, PointwiseNotion, budget_text
from core.notions.divergence import PointwiseDivergence
from core.notions.entry import NotionEntry
from core.notions.guessing import GuessingProbability, PointwiseMaximalLeakage
from core.notions.lift_norms import AlphaLift, Chi2Lift, L1Lift
from core.validation import FloatArray, one_of, shown


@dataclass(frozen=True)
class Measure:
    """A measure that may be bounded: its name, also in one word, and its function of P(s, y).

    - `in_nats`: whether it is in nats.
    - `is_sum`: whether it is a sum over the outputs, not a logarithm of one.
    - `is_linear`: whether it is linear in the distance of lifts to 1, not quadratic.
    - `has_order`: whether it has an order α in (0, ∞].
    """

    title: str
    short: str
    compute: Callable[..., Any]
    in_nats: bool = True
    is_sum: bool = True
    is_linear: bool = False
    has_order: bool = False


MEASURES: Mapping[str, Measure] = {
    "mutual_information": Measure("I(S;Y)", "I(S;Y)", measures.mutual_information),
    "total_variation": Measure(
        "total variation", "TV", measures.total_variation, in_nats=False, is_linear=True
    ),
    "chi2": Measure("χ²", "χ²", measures.chi2_divergence, in_nats=False),
    "maximal_leakage": Measure(
        "maximal leakage", "leakage", measures.maximal_leakage, is_sum=False, is_linear=True
    ),
    "sibson": Measure(
        "Sibson information", "Sibson", measures.sibson, is_sum=False, has_order=True
    ),
    "arimoto": Measure(
        "Arimoto information", "Arimoto", measures.arimoto, is_sum=False, has_order=True
    ),
    "guessing": Measure(
        *("probability of guessing S", "guessing", measures.guessing_probability),
        in_nats=False,
        is_linear=True,
    ),
}
"""The measures that may be bounded, by key."""


@dataclass(frozen=True)
class Average(LevelNotion):
    """An average measure of S and Y is at most `bound`: [Funnel] Problem 1 for I(S;Y).

    Unlike a pointwise notion it bounds no single output: a rare one may reveal S.

    Parameters
    ----------
    measure : str
        "mutual_information", "total_variation", "chi2", "maximal_leakage", "sibson", "arimoto" or
        "guessing", the probability Σ_y max_s P(s, y) that the best guess of S is right.
    bound : float
        In [0, ∞], in nats for measures of information; a probability in (0, 1] for "guessing".
    order : float, optional
        α in (0, ∞], for "sibson" and "arimoto" only.

    Raises
    ------
    InvalidInputError
        If the measure is unknown, the bound or the order is outside its domain, or an order is
        missing or is given for a measure that has none.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mi = Average("mutual_information", 0.1)
    >>> str(mi), round(mi.achieved(joint, np.eye(2)), 4), mi.holds(joint, np.ones((2, 1)))
    ('I(S;Y) ≤ 0.1', 0.1308, True)
    >>> str(Average("sibson", 0.5, order=2))
    'Sibson information of order 2 ≤ 0.5'
    """

    measure: str
    bound: float
    order: float | None = None

    name: ClassVar[str] = "average budget"
    on_average: ClassVar[bool] = True
    of_joint_sy: ClassVar[bool] = True
    ends_at_x: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of(self.measure, MEASURES, "measure")
        if self.measure == "guessing":
            bound = validation.number(self.bound, "bound", low=0.0, high=1.0, open_low=True)
        else:
            bound = validation.budget(self.bound, "bound")
        object.__setattr__(self, "bound", bound)
        if self._measure.has_order:
            if self.order is None:
                raise InvalidInputError(f"{self.measure} needs an order in (0, ∞], got none.")
            order = validation.number(self.order, "order", low=0.0, open_low=True)
            object.__setattr__(self, "order", order)
        elif self.order is not None:
            raise InvalidInputError(f"{self.measure} has no order, got {shown(self.order)}.")

    @property
    def _measure(self) -> Measure:
        return MEASURES[self.measure]

    def short_name(self) -> str:
        """Return the name of the measure in one word."""
        return self._measure.short

    @property
    def title(self) -> str:
        """What is averaged, with its order where it has one."""
        of = "" if self.order is None else f" of order {budget_text(self.order)}"
        return f"{self._measure.title}{of}"

    def __str__(self) -> str:
        return f"{self.title} ≤ {budget_text(self.bound)}"

    @property
    def in_nats(self) -> tuple[str, ...]:
        """The bound's name, where the measure is one of information."""
        return ("bound",) if self._measure.in_nats else ()

    @property
    def is_sum(self) -> bool:
        """Whether the measure is a sum over the outputs, not a logarithm of one: see `room`."""
        return self._measure.is_sum or self.order == 1

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether the bound is 0, so Y is independent of S."""
        return self.bound == 0

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the measure itself: the least bound at which the notion holds."""
        return float(self._measured(joint.release(kernel)))

    def achieved_by_each(self, joint_sy: ArrayLike) -> FloatArray:
        """Return `achieved` of many releases at once, shape (k,); see `Notion`."""
        return np.asarray(self._measured(joint_sy), dtype=np.float64)

    def _measured(self, joint_sy: ArrayLike) -> Any:
        """Return the measure of P(s, y): a float, or an array for a batch."""
        return self._measure.compute(joint_sy, *(() if self.order is None else (self.order,)))

    @property
    def budget(self) -> float:
        """The bound, in the unit of the measure."""
        return self.bound

    def slack(self, budget: float) -> float:
        """Return how far rounding may lift the measure above a bound, in its unit."""
        linear = self._measure.is_linear or self.order == np.inf
        return super().slack(budget) if linear else quadratic_slack(budget)

    def named_levels(self) -> dict[str, float]:
        """Return the bound by the measure's key among levels; {} for a measure with an order."""
        key = "chi2_divergence" if self.measure == "chi2" else self.measure
        return {key: self.bound} if self.order is None else {}

    def most_about_secret(self) -> float:
        """Return the largest I(S;Y) under the bound, in nats; ∞ where none is known.

        Sibson's information grows with its order, which is 1 for Shannon's and ∞ for the maximal
        leakage; I(S;Y) ≤ log(1 + χ²) as the logarithm is concave.
        """
        if self.measure in ("mutual_information", "maximal_leakage") or self.order == 1:
            return self.bound
        if self.measure == "sibson" and self.order is not None and self.order > 1:
            return self.bound
        return float(np.log1p(self.bound)) if self.measure == "chi2" else np.inf

    def of_each_output(self) -> PointwiseNotion:
        """Return the notion that bounds each output's own part in the measure by the same number.

        A mean is at most its largest term. Sibson's information grows with its order, from that of
        order 1, Shannon's, to the maximal leakage, which is the same for every P(s) > 0: Arimoto's
        is Sibson's under another one.

        Examples
        --------
        >>> print(Average("total_variation", 0.5).of_each_output())
        0.693147-ℓ1-lift
        """
        if self.measure == "guessing":
            return GuessingProbability(self.bound)
        if self.measure == "total_variation":  # of an output it is half the ℓ1-lift
            return L1Lift(float(np.log1p(2 * self.bound)))
        if self.measure == "chi2":
            return Chi2Lift(float(np.log1p(np.sqrt(self.bound))))
        if self.measure == "mutual_information" or self.order == 1:
            return PointwiseDivergence(self.bound)
        if self.measure == "sibson" and self.order is not None and self.order < np.inf:
            if self.order < 1:
                return PointwiseDivergence(self.bound)
            return AlphaLift(np.inf, self.bound * (self.order - 1) / self.order, self.order)
        return PointwiseMaximalLeakage(self.bound)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the budget in the solver's form, without rows unless it is the least possible.

        A bound that X itself keeps allows every mechanism. The least bound gives rows: each output
        is independent of S or, for "guessing", leaves the likeliest secret the best guess. A bound
        on guesses below max_s P(s) raises `InfeasibleError`.
        """
        excess = excess_lift(joint, budget=np.sqrt(self.bound))
        free = inequalities.plain(np.empty((0, joint.n_x)))
        if self._measured(joint.p) <= self.budget + self.slack(self.budget):  # of X itself
            return free
        room = self.room(joint)
        if room < -ROUNDING:
            raise InfeasibleError(
                f"No mechanism satisfies {self}: S is guessed with probability "
                f"{joint.p_s.max():.6g} before any release, so that is the smallest bound."
            )
        cost = self._cost(joint.p_s)
        if room <= ROUNDING * (self.measure == "guessing"):
            return inequalities.plain(_nothing_revealed(excess, cost))
        # the solver's upper bound must hold for every mechanism that the audit accepts
        limit = self.room(joint, self.slack(self.bound))
        return AllowedSet(free.rows, joint.n_x, budgets=(AverageBudget(cost, excess, limit),))

    def room(self, joint: Joint, slack: float = 0.0) -> float:
        """Return Σ_y P(y) c(l_y) of a mechanism whose measure is the bound plus `slack`.

        A mixture of two mechanisms, where Y says which of them was used, has the mean of theirs.
        The measure itself is that mean only if `is_sum`: a leakage is a logarithm of the sum.

        Parameters
        ----------
        joint : Joint
            P(s, x), of which P(s) counts.
        slack : float
            What is added to the bound.

        Examples
        --------
        >>> joint = Joint.from_counts([[3, 1], [1, 3]])
        >>> Average("total_variation", 0.25).room(joint)
        0.25
        >>> round(Average("maximal_leakage", np.log(1.5)).room(joint), 9)
        0.5
        """
        most = self.bound + slack
        if self.measure == "guessing":
            return float(most / joint.p_s.max() - 1.0)
        factor = 1.0
        if self.order is not None and self.order not in (1.0, np.inf):
            factor = (self.order - 1) / self.order
        elif self.is_sum:
            return most
        with np.errstate(over="ignore"):  # ∞ where no double is as large
            return float(abs(np.expm1(factor * most)))

    def _cost(self, p_s: FloatArray) -> AverageCost:
        """Return c for the prior P(s), shape (n_s,)."""
        if self.measure == "mutual_information" or self.order == 1:
            return Divergence(p_s)
        if self.measure == "total_variation":
            return Deviation(p_s)
        if self.measure == "chi2":
            return SquaredExcess(p_s)
        if self.measure == "guessing" or (self.measure, self.order) == ("arimoto", np.inf):
            return Largest(p_s, p_s)
        if self.order is None or self.order == np.inf:
            return Largest(np.ones(len(p_s)), p_s)
        weights = p_s if self.measure == "sibson" else (p_s / p_s.max()) ** self.order
        return PowerMean(weights / weights.sum(), self.order)


def _nothing_revealed(excess: FloatArray, cost: AverageCost) -> FloatArray:
    """Return rows that allow the outputs of cost 0, shape (k, n_x)."""
    if isinstance(cost, Largest) and not (cost.weights == cost.weights[0]).all():
        share = cost.weights / cost.weights.max()
        top = int(share.argmax())
        gap = inequalities.difference(
            share[:, None] * (1 + excess),
            1 + excess[top],
            share[:, None] * excess + (share - 1)[:, None],
            excess[top],
        )
        return inequalities.scaled(np.delete(gap, top, axis=0))
    return np.vstack(
        [inequalities.lift_at_least(excess, 0.0), inequalities.lift_at_most(excess, 0.0)]
    )


AVERAGES: tuple[NotionEntry, ...] = (
    NotionEntry(
        key="average_mi",
        title="Information budget (privacy funnel)",
        family="average",
        meaning="On average over the outputs, the release reveals at most M nats about the secret.",
        formula=r"I(S;Y) \le M",
        source="[Funnel] Problem 1",
        parameters=("eps",),
        kind=Average,
        builder=lambda eps: Average("mutual_information", eps),
        level_title="I(S;Y)",
    ),
    NotionEntry(
        key="average_tv",
        title="Total variation budget",
        family="average",
        meaning=(
            "The joint distribution of secret and release is within M of independence, in total "
            "variation."
        ),
        formula=r"\tfrac12 \sum_{s,y} |P(s,y) - P(s)P(y)| \le M",
        source="[Lift] below eq. 27",
        parameters=("eps",),
        kind=Average,
        builder=lambda eps: Average("total_variation", eps),
        level_title="Total variation",
        in_nats=False,
    ),
    NotionEntry(
        key="average_chi2",
        title="χ² budget",
        family="average",
        meaning="In mean square over secrets and outputs, lifts are within √M of 1.",
        formula=r"\sum_{s,y} P(s)P(y)\,(l(s,y)-1)^2 \le M",
        source="[Lift] below eq. 28",
        parameters=("eps",),
        kind=Average,
        builder=lambda eps: Average("chi2", eps),
        level_title="χ² on average",
        in_nats=False,
    ),
    NotionEntry(
        key="average_leakage",
        title="Maximal leakage budget",
        family="average",
        meaning="On average, no function of the secret is guessed more than e^M times as often.",
        formula=r"\log \sum_y \max_s P(y \mid s) \le M",
        source="[ALIP] eq. 17",
        parameters=("eps",),
        kind=Average,
        builder=lambda eps: Average("maximal_leakage", eps),
        level_title="Maximal leakage",
    ),
    NotionEntry(
        key="average_sibson",
        title="Sibson budget",
        family="average",
        meaning="Sibson's information of order α between secret and release is at most M.",
        formula=r"I^S_\alpha(S;Y) \le M",
        source="[Lift] below eq. 29, [ALIP] eq. 13",
        parameters=("eps", "alpha"),
        kind=Average,
        builder=lambda eps, alpha: Average("sibson", eps, alpha),
        level_title="Sibson's information",
    ),
    NotionEntry(
        key="average_arimoto",
        title="α-leakage budget (Arimoto)",
        family="average",
        meaning="An adversary who guesses the secret gains at most M from the release, on average.",
        formula=r"I^A_\alpha(S;Y) \le M",
        source="[ALIP] Def. 3",
        parameters=("eps", "alpha"),
        kind=Average,
        builder=lambda eps, alpha: Average("arimoto", eps, alpha),
        level_title="Arimoto's information",
    ),
    NotionEntry(
        key="average_guess",
        title="Average guessing bound",
        family="average",
        meaning="After the release, the secret is guessed with a probability of at most c.",
        formula=r"\sum_y \max_s P(s, y) \le c",
        source="[ALIP] eq. 16",
        parameters=("bound",),
        kind=Average,
        builder=lambda bound: Average("guessing", bound),
        level_title="Best guess of S, on average",
        in_nats=False,
    ),
)
"""The catalogue's entries of these notions."""
