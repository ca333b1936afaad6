"""The Explore board: sliders beside, a sentence, a strip of figures and four live charts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.notions import SymbolNotion
from core.notions import catalogue as notions
from core.scenario import DOMAINS, Result, Scenario
from core.sentences import finding, question
from core.sweep import Frontier
from pages.ui import controls, exports, figures, look, pickers, run, state, words
from pages.ui.cards import card
from pages.ui.labels import markdown
from pages.ui.strip import strip
from pages.ui.units import in_unit

MOST_LINES = 5
"""Lines that the frontier compares: more can no longer be told apart."""


def show() -> None:
    """Show the page."""
    look.apply()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    with st.sidebar:
        pickers.show()
        st.divider()
    _live()


@st.fragment
def _live() -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    with st.sidebar:
        controls.choices()
        controls.sliders(state.scenario())
    scenario = state.scenario()
    state.publish(scenario)
    try:
        result = run.evaluate(scenario)
        lines = _lines(scenario)
    except CoreError as error:
        st.title(markdown(question(scenario)))
        st.error(markdown(str(error)))
        return
    _header(result)
    unit = strip(result)
    left, right = st.columns(2)
    with left:
        _frontier(result, lines, unit)
        _matrix(result)
    with right:
        _lifts(result)
        _graphs(result)


def _header(result: Result) -> None:
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title(markdown(question(result.scenario)), anchor=False)
        exports.menu(result, "explore")
    with st.container(key="finding"):
        st.markdown(markdown(finding(result)))
        for sentence in result.mechanism.notes:
            st.caption(markdown(sentence))


def _lines(scenario: Scenario) -> list[Frontier]:
    """Return the frontiers to compare: mechanisms under one notion, or notions for one."""
    by_notion = controls.by_promise()
    if by_notion and mechanisms.entry(scenario.mechanism).uses_notion:
        asked = [
            replace(scenario, notion=entry.key)
            for entry in notions.ENTRIES
            if _works(scenario.mechanism, entry.key, scenario)
        ]
    else:
        asked = [
            replace(scenario, mechanism=entry.key)
            for entry in mechanisms.CATALOGUE.values()
            if entry.uses_notion
            and _works(entry.key, scenario.notion, scenario)
            and (entry.key != "watchdog_uniform" or scenario.mechanism == entry.key)
        ]
    asked.sort(key=lambda one: one != scenario)  # the current one first, the rest as they come
    return [run.frontier(one) for one in asked[:MOST_LINES]]


def _works(mechanism: str, notion: str, scenario: Scenario) -> bool:
    built = notions.build(notion, scenario.eps, scenario.lam, scenario.alpha)
    return mechanisms.entry(mechanism).works_under(built)


def _frontier(result: Result, lines: list[Frontier], unit: str) -> None:
    scenario, mechanism = result.scenario, result.mechanism
    by_notion = controls.by_promise()
    drawn = [
        figures.Line(
            key=(line.notion, line.mechanism),
            title=notions.entry(line.notion).title
            if by_notion
            else mechanisms.entry(line.mechanism).title,
            eps=line.eps,
            nmi=line.nmi,
            utility=np.array([in_unit(value, unit) for value in line.utility]),
        )
        for line in lines
    ]
    key = (scenario.notion, scenario.mechanism)
    current = next((i for i, line in enumerate(drawn) if line.key == key), -1)
    card(
        figures.frontier(
            drawn,
            eps=scenario.eps,
            nmi=mechanism.nmi,
            unit=unit,
            limit=DOMAINS["eps"].high,
            current=current,
        ),
        key="frontier",
        title="What privacy costs",
        subtitle="Utility along ε. The ring is the setting now; click a point to go there.",
        alt=f"Share of X kept against the budget; now ε = {scenario.eps:g}, "
        f"{mechanism.nmi:.0%} kept.",
        table=lambda: pd.concat(
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
            for line in lines
        ),
        formulas=(
            words.FRONTIER,
            words.notion(scenario.notion),
            words.mechanism(scenario.mechanism),
        ),
        on_pick=lambda: controls.pick_point("frontier"),
        beside=controls.compare,
    )


def _lifts(result: Result) -> None:
    before, after = run.lift_histograms(result)
    notion = result.mechanism.notion
    budgets = (
        (notion.lower_budget, notion.upper_budget)
        if isinstance(notion, SymbolNotion) and result.scenario.notion in ("lip", "alip")
        else None
    )
    card(
        figures.lift_histogram(before, after, budgets, ("X itself", "the release")),
        key="lifts",
        title="How far beliefs move",
        subtitle="Share of records by log-lift"
        + ("; shaded is what the promise allows." if budgets else ", before and after."),
        alt=f"Histogram of log-lift before and after; the release reaches "
        f"{result.after.achieved['lip']:.2f} nats.",
        table=lambda: _lift_table(result),
        formulas=(words.measure("lift"), words.measure("max_lift"), words.measure("min_lift")),
    )


def _lift_table(result: Result) -> pd.DataFrame:
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


def _matrix(result: Result) -> None:
    mechanism = result.mechanism
    reads_secret = mechanism.kernel.shape[0] != len(mechanism.x_labels)
    rows = mechanism.x_labels * (mechanism.kernel.shape[0] // len(mechanism.x_labels))
    card(
        figures.mechanism_matrix(mechanism.kernel, rows, mechanism.y_labels),
        key="mechanism",
        title="The mechanism",
        subtitle="P(y | x): how likely input x (row) comes out as y (column)."
        + (" One block of rows for each secret." if reads_secret else ""),
        alt=f"{mechanism.name}: {len(rows)} inputs, {mechanism.n_y} outputs.",
        table=lambda: exports.kernel_table(mechanism),
        formulas=(words.mechanism(result.scenario.mechanism),),
    )


def _graphs(result: Result) -> None:
    before, after = run.confusability(result)
    card(
        figures.confusability(before, after, ("X itself", "the release")),
        key="confusability",
        title="What looks alike",
        subtitle="A line: one secret can lead to both. A hollow diamond: rules a secret out.",
        alt=f"Confusability graphs: {before.components} parts before, {after.components} after.",
        table=lambda: pd.DataFrame(
            {
                "release": after.names,
                "probability": after.mass,
                "possible_secrets": after.possible,
                "looks_like": [
                    sum(node in edge for edge in after.edges) for node in range(len(after.names))
                ],
            }
        ),
        formulas=(words.RANGE,),
    )
