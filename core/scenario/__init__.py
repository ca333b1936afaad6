"""One question, whole: as a value, as JSON, as a link, as a program; and its answer."""

from core.scenario.scenario import (
    DOMAINS,
    NOTHING,
    VERSION,
    WHOLE,
    Domain,
    Result,
    Scenario,
    answer,
    evaluate,
    measured,
)

__all__ = [
    "DOMAINS",
    "NOTHING",
    "VERSION",
    "WHOLE",
    "Domain",
    "Result",
    "Scenario",
    "answer",
    "evaluate",
    "measured",
]
