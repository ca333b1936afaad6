"""The audit: what a mechanism achieves, computed from its kernel and the joint alone.

It shares no code with the solvers, but for robust notions the bounds of their set.
"""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from core.errors import AuditError
from core.joint import Joint
from core.notions.base import LevelNotion, Notion


@dataclass(frozen=True)
class Audit:
    """A mechanism's verdict: the least ε, or scale of the budgets, at which its notion holds."""

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
        The notion to check.

    Examples
    --------
    >>> from core.notions import LIP
    >>> audit(Joint.from_counts([[3, 1], [1, 3]]), [[1.0], [1.0]], LIP(0.1)).achieved
    0.0
    """
    achieved = notion.achieved(joint, kernel)
    # over a set of distributions either takes as long as a search
    within = isinstance(notion, LevelNotion) and achieved <= notion.budget + notion.slack(
        notion.budget
    )
    return Audit(notion, achieved, within or notion.holds(joint, kernel))


def require(joint: Joint, kernel: ArrayLike, notion: Notion, maker: str) -> Audit:
    """Return the audit of a mechanism of `maker`; `AuditError` if the notion does not hold."""
    verdict = audit(joint, kernel, notion)
    if not verdict.holds:
        raise AuditError(
            f"{maker} gives less privacy than requested: {notion} is reached only at "
            f"{verdict.achieved:.6g}."
        )
    return verdict
