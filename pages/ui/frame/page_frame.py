"""The opening of a page about one answer: notices, sidebar, head, and answer or remedies."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitInvalidLayoutContextError

from core.errors import CoreError, SolverError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.release.sentences import caution_of, finding, promise_text, question
from core.scenario import Result, Scenario, spans
from core.studies.advice import Consequences, is_sampled
from pages.ui.frame import address, controls, data_remedies, purpose, state, theme
from pages.ui.parts import exports
from pages.ui.report.contents import report
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import answers, context, derived, long_answer, refining

_LAST = "_last_answer"

P = ParamSpec("P")

Places = tuple[DeltaGenerator, DeltaGenerator]
"""The places of the sliders that change the answer, and of those that do not."""


def frame() -> Places:
    """Show what stays while sliders move: style, pickers, and what was wrong in the URL."""
    theme.apply()
    sliders = controls.sidebar()
    purpose.show()
    address.warn(*state.notices())
    return sliders, st.sidebar.container()


def reserve(places: Iterable[DeltaGenerator]) -> None:
    """Keep a place for a fragment in each container around it; call it first in the fragment.

    A fragment that runs by itself may write only where it wrote in the last run of the whole page.
    It does so then too: else all that follows would have another place, and the next run of the
    page would replace a slider that has the focus.
    """
    for place in places:
        place.empty()


def whole(part: Callable[P, None]) -> Callable[P, None]:
    """Rerun the page if its last run was cut off before a fragment's `reserve`."""

    @functools.wraps(part)
    def run(*values: P.args, **named: P.kwargs) -> None:
        try:
            part(*values, **named)
        except StreamlitInvalidLayoutContextError:
            st.rerun()

    return run


def read_sliders(places: Places) -> Scenario:
    """Show the sliders, write the URL, and return the question on screen; call it in a fragment."""
    reserve(places)
    live, idle = places
    with live:
        controls.live_sliders(state.scenario())
    with idle:
        controls.idle_sliders(state.scenario())
    scenario = state.scenario()
    state.publish(scenario)
    return scenario


def answer(
    scenario: Scenario, otherwise: Callable[[Scenario], None] | None = None
) -> Result | None:
    """Return the answer; None where there is none (yet), after saying why."""
    try:
        with refining.waiting(*[scenario] * (_LAST not in st.session_state)):
            result = st.session_state[_LAST] = answers.evaluate(scenario)
        return result
    except answers.UnfinishedError as error:
        st.info(markdown(str(error)), icon=":material/hourglass_top:")
        refining.follow(scenario)
    except CoreError as error:
        show_remedies(scenario, error)
        if otherwise is not None:
            otherwise(scenario)
    return None


def headline(result: Result, *notes: str) -> None:
    """Show what an answer proves, then in small type what it rests on."""
    waiting = answers.is_refining(result.scenario)
    first, *rest = sentences(result, controls.unit(), *notes, provisional=waiting)
    text = markdown(first)
    small = [f":small[{markdown(sentence)}]" for sentence in rest]
    with st.container(key="finding"):
        st.markdown("\n\n".join([text, *small]), help=glossary.explanation(text))


def sentences(result: Result, unit: str, *notes: str, provisional: bool) -> list[str]:
    """Return what an answer proves, then what it rests on; `provisional`: a better one may come."""
    glance, of_search = (refining.GLANCE, ()) if provisional else ("", result.mechanism.notes)
    every = [glance, *notes, caution_of(result), *of_search]
    first = finding(result, unit, provisional=provisional)
    return [first, *(sentence for sentence in every if sentence)]


def last() -> Result | None:
    """Return the session's last answer, if any, and name it where the question has none."""
    result: Result | None = st.session_state.get(_LAST)
    if result is not None:
        context.tell(result.scenario)
        st.caption(f"The charts show the last answer: {markdown(named(result))}.")
    return result


def named(result: Result) -> str:
    """Return the question of an answer, its mechanism and its promise in words."""
    scenario, promised = result.scenario, result.mechanism.notion
    under = "" if promised is None else f" under {promise_text(promised, controls.unit())}"
    mechanism = mechanisms.entry(scenario.mechanism).title
    return f"{question(scenario)[:-1]}, {mechanism}{under}"


MOST_OFFERED = 6
"""Most mechanisms, and most promises, that are offered."""

Remedy = tuple[str, dict[str, object]]
"""A button's label, and what it changes in the session."""


