"""The Mechanisms page: the matrix on screen, what its outputs reveal, and all other mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.limits import CLOSE, ROUNDING
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.mechanisms.entry import MechanismEntry
from core.mechanisms.outputs import leads
from core.notions import catalogue as notions
from core.release.confusability import most_likely
from core.release.posteriors import Beliefs, Disclosure
from core.release.sentences import for_whom
from core.scenario import PURPOSES, Result, Scenario
from core.studies import comparison
from core.studies.comparison import SECONDS, Compared
from core.wording import listed, number_of
from pages.ui import figures
from pages.ui.chart import Drawing, board, chart, old
from pages.ui.chart import place as chart_place
from pages.ui.frame import address, controls, following, page_frame, pickers
from pages.ui.mechanisms import merging, query, side_channels
from pages.ui.parts import exports, for_each, formulas, tables
from pages.ui.parts.cards import card
from pages.ui.parts.tables import COLUMNS, ROWS, WIDTHS, first_row, rows
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit, level, share
from pages.ui.work import derived, progress, refining
from pages.ui.work.frames import Frame
from pages.ui.work.long_answer import LIMIT, LongAnswer

KERNEL, POSTERIORS = "kernel", "posteriors"
"""Keys of the charts that follow a slider."""

BELOW = "mechanisms_below"
"""Key of what does not."""


@dataclass(frozen=True)
class View:
    """The first input and output that are shown, and whether the posteriors are those of X."""

    input: int
    of_x: bool
    output: int


def compare(result: Result, unit: str) -> None:
    st.header("All mechanisms at the same level", anchor=False)
    reached = result.after.achieved["lip"]
    at = reached if math.isfinite(reached) else result.scenario.eps
    why = (
        "the level of the mechanism above"
        if math.isfinite(reached)
        else "the budget last set, because the mechanism above has no finite level"
    )
    st.markdown(
        f"Each gets a budget of **{level(at, unit)} {unit} of LIP**, {why}. Click a column to "
        "sort. Mechanisms without a budget are shown unchanged."
        + (
            " The robust ones get the same budget for RLDP, which implies LIP."
            if result.scenario.data.secret_released
            else ""
        )
    )
    _other_purpose(result.scenario)
    wanted = st.toggle(
        "Compare",
        key="compare_all",
        persist_state="session",
        help=f"Computes them in the background; takes at most {LIMIT:.0f} seconds.",
    )
    compared = _rows(result.scenario, at) if wanted else None
    if compared is None:
        return
    table = _table(compared, at, unit, several=len(result.counted.attributes) > 1)
    tables.sheet(
        table,
        "comparison",
        most=640,
        wrapped={name: WIDTHS[name] for name in ("mechanism", "note")},
        most_lines=2,
        column_config={
            # it stays in sight where the others do not fit on a narrow screen
            "mechanism": st.column_config.TextColumn(
                "mechanism", width=WIDTHS["mechanism"], pinned=True
            ),
            "note": st.column_config.TextColumn("note", width=WIDTHS["note"]),
            "needs S": st.column_config.CheckboxColumn(
                "needs S", help="Whether the release needs the secret."
            ),
            f"at most, {unit}": st.column_config.NumberColumn(
                help=f"{glossary.meaning('bound')} Mechanisms that also read S have their own. "
                "Blank without a budget: no bound is proven."
            ),
            f"I(S;Y), {unit}": st.column_config.NumberColumn(
                help=glossary.meaning("secret_information")
            ),
            "within": st.column_config.CheckboxColumn(
                "within", help="Whether it stays within the LIP level."
            ),
            "X kept": st.column_config.ProgressColumn(
                "X kept", format="percent", min_value=0.0, max_value=1.0
            ),
        },
    )


def _other_purpose(scenario: Scenario) -> None:
    """Show a note if the table counts another utility than is asked, or levels of Y alone."""
    if whose := for_whom(scenario):
        st.caption(markdown(f"The table compares levels of Y alone{whose}."))
    if scenario.purpose != "information":
        st.caption(
            "The table shows information about all of X; the figures above show "
            f"{PURPOSES[scenario.purpose].title}."
        )


def _rows(scenario: Scenario, at: float) -> tuple[Compared, ...] | None:
    question = repr(replace(scenario, mechanism="identity", notion="lip", eps=1.0))
    work = LongAnswer(
        scenario.data,
        ("compared", question, f"{at:.9g}"),
        comparison.compare,
        lambda: (scenario, derived.counted(scenario.data), at, SECONDS * work.longer),
        patience=LIMIT,
        is_final=lambda rows: not any(row.cut for row in rows),
    )
    return progress.awaited(
        work,
        work.ask,
        "Running every mechanism",
        key="compared",
        left_open=lambda rows: (
            f"The search stopped after {SECONDS * work.longer:g} s each for "
            f"{listed([row.title for row in rows if row.cut])}: more time may find better ones."
        ),
    )


def _table(rows: tuple[Compared, ...], at: float, unit: str, *, several: bool) -> pd.DataFrame:
    """Return the table; with the level against side channels where X has several columns."""

    def shown(values: list[float]) -> list[float]:
        return [round(in_unit(value, unit), 4) for value in values]

    table = pd.DataFrame(
        {
            "mechanism": [row.title for row in rows],
            "X kept": [row.nmi for row in rows],
            "within": [row.lip <= at + ROUNDING for row in rows],
            "needs S": [row.reads_secret for row in rows],
            f"I(X;Y), {unit}": shown([row.utility for row in rows]),
            f"at most, {unit}": shown([row.upper_bound for row in rows]),
            f"LIP, {unit}": shown([row.lip for row in rows]),
            f"LDP, {unit}": shown([row.ldp for row in rows]),
            f"I(S;Y), {unit}": shown([row.leak for row in rows]),
            "outputs": [row.outputs for row in rows],
            "seconds": [round(row.seconds, 2) for row in rows],
            "note": [row.note for row in rows],
        }
    )
    if several:
        known = shown([row.side_channel for row in rows])
        table.insert(8, f"with side channels, {unit}", known)
    if any(not math.isnan(row.robust) for row in rows):  # S is released too
        worst = shown([row.robust for row in rows])
        table.insert(8, f"RLDP, {unit}", worst)
    return table.sort_values(["within", "X kept"], ascending=False, kind="stable")


MOST_OUTPUTS = 200
"""Outputs that the picker lists: those that move beliefs most."""

OUTPUT = "_output_picked"
"""Session key of the name of the output that was picked."""


def show() -> None:
    _live(page_frame.frame())


@st.fragment
@page_frame.whole
def _live(places: page_frame.Places) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    scenario = page_frame.read_sliders(places)
    notices = st.container()
    entry = mechanisms.entry(scenario.mechanism)
    place = page_frame.answer_head("mechanisms", _question(scenario), scenario)
    _needs(entry)
    result = page_frame.answer(scenario, _works)
    page_frame.report_button(place, "mechanisms", result)
    if result is not None:
        _answered(result)
        query.publish()
    elif (before := page_frame.last()) is not None:
        with old():
            view = _matrices(before)
            board({"": None}, [drawing.sent() for drawing in _drawn(before, view)], ())
            _outputs(before, side_channels.known(before), controls.unit())
    address.warn(*query.URL.notices(), place=notices)


def _answered(result: Result) -> None:
    answer, unit = st.container(), controls.unit()
    refining.follow(result.scenario, result.mechanism)
    view = _matrices(result)
    with answer:
        board(
            {"": following.answered(result, unit)},
            [drawing.sent() for drawing in _drawn(result, view)],
            following.sliders(result.scenario, partial(_followed, result.scenario, view)),
        )
    with st.container(key=BELOW):
        known = side_channels.known(result)
        _outputs(result, known, unit)
        for_each.show(result, unit)
        merging.show(result)
        compare(result, unit)


def _followed(scenario: Scenario, view: View, name: str) -> dict[str, Any]:
    return following.slider(
        name,
        scenario,
        partial(frame, view=view, unit=controls.unit()),
        (view, controls.unit()),
        charts=[KERNEL, POSTERIORS],
        behind=[BELOW],
    )


def frame(results: Sequence[Result], view: View, unit: str) -> Frame:
    """Return what the page shows of an answer at another place of a slider."""
    (result,) = results
    words = partial(_words, result, unit)
    return following.frame(result, words, partial(_drawn, view=view))


def _words(result: Result, unit: str, provisional: bool) -> Frame:
    return following.frame_of(result, unit, provisional=provisional)


def _question(scenario: Scenario) -> str:
    """Return the page's title: the question about the mechanism."""
    released = listed(scenario.data.released) or "X"
    are = "are" if len(scenario.data.released) > 1 else "is"
    text = f"How {released} {are} released: {mechanisms.entry(scenario.mechanism).title}"
    return page_frame.heading(scenario, text, "Mechanisms")


