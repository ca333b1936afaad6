"""A scenario (data, notion, mechanism) as a value, JSON, link or program, and its answer."""

from core.domain import Domain
from core.scenario.project import Project
from core.scenario.purpose import DOMAINS, LOSSES, PURPOSES, Promise
from core.scenario.scenario import (
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
    "LOSSES",
    "NOTHING",
    "PURPOSES",
    "VERSION",
    "Domain",
    "Project",
    "Promise",
    "Result",
    "Scenario",
    "answer",
    "evaluate",
    "measured",
]
