"""Several notions at once."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions.base import Notion


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
        If no notion is given, or something that is none.

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

    def is_convex(self) -> bool:
        """Say whether each of the notions allows a convex set."""
        return all(notion.is_convex() for notion in self.notions)

    def __str__(self) -> str:
        return " and ".join(str(notion) for notion in self.notions)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the largest of the notions' scales: at most 1 iff all hold.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        kernel : array_like
            P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
        """
        return max(notion.scale(joint, kernel) for notion in self.notions)

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Say whether the mechanism keeps every promise."""
        return all(notion.holds(joint, kernel) for notion in self.notions)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the outputs that every notion allows: all rows, auxiliary variables and oracles.

        Raises
        ------
        NotConvexError
            If the set of one of the notions is not convex.
        """
        return inequalities.combined([notion.allowed_set(joint) for notion in self.notions])
