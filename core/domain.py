"""Domains of a scenario's numbers, each declared with the dataclass field that holds it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Domain:
    """The domain of a number in a scenario, and its control.

    Attributes
    ----------
    low, high : float
        The least and the largest value.
    step : float
        Step of its slider.
    title : str
        Title of its control; empty where it has no control, or a special one.
    whole : bool
        Whether it must be whole.
    optional : bool
        Whether it may be None.
    of_set : str
        Title of its control under a notion on a set of distributions; `title` where empty.
    of_average : str
        Title of its control under a budget on an average; `title` where empty.
    """

    low: float
    high: float
    step: float
    title: str = ""
    whole: bool = False
    optional: bool = False
    of_set: str = ""
    of_average: str = ""


def number(default: float | None, domain: Domain) -> Any:
    """Return a dataclass field with its domain as metadata."""
    return field(default=default, metadata={"domain": domain})


def domains(kind: type) -> dict[str, Domain]:
    """Return the domains of a dataclass's numbers, by name, in the order of its fields.

    Examples
    --------
    >>> @dataclass
    ... class Asked:
    ...     share: float = number(0.5, Domain(0.0, 1.0, 0.05))
    ...     name: str = ""
    >>> domains(Asked)["share"].high
    1.0
    """
    found = {one.name: one.metadata.get("domain") for one in fields(kind)}
    return {name: domain for name, domain in found.items() if domain is not None}
