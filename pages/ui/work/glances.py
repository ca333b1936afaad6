"""First glances: the best that a search of a moment finds, made once for all sessions."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.data import Counted
from core.mechanisms import catalogue
from core.scenario import Result, Scenario
from pages.ui.work.derived import counted
from pages.ui.work.store import kept_for, known_for

GLANCE = 0.25
"""Seconds that a first glance may take: a longer wait would be noticed."""

_TURN = threading.Lock()


@contextmanager
def turn(*, patient: bool) -> Iterator[bool]:
    """Wait for the turn to search for a glance here, and say whether it has come.

    One search at a time: several would share the lock that all sessions need, and each would find
    less in its moment.

    Parameters
    ----------
    patient : bool
        Whether to wait for as long as it takes; else for `GLANCE` seconds.
    """
    came = _TURN.acquire(timeout=-1 if patient else GLANCE)
    try:
        yield came
    finally:
        if came:
            _TURN.release()


def hurried(scenario: Scenario) -> Scenario:
    """Return the question of a first glance: the same, with less time."""
    return replace(scenario, time_limit=min(GLANCE, scenario.time_limit))


def is_slow(scenario: Scenario) -> bool:
    """Say whether a mechanism takes longer than `GLANCE` and cannot be cut short."""
    slow = catalogue.entry(scenario.mechanism).slow_from
    return slow is not None and counted(scenario.data).joint.n_x >= slow


def key(scenario: Scenario) -> Hashable:
    """Return the key under which it is kept that a glance was taken."""
    return "glance", repr(scenario)


def result_key(scenario: Scenario) -> Hashable:
    """Return the key under which the last measured answer to a question is kept."""
    return "result", repr(scenario)


def is_taken(scenario: Scenario) -> bool:
    """Say whether a glance was taken already."""
    return kept_for(scenario.data).find(key(scenario)) is not None


def take(found: Result, counted: Counted) -> None:
    """Keep a glance that a worker has taken, as if it had been taken here.

    Parameters
    ----------
    found : Result
        What it found; its question is the one that was asked, not the hurried one.
    counted : Counted
        The data here, which takes the place of the worker's copy.

    Raises
    ------
    SolverError
        If the answer contradicts one that was found before.
    """
    scenario, store = found.scenario, kept_for(found.scenario.data)
    known_for(scenario.data).add(scenario, counted.joint, found.mechanism)
    store.put(result_key(scenario), replace(found, counted=counted))
    store.put(key(scenario), True)