def show_remedies(scenario: Scenario, error: CoreError) -> None:
    """Show why there is no answer, and buttons that ask what has one."""
    with st.container(key="remedies"):
        st.error(markdown(str(error)))
        data_remedies.missing_file([scenario.data.source])
        stopped = isinstance(error, long_answer.StoppedError | SolverError)
        with st.container(horizontal=True, vertical_alignment="center"):
            if stopped:
                answers.answer_work(scenario).again("answer_again")
            for i, (label, changes) in enumerate(_offered(scenario)):
                st.button(
                    markdown(label),
                    key=f"remedy_{i}",
                    on_click=st.session_state.update,
                    args=(changes,),
                )


def _offered(scenario: Scenario) -> list[Remedy]:
    try:
        derived.counted(scenario.data)
    except CoreError:
        return [(label, {"_data": data}) for label, data in data_remedies.offered(scenario.data)]
    return list(_other_questions(scenario))


def _other_questions(scenario: Scenario) -> Iterator[Remedy]:
    """Offer the mechanisms that work under the promise, then the promises this one works under."""
    if scenario.purpose != "information":
        plain: dict[str, object] = {"for": "information", "_data": replace(scenario.data, task=())}
        yield "Keep all information about X", plain
    if scenario.data.known:
        yield "Without the known columns", {"_data": replace(scenario.data, known=())}
    if scenario.also:
        yield "Remove the additional notions", {"_also": ()}
    kinds = scenario.kinds
    data = scenario.data
    without = not (data.secret_released or data.releases_secret)
    if without and any(kind.secret_released for kind in kinds):
        yield "Also release S", {"_data": replace(data, secret_released=True)}
        return
    yield from _reachable(scenario)
    able = [
        entry
        for entry in mechanisms.CATALOGUE.values()
        if entry.uses_notion
        and not fit.obstacle(entry, kinds, of_task=scenario.of_task)
        and entry.key != scenario.mechanism
    ]
    for entry in able[:MOST_OFFERED]:
        yield entry.title, {"mech": entry.key}
    chosen = mechanisms.entry(scenario.mechanism)
    if fit.obstacle(chosen, kinds):
        others = [notion for notion in notions.ALL if not fit.obstacle(chosen, [notion.kind])]
        others = [] if scenario.data.known else others
        for other in others[:MOST_OFFERED]:
            yield f"Use {other.title}", {"notion": other.key, "_also": ()}


def _reachable(scenario: Scenario) -> Iterator[Remedy]:
    """Offer the least bound on guesses that a mechanism can satisfy, if a lower one is chosen."""
    if "bound" not in notions.entry(scenario.notion).parameters:
        return
    joint = derived.counted(scenario.data).joint
    least = spans.span(scenario.notion, "bound", joint, scenario.numbers).low
    if scenario.bound < least:
        yield f"Use c = {least:g}", {"bound": least}


ELSEWHERE = "This page does not compute it; the report from Explore includes it."
"""Stands in a report for what only Explore works out."""


def heading(scenario: Scenario, question: str, page: str) -> str:
    """Return a page's heading: its question, or its name where the data does not allow that."""
    try:
        derived.counted(scenario.data)
    except CoreError:
        return page
    return question


def head(
    title: str, own: Callable[[], object] | None = None, *, units: bool = True
) -> DeltaGenerator:
    """Show a page's head: title, unit, the page's `own`; return the place of Export and Report.

    `title`: as Markdown.
    """
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title(title, anchor=False)
        with st.container(horizontal=True, width="content"):
            if units:
                controls.unit_switch()
            if own is not None:
                own()
            return st.container(horizontal=True, width="content")


def answer_head(page: str, title: str, scenario: Scenario) -> DeltaGenerator:
    """Show the head of a page about one answer; return the place of the button of its report."""
    with head(markdown(title)):
        exports.menu(page, scenario)
        return st.container(width="content")


NO_ANSWER = "There is no answer to report yet."
"""Why there is no report of a question."""


def report_button(place: DeltaGenerator, page: str, result: Result | None, file: str = "") -> None:
    """Show the button that makes a report of an answer, if any, when clicked; see `report`."""
    if result is None:
        with place:
            exports.report(str, f"{page}_report", lacking=NO_ANSWER)
        return
    unit, waiting = controls.unit(), answers.is_refining(result.scenario)
    consequences = Consequences(
        derived.own_levels(result), ELSEWHERE, ELSEWHERE, ELSEWHERE if is_sampled(result) else None
    )
    with place:
        exports.report(
            lambda: report(result, (), consequences, unit, provisional=waiting, file=file),
            f"{page}_report",
        )
