"""The Explore page: a sentence, key figures, live charts, and what the promise implies."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
from pages.ui.chart import place
from pages.ui.explore import advice, again, charts, frames, frontier_lines, meaning, tour
from pages.ui.frame import address, controls, gc_freeze, page_frame, purpose, state, theme
from pages.ui.parts import exports, formulas, tables
from pages.ui.parts.cards import tile
from pages.ui.report.contents import report
from pages.ui.report.lower_cards import NOT_READY, OnScreen
from pages.ui.style.labels import markdown
from pages.ui.work import ahead, answers, context, derived, refining
from pages.ui.work.frames import Frame

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
        address.warn(*state.notices())
        with st.container(horizontal=True, vertical_alignment="center", key="header"):
            title = page_frame.heading(scenario, question(scenario), "Explore")
            st.title(markdown(title), anchor=False)
            with st.container(horizontal=True, width="content", gap="small", key="commands"):
                controls.unit_switch()
                tour.panel()
                exports.menu("explore", scenario)
                report_place = st.container(width="content")
        slots = {"sliders": sliders, "report": report_place}
        with st.container(key="answer"):
            slots["drawn"], slots["state"] = st.container(), st.container(key="answer_state")
    tour.show()
    with slots["state"]:
        bare = _is_bare(scenario)
    if not bare:
        with board, st.container(key="board_charts"):
            _tiles(slots, scenario)
        _below(slots, scenario)
    with st.sidebar:
        controls.idle_sliders(scenario)
    _live(slots, _cards_for(scenario))
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
    """Show the board's four cards with the places of their charts, which `frames.show` draws."""
    funnel = is_funnel(scenario)
    with tile(
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
    ):
        place("frontier")
        slots["frontier"] = st.container(key="frontier_state")
    with tile(
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
    ):
        place("lifts")
    with tile(
        key="mechanism",
        title=charts.MECHANISM,
        reads=lambda: charts.read_mechanism(state.scenario()),
        table=lambda: exports.kernel_table(_now().mechanism, derived.inputs(_now())),
        formulas=(formulas.mechanism(scenario.mechanism),),
        charts={"mechanism": charts.MECHANISM},
    ):
        place("mechanism")
    with tile(
        key="confusability",
        title=charts.CONFUSABILITY,
        reads=lambda: charts.READ_CONFUSABILITY,
        table=_graph_table,
        formulas=(formulas.RANGE,),
        charts={
            f"confusability_{role}": f"{charts.CONFUSABILITY}: {name}"
            for role, name in zip(charts.ROLES, charts.NAMES, strict=True)
        },
    ):
        with st.container(key="slot_before"):
            before = _graph_before(scenario)
            if before is None:
                place("confusability_before")
            else:
                with context.about(context.of_data(scenario)):
                    charts.confusability(before, 0, scenario.data).show()
        with st.container(key="slot_after"):
            place("confusability_after")


def _below(slots: Slots, scenario: Scenario) -> None:
    """Show the cards below the board without their charts, and add the places of these."""
    left, right = st.columns(2)
    with left:
        slots["implied"] = meaning.live_place(scenario)
    with right:
        slots["again"] = again.live_place()
    slots["advice"] = st.container()  # below all charts: its lines come and go as sliders move


def _now() -> Result:
    return answers.evaluate(state.scenario())


def _cards_for(scenario: Scenario) -> tuple[Hashable, ...]:
    """Return what the cards depend on: promises, mechanism, and whether the data is counted."""
    counted = _graph_before(scenario) is not None
    return scenario.notion, scenario.mechanism, *(other.notion for other in scenario.also), counted


@st.fragment
@page_frame.whole
def _live(slots: Slots, cards_for: tuple[Hashable, ...]) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    page_frame.reserve(slots.values())
    scenario = state.scenario()
    if _cards_for(scenario) != cards_for:
        st.rerun()  # a click on another line of the frontier changed the cards' texts
    with slots["sliders"]:
        controls.live_sliders(scenario)
    state.publish(scenario)
    answer, parts = _answer(slots, scenario)
    with slots["drawn"]:
        frames.show(scenario, answer, parts)


