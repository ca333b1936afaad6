"""The values of a notion's numbers that make a difference on some data: a slider's range."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.domain import Domain
from core.joint import Joint
from core.notions import catalogue
from core.notions.numbers import Numbers, declared
from core.scenario.scenario import Scenario

MOST = 8.0
"""Largest finite ε_l or ε_u that a slider offers, in nats; the same as of ε."""


def in_nats(key: str) -> bool:
    """Say whether a notion's budget is in nats, so it can be shown in bits too."""
    return all(entry.in_nats for entry in catalogue.ALL if entry.key == key)


def usual(name: str) -> Domain:
    """Return the range of a number's slider on data that does not narrow it."""
    domain = declared()[name]
    return replace(domain, high=domain.end)


def span(key: str, name: str, joint: Joint, numbers: Numbers) -> Domain:
    """Return the range and step of a notion's number on some data."""
    domain = usual(name)
    kind = catalogue.entry(key).kind
    if name in ("eps_l", "eps_u"):
        return Domain(domain.low, MOST, domain.step, domain.title)
    if name not in ("eps", "bound") or not kind.ends_at_x:
        return domain
    whole = catalogue.build(key, joint, numbers).achieved(joint, np.eye(joint.n_x))
    if name == "bound":
        least = math.ceil(round(100 * float(joint.p_s.max()), 9)) / 100
        most = math.ceil(round(100 * whole, 9)) / 100
        return Domain(least, max(most, least + domain.step), domain.step, domain.title)
    if not 0 < whole < np.inf:
        return domain
    step = _round_step(whole / 100)
    high = step * math.ceil(round(whole / step, 9))
    return Domain(0.0, float(f"{high:.12g}"), step, domain.title)


def halfway(domain: Domain) -> float:
    """Return the value in the middle of a slider, on one of its steps."""
    steps = round((domain.high - domain.low) / domain.step) // 2
    return float(f"{domain.low + steps * domain.step:.9g}")


def without_difference(scenario: Scenario, joint: Joint) -> dict[str, Domain]:
    """Return the numbers that depend on the data and make no difference there, with their ends."""
    result: dict[str, Domain] = {}
    for name in ("eps", "bound"):
        if name not in catalogue.entry(scenario.notion).parameters:
            continue
        ends = span(scenario.notion, name, joint, scenario.numbers)
        now = getattr(scenario, name)
        if ends != usual(name) and not ends.low <= now < ends.high:
            result[name] = ends
    return result


def _round_step(least: float) -> float:
    """Return the least number of the form 1, 2 or 5 times a power of ten that is ≥ `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))
    return float(f"{step:.12g}")
