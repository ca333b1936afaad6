"""The numbers that a reader of the lessons may change, with what each may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.validation import shown

Values = Mapping[str, float]
"""A number by the key of its setting."""


@dataclass(frozen=True)
class Setting:
    """A number with its default, and its range and slider's step, or its choices."""

    key: str
    title: str
    default: float
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    choices: tuple[float, ...] = ()
    whole: bool = False

    def allows(self, value: float) -> bool:
        if self.choices:
            return value in self.choices
        return self.low <= value <= self.high and not (self.whole and value != round(value))

    def read(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not self.allows(value):
            raise InvalidInputError(f"{self.key} must be {self.domain}, got {shown(text)}.")
        return value

    @property
    def domain(self) -> str:
        """What it may be, in words."""
        if self.choices:
            return f"one of {', '.join(map(written, self.choices))}"
        whole = "a whole number " if self.whole else ""
        return f"{whole}in [{self.low:g}, {self.high:g}]"


def numbers(
    keys: Iterable[str], values: Values, settings: Mapping[str, Setting]
) -> tuple[float, ...]:
    """Return some numbers in this order, whole ones as such: what an example is made of."""
    return tuple(int(values[key]) if settings[key].whole else values[key] for key in keys)


def _listed(*settings: Setting) -> dict[str, Setting]:
    return {setting.key: setting for setting in settings}


SETTINGS = _listed(
    Setting("ill", "P(ill) · share of people who are ill", 0.2, 0.01, 0.99),
    Setting("hit", "P(positive | ill) · share of ill people who test positive", 0.9),
    Setting("alarm", "P(positive | well) · share of healthy people who test positive", 0.15),
    Setting("truth", "Chance that the result is reported truthfully", 0.8, 0.5, 1.0),
    Setting("budget", "ε · privacy budget", 0.5, 0.0, 2.5, 0.05),
    Setting("both", "ε · total budget", 1.0, 0.0, 2.5, 0.05),
    Setting("share", "λ · share of ε for falling beliefs", 0.5, 0.0, 1.0, 0.05),
    Setting("clue", "Lift of suspect A after the clue", 2.5, 0.0, 4.0, 0.1),
    Setting(
        "order",
        "α · order of the mean",
        2.0,
        choices=(1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, math.inf),
    ),
    Setting(
        "people",
        "n · records behind the estimate",
        100.0,
        choices=(30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0, 100_000.0),
        whole=True,
    ),
    Setting(
        "values",
        "k · values of the secret, all equally likely",
        16.0,
        choices=(2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0),
        whole=True,
    ),
    Setting("chance", "Chance that the result is reported at all", 0.1),
    Setting("merged", "Merges done", 1.0, 0.0, 2.0, 1.0, whole=True),
    Setting("variant", "Variant of the numbers", 0.0, 0.0, 99.0, 1.0, whole=True),
)
"""Every number by its key."""


def defaults() -> dict[str, float]:
    return {key: setting.default for key, setting in SETTINGS.items()}


def written(value: float) -> str:
    """Write a number as it stands in an address."""
    return repr(int(value)) if float(value).is_integer() else repr(value)
