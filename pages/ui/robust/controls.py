"""The Robust page's controls: who sees how many records, how sure to be, which order."""

from __future__ import annotations

import streamlit as st

from core.scenario import DOMAINS, Scenario
from core.studies.robust_designs import DESIGNS
from pages.ui.chart import picked
from pages.ui.frame import controls, data_controls, state

MOST_DRAWS = 100
"""Draws that can be asked for: as many as the paper's."""

WORLDS = {False: "the data", True: "random worlds"}
"""What is drawn from."""


def sidebar() -> None:
    """Show the pickers of data, S and U."""
    with st.sidebar:
        data_controls.show()
        st.caption(
            "Here X is the u that goes with S; both are released together, whatever the switch "
            "says."
        )


def sliders(scenario: Scenario) -> None:
    """Show ε, n, β, α and the seed; call it in a fragment.

    Raises
    ------
    CoreError
        If the data cannot be counted.
    """
    with st.sidebar:
        controls.slider("eps", scenario)
        controls.records(scenario)
        controls.slider("beta", scenario)
        controls.slider("alpha", scenario, robust=True)
        seeds = DOMAINS["seed"]
        st.number_input(
            "Seed of the sample",
            int(seeds.low),
            int(seeds.high),
            step=1,
            key="seed",
            persist_state="session",
            help="Another seed draws other records of the same world.",
        )


def draws() -> tuple[bool, int, tuple[str, ...]]:
    """Show what to draw; return whether from random worlds, how often, and for which designs."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        fresh = st.segmented_control(
            "Draw from",
            list(WORLDS),
            format_func=WORLDS.__getitem__,
            default=False,
            required=True,
            key="robust_fresh",
            persist_state="session",
            help="The data: the truth stays and only the sample is new. Random worlds: each draw "
            "has a truth of its own, from the Jeffreys prior, as in the paper.",
        )
        count = st.select_slider(
            "Draws",
            options=[5, 10, 20, 50, MOST_DRAWS],
            value=20,
            key="robust_draws",
            persist_state="session",
            width=220,
        )
    keys = st.pills(
        "Designs",
        list(DESIGNS),
        format_func=DESIGNS.__getitem__,
        selection_mode="multi",
        default=["non_robust", "polyopt", "independent", "secret_rr"],
        key="robust_designs",
        persist_state="session",
    )
    return bool(fresh), int(count), tuple(key for key in DESIGNS if key in keys)


def pick_budget() -> None:
    """Take over the ε that was clicked in the frontier."""
    found = picked("robust_frontier")
    if found is not None:
        st.session_state["eps"] = float(found["x"])
        state.publish(state.scenario())
