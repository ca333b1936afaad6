"""The numbers that a reader of the lessons may change, with what each may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.validation import shown

Values = Mapping[str, float]
"""A number by the key of its setting."""


@dataclass(frozen=True)
class Setting:
    """A number with its range or its choices.

    Attributes
    ----------
    key : str
        Its name in code and in an address.
    title : str
        What its slider is called.
    default : float
        Its value where nothing is said.
    low, high, step : float
        Its range, and the step of its slider; without a meaning where there are choices.
    choices : tuple of float
        What it may be, where that is a list.
    whole : bool
        Whether it is a whole number.
    """

    key: str
    title: str
    default: float
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    choices: tuple[float, ...] = ()
    whole: bool = False

    def allows(self, value: float) -> bool:
        """Say whether the number may have this value.

        Examples
        --------
        >>> SETTINGS["truth"].allows(0.75), SETTINGS["truth"].allows(0.2)
        (True, False)
        """
        if self.choices:
            return value in self.choices
        return self.low <= value <= self.high and not (self.whole and value != round(value))

    def read(self, text: str) -> float:
        """Read the number from a text.

        Raises
        ------
        InvalidInputError
            If it is no number, or one that is not allowed.

        Examples
        --------
        >>> SETTINGS["truth"].read("0.75")
        0.75
        """
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not self.allows(value):
            raise InvalidInputError(f"{self.key} must be {self.domain}, got {shown(text)}.")
        return value

    @property
    def domain(self) -> str:
        """What it may be, in words.

        Examples
        --------
        >>> SETTINGS["truth"].domain, SETTINGS["order"].domain[:14]
        ('in [0.5, 1]', 'one of 1, 1.5,')
        """
        if self.choices:
            return f"one of {', '.join(map(written, self.choices))}"
        whole = "a whole number " if self.whole else ""
        return f"{whole}in [{self.low:g}, {self.high:g}]"


def _listed(*settings: Setting) -> dict[str, Setting]:
    return {one.key: one for one in settings}


SETTINGS = _listed(
    Setting("ill", "P(ill) · how many are ill", 0.2, 0.01, 0.99),
    Setting("hit", "P(positive | ill) · how often the test finds the illness", 0.9),
    Setting("alarm", "P(positive | well) · how often it alarms the healthy", 0.15),
    Setting("truth", "Chance that the result is told as it is", 0.8, 0.5, 1.0),
    Setting("budget", "ε · how far one output may move a belief", 0.5, 0.0, 2.5, 0.05),
    Setting("both", "ε · both budgets together", 1.0, 0.0, 2.5, 0.05),
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
    ),
    Setting("chance", "Chance that the result is told at all", 0.1),
    Setting("merged", "Merges done", 1.0, 0.0, 2.0, 1.0, whole=True),
    Setting("variant", "Variant of the numbers", 0.0, 0.0, 99.0, 1.0, whole=True),
)
"""Every number by its key."""


def defaults() -> dict[str, float]:
    """Return every number as it is where nothing is said.

    Examples
    --------
    >>> defaults()["hit"]
    0.9
    """
    return {key: one.default for key, one in SETTINGS.items()}


def written(value: float) -> str:
    """Write a number as it stands in an address.

    Examples
    --------
    >>> written(0.25), written(100.0), written(math.inf)
    ('0.25', '100', 'inf')
    """
    return repr(int(value)) if value == round_or_not(value) else repr(value)


def round_or_not(value: float) -> float:
    """Return the nearest whole number, NaN of what is not finite: it equals nothing.

    Examples
    --------
    >>> round_or_not(2.4), round_or_not(math.inf)
    (2, nan)
    """
    return round(value) if math.isfinite(value) else math.nan


def number(key: str, text: str) -> float:
    """Read a number from an address.

    Raises
    ------
    InvalidInputError
        If it is no number, or one that its setting does not allow.

    Examples
    --------
    >>> number("truth", "0.75")
    0.75
    """
    return SETTINGS[key].read(text)


def from_texts(texts: Mapping[str, str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """Read numbers from an address, and say which are not used.

    Parameters
    ----------
    texts : mapping
        A text by the key of its setting.

    Returns
    -------
    values : dict
        Every number, those that are not in the texts or not allowed as they are by default.
    notices : tuple of str
        A sentence for each that is not allowed.

    Examples
    --------
    >>> values, notices = from_texts({"hit": "2", "ill": "0.3"})
    >>> values["ill"], values["hit"], notices
    (0.3, 0.9, ("hit must be in [0, 1], got '2'; 0.9 is used.",))
    """
    values, notices = defaults(), []
    for key, text in texts.items():
        try:
            values[key] = number(key, text)
        except InvalidInputError as error:
            notices.append(f"{str(error)[:-1]}; {written(values[key])} is used.")
    return values, tuple(notices)