def _answer(slots: Slots, scenario: Scenario) -> tuple[Frame | None, Sequence[bytes]]:
    """Return the answer to a question and its charts; show the work on it, or why there is none.

    Without an answer the charts are the last ones.
    """
    try:
        derived.promise(scenario)  # where this raises, the lines are not wanted either
        work = frontier_lines.begin(scenario)
        result = answers.evaluate(scenario)
    except answers.UnfinishedError as error:
        with slots["state"]:
            st.info(markdown(str(error)), icon=":material/hourglass_top:")
            refining.follow(scenario)
        page_frame.report_button(slots["report"], "explore", None)
        return None, _last(slots)
    except CoreError as error:
        with slots["state"]:
            page_frame.show_remedies(scenario, error)
        page_frame.report_button(slots["report"], "explore", None)
        return None, _last(slots)
    ahead.begin(result, controls.places, meaning.quick(scenario))
    shown = ShownAnswer(result, frontier_lines.find(scenario, work))
    st.session_state[_LAST] = shown
    if "frontier" not in slots:
        st.rerun()  # there were no cards, as the first question had no answer
    with slots["state"]:
        refining.follow(scenario, result.mechanism)
    with slots["frontier"]:
        frontier_lines.show_work(shown.lines)
    _report(slots["report"], shown, _lower_cards(slots, shown))
    return frames.answered(result, controls.unit()), _charts(shown)


def _report(place: DeltaGenerator, shown: ShownAnswer, lower_cards: OnScreen) -> None:
    """Show the button that makes a report of what is on screen, when it is clicked."""
    ready = [
        place.line for place in shown.lines.places if not place.faded and place.revealed is None
    ]
    unit, waiting = controls.unit(), answers.is_refining(shown.result.scenario)
    with place:
        exports.report(
            lambda: report(shown.result, ready, lower_cards, unit, provisional=waiting),
            "explore_report",
        )


def _last(slots: Slots) -> Sequence[bytes]:
    """Show that charts are of the last answer, where the present question has none; return them."""
    shown: ShownAnswer | None = st.session_state.get(_LAST)
    if shown is None:
        return ()
    context.tell(shown.result.scenario)
    with slots["state"]:
        st.caption(f"The charts show the last answer: {markdown(page_frame.named(shown.result))}.")
    _lower_cards(slots, shown, faded=True)
    return _charts(shown, faded=True)


def _charts(shown: ShownAnswer, *, faded: bool = False) -> Sequence[bytes]:
    """Draw the board's charts of an answer; faded where the question on screen is another."""
    result, unit = shown.result, controls.unit()
    named = frontier_lines.by_promise(result.scenario)
    along = charts.frontier(result, shown.lines, unit, by_promise=named, faded=faded)
    return [along, *(chart.sent(faded=faded) for chart in charts.at_place(result, unit))]


def _lower_cards(slots: Slots, shown: ShownAnswer, *, faded: bool = False) -> OnScreen:
    """Show the cards below the board; faded where the question on screen is another."""
    result = shown.result
    with slots["implied"]:
        implied = meaning.show(result, controls.unit(), faded=faded)
    with slots["again"]:
        repeated = again.show(result, controls.unit(), faded=faded)
    advised = advice.Advice()
    if not faded:
        with slots["advice"]:
            advised = advice.show(result, shown.lines, controls.unit())
    consequences = Consequences(
        derived.own_levels(result),
        NOT_READY if implied is None else implied,
        NOT_READY if repeated.redrawn is None else repeated.redrawn,
        (advised.realised or NOT_READY) if is_sampled(result) else None,
    )
    return OnScreen(consequences, repeated.second, advised.what_if)


def _graph_before(scenario: Scenario) -> ConfusabilityGraph | None:
    """Return the graph of X itself; None where the data has an error, which the page shows."""
    try:
        return derived.confusability_before(scenario.data)
    except CoreError:
        return None


def _lift_table() -> pd.DataFrame:
    result = _now()
    both = {"before": result.before, "after": result.after}
    lifts = pd.concat({when: tables.lifts(leak) for when, leak in both.items()}, names=["when"])
    return lifts.reset_index("when")


def _graph_table() -> pd.DataFrame:
    return tables.graph(derived.confusability_after(_now()))
