"""What the Frontiers page asks: the whole sweep and its axes, in the URL."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import streamlit as st

from core.data import BUNDLED, first_question
from core.data.joints import LAWS
from core.data.spec import DataSpec
from core.errors import CoreError, InvalidInputError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import DOMAINS, Scenario
from core.scenario.url import within_reach
from core.sweep import MEASURES, Draws, Sweep, measure_title
from core.sweep.definition import FIGURES, PREFIX, checked_measures, level_keys
from core.sweep.findings import BUDGET
from core.wording import listed, number_of
from pages.ui.frame import pickers, state
from pages.ui.frame.address import PageQuery, Value, one_of, whole_number
from pages.ui.work import visits

HERE, SETS, RANDOM = "here", "sets", "random"
"""A sweep's possible data: the data in the sidebar, bundled sets, or random joints."""

MOST_STEPS = 200
"""Most budgets."""

MOST_POINTS = 100_000
"""Most points that the page computes: the server keeps them in memory."""


@dataclass(frozen=True)
class Form:
    """What is chosen on the page; budgets `low` to `high` in nats, `steps` of them, evenly spaced.

    `on`: `HERE`, `SETS` (bundled, by key) or `RANDOM`, joints of size `n_s` × `n_x`.
    """

    promises: tuple[str, ...]
    mechanisms: tuple[str, ...]
    low: float = 0.5
    high: float = 4.0
    steps: int = 8
    on: str = HERE
    sets: tuple[str, ...] = ()
    law: str = "uniform"
    n_s: int = 5
    n_x: int = 17
    draws: int = 20
    seed: int = 0


@dataclass(frozen=True)
class Request:
    """A sweep; `left_out`: a sentence for each combination that has no answer on any data."""

    sweep: Sweep
    left_out: tuple[str, ...] = ()


def request_of(form: Form, scenario: Scenario) -> Request:
    for chosen, what in ((form.promises, "notion"), (form.mechanisms, "mechanism")):
        if not chosen:
            raise InvalidInputError(f"Choose at least one {what}.")
    if form.low > form.high:
        raise InvalidInputError(
            f"The first budget must be smaller than the last, got {form.low:g} to {form.high:g}."
        )
    if form.on != HERE:
        scenario = replace(scenario, data=DataSpec())
    pairs, left_out = _pairs(form, scenario)
    if not pairs:
        raise InvalidInputError(f"No combination has an answer. {' '.join(left_out)}")
    base = replace(scenario, notion=pairs[0][0], mechanism=pairs[0][1], eps=Scenario().eps)
    vary: list[tuple[str, tuple[object, ...]]] = []
    draws = None
    if form.on == RANDOM:
        draws = Draws(form.draws, form.n_s, form.n_x, form.law, form.seed)
    if form.on == SETS:
        if not form.sets:
            raise InvalidInputError("Choose at least one bundled data set.")
        vary.append(("data", tuple(first_question(key, visits.sources()) for key in form.sets)))
    vary.append(("eps", budgets(form)))
    own = {f"{PREFIX}{key}" for key in form.promises} & set(level_keys())
    return Request(
        Sweep(
            base,
            tuple(vary),
            tuple((("notion", notion), ("mechanism", key)) for notion, key in pairs),
            draws,
            checked_measures({*MEASURES, *own}),
        ),
        left_out,
    )


def form_of(sweep: Sweep, scenario: Scenario) -> tuple[Form, Scenario] | None:
    """Return the choices, and the question on screen, that ask for this sweep."""
    varied = dict(sweep.vary)
    eps, sets, draws = varied.get("eps", ()), varied.get("data", ()), sweep.draws
    if not 1 <= len(eps) <= MOST_STEPS or not set(varied) <= {"eps", "data"}:
        return None
    titles = tuple(
        key
        for spec in sets
        for key in (entry.id for entry in BUNDLED)
        if first_question(key, visits.sources()) == spec
    )
    cases = [dict(case) for case in sweep.cases]
    if any(set(case) != {"notion", "mechanism"} for case in cases):
        return None
    form = Form(
        promises=tuple(dict.fromkeys(case["notion"] for case in cases)),
        mechanisms=tuple(dict.fromkeys(case["mechanism"] for case in cases)),
        low=eps[0],
        high=eps[-1],
        steps=len(eps),
        on=SETS if sets else HERE if draws is None else RANDOM,
        sets=titles,
    )
    if draws is not None:
        form = replace(
            form,
            law=draws.law,
            n_s=draws.n_s,
            n_x=draws.n_x,
            draws=draws.count,
            seed=draws.seed,
        )
    own = sweep.scenario.data if form.on == HERE else scenario.data
    near, changes = within_reach(replace(sweep.scenario, data=own, eps=scenario.eps), scenario)
    if changes:
        return None
    with contextlib.suppress(CoreError):
        if request_of(form, near).sweep == sweep:
            return form, near
    return None


