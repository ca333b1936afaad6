"""The Robust page's controls: who sees how many records, how sure to be, which order."""

from __future__ import annotations

import math

import streamlit as st

from core.robust_designs import DESIGNS
from core.scenario import DOMAINS, Scenario
from pages.ui import controls, data_controls, run_robust, state
from pages.ui.chart import picked

RECORDS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000)
"""The numbers of records that the slider offers, beside the data's own."""

ORDERS = tuple(order for order in controls.ALPHAS if math.isfinite(order))
"""The orders of the ball that the slider offers."""

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
    """Show ε, n, β, α and the seed."""
    with st.sidebar:
        domain = DOMAINS["eps"]
        st.slider(
            controls.SLIDERS["eps"][0],
            domain.low,
            domain.high,
            step=domain.step,
            format="%.2f",
            key="eps",
            persist_state="session",
            help="What is promised: no output is more than e^ε times likelier under one secret "
            "than under another.",
        )
        _records(scenario)
        domain = DOMAINS["beta"]
        st.slider(
            controls.SLIDERS["beta"][0],
            domain.low,
            domain.high,
            step=domain.step,
            format="%.3f",
            key="beta",
            persist_state="session",
            help=controls.SLIDERS["beta"][1],
        )
        st.select_slider(
            "α · order of the uncertainty set",
            options=sorted({*ORDERS, scenario.alpha}),
            format_func=controls.order,
            key="alpha",
            persist_state="session",
            help="How distance from the estimate is measured. 2 is the χ² set of the paper; "
            "near 1 it is Kullback–Leibler.",
        )
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


def _records(scenario: Scenario) -> None:
    now = run_robust.records(scenario)
    own = run_robust.world(scenario.data).n
    st.session_state["robust_n"] = now

    def take() -> None:
        chosen = st.session_state["robust_n"]
        st.session_state["_n"] = None if chosen == own else chosen

    st.select_slider(
        "n · records the designer sees",
        options=sorted({*RECORDS, now, *([own] if own else [])}),
        format_func=lambda n: f"{n:,}",
        key="robust_n",
        on_change=take,
        help="Drawn at random from the world. Fewer records leave more possible.",
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
