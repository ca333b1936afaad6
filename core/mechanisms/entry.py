"""What the catalogue knows of a mechanism."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from core.catalogued import Catalogued
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.options import Options
from core.mechanisms.result import Mechanism
from core.notions import Notion

N = TypeVar("N", bound=Notion)

TIME_SHARE = 0.4
"""Part of its time limit that a mechanism takes at most which is no optimum: then the optimum,
which starts from it, has time left to be better within the same limit."""


@dataclass(frozen=True)
class MechanismEntry(Catalogued):
    """One mechanism of the catalogue.

    Attributes
    ----------
    key, title, meaning, formula, source
        As in `Catalogued`.
    code : str
        The call, with the package as `m`, the joint as `joint`, the notion as `notion` and the
        symbols' numbers as `values`; a format string of the options.
    make : callable
        Takes joint, notion and options; returns the mechanism.
    notions : tuple of type
        The notions it works under; empty where it depends on none.
    needs_lift : bool
        Whether it works under those of them alone whose budgets bound the lift, or the ratio of
        two lifts.
    needs_convex : bool
        Whether it works under those of them alone that allow a convex set of outputs.
    parameters : tuple of str
        Which of the options have an effect.
    reads_secret : bool
        Whether S must be at hand when X is released.
    ignored : tuple of str
        The notion's numbers that have no effect on it.
    optimum : bool
        Whether it is the most that a promise allows. Every other mechanism is what it starts
        from.
    slow_from : int or None
        From how many symbols of X on it takes more than a quarter of a second, whatever its time
        limit; None where it never does, or where it can be cut short.
    sweep_slow_from : int
        From how many symbols of X on its utility along all budgets takes more than a quarter of
        a second; 0 where it always does.
    instant : bool
        Whether it takes a millisecond or two: optima that need no start are held against it.
    monotone : bool
        Whether a larger budget never makes it keep less: so for every optimum, since what is
        allowed at one budget is allowed at each larger one, and `core.studies.frontier` carries it
        along. The line of any other may fall as its budget grows, which a chart of it should say.
    """

    code: str
    make: Callable[[Joint, Notion, Options], Mechanism]
    notions: tuple[type[Notion], ...] = ()
    needs_lift: bool = False
    needs_convex: bool = False
    parameters: tuple[str, ...] = ()
    reads_secret: bool = False
    ignored: tuple[str, ...] = ()
    optimum: bool = False
    instant: bool = False
    monotone: bool = False
    slow_from: int | None = None
    sweep_slow_from: int = 0

    @property
    def uses_notion(self) -> bool:
        """Whether the notion and its budgets have an effect."""
        return bool(self.notions)

    def works_under(self, notion: Notion | type[Notion]) -> bool:
        """Say whether the mechanism works under a notion, or under every notion of a type."""
        if not self.notions:
            return True
        if isinstance(notion, type):
            kind, convex = notion, notion.convex
        else:
            kind, convex = type(notion), notion.is_convex()
        if self.needs_lift and not (kind.bounds_lift or kind.bounds_ratio):
            return False
        return issubclass(kind, self.notions) and (convex or not self.needs_convex)


def required(notion: Notion, kind: type[N], maker: str) -> N:
    """Return a promise, checked to be of the only kind that a mechanism is made for.

    Raises
    ------
    InvalidInputError
        If it is another.

    Examples
    --------
    >>> from core.notions import LIP
    >>> required(LIP(1), LIP, "A mechanism")
    LIP(eps=1.0)
    """
    if not isinstance(notion, kind):
        raise InvalidInputError(f"{maker} works under {kind.name}, got {notion}.")
    return notion
