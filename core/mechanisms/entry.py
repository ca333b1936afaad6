"""A mechanism's catalogue entry."""

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
"""Largest part of its time limit that a mechanism other than an optimum uses: the optimum, which
starts from it, then has time left to improve on it within the same limit."""


@dataclass(frozen=True)
class MechanismEntry(Catalogued):
    """One mechanism of the catalogue.

    Attributes
    ----------
    key, title, meaning, formula, source
        As in `Catalogued`.
    code : str
        Python code of the call, with the package as `m`, the joint as `joint`, the notion as
        `notion` and the symbols' numbers as `values`; a format string of the options.
    make : callable
        Takes joint, notion and options; returns the mechanism.
    notions : tuple of type
        The notions it works under; empty where it depends on none.
    needs_lift : bool
        Whether it works only under those whose budgets bound the lift, or the ratio of two lifts.
    needs_convex : bool
        Whether it works only under those that allow a convex set of outputs.
    parameters : tuple of str
        Names of the options that it uses.
    reads_secret : bool
        Whether its kernel depends on S as well as on X.
    ignored : tuple of str
        Names of the notion's numbers that it does not use.
    optimum : bool
        Whether it maximises utility under the notion over kernels P(y | x); such a search starts
        from the other mechanisms.
    slow_from : int or None
        Number of symbols of X from which on it takes more than a quarter of a second, whatever its
        time limit; None where there is none, or where the time limit holds.
    sweep_slow_from : int
        Number of symbols of X from which on its utility at all budgets of a chart takes more than a
        quarter of a second; 0 where it always does.
    instant : bool
        Whether it takes a millisecond or two: it is then compared with every optimum, also where
        the search needs no start.
    monotone : bool
        Whether its utility never falls as the budget grows. This holds for every optimum, as a
        larger budget allows all that a smaller one does and `core.studies.frontier` carries it
        over; of other mechanisms a chart should say that their line may fall.
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
        """Return whether the mechanism works under a notion, or under every notion of a type."""
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
    """Return a notion, checked to be of the one type that a mechanism works under.

    Raises
    ------
    InvalidInputError
        If it is of another type; the message names the mechanism `maker`.

    Examples
    --------
    >>> from core.notions import LIP
    >>> required(LIP(1), LIP, "A mechanism")
    LIP(eps=1.0)
    """
    if not isinstance(notion, kind):
        raise InvalidInputError(f"{maker} works under {kind.name}, got {notion}.")
    return notion
