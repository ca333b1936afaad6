"""The Compare page: columns with shared axes, their frontiers, and what differs most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.jobs import Job
from core.release.sentences import for_whom, question
from core.scenario import Result, Scenario, spans
from core.scenario.presets import MARKOV, READINGS
from core.studies.side_by_side import Column, reference
from pages.ui.chart import place as chart_place
from pages.ui.chart import words
from pages.ui.compare import charts, columns, drop, frames, heads, matching, query, toolbar
from pages.ui.compare.columns import Answered
from pages.ui.frame import (
    address,
    controls,
    data_controls,
    data_remedies,
    gc_freeze,
    page_frame,
    pins,
    site,
    state,
    theme,
)
from pages.ui.parts import exports, for_each, formulas, tables
from pages.ui.parts.cards import card
from pages.ui.report.comparison import Picture, report
from pages.ui.style import glossary
from pages.ui.style.labels import markdown, plain_short
from pages.ui.style.units import in_unit, of_budget
from pages.ui.work import (
    answers,
    context,
    derived,
    long_answer,
    progress,
    refining,
    visits,
)

Slots = dict[str, DeltaGenerator]

READ = {
    MARKOV: "All three mechanisms read X alone (S – X – Y). RLDP's column satisfies LDP for every "
    "distribution consistent with the records.",
    "pair": "All three mechanisms read and may change the pair X = (S, U), as RLDP requires. The "
    "share kept refers to the pair.",
}
"""What the columns that the page opens with have in common."""

READ_WHY = (
    "RLDP (robust local differential privacy) releases S together with the rest; LIP and ALIP read "
    "X alone."
)
"""Why there are two readings."""


def show() -> None:
    """Show the page: first all that stays while sliders move, then what is live."""
    theme.apply()
    query.URL.restore()
    with st.sidebar:
        data_controls.show(known=True)
        if query.is_standard() or _are_of_other_data():
            st.divider()
        with st.container(key="of_columns"):
            _sidebar()
    with st.container():
        address.warn(*state.notices(), *query.URL.notices(), *pins.notices())
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title("Compare", anchor=False)
        with st.container(
            horizontal=True, vertical_alignment="center", width="content", key="compare_tools"
        ):
            controls.unit_switch()
            toolbar.show()
            files = st.container(horizontal=True, width="content", gap="xsmall")
    shown = query.shown()
    # What comes and goes above the columns has fixed places. Otherwise the columns would be
    # other elements after it: redrawn, without focus, and a click on its way would be lost.
    slots: Slots = {"files": files}
    with st.container(gap=None):  # where nothing is said above the columns, it takes no room
        with st.container(gap=None, key="above_columns"):
            drop.area(toolbar.opened_by_drop)
            for part in (toolbar.missing_files, _behind):
                with st.container():
                    part()
            slots["told"] = st.container()
        beside, charted = st.columns([3, 7], gap="small")
    with beside, st.container(key="compared_columns", gap="xsmall"):
        for place, (_, name, note) in enumerate(shown):
            with st.container(border=True, gap="xxsmall", key=f"compared_{place}"):
                heads.head(place, name, note, len(shown))
                words(f"outcome_{place}")
                slots[f"why {place}"] = st.container(key=f"column_why_{place}", gap="xsmall")
                slots[f"sliders {place}"] = st.container(
                    key=f"column_sliders_{place}", gap="xxsmall"
                )
                slots[f"state {place}"] = st.container(key=f"column_state_{place}", gap="xsmall")
                if note:
                    with st.container(key=f"note_{place}"):
                        st.caption(markdown(note))
    with charted:
        _upper(slots)
    with st.container():
        _reading()
    _below(slots, [name for _, name, _ in shown])
    slots["drawn"] = st.container(gap=None)
    _live(slots, _drawn_for())
    gc_freeze.settle()


def _sidebar() -> None:
    """Show what all columns share: ε while nothing is pinned, else the data they are about."""
    scenario = state.scenario()
    if query.is_standard():
        controls.slider("eps", scenario)
        st.caption("Sets ε in all columns until you change one of them.")
        return
    if _are_of_other_data():
        shared = _shared([scenario for scenario, _, _ in query.shown()])
        st.caption(f"The columns keep the data they were pinned with. {shared}".rstrip())
        st.button(
            "Use the data above in all columns",
            key="all_of_this_data",
            on_click=toolbar.ask_of_this_data,
            icon=":material/database:",
        )


def _are_of_other_data() -> bool:
    """Return whether the columns were pinned with other data than the sidebar's."""
    scenarios = [state.scenario(), *(scenario for scenario, _, _ in query.shown())]
    request = [item.data for item in scenarios]
    pinned = {(item.source, item.secret, item.released, item.known) for item in request}
    return len(pinned) > 1


