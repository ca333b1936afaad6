"""An answer that is still being worked out: how long it has taken, how long it may, and Cancel."""

from __future__ import annotations

import streamlit as st

from core.errors import CoreError
from core.jobs import Job, State
from core.scenario import Result, Scenario
from pages.ui import following, run
from pages.ui.labels import markdown


def follow(scenario: Scenario) -> None:
    """Show the work on a better answer than the one on screen, until it ends; call it in a page."""
    try:
        job = run.refining(scenario)
    except CoreError:
        return  # there is no answer at all: the page itself says why
    if job is None or job.state == State.DONE:
        return
    if job.finished:
        st.caption(_ended(job))
        return
    following.follow(job, "Looking for better", limit=scenario.time_limit, key="cancel_refining")


def _ended(job: Job[Result]) -> str:
    if job.state == State.CANCELLED:
        return "Cancelled: this is the answer of the first moment, its gap is what is left open."
    try:
        job.result()
    except CoreError as error:
        return markdown(str(error))
    return ""
