"""What a mechanism may need beside joint and notion."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypedDict

from core.domain import Domain, number
from core.utilities import Purpose
from core.validation import FloatArray


class SearchLimits(TypedDict):
    """What limits a search and makes it repeatable; as in `Settings`."""

    time_limit: float | None
    gap: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a question says of how its mechanism is made.

    Attributes
    ----------
    time_limit : float or None
        Seconds that a solver may take.
    gap : float
        Stop when the optimum is known to within this many nats.
    seed : int
        Seed of everything that is random.
    weight : float
        λ of a clustering: what a unit of its utility is worth, in bits of leakage.
    utility : str
        What a clustering keeps: "resolution", or "distortion", which needs a numeric X.
    """

    time_limit: float | None = number(None, Domain(0.05, 600.0, 0.05))
    gap: float = number(1e-6, Domain(0.0, 1.0, 1e-9))
    seed: int = number(0, Domain(0, 2**31 - 1, 1, whole=True))
    weight: float = number(0.5, Domain(0.0, 1e6, 0.05))
    utility: str = "resolution"

    @property
    def settings(self) -> dict[str, Any]:
        """These by name, without what a subclass adds.

        Examples
        --------
        >>> Options(seed=3, values=None).settings["seed"]
        3
        """
        return {one.name: getattr(self, one.name) for one in fields(Settings)}


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """The settings, and what of the data and of the question a mechanism may need.

    Attributes
    ----------
    time_limit, gap, seed, weight, utility
        As in `Settings`.
    values : ndarray or None
        A number for each symbol of X, where there are numbers; distortion needs them.
    purpose : Purpose or None
        What an optimum is to keep, and what every mechanism is valued by; I(X;Y) where None.
    """

    values: FloatArray | None = None
    purpose: Purpose | None = None

    @property
    def search(self) -> SearchLimits:
        """What a search takes of them."""
        return {"time_limit": self.time_limit, "gap": self.gap, "seed": self.seed}


DEFAULTS = Options()
"""What holds where nothing is said."""

SEARCH = ("time_limit", "gap", "seed")
"""Which settings have an effect on a search."""

SEARCH_CODE = "time_limit={time_limit!r}, gap={gap!r}, seed={seed!r}"
"""The same as arguments of a call, to be filled in by `str.format`."""
