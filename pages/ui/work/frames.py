"""Frames: what a board shows at each place of a slider, for a browser that draws it.

A frame is made by the functions that make the page itself, of answers that are there already. The
browser asks for the frames nearest to the slider first, by an address that nobody can guess.
"""

from __future__ import annotations

import hashlib
import json
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.scenario import Result, Scenario
from pages.ui.serving import offers
from pages.ui.work import ahead, answers, visits

Frame = dict[str, Any]
"""The `answers` and `charts` of a place, by name, and whether more or better may come (`open`).

Such a frame has a `version`, another one where any of its answers is another one.
"""

MOST_FRAMES = 12
"""Most frames that one request makes: more take fewer bytes each, but the slider may have moved.

A quarter of them where the browser lacks the one that it asks for first: it waits for that.
"""

SECONDS = 0.1
"""After which a request makes no further frame: a browser waits for the first one."""

_OFFERED = "_frames"


@dataclass(frozen=True)
class Offer:
    """Questions whose frames are offered: at these places of the slider of their number `name`.

    `make` draws their answers at a place, None where there is none yet; `drawn_with`: what that
    depends on beside them. `owner`: the visit whose own the data is, and whose answers alone are
    shown. `begin` has the places answered ahead, the nearest to one of them first: it is called
    when a browser asks. `find` returns what is drawn of a question at a place, None where there is
    nothing yet: by default its answer, where `name` has this value.
    """

    scenarios: tuple[Scenario, ...]
    places: tuple[Any, ...]
    make: Callable[[Sequence[Any]], Frame] = field(compare=False)
    drawn_with: Hashable = ()
    name: str = "eps"
    owner: visits.Owner | None = None
    begin: Callable[[int], None] = field(default=lambda _: None, compare=False)
    find: Callable[[Scenario, Any], Any] | None = field(default=None, compare=False)

    def results(self, place: int, *, of_others: bool = False) -> list[Any]:
        """Return what is drawn of each question at a place, None where it is not there yet.

        `of_others`: see `answers.ready`.
        """
        there = self.places[place]
        if self.find is not None:
            return [self.find(scenario, there) for scenario in self.scenarios]
        requests = [ahead.at(scenario, self.name, there) for scenario in self.scenarios]
        return [answers.ready(request, of_others=of_others) for request in requests]


@dataclass(eq=False)
class _Offered:
    """An offer to a visit, and its address; it ends with the session that holds it."""

    what: Offer
    visit: visits.Owner
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
    entry = offered[slider] = _Offered(what, weakref.ref(visits.visit()))
    entry.address = offers.offer(partial(_reply, weakref.ref(entry)))
    return entry.address


def on_request(
    scenarios: Sequence[Scenario], places: Sequence[float | None], name: str
) -> Callable[[int], None]:
    """Return a function that answers questions at the places of a slider, in any thread.

    It is given the place to which the nearest come first.
    """
    page, owners = ahead.page(), [visits.owner(scenario.data) for scenario in scenarios]

    def begin(near: int) -> None:
        for slot, (scenario, owner) in enumerate(zip(scenarios, owners, strict=True)):
            there = ahead.at(scenario, name, places[near])
            try:
                with visits.ahead_for(owner) as at_hand:
                    result = answers.ready(scenario) if at_hand else None
                    bare = at_hand and answers.ready(there, of_others=True) is None
            except CoreError:  # of the data: the page says what is wrong
                continue
            if result is not None:
                ahead.begin_for(
                    *(page, replace(result, scenario=there), lambda *_: places),
                    name=name,
                    owner=owner,
                    slot=slot,
                    urgent=True,
                    bare=bare,
                )

    return begin


def _reply(held: weakref.ref[_Offered], query: Mapping[str, str]) -> bytes:
    """Answer a browser; nothing where the session has ended."""
    entry = held()
    return b"" if entry is None else answer(entry.what, query, entry.visit)


def answer(what: Offer, query: Mapping[str, str], visit: visits.Owner | None = None) -> bytes:
    """Return frames `near` the place of the slider, but those that the browser `had`.

    Of frames that are open it says the versions: 3.4-0123456789ab.
    """
    parts = [part.partition("-") for part in query.get("had", "").split(".") if part]
    had = {int(place): version for place, _, version in parts}
    near = min(max(0, int(query.get("near", "0"))), len(what.places) - 1)
    what.begin(near)
    return written(ready(what, near, had, visit))


def ready(
    what: Offer, near: int, had: Mapping[int, str], visit: visits.Owner | None = None
) -> dict[int, Frame]:
    """Return some frames that can be made at once, by place, the nearest first.

    `had`: the version of each frame that the browser has, "" where it is final. `visit`: which is
    shown them. Where the slider is, the answers of smaller budgets serve too.
    """
    frames, began = dict[int, Frame](), time.monotonic()
    order = sorted(range(len(what.places)), key=lambda place: abs(place - near))
    most = MOST_FRAMES if near in had else MOST_FRAMES // 4
    with visits.ahead_for(what.owner, visit) as at_hand:
        for place in order if at_hand else ():
            if had.get(place) == "":
                continue
            try:
                results = what.results(place, of_others=place == near)
                if all(result is None for result in results):
                    continue
                if place in had and had[place] == _version(results):
                    continue
                frames[place] = what.make(results)
            except CoreError:  # the page says what is wrong, where the slider is released
                continue
            if frames[place]["open"]:
                frames[place]["version"] = _version(results)
            if len(frames) == most or time.monotonic() > began + SECONDS:
                break
    return frames


def _version(results: Sequence[Result | None]) -> str:
    """Return a short name of answers, another one where any is a better one or proven by now."""
    reported = [
        result
        and (
            *(result.content_id, result.mechanism.status, result.mechanism.upper_bound),
            answers.is_provisional(result),
        )
        for result in results
    ]
    return hashlib.sha256(repr(reported).encode()).hexdigest()[:12]


def written(frames: dict[int, Frame]) -> bytes:
    """Write frames with like parts next to each other: this compresses best.

    A browser draws charts in the order that they have here.
    """
    keys = dict.fromkeys(key for frame in frames.values() for key in frame["charts"])
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
            for key in keys
        },
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
