"""Several draws for one record, as Explore's card and the report show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from core.mechanisms import Mechanism
from core.notions import Notion
from core.notions import catalogue as notions
from core.notions.base import OF_BUDGETS
from core.release.own_levels import Redrawn
from core.release.sentences import promise_text
from core.scenario import Scenario
from pages.ui import figures
from pages.ui.style.units import budget, in_unit, level, share

TITLE = "Released again"
"""The card's title."""

NOTHING = 1e-9
"""Share of X below which a second release is said to keep nothing."""


@dataclass(frozen=True)
class Asked:
    """The promise that was asked, and how its level is told.

    Attributes
    ----------
    title : str
        Its name, or those of several.
    unit : str
        Unit of its level, as `Notion.level_unit`.
    on_average : bool
        Whether it is a budget on an average, which has more digits.
    """

    title: str
    unit: str
    on_average: bool = False

    def reached(self, value: float, unit: str) -> str:
        """Return a level as text, with its unit."""
        if not isfinite(value):
            return f"∞ {unit}" if self.unit == "nats" else "∞"
        if self.unit == "nats":
            return f"{level(value, unit, 4 if self.on_average else 3)} {unit}"
        if self.unit == OF_BUDGETS:
            return f"{100 * value:.1f} % {self.unit}"
        return f"{value:.4f}"


def asked(scenario: Scenario, notion: Notion) -> Asked:
    """Return the promise of a scenario, and how its level is told.

    Parameters
    ----------
    scenario : Scenario
        The question.
    notion : Notion
        Its promise, as built for the data.
    """
    entries = [notions.entry(key) for key in (scenario.notion, *(p.notion for p in scenario.also))]
    title = " and ".join(one.level_title or one.title for one in entries)
    on_average = len(entries) == 1 and entries[0].kind.on_average
    return Asked(title, notion.level_unit, on_average)


def lines(found: tuple[Redrawn, ...], asked: Asked) -> Mapping[str, tuple[float, ...]]:
    """Return the levels that can be drawn, in nats, by name: the promise's among them, if any."""
    told = {
        "LIP": tuple(one.lip.level for one in found),
        "LDP": tuple(one.ldp.level for one in found),
    }
    if asked.unit == "nats" and asked.title not in told:
        told = {asked.title: tuple(one.asked.level for one in found)} | told
    return told


def bars(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> figures.Figure:
    """Return the chart of the levels after several draws: the promise's, of LIP and of LDP."""
    return figures.repeats(
        [one.k for one in found],
        {
            name: np.array([in_unit(one, unit) for one in values])
            for name, values in lines(found, asked).items()
        },
        unit,
    )


def described(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> str:
    """Return what the chart shows, for those who do not see it."""
    told = lines(found, asked)
    return "; ".join(
        f"{one.k} draws: "
        + ", ".join(f"{name} {level(values[at], unit)} {unit}" for name, values in told.items())
        for at, one in enumerate(found)
    )


def advice(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> str:
    """Return whether several draws keep the promise, and what to do where they may not.

    Parameters
    ----------
    found : tuple of Redrawn
        What they reach.
    unit : str
        "nats" or "bits".
    asked : Asked
        The promise, whose level is told.
    """
    first, last = found[0], found[-1]
    broken = next((one for one in found if not one.kept), None)
    if broken is not None and broken.k == 1:
        said = "One draw breaks the promise: its level of "
        said += f"{asked.title} is {asked.reached(first.asked.level, unit)}."
    elif broken is not None:
        said = (
            f"After {'two' if broken.k == 2 else 'three'} draws the promise "
            f"{'is broken' if broken.asked.exact else 'may be broken'}: "
            f"{'' if asked.on_average else 'the level of '}{asked.title} is "
            f"{asked.reached(broken.asked.level, unit)}, of one draw "
            f"{asked.reached(first.asked.level, unit)}. "
            "Draw once for each record and store the answer."
        )
    elif last.asked.at_most - first.asked.level <= 1e-9:
        said = f"Drawing again does not raise the level of {asked.title}."
    else:
        said = (
            f"Two and three draws still keep the promise: the level of {asked.title} is at most "
            f"{asked.reached(last.asked.at_most, unit)}."
        )
    exact = all(one.lip.exact and one.asked.exact for one in found)
    return f"{said} {'Exact.' if exact else _bound(last, unit, asked)}"


def _bound(last: Redrawn, unit: str, asked: Asked) -> str:
    """Say that not all products were examined, and what is proven all the same."""
    most = (
        f"no number of draws exceeds {asked.reached(last.asked.at_most, unit)} of {asked.title}, "
        "which is proven"
        if isfinite(last.asked.at_most)
        else f"no finite bound on {asked.title} is proven"
    )
    return f"Not all combinations of outputs were examined, so levels may be higher; {most}."


def second_sentence(found: Mechanism, both: Notion, unit: str) -> str:
    """Return what a second release keeps, and whether more is possible.

    Parameters
    ----------
    found : Mechanism
        The second release.
    both : Notion
        What both releases together keep.
    unit : str
        "nats" or "bits".
    """
    asked = promise_text(both, unit)
    proven = found.gap <= 1e-5
    if found.nmi < NOTHING and proven:
        return f"Nothing more can be released: the first release used all of {asked}."
    kept = f"A second release keeps {share(found.nmi)} of X; both together keep {asked}."
    if proven:
        return f"{kept} No other keeps more: proven."
    return f"{kept} No other keeps more than {budget(found.upper_bound, unit)} of I(X;Y₂)."
