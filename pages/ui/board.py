"""The Explore board: sliders beside, a sentence, a strip of figures and four live charts."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.lookalikes import Lookalikes
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import Result, Scenario
from core.sentences import finding, question
from core.sweep import Frontier
from pages.ui import board_charts as charts
from pages.ui import controls, exports, heap, look, run, solving, state, words
from pages.ui.cards import card
from pages.ui.labels import markdown
from pages.ui.strip import strip

COMPARED = (
    *("optimal", "subset_random_response", "subset_merging", "watchdog"),
    *("polyopt", "independent_reporting", "secret_rr", "non_robust"),
)
"""The mechanisms that the frontier shows beside the current one, where they work."""

MOST_LINES = 5
"""Lines that the frontier compares: more can no longer be told apart."""

Slots = dict[str, DeltaGenerator]
"""The places that are filled anew when a slider is released, by name."""


def show() -> None:
    """Show the page: first all that stays while sliders move, then what is live."""
    look.apply()
    controls.sidebar()
    scenario = state.scenario()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title(markdown(question(scenario)), anchor=False)
        with st.container(horizontal=True, width="content"):
            controls.unit_switch()
            exports.menu("explore")
    slots = {"sliders": st.sidebar.container(), "figures": st.container()}
    with st.sidebar:
        controls.idle_sliders(scenario)
    upper, lower = st.columns(2), st.columns(2)
    with upper[0]:
        slots["frontier"] = card(
            key="frontier",
            title="Cost of privacy",
            subtitle="Utility along ε. The ring is the setting now; click a point to go there.",
            table=_frontier_table,
            formulas=(
                words.FRONTIER,
                words.notion(scenario.notion),
                words.mechanism(scenario.mechanism),
            ),
            beside=controls.compare,
        )
    with upper[1]:
        slots["lifts"] = card(
            key="lifts",
            title="How far beliefs move",
            subtitle="Share of records by log-lift; each side of 0 adds up to 100 %."
            + (" Shaded: what the promise allows." if run.bounds_lift(scenario) else ""),
            table=_lift_table,
            formulas=(
                words.measure("lift"),
                words.measure("max_lift"),
                words.measure("min_lift"),
            ),
        )
    with lower[0]:
        slots["mechanism"] = card(
            key="mechanism",
            title="The mechanism",
            subtitle="P(y | x): how likely input x (row) comes out as y (column).",
            table=lambda: exports.kernel_table(_now().mechanism),
            formulas=(words.mechanism(scenario.mechanism),),
        )
    with lower[1]:
        pair = card(
            key="confusability",
            title="What looks alike",
            subtitle="A line: one secret can lead to both. Hollow: rules a secret out.",
            table=_graph_table,
            formulas=(words.RANGE,),
        )
        with pair:
            before, after = st.columns(2, gap="small")
        slots["confusability"] = after.container(key="slot_after")
    if (graph := _graph_before(scenario)) is not None:
        with before:
            charts.confusability(graph, 0)
    _live(slots, (scenario.notion, scenario.mechanism))
    if _pending(state.scenario()):
        st.fragment(_await, run_every=1.0)()
    heap.settle()


def _now() -> Result:
    return run.evaluate(state.scenario())


@st.fragment
def _live(slots: Slots, drawn_for: tuple[str, str]) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    scenario = state.scenario()
    if (scenario.notion, scenario.mechanism) != drawn_for:
        st.rerun()  # a click on another line of the frontier changed what the frames say
    with slots["sliders"]:
        controls.live_sliders(scenario)
    state.publish(scenario)
    try:
        result = run.evaluate(scenario)
        lines = _lines(scenario)
    except run.UnfinishedError as error:
        with slots["figures"]:
            st.info(markdown(str(error)), icon=":material/hourglass_top:")
            solving.follow(scenario)
        return
    except CoreError as error:
        slots["figures"].error(markdown(str(error)))
        return
    with slots["figures"]:
        with st.container(key="finding"):
            notes = [f":small[{markdown(sentence)}]" for sentence in result.mechanism.notes]
            st.markdown("\n\n".join([markdown(finding(result)), *notes]))
        unit = controls.unit()
        strip(result, unit)
        solving.follow(scenario)
    with slots["frontier"]:
        charts.frontier(result, lines, unit, by_promise=controls.by_promise())
    with slots["lifts"]:
        charts.lifts(result, unit)
    with slots["mechanism"]:
        charts.mechanism(result)
    with slots["confusability"]:
        charts.confusability(run.confusability_after(result), 1)


def _graph_before(scenario: Scenario) -> Lookalikes | None:
    """Return the graph of X itself; None where the data has an error, told elsewhere."""
    try:
        return run.confusability_before(scenario.data)
    except CoreError:
        return None


def _asked(scenario: Scenario) -> list[Scenario]:
    """Return the frontiers to compare: mechanisms under one notion, or notions for one."""
    if controls.by_promise() and mechanisms.entry(scenario.mechanism).uses_notion:
        asked = [
            replace(scenario, notion=entry.key)
            for entry in notions.ENTRIES
            if _works(scenario.mechanism, entry.key)
        ]
    else:
        asked = [
            replace(scenario, mechanism=key)
            for key in COMPARED + (scenario.mechanism,) * (scenario.mechanism not in COMPARED)
            if mechanisms.entry(key).uses_notion and _works(key, scenario.notion)
        ]
    asked.sort(key=lambda one: one != scenario)  # the current one first, the rest as they come
    return asked[:MOST_LINES]


def _lines(scenario: Scenario) -> dict[int, Frontier]:
    """Return the frontiers that are there, by their place, which each keeps as others come.

    One that cannot be worked out is left out: its own page says why.
    """
    found = {}
    for place, one in enumerate(_asked(scenario)):
        try:
            line = run.frontier(one)
        except CoreError:
            continue
        if line is not None:
            found[place] = line
    return found


def _pending(scenario: Scenario) -> bool:
    """Say whether frontiers are still being worked out."""
    for one in _asked(scenario):
        try:
            if run.frontier(one) is None:
                return True
        except CoreError:
            continue
    return False


def _await() -> None:
    """Show the whole board anew once the frontiers are there."""
    if _pending(state.scenario()):
        st.caption("Working out more frontiers…")
    else:
        st.rerun()


def _works(mechanism: str, notion: str) -> bool:
    return mechanisms.entry(mechanism).works_under(notions.entry(notion).kind)


def _frontier_table() -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame(
            {
                "promise": notions.entry(line.notion).title,
                "mechanism": mechanisms.entry(line.mechanism).title,
                "eps": line.eps,
                "nmi": line.nmi,
                "utility_nats": line.utility,
                "bound_nats": line.upper_bound,
            }
        )
        for line in _lines(state.scenario()).values()
    )


def _lift_table() -> pd.DataFrame:
    result = _now()
    return pd.concat(
        pd.DataFrame(
            {
                "when": when,
                "symbol": leak.labels,
                "probability": leak.joint_sy.sum(axis=0),
                "log_min_lift": leak.log_min_lift,
                "log_max_lift": leak.log_max_lift,
            }
        )
        for when, leak in (("before", result.before), ("after", result.after))
    )


def _graph_table() -> pd.DataFrame:
    after = run.confusability_after(_now())
    return pd.DataFrame(
        {
            "release": after.names,
            "probability": after.mass,
            "possible_secrets": after.possible,
            "looks_like": [
                sum(node in edge for edge in after.edges) for node in range(len(after.names))
            ],
        }
    )
