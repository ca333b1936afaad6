"""Several draws for one record, as Explore's card and the report show them."""

from __future__ import annotations

from math import isfinite

import numpy as np

from core.mechanisms import Mechanism
from core.notions import Notion
from core.notions import catalogue as notions
from core.notions.entry import NotionEntry
from core.release.own_levels import Redrawn
from core.release.sentences import promise_text
from core.scenario import Scenario
from pages.ui import figures
from pages.ui.style.units import budget, in_unit, level, share

TITLE = "Released again"
"""The card's title."""

NOTHING = 1e-9
"""Share of X below which a second release is said to keep nothing."""


def bars(found: tuple[Redrawn, ...], unit: str) -> figures.Figure:
    """Return the chart of the levels of LIP and LDP after several draws."""
    return figures.repeats(
        [one.k for one in found],
        np.array([in_unit(one.lip.level, unit) for one in found]),
        np.array([in_unit(one.ldp.level, unit) for one in found]),
        unit,
    )


def described(found: tuple[Redrawn, ...], unit: str) -> str:
    """Return what the chart shows, for those who do not see it."""
    return "; ".join(f"{one.k} draws: LIP {level(one.lip.level, unit)} {unit}" for one in found)


def told_level(scenario: Scenario) -> NotionEntry | None:
    """Return the promise whose level is told in place of LIP's: a budget on an average alone."""
    promised = notions.entry(scenario.notion)
    return promised if promised.kind.on_average and not scenario.also else None


def advice(found: tuple[Redrawn, ...], unit: str, told: NotionEntry | None = None) -> str:
    """Return whether several draws keep the promise, and what to do where they may not.

    Parameters
    ----------
    found : tuple of Redrawn
        What they reach.
    unit : str
        "nats" or "bits".
    told : NotionEntry, optional
        The promise, where it is a budget on an average: its level is told instead of LIP's.
    """
    first, last = found[0], found[-1]
    broken = next((one for one in found if not one.kept), None)
    if broken is not None and broken.k == 1:
        said = f"One draw breaks the promise: its level of LIP is {level(first.lip.level, unit)}"
        said += f" {unit}."
    elif broken is not None:
        said = (
            f"After {'two' if broken.k == 2 else 'three'} draws the promise "
            f"{'is broken' if broken.asked.exact else 'may be broken'}: "
            f"{_reached(broken, first, unit, told)}. "
            "Draw once for each record and store the answer."
        )
    elif last.lip.at_most - first.lip.level <= 1e-9:
        said = "Drawing again does not raise the level of LIP."
    else:
        said = "Two and three draws still keep the promise."
    exact = all(one.lip.exact and one.asked.exact for one in found)
    return f"{said} {'Exact.' if exact else _bound(last, unit)}"


def _reached(now: Redrawn, first: Redrawn, unit: str, told: NotionEntry | None) -> str:
    """Return what draws reach, and what the first one does."""
    if told is None:
        return (
            f"the level of LIP is {level(now.lip.level, unit)} {unit}, "
            f"of one draw {level(first.lip.level, unit)}"
        )
    if not told.in_nats:
        return f"{told.level_title} is {now.asked.level:.4f}, of one draw {first.asked.level:.4f}"
    return (
        f"{told.level_title} is {level(now.asked.level, unit, 4)} {unit}, "
        f"of one draw {level(first.asked.level, unit, 4)}"
    )


def _bound(last: Redrawn, unit: str) -> str:
    """Say that not all products were examined, and what is proven all the same."""
    most = (
        f"no number of draws exceeds {level(last.lip.at_most, unit)} {unit}, which is proven"
        if isfinite(last.lip.at_most)
        else "no finite bound is proven"
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
