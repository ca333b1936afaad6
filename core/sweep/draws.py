"""The random joints of a sweep: each has a seed of its own, so that order does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from core import validation
from core.data.joints import drawn
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.validation import shown

MOST_DRAWS = 10**12
"""Largest number of draws that can be written; a sweep allows far fewer points."""


@dataclass(frozen=True)
class Draws:
    """Random joints P(s, x) of one size and law.

    Attributes
    ----------
    count : int
        How many, at least 1.
    n_s, n_x : int
        Numbers of symbols of S and X.
    law : str
        "uniform" or "dirichlet" with its parameter, as in `core.data.joints`.
    seed : int
        Seed of the set; each joint's own follows from it and from its number.

    Raises
    ------
    InvalidInputError
        If a number or the law is outside its domain.

    Examples
    --------
    >>> draws = Draws(1000, 5, 17)
    >>> draws.spec(0).source
    'random:uniform:5x17:7896617691693857887'
    """

    count: int
    n_s: int
    n_x: int
    law: str = "uniform"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("count", 1, MOST_DRAWS),
            ("n_s", 1, None),
            ("n_x", 1, None),
            ("seed", 0, 2**63 - 1),
        ):
            what = f"The draws' {name}"
            value = validation.whole(getattr(self, name), what, low=low, high=high)
            object.__setattr__(self, name, value)
        if not isinstance(self.law, str):
            raise InvalidInputError(f"The law of draws must be a text, got {shown(self.law)}.")
        drawn(f"{self.law}:{self.n_s}x{self.n_x}:0")  # checks law and size

    def spec(self, number: int) -> DataSpec:
        """Return the data of a draw: a scenario on it can be asked by itself.

        Parameters
        ----------
        number : int
            From 0 to `count` − 1.
        """
        (word,) = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)
        return DataSpec(f"random:{self.law}:{self.n_s}x{self.n_x}:{int(word) >> 1}", (), ())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {("draws" if name == "count" else name): one for name, one in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Any) -> Draws:
        """Read the JSON form: {"draws": 1000, "n_s": 5, "n_x": 17, "law": "uniform", "seed": 0}.

        Raises
        ------
        InvalidInputError
            If it is no object, an entry is unknown or missing, or a value outside its domain.
        """
        if not isinstance(values, Mapping):
            raise InvalidInputError(f"random must be a JSON object, got {shown(values)}.")
        known = {("draws" if item.name == "count" else item.name) for item in fields(cls)}
        for name in values:
            if name not in known:
                raise InvalidInputError(f"random has an unknown entry {shown(name)}.")
        for name in ("draws", "n_s", "n_x"):
            if name not in values:
                raise InvalidInputError(f"random must have an entry {name!r}.")
        return cls(**{("count" if name == "draws" else name): one for name, one in values.items()})