def _needs(entry: MechanismEntry) -> None:
    """Show whether S must be at hand when the mechanism releases; its tooltip: what it does."""
    secret = entry.reads_secret
    st.badge(
        "reads S at release time" if secret else "reads X only",
        icon=":material/key:" if secret else ":material/lock:",
        color="orange" if secret else "blue",
        help=entry.meaning,
    )


def _works(scenario: Scenario) -> None:
    kinds = scenario.kinds
    able = [
        entry.title
        for entry in mechanisms.CATALOGUE.values()
        if entry.uses_notion and not fit.obstacle(entry, kinds, of_task=scenario.of_task)
    ]
    if able:
        promised = listed([notions.entry(key).title for key in pickers.notion_keys(scenario)])
        st.caption(f"Mechanisms for {markdown(promised)}: {markdown('; '.join(able))}.")


def _matrices(result: Result) -> View:
    """Show the cards of the two matrices, without these; return what is shown in them."""
    mechanism, input_names = result.mechanism, derived.inputs(result)
    of_x = st.session_state.get("posterior_of") == query.ABOUT_X
    letter = "x" if of_x else "s"

    def posteriors() -> pd.DataFrame:
        disclosure, names = _beliefs_of(result, of_x)
        columns = dict(zip(disclosure.labels, disclosure.posterior.T, strict=True))
        return pd.DataFrame({letter: names} | columns)

    left, right = st.columns(2)
    with (
        left,
        card(
            key=KERNEL,
            title="The mechanism",
            subtitle="P(y | x): one row per input x."
            + (" One row for each pair of secret and input." if _reads_secret(result) else ""),
            table=lambda: exports.kernel_table(mechanism, input_names),
            formulas=(formulas.mechanism(result.scenario.mechanism),),
        ),
    ):
        first = first_row(len(input_names), "inputs, most likely first", "kernel_page")
        chart_place(KERNEL, fills=False)
    with (
        right,
        card(
            key=POSTERIORS,
            title="Posteriors: beliefs after an output",
            subtitle=f"P({letter} | y): one row per output.",
            table=posteriors,
            formulas=(formulas.POSTERIOR,),
            beside=_of,
        ),
    ):
        outputs = len(_beliefs_of(result, of_x)[0].labels)
        page = first_row(outputs, "outputs, most likely first", "posterior_page")
        chart_place(POSTERIORS, fills=False)
    return View(first, of_x, page)


