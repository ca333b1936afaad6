"""The heads of the columns: name, menu and sliders."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.notions import catalogue as notions
from core.scenario import DOMAINS, Project, Scenario, spans
from core.scenario.project import LONGEST_NAME, LONGEST_NOTE
from core.studies.side_by_side import SYMBOLS
from pages.ui.compare import query
from pages.ui.frame import controls, pickers, pins
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit, of_budget, to_nats
from pages.ui.work import derived

MARKS = ("●", "■", "◆", "▲", "✖")
"""Marks before the columns' names: the symbols of their points in charts."""

ROOM = 2
"""Sliders that are shown below a column's name; the others open on request."""


def head(place: int, name: str, note: str, columns: int) -> None:
    """Show a column's name with its menu, and the pickers of promise and mechanism."""
    mark = query.marks()[place] % len(MARKS)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"head_row_{place}"
    ):
        st.html(
            f'<div title="{escape(name)}" class="lsc-head lsc-head-{mark}">'
            f'<span aria-hidden="true">{MARKS[mark]}</span> <b>{escape(name)}</b></div>'
        )
        with st.popover("Edit", type="tertiary", key=f"head_{place}", on_change="rerun") as opened:
            if opened.open:
                _menu(place, name, note, columns)
    scenario = query.shown()[place][0]
    with st.container(horizontal=True, gap="xsmall", key=f"pickers_{place}"):
        pickers.pick_promise(
            f"col{place}_notion", scenario, lambda key: _choose_promise(place, key), late=True
        )
        pickers.pick_mechanism(
            f"col{place}_mech", scenario, lambda key: query.ask(place, mechanism=key), late=True
        )
    if scenario.data.known:
        st.caption(markdown(f"Also known: {', '.join(scenario.data.known)}"))


def _choose_promise(place: int, key: str) -> None:
    """Choose a column's privacy notion; what else had to change appears above its sliders."""
    scenario, note = pickers.asking(query.project().scenarios[place], key)
    st.session_state[f"_switched {place}"] = (scenario, note)
    pins.change(query.project().asking(place, scenario))


def _menu(place: int, name: str, note: str, columns: int) -> None:
    """Show all else that can be done with a column."""
    _set(f"col{place}_name", name)
    st.text_input(
        "Name",
        max_chars=LONGEST_NAME,
        key=f"col{place}_name",
        on_change=_edit,
        args=("name", place),
        persist_state="session",
    )
    _problem(place)
    _set(f"col{place}_note", note)
    st.text_area(
        "Note",
        max_chars=LONGEST_NOTE,
        key=f"col{place}_note",
        on_change=_edit,
        args=("note", place),
        persist_state="session",
        height=80,
    )
    with st.container(horizontal=True, gap="small"):
        for label, icon, change, off in (
            ("Left", "arrow_back", _left, place == 0),
            ("Right", "arrow_forward", _right, place == columns - 1),
            ("Copy", "content_copy", _copy, False),
            ("Remove", "delete", _remove, columns == 1),
        ):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"col{place}_{label.lower()}",
                on_click=_do,
                args=(change, place),
                disabled=off,
            )


def sliders(place: int, scenario: Scenario, unit: str) -> None:
    """Show what the last choice changed, and sliders: two, and the others on request."""
    switched, note = st.session_state.get(f"_switched {place}", (None, ""))
    if note and switched == scenario:
        st.markdown(f":orange[:small[{markdown(note)}]]")
    unused = scenario.without_effect()
    shown = [name for name in (*controls.SLIDERS, "n") if name not in unused]
    for name in shown[:ROOM]:
        _number(place, name, scenario, unit)
    if more := shown[ROOM:]:
        with st.popover(
            ", ".join(SYMBOLS[name] for name in more), type="tertiary", key=f"more_{place}"
        ):
            for name in more:
                _number(place, name, scenario, unit)
    if not shown:
        st.caption("This column has no number to change.")


def _number(place: int, name: str, scenario: Scenario, unit: str) -> None:
    if name == "eps":
        _eps(place, scenario, unit)
    elif name == "alpha":
        _order(place, scenario)
    elif name == "n":
        _records(place, scenario)
    else:
        _slider(place, name, scenario)


