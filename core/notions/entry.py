"""A notion's catalogue entry: its names, its meaning, and how numbers make one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.catalogued import Catalogued
from core.joint import Joint
from core.notions.base import Notion
from core.notions.numbers import Numbers
from core.notions.rldp import RLDP
from core.notions.robust_markov import RobustForX

FAMILIES: Mapping[str, str] = {
    "lift": "bounds on the lift",
    "ratio": "on likelihood ratios (LDP)",
    "guess": "on guesses of the secret",
    "distance": "on distances between beliefs",
    "average": "on averages: privacy funnel",
    "exceptions": "with exceptions of probability δ",
    "side_channels": "against side channels",
    "robust": "several distributions: robust",
}
"""How notions are grouped, by key, in the order in which to show them."""


@dataclass(frozen=True)
class NotionEntry(Catalogued):
    """One notion of the catalogue.

    - `family`: key of `FAMILIES`.
    - `parameters`: names of the `Numbers` that it uses.
    - `make`: takes the joint and the numbers; returns the notion.
    - `code`: takes the numbers; returns Python code that makes the notion from `joint`.
    - `level_title`: title of its level; `title` where empty.
    - `in_nats`: whether its level is in nats; else it is a plain number.
    - `sides`: where each side has a budget, keys of the notions whose levels are theirs.
    - `always_reported`: whether its level, in `Leakage.achieved`, is shown for every release.
    """

    family: str
    parameters: tuple[str, ...]
    kind: type[Notion]
    make: Callable[[Joint, Numbers], Notion]
    code: Callable[[Numbers], str]
    level_title: str = ""
    in_nats: bool = True
    sides: tuple[str, ...] = ()
    always_reported: bool = False


def of_numbers(
    key: str,
    title: str,
    family: str,
    meaning: str,
    formula: str,
    source: str,
    parameters: tuple[str, ...],
    kind: type[Notion],
    make: Callable[[Numbers], Notion],
    *,
    level_title: str = "",
    in_nats: bool = True,
    sides: tuple[str, ...] = (),
    always_reported: bool = False,
) -> NotionEntry:
    """Return the entry of a notion that its numbers alone define; see `NotionEntry`."""
    return NotionEntry(
        key=key,
        title=title,
        family=family,
        meaning=meaning,
        formula=formula,
        source=source,
        parameters=parameters,
        kind=kind,
        make=lambda _joint, numbers: make(numbers),
        code=lambda numbers: repr(make(numbers)),
        level_title=level_title,
        in_nats=in_nats,
        sides=sides,
        always_reported=always_reported,
    )


def robust(
    key: str,
    title: str,
    meaning: str,
    formula: str,
    source: str,
    kind: type[RLDP | RobustForX],
    level_title: str,
    parameters: tuple[str, ...] = ("eps", "alpha", "beta", "n"),
) -> NotionEntry:
    """Return the entry of a notion on the confidence set around the joint; see `NotionEntry`."""

    def named(numbers: Numbers) -> dict[str, Any]:
        order = ("eps", "n", "beta", "alpha", "lam")
        return {name: getattr(numbers, name) for name in order if name in parameters}

    def code(numbers: Numbers) -> str:
        text = ", ".join(f"{name}={value!r}" for name, value in named(numbers).items())
        return f"{kind.__name__}.of_joint(joint, {text})"

    def make(joint: Joint, numbers: Numbers) -> Notion:
        return kind.of_joint(joint, **named(numbers))

    return NotionEntry(
        key=key,
        title=title,
        family="robust",
        meaning=meaning,
        formula=formula,
        source=source,
        parameters=parameters,
        kind=kind,
        make=make,
        code=code,
        level_title=level_title,
    )
