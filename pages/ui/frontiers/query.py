"""The Frontiers page's own question beside the scenario, in the URL: the whole sweep, its axes."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from core.data import BUNDLED
from core.data.joints import LAWS
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import DOMAINS
from core.scenario.data_url import cut
from core.sweep.findings.plane import BUDGET
from core.sweep.measures import FIGURES, level_keys
from pages.ui.frame import pickers, state
from pages.ui.frame.page_query import PageQuery, whole
from pages.ui.frontiers.asked import HERE, MOST_STEPS, RANDOM, SETS, Form

ERRORS, QUANTILES, NO_BARS = "errors", "quantiles", "none"
"""What the bars of a point show."""

PLAIN = Form((), ())
"""The defaults of all but promises and mechanisms."""

CHOICES: dict[str, tuple[str, ...]] = {
    "on": (HERE, SETS, RANDOM),
    "law": LAWS,
    "across": (BUDGET, *FIGURES, *level_keys()),
    "up": (BUDGET, *FIGURES, *level_keys()),
    "bars": (ERRORS, QUANTILES, NO_BARS),
    "apart": ("mechanism", "notion", "eps", "data"),
}
"""The URL's key → what it may be."""

LISTS: dict[str, tuple[str, ...]] = {
    "promise": tuple(entry.key for entry in notions.ALL),
    "by": tuple(mechanisms.CATALOGUE),
    "set": tuple(entry.id for entry in BUNDLED),
}
"""The URL's key → what each of its values may be."""

WHOLE = {"steps": (1, MOST_STEPS), "draws": (1, 10**9), "first": (0, 10**9 - 1)}
"""The URL's key → the least and largest whole number that it may be."""

DEFAULTS: dict[str, Any] = {
    "on": PLAIN.on,
    "law": PLAIN.law,
    "across": BUDGET,
    "up": "kept",
    "bars": ERRORS,
    "apart": "mechanism",
    "set": [],
    "steps": PLAIN.steps,
    "draws": PLAIN.draws,
    "first": PLAIN.seed,
    "from": PLAIN.low,
    "to": PLAIN.high,
    "n_s": PLAIN.n_s,
    "n_x": PLAIN.n_x,
}
"""What is chosen where neither the URL nor the session says."""

USUAL = ("optimal", "subset_merging", "subset_random_response")
"""Mechanisms that a sweep begins with, as far as they work."""

MOST_SYMBOLS = 400
"""Most symbols of S, and of X, of a random joint."""

URL = PageQuery("frontiers", (*CHOICES, *LISTS, *WHOLE, "from", "to", "size"))
"""The page's keys in the URL."""


def widget(key: str) -> str:
    """Return the key of the widget that holds a choice."""
    return f"sweep_{key}"


def value(key: str) -> Any:
    """Return a choice on screen."""
    return st.session_state[widget(key)]


def restore() -> None:
    """Bring the session to what the URL says; unknown values fall back with a notice."""
    query = URL.read()
    if query is None:
        return
    found = DEFAULTS | _usual()
    for key, known in CHOICES.items():
        if key in query:
            found[key] = _one(key, query[key][-1], known, found[key])
    for key, known in LISTS.items():
        if key in query:
            found[key] = _several(key, query[key], known) or found[key]
    for key, (low, high) in WHOLE.items():
        if key in query:
            found[key] = _whole(key, query[key][-1], low, high, found[key])
    for key in ("from", "to"):
        if key in query:
            found[key] = _budget(key, query[key][-1], found[key])
    if "size" in query:
        found["n_s"], found["n_x"] = _size(query["size"][-1])
    for key, chosen in found.items():
        st.session_state[widget(key)] = chosen


def form() -> Form:
    """Return what is chosen."""
    return Form(
        promises=tuple(value("promise")),
        mechanisms=tuple(value("by")),
        low=float(value("from")),
        high=float(value("to")),
        steps=int(value("steps")),
        on=str(value("on")),
        sets=tuple(value("set")),
        law=str(value("law")),
        n_s=int(value("n_s")),
        n_x=int(value("n_x")),
        draws=int(value("draws")),
        seed=int(value("first")),
    )


