"""A page about one answer that follows its sliders while they move: see `work.frames`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from core.errors import CoreError
from core.scenario import Result, Scenario
from pages.ui.chart import Drawing
from pages.ui.frame import controls, page_frame, pickers
from pages.ui.parts import key_figures
from pages.ui.style import glossary
from pages.ui.work import ahead, answers, context, visits
from pages.ui.work.frames import Frame, Offer, offer, when_asked


def told(result: Result, unit: str, *notes: str, provisional: bool) -> Frame:
    """Return what a page says of an answer in words and figures."""
    badge = key_figures.badge(result, unit, provisional=provisional)
    return {
        "said": page_frame.sentences(result, unit, *notes, provisional=provisional),
        "figures": [
            [one.label, one.value, one.beside]
            for one in key_figures.rows(result, unit, provisional=provisional)
        ],
        "badge": [badge.text, badge.color, badge.icon.split("/")[1].rstrip(":")],
    }


def answered(result: Result, unit: str, *notes: str) -> Frame:
    """Return what a page says of the answer on screen, with what its signs mean."""
    waits = answers.is_refining(result.scenario)
    found = told(result, unit, *notes, provisional=waits)
    rows = key_figures.rows(result, unit, provisional=waits)
    return found | {
        "terms": [(term.title, term.meaning) for term in glossary.terms_in(found["said"][:1])],
        "helps": [glossary.listed(one.label, one.term) for one in rows],
    }


def frame(
    result: Result, said: Callable[[bool], Frame], drawn: Callable[[Result], Iterable[Drawing]]
) -> Frame:
    """Return what a page shows of an answer; `said`: in words, of one that may get better or not.

    `drawn`: its charts.
    """
    provisional = answers.is_provisional(result)
    with context.about(context.of(result.scenario)):
        charts = {one.key: one.frame() for one in drawn(result)}
    return {"answers": {"": said(provisional)}, "charts": charts, "open": provisional}


def sliders(scenario: Scenario, one: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a browser is told of each slider that is followed, by `one` of its number."""
    try:
        if not ahead.may(scenario):
            return []
        return [one(name) for name in controls.NUMBERS if controls.places(scenario, name)]
    except CoreError:  # of the data: the page says what is wrong
        return []


def slider(
    name: str,
    scenario: Scenario,
    make: Callable[[Sequence[Any]], Frame],
    drawn_with: Hashable,
    *,
    charts: Sequence[str],
    behind: Sequence[str],
    left: Sequence[str] = (),
    begun: bool = False,
    find: Callable[[Scenario, Any], Any] | None = None,
) -> dict[str, Any]:
    """Return what a browser is told of a number's slider: see live.js.

    `make` draws a frame, of the answer and of `drawn_with`. `left`: charts that stay as they are,
    faded. `begun`: the page has the places answered ahead by itself. `find`: see `Offer`.
    """
    places = controls.places(scenario, name)
    asked = Offer(
        (ahead.wherever(scenario, name),),
        tuple(places),
        make,
        drawn_with=drawn_with,
        name=name,
        owner=visits.owner(scenario.data),
        find=find,
        begin=(lambda: None) if begun or find else when_asked((scenario,), places, name),
    )
    return told_of(
        asked,
        controls.slider_key(scenario, name),
        controls.labels(places, scenario, name),
        controls.labels([getattr(scenario, name)], scenario, name)[0],
        charts=charts,
        behind=behind,
        left=left,
    )


def told_of(
    asked: Offer,
    key: str,
    labels: Sequence[str],
    now: str,
    *,
    charts: Sequence[str],
    behind: Sequence[str],
    left: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what a browser is told of the slider with a key, and of its places: see live.js."""
    return {
        "address": offer(asked.name, asked),
        "slider": key,
        "labels": list(labels),
        "now": now,
        "answers": [""],
        "charts": [*charts, *left],
        "left": list(left),
        "behind": [pickers.PROMISED, *behind],
    }
