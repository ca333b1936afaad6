"""The Frontiers page's controls: promises, mechanisms, budgets, data and axes of a sweep."""

from __future__ import annotations

import streamlit as st

from core.data import BUNDLED
from core.data.joints import LAWS
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.notions.numbers import Numbers
from core.scenario import DOMAINS, Scenario, spans
from core.sweep import Sweep, measure_title
from core.sweep.findings import BUDGET, axes
from pages.ui.frame import controls, data_controls, purpose
from pages.ui.frontiers import query
from pages.ui.frontiers.query import HERE, MOST_STEPS, RANDOM, SETS, widget
from pages.ui.style import glossary
from pages.ui.style.units import in_unit, to_nats

ON = {HERE: "this data", SETS: "bundled sets", RANDOM: "random joints"}
"""Names of what a sweep can be about."""

BARS = {
    query.ERRORS: "± 2 standard errors",
    query.QUANTILES: "5% to 95% of draws",
    query.NO_BARS: "none",
}
"""Names of what the bars show."""

FIELD = 108
"""Pixels of a number's field: three of them fit beside each other on a small screen."""

FIELDS = {"mechanism": "mechanisms", "notion": "notions", "eps": "budgets", "data": "data sets"}
"""Names of what can be compared in pairs."""

LAW_NAMES = {
    "uniform": "uniform",
    "dirichlet0.5": "Dirichlet, ½",
    "dirichlet1": "Dirichlet, 1",
}
"""Names of the laws of random joints."""


def sidebar() -> None:
    with st.sidebar:
        data_controls.show(known=True)
    purpose.show()


def sliders(scenario: Scenario) -> None:
    """Show the numbers that all questions share, ε left out; call it in a fragment."""
    with st.sidebar:
        used = {name for key in query.value("promise") for name in notions.entry(key).parameters}
        for name in controls.SLIDERS:
            if name in used and name != BUDGET:
                controls.slider(name, scenario, robust="alpha" in used and _of_estimate())
        if "n" in used:
            controls.records(scenario)


def _of_estimate() -> bool:
    """Return whether all promises that have an α mean the order of an uncertainty set."""
    entries = [notions.entry(key) for key in query.value("promise")]
    return all(entry.kind.of_estimate for entry in entries if "alpha" in entry.parameters)


def show() -> None:
    _promises()
    _mechanisms()
    left, right = st.columns(2, gap="medium")
    with left:
        _budgets()
    with right:
        _data()


def _promises() -> None:
    st.multiselect(
        "Privacy notions",
        [entry.key for family in FAMILIES for entry in notions.of_family(family)],
        format_func=lambda key: notions.entry(key).title,
        key=widget("promise"),
        persist_state="session",
        placeholder="Choose a notion",
        help=glossary.meaning("notion"),
        select_all=False,
    )


def _mechanisms() -> None:
    st.multiselect(
        "Mechanisms",
        [entry.key for entries in fit.families().values() for entry in entries],
        format_func=lambda key: mechanisms.entry(key).title,
        key=widget("by"),
        persist_state="session",
        placeholder="Choose a mechanism",
        help="Each runs under each notion that it supports.",
        select_all=False,
    )


def _budgets() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="sweep_budgets"):
        for key, label in (("from", "ε from"), ("to", "to")):
            _budget(key, label)
        st.number_input(
            "Budgets",
            1,
            MOST_STEPS,
            step=1,
            key=widget("steps"),
            persist_state="session",
            help="How many, evenly spaced from the first to the last.",
            width=FIELD,
        )