def _reading() -> None:
    """Explain how RLDP compares with the others, and offer the other reading."""
    if not query.is_standard():
        return
    now = query.reading()
    with st.container(key="reading"):
        st.markdown(READ[now], help=READ_WHY)
        st.segmented_control(
            "Reading",
            list(READINGS),
            format_func=lambda key: READINGS[key],
            default=now,
            required=True,
            key="reading_choice",
            on_change=lambda: query.read(st.session_state["reading_choice"]),
            label_visibility="collapsed",
            help=glossary.meaning("reading"),
        )


def _behind() -> None:
    """Name the columns that are not shown."""
    hidden = query.project().names[pins.SHOWN :]
    if hidden:
        st.caption(
            f"The page shows {pins.SHOWN} columns. Not shown: {markdown(', '.join(hidden))}. "
            "Remove or move a column to see them."
        )
        st.button(
            f"Move {markdown(hidden[0])} to the front",
            key="bring_front",
            on_click=toolbar.bring_front,
            type="tertiary",
            icon=":material/first_page:",
        )


def _upper(slots: Slots) -> None:
    """Show all that stays around the charts of all columns."""
    whose = for_whom(*(scenario for scenario, _, _ in query.shown()))
    left, right = st.columns(2, gap="small")
    with (
        left,
        card(
            key=charts.FRONTIER,
            title="Cost of privacy",
            subtitle="Share kept at each ε. Click a point to jump there.",
            table=_frontier_table,
            formulas=(formulas.FRONTIER,),
            beside=charts.axes,
        ),
    ):
        chart_place(charts.FRONTIER, fills=False)
        slots["frontier"] = st.container(key="column_frontier_below")
    with (
        right,
        card(
            key=charts.LEVELS,
            title="Level of every privacy notion",
            subtitle=markdown(f"The smallest budget at which each notion holds{whose}."),
            table=_levels_table,
            formulas=tuple(formulas.notion(scenario.notion) for scenario, _, _ in query.shown()),
        ),
    ):
        chart_place(charts.LEVELS, fills=False)


def _below(slots: Slots, names: Sequence[str]) -> None:
    """Show all that stays around the figures and charts of each column."""
    room = 22 if len(names) < pins.SHOWN else 18
    with st.container(horizontal=True, vertical_alignment="center", key="results_head"):
        st.markdown("**Results**  \n:small[Largest relative difference first.]", width="content")
        slots["work"] = st.container(key="columns_work")
    slots["differences"] = st.container(key="differences")
    for place, column in enumerate(st.columns(len(names))):
        with column:
            name = f"**{markdown(plain_short(names[place], room))}**"
            st.markdown(name, help=glossary.explanation(name))
            with st.container(key=f"column_figures_{place}", gap="xsmall"):
                words(f"figures_{place}")
    for key, title, subtitle, table, closer in (
        (
            "matrix",
            "The mechanism",
            "P(y | x): rows are inputs, columns are outputs; one color scale.",
            _matrix_table,
            "mechanisms",
        ),
        (
            "lifts",
            "Lift: how far beliefs shift",
            "Share of records by log-lift, on the same axes. Shaded: allowed by the notion.",
            _lift_table,
            "lift",
        ),
        (
            "graph",
            "Confusability graph",
            (
                "A line joins two releases that share a possible secret. A hollow node rules out "
                "a secret."
            ),
            _graph_table,
            "confusability",
        ),
    ):
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"row_{key}"):
            st.markdown(f"**{title}**  \n:small[{subtitle}]", help=glossary.explanation(subtitle))
            site.link(closer, "Look closer")
        for place, column in enumerate(st.columns(len(names))):
            with (
                column,
                card(
                    key=f"{key}_{place}",
                    title=f":small[{markdown(plain_short(names[place], room))}]",
                    subtitle="",
                    table=_of_column(table, place),
                ),
            ):
                chart_place(f"{key}_{place}", fills=False)