def _reads_secret(result: Result) -> bool:
    return len(result.mechanism.kernel) > result.joint.n_x


def _beliefs_of(result: Result, of_x: bool) -> tuple[Beliefs | Disclosure, tuple[str, ...]]:
    """Return the posteriors of X or of S, and the names of its values."""
    if of_x:
        return derived.posteriors(result), result.joint.x_labels
    return derived.disclosed(result), result.joint.s_labels


def _drawn(result: Result, view: View) -> list[Drawing]:
    """Return the matrices of an answer."""
    mechanism, joint, input_names = result.mechanism, result.joint, derived.inputs(result)
    most = min(ROWS, max(len(input_names), mechanism.n_y))
    height = int(np.clip(150 + 22 * most, 300, 760))
    weight = joint.p.ravel() if _reads_secret(result) else joint.p_x
    inputs = rows(weight, view.input)
    shown = most_likely(weight[inputs] @ mechanism.kernel[inputs], COLUMNS)
    disclosure, names = _beliefs_of(result, view.of_x)
    outputs = rows(disclosure.mass, view.output)
    likely = most_likely(disclosure.posterior @ disclosure.mass, ROWS)
    return [
        Drawing(
            lambda: figures.mechanism_matrix(
                mechanism.kernel[np.ix_(inputs, shown)],
                [input_names[x] for x in inputs],
                [mechanism.y_labels[y] for y in shown],
                left_out=mechanism.n_y - len(shown),
                height=height,
            ),
            KERNEL,
            mechanism.name,
            f"{mechanism.name}: {number_of(len(input_names), 'input')}, "
            f"{number_of(mechanism.n_y, 'output')}.",
            fills=False,
        ),
        Drawing(
            lambda: figures.posterior_matrix(
                disclosure.posterior[np.ix_(likely, outputs)],
                [names[i] for i in likely],
                [disclosure.labels[y] for y in outputs],
                "x" if view.of_x else "s",
                names_out=len(names) - len(likely),
                height=height,
            ),
            POSTERIORS,
            "Posteriors",
            f"Posteriors {'of X' if view.of_x else 'of S'} under "
            f"{number_of(len(disclosure.labels), 'output')}.",
            fills=False,
        ),
    ]


