"""The Explore page: a sentence, key figures, live charts, and what the promise implies."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.release.confusability import ConfusabilityGraph
from core.release.sentences import question
from core.scenario import Result, Scenario
from core.studies.advice import Consequences, is_sampled
from core.studies.funnel import is_funnel
from pages.ui.explore import advice, again, charts, frames, frontier_lines, meaning, tour
from pages.ui.frame import controls, gc_freeze, page_frame, purpose, remedies, state, theme
from pages.ui.parts import exports, formulas, tables
from pages.ui.parts.cards import tile
from pages.ui.parts.key_figures import strip
from pages.ui.report.contents import report
from pages.ui.report.lower_cards import NOT_READY, OnScreen
from pages.ui.style.labels import markdown
from pages.ui.work import ahead, answers, context, derived, refining

Slots = dict[str, DeltaGenerator]
"""The places that are filled again when a slider is released, by name."""

_LAST = "_board_last"


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
    board = st.container(key="board")
    with board:
        for sentence in state.notices():
            st.warning(markdown(sentence), icon=":material/link_off:")
        with st.container(horizontal=True, vertical_alignment="center", key="header"):
            st.title(markdown(question(scenario)), anchor=False)
            with st.container(horizontal=True, width="content", gap="small", key="commands"):
                controls.unit_switch()
                tour.panel()
                exports.menu("explore", scenario)
                report_place = st.container(width="content")
        slots = {"sliders": sliders, "figures": st.container(key="answer"), "report": report_place}
    tour.show()
    with slots["figures"]:
        bare = _is_bare(scenario)
    if not bare:
        with board, st.container(key="board_charts"):
            _tiles(slots, scenario)
        _below(slots, scenario)
    slots["following"] = st.container(key="following_place")
    with st.sidebar:
        controls.idle_sliders(scenario)
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


def _tiles(slots: Slots, scenario: Scenario) -> None:
    """Show the board's four cards without their charts, and add the places of these."""
    funnel = is_funnel(scenario)
    slots["frontier"] = tile(
        key="frontier",
        title="Privacy funnel" if funnel else "Cost of privacy",
        reads=lambda: charts.read_frontier(_now(), controls.unit()),
        table=frontier_lines.table,
        formulas=(
            formulas.FRONTIER,
            formulas.notion(scenario.notion),
            formulas.mechanism(scenario.mechanism),
        ),
        charts={"frontier": "Cost of privacy"},
        beside=None if funnel else controls.compare,
    )
    slots["lifts"] = tile(
        key="lifts",
        title=charts.LIFTS,
        reads=lambda: charts.READ_LIFTS,
        table=_lift_table,
        formulas=(
            formulas.measure("lift"),
            formulas.measure("max_lift"),
            formulas.measure("min_lift"),
        ),
        charts={"lifts": charts.LIFTS},
    )
    slots["mechanism"] = tile(
        key="mechanism",
        title=charts.MECHANISM,
        reads=lambda: charts.read_mechanism(state.scenario()),
        table=lambda: exports.kernel_table(_now().mechanism, derived.inputs(_now())),
        formulas=(formulas.mechanism(scenario.mechanism),),
        charts={"mechanism": charts.MECHANISM},
    )
    both = tile(
        key="confusability",
        title=charts.CONFUSABILITY,
        reads=lambda: charts.READ_CONFUSABILITY,
        table=_graph_table,
        formulas=(formulas.RANGE,),
        charts={
            f"confusability_{role}": f"{charts.CONFUSABILITY}: {name}"
            for role, name in zip(charts.ROLES, charts.NAMES, strict=True)
        },
    )
    with both:
        slots["before"] = st.container(key="slot_before")
        slots["confusability"] = st.container(key="slot_after")


def _below(slots: Slots, scenario: Scenario) -> None:
    """Show the cards below the board without their charts, and add the places of these."""
    left, right = st.columns(2)
    with left:
        slots["implied"] = meaning.frame(scenario)
    with right:
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
    _answer(slots, scenario)
    with slots["following"]:
        frames.show(scenario)


def _answer(slots: Slots, scenario: Scenario) -> None:
    """Show the answer to a question and its charts, or the last ones and why there is none."""
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
    for name in frames.names(scenario):
        parts = meaning.quick(scenario) if name == "eps" else ()
        ahead.begin(result, controls.places, parts, name)
    shown = ShownAnswer(result, frontier_lines.find(scenario, work))
    st.session_state[_LAST] = shown
    if "frontier" not in slots:
        st.rerun()  # there were no cards, as the first question had no answer
    with slots["figures"]:
        page_frame.headline(result, *frames.notes(scenario))
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
        charts.lifts(result, controls.unit()).show(faded=faded)
    with slots["mechanism"]:
        charts.mechanism(result).show(faded=faded)
    before = _graph_before(result.scenario)
    if before is not None:
        with slots["before"]:
            charts.confusability(before, 0, data).show(faded=faded)
    with slots["confusability"]:
        charts.confusability(derived.confusability_after(result), 1, data).show(faded=faded)
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
