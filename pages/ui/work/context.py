"""What the charts and tables on screen are about, as in the files that they are exported to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from core.data.counts.report import CountReport
from core.errors import CoreError
from core.scenario import Scenario
from core.scenario.context import Context, context, together
from pages.ui.work import visits

_SHOWN = "_exports_are_about"
_ABOUT: ContextVar[Context | None] = ContextVar("exports_are_about", default=None)


def tell(*scenarios: Scenario) -> None:
    """Set the questions that everything shown from here on is about, until the next call."""
    tell_about(of(*scenarios))


def tell_about(details: Context) -> None:
    """Set what everything shown from here on is about, where that is no scenario."""
    st.session_state[_SHOWN] = details


@contextmanager
def about(details: Context) -> Iterator[None]:
    """Set what everything shown within is about."""
    token = _ABOUT.set(details)
    try:
        yield
    finally:
        _ABOUT.reset(token)


def shown() -> Context:
    """Return what is being shown, as data, notion and the like; empty where nothing is known."""
    details: Context = _ABOUT.get() or st.session_state.get(_SHOWN, {})
    return details


def of(*scenarios: Scenario) -> Context:
    """Return what questions are about."""
    return together([context(scenario, _title(scenario)) for scenario in scenarios])


def of_data(scenario: Scenario) -> Context:
    """Return what a question's data is about, without its promise."""
    promised = {"notion", "mechanism", "kept"}
    return {name: value for name, value in of(scenario).items() if name not in promised}


def of_count(report: CountReport) -> Context:
    """Return what a count of records is about, without a promise."""
    details = {"data": report.title, "S": report.secret, "X": report.released}
    treated = " ".join(report.sentences())
    return details | ({"records": treated} if treated else {})


def _title(scenario: Scenario) -> str:
    try:
        return visits.sources().title(scenario.data.source)
    except CoreError:
        return ""  # the page says what is wrong with the data