def budgets(form: Form) -> tuple[float, ...]:
    domain = DOMAINS["eps"]
    grid = np.linspace(form.low, form.high, form.steps).tolist()
    return tuple(min(float(f"{eps:.12g}"), domain.high) for eps in grid)


def _pairs(form: Form, scenario: Scenario) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the promises with the mechanisms that work under them, and say which do not."""
    pairs: list[tuple[str, str]] = []
    why: dict[tuple[str, str], list[str]] = {}
    for key in form.promises:
        for name in form.mechanisms:
            reason = pickers.obstacle(name, replace(scenario, notion=key))
            if reason:
                why.setdefault((name, reason), []).append(notions.entry(key).title)
            else:
                pairs.append((key, name))
    sentences = tuple(
        f"{mechanisms.entry(name).title} under {listed(titles)} is left out: {reason}."
        for (name, reason), titles in why.items()
    )
    return tuple(pairs), sentences


def about(sweep: Sweep) -> str:
    """Return in a few words what a sweep is about."""
    draws = sweep.draws
    if draws is not None:
        joints = number_of(draws.count, "random joint")
        return f"{joints} of {draws.n_s}×{draws.n_x} ({draws.law}, seed {draws.seed})"
    specs = dict.fromkeys(question.data for question in sweep.questions)
    return listed([visits.sources().title(spec.source) for spec in specs])


def promises(sweep: Sweep) -> str:
    """Name a sweep's privacy notions, with the numbers that they depend on and that do not vary."""
    numbers, titles = sweep.scenario.numbers, []
    for key in dict.fromkeys(question.notion for question in sweep.questions):
        entry = notions.entry(key)
        fixed = f"{PREFIX}{key}" in level_keys() and not {*entry.parameters} - {"eps"} & {
            *sweep.varied
        }
        titles.append(measure_title(f"{PREFIX}{key}", numbers) if fixed else entry.title)
    return "; ".join(titles)


def facts(sweep: Sweep) -> dict[str, str]:
    """Return what a sweep is about, for the titles and the metadata of files."""
    details = {"data": about(sweep)}
    if sweep.draws is None:
        specs = tuple(dict.fromkeys(question.data for question in sweep.questions))
        if len(specs) == 1 and specs[0].secret:
            details |= {"S": ", ".join(specs[0].secret), "X": ", ".join(specs[0].released)}
    keys = dict.fromkeys(question.notion for question in sweep.questions)
    used = dict.fromkeys(question.mechanism for question in sweep.questions)
    eps = sorted({question.eps for question in sweep.questions})
    details["notion"] = ", ".join(notions.entry(key).title for key in keys)
    details["mechanism"] = ", ".join(mechanisms.entry(key).title for key in used)
    details["ε in nats"] = (
        f"{eps[0]:g}" if len(eps) == 1 else f"{eps[0]:g} to {eps[-1]:g}, {len(eps)} values"
    )
    return details


ERRORS, QUANTILES, NO_BARS = "errors", "quantiles", "none"
"""What the bars of a point show."""

PLAIN = Form((), ())
"""The defaults of all but promises and mechanisms."""

USUAL = ("optimal", "subset_merging", "subset_random_response")
"""Mechanisms that a sweep begins with, as far as they work."""

MOST_SYMBOLS = 400
"""Most symbols of S, and of X, of a random joint."""

WHOLE = {"steps": (1, MOST_STEPS), "draws": (1, 10**9), "first": (0, 10**9 - 1)}
"""The URL's key → the least and largest whole number that it may be."""


def widget(key: str) -> str:
    return f"sweep_{key}"


def _choice(key: str, default: str, known: Collection[str]) -> Value:
    return Value(key, default, one_of(known), widget(key))


def _several(key: str, known: Collection[str], default: list[str] | None = None) -> Value:
    return Value(key, default, one_of(known), widget(key), instead="it is left out", many=True)


def _whole(key: str, default: int) -> Value:
    low, high = WHOLE[key]
    why = f"is not a whole number from {low:,} to {high:,}"
    return Value(key, default, lambda text: whole_number(text, low, high), widget(key), why)