def _eps(place: int, scenario: Scenario, unit: str) -> None:
    """Show the slider of ε, or of an average budget M, in the unit shown if it has one."""
    domain, key = controls.ends("eps", scenario), f"col{place}_eps_{unit}"
    average = notions.entry(scenario.notion).kind.on_average
    in_nats = spans.in_nats(scenario.notion)
    symbol, scaled = ("M" if average else "ε"), of_budget(scenario.notion, unit)
    now = in_unit(scenario.eps, scaled)
    if to_nats(st.session_state.get(key, -1.0), scaled) != scenario.eps:
        st.session_state[key] = now

    def take() -> None:
        query.ask(place, eps=min(to_nats(st.session_state[key], scaled), DOMAINS["eps"].high))

    most = in_unit(max(domain.high, scenario.eps), scaled)
    most = math.ceil(most / domain.step - 1e-9) * domain.step
    controls.hold(key, now, (domain.low, most, domain.step))
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key=f"row_col{place}_eps"
    ):
        st.slider(
            f"{symbol}, {unit}" if in_nats else symbol,
            min_value=domain.low,
            max_value=most,
            step=domain.step,
            format=controls.step_format(domain.step),
            key=key,
            on_change=take,
            persist_state="session",
            help=glossary.meaning("budget" if average else "eps"),
        )
        controls.typed(
            f"col{place}_typed_{unit}",
            unit if in_nats else "number",
            scenario.eps,
            unit if in_nats else "",
            lambda value: query.ask(place, eps=value),
        )


def _slider(place: int, name: str, scenario: Scenario) -> None:
    domain, key = DOMAINS[name], f"col{place}_{name}"
    now = getattr(scenario, name)
    _set(key, now)
    shown: dict[str, Any] = {
        "label": domain.title.split(" · ")[0],
        "key": key,
        "on_change": _choose,
        "args": (place, name),
        "persist_state": "session",
        "help": glossary.meaning(name),
    }
    if math.isinf(domain.high):  # as in the sidebar: its last step is ∞
        steps = controls.steps(controls.ends(name, scenario), now)
        st.select_slider(options=steps, format_func=controls.budget, **shown)
        return
    st.slider(
        min_value=domain.low,
        max_value=domain.high,
        step=domain.step,
        format=controls.step_format(domain.step),
        **shown,
    )


def _order(place: int, scenario: Scenario) -> None:
    robust, key = notions.entry(scenario.notion).kind.of_estimate, f"col{place}_alpha"
    _set(key, scenario.alpha)
    st.select_slider(
        "α, of the uncertainty set" if robust else "α",
        options=sorted({*(controls.SET_ORDERS if robust else controls.ALPHAS), scenario.alpha}),
        format_func=controls.order,
        key=key,
        on_change=_choose,
        args=(place, "alpha"),
        persist_state="session",
        help=glossary.meaning("alpha_ball" if robust else "alpha"),
    )


def _records(place: int, scenario: Scenario) -> None:
    try:
        now, own = derived.records(scenario), derived.counted(scenario.data).joint.n
    except CoreError:
        return  # the column says what is wrong with its data
    key = f"col{place}_n"
    _set(key, now)

    def take() -> None:
        chosen = st.session_state[key]
        query.ask(place, n=None if chosen == own else chosen)

    st.select_slider(
        "n",
        options=sorted({*controls.RECORDS, now, *([own] if own else [])}),
        format_func=lambda n: controls.size(n, scenario),
        key=key,
        on_change=take,
        persist_state="session",
        help=glossary.meaning("n"),
    )


def _set(key: str, value: Any) -> None:
    """Set a widget's value only where it differs: else a press still on its way would be undone.

    It persists: else a run that follows at once would not send the browser the value set before.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _choose(place: int, name: str) -> None:
    query.ask(place, **{name: st.session_state[f"col{place}_{name}"]})


def _edit(what: str, place: int) -> None:
    """Store a name or a note; a refused one changes nothing, and `_problem` says why."""
    text, project = st.session_state[f"col{place}_{what}"], query.project()
    try:
        pins.change(project.renamed(place, text) if what == "name" else project.noted(place, text))
    except CoreError as error:
        st.session_state["_column_problem"] = (place, str(error))


def _problem(place: int) -> None:
    where, sentence = st.session_state.get("_column_problem", (-1, ""))
    if where == place:
        del st.session_state["_column_problem"]
        st.markdown(f":red[:small[{markdown(sentence)}]]")


def _do(change: Any, place: int) -> None:
    """Change the columns, and close the menu: another column may be below it now."""
    st.session_state[f"head_{place}"] = False
    pins.change(change(query.project(), place))


def _left(project: Project, place: int) -> Project:
    return project.moved(place, place - 1)


def _right(project: Project, place: int) -> Project:
    return project.moved(place, place + 1)


def _copy(project: Project, place: int) -> Project:
    longer = project.with_column(project.scenarios[place], note=project.notes[place])
    return longer.moved(len(project), place + 1)


def _remove(project: Project, place: int) -> Project:
    return project.without(place)
