"""One question, whole: as a value, as JSON, as a link, as a program; and its answer."""

from core.notions.numbers import Domain
from core.scenario.scenario import (
    DOMAINS,
    NOTHING,
    VERSION,
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
    "Domain",
    "Result",
    "Scenario",
    "answer",
    "evaluate",
    "measured",
]
