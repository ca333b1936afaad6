"""An answer that is still being worked out: how long it has taken, how long it may, and Cancel."""

from __future__ import annotations

import streamlit as st

from core.errors import CoreError
from core.jobs import Job, State
from core.scenario import Result, Scenario
from pages.ui import run
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
    with st.container(horizontal=True, vertical_alignment="center", key="refining"):
        st.fragment(_watch, run_every=0.5)(job, scenario.time_limit)
        st.button("Cancel", icon=":material/close:", on_click=job.cancel, key="cancel_refining")


def _watch(job: Job[Result], limit: float) -> None:
    if job.finished:
        st.rerun()
    seconds = job.seconds_of_work
    if seconds == 0:
        st.caption("A better answer is waiting for its turn…")
        return
    text = f"Looking for better: {seconds:.0f} s of at most {limit:g} s"
    st.progress(min(1.0, seconds / limit), text=text)


def _ended(job: Job[Result]) -> str:
    if job.state == State.CANCELLED:
        return "Cancelled: this is the answer of the first moment, its gap is what is left open."
    try:
        job.result()
    except CoreError as error:
        return markdown(str(error))
    return ""