def _budget(key: str, default: float) -> Value:
    domain = DOMAINS["eps"]

    def read(text: str) -> float | None:
        try:
            number = float(text)
        except ValueError:
            return None
        return number if domain.low <= number <= domain.high else None

    why = f"is not in [{domain.low:g}, {domain.high:g}]"
    return Value(key, default, read, widget(key), why, f"{default:g} is used", "{:g}".format)


def _size(text: str) -> tuple[int, int] | None:
    n_s, _, n_x = text.partition("x")
    sizes = whole_number(n_s, 2, MOST_SYMBOLS), whole_number(n_x, 2, MOST_SYMBOLS)
    return None if None in sizes else sizes  # type: ignore[return-value]


FIGURES_SHOWN = (BUDGET, *FIGURES, *level_keys())

URL = PageQuery(
    "frontiers",
    _several("promise", [entry.key for entry in notions.ALL]),
    _several("by", mechanisms.CATALOGUE),
    Value(
        "size",
        (PLAIN.n_s, PLAIN.n_x),
        _size,
        why=f"is not such as 5x17 with 2 to {MOST_SYMBOLS} symbols each",
        instead=f"{PLAIN.n_s}x{PLAIN.n_x} is used",
    ),
    _several("set", [entry.id for entry in BUNDLED], []),
    _choice("on", PLAIN.on, (HERE, SETS, RANDOM)),
    _choice("across", BUDGET, FIGURES_SHOWN),
    _choice("up", "kept", FIGURES_SHOWN),
    _choice("bars", ERRORS, (ERRORS, QUANTILES, NO_BARS)),
    _choice("apart", "mechanism", ("mechanism", "notion", "eps", "data")),
    _whole("steps", PLAIN.steps),
    _budget("from", PLAIN.low),
    _budget("to", PLAIN.high),
    _choice("law", PLAIN.law, LAWS),
    _whole("draws", PLAIN.draws),
    _whole("first", PLAIN.seed),
)


def value(key: str) -> Any:
    return st.session_state[widget(key)]


def restore() -> None:
    """Set the session to what the URL says; unknown values fall back with a notice."""
    if URL.restore(**_usual()) is not None:
        st.session_state[widget("n_s")], st.session_state[widget("n_x")] = URL.take("size")


HELD = {
    "promises": "promise",
    "mechanisms": "by",
    "low": "from",
    "high": "to",
    "sets": "set",
    "seed": "first",
}
"""The URL's key of a field of the form, where it has another name."""


def _keys() -> dict[str, str]:
    """Return the URL's key of each field of the form."""
    return {item.name: HELD.get(item.name, item.name) for item in fields(Form)}


def form() -> Form:
    held: dict[str, Any] = {}
    for name, key in _keys().items():
        now = value(key)
        held[name] = tuple(now) if isinstance(now, list) else now
    return Form(**held)


def take(chosen: Form) -> bool:
    """Choose something else in a callback; return whether it is within limits, else do nothing."""
    settings = {key: getattr(chosen, name) for name, key in _keys().items()}
    if any(not low <= settings[key] <= high for key, (low, high) in WHOLE.items()):
        return False
    sizes = chosen.n_s, chosen.n_x
    if chosen.law not in LAWS or min(sizes) < 2 or max(sizes) > MOST_SYMBOLS:
        return False
    for key, setting in settings.items():
        held = list(setting) if isinstance(setting, tuple) else setting
        st.session_state[widget(key)] = held
    return True


def publish() -> None:
    """Write what is chosen to the URL; what is the default, or of no effect, is left out."""
    rest = URL.wanted()
    wanted = {key: rest.pop(key) for key in ("promise", "by")}
    size = value("n_s"), value("n_x")
    if value("on") == RANDOM and size != (PLAIN.n_s, PLAIN.n_x):
        wanted["size"] = ["{}x{}".format(*size)]
    idle = {SETS: {"law", "draws", "first"}, RANDOM: {"set"}}.get(
        value("on"), {"set", "law", "draws", "first"}
    )
    URL.publish(wanted | {key: texts for key, texts in rest.items() if key not in idle})


def _usual() -> dict[str, list[str]]:
    """Return the promise on screen with the mechanisms that a sweep begins with."""
    scenario = state.scenario()
    wanted = dict.fromkeys([*USUAL, scenario.mechanism])
    return {
        "promise": [scenario.notion],
        "by": [key for key in wanted if not pickers.obstacle(key, scenario)],
    }
