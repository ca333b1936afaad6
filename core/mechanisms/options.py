"""The options of a mechanism: what it may depend on beside joint and notion."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypedDict

from core.clock import NEVER, Deadline
from core.domain import Domain, number
from core.utilities import Purpose
from core.validation import FloatArray


class SearchLimits(TypedDict):
    """Limits and seed of a search, as in `Settings`."""

    time_limit: float | None
    gap: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options that a scenario holds.

    `time_limit` is in seconds, the solver's default where None; `gap` is the difference of utility
    and upper bound at which to stop, in units of the utility's `size`; `weight` and `utility` are
    those of a clustering: λ, the bits of leakage that one unit of its utility is worth, and
    "resolution", or "distortion", which needs a numeric X.
    """

    time_limit: float | None = number(None, Domain(0.05, 600.0, 0.05))
    gap: float = number(1e-6, Domain(0.0, 1.0, 1e-9))
    seed: int = number(0, Domain(0, 2**31 - 1, 1, whole=True))
    weight: float = number(0.5, Domain(0.0, 1e6, 0.05))
    utility: str = "resolution"

    @property
    def settings(self) -> dict[str, Any]:
        """The attributes above by name, without those of a subclass."""
        return {attribute.name: getattr(self, attribute.name) for attribute in fields(Settings)}


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """The settings, and what a mechanism may need of the data and the utility function.

    `values` are the symbols' numbers, shape (n_x,); the purpose is I(X;Y) where None. From the
    deadline on a mechanism without a time limit hurries, as the start of an optimum.
    """

    values: FloatArray | None = None
    purpose: Purpose | None = None
    deadline: Deadline = NEVER

    @property
    def search(self) -> SearchLimits:
        return {"time_limit": self.time_limit, "gap": self.gap, "seed": self.seed}


DEFAULTS = Options()
"""The default options."""

SEARCH = ("time_limit", "gap", "seed")
"""Names of the options of a search."""

SEARCH_CODE = "time_limit={time_limit!r}, gap={gap!r}, seed={seed!r}"
"""The same as arguments of a call: a format string."""