def _of_column(table: Callable[[Result], pd.DataFrame], place: int) -> Callable[[], pd.DataFrame]:
    return lambda: table(columns.result_of(place))


def _drawn_for() -> object:
    """Return what the frames depend on: names, notes, and which columns and steps there are."""
    names = [(name, note) for _, name, note in query.shown()]
    return (names, query.is_standard(), pins.can_undo(), pins.can_redo(), len(query.project()))


@st.fragment
@page_frame.whole
def _live(slots: Slots, drawn_for: object) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    page_frame.reserve(slots.values())
    request = matching.settle()
    if _drawn_for() != drawn_for:
        st.rerun()
    state.publish(state.scenario())
    query.publish()
    unit = controls.unit()
    scenarios = [scenario for scenario, _, _ in query.shown()]
    context.tell(*scenarios)
    charts.begin(scenarios)
    with slots["told"], refining.waiting(*scenarios * columns.is_first()):
        answered = columns.answered()
    numbers = reference(scenarios)
    compared = columns.columns(answered, numbers)
    with slots["told"]:
        problem = _shared_problem()
        matching.show_outcome()
        if request is not None:
            matching.follow(request)
    several = not _shared(scenarios)
    for column in answered:
        with slots[f"sliders {column.place}"]:
            heads.sliders(column.place, column.scenario, unit)
        if not problem:
            with slots[f"why {column.place}"]:
                _why(column)
            with slots[f"state {column.place}"]:
                _state(column, several=several)
        with slots[f"state {column.place}"]:
            if column.result is not None:
                for_each.show(column.result, unit, f"_{column.place}", brief=True)
    with slots["work"]:
        _work(answered, columns.waiting_levels(answered, numbers))
    swept = charts.find(answered)
    with slots["frontier"]:
        charts.tell_axes(swept, unit)
        charts.show_work(swept)
    table = columns.table(compared, numbers, unit)
    with slots["differences"]:
        columns.show(table)
    with slots["files"]:
        exports.opened("compare", partial(_export, answered))
        _report(answered, compared, table, _pictures(answered, swept, compared, unit))
    with slots["drawn"]:
        frames.show(frames.Shown(answered, swept, unit, charts.is_whole()), compared)


def _pictures(
    answered: Sequence[Answered],
    swept: Sequence[charts.ColumnLine],
    compared: Sequence[Column],
    unit: str,
) -> Callable[[], list[Picture]]:
    """Return a function that draws the charts of a report; they are drawn only when needed."""
    numbers, far = reference([column.scenario for column in answered]), charts.reach(answered)
    along = charts.frontier_figure(swept, unit, whole=charts.is_whole())[0]
    levels = charts.levels_figure(compared, [column.mark for column in answered], numbers, unit)

    def make() -> list[Picture]:
        pictures = [
            Picture(along, "Cost of privacy", "Share kept at each ε, one line per column."),
            Picture(levels, "Level of every privacy notion", "Each mark shows a column's level."),
        ]
        for column in answered:
            if (result := column.result) is None:
                continue
            pictures += [
                Picture(figure, f"{column.name}: {title}", f"{column.name}: {title}.")
                for title, figure in (
                    ("the mechanism P(y | x)", charts.matrix_figure(result)),
                    ("lift: how far beliefs shift", charts.lifts_figure(result, unit, far)),
                    ("confusability graph", charts.graph_figure(result)),
                )
            ]
        return pictures

    return make


def _export(answered: Sequence[Answered]) -> None:
    """Show the downloads of one column, which is chosen where there are several."""
    place = st.selectbox(
        "Column",
        range(len(answered)),
        format_func=lambda place: answered[place].name,
        key="export_column",
        disabled=len(answered) == 1,
    )
    with long_answer.within(columns.part(place)):
        exports.contents(f"compare_{place}", answered[place].scenario)


