"""A second release of a record, designed so that both together satisfy a notion.

The posterior r(x) ∝ P(x) P(y_1 | x) P(y_2 | x) is linear in P(y_2 | x) up to scale. So a convex
notion's rows apply to each y_2 once for each y_1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, weighed
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.result import Mechanism
from core.notions.base import Notion
from core.validation import FloatArray

OF_AVERAGE = (
    "A second release cannot be designed here: how much of an average budget two releases use "
    "depends on all their outputs at once. Draw once for each record and store the answer."
)
"""Why there is no second release under a budget on an average."""

OF_EXCEPTIONS = (
    "A second release cannot be designed here: exceptions of probability δ count over both "
    "releases together. Set δ to 0 to design one."
)
"""Why there is none under a promise with exceptions."""

NOT_CONVEX = (
    "A second release cannot be designed here: under this notion the set of allowed outputs "
    "is not convex."
)
"""Why there is none under a promise of which no optimum is known."""


def obstacle(joint: Joint, notion: Notion) -> str:
    """Return why `second_release` has no design under a notion; "" where it has."""
    averages = [part for part in notion.parts if part.on_average]
    if any(part.allowed_set(joint).budgets for part in averages):
        return OF_AVERAGE
    if not notion.is_convex():
        return NOT_CONVEX
    if any(part.is_perfect_privacy for part in averages):  # it has no exceptions
        return ""
    return OF_EXCEPTIONS if any(part.exceptions > 0 for part in notion.parts) else ""


@dataclass(frozen=True, eq=False)
class BesideFirst(Notion):
    """A notion of two releases together, as a notion of the second, P(y_2 | x).

    Given X the two are drawn independently.

    Parameters
    ----------
    notion : Notion
        What the pair (y_1, y_2) must satisfy.
    first : ndarray
        P(y_1 | x), shape (n_x, n_1).

    Examples
    --------
    >>> from core.notions import LDP
    >>> joint = Joint.from_counts([[1, 0], [0, 1]])
    >>> flip = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> round(float(BesideFirst(LDP(3), flip).achieved(joint, flip)), 4)  # 2 log 3
    2.1972
    """

    notion: Notion
    first: FloatArray

    name: ClassVar[str] = "two releases"

    def __str__(self) -> str:
        return f"{self.notion} of both releases"

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least level at which both releases together satisfy the notion.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        kernel : array_like
            P(y_2 | x), shape (n_x, n_2).
        """
        return self.notion.achieved(joint, self._both(joint, kernel))

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the notion's `scale` of both together; shapes as `achieved`."""
        return self.notion.scale(joint, self._both(joint, kernel))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Say whether both together satisfy the notion; shapes as `achieved`."""
        return self.notion.holds(joint, self._both(joint, kernel))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the outputs y_2 that are allowed after every y_1: the notion's rows for each.

        Raises
        ------
        NotConvexError
            If the notion's set is not convex.
        InvalidInputError
            If the notion is about an average, or allows exceptions.
        """
        whole = self.notion.allowed_set(joint)
        if whole.budgets or whole.exceptions:
            raise InvalidInputError(
                f"A second release needs a notion that bounds every output, got {self.notion}: "
                "averages and exceptions concern both releases together."
            )
        seen = self.first.T[(joint.p_x @ self.first) > 0]
        everything = np.arange(joint.n_x)
        return inequalities.combined(
            [weighed(whole, likelihood, everything, joint.p_x) for likelihood in seen]
        )

    def _both(self, joint: Joint, kernel: ArrayLike) -> FloatArray:
        """Return P(y_1, y_2 | x), shape (n_x, n_1·n_2)."""
        second = joint.checked_kernel(kernel)
        return (self.first[:, :, None] * second[:, None, :]).reshape(joint.n_x, -1)


def second_release(
    joint: Joint,
    notion: Notion,
    first: ArrayLike,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Return the best second release that satisfies a notion together with the first.

    It maximizes I(X;Y_2) over kernels P(y_2 | x), which do not depend on y_1. The second release
    alone satisfies the notion too.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        What the two releases must satisfy together; its set is convex.
    first : array_like
        P(y_1 | x) of the first release, shape (n_x, n_1).
    time_limit, gap, seed
        As in `core.mechanisms.optima.optimal`.

    Raises
    ------
    InfeasibleError
        If the first release alone does not satisfy the notion.
    NotConvexError
        If the notion's set is not convex.
    InvalidInputError
        If `first` is not a kernel of X alone, or the notion bounds an average or has exceptions.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> first = optimal(joint, LIP(0.3)).kernel
    >>> second = second_release(joint, LIP(0.6), first)
    >>> second.status, second.audit.achieved <= 0.6 + 1e-12
    ('optimal', True)
    """
    kernel = np.array(joint.checked_kernel(first))
    if len(kernel) != joint.n_x:
        raise InvalidInputError(
            f"The first release must be a kernel P(y | x) with {joint.n_x} rows, got one with "
            f"{len(kernel)} that also reads S: it is not known whether a second release that "
            "reads X alone would then stay within the budget."
        )
    if not notion.holds(joint, kernel):
        reached = notion.achieved(joint, kernel)
        raise InfeasibleError(
            f"The first release alone breaks {notion}: it reaches {reached:.6g}, so no second "
            "release can repair it."
        )
    both = BesideFirst(notion, kernel)
    return optimal(joint, both, time_limit=time_limit, gap=gap, seed=seed)
