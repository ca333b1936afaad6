"""Frames: what Explore's board shows at each place of a slider, for a browser that draws it.

A frame is made by the functions that make the page itself, of an answer that is there already. The
browser asks for the frames nearest to the slider first, by an address that nobody can guess.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.notions import catalogue as notions
from core.scenario import Result, Scenario
from pages.ui.chart import follow
from pages.ui.explore import charts
from pages.ui.frame import controls, page_frame
from pages.ui.parts import key_figures
from pages.ui.serving import offers
from pages.ui.style.base import numbers
from pages.ui.work import answers, context, visits
from pages.ui.work.store import is_private

Frame = dict[str, Any]

APART = (
    "Here the data is the estimate P̂. On the Robust page it is the truth P*, and the estimate "
    "comes from a sample of it, so numbers there may differ."
)
"""Why the Robust page and this one differ under RLDP."""

AT_ONCE = 4
"""Most frames that one request makes: the slider may have moved on meanwhile."""

_LAST = "_frames"


def notes(scenario: Scenario) -> tuple[str, ...]:
    """Return what Explore says below an answer to a question."""
    return (APART,) if notions.entry(scenario.notion).kind.of_estimate else ()


def frame(result: Result, unit: str, *, provisional: bool) -> Frame:
    """Return what the board shows of an answer; `provisional`: a better one may come."""
    badge = key_figures.badge(result, unit, provisional=provisional)
    with context.about(context.of(result.scenario)):
        drawn = {one.key: one.frame() for one in charts.at_place(result, unit)}
    return {
        "said": page_frame.sentences(
            result, unit, *notes(result.scenario), provisional=provisional
        ),
        "figures": [
            [one.label, one.value, one.beside]
            for one in key_figures.rows(result, unit, provisional=provisional)
        ],
        "badge": [badge.text, badge.color],
        "ring": numbers(charts.ring(result, unit)),
        "charts": drawn,
        "open": provisional,
    }


@dataclass(frozen=True)
class Offer:
    """A question whose frames are offered: at these budgets in nats, in this unit."""

    scenario: Scenario
    places: tuple[float, ...]
    unit: str


def offer(what: Offer) -> str:
    """Return the address, relative to the pages, where a session's browser gets its frames."""
    known: tuple[Offer, str] | None = st.session_state.get(_LAST)
    if known is not None and known[0] == what and offers.is_open(known[1]):
        return known[1]
    if known is not None:
        offers.withdraw(known[1])
    address = offers.offer(partial(answer, what))
    st.session_state[_LAST] = what, address
    return address


def ready(what: Offer, near: int, had: Iterable[int]) -> dict[int, Frame]:
    """Return some frames that can be made at once, by their place, those nearest to one first."""
    had, found = set(had), {}
    order = sorted(range(len(what.places)), key=lambda place: abs(place - near))
    with visits.for_no_visit():
        for place in order:
            if place in had:
                continue
            try:
                result = answers.ready(replace(what.scenario, eps=what.places[place]))
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


def show(scenario: Scenario) -> None:
    """Have the board follow the slider of ε while it moves; call it after all that is live."""
    places = [] if is_private(scenario.data) else controls.places(scenario)
    if not places:
        follow(address="", slider="", labels=[], now="")
        return
    labels = controls.labels(places, scenario)
    asked = Offer(replace(scenario, eps=0.0), tuple(places), controls.unit())
    follow(
        address=offer(asked),
        slider=controls.eps_key(scenario),
        labels=labels,
        now=labels[_nearest(places, scenario.eps)],
    )


def _nearest(places: Sequence[float], eps: float) -> int:
    return min(range(len(places)), key=lambda place: abs(places[place] - eps))
