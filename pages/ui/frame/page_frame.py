"""How a page about one answer opens: notices, the sidebar with its sliders, and the answer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitInvalidLayoutContextError
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.release.sentences import caution_of, finding, promise_text, question
from core.scenario import Result, Scenario
from pages.ui.frame import controls, purpose, remedies, state, theme
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import answers, context, refining

_LAST = "_last_answer"

Asked = ParamSpec("Asked")

Places = tuple[DeltaGenerator, DeltaGenerator]
"""The places of the sliders that change the answer, and of those that do not."""


def frame() -> Places:
    """Show what stays while sliders move: style, pickers, and what was wrong in the URL."""
    theme.apply()
    sliders = controls.sidebar()
    purpose.show()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    return sliders, st.sidebar.container()


def reserve(places: Iterable[DeltaGenerator]) -> None:
    """Keep a place for a fragment in each container around it; call it first in the fragment.

    A fragment that runs by itself may write only where it wrote in the last run of the whole page.
    """
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        return  # it runs by itself: the places are kept
    for place in places:
        place.empty()


def whole(part: Callable[Asked, None]) -> Callable[Asked, None]:
    """Have the page run again where its last run was cut off before a fragment's `reserve`."""

    @functools.wraps(part)
    def run(*values: Asked.args, **named: Asked.kwargs) -> None:
        try:
            part(*values, **named)
        except StreamlitInvalidLayoutContextError:
            st.rerun()

    return run


def asked(places: Places) -> Scenario:
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
        remedies.show(scenario, error)
        if otherwise is not None:
            otherwise(scenario)
    return None


def headline(result: Result, *notes: str) -> None:
    """Say what an answer proves, then in small what it rests on."""
    waiting = answers.is_refining(result.scenario)
    first, *rest = sentences(result, controls.unit(), *notes, provisional=waiting)
    said = markdown(first)
    small = [f":small[{markdown(sentence)}]" for sentence in rest]
    with st.container(key="finding"):
        st.markdown("\n\n".join([said, *small]), help=glossary.explanation(said))


def sentences(result: Result, unit: str, *notes: str, provisional: bool) -> list[str]:
    """Return what an answer proves, then what it rests on; `provisional`: a better one may come."""
    every = [
        refining.GLANCE if provisional else "",
        *notes,
        caution_of(result),
        *result.mechanism.notes,
    ]
    said = finding(result, unit, provisional=provisional)
    return [said, *(sentence for sentence in every if sentence)]


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
