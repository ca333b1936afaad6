"""What a number of a question may be, declared with the field that holds it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Domain:
    """What a number in a scenario may be.

    Attributes
    ----------
    low, high : float
        The least and the largest value.
    step : float
        Of its slider.
    title : str
        What its control is called; empty where it has none, or one of its own.
    whole : bool
        Whether it must be whole.
    optional : bool
        Whether it may be None.
    of_set : str
        What its control is called under a notion about a set of distributions, if not `title`.
    of_average : str
        The same under a budget on an average.
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
    """Return a dataclass field of a number with its domain."""
    return field(default=default, metadata={"domain": domain})


def domains(kind: type) -> dict[str, Domain]:
    """Return what the numbers of a dataclass may be, by name, in the order of its fields.

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
