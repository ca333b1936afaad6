"""The two shapes of pointwise notions: one budget ε, or one for each side, (ε_l, ε_u)."""

from dataclasses import dataclass

import numpy as np

from core import validation
from core.notions.base import PointwiseNotion, relative


@dataclass(frozen=True)
class OneBudget(PointwiseNotion):
    """A pointwise notion with one budget; its `achieved` is the least ε at which it holds."""

    eps: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", validation.budget(self.eps, "eps"))

    def __str__(self) -> str:
        return f"{budget_text(self.eps)}-{self.name}"

    @property
    def level_unit(self) -> str:
        return "nats"

    @property
    def lower_budget(self) -> float:
        return self.eps

    @property
    def upper_budget(self) -> float:
        return self.eps

    @property
    def is_perfect_privacy(self) -> bool:
        return self.eps == 0

    def combined(self, lower: float, upper: float) -> float:
        """Return the larger level: the least ε at which these outputs are allowed, in nats."""
        return max(lower, upper)

    def over_budget(self, achieved: float) -> float:
        """Return the least ε at which the notion holds, divided by `eps`: at most 1 iff it does."""
        return relative(achieved, self.eps, self.slack(0.0))


@dataclass(frozen=True)
class TwoBudgets(PointwiseNotion):
    """A pointwise notion with a budget for falling beliefs and another for rising beliefs."""

    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps_l", validation.budget(self.eps_l, "eps_l"))
        object.__setattr__(self, "eps_u", validation.budget(self.eps_u, "eps_u"))

    def __str__(self) -> str:
        return f"({budget_text(self.eps_l)}, {budget_text(self.eps_u)})-{self.name}"

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether a budget is 0: lifts average to 1, so none is below 1 if none is above."""
        return 0 in (self.eps_l, self.eps_u)

    @property
    def lower_budget(self) -> float:
        return self.eps_l

    @property
    def upper_budget(self) -> float:
        return self.eps_u


def budget_text(value: float) -> str:
    return "∞" if value == np.inf else f"{value:g}"


def split(eps: float, lam: float) -> tuple[float, float]:
    """Return (ε_l, ε_u) = (λε, (1−λ)ε), and (∞, ∞) for ε = ∞ ([Lift] §III)."""
    total = validation.budget(eps, "eps")
    share = validation.number(lam, "lam", low=0.0, high=1.0)
    if total == np.inf:
        return total, total
    return share * total, (1 - share) * total
