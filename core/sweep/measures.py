"""What a sweep measures of each answer: its utility and bound, and the levels that it achieves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from core.errors import InvalidInputError
from core.notions.entry import NotionEntry
from core.notions.numbers import Numbers
from core.scenario import Result
from core.studies.side_by_side import entries, level_title, levels, most
from core.validation import shown

FIGURES = {
    "kept": "Kept of what was asked for",
    "utility": "Utility",
    "information": "I(X;Y)",
    "nmi": "Kept of X, I(X;Y)/H(X)",
    "upper_bound": "Upper bound on the utility",
    "gap": "Bound less utility",
    "most": "Most that could be kept",
    "outputs": "Outputs",
    "achieved": "Level achieved of the promise",
}
"""Measures of an answer other than levels, by key, with their titles."""

SLOW = ("robust", "side_channels")
"""Families of notions whose levels are measured only where they are asked for by name."""

PREFIX = "level_"
"""A level's key is this and the key of its notion."""


def level_keys(families: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the keys of all levels, or of those of some families of notions.

    Examples
    --------
    >>> level_keys(["side_channels"])
    ('level_srlip',)
    """
    allowed = None if families is None else set(families)
    return tuple(
        f"{PREFIX}{entry.key}" for entry in entries() if allowed is None or entry.family in allowed
    )


MEASURES: tuple[str, ...] = (
    *FIGURES,
    *(key for key in level_keys() if key not in level_keys(SLOW)),
)
"""What is measured by default."""


def checked_measures(keys: Iterable[str]) -> tuple[str, ...]:
    """Return keys of measures, each once, in the order of the catalogue.

    Raises
    ------
    InvalidInputError
        If there is none, or one is unknown.

    Examples
    --------
    >>> checked_measures(["level_lip", "kept"])
    ('kept', 'level_lip')
    """
    known = (*FIGURES, *level_keys())
    asked = list(keys)
    for key in asked:
        if key not in known:
            raise InvalidInputError(
                f"There is no measure {shown(key)}; there are {', '.join(known)}."
            )
    if not asked:
        raise InvalidInputError("measures must name one measure or more.")
    return tuple(key for key in known if key in asked)


def measure_title(key: str, numbers: Numbers) -> str:
    """Return the name of a measure, with the numbers that it depends on.

    Examples
    --------
    >>> measure_title("nmi", Numbers()), measure_title("level_alip", Numbers(lam=0.25))
    ('Kept of X, I(X;Y)/H(X)', 'ALIP, λ = 0.25')
    """
    if key in FIGURES:
        return FIGURES[key]
    return level_title(key.removeprefix(PREFIX), numbers)


def asked_levels(keys: Sequence[str]) -> tuple[NotionEntry, ...]:
    """Return the notions whose levels are among some measures."""
    return tuple(entry for entry in entries() if f"{PREFIX}{entry.key}" in keys)


def measured_values(result: Result, keys: Sequence[str], numbers: Numbers) -> dict[str, float]:
    """Return measures of an answer, by key; NaN where one is not defined for it.

    Parameters
    ----------
    result : Result
        The answer.
    keys : sequence of str
        As in `MEASURES`.
    numbers : Numbers
        λ, α, β and n of the levels.

    Examples
    --------
    >>> from core.scenario import Scenario, evaluate
    >>> found = evaluate(Scenario(notion="lip", eps=0.5, mechanism="watchdog"))
    >>> told = measured_values(found, ("outputs", "level_lip"), Numbers())
    >>> told["outputs"], told["level_lip"] <= 0.5
    (7.0, True)
    """
    made = result.mechanism
    figures = {
        "kept": made.kept,
        "utility": made.utility,
        "information": made.information,
        "nmi": made.nmi,
        "upper_bound": made.upper_bound,
        "gap": made.gap,
        "most": most(result),
        "outputs": float(made.n_y),
        "achieved": math.nan if made.audit is None else made.audit.achieved,
    }
    chosen = [entry.key for entry in asked_levels(keys)]
    found = levels(result.joint, made.kernel, numbers, keys=chosen)
    told = figures | {f"{PREFIX}{key}": value for key, value in found.items()}
    return {key: float(told[key]) for key in keys}
