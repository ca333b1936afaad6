"""Tests and doctests run on a clock that counts readings: none depends on how busy a machine is.

Nor on chance: properties are tried on the same cases each time. New ones are `make fuzz`'s.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from core import clock

STEP = 2.0**-10
"""Seconds that each reading takes."""

settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")


@pytest.fixture(scope="session", autouse=True)
def counting() -> Iterator[None]:
    """Let what tests share be made on such a clock."""
    with clock.using(clock.Ticking(STEP)):
        yield


@pytest.fixture(autouse=True)
def counting_anew(counting: None) -> Iterator[None]:  # noqa: ARG001 — the order of the two
    """Let each test begin at 0, so that it sees the same whatever ran before it."""
    with clock.using(clock.Ticking(STEP)):
        yield
