"""What Explore's board says and shows, at rest and at each place of its sliders (`work.frames`).

The slider of ε has its frames at once, another one once it is touched: else each were work for
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from core.errors import CoreError
from core.notions import catalogue as notions
from core.scenario import Result, Scenario
from pages.ui.chart import board
from pages.ui.explore import charts, frontier_lines
from pages.ui.frame import controls, page_frame
from pages.ui.parts import key_figures
from pages.ui.style import glossary
from pages.ui.style.base import numbers
from pages.ui.work import ahead, answers, context, visits
from pages.ui.work.frames import Frame, Offer, offer, when_asked

APART = (
    "Explore treats the data as the estimate P̂. The Robust page treats it as the truth P* and "
    "draws a sample for the estimate, so numbers there may differ."
)
"""Why the Robust page and this one differ under RLDP."""


def notes(scenario: Scenario) -> tuple[str, ...]:
    """Return what Explore says below an answer to a question."""
    return (APART,) if notions.entry(scenario.notion).kind.of_estimate else ()


def told(result: Result, unit: str, *, provisional: bool) -> Frame:
    """Return what the board says of an answer in words and figures."""
    badge = key_figures.badge(result, unit, provisional=provisional)
    return {
        "said": page_frame.sentences(
            result, unit, *notes(result.scenario), provisional=provisional
        ),
        "figures": [
            [one.label, one.value, one.beside]
            for one in key_figures.rows(result, unit, provisional=provisional)
        ],
        "badge": [badge.text, badge.color, badge.icon.split("/")[1].rstrip(":")],
    }


def frame(results: Sequence[Result], unit: str, *, lines: bool) -> Frame:
    """Return what the board shows of an answer; `lines`: along those of its frontier."""
    (result,) = results
    provisional = answers.is_provisional(result)
    with context.about(context.of(result.scenario)):
        drawn = {one.key: one.frame() for one in charts.at_place(result, unit)}
    if lines:
        drawn["frontier"] = {"now": numbers(charts.ring(result, unit))}
    said = told(result, unit, provisional=provisional)
    return {"answers": {"": said}, "charts": drawn, "open": provisional}


def answered(result: Result, unit: str) -> Frame:
    """Return what the board says of the answer on screen, with what its signs mean."""
    waits = answers.is_refining(result.scenario)
    found = told(result, unit, provisional=waits)
    rows = key_figures.rows(result, unit, provisional=waits)
    return found | {
        "terms": [(term.title, term.meaning) for term in glossary.terms_in(found["said"][:1])],
        "helps": [glossary.listed(one.label, one.term) for one in rows],
    }


def show(scenario: Scenario, answer: Frame | None, parts: Iterable[bytes]) -> None:
    """Show an answer and charts, and have them follow sliders while they move; call it last."""
    try:
        followed = [_followed(name, scenario) for name in _names(scenario)]
    except CoreError:  # of the data: the page says what is wrong
        followed = []
    board({"": answer}, parts, followed, frontier_lines.pick)


def _followed(name: str, scenario: Scenario) -> dict[str, Any]:
    """Return what a browser is told of a slider that the board follows: see live.js."""
    places, unit, lines = controls.places(scenario, name), controls.unit(), name == "eps"
    asked = Offer(
        (ahead.wherever(scenario, name),),
        tuple(places),
        partial(frame, unit=unit, lines=lines),
        drawn_with=unit,
        name=name,
        owner=visits.owner(scenario.data),
        begin=(lambda: None) if lines else when_asked((scenario,), places, name),
    )
    follows = ["lifts", "mechanism", f"confusability_{charts.ROLES[1]}"]
    return {
        "address": offer(name, asked),
        "slider": controls.slider_key(scenario, name),
        "labels": controls.labels(places, scenario, name),
        "now": controls.labels([getattr(scenario, name)], scenario, name)[0],
        "answers": [""],
        "charts": [*follows, "frontier"],
        "left": [] if lines else ["frontier"],
        "behind": ["answer_state"],
    }


def _names(scenario: Scenario) -> list[str]:
    """Return the numbers whose sliders are followed."""
    if not ahead.may(scenario):
        return []
    return [name for name in controls.NUMBERS if controls.places(scenario, name)]
