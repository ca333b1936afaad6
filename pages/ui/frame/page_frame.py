"""How a page about one answer opens: notices, the sidebar with its sliders, and the answer."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.release.sentences import promise_text, question
from core.scenario import Result, Scenario
from pages.ui.frame import controls, purpose, remedies, state, theme
from pages.ui.style.labels import markdown
from pages.ui.work import answers, context, refining

_LAST = "_last_answer"

Places = tuple[DeltaGenerator, DeltaGenerator]
"""The places of the sliders that change the answer, and of those that do not."""


def frame() -> Places:
    """Show what stays while sliders move: style, pickers, and what was wrong in the URL.

    Returns
    -------
    Places
        Where sliders go: `asked` fills them.
    """
    theme.apply()
    sliders = controls.sidebar()
    purpose.show()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    return sliders, st.sidebar.container()


def asked(places: Places) -> Scenario:
    """Show the sliders, write the URL, and return the question on screen; call it in a fragment."""
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
    """Return the answer; None where there is none (yet), after saying why.

    Parameters
    ----------
    scenario : Scenario
        The question.
    otherwise : callable, optional
        Shows what could be asked instead, below the reason.
    """
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


def last() -> Result | None:
    """Return the session's last answer and name it; call it where the question has none.

    None where there was no answer yet.
    """
    result: Result | None = st.session_state.get(_LAST)
    if result is not None:
        context.tell(result.scenario)
        st.caption(f"The charts are from the last answer: {markdown(named(result))}.")
    return result


def named(result: Result) -> str:
    """Return the question of an answer, its mechanism and its promise in words."""
    scenario, promised = result.scenario, result.mechanism.notion
    under = "" if promised is None else f" under {promise_text(promised, controls.unit())}"
    mechanism = mechanisms.entry(scenario.mechanism).title
    return f"{question(scenario)[:-1]}, {mechanism}{under}"
