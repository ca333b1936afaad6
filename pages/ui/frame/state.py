"""The scenario on screen: in the session while it is used, in the URL for those it is sent to.

Streamlit's `bind` would write the texts shown, and drop unknown values silently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError
from core.scenario import DOMAINS, Scenario, spans
from core.scenario.data_url import DATA_KEYS, Query, cut
from core.scenario.url import (
    CHOICES,
    LISTS,
    NUMBERS,
    from_query,
    to_query,
    unknown_keys,
    within_reach,
)
from pages.ui.frame import address, site
from pages.ui.frame.address import PAGES_KEYS
from pages.ui.style.units import UNITS, exact, level, to_nats
from pages.ui.work import context, derived, visits

WIDGETS = {key: name for key, name in (CHOICES | NUMBERS).items() if name != "n"}
"""Widget key, which is also the URL's, → the scenario's field."""

KEYS = (*DATA_KEYS, *CHOICES, *NUMBERS, *LISTS, "unit")
"""The URL's keys that are a scenario's, and the unit that its ε is written in."""

LOST = (
    "The connection to the server was lost. This page has restarted from its address: upload or "
    "paste your data again; computations start over."
)
"""The notice of a page whose session has ended, with its server or after a long absence."""

_SEEN = "_url_seen"


def restore(page: str) -> None:
    """Set the session to what the URL says, errors to `notices`; call it first on every page.

    A URL counts for a new session, when it names a scenario on a page that was just opened, and
    when it changed under an open page.
    """
    site.enter()
    visits.visit()  # which takes over what the page that was reloaded had
    address.arrive()
    query = address.read(KEYS)
    known = _SEEN in st.session_state
    if not known or (query != st.session_state[_SEEN] and (query or not address.opens(page))):
        _take(query)
    else:
        if address.is_new(page):
            _carry_over()
        if address.opens(page):
            publish(scenario())
    address.opened(page)


def _carry_over() -> None:
    """Set the widgets of a page to what they were on the page before.

    Streamlit does not where a click in the menu and another one arrive together: so each run does
    this until one has come to its end.
    """
    for key in (*WIDGETS, "unit"):
        st.session_state[key] = st.session_state[key]


def _take(query: Query) -> None:
    """Make what an address asks for the question on screen."""
    known = _SEEN in st.session_state
    remarks = [LOST] if not known and visits.had_session() else []
    unit = _unit(query, remarks)
    question, notices = from_query(_in_nats(query, unit, remarks))
    visits.recover([question.data.source])
    question, more = within_reach(question, scenario() if known else None)
    question = _where_it_matters(question, query)
    adopt(question)
    st.session_state["unit"] = unit
    lost = unknown_keys(address.whole(), {*KEYS, *PAGES_KEYS})
    st.session_state["_notices"] = (*remarks, *lost, *notices, *more)
    st.session_state[_SEEN] = query  # last: a run that is interrupted before reads it again


def notices() -> tuple[str, ...]:
    """Return what was wrong in the URL, until the next one is read."""
    texts: tuple[str, ...] = st.session_state.get("_notices", ())
    return texts


def adopt(question: Scenario) -> None:
    """Make a scenario the one on screen."""
    for key, name in WIDGETS.items():
        st.session_state[key] = getattr(question, name)
    st.session_state["_n"] = question.n
    for name in LISTS.values():
        st.session_state[f"_{name}"] = getattr(question, name)
    st.session_state["_data"] = question.data


def scenario() -> Scenario:
    """Return the scenario on screen."""
    values = {name: st.session_state[key] for key, name in WIDGETS.items()}
    lists = {name: st.session_state[f"_{name}"] for name in LISTS.values()}
    return Scenario(data=data(), n=st.session_state["_n"], **values, **lists)


def data() -> DataSpec:
    """Return the data on screen."""
    shown: DataSpec = st.session_state["_data"]
    return shown


def set_data(spec: DataSpec) -> None:
    """Change the data on screen."""
    st.session_state["_data"] = spec


def with_data(**changes: Any) -> None:
    """Change a part of the data on screen."""
    set_data(replace(data(), **changes))


def put(key: str, value: Any) -> None:
    """Give a widget a value if it has another: the same would undo a press that is yet to come."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def publish(shown: Scenario) -> None:
    """Write a scenario to the URL without its defaults; later exports say they are about it."""
    context.tell(shown)
    wanted = to_query(shown)
    unit = st.session_state["unit"]
    if unit != UNITS[0]:
        wanted["unit"] = [unit]
        if "eps" in wanted and spans.in_nats(shown.notion):
            wanted["eps"] = [exact(shown.eps, unit)]
    st.session_state[_SEEN] = wanted
    address.write(KEYS, wanted)


def _where_it_matters(question: Scenario, query: Query) -> Scenario:
    """Return a link's question; budgets left open are half of what X itself needs."""
    try:
        idle = spans.without_difference(question, derived.counted(question.data).joint)
    except CoreError:
        return question  # the page says what is wrong
    left_open: dict[str, Any] = {
        name: spans.halfway(ends) for name, ends in idle.items() if name not in query
    }
    return replace(question, **left_open)


def _unit(query: Query, remarks: list[str]) -> str:
    unit = query.get("unit", [UNITS[0]])[-1]
    if unit in UNITS:
        return unit
    remarks.append(f"The link has unit={cut(unit)}, which is not nats or bits; nats is used.")
    return UNITS[0]


def _in_nats(query: Query, unit: str, remarks: list[str]) -> Query:
    """Return a query with its ε in nats."""
    plain = not spans.in_nats(query.get("notion", [""])[-1])
    if unit == UNITS[0] or "eps" not in query or plain:
        return query
    text, domain = query["eps"][-1], DOMAINS["eps"]
    try:
        eps = to_nats(float(text), unit)
    except ValueError:
        return query  # `from_query` reports what is not a number
    if domain.low <= eps <= domain.high:
        return query | {"eps": [repr(eps)]}
    remarks.append(
        f"The link has eps={cut(text)}, which is not in [0, {level(domain.high, unit, 2)}] {unit}; "
        f"{level(Scenario().eps, unit, 2)} is used."
    )
    return {key: values for key, values in query.items() if key != "eps"}
