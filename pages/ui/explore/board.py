"""The Explore page: a sentence, key figures, live charts, and what the promise implies."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.release.confusability import ConfusabilityGraph
from core.release.sentences import question
from core.scenario import Result, Scenario
from core.studies.advice import Consequences, is_sampled
from core.studies.funnel import is_funnel
from pages.ui.explore import advice, again, charts, frontier_lines, meaning, tour
from pages.ui.frame import controls, gc_freeze, page_frame, purpose, remedies, state, theme
from pages.ui.parts import exports, formulas, tables
from pages.ui.parts.cards import card
from pages.ui.parts.key_figures import strip
from pages.ui.report.contents import report
from pages.ui.report.lower_cards import NOT_READY, OnScreen
from pages.ui.style.labels import markdown
from pages.ui.work import ahead, answers, context, derived, refining

Slots = dict[str, DeltaGenerator]
"""The places that are filled again when a slider is released, by name."""

_LAST = "_board_last"


APART = (
    "Here the data is the estimate P̂. On the Robust page it is the truth P*, and the estimate "
    "comes from a sample of it, so numbers there may differ."
)
"""Why the Robust page and this one differ under RLDP."""


ALONG = "What is kept at each ε. Ring: the current setting. Click a point to go there."
"""How to read the frontier."""

FUNNEL = (
    "What is kept against what is told of S. Line: the most that was found. Points: optima under "
    "LIP and LDP. Ring: the current setting. Click a point to go there."
)
"""How to read that of an average budget."""


BESIDE = " All of them keep the further promises too."
"""What is said of them where more is promised."""


@dataclass(frozen=True, eq=False)
class ShownAnswer:
    """An answer, and the frontier lines shown with it."""

    result: Result
    lines: frontier_lines.Lines


def show() -> None:
    """Show the page: first all that stays while sliders move, then what is live."""
    theme.apply()
    sliders = controls.sidebar()
    purpose.show()
    scenario = state.scenario()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title(markdown(question(scenario)), anchor=False)
        with st.container(horizontal=True, width="content"):
            controls.unit_switch()
            exports.menu("explore", scenario)
            report_place = st.container(width="content")
    tour.panel()
    tour.show()
    slots = {"sliders": sliders, "figures": st.container(), "report": report_place}
    with st.sidebar:
        controls.idle_sliders(scenario)
    with slots["figures"]:
        bare = _is_bare(scenario)
    if not bare:
        _frames(slots, scenario)
    _live(slots, _drawn_for(scenario))
    gc_freeze.settle()


def _is_bare(scenario: Scenario) -> bool:
    """Say whether there is nothing to show in cards: no answer yet, nor one on its way."""
    if _LAST in st.session_state:
        return False
    try:
        with refining.waiting(scenario):
            answers.evaluate(scenario)
    except answers.UnfinishedError:
        return False
    except CoreError:
        return True
    return False


def _frames(slots: Slots, scenario: Scenario) -> None:
    """Show the cards without their charts, and add the places of these."""
    upper, lower, last = st.columns(2), st.columns(2), st.columns(2)
    funnel = is_funnel(scenario)
    with upper[0]:
        slots["frontier"] = card(
            key="frontier",
            title="Privacy funnel" if funnel else "Cost of privacy",
            subtitle=(FUNNEL + BESIDE * bool(scenario.also)) if funnel else ALONG,
            table=frontier_lines.table,
            formulas=(
                formulas.FRONTIER,
                formulas.notion(scenario.notion),
                formulas.mechanism(scenario.mechanism),
            ),
            beside=None if funnel else controls.compare,
        )
    with upper[1]:
        slots["lifts"] = card(
            key="lifts",
            title="How far beliefs move",
            subtitle="Share of records by log-lift; each side of 0 adds up to 100 %. Shaded: what "
            "the promise allows.",
            table=_lift_table,
            formulas=(
                formulas.measure("lift"),
                formulas.measure("max_lift"),
                formulas.measure("min_lift"),
            ),
        )
    with lower[0]:
        slots["mechanism"] = card(
            key="mechanism",
            title="The mechanism",
            subtitle="P(y | x): how likely input x (row) comes out as y (column)."
            + (
                " A row for each pair of secret and input."
                if mechanisms.entry(scenario.mechanism).reads_secret
                else ""
            ),
            table=lambda: exports.kernel_table(_now().mechanism, derived.inputs(_now())),
            formulas=(formulas.mechanism(scenario.mechanism),),
        )
    with lower[1]:
        pair = card(
            key="confusability",
            title="What looks alike",
            subtitle="A line joins releases that one secret can both lead to. Hollow: rules a "
            "secret out.",
            table=_graph_table,
            formulas=(formulas.RANGE,),
        )
        with pair:
            before, after = st.columns(2, gap="small")
        slots["before"] = before.container(key="slot_before")
        slots["confusability"] = after.container(key="slot_after")
    with last[0]:
        slots["implied"] = meaning.frame(scenario)
    with last[1]:
        slots["again"] = again.frame()
    slots["advice"] = st.container()  # below all charts: its lines come and go as sliders move


def _now() -> Result:
    return answers.evaluate(state.scenario())


def _drawn_for(scenario: Scenario) -> tuple[str, ...]:
    """Return what the frames depend on: the promises and the mechanism."""
    return scenario.notion, scenario.mechanism, *(other.notion for other in scenario.also)


@st.fragment
@page_frame.whole
def _live(slots: Slots, drawn_for: tuple[str, ...]) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    page_frame.reserve(slots.values())
    scenario = state.scenario()
    if _drawn_for(scenario) != drawn_for:
        st.rerun()  # a click on another line of the frontier changed the frames' texts
    with slots["sliders"]:
        controls.live_sliders(scenario)
    state.publish(scenario)
    try:
        derived.promise(scenario)  # where this raises, the lines are not wanted either
        work = frontier_lines.begin(scenario)
        result = answers.evaluate(scenario)
    except answers.UnfinishedError as error:
        with slots["figures"]:
            st.info(markdown(str(error)), icon=":material/hourglass_top:")
            refining.follow(scenario)
        _last(slots)
        return
    except CoreError as error:
        with slots["figures"]:
            remedies.show(scenario, error)
        _last(slots)
        return
    ahead.begin(result, controls.places, meaning.quick(scenario))
    shown = ShownAnswer(result, frontier_lines.find(scenario, work))
    st.session_state[_LAST] = shown
    if "frontier" not in slots:
        st.rerun()  # there were no cards, as the first question had no answer
    with slots["figures"]:
        page_frame.headline(
            result, APART if notions.entry(scenario.notion).kind.of_estimate else ""
        )
        strip(result, controls.unit())
        refining.follow(scenario, result.mechanism)
    _report(slots["report"], shown, _charts(slots, shown))


def _report(place: DeltaGenerator, shown: ShownAnswer, told: OnScreen) -> None:
    """Show the button that makes a report of what is on screen, when it is clicked."""
    ready = [one.line for one in shown.lines.places if not one.faded and one.told is None]
    unit, waiting = controls.unit(), answers.is_refining(shown.result.scenario)
    with place:
        exports.button(
            "Report",
            "liftscope-report.html",
            "text/html",
            lambda: report(shown.result, ready, told, unit, provisional=waiting).encode("utf-8"),
            "explore_report",
            icon=":material/description:",
            width="content",
            help="One HTML file of this question: charts, tables, formulas, sources, audit.",
        )


def _last(slots: Slots) -> None:
    """Show the charts of the last answer, marked as such, where the present question has none."""
    shown: ShownAnswer | None = st.session_state.get(_LAST)
    if shown is None:
        return
    context.tell(shown.result.scenario)
    with slots["figures"]:
        st.caption(
            f"The charts are from the last answer: {markdown(page_frame.named(shown.result))}."
        )
    _charts(slots, shown, faded=True)


def _charts(slots: Slots, shown: ShownAnswer, *, faded: bool = False) -> OnScreen:
    """Show the charts of an answer; faded where the question on screen is another."""
    result, data = shown.result, shown.result.scenario.data
    with slots["frontier"]:
        charts.frontier(
            result,
            shown.lines,
            controls.unit(),
            by_promise=frontier_lines.by_promise(result.scenario),
            faded=faded,
        )
        if not faded:
            frontier_lines.show_work(shown.lines)
    with slots["lifts"]:
        charts.lifts(result, controls.unit(), faded=faded)
    with slots["mechanism"]:
        charts.mechanism(result, faded=faded)
    before = _graph_before(result.scenario)
    if before is not None:
        with slots["before"]:
            charts.confusability(before, 0, data, faded=faded)
    with slots["confusability"]:
        charts.confusability(derived.confusability_after(result), 1, data, faded=faded)
    with slots["implied"]:
        implied = meaning.show(result, controls.unit(), faded=faded)
    with slots["again"]:
        repeated = again.show(result, controls.unit(), faded=faded)
    advised = advice.Advice()
    if not faded:
        with slots["advice"]:
            advised = advice.show(result, shown.lines, controls.unit())
    told = Consequences(
        derived.own_levels(result),
        NOT_READY if implied is None else implied,
        NOT_READY if repeated.redrawn is None else repeated.redrawn,
        (advised.realised or NOT_READY) if is_sampled(result) else None,
    )
    return OnScreen(told, repeated.second, advised.what_if)


def _graph_before(scenario: Scenario) -> ConfusabilityGraph | None:
    """Return the graph of X itself; None where the data has an error, which the page shows."""
    try:
        return derived.confusability_before(scenario.data)
    except CoreError:
        return None


def _lift_table() -> pd.DataFrame:
    result = _now()
    both = {"before": result.before, "after": result.after}
    found = pd.concat({when: tables.lifts(leak) for when, leak in both.items()}, names=["when"])
    return found.reset_index("when")


def _graph_table() -> pd.DataFrame:
    return tables.graph(derived.confusability_after(_now()))
