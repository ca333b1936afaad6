"""Where an experiment's question can be asked anew: on Explore, Compare and Frontiers."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlencode

from core.papers.results import Experiment
from core.scenario import Project, Scenario
from core.scenario.url import to_query

BEST = {"rldp": "robust_optimal"}
"""Notion → the mechanism that is its proven optimum, where that is not "optimal"."""


def scenario(found: Experiment) -> Scenario | None:
    """Return the question of an experiment; None where it has none."""
    return None if found.scenario is None else Scenario.from_json(json.dumps(found.scenario))


def ways(found: Experiment) -> tuple[tuple[str, str], ...]:
    """Return where an experiment's question is asked anew: what each link says, and its address.

    A question about ranges alone is for the page that needs no probabilities.
    """
    asked = scenario(found)
    if asked is None:
        return ()
    drawn = "one draw of it" if found.draws else "it"
    if found.paper == "nonstochastic":
        return ((f"Open {drawn} in Confusability", confusability(asked)),)
    return (
        (f"Open {drawn} in Explore", explore(asked)),
        ("Open it in Compare", compare(asked)),
        ("Open it in Frontiers", frontiers(asked)),
    )


def confusability(asked: Scenario) -> str:
    """Return the address of Confusability with a question's data, relative to this page's.

    Examples
    --------
    >>> confusability(Scenario())
    './confusability?'
    """
    return f"./confusability?{urlencode(to_query(asked), doseq=True)}"


def explore(asked: Scenario) -> str:
    """Return the address of Explore with a question, relative to that of this page.

    Examples
    --------
    >>> explore(Scenario(notion="lip", eps=0.5))
    './?notion=lip&eps=0.5'
    """
    return f"./?{urlencode(to_query(asked), doseq=True)}"


def beside(asked: Scenario) -> Project:
    """Return a question beside the optimum under the same promise, or, of an optimum, under LDP.

    Examples
    --------
    >>> beside(Scenario(mechanism="watchdog")).names
    ('as in the paper', 'the optimum')
    >>> beside(Scenario()).scenarios[1].notion
    'ldp'
    """
    best = BEST.get(asked.notion, "optimal")
    if asked.mechanism == best:
        return Project((asked, replace(asked, notion="ldp")), ("as in the paper", "LDP"))
    return Project((asked, replace(asked, mechanism=best)), ("as in the paper", "the optimum"))


def frontiers(asked: Scenario) -> str:
    """Return the address of Frontiers with a question's promise, mechanism and optimum.

    Examples
    --------
    >>> frontiers(Scenario(notion="lip", eps=0.5, mechanism="watchdog"))
    './frontiers?notion=lip&mech=watchdog&eps=0.5&promise=lip&by=watchdog&by=optimal'
    """
    best = BEST.get(asked.notion, "optimal")
    chosen = {"promise": [asked.notion], "by": list(dict.fromkeys([asked.mechanism, best]))}
    return f"./frontiers?{urlencode(to_query(asked) | chosen, doseq=True)}"


def compare(asked: Scenario) -> str:
    """Return the address of Compare with a question beside the optimum, relative to this page's."""
    return f"./compare?{urlencode(beside(asked).to_query(), doseq=True)}"
