"""Frames: what Explore's board shows at each place of its sliders, for a browser that draws it.

A frame is made by the functions that make the page itself, of an answer that is there already. The
browser asks for the frames nearest to the slider first, by an address that nobody can guess. The
slider of ε has them at once, another one once it was moved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.notions import catalogue as notions
from core.scenario import Result, Scenario
from pages.ui.chart import board
from pages.ui.explore import charts, frontier_lines
from pages.ui.frame import controls, page_frame
from pages.ui.parts import key_figures
from pages.ui.serving import offers
from pages.ui.style import glossary
from pages.ui.style.base import numbers
from pages.ui.work import ahead, answers, context, visits

Frame = dict[str, Any]

APART = (
    "Explore treats the data as the estimate P̂. The Robust page treats it as the truth P* and "
    "draws a sample for the estimate, so numbers there may differ."
)
"""Why the Robust page and this one differ under RLDP."""

AT_ONCE = 4
"""Most frames that one request makes: the slider may have moved on meanwhile."""

_LAST, _MOVED, _SHOWN = "_frames", "_frames_moved", "_frames_shown"


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


def frame(result: Result, unit: str, *, provisional: bool) -> Frame:
    """Return what the board shows of an answer; `provisional`: a better one may come."""
    with context.about(context.of(result.scenario)):
        drawn = {one.key: one.frame() for one in charts.at_place(result, unit)}
    return told(result, unit, provisional=provisional) | {
        "ring": numbers(charts.ring(result, unit)),
        "charts": drawn,
        "open": provisional,
    }


def answered(result: Result, unit: str) -> Frame:
    """Return what the board says of the answer on screen, with what its signs mean."""
    waits = answers.is_refining(result.scenario)
    found = told(result, unit, provisional=waits)
    rows = key_figures.rows(result, unit, provisional=waits)
    return found | {
        "terms": [(term.title, term.meaning) for term in glossary.found(found["said"][:1])],
        "helps": [glossary.listed(one.label, one.term) for one in rows],
    }


@dataclass(frozen=True)
class Offer:
    """A question whose frames are offered: at these places of the slider of its number `name`.

    `owner`: the visit whose own the data is, and whose answers alone are shown.
    """

    scenario: Scenario
    places: tuple[float | None, ...]
    unit: str
    name: str = "eps"
    owner: visits.Owner | None = None


def offer(what: Offer) -> str:
    """Return the address, relative to the pages, where a session's browser gets its frames."""
    offered: dict[str, tuple[Offer, str]] = st.session_state.setdefault(_LAST, {})
    known = offered.get(what.name)
    if known is not None and known[0] == what and offers.is_open(known[1]):
        return known[1]
    if known is not None:
        offers.withdraw(known[1])
    address = offers.offer(partial(answer, what))
    offered[what.name] = what, address
    return address


def ready(what: Offer, near: int, had: Iterable[int]) -> dict[int, Frame]:
    """Return some frames that can be made at once, by their place, those nearest to one first."""
    had, found = set(had), {}
    order = sorted(range(len(what.places)), key=lambda place: abs(place - near))
    with visits.ahead_for(what.owner) as at_hand:
        for place in order if at_hand else ():
            if place in had:
                continue
            try:
                result = answers.ready(ahead.at(what.scenario, what.name, what.places[place]))
                if result is not None:
                    waits = answers.is_provisional(result)
                    found[place] = frame(result, what.unit, provisional=waits)
            except CoreError:  # the page says what is wrong, where the slider is released
                continue
            if len(found) == AT_ONCE:
                break
    return found


def answer(what: Offer, query: Mapping[str, str]) -> bytes:
    """Return frames `near` the place of the slider, without those that the browser `had`."""
    had = [int(one) for one in query.get("had", "").split(".") if one]
    return written(ready(what, int(query.get("near", "0")), had))


def written(found: dict[int, Frame]) -> bytes:
    """Write frames, like parts beside each other, as they compress best so."""
    keys = {key for one in found.values() for key in one["charts"]}
    content = {
        "frames": {
            str(place): {name: value for name, value in one.items() if name != "charts"}
            for place, one in found.items()
        },
        "charts": {
            key: {str(place): one["charts"][key] for place, one in found.items()}
            for key in sorted(keys)
        },
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def show(scenario: Scenario, answer: Frame | None, parts: Iterable[bytes]) -> None:
    """Show an answer and charts, and have them follow sliders while they move; call it last."""
    try:
        followed = [_followed(name, scenario) for name in names(scenario)]
    except CoreError:  # of the data: the page says what is wrong
        followed = []
    board(answer, parts, followed, frontier_lines.pick)


def _followed(name: str, scenario: Scenario) -> dict[str, Any]:
    """Return what a browser is told of a slider that the board follows: see live.js."""
    places = controls.places(scenario, name)
    asked = ahead.wherever(scenario, name)
    owner = visits.owner(scenario.data)
    return {
        "address": offer(Offer(asked, tuple(places), controls.unit(), name, owner)),
        "slider": controls.slider_key(scenario, name),
        "labels": controls.labels(places, scenario, name),
        "now": controls.labels([getattr(scenario, name)], scenario, name)[0],
        "lines": name == "eps",
    }


def names(scenario: Scenario) -> list[str]:
    """Return the numbers whose sliders are followed, the one moved last at the end.

    ε from the start, another one once it was moved: at first each would be work for nothing.
    """
    if not ahead.may(scenario):
        return []
    moved: list[str] = st.session_state.setdefault(_MOVED, ["eps"])
    last: Scenario | None = st.session_state.get(_SHOWN)
    st.session_state[_SHOWN] = scenario
    for name in controls.NUMBERS:
        before = getattr(last, name, None)
        if last not in (None, scenario) and last == ahead.at(scenario, name, before):
            moved = [*(one for one in moved if one != name), name]
    st.session_state[_MOVED] = moved
    return [name for name in moved if controls.places(scenario, name)]
