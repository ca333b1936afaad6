"""The sidebar's controls: notion, mechanism and the sliders; they hold the scenario's values."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.nonstochastic import UTILITIES
from core.notions import catalogue as notions
from core.notions.numbers import declared
from core.scenario import DOMAINS, Domain, Scenario, spans
from pages.ui.frame import data_controls, pickers, purpose, state
from pages.ui.style import glossary
from pages.ui.style.units import UNITS, in_unit, level, rounded, to_nats
from pages.ui.work import derived

ALPHAS = (1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, math.inf)
"""The orders that the slider of α offers."""

SET_ORDERS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0)
"""The orders that it offers where α is that of an uncertainty set."""

RECORDS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000)
"""The numbers of records that the slider of n offers, beside the data's own."""

IN_BITS = "eps_bits"
"""Key of the slider of ε where the unit is bits."""

MECHANISMS, PROMISES = "mechanisms", "promises"
"""What the frontier's lines can compare."""

KEPT = {"resolution": "resolution", "distortion": "closeness"}
"""The interface's name of each utility of a quantization."""

NUMBERS = tuple(declared())
"""The numbers of a promise."""

SLIDERS = {name: domain.title for name, domain in DOMAINS.items() if domain.title}
"""Each slider's name; its explanation is in the glossary, under the same key."""

IDLE = ("eps", "lam", "alpha", "beta")
"""Sliders that are shown, disabled, where they have no effect; the others are left out there."""

MEANINGS = {"bound": "guess_bound"}
"""Number → its key in the glossary, where the two differ."""


def sidebar() -> DeltaGenerator:
    """Show the pickers of data, S, X, promise and mechanism; return the place for the sliders."""
    with st.sidebar:
        data_controls.pick()
        pickers.promise()
        pickers.mechanism()
        place = st.container(key="promise_sliders")
        if "weight" in mechanisms.entry(st.session_state["mech"]).parameters:
            price(state.scenario())
        pickers.explain()
        purpose.adder()
        data_controls.treated(known=True)
        return place


def price(scenario: Scenario) -> None:
    """Show the picker of what a quantization keeps, and λ."""
    numeric = derived.numeric(scenario.data)
    st.segmented_control(
        "What to keep",
        UTILITIES,
        format_func=lambda key: KEPT[key],
        key="keep",
        required=True,
        persist_state="session",
        help="Resolution: how small the largest cluster is, in bits. Closeness: how little a "
        "number differs from its cluster's mean, for a numeric X"
        + ("." if numeric else "; this X is not numeric."),
    )
    domain = DOMAINS["weight"]
    st.number_input(
        "λ · value of what is kept",
        min_value=domain.low,
        max_value=domain.high,
        step=domain.step,
        format="%.6g",
        key="weight",
        persist_state="session",
        width=190,
        help="How many bits of leakage one unit of utility is worth: a larger λ keeps more. On "
        "the Confusability page, click the trade-off to set it.",
    )


def live_sliders(scenario: Scenario) -> None:
    """Show the sliders of numbers that change the answer, and the further promises."""
    idle = scenario.without_effect()
    for name in SLIDERS:
        if name not in idle:
            slider(name, scenario)
    if "n" not in idle:
        with contextlib.suppress(CoreError):  # the page says what is wrong with the data
            records(scenario)
    pickers.promised(scenario)
    purpose.show_further(scenario)


def idle_sliders(scenario: Scenario) -> None:
    """Show the sliders of ε, λ, α and β that change nothing, disabled, with the reason."""
    for name, reason in scenario.without_effect().items():
        if name in IDLE:
            slider(name, scenario, disabled=True)
            st.caption(f"Off: {reason}")


TYPED = ("eps", "eps_l", "eps_u")
"""Budgets that can be typed beside their sliders, also beyond where these end."""


def typed(
    key: str, label: str, now: float, unit: str, take: Callable[[float], None], **more: Any
) -> None:
    """Show the field beside a slider, of a budget in nats; `take` gets what is typed, in nats.

    Where the slider moves, another field takes its place. The browser sends every value with each
    request, and a request made before it has the new value repeats the old one: in the same field
    that would count as typed, and put the slider back.
    """
    shown = in_unit(now, unit or UNITS[0]) if math.isfinite(now) else None
    shown = None if shown is None else rounded(shown, 6)
    turn = int(st.session_state.get(f"_{key}", 0))
    if st.session_state.get(f"{key}_{turn}", shown) != shown:
        turn += 1
    st.session_state[f"_{key}"] = turn

    def read() -> None:
        if turn != st.session_state[f"_{key}"]:
            return  # of a field that another one has replaced
        value = st.session_state[f"{key}_{turn}"]
        if value is not None:
            take(min(to_nats(value, unit or UNITS[0]), DOMAINS["eps"].high))

    st.number_input(
        label,
        min_value=0.0,
        max_value=in_unit(DOMAINS["eps"].high, unit or UNITS[0]),
        value=shown,
        step=None,
        format="%.6g",
        key=f"{key}_{turn}",
        on_change=read,
        width=76,
        **more,
    )


