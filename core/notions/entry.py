"""A notion's catalogue entry: its names, its meaning, and how numbers make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.catalogued import Catalogued
from core.joint import Joint
from core.notions.base import Notion
from core.notions.numbers import Numbers

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
    - `builder`: takes these by name, returns the notion; `kind` itself where None.
    - `of_joint`: whether the notion needs the joint, so that `kind.of_joint` makes it.
    - `sentence`: takes the name of S, and the numbers by name; see `core.notions.in_numbers`.
    - `level_title`: title of its level; `title` where empty.
    - `in_nats`: whether its level is in nats; else it is a plain number.
    - `sides`: where each side has a budget, keys of the notions whose levels are theirs.
    - `always_reported`: whether its level, in `Leakage.achieved`, is shown for every release.
    """

    family: str
    parameters: tuple[str, ...]
    kind: type[Notion]
    builder: Callable[..., Notion] | None = None
    of_joint: bool = False
    sentence: Callable[..., str] | None = None
    level_title: str = ""
    in_nats: bool = True
    sides: tuple[str, ...] = ()
    always_reported: bool = False

    def make(self, joint: Joint, numbers: Numbers) -> Notion:
        """Return the notion with these numbers."""
        builder: Any = self.builder or self.kind
        named = self._named(numbers)
        notion: Notion = builder.of_joint(joint, **named) if self.of_joint else builder(**named)
        return notion

    def code(self, numbers: Numbers) -> str:
        """Return Python source of the notion, with the joint as `joint`."""
        named = self._named(numbers)
        if not self.of_joint:
            return repr((self.builder or self.kind)(**named))
        text = ", ".join(f"{name}={value!r}" for name, value in named.items())
        return f"{self.kind.__name__}.of_joint(joint, {text})"

    def in_numbers(self, numbers: Numbers, secret: str) -> str:
        """Return what the notion guarantees about S, with factors; "" where none says it."""
        return "" if self.sentence is None else self.sentence(secret, **self._named(numbers))

    def _named(self, numbers: Numbers) -> dict[str, Any]:
        return {name: getattr(numbers, name) for name in self.parameters}
