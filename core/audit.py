"""The audit: what a mechanism really promises, from its kernel and the joint alone.

It shares no code with the solvers, and a mechanism that gives less privacy than it was asked
for is an error here, never a result.
"""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from core.errors import AuditError
from core.joint import Joint
from core.notions.base import Notion


@dataclass(frozen=True)
class Audit:
    """The verdict on one mechanism under one notion.

    Attributes
    ----------
    notion : Notion
        What was asked.
    achieved : float
        The least ε, or scale of the budgets, at which the notion holds.
    holds : bool
        Whether the promise is kept.
    """

    notion: Notion
    achieved: float
    holds: bool


def audit(joint: Joint, kernel: ArrayLike, notion: Notion) -> Audit:
    """Recompute what a kernel achieves under a notion.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    notion : Notion
        The promise to check.
    """
    return Audit(notion, notion.achieved(joint, kernel), notion.holds(joint, kernel))


def require(joint: Joint, kernel: ArrayLike, notion: Notion, maker: str) -> Audit:
    """Return the audit of a mechanism that must keep its promise.

    Raises
    ------
    AuditError
        If it gives less privacy than was asked.
    """
    verdict = audit(joint, kernel, notion)
    if not verdict.holds:
        raise AuditError(
            f"{maker} gives less privacy than asked: {notion} is reached only at "
            f"{verdict.achieved:.6g}."
        )
    return verdict