def _of() -> None:
    st.segmented_control(
        "Beliefs",
        list(query.ABOUT.values()),
        key="posterior_of",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )


def _outputs(result: Result, known: side_channels.SideInformation, unit: str) -> None:
    """Show what one output reveals, next to what side channels add."""
    try:
        disclosure = derived.disclosed(result, known.values)
    except CoreError as error:
        st.error(markdown(str(error)))
        return
    left, right = st.columns(2)
    with left:
        _beliefs(result, disclosure, known, unit)
    with right:
        side_channels.levels(result, unit)


def _beliefs(
    result: Result, disclosure: Disclosure, known: side_channels.SideInformation, unit: str
) -> None:
    s_labels = result.joint.s_labels
    with card(
        key="beliefs",
        title="What one output reveals about S",
        subtitle=f"For {markdown(known.who)}, before and after the output.",
        table=lambda: _belief_table(disclosure, s_labels, unit),
        formulas=(formulas.measure("lift"),),
    ):
        chosen = _output(disclosure)
        chart(
            figures.beliefs(
                disclosure.prior,
                disclosure.posterior[:, chosen],
                s_labels,
                disclosure.labels[chosen],
            ),
            key="beliefs",
            title="Beliefs before and after",
            alt=f"Beliefs about {number_of(len(s_labels), 'secret')} before and after "
            f"{disclosure.labels[chosen]}.",
        )
        if np.isinf(disclosure.level[chosen]):
            st.caption("This output rules out a value of S.")
            return
        if disclosure.level[disclosure.worst] < CLOSE:
            st.caption("No output shifts any belief.")
            return
        own, most = (level(float(disclosure.level[y]), unit) for y in (chosen, disclosure.worst))
        worst = markdown(f"“{disclosure.labels[disclosure.worst]}”")
        others = f"{worst} shifts them most, by {most} {unit}"
        st.caption(
            f"This output shifts beliefs by up to {own} {unit}; "
            f"{'no output shifts them more' if own == most else others}."
        )


def _output(disclosure: Disclosure) -> int:
    """Show the picker of the output, those that shift beliefs most first; return its index."""
    order = np.argsort(-disclosure.level, kind="stable")[:MOST_OUTPUTS].tolist()
    names = leads(disclosure.labels)
    label = query.URL.take("output")
    if label is not None:
        st.session_state[OUTPUT] = label
        if label not in [names[y] for y in order]:
            query.URL.refuse("output", label, "is no output here", "showing the worst one")
    # known by its main inputs, so that it stays picked while a slider changes their shares
    named: dict[str, int] = {names[y]: y for y in order}
    worst = names[order[0]]
    chosen = st.session_state.get(OUTPUT)
    st.session_state["output"] = chosen if chosen in named else worst
    name: str = st.selectbox(
        "Output",
        list(named),
        format_func=lambda name: (
            f"{disclosure.labels[named[name]]} ({share(float(disclosure.mass[named[name]]))})"
        ),
        key="output",
        on_change=_remember,
        args=(frozenset(named), worst),
        help="With probabilities; the outputs that shift beliefs most come first"
        + (
            f", and only {MOST_OUTPUTS} of them are listed."
            if len(order) < len(disclosure.labels)
            else "."
        ),
    )
    query.show("output", [] if name == worst else [name])
    return named[name]


def _remember(listed: frozenset[str], worst: str) -> None:
    """Keep the name of the output that was picked; of the worst one none, so that it stays worst.

    A late browser sends the text that it showed for an old mechanism: that is no output's name.
    """
    picked = st.session_state["output"]
    if picked in listed:
        st.session_state[OUTPUT] = None if picked == worst else picked


def _belief_table(disclosure: Disclosure, s_labels: tuple[str, ...], unit: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "output": disclosure.labels,
            "probability": disclosure.mass,
            f"shifts beliefs by ({unit})": disclosure.level * in_unit(1.0, unit),
        }
        | {f"P({s} | y)": disclosure.posterior[i] for i, s in enumerate(s_labels)}
    )
