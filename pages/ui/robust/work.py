"""Long work of the Robust page: an estimate, progress, Cancel, and whether its answer is stale."""

from __future__ import annotations

import streamlit as st

from core.scenario import Scenario
from pages.ui.frame import controls
from pages.ui.robust import results
from pages.ui.robust.results import RobustQuestion
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget
from pages.ui.work import progress as following

NAMES = {"eps": "ε", "n": "n", "beta": "β", "alpha": "α", "seed": "seed", "draws": "draws"}
"""What the numbers of a question are called."""


def row(
    kind: str, what: str, asked: RobustQuestion, scenario: Scenario, label: str, about: str
) -> None:
    """Show, in a row of fixed height, the button that begins a study, or its progress.

    Parameters
    ----------
    kind : str
        The kind of work, a key of `results.SECONDS`.
    what : str
        What it does, as the beginning of a sentence.
    asked : RobustQuestion
        The question that the settings on screen ask.
    scenario : Scenario
        Those settings.
    label, about : str
        Of the button, and beside it.
    """
    with st.container(key=f"{kind}_work"):
        launch(kind, asked, scenario, label, about)
        progress(kind, what)


def launch(kind: str, asked: RobustQuestion, scenario: Scenario, label: str, about: str) -> None:
    """Show the button that begins a study, and what went wrong; nothing while it is under way."""
    desk = results.desk(kind)
    if desk.job is not None:
        return
    if desk.answered != asked:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                label,
                key=f"{kind}_start",
                icon=":material/play_arrow:",
                type="primary",
                on_click=results.start,
                args=(kind, asked, scenario),
            )
            st.caption(about)
    if desk.problem:
        st.error(markdown(desk.problem))


def stale(kind: str, asked: RobustQuestion) -> None:
    """Say so where the answer on screen is for other settings than those of the controls."""
    answered = results.desk(kind).answered
    if answered is None or answered == asked:
        return
    others = [
        f"{name} = {_written(field, getattr(answered, field))}"
        for field, name in NAMES.items()
        if getattr(answered, field) not in (None, getattr(asked, field))
    ]
    if answered.data != asked.data:
        others.insert(0, "other data")
    st.badge(
        f"stale: for {', '.join(others) or 'another choice'}",
        icon=":material/history:",
        color="orange",
    )


def _written(field: str, value: float) -> str:
    """Write a number of a question, ε in the unit shown."""
    return budget(value, controls.unit()) if field == "eps" else f"{value:,}"


def progress(kind: str, what: str) -> None:
    """Show the progress of what is under way and its Cancel, until it ends."""
    job = results.desk(kind).job
    if job is not None:
        following.follow(
            job,
            what,
            limit=results.LIMIT,
            key=f"{kind}_cancel",
            on_cancel=lambda: results.cancel(kind),
        )