def take(chosen: Form) -> bool:
    """Choose something else; return whether it is within the page's limits, else nothing changes.

    Call it in a callback, before the widgets are drawn.
    """
    numbers = {"steps": chosen.steps, "draws": chosen.draws, "first": chosen.seed}
    if any(not WHOLE[key][0] <= one <= WHOLE[key][1] for key, one in numbers.items()):
        return False
    if chosen.law not in LAWS or min(chosen.n_s, chosen.n_x) < 2:
        return False
    if max(chosen.n_s, chosen.n_x) > MOST_SYMBOLS:
        return False
    found = numbers | {
        "promise": list(chosen.promises),
        "by": list(chosen.mechanisms),
        "from": chosen.low,
        "to": chosen.high,
        "on": chosen.on,
        "set": list(chosen.sets),
        "law": chosen.law,
        "n_s": chosen.n_s,
        "n_x": chosen.n_x,
    }
    for key, one in found.items():
        st.session_state[widget(key)] = one
    return True


def publish() -> None:
    """Write what is chosen to the URL; what is the default, or of no effect, is left out."""
    wanted: dict[str, list[str]] = {"promise": value("promise"), "by": value("by")}
    keys = ["on", "across", "up", "bars", "apart", "steps", "from", "to"]
    if value("on") == RANDOM:
        keys += ["law", "draws", "first"]
        size = f"{value('n_s')}x{value('n_x')}"
        wanted["size"] = [] if size == f"{PLAIN.n_s}x{PLAIN.n_x}" else [size]
    if value("on") == SETS:
        wanted["set"] = value("set")
    for key in keys:
        now = value(key)
        if now != DEFAULTS[key]:
            wanted[key] = [f"{now:g}" if isinstance(now, float) else str(now)]
    URL.publish(wanted)


def _usual() -> dict[str, list[str]]:
    """Return the promise on screen with the mechanisms that a sweep begins with."""
    scenario = state.scenario()
    kinds = pickers.asked_kinds(scenario)
    wanted = dict.fromkeys([*USUAL, scenario.mechanism])
    return {
        "promise": [scenario.notion],
        "by": [
            key
            for key in wanted
            if not fit.obstacle(mechanisms.entry(key), kinds, of_task=scenario.of_task)
        ],
    }


def _one(key: str, text: str, known: tuple[str, ...], otherwise: Any) -> Any:
    if text in known:
        return text
    URL.tell(f"The link has {key}={cut(text)}, which is not known; {otherwise} is used.")
    return otherwise


def _several(key: str, texts: list[str], known: tuple[str, ...]) -> list[str]:
    for text in texts:
        if text not in known:
            URL.tell(f"The link has {key}={cut(text)}, which is not known; it is left out.")
    return [text for text in dict.fromkeys(texts) if text in known]


def _whole(key: str, text: str, low: int, high: int, otherwise: int) -> int:
    if whole(text) and low <= int(text) <= high:
        return int(text)
    URL.tell(
        f"The link has {key}={cut(text)}, which is no whole number from {low:,} to {high:,}; "
        f"{otherwise} is used."
    )
    return otherwise


def _budget(key: str, text: str, otherwise: float) -> float:
    domain = DOMAINS["eps"]
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if domain.low <= found <= domain.high:
        return found
    URL.tell(
        f"The link has {key}={cut(text)}, which is not in [{domain.low:g}, {domain.high:g}]; "
        f"{otherwise:g} is used."
    )
    return otherwise


def _size(text: str) -> tuple[int, int]:
    n_s, cross, n_x = text.partition("x")
    if cross and whole(n_s) and whole(n_x):
        found = int(n_s), int(n_x)
        if min(found) >= 2 and max(found) <= MOST_SYMBOLS:
            return found
    URL.tell(
        f"The link has size={cut(text)}, which is not such as 5x17 with 2 to {MOST_SYMBOLS} "
        f"symbols each; {PLAIN.n_s}x{PLAIN.n_x} is used."
    )
    return PLAIN.n_s, PLAIN.n_x
