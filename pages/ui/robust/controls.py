"""The Robust page's controls: ε, n, β, α, the seed, and the draws of the studies."""

from __future__ import annotations

import streamlit as st

from core.scenario import DOMAINS, Scenario
from core.studies.robust_designs import BUDGETS, DESIGNS
from pages.ui.chart import picked
from pages.ui.frame import controls, data_controls, state

TRUTHS = {False: "the data", True: "random distributions"}
"""The samples' origin, by whether each draw has a truth of its own."""


def sidebar() -> None:
    with st.sidebar:
        data_controls.show(pair=False)
        st.caption("Here the columns of X are U, and S is always released with them.")


def sliders(scenario: Scenario) -> None:
    """Show ε, n, β, α and the seed; call it in a fragment."""
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
            help="Another seed draws other records from the same data.",
        )


def draws() -> tuple[bool, int, tuple[str, ...]]:
    """Show what to draw; return whether from random truths, how often, and for which designs."""
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        fresh = st.segmented_control(
            "Draw from",
            list(TRUTHS),
            format_func=TRUTHS.__getitem__,
            default=False,
            required=True,
            key="robust_fresh",
            persist_state="session",
            help="The data: the truth stays the same and only the sample is new. Random "
            "distributions: each draw has its own truth, from the Jeffreys prior, as in the "
            "paper.",
        )
        count = st.select_slider(
            "Draws",
            # as many as the paper's
            options=[5, 10, 20, 50, 100],
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
    point = picked("robust_frontier")
    if point is not None and 0 <= point["at"] < len(BUDGETS):
        st.session_state["eps"] = BUDGETS[int(point["at"])]  # x may be in bits
        state.publish(state.scenario())
