"""Domains of a scenario's numbers, each declared with the dataclass field that holds it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Domain:
    """The domain of a number in a scenario, and its control.

    - `title`: of its control; empty where it has no control, or a special one.
    - `optional`: whether it may be None.
    - `of_set`, `of_average`: title under a notion on a set of distributions, and under a budget on
      an average; `title` where empty.
    - `reach`: where its control and the axes of charts end; `high` where None.
    """

    low: float
    high: float
    step: float
    title: str = ""
    whole: bool = False
    optional: bool = False
    of_set: str = ""
    of_average: str = ""
    reach: float | None = None

    @property
    def end(self) -> float:
        """Where its control ends: beyond it, up to `high`, a number is typed."""
        return self.high if self.reach is None else self.reach


def number(default: float | None, domain: Domain) -> Any:
    """Return a dataclass field with its domain as metadata."""
    return field(default=default, metadata={"domain": domain})


def domains(kind: type) -> dict[str, Domain]:
    """Return the domains of a dataclass's numbers, by name, in the order of its fields."""
    known = {item.name: item.metadata.get("domain") for item in fields(kind)}
    return {name: domain for name, domain in known.items() if domain is not None}