def slider(
    name: str, scenario: Scenario, *, disabled: bool = False, robust: bool | None = None
) -> None:
    """Show a number's slider, beside the field of a budget.

    `robust`: α is that of an uncertainty set; None: as the promise says.
    """
    if name not in TYPED or disabled:
        _slider(name, scenario, disabled=disabled, robust=robust)
        return

    def take(value: float) -> None:
        st.session_state[name] = value

    shown = unit() if name != "eps" or spans.in_nats(scenario.notion) else ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"row_{name}"):
        _slider(name, scenario, disabled=disabled, robust=robust)
        now, infinite = getattr(scenario, name), math.isinf(DOMAINS[name].high)
        more = {"placeholder": "∞"} if infinite else {}
        typed(f"typed_{name}", shown or "number", now, shown, take, **more)


def _slider(name: str, scenario: Scenario, *, disabled: bool, robust: bool | None) -> None:
    if robust is None:
        robust = notions.entry(scenario.notion).kind.of_estimate
    declared = DOMAINS[name]
    average = notions.entry(scenario.notion).family == "average" and declared.of_average
    label, term = declared.title, MEANINGS.get(name, name)
    if robust and declared.of_set:
        label, term = declared.of_set, "alpha_ball"
    elif average:
        label, term = declared.of_average, "budget"
    shown: dict[str, Any] = {
        "label": label,
        "key": name,
        "help": glossary.meaning(term),
        "disabled": disabled,
        "persist_state": "session",
    }
    if name == "alpha":
        st.select_slider(options=orders(scenario, robust=robust), format_func=order, **shown)
        return
    domain, now = ends(name, scenario), getattr(scenario, name)
    if math.isinf(DOMAINS[name].high):
        st.select_slider(options=steps(domain, now), format_func=budget, **shown)
    elif _in_bits(name, scenario):
        _bits(shown, domain)
    else:
        low, high = min(domain.low, now), max(domain.high, now)
        hold(name, now, (low, high, domain.step))
        st.slider(
            min_value=low,
            max_value=high,
            step=domain.step,
            format=step_format(domain.step),
            **shown,
        )


def hold(key: str, now: float, ends: tuple[float, float, float]) -> None:
    """Give a slider whose range has changed its value again; call it before the slider.

    Streamlit takes it for another one, with the value at the page's opening: maybe out of range.
    """
    known = f"_ends {key}"
    if st.session_state.get(known) != ends:
        st.session_state[known] = ends
        st.session_state[key] = now


def orders(scenario: Scenario, *, robust: bool) -> list[float]:
    """Return the values of the slider of α, the present one among them."""
    return sorted({*(SET_ORDERS if robust else ALPHAS), scenario.alpha})


def steps(domain: Domain, now: float) -> list[float]:
    """Return the values of a slider that ends with ∞, the present one among them."""
    high = domain.high if math.isfinite(domain.high) else spans.MOST  # of data without an answer
    count = round((high - domain.low) / domain.step)
    values = {round(domain.low + i * domain.step, 9) for i in range(count + 1)}
    return sorted({*values, math.inf, now})


def ends(name: str, scenario: Scenario) -> Domain:
    """Return the range that a number's slider has on this data."""
    if name == "eps" and not notions.entry(scenario.notion).kind.ends_at_x:
        return spans.usual(name)
    try:
        joint = derived.counted(scenario.data).joint
        return spans.span(scenario.notion, name, joint, scenario.numbers)
    except CoreError:  # the page says what is wrong
        return spans.usual(name)


def places(scenario: Scenario, name: str = "eps") -> list[Any]:
    """Return the values that a number's slider has on this data; none where it is off.

    They are as a scenario holds them: budgets in nats.
    """
    if name in scenario.without_effect():
        return []
    if name == "n":
        own = derived.counted(scenario.data).joint.n
        return [None if value == own else value for value in sizes(scenario)]
    if name == "alpha":
        return orders(scenario, robust=notions.entry(scenario.notion).kind.of_estimate)
    domain = ends(name, scenario)
    if math.isinf(DOMAINS[name].high):
        return steps(domain, getattr(scenario, name))
    if math.isinf(domain.high):
        return []
    in_bits = _in_bits(name, scenario)
    shown = replace(domain, high=_most_bits(domain)) if in_bits else domain
    values = [value for value in steps(shown, domain.low) if math.isfinite(value)]
    return [min(to_nats(value, "bits"), domain.high) for value in values] if in_bits else values


