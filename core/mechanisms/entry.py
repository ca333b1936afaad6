"""A mechanism's catalogue entry."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from core.catalogued import Catalogued
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_ENTRIES
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

    - `code`: python code of the call, a format string of the options; the package is `m`, the joint
      `joint`, the notion `notion` and the symbols' numbers `values`.
    - `notions`: the notions it works under; empty where it depends on none.
    - `needs_lift`: works only where budgets bound the lift, or the ratio of two lifts.
    - `needs_convex`: works only under notions that allow a convex set of outputs.
    - `ignored`: names of the notion's numbers that it does not use.
    - `optimum`: maximizes utility over kernels P(y | x), starting from the other mechanisms.
    - `slow_from`: symbols of X from which it takes over ¼ s, whatever its time limit.
    - `sweep_slow_from`: the same for all budgets of a chart; 0 where it always does.
    - `instant`: takes 1–2 ms, so it is compared with every optimum.
    - `monotone`: utility never falls as the budget grows; so for every optimum, as a larger budget
      allows all that a smaller one does and `core.studies.frontier` carries it over.
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
    """Return a notion, checked to be of the one type that a mechanism works under."""
    if not isinstance(notion, kind):
        raise InvalidInputError(f"{maker} works under {kind.name}, got {notion}.")
    return notion


def check_entries(joint: Joint, maker: str) -> None:
    """Raise if the matrix of a mechanism that reads S, with outputs X, has too many entries."""
    rows = joint.n_s * joint.n_x
    if rows * joint.n_x > MAX_ENTRIES:
        raise InvalidInputError(
            f"{maker} has a row for each pair of S and X, {rows:,}, and {joint.n_x:,} outputs: "
            f"{rows * joint.n_x:,} entries; at most {MAX_ENTRIES:,} are allowed. Choose a "
            "mechanism that reads X alone, or group rare levels."
        )
