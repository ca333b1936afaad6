"""What the Compare page asks: the columns that are pinned, or those that it opens with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.scenario import Project, Scenario
from core.scenario.presets import MARKOV, READINGS, own_reading, standard
from pages.ui.frame import pins, state
from pages.ui.frame.address import PageQuery, Value, one_of

URL = PageQuery(
    "compare",
    Value("reading", "", one_of({"", *READINGS}), "_reading", instead=f"reading={MARKOV} is used"),
)
"""Which reading of RLDP is compared with LIP and ALIP; "" for the one of the data on screen."""


def reading() -> str:
    """Return the reading of the columns that the page opens with."""
    return URL.now("reading") or own_reading(state.data())


def read(chosen: str) -> None:
    """Choose a reading."""
    URL.set("reading", "" if chosen == own_reading(state.data()) else chosen)


def publish() -> None:
    """Write the page's question to the address."""
    URL.publish(URL.wanted() if is_standard() else {})
    pins.tell_open(project() if is_standard() else None)
    pins.publish()


def is_standard() -> bool:
    """Return whether nothing is pinned, so that the columns are those that the page opens with."""
    return pins.now() is None


def project() -> Project:
    """Return the columns: what is pinned, else LIP, ALIP and RLDP on the data on screen."""
    return pins.now() or standard(state.scenario(), reading())


def shown() -> list[tuple[Scenario, str, str]]:
    """Return scenario, name and note of the columns that are shown."""
    return list(project().columns())[: pins.SHOWN]


def marks() -> tuple[int, ...]:
    """Return the mark of each column that is shown: it sets color, dash and shape."""
    return project().marks[: pins.SHOWN]


def ask(place: int, **changes: Any) -> None:
    """Change a column's question."""
    now = project()
    pins.change(now.asking(place, replace(now.scenarios[place], **changes)))
