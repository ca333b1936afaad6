"""What the charts and tables on screen are about, as the files say it that they are exported to."""

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
    """Say which questions all that is shown from here on is about, until the next call."""
    tell_about(of(*scenarios))


def tell_about(found: Context) -> None:
    """Say what all that is shown from here on is about, where that is no scenario."""
    st.session_state[_SHOWN] = found


@contextmanager
def about(found: Context) -> Iterator[None]:
    """Say what that is about which is shown within."""
    token = _ABOUT.set(found)
    try:
        yield
    finally:
        _ABOUT.reset(token)


def shown() -> Context:
    """Return what that is about which is being shown; empty where nothing was told."""
    found: Context = _ABOUT.get() or st.session_state.get(_SHOWN, {})
    return found


def of(*scenarios: Scenario) -> Context:
    """Return what questions are about."""
    return together([context(one, _title(one)) for one in scenarios])


def of_count(report: CountReport) -> Context:
    """Return what a count of records is about, without a promise."""
    told = {"data": report.title, "S": report.secret, "X": report.released}
    treated = " ".join(report.sentences())
    return told | ({"records": treated} if treated else {})


def _title(scenario: Scenario) -> str:
    try:
        return visits.sources().title(scenario.data.source)
    except CoreError:
        return ""  # the page says what is wrong with the data
