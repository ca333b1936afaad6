"""Frames: what a board shows at each place of a slider, for a browser that draws it.

A frame is made by the functions that make the page itself, of answers that are there already. The
browser asks for the frames nearest to the slider first, by an address that nobody can guess.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.scenario import Result, Scenario
from pages.ui.serving import offers
from pages.ui.work import ahead, answers, visits

Frame = dict[str, Any]
"""The `answers` and `charts` of a place, by name, and whether better ones may come (`open`)."""

AT_ONCE = 4
"""Most frames that one request makes: the slider may have moved on meanwhile."""

_OFFERED = "_frames"


@dataclass(frozen=True)
class Offer:
    """Questions whose frames are offered: at these places of the slider of their number `name`.

    `make` draws their answers at a place; `drawn_with`: what that depends on beside them. `owner`:
    the visit whose own the data is, and whose answers alone are shown. `begin` has the places
    answered ahead where the page has not: it is called when a browser asks. `find` returns what
    is drawn of a question at a place, None where there is nothing yet: by default its answer, where
    `name` has this value.
    """

    scenarios: tuple[Scenario, ...]
    places: tuple[Any, ...]
    make: Callable[[Sequence[Any]], Frame] = field(compare=False)
    drawn_with: Hashable = ()
    name: str = "eps"
    owner: visits.Owner | None = None
    begin: Callable[[], None] = field(default=lambda: None, compare=False)
    find: Callable[[Scenario, Any], Any] | None = field(default=None, compare=False)

    def results(self, place: int) -> list[Any] | None:
        """Return what is drawn of each question at a place; None unless all of it is there."""
        find = self.find or self._answer
        results = [find(scenario, self.places[place]) for scenario in self.scenarios]
        return None if any(result is None for result in results) else results

    def _answer(self, scenario: Scenario, place: Any) -> Result | None:
        return answers.ready(ahead.at(scenario, self.name, place))


@dataclass(eq=False)
class _Offered:
    """An offer, and its address; it ends with the session that holds it."""

    what: Offer
    address: str = ""


def offer(slider: str, what: Offer) -> str:
    """Return the address, relative to the pages, where a session's browser gets its frames."""
    offered: dict[str, _Offered] = st.session_state.setdefault(_OFFERED, {})
    known = offered.get(slider)
    if known is not None and known.what == what and offers.is_open(known.address):
        known.what = what  # what it draws beside the frames' own answers may be newer
        return known.address
    if known is not None:
        offers.withdraw(known.address)
    entry = offered[slider] = _Offered(what)
    entry.address = offers.offer(partial(_reply, weakref.ref(entry)))
    return entry.address


def when_asked(
    scenarios: Sequence[Scenario], places: Sequence[float | None], name: str
) -> Callable[[], None]:
    """Return a function that answers questions at the places of a slider, in any thread."""
    page, owners = ahead.page(), [visits.owner(scenario.data) for scenario in scenarios]

    def begin() -> None:
        for slot, (scenario, owner) in enumerate(zip(scenarios, owners, strict=True)):
            try:
                with visits.ahead_for(owner) as at_hand:
                    result = answers.ready(scenario) if at_hand else None
            except CoreError:  # of the data: the page says what is wrong
                continue
            if result is not None:
                ahead.begin_for(page, result, lambda *_: places, name=name, owner=owner, slot=slot)

    return begin


def _reply(held: weakref.ref[_Offered], query: Mapping[str, str]) -> bytes:
    """Answer a browser; nothing where the session has ended."""
    entry = held()
    return b"" if entry is None else answer(entry.what, query)


def answer(what: Offer, query: Mapping[str, str]) -> bytes:
    """Return frames `near` the place of the slider, without those that the browser `had`."""
    had = [int(place) for place in query.get("had", "").split(".") if place]
    near = int(query.get("near", "0"))
    what.begin()
    return written(ready(what, near, had))


def ready(what: Offer, near: int, had: Iterable[int]) -> dict[int, Frame]:
    """Return some frames that can be made at once, by place, the nearest first."""
    had, frames = set(had), dict[int, Frame]()
    order = sorted(range(len(what.places)), key=lambda place: abs(place - near))
    with visits.ahead_for(what.owner) as at_hand:
        for place in order if at_hand else ():
            if place in had:
                continue
            try:
                results = what.results(place)
                if results is not None:
                    frames[place] = what.make(results)
            except CoreError:  # the page says what is wrong, where the slider is released
                continue
            if len(frames) == AT_ONCE:
                break
    return frames


def written(frames: dict[int, Frame]) -> bytes:
    """Write frames with like parts next to each other: this compresses best."""
    keys = {key for frame in frames.values() for key in frame["charts"]}
    content = {
        "frames": {
            str(place): {name: value for name, value in frame.items() if name != "charts"}
            for place, frame in frames.items()
        },
        "charts": {
            key: {
                str(place): frame["charts"][key]
                for place, frame in frames.items()
                if key in frame["charts"]
            }
            for key in sorted(keys)
        },
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
