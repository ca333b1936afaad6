"""A further notion of a scenario, to be kept together with its first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import Notion
from core.notions import catalogue as notion_catalogue
from core.notions.numbers import Numbers, declared
from core.scenario.domains import check_numbers
from core.validation import shown


@dataclass(frozen=True, repr=False)
class Promise(Numbers):
    """A notion and its numbers, as in a `Scenario`.

    Attributes
    ----------
    notion : str
        Key of the notion, as in `core.notions.catalogue`.
    eps, lam, alpha, beta, n, eps_l, eps_u, bound, delta
        As in `Numbers`.

    Raises
    ------
    InvalidInputError
        If the key is unknown or a number is outside its domain.

    Examples
    --------
    >>> Promise.from_dict({"notion": "pml", "eps": 0.5})
    Promise(notion='pml', eps=0.5)
    """

    notion: str

    def __post_init__(self) -> None:
        notion_catalogue.entry(self.notion)
        check_numbers(self, declared())

    def __repr__(self) -> str:
        told = (f"{name}={value!r}" for name, value in self.to_dict().items())
        return f"Promise({', '.join(told)})"

    @property
    def numbers(self) -> Numbers:
        """Its numbers, without the key."""
        return Numbers(**{name: getattr(self, name) for name in declared()})

    def build(self, joint: Joint) -> Notion:
        """Return the notion with these numbers.

        Raises
        ------
        InvalidInputError
            If a number does not fit the notion, or the notion is not defined for this joint.
        """
        return notion_catalogue.build(self.notion, joint, self.numbers)

    def code(self) -> str:
        """Return Python source of the notion, with the joint as `joint`."""
        return notion_catalogue.entry(self.notion).code(self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the key and the numbers that the notion uses, by name."""
        used = ("notion", *notion_catalogue.entry(self.notion).parameters)
        return {name: getattr(self, name) for name in used}

    @classmethod
    def from_dict(cls, values: Any) -> Promise:
        """Read a promise from its JSON form.

        Raises
        ------
        InvalidInputError
            If it is no object, has an unknown entry, names no notion, or a number is outside its
            domain.
        """
        if not isinstance(values, Mapping) or "notion" not in values:
            raise InvalidInputError(
                f"A further promise must be a JSON object with its notion, got {shown(values)}."
            )
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise InvalidInputError(f"A further promise has an unknown entry {shown(name)}.")
        return cls(**values)