def _report(
    answered: Sequence[Answered],
    compared: Sequence[Column],
    table: pd.DataFrame,
    pictures: Callable[[], list[Picture]],
) -> None:
    """Show the button that makes a report of the columns, when it is clicked."""
    project, unit = query.project(), controls.unit()
    provisional = [column.name for column in answered if column.working]
    exports.report(
        lambda: report(project, compared, table, pictures(), unit, provisional=provisional),
        "compare_report",
        "liftscope-comparison.html",
        lacking="No column has an answer yet." if table.empty else "",
        help="One HTML file for all columns: questions, results, differences, charts, sources.",
    )


def _shared_problem() -> bool:
    """Show once why the data that all columns share cannot be counted, and what can be."""
    if not query.is_standard():
        return False
    try:
        derived.counted(state.data())
    except CoreError as error:
        st.error(markdown(str(error)))
        data_remedies.buttons(state.data(), "compare_way")
        return True
    return False


def _why(column: Answered) -> None:
    """Show why a column has no answer, above its sliders: others may be below the fold."""
    if column.result is None and not column.working:
        st.error(markdown(str(column.error)))
        toolbar.remedy(column)


def _state(column: Answered, *, several: bool) -> None:
    """Show what a column is about, that an answer is awaited, and how to get a better one."""
    if several:
        st.caption(_about(column.scenario))
    if column.result is None:
        if column.working:
            st.info(markdown(str(column.error)), icon=":material/hourglass_top:")
    elif answers.is_cut(column.scenario, column.result.mechanism):
        refining.give_minute(answers.answer_work(column.scenario), f"minute_{column.place}")
    elif columns.is_stopped(column):
        answers.answer_work(column.scenario).again(f"minute_{column.place}_again")


def _shared(scenarios: Sequence[Scenario]) -> str:
    """Return what all columns are about, as Markdown; "" where they differ."""
    every = {_about(scenario) for scenario in scenarios}
    return every.pop() if len(every) == 1 else ""


def _about(scenario: Scenario) -> str:
    """Return what a column's data is called, and its question, as Markdown."""
    source = scenario.data.source
    try:
        title = visits.sources().label(source)
    except CoreError:
        title = query.project().file_of(source) or "data not available here"
    return markdown(f"{title}: {question(scenario)}")


def _work(answered: Sequence[Answered], more: Sequence[Job[dict[str, float]]]) -> None:
    """Show the progress of the answers that are being computed, and Cancel."""
    working = [column for column in answered if column.working]
    if not working and not more:
        return
    names = ", ".join(column.name for column in working)
    news = [
        answers.news(column.scenario, None if column.result is None else column.result.mechanism)
        for column in working
    ]

    def look() -> tuple[float, str] | None:
        if any(are_there() for are_there in news) or any(job.finished for job in more):
            return None
        if working:
            share = (len(answered) - len(working)) / len(answered)
            return share, f"Improving {names}"
        return 0.9, "Computing the levels of robust notions"

    stop = partial(_stop, working) if working else None
    progress.watched(look, key="columns_cancel", on_cancel=stop)


def _stop(open_: Sequence[Answered]) -> None:
    for column in open_:
        columns.stop(column)


def _frontier_table() -> pd.DataFrame:
    rows = [
        {
            "column": swept.column.name,
            "budget": in_unit(float(eps), shown),
            "unit": shown if spans.in_nats(swept.column.scenario.notion) else "",
            "kept": float(kept),
            "at_most": float(bound),
        }
        for swept in charts.find(columns.answered())
        if swept.line is not None
        for shown in (of_budget(swept.column.scenario.notion, controls.unit()),)
        for eps, kept, bound in zip(
            swept.line.eps, swept.line.nmi, swept.line.most_nmi, strict=True
        )
    ]
    return pd.DataFrame(rows)


def _levels_table() -> pd.DataFrame:
    numbers = reference([scenario for scenario, _, _ in query.shown()])
    return charts.levels_table(columns.columns(columns.answered(), numbers), numbers)


def _matrix_table(result: Result) -> pd.DataFrame:
    return exports.kernel_table(result.mechanism, derived.inputs(result))


def _lift_table(result: Result) -> pd.DataFrame:
    return tables.lifts(result.after)


def _graph_table(result: Result) -> pd.DataFrame:
    return tables.graph(derived.confusability_after(result))
