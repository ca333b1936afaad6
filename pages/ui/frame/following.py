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
from pages.ui.work.frames import Frame, Offer, offer, on_request


def frame_of(result: Result, unit: str, *notes: str, provisional: bool) -> Frame:
    """Return an answer's sentences and figures, as a page shows them."""
    badge = key_figures.badge(result, unit, provisional=provisional)
    return {
        "sentences": page_frame.sentences(result, unit, *notes, provisional=provisional),
        "figures": [
            [row.label, row.value, row.beside]
            for row in key_figures.rows(result, unit, provisional=provisional)
        ],
        "badge": [badge.text, badge.color, badge.icon.split("/")[1].rstrip(":")],
    }


def answered(result: Result, unit: str, *notes: str) -> Frame:
    """Return the sentences and figures of the answer on screen, and the meaning of its symbols."""
    waits = answers.is_refining(result.scenario)
    content = frame_of(result, unit, *notes, provisional=waits)
    rows = key_figures.rows(result, unit, provisional=waits)
    return content | {
        "terms": [
            (term.title, term.meaning) for term in glossary.terms_in(content["sentences"][:1])
        ],
        "helps": [glossary.listed(row.label, row.term) for row in rows],
    }


def frame(
    result: Result, words: Callable[[bool], Frame], drawn: Callable[[Result], Iterable[Drawing]]
) -> Frame:
    """Return what a page shows of an answer.

    `words`: its sentences and figures, given whether it may still improve. `drawn`: its charts.
    """
    provisional = answers.is_provisional(result)
    with context.about(context.of(result.scenario)):
        charts = {drawing.key: drawing.frame() for drawing in drawn(result)}
    return {
        "answers": {"": words(provisional)},
        "charts": charts,
        "open": answers.may_improve(result),
    }


def sliders(scenario: Scenario, describe: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a browser needs to follow each slider: what `describe` returns for its number."""
    try:
        if not ahead.may(scenario):
            return []
        return [describe(name) for name in controls.NUMBERS if controls.places(scenario, name)]
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
    find: Callable[[Scenario, Any], Any] | None = None,
) -> dict[str, Any]:
    """Return what a browser needs to follow a number's slider: see live.js.

    `make` draws a frame, of the answer and of `drawn_with`. `charts`: those that are faded where a
    frame does not have them. `find`: see `Offer`.
    """
    places = controls.places(scenario, name)
    offered = Offer(
        (ahead.wherever(scenario, name),),
        tuple(places),
        make,
        drawn_with=drawn_with,
        name=name,
        owner=visits.owner(scenario.data),
        find=find,
        begin=(lambda _: None) if find else on_request((scenario,), places, name),
    )
    return slider_message(
        offered,
        controls.slider_key(scenario, name),
        controls.labels(places, scenario, name),
        controls.labels([getattr(scenario, name)], scenario, name)[0],
        charts=charts,
        behind=behind,
    )


def slider_message(
    offered: Offer,
    key: str,
    labels: Sequence[str],
    now: str,
    *,
    charts: Sequence[str],
    behind: Sequence[str],
) -> dict[str, Any]:
    """Return what a browser needs to follow the slider with a key: see live.js."""
    return {
        "address": offer(offered.name, offered),
        "slider": key,
        "labels": list(labels),
        "now": now,
        "answers": [""],
        "charts": list(charts),
        "behind": [pickers.PROMISED, *behind],
    }
