"""How long work is shown: an estimate, progress, Cancel, and whether its answer still fits."""

from __future__ import annotations

import streamlit as st

from core.scenario import Scenario
from pages.ui import run_robust
from pages.ui.labels import markdown
from pages.ui.run_robust import Asked

NAMES = {"eps": "ε", "n": "n", "beta": "β", "alpha": "α", "seed": "seed", "draws": "draws"}
"""What the numbers of a question are called."""


def launch(kind: str, asked: Asked, scenario: Scenario, label: str, about: str) -> None:
    """Show the button that begins a study, or its progress, and what went wrong."""
    desk = run_robust.desk(kind)
    if desk.job is not None:
        return
    if desk.answered != asked:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                label,
                key=f"{kind}_start",
                icon=":material/play_arrow:",
                type="primary",
                on_click=run_robust.start,
                args=(kind, asked, scenario),
            )
            st.caption(about)
    if desk.problem:
        st.error(markdown(desk.problem))


def stale(kind: str, asked: Asked) -> None:
    """Say so where the answer on screen is for other settings than those of the controls."""
    answered = run_robust.desk(kind).answered
    if answered is None or answered == asked:
        return
    others = [
        f"{name} = {getattr(answered, field):,}"
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


def waiting(kind: str) -> bool:
    """Say whether work of a kind is under way."""
    return run_robust.desk(kind).job is not None


def progress(kind: str, what: str) -> None:
    """Show the progress of what is under way and its Cancel, until it ends."""
    if waiting(kind):
        st.fragment(_follow, run_every=1.0)(kind, what)


def _follow(kind: str, what: str) -> None:
    desk = run_robust.desk(kind)
    job = desk.job
    if job is None:
        st.rerun()
        return
    done, total = job.progress or (0, 1)
    said = f"{what}: {job.seconds:.0f} s so far"
    if job.state == "waiting":
        said = f"{what}: waiting for its turn"
    elif done:
        said += f", about {job.seconds * (total - done) / done:.0f} s to go"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(done / total, text=f"{said} ({done} of {total})" if total > 1 else said)
        st.button(
            "Cancel",
            key=f"{kind}_cancel",
            icon=":material/close:",
            on_click=run_robust.cancel,
            args=(kind,),
            width="content",
        )
