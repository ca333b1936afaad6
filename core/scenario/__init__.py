"""A scenario (data, notion, mechanism) as a value, JSON, link or program, and its answer."""

from core.codec import VERSION
from core.domain import Domain
from core.scenario.project import Project
from core.scenario.purpose import DOMAINS, LOSSES, PURPOSES, Promise
from core.scenario.scenario import NOTHING, Result, Scenario, answer, evaluate, measured

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