def labels(values: Sequence[Any], scenario: Scenario, name: str = "eps") -> list[str]:
    """Return how a number's slider says each of these values, given as a scenario holds them."""
    if name == "n":
        own = derived.records(replace(scenario, n=None))
        return [size(own if value is None else value, scenario) for value in values]
    if name == "alpha":
        return [order(value) for value in values]
    if math.isinf(DOMAINS[name].high):
        return [budget(value) for value in values]
    in_bits, written = _in_bits(name, scenario), step_format(ends(name, scenario).step)
    return [written % (in_unit(value, "bits") if in_bits else value) for value in values]


def slider_key(scenario: Scenario, name: str = "eps") -> str:
    """Return the key of a number's slider."""
    if name == "n":
        return "records"
    return IN_BITS if _in_bits(name, scenario) else name


def _in_bits(name: str, scenario: Scenario) -> bool:
    """Return whether a number's slider has a value of its own, in bits."""
    return name == "eps" and unit() == "bits" and spans.in_nats(scenario.notion)


def _most_bits(domain: Domain) -> float:
    """Return the end of a slider in bits: the first step at or above that in nats."""
    return math.ceil(in_unit(domain.high, "bits") / domain.step) * domain.step


def step_format(step: float) -> str:
    """Return how a slider writes its value: with two decimals, or as many as its step has."""
    return f"%.{max(2, -math.floor(math.log10(step)))}f"


def budget(value: float) -> str:
    """Write a budget that may be ∞, in the unit shown."""
    return f"{level(value, unit(), 2)}" if unit() == "bits" else f"{order(value)}"


def _bits(shown: dict[str, Any], domain: Domain) -> None:
    """Show the slider of ε in bits; the session keeps nats."""
    now = in_unit(float(st.session_state["eps"]), "bits")
    # set only where it differs: setting it would undo a press that the server has yet to read
    if to_nats(st.session_state.get(IN_BITS, -1.0), "bits") != st.session_state["eps"]:
        st.session_state[IN_BITS] = now

    def take() -> None:
        end = max(domain.high, float(st.session_state["eps"]))
        st.session_state["eps"] = min(to_nats(st.session_state[IN_BITS], "bits"), end)

    most = max(_most_bits(domain), now)
    hold(IN_BITS, now, (domain.low, most, domain.step))
    st.slider(
        min_value=domain.low,
        max_value=most,
        step=domain.step,
        format=step_format(domain.step),
        on_change=take,
        **shown | {"key": IN_BITS, "label": f"{shown['label']}, in bits"},
    )


def records(scenario: Scenario) -> None:
    """Show the slider of n: how many records the estimate comes from."""
    now, own = derived.records(scenario), derived.counted(scenario.data).joint.n
    state.put("records", now)

    def take() -> None:
        chosen = st.session_state["records"]
        st.session_state["_n"] = None if chosen == own else chosen

    st.select_slider(
        "n · records behind the estimate",
        options=sizes(scenario),
        format_func=lambda n: size(n, scenario),
        key="records",
        on_change=take,
        persist_state="session",
        help=glossary.meaning("n"),
    )


def sizes(scenario: Scenario) -> list[int]:
    """Return the values of the slider of n, the present one and the data's own among them."""
    now, own = derived.records(scenario), derived.counted(scenario.data).joint.n
    return sorted({*RECORDS, now, *([own] if own else [])})


def size(records: int, scenario: Scenario) -> str:
    """Write a number of records; what sampling weights are worth is approximate."""
    joint = derived.counted(scenario.data).joint
    return f"{'≈' if joint.weighted and records == joint.n else ''}{records:,}"


def unit_switch() -> None:
    """Show the switch between nats and bits."""
    st.segmented_control(
        "Unit",
        list(UNITS),
        key="unit",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )


def unit() -> str:
    """Return the unit that the switch is set to."""
    return str(st.session_state.get("unit", "nats"))


def compare() -> None:
    """Show the switch between the frontier's two comparisons."""
    st.segmented_control(
        "Compare",
        [MECHANISMS, PROMISES],
        format_func=lambda key: "notions" if key == PROMISES else key,
        key="compare",
        default=MECHANISMS,
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )


def by_promise() -> bool:
    """Return whether the frontier compares promises for one mechanism, not mechanisms for one."""
    return st.session_state.get("compare") == PROMISES


def order(value: float) -> str:
    """Write an order α."""
    return "∞" if math.isinf(value) else f"{value:g}"
