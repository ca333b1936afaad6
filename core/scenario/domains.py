"""The domain of each number of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from core import validation
from core.domain import Domain, domains
from core.errors import InvalidInputError
from core.mechanisms.options import Settings
from core.notions.numbers import declared
from core.validation import shown

DOMAINS: Mapping[str, Domain] = declared() | domains(Settings)
"""Domains by name: of the numbers that notions declare, and of the mechanism's settings."""


def check_numbers(asked: Any, names: Iterable[str]) -> None:
    """Check the named numbers of a frozen dataclass, and store each as a float or an int.

    Raises
    ------
    InvalidInputError
        If one is outside its domain in `DOMAINS`.
    """
    for name in names:
        value, domain = getattr(asked, name), DOMAINS[name]
        if value is None and domain.optional:
            continue
        number = validation.number(value, name, low=domain.low, high=domain.high)
        if domain.whole and number != int(number):
            raise InvalidInputError(f"{name} must be a whole number, got {shown(value)}.")
        object.__setattr__(asked, name, int(number) if domain.whole else number)


def plain_json(value: Any) -> Any:
    """Return a value with each ∞, in lists and objects too, as the text "inf" for JSON.

    Examples
    --------
    >>> plain_json({"eps": np.inf, "edges": (1, 2)})
    {'eps': 'inf', 'edges': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {name: plain_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(one) for one in value]
    return "inf" if isinstance(value, float) and np.isinf(value) else value