def _budget(key: str, label: str) -> None:
    """Show the field of an end of the budgets, in the unit shown; the session keeps nats."""
    domain = DOMAINS["eps"]
    in_nats = all(spans.in_nats(notion) for notion in query.value("promise"))
    unit = controls.unit() if in_nats else ""
    stored, high = widget(key), domain.high
    now = float(st.session_state[stored])
    held = stored
    if unit == "bits":
        held, high = f"{stored}_bits", in_unit(domain.high, unit)
        # set only where it differs: setting it would undo a press that the server has yet to read
        if to_nats(st.session_state.get(held, -1.0), unit) != now:
            st.session_state[held] = in_unit(now, unit)
        st.session_state[stored] = now  # it has no widget meanwhile

    def take() -> None:
        if held != stored:
            st.session_state[stored] = min(to_nats(st.session_state[held], unit), domain.high)

    st.number_input(
        f"{label}, {unit}" if unit and key == "from" else label,
        domain.low,
        high,
        step=domain.step,
        format="%.4g",
        key=held,
        on_change=take,
        persist_state="session",
        help=glossary.meaning("eps") if key == "from" else None,
        width=FIELD,
    )


def _data() -> None:
    st.segmented_control(
        "Data",
        list(ON),
        format_func=ON.__getitem__,
        key=widget("on"),
        required=True,
        persist_state="session",
        help="This data: the sidebar's data, with its S and X. Bundled sets: each with its "
        "default S and X. Random joints: many draws, with errors for the means.",
    )
    if query.value("on") == SETS:
        titles = {entry.id: entry.title for entry in BUNDLED}
        st.multiselect(
            "Bundled data",
            list(titles),
            format_func=titles.__getitem__,
            key=widget("set"),
            persist_state="session",
            placeholder="Choose a data set",
            label_visibility="collapsed",
        )
    elif query.value("on") == RANDOM:
        _draws()


def _draws() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="sweep_random"):
        for key, label, low, high in (
            ("n_s", "Symbols of S", 2, query.MOST_SYMBOLS),
            ("n_x", "Symbols of X", 2, query.MOST_SYMBOLS),
            ("draws", "Draws", *query.WHOLE["draws"]),
            ("first", "Seed", *query.WHOLE["first"]),
        ):
            st.number_input(
                label,
                low,
                high,
                step=1,
                key=widget(key),
                persist_state="session",
                width=FIELD,
            )
        st.selectbox(
            "Law",
            LAWS,
            format_func=LAW_NAMES.__getitem__,
            key=widget("law"),
            persist_state="session",
            width=160,
            help="Joint distribution: uniform entries, or a Dirichlet distribution with this "
            "parameter.",
        )


def chosen_axes(sweep: Sweep) -> tuple[str, str]:
    """Show the pickers of the axes and of the bars; return the axes."""
    known = axes(sweep)
    with st.container(horizontal=True, vertical_alignment="bottom", key="sweep_axes"):
        for key, label in (("across", "Horizontal axis"), ("up", "Vertical axis")):
            now = query.value(key)
            options = known if now in known else (*known, now)
            st.selectbox(
                label,
                options,
                format_func=lambda axis: name_of(axis, sweep),
                key=widget(key),
                persist_state="session",
                width=300,
            )
        if sweep.draws is not None:
            st.segmented_control(
                "Bars",
                list(BARS),
                format_func=BARS.__getitem__,
                key=widget("bars"),
                required=True,
                persist_state="session",
                help="Two standard errors bound the likely error of the mean; the quantiles show "
                "the spread of single draws.",
            )
    return query.value("across"), query.value("up")


def field(sweep: Sweep) -> str | None:
    known = [name for name in FIELDS if name in sweep.varied and _differs(sweep, name)]
    if not known:
        return None
    if query.value("apart") not in known:
        st.session_state[widget("apart")] = known[0]
    return str(
        st.segmented_control(
            "Compare",
            known,
            format_func=FIELDS.__getitem__,
            key=widget("apart"),
            required=True,
            persist_state="session",
            label_visibility="collapsed",
        )
    )


def _differs(sweep: Sweep, name: str) -> bool:
    return len({getattr(question, name) for question in sweep.questions}) > 1


def name_of(axis: str, sweep: Sweep | None = None) -> str:
    if axis == BUDGET:
        return "Requested budget ε"
    numbers = Numbers() if sweep is None else sweep.scenario.numbers
    title = measure_title(axis, numbers)
    return f"Level of {title}" if axis.startswith("level_") else title
